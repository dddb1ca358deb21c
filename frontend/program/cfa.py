"""Control-flow automata and programs: what the front end gives and every engine reads.

The semantics (all engines, the interpreter and the kernel share it):
a state is the globals plus, for each thread, a location and its locals; one step is one edge of one thread; a thread may
step only if no *other* thread is at an atomic location; a thread of `ThreadTemplate.count` n exists n times.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from heapq import heappop, heappush
from typing import TYPE_CHECKING, TypeVar

from frontend.program.expr import Lvalue
from frontend.program.ops import Op, name_of, op_writes, show_op
from frontend.program.source import NOWHERE, Location
from frontend.records import dataclass

if TYPE_CHECKING:
    import networkx

RETURN = "::<return>"
"""How the register of a function ends that remembers where to return to; only one with one copy for all calls has it."""


def calls_copy(edge: Edge) -> bool:
    """Whether the step calls a function that has one copy for all its callers."""
    return any(name.endswith(RETURN) for name in op_writes(edge.op))


# --------------------------------------------------------------------------------------------------- automata
class AccessKind(enum.Enum):
    """DATA can race. ATOMIC (a C11/GNU atomic access) races with DATA only, and so does LOCK, the use of a lock: to initialise,
    destroy or free one in use is DATA. SYNC (a ghost, a lock that nobody touches otherwise) never races.

    In the race model `machine` DATA is what takes several instructions. INDIVISIBLE takes one, and races as ATOMIC does. UPDATE
    writes back what was read by an instruction before, and races also with other writes, which are lost. POLLED is DATA that
    is read again and again, which a compiler need not do."""

    DATA = "data"
    POLLED = "polled"
    UPDATE = "update"
    INDIVISIBLE = "indivisible"
    ATOMIC = "atomic"
    LOCK = "lock"
    SYNC = "sync"


class MemoryOrder(enum.Enum):
    """C11's orders of atomic accesses and fences; consume is acquire. OPEN: one that the program computes."""

    OPEN = "open"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"

    @property
    def acquires(self) -> bool:
        """Whether a read surely sees what the thread whose store it reads did before, if that store releases."""
        return self in (MemoryOrder.ACQUIRE, MemoryOrder.ACQ_REL, MemoryOrder.SEQ_CST)

    @property
    def releases(self) -> bool:
        """Whether a store surely shows what its thread did before to acquiring reads of it."""
        return self in (MemoryOrder.RELEASE, MemoryOrder.ACQ_REL, MemoryOrder.SEQ_CST)


FENCE = "<fence>"
"""The ghost that a fence of a program with weak orders touches, as an atomic access with the fence's order."""


@dataclass(frozen=True, slots=True)
class Access:
    """One access to a variable that other threads may see, as the user wrote it.

    `lvalue` is evaluated in the state at the edge's source location, so its index reads only what is fixed before the
    step. `whole` means any element of the array may be meant (an access that was over-approximated).
    """

    lvalue: Lvalue
    write: bool
    location: Location = NOWHERE
    text: str = ""
    kind: AccessKind = AccessKind.DATA
    whole: bool = False
    order: MemoryOrder = MemoryOrder.SEQ_CST
    """Of an atomic access."""

    @property
    def variable(self) -> str:
        return name_of(self.lvalue)

    @property
    def is_data(self) -> bool:
        """Whether it is a plain access, as C means it, however many instructions it takes."""
        return self.kind in (AccessKind.DATA, AccessKind.POLLED, AccessKind.UPDATE, AccessKind.INDIVISIBLE)

    @property
    def orders(self) -> bool:
        """Whether the access is synchronisation by itself, and no data."""
        return self.kind in (AccessKind.SYNC, AccessKind.LOCK)


@dataclass(frozen=True, slots=True)
class Doubt:
    """How a step does more than the C program can: a proof covers it, but a run that depends on it may not be real.

    `values`: variables whose values behind the step are open here, but not in the program. `accesses`: the program may not
    make the step's accesses. `step`: the program may not be able to take the step. Inputs are open in the program, too.
    `frame`: behind a call, `values` are those that this activation of the function had before it, saved in what the step
    forgets; other activations have saved theirs elsewhere. `least`: in the program, too, `values` are numbers from this one on.
    """

    reason: str
    values: tuple[str, ...] = ()
    accesses: bool = False
    step: bool = False
    frame: bool = False
    least: int | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """One step. `protected`: it enters, is inside or leaves an atomic section, or is a lock operation. In the race model
    `machine`: its accesses come in the middle of no other thread's, nor others in the middle of them."""

    source: int
    target: int
    op: Op
    accesses: tuple[Access, ...] = ()
    protected: bool = False
    location: Location = NOWHERE
    text: str = ""
    doubts: tuple[Doubt, ...] = ()
    stale: bool = False
    """What the step beside it would do if its atomic loads gave any values: with weak orders they may give old ones."""

    def __str__(self) -> str:
        return f"{self.source} --{show_op(self.op)}--> {self.target}"


