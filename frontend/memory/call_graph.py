"""Facts about calls: how large a thread becomes by inlining, how often a function runs, how deep in sections a call is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from frontend.ir import AtomicBegin, AtomicEnd, Call, CriticalBegin, CriticalEnd, Function
from frontend.memory.points_to import PointsTo
from frontend.program.components import components

BUDGET = 4000
"""Edges a thread may have by inlining alone; beyond, functions called from several places get one copy."""
SMALL = 12
"""Functions up to this many edges are always inlined."""
MANY = 1 << 20
"""More often than anybody counts."""


class CallGraph:
    """The calls that the points-to analysis found."""

    def __init__(self, pointsto: PointsTo) -> None:
        self._functions = pointsto.reached
        self._callees = pointsto.callees
        self._created = pointsto.created
        self._often = pointsto.often
        self._cycles: dict[str, frozenset[int]] = {}
        self._depths: dict[str, dict[int, tuple[int, int]]] = {}
        self._sizes: dict[str, int] = {}
        self._groups: dict[str, tuple[str, ...]] = {}

    def cyclic(self, name: str) -> frozenset[int]:
        """The locations of a function from which control may come back to them."""
        if name not in self._cycles:
            self._cycles[name] = on_cycles(self._functions[name])
        return self._cycles[name]

    # ------------------------------------------------------------------------------------------- size
    def size(self, name: str) -> int:
        """Edges of the function with everything inlined, at most `MANY`."""
        if name not in self._functions:
            return 1
        if name not in self._sizes:
            self._sizes[name] = 0  # what a recursive call sees: it goes to a copy that is counted already
            total = len(self._functions[name].edges)
            for callees in self._callees.get(name, {}).values():
                total += sum(map(self.size, callees))
            self._sizes[name] = min(total, MANY)
        return self._sizes[name]

    def shared(self, root: str) -> frozenset[str]:
        """The functions that get one copy in the thread that starts in `root`."""
        if self.size(root) <= BUDGET:
            return frozenset()
        sites: dict[str, int] = {}
        for name in self.reach(root):
            for callees in self._callees.get(name, {}).values():
                for callee in callees:
                    sites[callee] = sites.get(callee, 0) + 1
        return frozenset(n for n, count in sites.items() if count > 1 and self.size(n) > SMALL)

    def reach(self, root: str) -> tuple[str, ...]:
        """The functions that a thread starting in `root` may run, that one first."""
        seen: dict[str, None] = {root: None}
        work = [root]
        while work:
            for callees in self._callees.get(work.pop(), {}).values():
                for callee in callees:
                    if callee not in seen:
                        seen[callee] = None
                        work.append(callee)
        return tuple(seen)

    def recursive(self, name: str) -> tuple[str, ...]:
        """The functions that call each other in turn with this one, itself among them; none if it is not recursive."""
        if name not in self._groups:
            again = name in {c for f in self.reach(name) for callees in self._callees.get(f, {}).values() for c in callees}
            group = tuple(f for f in self.reach(name) if name in self.reach(f)) if again else ()
            self._groups.update(dict.fromkeys((name, *group), tuple(sorted(group))))
        return self._groups[name]

    # ------------------------------------------------------------------------------------------- frequency
    def runs(self, roots: Mapping[str, int | None]) -> dict[str, int]:
        """How often each function may run in the whole program, at most `MANY`."""
        counts: dict[str, int] = {}
        callers: dict[str, list[tuple[str, int]]] = {}
        for caller, sites in self._callees.items():
            for (source, _), callees in sites.items():
                for callee in callees:
                    callers.setdefault(callee, []).append((caller, source))
        for (caller, source, _), names in self._created.items():
            for name in names:
                callers.setdefault(name, []).append((caller, source))

        def count(name: str) -> int:
            if name not in counts:
                counts[name] = MANY  # what a recursive call sees
                total = 0
                if name in roots:
                    number = roots[name]
                    total = MANY if number is None else number
                for caller, source in callers.get(name, ()):
                    often = count(caller)
                    total += MANY if often and source in self.cyclic(caller) else often
                if name in self._often:
                    total = MANY
                counts[name] = min(total, MANY)
            return counts[name]

        for name in self._functions:
            count(name)
        return counts

    # ------------------------------------------------------------------------------------------- sections
    def depth(self, name: str, location: int) -> tuple[int, int]:
        """How deep a location is in atomic and critical sections that the function itself, or what it calls, has begun."""
        if name not in self._depths:
            self._depths[name] = {}
            self._depths[name] = self._walk(self._functions[name])
        return self._depths[name].get(location, (0, 0))

    def _walk(self, function: Function) -> dict[int, tuple[int, int]]:
        leaving: dict[int, list[tuple[int, int, int]]] = {}
        for edge in function.edges:
            atomic = isinstance(edge.instr, AtomicBegin) - isinstance(edge.instr, AtomicEnd)
            critical = isinstance(edge.instr, CriticalBegin) - isinstance(edge.instr, CriticalEnd)
            if isinstance(edge.instr, Call):
                callees: Iterable[str] = self._callees.get(function.name, {}).get((edge.source, edge.target), ())
                for callee in callees:
                    if callee in self._functions:
                        atomic, critical = self.depth(callee, self._functions[callee].exit)
                        break
            leaving.setdefault(edge.source, []).append((edge.target, atomic, critical))
        depths = {function.start: (0, 0)}
        work = [function.start]
        while work:
            here = work.pop()
            for target, atomic, critical in leaving.get(here, ()):
                if target not in depths:
                    depths[target] = (depths[here][0] + atomic, depths[here][1] + critical)
                    work.append(target)
        return depths


def on_cycles(function: Function) -> frozenset[int]:
    """The locations from which control may come back to them."""
    graph: dict[int, list[int]] = {}
    for edge in function.edges:
        graph.setdefault(edge.source, []).append(edge.target)
    found: set[int] = set()
    for component in components(graph, function.size):
        if len(component) > 1 or component[0] in graph.get(component[0], ()):
            found.update(component)
    return frozenset(found)
