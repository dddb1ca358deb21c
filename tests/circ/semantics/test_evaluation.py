"""Values of expressions, against arithmetic written down in another way, and what has no value."""

from __future__ import annotations

from itertools import product

import pytest

from circ.semantics.evaluation import Undefined, cells, evaluate
from frontend.program import BOOL, Binary, Cast, Const, Element, Expr, Ints, Ite, Read, Scalar, Unary, Var

I8, U8, I32 = Scalar(8, True), Scalar(8, False), Scalar(32, True)
X = Var("x", I8)


def wrapped(n: int, t: Scalar) -> int:
    low = n % (1 << t.width)
    return low - (1 << t.width) if t.signed and low >> (t.width - 1) else low


def truncated(a: int, b: int) -> int:
    """Division towards zero, as C's."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


@pytest.mark.parametrize("t", [I8, U8], ids=str)
def test_arithmetic_wraps_around(t: Scalar) -> None:
    values = [t.low, t.low + 1, t.low + 7, 0, 1, 2, 100, t.high - 1, t.high]
    for a, b in product(values, values):
        expected = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}
        if b:
            expected |= {"/": truncated(a, b), "%": a - b * truncated(a, b)}
        for op, n in expected.items():
            assert evaluate(Binary(op, Const(a, t), Const(b, t)), {}) == wrapped(n, t), (a, op, b)
        for op, holds in {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}.items():
            assert evaluate(Binary(op, Const(a, t), Const(b, t)), {}) == holds
        assert evaluate(Unary("-", Const(a, t)), {}) == wrapped(-a, t)
        assert evaluate(Unary("~", Const(a, t)), {}) == wrapped(~a, t)


def test_mathematical_integers_do_not_wrap() -> None:
    more = Binary("+", Const(127, I8), Const(1, I8))
    assert evaluate(more, {}) == -128 and evaluate(more, {}, Ints.MATH) == 128
    less = Binary("-", Const(0, U8), Const(1, U8))
    assert evaluate(less, {}) == 255 and evaluate(less, {}, Ints.MATH) == -1


@pytest.mark.parametrize(("value", "source", "target", "expected"), [
    (-1, I8, U8, 255), (200, U8, I8, -56), (-1, I8, I32, -1), (255, U8, I32, 255), (256, I32, U8, 0), (2, I32, BOOL, 1),
    (0, I32, BOOL, 0), (256, I32, BOOL, 1),
])
def test_casts(value: int, source: Scalar, target: Scalar, expected: int) -> None:
    read = Cast(Read(Var("y", source)), target)
    if target != BOOL:
        assert evaluate(read, {"y": value}) == expected
    else:
        assert evaluate(Binary("!=", Read(Var("y", source)), Const(0, source)), {"y": value}) == expected


def test_an_open_value_is_no_number() -> None:
    with pytest.raises(Undefined):
        evaluate(Read(X), {"x": None})
    element: Expr = Read(Element("a", Const(1, I32), I8))
    assert evaluate(element, {"a": cells(5, {1: 7})}) == 7
    assert evaluate(Read(Element("a", Const(2, I32), I8)), {"a": cells(5, {1: 7})}) == 5
    with pytest.raises(Undefined):
        evaluate(element, {"a": cells(5, {1: None})})
    with pytest.raises(Undefined):
        evaluate(element, {"a": cells(None, {2: 7})})


def test_arrays_are_equal_if_their_elements_are() -> None:
    """An element with the default value is none of its own."""
    assert cells(5, {3: 5, 1: 7}) == cells(5, {1: 7})
    assert cells(5, {2: 1, 1: 2}) == cells(5, {1: 2, 2: 1})
    assert cells(5, {1: None}) != cells(5, {})


def test_a_choice_has_the_value_of_the_chosen_side() -> None:
    positive = Binary(">", Read(X), Const(0, I8))
    e = Ite(positive, Read(X), Unary("-", Read(X)))
    assert [evaluate(e, {"x": n}) for n in (-3, 0, 3)] == [3, 0, 3]
