"""From a path of the explicit search to a trace: every value that the search left open gets its place among the choices.

A value is decided when it is first read, but it was *chosen* where it came from: at the start, or by the last havoc before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from circ.semantics.evaluation import Value, Where
from circ.semantics.interpreter import Code, Machine, Move, settle
from circ.verdict import Choice, Question, Step, Trace
from frontend.program import Arbitrary, Havoc, Op, Program, Self, Variable, primitive
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class FoundState:
    """The number of a state that shows what is asked for; a race's two accesses by position, edge and access."""

    state: int
    accesses: tuple[tuple[int, int, int], ...] = ()


@dataclass(slots=True)
class _Origin:
    """Where a value was left open: its choices, one for a scalar or an element, any number for a whole array."""

    variable: str
    thread: int | None
    choices: dict[int | None, int] = field(default_factory=dict)

    def made(self) -> tuple[Choice, ...]:
        return tuple(Choice(self.variable, value, index, self.thread) for index, value in self.choices.items())


class _Ledger:
    """Who left which place of the state open last. A place is (thread or None for globals, slot, element or None for all)."""

    def __init__(self) -> None:
        self.open: dict[tuple[int | None, int, int | None], _Origin] = {}

    def left_open(self, owner: int | None, slot: int, index: int | None, origin: _Origin) -> None:
        if index is None:
            self.open = {k: v for k, v in self.open.items() if k[:2] != (owner, slot)}
        self.open[owner, slot, index] = origin

    def decide(self, owner: int | None, slot: int, index: int | None, value: int) -> None:
        origin = self.open.get((owner, slot, index)) or self.open[owner, slot, None]
        origin.choices[index] = value


def build_trace(
    program: Program, machine: Machine, question: Question, crew: tuple[int, ...], path: Sequence[tuple[int, Move]],
    who: Sequence[int], found: FoundState,
) -> Trace:
    """The path as a replayable trace; `who[i]` is the thread at position i of the last state.

    `machine` runs the program with some variables open; what only that leaves open needs no choice.
    """
    ledger = _Ledger()
    start: list[_Origin] = []

    def open_at_start(variables: Sequence[Variable], owner: int | None) -> None:
        for slot, v in enumerate(variables):
            if isinstance(v.start, Arbitrary):
                start.append(_Origin(v.name, owner))
                ledger.left_open(owner, slot, None, start[-1])
            elif isinstance(v.start, Self) and owner is not None:
                number = crew[:owner].count(crew[owner]) + v.start.offset
                start.append(_Origin(v.name, owner, {None: v.type.wrap(number)}))

    open_at_start(program.globals, None)
    for thread, template in enumerate(crew):
        open_at_start(program.templates[template].locals, thread)

    state = machine.open_start(crew)
    g = state.globals
    threads = list(state.threads)
    steps: list[tuple[int, int, list[_Origin]]] = []
    for thread, move in path:
        code = machine.code(crew[thread], move.edge)
        decided = dict(move.decided)
        for (kind, slot, index), value in decided.items():
            if kind != "h":
                ledger.decide(thread if kind == "l" else None, slot, index, value)
        holes = _fill(machine, code, thread, crew[thread], g, threads[thread][1], decided, ledger)
        own = _own_holes(program.templates[crew[thread]].cfa.edges[move.edge].op, machine.edge(crew[thread], move.edge).op)
        steps.append((thread, move.edge, [hole for hole, chosen in zip(holes, own, strict=True) if chosen]))
        g, threads[thread] = move.globals, move.thread
    return Trace(
        program.fingerprint(), question, tuple(program.templates[t].name for t in crew),
        tuple(c for origin in start for c in origin.made()),
        tuple(Step(thread, edge, tuple(c for hole in holes for c in hole.made())) for thread, edge, holes in steps),
        tuple((who[position], edge, access) for position, edge, access in found.accesses),
    )


def _own_holes(op: Op, opened: Op) -> list[bool]:
    """For each hole of the opened operation whether the original has it, too."""
    result: list[bool] = []
    for mine, part in zip(primitive(op), primitive(opened), strict=True):
        if isinstance(part, Havoc):
            result += [isinstance(mine, Havoc)] * (len(part.targets) + len(part.whole))
    return result


def _fill(
    machine: Machine, code: Code, thread: int, template: int, g: tuple[Value, ...], local: tuple[Value, ...],
    decided: dict[Where, int], ledger: _Ledger,
) -> list[_Origin]:
    """Runs the step once more to see which places its havocs leave open."""
    holes: list[_Origin] = []

    def fill(k: int, index: int | None) -> Value:
        hole = code.holes[k]
        where = machine.slot(template, hole.variable)
        assert where is not None
        origin = _Origin(hole.variable, None)
        holes.append(origin)
        ledger.left_open(thread if where[0] == "l" else None, where[1], index, origin)
        if hole.whole:
            return (0 if hole.eager else None), ()
        value = decided.get(("h", k, None))
        origin.choices[index] = value or 0
        return value

    after_g, after_l = list(g), list(local)
    settle(after_g, after_l, decided)
    passed = code.run(after_g, after_l, fill)
    assert passed, "a step of the search cannot be repeated"
    return holes
