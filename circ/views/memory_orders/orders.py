"""A program with weak memory orders, without the stale reads that C11 excludes: races stay candidates, none is lost.

The program has beside each step that reads an atomic variable one that reads anything (`Edge.stale`). Here some of those go:
- of a variable all of whose atomic accesses are read-modify-writes that acquire and release, all;
- with focus None, of every variable all of whose atomic accesses are sequentially consistent, all;
- with a focus x, a scalar: reads of x that acquire give the latest value, or a constant that some store of x writes that does
  not release. Relaxed reads give the latest value, or anything: in the second case the thread passes no acquire fence any more.
  With `plain` relaxed loads of x give the latest value only, and are plain accesses: the proof needs a second one, that they
  race with no store of x.

Why no race is lost: docs/memory.md, "Memory orders". In short: take a race of C11 and all that happens before one of its two
accesses. What the reads in it got that must be exact came from stores in it; and happens-before, the coherence of one variable
and the order of all sequentially consistent variables, or the first two, have no cycle. So what happens before can be run in
such an order, the reads in question find the latest values, and at the end both accesses are next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from frontend.program import (
    BOOL,
    FALSE,
    FENCE,
    TRUE,
    Access,
    AccessKind,
    Assign,
    Assume,
    Binary,
    Block,
    Cfa,
    Const,
    Edge,
    Expr,
    Lvalue,
    MemoryOrder,
    Op,
    Program,
    Read,
    ThreadTemplate,
    Var,
    Variable,
    name_of,
    op_writes,
    primitive,
    substitute,
)

BLIND = Var("<blind>", BOOL)
"""A thread's own: it has read a value of the focus whose store is none of this run, so it passes no acquire fence."""
MOST_CONSTANTS = 4
"""Of the values that stores write which do not release; where there are more, any value may be read."""


def is_weak(program: Program) -> bool:
    """Whether the program has stale reads."""
    return any(e.stale for t in program.templates for e in t.cfa.edges)


def focusable(program: Program, name: str) -> bool:
    """Whether the variable can be a focus: one atomic scalar, all of whose accesses are known."""
    accesses = [a for _, _, a in program.accesses.get(name, ())]
    return name != FENCE and any(a.kind is AccessKind.ATOMIC for a in accesses) and all(
        isinstance(a.lvalue, Var) and not a.whole and not a.orders for a in accesses)


