"""Typed operators on operands: C's conversions, integer and pointer arithmetic, floating point as arbitrary values."""

from __future__ import annotations

import struct
from fractions import Fraction

from pycparser import c_ast

from frontend.ctypes import VECTOR, ArrayType, CType, FloatType, FunctionType, IntType, PointerType, RecordType, VoidType
from frontend.ctypes.conversions import binary, cast, height, joined, qualified
from frontend.ir import Field, Index, Place, Set
from frontend.lower.emitter import Emitter
from frontend.lower.operands import Aggregate, Floating, Nothing, Operand, ScalarValue
from frontend.lower.unit import FLOATS
from frontend.program import BOOL, COMPARISONS, Const, Expr, Read, Scalar, variables
from frontend.text.ast_text import text_of

DEPTH = 24
"""Higher expressions are cut by a register, so that those who walk them need not fear their height."""


class Arithmetic:
    """Operators for one lowering, which takes the edges that arbitrary values and registers need."""

    def __init__(self, x: Emitter) -> None:
        self._x = x
        self._ints = x.ints

    def made(self, t: IntType | PointerType, e: Expr, depth: int | None, node: c_ast.Node) -> ScalarValue:
        """A value of the expression, whose height is at most `depth`, cut by a register if it has grown too high."""
        if isinstance(e, Const):
            return ScalarValue(t, e)
        depth = height(e) if depth is None else depth
        v = ScalarValue(t, e, depth)
        return self._x.spill(v, node) if depth > DEPTH else v

    def floats(self, node: c_ast.Node) -> None:
        self._x.unit.assume(FLOATS, self._x.unit.where(node))

    def rounded(self, number: Fraction, t: FloatType) -> Fraction | None:
        """The number as the type holds it, None where that is not simple to say."""
        try:
            near = float(number)
            if t.bits == 32:
                near = struct.unpack("f", struct.pack("f", near))[0]
        except OverflowError:
            return None
        held = Fraction(near)
        return held if held == number or t.name == "double" or (t.name == "float" and Fraction(float(number)) == number) else None

    # ------------------------------------------------------------------------------------------- conversion
    def convert(self, v: Operand, to: CType, node: c_ast.Node) -> Operand:
        """The operand converted as if by assignment or cast to an unqualified type."""
        if v.type == to:
            return v
        match to:
            case VoidType():
                return Nothing()
            case IntType() | PointerType():
                return self._to_scalar(v, to, node)
            case FloatType():
                return self._to_float(v, to, node)
            case RecordType():
                if isinstance(v, Aggregate):
                    return v
            case ArrayType() | FunctionType():
                pass
        raise self._x.unit.error(node, f"'{text_of(node)}' cannot be converted to the type that is needed here",
                                 "write a cast, or correct the type")

    def _to_scalar(self, v: Operand, to: IntType | PointerType, node: c_ast.Node) -> ScalarValue:
        scalar = self._ints.scalar(to)
        match v:
            case ScalarValue(type=t, expr=e, depth=depth):
                self._bytes(t, to)
                if isinstance(t, PointerType) and scalar.width > self._ints.pointer.width:
                    e = cast(e, Scalar(self._ints.pointer.width, True))  # as gcc: the address is sign-extended
                if scalar == BOOL and isinstance(to, IntType) and to.name != "_Bool":
                    # A bit field of one unsigned bit shares its scalar with _Bool, but takes the lowest bit.
                    e = binary("&", e, Const(1, e.type))
                e = cast(e, scalar)
                return ScalarValue(to, e, depth) if e is v.expr else self.made(to, e, depth + 2, node)
            case Floating(number=Fraction() as number):
                if scalar == BOOL:
                    return ScalarValue(to, Const(1 if number else 0, scalar))
                if scalar.low <= int(number) <= scalar.high:
                    return ScalarValue(to, Const(int(number), scalar))
                return ScalarValue(to, self._x.arbitrary(scalar, node, FLOATS))
            case Floating():
                self.floats(node)
                return ScalarValue(to, self._x.arbitrary(scalar, node, FLOATS))
        raise self._x.unit.error(node, f"'{text_of(node)}' has no scalar value", "use a member or an element of it")

    def _bytes(self, t: CType, to: CType) -> None:
        """Note that a converted pointer may lead to all of a struct's bytes, not to those of its first member alone: as one to
        integers, to arrays of them or to another struct, or as a number, which may become such a pointer again. What pointers
        to pointers and to functions lead to, hold or take is converted by their use, both ways."""
        here, there = _without_arrays(t), _without_arrays(to)
        if isinstance(to, IntType):
            if to.name != "_Bool":
                self.as_bytes(t)
        elif here is None or there is None or here == there:
            return
        elif isinstance(here, PointerType) and isinstance(there, PointerType):
            self._bytes(here, there)
            self._bytes(there, here)
        elif isinstance(here, FunctionType) and isinstance(there, FunctionType):
            for one, two in ((here.result, there.result), *zip(here.params, there.params, strict=False)):
                self._bytes(one, two)
                self._bytes(two, one)
        elif isinstance(there, VoidType | IntType) or (
                isinstance(there, RecordType) and not (isinstance(here, RecordType) and here.key == there.key)):
            self.as_bytes(t)

    def as_bytes(self, t: CType) -> None:
        """Note that the bytes of a struct may be reached by a value of the type, a pointer to it or something that holds one."""
        element = _without_arrays(t)
        if element is not None and self._holds_array(element):
            assert isinstance(element, RecordType)
            self._x.unit.bytewise.add(element.key)

    def members_as_bytes(self, t: RecordType) -> None:
        """The same of all pointers in a union: what was stored as one of them may be read as another."""
        record = self._x.unit.types.records.get(t.key)
        for field in record.fields if record is not None else ():
            kind = field.type
            while isinstance(kind, ArrayType):
                kind = kind.element
            if isinstance(kind, RecordType):
                self.members_as_bytes(kind)
            else:
                self.as_bytes(kind)

    def _holds_array(self, t: CType) -> bool:
        """Whether a struct has an array in it: where it has none, offsets alone tell its members apart."""
        record = self._x.unit.types.records.get(t.key) if isinstance(t, RecordType) else None
        return record is not None and any(isinstance(f.type, ArrayType) or self._holds_array(f.type) for f in record.fields)

    def _to_float(self, v: Operand, to: FloatType, node: c_ast.Node) -> Floating:
        match v:
            case Floating(number=Fraction() as number) if to.name != VECTOR:
                return Floating(to, self.rounded(number, to))
            case ScalarValue(expr=Const(value=number)) if to.name != VECTOR:
                return Floating(to, self.rounded(Fraction(number), to))
            case ScalarValue() | Floating():
                self.floats(node)
                return Floating(to)
        raise self._x.unit.error(node, f"'{text_of(node)}' has no scalar value", "use a member or an element of it")

    def common(self, a: Operand, b: Operand, node: c_ast.Node) -> CType | None:
        """The type of a conditional expression with these branches; None if it has no value."""
        match a, b:
            case (Nothing(), _) | (_, Nothing()):
                return None
            case Aggregate(type=t), Aggregate():
                return t
            case Floating(type=s), Floating(type=t):
                return s if s.bits >= t.bits else t
            case (Floating(type=t), ScalarValue()) | (ScalarValue(), Floating(type=t)):
                return t
            case ScalarValue(type=IntType() as s), ScalarValue(type=IntType() as t):
                return self._ints.usual(s, t)
            case ScalarValue(type=PointerType() as s), ScalarValue(type=PointerType() as t):
                return self._composite(s, t, a, b)
            case ScalarValue(type=PointerType() as t), ScalarValue():
                return t
            case ScalarValue(), ScalarValue(type=PointerType() as t):
                return t
        raise self._x.unit.error(node, "the branches of the conditional have no common type", "cast one of them")

    def _composite(self, s: PointerType, t: PointerType, a: Operand, b: Operand) -> PointerType:
        """A null constant `(void *)0` takes the other's type; else void wins. What is pointed to has the qualifiers of both."""
        if isinstance(s.target, VoidType) and isinstance(a, ScalarValue) and a.expr == Const(0, a.expr.type):
            return t
        if isinstance(t.target, VoidType) and isinstance(b, ScalarValue) and b.expr == Const(0, b.expr.type):
            return s
        chosen = t.target if isinstance(t.target, VoidType) else s.target
        return PointerType(qualified(chosen, joined(s.target.quals, t.target.quals)))

    # ------------------------------------------------------------------------------------------- operators
    def binary(self, op: str, a: Operand, b: Operand, node: c_ast.Node) -> Operand:
        """`a op b` for every operator but `&&` and `||`."""
        if isinstance(a, Floating) or isinstance(b, Floating):
            return self._floating(op, a, b, node)
        if not isinstance(a, ScalarValue) or not isinstance(b, ScalarValue):
            raise self._x.unit.error(node, f"'{op}' needs two numbers or pointers",
                                     "use members or elements of what stands there")
        s, t = a.type, b.type
        if isinstance(s, PointerType) or isinstance(t, PointerType):
            return self._pointers(op, a, b, node)
        depth = max(a.depth, b.depth) + 2
        if op in ("<<", ">>"):
            kind = self._ints.promote(s)
            count = cast(b.expr, self._ints.promote(t).scalar)
            return self.made(kind, binary(op, cast(a.expr, kind.scalar), count), depth, node)
        kind = self._ints.usual(s, t)
        e = binary(op, cast(a.expr, kind.scalar), cast(b.expr, kind.scalar))
        if op in COMPARISONS:
            return self.made(self._ints.int, cast(e, self._ints.int.scalar), depth + 1, node)
        return self.made(kind, e, depth, node)

    def _number(self, v: Operand, t: FloatType) -> Fraction | None:
        """The value of an operand if it is a constant, converted to the type that the operator computes in."""
        match v:
            case Floating(number=Fraction() as number):
                return self.rounded(number, t)
            case ScalarValue(type=IntType(), expr=Const(value=value)):
                return self.rounded(Fraction(value), t)
        return None

    def _floating(self, op: str, a: Operand, b: Operand, node: c_ast.Node) -> Operand:
        t = self.common(a, b, node)
        if isinstance(t, FloatType) and t.name != VECTOR:
            known = _calculated(op, self._number(a, t), self._number(b, t))
            if isinstance(known, bool):
                return ScalarValue(self._ints.int, Const(int(known), self._ints.int.scalar))
            if known is not None:
                made = self.rounded(known, t)
                return Floating(t, None if made == 0 and op in ("*", "/") else made)  # which of the two zeros is not known
        self.floats(node)
        if op in COMPARISONS:
            return ScalarValue(self._ints.int, cast(self._x.arbitrary(BOOL, node, FLOATS), self._ints.int.scalar), 1)
        if not isinstance(t, FloatType):
            raise self._x.unit.error(node, f"'{op}' needs two numbers", "use members or elements of what stands there")
        return Floating(t)

    def _pointers(self, op: str, a: ScalarValue, b: ScalarValue, node: c_ast.Node) -> Operand:
        word = self._ints.pointer
        depth = max(a.depth, b.depth) + 3
        if op in COMPARISONS:
            e = binary(op, self._address(a), self._address(b))
            return self.made(self._ints.int, cast(e, self._ints.int.scalar), depth, node)
        if op == "-" and isinstance(a.type, PointerType) and isinstance(b.type, PointerType):
            signed = self._ints.difference
            distance = self._distance(binary("-", cast(a.expr, signed.scalar), cast(b.expr, signed.scalar)), node)
            size = self.stride(a.type.target, signed.scalar, node)
            e = distance if size == Const(1, signed.scalar) else binary("/", distance, size)
            return self.made(signed, e, depth, node)
        if op == "+" and isinstance(b.type, PointerType) and isinstance(a.type, IntType):
            a, b = b, a
        if op not in ("+", "-") or not isinstance(a.type, PointerType) or not isinstance(b.type, IntType):
            raise self._x.unit.error(node, f"'{op}' cannot be applied to a pointer here", "cast the pointer to uintptr_t first")
        step = binary("*", cast(b.expr, word), self.stride(a.type.target, word, node))
        return self.made(a.type, binary(op, a.expr, step), depth, node)

    def _distance(self, e: Expr, node: c_ast.Node) -> Expr:
        """The distance of two pointers, in a register that says so."""
        if not any(True for _ in variables(e)):
            return e
        register = self._x.graph.temporary(e.type)
        self._x.emit(Set(register, e, distance=True), node)
        return Read(register)

    def _address(self, v: ScalarValue) -> Expr:
        return cast(v.expr, self._ints.pointer)

    # ------------------------------------------------------------------------------------------- addresses
    def has_size(self, t: CType) -> bool:
        """Whether the size of the type is a constant that is known here."""
        match t:
            case ArrayType(element=element, length=length):
                return length is not None and self.has_size(element)
            case RecordType(key=key):
                return key in self._x.types.records
        return True

    def stride(self, t: CType, scalar: Scalar, node: c_ast.Node) -> Expr:
        """What one step of a pointer to `t` is in bytes; arbitrary if the size is not known."""
        if self.has_size(t):
            return Const(self._x.types.sizeof(t), scalar)
        return self._x.arbitrary(scalar, node, "a size is not known")

    def plus(self, base: Expr, offset: Expr) -> Expr:
        return binary("+", base, offset)

    def offset(self, place: Place) -> Expr | None:
        """The distance in bytes from the base of a place to the place, None if it depends on an unknown size."""
        word = self._ints.pointer
        total: Expr = Const(0, word)
        t = place.base_type
        for i, step in enumerate(place.path):
            match step:
                case Field(name=name):
                    assert isinstance(t, RecordType)
                    field = self._x.types.records[t.key].field(name)
                    total = binary("+", total, Const(field.offset, word))
                    t = field.type
                case Index(value=value):
                    if i > 0 or isinstance(place.base, str):
                        assert isinstance(t, ArrayType)
                        t = t.element
                    if not self.has_size(t):
                        return None
                    size = Const(self._x.types.sizeof(t), word)
                    total = binary("+", total, binary("*", cast(value, word), size))
        return total


def float_bits(v: Floating) -> int | None:
    """The bits of a constant in memory; None if it is none, or of a format other than IEEE's of 32 and 64 bits."""
    form = {32: ("f", "I"), 64: ("d", "Q")}.get(v.type.bits)
    if v.number is None or form is None or v.type.name not in ("float", "double", "long double"):
        return None
    [bits] = struct.unpack(form[1], struct.pack(form[0], float(v.number)))
    assert isinstance(bits, int)
    return bits


def _calculated(op: str, a: Fraction | None, b: Fraction | None) -> Fraction | bool | None:
    """What an operator makes of two constants, exactly; None for what is not known."""
    if a is None or b is None or (op == "/" and b == 0):
        return None
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a / b
        case "<" | ">" | "<=" | ">=" | "==" | "!=":
            return {"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "==": a == b, "!=": a != b}[op]
    return None


def _without_arrays(t: CType) -> CType | None:
    """What a pointer points to, or the elements of the arrays that it points to; None if it is no pointer."""
    if not isinstance(t, PointerType):
        return None
    target = t.target
    while isinstance(target, ArrayType):
        target = target.element
    return target
