"""A trace as the segments of a violation witness: every statement that a thread begins, in the order in which it happens.

At the end stand the two accesses of a race: the thread of the first is about to make it when the other one comes to the target.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping

from circ.semantics.interpreter import Machine
from circ.semantics.trace_run import run_trace
from circ.semantics.violations import BothCritical, ErrorReached, violation_at_end
from circ.verdict import Choice, Trace
from circ.witness.entries import Place, WaypointType, WitnessWaypoint
from frontend.program import NOWHERE, Edge, Location, Program, Role, Scalar, Variable, op_writes
from frontend.text.places.statements import Statement, Statements

LOWEST_ADDRESS = 4096
"""No object lies below."""
_CREATED = re.compile(r"<(.+) created>")
"""The ghost that says that a thread of a template may start."""


def segments(program: Program, trace: Trace, statements: Statements) -> tuple[tuple[WitnessWaypoint, ...], ...]:
    """One waypoint a segment, all of them to be followed."""
    return tuple((w,) for w in _Telling(program, trace, statements).waypoints())


class _Telling:
    def __init__(self, program: Program, trace: Trace, statements: Statements) -> None:
        self.program, self.trace, self.statements = program, trace, statements
        self.machine = Machine(program)
        self.run = run_trace(self.machine, trace)
        self.numbers = _numbers(program, trace)
        self.pending: dict[int, dict[str, int]] = {}
        """For each thread the values that it was given and that no waypoint has told of."""

    def edge(self, thread: int, edge: int) -> Edge:
        return self.machine.edge(self.run.crew[thread], edge)

    def waypoints(self) -> Iterator[WitnessWaypoint]:
        begun: dict[int, tuple[Location, int]] = {}
        for step in self.trace.steps:
            at = self.statements.at(self.edge(step.thread, step.edge).location)
            if at is not None and (step.thread not in begun or begun[step.thread][0] != at.location
                                   or begun[step.thread][1] == step.edge):
                begun[step.thread] = at.location, step.edge
                yield self.told(WaypointType.ASSUMPTION, at, step.thread)
            self.note(step.thread, step.choices)
        yield from self.end()

    def end(self) -> Iterator[WitnessWaypoint]:
        """The last waypoints: where the threads are that show the failure."""
        places: list[tuple[int, Location]] = []
        for thread, edge, access in self.trace.accesses:
            found = self.edge(thread, edge)
            place = found.accesses[access].location
            places.append((thread, found.location if place == NOWHERE else place))
        if not places:
            places = [(thread, place) for thread, place in self._failures()][-2:]
        stops = [(thread, at) for thread, place in places if (at := self.statements.at(place)) is not None]
        for thread, at in stops[:-1]:
            yield self.told(WaypointType.ASSUMPTION, at, thread)
        for thread, at in stops[-1:]:
            yield WitnessWaypoint(WaypointType.TARGET, place_of(self.statements, at), thread=self.numbers[thread])

    def _failures(self) -> Iterator[tuple[int, Location]]:
        found = violation_at_end(self.machine, self.run.crew, self.run.states, [s.thread for s in self.trace.steps])
        match found:
            case ErrorReached(thread=thread, error=error):
                yield thread, error.location
            case BothCritical(first=one, second=two):
                for thread in (one, two):
                    own = [s for s in self.trace.steps if s.thread == thread]
                    yield from ((thread, self.edge(thread, s.edge).location) for s in own[-1:])
            case _ if self.trace.steps:
                last = self.trace.steps[-1]
                yield last.thread, self.edge(last.thread, last.edge).location

    # ----------------------------------------------------------------------------------------------- values
    def note(self, thread: int, choices: tuple[Choice, ...]) -> None:
        """Values that the program leaves open, by the names of their variables."""
        for choice in choices:
            if choice.index is None:
                self.pending.setdefault(thread, {})[choice.variable] = choice.value

    def told(self, kind: WaypointType, at: Statement, thread: int) -> WitnessWaypoint:
        values = self.pending.pop(thread, {})
        said = [f"{name} == {value}" for variable, value in values.items()
                if (name := self._name(thread, variable, at)) and not may_be_address(value, self._known(thread)[variable].type)]
        return WitnessWaypoint(kind, place_of(self.statements, at), value=" && ".join(said) or "1", thread=self.numbers[thread])

    def _name(self, thread: int, variable: str, at: Statement) -> str:
        """A variable as C knows it at a statement; empty if it does not."""
        return c_name(variable, self._known(thread), at)

    def _known(self, thread: int) -> dict[str, Variable]:
        template = self.program.templates[self.run.crew[thread]]
        return {v.name: v for v in (*self.program.globals, *template.locals)}


def c_name(variable: str, known: Mapping[str, Variable], at: Statement) -> str:
    """What C calls a variable at a statement; empty if it has no name there, or none that means it."""
    v = known.get(variable)
    if v is None or v.ghost or v.is_array:
        return ""
    function, local, name = variable.rpartition("::")
    if local:
        return name if function == at.function and name in at.names and name.isidentifier() else ""
    return variable if variable.partition(".")[0] not in at.names and variable.replace(".", "").isidentifier() \
        and (v.shown or variable) == variable else ""


def may_be_address(value: int, t: Scalar) -> bool:
    """Whether a value may be where circ has put an object, which means nothing to others."""
    return not t.signed and t.width >= 16 and value >= LOWEST_ADDRESS


def place_of(statements: Statements, at: Statement) -> Place:
    """A statement as witnesses name it: by its line in a file of the program."""
    place = statements.written(at.location)
    return Place(place.file, place.line, place.column, at.function)


def _numbers(program: Program, trace: Trace) -> dict[int, int]:
    """The witness's numbers for the threads: `main` is 0, the others count from 1 as they are created, or else as they start."""
    numbers: dict[int, int] = {}
    created: dict[str, deque[int]] = {}
    following = 0
    main = next((i for i, name in enumerate(trace.threads) if program.template(name).role is Role.MAIN), None)
    if main is not None:
        numbers[main] = 0
    for step in trace.steps:
        name = trace.threads[step.thread]
        if step.thread not in numbers:
            waiting = created.get(name)
            if not waiting:
                following += 1
            numbers[step.thread] = waiting.popleft() if waiting else following
        for written in op_writes(program.template(name).cfa.edges[step.edge].op):
            child = _CREATED.fullmatch(written)
            if child is not None and child[1] != name:
                following += 1
                created.setdefault(child[1], deque()).append(following)
    for thread in range(len(trace.threads)):
        if thread not in numbers:
            following += 1
            numbers[thread] = following
    return numbers
