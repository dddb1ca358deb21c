"""A thread's automaton cut into pieces without cycles, at loops that have an invariant.

The head of such a loop (its branch to an error location says what is claimed) has two nodes. *check*: everything that arrives
there; the branch to the error must not be possible. *hold*: what goes on from there, of which the claim is known, and what
the loop leaves alone. A run of the thread follows the arcs, so what is true of all nodes' states, each reached from its
predecessors' by one arc, is true of the thread. A hold node is entered by the arcs that enter the loop, and forgets the globals
and the locals that the loop writes: the *natural loop*, what reaches a back edge without passing the head, where a back edge
comes from what the head dominates. A run that comes back to the head by a back edge has been in the natural loop since it
last entered it from outside, so all that it may have changed is forgotten.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from frontend.cfa import Cfa, ErrorKind, op_writes


class Role(enum.Enum):
    PLAIN = "plain"
    CHECK = "check"
    HOLD = "hold"


@dataclass(frozen=True, slots=True)
class Arc:
    """From a node by an edge of the automaton to a node. `forget`: globals, and these locals, are arbitrary then."""

    source: int
    target: int
    edge: int
    forget: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A location, in one of its roles; `iteration` tells apart the copies that unrolling makes."""

    location: int
    role: Role = Role.PLAIN
    iteration: int = 0


@dataclass(frozen=True, slots=True)
class Flow:
    """`nodes` in an order that arcs follow; `start` is where the thread starts, `free` nodes hold in arbitrary states.

    `failures`: (node, edge) pairs that lead to an error location and must be impossible. `open`: locations on cycles that
    nothing cuts; if there are any, the flow does not cover the thread.
    """

    nodes: tuple[Node, ...]
    arcs: tuple[Arc, ...]
    start: int
    free: frozenset[int]
    failures: tuple[tuple[int, int], ...]
    open: frozenset[int] = frozenset()

    def entering(self) -> list[list[Arc]]:
        into: list[list[Arc]] = [[] for _ in self.nodes]
        for arc in self.arcs:
            into[arc.target].append(arc)
        return into


class Shape:
    """What is known of an automaton as a graph: what is reached, dominators, and the loops that have invariants."""

    def __init__(self, cfa: Cfa) -> None:
        self.cfa = cfa
        self.out: list[list[int]] = [[] for _ in range(cfa.size)]
        for i, e in enumerate(cfa.edges):
            self.out[e.source].append(i)
        self.order = self._reading_order()
        self._reached = frozenset(self.order)
        self._into: dict[int, list[int]] = {q: [] for q in self.order}
        for e in cfa.edges:
            if e.source in self._reached:
                self._into[e.target].append(e.source)
        self._dominators = self.dominators()
        self.loops = {q: written for q in sorted(self.order) if self._claims(q) and (written := self._loop(q)) is not None}

    def _reading_order(self) -> list[int]:
        """The locations that are reached, each before those that only it leads to (reverse postorder)."""
        order, seen, stack = [], {self.cfa.start}, [(self.cfa.start, 0)]
        while stack:
            q, at = stack.pop()
            if at == len(self.out[q]):
                order.append(q)
                continue
            stack.append((q, at + 1))
            target = self.cfa.edges[self.out[q][at]].target
            if target not in seen:
                seen.add(target)
                stack.append((target, 0))
        return order[::-1]

    def dominators(self) -> Mapping[int, int]:
        """For each location but the start the closest one that every path from the start to it passes."""
        rank = {q: n for n, q in enumerate(self.order)}
        closest = {self.cfa.start: self.cfa.start}
        changed = True
        while changed:
            changed = False
            for q in self.order[1:]:
                known = [p for p in self._into[q] if p in closest]
                new = known[0]
                for p in known[1:]:
                    while p != new:
                        if rank[p] > rank[new]:
                            p = closest[p]
                        else:
                            new = closest[new]
                if closest.get(q) != new:
                    closest[q], changed = new, True
        return closest

    def is_back(self, source: int, head: int) -> bool:
        """Whether every path from the start to `source` passes `head`."""
        while source not in (head, self.cfa.start):
            source = self._dominators[source]
        return source == head

    def _claims(self, q: int) -> bool:
        """Whether the location has the two edges of a loop invariant: one to an error location, one that goes on."""
        errors = [self.cfa.errors.get(self.cfa.edges[i].target) for i in self.out[q]]
        return len(errors) == 2 and [e.kind for e in errors if e is not None] == [ErrorKind.LOOP]

    def _loop(self, head: int) -> frozenset[str] | None:
        """What the natural loop of a head writes; None if it is no head of a loop."""
        body = {p for p in self._into[head] if self.is_back(p, head)}
        if not body:
            return None
        work = sorted(body - {head})
        while work:
            for p in self._into[work.pop()]:
                if p not in body and p != head:
                    body.add(p)
                    work.append(p)
        body.add(head)
        return frozenset(n for q in body for i in self.out[q] for n in op_writes(self.cfa.edges[i].op))


def flow(cfa: Cfa) -> Flow:
    """The pieces of an automaton."""
    shape = Shape(cfa)
    keys: list[tuple[int, Role]] = []
    for q in shape.order:
        if q not in cfa.errors:
            keys += [(q, Role.CHECK), (q, Role.HOLD)] if q in shape.loops else [(q, Role.PLAIN)]
    arcs: list[tuple[tuple[int, Role], tuple[int, Role], int, frozenset[str] | None]] = []
    failures: list[tuple[tuple[int, Role], int]] = []
    for q, role in keys:
        for i in shape.out[q]:
            target = cfa.edges[i].target
            if target in cfa.errors:
                if role is not Role.HOLD:
                    failures.append(((q, role), i))
            elif role is Role.CHECK:
                continue
            elif target not in shape.loops:
                arcs.append(((q, role), (target, Role.PLAIN), i, None))
            else:
                arcs.append(((q, role), (target, Role.CHECK), i, None))
                if not shape.is_back(q, target):
                    arcs.append(((q, role), (target, Role.HOLD), i, shape.loops[target]))
    order, rest = _sorted(keys, arcs)
    number = {k: n for n, k in enumerate(order)}
    first = (cfa.start, Role.CHECK if cfa.start in shape.loops else Role.PLAIN)
    free = frozenset({number[cfa.start, Role.HOLD]}) if cfa.start in shape.loops and (cfa.start,
                                                                                      Role.HOLD) in number else frozenset()
    return Flow(tuple(Node(q, role) for q, role in order),
                tuple(Arc(number[s], number[t], i, f) for s, t, i, f in arcs if s in number and t in number),
                number.get(first, 0), free, tuple((number[k], i) for k, i in failures if k in number), frozenset(rest))


def _sorted(
    keys: list[tuple[int, Role]], arcs: list[tuple[tuple[int, Role], tuple[int, Role], int, frozenset[str] | None]],
) -> tuple[list[tuple[int, Role]], set[int]]:
    """The nodes in an order that arcs follow, and the locations that have no place in it because of a cycle."""
    out: dict[tuple[int, Role], list[tuple[int, Role]]] = {k: [] for k in keys}
    missing = dict.fromkeys(keys, 0)
    for source, target, _, _ in arcs:
        out[source].append(target)
        missing[target] += 1
    ready = [k for k in reversed(keys) if not missing[k]]
    order: list[tuple[int, Role]] = []
    while ready:
        k = ready.pop()
        order.append(k)
        for target in out[k]:
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
    return order, {q for (q, _), n in missing.items() if n}
