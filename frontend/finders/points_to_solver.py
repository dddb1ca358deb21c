"""Solves the constraint graph of the points-to analysis by propagation. Not trusted: see `ClosedGraph`.

An edge from a node to another says that the second points to whatever the first does, after a shift of the target. Loads,
stores and calls through pointers are handlers: they add edges for each target that their pointer is found to have.

Sets are bit masks over the targets, numbered as they are met. Only what is new at a node is passed on (difference
propagation), to nodes in the order of the edges as far as there is one; nodes on a cycle of plain edges, which all point to
the same, become one node as the graph grows (Pereira and Berlin, Wave Propagation and Deep Propagation for Pointer Analysis,
CGO 2009).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from heapq import heapify, heappop, heappush

from frontend.memory.points_to import COMPUTED, INTEGER, UNKNOWN, PointerNode, PointerSets, Shift, Target
from frontend.program.components import components

MOST_ABSOLUTE, MOST_HOSTED = 64, 8
"""So many constant addresses a pointer may have on a bare processor, where they are registers, and in a program that runs on a
system, where they are numbers most of the time; beyond that it is any one."""
_FEW_EDGES = 2_000
"""So many new edges are not worth to look for cycles."""
_UNKNOWN, _INTEGER, _COMPUTED = 1, 2, 4
"""The sets of these targets alone."""


def solver(bare: bool) -> ConstraintGraph:
    """A solver for a program on a bare processor, or one that runs on a system."""
    return ConstraintGraph(MOST_ABSOLUTE if bare else MOST_HOSTED)


class _Handler:
    """Something to be called once for each target of a node; `seen`: for which that was done."""

    __slots__ = ("call", "seen")

    def __init__(self, call: Callable[[Target], None]) -> None:
        self.call = call
        self.seen = 0


class _Node:
    """A node with its set. `told`: the part of the set that edges have passed on; `waiting`: it is among the work."""

    __slots__ = ("copies", "handlers", "number", "points", "rank", "shifted", "told", "waiting")

    def __init__(self, number: int) -> None:
        self.number = number
        self.points = 0
        self.told = 0
        self.rank = 0
        self.waiting = False
        self.copies: dict[int, None] = {}
        self.shifted: dict[tuple[int, Shift], None] = {}
        self.handlers: list[_Handler] = []


class ConstraintGraph:
    """Points-to sets, closed under edges and handlers once `run` returns."""

    def __init__(self, most_absolute: int = MOST_ABSOLUTE) -> None:
        """`most_absolute`: so many constant addresses a node may point to; beyond that it is any one."""
        self._most_absolute = most_absolute
        self._numbers: dict[PointerNode, int] = {}
        self._nodes: list[_Node] = []
        """By number; nodes that became one stand for all of their numbers."""
        self._inner: dict[Hashable, PointerNode] = {}
        self._targets: list[Target] = []
        self._bits: dict[Target, int] = {}
        self._absolute = 0
        self._memo: dict[Shift, tuple[dict[int, int], dict[int, int]]] = {}
        """The sets after a shift: of single targets by their numbers, and of whole sets."""
        self._work: list[tuple[int, int]] = []
        self._edges = self._known_edges = 0
        assert [self._bit(t) for t in (UNKNOWN, INTEGER, COMPUTED)] == [_UNKNOWN, _INTEGER, _COMPUTED]

    def targets(self, node: PointerNode) -> Iterable[Target]:
        """What the node may point to, as far as it is known by now, in the order in which targets were met."""
        number = self._numbers.get(node)
        return () if number is None else self._listed(self._nodes[number].points)

    def solution(self) -> PointerSets:
        """The sets by now."""
        return PointerSets(tuple(self._targets), {node: self._nodes[n].points for node, n in self._numbers.items()}, self._inner)

    # ------------------------------------------------------------------------------------------- constraints
    def inner(self, key: Hashable) -> PointerNode:
        """A node that is nothing of the program, but stands between others; the same one for the same key."""
        if key not in self._inner:
            self._inner[key] = ("i", "", str(len(self._inner)))
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
        self._include(self._node(node), self._bit(target))

    def add_foreign(self, node: PointerNode) -> None:
        """Code that is not here may put a pointer into the node."""
        self._include(self._node(node), _UNKNOWN)

    def copy(self, source: PointerNode, into: PointerNode, shift: Shift | None = None) -> None:
        """Whatever the source points to, `into` may point to, shifted."""
        a, b = self._node(source), self._node(into)
        if shift is None:
            if a is not b and b.number not in a.copies:
                a.copies[b.number] = None
                self._edges += 1
                self._include(b, a.points)
        elif (b.number, shift) not in a.shifted:
            a.shifted[b.number, shift] = None
            self._include(b, self._moved(a.points, shift))

    def each(self, source: PointerNode, handler: Callable[[Target], None]) -> None:
        """Call the handler once for every target of the node, now and later."""
        node, use = self._node(source), _Handler(handler)
        node.handlers.append(use)
        self._tell(node, use)

    def run(self) -> None:
        """Propagate until nothing changes."""
        while self._work:
            if self._edges - self._known_edges > max(_FEW_EDGES, self._known_edges // 4):
                self._merge_cycles()
                continue
            node = self._nodes[heappop(self._work)[1]]
            if not node.waiting:
                continue
            new, node.told, node.waiting = node.points & ~node.told, node.points, False
            for into in node.copies:
                self._include(self._nodes[into], new)
            for into, shift in list(node.shifted):
                self._include(self._nodes[into], self._moved(new, shift))
            for handler in list(node.handlers):
                self._tell(node, handler)

    # ------------------------------------------------------------------------------------------- propagation
    def _node(self, node: PointerNode) -> _Node:
        number = self._numbers.get(node)
        if number is not None:
            return self._nodes[number]
        number = self._numbers[node] = len(self._nodes)
        self._nodes.append(_Node(number))
        return self._nodes[number]

    def _bit(self, target: Target) -> int:
        """The set of the target alone."""
        known = self._bits.get(target)
        if known is None:
            known = self._bits[target] = 1 << len(self._targets)
            self._targets.append(target)
            if target[0][0] == "*" and target != COMPUTED:
                self._absolute |= known
        return known

    def _listed(self, points: int) -> list[Target]:
        targets = self._targets
        return [targets[n] for n in _numbers(points)]

    def _include(self, node: _Node, points: int) -> None:
        """The node may point to all of these."""
        new = points & ~node.points
        if not new:
            return
        if new & self._absolute:
            new = self._bounded(node, new)
        node.points |= new
        if not node.waiting:
            node.waiting = True
            heappush(self._work, (node.rank, node.number))

    def _bounded(self, node: _Node, new: int) -> int:
        """What is new at the node, constant addresses only as long as there are not too many.

        A number that is counted up would be another address for every value it can have.
        """
        room = max(self._most_absolute - (node.points & self._absolute).bit_count(), 0)
        addresses = new & self._absolute
        if addresses.bit_count() <= room:
            return new
        kept = sum(1 << n for n in _numbers(addresses)[:room])
        return (new ^ addresses | kept | _COMPUTED) & ~node.points

    def _moved(self, points: int, shift: Shift) -> int:
        """The set of the targets after a shift."""
        single, whole = self._memo.setdefault(shift, ({}, {}))
        known = whole.get(points)
        if known is None:
            known = 0
            for n in _numbers(points):
                one = single.get(n)
                if one is None:
                    one = single[n] = self._bit(shift(self._targets[n]))
                known |= one
            whole[points] = known
        return known

    def _tell(self, node: _Node, handler: _Handler) -> None:
        new = node.points & ~handler.seen
        if new:
            handler.seen |= new
            for target in self._listed(new):
                handler.call(target)

    # ------------------------------------------------------------------------------------------- cycles
    def _merge_cycles(self) -> None:
        """Makes one node of those on a cycle of plain edges, and ranks all in the order of the edges between them."""
        nodes = self._nodes
        graph = {n: [nodes[into].number for into in node.copies] for n, node in enumerate(nodes) if node.number == n}
        order = components(graph, len(nodes))
        for rank, component in enumerate(reversed(order)):
            first = nodes[component[0]]
            if first.number == component[0]:
                first.rank = rank
                for n in component[1:]:
                    self._merge(nodes[n], first)
        chosen = [node.number for node in nodes]
        self._edges = 0
        for n, node in enumerate(nodes):
            nodes[n] = nodes[chosen[n]]
            if nodes[n] is node:
                node.copies = dict.fromkeys(c for into in node.copies if (c := chosen[into]) != n)
                node.shifted = dict.fromkeys((chosen[into], shift) for into, shift in node.shifted)
                self._edges += len(node.copies)
        self._known_edges = self._edges
        self._work = [(node.rank, node.number) for n, node in enumerate(nodes) if node.number == n and node.waiting]
        heapify(self._work)

    def _merge(self, node: _Node, into: _Node) -> None:
        """The two are on a cycle: what either points to, both do. `node` is left with the other's number."""
        into.points |= node.points
        into.told &= node.told
        into.copies.update(node.copies)
        into.shifted.update(node.shifted)
        into.handlers += node.handlers
        into.waiting = True
        node.number = into.number


def _numbers(points: int) -> list[int]:
    """The numbers of the bits that are set, in order."""
    if points.bit_count() == 1:
        return [points.bit_length() - 1]
    # Taking off one bit after the other copies a wide mask each time; its digits are looked through once.
    digits = bin(points)[:1:-1]
    found: list[int] = []
    n = digits.find("1")
    while n >= 0:
        found.append(n)
        n = digits.find("1", n + 1)
    return found
