"""Conjunctions and disjunctions mean what C's operators mean, however they are put together or taken apart."""

from __future__ import annotations

from itertools import product

import pytest

from frontend.program import BOOL, FALSE, TRUE, Binary, Const, Expr, Read, Scalar, Var, substitute
from frontend.program.connectives import any_of, balanced, conjoin, conjuncts, disjoin
from frontend.program.fold import fold

A, B, N = (Read(Var("a", BOOL)), Read(Var("b", BOOL)), Read(Var("n", Scalar(8, False))))


def value(e: Expr, a: int, b: int, n: int) -> int:
    known = {"a": Const(a, BOOL), "b": Const(b, BOOL), "n": Const(n, Scalar(8, False))}
    folded = fold(substitute(e, lambda v: known[v.name] if isinstance(v, Var) else None))
    assert isinstance(folded, Const)
    return folded.value


STATES = list(product((0, 1), (0, 1), (0, 1, 2)))


@pytest.mark.parametrize(("join", "meaning"), [(conjoin, min), (disjoin, max)])
def test_joined_conditions(join, meaning) -> None:  # type: ignore[no-untyped-def]
    for x, y in product((TRUE, FALSE, A, B), repeat=2):
        for state in STATES:
            assert value(join(x, y), *state) == meaning(value(x, *state), value(y, *state))


def test_a_balanced_tree_has_all_parts() -> None:
    parts: list[Expr] = [A, B, A, B, A]
    assert balanced(conjoin, TRUE, []) == TRUE
    for state in STATES:
        assert value(balanced(conjoin, TRUE, parts), *state) == min(state[:2])
        assert value(any_of(parts), *state) == max(state[:2])


def test_conjuncts_hold_together_where_the_condition_does() -> None:
    """A number among them is a test of it, not its lowest bit."""
    whole = Binary("&&", Binary("&&", A, N), B)
    parts = conjuncts(whole)
    assert len(parts) == 3 and all(p.type == BOOL for p in parts)
    for state in STATES:
        assert value(whole, *state) == min(value(p, *state) for p in parts)
