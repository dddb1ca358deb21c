"""Makes a thread's automaton readable and small without changing what other threads can see of it.

Copies into temporaries are put where they are used, constants are propagated through registers, dead assignments and
empty steps vanish, and unreachable code is dropped. An edge outside an atomic section still touches shared memory at
most once, and an access is never lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from frontend.memory.sketch import Sketch, SketchStep, sweeps
from frontend.program import (
    Assign,
    Assume,
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
    primitive,
    reads,
    substitute,
    variables,
)
from frontend.program.components import components
from frontend.program.fold import fold
from frontend.records import replace
from frontend.threads.constant_propagation import propagate
from frontend.threads.op_facts import OpFacts, block, rewrite_step

_MAX_TERM = 60


def simplify(sketch: Sketch, facts: OpFacts) -> None:
    """Simplify in place; `facts` are about the thread's own scalar variables."""
    propagate(sketch, facts)
    thread_jumps(sketch, facts)
    live: list[int] | None = None  # as long as nothing has changed that it depends on
    while True:
        before = len(sketch.steps)
        drop_skips(sketch)  # both ends of what vanishes had the same alive, or the one that stays had more
        if live is None:
            live = live_at(sketch, facts)
        killed, fewer_reads = kill_dead(sketch, facts, live)
        if fewer_reads:
            live = live_at(sketch, facts)
        forwarded = _forward(sketch, facts, live)
        while forwarded and _forward(sketch, facts, live):
            pass  # what was live before a value is put into the steps behind it may only be more than what is live now
        sketch.prune()
        if not (killed or forwarded) and len(sketch.steps) == before:
            break
        if forwarded:
            live = None


# --------------------------------------------------------------------------------------------------- empty steps
def drop_skips(sketch: Sketch) -> None:
    """Merge the two ends of steps that do nothing, where nobody can tell them apart."""
    skips = [s for s in sketch.steps if is_skip(s)]
    if not skips:
        return
    out, into = Counter([s.source for s in sketch.steps]), Counter([s.target for s in sketch.steps])
    union: dict[int, int] = {}  # locations that are gone, and what they were merged with
    gone: set[int] = set()

    def now(location: int) -> int:
        while location in union:
            location = union[location]
        return location

    while True:
        for step in skips:
            here = now(step.source)
            if here == now(step.target):
                gone.add(id(step))
                out[here] -= 1
                into[here] -= 1
        skips = [s for s in skips if id(s) not in gone]
        touched: set[int] = set()
        for step in skips:
            source, target = now(step.source), now(step.target)
            ends = {source, target}
            if ends & touched or ends & sketch.errors.keys():
                continue
            if len(ends & sketch.atomic) == 1 or len(ends & sketch.critical) == 1:
                continue
            # Alone on one side: no choice is taken away and none is added.
            if out[source] == 1 or (into[target] == 1 and target != sketch.start):
                union[target] = source
                out[source] += out.pop(target, 0) - 1
                into[source] += into.pop(target, 0) - 1
                touched |= ends
                gone.add(id(step))
                sketch.start = source if sketch.start == target else sketch.start
        if not touched:
            break
        skips = [s for s in skips if id(s) not in gone]
    sketch.steps = [
        s.between(now(s.source), now(s.target)) if s.source in union or s.target in union else s
        for s in sketch.steps
        if id(s) not in gone
    ]


def is_skip(step: SketchStep) -> bool:
    """Whether the step does nothing at all."""
    if not isinstance(step.op, Block):
        return False
    marked = step.accesses or step.doubts or step.joined or step.mark is not None
    return not marked and not any(True for _ in primitive(step.op))


# --------------------------------------------------------------------------------------------------- known tests
def thread_jumps(sketch: Sketch, facts: OpFacts) -> None:
    """Steps that set a temporary to a constant lead past the tests of it that follow: the two ways out of a compare-and-swap
    stay apart, though both set one register to tell which it was.

    A test of a thread's own register is seen by nobody. Ways into loops stay as they are.
    """
    out = sketch.leaving()
    component: dict[int, int] | None = None
    for number, step in enumerate(sketch.steps):
        set_to = _temporary_set(step, facts)
        if set_to is None:
            continue
        here, passed = step.target, {step.target}
        while True:
            there = _decided(sketch, out.get(here, []), *set_to)
            if there is None or there in passed:
                break
            if component is None:
                component = _loops(sketch, out)
            if component.get(here) not in (None, component.get(step.source)) or not _alike(sketch, here, there):
                break
            passed.add(there)
            here = there
        if here != step.target:
            sketch.steps[number] = step.between(step.source, here)


