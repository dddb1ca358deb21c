"""Makes a thread's automaton readable and small without changing what other threads can see of it.

Copies into temporaries are put where they are used, constants are propagated through registers, dead assignments and
empty steps vanish, and unreachable code is dropped. An edge outside an atomic section still touches shared memory at
most once, and an access is never lost.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from frontend.memory.sketch import Sketch, Step
from frontend.program import (
    SKIP,
    Assign,
    Assume,
    Binary,
    Block,
    Const,
    Element,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Read,
    Var,
    children,
    name_of,
    op_reads,
    op_writes,
    primitive,
    reads,
    substitute,
)
from frontend.program.fold import fold

_MAX_TERM = 60


def simplify(sketch: Sketch, facts: Facts) -> None:
    """Simplify in place; `facts` are about the thread's own scalar variables."""
    propagate(sketch, facts)
    while True:
        before = len(sketch.steps)
        drop_skips(sketch)
        kill_dead(sketch, facts)
        forwarded = _forward(sketch, facts)
        sketch.prune()
        if not forwarded and len(sketch.steps) == before:
            break


# --------------------------------------------------------------------------------------------------- facts
@dataclass(frozen=True, slots=True)
class Fact:
    """About one operation: all it reads, the thread's own scalars it reads before it sets them, those it surely sets."""

    reads: frozenset[str]
    needs: frozenset[str]
    sets: frozenset[str]
    writes: frozenset[str]
    needed: int
    """`needs` as a mask (`Facts.bit`)."""
    put: int
    """`sets` as a mask."""
    teaches: bool
    """Whether a constant may be known behind it that was not before, or whether it never passes."""


class Facts:
    """What operations read and write, worked out once each. `locals_`: scalars, True for temporaries that no user ever sees."""

    def __init__(self, locals_: Mapping[str, bool]) -> None:
        self.locals = locals_
        self._known: dict[int, tuple[Op, Fact]] = {}
        self._indices: dict[int, tuple[Step, frozenset[str]]] = {}
        self._bits: dict[str, int] = {}
        self._rewritten: dict[tuple[int, tuple[tuple[str, Const], ...]], tuple[Op, Op]] = {}

    def of(self, op: Op) -> Fact:
        found = self._known.get(id(op))
        if found is None:
            found = self._known[id(op)] = (op, self._look(op))  # keeping `op` keeps its id its own
        return found[1]

    def bit(self, name: str) -> int:
        """The bit of a variable in masks."""
        return self._bits.setdefault(name, 1 << len(self._bits))

    def mask(self, names: Iterable[str]) -> int:
        found = 0
        for name in names:
            found |= self.bit(name)
        return found

    def needs(self, step: Step) -> frozenset[str]:
        """The thread's own scalars whose value before the step matters to it."""
        if not step.accesses or not any(isinstance(a.lvalue, Element) for a in step.accesses):
            return self.of(step.op).needs
        found = self._indices.get(id(step))
        if found is None:
            names = {name_of(v) for a in step.accesses if isinstance(a.lvalue, Element) for v in reads(a.lvalue.index)}
            found = self._indices[id(step)] = (step, self.of(step.op).needs | (names & self.locals.keys()))
        return found[1]

    def rewritten(self, part: Op, values: Mapping[str, Const]) -> Op:
        """The (primitive) operation with constants for what it needs of the named variables; made once."""
        known = tuple([(n, values[n]) for n in self.of(part).needs if n in values])
        if not known:
            return part
        found = self._rewritten.get((id(part), known))
        if found is None:
            found = self._rewritten[id(part), known] = part, rewrite(part, dict(known))
        return found[1]

    def _look(self, op: Op) -> Fact:
        all_reads: set[str] = set()
        needs: set[str] = set()
        sets: set[str] = set()
        teaches = False
        for part in primitive(op):
            names = {name_of(v) for v in op_reads(part)}
            all_reads |= names
            needs |= (names & self.locals.keys()) - sets
            match part:
                case Assume(cond=c):
                    teaches = teaches or isinstance(c, Const) or _equality(c, self.locals) is not None
                case Assign(target=Var(name=n), value=value) if n in self.locals:
                    sets.add(n)
                    teaches = teaches or isinstance(value, Const)
                case Havoc(targets=ts):
                    sets |= {t.name for t in ts if isinstance(t, Var) and t.name in self.locals}
        return Fact(frozenset(all_reads), frozenset(needs), frozenset(sets), frozenset(op_writes(op)), self.mask(needs),
                    self.mask(sets), teaches)


