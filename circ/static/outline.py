"""A program as one question sees it: of each template only the locations where something begins that may matter.

Locations are grouped so that a group is entered at its first location only, by steps that may matter; inside it nothing
does. The outline is a program again, whose automata use those first locations, under their own numbers, and no others.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from circ.views.waits import awaited
from frontend.program import (
    SKIP,
    AllAt,
    Assign,
    Assume,
    Cfa,
    Edge,
    Havoc,
    Program,
    ThreadTemplate,
    op_writes,
    primitive,
    variables,
)
from frontend.records import dataclass

SimpleOp: TypeAlias = Assume | Assign | Havoc


@dataclass(frozen=True, slots=True)
class Outline:
    """`first[template][location]` is the first location of its group, None where no path leads; `groups` the other way."""

    original: Program
    program: Program
    first: tuple[tuple[int | None, ...], ...]
    groups: tuple[dict[int, list[int]], ...]
    frames: tuple[Frame, ...]
    """The templates of `program`, for whoever looks at them more closely."""


def outline(
    program: Program, asked: Collection[str], touched: Sequence[Sequence[frozenset[str]]], names: Sequence[frozenset[str]],
    marks: Sequence[Sequence[Hashable]],
) -> Outline:
    """The outline for questions about some variables.

    `touched` gives for each edge what it writes or tests, `names` for each template what matters, `marks` what tells locations
    apart in any case.
    """
    templates, firsts, groups = [], [], []
    waits = awaited(program)
    for n, t in enumerate(program.templates):
        visible = [not seen.isdisjoint(names[n]) or _waits(e) for e, seen in zip(t.cfa.edges, touched[n], strict=True)]
        ways = LocationOrder(t.cfa)
        plain = labels(t.cfa, waits[t.name], ways.order)
        first = ways.leaders(visible, {q: (plain[q], marks[n][q]) for q in ways.order})
        inside: dict[int, list[int]] = {}
        for q, r in enumerate(first):
            if r is not None:
                inside.setdefault(r, []).append(q)
        edges: dict[object, Edge] = {}
        for i, e in enumerate(t.cfa.edges):
            source, target = first[e.source], first[e.target]
            accesses = tuple(a for a in e.accesses if a.variable in asked)
            if source is None or target is None or not (visible[i] or accesses or source != target):
                continue
            made = Edge(source, target, e.op if visible[i] else SKIP, accesses, e.protected, e.location)
            edges.setdefault(i if visible[i] else (source, target, e.protected, accesses), made)
        templates.append(replace(t, cfa=replace(t.cfa, edges=tuple(edges.values()))))
        firsts.append(tuple(first))
        groups.append(inside)
    frames = tuple(Frame(t, waits[t.name]) for t in templates)
    return Outline(program, replace(program, templates=tuple(templates)), tuple(firsts), tuple(groups), frames)


def _waits(e: Edge) -> bool:
    return any(isinstance(p, AllAt) for p in primitive(e.op))


def labels(cfa: Cfa, waits: Sequence[frozenset[int]], locations: Iterable[int]) -> dict[int, tuple[bool, ...]]:
    """What tells locations apart whatever matters: being atomic, critical, an error, or in a set that somebody waits for."""
    return {q: (q in cfa.atomic, q in cfa.critical, q in cfa.errors, *(q in s for s in waits)) for q in locations}


class LocationOrder:
    """How the locations of an automaton follow each other; made once for all questions about it."""

    def __init__(self, cfa: Cfa) -> None:
        self.cfa = cfa
        self.order = _reverse_postorder(cfa)
        rank = {q: n for n, q in enumerate(self.order)}
        self._into: dict[int, list[tuple[int, int]]] = {q: [] for q in self.order}
        """For each location that a path leads to the edges into it: where from, position."""
        back: dict[int, None] = {}
        for i, e in enumerate(cfa.edges):
            if e.source in rank:
                self._into[e.target].append((e.source, i))
                if rank[e.source] >= rank[e.target]:
                    back[e.target] = None
        self._heads = list(back)

    def leaders(self, visible: Sequence[bool], labels: Mapping[int, Hashable]) -> list[int | None]:
        """For each location the first one of its group: a visible edge, another label or two ways in begin a new group."""
        marked = {self.cfa.start}
        leader: list[int | None] = [None] * self.cfa.size

        def joins(q: int) -> tuple[bool, int | None]:
            """Whether q must begin a group, as far as the locations before it have theirs; a group that leads to it."""
            found = None
            for p, i in self._into[q]:
                r = leader[p]
                if r is not None:
                    if visible[i] or (found is not None and r != found) or labels[r] != labels[q]:
                        return True, r
                    found = r
            return False, found

        while True:
            leader[:] = [None] * self.cfa.size
            for q in self.order:
                begins, r = (True, q) if q in marked else joins(q)
                if begins:
                    marked.add(q)
                leader[q] = q if begins else r
            # Ways in that come later in the order were not known before.
            more = [q for q in self._heads if q not in marked and joins(q)[0]]
            if not more:
                return leader
            marked.update(more)


class Frame:
    """A template of an outline as it is whatever is tracked: the ways through it, labels, and the parts of its steps."""

    def __init__(self, template: ThreadTemplate, waits: Sequence[frozenset[int]]) -> None:
        self.template = template
        self.ways = LocationOrder(template.cfa)
        self.labels = labels(template.cfa, waits, self.ways.order)
        self.parts: list[list[tuple[SimpleOp, frozenset[str]]]] = []
        """For each edge its primitive operations with the names that they write or test."""
        self.guards: list[tuple[AllAt, ...]] = []
        self.writes: list[frozenset[str]] = []
        for e in template.cfa.edges:
            parts = list(primitive(e.op))
            self.parts.append([(p, _touched(p)) for p in parts if not isinstance(p, AllAt)])
            self.guards.append(tuple(p for p in parts if isinstance(p, AllAt)))
            self.writes.append(frozenset(op_writes(e.op)))


def _touched(part: SimpleOp) -> frozenset[str]:
    return variables(part.cond) if isinstance(part, Assume) else frozenset(op_writes(part))


def _reverse_postorder(cfa: Cfa) -> list[int]:
    out: list[list[int]] = [[] for _ in range(cfa.size)]
    for e in cfa.edges:
        out[e.source].append(e.target)
    seen = {cfa.start}
    order: list[int] = []
    stack = [(cfa.start, iter(out[cfa.start]))]
    while stack:
        q, targets = stack[-1]
        target = next((r for r in targets if r not in seen), None)
        if target is None:
            stack.pop()
            order.append(q)
        else:
            seen.add(target)
            stack.append((target, iter(out[target])))
    return order[::-1]
