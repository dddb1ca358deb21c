"""The only module that imports z3: expressions to terms and back, solving, sequence interpolants.

`exact` integers are bit-vectors. `math` integers are unbounded; where a bit operation has no exact term there, the encoder
puts a fresh arbitrary value, so a step only gains behaviours; a formula that is to be *proved* is encoded with `strict`
and refuses such operations instead. A solver's `unknown` is never read as unsat.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never

import z3

from frontend.program import (
    ARITHMETIC,
    BOOL,
    COMPARISONS,
    AllAt,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Element,
    Expr,
    Havoc,
    Ite,
    Lvalue,
    Op,
    Read,
    Scalar,
    Unary,
    Var,
    Variable,
    primitive,
)

Term: TypeAlias = Any
"""A z3 expression; z3 carries no static types."""

INDEX_WIDTH = 64


class Answer(enum.Enum):
    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


class Inexpressible(Exception):
    """No exact term for the expression in this integer model, or no expression for the term."""


@dataclass(slots=True)
class State:
    """A symbolic state: a term for each variable (arrays as z3 arrays) and the constraints under which it is reached."""

    terms: dict[str, Term]
    constraints: list[Term]


class Encoder:
    """Turns expressions and operations into terms. One encoder per solver context; fresh names never repeat in it."""

    def __init__(self, ints: str) -> None:
        self.math = ints == "math"
        self._fresh = 0

    # ----------------------------------------------------------------------------------------------- symbols
    def sort(self, t: Scalar) -> Term:
        if self.math and t != BOOL:
            return z3.IntSort()
        return z3.BitVecSort(t.width)

    def symbol(self, v: Variable, suffix: str = "") -> Term:
        """The constant that stands for a variable (an array constant for an array)."""
        name = v.name + suffix
        if not v.is_array:
            return z3.Const(name, self.sort(v.type))
        index = z3.IntSort() if self.math else z3.BitVecSort(INDEX_WIDTH)
        return z3.Const(name, z3.ArraySort(index, self.sort(v.type)))

    def fresh(self, t: Scalar, constraints: list[Term] | None = None) -> Term:
        """An arbitrary value of the type; for `math` its range goes to `constraints`."""
        self._fresh += 1
        c = z3.Const(f"?{self._fresh}", self.sort(t))
        if self.math and t != BOOL and constraints is not None:
            constraints.append(z3.And(c >= t.low, c <= t.high))
        return c

    def fresh_like(self, term: Term) -> Term:
        self._fresh += 1
        return z3.Const(f"?{self._fresh}", term.sort())

    def constant(self, value: int, t: Scalar) -> Term:
        if self.math and t != BOOL:
            return z3.IntVal(value)
        return z3.BitVecVal(value, t.width)

    def array_of(self, v: Variable, default: int, elements: Iterable[tuple[int, int]]) -> Term:
        """A constant array with some elements changed."""
        index = z3.IntSort() if self.math else z3.BitVecSort(INDEX_WIDTH)
        a = z3.K(index, self.constant(default, v.type))
        for i, value in elements:
            a = z3.Store(a, z3.IntVal(i) if self.math else z3.BitVecVal(i, INDEX_WIDTH), self.constant(value, v.type))
        return a

    # ----------------------------------------------------------------------------------------------- expressions
    def cond(self, e: Expr, terms: Mapping[str, Term], strict: bool = False) -> Term:
        """The expression as a z3 Boolean: it is not 0."""
        match e:
            case Const(value=v):
                return z3.BoolVal(v != 0)
            case Unary(op="!", arg=a):
                return z3.Not(self.cond(a, terms, strict))
            case Binary(op="&&", left=a, right=b):
                return z3.And(self.cond(a, terms, strict), self.cond(b, terms, strict))
            case Binary(op="||", left=a, right=b):
                return z3.Or(self.cond(a, terms, strict), self.cond(b, terms, strict))
            case Binary(op=op, left=a, right=b) if op in COMPARISONS:
                if a.type == BOOL and op in ("==", "!="):
                    same = self.cond(a, terms, strict) == self.cond(b, terms, strict)
                    return same if op == "==" else z3.Not(same)
                return self._compare(op, a.type, self.value(a, terms, strict), self.value(b, terms, strict))
            case Cast(arg=a, type=t) if t == BOOL or t.width >= a.type.width or self.math:
                return self.cond(a, terms, strict)
            case Ite(cond=c, then=a, other=b):
                return z3.If(self.cond(c, terms, strict), self.cond(a, terms, strict), self.cond(b, terms, strict))
            case _:
                value = self.value(e, terms, strict)
                return value != self.constant(0, e.type)

    def value(self, e: Expr, terms: Mapping[str, Term], strict: bool = False) -> Term:
        """The expression's value as a bit-vector of its width, or an integer in the `math` model."""
        match e:
            case Const(value=n, type=t):
                return self.constant(n, t)
            case Read(lvalue=v):
                return terms[v.name] if isinstance(v, Var) else z3.Select(terms[v.array], self.index(v.index, terms, strict))
            case Unary(op="-", arg=a):
                return -self.value(a, terms, strict)
            case Unary(op="~", arg=a):
                x = self.value(a, terms, strict)
                return (-x - 1 if a.type.signed else a.type.high - x) if self.math and a.type != BOOL else ~x
            case Cast(arg=a, type=t):
                return self._cast(a, t, terms, strict)
            case Ite(cond=c, then=a, other=b):
                return z3.If(self.cond(c, terms, strict), self.value(a, terms, strict), self.value(b, terms, strict))
            case Binary(op=op, left=a, right=b) if op in ARITHMETIC:
                return self._arithmetic(e, self.value(a, terms, strict), self.value(b, terms, strict), strict)
            case Unary() | Binary():
                return z3.If(self.cond(e, terms, strict), self.constant(1, BOOL), self.constant(0, BOOL))
            case _:
                assert_never(e)

    def index(self, i: Expr, terms: Mapping[str, Term], strict: bool = False) -> Term:
        """An array index as the index sort has it."""
        v = self.value(i, terms, strict)
        if self.math:
            return z3.If(v == 1, z3.IntVal(1), z3.IntVal(0)) if i.type == BOOL else v
        grow = INDEX_WIDTH - i.type.width
        if grow < 0:
            return z3.Extract(INDEX_WIDTH - 1, 0, v)
        return (z3.SignExt(grow, v) if i.type.signed else z3.ZeroExt(grow, v)) if grow else v

    def _cast(self, a: Expr, t: Scalar, terms: Mapping[str, Term], strict: bool) -> Term:
        if t == BOOL:
            return z3.If(self.cond(a, terms, strict), self.constant(1, BOOL), self.constant(0, BOOL))
        if a.type == BOOL and (self.math or not isinstance(a, Read)):
            return z3.If(self.cond(a, terms, strict), self.constant(1, t), self.constant(0, t))
        v = self.value(a, terms, strict)
        if self.math or t.width == a.type.width:
            return v
        if t.width < a.type.width:
            return z3.Extract(t.width - 1, 0, v)
        grow = t.width - a.type.width
        return z3.SignExt(grow, v) if a.type.signed else z3.ZeroExt(grow, v)

    def _compare(self, op: str, t: Scalar, a: Term, b: Term) -> Term:
        if op == "==":
            return a == b
        if op == "!=":
            return a != b
        if t.signed or (self.math and t != BOOL):
            return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]
        return {"<": z3.ULT, "<=": z3.ULE, ">": z3.UGT, ">=": z3.UGE}[op](a, b)

    def _arithmetic(self, e: Binary, a: Term, b: Term, strict: bool) -> Term:
        if self.math and e.left.type != BOOL:
            return self._math(e, a, b, strict)
        signed = e.left.type.signed
        match e.op:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return a * b
            case "&":
                return a & b
            case "|":
                return a | b
            case "^":
                return a ^ b
            case "/":
                return a / b if signed else _shifted(a, b) if z3.is_bv_value(b) else z3.UDiv(a, b)
            case "%":
                return z3.SRem(a, b) if signed else _masked(a, b) if z3.is_bv_value(b) else z3.URem(a, b)
            case "<<" | ">>":
                count = self._count(b, e.left.type.width)
                if e.op == "<<":
                    return a << count
                return a >> count if signed else z3.LShR(a, count)
            case _:
                raise AssertionError(e.op)

    @staticmethod
    def _count(b: Term, width: int) -> Term:
        """A shift count at the width of the shifted value, read as unsigned; too large a count stays too large."""
        have = b.size()
        if have <= width:
            return z3.ZeroExt(width - have, b) if have < width else b
        return z3.If(z3.UGE(b, width), z3.BitVecVal((1 << width) - 1, width), z3.Extract(width - 1, 0, b))

    def _math(self, e: Binary, a: Term, b: Term, strict: bool) -> Term:
        constant = e.right.value if isinstance(e.right, Const) else None
        match e.op:
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return a * b
            case "/" if constant:
                return z3.If(a >= 0, a / abs(constant), -((-a) / abs(constant))) * (1 if constant > 0 else -1)
            case "%" if constant:
                return z3.If(a >= 0, a % abs(constant), -((-a) % abs(constant)))
            case "<<" if constant is not None and 0 <= constant < 64:
                return a * (1 << constant)
            case ">>" if constant is not None and 0 <= constant < 64:
                return a / (1 << constant)
            case "&" if constant is not None and constant >= 0 and constant & (constant + 1) == 0:
                return a % (constant + 1)
        if strict:
            raise Inexpressible(e.op)
        return self.fresh(e.type)

    # ----------------------------------------------------------------------------------------------- operations
    def apply(self, op: Op, state: State) -> None:
        """Executes the operation symbolically on `state`. AllAt is a matter of locations and is not looked at here."""
        for part in primitive(op):
            match part:
                case Assume(cond=c):
                    state.constraints.append(self.cond(c, state.terms))
                case Assign(target=t, value=e):
                    self._write(t, self.value(e, state.terms), state)
                case Havoc(targets=ts, whole=ws):
                    for t in ts:
                        self._write(t, self.fresh(t.type, state.constraints), state)
                    for w in ws:
                        state.terms[w] = self.fresh_like(state.terms[w])
                case AllAt():
                    pass
                case _:
                    assert_never(part)

    def _write(self, target: Lvalue, value: Term, state: State) -> None:
        match target:
            case Var(name=n):
                state.terms[n] = value
            case Element(array=a, index=i):
                state.terms[a] = z3.Store(state.terms[a], self.index(i, state.terms), value)
            case _:
                assert_never(target)


