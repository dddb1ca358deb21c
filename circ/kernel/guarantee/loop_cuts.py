"""A thread's automaton cut into pieces without cycles, at loops that have an invariant and around functions with contracts.

The head of such a loop (its branch to an error location says what is claimed) has two nodes. *check*: everything that arrives
there; the branch to the error must not be possible. *hold*: what goes on from there, of which the claim is known, and what
the loop leaves alone. A run of the thread follows the arcs, so what is true of all nodes' states, each reached from its
predecessors' by one arc, is true of the thread. A hold node is entered by the arcs that enter the loop, and forgets the globals
and the locals that the loop writes: the *natural loop*, what reaches a back edge without passing the head, where a back edge
comes from what the head dominates. A run that comes back to the head by a back edge has been in the natural loop since it
last entered it from outside, so all that it may have changed is forgotten. Where a thread comes back to its start, nothing is
claimed and all is forgotten.

The entry of a procedure (`circ.kernel.guarantee.procedures`) has a check node for every call, and one hold node that knows
nothing but
the claim, from which the body starts. Its exit has one check node, at which the body ends, and for every call a hold node
that follows the check node of the entry and forgets the globals and what the body writes; from there the call's own way back
goes on. A run between entry and exit is inside the body, and comes back the way that belongs to its call. Of a procedure that
calls itself that is true of every activation: what it saved is what it gets back, whatever the activations in between did.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from circ.kernel.guarantee.procedures import claims, procedures, unchanged
from frontend.program import Block, Cfa, ErrorKind, Havoc, Op, op_writes, primitive
from frontend.records import dataclass

NO_CALL = -1
Point: TypeAlias = tuple[int, int]
"""A location, and the call edge that it is reached by, where that matters (NO_CALL elsewhere)."""


class NodeRole(enum.Enum):
    """A claim at a node of the cut automaton: none, one that must hold on arrival, or one that is taken to hold from there on."""

    PLAIN = "plain"
    CHECK = "check"
    HOLD = "hold"


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Globals, and these locals, are arbitrary. `within`: all of it happened inside one atomic section."""

    names: frozenset[str]
    within: bool


@dataclass(frozen=True, slots=True)
class Arc:
    """From a node by an edge of the automaton to a node, and perhaps more happens that is forgotten."""

    source: int
    target: int
    edge: int
    forget: Forgotten | None = None


@dataclass(frozen=True, slots=True)
class FlowNode:
    """A location, in one of its roles; `iteration` tells apart the copies that unrolling makes."""

    location: int
    role: NodeRole = NodeRole.PLAIN
    call: int = NO_CALL
    iteration: int = 0


@dataclass(frozen=True, slots=True)
class AcyclicFlow:
    """`nodes` in an order that arcs follow; `start` is where the thread starts, `free` nodes hold in arbitrary states.

    `failures`: (node, edge) pairs that lead to an error location and must be impossible. `open`: locations on cycles that
    nothing cuts; if there are any, the flow does not cover the thread.
    """

    nodes: tuple[FlowNode, ...]
    arcs: tuple[Arc, ...]
    start: int
    free: frozenset[int]
    failures: tuple[tuple[int, int], ...]
    open: frozenset[int] = frozenset()
    given_back: frozenset[int] = frozenset()
    """Edges behind calls that procedures make of themselves."""

    def effect(self, cfa: Cfa, edge: int) -> Op:
        """What a step does, here where calls are gone round: what was saved before one is not forgotten behind it."""
        op = cfa.edges[edge].op
        return op if edge not in self.given_back else Block(tuple(p for p in primitive(op) if not isinstance(p, Havoc)))

    def entering(self) -> list[list[Arc]]:
        into: list[list[Arc]] = [[] for _ in self.nodes]
        for arc in self.arcs:
            into[arc.target].append(arc)
        return into


