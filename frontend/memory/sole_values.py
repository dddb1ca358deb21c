"""Pointers that are null or one address, whenever they are anything: a global that is set once to what `malloc` gave, the
argument of a thread, copies of them.

The values that each scalar is ever set to, in all threads, without regard to order; where those of a thread's own scalar are
several, the values that it may have at a place. What is read through pointers, computed, or comes from outside is open.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TypeAlias

from frontend.ir import Module
from frontend.memory.leaves import Leaf, MemObject
from frontend.memory.objects import Objects
from frontend.memory.places import Places
from frontend.memory.points_to import NO_OBJECT, Targets, walks
from frontend.memory.sketch import DEEP, Pending, Sketch, SketchStep, sweeps
from frontend.program import (
    Assign,
    Binary,
    Cast,
    Const,
    Expr,
    Havoc,
    Ite,
    Op,
    Read,
    Values,
    Var,
    Variable,
    op_writes,
    primitive,
    reads,
    substitute,
    variables,
)
from frontend.program.fold import fold

VariableKey: TypeAlias = tuple[int | None, str]
"""A variable: the thread it belongs to, None for a global, and its name."""

PossibleValues: TypeAlias = dict[str, frozenset[int]]
"""What some of a thread's own scalars may hold."""

MOST_VALUES = 4


