"""What a transition does to explicit values: all effects that its havocs allow, one primitive operation after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias, assert_never

from circ.finite.system.expression_values import evaluate
from circ.finite.system.layout import CellLayout, listed
from circ.finite.system.liveness import live_before
from circ.finite.system.open_values import OpenValues
from circ.finite.system.refusals import OutOfDomain
from circ.finite.system.transition_system import FiniteSystem, GlobalStore, LocalStore, ThreadGroup, Transition
from frontend.program import (
    AllAt,
    Assign,
    Assume,
    Const,
    Element,
    Expr,
    Havoc,
    Lvalue,
    name_of,
    op_reads,
    op_writes,
    primitive,
)
from frontend.records import dataclass

TransitionEffect: TypeAlias = tuple[tuple[tuple[int, int], ...], tuple[int, ...]]
"""What a transition writes (position, value), and what its havocs chose."""
Written: TypeAlias = dict[int, int]
PrimitiveOp: TypeAlias = Assume | Assign | Havoc | AllAt


@dataclass(frozen=True, slots=True)
class PreparedTransition:
    """A transition, prepared. `support`: the positions that it depends on, of globals and of the thread's cells.

    `needed`: for each primitive operation the variables whose value matters after it; a havoc of others needs no choice.
    """

    move: Transition
    parts: tuple[PrimitiveOp, ...]
    support: tuple[tuple[int, ...], tuple[int, ...]]
    needed: tuple[frozenset[str], ...]


def plans(system: FiniteSystem, layout: CellLayout, i: int) -> list[list[PreparedTransition]]:
    """For each location the prepared transitions of a thread of group `i`."""
    group = system.groups[i]
    found: list[list[PreparedTransition]] = [[] for _ in range(group.template.cfa.size)]
    by_name: dict[str, list[int]] = {}
    for (name, _), slot in layout.slots[i].items():
        by_name.setdefault(name, []).append(slot)

    def touched(v: Lvalue) -> list[int]:
        if isinstance(v, Element) and isinstance(v.index, Const):
            slot = layout.slots[i].get((v.array, v.index.value))
            return [] if slot is None else [slot]
        return by_name.get(name_of(v), [])

    for move in group.moves:
        parts = tuple(primitive(move.op))
        used: set[int] = set()
        for v in op_reads(move.op):
            used.update(touched(v))
        for part in parts:
            targets = (part.target,) if isinstance(part, Assign) else part.targets if isinstance(part, Havoc) else ()
            for t in targets:
                if isinstance(t, Element):
                    used.update(touched(t))
        width = layout.width
        support = (tuple(sorted(s for s in used if s < width)), tuple(sorted(s - width for s in used if s >= width)))
        found[move.source].append(PreparedTransition(move, parts, support, _needed(group, move.target, parts)))
    return found


def _needed(group: ThreadGroup, target: int, parts: tuple[PrimitiveOp, ...]) -> tuple[frozenset[str], ...]:
    """After each primitive operation, the variables whose value still matters: live locals, and all globals written."""
    local = {v.name for v in group.template.locals}
    after = group.live[target]
    needed: list[frozenset[str]] = []
    for part in reversed(parts):
        needed.append(after)
        after = live_before(part, after)
    everything = frozenset(n for p in parts for n in op_writes(p) if n not in local)
    return tuple(n | everything for n in reversed(needed))


@dataclass(frozen=True, slots=True)
class Execution:
    """A transition of a thread of group `i` in one state; `written` are the values that it has given to positions so far."""

    layout: CellLayout
    values: OpenValues
    math: bool
    i: int
    plan: PreparedTransition
    store: GlobalStore
    local: LocalStore

    def effects(self, at: int = 0, written: Mapping[int, int] | None = None,
                chosen: tuple[int, ...] = ()) -> Iterator[TransitionEffect | str]:
        """The effects of the operations from number `at` on; a text says how one would leave the finite view."""
        now: Written = dict(written or {})
        if at == len(self.plan.parts):
            yield tuple(sorted(now.items())), chosen
            return
        try:
            ways = self._after(self.plan.parts[at], self.plan.needed[at], now)
        except OutOfDomain as error:
            yield str(error)
            return
        for new, more in ways:
            yield from self.effects(at + 1, new, (*chosen, *more))

    def _after(self, part: PrimitiveOp, needed: frozenset[str], now: Written) -> list[tuple[Written, tuple[int, ...]]]:
        """What one operation makes of the values written so far, with what it chose; none if it does not pass.

        An assignment is evaluated even if its target is dead after it (an index in it may be outside its array), and then
        writes nothing; a havoc of dead variables chooses the first value. Waiting for others (`AllAt`) is left out.
        """
        cells = self.layout.cells[self.i]
        match part:
            case Assume(cond=c):
                return [(now, ())] if self._value(c, now) else []
            case Assign(target=t, value=e):
                value, slot = self._value(e, now), self._slot(t, now)
                return [(self._put(slot, value, now) if cells[slot].name in needed or isinstance(t, Element) else now, ())]
            case Havoc(targets=ts, whole=ws):
                places = [self._slot(t, now) for t in ts]
                places += [s for w in ws for (name, _), s in self.layout.slots[self.i].items() if name == w]
                for s in places:
                    if cells[s].open and cells[s].name in needed:
                        raise self.values.refusal(self.i, cells[s].name)
                options = [cells[s].values if cells[s].name in needed else cells[s].values[:1] for s in places]
                choices = listed(options, "more values than can be listed are chosen in one step")
                return [({**now, **dict(zip(places, values, strict=True))}, values) for values in choices]
            case AllAt():
                return [(now, ())]
            case _:
                assert_never(part)

    def _value(self, e: Expr, now: Written) -> int:
        return evaluate(e, self.layout.reader(self.i, self.store, self.local, now), self.math)

    def _slot(self, v: Lvalue, now: Written) -> int:
        return self.layout.slot(self.i, name_of(v), self._value(v.index, now) if isinstance(v, Element) else None)

    def _put(self, slot: int, value: int, now: Written) -> Written:
        cell = self.layout.cells[self.i][slot]
        normal = cell.normal(value)
        if normal is None:
            raise OutOfDomain(f"'{cell}' can get the value {value}, outside its range")
        if cell.open:
            self.values.note(self.i, slot, normal)
        return {**now, slot: normal}
