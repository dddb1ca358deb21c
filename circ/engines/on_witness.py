"""An engine that has a witness to begin with: what it says is tried before the engine does what it always does.

A schedule is followed by a search of its own. Predicates go to a short run of context inference, or, where the user named an
engine, to that. Nothing of it is believed, and where it does not help, the engine answers as it would without.
"""

from __future__ import annotations

from dataclasses import replace

from circ.inference.effort import Effort
from circ.search.scheduled import follow
from circ.verdict import Engine, Observer, Options, OutOfTime, Part, Question, Refuted, Safe, Statistics, Unknown, Verdict
from circ.views.on_sections import OnSections
from frontend.program import Program

EFFORT = Effort(12_000, 40_000_000)
"""Of context inference with the predicates of a witness."""
LARGEST_ROUND = 50_000
HINTED = "omega-circ"


class OnWitness:
    """`default`: the engine was not named by the user, so another one may answer as well."""

    def __init__(self, engine: Engine, default: bool) -> None:
        self.engine, self.default = engine, default
        self._hinted = OnSections(_infer)

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        hints = options.hints
        if hints is None:
            return self.engine(program, question, options, observer)
        tried: tuple[str, ...] = ()
        if options.part in (Part.ALL, Part.PROVE):
            if hints.schedule:
                followed = follow(program, question, options, observer)
                if isinstance(followed, Refuted):
                    return followed
                tried = (f"witness: {followed.reason}",) if isinstance(followed, Unknown) else ()
            if hints.predicates and self.default:
                inferred = self._hinted(program, question, options, observer)
                if isinstance(inferred, Safe | Refuted):
                    return inferred
        if hints.predicates and not self.default:
            options = replace(options, predicates=tuple(dict.fromkeys((*options.predicates, *hints.predicates))))
        verdict = self.engine(program, question, options, observer)
        return replace(verdict, tried=(*verdict.tried, *tried)) if isinstance(verdict, Unknown) else verdict


def _infer(program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
    """Context inference that begins with the predicates of the witness, for a while."""
    from circ.inference.context_inference import omega_circ

    assert options.hints is not None
    predicates = tuple(dict.fromkeys((*options.predicates, *options.hints.predicates)))
    begun = replace(options, predicates=predicates, max_states=LARGEST_ROUND)
    try:
        verdict = omega_circ()(program, question, begun, observer, (), EFFORT)
    except OutOfTime as limit:
        return Unknown(str(limit))
    statistics: Statistics = replace(verdict.statistics, by=HINTED)
    return replace(verdict, statistics=statistics)
