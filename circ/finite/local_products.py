"""Cartesian products of sets of local stores, one set for each thread, packed into one integer.

Thread t's local stores are numbered from 0; store n of thread t is bit `t * width + n`. A product is empty as soon as one
of its sets is. Set operations on all threads at once are operations on integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from frontend.records import dataclass

Packed: TypeAlias = int


@dataclass(frozen=True, slots=True)
class ProductLayout:
    """How many threads, and how many bits each has."""

    threads: int
    width: int

    def pack(self, sets: Sequence[int]) -> Packed:
        packed = 0
        for t, s in enumerate(sets):
            packed |= s << (t * self.width)
        return packed

    def part(self, packed: Packed, thread: int) -> int:
        return (packed >> (thread * self.width)) & ((1 << self.width) - 1)

    def mask(self, thread: int) -> Packed:
        return ((1 << self.width) - 1) << (thread * self.width)

    def only(self, packed: Packed) -> int | None:
        """The one thread whose set is not empty; None if there is none, or more than one."""
        if packed == 0:
            return None
        thread = ((packed & -packed).bit_length() - 1) // self.width
        return thread if packed.bit_length() <= (thread + 1) * self.width else None

    def replaced(self, packed: Packed, thread: int, new: int) -> Packed:
        return (packed & ~self.mask(thread)) | (new << (thread * self.width))

    def minus(self, packed: Packed, exceptions: Iterable[Packed]) -> Packed:
        """The smallest product that contains `packed` without the exceptions; 0 if nothing is left.

        An exception leaves a product only if at most one of its sets sticks out: then that set loses what is inside
        (Proposition 8 of the paper; for a maximised antichain this is the best abstraction, for others a larger one).
        """
        products = list(exceptions)
        changed = True
        while changed:
            changed = False
            for e in products:
                outside = packed & ~e
                if outside == 0:
                    return 0
                thread = self.only(outside)
                if thread is not None and packed & self.mask(thread) != outside:
                    packed = (packed & ~self.mask(thread)) | outside
                    changed = True
        return packed
