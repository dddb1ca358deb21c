"""Calling contexts that the points-to analysis tells apart: a function that is inlined anyway may have a copy for each call.

What one call allocates and links is then not confused with what another one does, so that two lists which the same functions
build are two sets of objects. Copies differ from the function in name only; registers and locations are the same. Allocations
of copies that some pointer may confuse anyway are one object again: no access has more cases than without copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace

from frontend.ir import Function, Storage
from frontend.memory.call_graph import BUDGET, SMALL, CallGraph
from frontend.memory.points_to import FunctionEdge, PointsTo
from frontend.records import dataclass

MOST_COPIES = 400
"""Of one function; with more calls it has none."""
MOST_EDGES = 3_000
"""Of all copies of one function together."""


@dataclass(frozen=True, slots=True)
class Contexts:
    """`copies`: by caller (a copy or a function), edge and callee the copy that is called; `originals`: what it is a copy of."""

    copies: Mapping[tuple[str, int, int, str], str] = field(default_factory=dict)
    originals: Mapping[str, str] = field(default_factory=dict)

    def called(self, caller: str, source: int, target: int, callee: str) -> str:
        """The copy that a call at this edge goes to, or the function itself."""
        return self.copies.get((caller, source, target, callee), callee)

    def body(self, name: str, functions: Callable[[str], Function | None]) -> Function | None:
        """The body of a function or a copy."""
        original = self.originals.get(name)
        function = functions(original or name)
        return function if function is None or original is None else replace(function, name=name, original=original)

    def original(self, site: FunctionEdge) -> FunctionEdge:
        """The edge of the function that this one is a copy of."""
        return (self.originals.get(site[0], site[0]), *site[1:])


NONE = Contexts()


def contexts(solved: PointsTo, calls: CallGraph, roots: Iterable[str], stays: Callable[[str], bool]) -> Contexts:
    """The copies to make, given an analysis without any; functions for which `stays` holds have none."""
    reached = solved.reached
    starts = {*roots, *(n for names in (*solved.created.values(), *solved.anytime.values()) for n in names), *solved.often,
              *(n for handlers in solved.handlers.values() for n in handlers)}
    large = any(calls.size(name) > BUDGET for name in starts if name in reached)
    sites: dict[str, list[tuple[str, int, int]]] = {}
    for caller, places in solved.callees.items():
        for (source, target), callees in places.items():
            for callee in callees:
                sites.setdefault(callee, []).append((caller, source, target))

    def may(name: str) -> bool:
        function = reached[name]
        return not (name in starts or name in solved.taken or stays(name) or calls.recursive(name) or function.size < 2
                    or any(s.storage in (Storage.LOCAL, Storage.THREAD) for s in function.memory)
                    or (large and calls.size(name) > SMALL))

    known: dict[str, list[str]] = {}

    def names_of(name: str) -> list[str]:
        """The names that a function has in all its contexts; its own alone if there is but one."""
        if name not in known:
            known[name] = [name]
            if may(name):
                number = sum(len(names_of(caller)) for caller, _, _ in sites.get(name, ()))
                if 1 < number <= MOST_COPIES and number * len(reached[name].edges) <= MOST_EDGES:
                    known[name] = [f"{name}<{n}>" for n in range(1, number + 1)]
        return known[name]

    copies: dict[tuple[str, int, int, str], str] = {}
    originals: dict[str, str] = {}
    for name in reached:
        names = names_of(name)
        if names != [name]:
            originals.update(dict.fromkeys(names, name))
            callers = ((caller, source, target) for function, source, target in sites[name] for caller in names_of(function))
            copies.update(((*place, name), copy) for place, copy in zip(callers, names, strict=True))
    return Contexts(copies, originals)


def confused(solved: PointsTo, told: Contexts) -> dict[FunctionEdge, FunctionEdge]:
    """For each allocation of a copy the first one of the same place that some pointer may confuse it with."""
    chosen: dict[str, str] = {name: name for name in solved.heaps}
    place = {name: told.original(site) for site, name in solved.sites.items()}

    def first(name: str) -> str:
        while chosen[name] != name:
            name = chosen[name]
        return name

    order = {name: n for n, name in enumerate(solved.heaps)}
    for together in _together(solved, place):
        for name in together[1:]:
            a, b = sorted((first(together[0]), first(name)), key=order.__getitem__)
            chosen[b] = a
    site_of = {name: site for site, name in solved.sites.items()}
    return {site: site_of[first(name)] for site, name in solved.sites.items()}


def _together(solved: PointsTo, place: Mapping[str, FunctionEdge]) -> Iterator[list[str]]:
    """Allocations at one place that one pointer may point to."""
    for targets in solved.all_targets():
        by_place: dict[FunctionEdge, dict[str, None]] = {}
        for name, _ in targets:
            if name in place:
                by_place.setdefault(place[name], {}).setdefault(name)
        yield from (list(names) for names in by_place.values() if len(names) > 1)
