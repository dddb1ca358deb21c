"""Atomic variables that sequentially consistent fences make behave as if they were sequentially consistent themselves.

Such a variable is only loaded and stored, its stores are made by one thread, and each load of it by another thread is *fresh*: on
every way to it there is a `seq_cst` fence behind which the thread has stored to none of these variables and taken nothing over
from others, except by loads of this very variable. Dekker's algorithm with a fence between store and load is the pattern.

Why their loads find the latest value in a run (if what they read happens before them): docs/memory.md, "Memory orders".
"""

from __future__ import annotations

from collections.abc import Callable

from circ.views.memory_orders.reads import focusable
from frontend.program import (
    FENCE,
    Access,
    AccessKind,
    AllAt,
    Assign,
    Const,
    Edge,
    MemoryOrder,
    Program,
    Var,
    op_writes,
    primitive,
)

MOST_CONSTANTS = 4
"""That stores write; where there are more, a load may find anything."""

_LATE = frozenset({FENCE})
"""No fence, or something came after it; otherwise the variables whose loads have acquired since the last `seq_cst` fence."""


def fenced_variables(program: Program) -> frozenset[str]:
    """The largest set of such variables."""
    found = frozenset(name for name in program.accesses if _by_one_thread(program, name))
    while True:
        kept = found - frozenset(_looked_at_too_late(program, found))
        if kept == found:
            return found
        found = kept


def stored(program: Program, name: str, released: bool) -> tuple[Const, ...] | None:
    """The constants that are stored in the variable, with `released` also by stores that release; None for anything."""
    values: dict[Const, None] = {}
    for _, e, a in program.accesses[name]:
        if not a.write or e.stale or (not released and a.kind is AccessKind.ATOMIC and a.order.releases):
            continue
        for part in primitive(e.op):
            match part:
                case Assign(target=Var(name=target), value=Const() as value) if target == name:
                    values[value] = None
                case _ if name in op_writes(part):
                    return None
    return tuple(values) if len(values) <= MOST_CONSTANTS else None


def loads_and_stores_only(program: Program, name: str) -> bool:
    """Whether the variable is an atomic scalar that is not changed by read-modify-writes, each access a step by itself."""
    return focusable(program, name) and all(not e.protected and len(e.accesses) == 1 for _, e, _ in program.accesses[name])


def _by_one_thread(program: Program, name: str) -> bool:
    writers = {t for t, _, a in program.accesses[name] if a.write}
    return loads_and_stores_only(program, name) and len(writers) == 1 and all(program.templates[t].count == 1 for t in writers)


def _looked_at_too_late(program: Program, candidates: frozenset[str]) -> list[str]:
    """Those of the candidates that some other thread than their writer loads without a fresh fence."""
    writer = {name: t for name in candidates for t, _, a in program.accesses[name] if a.write}
    late = []
    for t, template in enumerate(program.templates):
        fresh = template.cfa.forward(_LATE, _after(candidates), frozenset.union)
        for e in template.cfa.edges:
            for a in e.accesses:
                if a.variable in candidates and a.kind is AccessKind.ATOMIC and not a.write and writer[a.variable] != t \
                        and (fresh[e.source] or frozenset()) - {a.variable}:
                    late.append(a.variable)
    return late


def _after(candidates: frozenset[str]) -> Callable[[frozenset[str], Edge], frozenset[str]]:
    def after(known: frozenset[str], e: Edge) -> frozenset[str]:
        if any(isinstance(part, AllAt) for part in primitive(e.op)):
            return _LATE
        if e.protected and not (e.accesses and all(a.kind is AccessKind.ATOMIC for a in e.accesses)):
            return _LATE
        for a in e.accesses:
            known = _behind(known, a, candidates)
        return known

    return after


def _behind(known: frozenset[str], a: Access, candidates: frozenset[str]) -> frozenset[str]:
    """What is known behind the access."""
    if a.variable == FENCE:
        harmless = a.order in (MemoryOrder.RELAXED, MemoryOrder.RELEASE)
        return frozenset() if a.order is MemoryOrder.SEQ_CST else known if harmless else _LATE
    if a.orders or (a.write and a.variable in candidates):
        return _LATE
    takes = a.kind is AccessKind.ATOMIC and not a.write and a.order is not MemoryOrder.RELAXED
    return known | {a.variable} if takes else known
