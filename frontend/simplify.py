"""Makes a thread's automaton readable and small without changing what other threads can see of it.

Copies into temporaries are put where they are used, constants are propagated through registers, dead assignments and
empty steps vanish, and unreachable code is dropped. An edge outside an atomic section still touches shared memory at
most once, and an access is never lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from frontend.cfa import SKIP, Assign, Assume, Block, Havoc, Op, name_of, op_reads, primitive
from frontend.expr import Binary, Const, Element, Expr, Lvalue, Read, Var, children, reads, substitute
from frontend.fold import fold
from frontend.steps import Sketch, Step

_MAX_TERM = 60


def simplify(graph: Sketch, locals_: Mapping[str, bool]) -> None:
    """Simplify in place. `locals_`: the thread's own scalar variables, True for temporaries that no user ever sees."""
    propagate(graph, locals_)
    while True:
        before = len(graph.steps)
        _drop_skips(graph)
        kill_dead(graph, locals_)
        forwarded = _forward(graph, locals_)
        graph.prune()
        if not forwarded and len(graph.steps) == before:
            break


# --------------------------------------------------------------------------------------------------- rewriting
def rewrite(op: Op, values: Mapping[str, Expr]) -> Op:
    """The operation with the named variables replaced by expressions wherever they are read."""
    def replaced(v: Lvalue) -> Expr | None:
        return values.get(v.name) if isinstance(v, Var) else None

    def expr(e: Expr) -> Expr:
        return fold(substitute(e, replaced))

    def target(t: Lvalue) -> Lvalue:
        return Element(t.array, expr(t.index), t.type) if isinstance(t, Element) else t

    match op:
        case Assume(cond=c):
            return Assume(expr(c))
        case Assign(target=t, value=e):
            return Assign(target(t), expr(e))
        case Havoc(targets=ts, whole=ws):
            return Havoc(tuple(map(target, ts)), ws)
        case _:
            return op


def rewrite_step(step: Step, values: Mapping[str, Expr]) -> Step:
    """The step with variables replaced where it reads them before it changes them, accesses included."""
    known = dict(values)
    ops: list[Op] = []
    for part in primitive(step.op):
        new = rewrite(part, known)
        ops.append(new)
        for name in _scalar_writes(new):
            known.pop(name, None)
        known = {n: e for n, e in known.items() if not (set(_scalar_writes(new)) & {name_of(v) for v in reads(e)})}

    def replaced(v: Lvalue) -> Expr | None:
        return values.get(v.name) if isinstance(v, Var) else None

    accesses = tuple(
        replace(a, lvalue=Element(a.lvalue.array, fold(substitute(a.lvalue.index, replaced)), a.lvalue.type))
        if isinstance(a.lvalue, Element) else a
        for a in step.accesses
    )
    return replace(step, op=_block(ops), accesses=accesses)


def _block(ops: list[Op]) -> Op:
    return ops[0] if len(ops) == 1 else Block(tuple(ops)) if ops else SKIP


def _scalar_writes(op: Op) -> list[str]:
    found: list[str] = []
    for part in primitive(op):
        if isinstance(part, Assign):
            found.append(name_of(part.target))
        elif isinstance(part, Havoc):
            found.extend(name_of(t) for t in part.targets)
            found.extend(part.whole)
    return found


# --------------------------------------------------------------------------------------------------- constants
def constants(graph: Sketch, locals_: Mapping[str, bool]) -> dict[int, dict[str, Const]]:
    """For each location that can be reached, the registers whose value there is known."""
    states: dict[int, dict[str, Const]] = {graph.start: {}}
    out = graph.leaving()
    work = deque([graph.start])
    while work:
        here = work.popleft()
        for step in out[here]:
            after = _constants_after(step, states[here], locals_)
            if after is None:
                continue
            known = states.get(step.target)
            if known is None:
                states[step.target] = after
                work.append(step.target)
            else:
                meet = {n: c for n, c in known.items() if after.get(n) == c}
                if len(meet) != len(known):
                    states[step.target] = meet
                    work.append(step.target)
    return states


def propagate(graph: Sketch, locals_: Mapping[str, bool]) -> None:
    """Replace registers by the constants they are known to hold, drop guards that always pass and steps that never do."""
    states = constants(graph, locals_)
    steps: list[Step] = []
    for step in graph.steps:
        values = states.get(step.source)
        if values is None or _constants_after(step, values, locals_) is None:
            continue
        new = rewrite_step(step, values) if values else step
        steps.append(_drop_true(new))
    graph.steps = steps
    graph.prune()


