"""Expressions and operations as terms of the solver. Trusted: a step that is encoded with fewer behaviours than it has is lost.

`exact` integers are bit-vectors. `math` integers are unbounded; where a bit operation has no exact term there, the encoder
puts a fresh arbitrary value, so a step only gains behaviours; a formula that is to be *proved* is encoded with `strict`
and refuses such operations instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import assert_never

import z3

from circ.smt.terms import INDEX_WIDTH, Term
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
    Ints,
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
from frontend.records import dataclass


class Inexpressible(Exception):
    """The expression has no exact term in this integer model."""


@dataclass(slots=True)
class SymbolicState:
    """A symbolic state: a term for each variable (arrays as z3 arrays) and the constraints under which it is reached."""

    terms: dict[str, Term]
    constraints: list[Term]


class Encoder:
    """Turns expressions and operations into terms. One encoder per solver context; fresh names never repeat in it."""

    def __init__(self, ints: Ints) -> None:
        self.math = ints == Ints.MATH
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
    def apply(self, op: Op, state: SymbolicState) -> None:
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

    def _write(self, target: Lvalue, value: Term, state: SymbolicState) -> None:
        match target:
            case Var(name=n):
                state.terms[n] = value
            case Element(array=a, index=i):
                state.terms[a] = z3.Store(state.terms[a], self.index(i, state.terms), value)
            case _:
                assert_never(target)


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
