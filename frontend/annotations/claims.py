"""What a file says about its globals as a whole: `circ_invariant(e);`, `circ_range(x, lo, hi);`, `circ_exception(...);`.

An invariant is a property to check. A range is a hint for engines that need finite domains, and an exception one for the
Cartesian engine: nothing rests on either, because a proof is checked against the program itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError

from frontend.program import (
    ARITHMETIC,
    COMPARISONS,
    DATA_MODELS,
    LOGICAL,
    Binary,
    Cast,
    Const,
    Element,
    Exempt,
    Expr,
    FrontendError,
    Invariant,
    Ite,
    Location,
    Program,
    Read,
    Scalar,
    Unary,
    Var,
    Variable,
    truth,
)
from frontend.text.tokens import Annotation

Enumerator: TypeAlias = Callable[[str], int | None]
"""The value of an enumeration constant, by its name."""


def with_claims(program: Program, annotations: Sequence[Annotation], enumerator: Enumerator) -> Program:
    """The program with the invariants, ranges and exceptions that its file states."""
    invariants, exceptions = list(program.invariants), list(program.exceptions)
    ranges: dict[str, tuple[int, int]] = {}
    for a in annotations:
        word, _, rest = a.text.partition("(")
        inside = rest.rpartition(")")[0]
        if word == "circ_invariant":
            claim = truth(_ClaimReader(program, a.location, enumerator).read(inside))
            invariants.append(Invariant(claim, a.location, inside.strip()))
        elif word == "circ_range":
            name, low, high = _range(_ClaimReader(program, a.location, enumerator), inside)
            ranges[name] = (low, high)
        elif word == "circ_exception":
            cond, *places = _arguments(inside, a.location)
            claim = truth(_ClaimReader(program, a.location, enumerator).expr(cond))
            exceptions.append(Exempt(claim, tuple(_place(p, a.location) for p in places)))
    if not ranges and not exceptions and len(invariants) == len(program.invariants):
        return program
    variables = tuple(replace(v, range=ranges.get(v.name, v.range)) for v in program.globals)
    return replace(program, globals=variables, invariants=tuple(invariants),
                   exceptions=tuple(exceptions))


def _arguments(text: str, where: Location) -> list[c_ast.Node]:
    """The arguments of a call, as syntax."""
    try:
        tree = CParser().parse(f"int x = f({text});")
    except ParseError as error:
        raise FrontendError(where, f"'{text}' is not a list of expressions", str(error)) from None
    call = tree.ext[0].init
    return list(call.args.exprs) if call.args is not None else []


def _range(reader: _ClaimReader, text: str) -> tuple[str, int, int]:
    where = reader.where
    arguments = _arguments(text, where)
    if len(arguments) != 3:
        raise FrontendError(where, "circ_range takes a variable and two bounds", "circ_range(x, 0, 7)")
    v, low, high = reader.variable(arguments[0]), reader.expr(arguments[1]), reader.expr(arguments[2])
    if not isinstance(low, Const) or not isinstance(high, Const) or low.value > high.value:
        raise FrontendError(where, "the bounds of circ_range are not two constants in order",
                            "write circ_range(variable, lowest, highest)")
    return v.name, low.value, high.value


def _place(node: c_ast.Node, where: Location) -> tuple[str, int, int]:
    """`f(copy, line)`: that copy of thread f is at that line."""
    match node:
        case c_ast.FuncCall(name=c_ast.ID(name=name), args=c_ast.ExprList(exprs=[copy, line])):
            if isinstance(copy, c_ast.Constant) and isinstance(line, c_ast.Constant):
                return name, int(copy.value), int(line.value)
    raise FrontendError(where, "circ_exception takes a condition and places", "circ_exception(x == 1, f(0, 12), f(1, 14))")


class _ClaimReader:
    """C expressions over the globals of a program, with C's conversions."""

    def __init__(self, program: Program, where: Location, enumerator: Enumerator) -> None:
        self.program = program
        self.where = where
        self.enumerator = enumerator
        self.int = Scalar(8 * DATA_MODELS[program.data_model].int_size, True)

    def read(self, text: str) -> Expr:
        arguments = _arguments(text, self.where)
        if len(arguments) != 1:
            raise FrontendError(self.where, f"'{text}' is not one expression", "write one C expression")
        return self.expr(arguments[0])

    def expr(self, node: c_ast.Node) -> Expr:
        match node:
            case c_ast.Constant(type=t, value=v) if "int" in t:
                return Const(int(v.rstrip("uUlL"), 0), self.int)
            case c_ast.UnaryOp(op="!", expr=e):
                return Unary("!", truth(self.expr(e)))
            case c_ast.UnaryOp(op="-", expr=c_ast.Constant() as e):
                positive = self.expr(e)
                assert isinstance(positive, Const)
                return Const(-positive.value, positive.type)
            case c_ast.UnaryOp(op=("-" | "~") as op, expr=e):
                return Unary(op, self._promoted(self.expr(e)))
            case c_ast.BinaryOp(op=op, left=a, right=b) if op in LOGICAL:
                return Binary(op, truth(self.expr(a)), truth(self.expr(b)))
            case c_ast.BinaryOp(op=op, left=a, right=b) if op in COMPARISONS or op in ARITHMETIC:
                return self._fold(Binary(op, *self._balanced(self.expr(a), self.expr(b))))
            case c_ast.TernaryOp(cond=c, iftrue=a, iffalse=b):
                return Ite(truth(self.expr(c)), *self._balanced(self.expr(a), self.expr(b)))
            case c_ast.ArrayRef(name=a, subscript=i):
                array = self.variable(a)
                return Read(Element(array.name, self._promoted(self.expr(i)), array.type))
            case c_ast.ID(name=n) if (value := self.enumerator(n)) is not None:
                return Const(value, self.int)
            case c_ast.ID() | c_ast.StructRef():
                v = self.variable(node)
                if v.is_array:
                    raise FrontendError(self.where, f"'{v.shown or v.name}' is an array, not a number",
                                        "name one of its elements")
                return Read(Var(v.name, v.type))
        raise FrontendError(self.where, "only operators, constants and globals may stand here", "move the rest into a global")

    def variable(self, node: c_ast.Node) -> Variable:
        """The global that a name, a field or an array's name means."""
        name = self._name(node)
        for v in self.program.globals:
            if (v.shown or v.name) in (name, f"{name}[]") or v.name == name:
                return v
        raise FrontendError(self.where, f"no thread uses a global '{name}'", "name a scalar, an array or a field")

    def _name(self, node: c_ast.Node) -> str:
        match node:
            case c_ast.ID(name=n):
                return str(n)
            case c_ast.StructRef(name=s, type=".", field=c_ast.ID(name=f)):
                return f"{self._name(s)}.{f}"
        raise FrontendError(self.where, "a name of a global is wanted here", "write the name of a global variable")

    def _promoted(self, e: Expr) -> Expr:
        if e.type.width >= self.int.width:
            return e
        return Const(e.value, self.int) if isinstance(e, Const) else Cast(e, self.int)

    def _balanced(self, a: Expr, b: Expr) -> tuple[Expr, Expr]:
        a, b = self._promoted(a), self._promoted(b)
        wide = max(a.type.width, b.type.width)
        unsigned = any(e.type.width == wide and not e.type.signed for e in (a, b))
        t = Scalar(wide, not unsigned)
        return self._as(a, t), self._as(b, t)

    @staticmethod
    def _as(e: Expr, t: Scalar) -> Expr:
        if e.type == t:
            return e
        return Const(t.wrap(e.value), t) if isinstance(e, Const) else Cast(e, t)

    @staticmethod
    def _fold(e: Binary) -> Expr:
        match e:
            case Binary(op="+", left=Const(value=a), right=Const(value=b)):
                return Const(a + b, e.type)
            case Binary(op="-", left=Const(value=a), right=Const(value=b)):
                return Const(a - b, e.type)
            case Binary(op="*", left=Const(value=a), right=Const(value=b)):
                return Const(a * b, e.type)
        return e