def thread_results(sketch: Sketch, facts: OpFacts) -> None:
    """What a function returns as a constant, and its caller tests after it was copied, leads past the test: ways on which there
    is a pool stay apart from those on which `pool_create` returned null, and what is known of memory on each of them is kept.

    Such a way gets a copy of its own of the step that copies the result. Ways into loops stay as they are.
    """
    out = sketch.leaving()
    component: dict[int, int] | None = None
    for number, step in enumerate(list(sketch.steps)):
        set_to = _temporary_set(step, facts)
        here = step.target
        if set_to is None or len(out.get(here, [])) != 1:
            continue
        [copy] = out[here]
        if not isinstance(copy.op, Assign) or not _only_assigns(copy) or copy.op.value != Read(set_to[0]):
            continue
        target = copy.op.target
        if not isinstance(target, Var) or target.name not in facts.locals or target.type != set_to[0].type:
            continue
        there = _decided(sketch, out.get(copy.target, []), target, set_to[1])
        if component is None:
            component = _loops(sketch, out)
        inside = all(component.get(q) in (None, component.get(step.source)) for q in (here, copy.target))
        if there is None or not inside or not _alike(sketch, here, copy.target) or not _alike(sketch, copy.target, there):
            continue
        apart = sketch.fresh()
        sketch.atomic |= {apart} if here in sketch.atomic else set()
        sketch.critical |= {apart} if here in sketch.critical else set()
        sketch.steps[number] = step.between(step.source, apart)
        sketch.steps.append(copy.between(apart, there))


def _loops(sketch: Sketch, out: Mapping[int, Sequence[SketchStep]]) -> dict[int, int]:
    """For each location in a loop the number of its component."""
    graph = {q: [s.target for s in steps] for q, steps in out.items()}
    return {q: n for n, c in enumerate(components(graph, sketch.size)) if len(c) > 1 for q in c}


def _temporary_set(step: SketchStep, facts: OpFacts) -> tuple[Var, Const] | None:
    """The temporary that a step sets to a constant, and does nothing else to anybody."""
    match step.op:
        case Assign(target=Var(name=n) as v, value=Const() as c) if _only_assigns(step) and facts.locals.get(n):
            return v, c
        case _:
            return None


def _only_assigns(step: SketchStep) -> bool:
    joins = step.join is not None or step.not_joined is not None
    plain = step.mark is None and step.pending is None and step.lock is None and not joins and step.register is None
    return plain and not (step.accesses or step.doubts or step.joined)


def _decided(sketch: Sketch, tests: Sequence[SketchStep], v: Var, value: Const) -> int | None:
    """Where the tests lead while the temporary has the value; None if they are more than tests of it."""
    found: list[int] = []
    for step in tests:
        more = step.accesses or step.doubts or step.joined or step.mark is not None or step.protected
        if more or not isinstance(step.op, Assume) or variables(step.op.cond) != {v.name}:
            return None
        held = fold(substitute(step.op.cond, lambda w: value if w == v else None))
        if not isinstance(held, Const):
            return None
        if held.value:
            found.append(step.target)
    return found[0] if len(found) == 1 else None


def _alike(sketch: Sketch, one: int, two: int) -> bool:
    """Whether two locations are inside and outside the same sections, and neither is an error."""
    return not {one, two} & sketch.errors.keys() and all((one in part) == (two in part)
                                                        for part in (sketch.atomic, sketch.critical))


