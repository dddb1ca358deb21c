"""Error states of many threads, seen through a few: a global store, and boxes that different threads' local stores are in.

A pattern stands for all states that contain it. Its predecessors are patterns too: a thread of the pattern takes the step,
or one outside it, which then joins. They are what the refinement of identical threads needs of the error states
(Algorithm 3 of "Thread-Modular Model Checking with Iterative Refinement"), whatever the number of threads.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from circ.finite.modular import CountedStore, JoinError, Modular, Parts
from circ.finite.system import FiniteSystem, GlobalStore, LocalStore, Stepper
from frontend.records import dataclass

ValueBox: TypeAlias = tuple[frozenset[int], ...]
"""A set of values for each part of a local store."""
Member: TypeAlias = tuple[int, ValueBox]
"""A group, and the box that a thread of it is in."""
StepsInto: TypeAlias = dict[GlobalStore, list[tuple[LocalStore, GlobalStore, LocalStore]]]
"""For a global store the steps that lead to it: the local store after, and both stores before."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Different threads in boxes while the globals are `store`."""

    store: GlobalStore
    members: tuple[Member, ...]

    def covers(self, other: Pattern) -> bool:
        """Whether every state that contains `other` contains this pattern."""
        if self.store != other.store or len(self.members) > len(other.members):
            return False
        return any(all(m[0] == o[0] and all(a >= b for a, b in zip(m[1], o[1], strict=True))
                       for m, o in zip(self.members, chosen, strict=True))
                   for chosen in itertools.permutations(other.members, len(self.members)))


def boxes(rows: Iterable[tuple[int, ...]]) -> list[tuple[frozenset[int], ...]]:
    """The rows as few boxes: two that differ in one column only become one."""
    found = [tuple(frozenset({v}) for v in row) for row in dict.fromkeys(rows)]
    changed = bool(found)
    while changed:
        changed = False
        for column in range(len(found[0])):
            joined: dict[tuple[frozenset[int], ...], frozenset[int]] = {}
            for box in found:
                key = (*box[:column], *box[column + 1:])
                joined[key] = joined.get(key, frozenset()) | box[column]
            if len(joined) < len(found):
                changed = True
                found = [(*key[:column], values, *key[column:]) for key, values in joined.items()]
    return found