# --------------------------------------------------------------------------------------------------- rewriting
def rewrite(op: Op, values: Mapping[str, Expr]) -> Op:
    """The (primitive) operation with the named variables replaced by expressions wherever they are read."""
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


def rewrite_step(step: Step, values: Mapping[str, Expr], facts: Facts) -> Step:
    """The step with variables replaced where it reads them before it changes them, accesses included."""
    values = {n: values[n] for n in facts.needs(step) if n in values}
    if not values:
        return step
    known = dict(values)
    ops: list[Op] = []
    for part in primitive(step.op):
        ops.append(rewrite(part, known))
        changed = set(op_writes(part))
        known = {n: e for n, e in known.items() if n not in changed and not changed & {name_of(v) for v in reads(e)}}

    def replaced(v: Lvalue) -> Expr | None:
        return values.get(v.name) if isinstance(v, Var) else None

    accesses = tuple(
        replace(a, lvalue=Element(a.lvalue.array, fold(substitute(a.lvalue.index, replaced)), a.lvalue.type))
        if isinstance(a.lvalue, Element) else a
        for a in step.accesses
    )
    return replace(step, op=block(ops), accesses=accesses)


def block(ops: list[Op]) -> Op:
    """Operations in order as one."""
    return ops[0] if len(ops) == 1 else Block(tuple(ops)) if ops else SKIP


# --------------------------------------------------------------------------------------------------- constants
def constants(sketch: Sketch, facts: Facts, memory: Collection[str] = ()) -> dict[int, dict[str, Const]]:
    """For each location that can be reached, the registers whose value there is known.

    A store through a pointer that is not resolved yet may change any of `memory`.
    """
    states: dict[int, dict[str, Const]] = {sketch.start: {}}
    out = sketch.leaving()
    # Locations behind which others lie come first, so that few are looked at twice.
    order = sketch.order()
    rank = {q: n for n, q in enumerate(order)}
    work = [rank[sketch.start]]
    queued = {sketch.start}
    while work:
        here = order[heapq.heappop(work)]
        queued.discard(here)
        for step in out[here]:
            after = _constants_after(step, states[here], facts)
            if after is None:
                continue
            if step.lock is not None or (step.pending is not None and step.pending.write):
                after = {n: c for n, c in after.items() if n not in memory}
            known = states.get(step.target)
            if known is None:
                states[step.target] = after
            elif known is after:
                continue
            else:
                meet = {n: c for n, c in known.items() if (d := after.get(n)) is c or d == c}
                if len(meet) == len(known):
                    continue
                states[step.target] = meet
            if step.target not in queued:
                queued.add(step.target)
                heapq.heappush(work, rank[step.target])
    return states


def propagate(sketch: Sketch, facts: Facts) -> None:
    """Replace registers by the constants they are known to hold, drop guards that always pass and steps that never do."""
    states = constants(sketch, facts)
    steps: list[Step] = []
    for step in sketch.steps:
        values = states.get(step.source)
        if values is not None and _constants_after(step, values, facts) is not None:
            steps.append(_drop_true(rewrite_step(step, values, facts)))
    sketch.steps = steps
    sketch.prune()


def _constants_after(step: Step, before: dict[str, Const], facts: Facts) -> dict[str, Const] | None:
    """What is known behind the step; None if it can never be taken."""
    whole, known = facts.of(step.op), before.keys()
    if not whole.teaches and known.isdisjoint(whole.needs) and known.isdisjoint(whole.writes):
        return before
    now = before
    for part in primitive(step.op):
        fact = facts.of(part)
        new = facts.rewritten(part, now)
        match new:
            case Assume(cond=Const(value=0)):
                return None
            case Assume(cond=c):
                learned = _equality(c, facts.locals)
                if learned is not None:
                    now = {**now, learned[0]: learned[1]}
            case Assign(target=Var(name=n), value=Const() as c) if n in facts.locals:
                now = {**now, n: c}
            case _:
                if not now.keys().isdisjoint(fact.writes):
                    now = {n: c for n, c in now.items() if n not in fact.writes}
    return now