class Shape:
    """The automaton as a graph of points, calls of procedures one step: what is reached, dominators, loops with invariants."""

    def __init__(self, cfa: Cfa, again: bool = True) -> None:
        """`again`: a way back to where the thread starts, as handlers have it, is a loop of which nothing is claimed."""
        self.cfa = cfa
        self.claims = claims(cfa)
        self.procedures = {p.entry: p for p in procedures(cfa, self.claims)}
        self.exits = {p.exit: p for p in self.procedures.values()}
        frames = [f for p in self.procedures.values() for f in p.frames.values()]
        self.given_back = frozenset(f.gives for f in frames)
        self._unchanged = unchanged(frames)
        self.out: dict[Point, list[tuple[int, Point]]] = {}
        """Steps to other points; those to error locations are not among them."""
        self._edges: list[list[int]] = [[] for _ in range(cfa.size)]
        for i, e in enumerate(cfa.edges):
            self._edges[e.source].append(i)
        self.roots: tuple[Point, ...] = ((cfa.start, NO_CALL), *((p, NO_CALL) for p in self.procedures))
        self.order = self._reading_order()
        self._into: dict[Point, list[Point]] = {p: [] for p in self.order}
        for p, steps in self.out.items():
            for _, q in steps:
                self._into[q].append(p)
        self._dominators = self._closest()
        self.loops = {p: f for p in self.order if p[1] == NO_CALL and (self._is_loop(p[0]) or (again and p == self.roots[0]))
                      and (f := self._loop(p)) is not None}

    # ------------------------------------------------------------------------------------------- points
    def role(self, p: Point) -> NodeRole:
        """The role of a point that is not the head of a loop with an invariant."""
        q, call = p
        if q in self.procedures:
            return NodeRole.HOLD if call == NO_CALL else NodeRole.CHECK
        if q in self.exits:
            return NodeRole.CHECK if call == NO_CALL else NodeRole.HOLD
        return NodeRole.PLAIN

    def failing(self, p: Point) -> list[int]:
        """The edges of a point that must be impossible."""
        return [i for i in self._edges[p[0]] if self.cfa.edges[i].target in self.cfa.errors]

    def _steps(self, p: Point) -> Iterator[tuple[int, Point]]:
        q, call = p
        if q in self.procedures and call != NO_CALL:
            yield self.claims[q].passes, (self.procedures[q].exit, call)
        elif q in self.exits:
            if call != NO_CALL:
                yield self.claims[q].passes, (self.exits[q].back, call)
        elif call != NO_CALL:
            entry = self.procedures[self.cfa.edges[call].target]
            yield entry.calls[call], (self.cfa.edges[entry.calls[call]].target, NO_CALL)
        else:
            for i in self._edges[q]:
                target = self.cfa.edges[i].target
                if target not in self.cfa.errors:
                    yield i, (target, i if target in self.procedures else NO_CALL)

    def _reading_order(self) -> list[Point]:
        """The points that are reached, each before those that only it leads to (reverse postorder)."""
        order: list[Point] = []
        seen: set[Point] = set()
        for root in self.roots[::-1]:
            if root in seen:
                continue
            seen.add(root)
            stack = [(root, 0)]
            while stack:
                p, at = stack.pop()
                if at == 0:
                    self.out[p] = list(self._steps(p))
                if at == len(self.out[p]):
                    order.append(p)
                    continue
                stack.append((p, at + 1))
                target = self.out[p][at][1]
                if target not in seen:
                    seen.add(target)
                    stack.append((target, 0))
        return order[::-1]

    # ------------------------------------------------------------------------------------------- loops
    def _closest(self) -> Mapping[Point, Point | None]:
        """For each point the closest one that every path from a root to it passes; None if there is none."""
        rank = {p: n for n, p in enumerate(self.order)}
        roots = set(self.roots)
        closest: dict[Point, Point | None] = dict.fromkeys(self.roots)
        changed = True
        while changed:
            changed = False
            for p in self.order:
                if p in roots:
                    continue
                known = [b for b in self._into[p] if b in closest]
                new: Point | None = known[0]
                for b in known[1:]:
                    other: Point | None = b
                    while other != new:
                        if other is None or new is None:
                            new = other = None
                        elif rank[other] > rank[new]:
                            other = closest[other]
                        else:
                            new = closest[new]
                if p not in closest or closest[p] != new:
                    closest[p], changed = new, True
        return closest

    def is_back(self, source: Point, head: Point) -> bool:
        """Whether every path from a root to `source` passes `head`."""
        here: Point | None = source
        while here is not None and here != head:
            here = self._dominators[here]
        return here == head

    def _is_loop(self, q: int) -> bool:
        return q in self.claims and self.claims[q].kind is ErrorKind.LOOP

    def _loop(self, head: Point) -> Forgotten | None:
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
        return self._forgotten(body | {head})

    def _forgotten(self, points: set[Point]) -> Forgotten:
        names: set[str] = set()
        for q, call in points:
            found: set[str] = set()
            for i in self._edges[q]:
                found |= set(op_writes(self.cfa.edges[i].op)) - self._unchanged.get(i, frozenset())
            if call != NO_CALL:
                called = self.procedures[self.cfa.edges[call].target]
                found |= called.writes
                found -= called.frames[call].same if call in called.frames else frozenset()
            names |= found
        return Forgotten(frozenset(names), all(q in self.cfa.atomic and call == NO_CALL for q, call in points))

    def called(self, entry: int, call: int) -> Forgotten:
        """What a call of a procedure changes, but for what its entry does, and not what was saved before it."""
        found = self.procedures[entry]
        inside = {entry, found.exit, found.back, *found.body} <= self.cfa.atomic
        kept = found.frames[call].saved if call in found.frames else frozenset()
        return Forgotten(found.writes - kept, inside and not any(
            self.cfa.edges[i].target in self.procedures for q in found.body for i in self._edges[q]))


