"""What a pointer may point to, and the nodes of the constraint graph: the data that the analysis computes with."""

from __future__ import annotations

from collections.abc import Callable

from frontend.ctypes import CType, IntType, RecordType
from frontend.ir import Module
from frontend.memory.leaves import MemObject
from frontend.records import dataclass

ANY = -1
"""Any offset in the object."""

Target = tuple[str, int]
"""An object and an offset in it, every index of an array being 0; see also `NO_OBJECT`."""
UNKNOWN: Target = ("?", 0)
"""A pointer from outside: any object whose address was taken, any function."""
FOREIGN: Target = ("!", 0)
"""Memory that is no object of the program: what the C library and the system have of their own, `argv`."""
INTEGER: Target = ("#", 0)
"""A number that nobody made from an address."""
HANDLE: Target = ("#", 1)
"""A thread's handle: a number that the library chooses."""
DISTANCE: Target = ("#", 2)
"""A number that leads from one object to another: added to an address, it makes any address."""
NUMBERS = (UNKNOWN, INTEGER, HANDLE, DISTANCE)
COMPUTED: Target = ("*?", 0)
"""An address computed from numbers in the program: any register of the hardware."""
NO_OBJECT = "&*?#!"
"""First letters of targets that are no objects: functions, constant addresses, `NUMBERS`, `FOREIGN`."""

PointerNode = tuple[str, str, str]
"""Something that may hold an address: a register (`r`, function, name) or a leaf of an object (`c`, object, number)."""
DISTANCES: PointerNode = ("d", "", "")
"""What numbers too narrow for an address may be besides numbers, in all of the program: `DISTANCE` or nothing."""
KEPT: PointerNode = ("o", "", "kept")
"""What the program puts into foreign memory, and what the C library and the system keep for later."""
OUTSIDE: PointerNode = ("o", "", "outside")
"""What is found in foreign memory: pointers to such memory, and what is kept there."""
FunctionEdge = tuple[str, int, int]
"""An edge of a function."""
Shift = Callable[[Target], Target]
"""What arithmetic does to the target of a pointer."""


@dataclass(frozen=True, slots=True)
class Targets:
    """What a pointer may point to; `unknown`: anything whose address was taken besides; `foreign`: what is no object."""

    known: tuple[Target, ...]
    unknown: bool
    foreign: bool = False

    @property
    def outside(self) -> bool:
        """Whether it may point to memory that is no object of the program."""
        return self.unknown or self.foreign


def register(function: str, name: str) -> PointerNode:
    """The node of a register."""
    return ("r", function, name)


def leaf(obj: str, number: int) -> PointerNode:
    """The node of a leaf of an object."""
    return ("c", obj, str(number))


def function_target(name: str) -> Target:
    """The address of a function."""
    return (f"&{name}", 0)


def absolute_target(address: int) -> Target:
    """An address that is a number in the program."""
    return (f"*{address:#x}", 0)


def is_inside(obj: MemObject, offset: int) -> bool:
    """Whether an offset is one of the object; a pointer elsewhere can be moved back, but not followed."""
    return 0 <= offset < obj.size


def walks(obj: MemObject, offset: int, type_: CType, module: Module) -> bool:
    """Whether an integer in an array may be one that leads on to the members beside it: the struct is taken as integers."""
    if not isinstance(type_, IntType) or not any(module.sizeof(type_) % d == 0 for d in obj.strides(offset)):
        return False
    return any(isinstance(a.type, RecordType) and a.type.key in module.bytewise
               and a.offset <= offset < a.offset + module.sizeof(a.type) for a in obj.shape.anchors)