# --------------------------------------------------------------------------------------------------- solving
class Solver:
    """An incremental solver with a deterministic effort limit for each query; counts its queries."""

    def __init__(self, effort: int = 20_000_000) -> None:
        self._solver = z3.Solver()
        self._solver.set("rlimit", effort)
        self._solver.set("random_seed", 7)
        self.queries = 0

    def add(self, *terms: Term) -> None:
        self._solver.add(*terms)

    def push(self) -> None:
        self._solver.push()

    def pop(self) -> None:
        self._solver.pop()

    def check(self, *assumptions: Term) -> Answer:
        self.queries += 1
        answer = self._solver.check(*assumptions)
        if answer == z3.sat:
            return Answer.SAT
        return Answer.UNSAT if answer == z3.unsat else Answer.UNKNOWN

    def core(self) -> list[Term]:
        """After UNSAT: the assumptions that were used."""
        return list(self._solver.unsat_core())

    def evaluate(self, term: Term) -> int:
        """After SAT: the value of a scalar term in the model, as an unsigned number (or an integer for `math`)."""
        value = self._solver.model().eval(term, model_completion=True)
        if z3.is_true(value) or z3.is_false(value):
            return int(z3.is_true(value))
        return int(value.as_long())

    def consequences(self, assumptions: Sequence[Term], literals: Sequence[Term]) -> tuple[Answer, list[Term]]:
        """The literals (or negations of them) that follow from what is asserted and assumed."""
        self.queries += 1
        answer, implied = self._solver.consequences(list(assumptions), list(literals))
        if answer == z3.sat:
            return Answer.SAT, [c.arg(1) if z3.is_implies(c) else c for c in implied]
        return (Answer.UNSAT if answer == z3.unsat else Answer.UNKNOWN), []


