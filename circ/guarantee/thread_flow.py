"""A thread's flow for the engine: the kernel's pieces, or, where loops have no invariant, so many iterations of them."""

from __future__ import annotations

from circ.kernel.guarantee.loop_cuts import NO_CALL, AcyclicFlow, Arc, FlowNode, NodeRole, Shape, flow
from frontend.program import Cfa, ThreadTemplate
from frontend.program import Role as ThreadRole


def thread_flow(template: ThreadTemplate, iterations: int) -> tuple[AcyclicFlow, bool]:
    """The flow, and whether it covers every run of the thread; that handlers and tasks run again needs no invariant."""
    again = template.role in (ThreadRole.HANDLER, ThreadRole.TASK)
    whole = flow(template.cfa, again)
    return (whole, True) if not whole.open else (unrolled(template.cfa, iterations, again), False)


def unrolled(cfa: Cfa, iterations: int, again: bool = False) -> AcyclicFlow:
    """What the thread can do while it goes back to an earlier point at most so many times; loops with invariants stay cut."""
    shape = Shape(cfa, again)
    rank = {p: n for n, p in enumerate(shape.order)}
    inside = [p for p in shape.order if p[0] not in cfa.errors]
    going = {p: NodeRole.HOLD if p in shape.loops else shape.role(p) for p in inside}
    nodes = [FlowNode(p[0], going[p], p[1], n) for n in range(iterations + 1) for p in inside]
    nodes += [FlowNode(p[0], NodeRole.CHECK) for p in inside if p in shape.loops]  # nothing leaves them, so they can stand last
    number = {node: n for n, node in enumerate(nodes)}
    arcs: list[Arc] = []
    failures: list[tuple[int, int]] = []
    for n, node in enumerate(nodes):
        p = (node.location, node.call)
        if node.role is not NodeRole.HOLD:
            failures += [(n, i) for i in shape.failing(p)]
        if node.role is NodeRole.CHECK and p in shape.loops:
            continue
        for i, target in shape.out[p]:
            if target in shape.loops:
                arcs.append(Arc(n, number[FlowNode(target[0], NodeRole.CHECK)], i))
                if shape.is_back(p, target):
                    continue
            iteration = node.iteration + (rank[target] <= rank[p])
            if iteration <= iterations:
                called = shape.called(*p) if p[0] in shape.procedures and p[1] != NO_CALL else shape.loops.get(target)
                arcs.append(Arc(n, number[FlowNode(target[0], going[target], target[1], iteration)], i, called))
    start = (cfa.start, NO_CALL)
    first = NodeRole.CHECK if start in shape.loops else shape.role(start)
    free = frozenset(number[FlowNode(q, NodeRole.HOLD)] for q, _ in shape.roots if FlowNode(q, NodeRole.HOLD) in number)
    return _reached(AcyclicFlow(tuple(nodes), tuple(arcs), number[FlowNode(cfa.start, first)], free, tuple(failures),
                         given_back=shape.given_back))


def _reached(made: AcyclicFlow) -> AcyclicFlow:
    """The same flow without nodes that nothing reaches."""
    reached = {made.start, *made.free}
    for arc in made.arcs:  # sources come in the order of the nodes
        if arc.source in reached:
            reached.add(arc.target)
    kept = [n for n in range(len(made.nodes)) if n in reached]
    new = {n: i for i, n in enumerate(kept)}
    return AcyclicFlow(tuple(made.nodes[n] for n in kept),
                tuple(Arc(new[a.source], new[a.target], a.edge, a.forget) for a in made.arcs if a.source in new),
                new[made.start], frozenset(new[n] for n in made.free),
                tuple((new[n], i) for n, i in made.failures if n in new), made.open, made.given_back)
