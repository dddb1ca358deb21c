"""Locks in arrays: a thread that holds `lock[e]` may touch `data[e]`, because another one holds another element.

Two threads that each took an element of one array of locks took different ones, as long as everybody who writes such an
element either takes it when it is free or holds it. Also here: elements that are numbered by the thread's own number.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property

from circ.static.arguments.argument import Argument, RegionPlace, of_thread
from circ.static.arguments.own_facts import NOTHING, LocalFacts, OwnFacts, lock_arrays
from frontend.program import (
    Access,
    Assign,
    Binary,
    Cast,
    Const,
    Element,
    Expr,
    Op,
    Program,
    Read,
    Scalar,
    Self,
    op_reads,
    op_writes,
    primitive,
    variables,
)
from frontend.program.fold import fold


class Elements(Argument):
    """The argument about one array variable."""

    def __init__(self, program: Program, variable: str) -> None:
        self.program, self.variable = program, variable
        self.words = "a thread that touches an element holds that element's own lock, or the element has the thread's own number"
        self.arrays = frozenset(a for t in program.templates for a in lock_arrays(t)) & {v.name for v in program.globals}
        self.own = [frozenset(v.name for v in t.locals) for t in program.templates]
        self.facts = [OwnFacts(t, self.arrays, self._wanted(n)) for n, t in enumerate(program.templates)]

    @property
    def applies(self) -> bool:
        return any(f is not None and (f.held or f.copies) for own in self.facts for f in own.at) or any(self._numbers)

    def _wanted(self, template: int) -> frozenset[str]:
        """Locals that stand in an index of the variable or of a lock."""
        names: set[str] = set()
        for e in self.program.templates[template].cfa.edges:
            for a in e.accesses:
                if a.variable == self.variable and isinstance(a.lvalue, Element):
                    names |= variables(a.lvalue.index)
            if self.arrays & set(op_writes(e.op)):
                names |= {n for v in _elements(e.op) if v.array in self.arrays for n in variables(v.index)}
        return frozenset(names) & self.own[template]

    # ----------------------------------------------------------------------------------------------- the argument
    def marks(self, template: int) -> Sequence[Hashable]:
        return self.facts[template].at

    def at(self, spot: RegionPlace) -> LocalFacts:
        return self.facts[spot[0]].at[spot[1]] or NOTHING

    def alone(self, spot: RegionPlace) -> Iterator[Expr]:
        facts = self.at(spot)
        yield from facts.formulas()
        for h in sorted(facts.held, key=repr):
            yield Binary("==", Read(h.cell), Const(h.value, h.type))

    def together(self, one: RegionPlace, two: RegionPlace) -> Iterator[Expr]:
        for h in sorted(self.at(one).held, key=repr):
            for k in sorted(self.at(two).held, key=repr):
                if h.array == k.array:
                    i, j = of_thread(h.index, 1, self.own[one[0]]), of_thread(k.index, 2, self.own[two[0]])
                    yield Binary("!=", i, j) if i.type == j.type else Binary("!=", _wide(i), _wide(j))

    def apart(self, one: RegionPlace, a: Access, two: RegionPlace, b: Access) -> bool:
        if a.whole or b.whole or not isinstance(a.lvalue, Element) or not isinstance(b.lvalue, Element):
            return False
        i, j = self.at(one).root(a.lvalue.index), self.at(two).root(b.lvalue.index)
        if one[0] == two[0] and i == j and variables(i) and variables(i) <= self._numbers[one[0]]:
            return True
        return any(h.array == k.array and _follows(h.index, i) and _follows(k.index, j)
                   for h in self.at(one).held for k in self.at(two).held)

    def broken(self, one: RegionPlace, two: RegionPlace) -> bool:
        held = {h.array for h in self.at(one).held}
        return bool(held) and bool(held & self._rogue.get(two, frozenset()))

    @cached_property
    def _rogue(self) -> dict[RegionPlace, frozenset[str]]:
        """By location the lock arrays that a step from there writes without right."""
        found: dict[RegionPlace, frozenset[str]] = {}
        for n, t in enumerate(self.program.templates):
            for e in t.cfa.edges:
                bad = self.facts[n].rogue(e.source, e)
                if bad:
                    found[n, e.source] = found.get((n, e.source), frozenset()) | bad
        return found

    @cached_property
    def _numbers(self) -> list[frozenset[str]]:
        """The locals that hold the thread's own number for ever."""
        return [frozenset(v.name for v in t.locals if isinstance(v.start, Self))
                - {n for e in t.cfa.edges for n in op_writes(e.op)} for t in self.program.templates]


def _wide(index: Expr) -> Expr:
    """The index as the number it is, whatever its type."""
    return fold(Cast(index, Scalar(64, True)))


def _follows(lock: Expr, index: Expr) -> bool:
    """Whether equal data indices may well mean equal lock indices: the lock's is made of locals that the other is made of too."""
    if isinstance(lock, Const) and isinstance(index, Const):
        return lock.value == index.value
    return lock == index or (bool(variables(lock)) and variables(lock) <= variables(index))


def _elements(op: Op) -> Iterator[Element]:
    for v in op_reads(op):
        if isinstance(v, Element):
            yield v
    for part in primitive(op):
        if isinstance(part, Assign) and isinstance(part.target, Element):
            yield part.target
