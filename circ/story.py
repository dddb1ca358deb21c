"""A replayed trace as a story: who does what on which line, and what that does to the values that matter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from circ.verdict import Trace
from frontend.cfa import AccessKind, Edge, Program
from frontend.evaluate import cell
from frontend.expr import Var
from frontend.interpret import Machine, State
from frontend.source import Location


@dataclass(frozen=True, slots=True)
class StoryStep:
    """One step as a reader sees it. Cells are (name as the user writes it, value); `changed` has (name, old, new)."""

    thread: int
    template: str
    edge: Edge
    location: Location
    text: str
    before: tuple[tuple[str, int], ...]
    after: tuple[tuple[str, int], ...]
    changed: tuple[tuple[str, int, int], ...]


def story(program: Program, trace: Trace, crew: Sequence[int], states: Sequence[State]) -> tuple[StoryStep, ...]:
    """The steps of a replayed trace, with the values of the shared cells that its steps touch before and after each.

    `crew` and `states` are what the replay gives: the template of each thread, and the state before each step and at the end.
    """
    machine = Machine(program)
    touched: dict[tuple[int, int | None], None] = {}
    for number, step in enumerate(trace.steps):
        for where in _touched(machine, crew, states[number], step.thread, step.edge):
            touched[where] = None
    for thread, e, _ in trace.accesses:
        for where in _touched(machine, crew, states[-1], thread, e):
            touched[where] = None
    shown = sorted(touched, key=lambda w: (w[0], -1 if w[1] is None else w[1]))
    result = []
    for number, step in enumerate(trace.steps):
        old, new = states[number], states[number + 1]
        template = program.templates[crew[step.thread]]
        edge = template.cfa.edges[step.edge]
        before, after = _values(program, old, shown), _values(program, new, shown)
        changed = [(n, a, b) for (n, a), (_, b) in zip(before, after, strict=True) if a != b]
        for v, a, b in zip(template.locals, old.threads[step.thread][1], new.threads[step.thread][1], strict=True):
            if not v.ghost and isinstance(a, int) and isinstance(b, int) and a != b:
                changed.append((v.shown or v.name, a, b))
        text = edge.text or str(edge)
        result.append(StoryStep(step.thread, template.name, edge, edge.location, text, before, after, tuple(changed)))
    return tuple(result)


def _touched(machine: Machine, crew: Sequence[int], state: State, thread: int, e: int) -> Iterator[tuple[int, int | None]]:
    template, local = crew[thread], state.threads[thread][1]
    for i, access in enumerate(machine.edge(template, e).accesses):
        where = machine.slot(None, access.variable)
        if where is not None and access.kind is not AccessKind.SYNC:
            if isinstance(access.lvalue, Var):
                yield where[1], None
            elif not access.whole:
                yield where[1], machine.cell(template, e, i, state.globals, local)


def _values(program: Program, state: State, shown: list[tuple[int, int | None]]) -> tuple[tuple[str, int], ...]:
    result = []
    for slot, index in shown:
        variable, value = program.globals[slot], state.globals[slot]
        name = variable.shown or variable.name
        if index is not None:
            head, _, tail = name.partition("[]")
            name = f"{head}[{index}]{tail}"
        found = cell(value, index) if isinstance(value, tuple) and index is not None else value
        if isinstance(found, int):
            result.append((name, found))
    return tuple(result)
