"""C's integer conversions, by data model, and the operators that compute with constants at once."""

from __future__ import annotations

import pytest

from frontend.ctypes.conversions import Integers, binary, both, cast, either, joined, qualified, strip, unary
from frontend.ctypes.types import NO_QUALS, IntType, PointerType, Quals, VoidType
from frontend.program import BOOL, FALSE, ILP32, IP16, LP64, TRUE, Binary, Cast, Const, DataModel, Read, Scalar, Var

I8, I32, U32 = Scalar(8, True), Scalar(32, True), Scalar(32, False)
X = Read(Var("x", I32))
B = Read(Var("b", BOOL))


@pytest.mark.parametrize(("model", "given", "promoted"), [
    (LP64, "char", "int"), (LP64, "unsigned short", "int"), (LP64, "_Bool", "int"), (LP64, "unsigned int", "unsigned int"),
    (LP64, "long", "long"), (IP16, "unsigned char", "int"), (IP16, "short", "int"),
    (IP16, "unsigned short", "unsigned int"),  # as wide as int there
    (ILP32, "unsigned short", "int"), (ILP32, "long", "long"),
])
def test_promotions(model: DataModel, given: str, promoted: str) -> None:
    integers = Integers(model)
    assert integers.promote(integers.named(given)) == integers.named(promoted)


@pytest.mark.parametrize(("model", "one", "other", "common"), [
    (LP64, "int", "unsigned int", "unsigned int"),
    (LP64, "long", "unsigned int", "long"),  # holds them all
    (ILP32, "long", "unsigned int", "unsigned long"),  # does not
    (LP64, "long long", "unsigned long", "unsigned long long"),
    (LP64, "char", "unsigned char", "int"),
    (IP16, "int", "unsigned short", "unsigned int"),
    (IP16, "long", "unsigned int", "long"),
])
def test_usual_arithmetic_conversions(model: DataModel, one: str, other: str, common: str) -> None:
    integers = Integers(model)
    a, b, c = map(integers.named, (one, other, common))
    assert integers.usual(a, b) == integers.usual(b, a) == c


def test_sizes_are_those_of_the_model() -> None:
    assert [Integers(m).size.bits for m in (LP64, ILP32, IP16)] == [64, 32, 16]
    assert [Integers(m).difference.signed for m in (LP64, ILP32, IP16)] == [True] * 3
    assert Integers(LP64).of_width(16, False).name == "unsigned short"
    assert Integers(IP16).of_width(16, False).name == "unsigned short"
    assert Integers(LP64).of_width(24, True).bits == 24


def test_qualifiers_belong_to_objects() -> None:
    const, volatile = Quals(const=True), Quals(volatile=True)
    t = qualified(IntType("int", 32, True), const)
    assert t != IntType("int", 32, True) and strip(t) == IntType("int", 32, True)
    pointer = PointerType(qualified(VoidType(), const), volatile)
    stripped = strip(pointer)
    assert isinstance(stripped, PointerType) and stripped.quals == NO_QUALS and stripped.target.quals == const
    assert joined(const, volatile) == Quals(True, True) and joined(NO_QUALS, const) == joined(const, NO_QUALS) == const


def test_constants_are_converted_at_once() -> None:
    assert cast(Const(300, I32), I8) == Const(44, I8)
    assert cast(Const(-1, I32), U32) == Const(2**32 - 1, U32)
    assert cast(Const(256, I32), BOOL) == TRUE  # not the lowest bit
    assert cast(X, I32) is X and cast(X, I8) == Cast(X, I8)
    assert cast(X, BOOL) == Binary("!=", X, Const(0, I32))
    assert binary("+", Const(2**31 - 1, I32), Const(1, I32)) == Const(-(2**31), I32)
    assert unary("-", Const(-128, I8)) == Const(-128, I8) and unary("~", Const(0, U32)) == Const(2**32 - 1, U32)


def test_neutral_operands_go_and_no_others() -> None:
    zero, one = Const(0, I32), Const(1, I32)
    assert [binary(op, X, zero) for op in ("+", "-", "|", "<<", ">>")] == [X] * 5
    assert binary("+", zero, X) == X and binary("*", X, one) == X
    for op, a, b in (("-", zero, X), ("<<", zero, X), ("*", X, zero), ("&", X, zero), ("/", X, one), ("%", X, zero)):
        assert binary(op, a, b) == Binary(op, a, b)


def test_conditions() -> None:
    assert both(TRUE, B) == both(B, TRUE) == B and both(FALSE, B) == both(B, FALSE) == FALSE
    assert either(FALSE, B) == either(B, FALSE) == B and either(TRUE, B) == either(B, TRUE) == TRUE
    assert both(B, B) == Binary("&&", B, B) and either(B, B) == Binary("||", B, B)
