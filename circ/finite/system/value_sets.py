"""Which values each variable of a program can take: a value-set analysis, the basis of every finite-state view.

Globals have one set for the whole program; a thread's locals have one for each location, so a loop counter that is
compared with its bound is finite without help. A variable whose values cannot be listed may still be finite by intervals
(`circ.finite.system.intervals`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TypeAlias, assert_never

from circ.finite.system.expression_values import ReadCell, evaluate
from frontend.program import (
    BOOL,
    AllAt,
    Arbitrary,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Element,
    Expr,
    Havoc,
    Ints,
    Ite,
    Lvalue,
    Op,
    Program,
    Read,
    Scalar,
    Self,
    ThreadTemplate,
    Unary,
    Values,
    Var,
    Variable,
    children,
    name_of,
    primitive,
    reads,
)
from frontend.records import dataclass

LIMIT = 256
"""A variable for which the analysis finds more values than this is open: an engine has to find its values by running."""


PRODUCT_LIMIT = 1 << 16


SMALL_WIDTH = 8
"""All values of types up to this width are listed when nothing better is known."""


ListedValues: TypeAlias = frozenset[int] | None
"""The possible values; None: any value of the type, too many to list."""


@dataclass(frozen=True, slots=True)
class AnalysedThread:
    """A thread (or a set of identical ones) to analyse: its template, its own number, what is live where."""

    template: ThreadTemplate
    number: int
    live: tuple[frozenset[str], ...]


@dataclass(slots=True)
class ValueAnalysis:
    """Result: values of globals, and of each subject's locals (over all locations where they are live)."""

    program: Program
    subjects: Sequence[AnalysedThread]
    ranges: Mapping[str, tuple[int, int]]
    globals: dict[str, ListedValues] = field(default_factory=dict)
    locals: list[dict[str, ListedValues]] = field(default_factory=list)

    def run(self) -> ValueAnalysis:
        """The least fixpoint; a set that outgrows LIMIT becomes None."""
        for v in self.program.globals:
            self.globals[v.name] = self._start(v, 0)
        at: list[dict[int, dict[str, ListedValues]]] = []
        self.locals = [{} for _ in self.subjects]
        for s in self.subjects:
            begin = {v.name: self._start(v, s.number) for v in s.template.locals if v.name in s.live[s.template.cfa.start]}
            at.append({s.template.cfa.start: begin})
        types = [{v.name: v.type for v in (*self.program.globals, *s.template.locals)} for s in self.subjects]
        changed = True
        while changed:
            changed = False
            for i, s in enumerate(self.subjects):
                for edge in s.template.cfa.edges:
                    before = at[i].get(edge.source)
                    if before is None:
                        continue
                    grown, env = self._post(edge.op, before, types[i], self.locals[i])
                    changed |= grown
                    if env is None:
                        continue
                    kept = {n: d for n, d in env.items() if n in s.live[edge.target]}
                    changed |= _join_into(at[i], edge.target, kept)
        for found, union in zip(at, self.locals, strict=True):
            for q in sorted(found):
                for name, d in found[q].items():
                    union[name] = _join(union.get(name, frozenset()), d)
        return self

    def _start(self, v: Variable, number: int) -> ListedValues:
        match v.start:
            case Values(default=d, elements=es):
                some = frozenset(value for _, value in es)
                return some if v.length is not None and len(es) == v.length else some | {d}
            case Arbitrary():
                return self._any(v.name, v.type)
            case Self(offset=offset):
                return frozenset({number + offset})
            case _:
                assert_never(v.start)

    def _any(self, name: str, t: Scalar) -> ListedValues:
        if name in self.ranges:
            low, high = self.ranges[name]
            return frozenset(range(low, high + 1))
        return frozenset(range(t.low, t.high + 1)) if t.width <= SMALL_WIDTH else None

    def _post(self, op: Op, before: dict[str, ListedValues], types: Mapping[str, Scalar],
              union: dict[str, ListedValues]) -> tuple[bool, dict[str, ListedValues] | None]:
        """Whether a global's set grew, and the locals after the operation (None: no value passes).

        `union` collects every value written to a local, those that are dead after the operation included.
        """
        env = dict(before)
        grown = False

        def domain(name: str) -> ListedValues:
            return env[name] if name in env else self.globals.get(name, frozenset())

        def put(target: Lvalue, d: ListedValues) -> None:
            nonlocal grown
            name = name_of(target)
            if name in self.ranges and d is not None:
                low, high = self.ranges[name]
                d = frozenset(v for v in d if low <= v <= high)
            if name in self.globals:
                new = _join(self.globals[name], d)
                if new != self.globals[name]:
                    self.globals[name] = new
                    grown = True
            else:
                env[name] = d if isinstance(target, Var) else _join(env.get(name, frozenset()), d)
                union[name] = _join(union.get(name, frozenset()), d)

        for part in primitive(op):
            match part:
                case Assume(cond=c):
                    filtered = self._filter(c, domain)
                    if filtered is None:
                        return grown, None
                    env.update((n, d) for n, d in filtered.items() if n in env)
                case Assign(target=t, value=e):
                    put(t, self._values(e, domain))
                case Havoc(targets=ts, whole=ws):
                    for t in ts:
                        put(t, self._any(name_of(t), t.type))
                    for w in ws:
                        put(Element(w, Const(0, BOOL), types[w]), self._any(w, types[w]))
                case AllAt():
                    pass
                case _:
                    assert_never(part)
        return grown, env

    def _values(self, e: Expr, domain: Callable[[str], ListedValues]) -> ListedValues:
        match e:
            case Const(value=v):
                return frozenset({v})
            case Read(lvalue=v):
                return domain(name_of(v))
            case Ite(cond=c, then=a, other=b):
                if self._filter(c, domain) is None:
                    return self._values(b, domain)
                return _join(self._values(a, domain), self._values(b, domain))
        options = self._product(e, domain)
        if options is None:
            if e.type.width <= SMALL_WIDTH:
                return frozenset(range(e.type.low, e.type.high + 1))
            parts = [self._values(a, domain) for a in children(e)]
            if any(p is None for p in parts):
                return None
            return self._combine(e, [sorted(p or ()) for p in parts])
        found = {evaluate(e, _reader(o), self.program.ints == Ints.MATH) for o in options}
        return frozenset(found) if len(found) <= LIMIT else None

    def _combine(self, e: Expr, parts: list[list[int]]) -> ListedValues:
        """The values of the outermost operator alone, its operands taken as independent."""
        size = 1
        for p in parts:
            size *= max(1, len(p))
        if size > PRODUCT_LIMIT:
            return None
        math = self.program.ints == Ints.MATH
        found: set[int] = set()
        for values in itertools.product(*parts):
            match e:
                case Cast(arg=a, type=t):
                    shell: Expr = Cast(Const(values[0], a.type), t)
                case Unary(op=op, arg=a):
                    shell = Unary(op, Const(values[0], a.type))
                case Binary(op=op, left=a, right=b):
                    shell = Binary(op, Const(values[0], a.type), Const(values[1], b.type))
                case _:
                    return None
            found.add(evaluate(shell, _no_read, math))
        return frozenset(found) if len(found) <= LIMIT else None

    def _filter(self, cond: Expr, domain: Callable[[str], ListedValues]) -> dict[str, ListedValues] | None:
        """The scalars of the condition with the values under which it can hold; None if it cannot."""
        options = self._product(cond, domain)
        if options is None:
            return {}
        passing = [o for o in options if evaluate(cond, _reader(o), self.program.ints == Ints.MATH)]
        if not passing:
            return None
        names = {v.name for v in reads(cond) if isinstance(v, Var)}
        return {n: frozenset(o[n] for o in passing) for n in sorted(names)}

    def _product(self, e: Expr, domain: Callable[[str], ListedValues]) -> list[dict[str, int]] | None:
        """Every combination of values of what `e` reads (an array as one value: any of its elements); None if too many.

        Two reads of one array may give different elements, so such an expression is not enumerated.
        """
        occurrences = list(reads(e))
        names = sorted({name_of(v) for v in occurrences})
        arrays = [v.array for v in occurrences if isinstance(v, Element)]
        if len(arrays) != len(set(arrays)):
            return None
        size = 1
        axes: list[list[int]] = []
        for n in names:
            d = domain(n)
            if d is None:
                return None
            axes.append(sorted(d))
            size *= len(d)
            if size > PRODUCT_LIMIT:
                return None
        return [dict(zip(names, values, strict=True)) for values in itertools.product(*axes)]


def _reader(values: Mapping[str, int]) -> ReadCell:
    return lambda name, index: values[name]


def _no_read(name: str, index: int | None) -> int:
    raise AssertionError("a constant expression reads nothing")


def _join(a: ListedValues, b: ListedValues) -> ListedValues:
    if a is None or b is None:
        return None
    both = a | b
    return both if len(both) <= LIMIT else None


def _join_into(at: dict[int, dict[str, ListedValues]], q: int, env: dict[str, ListedValues]) -> bool:
    old = at.get(q)
    if old is None:
        at[q] = env
        return True
    changed = False
    for name, d in env.items():
        new = _join(old.get(name, frozenset()), d)
        if name not in old or new != old[name]:
            old[name] = new
            changed = True
    return changed
