"""The value-set analysis, intervals and liveness: the values that a finite view is built from."""

from __future__ import annotations

import pytest

from circ.finite.system.intervals import ComparedConstants
from circ.finite.system.liveness import live_before, live_locals
from circ.finite.system.value_sets import LIMIT, AnalysedThread, ValueAnalysis
from frontend.program import Edge, Expr, Program, Scalar
from tests.support.build import INT, program, thread

U8 = Scalar(8, False)


def nothing(_: Edge) -> tuple[Expr, ...]:
    return ()


def analysed(p: Program, ranges: dict[str, tuple[int, int]] | None = None) -> ValueAnalysis:
    threads = [AnalysedThread(t, 0, live_locals(t.cfa, frozenset(v.name for v in t.locals), nothing)) for t in p.templates]
    return ValueAnalysis(p, threads, ranges or {}).run()


def test_globals_have_the_values_that_are_written_anywhere() -> None:
    found = analysed(program("x y=3", thread("w", "0 1 x = 1 / 1 2 [x == 1]; y = x + 4", count=1)))
    assert found.globals["x"] == {0, 1}
    assert found.globals["y"] == {3, 4, 5}


def test_a_counter_that_is_compared_with_its_bound_is_finite() -> None:
    found = analysed(program("x", thread("w", "0 1 i = 0 / 1 1 [i < 5]; i = i + 1 / 1 2 [i >= 5]; x = i", "i", 1)))
    assert found.locals[0]["i"] == frozenset(range(6))
    assert found.globals["x"] == {0, 5}


def test_a_counter_without_a_bound_is_open() -> None:
    assert analysed(program("x", thread("w", "0 0 x = x + 1", count=1))).globals["x"] is None


def test_a_guard_that_no_value_passes_stops_the_flow() -> None:
    assert analysed(program("x y", thread("w", "0 1 [x == 7] / 1 2 y = 1", count=1))).globals["y"] == {0}


def test_ranges_cut_what_is_written_and_small_types_are_listed() -> None:
    p = program("x y:u8=*", thread("w", "0 0 x = x + 1", count=1))
    assert analysed(p, {"x": (0, 3)}).globals["x"] == {0, 1, 2, 3}
    assert analysed(p, {"x": (0, 3)}).globals["y"] == frozenset(range(256))
    assert LIMIT >= 256


def test_two_elements_of_an_array_may_differ() -> None:
    """`a[0] - a[1]` is not enumerated as if both were the same value."""
    found = analysed(program("a[2] d", thread("w", "0 1 a[0] = 1 / 1 2 d = a[0] - a[1]", count=1)))
    assert found.globals["d"] is None or found.globals["d"] >= {0, 1, -1}


def compared(p: Program) -> ComparedConstants:
    watch = ComparedConstants()
    for t in p.templates:
        for e in t.cfa.edges:
            watch.operation(e.op)
    return watch


def test_intervals_between_the_constants_that_are_compared() -> None:
    watch = compared(program("x y", thread("w", "0 1 [x < 10] / 1 2 y = x / 2 3 [y == 20]", count=1)))
    parts = watch.intervals("x", INT)
    assert parts == [(INT.low, 9), (10, 10), (11, 19), (20, 20), (21, INT.high)]
    assert watch.intervals("y", INT) == parts  # copies are told apart by what either is compared with


@pytest.mark.parametrize("edges", ["0 1 x = x + 1", "0 1 [x == y + 1]", "0 1 y = a[x]"])
def test_arithmetic_spoils_intervals(edges: str) -> None:
    assert compared(program("x y a[3]", thread("w", edges, count=1))).intervals("x", INT) is None


def test_what_a_thread_still_reads_is_live() -> None:
    p = program("x", thread("w", "0 1 l = 1 / 1 2 m = l / 2 3 x = m", "l m", 1))
    live = live_locals(p.templates[0].cfa, frozenset({"l", "m"}), nothing)
    assert live[:4] == (frozenset(), {"l"}, {"m"}, frozenset())


def test_liveness_in_the_middle_of_a_step() -> None:
    [edge] = program("x a[2]", thread("w", "0 1 l = m; a[l] = k", "l m k", 1)).templates[0].cfa.edges
    assert live_before(edge.op, frozenset({"l", "a"})) == {"m", "k", "a"}  # one element is written, the array stays alive
