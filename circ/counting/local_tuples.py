"""The tuples of `arity` local states that can occur together, closed under steps of the threads in them and of one more.

One rule for every arity: a tuple and one more thread are possible together if all tuples made of them are. Arity 2 is the closure
of a `pairs` certificate, with the pairs beside a third thread inside an atomic section (`held`); arity 3 that of a `triples`
certificate, which knows no such thread. Triples are for what pairs cannot tell: two threads and a number beside them say
nothing of a third that the number counts too. Arity 1 is for the program's only thread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations, combinations_with_replacement, permutations
from typing import TypeAlias

from circ.abstraction.counters import ContextClass
from circ.counting.local_states import LocalStates

MOST = {1: 1_000_000, 2: 30_000, 3: 40_000}
"""Tuples of each arity, whatever the order of their threads."""
NAMES = {1: "single local states", 2: "pairs of local states", 3: "triples of local states"}
DISTURBED = {1: "the thread itself", 2: "two threads, disturbed by a third", 3: "three threads, disturbed by a fourth"}

Together: TypeAlias = tuple[int, tuple[ContextClass, ...]]
"""Globals, and local states in order."""
TogetherWithHolder: TypeAlias = tuple[int, tuple[ContextClass, ...], ContextClass]
"""Globals, local states in order, and that of a thread inside an atomic section."""


class CannotExpress(Exception):
    """Such tuples of threads do not exclude the error, or there are too many of them."""


class TooMany(CannotExpress):
    """There are too many of them."""


class LocalTuples:
    """`found` and `held`, once they are closed; raises CannotExpress if they show an error."""

    def __init__(self, states: LocalStates, arity: int, check_time: Callable[[], None], most: int | None = None) -> None:
        self.states, self.arity, self.most = states, arity, min(MOST[arity], most or MOST[arity])
        self.found: dict[Together, None] = {}
        self.held: dict[TogetherWithHolder, None] = {}
        self._beside: dict[tuple[int, tuple[ContextClass, ...]], dict[ContextClass, None]] = defaultdict(dict)
        """Which thread completes all but one of a tuple, by the others in any order."""
        self._queue: list[Together | TogetherWithHolder] = []
        for starts in combinations_with_replacement([key for key, _, _ in states.starts], arity):
            if all(n is None or starts.count(key) <= n for key, _, n in states.starts):
                self._add(states.start_globals, starts)
        for n, item in enumerate(self._queue):
            if n % 64 == 0:
                check_time()
            if len(item) == 2:
                self._expand(*item)
            else:
                self._disturb(*item)

    def _add(self, g: int, keys: tuple[ContextClass, ...]) -> None:
        keys = tuple(sorted(keys))
        if (g, keys) in self.found:
            return
        states = self.states
        if states.broken(g) or any(map(states.is_error, keys)) or any(
                states.clash(g, *pair) is not None for pair in permutations(keys, 2)):
            raise CannotExpress(DISTURBED[self.arity])
        self.found[g, keys] = None
        self._queue.append((g, keys))
        if max(len(self.found), len(self.held)) > self.most:
            raise TooMany(f"more than {self.most} {NAMES[self.arity]}")
        for one, *others in permutations(keys):
            self._beside[g, tuple(others)][one] = None

    def _expand(self, g: int, keys: tuple[ContextClass, ...]) -> None:
        """Steps of each thread of the tuple, and of each that may be there beside all of them."""
        states = self.states
        for i, mover in enumerate(keys):
            others = keys[:i] + keys[i + 1:]
            if not any(map(states.atomic, others)):
                for g2, after in self._steps(g, mover, others):
                    self._add(g2, (after, *others))
        if any(map(states.atomic, keys)) or states.total == self.arity:
            return
        for more in self._completing(g, keys):
            if not states.atomic(more) and states.exist(*keys, more):
                everyone = (*keys, more)
                for i, mover in enumerate(everyone):
                    self._disturb(g, everyone[:i] + everyone[i + 1:], mover)

    def _completing(self, g: int, keys: tuple[ContextClass, ...]) -> list[ContextClass]:
        """The threads that may be there with every choice of all but one of these."""
        first, *rest = [self._beside[g, others] for others in dict.fromkeys(combinations(keys, self.arity - 1))]
        return [key for key in first if all(key in row for row in rest)]

    def _disturb(self, g: int, others: tuple[ContextClass, ...], mover: ContextClass) -> None:
        """A step of a thread beside the tuple: into or inside an atomic section, or one that changes the globals only."""
        for g2, after in self._steps(g, mover, others):
            if not self.states.atomic(after):
                self._add(g2, others)
            elif (held := (g2, tuple(sorted(others)), after)) not in self.held:
                self.held[held] = None
                self._queue.append(held)

    def _steps(self, g: int, mover: ContextClass, others: tuple[ContextClass, ...]) -> Iterator[tuple[int, ContextClass]]:
        for taken, g2, after in self.states.moves(mover, g):
            if not taken.guards or all(self.states.allows(taken.guards, key) for key in others):
                yield g2, after
