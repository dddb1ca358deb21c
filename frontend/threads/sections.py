"""Atomic and critical sections: from begin/end marks on steps to atomic locations and protected edges.

A guard that may block must not do so inside an atomic section, because the thread would then hold up the world for ever.
Entering is where blocking happens: the steps behind `begin` leave from the location before it. A guard that may block
deeper inside is joined with the steps before it, back to the entry, into one step that exists only if the guard passes.
Where that cannot be done (a loop before the guard, or a data access that would stand behind another guard), the section
is interrupted at the guard: the location is not atomic, which allows more interleavings than the program has, never fewer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from frontend.memory.sketch import SectionMark, Sketch, SketchStep
from frontend.program import (
    SKIP,
    Access,
    AllAt,
    Assign,
    Assume,
    Block,
    Doubt,
    Element,
    Expr,
    FrontendError,
    Havoc,
    Op,
    name_of,
    negate,
    op_writes,
    primitive,
    reads,
)
from frontend.program.connectives import conjuncts
from frontend.program.fold import conjunction, fold
from frontend.records import replace

_MAX_JOINED = 200
_INTERRUPTED = Doubt("an atomic section may be interrupted where it waits", step=True)


def resolve_sections(graph: Sketch, spell_out: Callable[[Sketch, dict[int, int]], set[int]] | None = None) -> None:
    """Replace the marks by atomic and critical locations and protected steps; the graph has no mark afterwards.

    `spell_out`: replaces the marks of sections that are not simply atomic, and gives their locations where others may run.
    """
    graph.prune()
    depths = _depths(graph, SectionMark.ATOMIC_BEGIN, SectionMark.ATOMIC_END, "atomic section")
    criticals = _depths(graph, SectionMark.CRITICAL_BEGIN, SectionMark.CRITICAL_END, "critical section")
    graph.atomic = {q for q, d in depths.items() if d > 0} - (set() if spell_out is None else spell_out(graph, depths))
    graph.critical = {q for q, d in criticals.items() if d > 0}
    graph.steps = [replace(s, protected=True) if s.source in graph.atomic or s.target in graph.atomic else s for s in graph.steps]
    _drop_marks(graph)


def _depths(graph: Sketch, begin: SectionMark, end: SectionMark, what: str) -> dict[int, int]:
    """Nesting depth of each location; paths must agree on it."""
    out = graph.leaving()
    depth = {graph.start: 0}
    work = deque([graph.start])
    while work:
        here = work.popleft()
        for step in out[here]:
            after = depth[here] + (step.mark is begin) - (step.mark is end)
            if after < 0:
                raise FrontendError(step.location, f"unbalanced {what}: it ends here, but none has begun",
                                    "begin it on every path")
            known = depth.get(step.target)
            if known is None:
                depth[step.target] = after
                work.append(step.target)
            elif known != after:
                raise FrontendError(step.location, f"unbalanced {what}: paths that meet here are nested {known} and {after} deep",
                                    "begin and end it on every path")
    return depth


def _drop_marks(graph: Sketch) -> None:
    graph.steps = [replace(s, mark=None) if s.mark in (SectionMark.CRITICAL_BEGIN,
                                                       SectionMark.CRITICAL_END) else s for s in graph.steps]
    # Inner begin and end change nothing; outer ones move the border of the section onto their neighbours.
    graph.steps = [
        replace(s, mark=None) if s.mark is not None and s.source in graph.atomic and s.target in graph.atomic else s
        for s in graph.steps
    ]
    _close(graph)
    _open(graph)


def _close(graph: Sketch) -> None:
    """The last step inside a section leaves it: a location whose only way on is `end` becomes the one behind it."""
    out = graph.leaving()
    behind = {
        q: steps[0].target
        for q, steps in out.items()
        if q in graph.atomic and len(steps) == 1 and steps[0].mark is SectionMark.ATOMIC_END and _plain(graph, q, steps[0].target)
    }
    entered = {s.target for s in graph.steps if s.mark is SectionMark.ATOMIC_BEGIN}
    # An empty section keeps its `end` as the one protected step.
    behind = {q: t for q, t in behind.items() if q not in entered}
    graph.steps = [
        replace(s, target=behind.get(s.target, s.target), mark=None if s.mark is SectionMark.ATOMIC_END else s.mark)
        if s.target in behind or s.mark is SectionMark.ATOMIC_END else s
        for s in graph.steps
        if s.source not in behind
    ]
    graph.prune()


def _open(graph: Sketch) -> None:
    """The first step inside a section enters it: what leaves the location behind `begin` leaves the one before it."""
    out = graph.leaving()
    made: list[SketchStep] = []
    for step in graph.steps:
        if step.mark is not SectionMark.ATOMIC_BEGIN:
            made.append(step)
        elif step.target in graph.errors or not _plain(graph, step.source, step.target):
            made.append(replace(step, mark=None))
        else:
            made.extend(replace(inner, source=step.source, protected=True) for inner in out[step.target])
    graph.steps = made
    graph.prune()


def _plain(graph: Sketch, first: int, second: int) -> bool:
    """Whether the two locations may become one as far as errors and critical sections are concerned."""
    return not {first, second} & graph.errors.keys() and (first in graph.critical) == (second in graph.critical)


# --------------------------------------------------------------------------------------------------- blocking inside
def unblock(graph: Sketch) -> None:
    """No location that stays atomic has guards that may all fail; see the module's text."""
    for _ in range(_MAX_JOINED):
        out = graph.leaving()
        stuck = next((q for q in graph.reachable() if q in graph.atomic and may_block(out[q])), None)
        if stuck is None:
            break
        joined = _join_at(graph, stuck)
        if joined is None:
            _interrupt(graph, {stuck})
        else:
            graph.steps = joined
            graph.prune()
    else:
        out = graph.leaving()
        _interrupt(graph, {q for q in graph.atomic if may_block(out[q])})


