"""All pairs of threads that can be at two places at once, with what is known of the tracked globals then: a least fixpoint.

The obligations of a `pairs` certificate (`circ.kernel.pairs`), read as rules: S1 and S2 move one thread of a pair, T1 and T2
let a third one change the globals. What they add up to is inductive by construction. A thread state is a region with values
of its own tracked cells; a pair has up to `most` states of the globals, which are joined when there would be more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeAlias

from circ.static.regions import CELL, ENTERS, Regions, start_value
from circ.static.values import CellValues, anything, join, meet, within
from frontend.program import AllAt, Program, name_of

MOST_VARIANTS = 8
"""States of own cells that are told apart in one region."""

RegionThread: TypeAlias = tuple[int, int, CellValues]
"""Template, region, own cells."""


class TooMuch(Exception):
    """The effort is spent."""


class OpenPair(Exception):
    """Two threads can be where the question forbids it, as far as is known."""

    def __init__(self, one: RegionThread, two: RegionThread) -> None:
        super().__init__()
        self.one, self.two = one, two


class Lattice:
    """States as numbers, so that operations on them are done once; -1 is the impossible state."""

    def __init__(self, top: CellValues) -> None:
        self.top = top
        self.states: list[CellValues] = []
        self.said: list[int] = []
        """For each state a mask of the cells about which it says something, and `ENTERS`."""
        self.joined = False
        """Whether states had to be joined because there were too many."""
        self._number: dict[CellValues, int] = {}
        self._met: dict[tuple[int, int], int] = {}
        self._within: dict[tuple[int, int], bool] = {}

    def number(self, state: CellValues) -> int:
        n = self._number.setdefault(state, len(self.states))
        if n == len(self.states):
            self.states.append(state)
            self.said.append(sum(CELL << k for k, v in enumerate(state) if v != self.top[k]) | ENTERS)
        return n

    def meet(self, a: int, b: int) -> int:
        if a == b:
            return a
        n = self._met.get((a, b))
        if n is None:
            both = meet(self.states[a], self.states[b])
            n = self._met[a, b] = -1 if both is None else self.number(both)
        return n

    def within(self, a: int, b: int) -> bool:
        if a == b:
            return True
        answer = self._within.get((a, b))
        if answer is None:
            answer = self._within[a, b] = within(self.states[a], self.states[b])
        return answer

    def include(self, states: list[int], n: int, most: int) -> bool:
        """Adds a state to those known, in place; False if it is covered already."""
        for s in states:
            if self.within(n, s):
                return False
        states[:] = [s for s in states if not self.within(s, n)]
        states.append(n)
        if len(states) > most:
            self.joined = True
            states[:] = [self.number(reduce(join, (self.states[s] for s in states)))]
        return True


class Pairing:
    """`pairs[i, j]`, i <= j: states of the globals in which threads i and j (numbers in `threads`) may meet;
    `holders[i, j, k]`: the same while a third thread is in the atomic state k. States are numbers in `lattice`.

    `forbidden` says whether two threads may not meet in a state; `known` adds to a state what else is certain of it while
    there are these threads (None: it is impossible).
    """

    def __init__(
        self, program: Program, regions: Sequence[Regions], most: int, effort: int,
        forbidden: Callable[[RegionThread, RegionThread, CellValues], bool],
        known: Callable[[CellValues, Sequence[RegionThread]], CellValues | None] | None = None,
    ) -> None:
        self.program, self.regions, self.most, self.effort = program, regions, most, effort
        self.forbidden, self.known = forbidden, known
        self.price = 1 + len(regions[0].globals) // 8
        self.lattice = Lattice(tuple(anything(v.type) for v in regions[0].globals))
        self.count = [t.count for t in program.templates]
        self.names = [t.name for t in program.templates]
        self.threads: list[RegionThread] = []
        self.template: list[int] = []
        self.atomic: list[bool] = []
        self.changes: list[int] = []
        """For each thread state a mask of the cells that its next steps may write; `ENTERS` about atomic sections."""
        self.near: list[dict[int, None]] = []
        self.pairs: dict[tuple[int, int], list[int]] = {}
        self.holders: dict[tuple[int, int, int], list[int]] = {}
        self._number: dict[RegionThread, int] = {}
        self._variants: dict[tuple[int, int], list[CellValues]] = {}
        self._moves: dict[tuple[int, int], list[tuple[int, int, bool, tuple[AllAt, ...]]]] = {}
        self._todo: deque[tuple[int, int]] = deque()
        self._thirds: deque[tuple[int, int, int]] = deque()
        self._waiting: set[tuple[int, ...]] = set()

    def run(self) -> None:
        """Everything that the rules reach; raises OpenPair for a pair that is forbidden, TooMuch beyond the effort."""
        variables = {v.name: v for v in self.program.globals}
        g = self.lattice.number(tuple(start_value(variables[name_of(v)], v) for v in self.regions[0].globals))
        starts = [self._thread(t, r.cfa.start, r.start()) for t, r in enumerate(self.regions)]
        for i in starts:
            for j in starts:
                if i <= j and self._exist(i, j):
                    self._add(i, j, g)
        while self._todo or self._thirds:
            if self._todo:
                i, j = self._todo.popleft()
                self._waiting.discard((i, j))
                self._pair(i, j)
            else:
                # What the two threads do by themselves comes first, so that thirds are asked seldom.
                i, j, c = self._thirds.popleft()
                self._waiting.discard((i, j, c))
                self._third(i, j, c)

    # ----------------------------------------------------------------------------------------------- the rules
    def _pair(self, i: int, j: int) -> None:
        for a, b in ((i, j), (j, i)) if i != j else ((i, j),):
            if self.atomic[b]:
                continue
            for g in tuple(self.pairs[i, j]):
                for to, after, _, guards in self._steps(a, g):
                    if not (guards and self._blocked(guards, b)):
                        self._add(to, b, after)
            if self.changes[a]:
                for d in self._near_both(a, b):
                    if not self.atomic[d]:
                        self._beside(b, d, a)
        if not self.atomic[i] and not self.atomic[j]:
            for c in self._near_both(i, j):
                if self.changes[c]:
                    self._beside(i, j, c)

    def _near_both(self, a: int, b: int) -> list[int]:
        """Third threads that may be there beside each of the two."""
        near, template, count = self.near[a], self.template, self.count
        both = [d for d in self.near[b] if d in near]
        for t in {template[a], template[b]}:
            room = count[t]
            if room is not None and room < 1 + (t == template[a]) + (t == template[b]):
                both = [d for d in both if template[d] != t]
        return both

    def _beside(self, i: int, j: int, c: int) -> None:
        """Later: what c does beside i and j, if that can change anything that is known of them."""
        if i > j:
            i, j = j, i
        states = self.pairs.get((i, j))
        if states is None or (i, j, c) in self._waiting:
            return
        changes, said = self.changes[c], self.lattice.said
        for s in states:
            if said[s] & changes:
                self._waiting.add((i, j, c))
                self._thirds.append((i, j, c))
                return

    def _third(self, i: int, j: int, c: int) -> None:
        """A step of c beside i <= j, neither of them at an atomic location."""
        changes = self.changes[c]
        together = self.holders.get((i, j, c)) if self.atomic[c] else \
            [s for s in self.pairs[i, j] if self.lattice.said[s] & changes]
        if not together:
            return
        firsts, seconds = self.pairs[_ordered(i, c)], self.pairs[_ordered(j, c)]
        states = {g: None for a in together for b in firsts for d in seconds
                  if (e := self.lattice.meet(a, b)) >= 0 and (g := self.lattice.meet(e, d)) >= 0}
        for g in states:
            if self.known is not None:
                g = self._known(g, i, j, c)
                if g < 0:
                    continue
            for to, after, writes, guards in self._steps(c, g):
                if guards and (self._blocked(guards, i) or self._blocked(guards, j)):
                    continue
                if self.atomic[to]:
                    self._add_holder(i, j, to, after)
                elif writes or self.atomic[c]:
                    self._add(i, j, after)

    def _steps(self, a: int, g: int) -> list[tuple[int, int, bool, tuple[AllAt, ...]]]:
        self._spend()
        known = self._moves.get((a, g))
        if known is None:
            t, region, own = self.threads[a]
            view = self.regions[t]
            known = self._moves[a, g] = []
            for move in view.moves[region]:
                for after, mine in view.step(move, self.lattice.states[g], own):
                    self._spend()
                    known.append((self._thread(t, move.to, mine), self.lattice.number(after), move.writes, move.guards))
        return known

    # ----------------------------------------------------------------------------------------------- bookkeeping
    def _add(self, i: int, j: int, g: int) -> None:
        if i > j:
            i, j = j, i
        if self.known is not None:
            g = self._known(g, i, j)
            if g < 0:
                return
        states = self.pairs.get((i, j))
        if states is None:
            states = self.pairs[i, j] = []
        elif g in states:
            return
        if not self.lattice.include(states, g, self.most):
            return
        if self.forbidden(self.threads[i], self.threads[j], self.lattice.states[states[-1]]):
            raise OpenPair(self.threads[i], self.threads[j])
        self.near[i][j] = None
        self.near[j][i] = None
        if (i, j) not in self._waiting:
            self._waiting.add((i, j))
            self._todo.append((i, j))

    def _known(self, g: int, *threads: int) -> int:
        assert self.known is not None
        state = self.known(self.lattice.states[g], [self.threads[i] for i in threads])
        return -1 if state is None else self.lattice.number(state)

    def _add_holder(self, i: int, j: int, c: int, g: int) -> None:
        states = self.holders.setdefault((i, j, c), [])
        if self.lattice.include(states, g, self.most):
            self._beside(i, j, c)

    def _thread(self, t: int, region: int, own: CellValues) -> int:
        """The number of a thread state; beyond the most variants of a region their join stands for it."""
        state = (t, region, own)
        if state not in self._number:
            variants = self._variants.setdefault((t, region), [])
            if len(variants) >= MOST_VARIANTS:
                state = (t, region, reduce(join, variants, own))
            if state not in self._number:
                variants.append(state[2])
                self._number[state] = len(self.threads)
                self.threads.append(state)
                self.template.append(t)
                self.near.append({})
                view = self.regions[t]
                atomic = region in view.cfa.atomic
                self.atomic.append(atomic)
                self.changes.append(view.written[region] | (ENTERS if atomic or any(
                    m.to in view.cfa.atomic for m in view.moves[region]) else 0))
        return self._number[state]

    def _exist(self, *threads: int) -> bool:
        templates = [self.template[i] for i in threads]
        for t in templates:
            n = self.count[t]
            if n is not None and templates.count(t) > n:
                return False
        return True

    def _blocked(self, guards: tuple[AllAt, ...], other: int) -> bool:
        t, region, _ = self.threads[other]
        return any(g.template == self.names[t] and region not in g.locations for g in guards)

    def _spend(self) -> None:
        """A step costs more the more cells there are."""
        self.effort -= self.price
        if self.effort < 0:
            raise TooMuch


def _ordered(i: int, j: int) -> tuple[int, int]:
    return (i, j) if i <= j else (j, i)
