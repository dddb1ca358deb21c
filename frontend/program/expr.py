"""Typed expressions over variables, as they stand on the edges of an automaton.

Every expression is free of side effects and has a scalar type. C's conversions are explicit: the lowering inserts
`Cast`, so operands of arithmetic and comparison have equal types and nothing is promoted implicitly any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, assert_never

from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Scalar:
    """A machine integer: `width` bits, two's complement if `signed`. `_Bool` is one unsigned bit, pointers are unsigned."""

    width: int
    signed: bool

    def wrap(self, value: int) -> int:
        """The representative of `value` modulo 2^width in the range of this type."""
        value &= (1 << self.width) - 1
        if self.signed and value >> (self.width - 1):
            value -= 1 << self.width
        return value

    @property
    def low(self) -> int:
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << (self.width - 1)) - 1 if self.signed else (1 << self.width) - 1

    def __str__(self) -> str:
        return f"{'i' if self.signed else 'u'}{self.width}"


BOOL = Scalar(1, False)


@dataclass(frozen=True, slots=True)
class Var:
    """A scalar variable, by its unique name in the program or template."""

    name: str
    type: Scalar


@dataclass(frozen=True, slots=True)
class Element:
    """One element of an array variable; the index counts elements from 0 and may be any integer expression."""

    array: str
    index: Expr
    type: Scalar


Lvalue: TypeAlias = Var | Element


@dataclass(frozen=True, slots=True)
class Const:
    value: int
    type: Scalar


@dataclass(frozen=True, slots=True)
class Read:
    """The present value of an lvalue."""

    lvalue: Lvalue

    @property
    def type(self) -> Scalar:
        return self.lvalue.type


@dataclass(frozen=True, slots=True)
class Unary:
    """`-` and `~` keep the type of the operand; `!` gives BOOL."""

    op: str
    arg: Expr

    @property
    def type(self) -> Scalar:
        return BOOL if self.op == "!" else self.arg.type


COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
LOGICAL = frozenset({"&&", "||"})
ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"})


@dataclass(frozen=True, slots=True)
class Binary:
    """Both operands have one type, except shifts, whose right operand may have any.

    Comparisons and `&&`, `||` (no side effects, so no order) give BOOL; signedness of the operands decides `/ % < >>`.
    Out of C's definition, as SMT-LIB has it: unsigned `x/0` is all ones, signed `x/0` is 1 if x < 0 else -1,
    `x%0` is x, and a shift by `width` or more (the count read as unsigned) gives 0, or the sign for signed `>>`.
    """

    op: str
    left: Expr
    right: Expr

    @property
    def type(self) -> Scalar:
        return BOOL if self.op in COMPARISONS or self.op in LOGICAL else self.left.type


@dataclass(frozen=True, slots=True)
class Cast:
    """Conversion as C does it: truncate or extend by the signedness of the operand; to BOOL it is `arg != 0`."""

    arg: Expr
    type: Scalar


@dataclass(frozen=True, slots=True)
class Ite:
    """`cond ? then : other`, both branches of one type; `cond` is true when it is not 0."""

    cond: Expr
    then: Expr
    other: Expr

    @property
    def type(self) -> Scalar:
        return self.then.type


Expr: TypeAlias = Const | Read | Unary | Binary | Cast | Ite

TRUE = Const(1, BOOL)
FALSE = Const(0, BOOL)


def truth(e: Expr) -> Expr:
    """`e` as a condition: a BOOL expression that is 1 iff `e` is not 0."""
    if e.type == BOOL:
        return e
    match e:
        case Const(value=v):
            return TRUE if v else FALSE
        case Cast(arg=arg) if arg.type.width <= e.type.width:
            return truth(arg)
    return Binary("!=", e, Const(0, e.type))


_NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def negate(e: Expr) -> Expr:
    """The condition that holds iff `e` does not."""
    match truth(e):
        case Const(value=v):
            return FALSE if v else TRUE
        case Unary(op="!", arg=arg):
            return truth(arg)
        case Binary(op=op, left=a, right=b) if op in _NEGATED:
            return Binary(_NEGATED[op], a, b)
        case other:
            return Unary("!", other)


