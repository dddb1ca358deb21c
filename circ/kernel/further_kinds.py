"""What `auto` proves seldom: by ownership of allocated objects (`circ.kernel.ownership`), and answers about atomicity.

The core (`circ.kernel.certificate`) knows neither: a kernel is given these. A `safe` says by its kind of proof, and by what was
asked, whether it rests on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from circ.evidence import AtomicityOf, Certificate, ProofKind, RaceOn, UserQuestion
from circ.kernel.certificate import OtherKinds, check_certificate
from circ.kernel.outcome import Accepted, Malformed, Outcome, Refused
from circ.kernel.ownership import OwnershipProof
from circ.views.memory_orders.orders import is_weak
from circ.views.watched import VIOLATED, watched
from frontend.program import Assumption, Program


class FurtherKinds:
    """The kinds for one kernel; `others` are known besides."""

    def __init__(self, others: OtherKinds | None = None) -> None:
        self._others = others
        self._owned: tuple[Program, Mapping[str, Any], OwnershipProof] | None = None

    def __call__(self, program: Program, question: UserQuestion, certificate: Certificate) -> Outcome | None:
        """Whether the certificate proves the answer "safe"; None if it is of none of these kinds."""
        if isinstance(question, AtomicityOf):
            return _atomicity(program, question, certificate, self)
        if certificate.kind == ProofKind.OWNERSHIP:
            return self._ownership(program, question, certificate.body)
        return None if self._others is None else self._others(program, question, certificate)

    def _ownership(self, program: Program, question: UserQuestion, body: Mapping[str, Any]) -> Outcome:
        """A proof that may answer questions about several variables: it is closed under steps once and for all."""
        if not isinstance(question, RaceOn):
            return Refused("question", "", "ownership excludes races only")
        try:
            if self._owned is None or self._owned[0] is not program or self._owned[1] is not body:
                self._owned = program, body, OwnershipProof(program, body)
            return self._owned[2].outcome(question.variable)
        except Malformed as error:
            return Refused("format", "", str(error))


def _atomicity(program: Program, question: AtomicityOf, certificate: Certificate, others: OtherKinds) -> Outcome:
    """A proof about the program in which accesses are watched (`circ.views.watched`), where a race means three of them."""
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
