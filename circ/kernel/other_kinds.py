"""The kinds of proof that `auto` does not emit: those of the thread-modular family, and that of `circ verify`.

A kernel knows them only if it is given `other_kinds`: an engine that emits none of them is not believed if it does, so that
a `safe` of `auto` does not rest on what checks them. They take a solver, which is loaded when such a proof comes.
"""

from __future__ import annotations

from circ.evidence import AtomicityOf, Certificate, ProofKind, Question, UserQuestion
from circ.kernel.certificate import check_certificate, flaw_of
from circ.kernel.further_kinds import FurtherKinds
from circ.kernel.outcome import Malformed, Outcome, Refused
from frontend.program import Program

_KINDS = frozenset({ProofKind.INDUCTIVE, ProofKind.EXCEPTIONS, ProofKind.SUMMARIES, ProofKind.ASSUME_GUARANTEE})


def check_any_kind(program: Program, question: UserQuestion, certificate: Certificate) -> Outcome:
    """Whether a certificate of whatever kind proves that the answer to `question` about `program` is "safe"."""
    return check_certificate(program, question, certificate, FurtherKinds(other_kinds))


def other_kinds(program: Program, question: UserQuestion, certificate: Certificate) -> Outcome | None:
    """Whether a proof of one of these kinds proves the answer "safe"; None if it is of none of them."""
    if certificate.kind not in _KINDS or isinstance(question, AtomicityOf):
        return None
    from circ.smt import Inexpressible

    try:
        return _checked(program, question, certificate)
    except Malformed as error:
        return Refused("format", "", str(error))
    except Inexpressible as error:
        return Refused("format", "", f"{error} has no exact meaning for mathematical integers")


def _checked(program: Program, question: Question, certificate: Certificate) -> Outcome:
    from circ.kernel.finite.exceptions import check_exceptions
    from circ.kernel.finite.inductive import check_inductive
    from circ.kernel.finite.summaries import check_summaries
    from circ.kernel.guarantee.guarantee import check_guarantee

    match certificate.kind:
        case ProofKind.INDUCTIVE:
            return check_inductive(program, question, certificate.body)
        case ProofKind.EXCEPTIONS:
            return check_exceptions(program, question, certificate.body)
        case ProofKind.ASSUME_GUARANTEE:
            return check_guarantee(program, question, certificate.body)
    flaw = None if program.procedures is None else flaw_of(program.procedures.program)
    return check_summaries(program, question, certificate.body) if flaw is None else Refused("program", "", flaw)
