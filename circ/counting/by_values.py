"""Proofs by the values that the variables take: for finite-state threads, pairs of local states or else triples of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from circ.counting.local_states import LocalStates
from circ.counting.local_tuples import CannotExpress, TooMany
from circ.counting.tuple_proof import by_pairs, by_triples
from circ.kernel.certificate import check_certificate
from circ.kernel.outcome import Accepted
from circ.verdict import Certificate, Options, Question, RaceOn, Safe
from frontend.program import Program


def by_values(program: Program, question: Question, states: LocalStates, options: Options, most: int | None = None) -> Safe | str:
    """A certificate that there is no error, or the reason why there is none; `most`: of more tuples there is none.

    `states` are those of the program, or of one that can do all that it can, location by location.
    """
    reasons = []
    makers: tuple[tuple[str, Callable[[LocalStates, Callable[[], None], int | None], Certificate]], ...] = (
        ("pair", by_pairs), ("triple", by_triples))
    for what, make in makers:
        try:
            certificate = replace(make(states, options.check_time, most), program=program.fingerprint())
        except CannotExpress as reason:
            reasons.append(f"{what}s of threads do not prove it: {reason}")
            if isinstance(reason, TooMany):
                break  # then there are too many triples, too
            continue
        outcome = check_certificate(program, question, certificate)
        if isinstance(outcome, Accepted):
            never = "are two threads at such accesses at once" if isinstance(question, RaceOn) else "does an assertion fail"
            values = f"whatever values the variables come to have, as each {what} of threads sees them"
            return Safe(certificate, (f"{values}, never {never}",))
        reasons.append(f"{what}s of threads do not prove it: {outcome.obligation}")
    return "; ".join(reasons)
