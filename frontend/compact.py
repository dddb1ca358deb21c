"""Compaction: glue the steps of a thread that nobody outside can tell apart, and keep the way back.

Two steps become one Block when one of them touches only the thread's own variables, or when the location between them is
atomic. Never glued: a guard that may block behind an access; a data access behind a guard (it would look enabled when it
is not), except inside atomic sections of the nesc model, where such accesses cannot race; two atomic sections, which
others may come between; anything across a location in or at the border of a critical section, or an error location; two
steps on globals if there are invariants, which must hold in between.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from frontend.cfa import (
    Access,
    AccessKind,
    AllAt,
    Assign,
    Assume,
    Block,
    Cfa,
    Edge,
    Havoc,
    Op,
    Program,
    ThreadTemplate,
    name_of,
    op_reads,
    op_writes,
    primitive,
)
from frontend.expr import Element, Expr, Var, reads, substitute
from frontend.fold import fold
from frontend.sections import exhaustive

_MAX_WAYS = 24
"""Edges that may leave a location by gluing."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """A smaller program and the way back.

    `edges[t][k]` is the path of the original program's edges (by position) that edge k of template t stands for;
    `locations[t][q]` is the original location that location q is. An original location that is not among them lies inside
    paths: `inside` tells where.
    """

    program: Program
    edges: Mapping[str, tuple[tuple[int, ...], ...]]
    locations: Mapping[str, tuple[int, ...]]

    def inside(self, original: Program, template: str, location: int) -> tuple[tuple[int, int], ...]:
        """Where an original location lies in paths: (edge, number of steps of its path done there)."""
        edges = original.template(template).cfa.edges
        return tuple(
            (k, done)
            for k, path in enumerate(self.edges[template])
            for done in range(1, len(path))
            if edges[path[done]].source == location
        )


def compact(program: Program, havoc_dead: bool = False) -> Compaction:
    """The program with invisible steps glued. `havoc_dead`: locals become arbitrary where their value is not used again."""
    templates: list[ThreadTemplate] = []
    paths: dict[str, tuple[tuple[int, ...], ...]] = {}
    locations: dict[str, tuple[int, ...]] = {}
    for template in program.templates:
        glue = _Glue(template, program.race_model, bool(program.invariants))
        small, paths[template.name], locations[template.name] = glue.run()
        templates.append(_havoc_dead(small) if havoc_dead else small)
    return Compaction(replace(program, templates=tuple(_renumbered(t, locations) for t in templates)), paths, locations)


def _renumbered(template: ThreadTemplate, locations: Mapping[str, tuple[int, ...]]) -> ThreadTemplate:
    """Joins of many threads speak about locations of the compact automaton."""
    number = {name: {q: n for n, q in enumerate(kept)} for name, kept in locations.items()}

    def op(o: Op) -> Op:
        match o:
            case AllAt(template=t, locations=ls):
                return AllAt(t, frozenset(number[t][q] for q in ls if q in number[t]))
            case Block(ops=ops):
                return Block(tuple(map(op, ops)))
            case _:
                return o

    if not any(isinstance(p, AllAt) for e in template.cfa.edges for p in primitive(e.op)):
        return template
    return replace(template, cfa=replace(template.cfa, edges=tuple(replace(e, op=op(e.op)) for e in template.cfa.edges)))


@dataclass(frozen=True, slots=True)
class _Way:
    edge: Edge
    path: tuple[int, ...]


class _Glue:
    def __init__(self, template: ThreadTemplate, race_model: str, watched: bool) -> None:
        self._template = template
        self._nesc = race_model == "nesc"
        self._watched = watched
        self._own = frozenset(v.name for v in template.locals)
        self._ways = [_Way(e, (n,)) for n, e in enumerate(template.cfa.edges)]

    def run(self) -> tuple[ThreadTemplate, tuple[tuple[int, ...], ...], tuple[int, ...]]:
        """The template with everything glued that may be."""
        changed = True
        while changed:
            changed = False
            out: dict[int, list[_Way]] = {}
            into: dict[int, list[_Way]] = {}
            for way in self._ways:
                out.setdefault(way.edge.source, []).append(way)
                into.setdefault(way.edge.target, []).append(way)
            touched: set[int] = set()
            for q in range(self._template.cfa.size):
                if q in touched or not into.get(q) or not out.get(q):
                    continue
                neighbours = {w.edge.source for w in into[q]} | {w.edge.target for w in out[q]}
                glued = None if neighbours & touched else self._without(q, into[q], out[q], out)
                if glued is not None:
                    touched |= neighbours | {q}
                    self._replace(q, glued)
                    changed = True
        return self._result()

    def _replace(self, q: int, glued: dict[tuple[int, ...], list[_Way]]) -> None:
        ways: list[_Way] = []
        for way in self._ways:
            if way.path in glued:
                ways.extend(glued[way.path])
            elif way.edge.source != q:
                ways.append(way)
        self._ways = ways

    def _without(self, q: int, into: list[_Way], out: list[_Way],
                 leaving: dict[int, list[_Way]]) -> dict[tuple[int, ...], list[_Way]] | None:
        """For each way into q what replaces it when q goes; None if q has to stay."""
        cfa = self._template.cfa
        around = {w.edge.source for w in into} | {w.edge.target for w in out} | {q}
        if q == cfa.start or q in cfa.errors or around & cfa.critical or any(w.edge.source == q for w in into):
            return None
        if len(into) * len(out) > len(into) + len(out) and not (q in cfa.atomic and len(into) * len(out) <= _MAX_WAYS):
            return None
        if any(len(leaving[w.edge.source]) + len(out) - 1 > _MAX_WAYS for w in into):
            return None
        branch = exhaustive([w.edge.op for w in out])
        glued: dict[tuple[int, ...], list[_Way]] = {}
        for first in into:
            joined = [self._join(first, second, q in cfa.atomic, branch) for second in out]
            if any(j is None for j in joined):
                return None
            glued[first.path] = [j for j in joined if j is not None]
        return glued

    def _join(self, first: _Way, second: _Way, atomic: bool, branch: bool) -> _Way | None:
        a, b = first.edge, second.edge
        if any(isinstance(p, AllAt) for e in (a, b) for p in primitive(e.op)):
            return None
        own_a, own_b = self._is_own(a), self._is_own(b)
        if self._watched and not own_a and not own_b:
            return None
        if not atomic:
            if not (own_a or own_b) or (a.protected and b.protected):
                return None
            if a.source in self._template.cfa.atomic and not own_b:
                return None
            if not a.protected and b.protected and not own_a:
                return None
        if not own_a and _guards(b) and not branch:
            return None
        data = any(x.kind is not AccessKind.SYNC for x in b.accesses)
        if _guards(a) and data and not (self._nesc and a.protected and b.protected):
            return None
        accesses = self._moved(a, b)
        if accesses is None:
            return None
        ops = (*primitive(a.op), *primitive(b.op))
        text = a.text if a.text == b.text else "; ".join(t for t in (a.text, b.text) if t)
        merged = (*a.accesses, *(x for x in accesses if x not in a.accesses))
        shown = b if not a.accesses and b.accesses else a
        op = ops[0] if len(ops) == 1 else Block(ops)
        edge = Edge(a.source, b.target, op, merged, a.protected or b.protected, shown.location, text)
        return _Way(edge, (*first.path, *second.path))

    def _is_own(self, e: Edge) -> bool:
        """Whether the edge touches nothing but the thread's own variables."""
        return not e.accesses and all(n in self._own for n in (*op_writes(e.op), *map(name_of, op_reads(e.op))))

    def _moved(self, a: Edge, b: Edge) -> tuple[Access, ...] | None:
        """The accesses of `b` as seen before `a`; None if that cannot be said."""
        changed = set(op_writes(a.op))
        made: list[Access] = []
        for access in b.accesses:
            v = access.lvalue
            if not isinstance(v, Element) or access.whole or not {name_of(r) for r in reads(v.index)} & changed:
                made.append(access)
                continue
            parts = list(primitive(a.op))
            if len(parts) != 1 or not isinstance(parts[0], Assign) or not isinstance(parts[0].target, Var):
                return None
            name, value = parts[0].target.name, parts[0].value

            made.append(replace(access, lvalue=Element(v.array, _with(v.index, name, value), v.type)))
        return tuple(made)

    def _result(self) -> tuple[ThreadTemplate, tuple[tuple[int, ...], ...], tuple[int, ...]]:
        cfa = self._template.cfa
        kept = sorted({cfa.start} | {q for w in self._ways for q in (w.edge.source, w.edge.target)})
        number = {q: n for n, q in enumerate(kept)}
        edges = tuple(replace(w.edge, source=number[w.edge.source], target=number[w.edge.target]) for w in self._ways)
        small = Cfa(
            len(kept), number[cfa.start], edges, frozenset(number[q] for q in cfa.atomic if q in number),
            {number[q]: e for q, e in cfa.errors.items() if q in number},
            frozenset(number[q] for q in cfa.critical if q in number),
            {number[q]: p for q, p in cfa.places.items() if q in number})
        return replace(self._template, cfa=small), tuple(w.path for w in self._ways), tuple(kept)


