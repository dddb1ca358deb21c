"""The order of the work: cheap proofs for all first, then by rank; limits, budgets, and what is known when it is broken off."""

from __future__ import annotations

import time

from circ.run.check import Inquiry, Plan, questions
from circ.run.schedule import Ask, NamedQuestion, Schedule, Suspect
from circ.verdict import (
    POSSIBLE,
    Answer,
    Certificate,
    Part,
    PossibleAccess,
    PossibleRace,
    RaceOn,
    Rank,
    Safe,
    Unknown,
    silent,
    word,
)
from frontend import load
from frontend.program import Location
from tests.support.corpus import PROGRAMS

A, B, C = (NamedQuestion(RaceOn(name), name) for name in "abc")
HERE = PossibleAccess("w", Location("a.c", 1, 1), True, "x")


def answer(task: Ask, verdict: Safe | Unknown) -> Answer:
    return Answer(task.named.question, task.named.shown, verdict, "auto")


def walk(schedule: Schedule, proved: str = "", ranks: dict[str, Rank] | None = None) -> list[tuple[str, Part]]:
    """The tasks of a schedule whose questions stay open, but for those that are proved at first."""
    done = []
    for task in schedule.tasks():
        if isinstance(task, Suspect):
            schedule.races = {v: PossibleRace((ranks or {}).get(v, Rank.WRITES), HERE, HERE, "") if v in (ranks or {}) else "kept apart"
                              for v in task.variables}
            continue
        done.append((task.named.shown, task.part))
        proof = Safe(Certificate("", task.named.question, "pairs", {}))
        schedule.note(task, answer(task, proof if task.named.shown in proved else Unknown("?")), 1.0)
    return done


def test_cheap_proofs_first_then_what_most_speaks_for() -> None:
    schedule = Schedule((A, B, C), True, True, 60.0, None)
    ranks = {"a": Rank.INSTANCES, "c": Rank.WRITES}
    assert walk(schedule, proved="b", ranks=ranks) == [
        ("a", Part.PROVE), ("b", Part.PROVE), ("c", Part.PROVE),
        ("c", Part.SEARCH), ("a", Part.SEARCH), ("c", Part.REST), ("a", Part.REST)]
    assert not schedule.open()


def test_no_run_is_looked_for_where_locks_seem_to_protect() -> None:
    assert ("a", Part.SEARCH) not in walk(Schedule((A, B), True, True, 60.0, None), ranks={"b": Rank.WRITES})
    assert ("a", Part.SEARCH) in walk(Schedule((A, B), True, False, 60.0, None))


def test_an_engine_without_parts_is_asked_once_in_order() -> None:
    assert walk(Schedule((B, A), False, True, 60.0, None)) == [("b", Part.ALL), ("a", Part.ALL)]
    assert walk(Schedule((A,), True, True, 60.0, None)) == [("a", Part.ALL)]


def test_parts_share_the_limit_of_their_question() -> None:
    schedule = Schedule((A, B), True, False, 60.0, None)
    for task in schedule.tasks():
        assert isinstance(task, Ask) and task.timeout is not None
        spent = schedule.spent.get(task.named, 0.0)
        assert task.timeout <= 60.0 - spent
        schedule.note(task, answer(task, Unknown("?")), 55.0)
    assert [schedule.spent[q] for q in (A, B)] == [110.0, 110.0]  # nothing is left for inference


def test_a_budget_that_is_used_up_ends_the_work() -> None:
    schedule = Schedule((A, B, C), True, True, 60.0, time.monotonic() - 1)
    assert walk(schedule) == [] and schedule.over() and schedule.open() == (A, B, C)
    shares = [t.timeout for t in Schedule((A, B, C), True, True, 60.0, time.monotonic() + 3).tasks() if isinstance(t, Ask)]
    assert shares and all(s is not None and s <= 3 for s in shares)


