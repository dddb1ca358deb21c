"""Which cells of the globals a step of a run has read and written: worked out after the run, from its states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from circ.semantics.evaluation import Undefined, Value, cell
from circ.semantics.interpreter import Globals, Machine
from frontend.program import AccessKind, Assume, Element, Havoc, Lvalue, name_of, op_reads, op_writes, primitive, reads
from frontend.records import dataclass

Cell: TypeAlias = tuple[int, int | None]
"""A slot of the globals, and the element if it is an array; None also for all elements at once."""
Index: TypeAlias = Callable[[Globals, tuple[Value, ...]], int]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a step reads or writes: a slot, and for an element its index. `late`: the step itself says first which one it is."""

    slot: int
    index: Index | None
    late: bool
    vague: bool = False
    """Which elements are meant cannot be told."""

    def cell(self, before: tuple[Globals, tuple[Value, ...]], after: tuple[Globals, tuple[Value, ...]]) -> Cell:
        if self.index is None:
            return self.slot, None
        if not self.late:
            try:
                return self.slot, self.index(*before)
            except Undefined:
                pass  # it is chosen by the step
        return self.slot, self.index(*after)


@dataclass(frozen=True, slots=True)
class _Effects:
    reads: tuple[_Place, ...]
    writes: tuple[_Place, ...]
    takes: bool


class StepEffects:
    """The cells that the edges of one program touch."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._edges: dict[tuple[int, int], _Effects] = {}
        self._locks: frozenset[int] | None = None

    def reads(self, template: int, edge: int, before: tuple[Globals, tuple[Value, ...]],
              after: tuple[Globals, tuple[Value, ...]]) -> Iterator[tuple[Cell, bool]]:
        """The cells that a step has read; True where all of an array may be meant."""
        for place in self._effects(template, edge).reads:
            yield ((place.slot, None), True) if place.vague else (place.cell(before, after), False)

    def writes(self, template: int, edge: int, before: tuple[Globals, tuple[Value, ...]],
               after: tuple[Globals, tuple[Value, ...]]) -> Iterator[tuple[Cell, bool]]:
        for place in self._effects(template, edge).writes:
            yield ((place.slot, None), True) if place.vague else (place.cell(before, after), False)

    def touches(self, template: int, edge: int) -> bool:
        """Whether the edge reads or writes a global."""
        found = self._effects(template, edge)
        return bool(found.reads or found.writes)

    def takes(self, template: int, edge: int) -> bool:
        """Whether the edge waits for something and writes: it may take a lock."""
        return self._effects(template, edge).takes

    def locks(self) -> frozenset[int]:
        """The slots of what is no data: locks, and what tells that threads have started or ended."""
        if self._locks is None:
            program = self._machine.program
            self._locks = frozenset(n for n, v in enumerate(program.globals) if any(
                a.kind in (AccessKind.SYNC, AccessKind.LOCK) for _, _, a in program.accesses.get(v.name, ())))
        return self._locks

    def _effects(self, template: int, edge: int) -> _Effects:
        key = template, edge
        if key not in self._edges:
            self._edges[key] = self._worked_out(template, edge)
        return self._edges[key]

    def _worked_out(self, template: int, edge: int) -> _Effects:
        read: dict[Lvalue, None] = {}
        written: dict[Lvalue, None] = {}
        whole: list[str] = []
        times: dict[str, int] = {}
        late: set[Lvalue] = set()
        vague: set[Lvalue] = set()
        for part in primitive(self._machine.edge(template, edge).op):
            targets = list(part.targets) if isinstance(part, Havoc) else [t] if (t := getattr(part, "target", None)) else []
            for v in (*op_reads(part), *targets):
                if isinstance(v, Element) and any(name_of(r) in times for r in reads(v.index)):
                    late.add(v)
            read.update(dict.fromkeys(op_reads(part)))
            written.update(dict.fromkeys(targets))
            whole += part.whole if isinstance(part, Havoc) else ()
            for name in op_writes(part):
                times[name] = times.get(name, 0) + 1
        for v in (*read, *written):
            # Which element is meant is told by the state after the step, if what tells it has changed once only.
            if isinstance(v, Element) and v in late and any(times.get(name_of(r), 0) > 1 or isinstance(r, Element)
                                                            for r in reads(v.index)):
                vague.add(v)

        def places(found: Sequence[Lvalue]) -> Iterator[_Place]:
            for v in found:
                where = self._machine.slot(template, name_of(v))
                if where is None or where[0] != "g":
                    continue
                if isinstance(v, Element):
                    yield _Place(where[1], self._machine.function(template, v.index, index=True), v in late, v in vague)
                else:
                    yield _Place(where[1], None, False)

        wholes = [_Place(where[1], None, False, True) for name in whole
                  if (where := self._machine.slot(template, name)) is not None and where[0] == "g"]
        writes = (*places(list(written)), *wholes)
        waits = any(isinstance(part, Assume) for part in primitive(self._machine.edge(template, edge).op))
        return _Effects(tuple(places(list(read))), writes, bool(writes) and waits)


def value_in(g: Globals, where: Cell) -> Value:
    """What a cell holds; None if it was never chosen."""
    slot, index = where
    found = g[slot]
    return found if index is None or not isinstance(found, tuple) else cell(found, index)
