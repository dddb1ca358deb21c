"""Explicit steps of a finite system: start stores, successors of a thread's state, the marks it has there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from circ.finite.system.effects import Execution, PreparedTransition, TransitionEffect, plans
from circ.finite.system.expression_values import ReadCell, evaluate
from circ.finite.system.layout import CellLayout, listed
from circ.finite.system.open_values import OPEN_LIMIT, OpenValues
from circ.finite.system.transition_system import FATAL, ErrorShape, FiniteSystem, GlobalStore, LocalStore, Transition
from frontend.program import Ints

ALONE = 16 * OPEN_LIMIT
"""States of a thread that runs alone to find out whether open cells have few values."""

Successor: TypeAlias = tuple[Transition, tuple[int, ...], GlobalStore, LocalStore]
"""The transition, what its havocs chose, and the stores after it."""


class Stepper:
    """Explicit successors of thread states; they are remembered, and so is what a move does for each value of what it reads."""

    def __init__(self, system: FiniteSystem) -> None:
        self.system = system
        self.math = system.program.ints == Ints.MATH
        self._layout = CellLayout(system)
        self._values = OpenValues(system, self._layout)
        self._plans = [plans(system, self._layout, i) for i in range(len(system.groups))]
        self._width = self._layout.width
        self._ghost = self._width - 1 if system.has_atomic else None
        self._effects: dict[tuple[object, ...], tuple[TransitionEffect | str, ...]] = {}
        self._after: dict[tuple[int, GlobalStore, LocalStore], tuple[Successor, ...]] = {}
        self._marks: dict[tuple[int, GlobalStore, LocalStore], frozenset[ErrorShape]] = {}

    # ----------------------------------------------------------------------------------------------- stores
    def starts(self) -> tuple[list[GlobalStore], list[list[LocalStore]]]:
        """All global stores and, for each group, all local stores at the start."""
        what = "too many start states to list"
        stores = list(listed([c.start for c in self.system.globals], what))
        locals_ = [[(g.start, *values) for values in listed([c.start for c in g.cells], what)] for g in self.system.groups]
        return stores, locals_

    def entered(self, i: int, values: Mapping[str, int]) -> LocalStore:
        """The local store at the start of group `i`'s function with these parameters; what is dead has its first value."""
        group = self.system.groups[i]
        return self.resumed(i, group.start, (0, *(c.values[0] for c in group.cells)), values)

    def resumed(self, i: int, location: int, local: LocalStore, values: Mapping[str, int]) -> LocalStore:
        """A local store moved to another location, some of its scalars changed."""
        cells = self.system.groups[i].cells
        new = [location, *(values.get(c.name, v) for c, v in zip(cells, local[1:], strict=True))]
        for n, c in enumerate(cells):
            if c.name in values and (normal := c.normal(new[n + 1])) is not None:
                new[n + 1] = normal
            if c.open:
                self._values.note(i, self._width + n, new[n + 1])
        self._settle(i, location, [0] * self._width, new)
        return tuple(new)

    def closed(self) -> FiniteSystem:
        """The system with the values found so far as the domains of its open cells; sound after an exhaustive run."""
        return self._values.closed()

    def reader(self, i: int, g: GlobalStore, local: LocalStore) -> ReadCell:
        """Reads the state as a thread of group `i` sees it."""
        return self._layout.reader(i, g, local)

    # ----------------------------------------------------------------------------------------------- steps
    def allowed(self, i: int, g: GlobalStore, local: LocalStore) -> bool:
        """Whether no *other* thread is at an atomic location."""
        return self._ghost is None or g[self._ghost] == 0 or local[0] in self.system.groups[i].atomic

    def successors(self, i: int, g: GlobalStore, local: LocalStore) -> tuple[Successor, ...]:
        """Steps of a thread of group `i`."""
        found = self._after.get((i, g, local))
        if found is None:
            found = self._after[i, g, local] = tuple(self._successors(i, g, local))
        return found

    def _successors(self, i: int, g: GlobalStore, local: LocalStore) -> Iterator[Successor]:
        width = self._width
        for plan, effects in self._outcomes(i, g, local):
            for effect in effects:
                if isinstance(effect, str):
                    continue
                new_g, new_l = list(g), list(local)
                for slot, value in effect[0]:
                    if slot < width:
                        new_g[slot] = value
                    else:
                        new_l[slot - width + 1] = value
                self._settle(i, plan.move.target, new_g, new_l)
                yield plan.move, effect[1], tuple(new_g), tuple(new_l)

    def run_alone(self, i: int, g: GlobalStore, local: LocalStore) -> None:
        """A thread of group `i` runs for a while, nobody else does: a counter without a bound is soon seen to have none."""
        seen = {(g, local)}
        todo = [(g, local)] if self.system.has_open else []
        while todo and len(seen) < ALONE:
            for _, _, g2, local2 in self._successors(i, *todo.pop()):
                if (g2, local2) not in seen:
                    seen.add((g2, local2))
                    todo.append((g2, local2))

    def escape(self, i: int, g: GlobalStore, local: LocalStore) -> str | None:
        """How a step of the thread would leave the finite view, None if none does."""
        return next((e for _, effects in self._outcomes(i, g, local) for e in effects if isinstance(e, str)), None)

    def _outcomes(self, i: int, g: GlobalStore,
                  local: LocalStore) -> Iterator[tuple[PreparedTransition, tuple[TransitionEffect | str, ...]]]:
        """What each move can do here; a text says how it would leave the finite view."""
        if not self.allowed(i, g, local):
            return
        for plan in self._plans[i][local[0]]:
            key = (i, id(plan), *(g[s] for s in plan.support[0]), None, *(local[s + 1] for s in plan.support[1]))
            found = self._effects.get(key)
            if found is None:
                different: dict[object, TransitionEffect | str] = {}
                for effect in Execution(self._layout, self._values, self.math, i, plan, g, local).effects():
                    different.setdefault(effect if isinstance(effect, str) else effect[0], effect)
                found = self._effects[key] = tuple(different.values())
            yield plan, found

    def _settle(self, i: int, target: int, g: list[int], local: list[int]) -> None:
        """Puts the thread at `target`: dead locals get their first values, the ghost says whether it is in a section."""
        group = self.system.groups[i]
        local[0] = target
        alive = group.live[target]
        for j, c in enumerate(group.cells):
            if c.name not in alive:
                local[j + 1] = c.values[0]
        if self._ghost is not None:
            g[self._ghost] = int(target in group.atomic)

    # ----------------------------------------------------------------------------------------------- errors
    def marks(self, i: int, g: GlobalStore, local: LocalStore) -> frozenset[ErrorShape]:
        """The shapes that a thread of group `i` has in this state; one that can leave the finite view is FATAL."""
        key = (i, g, local)
        found = self._marks.get(key)
        if found is None:
            read = self.reader(i, g, local)
            found = frozenset(m.shape for m in self.system.groups[i].marks if m.location == local[0]
                              and evaluate(m.guard, read, self.math)
                              and (m.index is None or evaluate(m.index, read, self.math) == m.value))
            if self.escape(i, g, local) is not None:
                found |= {FATAL}
            self._marks[key] = found
        return found

    def bad(self, g: GlobalStore) -> bool:
        """Whether an invariant is false of the globals."""
        return any(not evaluate(c, self.reader(0, g, ()), self.math) for c in self.system.invariants)
