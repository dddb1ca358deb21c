"""Runs in an order that the waits allow.

The weakened program does not wait where nothing kept is touched (`circ.views.weaken.weaken`), so a thread of an
abstract trace may
take steps while it should be suspended. It could have taken them before it was: they are moved to the front of the step
by which the other thread left the place where it is waited for. What that contradicts is for the trace formula to say.
A thread that an abstract trace does not mention, because it only waits and is waited for, is sent where it has to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from frontend.program import AllAt, ThreadTemplate, primitive

EdgeRun: TypeAlias = tuple[tuple[int, int], ...]
"""Steps in turn: the thread, and the edge (its index in the template's automaton)."""


def in_order(threads: Sequence[ThreadTemplate], run: EdgeRun) -> EdgeRun | None:
    """The run with steps moved to where their threads need not wait; None if there is no such order to be found."""
    steps = list(run)
    for _ in range(len(steps) ** 2 + 1):
        found = _first_wait(threads, steps)
        if found is None:
            return tuple(steps)
        at, departure = found
        if departure is None:
            return None
        waiting = steps[at][0]
        moved = [s for s in steps[departure:at + 1] if s[0] == waiting]
        stayed = [s for s in steps[departure:at + 1] if s[0] != waiting]
        steps[departure:at + 1] = [*moved, *stayed]
    return None


def fetched(threads: Sequence[ThreadTemplate], run: EdgeRun, idle: Sequence[int]) -> EdgeRun:
    """The run with steps of the `idle` threads, which have none in it, to where others wait for them, just before they do."""
    location = [t.cfa.start for t in threads]
    steps: list[tuple[int, int]] = []
    for thread, index in run:
        edge = threads[thread].cfa.edges[index]
        for guard in primitive(edge.op):
            if isinstance(guard, AllAt):
                for other in idle:
                    if threads[other].name == guard.template:
                        for way in _way(threads[other], location[other], guard.locations):
                            steps.append((other, way))
                            location[other] = threads[other].cfa.edges[way].target
        steps.append((thread, index))
        location[thread] = edge.target
    return tuple(steps)


def _way(template: ThreadTemplate, start: int, goals: frozenset[int]) -> tuple[int, ...]:
    """The shortest way of edges to one of the goals; none if there is none."""
    queue: list[tuple[int, tuple[int, ...]]] = [(start, ())]
    seen = {start}
    for at, way in queue:
        if at in goals:
            return way
        for i, e in enumerate(template.cfa.edges):
            if e.source == at and e.target not in seen:
                seen.add(e.target)
                queue.append((e.target, (*way, i)))
    return ()


def _first_wait(threads: Sequence[ThreadTemplate], steps: list[tuple[int, int]]) -> tuple[int, int | None] | None:
    """The first step that has to wait, and the one by which the thread it waits for went away (None: it never was there)."""
    location = [t.cfa.start for t in threads]
    history: list[list[tuple[int, int]]] = [[] for _ in threads]
    for n, (thread, index) in enumerate(steps):
        edge = threads[thread].cfa.edges[index]
        for guard in primitive(edge.op):
            if not isinstance(guard, AllAt):
                continue
            for other, template in enumerate(threads):
                if other != thread and template.name == guard.template and location[other] not in guard.locations:
                    left = [at for at, source in history[other] if source in guard.locations]
                    return n, left[-1] if left else None
        history[thread].append((n, location[thread]))
        location[thread] = edge.target
    return None
