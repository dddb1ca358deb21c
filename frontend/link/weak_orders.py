"""Atomic accesses whose memory order is weaker than sequentially consistent: what a load gives proves nothing by itself.

With weak orders a load may give an older value, and one that gives the latest need not make what its writer did before visible.
So beside each step that reads an atomic variable there is one that reads anything (`Edge.stale`). A proof about the program
covers both; `circ.views.memory_orders.orders` leaves out what the orders exclude. A run that takes the second is none that is
surely possible, because nothing here says which values are old enough.

Why every race of C11 is one of this program: docs/memory.md, "Memory orders".
"""

from __future__ import annotations

from collections.abc import Iterator

from frontend.program import (
    BOOL,
    FENCE,
    Access,
    AccessKind,
    Assign,
    Assume,
    Block,
    Cfa,
    Doubt,
    Edge,
    Havoc,
    Op,
    ThreadTemplate,
    Variable,
    name_of,
    op_reads,
    primitive,
)
from frontend.records import replace

_DOUBT = Doubt("with this memory order a load may give another value, and orders nothing", step=True)
FENCE_GHOST = Variable(FENCE, BOOL, ghost=True)


def with_weak_loads(templates: tuple[ThreadTemplate, ...]) -> tuple[ThreadTemplate, ...]:
    """The templates with the steps that read anything beside those that read an atomic variable."""
    atomic = frozenset(a.variable for t in templates for e in t.cfa.edges for a in e.accesses if a.kind is AccessKind.ATOMIC)
    return tuple(replace(t, cfa=replace(t.cfa, edges=tuple(_edges(t.cfa, atomic - {FENCE})))) for t in templates)


def _edges(cfa: Cfa, atomic: frozenset[str]) -> Iterator[Edge]:
    for edge in cfa.edges:
        yield edge
        loaded = frozenset(a.variable for a in edge.accesses if a.variable in atomic and _reads(a))
        if loaded:
            op = Block(tuple(part for p in primitive(edge.op) for part in _anything(p, loaded)))
            yield replace(edge, op=op, doubts=(*edge.doubts, _DOUBT), stale=True)


def _reads(a: Access) -> bool:
    return not a.write and not a.orders


def _anything(op: Op, loaded: frozenset[str]) -> Iterator[Op]:
    """The operation if the variables hold any value: conditions on them pass, what is computed from them is open."""
    if loaded.isdisjoint(map(name_of, op_reads(op))):
        yield op
        return
    match op:
        case Assume():
            pass
        case Assign(target=target):
            yield Havoc((target,))
        case _:
            yield op