class ErrorKind(enum.Enum):
    """LOOP, REQUIRES and ENSURES come from annotations: the claim holds on the branch that does not go there."""

    ASSERT = "assert"
    REACH_ERROR = "reach_error"
    LOOP = "loop invariant"
    REQUIRES = "requires"
    ENSURES = "ensures"


@dataclass(frozen=True, slots=True)
class ErrorLocation:
    """A location that no thread may ever reach, and what the user wrote to say so."""

    kind: ErrorKind
    location: Location
    text: str


K = TypeVar("K")
"""What an analysis knows at a location."""


@dataclass(frozen=True, slots=True)
class Cfa:
    """A control-flow automaton with locations 0 .. size-1; `start` is never atomic."""

    size: int
    start: int
    edges: tuple[Edge, ...]
    atomic: frozenset[int] = frozenset()
    errors: Mapping[int, ErrorLocation] = field(default_factory=dict)
    critical: frozenset[int] = frozenset()
    """Locations inside a `circ_critical` block: at most one thread of the program may be at such a location."""
    places: Mapping[int, Location] = field(default_factory=dict)
    """Where a location stands in the source, for the reader's sake."""

    def leaving(self) -> tuple[tuple[Edge, ...], ...]:
        """For each location its outgoing edges, in the order of `edges`; build it once and keep it."""
        out: list[list[Edge]] = [[] for _ in range(self.size)]
        for edge in self.edges:
            out[edge.source].append(edge)
        return tuple(map(tuple, out))

    def to_networkx(self) -> networkx.MultiDiGraph:
        """The automaton as a graph of networkx, for its algorithms and drawings; a copy, changes do not come back.

        Nodes are the locations, with `start`, `atomic`, `critical`, `error` (an `ErrorLocation` or None) and `place` (a
        `Location` or None). Edges have their position in `edges` as key, and `edge` (the `Edge`), `label` (what it does) and
        `protected`.
        """
        import networkx

        graph = networkx.MultiDiGraph()
        for q in range(self.size):
            graph.add_node(q, start=q == self.start, atomic=q in self.atomic, critical=q in self.critical,
                           error=self.errors.get(q), place=self.places.get(q))
        for n, edge in enumerate(self.edges):
            graph.add_edge(edge.source, edge.target, key=n, edge=edge, label=show_op(edge.op), protected=edge.protected)
        return graph

    def forward(self, first: K, after: Callable[[K, Edge], K], meet: Callable[[K, K], K]) -> list[K | None]:
        """What is known at each location, None where no path leads: `first` at the start, then what holds `after` each edge.

        Where ways come together, it is what they `meet` in.
        """
        out = self.leaving()
        # Locations that lead to others come before them, so that few are looked at twice.
        order = self.order(out)
        turn = {q: number for number, q in enumerate(order)}
        at: list[K | None] = [None] * self.size
        at[self.start] = first
        todo, waiting = [0], {0}
        while todo:
            number = heappop(todo)
            waiting.discard(number)
            q = order[number]
            here = at[q]
            assert here is not None
            for e in out[q]:
                old = at[e.target]
                known = after(here, e)
                new = known if old is None else meet(old, known)
                if new != old:
                    at[e.target] = new
                    if turn[e.target] not in waiting:
                        waiting.add(turn[e.target])
                        heappush(todo, turn[e.target])
        return at

    def order(self, leaving: Sequence[Sequence[Edge]] | None = None) -> list[int]:
        """The locations that paths lead to, each before those that it leads to, as far as there are no loops (reverse postorder).

        `leaving`: what the method of this name gives, if it is at hand.
        """
        out = leaving or self.leaving()
        finished: list[int] = []
        seen = {self.start}
        path = [(self.start, iter(out[self.start]))]
        while path:
            q, rest = path[-1]
            e = next((e for e in rest if e.target not in seen), None)
            if e is None:
                path.pop()
                finished.append(q)
            else:
                seen.add(e.target)
                path.append((e.target, iter(out[e.target])))
        return finished[::-1]

    def behind(self, locations: Iterable[int]) -> frozenset[int]:
        """These locations and all that some path leads to from them."""
        out = self.leaving()
        found = set(locations)
        todo = list(found)
        while todo:
            for e in out[todo.pop()]:
                if e.target not in found:
                    found.add(e.target)
                    todo.append(e.target)
        return frozenset(found)
