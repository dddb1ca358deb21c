"""Programs that share memory in odd ways: what circ says about each object, held against what ThreadSanitizer sees in runs."""

from __future__ import annotations

import shutil

import pytest

from tests.support.randomc import sanitizer
from tests.support.randomc.reading_mutants import MUTANTS, ReadingMutant, attempt
from tests.support.randomc.sharing import Sharing, sharing_program
from tests.support.randomc.started import started_program

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@needs_gcc
@pytest.mark.parametrize("start", range(0, 16, 4))
def test_nothing_that_a_run_shows_is_called_safe(start: int) -> None:
    tally = sanitizer.examine_sharing(range(start, start + 4), runs=4)
    assert not tally.faults, str(tally)
    assert tally.counts, "no object was judged"


@needs_gcc
@pytest.mark.parametrize("start", range(0, 8, 4))
def test_no_thread_is_overlooked_or_thought_to_have_ended(start: int) -> None:
    tally = sanitizer.examine_sharing(range(start, start + 4), runs=3, program=started_program)
    assert not tally.faults, str(tally)
    assert tally.counts, "no object was judged"


@needs_gcc
@pytest.mark.parametrize("mutant", MUTANTS, ids=[m.name for m in MUTANTS])
def test_readings_that_were_wrong_once_are_caught(mutant: ReadingMutant) -> None:
    assert attempt(mutant)
    assert not attempt(mutant, sound=True)


@pytest.mark.parametrize("made, shown, words, fault", [
    (Sharing("", careful=False), {"a"}, {"a": "safe", "b": "race"}, "a is safe, but a run shows a race on it"),
    (Sharing("", careful=False), {"g"}, {"g.x": "safe", "g.y": "safe", "b": "unknown"}, "g is safe, but a run shows a race on it"),
    (Sharing("", careful=False), {"memory without a name"}, {"a": "safe"}, "all is safe, but a run shows races: memory without a name"),
    (Sharing("", careful=False), set(), {"tail": "safe"}, "the race on tail is not found: safe"),
    (Sharing("", careful=True), set(), {"a": "race"}, "a race on a in a program without one"),
    (Sharing("", careful=True), {"a"}, {"a": "unknown"}, "the program is not careful: a"),
])
def test_what_counts_as_wrong(made: Sharing, shown: set[str], words: dict[str, str], fault: str) -> None:
    assert list(sanitizer.faults(made, frozenset(shown), words)) == [fault]


def test_a_part_of_an_object_may_race_while_another_is_safe() -> None:
    words = {"g.x": "safe", "g.y": "race", "tail": "race"}
    assert not list(sanitizer.faults(Sharing("", careful=False), frozenset({"g", "tail"}), words))


def test_what_lies_behind_a_racing_pointer_may_be_safe_where_that_race_is_told() -> None:
    shown = frozenset({"p0", "b0", "tail"})
    assert not list(sanitizer.faults(Sharing("", careful=False), shown, {"p0": "race", "b0": "safe", "tail": "race"}))
    untold = sanitizer.faults(Sharing("", careful=False), shown, {"p0": "unknown", "b0": "safe", "tail": "race"})
    assert list(untold) == ["b0 is safe, but a run shows a race on it"]
    other = sanitizer.faults(Sharing("", careful=False), frozenset({"b1"}), {"p0": "race", "b1": "safe", "tail": "race"})
    assert list(other) == ["b1 is safe, but a run shows a race on it"]


def test_the_same_seed_gives_the_same_program() -> None:
    assert [sharing_program(s) for s in range(40)] == [sharing_program(s) for s in range(40)]
    assert {sharing_program(s).careful for s in range(40)} == {True, False}
    assert [started_program(s) for s in range(40)] == [started_program(s) for s in range(40)]
    assert {started_program(s).careful for s in range(40)} == {True, False}
