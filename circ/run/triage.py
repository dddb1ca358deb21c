"""Questions that need no predicate: proofs by looking at the program, tried before any engine."""

from __future__ import annotations

from collections.abc import Sequence

from circ.abstraction.told_values import told_lines
from circ.kernel.outcome import Accepted
from circ.kernel.syntactic import RACE_KINDS, accesses, check_syntactic
from circ.verdict import Assertions, Certificate, ProofKind, Question, RaceOn
from frontend.program import Access, AccessKind, Edge, Program, RaceModel, Role
from frontend.program.display import threads_named


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
            only = program.templates[found[0][0]]
            return f"only {only.called} accesses it" + (", which does not interrupt itself" if only.role is Role.HANDLER else "")
        case ProofKind.READ_ONLY:
            return "no thread writes it"
        case _ if program.race_model is RaceModel.MACHINE:
            return "one instruction makes each access to it, or no other thread comes between the instructions that do"
        case _ if all(a.kind is AccessKind.INDIVISIBLE for _, _, a in found):
            writers = {program.templates[n].name for n, _, a in found if a.write}
            return f"only {threads_named(program, writers)} writes it, and one instruction makes each access to it"
        case _:
            return _apart(program, found)


def _apart(program: Program, found: Sequence[tuple[int, Edge, Access]]) -> str:
    """What keeps accesses apart one by one: they are atomic, interrupts are off, or they are inside atomic sections."""
    alone = "with interrupts off" if any(t.role is Role.HANDLER for t in program.templates) else "inside an atomic section"
    bare = [(n, a) for n, e, a in found if not e.protected and a.kind is AccessKind.DATA]
    marked = any(e.protected and a.kind is AccessKind.DATA for _, e, a in found)
    how = " or ".join([*(["atomic"] if any(a.kind is AccessKind.ATOMIC for _, _, a in found) else []),
                       *([f"made {alone}"] if marked else [])]) or "atomic"
    if not bare:
        return f"every access to it is {how}"
    lines = told_lines({a.location.line for _, a in bare})
    who = {program.templates[n].name for n, _ in bare}
    if not any(a.write for _, a in bare):
        return f"every write to it is {how}; only reads, at {lines}, are not"
    if len(who) == 1:
        return f"every access to it is {how}, except by {threads_named(program, who)} alone, at {lines}"
    return f"of any two accesses that could meet, one is {how}, or neither writes"
