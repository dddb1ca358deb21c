"""The explicit search: reductions change no answer, traces replay, certificates are accepted and attacks on them are not."""

from __future__ import annotations

import copy
import random
from collections import Counter
from dataclasses import replace

import pytest

from circ.kernel.outcome import Accepted, Refused
from circ.kernel.reachable import check_reachable
from circ.kernel.replay import Replayed, replay
from circ.search.explicit import answer, crews, oracle
from circ.verdict import Assertions, Options, Question, RaceOn, Refuted, Safe, Technique, Unknown, silent
from frontend.program import Program
from tests.support import finite_random
from tests.support.build import program, thread
from tests.support.randomc.automata import random_program

QUESTIONS: tuple[Question, ...] = (RaceOn("x"), RaceOn("a"), Assertions())
SMALL = Options(max_states=2_000)
ALL_OFF = {Technique.SYMMETRY: False, Technique.LOCAL_FIRST: False, Technique.OPEN: False}


def kind(verdict: object) -> str:
    return type(verdict).__name__


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_reductions_change_no_answer_and_traces_replay(question: Question) -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        p = random_program(seed)
        plain = answer(p, question, Options(switches=ALL_OFF, max_states=4_000), silent)
        if isinstance(plain, Unknown) and "states" in plain.reason:
            continue
        for switches in ({}, {Technique.SYMMETRY: False}, {Technique.LOCAL_FIRST: False}, {Technique.OPEN: False}):
            verdict = answer(p, question, Options(switches=switches, max_states=4_000), silent)
            assert kind(verdict) == kind(plain), (seed, switches)
            if isinstance(verdict, Refuted):
                outcome = replay(p, verdict.trace)
                assert isinstance(outcome, Replayed), (seed, switches, str(outcome))
                assert isinstance(plain, Refuted)
                assert len(verdict.trace.steps) == len(plain.trace.steps), (seed, switches)
        seen[kind(plain)] += 1
    assert min(seen["Refuted"], seen["Safe"] + seen["Unknown"]) > 5, seen


def test_certificates_are_accepted_for_safe_programs_only() -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        p = random_program(seed, bounded=True)
        for question in QUESTIONS:
            verdict = answer(p, question, Options(max_states=4_000), silent)
            seen[kind(verdict)] += 1
            if isinstance(verdict, Safe):
                outcome = check_reachable(p, verdict.certificate)
                assert isinstance(outcome, Accepted), (seed, str(outcome))
    assert min(seen["Refuted"], seen["Safe"]) > 10, seen


def test_damaged_certificates_are_refused() -> None:
    r = random.Random(3)
    attacked = 0
    for seed in range(40):
        p = random_program(seed, bounded=True)
        verdict = answer(p, RaceOn("x"), Options(max_states=1_000), silent)
        if not isinstance(verdict, Safe):
            continue
        body = verdict.certificate.body
        for _ in range(5):
            smaller = copy.deepcopy(dict(body))
            smaller["states"].pop(r.randrange(len(body["states"])))
            assert isinstance(check_reachable(p, replace(verdict.certificate, body=smaller)), Refused)
            attacked += 1
    assert attacked > 20


@pytest.mark.parametrize("body", [
    {}, [], {"forget": 1, "globals": 1, "open": 1, "threads": 1, "states": 1},
    {"forget": [], "globals": [], "open": {"globals": [], "locals": []}, "threads": [], "states": []},
    {"forget": [[[]]], "globals": [[None]], "open": {"globals": [1], "locals": []}, "threads": [[[True, []]]], "states": []},
])
def test_what_is_no_certificate_is_refused(body: object) -> None:
    p = random_program(1, bounded=True)
    verdict = next(v for s in range(50) if isinstance(v := answer(random_program(s, True), RaceOn("x"), SMALL, silent), Safe))
    assert isinstance(check_reachable(p, replace(verdict.certificate, body=body)), Refused)  # type: ignore[arg-type]


def test_a_certificate_of_a_racy_program_is_refused() -> None:
    """The states of the safe program with a race question on another variable, and of another program."""
    racy = [p for s in range(25) if isinstance(answer(p := random_program(s, True), RaceOn("x"), SMALL, silent), Refuted)]
    safe = [v for s in range(25) if isinstance(v := answer(random_program(s, True), RaceOn("x"), SMALL, silent), Safe)]
    assert racy and safe
    for p in racy:
        for v in safe:
            assert isinstance(check_reachable(p, v.certificate), Refused)


def test_the_oracle_agrees_with_the_engine() -> None:
    for seed in range(40):
        p = random_program(seed)
        verdict = answer(p, RaceOn("x"), SMALL, silent)
        found = [oracle(p, RaceOn("x"), n, SMALL.max_states) for n in (2, 3, 4)]
        assert (True in found) == isinstance(verdict, Refuted), seed


def test_limits_end_in_unknown() -> None:
    programs: list[Program] = [random_program(s) for s in range(40)]
    stopped = 0
    for p in programs:
        verdict = answer(p, RaceOn("x"), Options(max_states=3), silent)
        if isinstance(verdict, Unknown) and "more than 3 states" in verdict.reason:
            stopped += 1
        elif isinstance(verdict, Safe):
            assert len(verdict.certificate.body["states"]) <= 3
    assert stopped > 5


def test_no_more_threads_run_than_there_are_numbers_for() -> None:
    """A thread's number in one bit: there are two of them, who take turns."""
    turns = "0 1 [turn == me] / 1 2 x = 1 / 2 0 turn = 1 - turn"
    p = program("x turn:u8", thread("w", turns, "me:u1=self"))
    assert [len(crew) for n in (2, 3) for crew in crews(p, n)] == [2]


def test_a_number_that_was_left_open_and_only_sampled_is_looked_at_again() -> None:
    """The run needs a thread's own number, which decides too little to be kept, in 32 bits."""
    verdict = answer(finite_random.random_program(4201477), Assertions(), Options(max_states=20_000), silent)
    assert isinstance(verdict, Refuted)
