"""Simplification changes nothing that others can see: accesses, what is read and written, errors that are reached."""

from __future__ import annotations

import copy
import random

import pytest

from frontend.threads.op_facts import OpFacts
from frontend.threads.simplify import live_at, simplify
from tests.support.sketches import random_sketch, seen, sketch, texts

OWN = {"r": False, "s": False, "t": True, "u": True}


@pytest.mark.parametrize("seed", range(120))
def test_others_see_the_same(seed: int) -> None:
    rng = random.Random(seed)
    graph = random_sketch(rng)
    before = copy.deepcopy(graph)
    simplify(graph, OpFacts(OWN))
    for _ in range(2):
        start = {name: rng.randrange(4) for name in OWN}
        assert seen(graph, start, "xy") == seen(before, start, "xy"), (texts(before), texts(graph))


def test_random_sketches_are_simplified_at_all() -> None:
    smaller = 0
    for seed in range(50):
        graph = random_sketch(random.Random(seed))
        before = len(graph.steps)
        simplify(graph, OpFacts(OWN))
        smaller += len(graph.steps) < before
    assert smaller > 25


def simplified(edges: str) -> list[str]:
    graph = sketch("x:u2 y:u2", "r:u2 s:u2 t:u2 u:u2", edges)
    simplify(graph, OpFacts(OWN))
    return [str(s) for s in graph.steps]


def test_a_copy_into_a_temporary_is_put_where_it_is_used() -> None:
    assert simplified("0 1 t = x / 1 2 y = t") == ["0 --t = x--> 1", "1 --y = t--> 2"], "one access a step"
    assert simplified("0 1 t = x / 1 2 [t == 1] / 1 3 [t != 1] / 2 4 y = 1 / 3 4 y = 2")[0] == "0 --[x == 1]--> 2"


def test_a_read_that_nobody_needs_stays_an_access() -> None:
    assert simplified("0 1 r = x / 1 2 y = 1") == ["0 --r = x--> 1", "1 --y = 1--> 2"]


def test_what_is_computed_only_for_itself_is_not_computed() -> None:
    assert simplified("0 1 [x == 1] / 1 0 r = r + s / 0 2 [x != 1] / 2 3 y = 1") == [
        "1 --[x == 1]--> 1", "1 --[x != 1]--> 2", "2 --y = 1--> 3"]
    graph = sketch("x:u2 y:u2", "r:u2 s:u2 t:u2 u:u2", "0 1 r = s + 1 / 1 2 s = r + u / 2 3 u = s / 3 4 y = 1")
    live = live_at(graph, OpFacts(OWN))
    assert not any(live), "a chain of values that nobody uses is seen at once"


@pytest.mark.parametrize("edges", [
    "0 1 t = r + 1 / 1 2 r = s; s = t / 2 3 x = r / 3 4 y = s",
    "0 1 t = 2 / 1 2 r = 1; u = t + r / 2 3 y = u",
    "0 1 t = r / 1 2 r = *; s = t + r / 2 3 y = s",
    "0 1 t = x / 1 2 u = t + t / 2 3 y = u",
    "0 1 r = 1 / 1 2 y = r / 1 3 r = 2 / 3 1 skip",
])
def test_a_value_is_the_one_of_its_time(edges: str) -> None:
    before, after = (sketch("x:u2 y:u2", "r:u2 s:u2 t:u2 u:u2", edges) for _ in range(2))
    simplify(after, OpFacts(OWN))
    for start in ({"r": 0, "s": 1, "t": 2, "u": 3}, {"r": 2, "s": 0, "t": 1, "u": 0}):
        assert seen(after, start, "xy") == seen(before, start, "xy"), texts(after)


def test_ways_that_set_a_temporary_lead_past_the_test_of_it() -> None:
    """A compare-and-swap that tells by a register whether it did: behind the test the two ways are apart."""
    found = simplified("0 1 [x == 0] / 0 2 [x != 0] / 1 3 t = 1 / 2 3 t = 0 / 3 4 [t == 1] / 3 0 [t != 1] / 4 5 y = 1")
    assert len(found) == 3 and not any("t" in step.partition("--")[2].partition("-->")[0] for step in found), found


@pytest.mark.parametrize("edges", [
    "0 1 r = 1 / 1 2 [r == 1] / 1 3 [r != 1] / 2 4 y = 1 / 3 4 y = 2",
    "0 1 t = 1 / 1 2 [t == x] / 1 3 [t != x] / 2 4 y = 1 / 3 4 y = 2",
    "0 1 t = 1 / 1 2 [t == 1]; y = 2 / 1 3 [t != 1]",
    "0 1 t = 1 / 1 2 [t < 2] / 1 3 [t > 0] / 2 4 y = 1 / 3 4 y = 2",
    "0 1 t = 1 / 1 1 [t == 1] / 1 2 [t != 1] / 2 3 y = 1",
])
def test_what_is_seen_or_open_is_not_skipped(edges: str) -> None:
    own = {"r": 0, "s": 0, "t": 0, "u": 0}
    before, after = (sketch("x:u2 y:u2", "r:u2 s:u2 t:u2 u:u2", edges) for _ in range(2))
    simplify(after, OpFacts(OWN))
    assert seen(after, own, "xy") == seen(before, own, "xy")
