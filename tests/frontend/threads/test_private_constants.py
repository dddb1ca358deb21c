"""Constants in memory that one thread alone uses: put in where they are read, and nothing else is."""

from __future__ import annotations

from frontend.memory.sketch import Sketch
from frontend.threads.op_facts import OpFacts
from frontend.threads.private_constants import propagate_private, touched
from tests.support.sketches import sketch

SHARED = "x a:u8[4] b:u8[4] y"


def propagated(edges: str, private: tuple[str, ...]) -> list[str]:
    graph = sketch(SHARED, "r:u8 s:u8", edges)
    propagate_private(graph, OpFacts({"r": False, "s": False}), private)
    return [str(s) for s in graph.steps]


def test_what_is_touched() -> None:
    graph: Sketch = sketch(SHARED, "r:u8 s:u8", "0 1 r = a[1] / 1 2 x = 1 / 2 3 [y == 2]")
    assert touched(graph) == {"r", "a", "x", "y"}


def test_a_scalar_of_its_own_is_known_and_a_shared_one_is_not() -> None:
    edges = "0 1 x = 5 / 1 2 y = x"
    assert propagated(edges, ("x",))[1] == "1 --y = 5--> 2"
    assert propagated(edges, ())[1] == "1 --y = x--> 2"


def test_elements_named_by_constants_are_told_apart() -> None:
    assert propagated("0 1 a[0] = 1 / 1 2 a[1] = 2 / 2 3 r = a[0] / 3 4 x = r", ("a",)) == [
        "0 --a[0] = 1--> 1", "1 --a[1] = 2--> 2", "2 --r = 1--> 3", "3 --x = 1--> 4"]


def test_one_index_that_is_not_known_and_no_element_is() -> None:
    found = propagated("0 1 a[0] = 1 / 1 2 a[s] = 2 / 2 3 r = a[0] / 3 4 x = r", ("a",))
    assert found[2:] == ["2 --r = a[0]--> 3", "3 --x = r--> 4"]


def test_an_array_that_is_havocked_keeps_nothing() -> None:
    found = propagated("0 1 a[0] = 1 / 1 2 a[] = * / 2 3 r = a[0] / 3 4 x = r", ("a",))
    assert found == ["0 --a[0] = 1--> 1", "1 --a[..] = *--> 2", "2 --r = a[0]--> 3", "3 --x = r--> 4"]


def test_paths_that_disagree() -> None:
    found = propagated("0 1 a[0] = 1 / 0 1 a[0] = 2 / 1 2 x = a[0]", ("a",))
    assert found[-1] == "1 --x = a[0]--> 2"
