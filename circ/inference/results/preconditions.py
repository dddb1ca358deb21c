"""Weakest preconditions along the edges of a skeleton: what must hold at a node between two anchors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from circ.abstraction.proof_rows import ProofPlace
from circ.abstraction.skeleton import Skeleton
from circ.abstraction.trace_formulas import qualify_op
from frontend.program import (
    FALSE,
    TRUE,
    AllAt,
    Assign,
    Assume,
    Binary,
    Cast,
    Element,
    Expr,
    Havoc,
    Ite,
    Lvalue,
    Op,
    Read,
    Scalar,
    Var,
    negate,
    primitive,
    substitute,
    truth,
)
from frontend.program.connectives import balanced, conjoin, disjoin
from frontend.program.fold import fold

Dnf: TypeAlias = tuple[tuple[Expr, ...], ...]
"""A disjunction of conjunctions."""


class Preconditions:
    """What must hold at a spot so that its thread (by its number in the formula) can only end in what is known further on."""

    def __init__(self, skeletons: Sequence[Skeleton], own: Sequence[frozenset[str]]) -> None:
        """`own`: the names of each template's locals, which a formula says of which thread."""
        self.skeletons, self.own = skeletons, own
        # By identity, since hashing a formula walks through all of it; the formula is kept, so that its identity stays its own.
        self._before: dict[tuple[int, int, int, int, int], tuple[Expr, Expr]] = {}
        self._parts: dict[tuple[int, int, int], tuple[Op, ...]] = {}

    def before(self, spot: ProofPlace, number: int, after: Callable[[ProofPlace], Dnf]) -> Dnf:
        """What must hold at a node in between so that every way on ends in what `after` says of its target.

        Where there is one way on, or two that a condition decides between, the result keeps the shape of what it is made
        from: small conjuncts, whose weakest preconditions are few and known, instead of one formula that grows.
        """
        t, node = spot
        sk = self.skeletons[t]
        ways = [(i, sk.weak.cfa.edges[i]) for i in sk.outgoing[node]]
        if len(ways) == 1:
            [(i, e)] = ways
            return self.through(t, i, number, after((t, sk.node_of[e.target])))
        guards = [self.guard(t, i, number) for i, _ in ways]
        if len(ways) == 2 and guards[0] is not None and guards[1] is not None and negate(guards[0]) == guards[1]:
            return tuple((guard, *conjuncts) for guard, (_, e) in zip(guards, ways, strict=True)
                         for conjuncts in after((t, sk.node_of[e.target])) if guard is not None)
        wholes = [truth(_flat(self.through(t, i, number, after((t, sk.node_of[e.target]))))) for i, e in ways]
        result = balanced(conjoin, TRUE, wholes)
        return () if result == FALSE else ((result,),)

    def through(self, t: int, i: int, number: int, after: Dnf) -> Dnf:
        """What must hold before an edge so that its step can only end in `after`."""
        parts = self.parts(t, i, number)
        for n in reversed(range(len(parts))):
            op = parts[n]
            if isinstance(op, Assume):
                after = ((negate(op.cond),), *after)
            else:
                rows = (tuple(self.conjunct_before(t, i, n, number, op, e) for e in conjuncts) for conjuncts in after)
                after = tuple(row for row in rows if FALSE not in row)
        return after

    def parts(self, t: int, i: int, number: int) -> tuple[Op, ...]:
        """The primitive operations of an edge, taken by thread `number`."""
        key = (t, i, number)
        if key not in self._parts:
            ops = primitive(self.skeletons[t].weak.cfa.edges[i].op)
            self._parts[key] = tuple(_named_op(p, number, self.own[t]) for p in ops)
        return self._parts[key]

    def guard(self, t: int, i: int, number: int) -> Expr | None:
        """The condition of an edge that does nothing but test it."""
        match self.parts(t, i, number):
            case (Assume(cond=c),):
                return c
            case _:
                return None

    def conjunct_before(self, t: int, i: int, n: int, number: int, op: Op, after: Expr) -> Expr:
        key = (t, i, n, number, id(after))
        if key not in self._before:
            self._before[key] = (after, weakest(op, after))
        return self._before[key][1]


def weakest(op: Op, after: Expr) -> Expr:
    """The weakest condition under which the operation can only end in `after`; no havoc, whose wp needs a quantifier."""
    for part in reversed(tuple(primitive(op))):
        match part:
            case Assume(cond=c):
                after = disjoin(negate(c), after)
            case Assign(target=t, value=e):
                after = fold(substitute(after, _replacing(t, e)))
            case Havoc() | AllAt():
                raise AssertionError("an anchor must stand before a havoc")
    return after


def _replacing(target: Lvalue, value: Expr) -> Callable[[Lvalue], Expr | None]:
    def replace(v: Lvalue) -> Expr | None:
        if isinstance(target, Var):
            return value if v == target else None
        if isinstance(v, Element) and v.array == target.array:
            wide = Scalar(64, False)
            return Ite(Binary("==", Cast(v.index, wide), Cast(target.index, wide)), value, Read(v))
        return None

    return replace


def _named_op(op: Assume | Assign | Havoc | AllAt, number: int, own: frozenset[str]) -> Op:
    return op if isinstance(op, AllAt) else qualify_op(op, number, own)


def _flat(dnf: Dnf) -> Expr:
    return balanced(disjoin, FALSE, [balanced(conjoin, TRUE, list(conjuncts)) for conjuncts in dnf])
