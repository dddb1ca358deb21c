"""Abstract control-flow automata: what one context thread may do, as far as the global predicates tell.

Edges carry pairs (global mask before, after) and the globals written: with havoc sets alone "state was 0 when I took it"
would be lost (soundness ledger). `collapse` makes one from an abstract reachability graph as its *branching* bisimulation
quotient: a step is silent only if it touches no global of the analysis and not the questioned variable.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from frontend.program import AllAt
from frontend.records import dataclass

if TYPE_CHECKING:
    from circ.abstraction.abstract_errors import ThreadState
    from circ.inference.arg import Arg

ContextMove: TypeAlias = tuple[int, frozenset[str], int, tuple[AllAt, ...]]
"""(global mask after, globals written, class after, what it demands of the other threads' locations)"""

_Label: TypeAlias = tuple[bool, int, int, frozenset[str], int, tuple[AllAt, ...]]
"""An edge of the ARG's nodes: (silent, mask before, mask after, globals written, node after, demands)"""


@dataclass(frozen=True, slots=True)
class Acfa:
    """An abstract thread of one template. `moves[c][g]`: what a thread in class c may do while the global mask is g.

    `label[c]` holds the global masks that are possible while a thread is in class c; `states[c]` the abstract thread
    states of the class, as the ARG has them (with their locals, for concretising traces and for the certificate).
    """

    template: int
    start: frozenset[int]
    atomic: tuple[bool, ...]
    label: tuple[frozenset[int], ...]
    moves: tuple[dict[int, tuple[ContextMove, ...]], ...]
    states: tuple[tuple[ThreadState, ...], ...]
    by_mask: tuple[dict[int, tuple[ThreadState, ...]], ...]
    anchors: tuple[frozenset[int], ...]

    @property
    def size(self) -> int:
        return len(self.atomic)


def empty(template: int) -> Acfa:
    """The context thread that does nothing: one location labelled true. Its label is never looked at, as it never moves."""
    return Acfa(template, frozenset({0}), (False,), (frozenset(),), ({},), ((),), ({},), (frozenset(),))


def moves_of(acfa: Acfa, c: int) -> list[tuple[int, tuple[str, ...], frozenset[int], frozenset[int]]]:
    """The moves from a class by where they lead and what they write, with the global masks before and after."""
    grouped: dict[tuple[int, tuple[str, ...]], dict[tuple[int, int], None]] = {}
    for before, moves in sorted(acfa.moves[c].items()):
        for after, writes, target, _ in moves:
            grouped.setdefault((target, tuple(sorted(writes))), {})[before, after] = None
    return [(goal, written, frozenset(b for b, _ in pairs), frozenset(a for _, a in pairs))
            for (goal, written), pairs in grouped.items()]


def collapse(arg: Arg, template: int) -> tuple[Acfa, dict[ThreadState, int]]:
    """The branching-bisimulation quotient of an ARG with its map mu from thread states to classes."""
    nodes = arg.nodes()
    if not nodes:
        return empty(template), {}
    number = {root: i for i, root in enumerate(nodes)}
    members = list(nodes.values())
    home = {state: number[root] for root, group in nodes.items() for state in group}
    edges: list[set[_Label]] = [set() for _ in nodes]
    for source, segment, target in arg.edges():
        edges[home[source]].add((not segment.visible, source[1], target[1], segment.writes, home[target], segment.guards))
    partition = _refine([arg.colour(group) for group in members], edges)
    size = max(partition) + 1
    label: list[set[int]] = [set() for _ in range(size)]
    states: list[list[ThreadState]] = [[] for _ in range(size)]
    moves: list[dict[int, dict[ContextMove, None]]] = [defaultdict(dict) for _ in range(size)]
    for i, group in enumerate(members):
        c = partition[i]
        states[c].extend(group)
        label[c].update(s[1] for s in group)
        for silent, before, after, writes, node, demands in sorted(edges[i], key=_edge_key):
            if not (silent and partition[node] == c):
                moves[c].setdefault(before, {})[(after, writes, partition[node], demands)] = None
    ordered = [tuple(sorted(held)) for held in states]
    by_mask = []
    for group in ordered:
        split: dict[int, list[ThreadState]] = defaultdict(list)
        for s in group:
            split[s[1]].append(s)
        by_mask.append({g: tuple(ss) for g, ss in split.items()})
    atomic = tuple(arg.skeleton.atomic[group[0][0]] for group in ordered)
    acfa = Acfa(
        template,
        frozenset(partition[home[s]] for s in arg.initial),
        atomic,
        tuple(map(frozenset, label)),
        tuple({g: tuple(ms) for g, ms in table.items()} for table in moves),
        tuple(ordered),
        tuple(by_mask),
        tuple(frozenset(s[0] for s in group) for group in ordered),
    )
    return acfa, {s: partition[i] for s, i in home.items()}


def _edge_key(edge: _Label) -> tuple[bool, int, int, list[str], int, str]:
    silent, before, after, writes, target, demands = edge
    return silent, before, after, sorted(writes), target, str([(d.template, sorted(d.locations)) for d in demands])


def _refine(colours: list[object], edges: list[set[_Label]]) -> list[int]:
    """The coarsest branching bisimulation that respects the colours, by signature refinement; classes in node order."""
    partition = _number(colours)
    while True:
        signatures = _signatures(partition, edges)
        finer = _number([(partition[i], signatures[i]) for i in range(len(partition))])
        if max(finer) == max(partition):
            return partition
        partition = finer


def _signatures(partition: list[int], edges: list[set[_Label]]) -> list[frozenset[object]]:
    """For each node what it can do after silent steps inside its class."""
    own: list[set[object]] = []
    inert: list[list[int]] = [[] for _ in edges]
    for i, out in enumerate(edges):
        signature: set[object] = set()
        for silent, before, after, writes, target, demands in out:
            if silent and partition[target] == partition[i]:
                inert[target].append(i)
            else:
                signature.add((silent, before, after, writes, partition[target], demands))
        own.append(signature)
    queue = list(range(len(edges)))
    while queue:
        i = queue.pop()
        for source in inert[i]:
            if not own[i] <= own[source]:
                own[source] |= own[i]
                queue.append(source)
    return [frozenset(s) for s in own]


def _number(values: list[object]) -> list[int]:
    """Equal values to equal numbers, in order of first appearance."""
    seen: dict[object, int] = {}
    return [seen.setdefault(v, len(seen)) for v in values]
