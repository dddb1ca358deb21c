"""The automaton of one thread while it is being built: steps that still carry marks of atomic and critical sections."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import field

from frontend.ctypes import CType
from frontend.ir import IrEdge, Place
from frontend.memory.places import Cell
from frontend.memory.points_to import Targets
from frontend.program import NOWHERE, Access, Doubt, ErrorLocation, Expr, Location, Op, Var, show_op
from frontend.records import dataclass

DEEP = -2
"""The extent of a function about which nothing is known: everything that a pointer leads to, however indirectly."""


class SectionMark(enum.Enum):
    """What a step does to the nesting of sections besides its operation (which is SKIP then)."""

    ATOMIC_BEGIN = "atomic begin"
    ATOMIC_END = "atomic end"
    CRITICAL_BEGIN = "critical begin"
    CRITICAL_END = "critical end"


@dataclass(frozen=True, slots=True)
class Pending:
    """An access through a pointer that is not resolved yet: a load into `register`, or a store of `value` (None: any).

    With `extent` it is what a library function does to the memory there: `extent` bytes, or all of the array (0), or all
    of the object (-1) are read or changed in an unknown way.
    """

    place: Place
    targets: Targets
    register: Var | None
    value: Expr | None
    write: bool
    edge: IrEdge
    extent: int | None = None
    fill: int | None = None
    """The byte that all of the memory is set to."""
    sure: bool = False
    """Everything within the extent is touched, rather than some of it."""
    input: bool = False
    """What is written comes from outside, rather than from a computation that is not followed."""
    pointee: int = 1
    """The size of what the pointer is declared to point to."""
    ends: bool = False
    """The memory is freed: an access like a write, after which nobody may look at it."""


@dataclass(frozen=True, slots=True)
class RegisterAccess:
    """A pending access that goes to hardware at a computed address: `size` bytes there, None if nobody knows how many."""

    address: Expr
    size: int | None
    pending: Pending


@dataclass(frozen=True, slots=True)
class LockOperation:
    """An operation on the lock word that a pointer leads to: `ways` gives, for the word, the alternatives to step through.

    `type` is what the library says the pointer points to. `sets_up`: the lock is initialised or destroyed, while nobody may use
    it. `plain`: the state is neither looked at nor changed. `doubts`: about the use.
    """

    pointer: Expr
    targets: Targets
    type: CType
    ways: Callable[[Cell, Var | None], list[list[Op]]]
    result: Var | None
    edge: IrEdge
    sets_up: bool = False
    plain: bool = False
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class SketchStep:
    """An edge in the making. `pending`, `lock` and `join` (a thread's handle) are resolved when the thread is inlined.

    `total`: one of the steps from this source always passes unless behaviour is undefined, so their guards never block.
    """

    source: int
    target: int
    op: Op
    accesses: tuple[Access, ...] = ()
    location: Location = NOWHERE
    text: str = ""
    protected: bool = False
    mark: SectionMark | None = None
    total: bool = False
    pending: Pending | None = None
    lock: LockOperation | None = None
    join: Expr | None = None
    joined: tuple[str, ...] = ()
    """Functions of which every thread has ended behind this step."""
    doubts: tuple[Doubt, ...] = ()
    sets_up: bool = False
    """It initialises or destroys a lock; see `frontend.link.lock_lifetimes`."""
    register: RegisterAccess | None = None
    """It accesses hardware, and is resolved when all threads are inlined."""
    not_joined: Expr | None = None
    """The way on where a join fails instead of waiting for the thread with this handle."""

    def between(self, source: int, target: int) -> SketchStep:
        """The same step elsewhere."""
        return SketchStep(source, target, self.op, self.accesses, self.location, self.text, self.protected, self.mark, self.total,
                    self.pending, self.lock, self.join, self.joined, self.doubts, self.sets_up, self.register, self.not_joined)

    def doing(self, op: Op, accesses: tuple[Access, ...]) -> SketchStep:
        """The same step with another operation and its accesses."""
        return SketchStep(self.source, self.target, op, accesses, self.location, self.text, self.protected, self.mark, self.total,
                    self.pending, self.lock, self.join, self.joined, self.doubts, self.sets_up, self.register, self.not_joined)

    def __str__(self) -> str:
        return f"{self.source} --{self.mark.value if self.mark else show_op(self.op)}--> {self.target}"


@dataclass(slots=True)
class Sketch:
    """Locations 0 .. size-1 and steps; mutable until it becomes a `Cfa`."""

    size: int = 1
    start: int = 0
    steps: list[SketchStep] = field(default_factory=list)
    errors: dict[int, ErrorLocation] = field(default_factory=dict)
    atomic: set[int] = field(default_factory=set)
    critical: set[int] = field(default_factory=set)

    def fresh(self) -> int:
        self.size += 1
        return self.size - 1

    def accesses(self) -> list[tuple[Access, ...]]:
        """What steps access; a list that several steps share stands there once."""
        return list({id(s.accesses): s.accesses for s in self.steps}.values())

    def leaving(self) -> dict[int, list[SketchStep]]:
        """Steps by source, in their order."""
        out: dict[int, list[SketchStep]] = defaultdict(list)
        for step in self.steps:
            out[step.source].append(step)
        return out

    def entering(self) -> dict[int, list[SketchStep]]:
        """Steps by target, in their order."""
        into: dict[int, list[SketchStep]] = defaultdict(list)
        for step in self.steps:
            into[step.target].append(step)
        return into

    def reachable(self) -> list[int]:
        """Locations that paths from the start reach, depth first along the order of the steps: the reading order."""
        out = self.leaving()
        order: list[int] = []
        seen: set[int] = set()
        stack = [self.start]
        while stack:
            here = stack.pop()
            if here in seen:
                continue
            seen.add(here)
            order.append(here)
            stack.extend([step.target for step in reversed(out[here]) if step.target not in seen])
        return order

    def order(self) -> list[int]:
        """Locations that paths from the start reach, each before those that it leads to, as far as there are no loops."""
        out = self.leaving()
        found: list[int] = []
        seen = {self.start}
        stack = [(self.start, iter(out[self.start]))]
        while stack:
            here, steps = stack[-1]
            for step in steps:
                if step.target not in seen:
                    seen.add(step.target)
                    stack.append((step.target, iter(out[step.target])))
                    break
            else:
                stack.pop()
                found.append(here)
        found.reverse()
        return found

    def prune(self) -> None:
        """Drop what no path from the start reaches."""
        alive = set(self.reachable())
        self.steps = [s for s in self.steps if s.source in alive]
        self.errors = {q: e for q, e in self.errors.items() if q in alive}
        self.atomic &= alive
        self.critical &= alive


def sweeps(waiting: bytearray) -> Iterator[int]:
    """The numbers that are marked, each unmarked as its turn comes, in sweeps from the lowest to the highest until none is left.

    For analyses along the order of locations. What a step changes is marked; where loops lie inside each other this takes about a
    sweep for each level, while always going on with the lowest one would run twice through a loop for each run through the next.
    """
    here = waiting.find(1)
    while here >= 0:
        waiting[here] = 0
        yield here
        here = waiting.find(1, here + 1)
        if here < 0:
            here = waiting.find(1)
