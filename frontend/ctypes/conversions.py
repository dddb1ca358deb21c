"""C's integer types and conversions for a data model, and typed operators on expressions with constants computed.

An operand is an expression together with its C type. Bit fields have an `IntType` of their own width (as in gcc), so
promotion and the usual conversions look at the width first and at the rank of the name second.
"""

from __future__ import annotations

from dataclasses import replace

from frontend.ctypes.types import NO_QUALS, CType, FloatType, IntType, PointerType, Quals, RecordType
from frontend.program import (
    BOOL,
    COMPARISONS,
    FALSE,
    TRUE,
    Binary,
    Cast,
    Const,
    DataModel,
    Expr,
    Scalar,
    Unary,
    children,
    negate,
    truth,
)
from frontend.program.fold import compute

# --------------------------------------------------------------------------------------------------- types
_RANKS = {"_Bool": 0, "char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 3,
          "unsigned int": 3, "long": 4, "unsigned long": 4, "long long": 5, "unsigned long long": 5, "__int128": 6,
          "unsigned __int128": 6}


class Integers:
    """The integer types of a data model."""

    def __init__(self, model: DataModel) -> None:
        self.model = model
        sizes = {"char": 1, "short": model.short_size, "int": model.int_size, "long": model.long_size,
                 "long long": model.long_long_size, "__int128": 16}
        self._types = {"_Bool": IntType("_Bool", 8, False), "signed char": IntType("signed char", 8, True),
                       "char": IntType("char", 8, model.char_signed)}
        for name, size in sizes.items():
            self._types.setdefault(name, IntType(name, size * 8, True))
            self._types[f"unsigned {name}"] = IntType(f"unsigned {name}", size * 8, False)
        self.int = self._types["int"]
        self.uint = self._types["unsigned int"]
        self.bool = self._types["_Bool"]
        self.char = self._types["char"]
        word = "long" if model.pointer_size == model.long_size and model.long_size != model.int_size else "int"
        self.size = self._types[f"unsigned {word}"]
        self.difference = self._types[word]
        self.pointer = Scalar(model.pointer_size * 8, False)

    def named(self, name: str) -> IntType:
        return self._types[name]

    def of_width(self, bits: int, signed: bool) -> IntType:
        """The standard type of least rank with exactly `bits` bits."""
        names = ("signed char", "short", "int", "long", "long long", "__int128")
        found = next((n for n in names if self._types[n].bits == bits), None)
        if found is None:
            return IntType(f"{'_BitInt' if signed else 'unsigned _BitInt'}({bits})", bits, signed)
        name = found if signed else f"unsigned {found.removeprefix('signed ')}"
        return self._types[name]

    def scalar(self, t: IntType | PointerType) -> Scalar:
        """The machine integer that holds a value of the type."""
        return t.scalar if isinstance(t, IntType) else self.pointer

    def promote(self, t: IntType) -> IntType:
        """The integer promotions; qualifiers go."""
        if t.name.startswith(("_BitInt", "unsigned _BitInt")):
            return IntType(t.name, t.bits, t.signed)
        width = 1 if t.name == "_Bool" else t.bits
        if width < self.int.bits or (width == self.int.bits and t.signed and _RANKS[t.name] <= 3):
            return self.int
        if width == self.int.bits and _RANKS[t.name] <= 3:
            return self.uint
        return IntType(t.name, t.bits, t.signed)

    def usual(self, a: IntType, b: IntType) -> IntType:
        """The common type of two operands after the usual arithmetic conversions."""
        a, b = self.promote(a), self.promote(b)
        if a == b:
            return a
        key_a, key_b = (a.bits, _RANKS.get(a.name, 0)), (b.bits, _RANKS.get(b.name, 0))
        high, low = (a, b) if key_a >= key_b else (b, a)
        if high.signed == low.signed or not high.signed or high.bits > low.bits:
            return high
        return IntType(high.name if high.name.startswith("unsigned") else f"unsigned {high.name}", high.bits, False)


def strip(t: CType) -> CType:
    """The type without its own qualifiers, as a value has it."""
    if t.quals == NO_QUALS:
        return t
    match t:
        case IntType(name=n, bits=b, signed=s):
            return IntType(n, b, s)
        case PointerType(target=target):
            return PointerType(target)
        case FloatType(name=n, bits=b):
            return FloatType(n, b)
        case RecordType(key=k, union=u):
            return RecordType(k, u)
        case _:
            return qualified(t, NO_QUALS)


def qualified(t: CType, quals: Quals) -> CType:
    """The type with exactly these qualifiers."""
    return t if t.quals == quals else replace(t, quals=quals)


def joined(a: Quals, b: Quals) -> Quals:
    """All qualifiers of both."""
    if a == NO_QUALS:
        return b
    if b == NO_QUALS:
        return a
    return Quals(a.const or b.const, a.volatile or b.volatile, a.atomic or b.atomic)


# --------------------------------------------------------------------------------------------------- operators
def height(e: Expr) -> int:
    """The number of operators on the longest way down."""
    level, n = [e], -1
    while level:
        level = [child for part in level for child in children(part)]
        n += 1
    return n


def cast(e: Expr, t: Scalar) -> Expr:
    """`e` converted to `t`; constants are computed."""
    if e.type == t:
        return e
    if isinstance(e, Const):
        return Const((1 if e.value else 0) if t == BOOL else t.wrap(e.value), t)
    if t == BOOL:
        return truth(e)
    return Cast(e, t)


def binary(op: str, a: Expr, b: Expr) -> Expr:
    """`a op b`; operands of one type (shifts excepted); constants are computed."""
    if isinstance(a, Const) and isinstance(b, Const):
        return compute(op, a, b)
    if op in COMPARISONS and a.type == BOOL and b == FALSE and op in ("==", "!="):
        return negate(a) if op == "==" else a
    if isinstance(b, Const) and b.value == 0 and op in ("+", "-", "|", "<<", ">>"):
        return a
    if isinstance(a, Const) and a.value == 0 and op in ("+", "|"):
        return b
    if isinstance(b, Const) and b.value == 1 and op == "*":
        return a
    return Binary(op, a, b)


def unary(op: str, a: Expr) -> Expr:
    """`-a` or `~a`; constants are computed."""
    if isinstance(a, Const):
        return Const(a.type.wrap(-a.value if op == "-" else ~a.value), a.type)
    return Unary(op, a)


def both(a: Expr, b: Expr) -> Expr:
    """`a && b` of two conditions."""
    if a == FALSE or b == FALSE:
        return FALSE
    return b if a == TRUE else a if b == TRUE else Binary("&&", a, b)


def either(a: Expr, b: Expr) -> Expr:
    """`a || b` of two conditions."""
    if a == TRUE or b == TRUE:
        return TRUE
    return b if a == FALSE else a if b == FALSE else Binary("||", a, b)
