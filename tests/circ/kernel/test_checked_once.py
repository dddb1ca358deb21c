"""A proof that an engine has had checked is not checked again by whoever confirms its answer."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import circ.kernel.certificate as kernel
from circ import engines
from circ.kernel.outcome import Accepted, Refused
from circ.kernel.prover import Prover
from circ.run.check import confirmed
from circ.verdict import Answer, Certificate, Options, RaceOn, Safe, silent
from frontend.program import Ints, Program
from tests.support.randomc.arbiter import load_text

JOINED = """#include <pthread.h>
int data;
pthread_t a;
void *t(void *p) { data = data + 1; return 0; }
int main(void) { data = 1; pthread_create(&a, 0, t, 0); pthread_join(a, 0); data = STORED; return data; }
"""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """One entry for each question to the solver."""
    made: list[int] = []
    original = Prover._ask_briefly
    monkeypatch.setattr(Prover, "_ask_briefly", lambda self, terms: made.append(1) or original(self, terms))
    monkeypatch.setattr(kernel, "_BEGUN", {})
    yield made


def program(stored: str = "7") -> Program:
    return replace(load_text(JOINED.replace("STORED", stored)), ints=Ints.MATH)  # where the static prover asks the kernel itself


def proof(about: Program) -> Certificate:
    entry = engines.find("static")
    assert entry is not None
    verdict = entry.load()(about, RaceOn("data"), Options(), silent)
    assert isinstance(verdict, Safe), verdict
    return verdict.certificate


def test_confirming_asks_nothing_again(asked: list[int]) -> None:
    p = program()
    found = proof(p)
    before = len(asked)
    answer = confirmed(p, Answer(RaceOn("data"), "data", Safe(found), "static"))
    assert before and isinstance(answer.verdict, Safe) and len(asked) == before


def test_a_changed_proof_is_asked_about(asked: list[int]) -> None:
    p = program()
    found = proof(p)
    rows: list[Any] = list(found.body["pairs"])
    before, refused = len(asked), 0
    for n in range(len(rows)):  # a missing row is false, more than holds
        changed = Certificate(found.program, found.question, found.kind, {**found.body, "pairs": rows[:n] + rows[n + 1:]})
        refused += isinstance(kernel.check_certificate(p, RaceOn("data"), changed), Refused)
    assert refused == len(rows) and len(asked) > before


def test_another_program_is_asked_about_even_under_the_same_fingerprint(asked: list[int]) -> None:
    p, other = program(), program("8")
    found = proof(p)
    before = len(asked)
    object.__setattr__(other, "_fingerprint", p.fingerprint())  # a hash that says less than it should
    assert isinstance(kernel.check_certificate(other, RaceOn("data"), found), Accepted) and len(asked) > before


def test_what_is_kept_is_bounded(asked: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "MOST_PROOFS", 2)
    for stored in ("1", "2", "3", "4"):
        p = program(stored)
        assert isinstance(kernel.check_certificate(p, RaceOn("data"), proof(p)), Accepted)
    assert len(kernel._BEGUN) == 2
