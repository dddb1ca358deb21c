"""Proofs of kind `orders`: accepted where the orders exclude the stale reads, refused where they do not."""

from __future__ import annotations

from typing import Any

import pytest

from circ import engines
from circ.kernel.certificate import check_certificate
from circ.kernel.outcome import Accepted, Refused
from circ.verdict import Certificate, Options, ProofKind, RaceOn, Safe, silent
from frontend.program import Program
from tests.support.randomc.arbiter import load_text

MESSAGE = """
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int flag, other;
void *writer(void *arg)
{
    data = 1;
    atomic_store_explicit(&flag, 1, STORE);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    atomic_store_explicit(&other, 1, memory_order_release);
    if (atomic_load_explicit(&flag, LOAD))
        data = 2;
    return 0;
}
"""


def message(store: str, load: str) -> Program:
    return load_text(MESSAGE.replace("STORE", f"memory_order_{store}").replace("LOAD", f"memory_order_{load}"))


def proved(program: Program) -> Certificate:
    entry = engines.find(engines.DEFAULT)
    assert entry is not None
    verdict = entry.load()(program, RaceOn("data"), Options(), silent)
    assert isinstance(verdict, Safe)
    return verdict.certificate


def judge(program: Program, proof: Certificate, **changes: Any) -> bool:
    forged = Certificate(program.fingerprint(), proof.question, proof.kind, {**proof.body, **changes})
    return isinstance(check_certificate(program, proof.question, forged), Accepted)


@pytest.fixture(scope="module")
def proof() -> Certificate:
    found = proved(message("release", "acquire"))
    assert found.kind == ProofKind.ORDERS and found.body["focus"] == "flag"
    return found


def test_accepted(proof: Certificate) -> None:
    assert judge(message("release", "acquire"), proof)


@pytest.mark.parametrize(("store", "load"), [("relaxed", "acquire"), ("release", "relaxed"), ("relaxed", "relaxed")])
def test_the_same_proof_is_refused_where_an_order_is_missing(proof: Certificate, store: str, load: str) -> None:
    """The fingerprint is that of the other program: only the stale reads make the difference."""
    assert not judge(message(store, load), proof)


@pytest.mark.parametrize("changes", [{"focus": None}, {"focus": "other"}, {"focus": "data"}, {"focus": "nothing"}, {"focus": 1},
                                     {"plain": 1}, {"plain": True}, {"proofs": []}, {"proofs": [{}]}, {"more": 1}])
def test_forged(proof: Certificate, changes: dict[str, Any]) -> None:
    assert not judge(message("release", "acquire"), proof, **changes)


def test_not_about_the_focus_itself(proof: Certificate) -> None:
    program = message("release", "acquire")
    about = Certificate(program.fingerprint(), RaceOn("flag"), proof.kind, proof.body)
    assert isinstance(check_certificate(program, RaceOn("flag"), about), Refused)


@pytest.mark.parametrize("outer", [
    {"kind": ProofKind.ONE_BY_ONE}, {"kind": ProofKind.SECTIONS},
    {"kind": ProofKind.QUOTIENT, "globals": [], "locals": [[], []], "asked": ["data"]}])
def test_not_inside_another_view(proof: Certificate, outer: dict[str, Any]) -> None:
    program = message("release", "acquire")
    kind = outer.pop("kind")
    wrapped = Certificate(program.fingerprint(), proof.question, kind, {**outer, "kind": proof.kind, "body": proof.body})
    assert isinstance(check_certificate(program, proof.question, wrapped), Refused)


def test_not_for_programs_without_weak_orders(proof: Certificate) -> None:
    assert not judge(load_text(
        MESSAGE.replace("STORE", "memory_order_seq_cst").replace("LOAD", "memory_order_seq_cst")
        .replace("memory_order_release", "memory_order_seq_cst")), proof)