def ordered(program: Program, focus: str | None, plain: bool = False) -> Program:
    """The program without the stale reads that the orders exclude, seen with this focus."""
    assert focus is None or focusable(program, focus)
    facts = _Facts(frozenset(exact_variables(program, focus)), focus, plain,
                   None if focus is None else _unreleased(program, focus, fences=not plain))
    return replace(program, templates=tuple(_template(t, facts) for t in program.templates))


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is known of the whole program: variables whose reads are exact, and the values of the focus that may be stale."""

    exact: frozenset[str]
    focus: str | None
    plain: bool
    unreleased: tuple[Const, ...] | None
    """What stores of the focus write that do not release; None: anything."""


# --------------------------------------------------------------------------------------------------- the whole program
def exact_variables(program: Program, focus: str | None) -> Iterator[str]:
    """Variables whose reads always find the latest value in the order of the run."""
    leaving = [t.cfa.leaving() for t in program.templates]
    entering = [_entering(t.cfa) for t in program.templates]
    for name, found in program.accesses.items():
        atomic = [(t, e, a) for t, e, a in found if a.kind is AccessKind.ATOMIC]
        if not atomic or name == FENCE:
            continue
        consistent = focus is None and all(a.order is MemoryOrder.SEQ_CST for _, _, a in atomic)
        if consistent or all(_ordering_change(e, a, entering[t][e.source], leaving[t][e.target]) for t, e, a in atomic):
            yield name


def _ordering_change(e: Edge, a: Access, before: list[Edge], after: tuple[Edge, ...]) -> bool:
    """Whether the access is part of a read-modify-write that acquires and releases: its other half is in the same step, or in
    every one directly before or after it."""
    def other_half(e: Edge) -> bool:
        return e.protected and any(b.variable == a.variable and b.write != a.write and b.kind is AccessKind.ATOMIC
                                   and b.location == a.location for b in e.accesses)

    beside = before if a.write else after
    changes = other_half(e) or (bool(beside) and all(map(other_half, beside)))
    return changes and e.protected and a.order in (MemoryOrder.ACQ_REL, MemoryOrder.SEQ_CST)


def _entering(cfa: Cfa) -> list[list[Edge]]:
    found: list[list[Edge]] = [[] for _ in range(cfa.size)]
    for e in cfa.edges:
        found[e.target].append(e)
    return found


def _unreleased(program: Program, focus: str, fences: bool) -> tuple[Const, ...] | None:
    """The constants that stores of the focus write which do not release; None if they may write anything."""
    values: dict[Const, None] = {}
    for t in program.templates:
        behind = _behind_release(t.cfa) if fences else frozenset()
        for e in t.cfa.edges:
            stores = [a for a in e.accesses if a.variable == focus and a.write and a.kind is AccessKind.ATOMIC]
            if e.stale or not stores or all(a.order.releases for a in stores):
                continue
            if e.source in behind and not e.protected and len(e.accesses) == 1:
                continue  # a relaxed store directly behind a release fence
            for part in primitive(e.op):
                match part:
                    case Assign(target=Var(name=name), value=Const() as value) if name == focus:
                        values[value] = None
                    case _ if focus in op_writes(part):
                        return None
    return tuple(values) if len(values) <= MOST_CONSTANTS else None


def _behind_release(cfa: Cfa) -> frozenset[int]:
    """Locations before which the last access, whichever way the thread came, is a release fence."""
    def after(known: bool | None, e: Edge) -> bool | None:
        return _fence(e) is not None and all(a.order.releases for a in e.accesses) if e.accesses else known

    return frozenset(q for q, known in enumerate(cfa.forward(False, after, lambda a, b: a and b)) if known)


def _fence(e: Edge) -> Access | None:
    return next((a for a in e.accesses if a.variable == FENCE), None)


# --------------------------------------------------------------------------------------------------- threads
def _template(t: ThreadTemplate, facts: _Facts) -> ThreadTemplate:
    stops = any(_stops(t.cfa, e) for e in t.cfa.edges) and facts.unreleased is not None and not facts.plain
    edges = tuple(new for e in t.cfa.edges for new in _edges(t.cfa, e, facts, stops))
    own = (*t.locals, Variable(BLIND.name, BLIND.type, ghost=True)) if stops else t.locals
    return replace(t, cfa=replace(t.cfa, edges=edges), locals=own)


def _stops(cfa: Cfa, e: Edge) -> bool:
    """Whether the step is an acquire fence, outside of atomic sections, where nobody may wait."""
    fence = _fence(e)
    return fence is not None and fence.order.acquires and not cfa.atomic & {e.source, e.target}


def _edges(cfa: Cfa, e: Edge, facts: _Facts, stops: bool) -> Iterator[Edge]:
    """What becomes of a step; `stops`: acquire fences are passed only by threads that are not blind."""
    if stops and _stops(cfa, e):
        yield replace(e, op=Block((Assume(Binary("==", Read(BLIND), FALSE)), *primitive(e.op))))
        return
    if not e.stale:
        yield _as_plain(e, facts)
        return
    loads = [a for a in e.accesses if not a.write and not a.orders and a.variable not in facts.exact]
    if any(a.variable != facts.focus for a in loads):
        yield e
        return
    atomic = [a for a in loads if a.kind is AccessKind.ATOMIC]
    relaxed = any(not a.order.acquires for a in atomic)
    if not atomic or (relaxed and facts.plain and not e.protected):
        return
    if facts.unreleased is None or (relaxed and not stops):
        yield e
        return
    if relaxed:
        yield replace(e, op=Block((*primitive(e.op), Assign(BLIND, TRUE))))
    for value in facts.unreleased:
        yield from (replace(e, op=reading(other.op, facts.focus or "", value)) for other in _beside(cfa, e))


def _beside(cfa: Cfa, stale: Edge) -> Iterator[Edge]:
    """The steps that read what is there, of which this one reads anything."""
    ends = stale.source, stale.target, stale.accesses
    return (e for e in cfa.edges if not e.stale and (e.source, e.target, e.accesses) == ends)


def reading(op: Op, name: str, value: Const) -> Op:
    """The operation if the variable had this value when the step began."""
    def seen(v: Lvalue) -> Expr | None:
        return value if name_of(v) == name else None

    parts: list[Op] = []
    changed = False
    for part in primitive(op):
        match part:
            case Assume(cond=cond) if not changed:
                parts.append(Assume(substitute(cond, seen)))
            case Assign(target=target, value=e) if not changed:
                parts.append(Assign(target, substitute(e, seen)))
            case _:
                parts.append(part)
        changed = changed or name in op_writes(part)
    return Block(tuple(parts))


def _as_plain(e: Edge, facts: _Facts) -> Edge:
    """With `plain`, relaxed loads of the focus are accesses to data."""
    if not facts.plain or e.protected:
        return e
    return replace(e, accesses=tuple(replace(a, kind=AccessKind.DATA) if _relaxed_load(a, facts) else a for a in e.accesses))


def _relaxed_load(a: Access, facts: _Facts) -> bool:
    return a.variable == facts.focus and not a.write and a.kind is AccessKind.ATOMIC and not a.order.acquires
