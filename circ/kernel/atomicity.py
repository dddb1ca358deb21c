"""Proofs about atomicity: of the program in which accesses are watched (`circ.views.watched`), where a race means three of them.

A kernel knows them only if it is given `atomicity`, so that no answer about races rests on this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from circ.evidence import AtomicityOf, Certificate, ProofKind, RaceOn, UserQuestion
from circ.kernel.certificate import OtherKinds, check_certificate
from circ.kernel.outcome import Accepted, Outcome, Refused
from circ.views.orders import is_weak
from circ.views.watched import VIOLATED, watched
from frontend.program import Assumption, Program


def atomicity(program: Program, question: UserQuestion, certificate: Certificate,
              others: OtherKinds | None = None) -> Outcome | None:
    """Whether the proof answers the question with "safe", the one inside being of a kind that `others` may know; None if it is
    another question."""
    if not isinstance(question, AtomicityOf):
        return None
    body = certificate.body
    if certificate.kind != ProofKind.WATCHED:
        return Refused("format", "", f"no certificate kind {str(certificate.kind)!r} for this question")
    if is_weak(program):
        return Refused("program", "", "three accesses are looked at in runs that are sequentially consistent")
    if set(body) != {"kind", "body"} or not isinstance(body["kind"], str) or not isinstance(body["body"], Mapping):
        return Refused("format", "", "the body has a `kind` and a `body`, of a proof about the program with accesses watched")
    view, race = watched(program, question.variable).program, RaceOn(VIOLATED.name)
    outcome = check_certificate(view, race, Certificate(view.fingerprint(), race, body["kind"], body["body"]), others)
    whole = Assumption("each single access to the variables asked about is made at once")
    return replace(outcome, assumptions=(*outcome.assumptions, whole)) if isinstance(outcome, Accepted) else outcome
