"""Expressions as Python code: the exact meaning of `frontend.program.expr`, for the interpreter.

A scalar's value is an int in the range of its type; in the `math` model it is unbounded, except BOOL, and casts between
integers change nothing. An array's value is `ArrayValue`: total over the 64-bit indices (all integers for `math`), so an access
out of bounds has a meaning too. None stands for a value that nobody has looked at yet: any value.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, assert_never

from frontend.program import BOOL, COMPARISONS, Binary, Cast, Const, Element, Expr, Ints, Ite, Read, Scalar, Unary, Var, reads

INDEX_MASK = (1 << 64) - 1

ArrayValue: TypeAlias = tuple[int | None, tuple[tuple[int, int | None], ...]]
"""Default value, and the elements that differ from it, sorted by index."""

Value: TypeAlias = int | ArrayValue | None

Where: TypeAlias = tuple[str, int, int | None]
"""A place in a state: `g` (globals), `l` (the running thread's locals) or `h` (the n-th havoc target); slot; array index."""


class Undefined(Exception):
    """The value at `where` is read but was never chosen."""

    def __init__(self, where: Where) -> None:
        super().__init__(where)
        self.where = where


def cells(default: int | None, elements: Mapping[int, int | None]) -> ArrayValue:
    """The array with these elements, all others `default`."""
    return default, tuple((i, elements[i]) for i in sorted(elements) if elements[i] != default)


def cell(array: ArrayValue, index: int) -> int | None:
    """An element's value, None if it was never chosen."""
    default, items = array
    at = bisect_left(items, (index,))
    return items[at][1] if at < len(items) and items[at][0] == index else default


def load(array: ArrayValue, index: int, owner: str, slot: int) -> int:
    """An element's value; raises Undefined if it was never chosen."""
    value = cell(array, index)
    if value is None:
        raise Undefined((owner, slot, index))
    return value


def store(array: ArrayValue, index: int, value: int | None) -> ArrayValue:
    """The array with one element changed."""
    default, items = array
    at = bisect_left(items, (index,))
    after = at + 1 if at < len(items) and items[at][0] == index else at
    middle = () if value == default else ((index, value),)
    return default, items[:at] + middle + items[after:]


def _udiv(a: int, b: int, high: int) -> int:
    return a // b if b else high


def _urem(a: int, b: int) -> int:
    return a % b if b else a


def _sdiv(a: int, b: int) -> int:
    if b == 0:
        return 1 if a < 0 else -1
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _srem(a: int, b: int) -> int:
    if b == 0:
        return a
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


def _shl(a: int, count: int, width: int) -> int:
    return a << count if 0 <= count < width else 0


def _shr(a: int, count: int, width: int) -> int:
    return a >> count if 0 <= count < width else -1 if a < 0 else 0


RUNTIME: Mapping[str, Any] = {
    "load": load, "store": store, "udiv": _udiv, "urem": _urem, "sdiv": _sdiv, "srem": _srem, "shl": _shl, "shr": _shr,
}

_DEEP = 25
"""Python's parser gives up at 200 nested parentheses; deeper expressions go through a temporary."""


class Coder:
    """Writes Python for expressions; what has to be computed beforehand is appended to `lines`.

    `place(name)` is the Python text of the variable's value and its (owner, slot).
    """

    def __init__(self, ints: Ints, place: Callable[[str], tuple[str, str, int]]) -> None:
        self.math = ints == Ints.MATH
        self.place = place
        self.lines: list[str] = []
        self._temporaries = 0

    def value(self, e: Expr, depth: int = 0) -> str:
        """Python text of the value, an int."""
        return self._spilled(self._value(e, 0)) if depth > _DEEP else self._value(e, depth)

    def cond(self, e: Expr, depth: int = 0) -> str:
        """Python text of something true iff the value is not 0."""
        return self._spilled(self._cond(e, 0)) if depth > _DEEP else self._cond(e, depth)

    def _spilled(self, text: str) -> str:
        self._temporaries += 1
        self.lines.append(f"t{self._temporaries} = {text}")
        return f"t{self._temporaries}"

    def _cond(self, e: Expr, d: int) -> str:
        match e:
            case Const(value=v):
                return str(v != 0)
            case Unary(op="!", arg=a):
                return f"(not {self.cond(a, d + 1)})"
            case Binary(op="&&", left=a, right=b):
                return f"({self.cond(a, d + 1)} and {self.cond(b, d + 1)})"
            case Binary(op="||", left=a, right=b):
                return f"({self.cond(a, d + 1)} or {self.cond(b, d + 1)})"
            case Binary(op=op, left=a, right=b) if op in COMPARISONS:
                return f"({self.value(a, d + 1)} {op} {self.value(b, d + 1)})"
            case Cast(arg=a, type=t) if t == BOOL or self.math or t.width >= a.type.width:
                return self.cond(a, d + 1)
            case Ite(cond=c, then=a, other=b):
                return f"({self.cond(a, d + 1)} if {self.cond(c, d + 1)} else {self.cond(b, d + 1)})"
            case _:
                return f"({self.value(e, d + 1)} != 0)"

    def _value(self, e: Expr, d: int) -> str:
        match e:
            case Const(value=v, type=t):
                return f"({v if self.math and t != BOOL else t.wrap(v)})"
            case Read(lvalue=Var(name=n)):
                return self.place(n)[0]
            case Read(lvalue=Element(array=a, index=i)):
                text, owner, slot = self.place(a)
                return f"load({text}, {self.index(i, d + 1)}, {owner!r}, {slot})"
            case Unary(op="-", arg=a):
                return self._wrapped(f"-{self.value(a, d + 1)}", e.type)
            case Unary(op="~", arg=a):
                x = self.value(a, d + 1)
                return f"(~{x})" if a.type.signed else f"({a.type.high} - {x})"
            case Ite(cond=c, then=a, other=b):
                return f"({self.value(a, d + 1)} if {self.cond(c, d + 1)} else {self.value(b, d + 1)})"
            case Cast(arg=a, type=t) if t != BOOL:
                x = self.value(a, d + 1)
                return x if t.low <= a.type.low and a.type.high <= t.high else self._wrapped(x, t)
            case Binary(op=op, left=a, right=b) if op not in COMPARISONS and op not in ("&&", "||"):
                return self._arithmetic(e, d)
            case Unary() | Binary() | Cast() | Read():
                return f"(1 if {self.cond(e, d + 1)} else 0)"
            case _:
                assert_never(e)

    def index(self, i: Expr, depth: int = 0) -> str:
        """Python text of an array index as the index sort has it."""
        text = self.value(i, depth)
        return text if self.math or not (i.type.signed or i.type.width > 64) else f"({text} & {INDEX_MASK})"

    def _wrapped(self, text: str, t: Scalar) -> str:
        if self.math and t != BOOL:
            return f"({text})"
        mask = (1 << t.width) - 1
        half = 1 << (t.width - 1)
        return f"((({text}) + {half} & {mask}) - {half})" if t.signed else f"(({text}) & {mask})"

    def _arithmetic(self, e: Binary, d: int) -> str:
        t = e.type
        a, b = self.value(e.left, d + 1), self.value(e.right, d + 1)
        unbounded = self.math and t != BOOL
        match e.op:
            case "+" | "-" | "*":
                return self._wrapped(f"{a} {e.op} {b}", t)
            case "&" | "|" | "^":
                return f"({a} {e.op} {b})"
            case "/":
                return self._wrapped(f"sdiv({a}, {b})", t) if t.signed or unbounded else f"udiv({a}, {b}, {t.high})"
            case "%":
                return f"srem({a}, {b})" if t.signed or unbounded else f"urem({a}, {b})"
            case "<<" | ">>":
                count = b if not e.right.type.signed or unbounded else f"({b} & {(1 << e.right.type.width) - 1})"
                width = 64 if unbounded else t.width
                return self._wrapped(f"shl({a}, {count}, {width})", t) if e.op == "<<" else f"shr({a}, {count}, {width})"
            case _:
                raise AssertionError(e.op)


def evaluate(e: Expr, values: Mapping[str, Value], ints: Ints = Ints.EXACT) -> int:
    """The value of an expression where the variables have these values; raises Undefined where one is None."""
    for v in reads(e):
        if isinstance(v, Var) and values[v.name] is None:
            raise Undefined((v.name, 0, None))
    coder = Coder(ints, lambda name: (f"values[{name!r}]", name, 0))
    result = coder.value(e)
    scope: dict[str, Any] = {**RUNTIME, "values": values}
    exec("\n".join([*coder.lines, f"result = {result}"]), scope)
    return int(scope["result"])

