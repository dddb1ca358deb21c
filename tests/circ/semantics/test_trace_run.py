"""A trace is run as it says or not at all: each thing that it may get wrong is refused, at the step where it is wrong."""

from __future__ import annotations

import pytest

from circ.semantics.interpreter import Machine
from circ.semantics.trace_run import NotARun, run_trace
from circ.verdict import Assertions, Choice, Step, Trace
from tests.support.build import program, thread

P = program("x:u8 y:u8=*", thread("w", "0 1 x = x + me / 1 2 [x == 1] / 2 3 y = * / 3 4 all w 0 4", locals="me:u8=self", count=2))


def trace(*steps: Step, start: tuple[Choice, ...] = (), threads: tuple[str, ...] = ("w", "w")) -> Trace:
    return Trace(P.fingerprint(), Assertions(), threads, start, steps)


def test_states_one_by_one() -> None:
    run = run_trace(Machine(P), trace(Step(1, 0), Step(1, 1), Step(1, 2, (Choice("y", 9),)), Step(1, 3),
                                      start=(Choice("y", 5),)))
    assert run.crew == (0, 0)
    assert [s.globals for s in run.states] == [(0, 5), (1, 5), (1, 5), (1, 9), (1, 9)]
    assert [s.threads[1][0] for s in run.states] == [0, 1, 2, 3, 4]


def test_threads_that_are_not_named_stay_at_their_start_and_are_numbered() -> None:
    run = run_trace(Machine(P), trace(Step(0, 0), threads=("w",)))
    assert run.crew == (0, 0)
    assert run.states[-1].threads == ((1, (0,)), (0, (1,)))


@pytest.mark.parametrize(("wrong", "at", "reason"), [
    (trace(Step(0, 1)), "step 1", "does not leave"),
    (trace(Step(0, 0), Step(0, 1)), "step 2", "a condition does not hold"),
    (trace(Step(1, 0), Step(1, 1), Step(1, 2)), "step 3", "no value for 'y'"),
    (trace(Step(1, 0), Step(1, 1), Step(1, 2, (Choice("y", 256),))), "step 3", "256 is no value"),
    (trace(Step(1, 0, (Choice("x", 1),))), "step 1", "which the step does not leave open"),
    (trace(Step(1, 0), Step(1, 1), Step(1, 2, (Choice("y", 0),)), Step(0, 0), Step(1, 3)), "step 5", "waits for other threads"),
    (trace(Step(2, 0)), "step 1", "no thread 2"),
    (trace(start=(Choice("x", 1),)), "the start", "no start value to choose"),
    (trace(start=(Choice("me", 1, thread=0), Choice("me", 1, thread=1))), "the start", "two threads"),
    (trace(threads=("w", "w", "w")), "the header", "3 threads"),
    (trace(threads=("v",)), "the header", "no thread template"),
])
def test_what_is_no_run_is_refused(wrong: Trace, at: str, reason: str) -> None:
    with pytest.raises(NotARun) as refused:
        run_trace(Machine(P), wrong)
    assert refused.value.at == at and reason in refused.value.reason


def test_nobody_runs_beside_an_atomic_section() -> None:
    p = program("x", thread("w", "0 1 x = 1 / 1 0 x = 0", count=2, atomic={1}))
    t = Trace(p.fingerprint(), Assertions(), ("w", "w"), (), (Step(0, 0), Step(1, 0)))
    with pytest.raises(NotARun, match="inside an atomic section"):
        run_trace(Machine(p), t)
