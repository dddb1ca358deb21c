"""What the points-to analysis finds out besides the sets: the calls there are, the objects there are, who gets hold of them."""

from __future__ import annotations

from dataclasses import field

from frontend.ctypes import CType
from frontend.ir import Function
from frontend.memory.points_to.targets import FunctionEdge
from frontend.records import dataclass


@dataclass(slots=True)
class PointerFacts:
    """Filled while the program is taken in; tables keep the order in which things were found, and never lose any."""

    reached: dict[str, Function] = field(default_factory=dict)
    """The bodies that may run, copies under their own names."""
    entered: dict[str, None] = field(default_factory=dict)
    """The functions that may run, as the program names them."""
    callees: dict[str, dict[tuple[int, int], dict[str, None]]] = field(default_factory=dict)
    """By caller and edge, the bodies that a call may go to."""
    created: dict[FunctionEdge, dict[str, None]] = field(default_factory=dict)
    """By the edge that starts a thread, the functions that it may start in."""
    handlers: dict[str, dict[str, dict[FunctionEdge, None]]] = field(default_factory=dict)
    """By the occasion on which they run, functions that are handed over, and where that is done."""
    anytime: dict[FunctionEdge, dict[str, None]] = field(default_factory=dict)
    """Functions that may run at any time behind a call."""
    often: dict[str, None] = field(default_factory=dict)
    """Functions that may run any number of times."""
    sites: dict[FunctionEdge, str] = field(default_factory=dict)
    """The object that an edge allocates."""
    heaps: dict[str, int | None] = field(default_factory=dict)
    """Allocated objects, with the size asked for where it is a constant."""
    pointed: dict[str, dict[CType, None]] = field(default_factory=dict)
    """By object, the types of the pointers that are followed to it."""
    taken: dict[str, None] = field(default_factory=dict)
    """Objects and functions whose address is taken."""
    exposed: dict[str, None] = field(default_factory=dict)
    """Objects whose address is handed to another thread or to code that is not here."""
    exposed_deep: dict[str, None] = field(default_factory=dict)
    """Objects that code that is not here may change."""
    wild: bool = False
    """Something is stored through a pointer from outside: any object whose address was taken may hold such a pointer."""
