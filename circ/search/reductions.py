"""What the explicit search can leave out, read off a program before it starts: dead locals, steps that nobody else sees.

Liveness is here by slots of the interpreter, for whole steps; finite systems have their own (`circ.finite.system.liveness`),
which also answers for the middle of a step and for arrays.
"""

from __future__ import annotations

from collections.abc import Iterator

from circ.verdict import Assertions, Question
from frontend.program import (
    AllAt,
    Assign,
    Element,
    Havoc,
    Op,
    Program,
    ThreadTemplate,
    Var,
    op_reads,
    op_writes,
    primitive,
    reads,
)


def forgotten(template: ThreadTemplate) -> tuple[tuple[int, ...], ...]:
    """For each location the scalar locals that are dead there: written before they are read, on every way on."""
    slots = {v.name: i for i, v in enumerate(template.locals) if not v.is_array}
    uses = [frozenset(_exposed(e.op)) | {v.name for a in e.accesses if isinstance(a.lvalue, Element)
                                         for v in reads(a.lvalue.index) if isinstance(v, Var)} for e in template.cfa.edges]
    kills = [frozenset(_overwritten(e.op)) for e in template.cfa.edges]
    live: list[frozenset[str]] = [frozenset()] * template.cfa.size
    entering: list[list[int]] = [[] for _ in range(template.cfa.size)]
    for i, e in enumerate(template.cfa.edges):
        entering[e.target].append(i)
    work = list(range(template.cfa.size))
    for i, e in enumerate(template.cfa.edges):
        live[e.source] |= uses[i]
    while work:
        q = work.pop()
        for i in entering[q]:
            source = template.cfa.edges[i].source
            more = live[source] | (live[q] - kills[i])
            if more != live[source]:
                live[source] = more
                work.append(source)
    return tuple(tuple(s for name, s in slots.items() if name not in live[q]) for q in range(template.cfa.size))


def _exposed(op: Op) -> Iterator[str]:
    """Scalars the operation reads before it writes them."""
    written: set[str] = set()
    for part in primitive(op):
        yield from (v.name for v in op_reads(part) if isinstance(v, Var) and v.name not in written)
        written.update(_overwritten(part))


def _overwritten(op: Op) -> Iterator[str]:
    for part in primitive(op):
        match part:
            case Assign(target=Var(name=n)):
                yield n
            case Havoc(targets=ts):
                yield from (t.name for t in ts if isinstance(t, Var))


def waited_for(program: Program, started: bool = False) -> frozenset[str]:
    """The templates that somebody waits for; `started`: those of unbounded number that have to get somewhere from their start."""
    start = {t.name: t.cfa.start for t in program.templates if t.count is None}
    return frozenset(
        p.template for t in program.templates for e in t.cfa.edges for p in primitive(e.op) if isinstance(p, AllAt)
        and not (started and (p.template not in start or start[p.template] in p.locations)))


def local_locations(program: Program, index: int, question: Question) -> frozenset[int]:
    """Locations that a thread leaves by steps nobody else can see or influence, and which matter to no question.

    Such a step commutes with every step of another thread, and no race state is lost by taking it first: the thread is not
    about to access anything, and the others stay where they are.
    """
    template = program.templates[index]
    if template.name in waited_for(program):
        return frozenset()
    own = {v.name for v in template.locals}
    cfa = template.cfa
    seen = cfa.atomic | (cfa.critical if isinstance(question, Assertions) else frozenset())
    result = {e.source for e in cfa.edges} - seen
    for e in cfa.edges:
        names = {v.name if isinstance(v, Var) else v.array for v in op_reads(e.op)} | set(op_writes(e.op))
        waits = any(isinstance(p, AllAt) for p in primitive(e.op))
        if e.accesses or waits or e.target in seen or not names <= own:
            result.discard(e.source)
    return frozenset(result)