def _equality(cond: Expr, locals_: Mapping[str, bool]) -> tuple[str, Const] | None:
    """The register and constant of a guard `register == constant`."""
    match cond:
        case Binary(op="==", left=Read(lvalue=Var(name=n)), right=Const() as c) if n in locals_:
            return n, c
    return None


def _drop_true(step: Step) -> Step:
    """Guards that always pass are left out, unless their step reads shared memory."""
    if step.accesses or not any(isinstance(p, Assume) and isinstance(p.cond, Const) for p in primitive(step.op)):
        return step
    return replace(step, op=block([p for p in primitive(step.op) if not (isinstance(p, Assume) and isinstance(p.cond, Const))]))


# --------------------------------------------------------------------------------------------------- empty steps
def drop_skips(sketch: Sketch) -> None:
    """Merge the two ends of steps that do nothing, where nobody can tell them apart."""
    while True:
        skips = [s for s in sketch.steps if is_skip(s)]
        if any(s.source == s.target for s in skips):
            sketch.steps = [s for s in sketch.steps if not (s.source == s.target and is_skip(s))]
        if not skips:
            return
        out, into = Counter(s.source for s in sketch.steps), Counter(s.target for s in sketch.steps)
        union: dict[int, int] = {}
        touched: set[int] = set()
        gone: set[int] = set()
        for step in skips:
            ends = {step.source, step.target}
            if len(ends) == 1 or ends & touched or ends & sketch.errors.keys():
                continue
            if len(ends & sketch.atomic) == 1 or len(ends & sketch.critical) == 1:
                continue
            # Alone on one side: no choice is taken away and none is added.
            if out[step.source] == 1 or (into[step.target] == 1 and step.target != sketch.start):
                union[step.target] = step.source
                touched |= ends
                gone.add(id(step))
        if not gone:
            return
        sketch.steps = [
            s.between(union.get(s.source, s.source), union.get(s.target, s.target))
            if s.source in union or s.target in union else s
            for s in sketch.steps
            if id(s) not in gone
        ]
        sketch.start = union.get(sketch.start, sketch.start)


def is_skip(step: Step) -> bool:
    """Whether the step does nothing at all."""
    if not isinstance(step.op, Block):
        return False
    marked = step.accesses or step.doubts or step.joined or step.mark is not None
    return not marked and not any(True for _ in primitive(step.op))


# --------------------------------------------------------------------------------------------------- liveness
def live_at(sketch: Sketch, facts: Facts) -> list[int]:
    """For each location a mask of the thread's own scalars whose value there may still be read."""
    into: list[list[tuple[int, int, int]]] = [[] for _ in range(sketch.size)]
    for step in sketch.steps:
        fact = facts.of(step.op)
        needs = facts.needs(step)
        into[step.target].append((step.source, fact.needed if needs is fact.needs else facts.mask(needs), ~fact.put))
    live = [0] * sketch.size
    order = sketch.reachable()
    work = deque(reversed(order))
    queued = set(order)
    while work:
        here = work.popleft()
        queued.discard(here)
        after = live[here]
        for source, needed, kept in into[here]:
            known = live[source]
            now = known | needed | (after & kept)
            if now != known:
                live[source] = now
                if source not in queued:
                    queued.add(source)
                    work.append(source)
    return live


def kill_dead(sketch: Sketch, facts: Facts) -> None:
    """Drop assignments to registers nobody reads any more; a read of shared memory stays."""
    live = live_at(sketch, facts)
    steps: list[Step] = []
    for step in sketch.steps:
        now = live[step.target]
        if step.accesses or not facts.of(step.op).put & ~now:
            steps.append(step)
            continue
        kept: list[Op] = []
        for part in reversed(list(primitive(step.op))):
            if isinstance(part, Assign) and isinstance(part.target, Var) and part.target.name in facts.locals:
                if not facts.bit(part.target.name) & now:
                    continue
            elif isinstance(part, Havoc):
                targets = tuple(t for t in part.targets
                                if not isinstance(t, Var) or t.name not in facts.locals or facts.bit(t.name) & now)
                if not targets and not part.whole:
                    continue
                part = part if len(targets) == len(part.targets) else Havoc(targets, part.whole)
            fact = facts.of(part)
            now = (now & ~fact.put) | fact.needed
            kept.append(part)
        kept.reverse()
        steps.append(replace(step, op=block(kept)))
    sketch.steps = steps


