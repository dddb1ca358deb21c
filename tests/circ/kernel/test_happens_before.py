"""Proofs of kind `happens-before`: accepted where the orders hand over, refused where one is missing or the proof is forged."""

from __future__ import annotations

from typing import Any

import pytest

from circ import engines
from circ.kernel.certificate import check_certificate
from circ.kernel.outcome import Accepted, Refused
from circ.verdict import Certificate, Options, ProofKind, RaceOn, Safe, silent
from frontend.program import Program
from tests.support.corpus import PROGRAMS
from tests.support.randomc.arbiter import load_text

TICKET = (PROGRAMS / "weak" / "ticket.c").read_text().replace(
    "    queue_length++;", "    queue_length++;\n    atomic_store_explicit(&idle, 1, memory_order_relaxed);").replace(
    "static int queue_length", "static atomic_int idle; static int queue_length")
TURN = "atomic_store_explicit(&now_serving, mine + 1, memory_order_release)"
SEEN = "atomic_load_explicit(&now_serving, memory_order_acquire)"
DRAWN = "atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed)"
QUESTION = RaceOn("queue_length")


def ticket(text: str = "", instead: str = "") -> Program:
    assert text in TICKET
    return load_text(TICKET.replace(text, instead) if text else TICKET)


@pytest.fixture(scope="module")
def proof() -> Certificate:
    entry = engines.find(engines.DEFAULT)
    assert entry is not None
    verdict = entry.load()(ticket(), QUESTION, Options(), silent)
    assert isinstance(verdict, Safe)
    found = verdict.certificate
    assert found.kind == ProofKind.HAPPENS_BEFORE and found.body["focus"] == "next_ticket" and "now_serving" in found.body["plain"]
    return found


def judge(program: Program, proof: Certificate, **changes: Any) -> bool:
    forged = Certificate(program.fingerprint(), proof.question, proof.kind, {**proof.body, **changes})
    return isinstance(check_certificate(program, proof.question, forged), Accepted)


def test_accepted(proof: Certificate) -> None:
    assert judge(ticket(), proof)


@pytest.mark.parametrize(("text", "instead"), [
    (TURN, TURN.replace("release", "relaxed")), (SEEN, SEEN.replace("acquire", "relaxed")), (DRAWN, "next_ticket++ / 2"),
    (DRAWN, "atomic_load_explicit(&next_ticket, memory_order_relaxed)")])
def test_the_same_proof_is_refused_where_something_is_missing(proof: Certificate, text: str, instead: str) -> None:
    """The fingerprint is that of the other program: only what its steps do makes the difference."""
    assert not judge(ticket(text, instead), proof)


@pytest.mark.parametrize("changes", [
    {"focus": None}, {"focus": "now_serving"}, {"focus": "queue_length"}, {"focus": "nothing"}, {"focus": 1}, {"plain": []},
    {"plain": ["now_serving", "next_ticket"]}, {"plain": ["queue_length"]}, {"plain": "now_serving"}, {"plain": ["nothing"]},
    {"plain": ["<customer created>"]}, {"plain": 1}, {"proofs": []}, {"proofs": [{}]}, {"more": 1}])
def test_forged(proof: Certificate, changes: dict[str, Any]) -> None:
    assert not judge(ticket(), proof, **changes)


def test_each_variable_that_counts_as_plain_needs_its_proof(proof: Certificate) -> None:
    proofs = proof.body["proofs"]
    assert len(proofs) == 1 + len(proof.body["plain"])
    assert not judge(ticket(), proof, proofs=proofs[:1])
    assert not judge(ticket(), proof, proofs=[proofs[0]] * len(proofs))
    assert not judge(ticket(), proof, proofs=[{"kind": "read-only", "body": {}}] * len(proofs))


@pytest.mark.parametrize("kind", [ProofKind.ONE_BY_ONE, ProofKind.SECTIONS, ProofKind.HAPPENS_BEFORE, ProofKind.ORDERS])
def test_not_inside_another_view(proof: Certificate, kind: ProofKind) -> None:
    inner = {"kind": proof.kind, "body": proof.body}
    body = inner if kind in (ProofKind.ONE_BY_ONE, ProofKind.SECTIONS) else {
        "focus": None, "plain": [] if kind is ProofKind.HAPPENS_BEFORE else False, "proofs": [inner]}
    wrapped = Certificate(proof.program, QUESTION, kind, body)
    assert isinstance(check_certificate(ticket(), QUESTION, wrapped), Refused)


def test_not_about_atomic_variables(proof: Certificate) -> None:
    about = Certificate(proof.program, RaceOn("now_serving"), proof.kind, proof.body)
    assert isinstance(check_certificate(ticket(), RaceOn("now_serving"), about), Refused)


def test_not_for_programs_without_weak_orders(proof: Certificate) -> None:
    program = load_text(TICKET.replace("relaxed", "seq_cst").replace("acquire", "seq_cst").replace("release", "seq_cst"))
    assert not judge(program, proof)
