"""Addresses that are taken to pieces: read byte by byte, computed with as numbers, written to a file or a pipe.

Numbers too narrow for an address are not followed one by one. All pieces of addresses are one node instead, `PIECES`: what is
narrow and is stored somewhere may be one of them, and an address that is put together again from such memory is from outside,
as one is that is put together from numbers. In a program that takes no address to pieces the node stays empty, so that bytes
beside pointers in a block of memory do no harm.
"""

from __future__ import annotations

from collections.abc import Iterator

from frontend.memory.points_to.flows import narrowed
from frontend.memory.points_to.memory_constraints import PIECES, MemoryConstraints
from frontend.memory.points_to.targets import (
    DISTANCE,
    DISTANCES,
    FOREIGN,
    HANDLE,
    INTEGER,
    UNKNOWN,
    PointerNode,
    Target,
    register,
)
from frontend.program import COMPARISONS, LOGICAL, Binary, Cast, Expr, Ite, Unary, variables

_STILL_ADDRESSES = ("+", "-", "&", "|")
"""What these operators make of an address is followed; see `Flows.flows`."""
SENDERS = {"write": 1, "pwrite": 1, "pwrite64": 1, "send": 1, "sendto": 1, "fwrite": 0, "fwrite_unlocked": 0, "mq_send": 1,
           "mq_timedsend": 1, "msgsnd": 1}
"""Functions that take bytes out of the program, by the argument that points to them; they may come back."""
RECEIVERS = {"read": 1, "pread": 1, "pread64": 1, "recv": 1, "recvfrom": 1, "fread": 0, "fread_unlocked": 0, "mq_receive": 1,
             "mq_timedreceive": 1, "msgrcv": 1}
"""Functions that bring bytes in, by the argument that points to where they put them."""


class Pieces:
    """Finds where addresses are taken to pieces."""

    def __init__(self, memory: MemoryConstraints) -> None:
        self._memory = memory
        self._graph = memory.graph
        self._watched: set[PointerNode] = set()
        self._loads: set[tuple[PointerNode, int]] = set()

    def load(self, place: PointerNode, size: int) -> None:
        """Something too narrow for an address is loaded from where a node points to."""
        if (place, size) not in self._loads:
            self._loads.add((place, size))
            self._graph.each(place, lambda target: self._read(target, size))

    def sent(self, target: Target) -> None:
        """Bytes from a target on leave the program."""
        self._read(self._memory.flows.anywhere(target), 0)

    def _read(self, target: Target, size: int) -> None:
        """So many bytes from a target on (0: any number) are read as bytes."""
        for cell, wide in self._memory.typed_cells(target, size):
            self._watch(cell, wide)

    def computed(self, function: str, e: Expr) -> None:
        """The value of an expression is computed: what it makes of addresses that is none may be a piece of one."""
        for name in dict.fromkeys(_numbers(e, False, self._memory.places.pointer.width)):
            self._watch(register(function, name), True)
        for wide in narrowed(e, self._memory.places.pointer.width):
            self._memory.each_target(function, wide, self._told)

    def _told(self, target: Target) -> None:
        """A number that is made narrow may be this: the low parts of two addresses have a distance, too."""
        if target == DISTANCE or target[0][0] not in "*?#!":
            self._graph.add(DISTANCES, DISTANCE)

    def received(self, target: Target) -> None:
        """Bytes from elsewhere are put where a target is."""
        for cell, wide in self._memory.typed_cells(self._memory.flows.anywhere(target), 0):
            if not wide or target == FOREIGN:
                self._graph.copy(PIECES, cell)

    def _watch(self, node: PointerNode, wide: bool) -> None:
        """An address in the node is taken to pieces; in what is too narrow for one, pointers from outside are none."""
        if node not in self._watched:
            self._watched.add(node)
            none = (INTEGER, HANDLE, FOREIGN) if wide else (INTEGER, HANDLE, FOREIGN, UNKNOWN)

            def found(target: Target) -> None:
                self._told(target)
                if target not in none and target[0][0] != "*":
                    self._graph.add(PIECES, UNKNOWN)

            self._graph.each(node, found)


def _numbers(e: Expr, number: bool, width: int) -> Iterator[str]:
    """The registers of an expression of which bits get into a number; `number`: it is part of one already."""
    match e:
        case Cast(arg=a, type=t):
            yield from _numbers(a, number or (t.width < width <= a.type.width), width)
        case Binary(op=op, left=a, right=b):
            if op not in COMPARISONS and op not in LOGICAL:
                inside = number or op not in _STILL_ADDRESSES
                yield from _numbers(a, inside, width)
                yield from _numbers(b, inside, width)
        case Unary(op=op, arg=a):
            if op != "!":
                yield from _numbers(a, True, width)
        case Ite(then=a, other=b):
            yield from _numbers(a, number, width)
            yield from _numbers(b, number, width)
        case _:
            yield from variables(e) if number and e.type.width >= width else ()
