"""Three accesses to one cell that no run one after the other explains: a thread's two, and another thread's between them.

A thread reads twice, and another one writes in between; or it writes, and reads what another wrote; or it reads, another one
writes, and it writes back; or another one reads what it leaves for a moment between two writes. The two accesses of the thread
are consecutive, no other access of it to the cell lies between them, and they belong to the same turn of every loop around both:
that a loop which waits reads again is meant so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from circ.evidence import Step
from circ.semantics.interpreter import Machine, State
from circ.semantics.turns import Turns
from frontend.program import Access, Edge, name_of, op_reads, op_writes, primitive
from frontend.records import dataclass

UNSERIALISABLE = frozenset({(False, True, False), (True, True, False), (False, True, True), (True, False, True)})
"""Which of the first, the interrupting and the second access write."""


@dataclass(frozen=True, slots=True)
class MadeAccess:
    """An access that a step of a run makes: the step's number, and the position among the accesses of its edge."""

    step: int
    access: int


@dataclass(frozen=True, slots=True)
class Triple:
    """The three accesses, in their order."""

    first: MadeAccess
    between: MadeAccess
    second: MadeAccess


def in_order(edge: Edge, variable: str) -> list[int]:
    """The positions of the accesses to a variable among those of the edge, in the order in which the step makes them."""
    def rank(number: int) -> tuple[int, int]:
        access = edge.accesses[number]
        for n, part in enumerate(primitive(edge.op)):
            if access.write and variable in op_writes(part):
                return 2 * n + 1, number
            if not access.write and variable in map(name_of, op_reads(part)):
                return 2 * n, number
        return (1 << 30 if access.write else -1), number

    return sorted((n for n, a in enumerate(edge.accesses) if a.variable == variable and not a.orders), key=rank)


def same_turn(turns: Turns, first: int, path: Sequence[Edge], second: int) -> bool:
    """Whether no loop around both locations ends a turn on the path from the one to the other."""
    both = set(turns.around(first)) & set(turns.around(second))
    return all(turns.ends(edge) not in both for edge in path)


def triple_at_end(
    machine: Machine, crew: Sequence[int], states: Sequence[State], steps: Sequence[Step], variable: str,
) -> Triple | None:
    """Three such accesses, the last step making the third; None if there are none.

    Raises Undefined if that depends on a value that nobody chose.
    """
    return next(_Triples(machine, crew, states, steps, variable).at_end(), None) if steps else None


class _Triples:
    def __init__(self, machine: Machine, crew: Sequence[int], states: Sequence[State], steps: Sequence[Step],
                 variable: str) -> None:
        self._machine, self._crew, self._states, self._steps, self._variable = machine, crew, states, steps, variable

    def at_end(self) -> Iterator[Triple]:
        last = len(self._steps) - 1
        me = self._steps[last].thread
        for second in self._made(last):
            first = self._before(me, second)
            if first is None or not self._same_turn(me, first, second):
                continue
            kinds = self._access(first).write, self._access(second).write
            for number in range(first.step + 1, last):
                if self._steps[number].thread == me:
                    continue
                for between in self._made(number):
                    if (kinds[0], self._access(between).write, kinds[1]) in UNSERIALISABLE and self._meet(first, between) \
                            and self._meet(between, second):
                        yield Triple(first, between, second)

    def _edge(self, number: int) -> Edge:
        step = self._steps[number]
        return self._machine.edge(self._crew[step.thread], step.edge)

    def _access(self, made: MadeAccess) -> Access:
        return self._edge(made.step).accesses[made.access]

    def _made(self, number: int) -> list[MadeAccess]:
        return [MadeAccess(number, n) for n in in_order(self._edge(number), self._variable)]

    def _cell(self, made: MadeAccess) -> int | None:
        step, state = self._steps[made.step], self._states[made.step]
        template = self._crew[step.thread]
        return self._machine.cell(template, step.edge, made.access, state.globals, state.threads[step.thread][1])

    def _meet(self, one: MadeAccess, other: MadeAccess) -> bool:
        a, b = self._cell(one), self._cell(other)
        return a is None or b is None or a == b

    def _before(self, me: int, second: MadeAccess) -> MadeAccess | None:
        """The thread's last access to the cell before the second; None if that is made by the same step, or there is none."""
        own = [m for m in self._made(second.step) if self._meet(m, second)]
        if own[0] != second:
            return None
        for number in reversed(range(second.step)):
            if self._steps[number].thread == me:
                found = [m for m in self._made(number) if self._meet(m, second)]
                if found:
                    return found[-1]
        return None

    def _same_turn(self, me: int, first: MadeAccess, second: MadeAccess) -> bool:
        taken = [self._edge(n) for n in range(first.step, second.step) if self._steps[n].thread == me]
        turns = Turns(self._machine.program.templates[self._crew[me]].cfa)
        return same_turn(turns, taken[0].source, taken, self._edge(second.step).source)
