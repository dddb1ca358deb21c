"""Locks that count their readers: the word is the number of readers, or one other value while a writer has it.

How many threads read is a sum over all threads, so it takes a counting fact (docs/certificate.md): while a thread is at a place
where it holds the lock for reading, the word is neither 0 nor the writer's value.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from circ.static.arguments.argument import Argument, RegionPlace
from circ.static.values import CellValues, ValueSet
from frontend.program import (
    Assign,
    Assume,
    Binary,
    Const,
    Edge,
    Expr,
    Havoc,
    Ite,
    Lvalue,
    Program,
    Read,
    ThreadTemplate,
    Var,
    op_writes,
    primitive,
)


class Readers(Argument):
    """The argument about all such locks of a program, as far as each place has a certain number of holds."""

    def __init__(self, program: Program) -> None:
        self.program = program
        shared = {v.name for v in program.globals if not v.is_array}
        edges = [e for t in program.templates for e in t.cfa.edges]
        counted = {v for e in edges for v in _counted_up(e) if v.name in shared}
        writer = {v: w for e in edges for v, w in _taken(e) if v in counted}
        self.weights: dict[Var, list[list[int]]] = {}
        self.writer: dict[Var, int] = {}
        for v in sorted(writer, key=lambda v: v.name):
            weights = [_holds(t, v) for t in program.templates]
            if all(w is not None for w in weights):
                self.weights[v] = [w for w in weights if w is not None]
                self.writer[v] = writer[v]
        self.words = "while a thread holds a lock for reading, nobody holds it for writing"

    @property
    def applies(self) -> bool:
        return bool(self.weights)

    def marks(self, template: int) -> Sequence[Hashable]:
        size = self.program.templates[template].cfa.size
        return [tuple(w[template][q] for w in self.weights.values()) for q in range(size)]

    def known(self, cells: Sequence[Lvalue], state: CellValues, spots: Sequence[RegionPlace]) -> CellValues | None:
        for n, cell in enumerate(cells):
            weights = self.weights.get(cell) if isinstance(cell, Var) else None
            if weights is not None and any(weights[t][q] for t, q in spots):
                assert isinstance(cell, Var)
                value = state[n].meet(ValueSet(True, frozenset((0, self.writer[cell]))))
                if value.empty:
                    return None
                state = (*state[:n], value, *state[n + 1:])
        return state

    def counting(self) -> Iterator[tuple[Expr, Sequence[Sequence[int]]]]:
        for v, weights in self.weights.items():
            alone = Binary("==", Read(v), Const(self.writer[v], v.type))
            yield Ite(alone, Const(0, v.type), Read(v)), weights


def _counted_up(e: Edge) -> Iterator[Var]:
    """Variables that the step increments by one."""
    for part in primitive(e.op):
        match part:
            case Assign(target=Var() as v, value=Binary(op="+", left=Read(lvalue=w), right=Const(value=1))) if v == w:
                yield v
            case _:
                pass


def _taken(e: Edge) -> Iterator[tuple[Var, int]]:
    """Variables that the step sets to a constant when they are 0."""
    free: set[Lvalue] = set()
    for part in primitive(e.op):
        match part:
            case Assume(cond=Binary(op="==", left=Read(lvalue=v), right=Const(value=0))):
                free.add(v)
            case Assign(target=Var() as v, value=Const(value=c)) if v in free and c:
                yield v, c
            case _:
                pass


def _holds(t: ThreadTemplate, v: Var) -> list[int] | None:
    """How often a thread at each location holds the lock for reading; None if that depends on how it came there."""
    found: list[int | None] = [None] * t.cfa.size
    found[t.cfa.start] = 0
    out = t.cfa.leaving()
    todo = [t.cfa.start]
    while todo:
        q = todo.pop()
        here = found[q]
        assert here is not None
        for e in out[q]:
            after = here
            if v.name in op_writes(e.op):
                if any(isinstance(p, Havoc) for p in primitive(e.op)):
                    return None
                value = next(p.value for p in primitive(e.op) if isinstance(p, Assign) and p.target == v)
                if v in _counted_up(e):
                    after += 1
                elif not isinstance(value, Const):
                    after = max(0, after - 1)
            if found[e.target] is None:
                found[e.target] = after
                todo.append(e.target)
            elif found[e.target] != after:
                return None
    return [n or 0 for n in found]
