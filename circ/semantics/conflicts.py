"""Races in explicit states: which accesses are next, and which two of them conflict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from circ.semantics.interpreter import Globals, LocalState, Machine
from frontend.program import (
    Access,
    AccessKind,
    Edge,
    RaceModel,
)


# --------------------------------------------------------------------------------------------------- races
def conflict(race_model: RaceModel, first: Edge, a: Access, second: Edge, b: Access) -> bool:
    """Whether two accesses by different threads make a race if they can be next in one state and their cells overlap.

    The variables must be equal; whether two elements of an array are the same cell is a question about the state:
    their index expressions must be able to be equal (any two, if either access is `whole`).
    """
    if a.variable != b.variable or not (a.write or b.write):
        return False
    if AccessKind.SYNC in (a.kind, b.kind) or not (_in_parts(a) or _in_parts(b) or _lost(a, b)):
        return False
    if race_model != RaceModel.C11:
        return not first.protected and not second.protected
    return not (first.protected and second.protected)


def _in_parts(a: Access) -> bool:
    """Whether an access may be seen half made, or not at all."""
    return a.kind in (AccessKind.DATA, AccessKind.POLLED)


def _lost(a: Access, b: Access) -> bool:
    """Whether one write gives back what was read before the other one."""
    return a.write and b.write and AccessKind.UPDATE in (a.kind, b.kind) and AccessKind.LOCK not in (a.kind, b.kind)


Ready: TypeAlias = tuple[int, int, int | None]
"""An access that is next: edge, position in its accesses, element (None: a scalar, or any element)."""


def ready(machine: Machine, variable: str, template: int, g: Globals, thread: LocalState) -> tuple[Ready, ...]:
    """A thread's next accesses to a variable; raises Undefined if that depends on a value that nobody chose."""
    location, local = thread
    found: list[Ready] = []
    for e in machine.leaving(template, location):
        for a, access in enumerate(machine.edge(template, e).accesses):
            if access.variable == variable and machine.is_next(template, e, a, g, local):
                found.append((e, a, machine.cell(template, e, a, g, local)))
    return tuple(found)


def clash(
    machine: Machine, first: int, ones: Sequence[Ready], second: int, others: Sequence[Ready],
) -> tuple[Ready, Ready] | None:
    """Two of the accesses, of threads of these templates, that make a race: the first such pair."""
    for one in ones:
        edge = machine.edge(first, one[0])
        for other in others:
            opposite = machine.edge(second, other[0])
            a, b = edge.accesses[one[1]], opposite.accesses[other[1]]
            same = one[2] is None or other[2] is None or one[2] == other[2]
            if same and conflict(machine.program.race_model, edge, a, opposite, b):
                return one, other
    return None