def flow(cfa: Cfa, again: bool = True) -> AcyclicFlow:
    """The pieces of an automaton; `again` as in `Shape`."""
    shape = Shape(cfa, again)
    keys: list[tuple[Point, NodeRole]] = []
    for p in shape.order:
        if p[0] not in cfa.errors:
            keys += [(p, NodeRole.CHECK), (p, NodeRole.HOLD)] if p in shape.loops else [(p, shape.role(p))]
    arcs: list[_ArcDraft] = []
    failures: list[tuple[tuple[Point, NodeRole], int]] = []
    for p, role in keys:
        if role is not NodeRole.HOLD:
            failures += [((p, role), i) for i in shape.failing(p)]
        if role is NodeRole.CHECK and p in shape.loops:
            continue
        for i, target in shape.out[p]:
            if target in shape.loops:
                arcs.append(((p, role), (target, NodeRole.CHECK), i, None))
                if not shape.is_back(p, target):
                    arcs.append(((p, role), (target, NodeRole.HOLD), i, shape.loops[target]))
            else:
                call = p[0] in shape.procedures and p[1] != NO_CALL
                arcs.append(((p, role), (target, shape.role(target)), i, shape.called(*p) if call else None))
    order, rest = _sorted(keys, arcs)
    number = {k: n for n, k in enumerate(order)}
    first = ((cfa.start, NO_CALL), NodeRole.CHECK if (cfa.start, NO_CALL) in shape.loops else shape.role((cfa.start, NO_CALL)))
    free = [k for k in order if k[1] is NodeRole.HOLD and k[0] in shape.roots]
    return AcyclicFlow(tuple(FlowNode(q, role, call) for (q, call), role in order),
                tuple(Arc(number[s], number[t], i, f) for s, t, i, f in arcs if s in number and t in number),
                number.get(first, 0), frozenset(number[k] for k in free),
                tuple((number[k], i) for k, i in failures if k in number), frozenset(rest), shape.given_back)


_ArcDraft: TypeAlias = tuple[tuple[Point, NodeRole], tuple[Point, NodeRole], int, Forgotten | None]


def _sorted(keys: list[tuple[Point, NodeRole]], arcs: list[_ArcDraft]) -> tuple[list[tuple[Point, NodeRole]], set[int]]:
    """The nodes in an order that arcs follow, and the locations that have no place in it because of a cycle."""
    out: dict[tuple[Point, NodeRole], list[tuple[Point, NodeRole]]] = {k: [] for k in keys}
    missing = dict.fromkeys(keys, 0)
    for source, target, _, _ in arcs:
        out[source].append(target)
        missing[target] += 1
    ready = [k for k in reversed(keys) if not missing[k]]
    order: list[tuple[Point, NodeRole]] = []
    while ready:
        k = ready.pop()
        order.append(k)
        for target in out[k]:
            missing[target] -= 1
            if not missing[target]:
                ready.append(target)
    return order, {p[0] for (p, _), n in missing.items() if n}
