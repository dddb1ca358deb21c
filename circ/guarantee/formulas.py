"""The formulas of an annotated program as terms, and what assumptions say about several steps in a row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from circ.smt import Encoder, SatResult, Solver, Term, conjunction, equality, negation
from frontend.annotations.attached import PRIME, TID
from frontend.program import (
    BOOL,
    Assume,
    Binary,
    Const,
    Expr,
    Invariant,
    Location,
    Program,
    Read,
    Rely,
    Self,
    ThreadTemplate,
    Unary,
    Values,
    Var,
    Variable,
    primitive,
    show,
    variables,
)
from frontend.program.connectives import conjuncts
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Conjunct:
    """A part of a clause that is checked on its own, and the clause it comes from."""

    cond: Expr
    text: str
    location: Location


def obligations(cond: Expr) -> list[Expr]:
    """What is proved one by one instead of the formula: its conjuncts, those behind `a ==>` too, each of them behind `a ==>`."""
    match cond:
        case Binary(op="||", left=Unary(op="!", arg=a), right=b):
            return [Binary("||", Unary("!", a), part) for part in obligations(b)]
        case Binary(op="&&"):
            return [part for conjunct in conjuncts(cond) for part in obligations(conjunct)]
    return [cond]


def said(cond: Expr) -> str:
    """A formula as an annotation would say it."""
    match cond:
        case Binary(op="||", left=Unary(op="!", arg=a), right=b):
            return f"{_spoken(show(a))} ==> {_spoken(show(b))}"
    return _spoken(show(cond))


def _spoken(text: str) -> str:
    return re.sub(r"<([\w#]+) (done|created)>", r"\\\2(\1)", text)


def shown(v: Variable) -> str:
    """What annotations call a variable."""
    return _spoken(v.shown or v.name)


def visible(v: Variable) -> bool:
    """Whether annotations can name it; what a created thread is handed is circ's own business."""
    return not re.fullmatch(r"<[\w#]+ argument>", v.shown or v.name)


@dataclass(frozen=True, slots=True)
class AnnotatedProgram:
    """A program with what its threads assume, and more that is tried as an assumption or invariant."""

    program: Program
    relies: Mapping[str, tuple[Rely, ...]]
    invariants: tuple[Conjunct, ...]
    extra: Mapping[str, tuple[Expr, ...]] = field(default_factory=dict)

    @staticmethod
    def of(program: Program) -> AnnotatedProgram:
        relies = {t.name: tuple(r for r in program.relies if r.template == t.name) for t in program.templates}
        found = tuple(Conjunct(part, i.text, i.location) for i in program.invariants for part in obligations(i.cond))
        return AnnotatedProgram(program, relies, found)

    def assumed(self, template: str) -> list[Expr]:
        """All that threads of the template assume, in small parts."""
        own = [part for r in self.relies[template] for part in obligations(r.cond)]
        return [*own, *self.extra.get(template, ())]


class StateTerms:
    """Formulas to terms, with one encoder."""

    def __init__(self, annotated: AnnotatedProgram, encoder: Encoder | None = None) -> None:
        """`encoder`: one that is shared, so that arbitrary values of two threads have different names."""
        self.annotated, self.program = annotated, annotated.program
        self.encoder = encoder or Encoder(self.program.ints)
        self.shared = [v.name for v in self.program.globals]

    def globals(self, suffix: str) -> dict[str, Term]:
        return {v.name: self.encoder.symbol(v, suffix) for v in self.program.globals}

    def invariant(self, state: Mapping[str, Term]) -> Term:
        return conjunction(self.encoder.cond(c.cond, state, strict=True) for c in self.annotated.invariants)

    def two(self, cond: Expr, before: Mapping[str, Term], after: Mapping[str, Term], tid: Term | None) -> Term:
        known = {n: before[n] for n in self.shared} | {n + PRIME: after[n] for n in self.shared}
        return self.encoder.cond(cond, known if tid is None else {**known, TID: tid}, strict=True)

    def tid(self, template: ThreadTemplate, suffix: str) -> tuple[Term | None, list[Term]]:
        """The number of a thread as a symbol, and what is known of it."""
        v = next((v for v in template.locals if v.name == TID), None)
        if v is None or not isinstance(v.start, Self):
            return None, []
        last = v.type.high if template.count is None else v.start.offset + template.count - 1
        read = Read(Var(TID, v.type))
        bounds: list[Expr] = [Binary(">=", read, Const(v.start.offset, v.type)), Binary("<=", read, Const(last, v.type))]
        starts = [e for e in template.cfa.edges if e.source == template.cfa.start]
        again = any(e.target == template.cfa.start for e in template.cfa.edges)
        if len(starts) == 1 and not again and not starts[0].accesses:
            bounds += [p.cond for p in primitive(starts[0].op) if isinstance(p, Assume) and variables(p.cond) == {TID}]
        symbol = self.encoder.symbol(v, suffix)
        return symbol, [self.encoder.cond(b, {TID: symbol}) for b in bounds]

    def different(self, a: Term | None, b: Term | None) -> list[Term]:
        return [] if a is None or b is None else [negation(equality(a, b))]


