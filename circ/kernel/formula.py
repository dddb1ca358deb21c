"""Reads the formula texts of a certificate: the inverse of `frontend.program.exact.show_exact`, on hostile input.

The result is well typed by the rules of `frontend.program.expr` and names only the symbols that it was given, with their types;
everything else is `Malformed`. Where a text could be read in two ways (a name may contain `:` or `[`) the longest known
name is taken: any reading is a formula that the kernel then has to prove, so the choice is not one of soundness.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from circ.kernel.outcome import Malformed
from frontend.program import (
    ARITHMETIC,
    BOOL,
    COMPARISONS,
    LOGICAL,
    Binary,
    Cast,
    Const,
    Element,
    Expr,
    Ints,
    Ite,
    Read,
    Scalar,
    Unary,
    Var,
    Variable,
)

MAX_DEPTH = 200
MAX_WIDTH = 128
_NUMBER = re.compile(r"(-?[0-9]{1,40}):")
_TYPE = re.compile(r"([iu])([1-9][0-9]{0,2})(?![0-9])")
_HEAD = re.compile(r"\(([^\s()]{1,4}) ")
_SHIFTS = ("<<", ">>")
_ON_BOOL = ("&", "|", "^")


def parse(text: str, symbols: Mapping[str, Variable], ints: Ints) -> Expr:
    """The expression that `text` stands for, whole and nothing else."""
    reader = _FormulaReader(text, symbols, ints)
    e = reader.expression(0)
    if reader.at != len(text):
        raise reader.wrong("text after the end of the formula")
    return e


class _FormulaReader:
    def __init__(self, text: str, symbols: Mapping[str, Variable], ints: Ints) -> None:
        self.text = text
        self.symbols = symbols
        self.longest = max(map(len, symbols), default=0)
        self.exact = ints != Ints.MATH
        self.at = 0

    def wrong(self, what: str) -> Malformed:
        return Malformed(f"{what} at column {self.at + 1} of formula {self.text[:200]!r}")

    def take(self, token: str) -> None:
        if not self.text.startswith(token, self.at):
            raise self.wrong(f"expected {token!r}")
        self.at += len(token)

    def scalar(self) -> Scalar:
        m = _TYPE.match(self.text, self.at)
        if m is None or int(m[2]) > MAX_WIDTH:
            raise self.wrong("expected a type")
        self.at = m.end()
        return Scalar(int(m[2]), m[1] == "i")

    def expression(self, depth: int) -> Expr:
        if depth > MAX_DEPTH:
            raise self.wrong("nested too deeply")
        if self.text.startswith("(", self.at):
            return self.compound(depth + 1)
        m = _NUMBER.match(self.text, self.at)
        if m is not None:
            self.at = m.end()
            value, t = int(m[1]), self.scalar()
            if (self.exact or t == BOOL) and not t.low <= value <= t.high:
                raise self.wrong(f"{value} is not a value of type {t}")
            return Const(value, t)
        return Read(self.lvalue(depth + 1))

    def compound(self, depth: int) -> Expr:
        m = _HEAD.match(self.text, self.at)
        if m is None:
            raise self.wrong("expected an operator")
        op = m[1]
        self.at = m.end()
        if op == "cast":
            t = self.scalar()
            self.take(" ")
            e: Expr = Cast(self.expression(depth), t)
        elif op == "ite":
            cond = self.expression(depth)
            self.take(" ")
            then = self.expression(depth)
            self.take(" ")
            e = Ite(cond, then, self.expression(depth))
            if e.then.type != e.other.type:
                raise self.wrong("branches of two types")
        else:
            first = self.expression(depth)
            if self.text.startswith(")", self.at):
                e = self.unary(op, first)
            else:
                self.take(" ")
                e = self.binary(op, first, self.expression(depth))
        self.take(")")
        return e

    def unary(self, op: str, arg: Expr) -> Expr:
        if op not in ("-", "~", "!"):
            raise self.wrong(f"no unary operator {op!r}")
        return Unary(op, arg)

    def binary(self, op: str, left: Expr, right: Expr) -> Expr:
        if op not in COMPARISONS and op not in LOGICAL and op not in ARITHMETIC:
            raise self.wrong(f"no binary operator {op!r}")
        if left.type != right.type and op not in LOGICAL and op not in _SHIFTS:
            raise self.wrong(f"operands of {op!r} have types {left.type} and {right.type}")
        if op in ARITHMETIC and BOOL in (left.type, right.type) and op not in _ON_BOOL:
            raise self.wrong(f"{op!r} on {BOOL}")
        return Binary(op, left, right)

    def lvalue(self, depth: int) -> Var | Element:
        variable, name = self.name()
        if not variable.is_array:
            self.take(":")
            self.same_type(variable)
            return Var(name, variable.type)
        self.take("[")
        index = self.expression(depth)
        self.take("]:")
        self.same_type(variable)
        return Element(name, index, variable.type)

    def same_type(self, variable: Variable) -> None:
        t = self.scalar()
        if t != variable.type:
            raise self.wrong(f"{variable.name!r} has type {variable.type}, not {t}")

    def name(self) -> tuple[Variable, str]:
        limit = min(len(self.text), self.at + self.longest + 1)
        for end in range(limit - 1, self.at, -1):
            if self.text[end] in ":[":
                found = self.symbols.get(self.text[self.at:end])
                if found is not None and found.is_array == (self.text[end] == "["):
                    name = self.text[self.at:end]
                    self.at = end
                    return found, name
        raise self.wrong("no such symbol")
