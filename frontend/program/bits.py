"""Single bits of expressions, simplified as far as the operations go bit by bit."""

from __future__ import annotations

from frontend.program.expr import BOOL, FALSE, TRUE, Binary, Cast, Const, Expr, Ite, Read, Unary, negate
from frontend.program.fold import conjunction, fold


def bit(e: Expr, k: int) -> Expr:
    """Whether bit `k` of the value is set."""
    match e:
        case Const(value=v):
            return TRUE if v >> k & 1 else FALSE
        case Binary(op="|", left=a, right=b):
            return _or(bit(a, k), bit(b, k))
        case Binary(op="&", left=a, right=b):
            return conjunction(bit(a, k), bit(b, k))
        case Unary(op="~", arg=a):
            return fold(negate(bit(a, k)))
        case Cast(arg=a) if k < a.type.width and e.type != BOOL:
            return bit(a, k)
        case Cast(arg=a) if not a.type.signed and e.type != BOOL:
            return FALSE
        case Ite(cond=c, then=a, other=b):
            return _ite(c, bit(a, k), bit(b, k))
        case Read() if e.type == BOOL and k == 0:
            return e
        case _:
            return Binary("!=", Binary("&", e, Const(e.type.wrap(1 << k), e.type)), Const(0, e.type))


def tidy(e: Expr) -> Expr:
    """The condition with every test of a single bit simplified."""
    match e:
        case Binary(op="==" | "!=" as op, left=Binary(op="&", left=a, right=Const(value=m)), right=Const(value=0)) if _single(m):
            tested = bit(a, m.bit_length() - 1)
            return fold(tested if op == "!=" else negate(tested))
        case Binary(op="&&" | "||" as op, left=a, right=b):
            return fold(Binary(op, tidy(a), tidy(b)))
        case Unary(op="!", arg=a):
            return fold(negate(tidy(a)))
    return e


def _single(mask: int) -> bool:
    return mask > 0 and mask & (mask - 1) == 0


def _or(a: Expr, b: Expr) -> Expr:
    if TRUE in (a, b):
        return TRUE
    if a in (FALSE, b):
        return b
    return a if b == FALSE else Binary("||", a, b)


def _ite(c: Expr, a: Expr, b: Expr) -> Expr:
    if a == b:
        return a
    if (a, b) == (TRUE, FALSE):
        return c
    if (a, b) == (FALSE, TRUE):
        return fold(negate(c))
    return conjunction(c, a) if b == FALSE else Ite(c, a, b)
