"""Finite systems as binary decision diagrams (CUDD through `dd`): states, steps forwards and backwards, error states.

Each location and each cell is a field of a few bits. A move is a sequence of commands on sets of states, so no primed
bits are needed to take a step: an assignment `x := e` is, for each value v of e, "restrict to e = v, forget x, put x = v".
The order of the fields follows the threads, with the elements of arrays beside the thread of the same number.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never

from dd import cudd

from circ.finite.domains import evaluate
from circ.finite.system import FATAL, Cell, Global, Local, Move, OutOfDomain, System
from frontend.program import (
    AllAt,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Element,
    Expr,
    Havoc,
    Ite,
    Lvalue,
    Read,
    Unary,
    Var,
    name_of,
    primitive,
    reads,
)

Set: TypeAlias = Any
"""A set of states: a node of the manager. `dd` carries no static types."""
Partition: TypeAlias = dict[int, Set]
"""For each value of an expression the states in which it has that value."""


@dataclass(frozen=True, slots=True)
class Field:
    """A location or cell: its values, its bits (first is most significant), and the states for each value."""

    name: str
    values: tuple[int, ...]
    bits: tuple[str, ...]
    equals: Mapping[int, Set]
    valid: Set

    def cube(self, value: int) -> dict[str, bool]:
        code = self.values.index(value)
        return {b: bool(code >> (len(self.bits) - 1 - n) & 1) for n, b in enumerate(self.bits)}


@dataclass(frozen=True, slots=True)
class Restrict:
    """Keep the states in `to`."""

    to: Set


@dataclass(frozen=True, slots=True)
class Put:
    """Field := the value of an expression, given by its partition; `bits` are forgotten first."""

    field: Field
    parts: tuple[tuple[Set, int], ...]
    outside: Set


@dataclass(frozen=True, slots=True)
class Fix:
    """Several fields get constants."""

    bits: tuple[str, ...]
    cube: Set
    values: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class Forget:
    """Fields get arbitrary values of their domains."""

    bits: tuple[str, ...]
    valid: Set


Command: TypeAlias = Restrict | Put | Fix | Forget


class Symbolic:
    """A closed finite system in a manager of its own. `primed` adds a copy of every bit beside it, for relations."""

    def __init__(self, system: System, primed: bool = False) -> None:
        self.system = system
        self.math = system.program.ints == "math"
        self.manager = cudd.BDD()
        self.manager.configure(reordering=False)
        self.true, self.false = self.manager.true, self.manager.false
        self.owner = system.threads
        self.shared: dict[tuple[str, int | None], Field] = {}
        self.fields: list[list[Field]] = [[] for _ in self.owner]
        self._locals: list[dict[tuple[str, int | None], Field]] = [{} for _ in self.owner]
        self._declare(primed)
        self._partitions: dict[tuple[Expr, int], Partition] = {}
        self._changed: dict[str, Partition] = {}
        self._escaped = self.false
        self.moves = [[(m, self._commands(m, t)) for m in system.groups[g].moves] for t, g in enumerate(self.owner)]
        self.thread_bits = [tuple(b for f in fields for b in f.bits) for fields in self.fields]

    # ----------------------------------------------------------------------------------------------- fields
    def _declare(self, primed: bool) -> None:
        count = len(self.owner)
        beside: list[list[Cell]] = [[] for _ in range(count)]
        first: list[Cell] = []
        for c in self.system.globals:
            (beside[c.element] if c.element is not None and c.element < count else first).append(c)
        for c in first:
            self.shared[c.name, c.element] = self._field(str(c), c.values, primed)
        for t, g in enumerate(self.owner):
            group = self.system.groups[g]
            for c in beside[t]:
                self.shared[c.name, c.element] = self._field(str(c), c.values, primed)
            self.fields[t].append(self._field(f"{t}@", group.locations, primed))
            for c in group.cells:
                field = self._field(f"{t}.{c}", c.values, primed)
                self.fields[t].append(field)
                self._locals[t][c.name, c.element] = field

    def _field(self, name: str, values: tuple[int, ...], primed: bool) -> Field:
        width = max(0, (len(values) - 1).bit_length())
        bits = tuple(f"{name}:{n}" for n in range(width))
        for b in bits:
            self.manager.declare(b)
            if primed:
                self.manager.declare(b + "'")
        equals = {}
        for code, value in enumerate(values):
            equals[value] = self.manager.cube({b: bool(code >> (width - 1 - n) & 1) for n, b in enumerate(bits)})
        valid = self.false
        for e in equals.values():
            valid |= e
        return Field(name, values, bits, equals, valid)

    def all_fields(self) -> list[Field]:
        return [*self.shared.values(), *(f for fields in self.fields for f in fields)]

    def bits(self) -> list[str]:
        return [b for f in self.all_fields() for b in f.bits]

    def start(self) -> Set:
        """The start states."""
        found = self.true
        for c in self.system.globals:
            found &= self._any(self.shared[c.name, c.element], c.start)
        for t, g in enumerate(self.owner):
            group = self.system.groups[g]
            found &= self.fields[t][0].equals[group.start]
            alive = group.live[group.start]
            for c, f in zip(group.cells, self.fields[t][1:], strict=True):
                found &= self._any(f, c.start) if c.name in alive else f.valid
        return found

    def _any(self, field: Field, values: Iterable[int]) -> Set:
        found = self.false
        for v in values:
            found |= field.equals[v]
        return found

    # ----------------------------------------------------------------------------------------------- expressions
    def _find(self, name: str, index: int | None, thread: int) -> Field | None:
        return self._locals[thread].get((name, index)) or self.shared.get((name, index))

    def partition(self, e: Expr, thread: int) -> Partition:
        """The states for each value of the expression, as the thread reads it; states where an index is wild are left out."""
        if self._changed:
            return self._partition(e, thread)
        key = (e, thread)
        found = self._partitions.get(key)
        if found is None:
            found = self._partitions[key] = self._partition(e, thread)
        return found

    def _partition(self, e: Expr, thread: int) -> Partition:
        match e:
            case Const(value=v):
                return {v: self.true}
            case Read(lvalue=v):
                return self._read(v, thread)
            case Ite(cond=c, then=a, other=b):
                holds = self.condition(c, thread)
                result: Partition = {}
                for part, side in ((self.partition(a, thread), holds), (self.partition(b, thread), ~holds)):
                    for v, s in part.items():
                        result[v] = result.get(v, self.false) | (s & side)
                return _nonempty(result, self.false)
            case Unary(op=op, arg=a):
                shell: Expr = Unary(op, Read(Var("a", a.type)))
                return self._map(shell, [self.partition(a, thread)])
            case Cast(arg=a, type=t):
                return self._map(Cast(Read(Var("a", a.type)), t), [self.partition(a, thread)])
            case Binary(op=op, left=a, right=b):
                shell = Binary(op, Read(Var("a", a.type)), Read(Var("b", b.type)))
                return self._map(shell, [self.partition(a, thread), self.partition(b, thread)])
            case _:
                assert_never(e)

    def _map(self, shell: Expr, parts: Sequence[Partition]) -> Partition:
        result: Partition = {}
        for v, s in parts[0].items():
            for w, r in parts[1].items() if len(parts) > 1 else ((0, self.true),):
                both = s & r
                if both != self.false:
                    value = evaluate(shell, functools.partial(_operand, v, w), self.math)
                    result[value] = result.get(value, self.false) | both
        return result

    def _read(self, v: Lvalue, thread: int) -> Partition:
        if isinstance(v, Var):
            field = self._find(v.name, None, thread)
            assert field is not None
            return self._now(field)
        result: Partition = {}
        for i, where in self.partition(v.index, thread).items():
            field = self._find(v.array, i, thread)
            for value, s in self._now(field).items() if field is not None else ():
                result[value] = result.get(value, self.false) | (s & where)
        return _nonempty(result, self.false)

    def _now(self, field: Field) -> Partition:
        """The states for each value of a field; inside `_net`, of the value it has been given there."""
        return self._changed.get(field.name) or dict(field.equals)

    def condition(self, e: Expr, thread: int) -> Set:
        """The states in which the expression is not 0."""
        found = self.false
        for v, s in self.partition(e, thread).items():
            if v:
                found |= s
        return found

    def _wild(self, e: Expr, thread: int) -> Set:
        """The (valid) states in which evaluating the expression indexes outside an array."""
        found = self.true
        for s in self.partition(e, thread).values():
            found &= ~s
        for v in reads(e):
            field = self._find(v.name, None, thread) if isinstance(v, Var) else None
            if field is not None:
                found &= field.valid
            elif isinstance(v, Element):
                for (name, _), f in self.shared.items():
                    found &= f.valid if name == v.array else self.true
                for (name, _), f in self._locals[thread].items():
                    found &= f.valid if name == v.array else self.true
        return found

    # ----------------------------------------------------------------------------------------------- commands
    def _net(self, move: Move, thread: int) -> tuple[Command, ...] | None:
        """The net effect of a move: a condition on the state before it, and each changed field as a function of that state.

        None where there is none: a havoc, or fields that are exchanged.
        """
        group = self.system.groups[self.owner[thread]]
        guard, escaped = self.true, self.false
        order: dict[str, Field] = {}
        try:
            for part in primitive(move.op):
                match part:
                    case Assume(cond=c):
                        escaped |= guard & self._wild(c, thread)
                        guard &= self.condition(c, thread)
                    case Assign(target=t, value=e):
                        wild = self._wild(e, thread)
                        places: list[tuple[Set, Field | None]]
                        if isinstance(t, Var):
                            places = [(self.true, self._find(t.name, None, thread))]
                        else:
                            wild |= self._wild(t.index, thread)
                            places = [(w, self._find(t.array, i, thread)) for i, w in self.partition(t.index, thread).items()]
                        parts = self.partition(e, thread)
                        new: dict[str, Partition] = {}
                        for where, field in places:
                            if field is None:
                                wild |= where
                                continue
                            new[field.name], outside = self._given(field, parts, where, thread)
                            wild |= outside
                            order.setdefault(field.name, field)
                        self._changed.update(new)
                        escaped |= guard & wild
                        guard &= ~wild
                    case _:
                        return None
            changed = dict(self._changed)
        finally:
            self._changed = {}
        local = {f.name: c.name for c, f in zip(group.cells, self.fields[thread][1:], strict=True)}
        kept = [f for f in order.values() if local.get(f.name) is None or local[f.name] in group.live[move.target]]
        puts = [Put(f, tuple((s, v) for v, s in changed[f.name].items()), self.false) for f in kept]
        ordered: list[Command] = []
        while puts:
            # A field is overwritten only when no later function of the old state reads it.
            free = next((p for p in puts if not any(set(p.field.bits) & self._support(q) for q in puts if q is not p)), None)
            if free is None:
                return None
            puts.remove(free)
            single = free.parts[0] if len(free.parts) == 1 else None
            ordered.append(self._fix(free.field.cube(single[1])) if single is not None and single[0] == self.true else free)
        self._escaped |= self._guard(move, thread) & escaped
        return (Restrict(guard), *ordered)

    def _support(self, put: Put) -> set[str]:
        return {b for s, _ in put.parts for b in self.manager.support(s)}

    def _given(self, field: Field, parts: Partition, where: Set, thread: int) -> tuple[Partition, Set]:
        """The field after `field := value` in the states `where`, and the states in which the value is outside its domain."""
        cell = self._cell_of(field, thread)
        chosen: Partition = {}
        outside = self.false
        for v, s in parts.items():
            normal = cell.normal(v)
            if normal is None:
                outside |= s & where
            else:
                chosen[normal] = chosen.get(normal, self.false) | (s & where)
        if where != self.true:
            for v, s in self._now(field).items():
                chosen[v] = chosen.get(v, self.false) | (s & ~where)
        return _nonempty(chosen, self.false), outside

    def _guard(self, move: Move, thread: int) -> Set:
        """The thread is at the source of the move, and nobody else at an atomic location."""
        group = self.system.groups[self.owner[thread]]
        ghost = next((f for (name, _), f in self.shared.items() if name == "<atomic>"), None)
        guard = self.fields[thread][0].equals[move.source]
        return guard & ghost.equals[0] if ghost is not None and move.source not in group.atomic else guard

    def _commands(self, move: Move, thread: int) -> tuple[Command, ...]:
        group = self.system.groups[self.owner[thread]]
        ghost = next((f for (name, _), f in self.shared.items() if name == "<atomic>"), None)
        done: list[Command] = [Restrict(self._guard(move, thread))]
        net = self._net(move, thread)
        if net is not None:
            done.extend(net)
        for part in primitive(move.op) if net is None else ():
            match part:
                case Assume(cond=c):
                    done.append(Restrict(self.condition(c, thread) | self._wild(c, thread)))
                    wild = self._wild(c, thread)
                    if wild != self.false:
                        done.append(Put(self.fields[thread][0], ((~wild, move.source),), wild))
                case Assign(target=t, value=e):
                    done.extend(self._put(t, e, thread))
                case Havoc(targets=ts, whole=ws):
                    for t in ts:
                        done.extend(self._havoc(t, thread))
                    for w in ws:
                        for table in (self._locals[thread], self.shared):
                            done += [Forget(f.bits, f.valid) for (name, _), f in table.items() if name == w]
                case AllAt():
                    pass  # left out, see circ.finite.system
                case _:
                    assert_never(part)
        last = {**self.fields[thread][0].cube(move.target)}
        for cell, f in zip(group.cells, self.fields[thread][1:], strict=True):
            # A dead local may have any value, not just its first: then no set depends on it.
            if cell.name not in group.live[move.target] and f.bits:
                done.append(Forget(f.bits, f.valid))
        if ghost is not None:
            last.update(ghost.cube(int(move.target in group.atomic)))
        done.append(self._fix(last))
        return self._merged(done)

    def _fix(self, values: dict[str, bool]) -> Fix:
        return Fix(tuple(values), self.manager.cube(values), values)

    def _merged(self, commands: list[Command]) -> tuple[Command, ...]:
        """Neighbouring restrictions and neighbouring constants made one."""
        done: list[Command] = []
        for c in commands:
            last = done[-1] if done else None
            if isinstance(c, Restrict) and isinstance(last, Restrict):
                done[-1] = Restrict(last.to & c.to)
            elif isinstance(c, Fix) and isinstance(last, Fix):
                done[-1] = self._fix({**last.values, **c.values})
            else:
                done.append(c)
        return tuple(done)

    def _put(self, target: Lvalue, e: Expr, thread: int) -> list[Command]:
        parts = self.partition(e, thread)
        if isinstance(target, Var):
            field = self._find(target.name, None, thread)
            assert field is not None
            return [self._assignment(field, parts, self.true, self._wild(e, thread), thread)]
        places = self.partition(target.index, thread)
        if len(places) == 1 and len(parts) == 1:
            # The common case: the thread's own element.
            (i,) = places
            field = self._find(target.array, i, thread)
            if field is not None:
                return [self._assignment(field, parts, self.true, self._wild(e, thread), thread)]
        commands: list[Command] = []
        wild = self._wild(e, thread) | self._wild(target.index, thread)
        for i, where in places.items():
            field = self._find(target.array, i, thread)
            if field is None:
                wild |= where
        fields = [(where, f) for i, where in places.items() if (f := self._find(target.array, i, thread)) is not None]
        if len(fields) > 1 and name_of(target) in {name_of(v) for v in (*reads(e), *reads(target.index))}:
            raise OutOfDomain(f"'{target.array}' is written at an index and read in the same step")
        for where, field in fields:
            commands.append(self._assignment(field, parts, where, wild, thread))
        return commands

    def _assignment(self, field: Field, parts: Partition, where: Set, wild: Set, thread: int) -> Command:
        """`field := value` in the states `where`; elsewhere it keeps its value."""
        outside = wild
        cell = self._cell_of(field, thread)
        chosen: dict[int, Set] = {}
        for v, s in parts.items():
            normal = cell.normal(v)
            if normal is None:
                outside |= s & where
            else:
                chosen[normal] = chosen.get(normal, self.false) | (s & where)
        if where == self.true and len(chosen) == 1 and outside == self.false:
            return self._fix(field.cube(next(iter(chosen))))
        for v, s in field.equals.items():
            if where != self.true:
                chosen[v] = chosen.get(v, self.false) | (s & ~where)
        return Put(field, tuple((s, v) for v, s in chosen.items()), outside)

    def _cell_of(self, field: Field, thread: int) -> Cell:
        group = self.system.groups[self.owner[thread]]
        for (name, element), f in (*self._locals[thread].items(), *self.shared.items()):
            if f is field:
                return next(c for c in (*group.cells, *self.system.globals) if (c.name, c.element) == (name, element))
        raise AssertionError(field.name)

    def _havoc(self, target: Lvalue, thread: int) -> list[Command]:
        if isinstance(target, Var):
            field = self._find(target.name, None, thread)
            assert field is not None
            return [Forget(field.bits, field.valid)]
        raise OutOfDomain(f"an element of '{target.array}' gets an arbitrary value")

    # ----------------------------------------------------------------------------------------------- steps
    def image(self, states: Set, commands: Sequence[Command]) -> Set:
        """The states after the commands; where a value would leave its domain or an index its array, no step is taken."""
        now = states
        for c in commands:
            if now == self.false:
                return now
            match c:
                case Restrict(to=to):
                    now &= to
                case Fix(bits=bits, cube=cube):
                    now = self.manager.exist(bits, now) & cube
                case Put(field=field, parts=parts):
                    after = self.false
                    for where, value in parts:
                        after |= cudd.and_exists(now, where, field.bits) & field.equals[value]
                    now = after
                case Forget(bits=bits, valid=valid):
                    now = self.manager.exist(bits, now) & valid
                case _:
                    assert_never(c)
        return now

    def preimage(self, states: Set, commands: Sequence[Command]) -> Set:
        """The states from which the commands can lead into `states`."""
        now = states
        for c in reversed(commands):
            match c:
                case Restrict(to=to):
                    now &= to
                case Fix(values=values):
                    now = self.manager.let(dict(values), now) if values else now
                case Put(field=field, parts=parts):
                    before = self.false
                    for where, value in parts:
                        cube = field.cube(value)
                        before |= where & (self.manager.let(cube, now) if cube else now)
                    now = before
                case Forget(bits=bits, valid=valid):
                    now = self.manager.exist(bits, now & valid)
                case _:
                    assert_never(c)
        return now

    # ----------------------------------------------------------------------------------------------- errors
    def error(self) -> Set:
        """The error states: a fatal mark, a false invariant, conflicting marks of two threads, or a way out of the view."""
        found = self._escapes()
        for cond in self.system.invariants:
            found |= ~self.condition(cond, 0)
        seen: dict[tuple[object, ...], Set] = {}
        for t, g in enumerate(self.owner):
            here: dict[tuple[object, ...], Set] = {}
            for mark in self.system.groups[g].marks:
                where = self.fields[t][0].equals.get(mark.location, self.false) & self.condition(mark.guard, t)
                if mark.index is not None and mark.value is not None:
                    where &= self.partition(mark.index, t).get(mark.value, self.false)
                here[mark.shape] = here.get(mark.shape, self.false) | where
            found |= here.get(FATAL, self.false)
            for a, b in self.system.conflicts:
                if a in here and b in seen:
                    found |= here[a] & seen[b]
            for shape, where in here.items():
                seen[shape] = seen.get(shape, self.false) | where
        return found

    def _escapes(self) -> Set:
        """The states from which a step would leave the finite view; they count as errors (`Stepper.escape`)."""
        found = self._escaped
        for moves in self.moves:
            for _, commands in moves:
                for n, c in enumerate(commands):
                    if isinstance(c, Put) and c.outside != self.false:
                        found |= self.preimage(c.outside, commands[:n])
        return found

    def exclusive(self) -> Set:
        """At most one thread is at an atomic location, and `<atomic>` says whether one is."""
        ghost = next((f for (name, _), f in self.shared.items() if name == "<atomic>"), None)
        if ghost is None:
            return self.true
        none, one = self.true, self.false
        for t, g in enumerate(self.owner):
            at = self._any(self.fields[t][0], sorted(self.system.groups[g].atomic & set(self.fields[t][0].values)))
            none, one = none & ~at, (one & ~at) | (none & at)
        return (none & ghost.equals[0]) | (one & ghost.equals[1])

    # ----------------------------------------------------------------------------------------------- single states
    def pick(self, states: Set) -> tuple[Global, tuple[Local, ...]]:
        """One of the states, always the same one."""
        now = states
        picked: dict[str, int] = {}
        for f in self.all_fields():
            for v in f.values:
                rest = now & f.equals[v]
                if rest != self.false:
                    now = rest
                    picked[f.name] = v
                    break
        store = tuple(picked[self.shared[c.name, c.element].name] for c in self.system.globals)
        return store, tuple(tuple(picked[f.name] for f in fields) for fields in self.fields)

    def contains(self, states: Set, store: Global, locals_: Sequence[Local]) -> bool:
        cube: dict[str, bool] = {}
        for c, v in zip(self.system.globals, store, strict=True):
            cube.update(self.shared[c.name, c.element].cube(v))
        for fields, local in zip(self.fields, locals_, strict=True):
            for f, v in zip(fields, local, strict=True):
                cube.update(f.cube(v))
        return bool(self.manager.let(cube, states) == self.true)

    def peak(self) -> int:
        """The largest number of nodes so far."""
        with warnings.catch_warnings():
            # dd announces a change of another entry on every call.
            warnings.simplefilter("ignore")
            return int(self.manager.statistics(exact_node_count=False)["peak_live_nodes"])


def _operand(left: int, right: int, name: str, index: int | None) -> int:
    return left if name == "a" else right


def _nonempty(parts: Partition, false: Set) -> Partition:
    return {v: s for v, s in parts.items() if s != false}
