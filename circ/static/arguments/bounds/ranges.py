"""Elements that are told apart by the range of their index: one thread works on a[0] to a[499], another one on the rest.

Intervals of the locals that indices are made of, by a forward analysis of each template; bounds that keep growing go to the
next constant that the thread compares something with, so a loop counter ends at the bound of its loop.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TypeAlias

from circ.static.arguments.argument import Argument, RegionPlace
from frontend.program import (
    Access,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Op,
    Program,
    Read,
    Scalar,
    ThreadTemplate,
    Var,
    op_writes,
    primitive,
    truth,
    variables,
)
from frontend.program.connectives import conjuncts

Interval: TypeAlias = tuple[int, int]
Bounds: TypeAlias = Mapping[Var, Interval]
"""Locals with fewer values than their type has."""
PATIENCE = 2
"""So often a bound may grow before it goes to the next constant."""
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


class Ranges(Argument):
    """The argument about an array variable whose elements are touched in ranges."""

    def __init__(self, program: Program, variable: str) -> None:
        self.program, self.variable = program, variable
        self.words = "the threads touch elements in ranges of the index that do not overlap"
        self.bounds = [_bounds(t, self._wanted(t)) for t in program.templates]

    def _wanted(self, t: ThreadTemplate) -> frozenset[str]:
        """Locals that stand in an index of the variable, and those that they are computed from."""
        own = frozenset(v.name for v in t.locals if not v.is_array)
        names = {n for e in t.cfa.edges for a in e.accesses if a.variable == self.variable and isinstance(a.lvalue, Element)
                 for n in variables(a.lvalue.index)} & own
        size = -1
        while len(names) != size:
            size = len(names)
            names |= {n for e in t.cfa.edges for p in primitive(e.op) if isinstance(p, Assign) and isinstance(p.target, Var)
                      and p.target.name in names for n in variables(p.value) & own}
        return frozenset(names)

    @property
    def applies(self) -> bool:
        """Whether some two templates, or accesses of one, are told apart."""
        spans = [(n, self._span((n, e.source), a)) for n, t in enumerate(self.program.templates)
                 for e in t.cfa.edges for a in e.accesses if a.variable == self.variable]
        known = [(n, span) for n, span in spans if span is not None]
        return any(_disjoint(s, r) for n, s in known for m, r in known if n != m)

    def at(self, spot: RegionPlace) -> Bounds:
        return self.bounds[spot[0]][spot[1]] or {}

    def marks(self, template: int) -> Sequence[Hashable]:
        return [None if b is None else tuple(sorted(b.items(), key=lambda item: item[0].name)) for b in self.bounds[template]]

    def alone(self, spot: RegionPlace) -> Iterator[Expr]:
        for v, (low, high) in sorted(self.at(spot).items(), key=lambda item: item[0].name):
            if low > v.type.low:
                yield Binary(">=", Read(v), Const(low, v.type))
            if high < v.type.high:
                yield Binary("<=", Read(v), Const(high, v.type))

    def apart(self, one: RegionPlace, a: Access, two: RegionPlace, b: Access) -> bool:
        first, second = self._span(one, a), self._span(two, b)
        return first is not None and second is not None and _disjoint(first, second)

    def _span(self, spot: RegionPlace, a: Access) -> Interval | None:
        if a.whole or not isinstance(a.lvalue, Element):
            return None
        return _value(a.lvalue.index, self.at(spot))


def _disjoint(one: Interval, two: Interval) -> bool:
    return one[1] < two[0] or two[1] < one[0]


# --------------------------------------------------------------------------------------------------- the analysis
def _bounds(t: ThreadTemplate, wanted: frozenset[str]) -> list[Bounds | None]:
    """The intervals at each location; None where no path leads."""
    found: list[Bounds | None] = [None] * t.cfa.size
    if not wanted:
        return [{} for _ in found]
    steps = _thresholds(t)
    out = t.cfa.leaving()
    found[t.cfa.start] = {}
    grown: dict[tuple[int, Var], int] = {}
    todo = [t.cfa.start]
    while todo:
        q = todo.pop()
        for e in out[q]:
            here = found[q]
            assert here is not None
            after = _after(here, e, wanted)
            if after is None:
                continue
            before = found[e.target]
            joined = after if before is None else _joined(before, after, steps, lambda v, p=e.target: _often(grown, (p, v)))  # type: ignore[misc]
            if joined != before:
                found[e.target] = joined
                todo.append(e.target)
    return found


def _often(grown: dict[tuple[int, Var], int], key: tuple[int, Var]) -> bool:
    grown[key] = grown.get(key, 0) + 1
    return grown[key] > PATIENCE


def _thresholds(t: ThreadTemplate) -> list[int]:
    """Where growing bounds stop: next to the constants of the thread's conditions and assignments."""
    found = {0}
    for e in t.cfa.edges:
        for p in primitive(e.op):
            for c in _constants(p):
                found |= {c - 1, c, c + 1}
    return sorted(found)


