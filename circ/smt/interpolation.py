"""Sequence interpolants of infeasible traces, and terms back to expressions: where predicates come from.

Not trusted: what is found here is a suggestion, of which an engine makes a proof that the kernel checks without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import z3

from circ.smt.terms import Term
from frontend.program import Binary, Cast, Const, Expr, Lvalue, Read, Scalar

INTERPOLATION_EFFORT = 6_000_000
"""In the solver's resource units, a few seconds; counted, so that the same traces give the same predicates on a busy machine."""


class _NoExpression(Exception):
    """No expression over the known variables means the term."""


def sequence_interpolants(
    cuts: Sequence[Sequence[Term]], steps: Sequence[Term], effort: int = INTERPOLATION_EFFORT
) -> list[Term] | None:
    """Inductive interpolants of an infeasible trace, from Spacer on linear Horn clauses; None if it finds none.

    `cuts[i]` are the constants alive between steps i-1 and i; `steps[i]` relates `cuts[i]` to `cuts[i+1]` (other
    constants in it are existentially quantified). The result has a formula over `cuts[i]` for each inner cut.
    """
    fp = z3.Fixedpoint()
    fp.set("engine", "spacer")
    fp.set("rlimit", effort)
    for switch in ("xform.inline_eager", "xform.inline_linear", "xform.slice"):
        fp.set(switch, False)
    relations = []
    for i, cut in enumerate(cuts):
        relation = z3.Function(f"cut{i}", *[c.sort() for c in cut], z3.BoolSort())
        fp.register_relation(relation)
        relations.append(relation)
    known: dict[int, Term] = {}
    for cut in cuts:
        for c in cut:
            known[c.get_id()] = c
    for step in steps:
        for c in _constants(step):
            known.setdefault(c.get_id(), c)
    fp.declare_var(*known.values())
    fp.fact(relations[0](*cuts[0]))
    for i, step in enumerate(steps):
        fp.rule(relations[i + 1](*cuts[i + 1]), [relations[i](*cuts[i]), step])
    goal = z3.Bool("error")
    fp.register_relation(goal.decl())
    fp.rule(goal, [relations[-1](*cuts[-1])])
    try:
        if fp.query(goal) != z3.unsat:
            return None
        result = []
        for i in range(1, len(cuts)):
            cover = fp.get_cover_delta(-1, relations[i])
            result.append(z3.substitute_vars(cover, *cuts[i]))
    except z3.Z3Exception:
        return None
    return result


def _constants(term: Term) -> list[Term]:
    found: dict[int, Term] = {}
    seen: set[int] = set()
    stack = [term]
    while stack:
        t = stack.pop()
        if t.get_id() in seen:
            continue
        seen.add(t.get_id())
        if z3.is_const(t) and t.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found[t.get_id()] = t
        stack.extend(t.children())
    return sorted(found.values(), key=str)


# --------------------------------------------------------------------------------------------------- terms back to expressions
_BINARY = {
    z3.Z3_OP_BADD: "+", z3.Z3_OP_BSUB: "-", z3.Z3_OP_BMUL: "*", z3.Z3_OP_BAND: "&", z3.Z3_OP_BOR: "|", z3.Z3_OP_BXOR: "^",
    z3.Z3_OP_ADD: "+", z3.Z3_OP_SUB: "-", z3.Z3_OP_MUL: "*", z3.Z3_OP_BSHL: "<<",
}
_ORDER = {
    z3.Z3_OP_ULEQ: ("<=", False), z3.Z3_OP_ULT: ("<", False), z3.Z3_OP_UGEQ: (">=", False), z3.Z3_OP_UGT: (">", False),
    z3.Z3_OP_SLEQ: ("<=", True), z3.Z3_OP_SLT: ("<", True), z3.Z3_OP_SGEQ: (">=", True), z3.Z3_OP_SGT: (">", True),
    z3.Z3_OP_LE: ("<=", True), z3.Z3_OP_LT: ("<", True), z3.Z3_OP_GE: (">=", True), z3.Z3_OP_GT: (">", True),
}


def atomic_conditions(term: Term, variable: Callable[[str], Lvalue | None]) -> list[Expr]:
    """The atomic conditions of a Boolean term that can be written as expressions over known variables."""
    if z3.is_and(term) or z3.is_or(term) or z3.is_not(term) or z3.is_implies(term):
        return [a for child in term.children() for a in atomic_conditions(child, variable)]
    try:
        return [_condition(term, variable)]
    except _NoExpression:
        return []


def _condition(term: Term, variable: Callable[[str], Lvalue | None]) -> Expr:
    kind = term.decl().kind()
    if kind == z3.Z3_OP_EQ and not z3.is_bool(term.arg(0)):
        a, b = (_expression(c, variable) for c in term.children())
        return Binary("==", *_same(a, b))
    if kind in _ORDER:
        op, signed = _ORDER[kind]
        a, b = (_expression(c, variable) for c in term.children())
        t = Scalar(max(a.type.width, b.type.width), signed)
        return Binary(op, _retype(a, t), _retype(b, t))
    raise _NoExpression(str(term.decl()))


def _same(a: Expr, b: Expr) -> tuple[Expr, Expr]:
    if a.type == b.type:
        return a, b
    if isinstance(a, Const):
        return Const(b.type.wrap(a.value), b.type), b
    return a, _retype(b, a.type)


def _retype(e: Expr, t: Scalar) -> Expr:
    if e.type == t:
        return e
    return Const(t.wrap(e.value), t) if isinstance(e, Const) else Cast(e, t)


def _expression(term: Term, variable: Callable[[str], Lvalue | None]) -> Expr:
    if z3.is_bv_value(term):
        return Const(term.as_long(), Scalar(term.size(), False))
    if z3.is_int_value(term):
        return Const(term.as_long(), Scalar(32, True))
    kind = term.decl().kind()
    if kind == z3.Z3_OP_UNINTERPRETED and term.num_args() == 0:
        found = variable(term.decl().name())
        if found is None:
            raise _NoExpression(str(term))
        return Read(found)
    if kind == z3.Z3_OP_EXTRACT:
        high, low = term.params()
        arg = _expression(term.arg(0), variable)
        wide = Scalar(arg.type.width, False)
        shifted = Binary(">>", _retype(arg, wide), Const(low, wide)) if low else arg
        return Cast(shifted, Scalar(high - low + 1, False))
    if kind in (z3.Z3_OP_ZERO_EXT, z3.Z3_OP_SIGN_EXT):
        arg = _expression(term.arg(0), variable)
        signed = kind == z3.Z3_OP_SIGN_EXT
        return Cast(_retype(arg, Scalar(arg.type.width, signed)), Scalar(term.size(), signed))
    if kind in _BINARY:
        parts = [_expression(c, variable) for c in term.children()]
        result = parts[0]
        for part in parts[1:]:
            result = Binary(_BINARY[kind], *_same(result, part))
        return result
    raise _NoExpression(str(term.decl()))
