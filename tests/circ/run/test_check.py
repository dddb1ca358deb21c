"""`circ.check`: limits, bugs and lies of an engine become `unknown` answers, in the order of declaration."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import circ
from circ import engines
from circ.kernel.outcome import Accepted, Refused
from circ.run import check as check_module
from circ.run.check import Plan, answers, questions
from circ.run.reading import NotRead
from circ.run.supervise import Limits
from circ.verdict import Assertions, Certificate, RaceOn, Unknown
from frontend import load
from frontend.program import (
    Access,
    Assign,
    Cfa,
    Const,
    Edge,
    FrontendError,
    Invariant,
    Location,
    Program,
    Scalar,
    ThreadTemplate,
    Var,
    Variable,
)

INT = Scalar(32, True)


def program(*names: str) -> Program:
    """Any number of threads that write each variable in turn, unprotected."""
    edges = []
    for n, name in enumerate(names):
        v = Var(name, INT)
        edges.append(Edge(n, n + 1, Assign(v, Const(1, INT)), (Access(v, True),)))
    cfa = Cfa(len(names) + 1, 0, tuple(edges))
    return Program("a.c", tuple(Variable(name, INT, shown=name, object=name) for name in names), (ThreadTemplate("w", cfa),))


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = engines.Entry("fake", "tests.support.fake_engine", "misbehaves", "nothing")
    monkeypatch.setattr(engines, "ENGINES", (entry,))


def reasons(*names: str, timeout: float = 60) -> list[str]:
    result = circ.check(program(*names), engine="fake", limits=Limits(timeout))
    assert [a.shown for a in result.answers] == list(names)
    found = []
    for answer in result.answers:
        assert isinstance(answer.verdict, Unknown)
        found.append(answer.verdict.reason + (" BUG" if answer.verdict.bug else ""))
    return found


def test_one_engine_answers_all_in_the_order_of_declaration() -> None:
    assert reasons("z", "a", "m") == ["asked 1", "asked 2", "asked 3"]


def test_a_stuck_engine_is_killed_and_the_others_are_answered() -> None:
    assert reasons("a", "stuck", "b", timeout=0.3) == ["asked 1", "timeout: no answer within 0.3 s", "asked 1"]


def test_an_engine_that_gives_up_in_time() -> None:
    assert reasons("late", "b") == ["gave up in time", "asked 2"]


def test_an_exception_is_our_bug_and_only_that_answer_is_lost() -> None:
    assert reasons("bug", "b") == ["internal error: KeyError: 'a mistake' BUG", "asked 2"]


def test_a_proof_that_the_kernel_refuses_is_never_safe() -> None:
    [reason] = reasons("liar")
    assert reason.startswith("internal error: the kernel refused a certificate") and reason.endswith("BUG")


def test_questions() -> None:
    p = program("x", "y")
    assert [q.shown for q in questions(p, None, "races")] == ["x", "y"]
    assert [q.shown for q in questions(p, ["y", "x", "y"], "races")] == ["x", "y"]
    assert [q.shown for q in questions(p, None, "asserts")] == ["asserts"]  # nothing can fail: that is an answer, too
    assert [q.shown for q in questions(p, None, "all")] == ["x", "y"]
    invariant = Invariant(Const(1, INT), Location("a.c", 1), "1")
    q = Program(p.file, p.globals, p.templates, invariants=(invariant,))
    assert [a.question for a in questions(q, ["x"], "all")] == [RaceOn("x"), Assertions()]
    with pytest.raises(FrontendError):
        questions(p, ["nosuch"], "races")


def test_unknown_engine() -> None:
    with pytest.raises(ValueError, match="unknown engine 'x': one of fake"):
        circ.check(program("x"), engine="x")


def test_the_observer_hears_and_the_dump_is_written(tmp_path: Path) -> None:
    events: list[tuple[str, Mapping[str, Any]]] = []
    p = program("a[]")
    list(answers(p, questions(p, None, "races"), Plan("fake", dump=tmp_path), lambda e, d: events.append((e, d))))
    assert ("round", {"number": 1, "subject": "a[]"}) in events
    assert sorted(f.name for f in (tmp_path / "a%5b%5d").iterdir()) == ["01-cfa.dot", "02-arg.dot"]


def test_importing_the_library_does_not_load_the_solver() -> None:
    script = "import circ, circ.cli, circ.run.session, frontend, sys; sys.exit('z3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parents[3]).returncode == 0


def test_a_proof_of_somebody_elses_is_judged_within_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a child process: neither what takes for ever nor a mistake of ours happens in the one that was asked."""
    (tmp_path / "a.c").write_text("int x;\n__attribute__((circ_thread)) void w(void) { atomic { x = x + 1; } }\n")
    program = load(str(tmp_path / "a.c"))
    proof = Certificate(program.fingerprint(), RaceOn("x"), "protected", {})
    assert isinstance(check_module.judge_within(program, proof, Limits(60.0)), Accepted)
    assert isinstance(check_module.judge_within(program, replace(proof, kind="unshared"), Limits(60.0)), Refused)
    monkeypatch.setattr(check_module, "judge", lambda program, question, evidence: time.sleep(60))
    late = check_module.judge_within(program, proof, Limits(0.2))
    assert isinstance(late, Refused) and late.limit and "timeout" in str(late)
    monkeypatch.setattr(check_module, "judge", lambda program, question, evidence: 1 // 0)
    with pytest.raises(NotRead):
        check_module.judge_within(program, proof, Limits(60.0))
