"""What is claimed and never asked: assertions that no run comes to, contracts of functions that nothing calls.

A proof of them is no lie, and of no use either; it is told as a warning. Only what is certain is told here: conditions that are
constants. What a solver sees is told with the verdict (`circ.run.vacuity`).
"""

from __future__ import annotations

from frontend.annotations.attached import ClauseKind
from frontend.ir import Module
from frontend.link.drafts import Draft
from frontend.memory.objects import Notes
from frontend.memory.points_to import PointsTo
from frontend.memory.sketch import Sketch, SketchStep
from frontend.program import FALSE, Assume, ErrorLocation, primitive
from frontend.program.fold import fold


def warn_of_vacuous_claims(module: Module, pointsto: PointsTo, drafts: tuple[Draft, ...], notes: Notes) -> None:
    """Warn of assertions that no thread comes to, and of contracts that nobody is held to."""
    asked: dict[ErrorLocation, bool] = {}
    for draft in drafts:
        for claim, comes in _claims(draft.sketch):
            asked[claim] = asked.get(claim, False) or comes
    for claim, comes in asked.items():
        if not comes:
            notes.warn(f"no run comes to '{claim.text}'", claim.location)
    attached = module.attached
    if attached is None:
        return
    for name in attached.functions:
        clauses = [c for kind in (ClauseKind.REQUIRES, ClauseKind.ENSURES) for c in attached.of(name, kind)]
        declared = module.declarations.get(name)
        if clauses and declared is not None and declared.defined and name not in pointsto.reached:
            notes.warn(f"nothing calls '{name}': what it requires and ensures is not checked", clauses[0].location)


def _claims(sketch: Sketch) -> list[tuple[ErrorLocation, bool]]:
    """Every claim of a thread, and whether some way leads to where it is asked: a branch, or the error itself."""
    into, out, reached = sketch.entering(), sketch.leaving(), _reached(sketch)
    asked = {q for q in sketch.errors if any(s.source in reached and len(out[s.source]) > 1 for s in into[q])}
    return [(claim, q in reached or q in asked) for q, claim in sketch.errors.items()]


def _reached(sketch: Sketch) -> set[int]:
    out = sketch.leaving()
    reached, work = {sketch.start}, [sketch.start]
    while work:
        for step in out[work.pop()]:
            if step.target not in reached and _passes(step):
                reached.add(step.target)
                work.append(step.target)
    return reached


def _passes(step: SketchStep) -> bool:
    return not any(isinstance(part, Assume) and fold(part.cond) == FALSE for part in primitive(step.op))
