"""Reports from hand-made results: diagnostics, columns, assumptions, exit statuses, and the JSON document."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import circ
from circ.report.assumptions import assuming
from circ.report.forms import Explain
from circ.report.json import report_json
from circ.report.summary import FileReport, file_status, summary_text, worst
from circ.report.text import Manner, answer_text, file_text
from circ.verdict import (
    Answer,
    Assertions,
    Certificate,
    Choice,
    RaceOn,
    Refuted,
    Result,
    Safe,
    Statistics,
    Step,
    Trace,
    Unknown,
    Verdict,
)
from frontend import LoadOptions, load
from frontend.program import (
    Access,
    Assign,
    Assume,
    Assumption,
    Binary,
    Cfa,
    Const,
    Edge,
    Element,
    ErrorKind,
    ErrorLocation,
    FrontendError,
    Havoc,
    Location,
    Program,
    Read,
    Scalar,
    ThreadTemplate,
    Var,
    Variable,
)
from tests.support.corpus import PROGRAMS

INT = Scalar(32, True)
X, T, N = Var("x", INT), Var("w::t", INT), Var("w::n", INT)


def at(line: int) -> Location:
    return Location("a.c", line, 5)


def counter() -> Program:
    """`x = x + 1; a[n] = x` without protection, n arbitrary, then an assertion that may fail."""
    cell = Element("a", Read(N), INT)
    edges = (
        Edge(0, 1, Assign(T, Read(X)), (Access(X, False, at(4), "x"),), location=at(4), text="x = x + 1"),
        Edge(1, 2, Assign(X, Binary("+", Read(T), Const(1, INT))), (Access(X, True, at(4), "x"),), location=at(4),
             text="x = x + 1"),
        Edge(2, 3, Havoc((N,)), (), location=at(5), text="n = nondet()"),
        Edge(3, 4, Assign(cell, Const(7, INT)), (Access(cell, True, at(6), "a[n]"),), location=at(6), text="a[n] = 7"),
        Edge(4, 5, Assume(Binary("!=", Read(N), Const(0, INT))), (), location=at(7), text="assert(n == 0)"),
    )
    cfa = Cfa(6, 0, edges, errors={5: ErrorLocation(ErrorKind.ASSERT, at(7), "assert(n == 0)")})
    locals_ = (Variable("w::t", INT, ghost=True), Variable("w::n", INT, shown="n"))
    return Program("a.c", (Variable("x", INT, location=at(1)), Variable("a", INT, 4, shown="a[]", location=at(2))),
                   (ThreadTemplate("w", cfa, locals_),), assumptions=(Assumption("printf does not touch shared memory", at(9)),))


PROGRAM = counter()
RACE = Trace("f", RaceOn("x"), ("w", "w"), (), (Step(0, 0), Step(1, 0)), ((0, 1, 0), (1, 1, 0)))
BAD = Trace("f", Assertions(), ("w",), (), (Step(0, 0), Step(0, 1), Step(0, 2, (Choice("w::n", 3),)), Step(0, 3), Step(0, 4)))
SAFE = Safe(Certificate("f", RaceOn("x"), "pairs", {}), ("x is only written while state == 1",),
            statistics=Statistics(("state == 0", "old == 0"), {"w": 5}, 1, 3, 10, 20, {"inference": 0.25}))


def answer(verdict: Verdict, name: str = "x") -> Answer:
    return Answer(RaceOn(name), name, verdict, "omega-circ")


def test_a_race_in_columns() -> None:
    assert answer_text(PROGRAM, answer(Refuted(RACE))).splitlines() == [
        "a.c:4:5: warning: race on 'x': thread 1 (w) writes x while thread 2 (w) writes x at a.c:4:5",
        "a.c:4:5: note: thread 2 (w) writes x",
        "  step  thread 1 (w)         thread 2 (w)",
        "     1  4: reads x  {x = 0}",
        "     2                       4: reads x  {x = 0}",
        "  race  4: writes x          4: writes x",
    ]


def test_a_violated_assertion_shows_values_and_elements() -> None:
    text = answer_text(PROGRAM, Answer(Assertions(), "asserts", Refuted(BAD), "explicit"))
    assert text.startswith("a.c:7:5: warning: violated: assert(n == 0)\n")
    assert "     3  5: n = nondet()  {n = 3}\n" in text
    assert "     4  6: a[n] = 7  {n = 3, a[3] = 7}\n" in text
    assert "     5  7: [n != 0]  {n = 3}\n" in text


def test_safe_says_what_it_rests_on() -> None:
    plain = answer_text(PROGRAM, answer(SAFE))
    assert plain == ("a.c:1:5: safe: no race on 'x' (omega-circ, 2 predicates, k = 1, context automaton of 5 locations)\n")
    explained = answer_text(PROGRAM, answer(SAFE), Manner(Explain.FULL))
    assert explained.startswith(plain)
    assert "x is only written while state == 1" in explained and "state == 0; old == 0" in explained
    assert "needs no predicate" in answer_text(PROGRAM, answer(replace(SAFE, trivial=True)))


def test_unknown_says_what_was_tried_and_what_to_do() -> None:
    text = answer_text(PROGRAM, answer(Unknown("no new predicate", ("k = 3", "interpolation"), "give --predicate")))
    assert text.splitlines() == [
        "a.c:1:5: unknown: races on 'x': no new predicate (omega-circ)",
        "  tried: k = 3", "  tried: interpolation", "  you can: give --predicate",
    ]


def test_sequential_consistency_is_assumed_until_all_is_proved() -> None:
    half = Result(PROGRAM, (answer(SAFE),))
    whole = Result(PROGRAM, (answer(SAFE), answer(SAFE, "a")))
    assert [a.text for a in assuming(half)] == ["printf does not touch shared memory", "sequential consistency"]
    assert [a.text for a in assuming(whole)] == ["printf does not touch shared memory"]
    assert "  assuming: sequential consistency\n" in file_text(half)
    assert "sequential consistency" not in file_text(whole)


def test_an_assumption_of_some_proofs_names_what_rests_on_it() -> None:
    some, all_ = Assumption("at most 7 threads run"), Assumption("fewer readers than a counter counts")
    one, two = replace(answer(SAFE), assumptions=(some, all_)), replace(answer(SAFE, "a"), assumptions=(all_,))
    told = file_text(Result(PROGRAM, (one, two))).splitlines()
    assert f"  assuming: {some} (needed for {one.shown})" in told and f"  assuming: {all_}" in told


BUG = Unknown("internal error: x", bug="traceback")


@pytest.mark.parametrize(("verdicts", "status"), [
    ([], 0), ([SAFE], 0), ([SAFE, Unknown("?")], 3), ([Unknown("?"), Refuted(RACE), SAFE], 1), ([Refuted(RACE), BUG], 4),
])
def test_exit_status_of_a_file(verdicts: list[Verdict], status: int) -> None:
    assert file_status(FileReport("a.c", Result(PROGRAM, tuple(map(answer, verdicts))))) == status


def test_exit_status_of_a_run() -> None:
    assert worst([0, 3, 1]) == 1
    assert worst([1, 2, 0]) == 2
    assert worst([2, 4]) == 4
    assert worst([]) == 0
    assert file_status(FileReport("a.c", error=FrontendError(at(1), "bad"))) == 2
    assert file_status(FileReport("a.c", Result(PROGRAM, (answer(SAFE),)), complete=False)) == 3


def test_summary_line() -> None:
    reports = [FileReport("a.c", Result(PROGRAM, (answer(SAFE), answer(Refuted(RACE))))),
               FileReport("b.c", error=FrontendError(at(1), "bad")), FileReport("c.c", Result(PROGRAM, ()), complete=False)]
    assert summary_text(reports) == "circ: 1 safe, 1 race, 1 not readable, interrupted\n"


def test_json_document() -> None:
    answers = (answer(SAFE), answer(Refuted(RACE)), answer(Unknown("why", ("t",), "do")),
               Answer(Assertions(), "asserts", Refuted(BAD), "explicit"))
    reports = [FileReport("a.c", Result(PROGRAM, answers)), FileReport("b.c", error=FrontendError(at(3), "bad", "fix it"))]
    text = report_json(reports, LoadOptions(threads=("w",)), {"engine": "omega-circ"}, 2)
    data = json.loads(text)
    assert (data["format"], data["version"], data["status"]) == ("circ-report", 1, 2)
    assert data["options"]["threads"] == ["w"]
    assert data["summary"] == {"safe": 1, "race": 1, "violated": 1, "possible race": 0, "unknown": 1}
    first, second = data["files"]
    assert [a["verdict"] for a in first["answers"]] == ["safe", "race", "unknown", "violated"]
    safe, race, unknown, violated = first["answers"]
    assert safe["time"] == {"inference": 0.25} and safe["statistics"]["predicates"] == ["state == 0", "old == 0"]
    assert [a["text"] for a in safe["assuming"]] == ["printf does not touch shared memory", "sequential consistency"]
    assert [a["location"]["line"] for a in race["trace"]["accesses"]] == [4, 4]
    assert unknown["reason"] == "why" and unknown["bug"] is False
    assert violated["trace"]["failure"]["text"] == "assert(n == 0)"
    assert second["error"] == {"location": {"file": "a.c", "line": 3, "column": 5}, "message": "bad", "hint": "fix it"}


def test_what_has_no_value_is_left_out_of_a_run() -> None:
    """A condition variable that is ended is accessed, but no step changes a value."""
    program = load(PROGRAMS / "reading" / "condition_of_a_future.c")
    [found] = [a for a in circ.check(program).answers if a.question == RaceOn("executed")]
    text = answer_text(program, found, Manner(full_trace=True))
    assert "race on 'executed'" in text and "__circ_cond" not in text
