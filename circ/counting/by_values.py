"""Proofs by the values that the variables take: for finite-state threads, pairs of local states or else triples of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from circ.abstraction.told_values import never
from circ.counting.local_states import LocalStates
from circ.counting.local_tuples import CannotExpress, TooMany
from circ.counting.tuple_proof import by_pairs, by_triples
from circ.kernel.certificate import check_certificate
from circ.kernel.outcome import Accepted
from circ.verdict import Certificate, Options, Question, Safe
from frontend.program import Program


def by_values(program: Program, question: Question, states: LocalStates, options: Options, most: int | None = None) -> Safe | str:
    """A certificate that there is no error, or the reason why there is none; `most`: of more tuples there is none.

    `states` are those of the program, or of one that can do all that it can, location by location.
    """
    reasons = []
    makers: tuple[tuple[str, Callable[[LocalStates, Callable[[], None], int | None], Certificate]], ...] = (
        ("two", by_pairs), ("three", by_triples))
    for what, make in makers:
        try:
            certificate = replace(make(states, options.check_time, most), program=program.fingerprint())
        except CannotExpress as reason:
            reasons.append(f"what {what} threads do together does not prove it: {reason}")
            if isinstance(reason, TooMany):
                break  # then there are too many triples, too
            continue
        outcome = check_certificate(program, question, certificate)
        if isinstance(outcome, Accepted):
            values = f"all values that the variables can come to have, as any {what} of the threads see them, were followed"
            return Safe(certificate, (f"{values}: {never(question)}",))
        reasons.append(f"what {what} threads do together does not prove it: {outcome.obligation}")
    return "; ".join(reasons)
