"""In plain words why threads of a finite system are safe: what the method did, and which values tell their accesses apart."""

from __future__ import annotations

from collections.abc import Iterable

from circ.abstraction.told_values import AccessValues, never
from circ.finite.system import ATOMIC, FiniteSystem, GlobalStore
from circ.verdict import Question, RaceOn

ALONE = "each thread was followed by itself, with all steps that the others can make in between"
REFINED = f"{ALONE} and what has to be known of their places"
DEEP = f"{ALONE}, through calls of any depth"


def in_words(question: Question, method: str) -> str:
    """What the method found out."""
    return f"{method}: {never(question)}"


def why(system: FiniteSystem, method: str, seen: Iterable[tuple[int, int, GlobalStore]]) -> tuple[str, ...]:
    """The same, after what the states say: for each the group of a thread, its location, the globals."""
    sentence = in_words(system.question, method)
    if not isinstance(system.question, RaceOn):
        return (sentence,)
    program = system.program
    positions = {t.name: n for n, t in enumerate(program.templates)}
    if any(g.template.name not in positions for g in system.groups):
        return (sentence,)
    cells = [c.name if c.element is None and c.spans is None and c.name != ATOMIC else None for c in system.globals]
    told = AccessValues(program, system.question.variable, cells)
    groups = [positions[g.template.name] for g in system.groups]
    for i, location, values in seen:
        if any(told.is_access(groups[i], q) for q in system.groups[i].same(location)):
            told.note(groups[i], values)
    return (*told.sentences(), sentence)
