"""The thread-modular fixpoint on decision diagrams, with parts of the local stores exposed.

R_j is a set over all threads' bits that is *closed* in the others: it tells two local stores of thread k apart only if
their values are in different classes of k. With one class each this is the thread-modular algorithm; the auxiliary
variables of "Thread-Modular Model Checking with Iterative Refinement" (Meng, He, Wang, Liu 2012) need no bits of their
own, and the join of all R_j is their conjunction J.

A round takes J, lets one thread after the other run alone, and closes what they reach for every j. Closing for all j at once
halves the threads recursively, so that n threads cost n log n closures of one thread, not n^2. The least fixpoint is that
of the paper's rules, or smaller: the paper lets a thread step from its own R alone, here it steps from the join.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from circ.finite.symbolic.encoding import BitField, StateSet
from circ.finite.symbolic.symbolic_system import SymbolicSystem

ValueClasses: TypeAlias = tuple[tuple[tuple[int, ...], ...], ...]
"""For each field of a thread (location first) its values divided into classes."""


def hidden(symbolic: SymbolicSystem) -> list[ValueClasses]:
    """Nothing is exposed."""
    return [tuple((f.values,) for f in fields) for fields in symbolic.fields]


def exposed(symbolic: SymbolicSystem) -> list[ValueClasses]:
    """Everything is exposed."""
    return [tuple(tuple((v,) for v in f.values) for f in fields) for fields in symbolic.fields]


class SymbolicModular:
    """The sets R_j for given classes, and their join."""

    def __init__(self, symbolic: SymbolicSystem, classes: list[ValueClasses], tick: Callable[[], None]) -> None:
        self.symbolic = symbolic
        self.tick = tick
        self.count = len(symbolic.fields)
        self._hidden = [tuple(b for f, parts in zip(fields, own, strict=True) if len(parts) == 1 for b in f.bits)
                        for fields, own in zip(symbolic.fields, classes, strict=True)]
        self._shown: list[list[tuple[BitField, list[StateSet]]]] = []
        for fields, own in zip(symbolic.fields, classes, strict=True):
            shown = []
            for f, parts in zip(fields, own, strict=True):
                # Nothing is closed where every value is a class of its own.
                if 1 < len(parts) < len(f.values):
                    shown.append((f, [self._union(f, part) for part in parts]))
            self._shown.append(shown)
        self.reached: list[StateSet] = []
        self.rounds = 0

    def _union(self, field: BitField, values: tuple[int, ...]) -> StateSet:
        found = self.symbolic.false
        for v in values:
            found |= field.equals[v]
        return found

    def run(self) -> SymbolicModular:
        """The least sets R_j that contain the start and are closed under all steps."""
        s = self.symbolic
        exclusive = s.exclusive()
        self.reached = [s.false] * self.count
        new = s.start()
        self.join = s.false
        while True:
            self.rounds += 1
            self.tick()
            before = list(self.reached)
            self._spread(list(range(self.count)), new)
            if self.reached == before:
                return self
            self.join = exclusive
            for r in self.reached:
                self.join &= r
            new = self.join
            for t in range(self.count):
                new |= self._alone(t, new)
            new &= ~self.join

    def _alone(self, thread: int, states: StateSet) -> StateSet:
        """What the thread reaches from `states` while nobody else steps; without `states` themselves."""
        s = self.symbolic
        found, front = states, states
        while front != s.false:
            self.tick()
            after = s.false
            for commands in s.moves[thread]:
                after |= s.image(front, commands)
            front = after & ~found
            found |= front
        return found & ~states

    def _spread(self, threads: list[int], states: StateSet) -> None:
        """Adds to each R_j of `threads` the states, closed in all other threads; the rest is closed already."""
        if states == self.symbolic.false:
            return
        if len(threads) == 1:
            self.reached[threads[0]] |= states
            return
        middle = len(threads) // 2
        for mine, others in ((threads[:middle], threads[middle:]), (threads[middle:], threads[:middle])):
            self._spread(mine, self._closed(states, others))

    def _closed(self, states: StateSet, threads: list[int]) -> StateSet:
        """The least superset that does not tell local stores of `threads` in the same classes apart."""
        s = self.symbolic
        now = s.manager.exist([b for t in threads for b in self._hidden[t]], states)
        for t in threads:
            for field, parts in self._shown[t]:
                after = s.false
                for part in parts:
                    after |= s.manager.exist(field.bits, now & part) & part
                now = after
        return now


def split(symbolic: SymbolicSystem, classes: list[ValueClasses], states: StateSet) -> list[ValueClasses]:
    """The classes divided by the essential predicates of `states`: values with different cofactors come apart.

    A value is essential where changing it leads out of the set; values with one cofactor are never told apart by it, so
    a class of values is exposed instead of each value (n predicates instead of 2n on a mutual exclusion).
    """
    refined = []
    for fields, own in zip(symbolic.fields, classes, strict=True):
        parts = []
        for f, old in zip(fields, own, strict=True):
            cofactors = {v: symbolic.manager.let(f.cube(v), states) if f.bits else states for v in f.values}
            fresh: list[tuple[int, ...]] = []
            for part in old:
                groups: list[tuple[StateSet, list[int]]] = []
                for v in part:
                    for known, members in groups:
                        if known == cofactors[v]:
                            members.append(v)
                            break
                    else:
                        groups.append((cofactors[v], [v]))
                fresh.extend(tuple(members) for _, members in groups)
            parts.append(tuple(sorted(fresh)))
        refined.append(tuple(parts))
    return refined


def predicates(classes: list[ValueClasses]) -> int:
    """How many predicates the classes amount to: one less than the classes of each field."""
    return sum(len(parts) - 1 for own in classes for parts in own)