def _interrupt(graph: Sketch, stuck: set[int]) -> None:
    """Let others run at these locations inside atomic sections, although the program does not."""
    graph.atomic -= stuck
    graph.steps = [replace(s, doubts=(*s.doubts, _INTERRUPTED)) if s.source in stuck else s for s in graph.steps]


def may_block(steps: list[SketchStep]) -> bool:
    """Whether a thread at the source of these steps may be unable to take any; never wrong when it says no."""
    if any(s.total for s in steps):
        return False
    return not exhaustive([s.op for s in steps])


def exhaustive(ops: list[Op]) -> bool:
    """Whether in every state at least one of the operations can be done; it may say no although that is so."""
    conditions: list[Expr] = []
    for op in ops:
        guards = [p for p in primitive(op) if isinstance(p, Assume | AllAt)]
        if not guards:
            return True
        if len(guards) == 1 and isinstance(guards[0], Assume) and _first_is_guard(op):
            conditions.append(fold(guards[0].cond))
    # Some condition is the negation of another, or, as a `switch` has it, of all the others together.
    for one in conditions:
        if fold(negate(one)) in conditions:
            return True
        rest = conjuncts(one)
        if len(rest) > 1 and all(fold(negate(part)) in conditions for part in rest):
            return True
    return False


def _first_is_guard(op: Op) -> bool:
    first = next(iter(primitive(op)), None)
    return isinstance(first, Assume)


def _join_at(graph: Sketch, stuck: int) -> list[SketchStep] | None:
    """The steps with `stuck` bypassed by joined steps; None if that cannot be done."""
    into = [s for s in graph.steps if s.target == stuck]
    out = [s for s in graph.steps if s.source == stuck]
    if not out or any(s.source == stuck for s in into) or len(into) * len(out) > _MAX_JOINED or stuck in graph.errors:
        return None
    joined: dict[SketchStep, list[SketchStep]] = {}
    for first in into:
        pairs = [join(first, second) for second in out]
        if any(p is None for p in pairs):
            return None
        joined[first] = [p for p in pairs if p is not None]
    made: list[SketchStep] = []
    for step in graph.steps:
        if step.target == stuck:
            made.extend(joined[step])
        elif step.source != stuck:
            made.append(step)
    return made


def join(first: SketchStep, second: SketchStep) -> SketchStep | None:
    """Both steps as one; None if a data access of the second would stand behind a guard of the first."""
    before, after = list(primitive(first.op)), list(primitive(second.op))
    guards = [p for p in before if isinstance(p, Assume)]
    if any(isinstance(p, AllAt) for p in (*before, *after)):
        return None
    changed = {name for p in before for name in op_writes(p)}
    ops: list[Op]
    if guards and second.accesses:
        # Two conditions tested at once are one guard, as long as nothing changes in between.
        if len(before) != 1 or not after or not isinstance(after[0], Assume):
            return None
        if any(not isinstance(p, Assume) for p in after) and _touches_later(second, after):
            return None
        ops = [Assume(conjunction(guards[0].cond, after[0].cond)), *after[1:]]
    else:
        ops = [*before, *after]
    accesses = (*first.accesses, *(_widen(a, changed) for a in second.accesses if a not in first.accesses))
    text = first.text if first.text == second.text else "; ".join(t for t in (first.text, second.text) if t)
    op = ops[0] if len(ops) == 1 else Block(tuple(ops))
    return SketchStep(first.source, second.target, op if ops else SKIP, accesses, second.location, text,
                first.protected or second.protected, None, first.total and second.total, doubts=(*first.doubts, *second.doubts))


def _touches_later(step: SketchStep, ops: list[Assume | Assign | Havoc | AllAt]) -> bool:
    """Whether an operation behind the first one makes one of the step's accesses."""
    touched = {a.variable for a in step.accesses}
    for op in ops[1:]:
        names = set(op_writes(op))
        if isinstance(op, Assume):
            names |= {name_of(v) for v in reads(op.cond)}
        elif isinstance(op, Assign):
            names |= {name_of(v) for v in reads(op.value)}
        if names & touched:
            return True
    return False


def _widen(access: Access, changed: set[str]) -> Access:
    """The access as seen from before the step: any element, if the index reads what the step has changed by then."""
    if isinstance(access.lvalue, Element) and {name_of(v) for v in reads(access.lvalue.index)} & changed:
        return replace(access, whole=True)
    return access
