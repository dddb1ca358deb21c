"""What all threads of a program share while they are built."""

from __future__ import annotations

from collections.abc import Mapping

from frontend.ir import Module
from frontend.memory.call_graph import CallGraph
from frontend.memory.calling_contexts import Contexts
from frontend.memory.objects import Notes, Objects
from frontend.memory.places import Places
from frontend.memory.points_to import FunctionEdge, PointsTo
from frontend.program import Location
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class World:
    """What all threads of a program share while they are built."""

    module: Module
    objects: Objects
    places: Places
    pointsto: PointsTo
    calls: CallGraph
    notes: Notes
    outside: tuple[str, ...]
    """Objects that a pointer from outside may point to: no locks and no string literals, see `assume_far_from_locks`."""
    outside_locks: tuple[str, ...]
    """Objects that a pointer from outside to a lock may point to."""
    joined: Mapping[FunctionEdge, tuple[str, ...]]
    """Edges of functions that run once behind which every thread of some functions has ended."""
    contexts: Contexts
    """The calls that are told apart."""

    def assume_far_from_locks(self, location: Location) -> None:
        """Something is accessed through a pointer from outside."""
        if len(self.outside) < len(self.outside_locks):
            self.notes.assume("unknown pointers lead to no lock and no string literal", location)