# --------------------------------------------------------------------------------------------------- forwarding
def _forward(sketch: Sketch, facts: Facts) -> bool:
    """Put what a temporary holds into the steps directly behind it; True if anything changed."""
    live = live_at(sketch, facts)
    out, into = sketch.leaving(), sketch.entering()
    done: set[int] = set()
    replaced: dict[int, Step] = {}
    gone: set[int] = set()
    for step in sketch.steps:
        middle = step.target
        name = _temporary(step, facts)
        if name is None or middle in done or step.source in done or step.source == middle or middle == sketch.start:
            continue
        followers = out[middle]
        if len(into[middle]) != 1 or not followers or middle in sketch.errors or any(f.target == middle for f in followers):
            continue
        if (step.source in sketch.critical) != (middle in sketch.critical):
            continue
        if not all(_may_take(sketch, step, f, name, live, facts) for f in followers):
            continue
        assert isinstance(step.op, Assign)
        for f in followers:
            new = rewrite_step(f, {name: step.op.value}, facts)
            replaced[id(f)] = replace(
                new, source=step.source, accesses=(*step.accesses, *(a for a in new.accesses if a not in step.accesses)),
                protected=f.protected or (step.protected and bool(step.accesses)), text=f.text or step.text,
                doubts=(*step.doubts, *f.doubts))
            done.add(f.target)
        gone.add(id(step))
        done |= {middle, step.source}
    if not gone:
        return False
    sketch.steps = [replaced.get(id(s), s) for s in sketch.steps if id(s) not in gone]
    return True


def _temporary(step: Step, facts: Facts) -> str | None:
    """The temporary that the step sets and does nothing else."""
    match step.op:
        case Assign(target=Var(name=n)) if facts.locals.get(n) and step.mark is None:
            return None if n in facts.of(step.op).reads else n
    return None


def _may_take(sketch: Sketch, step: Step, follower: Step, name: str, live: list[int], facts: Facts) -> bool:
    """Whether `follower` may compute the temporary itself."""
    assert isinstance(step.op, Assign)
    if follower.mark is not None or facts.bit(name) & live[follower.target] or not any(True for _ in primitive(follower.op)):
        return False
    if step.source in sketch.atomic and step.target not in sketch.atomic and (step.accesses or follower.accesses):
        return False
    uses = sum(1 for v in op_reads(follower.op) if name_of(v) == name)
    indexed = any(_in_index(a.lvalue, name) for a in follower.accesses)
    if step.accesses:
        return _may_read(sketch, step, follower, name, uses, indexed)
    if (uses > 1 or indexed) and size(step.op.value) * (uses + indexed) > _MAX_TERM:
        return False
    # Nothing that the value is computed from may change before its last use.
    changed = {n for part in list(primitive(follower.op))[:-1] for n in facts.of(part).writes}
    return not changed & facts.of(step.op).reads and name not in changed


def _may_read(sketch: Sketch, step: Step, follower: Step, name: str, uses: int, indexed: bool) -> bool:
    """Whether a read of shared memory may happen in the step that uses it: once, and with what else that step touches."""
    if uses != 1 or indexed or not isinstance(follower.op, Assume | Assign):
        return False
    if isinstance(follower.op, Assign) and _in_index(follower.op.target, name):
        return False
    if follower.accesses:
        return step.target in sketch.atomic
    return step.protected or not follower.protected


def _in_index(v: Lvalue, name: str) -> bool:
    return isinstance(v, Element) and name in {name_of(r) for r in reads(v.index)}


def size(e: Expr) -> int:
    """Number of nodes of an expression."""
    return 1 + sum(map(size, children(e)))
