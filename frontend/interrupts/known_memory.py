"""What is known of every variable while a program's initialisation is executed: values, bits of values, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from frontend.interrupts.known_bits import UNKNOWN, Bits, evaluate, number, value_of
from frontend.program import Const, Element, Expr, Lvalue, Values, Var, Variable, substitute
from frontend.program.fold import fold

_LARGEST_ARRAY = 1024


class KnownMemory:
    """Arrays are known by element: one that is missing is not known. Large arrays are not followed."""

    def __init__(self, variables: Iterable[Variable]) -> None:
        self._variables = {v.name: v for v in variables}
        self._scalars: dict[str, Bits] = {v.name: _scalar(v) for v in self._variables.values() if not v.is_array}
        self._arrays: dict[str, dict[int, Bits]] = {v.name: _array(v) for v in self._variables.values() if v.is_array}
        self._owned: set[str] = set()
        """Arrays that no copy of this memory shares."""

    def copy(self) -> KnownMemory:
        other = object.__new__(KnownMemory)
        other._variables = self._variables
        other._scalars, other._arrays, other._owned = dict(self._scalars), dict(self._arrays), set()
        self._owned.clear()
        return other

    def read(self, v: Lvalue) -> Bits:
        if isinstance(v, Var):
            return self._scalars[v.name]
        index = self.value(v.index)
        return UNKNOWN if index is None else self._arrays[v.array].get(index, UNKNOWN)

    def bits(self, e: Expr) -> Bits:
        return evaluate(e, self.read)

    def value(self, e: Expr) -> int | None:
        """An expression's value, if all of it is known."""
        return value_of(evaluate(e, self.read), e.type)

    def write(self, v: Lvalue, bits: Bits) -> None:
        if isinstance(v, Var):
            self._scalars[v.name] = bits
            return
        index = self.value(v.index)
        if index is None:
            self.forget(v.array)
            return
        if not 0 <= index < (self._variables[v.array].length or 0):
            self.forget(v.array)
            return
        if v.array not in self._owned:
            self._arrays[v.array] = dict(self._arrays[v.array])
            self._owned.add(v.array)
        if (self._variables[v.array].length or 0) <= _LARGEST_ARRAY:
            self._arrays[v.array][index] = bits

    def forget(self, name: str) -> None:
        """The variable, or all of the array, may have any value."""
        if name in self._scalars:
            self._scalars[name] = UNKNOWN
        else:
            self._arrays[name] = {}
            self._owned.add(name)

    def is_whole(self, name: str) -> bool:
        """Whether all of a variable or array is known."""
        v = self._variables[name]
        if not v.is_array:
            return value_of(self._scalars[name], v.type) is not None
        found = self._arrays[name]
        return len(found) == v.length and all(value_of(bits, v.type) is not None for bits in found.values())

    def is_large(self, name: str) -> bool:
        """Whether it is an array that is not followed."""
        return (self._variables[name].length or 0) > _LARGEST_ARRAY

    def resolved(self, e: Expr) -> Expr:
        """The expression with values in place of what is known."""
        def known(v: Lvalue) -> Expr | None:
            value = value_of(self.read(v), v.type)
            return None if value is None else Const(value, v.type)

        return fold(substitute(e, known))

    def place(self, v: Lvalue) -> Lvalue:
        """The same place with an index that is a number, if that is known."""
        return v if isinstance(v, Var) else Element(v.array, self.resolved(v.index), v.type)

    def differing(self, other: KnownMemory) -> set[str]:
        """The variables of which something else is known in another memory."""
        return {n for n, b in self._scalars.items() if b != other._scalars[n]} | {
            n for n, a in self._arrays.items() if a is not other._arrays[n] and a != other._arrays[n]}

    def join(self, other: KnownMemory) -> None:
        """Keeps what is known in both."""
        for name in self.differing(other):
            if name in self._scalars:
                self._scalars[name] = _common(self._scalars[name], other._scalars[name])
            else:
                theirs = other._arrays[name]
                self._arrays[name] = {i: _common(b, theirs[i]) for i, b in self._arrays[name].items() if i in theirs}
                self._owned.add(name)

    def start(self, name: str) -> Values:
        """A value that fits what is known, 0 wherever nothing is."""
        if name in self._scalars:
            return Values(self._variables[name].type.wrap(self._scalars[name][1]))
        t = self._variables[name].type
        return Values(0, tuple((i, t.wrap(bits[1])) for i, bits in sorted(self._arrays[name].items()) if bits[1]))


def _common(a: Bits, b: Bits) -> Bits:
    same = a[0] & b[0] & ~(a[1] ^ b[1])
    return same, a[1] & same


def _scalar(v: Variable) -> Bits:
    return number(v.start.default, v.type) if isinstance(v.start, Values) else UNKNOWN


def _array(v: Variable) -> dict[int, Bits]:
    if not isinstance(v.start, Values) or (v.length or 0) > _LARGEST_ARRAY:
        return {}
    changed: Mapping[int, int] = dict(v.start.elements)
    return {i: number(changed.get(i, v.start.default), v.type) for i in range(v.length or 0)}
