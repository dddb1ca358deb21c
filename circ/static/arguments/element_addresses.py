"""Addresses of elements of arrays, as programs compute with them: which element one is of, and in which range one lies.

Guesses for proofs, which the kernel checks.
"""

from __future__ import annotations

from collections.abc import Iterable

from frontend.program import Binary, Cast, Const, Expr, Read, Var
from frontend.program.fold import cast
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class AddressRange:
    """`condition` says that a pointer is one of `size` addresses from `base` on."""

    pointer: Var
    base: int
    size: int
    condition: Expr

    def has(self, e: Expr) -> bool:
        """Whether an address is computed from one in the range."""
        rest, terms = _sum(e)
        return self.base <= e.type.wrap(rest) < self.base + self.size and not any(_is_pointer(term) for term, _ in terms)

    def misses(self, e: Expr, passed: Iterable[Expr]) -> bool:
        """Whether an address is null, or computed from a pointer that is known to be in another range."""
        rest, terms = _sum(e)
        if not terms:
            return not self.base <= e.type.wrap(rest) < self.base + self.size
        if len(terms) != 1 or terms[0][1] != 1:
            return False
        others = (found for c in passed if (found := range_tested(c)) is not None and terms[0][0] == Read(found.pointer))
        return any(o.base + rest >= self.base + self.size or o.base + o.size + rest <= self.base for o in others)


def range_tested(condition: Expr) -> AddressRange | None:
    """The range for which `p - base < size` tests a pointer; None if that is not the condition."""
    match condition:
        case Binary(op="<" | "<=" as op, left=distance, right=Const(value=size)) if not distance.type.signed:
            rest, terms = _sum(distance)
            match terms:
                case [(Read(lvalue=Var() as v), 1)]:
                    return AddressRange(v, distance.type.wrap(-rest), size + (op == "<="), condition)
    return None


def _is_pointer(e: Expr) -> bool:
    """Whether a term may be an address itself rather than an index."""
    return isinstance(e, Read)


def element_of(e: Expr) -> Expr:
    """The index of an element of which `e` is computed from its address: `(base + i * size - base) / size` is `i`."""
    match e:
        case Binary(op="/", left=distance, right=Const(value=size)) if size > 1:
            rest, terms = _sum(distance)
            match terms:
                case [(Cast(arg=index), k)] if k == size and distance.type.wrap(rest) == 0 and index.type.width < e.type.width:
                    return index  # if it is not negative, which the test of the address's range tells
                case [(index, k)] if k == size and distance.type.wrap(rest) == 0 and _most(index) * size <= e.type.high:
                    return index
        case Cast(arg=a):
            inner = element_of(a)
            return e if inner is a else cast(inner, e.type)
    return e


def _sum(e: Expr) -> tuple[int, list[tuple[Expr, int]]]:
    """An expression as a number and multiples of others."""
    match e:
        case Const(value=v):
            return v, []
        case Binary(op="+" | "-" as op, left=a, right=b):
            (m, one), (n, two) = _sum(a), _sum(b)
            sign = 1 if op == "+" else -1
            return m + sign * n, [*one, *((term, sign * k) for term, k in two)]
        case Binary(op="*", left=a, right=Const(value=k)) | Binary(op="*", left=Const(value=k), right=a):
            return 0, [(a, k)]
        case _:
            return 0, [(e, 1)]


def _most(e: Expr) -> int:
    """A number that the value of an expression does not exceed, taken as unsigned."""
    match e:
        case Const(value=v) if v >= 0:
            return v
        case Binary(op="%", right=Const(value=n)) if n > 0 and not e.type.signed:
            return n - 1
        case Cast(arg=a) if not a.type.signed:
            return min(_most(a), (1 << e.type.width) - 1)
        case _:
            return (1 << e.type.width) - 1
