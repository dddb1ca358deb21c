"""Accesses of handlers under C11's rule for races, on one processor: no section is needed where nobody can come in between.

C11 asks that both accesses be in sections. A handler that runs to its end before the threads go on is like one: a section of a
thread keeps it out, and while it runs no thread steps. So its accesses count as protected, unless a handler that may interrupt
it, or that it may interrupt, accesses the same variable. Where that is so and threads have sections as well, the access would be
protected for the one and not for the other: it is not, and in doubt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from frontend.program import AccessKind, Doubt, Edge, Program, Role

_PERHAPS = Doubt("whether this access can come in the middle of another is not known", accesses=True)


def with_whole_handlers(program: Program, interrupts: Callable[[str, str], bool]) -> Program:
    """The program with the accesses of handlers protected where only threads can meet them; `interrupts(a, b)`: a may run
    between two steps of b."""
    templates = program.templates
    handlers = [n for n, t in enumerate(templates) if t.role is Role.HANDLER]

    def meets(one: int, other: int) -> bool:
        if one == other and templates[one].count == 1:
            return False
        names = templates[one].name, templates[other].name
        return interrupts(*names) or interrupts(*reversed(names))

    def edge(n: int, e: Edge) -> Edge:
        data = [a for a in e.accesses if a.is_data]
        if not data or e.protected:
            return e
        found = [(t, f, b) for a in data for t, f, b in program.accesses[a.variable]]
        if any(b.kind is AccessKind.ATOMIC for _, _, b in found):
            return e
        if not any(t in handlers and meets(n, t) for t, _, _ in found):
            return replace(e, protected=True)
        sections = any(t not in handlers and f.protected for t, f, _ in found)
        return replace(e, doubts=(*e.doubts, _PERHAPS)) if sections else e

    return replace(program, templates=tuple(
        replace(t, cfa=replace(t.cfa, edges=tuple(edge(n, e) for e in t.cfa.edges))) if n in handlers else t
        for n, t in enumerate(templates)))
