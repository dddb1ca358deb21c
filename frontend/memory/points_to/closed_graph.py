"""The constraint graph of the points-to analysis: sets that are tested against every constraint of the program.

An edge from a node to another says that the second points to whatever the first does, after a shift of the target. Loads,
stores and calls through pointers are handlers: they add edges for each target that their pointer has. Whoever solves such a
graph (`frontend.finders.points_to_solver`) is not trusted. Its sets are taken as they are, all constraints of the program
are made once more, and each is tested as it is made: it speaks of whole sets, so that no fixpoint is needed. Sets that
satisfy every constraint hold every target that a pointer can have, by induction on the steps of a run. Where one does not
hold, the sets grow by what is missing, and another pass follows, so that wrong sets, or none, cost time and nothing else.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import field
from typing import Protocol

from frontend.memory.points_to.targets import COMPUTED, UNKNOWN, PointerNode, Shift, Target
from frontend.records import dataclass

_MOST_ABSOLUTE = 64
"""So many constant addresses a node may get here: a number that is counted up would be another one for every value."""


@dataclass(frozen=True, slots=True)
class PointerSets:
    """What nodes point to: bit n of a set stands for `targets[n]`.

    `inner`: nodes that are nothing of the program, by their keys.
    """

    targets: tuple[Target, ...] = ()
    sets: Mapping[PointerNode, int] = field(default_factory=dict)
    inner: Mapping[Hashable, PointerNode] = field(default_factory=dict)


NO_SETS = PointerSets()


class Graph(Protocol):
    """Where the constraints of a program are put."""

    def inner(self, key: Hashable) -> PointerNode:
        """A node that is nothing of the program, but stands between others; the same one for the same key."""

    def shifted(self, node: PointerNode, shift: Shift | None) -> PointerNode:
        """A node for what another one points to, shifted."""

    def add(self, node: PointerNode, target: Target) -> None:
        """The node may point to the target."""

    def add_foreign(self, node: PointerNode) -> None:
        """Code that is not here may put a pointer into the node: one that it has got to itself."""

    def copy(self, source: PointerNode, into: PointerNode, shift: Shift | None = None) -> None:
        """Whatever the source points to, `into` may point to, shifted."""

    def each(self, source: PointerNode, handler: Callable[[Target], None]) -> None:
        """Call the handler once for every target of the node, now and later."""

    def run(self) -> None:
        """Go on until nothing changes."""

    def solution(self) -> PointerSets:
        """The sets by then."""


class ClosedGraph:
    """Sets that are given; `closed` says, after `run`, whether every constraint holds of them."""

    def __init__(self, given: PointerSets = NO_SETS) -> None:
        self.closed = True
        self._given = given
        self._targets = list(given.targets)
        self._bits = {target: 1 << n for n, target in enumerate(given.targets)}
        self._absolute = 0
        for target, bit in self._bits.items():
            self._absolute |= bit if _is_absolute(target) else 0
        self._computed, self._unknown = self._bit(COMPUTED), self._bit(UNKNOWN)
        self._sets = dict(given.sets)
        self._inner = dict(given.inner)
        self._foreign: set[PointerNode] = set()
        self._native: set[PointerNode] = set()
        """Nodes into which code that is not here puts pointers, and those into which pointers from outside come otherwise."""
        self._lists: dict[int, list[Target]] = {}
        self._moved: dict[tuple[Shift, int], int] = {}
        self._work: deque[tuple[PointerNode, Callable[[Target], None]]] = deque()

    # ------------------------------------------------------------------------------------------- questions
    def targets(self, node: PointerNode) -> list[Target]:
        """What the node may point to."""
        return self._listed(self._sets.get(node, 0))

    def all_targets(self) -> Iterable[Iterable[Target]]:
        """The sets of all nodes of the program, equal ones once."""
        return [self._listed(points) for points in dict.fromkeys(p for node, p in self._sets.items() if node[0] != "i")]

    def in_any(self, nodes: Iterable[tuple[PointerNode, bool]]) -> list[Target]:
        """What one of the nodes may point to; with True without pointers from outside."""
        points = 0
        for node, without in nodes:
            here = self._sets.get(node, 0)
            points |= here & ~self._unknown if without else here
        return self._listed(points)

    def is_foreign(self, node: PointerNode) -> bool:
        """Whether pointers from outside in the node can only be what code that is not here put there itself."""
        return node in self._foreign and node not in self._native

    # ------------------------------------------------------------------------------------------- constraints
    def inner(self, key: Hashable) -> PointerNode:
        """A node that is nothing of the program; two keys may have one node, to which the constraints of both apply."""
        if key not in self._inner:
            self._inner[key] = ("i", "", f"+{len(self._inner)}")
        return self._inner[key]

    def shifted(self, node: PointerNode, shift: Shift | None) -> PointerNode:
        """A node for what another one points to, shifted."""
        if shift is None:
            return node
        into = self.inner((node, shift))
        self.copy(node, into, shift)
        return into

    def add(self, node: PointerNode, target: Target) -> None:
        """The node may point to the target."""
        self._include(node, self._bit(target))

    def add_foreign(self, node: PointerNode) -> None:
        """Code that is not here may put a pointer into the node: one that it has got to itself."""
        self._foreign.add(node)
        self._grow(node, self._unknown)

    def copy(self, source: PointerNode, into: PointerNode, shift: Shift | None = None) -> None:
        """Whatever the source points to, `into` may point to, shifted."""
        points = self._sets.get(source, 0)
        if points:
            self._include(into, points if shift is None else self._shift(points, shift))

    def each(self, source: PointerNode, handler: Callable[[Target], None]) -> None:
        """The handler is to be called for every target of the node."""
        self._work.append((source, handler))

    def run(self) -> None:
        """Calls every handler, and those that handlers add."""
        while self._work:
            source, handler = self._work.popleft()
            for target in self._listed(self._sets.get(source, 0)):
                handler(target)

    def solution(self) -> PointerSets:
        """The sets with what was missing."""
        return PointerSets(tuple(self._targets), self._sets, self._inner)

    def _include(self, node: PointerNode, points: int) -> None:
        """The node must point to all of these."""
        if points & self._unknown:
            self._native.add(node)
        self._grow(node, points)

    def _grow(self, node: PointerNode, points: int) -> None:
        """What is missing at the node is added; many constant addresses are any one that is computed."""
        here = self._sets.get(node, 0)
        missing = points & ~here
        if not missing:
            return
        addresses = (here | missing) & self._absolute
        if missing & addresses and (here & self._computed or addresses.bit_count() > _MOST_ABSOLUTE):
            missing = (missing & ~self._absolute | self._computed) & ~here
        if missing:
            self.closed = False
            self._sets[node] = here | missing

    def _bit(self, target: Target) -> int:
        """The set of the target alone."""
        if target not in self._bits:
            self._bits[target] = 1 << len(self._targets)
            self._targets.append(target)
            if _is_absolute(target):
                self._absolute |= self._bits[target]
        return self._bits[target]

    def _listed(self, points: int) -> list[Target]:
        found = self._lists.get(points)
        if found is None:
            digits = bin(points)[:1:-1]
            found = self._lists[points] = [self._targets[n] for n, digit in enumerate(digits) if digit == "1"]
        return found

    def _shift(self, points: int, shift: Shift) -> int:
        """The set of the targets after a shift."""
        found = self._moved.get((shift, points))
        if found is None:
            found = 0
            for target in self._listed(points):
                found |= self._bit(shift(target))
            self._moved[shift, points] = found
        return found


def _is_absolute(target: Target) -> bool:
    return target[0][0] == "*" and target != COMPUTED
