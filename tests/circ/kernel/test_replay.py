"""Replay accepts the runs of a program and refuses everything else: wrong schedules, wrong values, wrong claims, hostile data."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from circ.kernel.outcome import Refused
from circ.kernel.replay import Replayed, replay
from circ.search.explicit import answer
from circ.verdict import Assertions, Choice, Options, Question, RaceOn, Refuted, Step, Trace, silent
from frontend.program import (
    NOWHERE,
    Access,
    AllAt,
    Arbitrary,
    Assign,
    Assume,
    Binary,
    Block,
    Cfa,
    Const,
    Edge,
    Element,
    ErrorKind,
    ErrorLocation,
    Expr,
    Havoc,
    Invariant,
    Program,
    Read,
    Scalar,
    Self,
    ThreadTemplate,
    Values,
    Var,
    Variable,
)
from tests.support.randomc.automata import random_program

U8, I32 = Scalar(8, False), Scalar(32, True)
X, S, L, OLD = (Var(n, U8) for n in ("x", "s", "l", "old"))


def is_(v: Var, n: int) -> Expr:
    return Binary("==", Read(v), Const(n, v.type))


def flags(count: int | None = None, atomic: bool = True) -> Program:
    """s is tested and set (in an atomic section, or not), then x is written, then s is given back."""
    inside = frozenset({1, 2}) if atomic else frozenset()
    edges = (
        Edge(0, 1, Assign(OLD, Read(S)), protected=atomic),
        Edge(1, 2, Assume(is_(OLD, 0)), protected=atomic),
        Edge(1, 0, Assume(is_(OLD, 1)), protected=atomic),
        Edge(2, 3, Assign(S, Const(1, U8)), protected=atomic),
        Edge(3, 4, Assign(X, Const(7, U8)), (Access(X, True, text="x = 7"),), text="x = 7"),
        Edge(4, 0, Assign(S, Const(0, U8))),
    )
    template = ThreadTemplate("t", Cfa(5, 0, edges, inside), (Variable("old", U8, start=Arbitrary()),), count)
    return Program("f.c", (Variable("x", U8), Variable("s", U8)), (template,))


def racing(p: Program) -> Trace:
    """The run in which both threads see s == 0; it is a run of the program without atomic sections only."""
    steps = [Step(0, 0), Step(1, 0), Step(0, 1), Step(1, 1), Step(0, 3), Step(1, 3)]
    return Trace(p.fingerprint(), RaceOn("x"), ("t", "t"), (), tuple(steps), ((0, 4, 0), (1, 4, 0)))


def refused(p: Program, trace: Trace) -> str:
    outcome = replay(p, trace)
    assert isinstance(outcome, Refused), outcome
    return f"{outcome.where}: {outcome.detail}"


def test_a_race_is_accepted_with_all_its_states() -> None:
    p = flags(atomic=False)
    outcome = replay(p, racing(p))
    assert isinstance(outcome, Replayed)
    assert len(outcome.states) == 7
    longer = replace(racing(p), steps=(*racing(p).steps, Step(0, 4), Step(0, 5), Step(0, 0), Step(0, 1), Step(0, 3)))
    outcome = replay(p, longer)
    assert isinstance(outcome, Replayed)
    [x] = [i for i, v in enumerate(p.globals) if v.name == "x"]
    assert [state.globals[x] for state in outcome.states[6:8]] == [0, 7]


def test_atomic_sections_are_respected() -> None:
    p = flags()
    assert "step 2: thread 1 cannot run while thread 0 is inside an atomic section" in refused(p, racing(p))


def test_wrong_runs_are_refused() -> None:
    p = flags(atomic=False)
    good = racing(p)
    assert "another program" in refused(p, replace(good, program="0" * 64))
    assert "another program" in refused(flags(), good)
    assert "no thread template" in refused(p, replace(good, threads=("t", "u")))
    assert "no thread 1" in refused(p, replace(good, threads=("t",)))
    assert "does not leave" in refused(p, replace(good, steps=(Step(0, 1),)))
    assert "condition does not hold" in refused(p, replace(good, steps=(Step(0, 0), Step(0, 2))))
    assert "no thread 9" in refused(p, replace(good, steps=(Step(9, 0),)))
    assert "does not leave" in refused(p, replace(good, steps=(Step(0, -1),)))
    assert "does not leave" in refused(p, replace(good, steps=(Step(0, 99),)))
    assert "does not leave open" in refused(p, replace(good, steps=(Step(0, 0, (Choice("old", 1),)),)))


def test_wrong_claims_are_refused() -> None:
    p = flags(atomic=False)
    good = racing(p)
    assert "two accesses" in refused(p, replace(good, accesses=good.accesses[:1]))
    assert "one thread" in refused(p, replace(good, accesses=(good.accesses[0],) * 2))
    assert "does not leave" in refused(p, replace(good, steps=good.steps[:-1]))
    assert "no access" in refused(p, replace(good, accesses=((0, 4, 0), (1, 4, 1))))
    assert "no access" in refused(p, replace(good, accesses=((0, 4, -1), (1, 4, 0))))
    assert "not to 's'" in refused(p, replace(good, question=RaceOn("s")))
    assert "no assertion is violated" in refused(p, replace(good, question=Assertions(), accesses=()))
    assert "no accesses" in refused(p, replace(good, question=Assertions()))


def test_counts_are_respected() -> None:
    p = flags(count=1, atomic=False)
    assert "of which there are 1" in refused(p, racing(p))


def test_start_values() -> None:
    p = flags(atomic=False)
    good = racing(p)

    def start(*choices: Choice) -> Trace:
        return replace(good, start=choices)

    assert isinstance(replay(p, start(Choice("old", 255, thread=0), Choice("old", 3, thread=1))), Replayed)
    assert "no value of" in refused(p, start(Choice("old", 256, thread=0)))
    assert "no value of" in refused(p, start(Choice("old", -1, thread=0)))
    assert "two values" in refused(p, start(Choice("old", 1, thread=0), Choice("old", 2, thread=0)))
    assert "no start value" in refused(p, start(Choice("s", 1)))
    assert "no start value" in refused(p, start(Choice("old", 1)))
    assert "no thread 5" in refused(p, start(Choice("old", 1, thread=5)))
    assert "wrong shape" in refused(p, start(Choice("old", 1, index=0, thread=0)))


def numbered(count: int | None) -> Program:
    edge = Edge(0, 1, Assume(Binary("==", Read(Var("self", I32)), Const(5, I32))))
    at_x = Edge(1, 1, Assign(X, Const(1, U8)), (Access(X, True),))
    free = Edge(0, 2, Block(())), Edge(2, 2, Assign(X, Const(1, U8)), (Access(X, True),))
    local = (Variable("self", I32, start=Self()), Variable("tid", I32, start=Self(1)))
    template = ThreadTemplate("t", Cfa(3, 0, (edge, at_x, *free)), local, count)
    return Program("n.c", (Variable("x", U8),), (template,))


def test_numbers_are_distinct_and_in_range() -> None:
    p = numbered(None)
    good = Trace(p.fingerprint(), RaceOn("x"), ("t", "t"), (Choice("self", 5, thread=0),), (Step(0, 0), Step(1, 2)),
                 ((0, 1, 0), (1, 3, 0)))
    outcome = replay(p, good)
    assert isinstance(outcome, Replayed)
    assert [t[1] for t in outcome.states[0].threads] == [(5, 6), (0, 1)]
    assert "the number 5" in refused(p, replace(good, start=(Choice("self", 5, thread=0), Choice("self", 5, thread=1))))
    assert "two numbers" in refused(p, replace(good, start=(Choice("self", 5, thread=0), Choice("tid", 5, thread=0))))
    p = numbered(3)
    assert "cannot have the number" in refused(p, replace(good, program=p.fingerprint()))


def havoc_program() -> Program:
    a = Element("a", Const(1, I32), U8)
    edges = (
        Edge(0, 1, Block((Havoc((L, a), ("b",)), Assume(Binary("<", Read(L), Const(9, U8)))))),
        Edge(1, 2, Assume(Binary("==", Read(Element("b", Const(3, I32), U8)), Const(4, U8)))),
    )
    cfa = Cfa(3, 0, edges, errors={2: ErrorLocation(ErrorKind.ASSERT, NOWHERE, "b[3] != 4")})
    local = (Variable("l", U8), Variable("b", U8, 8))
    return Program("h.c", (Variable("a", U8, 4),), (ThreadTemplate("t", cfa, local, 1),))


def test_values_of_havocs() -> None:
    p = havoc_program()

    def trace(*choices: Choice) -> Trace:
        return Trace(p.fingerprint(), Assertions(), ("t",), (), (Step(0, 0, choices), Step(0, 1)))

    good = (Choice("l", 8), Choice("a", 7, 1), Choice("b", 4, 3))
    assert isinstance(replay(p, trace(*good)), Replayed)
    assert isinstance(replay(p, trace(Choice("l", 8), Choice("a", 7), Choice("b", 4, 3))), Replayed)
    assert "condition does not hold" in refused(p, trace(Choice("l", 9), *good[1:]))
    assert "condition does not hold" in refused(p, trace(*good[:2]))
    assert "no value for 'a'" in refused(p, trace(good[0]))
    assert "no value for 'l'" in refused(p, trace(*reversed(good)))
    assert "another place" in refused(p, trace(good[0], Choice("a", 7, 2), good[2]))
    assert "no value of 'l'" in refused(p, trace(Choice("l", 300), *good[1:]))
    assert "does not leave open" in refused(p, trace(*good, Choice("l", 1)))
    assert "cannot be chosen" in refused(p, trace(*good, Choice("b", 4, 3)))


def test_elements_race_only_if_they_are_the_same() -> None:
    def touch(q: int, index: Expr) -> tuple[Edge, Edge]:
        a = Element("a", index, U8)
        return Edge(0, q, Block(())), Edge(q, q, Assign(a, Const(1, U8)), (Access(a, True),))

    first, second = touch(1, Const(1, I32)), touch(2, Read(Var("i", I32)))
    template = ThreadTemplate("t", Cfa(3, 0, (*first, *second)), (Variable("i", I32, start=Arbitrary()),))
    p = Program("e.c", (Variable("a", U8, 4),), (template,))
    good = Trace(p.fingerprint(), RaceOn("a"), ("t", "t"), (Choice("i", 1, thread=1),), (Step(0, 0), Step(1, 2)),
                 ((0, 1, 0), (1, 3, 0)))
    assert isinstance(replay(p, good), Replayed)
    assert "different elements, 1 and 2" in refused(p, replace(good, start=(Choice("i", 2, thread=1),)))


def test_unnamed_threads_exist() -> None:
    """Waiting for three threads of which the trace names two is waiting for the third, too."""
    done = ThreadTemplate("w", Cfa(2, 0, (Edge(0, 1, Block(())),)), (), 3)
    wait = Cfa(2, 0, (Edge(0, 1, AllAt("w", frozenset({1}))),), errors={1: ErrorLocation(ErrorKind.ASSERT, NOWHERE, "")})
    p = Program("j.c", (), (ThreadTemplate("main", wait, (), 1), done))
    steps = (Step(1, 0), Step(2, 0), Step(0, 0))
    good = Trace(p.fingerprint(), Assertions(), ("main", "w", "w", "w"), (), (Step(3, 0), *steps))
    assert isinstance(replay(p, good), Replayed)
    assert "waits for other threads" in refused(p, replace(good, threads=("main", "w", "w"), steps=steps))


def test_assertions_of_every_kind() -> None:
    critical = Program("c.c", (), (ThreadTemplate("t", Cfa(2, 0, (Edge(0, 1, Block(())),), critical=frozenset({1}))),))
    trace = Trace(critical.fingerprint(), Assertions(), ("t", "t"), (), (Step(0, 0), Step(1, 0)))
    assert isinstance(replay(critical, trace), Replayed)
    assert "no assertion" in refused(critical, replace(trace, steps=trace.steps[:1]))
    write = ThreadTemplate("t", Cfa(2, 0, (Edge(0, 1, Assign(X, Const(3, U8))),)))
    low = Invariant(Binary("<", Read(X), Const(3, U8)), NOWHERE, "x < 3")
    guarded = Program("i.c", (Variable("x", U8),), (write,), invariants=(low,))
    trace = Trace(guarded.fingerprint(), Assertions(), ("t",), (), (Step(0, 0),))
    outcome = replay(guarded, trace)
    assert isinstance(outcome, Replayed)
    assert outcome.finding == "the invariant x < 3 is false"
    assert "no assertion" in refused(guarded, replace(trace, steps=()))


def guarded_access(ghost: bool) -> Program:
    """An access behind a guard in one step; the guard is the scheduler's if it is about a ghost."""
    step = Block((Assume(is_(Var("level", U8), 1)), Assign(X, Const(1, U8))))
    edges = (Edge(0, 0, step, (Access(X, True),)),)
    level = Variable("level", U8, start=Values(0), ghost=ghost)
    return Program("g.c", (Variable("x", U8), level), (ThreadTemplate("t", Cfa(1, 0, edges)),))


