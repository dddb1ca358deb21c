"""Each sort of violation is seen at the end of a run that has it, and in no other run."""

from __future__ import annotations

from circ.semantics.interpreter import Machine
from circ.semantics.trace_run import run_trace
from circ.semantics.violations import BothCritical, ErrorReached, InvariantBroken, Violation, violation_at_end
from circ.verdict import Assertions, Step, Trace
from frontend.program import Program
from tests.support.build import program, thread


def at_end(p: Program, *steps: Step) -> Violation | None:
    machine = Machine(p)
    names = tuple(t.name for t in p.templates for _ in range(t.count or 1))
    run = run_trace(machine, Trace(p.fingerprint(), Assertions(), names, (), steps))
    return violation_at_end(machine, run.crew, run.states, [s.thread for s in steps])


def test_an_error_location() -> None:
    p = program("x", thread("w", "0 1 x = 1 / 1 2", count=2, errors={2}))
    assert at_end(p, Step(1, 0)) is None
    found = at_end(p, Step(1, 0), Step(1, 1))
    assert isinstance(found, ErrorReached) and found.thread == 1


def test_two_critical_sections() -> None:
    p = program("x", thread("v", "0 1", count=1), thread("w", "0 1", count=2, critical={1}))
    assert at_end(p, Step(0, 0), Step(1, 0)) is None
    assert at_end(p, Step(1, 0), Step(2, 0)) == BothCritical(1, 2)


def test_an_invariant() -> None:
    p = program("x", thread("w", "0 1 x = 1 / 1 2 x = 2", count=1), invariants=["x < 2"])
    assert at_end(p, Step(0, 0)) is None
    assert at_end(p, Step(0, 0), Step(0, 1)) == InvariantBroken(p.invariants[0])
