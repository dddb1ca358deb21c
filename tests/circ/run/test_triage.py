"""Proofs by syntax: each kind fits its programs and no other, and the kernel agrees only where it does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from circ.kernel.certificate import Accepted, Refused, check_certificate
from circ.run.triage import reason, triage
from circ.verdict import Assertions, Certificate, RaceOn
from frontend.program import AccessKind, Program
from tests.support.build import program, thread

X = RaceOn("x")
ONE = program("x", thread("main", "0 0 x = x + 1", count=1), thread("w", "0 0 skip"))
READ = program("x y", thread("w", "0 0 y = x"))
ATOMIC = program("x", thread("w", "0 1 skip / 1 0 x = x + 1", atomic={1}))
PLAIN = program("x", thread("w", "0 0 x = 1"))
MIXED = program("x", thread("w", "0 1 skip / 1 0 x = x + 1", atomic={1}), thread("main", "0 0 x = 1", count=1))
TWICE = program("x", thread("main", "0 0 x = 1", count=2))
KINDS = ["unshared", "read-only", "protected"]


@pytest.mark.parametrize(("p", "kinds", "words"), [
    (ONE, {"unshared", "protected"}, "only main accesses it"), (READ, {"read-only", "protected"}, "no thread writes it"),
    (ATOMIC, {"protected"}, "inside an atomic section"), (PLAIN, set(), ""), (TWICE, set(), ""),
    (program("x", thread("w", "0 0 skip")), set(KINDS), "no thread accesses it"),
    (MIXED, {"protected"}, "inside an atomic section, except by main alone"), (replace(MIXED, race_model="c11"), set(), ""),
])
def test_each_kind_fits_its_programs(p: Program, kinds: set[str], words: str) -> None:
    found = triage(p, X)
    assert (found is not None) == bool(kinds)
    if found is not None:
        assert found.kind in kinds and words in reason(p, found)
        assert isinstance(check_certificate(p, X, found), Accepted)
    for kind in KINDS:
        outcome = check_certificate(p, X, Certificate(p.fingerprint(), X, kind, {}))
        assert isinstance(outcome, Accepted if kind in kinds else Refused), kind


def test_c11_atomic_accesses_do_not_race_with_each_other() -> None:
    t = PLAIN.templates[0]
    edges = tuple(replace(e, accesses=tuple(replace(a, kind=AccessKind.ATOMIC) for a in e.accesses)) for e in t.cfa.edges)
    p = replace(PLAIN, race_model="c11", templates=(replace(t, cfa=replace(t.cfa, edges=edges)),))
    assert triage(p, X) is not None


@pytest.mark.parametrize("p", [
    program("x", thread("w", "0 1 x = 1", errors={1})), program("x", thread("w", "0 1 x = 1", critical={1})),
    program("x", thread("w", "0 1 x = 1"), invariants=["x == 0"])])
def test_nothing_to_violate(p: Program) -> None:
    assert triage(p, Assertions()) is None
    assert isinstance(check_certificate(p, Assertions(), Certificate(p.fingerprint(), Assertions(), "no-error", {})), Refused)
    found = triage(PLAIN, Assertions())
    assert found is not None and isinstance(check_certificate(PLAIN, Assertions(), found), Accepted)
    assert "no assertion" in reason(PLAIN, found)


def test_a_kind_by_syntax_has_no_body_and_one_question() -> None:
    assert isinstance(check_certificate(ATOMIC, X, Certificate(ATOMIC.fingerprint(), X, "protected", {"and": 1})), Refused)
    assert isinstance(check_certificate(PLAIN, X, Certificate(PLAIN.fingerprint(), X, "no-error", {})), Refused)
    assert isinstance(check_certificate(ONE, Assertions(), Certificate(ONE.fingerprint(), Assertions(), "unshared", {})), Refused)
