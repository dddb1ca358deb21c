"""Memory copied to memory: constraints for struct assignment and for `memcpy`.

What is copied passes through nodes of its own between the sources and the targets, so that a copy from m objects to n takes
m + n edges for each leaf, not m * n.
"""

from __future__ import annotations

from frontend.memory.points_to.memory_constraints import MemoryConstraints, made_of_bytes
from frontend.memory.points_to.targets import ANY, NO_OBJECT, UNKNOWN, PointerNode, Target, leaf

_Count = int | None
"""How many leaves there are to be copied one by one; None if that is not known."""


class StructCopy:
    """A value of `size` bytes is copied: leaf by leaf where source and target have as many, else each leaf to all."""

    def __init__(self, memory: MemoryConstraints, into: PointerNode, source: PointerNode, size: int) -> None:
        """`into` and `source` point to the target and the source."""
        self._memory = memory
        self._graph = memory.graph
        self._size = size
        self._key = ("copy", into, source, size)
        self._counts: dict[_Count, None] = {}
        """Of the sources."""
        self._targets: list[tuple[Target, list[PointerNode] | None]] = []
        self._graph.each(into, self._to)
        self._graph.each(source, self._from)

    def _from(self, origin: Target) -> None:
        if origin == UNKNOWN:
            self._graph.add(self._between("unknown"), UNKNOWN)
        leaves = self._leaves_in(origin)
        count = None if leaves is None else len(leaves)
        for number, node in enumerate(leaves or ()):
            self._graph.copy(node, self._between(count, number))
        for node in self._memory.stored_at(origin, self._size):
            self._graph.copy(node, self._between(count))
        if count not in self._counts:
            self._counts[count] = None
            for target, there in self._targets:
                self._link(count, target, there)

    def _to(self, target: Target) -> None:
        if target == UNKNOWN:
            self._memory.facts.wild = True
        for node in self._memory.room_at(target, self._size):
            self._graph.copy(self._between("unknown"), node)
        there = self._leaves_in(target)
        self._targets.append((target, there))
        for count in self._counts:
            self._link(count, target, there)

    def _link(self, count: _Count, target: Target, there: list[PointerNode] | None) -> None:
        """What comes from sources of so many leaves goes to a target."""
        if there is not None and len(there) == count:
            for number, node in enumerate(there):
                self._graph.copy(self._between(count, number), node)
        else:
            for node in self._memory.room_at(target, self._size):
                self._graph.copy(self._between(count), node)

    def _between(self, *what: int | str | None) -> PointerNode:
        return self._graph.inner((self._key, what))

    def _leaves_in(self, target: Target) -> list[PointerNode] | None:
        """The leaves in the bytes from a target, in order; None if that is not known."""
        name, offset = target
        if name[0] in NO_OBJECT or offset == ANY:
            return None
        leaves = self._memory.objects.named(name).leaves
        return [leaf(name, n) for n, part in enumerate(leaves) if offset <= part.offset < offset + self._size]


class ByteCopy:
    """Any number of bytes is copied: from any leaf to any leaf. Bytes of unions may make up any address in a pointer."""

    def __init__(self, memory: MemoryConstraints, into: PointerNode, source: PointerNode) -> None:
        self._memory = memory
        self._graph = memory.graph
        self._between = self._graph.inner(("bytes", into, source))
        self._raw = self._graph.inner(("raw bytes", into, source))
        """What was in the bytes of unions."""
        self._targets: list[Target] = []
        self._sources = False
        self._unknown = False
        self._from_bytes = False
        self._graph.each(into, self._to)
        self._graph.each(source, self._from)

    def _from(self, origin: Target) -> None:
        there = self._memory.flows.anywhere(origin)
        for node in self._memory.stored_at(there):
            self._graph.copy(node, self._between)
        bytewise = self._memory.bytewise_cells(there, 0)
        for cell in sorted(bytewise):
            self._graph.copy(cell, self._raw)
        news = not self._sources or (origin == UNKNOWN and not self._unknown) or (bool(bytewise) and not self._from_bytes)
        self._unknown |= origin == UNKNOWN
        self._from_bytes |= bool(bytewise)
        if news:
            self._sources = True
            for target in self._targets:
                self._written(target)

    def _to(self, target: Target) -> None:
        for node in self._memory.room_at(self._memory.flows.anywhere(target)):
            self._graph.copy(self._between, node)
        self._targets.append(target)
        if self._sources:
            self._written(target)

    def _written(self, target: Target) -> None:
        if target == UNKNOWN:
            self._memory.facts.wild = True
        there = self._memory.flows.anywhere(target)
        if self._unknown:
            self._memory.scramble(there, 0, UNKNOWN)
        if self._from_bytes:
            for cell, wide in self._memory.typed_cells(there, 0):
                if wide:
                    self._graph.copy(self._raw, cell, made_of_bytes)