@dataclass(frozen=True, slots=True)
class ClosedAssumption:
    """What is left of an assumption after any number of steps; `dropped` does not survive two of them."""

    kept: tuple[Expr, ...]
    dropped: tuple[Expr, ...]
    irreflexive: tuple[Expr, ...]


def closure(annotated: AnnotatedProgram, template: ThreadTemplate) -> ClosedAssumption:
    """The largest set of conjuncts that holds of no step, and after it of one more step."""
    terms = StateTerms(annotated)
    tid, known = terms.tid(template, "")
    g, h, k = (terms.globals(s) for s in ("", "'", "''"))
    solver = Solver()
    solver.add(*known, *(terms.invariant(s) for s in (g, h, k)))
    parts = annotated.assumed(template.name)
    irreflexive = tuple(p for p in parts if _fails(solver, [], terms.two(p, g, g, tid)))
    steps = [terms.two(p, h, k, tid) for p in parts]
    kept: Sequence[Expr] = [p for p in parts if p not in irreflexive]
    while True:
        before = [*(terms.two(p, g, h, tid) for p in kept), *steps]
        lost = [p for p in kept if _fails(solver, before, terms.two(p, g, k, tid))]
        if not lost:
            break
        kept = [p for p in kept if p not in lost]
    return ClosedAssumption(tuple(kept), tuple(p for p in parts if p not in kept), irreflexive)


def excluded(annotated: AnnotatedProgram, template: ThreadTemplate, part: Expr) -> tuple[tuple[str, int], ...]:
    """A state in which this part of an assumption excludes that nothing happens; nothing if the solver has none."""
    terms = StateTerms(annotated)
    tid, known = terms.tid(template, "")
    state = terms.globals("")
    solver = Solver()
    solver.add(*known, terms.invariant(state), negation(terms.two(part, state, state, tid)))
    if solver.check() is not SatResult.SAT:
        return ()
    return _scalars(annotated.program, terms, state, solver)


def _scalars(program: Program, terms: StateTerms, state: Mapping[str, Term], solver: Solver) -> tuple[tuple[str, int], ...]:
    """The values of the scalar globals that a user could see."""
    found = ((v, solver.evaluate(state[v.name])) for v in program.globals if not v.is_array and visible(v))
    return tuple((shown(v), n if terms.encoder.math and v.type != BOOL else v.type.wrap(n)) for v, n in found)


def _fails(solver: Solver, hypotheses: Iterable[Term], goal: Term) -> bool:
    solver.push()
    solver.add(*hypotheses, negation(goal))
    answer = solver.check()
    solver.pop()
    return answer is not SatResult.UNSAT


def false_at_start(program: Program, invariant: Invariant) -> tuple[tuple[str, int], ...] | None:
    """A start state in which the invariant is false or not known to be true; None if there is none."""
    terms = StateTerms(AnnotatedProgram.of(program))
    state = terms.globals("")
    solver = Solver()
    for v in program.globals:
        if isinstance(v.start, Values):
            state[v.name] = terms.encoder.array_of(v, v.start.default, v.start.elements) if v.is_array \
                else terms.encoder.constant(v.start.default, v.type)
        elif terms.encoder.math and not v.is_array and v.type != BOOL:
            solver.add(state[v.name] >= v.type.low, state[v.name] <= v.type.high)
    solver.add(negation(terms.encoder.cond(invariant.cond, state, strict=True)))
    answer = solver.check()
    if answer is SatResult.UNSAT:
        return None
    return _scalars(program, terms, state, solver) if answer is SatResult.SAT else ()