def test_a_suspended_access_counts_and_a_blocked_one_does_not() -> None:
    suspended, blocked = guarded_access(True), guarded_access(False)
    trace = Trace(suspended.fingerprint(), RaceOn("x"), ("t", "t"), (), (), ((0, 0, 0), (1, 0, 0)))
    assert isinstance(replay(suspended, trace), Replayed)
    assert "is not next" in refused(blocked, replace(trace, program=blocked.fingerprint()))


QUESTIONS: tuple[Question, ...] = (RaceOn("x"), RaceOn("a"), Assertions())


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_damaged_traces_are_refused_or_still_runs(question: Question) -> None:
    """Random edits of real traces never crash the replay, and what it accepts it accepts for a reason."""
    r = random.Random(5)
    outcomes = {Replayed: 0, Refused: 0}
    for seed in range(60):
        p = random_program(seed)
        verdict = answer(p, question, Options(max_states=2_000), silent)
        if isinstance(verdict, Refuted):
            for _ in range(20):
                outcomes[type(replay(p, damage(r, verdict.trace)))] += 1
    assert outcomes[Refused] > 50


def damage(r: random.Random, trace: Trace) -> Trace:
    steps = list(trace.steps)
    number = r.choice([-1, 0, 1, 2, 7, 300, 1 << 70, -(1 << 70)])
    match r.randrange(8):
        case 0 if steps:
            del steps[r.randrange(len(steps))]
        case 1 if len(steps) > 1:
            i = r.randrange(len(steps) - 1)
            steps[i], steps[i + 1] = steps[i + 1], steps[i]
        case 2 if steps:
            i = r.randrange(len(steps))
            steps[i] = replace(steps[i], edge=number)
        case 3 if steps:
            i = r.randrange(len(steps))
            steps[i] = replace(steps[i], thread=number)
        case 4 if steps:
            i = r.randrange(len(steps))
            steps[i] = replace(steps[i], choices=(Choice(r.choice(["l", "m", "b", "x"]), number, r.choice([None, 0, number])),))
        case 5:
            name, index, thread = r.choice(["l", "m", "b", "flag"]), r.choice([None, 0]), r.choice([None, 0, number])
            return replace(trace, start=(Choice(name, number, index, thread),))
        case 6 if trace.accesses:
            (t, e, a), other = trace.accesses
            return replace(trace, accesses=(r.choice([(number, e, a), (t, number, a), (t, e, number)]), other))
        case _:
            return replace(trace, threads=trace.threads[:-1])
    return replace(trace, steps=tuple(steps))
