"""Operands: the value of a C expression, or the object that it designates, together with its C type."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from frontend.ctypes import CType, FloatType, IntType, PointerType, RecordType, VoidType
from frontend.ir import Place
from frontend.program import Expr, Var
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class ScalarValue:
    """An integer or a pointer: an expression over registers. `depth` bounds the height of the expression."""

    type: IntType | PointerType
    expr: Expr
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Floating:
    """A floating value: arbitrary, unless it is the constant `number`."""

    type: FloatType
    number: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A struct or union value: the memory that holds it."""

    type: RecordType
    place: Place


@dataclass(frozen=True, slots=True)
class Nothing:
    """The value of a void expression."""

    type: VoidType = VoidType()


Operand: TypeAlias = ScalarValue | Floating | Aggregate | Nothing


@dataclass(frozen=True, slots=True)
class InRegister:
    """An lvalue that is a register."""

    var: Var
    type: CType


@dataclass(frozen=True, slots=True)
class InMemory:
    """An lvalue in memory, or a function."""

    place: Place

    @property
    def type(self) -> CType:
        return self.place.type


Designated: TypeAlias = InRegister | InMemory
"""What an lvalue expression designates."""
