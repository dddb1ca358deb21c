"""A failed condition in words: the step, the obligation, the states around it."""

from __future__ import annotations

from collections.abc import Iterator

from circ.guarantee.conditions import FailedCondition, ObligationKind
from circ.guarantee.exclusion import UnprovedExclusion
from frontend.program import NOWHERE, Edge, Location, Program, show_op


def place(failure: FailedCondition) -> Location:
    if failure.call is not None:
        return failure.call
    return failure.edge.location if failure.edge.location != NOWHERE else failure.claim


def step_text(edge: Edge) -> str:
    """The step as the user wrote it."""
    return " ".join(edge.text.split()) or show_op(edge.op)


def reason(failure: FailedCondition) -> str:
    """One line: what is not ensured by which step."""
    verb = "may" if failure.decided else "is not known not to"
    step = f"the step '{step_text(failure.edge)}' of {failure.template}"
    written = f"({failure.claim})"
    match failure.kind:
        case ObligationKind.RELY:
            return f"{step} {verb} break what {_whose(failure)} assumes: {failure.text} {written}"
        case ObligationKind.INVARIANT:
            return f"{step} {verb} break the invariant {failure.text} {written}"
        case ObligationKind.LOOP_FIRST:
            return f"the {failure.text} {written} {verb} be false when {failure.template} comes to the loop"
        case ObligationKind.LOOP_AGAIN:
            return f"the {failure.text} {written} {verb} be false after an iteration in {failure.template}"
        case ObligationKind.REQUIRES:
            return f"a call of {step_text(failure.edge)} in {failure.template} {verb} break '{failure.text}' {written}"
        case ObligationKind.ENSURES:
            return f"{step_text(failure.edge)}, called by {failure.template}, {verb} break '{failure.text}' {written}"
        case ObligationKind.ASSERT:
            return f"in {failure.template} '{failure.text}' {verb} fail"


def _whose(failure: FailedCondition) -> str:
    return f"another thread of {failure.other}" if failure.other == failure.template else failure.other


def details(failure: FailedCondition) -> Iterator[str]:
    """The counterexample, before and after the step."""
    if not failure.decided:
        yield "the solver gave up on this condition"
        return
    if failure.tid is not None:
        yield f"in the thread with \\tid = {failure.tid}" + (
            f", for the other one with \\tid = {failure.other_tid}" if failure.other_tid is not None else "")
    claims = failure.kind in (ObligationKind.RELY, ObligationKind.INVARIANT)
    yield "before: " + (", ".join(f"{n} = {b}" for n, b, _ in failure.state) or "nothing")
    if claims:
        changed = [f"{n} = {a}" for n, b, a in failure.state if a != b]
        yield "after:  " + (", ".join(changed) + " (the rest as before)" if changed else "the same")


def exclusion_reason(program: Program, found: UnprovedExclusion) -> str:
    verb = "may" if found.decided else "are not known not to"
    names = [found.one.template, found.two.template]
    who = f"two threads of {names[0]}" if names[0] == names[1] else f"{names[0]} and {names[1]}"
    if found.one.access is None or found.two.access is None:
        return f"{who} {verb} both be in a critical section"
    first, second = (step_text(a[0]) for a in (found.one.access, found.two.access))
    there = found.two.access[1].location
    return f"{who} {verb} be at '{first}' and at '{second}' ({there}) at the same time"


def exclusion_details(found: UnprovedExclusion) -> Iterator[str]:
    if found.state:
        yield "in the state: " + ", ".join(f"{n} = {v}" for n, v in found.state)
