"""A template as a few tracked cells see it: regions of locations that no step they notice leads into, and moves between them.

A region is entered at its first location only, and nothing inside it changes or tests a tracked cell, so whatever is known of
a thread at that location is known of it everywhere in the region.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import reduce

from circ.static.outline import Frame, SimpleOp
from circ.static.values import TOP, CellValues, TrackedCells, ValueSet, anything, join, single
from frontend.program import (
    AllAt,
    Assign,
    Assume,
    Const,
    Element,
    Expr,
    Havoc,
    Lvalue,
    Self,
    Values,
    Var,
    Variable,
    name_of,
    reads,
)
from frontend.records import dataclass

MOST_WAYS = 16
ENTERS, CELL = 1, 2
"""In masks: something beside cells, which must be looked at in any case; the first cell."""


@dataclass(frozen=True, slots=True)
class RegionMove:
    """What an edge does to the tracked cells; `to` is a region."""

    edge: int
    to: int
    parts: tuple[SimpleOp, ...]
    guards: tuple[AllAt, ...]
    writes: bool
    """Whether it may change a tracked global."""


class Regions:
    """One template's regions, named by their first locations; `of[q]` is None for a location no path leads to.

    `uses` gives for locations the names of locals that somebody wants to know there, beside those that steps read; `marks`
    tells locations apart that must not be in one region.
    """

    def __init__(
        self, frame: Frame, globals_: Sequence[Lvalue], locals_: Sequence[Var], uses: Mapping[int, frozenset[str]],
        marks: Sequence[Hashable],
    ) -> None:
        self.template = frame.template
        self.cfa = self.template.cfa
        self.globals = tuple(globals_)
        self.own = tuple(locals_)
        self.cells = TrackedCells((*self.globals, *self.own), len(self.globals))
        shared = frozenset(map(name_of, globals_))
        known = shared.union(v.name for v in locals_)
        parts = [tuple(p for p, names in edge if not names.isdisjoint(known)) if edge else () for edge in frame.parts]
        visible = [bool(p or g) for p, g in zip(parts, frame.guards, strict=True)]
        self.labels = {q: (label, marks[q]) for q, label in frame.labels.items()}
        self.of = frame.ways.leaders(visible, self.labels)
        self.moves: dict[int, list[RegionMove]] = {}
        self.inside: dict[int, list[int]] = {}
        """The locations of each region."""
        for q in sorted(frame.ways.order):
            r = self.of[q]
            assert r is not None
            if r not in self.moves:
                self.moves[r], self.inside[r] = [], []
            self.inside[r].append(q)
        self.written = dict.fromkeys(self.moves, 0)
        """For each region a mask of the global cells that moves from it may write."""
        for i, e in enumerate(self.cfa.edges):
            source, target = self.of[e.source], self.of[e.target]
            if source is not None and target is not None and (visible[i] or source != target):
                writes = not shared.isdisjoint(frame.writes[i])
                self.moves[source].append(RegionMove(i, target, parts[i], frame.guards[i], writes))
                if writes:
                    self.written[source] |= self._mask(frame.writes[i])
        self.live = self._live(uses) if self.own else dict.fromkeys(self.moves, frozenset())

    # ----------------------------------------------------------------------------------------------- what is seen
    def _mask(self, names: frozenset[str]) -> int:
        return sum(CELL << k for k, v in enumerate(self.globals) if name_of(v) in names)

    def _live(self, uses: Mapping[int, frozenset[str]]) -> dict[int, frozenset[int]]:
        """At each region the positions of own cells that a later step may read before it writes them."""
        at = {v.name: n for n, v in enumerate(self.own, len(self.globals))}
        live = {r: frozenset({at[n] for q in qs for n in uses.get(q, ()) if n in at}) for r, qs in self.inside.items()}
        before: dict[int, list[int]] = {r: [] for r in self.moves}
        for r, moves in self.moves.items():
            for m in moves:
                before[m.to].append(r)
        todo = list(self.moves)
        while todo:
            r = todo.pop()
            now = set(live[r])
            for m in self.moves[r]:
                needed = set(live[m.to])
                for part in reversed(m.parts):
                    needed -= {at[n] for n in _surely_written(part) if n in at}
                    needed |= {at[n] for n in map(name_of, _read(part)) if n in at}
                now |= needed
            if now != live[r]:
                live[r] = frozenset(now)
                todo.extend(before[r])
        return live

    # ----------------------------------------------------------------------------------------------- states
    def start(self) -> CellValues:
        """The own cells of a thread at its start."""
        known = {v.name: v for v in self.template.locals}
        return tuple(start_value(known[v.name], v) for v in self.own)

    def step(self, move: RegionMove, g: CellValues, own: CellValues) -> list[tuple[CellValues, CellValues]]:
        """Globals and own cells after the move, of which dead ones are forgotten."""
        states = [(*g, *own)]
        for part in move.parts:
            states = list(dict.fromkeys(s for state in states for s in self.cells.execute(part, state)))
            if len(states) > MOST_WAYS:
                states = [reduce(join, states)]
        n = len(self.globals)
        keep = self.live[move.to]
        found = {(s[:n], tuple(v if n + k in keep else anything(self.own[k].type) for k, v in enumerate(s[n:]))): None
                 for s in states}
        return list(found)


def start_value(variable: Variable, cell: Lvalue) -> ValueSet:
    """The values a cell of this variable can have at the start."""
    match variable.start:
        case Values(default=d, elements=es):
            index = cell.index.value if isinstance(cell, Element) and isinstance(cell.index, Const) else None
            return single(dict(es).get(index, d) if index is not None else d)
        case Self():
            return TOP
        case _:
            return anything(variable.type)


def _surely_written(part: SimpleOp) -> Iterable[str]:
    targets = (part.target,) if isinstance(part, Assign) else part.targets if isinstance(part, Havoc) else ()
    return [t.name for t in targets if isinstance(t, Var)]


def _read(part: SimpleOp) -> Iterable[Lvalue]:
    exprs: list[Expr] = []
    match part:
        case Assume(cond=c):
            exprs.append(c)
        case Assign(target=t, value=e):
            exprs.append(e)
            if isinstance(t, Element):
                exprs.append(t.index)
        case Havoc(targets=ts):
            exprs += [t.index for t in ts if isinstance(t, Element)]
    return [v for e in exprs for v in reads(e)]
