"""The report by objects: what is told at once, what at the end, what is folded and what has no line; runs that fit on a page."""

from __future__ import annotations

from dataclasses import replace

from circ.report.rerun import Rerun
from circ.report.terminal.by_object import LISTED, MOST_POSSIBLE, MOST_UNKNOWN, ObjectReport, is_silent
from circ.report.terminal.columns import MOST_LINES, interleaving
from circ.search.random_runs import RandomRuns
from circ.verdict import (
    Answer,
    Certificate,
    Options,
    PossibleAccess,
    PossibleRace,
    RaceOn,
    Rank,
    Refuted,
    Safe,
    Unknown,
    Verdict,
    silent,
)
from frontend import load
from frontend.program import Location, Program, Scalar, Variable
from tests.support.corpus import PROGRAMS

INT = Scalar(32, True)


def program(names: list[str], objects: dict[str, str] | None = None) -> Program:
    return Program("a.c", tuple(Variable(n, INT, shown=n, object=(objects or {}).get(n, n), location=Location("a.c", 1, 1))
                                for n in names), ())


def answer(name: str, verdict: Verdict) -> Answer:
    return Answer(RaceOn(name), name, verdict, "static")


def possible(line: int, rank: Rank) -> Unknown:
    access = PossibleAccess("w", Location("a.c", line, 1), True, "x")
    return Unknown("late", possible=PossibleRace(rank, access, access, "no lock is held at either"))


SAFE = Safe(Certificate("", RaceOn("x"), "pairs", {}))


def report(p: Program, answers: list[Answer], everything: bool = False) -> tuple[str, str]:
    told = ObjectReport(p, [v.name for v in p.globals], everything)
    return "".join(map(told.at_once, answers)), told.at_the_end(answers)


def test_possible_races_by_rank_and_object() -> None:
    p = program(["s.a", "s.b", "x", "y"], {"s.a": "s", "s.b": "s"})
    first, end = report(p, [answer("s.a", possible(5, Rank.ELEMENTS)), answer("s.b", possible(6, Rank.WRITE_AND_READ)),
                            answer("x", possible(7, Rank.WRITES)), answer("y", Unknown("late"))])
    heads = [line for line in end.splitlines() if not line.startswith("  ") and ": note: " not in line]
    assert [line.split("'")[1] for line in heads] == ["x", "s.b", "y"] and first == ""
    assert "  also on 's.a' (a.c:5:1): " in end


def test_few_proofs_are_listed_many_are_counted() -> None:
    few, many = [f"v{n}" for n in range(LISTED)], [f"v{n}" for n in range(LISTED + 1)]
    first, end = report(program(few), [answer(n, SAFE) for n in few])
    assert first.count("safe: no race on") == LISTED and end == ""
    first, end = report(program(many), [answer(n, SAFE) for n in many])
    assert first == "" and end.startswith(f"a.c: safe: no race on {LISTED + 1} variables of {LISTED + 1} objects (")
    first, end = report(program(many), [answer(n, SAFE) for n in many], everything=True)
    assert first.count("safe: no race on") == LISTED + 1 and end == ""


def test_many_undecided_objects_are_counted() -> None:
    """The first lines are worth reading: for the races most speaks, and what cannot be told of any other is said once."""
    races, others = [f"r{n}" for n in range(MOST_POSSIBLE + 2)], [f"v{n}" for n in range(MOST_UNKNOWN + 3)]
    p = program([*races, *others])
    answers = [*(answer(n, possible(5, Rank.POINTER if n == "r0" else Rank.WRITES)) for n in races),
               *(answer(n, Unknown("late", ("kept apart",) if n == "v14" else ())) for n in others)]
    _, end = report(p, answers)
    heads = [line for line in end.splitlines() if not line.startswith("  ") and ": note: " not in line]
    assert len(heads) == MOST_POSSIBLE + MOST_UNKNOWN + 3 and not any("'r0'" in line for line in heads)
    assert "a.c: possible race on 2 more variables of 2 objects, for which less speaks (--verbose lists them)" in heads
    assert "a.c: unknown: races on 2 more variables: late (--verbose lists them)" in heads
    assert "a.c: unknown: races on 1 more variable: kept apart (--verbose lists them)" in heads
    _, end = report(p, answers, everything=True)
    assert end.count("'r0'") == 1 and "more variables" not in end


def test_what_nobody_asks_about_has_no_line() -> None:
    names = ['<string>#1[]', "q.lock.__circ_mutex", "s.reserved", "s._pad2[]", "s.padded", "s.value"]
    p = program(names, {'<string>#1[]': '"text"'})
    assert [is_silent(v) for v in p.globals] == [True, True, True, True, False, False]
    answers = [answer(n, SAFE if n != "s.reserved" else possible(3, Rank.WRITES)) for n in names]
    first, end = report(p, answers)
    assert [line.split("'")[1] for line in first.splitlines()] == ["s.padded", "s.value"] and end == ""
    assert "s.reserved" in report(p, answers, everything=True)[1]


def test_a_long_run_fits_on_a_page() -> None:
    p = load(PROGRAMS / "products" / "work_queue.c")
    found = RandomRuns()(p, RaceOn("processed"), replace(Options(), max_states=100_000), silent)
    assert isinstance(found, Refuted)
    rerun = Rerun(p, found.trace)
    folded, full = (list(interleaving(p, found.trace, rerun, full=f)) for f in (False, True))
    assert len(rerun.rows) > MOST_LINES and len(full) == len(rerun.rows) + 2
    assert len(folded) <= 40 and all(len(line) <= 118 for line in folded)
    assert any(line.startswith(" ...") for line in folded) and "--full-trace" in folded[-1]
    text = "\n".join(full)
    assert "__circ" not in text and "q.lock = " not in text and " % 32 == 0" not in text
