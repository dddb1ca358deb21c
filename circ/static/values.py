"""Sets of values for a few variables: a cheap abstract domain that needs no solver.

A `ValueSet` is a finite set of numbers, or everything except a finite set. A state is a tuple of them, one for each tracked
cell; `TrackedCells` says which lvalue is which position. Every operation gives a superset of what can happen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TypeAlias, assert_never

from frontend.program import (
    BOOL,
    COMPARISONS,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Element,
    Expr,
    Havoc,
    Ite,
    Lvalue,
    Read,
    Scalar,
    Unary,
    Var,
    negate,
    truth,
)
from frontend.program.fold import fold
from frontend.records import dataclass

MOST_VALUES = 6


@dataclass(frozen=True, slots=True)
class ValueSet:
    """The numbers in `values`, or all others if `others`."""

    others: bool
    values: frozenset[int]

    def __hash__(self) -> int:
        # States are looked up all the time, and a frozenset knows its hash.
        return hash(self.values) ^ self.others

    def meet(self, other: ValueSet) -> ValueSet:
        if self.others and other.others:
            both = self.values | other.values
            return ValueSet(True, both) if len(both) <= MOST_VALUES else self
        if self.others:
            return ValueSet(False, other.values - self.values)
        return ValueSet(False, self.values - other.values if other.others else self.values & other.values)

    def join(self, other: ValueSet) -> ValueSet:
        if self.others and other.others:
            return ValueSet(True, self.values & other.values)
        if self.others:
            return ValueSet(True, self.values - other.values)
        if other.others:
            return ValueSet(True, other.values - self.values)
        both = self.values | other.values
        return ValueSet(False, both) if len(both) <= MOST_VALUES else TOP

    def within(self, other: ValueSet) -> bool:
        if other.others:
            return not (self.values & other.values) if not self.others else other.values <= self.values
        return not self.others and self.values <= other.values

    @property
    def empty(self) -> bool:
        return not self.others and not self.values

    @property
    def several(self) -> bool:
        """Whether it is a finite set of more than one value."""
        return not self.others and len(self.values) > 1


TOP = ValueSet(True, frozenset())
BOTH = ValueSet(False, frozenset((0, 1)))
NOT_ZERO = ValueSet(True, frozenset((0,)))

CellValues: TypeAlias = tuple[ValueSet, ...]


def single(value: int) -> ValueSet:
    return ValueSet(False, frozenset((value,)))


def anything(t: Scalar) -> ValueSet:
    """Every value of the type."""
    return BOTH if t == BOOL else TOP


def fit(v: ValueSet, t: Scalar) -> ValueSet:
    """The same set, finite where the type is."""
    return v.meet(BOTH) if t == BOOL else v


def meet(a: CellValues, b: CellValues) -> CellValues | None:
    """Both; None if that is impossible."""
    if a == b:
        return a
    out = []
    for x, y in zip(a, b, strict=True):
        z = x if x is y else x.meet(y)
        if z.empty:
            return None
        out.append(z)
    return tuple(out)


def join(a: CellValues, b: CellValues) -> CellValues:
    return tuple(x if x is y else x.join(y) for x, y in zip(a, b, strict=True))


def within(a: CellValues, b: CellValues) -> bool:
    return a == b or all(x is y or x.within(y) for x, y in zip(a, b, strict=True))


class TrackedCells:
    """The cells that are tracked: scalars, and elements of arrays with a constant index; and operations on states of them.

    Positions from `first_local` on belong to the running thread.
    """

    def __init__(self, cells: Sequence[Lvalue], first_local: int) -> None:
        self.cells = tuple(cells)
        self.first_local = first_local
        self._at: dict[tuple[str, int | None], int] = {}
        self._elements: dict[str, dict[int, int]] = {}
        for n, v in enumerate(self.cells):
            if isinstance(v, Var):
                self._at[v.name, None] = n
            else:
                assert isinstance(v.index, Const)
                self._elements.setdefault(v.array, {})[v.index.value] = n

    def knows(self, name: str) -> bool:
        return (name, None) in self._at or name in self._elements

    # ------------------------------------------------------------------------------------------- operations
    def execute(self, part: Assume | Assign | Havoc, state: CellValues) -> Iterator[CellValues]:
        """States after a primitive operation that cover all that it can do."""
        match part:
            case Assume(cond=c):
                yield from self.assume(truth(c), state)
            case Assign(target=target, value=e):
                at = self._at.get((target.name, None)) if isinstance(target, Var) else None
                if at is not None and at >= self.first_local:
                    # What a local is told apart by is worth keeping apart: it is often tested later.
                    for split in self._split(e, state):
                        yield self._set(target, self.value(e, split), split)
                else:
                    yield self._set(target, self.value(e, state), state)
            case Havoc(targets=ts, whole=ws):
                for t in ts:
                    state = self._set(t, anything(t.type), state)
                for name in ws:
                    for at in self._elements.get(name, {}).values():
                        state = _with(state, at, anything(self.cells[at].type))
                yield state
            case _:
                assert_never(part)

    def _set(self, target: Lvalue, value: ValueSet, state: CellValues) -> CellValues:
        if isinstance(target, Element):
            return self._store(target, value, state)
        at = self._at.get((target.name, None))
        return state if at is None else _with(state, at, fit(value, target.type))

    def _store(self, target: Element, value: ValueSet, state: CellValues) -> CellValues:
        known = self._elements.get(target.array)
        if known is None:
            return state
        index = self.value(target.index, state)
        for i, at in known.items():
            if index == single(i):
                state = _with(state, at, fit(value, target.type))
            elif single(i).within(index):
                state = _with(state, at, state[at].join(fit(value, target.type)))
        return state

    def _split(self, e: Expr, state: CellValues) -> Iterator[CellValues]:
        """The state, taken apart by one cell that decides what `e` is."""
        for at in self.support(e):
            if state[at].several:
                for v in sorted(state[at].values):
                    yield _with(state, at, single(v))
                return
        yield state

    # ------------------------------------------------------------------------------------------- conditions
    def assume(self, cond: Expr, state: CellValues) -> Iterator[CellValues]:
        """The state where the condition holds."""
        match cond:
            case Binary(op="&&", left=a, right=b):
                for left in self.assume(truth(a), state):
                    yield from self.assume(truth(b), left)
                return
            case Binary(op="||", left=a, right=b):
                yield from self.assume(truth(a), state)
                yield from self.assume(truth(b), state)
                return
            case Unary(op="!", arg=a) if (other := negate(a)) != cond:
                yield from self.assume(other, state)
                return
            case Read(lvalue=v):
                at = self.position(v, state)
                if at is not None:
                    state = _with(state, at, state[at].meet(NOT_ZERO))
            case Binary(op="==" | "!=" as op, left=a, right=b):
                refined = self._compare(op, a, b, self._compare(op, b, a, state))
                if refined is None:
                    return
                state = refined
            case _:
                pass
        for at in self.support(cond):
            if state[at].several:
                kept = frozenset(v for v in state[at].values if self.value(cond, _with(state, at, single(v))) != single(0))
                state = _with(state, at, ValueSet(False, kept))
            if state[at].empty:
                return
        if self.value(cond, state) != single(0):
            yield state

    def _compare(self, op: str, cell: Expr, other: Expr, state: CellValues | None) -> CellValues | None:
        """The state refined by `cell op other` if `cell` is a tracked cell."""
        if state is None:
            return None
        wanted = self.value(other, state)
        while isinstance(cell, Cast) and cell.type.width >= cell.arg.type.width and (
                cell.type.signed == cell.arg.type.signed or (cell.type.signed and cell.type.width > cell.arg.type.width)):
            cell = cell.arg
        at = self.position(cell.lvalue, state) if isinstance(cell, Read) else None
        if at is None:
            return state
        if op == "!=":
            if wanted.others or len(wanted.values) != 1:
                return state
            wanted = ValueSet(True, wanted.values)
        met = state[at].meet(wanted)
        return None if met.empty else _with(state, at, met)

    # ------------------------------------------------------------------------------------------- expressions
    def position(self, v: Lvalue, state: CellValues) -> int | None:
        """Where the lvalue is kept, if it certainly is one cell that is."""
        if isinstance(v, Var):
            return self._at.get((v.name, None))
        known = self._elements.get(v.array)
        if known is None:
            return None
        index = self.value(v.index, state)
        if index.others or len(index.values) != 1:
            return None
        return known.get(next(iter(index.values)))

    def support(self, e: Expr) -> tuple[int, ...]:
        """Positions of the scalars that `e` reads, and of elements it names by a constant."""
        found: dict[int, None] = {}
        self._collect(e, found)
        return tuple(found)

    def _collect(self, e: Expr, found: dict[int, None]) -> None:
        match e:
            case Const():
                return
            case Read(lvalue=v):
                if isinstance(v, Var):
                    at = self._at.get((v.name, None))
                else:
                    self._collect(v.index, found)
                    at = self._elements.get(v.array, {}).get(v.index.value) if isinstance(v.index, Const) else None
                if at is not None:
                    found[at] = None
            case Unary(arg=a) | Cast(arg=a):
                self._collect(a, found)
            case Binary(left=a, right=b):
                self._collect(a, found)
                self._collect(b, found)
            case Ite(cond=c, then=a, other=b):
                for part in (c, a, b):
                    self._collect(part, found)
            case _:
                assert_never(e)

    def value(self, e: Expr, state: CellValues) -> ValueSet:
        """All values that `e` can have."""
        match e:
            case Const(value=v):
                return single(v)
            case Read(lvalue=v):
                at = self.position(v, state)
                return anything(v.type) if at is None else state[at]
            case Unary(op=op, arg=a):
                inner = self.value(a, state)
                if op == "!":
                    return _truth(inner, negated=True)
                if inner.others:
                    return anything(e.type)
                return _computed([Unary(op, Const(x, a.type)) for x in inner.values], e.type)
            case Cast(arg=a, type=t):
                inner = self.value(a, state)
                if t == BOOL:
                    return _truth(inner, negated=False)
                if inner.others:
                    return inner if t.width > a.type.width and (t.signed or not a.type.signed) else anything(t)
                return _computed([Cast(Const(x, a.type), t) for x in inner.values], t)
            case Binary(op="&&" | "||" as op, left=a, right=b):
                one, two = _truth(self.value(a, state), False), _truth(self.value(b, state), False)
                decisive = single(0 if op == "&&" else 1)
                if decisive in (one, two):
                    return decisive
                return one if one == two else BOTH
            case Binary(op=op, left=a, right=b):
                return _apply(e, op, self.value(a, state), self.value(b, state))
            case Ite(cond=c, then=a, other=b):
                test = _truth(self.value(c, state), False)
                if test.several:
                    # The branches are read in the states in which they are taken.
                    branches = [self.value(a, s) for s in self.assume(truth(c), state)]
                    branches += [self.value(b, s) for s in self.assume(negate(c), state)]
                    return reduce(ValueSet.join, branches) if branches else anything(e.type)
                return self.value(a if test == single(1) else b, state)
            case _:
                assert_never(e)


def _with(state: CellValues, at: int, value: ValueSet) -> CellValues:
    return state if state[at] is value else (*state[:at], value, *state[at + 1:])


def _truth(v: ValueSet, negated: bool) -> ValueSet:
    if v.others:
        return single(0 if negated else 1) if 0 in v.values else BOTH
    return ValueSet(False, frozenset(int((x == 0) == negated) for x in v.values))


def _computed(exprs: Sequence[Expr], t: Scalar) -> ValueSet:
    found = set()
    for e in exprs:
        r = fold(e)
        if not isinstance(r, Const):
            return anything(t)
        found.add(r.value)
    return ValueSet(False, frozenset(found)) if len(found) <= MOST_VALUES else anything(t)


def _apply(e: Binary, op: str, a: ValueSet, b: ValueSet) -> ValueSet:
    if op in ("==", "!=") and (a.others or b.others):
        apart = a.meet(b).empty
        return single(int(op == "!=")) if apart else BOTH
    if a.others or b.others or len(a.values) * len(b.values) > 4 * MOST_VALUES:
        return BOTH if op in COMPARISONS else anything(e.type)
    return _computed([Binary(op, Const(x, e.left.type), Const(y, e.right.type)) for x in a.values for y in b.values], e.type)