def _constants_after(step: Step, before: dict[str, Const], locals_: Mapping[str, bool]) -> dict[str, Const] | None:
    """What is known behind the step; None if it can never be taken."""
    now = dict(before)
    for part in primitive(step.op):
        new = rewrite(part, now)
        match new:
            case Assume(cond=Const(value=0)):
                return None
            case Assume(cond=c):
                learned = _equality(c, locals_)
                if learned is not None:
                    now[learned[0]] = learned[1]
            case Assign(target=Var(name=n), value=Const() as c) if n in locals_:
                now[n] = c
            case _:
                for name in _scalar_writes(new):
                    now.pop(name, None)
    return now


def _equality(cond: Expr, locals_: Mapping[str, bool]) -> tuple[str, Const] | None:
    """The register and constant of a guard `register == constant`."""
    match cond:
        case Binary(op="==", left=Read(lvalue=Var(name=n)), right=Const() as c) if n in locals_:
            return n, c
    return None


def _drop_true(step: Step) -> Step:
    """Guards that always pass are left out, unless their step reads shared memory."""
    if step.accesses:
        return step
    ops: list[Op] = [p for p in primitive(step.op) if not (isinstance(p, Assume) and isinstance(p.cond, Const) and p.cond.value)]
    return replace(step, op=_block(ops))


# --------------------------------------------------------------------------------------------------- empty steps
def _drop_skips(graph: Sketch) -> None:
    """Merge the two ends of a step that does nothing, where nobody can tell them apart."""
    changed = True
    while changed:
        changed = False
        graph.steps = [s for s in graph.steps if not (s.source == s.target and _is_skip(s))]
        out, into = graph.leaving(), graph.entering()
        union: dict[int, int] = {}
        touched: set[int] = set()
        for step in graph.steps:
            if not _is_skip(step) or {step.source, step.target} & touched:
                continue
            alike = (step.source in graph.atomic) == (step.target in graph.atomic)
            critical = (step.source in graph.critical) == (step.target in graph.critical)
            if not (alike and critical) or {step.source, step.target} & graph.errors.keys():
                continue
            # Alone on one side: no choice is taken away and none is added.
            if len(out[step.source]) == 1 or (len(into[step.target]) == 1 and step.target != graph.start):
                union[step.target] = step.source
                touched |= {step.source, step.target}
        if union:
            changed = True
            gone = {id(s) for s in graph.steps if _is_skip(s) and union.get(s.target) == s.source}
            graph.steps = [
                replace(s, source=union.get(s.source, s.source), target=union.get(s.target, s.target))
                for s in graph.steps
                if id(s) not in gone
            ]
            graph.start = union.get(graph.start, graph.start)


def _is_skip(step: Step) -> bool:
    return not step.accesses and step.mark is None and not any(True for _ in primitive(step.op))


# --------------------------------------------------------------------------------------------------- liveness
def live_after(graph: Sketch, locals_: Mapping[str, bool]) -> dict[int, frozenset[str]]:
    """For each location the thread's own scalars whose value there may still be read."""
    into = graph.entering()
    live: dict[int, frozenset[str]] = {q: frozenset() for q in range(graph.size)}
    work = list(reversed(graph.reachable()))
    queued = set(work)
    work.reverse()
    while work:
        here = work.pop()
        queued.discard(here)
        for step in into[here]:
            needed = live_before(step, live[here], locals_)
            if not needed <= live[step.source]:
                live[step.source] |= needed
                if step.source not in queued:
                    queued.add(step.source)
                    work.append(step.source)
    return live


def live_before(step: Step, after: frozenset[str], locals_: Mapping[str, bool]) -> frozenset[str]:
    """What is live before a step, given what is live behind it."""
    now = set(after)
    for part in reversed(list(primitive(step.op))):
        match part:
            case Assign(target=Var(name=n)):
                now.discard(n)
            case Havoc(targets=ts):
                now.difference_update(t.name for t in ts if isinstance(t, Var))
        now.update(name_of(v) for v in op_reads(part) if name_of(v) in locals_)
    for access in step.accesses:
        if isinstance(access.lvalue, Element):
            now.update(name_of(v) for v in reads(access.lvalue.index) if name_of(v) in locals_)
    return frozenset(now)