def _with(e: Expr, name: str, value: Expr) -> Expr:
    return fold(substitute(e, lambda v: value if isinstance(v, Var) and v.name == name else None))


def _guards(e: Edge) -> bool:
    return any(isinstance(p, Assume) for p in primitive(e.op))


# --------------------------------------------------------------------------------------------------- dead locals
def _havoc_dead(template: ThreadTemplate) -> ThreadTemplate:
    """Scalars of the thread become arbitrary on the edges behind which nobody reads them."""
    own = {v.name: v for v in template.locals if not v.is_array}
    cfa = template.cfa
    live: list[set[str]] = [set() for _ in range(cfa.size)]
    changed = True
    while changed:
        changed = False
        for e in reversed(cfa.edges):
            needed = _needed(e, live[e.target], own.keys())
            if not needed <= live[e.source]:
                live[e.source] |= needed
                changed = True
    edges = []
    for e in cfa.edges:
        dying = (live[e.source] | (set(op_writes(e.op)) & own.keys())) - live[e.target]
        if dying:
            forget = Havoc(tuple(Var(n, own[n].type) for n in own if n in dying))
            edges.append(replace(e, op=Block((*primitive(e.op), forget))))
        else:
            edges.append(e)
    return replace(template, cfa=replace(cfa, edges=tuple(edges)))


def _needed(e: Edge, after: set[str], own: Set[str]) -> set[str]:
    now = set(after)
    for part in reversed(list(primitive(e.op))):
        match part:
            case Assign(target=Var(name=n)):
                now.discard(n)
            case Havoc(targets=ts):
                now -= {t.name for t in ts if isinstance(t, Var)}
        now |= {name_of(v) for v in op_reads(part)} & own
    for access in e.accesses:
        if isinstance(access.lvalue, Element):
            now |= {name_of(v) for v in reads(access.lvalue.index)} & own
    return now
