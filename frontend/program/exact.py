"""Operations and expressions as unambiguous text, types included: what fingerprints and proofs are made of."""

from __future__ import annotations

from typing import assert_never

from frontend.program.expr import Binary, Cast, Const, Expr, Ite, Lvalue, Read, Unary, Var
from frontend.program.ops import AllAt, Assign, Assume, Block, Havoc, Op


def show_exact_lvalue(v: Lvalue) -> str:
    """An unambiguous text of an lvalue, types included."""
    return f"{v.name}:{v.type}" if isinstance(v, Var) else f"{v.array}[{show_exact(v.index)}]:{v.type}"


def show_exact(e: Expr) -> str:
    """An unambiguous text of an expression, types and every cast included."""
    match e:
        case Const(value=v, type=t):
            return f"{v}:{t}"
        case Read(lvalue=v):
            return show_exact_lvalue(v)
        case Unary(op=op, arg=a):
            return f"({op} {show_exact(a)})"
        case Binary(op=op, left=a, right=b):
            return f"({op} {show_exact(a)} {show_exact(b)})"
        case Cast(arg=a, type=t):
            return f"(cast {t} {show_exact(a)})"
        case Ite(cond=c, then=a, other=b):
            return f"(ite {show_exact(c)} {show_exact(a)} {show_exact(b)})"
        case _:
            assert_never(e)


def exact_op(op: Op) -> str:
    """An unambiguous text of an operation."""
    match op:
        case Assume(cond=c):
            return f"assume {show_exact(c)}"
        case Assign(target=t, value=e):
            return f"{show_exact_lvalue(t)} := {show_exact(e)}"
        case Havoc(targets=ts, whole=ws):
            return f"havoc {' '.join(map(show_exact_lvalue, ts))} | {' '.join(ws)}"
        case AllAt(template=t, locations=ls):
            return f"all {t} {sorted(ls)}"
        case Block(ops=ops):
            return "{" + "; ".join(map(exact_op, ops)) + "}"
        case _:
            assert_never(op)
