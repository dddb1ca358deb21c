"""A program as one question sees it: of each template only the locations where something begins that may matter.

Locations are grouped so that a group is entered at its first location only, by steps that may matter; inside it nothing
does. The outline is a program again, whose automata use those first locations, under their own numbers, and no others.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from frontend.cfa import SKIP, AllAt, Cfa, Edge, Program, ThreadTemplate, primitive


@dataclass(frozen=True, slots=True)
class Outline:
    """`first[template][location]` is the first location of its group, None where no path leads; `groups` the other way."""

    original: Program
    program: Program
    first: tuple[tuple[int | None, ...], ...]
    groups: tuple[dict[int, list[int]], ...]


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
        first = leaders(t.cfa, visible, labels(t, waits, marks[n]))
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
    return Outline(program, replace(program, templates=tuple(templates)), tuple(firsts), tuple(groups))


def _waits(e: Edge) -> bool:
    return any(isinstance(p, AllAt) for p in primitive(e.op))


def awaited(program: Program) -> dict[str, list[frozenset[int]]]:
    """For each template the sets of its locations that somebody waits for."""
    found: dict[str, dict[frozenset[int], None]] = {t.name: {} for t in program.templates}
    for t in program.templates:
        for e in t.cfa.edges:
            for p in primitive(e.op):
                if isinstance(p, AllAt) and p.template in found:
                    found[p.template][p.locations] = None
    return {name: list(sets) for name, sets in found.items()}


def labels(
    template: ThreadTemplate, waits: Mapping[str, Sequence[frozenset[int]]], marks: Sequence[Hashable]
) -> list[tuple[Hashable, ...]]:
    """What tells locations apart whatever matters: being atomic, critical, an error, or in a set that somebody waits for."""
    cfa, sets = template.cfa, waits[template.name]
    return [(q in cfa.atomic, q in cfa.critical, q in cfa.errors, *(q in s for s in sets), marks[q]) for q in range(cfa.size)]


def leaders(cfa: Cfa, visible: Sequence[bool], labels: Sequence[Hashable]) -> list[int | None]:
    """For each location the first one of its group: a visible edge, another label or two ways in begin a new group."""
    into: list[list[tuple[int, bool]]] = [[] for _ in range(cfa.size)]
    for e, seen in zip(cfa.edges, visible, strict=True):
        into[e.target].append((e.source, seen))
    order = _reverse_postorder(cfa)
    marked = {cfa.start}

    def joins(q: int, leader: Sequence[int | None]) -> bool:
        """Whether q must begin a group, as far as the locations before it have theirs."""
        found = None
        for p, seen in into[q]:
            r = leader[p]
            if r is not None:
                if seen or (found is not None and r != found) or labels[r] != labels[q]:
                    return True
                found = r
        return False

    while True:
        leader: list[int | None] = [None] * cfa.size
        for q in order:
            if q not in marked and joins(q, leader):
                marked.add(q)
            # Any way in that comes earlier in this order will do: another one that differs marks q, now or below.
            leader[q] = q if q in marked else next(r for p, _ in into[q] if (r := leader[p]) is not None)
        more = {q for q in order if q not in marked and joins(q, leader)}
        if not more:
            return leader
        marked |= more


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