def _constants(op: Op) -> Iterator[int]:
    todo: list[Expr] = [op.cond] if isinstance(op, Assume) else [op.value] if isinstance(op, Assign) else []
    while todo:
        match todo.pop():
            case Const(value=v):
                yield v
            case Binary(left=a, right=b):
                todo += (a, b)
            case Cast(arg=a):
                todo.append(a)
            case _:
                pass


def _joined(before: Bounds, after: Bounds, steps: Sequence[int], often: Callable[[Var], bool]) -> Bounds:
    joined: dict[Var, Interval] = {}
    for v, (low, high) in before.items():
        if v not in after:
            continue
        new = min(low, after[v][0]), max(high, after[v][1])
        if new != (low, high) and often(v):
            new = (low if new[0] == low else _below(steps, new[0], v.type),
                   high if new[1] == high else _above(steps, new[1], v.type))
        if new != (v.type.low, v.type.high):
            joined[v] = new
    return joined


def _below(steps: Sequence[int], value: int, t: Scalar) -> int:
    n = bisect_right(steps, value) - 1
    return max(steps[n], t.low) if n >= 0 else t.low


def _above(steps: Sequence[int], value: int, t: Scalar) -> int:
    n = bisect_left(steps, value)
    return min(steps[n], t.high) if n < len(steps) else t.high


def _after(bounds: Bounds, e: Edge, wanted: frozenset[str]) -> Bounds | None:
    """The intervals after a step; None if it cannot be taken."""
    known = dict(bounds)
    for p in primitive(e.op):
        match p:
            case Assume(cond=c):
                for condition in conjuncts(truth(c)):
                    if not _tested(known, condition, wanted):
                        return None
            case Assign(target=Var() as v, value=value) if v.name in wanted:
                new = _value(value, known)
                known.pop(v, None)
                if new is not None and (v.type.low, v.type.high) != new and v.type.low <= new[0] and new[1] <= v.type.high:
                    known[v] = new
            case Assign() | Havoc():
                for name in op_writes(p):
                    for v in [v for v in known if v.name == name]:
                        del known[v]
            case _:
                pass
    return known


def _tested(known: dict[Var, Interval], c: Expr, wanted: frozenset[str]) -> bool:
    """Narrow what a condition speaks of; False if it cannot hold."""
    if not isinstance(c, Binary) or c.op not in _MIRRORED:
        return True
    for left, right, op in ((c.left, c.right, c.op), (c.right, c.left, _MIRRORED[c.op])):
        v, other = _variable(left), _value(right, known)
        if v is None or v.name not in wanted or other is None:
            continue
        low, high = known.get(v, (v.type.low, v.type.high))
        if op in ("<", "<=", "=="):
            high = min(high, other[1] - (op == "<"))
        if op in (">", ">=", "=="):
            low = max(low, other[0] + (op == ">"))
        if op == "!=" and other[0] == other[1]:
            low, high = low + (low == other[0]), high - (high == other[0])
        if low > high:
            return False
        if (low, high) != (v.type.low, v.type.high):
            known[v] = low, high
    return True


def _variable(e: Expr) -> Var | None:
    """The variable that the expression is, apart from conversions to types that have all its values."""
    while isinstance(e, Cast) and e.type.low <= e.arg.type.low and e.arg.type.high <= e.type.high:
        e = e.arg
    return e.lvalue if isinstance(e, Read) and isinstance(e.lvalue, Var) else None


def _value(e: Expr, known: Bounds) -> Interval | None:
    """The values that an expression may have; None if nothing is known or it may wrap."""
    match e:
        case Const(value=c):
            return c, c
        case Read(lvalue=Var() as v):
            return known.get(v, (v.type.low, v.type.high))
        case Cast(arg=a, type=t):
            return _fit(_value(a, known), t)
        case Binary(op="+" | "-" | "*" as op, left=a, right=b):
            one, two = _value(a, known), _value(b, known)
            if one is None or two is None:
                return None
            return _fit(_combined(op, one, two), e.type)
        case Binary(op="/" | "%" as op, left=a, right=Const(value=c)) if c > 0:
            one = _value(a, known)
            if one is None or one[0] < 0:
                return None
            return (one[0] // c, one[1] // c) if op == "/" else one if one[1] < c else (0, c - 1)
        case _:
            return None


def _combined(op: str, one: Interval, two: Interval) -> Interval:
    match op:
        case "+":
            return one[0] + two[0], one[1] + two[1]
        case "-":
            return one[0] - two[1], one[1] - two[0]
        case _:
            products = [a * b for a in one for b in two]
            return min(products), max(products)


def _fit(value: Interval | None, t: Scalar) -> Interval | None:
    return value if value is not None and t.low <= value[0] and value[1] <= t.high else None
