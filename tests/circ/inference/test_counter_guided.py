"""Counter-guided verification of finite-state threads: Algorithm 6 on small automata, the corpus and random programs."""

from __future__ import annotations

import random

import pytest

from circ.inference.counter_guided import answer
from circ.kernel.outcome import Accepted
from circ.run.check import judge, questions
from circ.verdict import Assertions, Options, RaceOn, Refuted, Safe, Unknown, Verdict, word
from frontend import load
from frontend.program import Program
from tests.support.build import program, thread
from tests.support.corpus import PROGRAMS, read_example
from tests.support.kernel.attack import random_program
from tests.support.randomc.arbiter import Table, disagreements, examine
from tests.test_corpus import load_options

X = RaceOn("x")
LOCK = program("x:u2 m:u1", thread("a", "0 1 [m == 0]; m = 1 / 1 2 x = 1 / 2 0 m = 0"))


def said(p: Program, question: RaceOn | Assertions = X, k: int | None = None) -> Verdict:
    """The verdict, confirmed by the kernel."""
    verdict = answer(p, question, Options(k=k))
    if isinstance(verdict, Safe):
        assert isinstance(judge(p, question, verdict.certificate), Accepted)
    if isinstance(verdict, Refuted):
        assert isinstance(judge(p, question, verdict.trace), Accepted)
    return verdict


def test_a_lock_is_safe_for_any_number_of_threads() -> None:
    assert isinstance(said(LOCK), Safe)


@pytest.mark.parametrize("needed", [2, 3, 4, 5])
def test_as_many_threads_as_it_takes(needed: int) -> None:
    """Each thread opens the next door; the last door needs `needed` threads, so omega threads must be told from k."""
    doors = " / ".join(f"0 1 [d == {i}]; d = {i + 1}" for i in range(needed - 2))
    p = program("x:u2 d:u3", thread("a", f"{doors} / 1 1 skip / 0 2 [d == {needed - 2}] / 2 2 x = 1"))
    verdict = said(p)
    assert isinstance(verdict, Refuted) and len(verdict.trace.threads) == needed


def test_a_spurious_error_makes_k_grow() -> None:
    """Two threads of three may pass; with k = 1 the abstraction takes the two that stay for any number."""
    p = program("x:u2 n:u2 m:u1", thread("a", "0 1 [n < 2]; n = n + 1 / 1 2 [n == 2] / 2 3 [m == 0]; m = 1 / 3 3 x = 1", count=3))
    assert not isinstance(said(p), Refuted)
    assert isinstance(said(program("x:u2 f:u1", thread("a", "0 1 [f == 0]; f = 1 / 1 1 x = 1", count=3))), Safe)


def test_a_shortest_run() -> None:
    p = program("x:u2 f:u1", thread("a", "0 1 f = 1 / 1 2 skip / 2 3 skip / 3 3 x = 1 / 0 3 [f == 1]", count=3))
    verdict = said(p)
    assert isinstance(verdict, Refuted) and len(verdict.trace.steps) == 3


def test_numbered_threads_and_assertions() -> None:
    turns = thread("a", "0 1 [t == me] / 1 2 skip / 2 0 t = 1 - me", "me:u2=self", count=2, critical={1})
    assert isinstance(said(program("x:u2 t:u2", turns), Assertions()), Safe)
    loose = thread("a", "0 1 skip / 1 0 skip", count=2, critical={1})
    assert isinstance(said(program("x:u2", loose), Assertions()), Refuted)


def test_what_is_not_finite_is_refused_by_name() -> None:
    wide = said(program("x:u2 f:i32", thread("a", "0 1 [f == 0]; [l != 0]; f = l / 1 2 x = 1 / 2 0 f = 0", "l:i32=*")))
    assert isinstance(wide, Unknown) and "32 bits" in wide.reason and "l" in wide.reason
    growing = said(program("x:u2 n:i32", thread("a", "0 0 n = n + 1 / 0 1 [n == 0 - 7] / 1 1 x = 1")))
    assert isinstance(growing, Unknown) and "n takes" in growing.reason
    numbered = said(program("x:u2", thread("a", "0 0 x = 1", "me:i32=self")))
    assert isinstance(numbered, Unknown) and "number of its own" in numbered.reason


CLAIMED = ("cas_mutex_broken", "dekker", "dekker_broken", "peterson", "peterson_broken", "four_threads_race", "three_threads_race",
           "two_threads_safe", "transmitter4", "transmitter4_broken", "owner_mutex", "owner_mutex_broken", "tas_mutex", "tas_mutex_broken",
           "spin_mutex", "spin_mutex_broken", "wrong_lock", "conditional_locking", "ticket_lock_2", "ticket_lock_broken")


@pytest.mark.parametrize("stem", CLAIMED)
def test_the_corpus(stem: str) -> None:
    example = read_example(PROGRAMS / "circ" / f"{stem}.c")
    p = load(example.path, load_options(example))
    wanted = {e.subject: e.verdict for e in example.expectations if e.subject in ("x", "asserts") or e.verdict == "race"}
    wanted = wanted or {e.subject: e.verdict for e in example.expectations[:1]}
    prop = next(iter(example.option("--property")), "races")
    for asked in questions(p, None, prop):
        if asked.shown in wanted:
            assert word(asked.question, said(p, asked.question)) == wanted[asked.shown], asked.shown


def test_random_automata() -> None:
    table = Table()
    for seed in range(60):
        p = random_program(random.Random(seed))
        for question in (X, Assertions()):
            examine(table, answer, seed, p, question, Options(), 20)
    assert not table.wrong, str(table)
    assert table.decided > 0.75, str(table)


def test_random_c() -> None:
    table = disagreements(answer, range(8), seconds=3)
    assert not table.wrong, str(table)
    assert table.decided > 0.5, str(table)
