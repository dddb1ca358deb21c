"""Automata with locations put together that a set of variables does not tell apart, for many questions about some of these.

Locations from which a thread can but come silently to one place are one vertex. Whoever sees fewer steps puts together what is
put together here, and more: to put locations together first for many variables and then for some of them, or for these at
once, is the same. (A vertex that is put together with the one place to which its steps lead has no other steps; so no
new way leads from that place, or back to it, and steps that are silent here are silent for whoever sees less.)
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import field

from frontend.program import Cfa, Location
from frontend.program.components import components
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Vertices:
    """What is known of each vertex, in the order of their first locations."""

    sort: Sequence[int]
    """Vertices of different sorts are told apart by those who wait."""
    section: Sequence[int]
    """The atomic section, -1 outside of any."""
    plain: Sequence[bool]
    """Whether it has a location that is not atomic."""
    place: Sequence[tuple[int, Location] | None]
    """Where the first location is that has a place in the source, with that location."""


@dataclass(frozen=True, slots=True)
class Contraction:
    """`edges`: positions of edges, with their vertices; all that lead somewhere else or may be seen."""

    start: int
    edges: Sequence[tuple[int, int, int]]
    vertices: Vertices
    parent: Contraction | None
    up: Sequence[int]
    """For each vertex of the parent, or location if there is none, the vertex that it is part of; -1 if no path leads there."""
    _sets: dict[frozenset[int], frozenset[int]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(self.vertices.sort)

    def of(self, locations: frozenset[int]) -> frozenset[int]:
        """The vertices of these locations."""
        if locations not in self._sets:
            below = locations if self.parent is None else self.parent.of(locations)
            self._sets[locations] = frozenset(self.up[q] for q in below) - {-1}
        return self._sets[locations]

    def together(self, seen: Container[int], label: Sequence[int]) -> list[int]:
        """For each vertex a number, the same for those that are told apart neither by labels nor by the edges that are seen."""
        silent: dict[int, list[int]] = {}
        stays: set[int] = set()
        for i, source, target in self.edges:
            if i not in seen and label[source] == label[target]:
                silent.setdefault(source, []).append(target)
            else:
                stays.add(source)
        node = [-1] * self.size
        for component in components(silent, self.size):  # those that it leads to come first
            inside = set(component)
            onwards = {node[r] for q in component for r in silent.get(q, ()) if r not in inside}
            forward = len(onwards) == 1 and stays.isdisjoint(component)
            name = onwards.pop() if forward else component[0]
            for q in component:
                node[q] = name
        numbers: dict[int, int] = {}
        return [numbers.setdefault(n, len(numbers)) for n in node]

    def contract(self, visible: Container[int]) -> Contraction:
        """The same for those who see some of these edges."""
        old = self.vertices
        busy = {old.section[q] for i, *ends in self.edges if i in visible for q in ends}
        # A section whose steps nobody sees is none.
        section = [s if s in busy else -1 for s in old.section]
        labels: dict[tuple[int, int], int] = {}
        node = self.together(visible, [labels.setdefault(key, len(labels)) for key in zip(old.sort, section, strict=True)])
        edges: dict[object, tuple[int, int, int]] = {}
        for i, source, target in self.edges:
            seen, one, two = i in visible, node[source], node[target]
            if seen or one != two:
                edges.setdefault(i if seen else (one, two), (i, one, two))
        return Contraction(node[self.start], tuple(edges.values()), _merged(node, old, section), self, tuple(node))


def whole(cfa: Cfa, sort: Sequence[int], section: Sequence[int]) -> Contraction:
    """The automaton as it is, but for locations to which no path leads."""
    alive = cfa.behind([cfa.start])
    locations = [q for q in range(cfa.size) if q in alive]
    at = [-1] * cfa.size
    for n, q in enumerate(locations):
        at[q] = n
    edges = tuple((i, at[e.source], at[e.target]) for i, e in enumerate(cfa.edges) if at[e.source] >= 0)
    vertices = Vertices([sort[q] for q in locations], [section[q] for q in locations], [q not in cfa.atomic for q in locations],
                        [(q, cfa.places[q]) if q in cfa.places else None for q in locations])
    return Contraction(at[cfa.start], edges, vertices, None, at)


def first_places(node: Sequence[int], place: Iterable[tuple[int, Location] | None]) -> dict[int, tuple[int, Location]]:
    """For each number the first place of the vertices that have it."""
    found: dict[int, tuple[int, Location]] = {}
    for n, where in zip(node, place, strict=True):
        if where is not None and (n not in found or where[0] < found[n][0]):
            found[n] = where
    return found


def _merged(node: Sequence[int], old: Vertices, section: Sequence[int]) -> Vertices:
    size = max(node) + 1
    sort, sections, plain = [0] * size, [-1] * size, [False] * size
    for q, n in enumerate(node):
        sort[n], sections[n] = old.sort[q], section[q]
        plain[n] = plain[n] or old.plain[q]
    places = first_places(node, old.place)
    return Vertices(sort, sections, plain, [places.get(n) for n in range(size)])
