"""Conjunction and disjunction of expressions, without the trivial cases; long ones as balanced trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from frontend.program import FALSE, TRUE, Binary, Expr


def conjoin(a: Expr, b: Expr) -> Expr:
    if FALSE in (a, b):
        return FALSE
    if a == TRUE:
        return b
    return a if b == TRUE or a == b else Binary("&&", a, b)


def disjoin(a: Expr, b: Expr) -> Expr:
    if TRUE in (a, b):
        return TRUE
    if a == FALSE:
        return b
    return a if b == FALSE or a == b else Binary("||", a, b)


def balanced(join: Callable[[Expr, Expr], Expr], none: Expr, parts: list[Expr]) -> Expr:
    """The parts joined as a balanced tree, so that formulas stay shallow."""
    if not parts:
        return none
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return join(balanced(join, none, parts[:half]), balanced(join, none, parts[half:]))


def any_of(parts: Sequence[Expr]) -> Expr:
    """The disjunction of at least one part, in their order and as they are."""
    return reduce(lambda a, b: Binary("||", a, b), parts)
