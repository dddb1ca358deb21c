"""The least solution of the thread-modular rules (Flanagan, Qadeer, SPIN 2003, section 2.2), on explicit states.

R(t, g, l): thread t can be in local store l while the globals are g; G(t, g, g'): a step of t can change g to g'.

    AG INIT  R(t, g0, l0(t))
    AG STEP  R(t, g, l), T(t, g, l, g', l')   =>  R(t, g', l'), G(t, g, g')
    AG ENV   R(t, g, l), G(e, g, g'), e != t  =>  R(t, g', l)

(The paper's AG INIT writes ls where ls_0 is meant.) Two things are added, both exact:
- Identical threads have one R and one G. A step of *another* thread of the same group needs a second thread there.
- The global store may be extended by auxiliary variables, as "Thread-Modular Model Checking with Iterative Refinement"
  (Meng, He, Wang, Liu 2012) does: the local stores of a group are divided into classes, and the store counts how many
  threads are in each. With one class this is the plain algorithm; with one class for each local store it is the whole
  product up to symmetry.
Local stores at atomic locations exclude each other: at most one thread is at one.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import field
from typing import TypeAlias

from circ.finite.system import FATAL, ErrorShape, FiniteSystem, GlobalStore, LocalStore, OutOfDomain, Stepper
from circ.verdict import Options
from frontend.records import dataclass

Parts: TypeAlias = tuple[tuple[tuple[int, int], ...], ...]
"""For each part of a local store (its location first, then its cells): sorted pairs (value, class)."""
Counts: TypeAlias = tuple[tuple[int, ...], ...]
CountedStore: TypeAlias = tuple[GlobalStore, Counts]


def one_class(system: FiniteSystem) -> tuple[Parts, ...]:
    """Nothing is exposed: all local stores of a group are in one class."""
    return tuple(tuple(tuple((v, 0) for v in values) for values in columns(system, i)) for i in range(len(system.groups)))


def all_classes(system: FiniteSystem) -> tuple[Parts, ...]:
    """Everything is exposed."""
    return tuple(tuple(tuple((v, n) for n, v in enumerate(values)) for values in columns(system, i))
                 for i in range(len(system.groups)))


def columns(system: FiniteSystem, i: int) -> tuple[tuple[int, ...], ...]:
    """The values that each part of a local store of group `i` can have."""
    group = system.groups[i]
    return (group.locations, *(c.values for c in group.cells))


@dataclass(slots=True)
class Classes:
    """The class of each local store, as a number: the classes of its parts, mixed."""

    parts: tuple[Parts, ...]
    sizes: list[int] = field(default_factory=list)
    _tables: list[list[dict[int, int]]] = field(default_factory=list)
    _memo: list[dict[LocalStore, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for group in self.parts:
            self._tables.append([dict(column) for column in group])
            size = 1
            for column in group:
                size *= 1 + max(c for _, c in column)
            self.sizes.append(size)
            self._memo.append({})

    def of(self, i: int, local: LocalStore) -> int:
        if self.sizes[i] == 1:
            return 0
        found = self._memo[i].get(local)
        if found is None:
            found = 0
            for table, column, value in zip(self._tables[i], self.parts[i], local, strict=True):
                found = found * (1 + max(c for _, c in column)) + table[value]
            self._memo[i][local] = found
        return found

    def exposed(self, i: int) -> bool:
        return self.sizes[i] > 1


@dataclass(frozen=True, slots=True)
class JoinError:
    """Error states of the join: for each of up to two different threads its group, and the local stores it may be in.

    One thread has a fatal mark, two conflict, or (no thread) an invariant is false.
    """

    store: CountedStore
    members: tuple[tuple[int, tuple[LocalStore, ...]], ...]


class Modular:
    """R and G. `reached[i][store]` are the local stores of group `i`; `steps[i][store]` the guarantee from there."""

    def __init__(self, system: FiniteSystem, parts: tuple[Parts, ...], options: Options, stepper: Stepper | None = None) -> None:
        self.system = system
        self.classes = Classes(parts)
        self.stepper = stepper or Stepper(system)
        self.options = options
        self.reached: list[dict[CountedStore, dict[LocalStore, None]]] = [{} for _ in system.groups]
        self.steps: list[dict[CountedStore, dict[tuple[CountedStore, int], None]]] = [{} for _ in system.groups]
        self.states = 0
        self._todo: deque[tuple[int, CountedStore, LocalStore]] = deque()

    # ----------------------------------------------------------------------------------------------- the fixpoint
    def run(self) -> Modular:
        """The least R and G that satisfy the rules."""
        for store, i, local in self._starts():
            self.stepper.run_alone(i, store[0], local)
            self._add(i, store, local)
        ticks = 0
        while self._todo:
            ticks += 1
            if ticks % 1024 == 0:
                self.options.check_time()
            i, store, local = self._todo.popleft()
            for k in range(len(self.system.groups)):
                for after, leaver in list(self.steps[k].get(store, ())):
                    self._env(i, local, k, store, after, leaver)
            self._step(i, store, local)
        return self

    def seen(self) -> Iterator[tuple[int, int, GlobalStore]]:
        """The group of each thread that was reached, its location, and the globals."""
        return ((i, local[0], store[0]) for i, known in enumerate(self.reached) for store, locals_ in known.items()
                for local in locals_)

    def _add(self, i: int, store: CountedStore, local: LocalStore) -> None:
        locals_ = self.reached[i].setdefault(store, {})
        if local not in locals_:
            locals_[local] = None
            self.states += 1
            if self.states > self.options.max_states:
                raise OutOfDomain(f"more than {self.options.max_states} thread states")
            self._todo.append((i, store, local))

    def _step(self, i: int, store: CountedStore, local: LocalStore) -> None:
        g, counts = store
        old = self.classes.of(i, local)
        for _, _, g2, local2 in self.stepper.successors(i, g, local):
            after = (g2, self._moved(counts, i, old, self.classes.of(i, local2)))
            self._add(i, after, local2)
            self._guarantee(i, store, after, old)

    def _guarantee(self, i: int, store: CountedStore, after: CountedStore, leaver: int) -> None:
        if after == store:
            return
        table = self.steps[i].setdefault(store, {})
        if (after, leaver) not in table:
            table[after, leaver] = None
            for k in range(len(self.system.groups)):
                for local in list(self.reached[k].get(store, ())):
                    self._env(k, local, i, store, after, leaver)

    def _env(self, i: int, local: LocalStore, k: int, store: CountedStore, after: CountedStore, leaver: int) -> None:
        """Group `k`'s step, by a thread of class `leaver`, as another thread in `local` of group `i` sees it."""
        if local[0] in self.system.groups[i].atomic:
            return
        if i == k and not self._two(store, i, self.classes.of(i, local), leaver):
            return
        self._add(i, after, local)

    def _two(self, store: CountedStore, i: int, a: int, b: int) -> bool:
        """Whether two different threads of group `i` can be in classes `a` and `b`."""
        if not self.classes.exposed(i):
            return self.system.groups[i].size > 1
        counts = store[1][i]
        return counts[a] > 1 if a == b else counts[a] > 0 and counts[b] > 0

    def _moved(self, counts: Counts, i: int, old: int, new: int) -> Counts:
        if old == new or not self.classes.exposed(i):
            return counts
        own = list(counts[i])
        own[old] -= 1
        own[new] += 1
        return (*counts[:i], tuple(own), *counts[i + 1:])

    def _starts(self) -> Iterator[tuple[CountedStore, int, LocalStore]]:
        stores, locals_ = self.stepper.starts()
        options: list[list[tuple[int, ...]]] = []
        for i, group in enumerate(self.system.groups):
            if not self.classes.exposed(i):
                options.append([()])
                continue
            classes = sorted({self.classes.of(i, local) for local in locals_[i]})
            found = []
            for chosen in itertools.combinations_with_replacement(classes, group.size):
                found.append(tuple(chosen.count(c) for c in range(self.classes.sizes[i])))
            options.append(found)
        for g in stores:
            for counts in itertools.product(*options):
                for i, starts in enumerate(locals_):
                    for local in starts:
                        if not self.classes.exposed(i) or counts[i][self.classes.of(i, local)]:
                            yield (g, counts), i, local

    # ----------------------------------------------------------------------------------------------- errors
    def clashes(self) -> Iterator[JoinError]:
        """Error states in the join of all R, seen through at most two threads at a time."""
        stores = dict.fromkeys(s for table in self.reached for s in table)
        conflicts = self.system.conflicts
        for store in stores:
            if self.stepper.bad(store[0]):
                yield JoinError(store, ())
            alike: dict[tuple[int, int, bool, frozenset[ErrorShape]], list[LocalStore]] = {}
            for i, table in enumerate(self.reached):
                for local in table.get(store, ()):
                    marks = self.stepper.marks(i, store[0], local)
                    if marks:
                        inside = local[0] in self.system.groups[i].atomic
                        alike.setdefault((i, self.classes.of(i, local), inside, marks), []).append(local)
            members = [(key, (key[0], tuple(locals_))) for key, locals_ in alike.items()]
            for n, ((i, a, first, marks), one) in enumerate(members):
                if FATAL in marks:
                    yield JoinError(store, (one,))
                for (k, b, second, others), two in members[n:]:
                    if (i == k and not self._two(store, i, a, b)) or (first and second):
                        continue
                    if any((x, y) in conflicts for x in marks for y in others):
                        yield JoinError(store, (one, two))