def decide_apart(terms: Iterable[Term], effort: int) -> Answer:
    """Whether the terms can hold together, in a world of their own: what was asked before makes no difference to the effort."""
    context = z3.Context()
    solver = z3.Solver(ctx=context)
    solver.set("rlimit", effort)
    solver.set("random_seed", 7)
    solver.push()  # chooses the solver for many small queries; without it z3 prepares for one large one
    solver.add(*(t.translate(context) for t in terms))
    answer = solver.check()
    if answer == z3.sat:
        return Answer.SAT
    return Answer.UNSAT if answer == z3.unsat else Answer.UNKNOWN


def _shifted(a: Term, b: Term) -> Term:
    """a / b for a constant b, without a division if b is a power of two, and of x - c without a carry if b divides c."""
    divisor, width = b.as_long(), a.size()
    if divisor < 2 or divisor & (divisor - 1):
        return a if divisor == 1 else z3.UDiv(a, b)
    k = divisor.bit_length() - 1
    if z3.is_app_of(a, z3.Z3_OP_BSUB) and a.num_args() == 2 and z3.is_bv_value(a.arg(1)) and a.arg(1).as_long() % divisor == 0:
        high = z3.Extract(width - 1, k, a.arg(0)) - z3.BitVecVal(a.arg(1).as_long() >> k, width - k)
    else:
        high = z3.Extract(width - 1, k, a)
    return z3.ZeroExt(k, high)


