"""Localisation: a program weakened to the variables that are kept.

The operations are weakened (`circ.views.weaken`). Locations and edges stay where they are, so each run of the program is a
run of the weakened one: a proof about the weakened program is a proof about the program, and a race in it is only a candidate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from circ.views.weaken import weaken_op
from frontend.program import SKIP, AllAt, Program, ThreadTemplate, primitive


@dataclass(frozen=True, slots=True)
class Kept:
    """The globals, and for each template the locals, that an analysis looks at."""

    globals: frozenset[str] = frozenset()
    locals: frozenset[tuple[str, str]] = frozenset()

    def __or__(self, other: Kept) -> Kept:
        return Kept(self.globals | other.globals, self.locals | other.locals)

    def of(self, template: str) -> frozenset[str]:
        """Every kept name as it is written inside `template`."""
        return self.globals | {name for owner, name in self.locals if owner == template}


def everything(program: Program) -> Kept:
    """All variables of the program: no slicing."""
    return Kept(
        frozenset(v.name for v in program.globals),
        frozenset((t.name, v.name) for t in program.templates for v in t.locals),
    )


def names(program: Program, template: str, used: frozenset[str]) -> Kept:
    """The names as a `Kept`, told apart into globals and locals of `template`."""
    shared = {v.name for v in program.globals}
    return Kept(frozenset(used & shared), frozenset((template, n) for n in used - shared))


def weaken(program: Program, kept: Kept, variable: str | None = None) -> Program:
    """The program as the kept variables see it; the same locations, edges and accesses in the same order.

    A step that only waits for others (`AllAt`), and by which the thread neither touches the questioned `variable` nor comes
    to or leaves a place where others wait for it, no longer waits: to take it early makes no difference to the others.
    """
    return replace(program, templates=tuple(
        _weaken_template(t, kept.of(t.name), awaited(program, t.name), variable) for t in program.templates))


def awaited(program: Program, name: str) -> tuple[frozenset[int], ...]:
    """The sets of locations that some thread waits for the others of a template to be in."""
    found = {p.locations: None for t in program.templates for e in t.cfa.edges for p in primitive(e.op)
             if isinstance(p, AllAt) and p.template == name}
    return tuple(sorted(found, key=sorted))


def _weaken_template(t: ThreadTemplate, kept: frozenset[str], places: tuple[frozenset[int], ...], variable: str | None,
                     ) -> ThreadTemplate:
    def seen(q: int) -> tuple[bool, ...]:
        return q in t.cfa.atomic, *(q in at for at in places)

    edges = []
    for e in t.cfa.edges:
        op = weaken_op(e.op, kept.__contains__)
        waits = [isinstance(p, AllAt) for p in primitive(op)]
        if waits and all(waits) and seen(e.source) == seen(e.target) and all(a.variable != variable for a in e.accesses):
            op = SKIP
        edges.append(replace(e, op=op))
    return replace(t, cfa=replace(t.cfa, edges=tuple(edges)))
