"""CheckSim: does an abstract thread overapproximate what an abstract reachability graph says the thread does?

Beyond the paper (soundness ledger): an atomic node must be matched by an atomic class, a silent step may be matched by
standing still, no step may be matched by several (that would hide accesses that are next), and a node with a questioned
access, an error or a critical section must be among the states of the class, because classes answer for their states.
"""

from __future__ import annotations

from collections.abc import Mapping

from circ.abstraction.abstract_errors import ThreadState
from circ.abstraction.skeleton import Segment
from circ.inference.acfa import Acfa
from circ.inference.arg import Arg


def simulates(acfa: Acfa, arg: Arg) -> bool:
    """Whether every behaviour of the graph is one of the abstract thread: the largest simulation holds at the start."""
    nodes = arg.nodes()
    edges: dict[ThreadState, list[tuple[ThreadState, Segment, ThreadState]]] = {root: [] for root in nodes}
    for source, segment, target in arg.edges():
        edges[arg.find(source)].append((source, segment, target))
    relation = {root: {c for c in range(acfa.size) if _label_fits(acfa, arg, c, states)} for root, states in nodes.items()}
    changed = True
    while changed:
        changed = False
        for root, classes in relation.items():
            keep = {c for c in classes if all(_matched(acfa, arg, relation, c, edge) for edge in edges[root])}
            if keep != classes:
                relation[root] = keep
                changed = True
    return all(relation[arg.find(s)] & acfa.start for s in arg.initial)


def _label_fits(acfa: Acfa, arg: Arg, c: int, states: tuple[ThreadState, ...]) -> bool:
    sk = arg.skeleton
    q = states[0][0]
    if sk.atomic[q] != acfa.atomic[c] or not all(s[1] in acfa.label[c] for s in states):
        return False
    if any(sk.awaited[a] != sk.awaited[q] for a in acfa.anchors[c]):
        return False
    watched = sk.accesses[q] or sk.error[q] or sk.critical[q]
    return not watched or all(s in acfa.by_mask[c].get(s[1], ()) for s in states)


def _matched(
    acfa: Acfa, arg: Arg, relation: Mapping[ThreadState, set[int]], c: int, edge: tuple[ThreadState, Segment, ThreadState]
) -> bool:
    source, segment, target = edge
    goals = relation[arg.find(target)]
    if not segment.visible and c in goals:
        return True
    return any(
        after == target[1] and segment.writes <= writes and goal in goals and demands == segment.guards
        for after, writes, goal, demands in acfa.moves[c].get(source[1], ())
    )