def children(e: Expr) -> tuple[Expr, ...]:
    """Direct subexpressions, the index of a read element included."""
    match e:
        case Const():
            return ()
        case Read(lvalue=Element(index=i)):
            return (i,)
        case Read():
            return ()
        case Unary(arg=a) | Cast(arg=a):
            return (a,)
        case Binary(left=a, right=b):
            return (a, b)
        case Ite(cond=c, then=a, other=b):
            return (c, a, b)
        case _:
            assert_never(e)


def reads(e: Expr) -> Iterator[Lvalue]:
    """Every lvalue that evaluating `e` reads, left to right, reads inside indices first."""
    found: list[Lvalue] = []
    collect_reads(e, found)
    return iter(found)


def collect_reads(e: Expr, found: list[Lvalue]) -> None:
    """Adds what `reads` gives to `found`."""
    # Asked of every expression again and again, so no iterators inside each other; what is most frequent comes first.
    if isinstance(e, Read):
        if isinstance(e.lvalue, Element):
            collect_reads(e.lvalue.index, found)
        found.append(e.lvalue)
    elif isinstance(e, Binary):
        collect_reads(e.left, found)
        if not isinstance(e.right, Const):
            collect_reads(e.right, found)
    elif isinstance(e, (Cast, Unary)):
        collect_reads(e.arg, found)
    elif isinstance(e, Ite):
        for part in (e.cond, e.then, e.other):
            collect_reads(part, found)
    elif not isinstance(e, Const):
        assert_never(e)


def variables(e: Expr) -> frozenset[str]:
    """Names of the variables and arrays that `e` reads."""
    return frozenset([v.name if isinstance(v, Var) else v.array for v in reads(e)])


def substitute(e: Expr, replace: Callable[[Lvalue], Expr | None]) -> Expr:
    """`e` with each read lvalue replaced by what `replace` gives for it (None: left as it is), indices first."""
    match e:
        case Const():
            return e
        case Read(lvalue=Element(array=a, index=i, type=t)):
            inner = Element(a, substitute(i, replace), t)
            new = replace(inner)
            return Read(inner) if new is None else new
        case Read(lvalue=v):
            new = replace(v)
            return e if new is None else new
        case Unary(op=op, arg=a):
            return Unary(op, substitute(a, replace))
        case Cast(arg=a, type=t):
            return Cast(substitute(a, replace), t)
        case Binary(op=op, left=a, right=b):
            return Binary(op, substitute(a, replace), substitute(b, replace))
        case Ite(cond=c, then=a, other=b):
            return Ite(substitute(c, replace), substitute(a, replace), substitute(b, replace))
        case _:
            assert_never(e)


LEVEL = {"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, "<=": 7, ">": 7, ">=": 7, "==": 6, "!=": 6,
          "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1}


def show_lvalue(v: Lvalue) -> str:
    """The lvalue in C syntax."""
    match v:
        case Var(name=n):
            return n
        case Element(array=a, index=i):
            head, sep, tail = a.partition("[]")
            return f"{head}[{show(i)}]{tail}" if sep else f"{a}[{show(i)}]"
        case _:
            assert_never(v)


def show(e: Expr, level: int = 0) -> str:
    """The expression in C syntax, with the parentheses that C needs; casts that only extend are left out."""
    match e:
        case Const(value=v):
            return str(v)
        case Read(lvalue=v):
            return show_lvalue(v)
        case Unary(op=op, arg=a):
            return f"{op}{show(a, 11)}"
        case Cast(arg=a, type=t):
            widening = t.width >= a.type.width and (t.signed or not a.type.signed)
            return show(a, level) if widening else f"({t}){show(a, 11)}"
        case Binary(op=op, left=a, right=b):
            mine = LEVEL[op]
            text = f"{show(a, mine)} {op} {show(b, mine + 1)}"
            return f"({text})" if mine < level else text
        case Ite(cond=c, then=a, other=b):
            text = f"{show(c, 1)} ? {show(a)} : {show(b)}"
            return f"({text})" if level > 0 else text
        case _:
            assert_never(e)
