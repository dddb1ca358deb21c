"""Proofs by looking at the program: each kind for the programs that are of it, and refused where one thing is different."""

from __future__ import annotations

import pytest

from circ.kernel.outcome import Accepted
from circ.kernel.syntactic import check_syntactic
from circ.verdict import Assertions, Certificate, ProofKind, Question, RaceOn
from frontend.program import Program
from tests.support.build import program, thread

X = RaceOn("x")


def accepted(p: Program, kind: str, question: Question = X, body: object = None) -> bool:
    certificate = Certificate(p.fingerprint(), question, kind, body or {})  # type: ignore[arg-type]
    return isinstance(check_syntactic(p, question, certificate), Accepted)


@pytest.mark.parametrize(("p", "kinds"), [
    (program("x", thread("w", "0 0 x = 1", count=1)), {"unshared", "protected"}),
    (program("x", thread("w", "0 0 x = 1", count=2)), set()),
    (program("x", thread("w", "0 0 x = 1")), set()),
    (program("x", thread("v", "0 0 x = 1", count=1), thread("w", "0 0 [x == 0]", count=1)), set()),
    (program("x", thread("v", "0 0 x = 1", count=1), thread("w", "0 0 x = 1", count=0)), {"unshared", "protected"}),
    (program("x", thread("w", "0 0 [x == 0]")), {"read-only", "protected"}),
    (program("x", thread("w", "!0 0 x = 1")), {"protected"}),
    (program("x", thread("v", "!0 0 x = 1"), thread("w", "0 0 [x == 0]")), {"protected"}),
    (program("x", thread("v", "!0 0 x = 1"), thread("w", "0 0 [x == 0]"), race_model="c11"), set()),
])
def test_races(p: Program, kinds: set[str]) -> None:
    assert {k for k in ProofKind if accepted(p, k)} == kinds


def test_assertions() -> None:
    assert accepted(program("x", thread("w", "0 1 x = 1")), "no-error", Assertions())
    assert not accepted(program("x", thread("w", "0 1 x = 1", errors={1})), "no-error", Assertions())
    assert not accepted(program("x", thread("w", "0 1 x = 1", critical={1})), "no-error", Assertions())
    assert not accepted(program("x", thread("w", "0 1 x = 1"), invariants=["x < 2"]), "no-error", Assertions())


def test_kinds_belong_to_their_question_and_have_no_body() -> None:
    p = program("x", thread("w", "0 1 [x == 0]", count=1))
    assert not accepted(p, "no-error", X) and not accepted(p, "read-only", Assertions())
    assert not accepted(p, "read-only", X, {"a": 1})
    assert not accepted(p, "no such kind")
