"""Intervals of values that a program cannot tell apart, for variables with too many values to list.

A scalar that is only ever copied, set to constants and compared with constants is finite: one representative of each interval
between those constants stands for all of its members.
"""

from __future__ import annotations

from dataclasses import field
from typing import assert_never

from frontend.program import (
    BOOL,
    COMPARISONS,
    LOGICAL,
    AllAt,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Element,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Read,
    Scalar,
    Unary,
    Var,
    name_of,
    primitive,
    reads,
)
from frontend.records import dataclass


@dataclass(slots=True)
class ComparedConstants:
    """For scalars that are only copied, set and compared with constants: those constants. Keys are (owner, name)."""

    parent: dict[str, str] = field(default_factory=dict)
    constants: dict[str, set[int]] = field(default_factory=dict)
    spoilt: set[str] = field(default_factory=set)

    def find(self, name: str) -> str:
        while self.parent.get(name, name) != name:
            name = self.parent[name]
        return name

    def unite(self, a: str, b: str) -> None:
        a, b = self.find(a), self.find(b)
        if a != b:
            self.parent[b] = a
            self.constants.setdefault(a, set()).update(self.constants.pop(b, set()))
            if b in self.spoilt:
                self.spoilt.add(a)

    def compared(self, name: str, value: int) -> None:
        self.constants.setdefault(self.find(name), set()).add(value)

    def spoil(self, e: Expr) -> None:
        self.spoilt.update(self.find(name_of(v)) for v in reads(e))

    def condition(self, e: Expr) -> None:
        """Take note of a condition: comparisons with constants are observations, all else spoils what it reads."""
        match e:
            case Const():
                pass
            case Read(lvalue=Var(name=n)):
                self.compared(n, 0)
            case Unary(op="!", arg=a):
                self.condition(a)
            case Cast(arg=a, type=t) if t == BOOL or t.width >= a.type.width:
                self.condition(a)
            case Binary(op=op, left=a, right=b) if op in LOGICAL:
                self.condition(a)
                self.condition(b)
            case Binary(op=op, left=Read(lvalue=Var(name=n)), right=Const(value=c)) if op in COMPARISONS:
                self.compared(n, c)
            case Binary(op=op, left=Const(value=c), right=Read(lvalue=Var(name=n))) if op in COMPARISONS:
                self.compared(n, c)
            case _:
                self.spoil(e)

    def value(self, target: Lvalue, e: Expr) -> None:
        """Take note of an assignment."""
        match target, e:
            case Var(name=n, type=t), Read(lvalue=Var(name=m, type=s)) if t == s:
                self.unite(n, m)
            case Var(name=n), Const(value=c):
                self.compared(n, c)
            case _ if e.type == BOOL:
                self.condition(e)
                self.spoilt.add(self.find(name_of(target)))
            case _:
                self.spoil(e)
                self.spoilt.add(self.find(name_of(target)))
        if isinstance(target, Element):
            self.spoil(target.index)

    def operation(self, op: Op) -> None:
        for part in primitive(op):
            match part:
                case Assume(cond=c):
                    self.condition(c)
                case Assign(target=t, value=e):
                    self.value(t, e)
                case Havoc(targets=ts):
                    for t in ts:
                        if isinstance(t, Element):
                            self.spoil(t.index)
                case AllAt():
                    pass
                case _:
                    assert_never(part)

    def intervals(self, name: str, t: Scalar) -> list[tuple[int, int]] | None:
        """A partition of the type's range into intervals whose members no observation tells apart; None if there is none."""
        root = self.find(name)
        if root in self.spoilt:
            return None
        cuts = sorted({c for c in self.constants.get(root, set()) if t.low <= c <= t.high})
        found: list[tuple[int, int]] = []
        low = t.low
        for c in cuts:
            if low < c:
                found.append((low, c - 1))
            found.append((c, c))
            low = c + 1
        if low <= t.high:
            found.append((low, t.high))
        return found
