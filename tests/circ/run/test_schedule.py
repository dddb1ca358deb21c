"""The order of the work: cheap proofs for all first, then by rank; limits, budgets, and what is known when it is broken off."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Sequence

import pytest

from circ.run.check import Inquiry, Plan, questions
from circ.run.schedule import LEAST_LOOK, MANY, Ask, NamedQuestion, Schedule, Suspect, first_look
from circ.run.session import Request, Session
from circ.static.possible.possible_races import EFFORT, PossibleRaces, possible_races
from circ.verdict import (
    FIRST_LOOK,
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
    subjects,
    word,
)
from frontend import LoadOptions, load
from frontend.program import Location, Program
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
        ("c", Part.SEARCH), ("a", Part.SEARCH), ("a", Part.PROVE), ("c", Part.PROVE), ("c", Part.RUNS), ("a", Part.RUNS),
        ("c", Part.FURTHER), ("a", Part.FURTHER),
        ("c", Part.REST), ("a", Part.REST)]
    assert not schedule.open()


def test_a_glance_at_all_comes_before_a_long_look_at_any() -> None:
    """A race that runs find at once does not wait until proofs of the others have been looked for in vain."""
    schedule = Schedule((A, B), True, True, 60.0, None)
    looks = []
    for task in schedule.tasks():
        if isinstance(task, Suspect):
            schedule.races = {v: PossibleRace(Rank.WRITES, HERE, HERE, "") for v in task.variables}
        else:
            looks.append((task.part, task.look))
            schedule.note(task, answer(task, Unknown("?")), 1.0)
    assert looks[:6] == [*[(Part.PROVE, LEAST_LOOK)] * 2, *[(Part.SEARCH, FIRST_LOOK)] * 2, *[(Part.PROVE, FIRST_LOOK)] * 2]
    small = Schedule((A, B), True, False, 60.0, None, LEAST_LOOK).tasks()
    assert sum(isinstance(t, Ask) and t.part is Part.PROVE for t in small) == 2


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
    plan = Plan(deadline=time.monotonic() - 1, budget=1.0)
    found = {a.shown: a for a in Inquiry(program, asked, plan, silent)}
    assert set(found) == {named.shown for named in asked}
    possible = {name for name, a in found.items() if word(a.question, a.verdict) == POSSIBLE}
    assert possible == {"log_.threshold", "log_.dropped", "log_.written"}
    verdict = found["log_.written"].verdict
    assert isinstance(verdict, Unknown) and "budget" in verdict.reason and "--budget" in verdict.advice
    assert "a lock in common" in verdict.advice and "predicate" not in verdict.advice


def test_where_the_possible_races_took_too_long_runs_are_looked_for_everywhere() -> None:
    schedule = Schedule((A, B), True, True, 60.0, None)
    done = []
    for task in schedule.tasks():
        if isinstance(task, Ask):
            done.append((task.named.shown, task.part))
            schedule.note(task, answer(task, Unknown("?")), 0.0)
    assert ("a", Part.SEARCH) in done and ("b", Part.SEARCH) in done


def taken(schedule: Schedule, seconds: Callable[[Ask], float]) -> list[tuple[str, Part]]:
    """The tasks of a schedule on a machine that takes so many seconds for each; nothing is decided."""
    done = []
    for task in schedule.tasks():
        if isinstance(task, Ask):
            done.append((task.named.shown, task.part))
            schedule.note(task, answer(task, Unknown("no predicate helps")), seconds(task))
    return done


def test_no_part_of_the_work_gets_a_share_of_the_clock() -> None:
    """However long each part takes, the others are asked for as before, and each may take all that is left of the budget."""
    rng = random.Random(1)
    runs = [taken(Schedule((A, B, C), True, True, None, time.monotonic() + 1000), lambda task: rng.uniform(0.0, 300.0)) for _ in range(20)]
    assert all(run == runs[0] for run in runs) and len(runs[0]) == 18
    for possible in (True, False):
        tasks = Schedule((A, B, C), True, possible, None, time.monotonic() + 1000).tasks()
        assert all(task.timeout is not None and task.timeout > 900 for task in tasks)


def test_the_first_look_is_shared_by_counting() -> None:
    assert first_look(None, 1000) == first_look(1000.0, 10) == FIRST_LOOK
    assert LEAST_LOOK < first_look(60.0, 20) < FIRST_LOOK and first_look(60.0, 20) == 2 * first_look(60.0, 40)
    assert first_look(0.1, 1000) == LEAST_LOOK


def test_the_possible_races_are_counted_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too much to look at is left out, at the same place on every machine; their limit is that of a question."""
    program = load(PROGRAMS / "products" / "logger.c")
    names = [v.name for v in subjects(program)]
    whole = possible_races(program, names)
    known = PossibleRaces(program)
    monkeypatch.setattr(f"{PossibleRaces.__module__}.EFFORT", EFFORT - known.effort + 20)
    some = possible_races(program, names)
    assert list(whole) == names and 0 < len(some) < len(whole) and some.items() <= whole.items()
    monkeypatch.setattr(f"{PossibleRaces.__module__}.EFFORT", 1)
    assert possible_races(program, names) == {}
    tasks = Schedule((A, B), True, True, 60.0, None).tasks()
    assert [t.timeout for t in tasks if isinstance(t, Suspect)] == [60.0]


