"""Questions that need no predicate: proofs by looking at the program, tried before any engine."""

from __future__ import annotations

from circ.kernel.outcome import Accepted
from circ.kernel.syntactic import RACE_KINDS, accesses, check_syntactic
from circ.verdict import Assertions, Certificate, ProofKind, Question, RaceOn
from frontend.program import Program, RaceModel


def triage(program: Program, question: Question) -> Certificate | None:
    """A certificate by syntax if one of the kinds fits, the simplest first."""
    if isinstance(question, Assertions) and program.relies:
        return None  # what threads assume of each other is claimed, too
    kinds = (ProofKind.NO_ERROR,) if isinstance(question, Assertions) else tuple(RACE_KINDS)
    for kind in kinds:
        certificate = Certificate(program.fingerprint(), question, kind, {})
        if isinstance(check_syntactic(program, question, certificate), Accepted):
            return certificate
    return None


def reason(program: Program, certificate: Certificate) -> str:
    """Why such a certificate proves what it proves, in plain words."""
    if not isinstance(certificate.question, RaceOn):
        return "no assertion is left that could fail, and there is no critical section and no invariant"
    found = accesses(program, certificate.question.variable)
    if not found:
        return "no thread accesses it"
    match certificate.kind:
        case ProofKind.UNSHARED:
            return f"only {program.templates[found[0][0]].name} accesses it, and that runs once"
        case ProofKind.READ_ONLY:
            return "no thread writes it"
        case _ if program.race_model is RaceModel.MACHINE:
            return "one instruction makes each access to it, or no other thread comes between the instructions that do"
        case _ if all(e.protected for _, e, _ in found):
            return "every access to it is inside an atomic section"
        case _:
            return "of any two accesses by different threads, atomic sections or atomic types keep them apart, or neither writes"
