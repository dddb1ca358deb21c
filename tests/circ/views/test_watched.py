"""Accesses that are watched: a race of the view is three accesses of the program that are not serialisable, and the reverse."""

from __future__ import annotations

import random

import pytest

from circ.kernel.other_kinds import check_any_kind
from circ.kernel.outcome import Accepted, Refused
from circ.kernel.replay import Replayed, replay
from circ.run.triage import triage
from circ.search import explicit
from circ.semantics.evaluation import Undefined, Value
from circ.semantics.interpreter import Machine, State
from circ.semantics.serialisability import triple_at_end
from circ.verdict import AtomicityOf, Certificate, Options, RaceOn, Refuted, Safe, Step, Unknown, Verdict, silent
from circ.views.on_watched import OnWatched
from circ.views.watched import VIOLATED, watched
from frontend.program import Arbitrary, Program, Variable
from tests.support.build import program, thread
from tests.support.randomc.automata import random_program

X = AtomicityOf("x")


def asked(p: Program, question: AtomicityOf = X) -> Verdict:
    return OnWatched(explicit.engine, triage)(p, question, Options(max_states=20_000), silent)


def two(first: str, second: str, handler: str, **more: object) -> Program:
    """A thread that makes two accesses, one after the other, once, and another one."""
    return program("x y", thread("main", f"0 1 {first} / 1 2 {second}", locals="l k", count=1, **more),
                   thread("isr", f"0 0 {handler}", locals="l", count=1))


@pytest.mark.parametrize(("first", "second", "handler", "violated"), [
    ("l = x", "k = x", "x = 1", True),
    ("x = 1", "l = x", "x = 2", True),
    ("l = x", "x = l", "x = 1", True),
    ("x = 1", "x = 2", "l = x", True),
    ("l = x", "k = x", "l = x", False),
    ("x = 1", "x = 2", "x = 3", False),
    ("x = 1", "l = x", "l = x", False),
    ("l = x", "x = 1", "l = x", False),
    ("l = x", "k = y", "x = 1", False),
])
def test_four_patterns_of_eight_are_not_serialisable(first: str, second: str, handler: str, violated: bool) -> None:
    verdict = asked(two(first, second, handler))
    assert isinstance(verdict, Refuted if violated else Safe)
    inside = asked(two(first, second, handler, atomic={1}))
    assert isinstance(inside, Safe)


def test_two_turns_of_a_loop_are_two_things() -> None:
    polls = program("x", thread("main", "0 1 l = x / 1 0 [l == 0] / 1 2 [l != 0]", locals="l", count=1),
                    thread("isr", "0 0 x = 1", count=1))
    assert isinstance(asked(polls), Safe)
    behind = program("x", thread("main", "0 1 l = x / 1 0 [l == 0] / 1 2 [l != 0] / 2 3 l = x", locals="l", count=1),
                     thread("isr", "0 0 x = 1", count=1))
    assert isinstance(asked(behind), Refuted)
    inner = program("x", thread("main", "0 1 l = x / 1 2 l = * / 2 1 [l == 0] / 2 3 [l != 0] / 3 0 l = x", locals="l", count=1),
                    thread("isr", "0 0 x = 1", count=1))
    assert isinstance(asked(inner), Refuted), "the loop between the two accesses is around none of them"
    once = program("x", thread("main", "0 1 l = x / 1 2 l = * / 2 1 [l == 0] / 2 0 [l != 0]", locals="l", count=1),
                   thread("isr", "0 0 x = 1", count=1))
    assert isinstance(asked(once), Safe)


def test_elements_are_told_apart() -> None:
    def of(read: int, written: int) -> Program:
        return program("x[4]", thread("main", f"0 1 l = x[1] / 1 2 k = x[3] / 2 3 l = x[{read}]", locals="l k", count=1),
                       thread("isr", f"0 0 x[{written}] = 1", count=1))
    assert isinstance(asked(of(1, 1)), Refuted)
    assert isinstance(asked(of(1, 2)), Safe)
    assert isinstance(asked(of(2, 1)), Safe)


