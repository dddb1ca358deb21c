"""A set of minterms over predicates as a formula, with the predicates that make no difference left out."""

from __future__ import annotations

from collections.abc import Iterable

from frontend.program import FALSE, TRUE, Expr, negate
from frontend.program.connectives import conjoin, disjoin


def cover(minterms: Iterable[int], positions: tuple[int, ...], predicates: tuple[Expr, ...]) -> Expr:
    """A formula that holds exactly in the minterms over the predicates at `positions`."""
    mask = sum(1 << i for i in positions)
    known: dict[tuple[frozenset[int], int], Expr] = {}

    def split(rest: frozenset[int], at: int) -> Expr:
        if not rest:
            return FALSE
        if len(rest) == 1 << (len(positions) - at):
            return TRUE
        if (rest, at) not in known:
            bit = 1 << positions[at]
            yes, no = frozenset(m ^ bit for m in rest if m & bit), frozenset(m for m in rest if not m & bit)
            p = predicates[positions[at]]
            if yes == no:
                known[rest, at] = split(yes, at + 1)
            else:
                one, other = split(yes, at + 1), split(no, at + 1)
                if other == TRUE:
                    known[rest, at] = disjoin(negate(p), one)
                elif one == TRUE:
                    known[rest, at] = disjoin(p, other)
                else:
                    known[rest, at] = disjoin(conjoin(p, one), conjoin(negate(p), other))
        return known[rest, at]

    return split(frozenset(m & mask for m in minterms), 0)