# --------------------------------------------------------------------------------------------------- liveness
def live_at(sketch: Sketch, facts: OpFacts) -> list[int]:
    """For each location a mask of the thread's own scalars whose value there may still matter.

    What is read only to compute what does not matter itself does not matter either, so that a chain of such computations,
    however long, is dropped at once.
    """
    # Backwards: locations that lead to others come after them, so that few are looked at twice.
    backwards = sketch.order()[::-1]
    turn = [-1] * sketch.size
    for number, location in enumerate(backwards):
        turn[location] = number
    into: list[list[tuple[int, int, int, int]]] = [[] for _ in backwards]
    for step in sketch.steps:
        source = turn[step.source]
        if source >= 0:
            fact = facts.of(step.op)
            put, needed, if_live = fact.put, fact.needed, -1
            if step.accesses:
                needed |= facts.indexed(step.accesses)
            elif put and isinstance(step.op, Assign):
                if_live = put
            into[turn[step.target]].append((source, needed, ~put, if_live))
    live = [0] * len(backwards)
    waiting = bytearray(b"\1") * len(backwards)
    for here in sweeps(waiting):
        after = live[here]
        for source, needed, kept, if_live in into[here]:
            known = live[source]
            now = known | (after & kept)
            if if_live == -1 or after & if_live:
                now |= needed
            if now != known:
                live[source] = now
                waiting[source] = 1
    return [live[number] if number >= 0 else 0 for number in turn]


def kill_dead(sketch: Sketch, facts: OpFacts, live: list[int]) -> tuple[bool, bool]:
    """Drop assignments to registers nobody reads any more; a read of shared memory stays. Whether anything changed, and whether
    less may be live now.

    `live`: what may still be read, by location (`live_at`). It does not count what a dead assignment reads, unless that is one
    of several operations of a step.
    """
    steps: list[SketchStep] = []
    changed = fewer = False
    for step in sketch.steps:
        now = live[step.target]
        if step.accesses or not facts.of(step.op).put & ~now:
            steps.append(step)
            continue
        kept: list[Op] = []
        parts = list(primitive(step.op))
        for part in reversed(parts):
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
        same = len(kept) == len(parts) and all(a is b for a, b in zip(kept, parts, strict=True))
        if same:
            steps.append(step)
            continue
        changed, op = True, block(kept)
        fewer = fewer or (len(parts) > 1 and facts.of(op).needed != facts.of(step.op).needed)
        steps.append(step.doing(op, step.accesses))
    sketch.steps = steps
    return changed, fewer


# --------------------------------------------------------------------------------------------------- forwarding
def _forward(sketch: Sketch, facts: OpFacts, live: list[int]) -> bool:
    """Put what a temporary holds into the steps directly behind it; True if anything changed."""
    out, into = sketch.leaving(), sketch.entering()
    done: set[int] = set()
    replaced: dict[int, SketchStep] = {}
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
            accesses = new.accesses
            if step.accesses:
                accesses = (*step.accesses, *(a for a in accesses if a not in step.accesses))
            replaced[id(f)] = replace(
                new, source=step.source, accesses=accesses,
                protected=f.protected or (step.protected and bool(step.accesses)), text=f.text or step.text,
                doubts=(*step.doubts, *f.doubts))
            done.add(f.target)
        gone.add(id(step))
        done |= {middle, step.source}
    if not gone:
        return False
    sketch.steps = [replaced.get(id(s), s) for s in sketch.steps if id(s) not in gone]
    return True


def _temporary(step: SketchStep, facts: OpFacts) -> str | None:
    """The temporary that the step sets and does nothing else."""
    match step.op:
        case Assign(target=Var(name=n)) if facts.locals.get(n) and step.mark is None:
            return None if n in facts.of(step.op).reads else n
    return None


def _may_take(sketch: Sketch, step: SketchStep, follower: SketchStep, name: str, live: list[int], facts: OpFacts) -> bool:
    """Whether `follower` may compute the temporary itself."""
    assert isinstance(step.op, Assign)
    if follower.mark is not None or facts.bit(name) & live[follower.target] or not any(True for _ in primitive(follower.op)):
        return False
    if step.source in sketch.atomic and step.target not in sketch.atomic and (step.accesses or follower.accesses):
        return False
    uses = sum(1 for v in op_reads(follower.op) if name_of(v) == name)
    indexed = bool(follower.accesses) and name in facts.indices(follower.accesses)
    if step.accesses:
        return _may_read(sketch, step, follower, name, uses, indexed)
    if (uses > 1 or indexed) and size(step.op.value) * (uses + indexed) > _MAX_TERM:
        return False
    # Nothing that the value is computed from may change before its last use.
    changed = {n for part in list(primitive(follower.op))[:-1] for n in facts.of(part).writes}
    return not changed & facts.of(step.op).reads and name not in changed


def _may_read(sketch: Sketch, step: SketchStep, follower: SketchStep, name: str, uses: int, indexed: bool) -> bool:
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
