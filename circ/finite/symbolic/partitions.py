"""Values of expressions as sets of states: for each value of an expression the states in which it has that value."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TypeAlias, assert_never

from circ.finite.symbolic.encoding import BitEncoding, BitField, StateSet
from circ.finite.system import evaluate
from frontend.program import Binary, Cast, Const, Element, Expr, Ints, Ite, Lvalue, Read, Unary, Var, reads

ValuePartition: TypeAlias = dict[int, StateSet]
"""For each value of an expression the states in which it has that value."""


class Partitions:
    """The partitions of the expressions of one system, as each thread reads them."""

    def __init__(self, encoding: BitEncoding) -> None:
        self.encoding = encoding
        self.math = encoding.system.program.ints == Ints.MATH
        self.changed: dict[str, ValuePartition] = {}
        """Fields that have been given values since the state that sets are over (while a net effect is computed)."""
        self._partitions: dict[tuple[Expr, int], ValuePartition] = {}

    def partition(self, e: Expr, thread: int) -> ValuePartition:
        """The states for each value of the expression, as the thread reads it; states where an index is wild are left out."""
        if self.changed:
            return self._partition(e, thread)
        key = (e, thread)
        found = self._partitions.get(key)
        if found is None:
            found = self._partitions[key] = self._partition(e, thread)
        return found

    def _partition(self, e: Expr, thread: int) -> ValuePartition:
        match e:
            case Const(value=v):
                return {v: self.encoding.true}
            case Read(lvalue=v):
                return self._read(v, thread)
            case Ite(cond=c, then=a, other=b):
                holds = self.condition(c, thread)
                result: ValuePartition = {}
                for part, side in ((self.partition(a, thread), holds), (self.partition(b, thread), ~holds)):
                    for v, s in part.items():
                        result[v] = result.get(v, self.encoding.false) | (s & side)
                return nonempty(result, self.encoding.false)
            case Unary(op=op, arg=a):
                shell: Expr = Unary(op, Read(Var("a", a.type)))
                return self._map(shell, [self.partition(a, thread)])
            case Cast(arg=a, type=t):
                return self._map(Cast(Read(Var("a", a.type)), t), [self.partition(a, thread)])
            case Binary(op=op, left=a, right=b):
                shell = Binary(op, Read(Var("a", a.type)), Read(Var("b", b.type)))
                return self._map(shell, [self.partition(a, thread), self.partition(b, thread)])
            case _:
                assert_never(e)

    def _map(self, shell: Expr, parts: Sequence[ValuePartition]) -> ValuePartition:
        result: ValuePartition = {}
        for v, s in parts[0].items():
            for w, r in parts[1].items() if len(parts) > 1 else ((0, self.encoding.true),):
                both = s & r
                if both != self.encoding.false:
                    value = evaluate(shell, functools.partial(_operand, v, w), self.math)
                    result[value] = result.get(value, self.encoding.false) | both
        return result

    def _read(self, v: Lvalue, thread: int) -> ValuePartition:
        if isinstance(v, Var):
            field = self.encoding.find(v.name, None, thread)
            assert field is not None
            return self.now(field)
        result: ValuePartition = {}
        for i, where in self.partition(v.index, thread).items():
            field = self.encoding.find(v.array, i, thread)
            for value, s in self.now(field).items() if field is not None else ():
                result[value] = result.get(value, self.encoding.false) | (s & where)
        return nonempty(result, self.encoding.false)

    def now(self, field: BitField) -> ValuePartition:
        """The states for each value of a field; where it has been given a value since (`changed`), of that one."""
        return self.changed.get(field.name) or dict(field.equals)

    def condition(self, e: Expr, thread: int) -> StateSet:
        """The states in which the expression is not 0."""
        found = self.encoding.false
        for v, s in self.partition(e, thread).items():
            if v:
                found |= s
        return found

    def wild(self, e: Expr, thread: int) -> StateSet:
        """The (valid) states in which evaluating the expression indexes outside an array."""
        found = self.encoding.true
        for s in self.partition(e, thread).values():
            found &= ~s
        for v in reads(e):
            field = self.encoding.find(v.name, None, thread) if isinstance(v, Var) else None
            if field is not None:
                found &= field.valid
            elif isinstance(v, Element):
                for (name, _), f in self.encoding.shared.items():
                    found &= f.valid if name == v.array else self.encoding.true
                for (name, _), f in self.encoding.locals[thread].items():
                    found &= f.valid if name == v.array else self.encoding.true
        return found


def _operand(left: int, right: int, name: str, index: int | None) -> int:
    return left if name == "a" else right


def nonempty(parts: ValuePartition, false: StateSet) -> ValuePartition:
    return {v: s for v, s in parts.items() if s != false}
