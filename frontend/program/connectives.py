"""Conjunction and disjunction of conditions, without the trivial cases, long ones as balanced trees; and taken apart again.

`fold.conjunction` computes constant parts inside its operands as well; these here look at the operands as wholes only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from frontend.program.expr import FALSE, TRUE, Binary, Expr, truth


def conjoin(a: Expr, b: Expr) -> Expr:
    """`a && b`."""
    if FALSE in (a, b):
        return FALSE
    if a == TRUE:
        return b
    return a if b == TRUE or a == b else Binary("&&", a, b)


def disjoin(a: Expr, b: Expr) -> Expr:
    """`a || b`."""
    if TRUE in (a, b):
        return TRUE
    if a == FALSE:
        return b
    return a if b == FALSE or a == b else Binary("||", a, b)


def balanced(join: Callable[[Expr, Expr], Expr], none: Expr, parts: list[Expr]) -> Expr:
    """The parts joined as a balanced tree, so that formulas stay shallow; `none` if there are no parts."""
    if not parts:
        return none
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return join(balanced(join, none, parts[:half]), balanced(join, none, parts[half:]))


def any_of(parts: Sequence[Expr]) -> Expr:
    """The disjunction of at least one part, in their order and as they are."""
    return reduce(lambda a, b: Binary("||", a, b), parts)


def conjuncts(e: Expr) -> list[Expr]:
    """Conditions that hold together just where `e` does."""
    if isinstance(e, Binary) and e.op == "&&":
        return [*conjuncts(truth(e.left)), *conjuncts(truth(e.right))]
    return [e]
