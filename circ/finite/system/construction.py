"""A program of finite domains and fixed thread counts as a finite system, one for each question: `build`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from circ.finite.system.error_marks import LONGEST_ARRAY, conflicting_shapes, error_marks, observed_at
from circ.finite.system.intervals import ComparedConstants
from circ.finite.system.liveness import live_locals
from circ.finite.system.refusals import NotFiniteState, too_many
from circ.finite.system.transition_system import ATOMIC, FiniteCell, FiniteSystem, ThreadGroup
from circ.finite.system.transitions import after_initialisation, transitions_of, without_empty_steps
from circ.finite.system.value_sets import AnalysedThread, ListedValues, ValueAnalysis
from circ.verdict import Assertions, Question
from frontend.program import (
    Arbitrary,
    Edge,
    Expr,
    Havoc,
    Op,
    Program,
    Scalar,
    Self,
    ThreadTemplate,
    Values,
    Variable,
    name_of,
    primitive,
)
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class _Copies:
    """Threads that become one group: their numbers in the system, and within the template."""

    template: ThreadTemplate
    threads: tuple[int, ...]
    copies: tuple[int, ...]


def build(program: Program, question: Question, symmetry: bool = True, at_once: bool = True) -> FiniteSystem:
    """The finite system; raises NotFiniteState for what has none. `symmetry`: identical threads form one group.

    `at_once`: empty steps, and a first one that initialises locals, are taken at once (not so where locals begin as
    arguments).
    """
    together = list(_copies(program, symmetry))
    transitions = {t.name: transitions_of(program, question, t) for t in program.templates}
    observed = observed_at(program, question)
    analysed = [AnalysedThread(c.template, c.copies[0],
                               live_locals(c.template.cfa, frozenset(v.name for v in c.template.locals), observed))
                for c in together]
    analysis = ValueAnalysis(program, analysed, _ranges(program)).run()
    compared = _compared(program, observed)
    cells = [c for v in program.globals for c in _cells(v, analysis.globals[v.name], compared, 0)]
    if any(atomic for _, atomic in transitions.values()):
        cells.append(FiniteCell(ATOMIC, None, Scalar(1, False), (0, 1), (0,)))
    groups = []
    for c, thread, listed in zip(together, analysed, analysis.locals, strict=True):
        t = c.template
        own = tuple(cell for v in t.locals for cell in _cells(v, listed.get(v.name, frozenset()), compared, c.copies[0],
                                                              at_once and v.name in thread.live[t.cfa.start]))
        moves, atomic = transitions[t.name]
        marks = tuple(error_marks(program, question, t))
        passed: dict[int, tuple[int, ...]] = {}
        if at_once:
            moves, passed = without_empty_steps(t.cfa, moves, atomic | {m.location for m in marks})
        locations = tuple(sorted({t.cfa.start, *(m.target for m in moves)}))
        group = ThreadGroup(t, c.threads, c.copies, own, thread.live, moves, atomic, marks, locations, passed, t.cfa.start)
        groups.append(after_initialisation(group) if at_once else group)
    invariants = tuple(i.cond for i in program.invariants) if isinstance(question, Assertions) else ()
    conflicts = conflicting_shapes(program, (m.shape for g in groups for m in g.marks))
    return FiniteSystem(program, question, tuple(cells), tuple(groups), invariants, conflicts)


def _copies(program: Program, symmetry: bool) -> Iterator[_Copies]:
    """The groups of threads: the copies of a template together if they do not know their number, otherwise each alone."""
    thread = 0
    for t in program.templates:
        if t.count is None:
            raise NotFiniteState(t.name, f"runs any number of times; fix it with --thread {t.name}=N", t.location)
        numbers = range(t.count)
        if symmetry and not any(isinstance(v.start, Self) for v in t.locals):
            if t.count:
                yield _Copies(t, tuple(range(thread, thread + t.count)), tuple(numbers))
        else:
            yield from (_Copies(t, (thread + i,), (i,)) for i in numbers)
        thread += t.count


def _ranges(program: Program) -> Mapping[str, tuple[int, int]]:
    """The declared ranges that hold: a value that is chosen is any value of the type, whatever the range."""
    chosen = {n for t in program.templates for e in t.cfa.edges for n in _chosen(e.op)}
    return {v.name: v.range for v in program.globals
            if v.range is not None and v.name not in chosen and not isinstance(v.start, Arbitrary)}


def _chosen(op: Op) -> Iterator[str]:
    """The variables that get arbitrary values."""
    for part in primitive(op):
        if isinstance(part, Havoc):
            yield from (*map(name_of, part.targets), *part.whole)


def _compared(program: Program, observed: Callable[[Edge], tuple[Expr, ...]]) -> ComparedConstants:
    """What the program, its invariants and the question compare variables with."""
    found = ComparedConstants()
    for t in program.templates:
        for e in t.cfa.edges:
            found.operation(e.op)
            for expr in observed(e):
                found.condition(expr)
    for inv in program.invariants:
        found.condition(inv.cond)
    return found


def _cells(v: Variable, listed: ListedValues, compared: ComparedConstants, copy: int, alive: bool = True) -> Iterator[FiniteCell]:
    """The scalars of a variable with their values; an array is one cell for each element."""
    spans = None
    parts = compared.intervals(v.name, v.type) if listed is None and not v.is_array else None
    is_open = listed is None and parts is None
    if parts is not None:
        values = tuple(low if low != v.type.low else high for low, high in parts)
        spans = tuple(parts)
    else:
        values = tuple(sorted(listed or ())) or (0,)
    length = v.length
    if length is not None and length > LONGEST_ARRAY:
        raise NotFiniteState(v.shown or v.name, "is an array without a small fixed length", v.location)
    for i in range(length) if length is not None else (None,):
        match v.start:
            case _ if not alive:
                start: tuple[int, ...] = values[:1]
            case Values(default=d, elements=es):
                start = (dict(es).get(i, d) if i is not None else d,)
            case Arbitrary():
                if is_open:
                    raise too_many(v)
                start = values
            case Self(offset=offset):
                start = (copy + offset,)
            case _:
                assert_never(v.start)
        cell = FiniteCell(v.name, i, v.type, values, start, spans, is_open)
        normal = tuple(n for s in start if (n := cell.normal(s)) is not None)
        yield replace(cell, start=tuple(dict.fromkeys(normal)) or values[:1])
