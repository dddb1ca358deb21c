"""What an analysis sees of a weakened automaton: anchors, and segments of operations between them.

Compaction for inference. Locations joined by silent steps are one *node*; of the nodes only some are *anchors*: where a
visible step starts (it touches a kept global, or enters an atomic section) or an access to the questioned variable, loop
heads, error locations and ends. An access whose value nobody looks at is silent: no other thread can tell whether it has
happened, so a thread that is past it might as well still be before it, and accesses in a row are one node. A *segment* is a
path from anchor to anchor with a visible operation at most at its start, or an atomic section as a whole, followed by local
steps. At the nodes in between nothing needs to be known: what holds there is the weakest precondition of the rest of the
segment (`circ.inference.results.pair_proof` writes that down for the kernel, which trusts none of this).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from circ.views.weaken import index_variables
from frontend.program import (
    SKIP,
    AllAt,
    Assume,
    Block,
    Edge,
    Element,
    Havoc,
    Op,
    RaceModel,
    ThreadTemplate,
    name_of,
    negate,
    op_reads,
    op_writes,
    primitive,
    reads,
)
from frontend.program.components import components
from frontend.records import dataclass

MOST_PATHS = 8
"""More distinct segments than this through one node, and the node becomes an anchor."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One step of the analysis: the weakened operation, and the edges (indices into `cfa.edges`) it stands for."""

    number: int
    source: int
    target: int
    op: Op
    visible: bool
    writes: frozenset[str]
    paths: tuple[tuple[int, ...], ...]
    guards: tuple[AllAt, ...] = ()


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A template's automaton for one question and one choice of kept variables.

    `node_of[q]` is the node of location q; `anchor_of[node]` its anchor number, absent for nodes in between;
    `live[a]` the locals whose value at anchor a can still matter; `accesses[a]` the questioned accesses that may be next,
    as (edge index, access index). `outgoing[node]` are the edges that leave a node, `inner[q]` the silent ones that stay.
    `awaited[a]` tells which of the sets of locations that some thread waits for the others to be in (`AllAt`) anchor a is in.
    """

    template: str
    original: ThreadTemplate
    weak: ThreadTemplate
    start: int
    atomic: tuple[bool, ...]
    error: tuple[bool, ...]
    critical: tuple[bool, ...]
    segments: tuple[tuple[Segment, ...], ...]
    live: tuple[frozenset[str], ...]
    accesses: tuple[tuple[tuple[int, int], ...], ...]
    node_of: tuple[int, ...]
    anchor_of: dict[int, int]
    members: dict[int, tuple[int, ...]]
    outgoing: dict[int, tuple[int, ...]]
    inner: dict[int, tuple[int, ...]]
    awaited: tuple[tuple[bool, ...], ...]

    @property
    def size(self) -> int:
        return len(self.atomic)


def skeleton(
    original: ThreadTemplate,
    weak: ThreadTemplate,
    shared: frozenset[str],
    variable: str | None,
    race_model: RaceModel,
    glue: bool = True,
    awaited: tuple[frozenset[int], ...] = (),
) -> Skeleton:
    """The skeleton of `weak` (see `circ.views.weaken`); `shared` are the kept globals, `variable` the one asked about.

    Without `glue` every location is an anchor. `awaited`: sets of locations that others wait for this thread to be in.
    """
    return _Builder(original, weak, shared, variable, race_model, glue, awaited).build()


class _Builder:
    def __init__(
        self,
        original: ThreadTemplate,
        weak: ThreadTemplate,
        shared: frozenset[str],
        variable: str | None,
        race_model: RaceModel,
        glue: bool,
        awaited: tuple[frozenset[int], ...],
    ) -> None:
        self.original, self.weak, self.shared, self.variable = original, weak, shared, variable
        self.race_model, self.glue, self.awaited = race_model, glue, awaited
        self.cfa = weak.cfa
        self.questioned = [self._questioned(i) for i in range(len(self.cfa.edges))]
        self.visible = [self._visible(e, i) for i, e in enumerate(self.cfa.edges)]
        self.node_of = self._contract()
        self.members: dict[int, list[int]] = defaultdict(list)
        for q, node in enumerate(self.node_of):
            self.members[node].append(q)
        self.out: dict[int, list[int]] = {node: [] for node in self.members}
        self.leaving: list[list[int]] = [[] for _ in range(self.cfa.size)]
        for i, e in enumerate(self.cfa.edges):
            self.leaving[e.source].append(i)
            if not self._internal(i):
                self.out[self.node_of[e.source]].append(i)

    # ----------------------------------------------------------------------------------------------- what is seen
    def _questioned(self, i: int) -> tuple[int, ...]:
        accesses = self.cfa.edges[i].accesses
        return tuple(j for j, a in enumerate(accesses) if self.variable is not None and a.variable == self.variable)

    def _visible(self, e: Edge, i: int) -> bool:
        return bool(self.questioned[i]) or self._seen(e)

    def _seen(self, e: Edge) -> bool:
        """Whether other threads can tell that the edge was taken."""
        if e.target in self.cfa.atomic and e.source not in self.cfa.atomic:
            return True
        if any(isinstance(p, AllAt) for p in primitive(e.op)) or self._awaited(e.source) != self._awaited(e.target):
            return True
        return any(name_of(v) in self.shared for v in op_reads(e.op)) or any(w in self.shared for w in op_writes(e.op))

    def _awaited(self, q: int) -> tuple[bool, ...]:
        return tuple(q in places for places in self.awaited)

    def _kind(self, q: int) -> tuple[bool, ...]:
        return q in self.cfa.atomic, q in self.cfa.critical, q in self.cfa.errors, *self._awaited(q)

    def _silent(self, i: int) -> bool:
        e = self.cfa.edges[i]
        if not self.glue or e.op != SKIP or self._seen(e):
            return False
        return self._kind(e.source) == self._kind(e.target) and e.target not in self.cfa.errors

    def _internal(self, i: int) -> bool:
        e = self.cfa.edges[i]
        return self._silent(i) and self.node_of[e.source] == self.node_of[e.target]

    def _contract(self) -> tuple[int, ...]:
        """Locations to nodes: cycles of silent steps, and locations that can do nothing but one silent step, vanish.

        A silent access joins its locations only if there is no other way to the second one: it must not be taken for a
        place where the access is next by those who come another way.
        """
        graph: dict[int, list[int]] = defaultdict(list)
        silents = [self._silent(i) for i in range(len(self.cfa.edges))]
        for e, silent in zip(self.cfa.edges, silents, strict=True):
            if silent:
                graph[e.source].append(e.target)
        node = list(range(self.cfa.size))
        for component in components(graph, self.cfa.size):
            least = component[0]
            for q in component:
                node[q] = least
        changed = True
        while changed:
            changed = False
            leaving: dict[int, set[tuple[bool, int]]] = defaultdict(set)
            entered: dict[int, set[int]] = defaultdict(set)
            entered[node[self.cfa.start]].add(-1)
            for e, silent in zip(self.cfa.edges, silents, strict=True):
                source, target = node[e.source], node[e.target]
                if not (silent and source == target):
                    leaving[source].add((silent, target))
                    entered[target].add(source)
            accessed = {node[e.source] for i, e in enumerate(self.cfa.edges) if self.questioned[i]}
            onward = {n: next(iter(ways))[1] for n, ways in leaving.items() if len(ways) == 1 and next(iter(ways))[0]}
            into = {n: t for n, t in onward.items() if entered[t] == {n}}
            spoilt = accessed | {_follow(n, into) for n in accessed}
            into |= {n: t for n, t in onward.items() if n not in spoilt}
            if into:
                changed = True
                final = {n: _follow(n, into) for n in into}
                node = [final.get(n, n) for n in node]
        return tuple(node)

    # ----------------------------------------------------------------------------------------------- anchors
    def _first_anchors(self) -> set[int]:
        if not self.glue:
            return set(self.out)
        anchors = {self.node_of[self.cfa.start]}
        for node, edges in self.out.items():
            q = self.members[node][0]
            atomic = q in self.cfa.atomic
            if not edges or q in self.cfa.errors or q in self.cfa.critical:
                anchors.add(node)
            if any(self.visible[i] and not atomic for i in edges) or any(self._may_conflict(i) for i, _ in self._accesses(node)):
                anchors.add(node)
            if any(isinstance(p, (Havoc, AllAt)) for i in edges for p in primitive(self.cfa.edges[i].op)):
                anchors.add(node)
            if not self._goes_on(edges):
                anchors.add(node)
        return anchors

    def _goes_on(self, edges: list[int]) -> bool:
        """Whether a thread surely finds a way on. Where it may be stuck, the rest of the segment says nothing of the others."""
        conditions = []
        for i in edges:
            parts = tuple(primitive(self.cfa.edges[i].op))
            if any(isinstance(p, Assume) for p in parts[1:]):
                return False
            if not parts or not isinstance(parts[0], Assume):
                return True
            conditions.append(negate(parts[0].cond))
        return any(negate(c) in conditions for c in conditions)

    def _accesses(self, node: int) -> tuple[tuple[int, int], ...]:
        """The questioned accesses that a thread at the node can get to without being seen by the others."""
        return tuple((i, j) for q in self.members[node] for i in self.leaving[q] for j in self.questioned[i])

    def _may_conflict(self, i: int) -> bool:
        """Whether an access at edge i can be part of a race although the edge is protected; c11 counts such pairs."""
        return self.race_model == RaceModel.C11 or not self.cfa.edges[i].protected

    def _cut_loops(self, anchors: set[int]) -> None:
        while True:
            graph = {node: [t for i in edges if (t := self.node_of[self.cfa.edges[i].target]) not in anchors]
                     for node, edges in self.out.items() if node not in anchors}
            cyclic = [c for c in components(graph, self.cfa.size) if len(c) > 1 or c[0] in graph.get(c[0], ())]
            if not cyclic:
                return
            anchors.update(min(c) for c in cyclic)

    # ----------------------------------------------------------------------------------------------- segments
    def build(self) -> Skeleton:
        anchors = self._first_anchors()
        while True:
            self._cut_loops(anchors)
            crowded = self._crowded(anchors)
            if crowded is None:
                break
            anchors.add(crowded)
        order = self._reading_order(anchors)
        number = {node: i for i, node in enumerate(order)}
        segments: list[tuple[Segment, ...]] = []
        count = 0
        for node in order:
            found: dict[tuple[int, Op], list[tuple[int, ...]]] = {}
            for path in self._paths(node, anchors):
                target = number[self.node_of[self.cfa.edges[path[-1]].target]]
                op = _sequence(self.cfa.edges[i].op for i in path)
                hides = op == SKIP and target == number[node] and not any(self.visible[i] for i in path)
                if not hides:
                    found.setdefault((target, op), []).append(path)
            row = []
            for (target, op), paths in found.items():
                row.append(Segment(
                    count, number[node], target, op,
                    any(self.visible[i] for path in paths for i in path),
                    frozenset(w for w in op_writes(op) if w in self.shared),
                    tuple(paths[:MOST_PATHS]),
                    tuple(p for p in primitive(op) if isinstance(p, AllAt)),
                ))
                count += 1
            segments.append(tuple(row))
        first = [self.members[n][0] for n in order]
        accesses = tuple(map(self._accesses, order))
        return Skeleton(
            self.weak.name, self.original, self.weak, number[self.node_of[self.cfa.start]],
            tuple(q in self.cfa.atomic for q in first),
            tuple(q in self.cfa.errors for q in first),
            tuple(q in self.cfa.critical for q in first),
            tuple(segments), self._liveness(segments, accesses),
            accesses,
            self.node_of, number,
            {n: tuple(qs) for n, qs in self.members.items()},
            {n: tuple(es) for n, es in self.out.items()},
            self._inner(),
            tuple(map(self._awaited, first)),
        )

    def _inner(self) -> dict[int, tuple[int, ...]]:
        inner: dict[int, list[int]] = defaultdict(list)
        for i, e in enumerate(self.cfa.edges):
            if self._internal(i):
                inner[e.source].append(i)
        return {q: tuple(es) for q, es in inner.items()}

    def _reading_order(self, anchors: set[int]) -> list[int]:
        """Anchors reachable from the start, breadth first."""
        order = [self.node_of[self.cfa.start]]
        seen = set(order)
        queue = list(order)
        for node in queue:
            for i in self.out[node]:
                target = self.node_of[self.cfa.edges[i].target]
                if target not in seen:
                    seen.add(target)
                    queue.append(target)
                    if target in anchors:
                        order.append(target)
        return order

    def _paths(self, node: int, anchors: set[int]) -> list[tuple[int, ...]]:
        """Every path of edges from an anchor to the next anchors; finite because anchors cut all loops."""
        done: list[tuple[int, ...]] = []
        stack: list[tuple[int, ...]] = [(i,) for i in reversed(self.out[node])]
        while stack:
            path = stack.pop()
            at = self.node_of[self.cfa.edges[path[-1]].target]
            if at in anchors:
                done.append(path)
            else:
                stack.extend((*path, i) for i in reversed(self.out[at]))
        return done

    def _crowded(self, anchors: set[int]) -> int | None:
        """A node in between through which too many different operation sequences lead, or None."""
        for start in sorted(anchors):
            ways: dict[int, set[Op]] = defaultdict(set)
            queue: list[tuple[int, Op]] = [(start, SKIP)]
            seen: set[tuple[int, Op]] = set()
            while queue:
                node, so_far = queue.pop()
                for i in self.out[node]:
                    e = self.cfa.edges[i]
                    target = self.node_of[e.target]
                    if target in anchors:
                        continue
                    op = _sequence((so_far, e.op))
                    if (target, op) not in seen:
                        seen.add((target, op))
                        ways[target].add(op)
                        if len(ways[target]) > MOST_PATHS:
                            return target
                        queue.append((target, op))
        return None

    def _liveness(
        self, segments: list[tuple[Segment, ...]], accesses: tuple[tuple[tuple[int, int], ...], ...],
    ) -> tuple[frozenset[str], ...]:
        """Locals that may be read after each anchor before they are written, or tell which cell is accessed there."""
        own = {v.name for v in self.weak.locals}
        live = [{name for i, j in row for name in index_variables(self.cfa.edges[i].accesses[j].lvalue)} & own
                for row in accesses]
        changed = True
        while changed:
            changed = False
            for row in reversed(segments):
                for s in row:
                    before = _live_before(s.op, live[s.target], own)
                    if not before <= live[s.source]:
                        live[s.source] |= before
                        changed = True
        return tuple(frozenset(names) for names in live)


def _follow(n: int, into: dict[int, int]) -> int:
    """Where a chain of forwarding nodes ends; a node on a cycle of such chains stays."""
    seen = [n]
    while seen[-1] in into:
        step = into[seen[-1]]
        if step in seen:
            return min(seen[seen.index(step):])
        seen.append(step)
    return seen[-1]


def _sequence(ops: Iterable[Op]) -> Op:
    parts = tuple(p for op in ops for p in primitive(op))
    return parts[0] if len(parts) == 1 else Block(parts)


def _live_before(op: Op, after: set[str], own: set[str]) -> set[str]:
    live = set(after)
    for part in reversed(tuple(primitive(op))):
        match part:
            case Assume(cond=c):
                live |= {name_of(v) for v in reads(c)} & own
            case Havoc(targets=ts):
                live -= {name_of(t) for t in ts if not isinstance(t, Element)}
                live |= {name_of(v) for v in op_reads(part)} & own
            case AllAt():
                pass
            case _:
                if not isinstance(part.target, Element):
                    live.discard(part.target.name)
                live |= {name_of(v) for v in op_reads(part)} & own
    return live
