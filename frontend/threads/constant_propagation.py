"""Constants propagated through a thread's own scalars: a forward analysis, and the automaton with what it found put in."""

from __future__ import annotations

from collections.abc import Collection

from frontend.memory.sketch import Sketch, SketchStep, sweeps
from frontend.program import Assign, Assume, Block, Const, Op, Var, primitive
from frontend.records import replace
from frontend.threads.op_facts import OpFact, OpFacts, block, learned_equality, rewrite_step


def constants(sketch: Sketch, facts: OpFacts, memory: Collection[str] = ()) -> dict[int, dict[str, Const]]:
    """For each location that can be reached, the registers whose value there is known.

    A store through a pointer that is not resolved yet may change any of `memory`.
    """
    return _look(sketch, facts, memory)[0]


def propagate(sketch: Sketch, facts: OpFacts) -> None:
    """Replace registers by the constants they are known to hold, drop guards that always pass and steps that never do."""
    states, never = _look(sketch, facts, ())
    steps: list[SketchStep] = []
    for step in sketch.steps:
        values = states.get(step.source)
        if values is not None and id(step) not in never:
            steps.append(_drop_true(_with_constants(step, values, facts)))
    sketch.steps = steps
    sketch.prune()


def _look(sketch: Sketch, facts: OpFacts, memory: Collection[str]) -> tuple[dict[int, dict[str, Const]], set[int]]:
    """What is known at each location that can be reached, and the (identities of) steps from there that can never be taken."""
    out = sketch.leaving()
    # Locations behind which others lie come first, so that few are looked at twice.
    order = sketch.order()
    rank = {q: n for n, q in enumerate(order)}
    states: list[dict[str, Const] | None] = [None] * len(order)
    states[0] = {}
    waiting = bytearray(len(order))
    waiting[0] = 1
    never: set[int] = set()
    for here in sweeps(waiting):
        before = states[here]
        assert before is not None
        names = before.keys()
        for step in out[order[here]]:
            fact = facts.of(step.op)
            never.discard(id(step))  # now that less is known
            if fact.teaches or not (names.isdisjoint(fact.needs) and names.isdisjoint(fact.writes)):
                found = _constants_after(step.op, fact, before, facts)
                if found is None:
                    never.add(id(step))
                    continue
                after = found
            else:
                after = before
            if step.lock is not None or (step.pending is not None and step.pending.write):
                after = {n: c for n, c in after.items() if n not in memory}
            there = rank[step.target]
            known = states[there]
            if known is after:
                continue
            if known is not None:
                after = {n: c for n, c in known.items() if (d := after.get(n)) is c or d == c}
                if len(after) == len(known):
                    continue
            states[there] = after
            waiting[there] = 1
    return {q: state for q, state in zip(order, states, strict=True) if state is not None}, never


def _constants_after(op: Op, whole: OpFact, before: dict[str, Const], facts: OpFacts) -> dict[str, Const] | None:
    """What is known behind the operation; None if it can never be done."""
    now = before
    for part in (op,) if not isinstance(op, Block) else primitive(op):
        fact = whole if part is op else facts.of(part)
        match facts.rewritten(part, now):
            case Assume(cond=Const(value=0)):
                return None
            case Assume(cond=c):
                learned = learned_equality(c, facts.locals)
                if learned is not None:
                    now = {**now, learned[0]: learned[1]}
            case Assign(target=Var(name=n), value=Const() as c) if n in facts.locals:
                now = {**now, n: c}
            case _:
                if not now.keys().isdisjoint(fact.writes):
                    now = {n: c for n, c in now.items() if n not in fact.writes}
    return now


def _with_constants(step: SketchStep, values: dict[str, Const], facts: OpFacts) -> SketchStep:
    """The step with constants for what it reads before it changes it, accesses included."""
    if values.keys().isdisjoint(facts.needs(step)):
        return step
    if isinstance(step.op, Block) or step.accesses:
        return rewrite_step(step, values, facts)
    return step.doing(facts.rewritten(step.op, values), step.accesses)


def _drop_true(step: SketchStep) -> SketchStep:
    """Guards that always pass are left out, unless their step reads shared memory."""
    if step.accesses or isinstance(step.op, Assign):
        return step
    if not any(isinstance(p, Assume) and isinstance(p.cond, Const) for p in primitive(step.op)):
        return step
    return replace(step, op=block([p for p in primitive(step.op) if not (isinstance(p, Assume) and isinstance(p.cond, Const))]))
