"""Answers about a program that is made from another one, as answers about that one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from circ.evidence import Certificate, ProofKind, Trace, UserQuestion
from circ.verdict import Refuted, Safe, Verdict
from frontend.program import Program


def lifted(verdict: Verdict, program: Program, question: UserQuestion, kind: ProofKind,
           back: Callable[[Trace], Trace]) -> Verdict:
    """The verdict about `program`: a proof becomes one of this kind, a trace is told in the program's own terms by `back`."""
    match verdict:
        case Safe(certificate=proof):
            outer = Certificate(program.fingerprint(), question, kind, {"kind": proof.kind, "body": proof.body})
            return replace(verdict, certificate=outer)
        case Refuted(trace=trace):
            return replace(verdict, trace=back(trace))
        case _:
            return verdict