def test_what_is_known_when_the_budget_is_used_up() -> None:
    program = load(PROGRAMS / "products" / "logger.c")
    asked = questions(program, ["log_"], "races")
    plan = Plan(deadline=time.monotonic() - 1)
    found = {a.shown: a for a in Inquiry(program, asked, plan, silent)}
    assert set(found) == {named.shown for named in asked}
    possible = {name for name, a in found.items() if word(a.question, a.verdict) == POSSIBLE}
    assert possible == {"log_.threshold", "log_.dropped", "log_.written"}
    verdict = found["log_.written"].verdict
    assert isinstance(verdict, Unknown) and "budget" in verdict.reason and "--budget" in verdict.advice
    assert "a lock in common" in verdict.advice and "predicate" not in verdict.advice


def test_without_shares_only_the_deadline_cuts_a_part_short() -> None:
    """A competition's time is nobody's share: how far a part goes is counted."""
    schedule = Schedule((A, B, C), True, False, None, time.monotonic() + 1000, shares=False)
    limits = []
    for task in schedule.tasks():
        assert isinstance(task, Ask)
        limits.append((task.part, task.timeout is not None and task.timeout > 900))
        schedule.note(task, Answer(task.named.question, task.named.shown, Unknown("no"), "auto"), 400.0)
    assert limits == [(part, True) for part in (Part.PROVE, Part.SEARCH, Part.REST) for _ in (A, B, C)]


def test_possible_races_end_with_the_budget() -> None:
    for budget, most in ((5.0, 5.0), (500.0, 30.0)):
        schedule = Schedule((A, B), True, True, 60.0, time.monotonic() + budget)
        for task in schedule.tasks():
            if isinstance(task, Suspect):
                assert task.timeout is not None and most - 1 < task.timeout <= most
                break
            schedule.note(task, Answer(task.named.question, task.named.shown, Unknown("no"), "auto"), 0.0)
        else:
            raise AssertionError("nobody asks for the possible races")


def test_what_a_share_of_the_budget_cuts_short_is_asked_for_again_until_it_ends_by_itself() -> None:
    schedule = Schedule((A, B), True, False, None, time.monotonic() + 1000)
    cut = {("a", Part.SEARCH): 2, ("b", Part.REST): 1}  # so often the clock ends the part
    done = []
    for task in schedule.tasks():
        assert isinstance(task, Ask) and task.timeout is not None
        key = task.named.shown, task.part
        done.append(key)
        cut[key] = cut.get(key, 0) - 1
        schedule.note(task, answer(task, Unknown("no predicate helps")), task.timeout if cut[key] >= 0 else 0.01)
    first = [(name, part) for part in (Part.PROVE, Part.SEARCH, Part.REST) for name in "ab"]
    assert done == [*first, ("a", Part.SEARCH), ("b", Part.REST), ("a", Part.SEARCH)]
    assert not schedule.open()
    assert [schedule.answers[q].verdict.reason for q in (A, B)] == ["no predicate helps"] * 2  # type: ignore[union-attr]


def test_what_was_cut_short_and_had_no_other_turn_says_so() -> None:
    program = load(PROGRAMS / "products" / "logger.c")
    asked = questions(program, ["log_.written", "log_.dropped"], "races")
    inquiry = Inquiry(program, asked, Plan(deadline=time.monotonic() + 1000), silent)
    tasks = inquiry.schedule.tasks()
    for task in tasks:
        if isinstance(task, Ask):
            late = task.part is Part.SEARCH
            inquiry.schedule.deadline = time.monotonic() - 1 if task.part is Part.REST else inquiry.schedule.deadline
            inquiry.schedule.note(task, answer(task, Unknown("no predicate helps")), task.timeout or 0.0 if late else 0.0)
    assert {named.shown for named in inquiry.schedule.open()} == {"log_.written", "log_.dropped"}
    verdicts = [a.verdict for a in inquiry.standing("the budget is used up")]
    assert all(isinstance(v, Unknown) and v.reason == "the budget is used up" for v in verdicts)


def test_where_the_possible_races_took_too_long_runs_are_looked_for_everywhere() -> None:
    schedule = Schedule((A, B), True, True, 60.0, None)
    done = []
    for task in schedule.tasks():
        if isinstance(task, Ask):
            done.append((task.named.shown, task.part))
            schedule.note(task, answer(task, Unknown("?")), 0.0)
    assert ("a", Part.SEARCH) in done and ("b", Part.SEARCH) in done