def _masked(a: Term, b: Term) -> Term:
    """a % b for a constant b, without a division if b is a power of two; of x - c as of x if b divides c."""
    divisor, width = b.as_long(), a.size()
    if divisor < 2 or divisor & (divisor - 1):
        return z3.BitVecVal(0, width) if divisor == 1 else z3.URem(a, b)
    k = divisor.bit_length() - 1
    if z3.is_app_of(a, z3.Z3_OP_BSUB) and a.num_args() == 2 and z3.is_bv_value(a.arg(1)) and a.arg(1).as_long() % divisor == 0:
        a = a.arg(0)
    return z3.ZeroExt(width - k, z3.Extract(k - 1, 0, a))


def without_stores(term: Term) -> Term:
    """The same with every element of an array that was changed as a case distinction: easier where indices are arithmetic."""
    return z3.simplify(term, blast_select_store=True)


def conjunction(terms: Iterable[Term]) -> Term:
    parts = list(terms)
    return parts[0] if len(parts) == 1 else _joined(z3.Z3_mk_and, parts) if parts else z3.BoolVal(True)


def disjunction(terms: Iterable[Term]) -> Term:
    parts = list(terms)
    return parts[0] if len(parts) == 1 else _joined(z3.Z3_mk_or, parts) if parts else z3.BoolVal(False)


def _joined(make: Callable[..., Any], parts: list[Term]) -> Term:
    """Straight to the C interface: z3.And and z3.Or look at the sort of every part several times, ten times slower."""
    ctx = parts[0].ctx
    return z3.BoolRef(make(ctx.ref(), len(parts), (z3.Ast * len(parts))(*(p.as_ast() for p in parts))), ctx)


def negation(term: Term) -> Term:
    return z3.BoolRef(z3.Z3_mk_not(term.ctx_ref(), term.as_ast()), term.ctx)


def implication(a: Term, b: Term) -> Term:
    return z3.Implies(a, b)


def equality(a: Term, b: Term) -> Term:
    return a == b


def boolean(name: str) -> Term:
    """A Boolean constant, for assumption literals."""
    return z3.Bool(name)


def constant_like(name: str, sort: Term) -> Term:
    return z3.Const(name, sort)


def is_negation(term: Term) -> bool:
    return bool(z3.is_not(term))


def key(term: Term) -> int:
    """A number that identifies a term while the term is alive (z3 shares equal terms). Asked of z3 once, then kept with it."""
    known: int | None = getattr(term, "_circ_key", None)
    if known is None:
        known = term._circ_key = int(term.get_id())
    return known


def select(array: Term, index: int, math: bool) -> Term:
    return z3.Select(array, z3.IntVal(index) if math else z3.BitVecVal(index, INDEX_WIDTH))


def element(array: Term, index: Term) -> Term:
    return z3.Select(array, index)


def rename(term: Term, pairs: Sequence[tuple[Term, Term]]) -> Term:
    """The term with constants replaced."""
    return z3.substitute(term, *pairs)


# --------------------------------------------------------------------------------------------------- interpolation
def sequence_interpolants(cuts: Sequence[Sequence[Term]], steps: Sequence[Term], effort_ms: int = 3000) -> list[Term] | None:
    """Inductive interpolants of an infeasible trace, from Spacer on linear Horn clauses; None if it finds none.

    `cuts[i]` are the constants alive between steps i-1 and i; `steps[i]` relates `cuts[i]` to `cuts[i+1]` (other
    constants in it are existentially quantified). The result has a formula over `cuts[i]` for each inner cut.
    """
    fp = z3.Fixedpoint()
    fp.set("engine", "spacer")
    fp.set("timeout", effort_ms)
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


def atoms(term: Term, variable: Callable[[str], Lvalue | None]) -> list[Expr]:
    """The atomic conditions of a Boolean term that can be written as expressions over known variables."""
    if z3.is_and(term) or z3.is_or(term) or z3.is_not(term) or z3.is_implies(term):
        return [a for child in term.children() for a in atoms(child, variable)]
    try:
        return [_condition(term, variable)]
    except Inexpressible:
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
    raise Inexpressible(str(term.decl()))


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
            raise Inexpressible(str(term))
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
    raise Inexpressible(str(term.decl()))