class Patterns:
    """The error patterns of a system, grown backwards."""

    def __init__(self, system: FiniteSystem, stepper: Stepper, clashes: Iterable[JoinError]) -> None:
        self.system = system
        self.stepper = stepper
        self.known: dict[Pattern, None] = {}
        for c in clashes:
            sides = [[(i, box) for box in boxes(locals_)] for i, locals_ in c.members]
            for members in itertools.product(*sides):
                self.known[_pattern(c.store[0], members)] = None
        self._seen: tuple[Modular | None, dict[tuple[int, CountedStore, ValueBox], list[tuple[int, int]]]] = (None, {})
        self._steps: tuple[Modular | None, list[StepsInto]] = (None, [])

    def within(self, result: Modular, candidates: Iterable[Pattern] | None = None) -> list[Pattern]:
        """The patterns (all that are known, if none are named) that occur in the join of R."""
        stores: dict[GlobalStore, list[CountedStore]] = {}
        for store in dict.fromkeys(s for table in result.reached for s in table):
            stores.setdefault(store[0], []).append(store)
        wanted = self.known if candidates is None else candidates
        return [p for p in wanted if any(self._fits(result, s, p) for s in stores.get(p.store, ()))]

    def _fits(self, result: Modular, store: CountedStore, pattern: Pattern) -> bool:
        options = [self._classes(result, i, store, box) for i, box in pattern.members]
        for chosen in itertools.product(*options):
            if all(chosen.count((i, c)) <= (store[1][i][c] if result.classes.exposed(i) else self.system.groups[i].size)
                   for i, c in chosen):
                return True
        return False

    def _classes(self, result: Modular, i: int, store: CountedStore, box: ValueBox) -> list[tuple[int, int]]:
        """The classes of group `i` with local stores inside the box, in R."""
        if self._seen[0] is not result:
            self._seen = (result, {})
        found = self._seen[1].get((i, store, box))
        if found is None:
            inside = {result.classes.of(i, local) for local in result.reached[i].get(store, ()) if _inside(local, box)}
            found = self._seen[1][i, store, box] = [(i, c) for c in sorted(inside)]
        return found

    def at_start(self) -> bool:
        """Whether a start state contains a pattern."""
        stores, locals_ = self.stepper.starts()
        for p in self.known:
            crowded = any(sum(k == i for k, _ in p.members) > g.size for i, g in enumerate(self.system.groups))
            placed = all(any(_inside(local, box) for local in locals_[i]) for i, box in p.members)
            if p.store in stores and placed and not crowded:
                return True
        return False

    def grow(self, result: Modular, present: Iterable[Pattern]) -> bool:
        """Adds the predecessors that are in the join of R; whether any was new."""
        own = self._taken(result)
        fresh: dict[Pattern, None] = {}
        for p in present:
            for before in self._before(p, own):
                if not any(k.covers(before) for k in self.known):
                    fresh[before] = None
        found = self.within(result, fresh)
        self.known.update(dict.fromkeys(found))
        return bool(found)

    def _taken(self, result: Modular) -> list[StepsInto]:
        """The steps of each group from what is in R."""
        if self._steps[0] is not result:
            own: list[StepsInto] = [{} for _ in self.system.groups]
            for i, table in enumerate(result.reached):
                for g, local in dict.fromkeys((s[0], local) for s, locals_ in table.items() for local in locals_):
                    for _, _, g2, local2 in self.stepper.successors(i, g, local):
                        own[i].setdefault(g2, []).append((local2, g, local))
            self._steps = (result, own)
        return self._steps[1]

    def _before(self, p: Pattern, own: list[StepsInto]) -> Iterator[Pattern]:
        for n, (i, box) in enumerate(p.members):
            rest = (*p.members[:n], *p.members[n + 1:])
            steps = [(g, old) for new, g, old in own[i].get(p.store, ()) if _inside(new, box)]
            yield from self._joined(rest, i, steps)
        for i, table in enumerate(own):
            yield from self._joined(p.members, i, [(g, old) for _, g, old in table.get(p.store, ()) if g != p.store])

    def _joined(self, rest: tuple[Member, ...], i: int, steps: list[tuple[GlobalStore, LocalStore]]) -> Iterator[Pattern]:
        """The patterns in which a thread of group `i` is about to take one of the steps; nobody else is at an atomic location."""
        others = [(k, (box[0] - self.system.groups[k].atomic, *box[1:])) for k, box in rest]
        if not all(box[0] for _, box in others):
            return
        for g in dict.fromkeys(g for g, _ in steps):
            for box in boxes(old for g2, old in steps if g2 == g):
                yield _pattern(g, [*others, (i, box)])


def _inside(local: LocalStore, box: ValueBox) -> bool:
    return local[0] in box[0] and all(v in values for v, values in zip(local[1:], box[1:], strict=True))


def _pattern(g: GlobalStore, members: Iterable[Member]) -> Pattern:
    return Pattern(g, tuple(sorted(members, key=lambda m: (m[0], [sorted(s) for s in m[1]]))))


def split(parts: tuple[Parts, ...], present: Iterable[Pattern]) -> tuple[Parts, ...]:
    """The classes divided by the patterns: two values stay together if no member of a pattern tells them apart."""
    seen: list[list[dict[int, set[tuple[Pattern, int]]]]] = [[{} for _ in columns] for columns in parts]
    for pattern in present:
        for n, (i, box) in enumerate(pattern.members):
            for p, values in enumerate(box):
                for v in values:
                    seen[i][p].setdefault(v, set()).add((pattern, n))
    finer = []
    for columns, tables in zip(parts, seen, strict=True):
        made = []
        for column, table in zip(columns, tables, strict=True):
            keys: dict[tuple[int, frozenset[tuple[Pattern, int]]], int] = {}
            made.append(tuple((v, keys.setdefault((c, frozenset(table.get(v, ()))), len(keys))) for v, c in column))
        finer.append(tuple(made))
    return tuple(finer)
