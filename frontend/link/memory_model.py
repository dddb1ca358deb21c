"""Objects, what pointers point to, and which calls of a function are told apart."""

from __future__ import annotations

from collections.abc import Mapping

from frontend.ctypes import CType, RecordType
from frontend.ir import STRING, Module
from frontend.link.bodies import Bodies
from frontend.link.which_threads import ThreadSet, count_runs
from frontend.memory.call_graph import MANY, CallGraph
from frontend.memory.calling_contexts import confused, contexts
from frontend.memory.lock_types import library_records
from frontend.memory.objects import KnownRegisters, Notes, Objects
from frontend.memory.places import Places
from frontend.memory.points_to import NO_OBJECT, FunctionEdge, PointsTo, Solver, heap_types
from frontend.memory.world import World
from frontend.threads.join_loops import find_joins

_MOST_TYPINGS = 3
"""How often the types of the heap's objects are looked for anew."""


def model_memory(bodies: Bodies, threads: ThreadSet, known: KnownRegisters, notes: Notes,
                 solver: Solver | None) -> tuple[World, Bodies]:
    """What all threads share while they are built, and the bodies with a copy for each calling context.

    `known`: hardware registers whose bits are followed. The points-to analysis runs several times where the
    heap is used: without contexts (which finds what to copy), with them (which finds the allocations that some pointer may
    confuse anyway; they are one object again), and with what is known by then about the types of the heap's objects.
    All of this is choice, for which the `solver` is believed. What pointers point to is tested at the end.
    """
    module, places = bodies.module, Places(bodies.module)
    objects = Objects(module, places, notes, known)
    analysis = _Analysis(bodies, objects, places, threads, solver)
    solved = analysis.solve()
    same: Mapping[FunctionEdge, FunctionEdge] = {}
    # Annotations speak of functions by their names, so that there are no copies then.
    if solved.heaps and module.attached is None:
        apart = contexts(solved, CallGraph(solved), threads.functions, bodies.concerns_threads)
        if apart.copies:
            bodies = bodies.told_apart(apart, solved)
            analysis = _Analysis(bodies, objects, places, threads, solver)
            solved = analysis.typed(analysis.solve(), {})
            same = confused(solved, apart)
            objects.forget(solved.heaps)
            solved = analysis.solve(same=same)
    if solved.heaps:
        solved = analysis.typed(solved, same)
    solved = analysis.checked(solved, same)
    objects.may_be_set = solved.holds_addresses
    outside = tuple(n for n in solved.taken if n[0] not in NO_OBJECT and (n not in module.declarations or n in module.symbols))
    plain = tuple(n for n in outside if not n.startswith(STRING) and not _is_lock(module, n))
    joined = find_joins(solved.reached, solved.created)
    return World(module, objects, places, solved, CallGraph(solved), notes, plain, outside, joined, bodies.contexts), bodies


class _Analysis:
    """The points-to analysis of the threads over some bodies; `objects` are laid out as it meets them."""

    def __init__(self, bodies: Bodies, objects: Objects, places: Places, threads: ThreadSet, solver: Solver | None) -> None:
        self._bodies = bodies
        self._objects = objects
        self._places = places
        self._threads = threads
        self._solver = solver
        self._types: Mapping[str, CType] = {}

    def solve(self, types: Mapping[str, CType] | None = None, single: frozenset[str] = frozenset(),
              same: Mapping[FunctionEdge, FunctionEdge] | None = None) -> PointsTo:
        """What pointers point to; once more, if it was learnt only on the way that a struct is taken as bytes.

        `types`: of the heap's objects; `single`: those allocated once; `same`: allocations that are one object with another.
        """
        module = self._bodies.module
        self._types = types or {}
        while True:
            before = module.bytewise
            solved = PointsTo(module, self._objects, self._places, self._bodies.prepared, self._types, single,
                              self._bodies.contexts.called, same, self._solver)
            solved.find(self._threads.functions)
            if module.bytewise == before:
                return solved

    def typed(self, solved: PointsTo, same: Mapping[FunctionEdge, FunctionEdge]) -> PointsTo:
        """The analysis once more, with what it found out about the heap: what its objects are used as, which there is one of.

        While an object has no type, all that is stored in it may be what is loaded anywhere from it, so that others may seem
        to be used as what they are not. With types there are fewer such mistakes, so that there may be better types.
        """
        single = self._single(solved)
        types: dict[str, CType] = {}
        for _ in range(_MOST_TYPINGS):
            known = heap_types(solved.heaps, solved.pointed, self._bodies.module)
            if known == types:
                break
            self._objects.forget(solved.heaps)
            types, solved = known, self.solve(known, single, same)
        return solved


    def checked(self, solved: PointsTo, same: Mapping[FunctionEdge, FunctionEdge]) -> PointsTo:
        """The last analysis, its sets tested; without the places that are said to allocate once if some may do so again."""
        module, single = self._bodies.module, solved.single
        while True:
            before = module.bytewise
            solved.solve(self._threads.functions)
            if module.bytewise == before and single <= self._single(solved):
                return solved
            if module.bytewise == before:
                single = frozenset()
                self._objects.forget(solved.heaps)
            solved = self.solve(self._types, single, same)

    def _single(self, solved: PointsTo) -> frozenset[str]:
        """The places of allocation that are run at most once."""
        calls = CallGraph(solved)
        runs = count_runs(self._threads, solved)
        often: dict[str, int] = {}
        for (function, source, _), name in solved.sites.items():
            often[name] = often.get(name, 0) + (MANY if source in calls.cyclic(function) else runs[function])
        return frozenset(name for name, number in often.items() if number == 1)


def _is_lock(module: Module, name: str) -> bool:
    """Whether all of an object is a lock, or another object of the threading library."""
    symbol = module.symbols.get(name)
    return symbol is not None and isinstance(symbol.type, RecordType) and symbol.type.key in library_records(module)
