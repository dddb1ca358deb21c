"""The numbers of threads that annotations and `circ_tid()` mean by `\\tid`: from 1 on, different for any two threads.

The threads of the first template come first, and so on; those of unbounded number come last. If there are several templates
of unbounded number, they share the numbers behind the others: a thread whose number is not one of its template never starts.
"""

from __future__ import annotations

from dataclasses import replace

from frontend.annotations.attached import TID, tid_of
from frontend.program import Assume, Binary, Cfa, Const, DataModel, Edge, Read, Scalar, Self, ThreadTemplate, Var, Variable


def own_tid(model: DataModel) -> Variable:
    """The local that holds the thread's number; `numbered` gives it its start value."""
    return Variable(TID, tid_of(model).type, None, Self(1), "", ghost=True)


def numbered(templates: tuple[ThreadTemplate, ...]) -> tuple[ThreadTemplate, ...]:
    """The templates with the numbers of their threads apart; those that do not use them stay as they are."""
    if not any(v.name == TID for t in templates for v in t.locals):
        return templates
    offset, made = 1, []
    for t in templates:
        made.append(_from(t, offset) if t.count is not None else t)
        offset += t.count or 0
    unbounded = [i for i, t in enumerate(templates) if t.count is None]
    for place, i in enumerate(unbounded):
        made[i] = _from(made[i], offset)
        if len(unbounded) > 1 and any(v.name == TID for v in made[i].locals):
            made[i] = _every(made[i], offset, place, len(unbounded))
    return tuple(made)


def _from(template: ThreadTemplate, offset: int) -> ThreadTemplate:
    return replace(template, locals=tuple(replace(v, start=Self(offset)) if v.name == TID else v for v in template.locals))


def _every(template: ThreadTemplate, offset: int, place: int, modulus: int) -> ThreadTemplate:
    """Only threads with every `modulus`th number get past a new first step."""
    cfa = template.cfa
    t: Scalar = next(v.type for v in template.locals if v.name == TID)
    index = Binary("-", Read(Var(TID, t)), Const(offset, t))
    mine = Binary("==", Binary("%", index, Const(modulus, t)), Const(place, t))
    first = Edge(cfa.size, cfa.start, Assume(mine), location=template.location)
    started = Cfa(cfa.size + 1, cfa.size, (first, *cfa.edges), cfa.atomic, cfa.errors, cfa.critical,
                  {**cfa.places, cfa.size: template.location})
    return replace(template, cfa=started)
