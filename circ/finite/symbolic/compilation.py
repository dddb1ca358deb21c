"""Transitions of threads as commands on sets of states: the net effect where there is one, otherwise step by step."""

from __future__ import annotations

from typing import assert_never

from circ.finite.symbolic.encoding import BitEncoding, BitField, StateSet
from circ.finite.symbolic.partitions import Partitions, ValuePartition, nonempty
from circ.finite.symbolic.set_commands import AssignField, ForgetBits, Restrict, SetCommand, merged, set_constants
from circ.finite.system import FiniteCell, OutOfDomain, Transition
from frontend.program import AllAt, Assign, Assume, Expr, Havoc, Lvalue, Var, name_of, primitive, reads


class Compilation:
    """Compiles transitions; `escaped` collects the states from which a compiled one would leave the finite view."""

    def __init__(self, encoding: BitEncoding, partitions: Partitions) -> None:
        self.encoding = encoding
        self.partitions = partitions
        self.escaped: StateSet = encoding.false

    def commands(self, move: Transition, thread: int) -> tuple[SetCommand, ...]:
        """The commands of a transition as the thread takes it; waiting for others (`AllAt`) is left out."""
        group = self.encoding.system.groups[self.encoding.owner[thread]]
        ghost = self.encoding.ghost
        done: list[SetCommand] = [Restrict(self._guard(move, thread))]
        net = self._net(move, thread)
        if net is not None:
            done.extend(net)
        for part in primitive(move.op) if net is None else ():
            match part:
                case Assume(cond=c):
                    done.append(Restrict(self.partitions.condition(c, thread) | self.partitions.wild(c, thread)))
                    wild = self.partitions.wild(c, thread)
                    if wild != self.encoding.false:
                        done.append(AssignField(self.encoding.fields[thread][0], ((~wild, move.source),), wild))
                case Assign(target=t, value=e):
                    done.extend(self._put(t, e, thread))
                case Havoc(targets=ts, whole=ws):
                    for t in ts:
                        done.extend(self._havoc(t, thread))
                    for w in ws:
                        for table in (self.encoding.locals[thread], self.encoding.shared):
                            done += [ForgetBits(f.bits, f.valid) for (name, _), f in table.items() if name == w]
                case AllAt():
                    pass
                case _:
                    assert_never(part)
        last = {**self.encoding.fields[thread][0].cube(move.target)}
        for cell, f in zip(group.cells, self.encoding.fields[thread][1:], strict=True):
            # A dead local may have any value, not just its first: then no set depends on it.
            if cell.name not in group.live[move.target] and f.bits:
                done.append(ForgetBits(f.bits, f.valid))
        if ghost is not None:
            last.update(ghost.cube(int(move.target in group.atomic)))
        done.append(set_constants(self.encoding, last))
        return merged(self.encoding, done)

    def _guard(self, move: Transition, thread: int) -> StateSet:
        """The thread is at the source of the move, and nobody else at an atomic location."""
        group = self.encoding.system.groups[self.encoding.owner[thread]]
        ghost = self.encoding.ghost
        guard = self.encoding.fields[thread][0].equals[move.source]
        return guard & ghost.equals[0] if ghost is not None and move.source not in group.atomic else guard

    def _net(self, move: Transition, thread: int) -> tuple[SetCommand, ...] | None:
        """The net effect of a move: a condition on the state before it, and each changed field as a function of that state.

        None where there is none: a havoc, or fields that are exchanged. While the parts are walked `partitions.changed` says what
        fields have been given, so that conditions and values of later parts are over the state before the move.
        """
        partitions = self.partitions
        guard, escaped = self.encoding.true, self.encoding.false
        order: dict[str, BitField] = {}
        try:
            for part in primitive(move.op):
                match part:
                    case Assume(cond=c):
                        escaped |= guard & partitions.wild(c, thread)
                        guard &= partitions.condition(c, thread)
                    case Assign(target=t, value=e):
                        new, wild = self._written(t, e, thread)
                        for field, given in new:
                            order.setdefault(field.name, field)
                            partitions.changed[field.name] = given
                        escaped |= guard & wild
                        guard &= ~wild
                    case _:
                        return None
            changed = partitions.changed
        finally:
            partitions.changed = {}
        ordered = self._ordered([AssignField(f, tuple((s, v) for v, s in changed[f.name].items()), self.encoding.false)
                                 for f in order.values() if self._survives(f, move, thread)])
        if ordered is None:
            return None
        self.escaped |= self._guard(move, thread) & escaped
        return (Restrict(guard), *ordered)

    def _written(self, target: Lvalue, e: Expr, thread: int) -> tuple[list[tuple[BitField, ValuePartition]], StateSet]:
        """The fields that an assignment may write with their values after it, and the states where it leaves the finite view."""
        wild = self.partitions.wild(e, thread)
        places: list[tuple[StateSet, BitField | None]]
        if isinstance(target, Var):
            places = [(self.encoding.true, self.encoding.find(target.name, None, thread))]
        else:
            wild |= self.partitions.wild(target.index, thread)
            places = [(where, self.encoding.find(target.array, i, thread))
                      for i, where in self.partitions.partition(target.index, thread).items()]
        parts = self.partitions.partition(e, thread)
        new: list[tuple[BitField, ValuePartition]] = []
        for where, field in places:
            if field is None:
                wild |= where
                continue
            given, outside = self._given(field, parts, where, thread)
            wild |= outside
            new.append((field, given))
        return new, wild

    def _survives(self, field: BitField, move: Transition, thread: int) -> bool:
        """Whether the field's value matters after the move: all but dead locals."""
        group = self.encoding.system.groups[self.encoding.owner[thread]]
        own = next((c for c, f in zip(group.cells, self.encoding.fields[thread][1:], strict=True) if f is field), None)
        return own is None or own.name in group.live[move.target]

    def _ordered(self, puts: list[AssignField]) -> list[SetCommand] | None:
        """The assignments, all over the same old state, in an order in which none reads what is overwritten; None if none is."""
        ordered: list[SetCommand] = []
        while puts:
            free = next((p for p in puts if not any(set(p.field.bits) & self._support(q) for q in puts if q is not p)), None)
            if free is None:
                return None
            puts.remove(free)
            match free.parts:
                case ((where, value),) if where == self.encoding.true:
                    ordered.append(set_constants(self.encoding, free.field.cube(value)))
                case _:
                    ordered.append(free)
        return ordered

    def _support(self, put: AssignField) -> set[str]:
        return {b for s, _ in put.parts for b in self.encoding.manager.support(s)}

    def _given(self, field: BitField, parts: ValuePartition, where: StateSet, thread: int) -> tuple[ValuePartition, StateSet]:
        """The field after `field := value` in the states `where`, and the states in which the value is outside its domain."""
        cell = self._cell_of(field, thread)
        chosen: ValuePartition = {}
        outside = self.encoding.false
        for v, s in parts.items():
            normal = cell.normal(v)
            if normal is None:
                outside |= s & where
            else:
                chosen[normal] = chosen.get(normal, self.encoding.false) | (s & where)
        if where != self.encoding.true:
            for v, s in self.partitions.now(field).items():
                chosen[v] = chosen.get(v, self.encoding.false) | (s & ~where)
        return nonempty(chosen, self.encoding.false), outside

    def _put(self, target: Lvalue, e: Expr, thread: int) -> list[SetCommand]:
        parts = self.partitions.partition(e, thread)
        if isinstance(target, Var):
            field = self.encoding.find(target.name, None, thread)
            assert field is not None
            return [self._assignment(field, parts, self.encoding.true, self.partitions.wild(e, thread), thread)]
        places = self.partitions.partition(target.index, thread)
        if len(places) == 1 and len(parts) == 1:
            # The common case: the thread's own element.
            (i,) = places
            field = self.encoding.find(target.array, i, thread)
            if field is not None:
                return [self._assignment(field, parts, self.encoding.true, self.partitions.wild(e, thread), thread)]
        commands: list[SetCommand] = []
        wild = self.partitions.wild(e, thread) | self.partitions.wild(target.index, thread)
        for i, where in places.items():
            field = self.encoding.find(target.array, i, thread)
            if field is None:
                wild |= where
        fields = [(where, f) for i, where in places.items() if (f := self.encoding.find(target.array, i, thread)) is not None]
        if len(fields) > 1 and name_of(target) in {name_of(v) for v in (*reads(e), *reads(target.index))}:
            raise OutOfDomain(f"'{target.array}' is written at an index and read in the same step")
        for where, field in fields:
            commands.append(self._assignment(field, parts, where, wild, thread))
        return commands

    def _assignment(self, field: BitField, parts: ValuePartition, where: StateSet, wild: StateSet, thread: int) -> SetCommand:
        """`field := value` in the states `where`; elsewhere it keeps its value."""
        outside = wild
        cell = self._cell_of(field, thread)
        chosen: dict[int, StateSet] = {}
        for v, s in parts.items():
            normal = cell.normal(v)
            if normal is None:
                outside |= s & where
            else:
                chosen[normal] = chosen.get(normal, self.encoding.false) | (s & where)
        if where == self.encoding.true and len(chosen) == 1 and outside == self.encoding.false:
            return set_constants(self.encoding, field.cube(next(iter(chosen))))
        for v, s in field.equals.items():
            if where != self.encoding.true:
                chosen[v] = chosen.get(v, self.encoding.false) | (s & ~where)
        return AssignField(field, tuple((s, v) for v, s in chosen.items()), outside)

    def _cell_of(self, field: BitField, thread: int) -> FiniteCell:
        group = self.encoding.system.groups[self.encoding.owner[thread]]
        for (name, element), f in (*self.encoding.locals[thread].items(), *self.encoding.shared.items()):
            if f is field:
                return next(c for c in (*group.cells, *self.encoding.system.globals) if (c.name, c.element) == (name, element))
        raise AssertionError(field.name)

    def _havoc(self, target: Lvalue, thread: int) -> list[SetCommand]:
        if isinstance(target, Var):
            field = self.encoding.find(target.name, None, thread)
            assert field is not None
            return [ForgetBits(field.bits, field.valid)]
        raise OutOfDomain(f"an element of '{target.array}' gets an arbitrary value")
