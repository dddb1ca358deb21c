"""Atomic accesses whose memory order is weaker than sequentially consistent: what a load gives proves nothing then.

With weak orders a load may give an older value, and one that gives the latest need not make what its writer did before visible.
So beside each step that reads an atomic variable there is one that reads anything. A proof covers both; a run that takes the
second is none that is surely possible, because nothing here says which values are old enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from frontend.ir import Orders
from frontend.program import (
    AccessKind,
    Assign,
    Assume,
    Block,
    Cfa,
    Doubt,
    Edge,
    Element,
    Havoc,
    Op,
    ThreadTemplate,
    name_of,
    op_reads,
    primitive,
)

_DOUBT = Doubt("with this memory order a load may give another value, and orders nothing", step=True)


def are_weak(orders: frozenset[Orders], templates: tuple[ThreadTemplate, ...]) -> bool:
    """Whether values of atomic variables tell less than with sequentially consistent accesses.

    They do not if only changes look at them, which find the latest value, and all stores release: those are locks. A change that
    only acquires takes a lock that a store of its own gives back. A load beside a store that only releases may pass it. And there
    is one such variable at most: of two locks, each thread may give back its own and then find the other's still taken.
    """
    found = [(a, e.protected) for t in templates for e in t.cfa.edges for a in e.accesses if a.kind is AccessKind.ATOMIC]
    kinds = [(a.write, protected) for a, protected in found]
    loaded, stored = (False, False) in kinds, (True, False) in kinds
    several = len({a.variable for a, _ in found}) > 1 or any(isinstance(a.lvalue, Element) for a, _ in found)
    return Orders.WEAK in orders or (Orders.ACQUIRING in orders and not stored) or (bool(orders) and (loaded or several))


def with_weak_loads(templates: tuple[ThreadTemplate, ...]) -> tuple[ThreadTemplate, ...]:
    """The templates with the steps that read anything beside those that read an atomic variable."""
    return tuple(replace(t, cfa=replace(t.cfa, edges=tuple(_edges(t.cfa)))) for t in templates)


def _edges(cfa: Cfa) -> Iterator[Edge]:
    for edge in cfa.edges:
        yield edge
        loaded = frozenset(a.variable for a in edge.accesses if a.kind is AccessKind.ATOMIC and not a.write)
        if loaded:
            op = Block(tuple(part for p in primitive(edge.op) for part in _anything(p, loaded)))
            yield replace(edge, op=op, doubts=(*edge.doubts, _DOUBT))


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
