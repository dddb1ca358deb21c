"""The arbiter of C11: all executions of a small program, by their definition; shares nothing with circ.

An execution is a set of events for each thread, a write for every read to read from (`rf`), and an order of the writes of each
location (`mo`). All of them are enumerated, and those kept that satisfy the axioms of RC11 (Lahav, Vafeiadis, Kang, Hur,
Dreyer: Repairing Sequential Consistency in C/C++11, PLDI 2017): coherence, atomicity, SC, no cycles of program order and rf.
A race is two conflicting accesses, not both atomic, that happens-before does not order.

C17 and RC11 let a release sequence go on with stores of the same thread, C++20 with read-modify-writes only: `Sequences` chooses.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from tests.support.c11.programs import (
    READS,
    Add,
    CompareExchange,
    Exchange,
    Fence,
    Litmus,
    Load,
    Op,
    Order,
    Plain,
    PlainLoad,
    PlainStore,
    Store,
    When,
)


class Sequences(enum.Enum):
    """What belongs to a release sequence beside its head."""

    C17 = "stores of the same thread and read-modify-writes"
    CPP20 = "read-modify-writes"


@dataclass(frozen=True, slots=True)
class Event:
    """An access or a fence; `reads` and `writes` are values, None if it does not. `order` is None for plain data."""

    thread: int
    location: str | None
    reads: int | None
    writes: int | None
    order: Order | None
    write: bool = False
    """Whether an access to plain data writes."""

    @property
    def sc(self) -> bool:
        return self.order is Order.SEQ_CST

    @property
    def fence(self) -> bool:
        return self.location is None

    @property
    def acquires(self) -> bool:
        return self.order is not None and self.order.acquires

    @property
    def releases(self) -> bool:
        return self.order is not None and self.order.releases


Registers: TypeAlias = Mapping[str, int]
Path: TypeAlias = tuple[tuple[Event, ...], Registers]
Outcome: TypeAlias = tuple[tuple[tuple[str, int], ...], ...]
"""The registers of each thread at the end, sorted by name."""


class Relation:
    """A relation on events 0 .. n-1, as a bit mask of successors for each."""

    def __init__(self, n: int) -> None:
        self.to = [0] * n

    def add(self, a: int, b: int) -> None:
        self.to[a] |= 1 << b

    def has(self, a: int, b: int) -> bool:
        return bool(self.to[a] >> b & 1)

    def union(self, *others: Relation) -> Relation:
        result = Relation(len(self.to))
        for r in (self, *others):
            result.to = [a | b for a, b in zip(result.to, r.to, strict=True)]
        return result

    def closed(self) -> Relation:
        """The transitive closure."""
        result = Relation(len(self.to))
        to = list(self.to)
        for k in range(len(to)):
            for i in range(len(to)):
                if to[i] >> k & 1:
                    to[i] |= to[k]
        result.to = to
        return result

    def then(self, other: Relation) -> Relation:
        """The composition."""
        result = Relation(len(self.to))
        for a, mask in enumerate(self.to):
            for b in range(len(self.to)):
                if mask >> b & 1:
                    result.to[a] |= other.to[b]
        return result

    def cyclic(self) -> bool:
        closed = self.closed()
        return any(closed.has(a, a) for a in range(len(self.to)))


@dataclass(frozen=True)
class Behaviour:
    """What a program can do: the registers at the end, and the sets of plain variables that race in one execution."""

    outcomes: frozenset[Outcome]
    races: frozenset[frozenset[str]]

    def allows(self, *registers: Mapping[str, int]) -> bool:
        """Whether some execution ends with these values in the registers of each thread."""
        return any(all(dict(got).get(name) == value for got, want in zip(outcome, registers, strict=True)
                       for name, value in want.items()) for outcome in self.outcomes)

    def may_race(self, variable: str) -> bool:
        """Whether an execution has a race on the variable."""
        return any(variable in race for race in self.races)

    def must_be_found(self, variable: str) -> bool:
        """Whether an execution has a race on the variable and on nothing else."""
        return frozenset({variable}) in self.races


def behaviour(program: Litmus, sequences: Sequences = Sequences.C17) -> Behaviour:
    """All that the program can do."""
    outcomes: set[Outcome] = set()
    races: set[frozenset[str]] = set()
    values = _values(program)
    start = dict(program.start)
    initial = tuple(Event(-1, x, None, start.get(x, 0), None) for x in program.locations)
    ways = [list(_paths(number, thread, {}, values)) for number, thread in enumerate(program.threads)]
    for paths in itertools.product(*ways):
        outcome = tuple(tuple(sorted(registers.items())) for _, registers in paths)
        graph = _Graph((*initial, *(e for events, _ in paths for e in events)), sequences)
        for race in graph.consistent(outcome in outcomes, races):
            outcomes.add(outcome)
            races.add(race)
    return Behaviour(frozenset(outcomes), frozenset(races))


# --------------------------------------------------------------------------------------------------- paths of a thread
def _values(program: Litmus) -> Mapping[str, frozenset[int]]:
    """All values that a location may ever have: sums of what is added to what is stored, each addition once."""
    found = {x: {0} for x in program.locations}
    for x, value in program.start:
        found.setdefault(x, set()).add(value)
    for op in program.operations():
        if isinstance(op, Store | Exchange | CompareExchange | PlainStore):
            found[op.location].add(op.value)
    for op in program.operations():
        if isinstance(op, Add):
            found[op.location] |= {v + op.value for v in found[op.location]}
    return {x: frozenset(vs) for x, vs in found.items()}


def _paths(thread: int, ops: tuple[Op, ...], registers: Registers, values: Mapping[str, frozenset[int]]) -> Iterator[Path]:
    """The events of a thread for all values that its reads may give."""
    if not ops:
        yield (), registers
        return
    op, rest = ops[0], ops[1:]
    if isinstance(op, When):
        taken = (registers[op.register] == op.value) == op.equal
        yield from _paths(thread, (*op.then, *rest) if taken else rest, registers, values)
        return
    for event in _events(thread, op, values):
        after = {**registers, op.into: event.reads} if isinstance(op, READS) \
            and event.reads is not None else registers
        for events, at_end in _paths(thread, rest, after, values):
            yield (event, *events), at_end


def _events(thread: int, op: Op, values: Mapping[str, frozenset[int]]) -> Iterator[Event]:
    match op:
        case Load(_, x, order):
            yield from (Event(thread, x, v, None, order) for v in sorted(values[x]))
        case Store(x, value, order):
            yield Event(thread, x, None, value, order)
        case Add(_, x, value, order):
            yield from (Event(thread, x, v, v + value, order) for v in sorted(values[x]))
        case Exchange(_, x, value, order):
            yield from (Event(thread, x, v, value, order) for v in sorted(values[x]))
        case CompareExchange(_, x, expected, value, order, failure):
            yield from (Event(thread, x, v, value, order) if v == expected else Event(thread, x, v, None, failure)
                        for v in sorted(values[x]))
        case Fence(order):
            yield Event(thread, None, None, None, order)
        case Plain(variable, write):
            yield Event(thread, variable, None, None, None, write)
        case PlainStore(x, value):
            yield Event(thread, x, None, value, None, True)
        case PlainLoad(_, x):
            yield from (Event(thread, x, v, None, None) for v in sorted(values[x]))
        case When():
            raise AssertionError("conditions have no events")
        case _:
            assert_never(op)


# --------------------------------------------------------------------------------------------------- axioms
class _Graph:
    """Events of one choice of paths, the initial writes first."""

    def __init__(self, events: tuple[Event, ...], sequences: Sequences) -> None:
        self.events, self.sequences, self.n = events, sequences, len(events)
        self.po = Relation(self.n)
        for a, b in itertools.combinations(range(self.n), 2):
            if events[a].thread == events[b].thread != -1:
                self.po.add(a, b)
        self.first = Relation(self.n)
        for a in range(self.n):
            if events[a].thread == -1:
                for b in range(self.n):
                    if events[b].thread != -1:
                        self.first.add(a, b)
        self.reads = [i for i, e in enumerate(events) if e.reads is not None]
        self.writes: dict[str, list[int]] = {}
        for i, e in enumerate(events):
            if e.writes is not None and e.location is not None:
                self.writes.setdefault(e.location, []).append(i)

    def consistent(self, known: bool, races: set[frozenset[str]]) -> Iterator[frozenset[str]]:
        """The plain variables that race, for each consistent execution that may tell something new."""
        sources = [[w for w in self.writes[str(self.events[r].location)]
                    if w != r and self.events[w].writes == self.events[r].reads] for r in self.reads]
        for choice in itertools.product(*sources):
            rf = dict(zip(self.reads, choice, strict=True))
            if len({w for r, w in rf.items() if self.events[r].writes is not None}) \
                    < sum(self.events[r].writes is not None for r in rf):
                continue  # two read-modify-writes cannot follow one write directly
            graph = Relation(self.n)
            for r, w in rf.items():
                graph.add(w, r)
            if self.po.union(graph).cyclic():
                continue
            hb = self.po.union(self.first, self._synchronises(rf)).closed()
            race = self._race(hb)
            if (known and race in races) or any(hb.has(i, i) for i in range(self.n)):
                continue
            if self._some_order(rf, graph, hb):
                known = True
                yield race

    def _race(self, hb: Relation) -> frozenset[str]:
        made = [i for i, e in enumerate(self.events) if not e.fence and e.thread != -1]
        return frozenset(
            str(self.events[a].location) for a, b in itertools.combinations(made, 2)
            if self.events[a].location == self.events[b].location and self.events[a].thread != self.events[b].thread
            and None in (self.events[a].order, self.events[b].order)
            and (self._writes(a) or self._writes(b)) and not hb.has(a, b) and not hb.has(b, a))

    def _writes(self, event: int) -> bool:
        return self.events[event].write or self.events[event].writes is not None

    def _synchronises(self, rf: Mapping[int, int]) -> Relation:
        sw = Relation(self.n)
        for w in (w for ws in self.writes.values() for w in ws if self.events[w].thread != -1):
            sequence = {w}
            if self.sequences is Sequences.C17:
                sequence |= {v for v in self.writes[str(self.events[w].location)] if self.po.has(w, v)}
            while more := {r for r, source in rf.items() if source in sequence and self.events[r].writes is not None} - sequence:
                sequence |= more
            heads = [f for f in range(self.n) if (f == w or (self.events[f].fence and self.po.has(f, w))) and self.events[f].releases]
            ends = [f for r, source in rf.items() if source in sequence for f in range(self.n)
                    if (f == r or (self.events[f].fence and self.po.has(r, f))) and self.events[f].acquires]
            for a, b in itertools.product(heads, ends):
                if a != b:
                    sw.add(a, b)
        return sw

    def _some_order(self, rf: Mapping[int, int], reads_from: Relation, hb: Relation) -> bool:
        """Whether some order of the writes satisfies coherence, atomicity and SC."""
        orders = [list(self._coherent(x, rf, reads_from, hb)) for x in self.writes]
        if not any(e.sc for e in self.events):
            return all(orders)
        return any(not self._psc(hb, Relation(self.n).union(*(mo for mo, _ in chosen)),
                                 Relation(self.n).union(*(rb for _, rb in chosen)), reads_from).cyclic()
                   for chosen in itertools.product(*orders))

    def _coherent(self, x: str, rf: Mapping[int, int], reads_from: Relation, hb: Relation) -> Iterator[tuple[Relation, Relation]]:
        """The orders of the writes of a location that are coherent and atomic, each with what reads come before which writes."""
        initial, *writes = self.writes[x]
        mine = [i for i, e in enumerate(self.events) if e.location == x]
        for rest in itertools.permutations(writes):
            order = (initial, *rest)
            place = {w: at for at, w in enumerate(order)}
            if any(hb.has(b, a) for a, b in itertools.combinations(order, 2)):
                continue
            if any(place[rf[w]] != place[w] - 1 for w in rest if w in rf):
                continue
            mo, rb = Relation(self.n), Relation(self.n)
            for a, b in itertools.combinations(order, 2):
                mo.add(a, b)
            for r, w in rf.items():
                if self.events[r].location == x:
                    for later in order[place[w] + 1:]:
                        if later != r:
                            rb.add(r, later)
            local = Relation(self.n)
            for w in order:
                local.to[w] = reads_from.to[w]
            eco = mo.union(rb, local).closed()
            if not any(hb.has(a, b) and eco.has(b, a) for a in mine for b in mine) and not any(eco.has(a, a) for a in mine):
                yield mo, rb

    def _psc(self, hb: Relation, mo: Relation, rb: Relation, rf: Relation) -> Relation:
        """RC11's order of seq_cst events, which must be acyclic."""
        n, events = self.n, self.events
        elsewhere, here = Relation(n), Relation(n)
        for a, b in itertools.product(range(n), repeat=2):
            same = events[a].location is not None and events[a].location == events[b].location
            if self.po.has(a, b) and not same:
                elsewhere.add(a, b)
            if hb.has(a, b) and same:
                here.add(a, b)
        scb = self.po.union(elsewhere.then(hb).then(elsewhere), here, mo, rb)
        eco = mo.union(rb, rf).closed()
        fences = [f for f in range(n) if events[f].sc and events[f].fence]
        heads = [({a} if events[a].sc else set()) | {f for f in fences if hb.has(f, a)} for a in range(n)]
        ends = [({b} if events[b].sc else set()) | {f for f in fences if hb.has(b, f)} for b in range(n)]
        psc = Relation(n)
        for a, b in itertools.product(range(n), repeat=2):
            if scb.has(a, b):
                for head, end in itertools.product(heads[a], ends[b]):
                    psc.add(head, end)
        around = hb.union(hb.then(eco).then(hb))
        for f, g in itertools.product(fences, repeat=2):
            if around.has(f, g):
                psc.add(f, g)
        return psc

