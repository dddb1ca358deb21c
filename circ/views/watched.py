"""A program in which two accesses of a thread to a variable may be watched: a race in it means three that are not serialisable.

At any access to the variable, if nobody is watched yet, the thread may go on in a copy of its automaton in which it is. The
ghost WATCH says for which sort of access of the others the watch waits, or that one was made; for arrays CELL is the element. At
its next access to the cell, if that makes the three unserialisable (`circ.semantics.serialisability`), is in the same turn of
every loop around both, and the access in between was made, the thread goes to a location where it is about to write VIOLATED. A
thread `<witness>`, which does nothing else, is about to write that all the time. So VIOLATED races in the view if and only if
the program has a run with three such accesses. (Where it is not known which element an access means, it may be any, or another
one: then the program may have none.)

Of the copies only those locations are there from which a second access can be reached: a thread that is watched in vain may stop,
as nobody else will be watched in that run, and the run without the watch is there, too. Locations and edges of the program keep
their numbers in the view; those of the copies stand behind them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from circ.semantics.serialisability import UNSERIALISABLE, in_order
from circ.semantics.turns import Turns
from frontend.program import (
    BOOL,
    FALSE,
    Access,
    AllAt,
    Assign,
    Assume,
    Binary,
    Block,
    Cast,
    Cfa,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Ite,
    Op,
    Program,
    Read,
    Scalar,
    ThreadTemplate,
    Var,
    Variable,
)
from frontend.records import dataclass

WATCH = Var("<watch>", Scalar(2, False))
CELL = Var("<watched cell>", Scalar(64, False))
VIOLATED = Var("<not serialisable>", BOOL)
WITNESS = "<witness>"

_NOBODY, _WRITE, _READ, _MADE = (Const(n, WATCH.type) for n in range(4))
"""What WATCH says: nobody is watched; a write, a read of another thread is waited for; it was made."""


@dataclass(frozen=True, slots=True)
class Watched:
    """The view; `origin[t][k]` is the edge that edge k of template t stands for, None for what only the view has."""

    program: Program
    origin: Mapping[str, tuple[int | None, ...]]


def watched(program: Program, variable: str) -> Watched:
    """The program with accesses to the variable watched."""
    found = next(v for v in program.globals if v.name == variable)
    ghosts = [Variable(WATCH.name, WATCH.type, ghost=True), Variable(VIOLATED.name, VIOLATED.type, ghost=True)]
    if found.is_array:
        ghosts.append(Variable(CELL.name, CELL.type, ghost=True))
    aims = _aims(program, variable)
    copies = [_Copies(t, variable, found.is_array, aims[n]) for n, t in enumerate(program.templates)]
    also = {c.template.name: c.numbers for c in copies}
    templates = [c.view(also) for c in copies]
    witness = ThreadTemplate(WITNESS, Cfa(1, 0, (_violation(0, 0),)), count=1)
    view = replace(program, globals=(*program.globals, *ghosts), templates=(*templates, witness), invariants=(), relies=(),
                   exceptions=(), procedures=None)
    return Watched(view, {**{c.template.name: tuple(c.origin) for c in copies}, WITNESS: (None,)})


def _violation(source: int, target: int) -> Edge:
    return Edge(source, target, Assign(VIOLATED, FALSE), (Access(VIOLATED, True),))


@dataclass(frozen=True, slots=True)
class _Aim:
    """A first access and the access of others that is waited for: which of them write, and what the second access may be."""

    first: bool
    between: bool
    second: frozenset[bool]


def _aims(program: Program, variable: str) -> list[tuple[_Aim, ...]]:
    """For each template what can be waited for: there is another thread with such an access."""
    kinds = [{e.accesses[n].write for e in t.cfa.edges for n in in_order(e, variable)} for t in program.templates]
    result = []
    for mine, t in enumerate(program.templates):
        others = {k for n, found in enumerate(kinds) if n != mine or t.count != 1 for k in found
                  if program.templates[n].count != 0}
        aims = [_Aim(first, between, frozenset(c for a, b, c in UNSERIALISABLE if (a, b) == (first, between)))
                for first in (False, True) for between in (True, False) if between in others]
        result.append(tuple(aim for aim in aims if aim.second))
    return result


@dataclass(frozen=True, slots=True, order=True)
class _Spot:
    """Where a watched thread is: a location, and what of its first access decides which second ones count.

    `loop`: the innermost one around the first access, -1 if none; `over`: how many of the loops around it, from the innermost
    on, have begun another turn. `aim`: its number.
    """

    location: int
    loop: int
    over: int
    aim: int


class _Copies:
    """One template's automaton, and the copy of it for a thread that is watched."""

    def __init__(self, template: ThreadTemplate, variable: str, array: bool, aims: tuple[_Aim, ...]) -> None:
        self.template, self._variable, self._array, self._aims = template, variable, array, aims
        self._edges = template.cfa.edges
        self._turns = Turns(template.cfa)
        self._out: list[list[int]] = [[] for _ in range(template.cfa.size)]
        for n, e in enumerate(self._edges):
            self._out[e.source].append(n)
        self._accesses = [in_order(e, variable) for e in self._edges]
        self._spots = self._useful()
        size = template.cfa.size
        self._number = {spot: size + n for n, spot in enumerate(sorted(self._spots))}
        self._end = size + len(self._number)
        self.numbers: dict[int, list[int]] = {}
        """By location the numbers of its copies."""
        for spot, number in self._number.items():
            self.numbers.setdefault(spot.location, []).append(number)
        self.origin: list[int | None] = []

    # ------------------------------------------------------------------------------------------- the copies
    def _starts(self) -> Iterator[tuple[int, int, _Spot]]:
        """Edges whose last access can be the first of three, which access that is, and where the thread is then."""
        for n, found in enumerate(self._accesses):
            loop = next(iter(self._turns.around(self._edges[n].source)), -1)
            for access in self._alone(n, reversed(found)):
                for number, aim in enumerate(self._aims):
                    if self._edges[n].accesses[access].write == aim.first:
                        yield n, access, self._on(_Spot(self._edges[n].source, loop, 0, number), n)

    def _alone(self, n: int, accesses: Iterable[int]) -> list[int]:
        """Those of the accesses before which, in the order given, none is surely to the same cell."""
        first = {self._edges[n].accesses[a].lvalue if self._array else None: a for a in reversed(list(accesses))}
        return sorted(first.values())

    def _on(self, spot: _Spot, n: int) -> _Spot:
        """Where a watched thread is after a step."""
        edge = self._edges[n]
        ended = self._turns.ends(edge)
        around = self._loops(spot)
        over = max(spot.over, around.index(ended) + 1) if ended in around else spot.over
        return _Spot(edge.target, spot.loop, over, spot.aim)

    def _loops(self, spot: _Spot) -> tuple[int | None, ...]:
        """The loops around the first access, the innermost first."""
        return () if spot.loop < 0 else self._turns.around(self._turns.loops[spot.loop].head)

    def _seconds(self, spot: _Spot, n: int) -> list[int]:
        """The accesses of an edge that count as the second one: those that its step makes first to their cells."""
        around = self._loops(spot)
        if spot.over:
            outermost = around[spot.over - 1]
            assert outermost is not None
            if self._edges[n].source in self._turns.loops[outermost].inside:
                return []
        return [a for a in self._alone(n, self._accesses[n]) if self._edges[n].accesses[a].write in self._aims[spot.aim].second]

    def _passes(self, n: int) -> bool:
        """Whether a step may be one that does not touch the watched cell."""
        return self._array or not self._accesses[n]

    def _useful(self) -> set[_Spot]:
        """The copies from which a second access can be reached, among those that a first one leads to."""
        seen = {spot for _, _, spot in self._starts()}
        todo = sorted(seen)
        before: dict[_Spot, list[_Spot]] = {}
        useful: set[_Spot] = set()
        while todo:
            spot = todo.pop()
            for n in self._out[spot.location]:
                if self._seconds(spot, n):
                    useful.add(spot)
                if self._passes(n):
                    after = self._on(spot, n)
                    before.setdefault(after, []).append(spot)
                    if after not in seen:
                        seen.add(after)
                        todo.append(after)
        todo = sorted(useful)
        while todo:
            for spot in before.get(todo.pop(), ()):
                if spot not in useful:
                    useful.add(spot)
                    todo.append(spot)
        return useful

    # ------------------------------------------------------------------------------------------- the automaton
    def view(self, also: Mapping[str, Mapping[int, list[int]]]) -> ThreadTemplate:
        """The template with its copies; waiting for a location is waiting for its copies, too (`also`)."""
        edges: list[Edge] = []

        def add(edge: Edge, origin: int | None) -> None:
            edges.append(replace(edge, op=_waits(edge.op, also)))
            self.origin.append(origin)

        for n, edge in enumerate(self._edges):
            add(replace(edge, op=self._seen(n)), n)
        for n, access, spot in self._starts():
            if spot in self._spots:
                add(replace(self._edges[n], target=self._number[spot], op=self._begin(n, access, spot)), n)
        for spot, number in self._number.items():
            for n in self._out[spot.location]:
                if self._passes(n) and (after := self._on(spot, n)) in self._spots:
                    add(replace(self._edges[n], source=number, target=self._number[after], op=self._pass(n)), n)
                for access in self._seconds(spot, n):
                    made = Assume(Binary("==", Read(WATCH), _MADE))
                    op = Block((made, *self._same(n, access), self._edges[n].op))
                    add(replace(self._edges[n], source=number, target=self._end, op=op), n)
        cfa = self.template.cfa
        size = cfa.size
        if self._number:
            add(_violation(self._end, self._end + 1), None)
            size = self._end + 2
        places = {**cfa.places}
        places |= {number: cfa.places[s.location] for s, number in self._number.items() if s.location in cfa.places}
        atomic = cfa.atomic | {number for s, number in self._number.items() if s.location in cfa.atomic}
        return replace(self.template, cfa=replace(cfa, size=size, edges=tuple(edges), atomic=atomic, errors={},
                                                  critical=frozenset(), places=places))

    def _seen(self, n: int) -> Op:
        """A step of a thread that is not watched: its accesses may be what is waited for."""
        edge, found = self._edges[n], self._accesses[n]
        hits: list[Expr] = []
        for a in found:
            waits = Binary("==", Read(WATCH), _WRITE if edge.accesses[a].write else _READ)
            same = self._same(n, a)
            hits.append(Binary("&&", waits, same[0].cond) if same else waits)
        if not hits:
            return edge.op
        hit = hits[0]
        for more in hits[1:]:
            hit = Binary("||", hit, more)
        return Block((Assign(WATCH, Ite(hit, _MADE, Read(WATCH))), edge.op))

    def _begin(self, n: int, access: int, spot: _Spot) -> Op:
        ops: list[Op] = [Assume(Binary("==", Read(WATCH), _NOBODY)),
                         Assign(WATCH, _WRITE if self._aims[spot.aim].between else _READ)]
        if self._array:
            index = self._index(n, access)
            ops.append(Havoc((CELL,)) if index is None else Assign(CELL, index))
        return Block((*ops, self._edges[n].op))

    def _pass(self, n: int) -> Op:
        """A step of a watched thread that does not touch the watched cell."""
        others = [Assume(Binary("!=", Read(CELL), index)) for a in self._accesses[n] if (index := self._index(n, a)) is not None]
        return Block((*others, self._edges[n].op)) if others else self._edges[n].op

    def _same(self, n: int, access: int) -> tuple[Assume, ...]:
        """That an access means the watched element; nothing where it may be any."""
        index = self._index(n, access) if self._array else None
        return () if index is None else (Assume(Binary("==", Read(CELL), index)),)

    def _index(self, n: int, access: int) -> Expr | None:
        found = self._edges[n].accesses[access]
        if found.whole or not isinstance(found.lvalue, Element):
            return None
        return Cast(found.lvalue.index, CELL.type)


def _waits(op: Op, also: Mapping[str, Mapping[int, list[int]]]) -> Op:
    match op:
        case AllAt(template=name, locations=where):
            copies = also[name]
            return AllAt(name, where | {c for q in where for c in copies.get(q, ())})
        case Block(ops=ops):
            return Block(tuple(_waits(part, also) for part in ops))
        case _:
            return op
