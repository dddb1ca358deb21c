"""C11's memory orders on explicit states: which stores a load may read, and what happens before what. Trusted by replay.

A run is an interleaving in which stores become the latest of their cell when they are made, and a load may read an older
one that its thread need not have passed. Each thread has a `Knowledge`: which steps of others happen before its next one
(a vector clock), and of each cell how new the value must be at least (a view), as in the operational semantics of Kang, Hur,
Lahav, Vafeiadis and Dreyer (A Promising Semantics for Relaxed-Memory Concurrency, POPL 2017), without promises. Stores carry
what they release; acquiring reads join it, relaxed ones keep it for an acquire fence.

Every run is an execution that RC11 allows, not every one of those is a run: reads of read-modify-writes and sequentially
consistent loads give the latest value; no store comes before an older one. Where C11 and C++20 differ (release sequences go on
with stores of the same thread), and of locks, creation and joining, what orders more is taken. So two accesses that are
not ordered here are ordered in neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import TypeAlias, TypeVar

from circ.semantics.conflicts import conflict
from circ.semantics.evaluation import Value, cell, store
from circ.semantics.interpreter import Fill, Globals, Machine, State
from frontend.program import (
    FENCE,
    Access,
    AccessKind,
    AllAt,
    Edge,
    MemoryOrder,
    name_of,
    op_reads,
    op_writes,
)
from frontend.records import dataclass

CellName: TypeAlias = tuple[str, int | None]
"""A variable and its element; None for a scalar, or if all of it is meant."""
SECTION = "<section>"
"""What all atomic sections with plain accesses synchronise by."""
AT_START = -1
"""Instead of the step that made a store: the value was there at the start."""


LATEST = (MemoryOrder.SEQ_CST, MemoryOrder.OPEN)
"""Loads with these orders read the latest store; an order that the program computes is taken for a strong one."""


@dataclass(slots=True)
class Knowledge:
    """What has happened before: steps of each thread, and of each cell the position of the oldest store that may be read."""

    clock: dict[int, int] = field(default_factory=dict)
    view: dict[CellName, int] = field(default_factory=dict)

    def join(self, other: Knowledge) -> None:
        _raise(self.clock, other.clock)
        _raise(self.view, other.view)

    def copy(self) -> Knowledge:
        return Knowledge(dict(self.clock), dict(self.view))


K = TypeVar("K")


def _raise(mine: dict[K, int], theirs: dict[K, int]) -> None:
    for key, n in theirs.items():
        if n > mine.get(key, -1):
            mine[key] = n


@dataclass(frozen=True, slots=True)
class Message:
    """A store: its value, the step that made it, and what an acquiring read of it learns."""

    value: Value
    step: int
    released: Knowledge


@dataclass(frozen=True, slots=True)
class PastAccess:
    """An access that was made: by whom, at which step of the run and of the thread."""

    thread: int
    time: int
    step: int
    edge: int
    access: int


@dataclass(slots=True)
class _Thread:
    """What a thread knows, what it would know behind an acquire fence, and what its last release fence or store showed."""

    now: Knowledge = field(default_factory=Knowledge)
    behind_fence: Knowledge = field(default_factory=Knowledge)
    fence: Knowledge = field(default_factory=Knowledge)
    stores: dict[CellName, Knowledge] = field(default_factory=dict)


class WeakRun:
    """A run in the making: the state (atomic variables with their latest values), and what memory orders add to it."""

    def __init__(self, machine: Machine, crew: Sequence[int], start: State) -> None:
        self.machine, self.crew, self.state, self.taken = machine, tuple(crew), start, 0
        self.threads = [_Thread() for _ in crew]
        self.read_from: dict[int, int] = {}
        """For each step that reads an atomic variable, the step whose store it read, or AT_START."""
        self.seen: dict[int, Globals] = {}
        """The globals as a step saw them that read an old value."""
        self._messages: dict[CellName, list[Message]] = {}
        self._synchronised: dict[str, Knowledge] = {}
        self._consistent: dict[CellName, int] = {}
        self._past: dict[CellName, dict[tuple[int, int, int], PastAccess]] = {}
        self._elements: dict[str, dict[int | None, None]] = {}
        """Of each variable the elements that were accessed, as they came."""
        self._globals = frozenset(v.name for v in machine.program.globals)
        self._atomic = frozenset(a.variable for t in machine.program.templates for e in t.cfa.edges
                                 for a in e.accesses if a.kind is AccessKind.ATOMIC and a.variable != FENCE)

    # ----------------------------------------------------------------------------------------------- what may be read
    def readable(self, thread: int, e: int) -> list[int]:
        """The stores, by their steps, that a step which loads an atomic variable may read, the latest last; else none."""
        load = self._load(thread, e)
        if load is None:
            return []
        messages = self._of(load)
        return [m.step for m in messages[self.threads[thread].now.view.get(load, 0):]]

    def _load(self, thread: int, e: int) -> CellName | None:
        """The cell that a step loads, if it is a load by itself that may give an old value."""
        edge = self.machine.edge(self.crew[thread], e)
        if edge.protected or len(edge.accesses) != 1:
            return None
        a = edge.accesses[0]
        if a.kind is not AccessKind.ATOMIC or a.write or a.whole or a.order in LATEST or a.variable == FENCE:
            return None
        return self._cell(thread, e, 0)

    def _cell(self, thread: int, e: int, access: int) -> CellName:
        local = self.state.threads[thread][1]
        index = self.machine.cell(self.crew[thread], e, access, self.state.globals, local)
        return self.machine.edge(self.crew[thread], e).accesses[access].variable, index

    def _of(self, name: CellName) -> list[Message]:
        if name not in self._messages:
            self._messages[name] = [Message(self._value(name), AT_START, Knowledge())]
        return self._messages[name]

    def _value(self, name: CellName) -> Value:
        where = self.machine.slot(None, name[0])
        assert where is not None
        value = self.state.globals[where[1]]
        return cell(value, name[1]) if isinstance(value, tuple) and name[1] is not None else value

    # ----------------------------------------------------------------------------------------------- races
    def races(self, thread: int, e: int, access: int) -> PastAccess | None:
        """An access that another thread made, that conflicts with this one, which is next, and does not happen before it."""
        edge = self.machine.edge(self.crew[thread], e)
        mine = edge.accesses[access]
        _, index = self._cell(thread, e, access)
        known = self.threads[thread].now.clock
        for element in self._elements.get(mine.variable, ()) if index is None else (index, None):
            for past in self._past.get((mine.variable, element), {}).values():
                other = self.machine.edge(self.crew[past.thread], past.edge)
                if past.thread != thread and past.time > known.get(past.thread, 0) \
                        and conflict(self.machine.program.race_model, other, other.accesses[past.access], edge, mine):
                    return past
        return None

    # ----------------------------------------------------------------------------------------------- steps
    def step(self, thread: int, e: int, fill: Fill, source: int | None) -> bool:
        """Takes a step, which reads the store of step `source` (None: the latest); False if it is not possible.

        Whether another thread is inside an atomic section is the caller's business.
        """
        edge, code = self.machine.edge(self.crew[thread], e), self.machine.code(self.crew[thread], e)
        if edge.stale or not self.machine.guards_pass(code.guards, self.crew, self.state.threads, thread):
            return False
        load = self._load(thread, e) if source is not None else None
        old = None if load is None else next((m for m in self._of(load) if m.step == source), None)
        if source is not None and (old is None or source not in self.readable(thread, e)):
            return False
        cells = [self._cell(thread, e, i) for i in range(len(edge.accesses))]
        for name in cells:
            if name[0] in self._atomic:
                self._of(name)  # as it was before the step
        before = self.state.globals
        seen = before if load is None or old is None else self._with(before, load, old.value)
        after = self.machine.execute(code, seen, self.state.threads[thread][1], fill)
        if after is None:
            return False
        g = after[0] if load is None else self._with(after[0], load, self._value(load))
        if load is not None:
            self.seen[self.taken] = seen
        self._learn(thread, e, edge, code.guards, cells, old)
        threads = list(self.state.threads)
        threads[thread] = edge.target, after[1]
        self.state = State(g, tuple(threads))
        self._show(thread, edge, cells)
        self.taken += 1
        return True

    def _with(self, g: tuple[Value, ...], name: CellName, value: Value) -> tuple[Value, ...]:
        where = self.machine.slot(None, name[0])
        assert where is not None
        changed = list(g)
        whole = g[where[1]]
        if isinstance(whole, tuple):
            assert name[1] is not None and not isinstance(value, tuple), "an element has a scalar value"
            changed[where[1]] = store(whole, name[1], value)
        else:
            changed[where[1]] = value
        return tuple(changed)

    def _learn(self, thread: int, e: int, edge: Edge, guards: tuple[AllAt, ...], cells: list[CellName],
               old: Message | None) -> None:
        """What the thread knows with the step: its reads, what it synchronises with, fences, and the accesses it makes."""
        me = self.threads[thread]
        time = me.now.clock[thread] = me.now.clock.get(thread, 0) + 1
        for guard in guards:
            for i, t in enumerate(self.crew):
                if t == self.machine.index[guard.template]:
                    me.now.join(self.threads[i].now)
        for by in self._synchronising(edge):
            if by in self._synchronised:
                me.now.join(self._synchronised[by])
        for i, (a, name) in enumerate(zip(edge.accesses, cells, strict=True)):
            if a.variable == FENCE:
                self._fence(me, a.order)
                continue
            if a.kind is AccessKind.ATOMIC and not a.write:
                self._read(me, a, name, old)
            if a.kind is not AccessKind.SYNC:
                self._past.setdefault(name, {})[thread, e, i] = PastAccess(thread, time, self.taken, e, i)
                self._elements.setdefault(name[0], {})[name[1]] = None

    def _synchronising(self, edge: Edge) -> Iterator[str]:
        """The globals by which the step synchronises: all but data and atomic variables. Sections are one such."""
        data = {a.variable for a in edge.accesses if not a.orders}
        for name in dict.fromkeys((*map(name_of, op_reads(edge.op)), *op_writes(edge.op))):
            if name in self._globals and name not in data:
                yield name
        if edge.protected and any(a.kind is AccessKind.DATA for a in edge.accesses):
            yield SECTION

    def _read(self, me: _Thread, a: Access, name: CellName, old: Message | None) -> None:
        messages = self._of(name)
        message = old or messages[-1]
        me.now.view[name] = max(me.now.view.get(name, 0), messages.index(message))
        self.read_from[self.taken] = message.step
        me.behind_fence.join(message.released)
        if a.order.acquires or a.order is MemoryOrder.OPEN:
            me.now.join(message.released)

    def _fence(self, me: _Thread, order: MemoryOrder) -> None:
        if order.acquires or order is MemoryOrder.OPEN:
            me.now.join(me.behind_fence)
        if order is MemoryOrder.SEQ_CST:
            me.now.join(Knowledge({}, self._consistent))
            self._consistent.update(me.now.view)
        if order.releases or order is MemoryOrder.OPEN:
            me.fence = me.now.copy()

    def _show(self, thread: int, edge: Edge, cells: list[CellName]) -> None:
        """What the step shows to others: its stores, and what it synchronises with."""
        me = self.threads[thread]
        written = set(op_writes(edge.op))
        for by in self._synchronising(edge):
            if by in written or by == SECTION:
                self._synchronised.setdefault(by, Knowledge()).join(me.now)
        for a, name in zip(edge.accesses, cells, strict=True):
            if not a.write or name[0] not in self._atomic:
                continue
            touched = [name] if not a.whole else [n for n in self._messages if n[0] == name[0]]
            for one in touched:
                self._store(me, a, one, edge)

    def _store(self, me: _Thread, a: Access, name: CellName, edge: Edge) -> None:
        messages = self._of(name)
        me.now.view[name] = len(messages)
        released = Knowledge()
        if a.kind is AccessKind.ATOMIC:
            if a.order.releases or a.order is MemoryOrder.OPEN:
                me.stores[name] = me.now.copy()
            released = me.stores[name].copy() if name in me.stores else Knowledge()
            released.join(me.fence)
            if edge.protected:  # a read-modify-write goes on with the release sequence of what it read
                released.join(messages[-1].released)
            if a.order is MemoryOrder.SEQ_CST:
                self._consistent[name] = len(messages)
        messages.append(Message(self._value(name), self.taken, released))
