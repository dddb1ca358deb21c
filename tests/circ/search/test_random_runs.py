"""Random runs that hold threads back: what they find is a run of the program, and they find what needs many steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.kernel.replay import Replayed, replay
from circ.run.check import confirmed, questions
from circ.search import directed_run, explicit, random_runs
from circ.search.shorten import shortened
from circ.semantics.interpreter import Machine
from circ.verdict import Answer, Options, RaceOn, Refuted, Step, Trace, Unknown, silent, subjects
from frontend import LoadOptions, load
from tests.support.build import program, thread
from tests.support.corpus import PROGRAMS, read_example
from tests.support.randomc.pthreads import pthread_program

LONG = ("eight_results_broken", "partition_overlaps", "index_shared_by_creator", "list_published_early", "many_workers_lock_broken")


@pytest.mark.parametrize("name", LONG)
def test_races_behind_loops_and_many_threads(name: str) -> None:
    path = PROGRAMS / "threads" / f"{name}.c"
    program = load(path)
    engine = random_runs.RandomRuns()
    wanted = {e.subject for e in read_example(path).expectations if e.verdict == "race"}
    for asked in (a for a in questions(program, None, "races") if a.shown in wanted):
        verdict = engine(program, asked.question, Options(), silent)
        assert isinstance(verdict, Refuted)
        assert isinstance(confirmed(program, Answer(asked.question, asked.shown, verdict, "chase")).verdict, Refuted)


QUIET = """#include <avr/interrupt.h>
unsigned char bytes, stopped, ticks; int x;
ISR(USART0_RX_vect) { if (bytes < 4) bytes++; else stopped = 1; }
ISR(TIMER0_OVF_vect) { if (!stopped && ticks < 20) ticks++; }
ISR(TIMER1_OVF_vect) { if (ticks > 16) x = 1; }
int main(void) { sei(); for (;;) if (ticks > 16) x = 2; }
"""


def test_a_race_for_which_one_handler_must_stay_quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seventeen ticks before five bytes come: in runs in which all handlers start equally often that does not happen."""
    path = tmp_path / "a.c"
    path.write_text(QUIET)
    program = load(path, LoadOptions(platform="avr"))
    assert isinstance(random_runs.RandomRuns()(program, RaceOn("x"), Options(max_states=24_000), silent), Refuted)
    monkeypatch.setattr(directed_run, "SHY", 1.0)
    assert isinstance(random_runs.RandomRuns()(program, RaceOn("x"), Options(max_states=24_000), silent), Unknown)


def test_only_real_races(tmp_path: Path) -> None:
    """No race where the explicit search has seen all states, and the same answers in a second run."""
    path = tmp_path / "a.c"
    found = 0
    for seed in range(100, 140):
        path.write_text(pthread_program(seed))
        program = load(path)
        one, two = random_runs.RandomRuns(together=500), random_runs.RandomRuns(together=500)
        for v in subjects(program):
            question, options = RaceOn(v.name), Options(max_states=2_000)
            verdict = one(program, question, options, silent)
            assert verdict == two(program, question, options, silent)
            if isinstance(verdict, Refuted):
                found += 1
                assert isinstance(explicit.answer(program, question, options), Refuted | Unknown)
    assert found > 4


def test_assertions_are_not_its_business(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("#include <assert.h>\nint main(void) { assert(0); return 0; }")
    program = load(path)
    asked = questions(program, None, "asserts")
    assert asked and all(isinstance(random_runs.RandomRuns()(program, a.question, Options(), silent), Unknown) for a in asked)


def test_rounds_that_a_race_does_without_are_left_out() -> None:
    """A thread that goes round and round, one that must have set the flag, and threads that do nothing at all."""
    p = program("x:u2 f:u1", thread("idle", "0 1 skip / 1 0 skip"), thread("set", "0 1 f = 1 / 1 0 skip"),
                thread("a", "0 1 [f == 1] / 1 0 x = 1"))
    loops = tuple(Step(0, e) for _ in range(30) for e in (0, 1))
    long = Trace(p.fingerprint(), RaceOn("x"), ("idle", "idle", "set", "set", "a", "a"), (),
                 (*loops, Step(2, 0), Step(2, 1), *loops, Step(3, 0), Step(4, 0), *loops, Step(5, 0)), ((4, 1, 0), (5, 1, 0)))
    assert isinstance(replay(p, long), Replayed)
    short = shortened(Machine(p), long, 10_000)
    assert isinstance(replay(p, short), Replayed)
    assert [short.threads[s.thread] for s in short.steps] in (["set", "a", "a"], ["a", "set", "a"])
    assert sorted(short.threads) == ["a", "a", "set"]
    assert shortened(Machine(p), short, 10_000) is short
