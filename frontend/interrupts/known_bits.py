"""Expressions over values of which some bits are known: enough to follow what a program does to hardware registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, assert_never

from frontend.program import BOOL, Binary, Cast, Const, Expr, Ite, Lvalue, Read, Scalar, Unary
from frontend.program.fold import fold

Bits: TypeAlias = tuple[int, int]
"""Which bits are known, and their values (0 where they are not)."""

UNKNOWN: Bits = (0, 0)


def number(value: int, t: Scalar) -> Bits:
    """A value of which everything is known."""
    every = (1 << t.width) - 1
    return every, value & every


def value_of(bits: Bits, t: Scalar) -> int | None:
    """The value, if all of it is known."""
    every = (1 << t.width) - 1
    return t.wrap(bits[1]) if bits[0] & every == every else None


def evaluate(e: Expr, read: Callable[[Lvalue], Bits]) -> Bits:
    """What is known of an expression's value; never a bit that may be otherwise."""
    every = (1 << e.type.width) - 1
    match e:
        case Const(value=v, type=t):
            return number(v, t)
        case Read(lvalue=v):
            return read(v)
        case Cast(arg=a, type=t):
            return _cast(evaluate(a, read), a.type, t)
        case Ite(cond=c, then=a, other=b):
            chosen = value_of(evaluate(c, read), c.type)
            if chosen is not None:
                return evaluate(a if chosen else b, read)
            (m, x), (n, y) = evaluate(a, read), evaluate(b, read)
            same = m & n & ~(x ^ y)
            return same, x & same
        case Unary(op="~", arg=a):
            mask, x = evaluate(a, read)
            return mask, ~x & mask
        case Binary(op="&" | "|" | "^" as op, left=a, right=b):
            return _bitwise(op, evaluate(a, read), evaluate(b, read))
        case Binary(op="&&" | "||" as op, left=a, right=b):
            return _logical(op, value_of(evaluate(a, read), a.type), value_of(evaluate(b, read), b.type))
        case Unary(op=op, arg=a):
            x1 = value_of(evaluate(a, read), a.type)
            return UNKNOWN if x1 is None else _exact(Unary(op, Const(x1, a.type)), every)
        case Binary(op=op, left=a, right=b):
            left, right = evaluate(a, read), evaluate(b, read)
            x2, y2 = value_of(left, a.type), value_of(right, b.type)
            if x2 is not None and y2 is not None:
                return _exact(Binary(op, Const(x2, a.type), Const(y2, b.type)), every)
            if op in ("==", "!=") and left[0] & right[0] & (left[1] ^ right[1]):
                return number(int(op == "!="), BOOL)
            return UNKNOWN
        case _:
            assert_never(e)


def _bitwise(op: str, left: Bits, right: Bits) -> Bits:
    (m, x), (n, y) = left, right
    if op == "&":
        mask = (m & n) | (m & ~x) | (n & ~y)
        return mask, x & y & mask
    if op == "|":
        mask = (m & n) | (m & x) | (n & y)
        return mask, (x | y) & mask
    return m & n, (x ^ y) & m & n


def _logical(op: str, left: int | None, right: int | None) -> Bits:
    """One side may decide."""
    sides = [None if x is None else bool(x) for x in (left, right)]
    decides = op == "||"
    if decides in sides:
        return 1, int(decides)
    return UNKNOWN if None in sides else (1, int(not decides))


def _cast(bits: Bits, source: Scalar, target: Scalar) -> Bits:
    mask, x = bits
    every = (1 << target.width) - 1
    if target == BOOL:
        if x:
            return 1, 1
        return (1, 0) if mask & ((1 << source.width) - 1) == (1 << source.width) - 1 else UNKNOWN
    if target.width <= source.width:
        return mask & every, x & every
    high = every & ~((1 << source.width) - 1)
    if not source.signed:
        return mask | high, x
    sign = 1 << (source.width - 1)
    if not mask & sign:
        return mask, x
    return mask | high, x | (high if x & sign else 0)


def _exact(e: Expr, every: int) -> Bits:
    folded = fold(e)
    return (every, folded.value & every) if isinstance(folded, Const) else UNKNOWN
