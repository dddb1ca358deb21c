"""Weakened operations and programs can do all that the original can: by rules, and for random programs state by state."""

from __future__ import annotations

import pytest

from circ.views.variable_sets import VariableSet
from circ.views.weaken import weaken, weaken_op
from frontend.program import SKIP
from tests.support.build import op, program, thread, variable

SCOPE = {v.name: v for v in map(variable, ["x", "y", "a[4]"])}


@pytest.mark.parametrize(("before", "after"), [
    ("y = 1", "skip"), ("x = 1", "x = 1"), ("x = y", "x = *"), ("x = x + y", "x = *"), ("[y == 0]", "skip"),
    ("[x == 0 and y == 0]", "[x == 0]"), ("[x == 0 or y == 0]", "skip"), ("a[x] = 1", "a[x] = 1"), ("a[y] = 1", "a[] = *"),
    ("a[x] = y", "a[x] = *"), ("a[y] = *", "a[] = *"), ("y = *", "skip"), ("x = 1; y = x; [y == 1]; x = 2", "x = 1; x = 2"),
    ("all w 1", "all w 1"),
])
def test_rules_for_operations(before: str, after: str) -> None:
    weak = weaken_op(op(before, SCOPE), {"x", "a"}.__contains__)
    assert weak == (SKIP if after == "skip" else op(after, SCOPE))


def test_locations_edges_and_accesses_stay() -> None:
    p = program("x y", thread("v", "0 1 [y == 1] / 1 2 x = l / 2 0 all w 0", locals="l"), thread("w", "0 1 x = 1 / 1 0 y = 1"))
    weak = weaken(p, VariableSet(frozenset({"x"})), "x")
    for one, two in zip(p.templates, weak.templates, strict=True):
        assert [(e.source, e.target, e.accesses) for e in one.cfa.edges] == [(e.source, e.target, e.accesses) for e in two.cfa.edges]
    first = weak.templates[0].cfa.edges
    assert first[0].op == SKIP and first[1].op == op("x = *", SCOPE)
    assert first[2].op == SKIP, "a wait by which the thread does nothing that others see"


def test_a_wait_next_to_an_access_or_where_others_wait_stays() -> None:
    p = program("x", thread("v", "0 1 all w 0; x = 1 / 1 0 all w 0"), thread("w", "0 1 all v 0 / 1 0"))
    assert weaken(p, VariableSet(), "x").templates[0].cfa.edges[0].op == op("all w 0", SCOPE)
    assert weaken(p, VariableSet(), "x").templates[0].cfa.edges[1].op == op("all w 0", SCOPE)
