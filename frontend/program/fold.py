"""Constant folding on expressions, with the meaning that `frontend.program.expr` gives to every operator."""

from __future__ import annotations

from collections.abc import Iterable

from frontend.program.expr import (
    BOOL,
    COMPARISONS,
    FALSE,
    LOGICAL,
    TRUE,
    Binary,
    Cast,
    Const,
    Element,
    Expr,
    Ite,
    Lvalue,
    Read,
    Scalar,
    Unary,
    Var,
    negate,
    truth,
)


def fold(e: Expr) -> Expr:
    """An expression with the same value in every state, with constant parts computed."""
    match e:
        case Const(value=v, type=t):
            return e if t.wrap(v) == v else Const(t.wrap(v), t)
        case Read(lvalue=v):
            return Read(fold_lvalue(v))
        case Unary(op=op, arg=a):
            return _unary(op, fold(a))
        case Cast(arg=a, type=t):
            return cast(fold(a), t)
        case Binary(op=op, left=a, right=b):
            return _binary(op, fold(a), fold(b))
        case Ite(cond=c, then=a, other=b):
            c, a, b = fold(c), fold(a), fold(b)
            if isinstance(c, Const):
                return a if c.value else b
            return a if a == b else Ite(c, a, b)


def fold_lvalue(v: Lvalue) -> Lvalue:
    """The lvalue with its index folded."""
    return v if isinstance(v, Var) else Element(v.array, fold(v.index), v.type)


def cast(e: Expr, t: Scalar) -> Expr:
    """`e` converted to `t`, without casts that change nothing."""
    if e.type == t:
        return e
    match e:
        case Const(value=v):
            return Const((1 if v else 0) if t == BOOL else t.wrap(v), t)
        case Cast(arg=a) if t != BOOL and (t.width <= e.type.width or _extends(a.type, e.type)):
            # The low bits are those of the inner operand; BOOL is left out because it is a test, not a truncation.
            if e.type != BOOL and (t.width <= a.type.width or (t.width > a.type.width and _same_extension(a.type, e.type, t))):
                return cast(a, t)
        case _:
            pass
    return truth(e) if t == BOOL else Cast(e, t)


def _extends(inner: Scalar, outer: Scalar) -> bool:
    return outer.width >= inner.width


def _same_extension(inner: Scalar, middle: Scalar, outer: Scalar) -> bool:
    """Whether inner -> middle -> outer equals inner -> outer for an outer type wider than inner."""
    if middle.width < inner.width:
        return False
    if outer.width <= middle.width:
        return True
    return middle.width > inner.width and (middle.signed or not inner.signed)


def _unary(op: str, a: Expr) -> Expr:
    if op == "!":
        return negate(a)
    if isinstance(a, Const):
        return Const(a.type.wrap(-a.value if op == "-" else ~a.value), a.type)
    return Unary(op, a)


def _binary(op: str, a: Expr, b: Expr) -> Expr:
    """The operation on folded operands: computed if both are constants, else by the rules for one constant operand."""
    if isinstance(a, Const) and isinstance(b, Const):
        return compute(op, a, b)
    folded: Expr | None = None
    if op in LOGICAL:
        folded = _logical(op, a, b)
    elif isinstance(b, Const):
        folded = _constant_right(op, a, b)
    elif isinstance(a, Const):
        folded = _constant_left(op, a, b)
    return Binary(op, a, b) if folded is None else folded


def _logical(op: str, a: Expr, b: Expr) -> Expr | None:
    """`1 && b` is b, `0 && b` is 0, `0 || b` is b, `1 || b` is 1, and the same the other way round."""
    known, other = (a, b) if isinstance(a, Const) else (b, a)
    if not isinstance(known, Const):
        return None
    if bool(known.value) == (op == "&&"):
        return truth(other)
    return FALSE if op == "&&" else TRUE