def test_any_number_of_threads_interrupt_each_other() -> None:
    p = program("x lock", thread("w", "0 1 l = x / 1 0 x = l", locals="l"))
    assert isinstance(asked(p), Refuted)


def test_a_proof_about_another_question_or_the_program_itself_is_refused() -> None:
    p = two("l = x", "k = x", "x = 1", atomic={1})
    verdict = asked(p)
    assert isinstance(verdict, Safe)
    assert isinstance(check_any_kind(p, X, verdict.certificate), Accepted)
    body = verdict.certificate.body
    for wrong in (Certificate(p.fingerprint(), X, str(body["kind"]), body["body"]),
                  Certificate(p.fingerprint(), X, "watched", {"kind": "unshared", "body": {}}),
                  Certificate(p.fingerprint(), X, "watched", {"kind": "protected"})):
        assert isinstance(check_any_kind(p, X, wrong), Refused)
    race = Certificate(p.fingerprint(), RaceOn("x"), "watched", body)
    assert isinstance(check_any_kind(p, RaceOn("x"), race), Refused)
    broken = two("l = x", "k = x", "x = 1")
    forged = Certificate(broken.fingerprint(), X, "watched", body)
    assert isinstance(check_any_kind(broken, X, forged), Refused)


# --------------------------------------------------------------------------------------------------- random programs
@pytest.mark.parametrize("seed", range(60))
def test_no_three_accesses_are_lost_and_none_is_invented(seed: int) -> None:
    """Random runs of random programs, watched by looking back, against a search of the view."""
    r = random.Random(seed)
    p = random_program(seed)
    question = AtomicityOf(r.choice(["x", "flag", "a"]))
    if question.variable not in {v.name for v in p.globals}:
        return
    verdict = asked(p, question)
    if isinstance(verdict, Refuted):
        assert isinstance(replay(p, verdict.trace), Replayed)
    elif _random_runs_show(p, question.variable, r):
        view = watched(p, question.variable).program
        assert not isinstance(verdict, Safe)
        assert isinstance(verdict, Unknown) and explicit.oracle(view, RaceOn(VIOLATED.name), 3) is not False


def _random_runs_show(p: Program, variable: str, r: random.Random) -> bool:
    machine = Machine(p)
    crew = tuple(i for i, t in enumerate(p.templates) for _ in range(2 if t.count is None else min(t.count, 2)))
    return any(_random_run_shows(machine, crew, variable, r) for _ in range(60)) if crew else False


def _random_run_shows(machine: Machine, crew: tuple[int, ...], variable: str, r: random.Random) -> bool:
    def start(v: Variable, thread: int | None) -> Value:
        n = r.randrange(3) if isinstance(v.start, Arbitrary) else (thread or 0)
        return (n, ()) if v.is_array else v.type.wrap(n)

    states, steps = [machine.start(crew, start)], list[Step]()
    for _ in range(25):
        state = states[-1]
        holder = machine.holder(crew, state.threads)
        me = r.randrange(len(crew)) if holder is None else holder
        leaving = machine.leaving(crew[me], state.threads[me][0])
        if not leaving:
            continue
        edge = r.choice(leaving)
        code = machine.code(crew[me], edge)
        if not machine.guards_pass(code.guards, crew, state.threads, me):
            continue
        after = machine.execute(code, state.globals, state.threads[me][1],
                                lambda k, _, code=code: (0, ()) if code.holes[k].whole else r.randrange(3))
        if after is None:
            continue
        threads = list(state.threads)
        threads[me] = machine.edge(crew[me], edge).target, after[1]
        states.append(State(after[0], tuple(threads)))
        steps.append(Step(me, edge))
        try:
            if triple_at_end(machine, crew, states, steps, variable) is not None:
                return True
        except Undefined:
            return False
    return False
