"""Races that a run shows without coming to them: two of its accesses that nothing orders are brought together.

After Mathur, Pavlogiannis and Viswanathan, "Optimal prediction of synchronization-preserving data races" (POPL 2021): of each
thread the run is cut off somewhere, of the two threads right before their accesses, of the others as early as can be. What is
left is a run of the program if every step reads the values that it has read before. Where one does not, as it takes a lock that
somebody has not given back any more, the write that makes it so is added with all that its thread did before. Steps keep their
order; so a lock that both threads take in turn need not order them, unless they hold it at the accesses.

What comes out is only a candidate: it is run again, and a trace made of it, which is judged like any other.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TypeAlias

from circ.search.step_effects import Cell, StepEffects, value_in
from circ.semantics.conflicts import clash, conflict, ready
from circ.semantics.evaluation import Undefined, Value, Where
from circ.semantics.interpreter import Globals, LocalState, Machine, Move, settle
from frontend.program import AllAt
from frontend.records import dataclass

MOST_PASSES = 24
"""How often the steps that are left are gone through until each of them reads what it has read."""
OPEN = None
"""The value of a cell that nobody has chosen: any will do."""


@dataclass(frozen=True, slots=True)
class Event:
    """An access of a run: by which step of which thread, to which element.

    Those that are next at the end of the run have numbers beyond its steps.
    """

    step: int
    thread: int
    edge: int
    access: int
    cell: int | None
    locks: frozenset[Cell]
    born: Mapping[int, int] = field(compare=False)
    """The steps that were made before its thread was created: by each thread up to this one."""

    def may_meet(self, other: Event) -> bool:
        """Whether neither locks nor the creation of threads keep the two apart, and they are to the same cell."""
        return self.thread != other.thread and (self.cell is None or other.cell is None or self.cell == other.cell) \
            and not self.locks & other.locks and self.born.get(other.thread, -1) < other.step \
            and other.born.get(self.thread, -1) < self.step


_Touch: TypeAlias = tuple[Cell, bool, Value]
"""A cell, whether it stands for any element of its array, and its value."""


@dataclass(slots=True)
class _Made:
    """What a step did, as far as others may notice; `any_of`: the arrays of which it may have read any element."""

    reads: list[tuple[Cell, Value]] = field(default_factory=list)
    writes: list[tuple[Cell, Value]] = field(default_factory=list)
    any_of: list[Cell] = field(default_factory=list)


class RecordedRun:
    """A run that has come to its end, with what each step read and wrote."""

    def __init__(self, machine: Machine, effects: StepEffects, crew: tuple[int, ...], path: Sequence[tuple[int, Move]]) -> None:
        self.machine, self.effects, self.crew, self.path = machine, effects, crew, path
        self.own: list[list[int]] = [[] for _ in crew]
        """The steps of each thread."""
        self.position: list[int] = []
        for n, (thread, _) in enumerate(path):
            self.position.append(len(self.own[thread]))
            self.own[thread].append(n)
        self.start = machine.open_start(crew)
        self.born = self._births()
        self.made: dict[int, _Made] = {}
        self.writers: dict[Cell, list[tuple[int, Value]]] = {}
        self.busy: list[int] = []
        """The steps that read or write what several threads touch, or wait for others."""
        self.recorded = False
        self.effort = 0
        """Steps gone through, in units of about one step of a run."""

    # ----------------------------------------------------------------------------------------------- the past
    def _births(self) -> list[dict[int, int]]:
        """For each thread the steps that were made before it started, by whom: all up to one of whoever created it, and so on."""
        found: list[dict[int, int]] = [{} for _ in self.crew]
        flags: dict[Cell, int] = {}
        locks = self.effects.locks()
        for n, thread, move, g, (_, local) in self.states():
            key = self.crew[thread], move.edge
            if not self.effects.touches(*key):
                continue
            before, after = (g, local), (move.globals, move.thread[1])
            if self.position[n] == 0:
                for where, vague in self.effects.reads(*key, before, after):
                    if not vague and where[0] in locks and where in flags and self.path[flags[where]][0] != thread:
                        creator = self.path[flags[where]][0]
                        found[thread] = {**found[creator], creator: flags[where]}
            for where, vague in self.effects.writes(*key, before, after):
                if not vague and where[0] in locks:
                    flags[where] = n
        return found

    def states(self) -> Iterator[tuple[int, int, Move, Globals, LocalState]]:
        """Each step: its number, thread, move, and the globals and the thread before it."""
        g, threads = self.start.globals, list(self.start.threads)
        for n, (thread, move) in enumerate(self.path):
            yield n, thread, move, g, threads[thread]
            g, threads[thread] = move.globals, move.thread

    def events(self, wanted: frozenset[str]) -> dict[str, list[Event]]:
        """The accesses of the run to wanted variables, those that are next at its end included."""
        found: dict[str, list[Event]] = {}
        marked: dict[tuple[int, int], tuple[int, ...]] = {}
        held: list[frozenset[Cell]] = [frozenset()] * len(self.crew)
        locks = self.effects.locks()

        def note(n: int, thread: int, e: int, g: Globals, local: tuple[Value, ...]) -> None:
            key = self.crew[thread], e
            if key not in marked:
                marked[key] = tuple(k for k, a in enumerate(self.machine.edge(*key).accesses) if a.variable in wanted)
            for k in marked[key]:
                try:
                    if n >= len(self.path) and not self.machine.is_next(*key, k, g, local):
                        continue
                    where = self.machine.cell(*key, k, g, local)
                except Undefined:
                    continue
                found.setdefault(self.machine.edge(*key).accesses[k].variable, []).append(
                    Event(n, thread, e, k, where, held[thread], self.born[thread]))

        g, threads = self.start.globals, list(self.start.threads)
        for n, thread, move, g, before in self.states():
            note(n, thread, move.edge, g, before[1])
            held[thread] = self._held(held[thread], locks, thread, move, g, before[1])
            g, threads[thread] = move.globals, move.thread
        for thread, (location, local) in enumerate(threads):
            for e in self.machine.leaving(self.crew[thread], location):
                note(len(self.path) + thread, thread, e, g, local)
        return found

    def _held(self, held: frozenset[Cell], locks: frozenset[int], thread: int, move: Move, g: Globals,
              local: tuple[Value, ...]) -> frozenset[Cell]:
        """The locks that a thread holds after a step: it waited for each of them to be 0, and has written it since."""
        key = self.crew[thread], move.edge
        if not self.effects.takes(*key) and not held:
            return held
        for where, vague in self.effects.writes(*key, (g, local), (move.globals, move.thread[1])):
            if vague or where[0] not in locks:
                continue
            if value_in(move.globals, where) == 0:
                held -= {where}
            elif self.effects.takes(*key) and value_in(g, where) == 0:
                held |= {where}
        return held

    def _record(self) -> None:
        """Notes what each step reads and writes of what several threads touch."""
        self.recorded = True
        self.effort += len(self.path)
        noted = list(self._touched())
        owner: dict[Cell, int] = {}
        shared: set[Cell] = set()
        arrays: set[int] = set()
        """Those of which some step may mean any element."""
        for n, reads, writes in noted:
            for where, vague, _ in (*reads, *writes):
                if vague:
                    arrays.add(where[0])
                elif owner.setdefault(where, self.path[n][0]) != self.path[n][0]:
                    shared.add(where)
        for n, reads, writes in noted:
            made = _Made([(where, value) for where, vague, value in reads if not vague and where in shared],
                         [(where, value) for where, vague, value in writes if not vague and where in shared])
            made.any_of += [(where[0], None) for where, _, _ in reads if where[0] in arrays]
            made.writes += [((where[0], None), OPEN) for where, _, _ in writes if where[0] in arrays]
            for slot in (where[0] for where, vague, _ in writes if vague):
                made.writes += [(c, OPEN) for c in shared if c[0] == slot]
            if made.reads or made.writes or made.any_of or self.guards(n):
                self.made[n] = made
        self.busy = sorted(self.made)
        for n in self.busy:
            for where, value in self.made[n].writes:
                self.writers.setdefault(where, []).append((n, value))

    def _touched(self) -> Iterator[tuple[int, list[_Touch], list[_Touch]]]:
        """For each step what it reads and writes of the globals."""
        for n, thread, move, g, (_, local) in self.states():
            key = self.crew[thread], move.edge
            if self.effects.touches(*key):
                before, after = (g, local), (move.globals, move.thread[1])
                chosen = {(w[1], w[2]): v for w, v in move.decided if w[0] == "g"}
                reads: list[_Touch] = [(where, vague, None if vague else chosen.get(where, value_in(g, where)))
                                       for where, vague in self.effects.reads(*key, before, after)]
                writes: list[_Touch] = [(where, vague, None if vague else value_in(move.globals, where))
                                        for where, vague in self.effects.writes(*key, before, after)]
                yield n, reads, writes + [(where, False, value) for where, value in chosen.items()]

    def guards(self, n: int) -> tuple[AllAt, ...]:
        thread, move = self.path[n]
        return self.machine.code(self.crew[thread], move.edge).guards

    # ----------------------------------------------------------------------------------------------- another run
    def before_both(self, one: Event, two: Event) -> list[int] | None:
        """The steps of a run in which both accesses are next; None if none is found."""
        if not self.recorded:
            self._record()
        ends = {e.thread: self.position[e.step] if e.step < len(self.path) else len(self.own[e.thread]) for e in (one, two)}
        atomic = [self.machine.program.templates[t].cfa.atomic for t in self.crew]
        for thread, end in ends.items():
            if self.location(thread, end) in atomic[thread]:
                return None
        return _Cut(self, ends, max(one.step, two.step)).steps()

    def location(self, thread: int, taken: int) -> int:
        return self.start.threads[thread][0] if not taken else self.path[self.own[thread][taken - 1]][1].thread[0]

    def again(self, steps: Sequence[int]) -> tuple[list[tuple[int, Move]], Globals, list[LocalState]] | None:
        """Takes these steps of the run, in this order and from the start; None if one of them does not pass."""
        g, threads = list(self.start.globals), list(self.start.threads)
        path: list[tuple[int, Move]] = []
        self.effort += len(steps)
        for n in steps:
            thread, move = self.path[n]
            known = dict(move.decided)
            passed = self._pass(n, known, g, threads[thread][1])
            if passed is None:
                return None
            g, mine = passed
            code = self.machine.code(self.crew[thread], move.edge)
            if not self.machine.guards_pass(code.guards, self.crew, threads, thread):
                return None
            threads[thread] = move.thread[0], tuple(mine)
            path.append((thread, Move(move.edge, tuple(g), threads[thread], tuple(known.items()), code.guards)))
        return path, tuple(g), threads

    def _pass(self, n: int, known: dict[Where, int], g: list[Value],
              own: tuple[Value, ...]) -> tuple[list[Value], list[Value]] | None:
        thread, move = self.path[n]
        code = self.machine.code(self.crew[thread], move.edge)

        def fill(k: int, _: int | None) -> Value:
            hole = code.holes[k]
            if hole.whole:
                return (0 if hole.eager else None), ()
            if hole.eager and ("h", k, None) not in known:
                raise Undefined(("h", k, None))
            return known.get(("h", k, None))

        while True:
            after, mine = list(g), list(own)
            settle(after, mine, known)
            try:
                return (after, mine) if code.run(after, mine, fill) else None
            except Undefined as missing:
                # Somebody has chosen it before who is left out now; what was read then will do.
                owner, slot, index = missing.where
                read = self.made[n].reads if n in self.made else []
                value = next((v for where, v in read if where == (slot, index)), None) if owner == "g" else None
                if not isinstance(value, int):
                    return None
                known[missing.where] = value


@dataclass(frozen=True, slots=True)
class Candidate:
    """A run at whose end two accesses to a variable are next, by thread, edge and position."""

    path: list[tuple[int, Move]]
    one: tuple[int, int, int]
    two: tuple[int, int, int]


class _Cut:
    """How much of each thread is left; grows until every step reads what it has read."""

    def __init__(self, run: RecordedRun, ends: dict[int, int], end: int) -> None:
        self.run, self.ends, self.end = run, ends, end
        self.taken = [ends.get(i, 0) for i in range(len(run.crew))]
        self.atomic = [run.machine.program.templates[t].cfa.atomic for t in run.crew]

    def steps(self) -> list[int] | None:
        run = self.run
        for _ in range(MOST_PASSES):
            changed = self._pass()
            if changed is None:
                return None
            if not changed:
                return sorted(n for i, own in enumerate(run.own) for n in own[:self.taken[i]])
        return None

    def _pass(self) -> bool | None:
        """Goes through what is left; whether something had to be added, None if what had to be cannot."""
        run, changed = self.run, False
        values: dict[Cell, Value] = {}
        last: dict[Cell, int] = {}
        for n in run.busy[:bisect_left(run.busy, self.end)]:
            thread = run.path[n][0]
            if run.position[n] >= self.taken[thread]:
                continue
            made = run.made[n]
            for where, value in made.reads:
                if not self._fits(where, value, values):
                    if not self._mend(where, value, last.get(where, -1), n):
                        return None
                    changed = True
            for where in made.any_of:  # whoever wrote an element last must be the same
                writer = self._last_writer(where, n)
                if last.get(where, -1) != writer:
                    if writer < 0 or not self._add(writer):
                        return None
                    changed = True
            for where, value in made.writes:
                values[where] = value
                last[where] = n
            guards = run.guards(n)
            if guards:
                added = self._wait(n, thread, guards)
                if added is None:
                    return None
                changed = changed or added
        run.effort += bisect_left(run.busy, self.end) // 4
        return changed

    def _fits(self, where: Cell, value: Value, values: dict[Cell, Value]) -> bool:
        if where not in values:
            known = value_in(self.run.start.globals, where)
            return known is None or value is None or known == value
        return values[where] is None or value is None or values[where] == value

    def _last_writer(self, where: Cell, before: int) -> int:
        writers = self.run.writers.get(where, [])
        at = bisect_left(writers, before, key=lambda w: w[0])
        return writers[at - 1][0] if at else -1

    def _mend(self, where: Cell, value: Value, after: int, before: int) -> bool:
        """Adds a write between two steps that gives a cell its value; the first of them."""
        writers = self.run.writers.get(where, [])
        at = bisect_right(writers, after, key=lambda w: w[0])
        lock = where[0] in self.run.effects.locks()
        while at < len(writers) and writers[at][0] < before:
            n, given = writers[at]
            if given == value or given is None:
                if self._add(n):
                    return True
                if lock:
                    return False
            at += 1
        return False

    def _add(self, n: int) -> bool:
        """Takes a step in, with all that its thread did before, and what it does until it has left an atomic section."""
        run = self.run
        thread = run.path[n][0]
        taken = run.position[n] + 1
        own = run.own[thread]
        while taken < len(own) and run.path[own[taken - 1]][1].thread[0] in self.atomic[thread]:
            taken += 1
        if thread in self.ends and taken > self.ends[thread]:
            return False
        self.taken[thread] = max(self.taken[thread], taken)
        return True

    def _wait(self, n: int, me: int, guards: tuple[AllAt, ...]) -> bool | None:
        """Lets those go on for whom a step waits; whether that was necessary, None if they cannot."""
        run, changed = self.run, False
        for guard in guards:
            template = run.machine.index[guard.template]
            for i, t in enumerate(run.crew):
                if i == me or t != template:
                    continue
                here = bisect_right(run.own[i], n)
                if run.location(i, min(here, self.taken[i])) in guard.locations:
                    continue
                if here <= self.taken[i] or not self._add(run.own[i][here - 1]):
                    return None
                changed = True
        return changed


def candidates(run: RecordedRun, x: str, events: Sequence[Event]) -> Iterator[Candidate]:
    """Runs in which two accesses of a run to the variable are next."""
    for one, two in pairs(run.machine, run.crew, events):
        steps = run.before_both(one, two)
        ended = None if steps is None else run.again(steps)
        if ended is None:
            continue
        path, g, threads = ended
        try:
            near = [ready(run.machine, x, run.crew[e.thread], g, threads[e.thread]) for e in (one, two)]
        except Undefined:
            continue
        pair = clash(run.machine, run.crew[one.thread], near[0], run.crew[two.thread], near[1])
        if pair is not None:
            yield Candidate(path, (one.thread, *pair[0][:2]), (two.thread, *pair[1][:2]))


def pairs(machine: Machine, crew: tuple[int, ...], events: Sequence[Event]) -> Iterator[tuple[Event, Event]]:
    """Pairs of accesses of a run to one variable that would be a race, those that are likely to be brought together first.

    For two places of the program those that are closest in the run, the first ones, and the last ones.
    """
    by_place: dict[tuple[int, int, int, frozenset[Cell]], list[Event]] = {}
    for event in events:
        by_place.setdefault((crew[event.thread], event.edge, event.access, event.locks), []).append(event)
    places = list(by_place)
    chosen: dict[tuple[Event, Event], None] = {}
    rounds: list[list[tuple[Event, Event]]] = [[], [], []]
    for i, one in enumerate(places):
        for two in places[i:]:
            if one[3] & two[3]:
                continue
            edge, other = machine.edge(one[0], one[1]), machine.edge(two[0], two[1])
            if not conflict(machine.program.race_model, edge, edge.accesses[one[2]], other, other.accesses[two[2]]):
                continue
            for found, some in zip(rounds, _instances(by_place[one], by_place[two]), strict=True):
                if some is not None:
                    found.append(some)
    for found in rounds:
        chosen.update(dict.fromkeys(sorted(found, key=lambda pair: max(pair[0].step, pair[1].step))))
    yield from chosen


def _instances(ones: Sequence[Event], others: Sequence[Event]) -> tuple[tuple[Event, Event] | None, ...]:
    """The two that are closest to each other, the first, and the last that may meet."""
    closest: tuple[int, tuple[Event, Event]] | None = None
    first: tuple[Event, Event] | None = None
    last: tuple[Event, Event] | None = None
    at = 0
    for one in ones:
        while at < len(others) and others[at].step < one.step:
            at += 1
        for side in (range(at - 1, -1, -1), range(at, len(others))):
            for tried, k in enumerate(side):
                other = others[k]
                if one.may_meet(other):
                    pair = one, other
                    gap = abs(one.step - other.step)
                    if closest is None or gap < closest[0]:
                        closest = gap, pair
                    if first is None or max(one.step, other.step) < max(first[0].step, first[1].step):
                        first = pair
                    last = pair
                    break
                if tried >= NEAR:
                    break
    return (None if closest is None else closest[1]), first, last


NEAR = 16
"""So many accesses before and after one are looked at for one that it may meet."""
