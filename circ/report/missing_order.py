"""Why nothing orders the two accesses of a race under weak memory orders, and which orders would, in words."""

from __future__ import annotations

from circ.semantics.interpreter import Machine
from circ.semantics.weak_memory import AT_START, WeakRun
from circ.verdict import Step, Trace
from frontend.program import Access, AccessKind, Edge, Location


def missing_order(machine: Machine, trace: Trace, run: WeakRun) -> str:
    """The store and the load that come between the accesses and do not order them; or the load that gave an old value."""
    assert trace.earlier is not None
    first, second = (machine.edge(run.crew[thread], edge).accesses[at].location for thread, edge, at in trace.accesses)
    begin = f"nothing orders {_line(first)} before {_line(second)}"
    (one, _, _), (two, _, _) = trace.accesses
    for number, step in reversed(list(enumerate(trace.steps))):
        source = run.read_from.get(number)
        if step.thread == two and source is not None and source > trace.earlier and trace.steps[source].thread == one:
            return f"{begin}: {_handed_over(machine, run, trace.steps[source], step)}"
    for number, step in reversed(list(enumerate(trace.steps))):
        if step.source is not None and step.thread in (one, two):
            load = _atomic(_edge(machine, run, step), False)
            return f"{begin}: the load at {_line(load.location)} gives an old value, {origin(machine, trace, run, number)}; " \
                   "memory_order_seq_cst for what is stored and loaded there would exclude that"
    return f"{begin}: nothing that the one thread stores behind it is read by the other before"


def origin(machine: Machine, trace: Trace, run: WeakRun, number: int) -> str:
    """Where the value comes from that a step reads from an atomic variable; nothing if it reads none."""
    source = run.read_from.get(number)
    if source is None:
        return ""
    if source == AT_START:
        return "the one at the start"
    return f"stored at {_line(_atomic(_edge(machine, run, trace.steps[source]), True).location)}"


def _handed_over(machine: Machine, run: WeakRun, store: Step, load: Step) -> str:
    """What is missing of a store and the load that reads it."""
    stored, loaded = _atomic(_edge(machine, run, store), True), _atomic(_edge(machine, run, load), False)
    there, here = f"the store at {_line(stored.location)}", f"the load at {_line(loaded.location)}"
    match stored.order.releases, loaded.order.acquires:
        case True, True:
            return f"{there} releases and {here} acquires, but what they hand over is not this"
        case True, False:
            return f"{here} is {loaded.order.value}; memory_order_acquire there would, as {there} releases"
        case False, True:
            return f"{there} is {stored.order.value}; memory_order_release there would, as {here} acquires"
        case _:
            both = f"memory_order_release there and memory_order_acquire at {_line(loaded.location)}"
            return f"{there} is {stored.order.value}; {both} would"


def _edge(machine: Machine, run: WeakRun, step: Step) -> Edge:
    return machine.edge(run.crew[step.thread], step.edge)


def _atomic(edge: Edge, write: bool) -> Access:
    """The access by which the step stores or loads; a plain store of an atomic variable if it has no other."""
    found = [a for a in edge.accesses if a.write == write]
    return next((a for a in found if a.kind is AccessKind.ATOMIC), found[0])


def _line(place: Location) -> str:
    return f"line {place.line}"
