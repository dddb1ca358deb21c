"""A program with weak memory orders, without the stale reads that C11 excludes: races stay candidates, none is lost.

The program has beside each step that reads an atomic variable one that reads anything (`Edge.stale`). Here some of those go:
- of a variable all of whose atomic accesses are read-modify-writes that acquire and release, all;
- of a flag that acquires and whose value only releasing stores write, the value was stored (`told`);
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
from dataclasses import replace

from circ.views.memory_orders.reads import beside, focusable, reading
from circ.views.memory_orders.told import Told, flag_read, flags, marks, stored
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
    MemoryOrder,
    Op,
    Program,
    Read,
    ThreadTemplate,
    Var,
    Variable,
    op_writes,
    primitive,
)
from frontend.records import dataclass

BLIND = Var("<blind>", BOOL)
"""A thread's own: it has read a value of the focus whose store is none of this run, so it passes no acquire fence."""
MOST_CONSTANTS = 4
"""Of the values that stores write which do not release; where there are more, any value may be read."""


def is_weak(program: Program) -> bool:
    """Whether the program has stale reads."""
    return any(e.stale for t in program.templates for e in t.cfa.edges)


def ordered(program: Program, focus: str | None, plain: bool = False) -> Program:
    """The program without the stale reads that the orders exclude, seen with this focus."""
    assert focus is None or focusable(program, focus)
    exact = frozenset(exact_variables(program, focus))
    facts = _Facts(exact, focus, plain, None if focus is None else _unreleased(program, focus, fences=not plain),
                   stale_flags(program, exact | {focus}))
    ghosts = (Variable(v.name, v.type, ghost=True) for v in marked(facts.told))
    return replace(program, globals=(*program.globals, *ghosts), templates=tuple(_template(t, facts) for t in program.templates))


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is known of the whole program: variables whose reads are exact, and the values of the focus that may be stale."""

    exact: frozenset[str]
    focus: str | None
    plain: bool
    unreleased: tuple[Const, ...] | None
    """What stores of the focus write that do not release; None: anything."""
    told: dict[str, Told]
    """Flags whose reads may be stale."""


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


def stale_flags(program: Program, exact: frozenset[str | None]) -> dict[str, Told]:
    """Flags that are read otherwise than exactly, by loads that acquire."""
    return {name: told for name, told in flags(program).items() if name not in exact and any(
        a.order.acquires and flag_read(e) == name for _, e, a in program.accesses[name])}


def marked(told: dict[str, Told]) -> list[Var]:
    """What a view keeps of stores of flags."""
    return [stored(name, value) for name in sorted(told) for value in told[name].released]


# --------------------------------------------------------------------------------------------------- threads
def _template(t: ThreadTemplate, facts: _Facts) -> ThreadTemplate:
    stops = any(_stops(t.cfa, e) for e in t.cfa.edges) and facts.unreleased is not None and not facts.plain
    edges = tuple(_with(new, marks(e, facts.told)) for e in t.cfa.edges for new in _edges(t.cfa, e, facts, stops))
    own = (*t.locals, Variable(BLIND.name, BLIND.type, ghost=True)) if stops else t.locals
    return replace(t, cfa=replace(t.cfa, edges=edges), locals=own)


def _with(e: Edge, more: list[Op]) -> Edge:
    return replace(e, op=Block((*primitive(e.op), *more))) if more else e


def _stops(cfa: Cfa, e: Edge) -> bool:
    """Whether the step is an acquire fence, outside of atomic sections, where nobody may wait."""
    fence = _fence(e)
    return fence is not None and fence.order.acquires and not cfa.atomic & {e.source, e.target}


def _edges(cfa: Cfa, e: Edge, facts: _Facts, stops: bool) -> Iterator[Edge]:
    """What becomes of a step; `stops`: acquire fences are passed only by threads that are not blind."""
    if stops and _stops(cfa, e):
        yield replace(e, op=Block((Assume(Binary("==", Read(BLIND), FALSE)), *primitive(e.op))))
        return
    flag = flag_read(e)
    if flag in facts.told and (not e.stale or has_twin(cfa, e)):
        yield from (replace(e, op=op) for _, op in told_reads(e, facts.told[flag]))
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
        yield from (replace(e, op=reading(other.op, facts.focus or "", value)) for other in beside(cfa, e))


def has_twin(cfa: Cfa, stale: Edge) -> bool:
    """Whether there is a step that reads what is there, of which this one reads anything."""
    return any(True for _ in beside(cfa, stale))


def told_reads(e: Edge, told: Told) -> Iterator[tuple[Const | None, Op]]:
    """What becomes of a step that reads a flag: what it does for each value, and the value if that tells anything.

    The latest value is one of them. Of a step that reads anything nothing is left, as these do what it may do.
    """
    acquires = all(a.order.acquires for a in e.accesses)
    for value in () if e.stale else told.released:
        op = reading(e.op, told.name, value)
        if acquires:
            yield value, Block((Assume(Read(stored(told.name, value))), *primitive(op)))
        else:
            yield None, op
    yield from ((None, reading(e.op, told.name, value)) for value in (() if e.stale else told.other))


def _as_plain(e: Edge, facts: _Facts) -> Edge:
    """With `plain`, relaxed loads of the focus are accesses to data."""
    if not facts.plain or e.protected:
        return e
    return replace(e, accesses=tuple(replace(a, kind=AccessKind.DATA) if _relaxed_load(a, facts) else a for a in e.accesses))


def _relaxed_load(a: Access, facts: _Facts) -> bool:
    return a.variable == facts.focus and not a.write and a.kind is AccessKind.ATOMIC and not a.order.acquires
