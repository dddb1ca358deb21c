"""States of a finite system as bits: each location and each cell is a field of a few bits of a decision diagram (CUDD, `dd`).

The order of the fields follows the threads, with the elements of arrays beside the thread of the same number.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from dd import cudd

from circ.finite.system import ATOMIC, FiniteCell, FiniteSystem, GlobalStore, LocalStore
from frontend.records import dataclass

StateSet: TypeAlias = Any
"""A set of states: a node of the manager. `dd` carries no static types."""


@dataclass(frozen=True, slots=True)
class BitField:
    """A location or cell: its values, its bits (first is most significant), and the states for each value."""

    name: str
    values: tuple[int, ...]
    bits: tuple[str, ...]
    equals: Mapping[int, StateSet]
    valid: StateSet

    def cube(self, value: int) -> dict[str, bool]:
        code = self.values.index(value)
        return {b: bool(code >> (len(self.bits) - 1 - n) & 1) for n, b in enumerate(self.bits)}


class BitEncoding:
    """The fields of a closed finite system in a manager of its own; `primed` adds a copy of every bit, for relations."""

    def __init__(self, system: FiniteSystem, primed: bool = False) -> None:
        self.system = system
        self.manager = cudd.BDD()
        self.manager.configure(reordering=False)
        self.true, self.false = self.manager.true, self.manager.false
        self.owner = system.threads
        """For each thread the number of its group."""
        self.shared: dict[tuple[str, int | None], BitField] = {}
        self.fields: list[list[BitField]] = [[] for _ in self.owner]
        """For each thread its location, then its cells."""
        self.locals: list[dict[tuple[str, int | None], BitField]] = [{} for _ in self.owner]
        self._declare(primed)
        self.ghost = self.shared.get((ATOMIC, None))
        """Whether a thread is at an atomic location."""

    def _declare(self, primed: bool) -> None:
        count = len(self.owner)
        beside: list[list[FiniteCell]] = [[] for _ in range(count)]
        first: list[FiniteCell] = []
        for c in self.system.globals:
            (beside[c.element] if c.element is not None and c.element < count else first).append(c)
        for c in first:
            self.shared[c.name, c.element] = self._field(str(c), c.values, primed)
        for t, g in enumerate(self.owner):
            group = self.system.groups[g]
            for c in beside[t]:
                self.shared[c.name, c.element] = self._field(str(c), c.values, primed)
            self.fields[t].append(self._field(f"{t}@", group.locations, primed))
            for c in group.cells:
                field = self._field(f"{t}.{c}", c.values, primed)
                self.fields[t].append(field)
                self.locals[t][c.name, c.element] = field

    def _field(self, name: str, values: tuple[int, ...], primed: bool) -> BitField:
        width = max(0, (len(values) - 1).bit_length())
        bits = tuple(f"{name}:{n}" for n in range(width))
        for b in bits:
            self.manager.declare(b)
            if primed:
                self.manager.declare(b + "'")
        equals = {}
        for code, value in enumerate(values):
            equals[value] = self.manager.cube({b: bool(code >> (width - 1 - n) & 1) for n, b in enumerate(bits)})
        valid = self.false
        for e in equals.values():
            valid |= e
        return BitField(name, values, bits, equals, valid)

    def all_fields(self) -> list[BitField]:
        return [*self.shared.values(), *(f for fields in self.fields for f in fields)]

    def bits(self) -> list[str]:
        return [b for f in self.all_fields() for b in f.bits]

    def start(self) -> StateSet:
        """The start states."""
        found = self.true
        for c in self.system.globals:
            found &= self.any_of(self.shared[c.name, c.element], c.start)
        for t, g in enumerate(self.owner):
            group = self.system.groups[g]
            found &= self.fields[t][0].equals[group.start]
            alive = group.live[group.start]
            for c, f in zip(group.cells, self.fields[t][1:], strict=True):
                found &= self.any_of(f, c.start) if c.name in alive else f.valid
        return found

    def any_of(self, field: BitField, values: Iterable[int]) -> StateSet:
        """The states in which the field has one of the values."""
        found = self.false
        for v in values:
            found |= field.equals[v]
        return found

    def find(self, name: str, index: int | None, thread: int) -> BitField | None:
        """The field of a scalar or an element as the thread sees it; None for an element that there is not."""
        return self.locals[thread].get((name, index)) or self.shared.get((name, index))

    def pick(self, states: StateSet) -> tuple[GlobalStore, tuple[LocalStore, ...]]:
        """One of the states, always the same one."""
        now = states
        picked: dict[str, int] = {}
        for f in self.all_fields():
            for v in f.values:
                rest = now & f.equals[v]
                if rest != self.false:
                    now = rest
                    picked[f.name] = v
                    break
        store = tuple(picked[self.shared[c.name, c.element].name] for c in self.system.globals)
        return store, tuple(tuple(picked[f.name] for f in fields) for fields in self.fields)

    def bits_of(self, store: GlobalStore, locals_: Sequence[LocalStore]) -> dict[str, bool]:
        """The bits of one state."""
        cube: dict[str, bool] = {}
        for c, v in zip(self.system.globals, store, strict=True):
            cube.update(self.shared[c.name, c.element].cube(v))
        for fields, local in zip(self.fields, locals_, strict=True):
            for f, v in zip(fields, local, strict=True):
                cube.update(f.cube(v))
        return cube

    def contains(self, states: StateSet, store: GlobalStore, locals_: Sequence[LocalStore]) -> bool:
        """Whether this state is one of them."""
        return bool(self.manager.let(self.bits_of(store, locals_), states) == self.true)

    def peak(self) -> int:
        """The largest number of nodes so far."""
        with warnings.catch_warnings():
            # dd announces a change of another entry on every call.
            warnings.simplefilter("ignore")
            return int(self.manager.statistics(exact_node_count=False)["peak_live_nodes"])
