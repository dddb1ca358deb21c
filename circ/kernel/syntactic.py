"""Certificates that are checked by looking at the program: no formula, no solver. Their body is empty.

| kind | question | says |
|---|---|---|
| `unshared` | race | every access to the variable is in one template, which runs once |
| `read-only` | race | no access to the variable writes |
| `protected` | race | no two accesses by threads that can exist at once conflict (`conflict`), whatever the cells |
| `no-error` | asserts | the program has no error location, no critical section and no invariant |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from circ.evidence import Assertions, Certificate, ProofKind, Question, RaceOn
from circ.kernel.outcome import Accepted, Outcome, Refused
from circ.semantics.conflicts import conflict
from frontend.program import Access, Edge, Program


def check_syntactic(program: Program, question: Question, certificate: Certificate) -> Outcome:
    """Whether a certificate of one of the kinds above proves what it says."""
    kind = str(certificate.kind)
    if not isinstance(certificate.body, Mapping) or len(certificate.body):
        return Refused("format", "", f"the body of kind {kind!r} is not empty")
    if isinstance(question, RaceOn) and kind in RACE_KINDS:
        counterexample = RACE_KINDS[ProofKind(kind)](program, question.variable)
    elif isinstance(question, Assertions) and kind == ProofKind.NO_ERROR:
        counterexample = no_error(program)
    else:
        return Refused("format", "", f"no certificate kind {kind!r} for this question")
    return Accepted() if counterexample is None else Refused(kind, counterexample, "the program is not of this kind")


def accesses(program: Program, variable: str) -> list[tuple[int, Edge, Access]]:
    """Every access to the variable: the template's position, the edge, the access."""
    return [(t, e, a) for t, e, a in program.accesses.get(variable, ()) if program.templates[t].count != 0]


def unshared(program: Program, variable: str) -> str | None:
    """None, or an access that a second thread may have."""
    found = accesses(program, variable)
    return next((str(e) for t, e, _ in found if t != found[0][0] or program.templates[t].count != 1), None)


def read_only(program: Program, variable: str) -> str | None:
    """None, or a write."""
    return next((str(e) for _, e, a in accesses(program, variable) if a.write), None)


def protected(program: Program, variable: str) -> str | None:
    """None, or two edges whose accesses conflict."""
    # One of each sort is enough: `conflict` sees nothing else of an edge and an access.
    sorts = {(t, e.protected, a.write, a.kind): (t, e, a) for t, e, a in accesses(program, variable)}
    for t, e, a in sorts.values():
        for u, f, b in sorts.values():
            if (t != u or program.templates[t].count != 1) and conflict(program.race_model, e, a, f, b):
                return f"{e} and {f}"
    return None


def no_error(program: Program) -> str | None:
    """None, or what can go wrong."""
    if program.invariants:
        return program.invariants[0].text
    return next((t.name for t in program.templates if t.cfa.errors or t.cfa.critical), None)


RACE_KINDS: Mapping[ProofKind, Callable[[Program, str], str | None]] = {
    ProofKind.UNSHARED: unshared, ProofKind.READ_ONLY: read_only, ProofKind.PROTECTED: protected,
}
