"""The constraint graph of the points-to analysis, and its propagation.

An edge from a node to another says that the second points to whatever the first does, after a shift of the target. Loads,
stores and calls through pointers are handlers: they add edges for each target that their pointer is found to have.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from frontend.memory.points_to.targets import INTEGER, UNKNOWN, PointerNode, Shift, Target

MOST_ABSOLUTE = 64
"""So many constant addresses a pointer may have; beyond that it is any number."""


@dataclass(slots=True)
class _Uses:
    """What has to happen when a node learns a new target."""

    copies: list[tuple[PointerNode, Shift | None]] = field(default_factory=list)
    handlers: list[Callable[[Target], None]] = field(default_factory=list)


class ConstraintGraph:
    """Points-to sets, closed under edges and handlers once `run` returns."""

    def __init__(self) -> None:
        self._sets: dict[PointerNode, dict[Target, None]] = {}
        self._uses: dict[PointerNode, _Uses] = {}
        self._work: deque[tuple[PointerNode, Target]] = deque()
        self._plain: set[tuple[PointerNode, PointerNode]] = set()
        self._foreign: set[PointerNode] = set()

    def targets(self, node: PointerNode) -> Iterable[Target]:
        """What the node may point to, as far as it is known by now."""
        return self._sets.get(node, ())

    def all_targets(self) -> Iterable[Iterable[Target]]:
        """The sets of all nodes."""
        return self._sets.values()

    def add(self, node: PointerNode, target: Target) -> None:
        """The node may point to the target."""
        known = self._sets.setdefault(node, {})
        if target[0][0] == "*" and target not in known and sum(t[0][0] == "*" for t in known) >= MOST_ABSOLUTE:
            target = INTEGER  # a number that is counted up would be another address for every value it can have
        if target not in known:
            known[target] = None
            self._work.append((node, target))
        elif target == UNKNOWN:
            self._foreign.discard(node)

    def add_foreign(self, node: PointerNode) -> None:
        """Code that is not here may put a pointer into the node: one that it has got to itself."""
        if UNKNOWN not in self._sets.get(node, {}):
            self.add(node, UNKNOWN)
            self._foreign.add(node)

    def is_foreign(self, node: PointerNode) -> bool:
        """Whether pointers from outside in the node can only be what code that is not here put there itself."""
        return node in self._foreign

    def copy(self, source: PointerNode, into: PointerNode, shift: Shift | None = None) -> None:
        """Whatever the source points to, `into` may point to, shifted."""
        self._uses.setdefault(source, _Uses()).copies.append((into, shift))
        for target in list(self._sets.get(source, ())):
            self.add(into, target if shift is None else shift(target))

    def copy_once(self, source: PointerNode, into: PointerNode, shift: Shift | None = None) -> None:
        """The same for one edge between two nodes: later ones say nothing new."""
        if (source, into) not in self._plain:
            self._plain.add((source, into))
            self.copy(source, into, shift)

    def each(self, source: PointerNode, handler: Callable[[Target], None]) -> None:
        """Call the handler for every target of the node, now and later."""
        self._uses.setdefault(source, _Uses()).handlers.append(handler)
        for target in list(self._sets.get(source, ())):
            handler(target)

    def run(self) -> None:
        """Propagate until nothing changes."""
        while self._work:
            node, target = self._work.popleft()
            uses = self._uses.get(node)
            if uses is None:
                continue
            for into, shift in list(uses.copies):
                self.add(into, target if shift is None else shift(target))
            for handler in list(uses.handlers):
                handler(target)