def test_what_was_too_much_to_look_at_is_looked_for_by_runs() -> None:
    schedule = Schedule((A, B), True, True, 60.0, None)
    done = []
    for task in schedule.tasks():
        if isinstance(task, Suspect):
            schedule.races = {"a": "kept apart"}
        else:
            done.append((task.named.shown, task.part))
            schedule.note(task, answer(task, Unknown("?")), 0.0)
    assert ("b", Part.SEARCH) in done and ("a", Part.SEARCH) not in done


def test_what_the_end_of_the_budget_cuts_short_says_so() -> None:
    program = load(PROGRAMS / "products" / "logger.c")
    asked = questions(program, ["log_.written", "log_.dropped"], "races")
    inquiry = Inquiry(program, asked, Plan(deadline=time.monotonic() + 1000, budget=1000.0), silent)
    for task in inquiry.schedule.tasks():
        if isinstance(task, Ask):
            inquiry.schedule.deadline = time.monotonic() - 1 if task.part is Part.REST else inquiry.schedule.deadline
            inquiry.schedule.note(task, answer(task, Unknown("timeout: no answer within 2.3 s")), 0.0)
    assert {named.shown for named in inquiry.schedule.open()} == {"log_.written", "log_.dropped"}
    verdicts = [a.verdict for a in inquiry.standing("the budget is used up")]
    assert all(isinstance(v, Unknown) and v.reason == "the budget is used up" for v in verdicts)


def test_of_many_questions_with_a_budget_the_possible_races_come_first() -> None:
    """Whatever the budget comes to, they are known then; what seems to be protected is proved before the rest."""
    many = tuple(NamedQuestion(RaceOn(f"v{n}"), f"v{n}") for n in range(MANY + 1))
    schedule = Schedule(many, True, True, 60.0, time.monotonic() + 1000)
    tasks = schedule.tasks()
    first = next(tasks)
    assert isinstance(first, Suspect) and first.variables == tuple(n.shown for n in many)
    schedule.races = {"v0": PossibleRace(Rank.WRITES, HERE, HERE, ""), **{f"v{n}": "kept apart" for n in range(1, MANY)}}
    asked = [task.named.shown for task in tasks if isinstance(task, Ask) and task.part is Part.PROVE]
    order = [*(f"v{n}" for n in range(1, MANY)), "v0", f"v{MANY}"]
    assert asked == [*order, *order]
    few = Schedule(many[:3], True, True, 60.0, time.monotonic() + 1000).tasks()
    assert isinstance(next(few), Ask)


def test_possible_races_are_known_where_a_limit_ends_the_look_at_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker tells of each as it finds it; what it has come to stands when it is killed."""
    program = load(PROGRAMS / "products" / "logger.c")
    names = [v.name for v in subjects(program)]
    whole = possible_races(program, names)
    heard: dict[str, PossibleRace | str] = {}
    assert possible_races(program, names, heard.__setitem__) == whole == heard

    def killed(program: Program, variables: Sequence[str], told: Callable[[str, PossibleRace | str], None]) -> None:
        for v in names[:2]:
            told(v, whole[v])
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr("circ.run.check.possible_races", killed)
    inquiry = Inquiry(program, questions(program, None, "races"), Plan(), silent)
    assert inquiry.standing("the budget is used up")
    assert inquiry.schedule.races == {v: whole[v] for v in names[:2]}


def test_reading_has_a_part_of_the_budget() -> None:
    """A program of many files may take the limit of each, but leaves time for its answers, and other programs theirs."""
    request = Request(LoadOptions(), timeout=60.0, budget=1000.0)
    session = Session(request)
    for files, share, most in ((1, 1.0, 60.0), (31, 1.0, 750.0), (31, 0.5, 375.0), (4, 1.0, 240.0)):
        limit = session._reading(files, share).timeout
        assert limit is not None and most * 0.9 < limit <= most
    session.budget_end = time.monotonic() - 5
    assert session._reading(31).timeout == 1.0
    assert Session(Request(LoadOptions(), timeout=60.0))._reading(31).timeout == 60.0
