"""What programs test before they touch a variable: a guess at what protects it, for context inference to look at first.

A handler starts when its bit is set; a driver writes its buffer when the state says idle. Where counterexamples lead it,
refinement may follow the scheduler and everything that the program has done before; the tests next to the accesses are often
all that a proof needs. Nothing rests on the guess but time.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

import networkx as nx

from circ.abstraction.relevance import DATA, doubtful
from frontend.program import (
    AccessKind,
    Assign,
    Assume,
    Cast,
    Expr,
    Program,
    Read,
    ThreadTemplate,
    Var,
    name_of,
    op_writes,
    primitive,
    variables,
)
from frontend.program.schedule_ghosts import is_schedule

NEAREST = 2
"""Tests to take for each access, the nearest first."""
COPIES = 3
"""How often a local that is tested may be a copy of another one before a global is found."""


def guards(program: Program, variable: str) -> tuple[Var, ...]:
    """The flags and states that decide, next to the accesses to a variable, whether they happen, and how often handlers are due.

    Not the bits that let handlers start: refinement turns to these by itself.
    """
    reluctance = doubtful(program)
    changing = frozenset(n for t in program.templates for e in t.cfa.edges for n in op_writes(e.op)) - {variable}
    scalars = {v.name: v for v in program.globals if v.name in changing
               and (is_schedule(v.name) or (not v.ghost and reluctance[None, v.name] < DATA))}
    found: dict[str, None] = {}
    for t in program.templates:
        places = sorted({e.source for e in t.cfa.edges
                         for a in e.accesses if a.variable == variable and a.kind is not AccessKind.SYNC})
        if not places:
            continue
        tests, copied = _Tests(t), _copies(t)
        for q in places:
            for names in tests.before(q):
                found |= dict.fromkeys(n for name in sorted(names) if (n := _original(name, copied, scalars)) is not None)
    return tuple(Var(name, scalars[name].type) for name in found)


class _Tests:
    """Where a thread decides whether it gets to a location."""

    def __init__(self, template: ThreadTemplate) -> None:
        self.start, self.leaving = template.cfa.start, template.cfa.leaving()
        self.graph = nx.DiGraph((e.source, e.target) for e in template.cfa.edges)
        self.dominators = nx.immediate_dominators(self.graph, self.start)

    def before(self, q: int) -> Iterator[frozenset[str]]:
        """What the nearest tests on every way to a location read, and the one with which the thread starts."""
        near, here = 0, q
        while here != self.start and here in self.dominators:
            here = self.dominators[here]
            tested = self._decides(here, q) if near < NEAREST or here == self.start else frozenset()
            if tested:
                near += 1
                yield tested

    def _decides(self, u: int, q: int) -> frozenset[str]:
        """What is read at a location to go on to another one, if from there one may also go elsewhere, or wait."""
        behind = {q, *nx.ancestors(nx.restricted_view(self.graph, [u], []), q)}
        ways = [e for e in self.leaving[u] if e.target in behind]
        if u != self.start and len(ways) == len(self.leaving[u]) > 1:
            return frozenset()
        return frozenset(n for e in ways for part in primitive(e.op) if isinstance(part, Assume) for n in variables(part.cond))


def _copies(template: ThreadTemplate) -> Mapping[str, str]:
    """The locals that only ever get the value of one other variable."""
    sources: dict[str, set[str | None]] = {}
    for e in template.cfa.edges:
        for part in primitive(e.op):
            for name in op_writes(part):
                value = _copied(part.value) if isinstance(part, Assign) else None
                sources.setdefault(name, set()).add(value)
    return {name: one for name, found in sources.items() if len(found) == 1 and (one := next(iter(found))) is not None}


def _copied(e: Expr) -> str | None:
    match e:
        case Read(lvalue=v):
            return name_of(v)
        case Cast(arg=a):
            return _copied(a)
        case _:
            return None


def _original(name: str, copied: Mapping[str, str], scalars: Container[str]) -> str | None:
    """The global that a variable is, or is a copy of."""
    for _ in range(COPIES):
        if name in scalars:
            return name
        if name not in copied:
            return None
        name = copied[name]
    return name if name in scalars else None