def kill_dead(graph: Sketch, locals_: Mapping[str, bool]) -> None:
    """Drop assignments to registers nobody reads any more; a read of shared memory stays."""
    live = live_after(graph, locals_)
    steps: list[Step] = []
    for step in graph.steps:
        now = set(live[step.target])
        kept: list[Op] = []
        for part in reversed(list(primitive(step.op))):
            match part:
                case Assign(target=Var(name=n)) if n in locals_ and n not in now and not step.accesses:
                    continue
                case Havoc(targets=ts, whole=ws):
                    ts = tuple(t for t in ts if not isinstance(t, Var) or t.name not in locals_ or t.name in now)
                    if not ts and not ws and not step.accesses:
                        continue
                    part = Havoc(ts, ws) if not step.accesses else part
            now = set(live_before(replace(step, op=part, accesses=()), frozenset(now), locals_))
            kept.append(part)
        kept.reverse()
        steps.append(replace(step, op=_block(kept)))
    graph.steps = steps


# --------------------------------------------------------------------------------------------------- forwarding
def _forward(graph: Sketch, locals_: Mapping[str, bool]) -> bool:
    """Put what a temporary holds into the steps directly behind it; True if anything changed."""
    live = live_after(graph, locals_)
    out, into = graph.leaving(), graph.entering()
    done: set[int] = set()
    replaced: dict[int, Step] = {}
    gone: set[int] = set()
    for step in graph.steps:
        middle = step.target
        name = _temporary(step, locals_)
        if name is None or middle in done or step.source in done or step.source == middle or middle == graph.start:
            continue
        followers = out[middle]
        if len(into[middle]) != 1 or not followers or middle in graph.errors or any(f.target == middle for f in followers):
            continue
        if (step.source in graph.critical) != (middle in graph.critical):
            continue
        assert isinstance(step.op, Assign)
        if not all(_may_take(graph, step, f, name, live) for f in followers):
            continue
        if any(id(f) in replaced for f in followers):
            continue
        for f in followers:
            new = rewrite_step(f, {name: step.op.value})
            replaced[id(f)] = replace(
                new, source=step.source, accesses=(*step.accesses, *(a for a in new.accesses if a not in step.accesses)),
                protected=f.protected or (step.protected and bool(step.accesses)), location=f.location, text=f.text or step.text)
            done.add(f.target)
        gone.add(id(step))
        done |= {middle, step.source}
    if not gone:
        return False
    graph.steps = [replaced.get(id(s), s) for s in graph.steps if id(s) not in gone]
    return True


def _temporary(step: Step, locals_: Mapping[str, bool]) -> str | None:
    """The temporary that the step sets and does nothing else."""
    match step.op:
        case Assign(target=Var(name=n), value=e) if locals_.get(n) and step.mark is None:
            return None if n in {name_of(v) for v in reads(e)} else n
    return None


def _may_take(graph: Sketch, step: Step, follower: Step, name: str, live: dict[int, frozenset[str]]) -> bool:
    """Whether `follower` may compute the temporary itself."""
    assert isinstance(step.op, Assign)
    if follower.mark is not None or name in live[follower.target] or not any(True for _ in primitive(follower.op)):
        return False
    if step.source in graph.atomic and step.target not in graph.atomic and (step.accesses or follower.accesses):
        return False
    uses = sum(1 for v in op_reads(follower.op) if name_of(v) == name)
    indexed = any(_in_index(a.lvalue, name) for a in follower.accesses)
    if step.accesses:
        return _may_read(graph, step, follower, name, uses, indexed)
    if (uses > 1 or indexed) and size(step.op.value) * (uses + indexed) > _MAX_TERM:
        return False
    # Nothing that the value is computed from may change before its last use.
    changed = set(_scalar_writes(Block(tuple(primitive(follower.op))[:-1])))
    return not changed & {name_of(v) for v in reads(step.op.value)} and name not in changed


def _may_read(graph: Sketch, step: Step, follower: Step, name: str, uses: int, indexed: bool) -> bool:
    """Whether a read of shared memory may happen in the step that uses it: once, and with what else that step touches."""
    if uses != 1 or indexed or not isinstance(follower.op, Assume | Assign):
        return False
    if isinstance(follower.op, Assign) and _in_index(follower.op.target, name):
        return False
    if follower.accesses:
        return step.target in graph.atomic
    return step.protected or not follower.protected


def _in_index(v: Lvalue, name: str) -> bool:
    return isinstance(v, Element) and name in {name_of(r) for r in reads(v.index)}


def size(e: Expr) -> int:
    """Number of nodes of an expression."""
    return 1 + sum(map(size, children(e)))
