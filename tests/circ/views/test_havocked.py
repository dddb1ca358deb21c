"""Variables left open: every write to them is a havoc, all else stays; and which variables decide nothing."""

from __future__ import annotations

from circ.views.havocked import irrelevant, opened
from circ.views.variable_sets import VariableSet, from_rows
from frontend.program import Arbitrary
from tests.support.build import op, program, thread, variable

P = program("x y a[4]", thread("v", "0 1 x = y; [x == 0] / 1 2 a[x] = l / 2 0 l = x", locals="l"), thread("w", "0 0 x = 1", locals="l"))
SCOPE = {v.name: v for v in map(variable, ["x", "y", "a[4]", "l"])}


def test_writes_become_havocs_and_nothing_else_changes() -> None:
    q = opened(P, from_rows(P, ["x", "a"], [["l"], []]))
    assert [e.op for e in q.templates[0].cfa.edges] == [op("x = *; [x == 0]", SCOPE), op("a[] = *", SCOPE), op("l = *", SCOPE)]
    assert [e.accesses for e in q.templates[0].cfa.edges] == [e.accesses for e in P.templates[0].cfa.edges]
    assert [isinstance(v.start, Arbitrary) for v in q.globals] == [True, False, True]
    assert [isinstance(t.locals[0].start, Arbitrary) for t in q.templates] == [True, False]
    assert q.templates[1].cfa.edges[0].op == op("x = *", SCOPE)


def test_nothing_open_is_the_program() -> None:
    assert opened(P, VariableSet()) == P


def test_what_is_tested_and_what_it_comes_from_decides() -> None:
    # x is tested, y flows into x, x is the index of the access to a: these decide about a, and l does not.
    assert irrelevant(P, "a") == from_rows(P, ["a"], [["l"], ["l"]])


def test_what_an_invariant_speaks_of_decides_about_assertions() -> None:
    p = program("x y z", thread("v", "0 0 x = y / 0 0 z = 1"), invariants=["x < 2"])
    assert irrelevant(p, None) == VariableSet(frozenset({"z"}))
