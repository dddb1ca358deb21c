"""What annotation may be missing: one of the usual shapes with which the failed condition would hold.

A shape is tried by adding it to what is assumed and asking the failed condition again. Whether the program guarantees it is for
the next run to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from circ.guarantee.conditions import FailedCondition, ObligationKind, ThreadConditions
from circ.guarantee.formulas import AnnotatedProgram, ClosedAssumption, Conjunct, closure, said, shown
from circ.guarantee.thread_flow import thread_flow
from circ.guarantee.thread_states import ThreadStates
from circ.search import explicit
from circ.verdict import Assertions, Options, OutOfTime, Refuted
from frontend.annotations.attached import TID
from frontend.annotations.two_state import primed
from frontend.program import (
    BOOL,
    NOWHERE,
    Assign,
    Binary,
    Cast,
    Const,
    Expr,
    Invariant,
    Program,
    Read,
    ThreadTemplate,
    Unary,
    Var,
    Variable,
    name_of,
    op_writes,
    primitive,
    substitute,
    variables,
)

_MOST = 60
_DEFAULT = "write down in an assumption, an invariant or a loop invariant why this cannot happen"


def hint(annotated: AnnotatedProgram, closures: Mapping[str, ClosedAssumption], failure: FailedCondition,
         options: Options) -> str:
    """What the user can do about a failed condition."""
    program = annotated.program
    template = program.template(failure.template)
    try:
        for count, (text, stronger, closed) in enumerate(_shapes(annotated, closures, template, failure)):
            if count >= _MOST:
                break
            options.check_time()
            if not _fails_still(stronger, closed, template, failure, options):
                return f"it would hold with {text}"
    except OutOfTime:
        pass
    if failure.kind is ObligationKind.RELY:
        return f"weaken the assumption, or let {failure.template} do this only where {failure.other} does not rely on it"
    return _DEFAULT


def _fails_still(annotated: AnnotatedProgram, closures: Mapping[str, ClosedAssumption], template: ThreadTemplate,
                 failure: FailedCondition, options: Options) -> bool:
    flow, _ = thread_flow(template, options.unroll)
    found = ThreadConditions(ThreadStates(annotated, template, flow, closures, "h"), options.check_time).failure()
    return found is not None and (found.edge, found.kind, found.claim) == (failure.edge, failure.kind, failure.claim)


def _shapes(
    annotated: AnnotatedProgram, closures: Mapping[str, ClosedAssumption], template: ThreadTemplate, failure: FailedCondition,
) -> Iterator[tuple[str, AnnotatedProgram, Mapping[str, ClosedAssumption]]]:
    """The usual shapes, each with the program as it would be."""
    program = annotated.program
    names = _relevant(program, failure)
    for text, cond in _lasting(closures[template.name], template):
        stronger = replace(annotated, extra={**annotated.extra, template.name: (*annotated.extra.get(template.name, ()), cond)})
        yield f"//@ {text};", stronger, {**closures, template.name: closure(stronger, template)}
    for text, cond in _assumptions(program, template, names):
        mine = closures[template.name]
        stronger = replace(annotated, extra={**annotated.extra, template.name: (*annotated.extra.get(template.name, ()), cond)})
        yield f"//@ {text};", stronger, {**closures, template.name: replace(mine, kept=(*mine.kept, cond))}
    for text, cond in _invariants(program, names):
        yield f"//@ invariant {text};", replace(
            annotated, invariants=(*annotated.invariants, Conjunct(cond, text, failure.claim))), closures


def _relevant(program: Program, failure: FailedCondition) -> list[Variable]:
    """The scalar globals, those that the step and its claim speak of first."""
    near = {*op_writes(failure.edge.op)}
    for inv in program.invariants:
        if inv.location == failure.claim:
            near |= variables(inv.cond)
    scalars = [v for v in program.globals if not v.is_array]
    return sorted(scalars, key=lambda v: v.name not in near)


def _lasting(known: ClosedAssumption, template: ThreadTemplate) -> Iterator[tuple[str, Expr]]:
    """What would make an assumption survive several steps: that its condition goes on to hold."""
    for part in known.dropped:
        match part:
            case Binary(op="||", left=Unary(op="!", arg=held)):
                later = substitute(held, lambda v: None if name_of(v) == TID else Read(primed(v)))
                lasting = Binary("||", Unary("!", held), later)
                yield f"for {template.name}: assumes {said(lasting)}", lasting


def _assumptions(program: Program, template: ThreadTemplate, names: list[Variable]) -> Iterator[tuple[str, Expr]]:
    """A variable that only this thread writes; a variable that its lock protects."""
    writers = {v.name: {t.name for t in program.templates if any(v.name in op_writes(e.op) for e in t.cfa.edges)} for v in names}
    for v in names:
        if writers[v.name] <= {template.name} and template.count == 1:
            yield f"for {template.name}: assumes {shown(v)}' == {shown(v)}", _same(v)
    locks = [v for v in names if any(isinstance(p, Assign) and p.target == Var(v.name, v.type) and TID in variables(p.value)
                                     for t in program.templates for e in t.cfa.edges for p in primitive(e.op))]
    for m in locks:
        tid = next((v for v in template.locals if v.name == TID), None)
        if tid is None or tid.type != m.type:
            continue
        held = Binary("==", Read(Var(m.name, m.type)), Read(Var(TID, tid.type)))
        for v in names:
            kept = _same(v) if v is not m else Binary("==", Read(primed(Var(m.name, m.type))), Read(Var(TID, tid.type)))
            after = f"{shown(v)}' == {shown(v)}" if v is not m else f"{shown(m)}' == \\tid"
            yield f"assumes {shown(m)} == \\tid ==> {after}", Binary("||", Unary("!", held), kept)
            if v is not m:
                own = Binary("==", Read(primed(Var(m.name, m.type))), Read(Var(TID, tid.type)))
                yield (f"assumes {shown(m)} == \\tid ==> {shown(m)}' == \\tid && {after}",
                       Binary("||", Unary("!", held), Binary("&&", own, kept)))


def _invariants(program: Program, names: list[Variable]) -> Iterator[tuple[str, Expr]]:
    """One flag implies another, or its negation."""
    flags = [v for v in names if v.type == BOOL or v.range == (0, 1) or _is_flag(program, v)]
    for a in flags:
        for b in flags:
            x, y = (Binary("!=", Read(Var(v.name, v.type)), Const(0, v.type)) for v in (a, b))
            shape = Binary("||", Unary("!", x), y)
            if a is not b and _may_hold(program, shape):
                yield f"{shown(a)} ==> {shown(b)}", shape


def _may_hold(program: Program, shape: Expr) -> bool:
    """Whether a small search, which leaves all else open, finds no state in which it is false: a shape that fails is no help."""
    claim = Invariant(shape, NOWHERE, "", between=True)
    asked = replace(program, invariants=(claim,), relies=(), templates=tuple(
        replace(t, cfa=replace(t.cfa, errors={}, critical=frozenset())) for t in program.templates))
    return not isinstance(explicit.answer(asked, Assertions(), Options(max_states=2000)), Refuted)


def _is_flag(program: Program, v: Variable) -> bool:
    """Whether it only ever gets truth values."""
    values = [p.value for t in program.templates for e in t.cfa.edges for p in primitive(e.op)
              if isinstance(p, Assign) and p.target == Var(v.name, v.type)]
    return all((isinstance(e, Const) and e.value in (0, 1)) or (not isinstance(e, Const) and _is_truth(e)) for e in values)


def _is_truth(e: Expr) -> bool:
    return e.type == BOOL or (isinstance(e, Cast) and e.arg.type == BOOL)


def _same(v: Variable) -> Expr:
    x = Var(v.name, v.type)
    return Binary("==", Read(primed(x)), Read(x))
