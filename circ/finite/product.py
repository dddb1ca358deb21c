"""Standard model checking of the product of finite threads, up to the symmetry of identical ones, breadth first.

It finds the shortest error trace of a finite system; the modular engines use it when their abstraction has become exact.
"""

from __future__ import annotations

from collections import deque
from typing import TypeAlias

from circ.finite.system import (
    FATAL,
    FiniteSystem,
    GlobalStore,
    LocalStore,
    OutOfDomain,
    Stepper,
    Transition,
    start_choices,
    trace_steps,
    verdict_of,
)
from circ.verdict import NO_STATISTICS, Options, Refuted, Statistics, Step, Unknown

ProductState: TypeAlias = tuple[GlobalStore, tuple[tuple[LocalStore, ...], ...]]
"""The globals and, for each group, the sorted local stores of its threads."""
Arrival: TypeAlias = tuple[ProductState, int, LocalStore, Transition, tuple[int, ...], LocalStore]


class Product:
    """Breadth-first search; `search` gives the verdict on the nearest error state, None if there is none."""

    def __init__(self, system: FiniteSystem, options: Options, stepper: Stepper | None = None) -> None:
        self.system = system
        self.options = options
        self.stepper = stepper or Stepper(system)
        self.came: dict[ProductState, Arrival | None] = {}

    def search(self, statistics: Statistics = NO_STATISTICS) -> Refuted | Unknown | None:
        todo: deque[ProductState] = deque()
        for state in self._starts():
            if state not in self.came:
                self.came[state] = None
                todo.append(state)
        while todo:
            state = todo.popleft()
            if len(self.came) % 256 == 0:
                self.options.check_time()
            if self.is_error(state):
                return self._verdict(state, statistics)
            g, crews = state
            for i, crew in enumerate(crews):
                for local in dict.fromkeys(crew):
                    for move, chosen, g2, local2 in self.stepper.successors(i, g, local):
                        new = (g2, (*crews[:i], _replaced(crew, local, local2), *crews[i + 1:]))
                        if new not in self.came:
                            if len(self.came) >= self.options.max_states:
                                raise OutOfDomain(f"more than {self.options.max_states} states")
                            self.came[new] = (state, i, local, move, chosen, local2)
                            todo.append(new)
        return None

    def is_error(self, state: ProductState) -> bool:
        """Whether an invariant is false, a thread has a fatal mark, or two different ones have conflicting marks."""
        g, crews = state
        if self.stepper.bad(g):
            return True
        marked = [m for i, crew in enumerate(crews) for local in crew if (m := self.stepper.marks(i, g, local))]
        if any(FATAL in m for m in marked):
            return True
        conflicts = self.system.conflicts
        return any((a, b) in conflicts for n, one in enumerate(marked) for two in marked[n + 1:] for a in one for b in two)

    def _starts(self) -> list[ProductState]:
        stores, locals_ = self.stepper.starts()
        crews: list[tuple[tuple[LocalStore, ...], ...]] = [()]
        for i, group in enumerate(self.system.groups):
            options: dict[tuple[LocalStore, ...], None] = {(): None}
            for _ in group.threads:
                options = dict.fromkeys(tuple(sorted((*o, local))) for o in options for local in locals_[i])
                if len(options) * len(stores) > self.options.max_states:
                    raise OutOfDomain("too many start states to list")
            crews = [(*c, o) for c in crews for o in options]
            if len(crews) * len(stores) > self.options.max_states:
                raise OutOfDomain("too many start states to list")
        return [(g, c) for g in stores for c in crews]

    def _verdict(self, state: ProductState, statistics: Statistics) -> Refuted | Unknown:
        """The run with names for the threads: any thread of the group in the right local store may take the step."""
        path: list[Arrival] = []
        at = state
        while (came := self.came[at]) is not None:
            path.append(came)
            at = came[0]
        g, crews = at
        now: list[LocalStore] = [()] * len(self.system.threads)
        for group, crew in zip(self.system.groups, crews, strict=True):
            for t, local in zip(group.threads, crew, strict=True):
                now[t] = local
        start = start_choices(self.system, g, tuple(now))
        steps: list[Step] = []
        for _, i, local, move, chosen, local2 in reversed(path):
            thread = next(t for t in self.system.groups[i].threads if now[t] == local)
            now[thread] = local2
            steps += trace_steps(self.system, thread, move, chosen)
        return verdict_of(self.system, self.stepper, state[0], tuple(now), start, tuple(steps), statistics)


def _replaced(crew: tuple[LocalStore, ...], old: LocalStore, new: LocalStore) -> tuple[LocalStore, ...]:
    left = list(crew)
    left.remove(old)
    left.append(new)
    return tuple(sorted(left))