class SoleValues:
    """What scalars may hold. `threads`: each one's steps, before its pointers are resolved, and the names of its own scalars;
    `starts`: the globals; `reached`: the objects that a pointer with these targets leads to, however indirectly."""

    def __init__(
        self, threads: Sequence[tuple[Sketch, Collection[str]]], starts: Iterable[Variable], module: Module, places: Places,
        objects: Objects, reached: Callable[[Targets], list[MemObject]],
    ) -> None:
        self._own = [frozenset(names) for _, names in threads]
        self._sketches = [Sketch(k.size, k.start, list(k.steps)) for k, _ in threads]
        self._at: dict[int, dict[int, PossibleValues]] = {}
        self._writes: dict[int, frozenset[str]] = {}
        self._module, self._places, self._objects, self._reached = module, places, objects, reached
        # First only constants and copies of them are followed through the scalars of a thread, then also what memory may hold.
        starts = tuple(starts)
        for again in (False, True):
            self._look_at_all(starts, [self._flow(n, self._stored(n), again) for n in range(len(threads))])

    def _look_at_all(self, starts: Iterable[Variable], set_here: Sequence[dict[int, PossibleValues]]) -> None:
        """Works out what each scalar is ever set to; `set_here`: for each thread what is known of its own scalars at places."""
        self._found: dict[VariableKey, frozenset[int]] = {}
        self._open: set[VariableKey] = set()
        self._into: dict[VariableKey, list[tuple[VariableKey, int]]] = {}
        self._lost: dict[tuple[int, int], list[MemObject]] = {}
        """Lists of objects that may hold any value already, by thread and identity."""
        known: set[str] = set()
        for v in starts:
            if not v.is_array:
                known.add(v.name)
                if isinstance(v.start, Values) and not v.volatile:
                    self._found[None, v.name] = frozenset({v.start.default, *(n for _, n in v.start.elements)})
                else:
                    self._open.add((None, v.name))
        self._globals = frozenset(known)
        for number, sketch in enumerate(self._sketches):
            for step in sketch.steps:
                self._look(number, step, set_here[number].get(step.source, {}))
        self._spread()

    def address(self, thread: int, location: int, v: Var) -> tuple[int, frozenset[int]] | None:
        """The only address of an object that the thread's own scalar may be there, if it was set at all, and what else it may
        be."""
        if v.name not in self._own[thread]:
            return None
        values = self._ever((thread, v.name))
        if values is None:
            if thread not in self._at:
                self._at[thread] = self._flow(thread, self._followed(thread), True)
            values = self._at[thread].get(location, {}).get(v.name)
        there = [n for n in values or () if self._objects.at(n) is not None]
        return (there[0], (values or frozenset()) - {there[0]}) if len(there) == 1 else None

    def _ever(self, k: VariableKey) -> frozenset[int] | None:
        """All values that the scalar is ever set to, if they are few."""
        return None if k in self._open else self._found.get(k, frozenset())

    # ----------------------------------------------------------------------------------------------- places
    def _flow(self, thread: int, wanted: frozenset[str], memory: bool) -> dict[int, PossibleValues]:
        """What is known at each location of some of the thread's own scalars. `memory`: it is known what all others ever hold."""
        sketch = self._sketches[thread]
        if not wanted:
            return {}
        out = sketch.leaving()
        order = sketch.order()
        rank = {q: n for n, q in enumerate(order)}
        states: list[PossibleValues | None] = [None] * len(order)
        states[0] = {}
        waiting = bytearray(len(order))
        waiting[0] = 1
        for here in sweeps(waiting):
            before = states[here]
            assert before is not None
            for step in out[order[here]]:
                after = self._after(thread, step, before, wanted, memory)
                there = rank[step.target]
                old = states[there]
                if old is after:
                    continue
                if old is not None:
                    after = {n: both for n, values in after.items() if n in old and len(both := values | old[n]) <= MOST_VALUES}
                if after != old:
                    states[there] = after
                    waiting[there] = 1
        return {q: state for q, state in zip(order, states, strict=True) if state is not None}

    def _followed(self, thread: int) -> frozenset[str]:
        """The scalars with several values in all that pointers which are followed are copied through."""
        todo: list[str] = []
        for step in self._sketches[thread].steps:
            if step.lock is not None:
                todo += sorted(variables(step.lock.pointer))
            if step.pending is not None and not isinstance(step.pending.place.base, str):
                todo += sorted(variables(step.pending.place.base))
        return self._copied(thread, todo, lambda n: (thread, n) in self._open)

    def _stored(self, thread: int) -> frozenset[str]:
        """The scalars that are anything at first, as those of a function are, and from which pointers are stored in memory."""
        forgotten: set[str] = set()
        todo: list[str] = []
        for step in self._sketches[thread].steps:
            for part in primitive(step.op):
                match part:
                    case Havoc(targets=ts):
                        forgotten.update(t.name for t in ts if isinstance(t, Var))
                    case Assign(target=Var(name=n), value=value) if n not in self._own[thread]:
                        todo += sorted(variables(value)) if value.type == self._places.pointer else ()
                    case _:
                        pass
            stored = None if step.pending is None or not step.pending.write else step.pending.value
            if stored is not None and stored.type == self._places.pointer:
                todo += sorted(variables(stored))
        return self._copied(thread, todo, forgotten.__contains__)

    def _copied(self, thread: int, todo: list[str], wanted: Callable[[str], bool]) -> frozenset[str]:
        """The thread's own scalars among these that are wanted, and those they are computed from."""
        sources: dict[str, set[str]] = {}
        for step in self._sketches[thread].steps:
            for part in primitive(step.op):
                match part:
                    case Assign(target=Var(name=n), value=value) if n in self._own[thread]:
                        sources.setdefault(n, set()).update(variables(value) & self._own[thread])
                    case _:
                        pass
        found: set[str] = set()
        while todo:
            n = todo.pop()
            if n not in found and n in self._own[thread] and wanted(n):
                found.add(n)
                todo += sorted(sources.get(n, ()))
        return frozenset(found)

    def _after(
        self, thread: int, step: SketchStep, before: PossibleValues, wanted: frozenset[str], memory: bool,
    ) -> PossibleValues:
        if step.pending is None and step.lock is None:
            changed = self._changed(step.op)
            if before.keys().isdisjoint(changed) and wanted.isdisjoint(changed):
                return before
        after = dict(before)
        if not memory and step.pending is not None and step.pending.register is not None:
            after.pop(step.pending.register.name, None)
        leaves = self._loaded(step) if memory else None
        if leaves is not None:
            assert step.pending is not None and step.pending.register is not None
            after.pop(step.pending.register.name, None)
            read = [self._ever(self._key(thread, leaf)) for leaf in leaves]
            values = frozenset(n for known in read for n in known or ())
            if None not in read and len(values) <= MOST_VALUES:
                after[step.pending.register.name] = values
            return after
        for part in primitive(step.op):
            match part:
                case Assign(target=Var(name=n), value=value) if n in wanted:
                    held = self._value(thread, value, after, memory)
                    if held is None:
                        after.pop(n, None)
                    else:
                        after[n] = held
                case Havoc(targets=ts):
                    for t in ts:
                        if isinstance(t, Var):
                            after.pop(t.name, None)
                case _:
                    pass
        if step.lock is not None and step.lock.result is not None:
            after.pop(step.lock.result.name, None)
        return after

    def _changed(self, op: Op) -> frozenset[str]:
        """What an operation of one of the sketches may change."""
        found = self._writes.get(id(op))
        if found is None:
            found = self._writes[id(op)] = frozenset(op_writes(op))
        return found

    def _value(self, thread: int, e: Expr, here: PossibleValues, memory: bool) -> frozenset[int] | None:
        match e:
            case Const(value=n):
                return frozenset({n})
            case Cast(arg=a, type=t) if t.width == a.type.width and not t.signed:
                return self._value(thread, a, here, memory)
            case Binary(op="+", left=a, right=Const(value=more), type=t) if not t.signed:
                values = self._value(thread, a, here, memory)
                return None if values is None else frozenset(t.wrap(n + more) for n in values)
            case Read(lvalue=Var(name=n)):
                k = self._key(thread, n)
                return here.get(n) if not memory or k in self._open else self._ever(k)
            case _:
                return self._computed(thread, e, here, memory)

    def _computed(self, thread: int, e: Expr, here: PossibleValues, memory: bool) -> frozenset[int] | None:
        """The values of an expression over scalars that have few: the address of an element in one turn of a loop."""
        read = {v for v in reads(e) if isinstance(v, Var)}
        if len(read) < len(set(reads(e))):
            return None
        ways: list[dict[Var, Const]] = [{}]
        for v in sorted(read, key=lambda v: v.name):
            values = self._value(thread, Read(v), here, memory)
            if values is None or len(ways) * len(values) > MOST_VALUES:
                return None
            ways = [{**way, v: Const(n, v.type)} for way in ways for n in sorted(values)]
        found = [fold(substitute(e, lambda v, way=way: way.get(v) if isinstance(v, Var) else None)) for way in ways]  # type: ignore[misc]
        return frozenset(c.value for c in found if isinstance(c, Const)) if all(isinstance(c, Const) for c in found) else None

    # ----------------------------------------------------------------------------------------------- steps
    def _look(self, thread: int, step: SketchStep, before: PossibleValues) -> None:
        # What a step changes on its way may be of either kind when it is read there.
        here = before if before.keys().isdisjoint(changed := self._changed(step.op)) else {
            n: values for n, values in before.items() if n not in changed}
        leaves = self._loaded(step)
        if leaves is not None:
            assert step.pending is not None and step.pending.register is not None
            for leaf in leaves:
                self._into.setdefault(self._key(thread, leaf), []).append((self._key(thread, step.pending.register.name), 0))
            return
        for part in primitive(step.op):
            match part:
                case Assign(target=Var(name=n), value=value):
                    self._set(self._key(thread, n), thread, value, 0, here)
                case Havoc(targets=ts):
                    self._open.update(self._key(thread, t.name) for t in ts if isinstance(t, Var))
                case _:
                    pass
        if step.lock is not None:
            if step.lock.result is not None:
                self._open.add(self._key(thread, step.lock.result.name))
            for name, offset in step.lock.targets.known:
                if name[0] not in NO_OBJECT:
                    self._open.update(self._key(thread, leaf.name) for leaf in self._objects.named(name).leaves
                                      if offset < 0 or offset == leaf.offset)
        if step.pending is not None and step.pending.write:
            self._through(thread, step.pending, here)

    def _loaded(self, step: SketchStep) -> list[str] | None:
        """The scalars one of which a step reads through a pointer, if it does that; None if it is not sure which."""
        pending = step.pending
        if pending is None or pending.write or pending.register is None or pending.extent is not None or pending.targets.outside:
            return None
        if any(name[0] == "*" for name, _ in pending.targets.known):
            return None  # hardware gives anything
        found: list[str] = []
        for leaf, exact in self._meant(pending, pending.register.type.width):
            if not exact:
                return None
            found.append(leaf.name)
        return found

    def _through(self, thread: int, pending: Pending, here: PossibleValues) -> None:
        """A write through a pointer: to the scalar that lies just there, or else anything may be anywhere."""
        if pending.ends:
            return
        if pending.extent is not None or pending.value is None or pending.targets.unknown:
            self._lose(thread, pending)
            return
        for leaf, exact in self._meant(pending, pending.value.type.width):
            if exact:
                self._set(self._key(thread, leaf.name), thread, pending.value, 0, here)
            else:
                self._open.add(self._key(thread, leaf.name))

    def _meant(self, pending: Pending, width: int) -> Iterator[tuple[Leaf, bool]]:
        """What an access of so many bits through a pointer may touch; True with a scalar that it touches as a whole."""
        move = self._places.displacement(pending.place.base_type, pending.place.path)
        fixed = not move.terms and (move.field is None or move.field.bits is None)
        for name, offset in pending.targets.known:
            if name[0] in NO_OBJECT:
                continue
            obj = self._objects.named(name)
            fixed = fixed and not walks(obj, offset, pending.place.base_type, self._module)
            for leaf in obj.leaves:
                if not fixed or offset < 0 or leaf.dims or obj.instances is not None:
                    yield leaf, False
                elif offset + move.offset == leaf.offset and leaf.type.width == width and not leaf.bytes:
                    yield leaf, True
                elif leaf.offset < offset + move.offset + width // 8 and offset + move.offset < leaf.offset + leaf.span:
                    yield leaf, False

    def _lose(self, thread: int, pending: Pending) -> None:
        """Any value may be anywhere that the pointer leads to, and, if it is handed to nobody knows what, where that leads to."""
        if pending.targets.unknown or pending.extent == DEEP:
            objects = self._reached(pending.targets)
            if (thread, id(objects)) in self._lost:
                return
            self._lost[thread, id(objects)] = objects
        else:
            objects = [self._objects.named(name) for name, _ in pending.targets.known if name[0] not in NO_OBJECT]
        self._open.update(self._key(thread, leaf.name) for obj in objects for leaf in obj.leaves)

    def _key(self, thread: int, name: str) -> VariableKey:
        return (thread, name) if name in self._own[thread] else (None, name)

    # ----------------------------------------------------------------------------------------------- values
    def _set(self, k: VariableKey, thread: int, value: Expr, more: int, here: PossibleValues) -> None:
        """A step sets the variable to the value and `more`, where this is known of the thread's own scalars."""
        match value:
            case Const(value=n, type=t):
                self._found[k] = self._found.get(k, frozenset()) | {t.wrap(n + more)}
            case Cast(arg=a, type=t) if t.width == a.type.width and not t.signed:
                self._set(k, thread, a, more, here)
            case Read(lvalue=Var(name=n)):
                values = here.get(n) if n in self._own[thread] else None
                if values is not None:
                    moved = {self._places.pointer.wrap(x + more) if more else x for x in values}
                    self._found[k] = self._found.get(k, frozenset()) | moved
                    return
                self._into.setdefault(self._key(thread, n), []).append((k, more))
            case Binary(op="+", left=a, right=Const(value=n), type=t) if not t.signed:
                self._set(k, thread, a, more + n, here)
            case Ite(then=a, other=b):
                self._set(k, thread, a, more, here)
                self._set(k, thread, b, more, here)
            case _:
                computed = self._value(thread, value, here, False)
                if computed is None:
                    self._open.add(k)
                else:
                    moved = {self._places.pointer.wrap(x + more) if more else x for x in computed}
                    self._found[k] = self._found.get(k, frozenset()) | moved

    def _spread(self) -> None:
        """Along copies, until nothing changes. A global that is not listed is open."""
        self._open |= {k for k in self._into if k[0] is None and k[1] not in self._globals}
        self._open |= {k for k, values in self._found.items() if len(values) > MOST_VALUES}
        todo = list(dict.fromkeys([*self._found, *self._open]))
        while todo:
            k = todo.pop()
            for into, more in self._into.get(k, ()):
                if into in self._open:
                    continue
                both = self._found.get(into, frozenset()) | {
                    self._places.pointer.wrap(n + more) if more else n for n in self._found.get(k, frozenset())}
                if k in self._open or len(both) > MOST_VALUES:
                    self._open.add(into)
                elif both == self._found.get(into):
                    continue
                else:
                    self._found[into] = both
                todo.append(into)


def sole(
    e: Expr, address: Callable[[Var], tuple[int, frozenset[int]] | None],
) -> tuple[Var, int, frozenset[int]] | None:
    """The pointer in a sum, with what `address` says of it; None if it says nothing."""
    v = pointer_in(e)
    at = None if v is None else address(v)
    return None if v is None or at is None else (v, *at)


def pointer_in(e: Expr) -> Var | None:
    """The pointer in a sum of it, a constant, and indices times strides; None if the expression is nothing of the kind."""
    found: list[Var] = []
    todo = [e]
    while todo:
        match todo.pop():
            case Binary(op="+", left=a, right=b):
                todo += (a, b)
            case Cast(arg=a, type=t) if t.width == a.type.width:
                todo.append(a)
            case Read(lvalue=Var() as v):
                found.append(v)
            case Const() | Binary(op="*", right=Const()):
                pass
            case _:
                return None
    return found[0] if len(found) == 1 else None