def _constant_right(op: str, a: Expr, b: Const) -> Expr | None:
    """`a + 0`, `a * 1` and their like are a; `a * 0` is 0; `(x + c) + d` adds the constants; tests of a cast, or of a truth."""
    if b.value == 0 and op in ("+", "-", "|", "^", "<<", ">>"):
        return a
    if b.value == 1 and op in ("*", "/"):
        return a
    if b.value == 0 and op in ("*", "&"):
        return Const(0, a.type)
    if op in ("==", "!=") and b.value == 0 and a.type == BOOL:
        return negate(a) if op == "==" else a
    if op == "+" and isinstance(a, Binary) and a.op == "+" and isinstance(a.right, Const):
        return _binary("+", a.left, Const(a.type.wrap(a.right.value + b.value), a.type))
    return _narrow_test(op, a, b)


def _constant_left(op: str, a: Const, b: Expr) -> Expr | None:
    """`0 + b` and `1 * b` are b, `0 * b` is 0."""
    if a.value == 0 and op in ("+", "|", "^"):
        return b
    if a.value == 1 and op == "*":
        return b
    return a if a.value == 0 and op in ("*", "&") else None


def _narrow_test(op: str, a: Expr, b: Const) -> Expr | None:
    """`(wide)x == c` as a test of x itself where the constant fits x; None if it does not apply."""
    if op not in ("==", "!=") or not isinstance(a, Cast):
        return None
    inner, wide = a.arg.type, a.type
    if inner == BOOL or wide.width < inner.width or wide == BOOL:
        if inner == BOOL and b.value in (0, 1):
            return truth(a.arg) if (b.value == 1) == (op == "==") else negate(a.arg)
        return None
    small = inner.wrap(b.value)
    if wide.wrap(small) != wide.wrap(b.value):
        return FALSE if op == "==" else TRUE
    return Binary(op, a.arg, Const(small, inner))


def compute(op: str, a: Const, b: Const) -> Const:
    """The value of a binary operation on two constants."""
    x, y, t = a.value, b.value, a.type
    if op in COMPARISONS:
        holds = {"==": x == y, "!=": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op]
        return TRUE if holds else FALSE
    if op == "&&":
        return TRUE if x and y else FALSE
    if op == "||":
        return TRUE if x or y else FALSE
    return Const(t.wrap(_arithmetic(op, x, y, t, b.type)), t)


def _arithmetic(op: str, x: int, y: int, t: Scalar, count: Scalar) -> int:
    match op:
        case "+":
            return x + y
        case "-":
            return x - y
        case "*":
            return x * y
        case "&":
            return x & y
        case "|":
            return x | y
        case "^":
            return x ^ y
        case "/":
            if y == 0:
                return (1 if x < 0 else -1) if t.signed else -1
            return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        case "%":
            if y == 0:
                return x
            return abs(x) % abs(y) * (-1 if x < 0 else 1)
        case "<<" | ">>":
            amount = y & ((1 << count.width) - 1)
            if amount >= t.width:
                return -1 if op == ">>" and t.signed and x < 0 else 0
            return x << amount if op == "<<" else x >> amount
        case _:
            raise AssertionError(op)


def plus(*parts: Expr) -> Expr:
    """The folded sum of expressions of one type."""
    total: Expr = parts[0]
    for part in parts[1:]:
        total = _binary("+", total, part)
    return fold(total)


def minus(e: Expr, amount: int) -> Expr:
    """The folded difference with a constant."""
    match e:
        case Const(value=v):
            return Const(e.type.wrap(v - amount), e.type)
        case Binary(op="+", left=a, right=Const(value=c)) | Binary(op="+", left=Const(value=c), right=a):
            rest = c - amount
            return a if rest == 0 else plus(a, Const(e.type.wrap(rest), e.type)) if rest > 0 else minus(a, -rest)
        case _:
            return Binary("-", e, Const(e.type.wrap(amount), e.type)) if amount else e


def times(e: Expr, factor: int) -> Expr:
    """The folded product with a constant."""
    return _binary("*", e, Const(e.type.wrap(factor), e.type))


def conjunction(a: Expr, b: Expr) -> Expr:
    """`a && b` as a folded condition."""
    return _binary("&&", fold(truth(a)), fold(truth(b)))


def disjunction(parts: Iterable[Expr]) -> Expr:
    """Whether one of the conditions holds, which are folded already; each is looked at once."""
    found: Expr = FALSE
    for part in parts:
        found = _binary("||", found, part)
    return found
