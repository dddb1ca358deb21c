"""A thread's flow for the engine: the kernel's pieces, or, where loops have no invariant, so many iterations of them."""

from __future__ import annotations

from circ.kernel.flow import Arc, Flow, Node, Role, Shape, flow
from frontend.cfa import Cfa


def pieces(cfa: Cfa, iterations: int) -> tuple[Flow, bool]:
    """The flow, and whether it covers every run of the thread."""
    whole = flow(cfa)
    return (whole, True) if not whole.open else (unrolled(cfa, iterations), False)


def unrolled(cfa: Cfa, iterations: int) -> Flow:
    """What the thread can do while it goes back to an earlier location at most so many times; loops with invariants stay cut."""
    shape = Shape(cfa)
    rank = {q: n for n, q in enumerate(shape.order)}
    inside = [q for q in shape.order if q not in cfa.errors]
    nodes = [Node(q, Role.HOLD if q in shape.loops else Role.PLAIN, n) for n in range(iterations + 1) for q in inside]
    nodes += [Node(q, Role.CHECK) for q in inside if q in shape.loops]  # nothing leaves them, so they can stand last
    number = {node: n for n, node in enumerate(nodes)}
    arcs: list[Arc] = []
    failures: list[tuple[int, int]] = []
    for n, node in enumerate(nodes):
        for i in shape.out[node.location]:
            target = cfa.edges[i].target
            if target in cfa.errors:
                if node.role is not Role.HOLD:
                    failures.append((n, i))
            elif node.role is not Role.CHECK:
                back = target in shape.loops and shape.is_back(node.location, target)
                if target in shape.loops:
                    arcs.append(Arc(n, number[Node(target, Role.CHECK)], i))
                iteration = node.iteration + (rank[target] <= rank[node.location])
                if not back and iteration <= iterations:
                    role = Role.HOLD if target in shape.loops else Role.PLAIN
                    arcs.append(Arc(n, number[Node(target, role, iteration)], i, shape.loops.get(target)))
    start = number[Node(cfa.start, Role.CHECK if cfa.start in shape.loops else Role.PLAIN)]
    free = frozenset({number[Node(cfa.start, Role.HOLD)]}) if cfa.start in shape.loops else frozenset()
    return _reached(Flow(tuple(nodes), tuple(arcs), start, free, tuple(failures), frozenset()))


def _reached(made: Flow) -> Flow:
    """The same flow without nodes that nothing reaches."""
    reached = {made.start, *made.free}
    for arc in made.arcs:  # sources come in the order of the nodes
        if arc.source in reached:
            reached.add(arc.target)
    kept = [n for n in range(len(made.nodes)) if n in reached]
    new = {n: i for i, n in enumerate(kept)}
    return Flow(tuple(made.nodes[n] for n in kept),
                tuple(Arc(new[a.source], new[a.target], a.edge, a.forget) for a in made.arcs if a.source in new),
                new[made.start], frozenset(new[n] for n in made.free),
                tuple((new[n], i) for n, i in made.failures if n in new), made.open)
