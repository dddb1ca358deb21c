"""A trace as its reader sees it: which thread, which line, which values, and how it ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import assert_never

from circ.semantics.evaluation import cell
from circ.semantics.interpreter import Machine, State
from circ.semantics.serialisability import triple_at_end
from circ.semantics.trace_run import run_trace
from circ.semantics.violations import BothCritical, ErrorReached, InvariantBroken, RelyBroken, violation_at_end
from circ.semantics.weak_memory import AT_START, WeakRun
from circ.verdict import AtomicityOf, Step, Trace
from frontend.program import (
    NOWHERE,
    Access,
    AccessKind,
    AllAt,
    Assume,
    Const,
    Edge,
    Element,
    ErrorKind,
    Havoc,
    Location,
    Lvalue,
    Program,
    RaceModel,
    calls_copy,
    name_of,
    op_reads,
    op_writes,
    primitive,
    show_op,
)
from frontend.program.display import DisplayNames
from frontend.records import dataclass

_ADDRESS = re.compile(r" - \d{5,}\b")
"""An address in an expression, from which that of an object is subtracted."""
_OWN = "__circ_"
"""In the names of functions and fields that circ has for the C library: the user knows them by the call."""
_REGISTER = re.compile(r"%\d")
"""A register of circ's own."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A variable as the user calls it, and its value."""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class ShownStep:
    """One step: thread (from 0), where, what the user wrote there, and the values that it read or wrote."""

    thread: int
    location: Location
    text: str
    values: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """What a run violates at its end, and where the user wrote that it must not."""

    location: Location
    text: str


@dataclass(frozen=True, slots=True)
class RacingAccess:
    """One of the two accesses of a race: thread (from 0), where, which memory, and within what text."""

    thread: int
    location: Location
    write: bool
    cell: str
    text: str

    def __str__(self) -> str:
        within = f" in '{self.text}'" if self.text else ""
        return f"{'writes' if self.write else 'reads'} {self.cell}{within}"


class Rerun:
    """A trace that the kernel accepted, step by step."""

    def __init__(self, program: Program, trace: Trace) -> None:
        self.machine = Machine(program)
        self.trace = trace
        self.called = [program.template(name).called for name in trace.threads]
        self.names = [DisplayNames(program, t) for t in program.templates]
        self.ghosts = [{v.name for v in (*program.globals, *t.locals) if v.ghost or _OWN in v.name} for t in program.templates]
        self.rows: list[ShownStep] = []
        """The steps that a user could see."""
        run = run_trace(self.machine, trace)
        self.crew, self._states, self._weak = run.crew, run.states, run.weak
        for number, (before, after) in enumerate(pairwise(run.states)):
            self._show(number, before, after)

    def who(self, thread: int) -> str:
        """A thread of the run, by its number from 1 on and what the user calls it."""
        return f"thread {thread + 1} ({self.called[thread]})"

    @property
    def state(self) -> State:
        """The last state."""
        return self._states[-1]

    def failure(self) -> Failure:
        """What the last state or step violates: an assertion, a critical section that two threads are in, an annotation."""
        if isinstance(self.trace.question, AtomicityOf):
            return self._interrupted(self.trace.question.variable)
        found = violation_at_end(self.machine, self.crew, self._states, [s.thread for s in self.trace.steps])
        assert found is not None, "a trace that the kernel accepted violates nothing"
        match found:
            case ErrorReached(thread=thread, error=error):
                if error.kind is ErrorKind.REQUIRES:
                    return Failure(self._call(thread), f"the call breaks '{error.text}' ({error.location})")
                return Failure(error.location, error.text or error.kind.value)
            case BothCritical(first=one, second=two):
                return Failure(self._place(one), f"two threads are in a critical section, the other at {self._place(two)}")
            case InvariantBroken(invariant=invariant):
                if not invariant.between:
                    return Failure(invariant.location, f"circ_invariant({invariant.text})")
                if not self.trace.steps:
                    return Failure(invariant.location, f"the invariant {invariant.text} is false at the start")
                return Failure(self._last_place(), f"the step breaks the invariant {invariant.text} ({invariant.location})")
            case RelyBroken(rely=rely):
                return Failure(self._last_place(), f"the step breaks what {rely.template} assumes: {rely.text} ({rely.location})")
            case _:
                assert_never(found)

    def _interrupted(self, variable: str) -> Failure:
        """Three accesses that are not serialisable, of which the last step makes the third."""
        triple = triple_at_end(self.machine, self.crew, self._states, self.trace.steps, variable)
        assert triple is not None, "a trace that the kernel accepted has no such accesses"
        told = []
        for made in (triple.first, triple.between, triple.second):
            step, state = self.trace.steps[made.step], self._states[made.step]
            edge = self.machine.edge(self.crew[step.thread], step.edge)
            access = edge.accesses[made.access]
            names = self.names[self.crew[step.thread]]
            local = state.threads[step.thread][1]
            element = self.machine.cell(self.crew[step.thread], step.edge, made.access, state.globals, local)
            cell = names.cell(access) if element is None else names.element(access.variable, element)
            place = access.location if access.location != NOWHERE else edge.location
            told.append((self.who(step.thread), access.write, cell, place))
        (me, one, cell, first), (other, between, _, where), (_, two, _, second) = told
        again = "again " if one == two else ""
        return Failure(first, f"{me} {_verb(one)} {cell} and {_verb(two)} it {again}at {second}, and in between {other} "
                              f"{_verb(between)} it at {where}")

    def _place(self, thread: int) -> Location:
        """Where a thread is at the end."""
        program = self.machine.program
        return program.templates[self.crew[thread]].cfa.places.get(self.state.threads[thread][0], Location(program.file, 1))

    def _call(self, thread: int) -> Location:
        """Where the thread called the function whose claim its last step finds broken."""
        steps = [s for s in self.trace.steps if s.thread == thread]
        claim = self.machine.edge(self.crew[thread], steps[-1].edge)
        taken = (self.machine.edge(self.crew[thread], s.edge) for s in steps)
        calls = [e.location for e in taken if e.target == claim.source and calls_copy(e)]
        return calls[-1] if calls else claim.location

    def _last_place(self) -> Location:
        """Where the last step stands in the source."""
        last = self.trace.steps[-1]
        return self.machine.edge(self.crew[last.thread], last.edge).location

    def meeting(self) -> list[RacingAccess]:
        """The accesses that race at the end, a write first; none if the run is not about a race."""
        return sorted(self._meeting(), key=lambda m: not m.write)

    def _meeting(self) -> Iterator[RacingAccess]:
        for position, (thread, edge, index) in enumerate(self.trace.accesses):
            found = self.machine.edge(self.crew[thread], edge)
            access = found.accesses[index]
            made = self.trace.earlier if position == 0 else None
            state = self.state if made is None else self._states[made]
            names, local = self.names[self.crew[thread]], state.threads[thread][1]
            element = self.machine.cell(self.crew[thread], edge, index, state.globals, local)
            where = names.cell(access) if element is None else names.element(access.variable, element)
            place = access.location if access.location != NOWHERE else found.location
            text = " ".join(access.text.split())
            yield RacingAccess(thread, place, access.write, where, "" if text == where else text)

    def harm(self) -> str:
        """In the race model of machines, what goes wrong between the instructions of an access; under weak memory orders, which
        order is missing; else nothing."""
        if self._weak is not None:
            return _missing_order(self.machine, self.trace, self._weak)
        if self.machine.program.race_model is not RaceModel.MACHINE:
            return ""
        found = [(thread, self.machine.edge(self.crew[thread], edge).accesses[index])
                 for thread, edge, index in self.trace.accesses]
        kinds = {a.kind for _, a in found}
        if AccessKind.POLLED in kinds:
            return "not volatile: a compiler may read it once, before the loop that waits for it"
        if AccessKind.DATA not in kinds:
            thread = next(t + 1 for t, a in found if a.kind is AccessKind.UPDATE)
            return f"lost update: thread {thread} has read it and writes it back, whatever the other thread writes in between"
        return "torn: one instruction does not access all of it, and the other thread may come in between"

    # ----------------------------------------------------------------------------------------------- steps
    def _show(self, number: int, before: State, after: State) -> None:
        step = self.trace.steps[number]
        template = self.crew[step.thread]
        if self._weak is not None and number in self._weak.seen:
            before = replace(before, globals=self._weak.seen[number])
        edge = self.machine.edge(template, step.edge)
        values = tuple(self._values(step.thread, edge, before, after))
        if self._is_pointer_case(edge):
            return
        fails = edge.target in self.machine.program.templates[template].cfa.errors
        if (fails or not _trivial(edge)) and (values or edge.text):
            shown = ShownStep(step.thread, edge.location, self._text(template, edge) + self._origin(number), values)
            if not (self.rows and values == () and replace(self.rows[-1], values=()) == shown):  # the same call goes on
                self.rows.append(shown)

    def _origin(self, number: int) -> str:
        """Under weak memory orders, which store a load read."""
        found = "" if self._weak is None else _origin(self.machine, self.trace, self._weak, number)
        return f" ({'old value, ' if self.trace.steps[number].source is not None else ''}{found})" if found else ""

    def _is_pointer_case(self, edge: Edge) -> bool:
        """Whether the step only asks which object a pointer points to, which is how circ follows pointers."""
        return isinstance(edge.op, Assume) and not edge.accesses and _ADDRESS.search(show_op(edge.op)) is not None

    def _text(self, template: int, edge: Edge) -> str:
        """The step in C syntax; where circ's own variables would show, what the user wrote."""
        names, ghosts = self.names[template], self.ghosts[template]
        wrote = " ".join(edge.text.split())
        inside = bool(ghosts & {*map(name_of, op_reads(edge.op)), *op_writes(edge.op)}) \
            or any(isinstance(p, AllAt) for p in primitive(edge.op))
        if not wrote and inside and edge.source == self.machine.program.templates[template].cfa.start:
            return "starts"
        if wrote and (any(a.orders for a in edge.accesses)
                      or any(isinstance(p, Havoc) for p in primitive(edge.op))):
            return wrote
        if wrote and _ADDRESS.search(show_op(edge.op)):
            return wrote
        if not wrote or (not inside and not _trivial(edge)):
            return names.op(edge.op)
        if not inside:
            return wrote
        if not all(isinstance(p, Assume) for p in primitive(edge.op)):
            reads = [names.cell(a) for a in edge.accesses if not a.write]
            return f"reads {', '.join(reads)}" if reads and set(op_writes(edge.op)) <= ghosts else wrote
        said = names.op(edge.op)
        waits = any(isinstance(p, AllAt) for p in primitive(edge.op))
        return wrote if waits or _REGISTER.search(said) or _OWN in said else f"{wrote}  {said}"

    # ----------------------------------------------------------------------------------------------- values
    def _values(self, thread: int, edge: Edge, before: State, after: State) -> Iterator[Shown]:
        """What the step read (as it was) and wrote (as it is now), each once, what circ made for itself left out."""
        written = dict.fromkeys(op_writes(edge.op))
        found = [self._shown(thread, name_of(v), self._index(thread, v, before), before)
                 for v in op_reads(edge.op) if name_of(v) not in written]
        found += [self._shown(thread, a.variable, self._index(thread, a.lvalue, before), after)
                  for a in edge.accesses if a.write and not a.whole]
        found += [self._shown(thread, name, None, after) for name in written]
        yield from dict.fromkeys(shown for shown in found if shown is not None)

    def _index(self, thread: int, v: Lvalue, state: State) -> int | None:
        if not isinstance(v, Element):
            return None
        return self.machine.function(self.crew[thread], v.index, index=True)(state.globals, state.threads[thread][1])

    def _shown(self, thread: int, name: str, index: int | None, state: State) -> Shown | None:
        where = self.machine.slot(self.crew[thread], name)
        if where is None:
            return None  # a condition variable has no value
        variable = self.machine.variable(self.crew[thread], where)
        value = (state.globals if where[0] == "g" else state.threads[thread][1])[where[1]]
        names = self.names[self.crew[thread]]
        text = names.variable(name)
        if isinstance(value, tuple):
            if index is None:
                return None
            value, text = cell(value, index), names.element(name, index)
        return None if value is None or variable.ghost or _OWN in name else Shown(text, value)


def _trivial(edge: Edge) -> bool:
    """Whether the step does nothing, and asks nothing that depends on the state."""
    return all(isinstance(p, Assume) and isinstance(p.cond, Const) for p in primitive(edge.op))


# --------------------------------------------------------------------------------------------------- memory orders
def _missing_order(machine: Machine, trace: Trace, run: WeakRun) -> str:
    """The store and the load that come between the accesses and do not order them; or the load that gave an old value."""
    assert trace.earlier is not None
    first, second = (machine.edge(run.crew[thread], edge).accesses[at].location for thread, edge, at in trace.accesses)
    begin = f"nothing orders {_line(first)} before {_line(second)}"
    (one, _, _), (two, _, _) = trace.accesses
    for number, step in reversed(list(enumerate(trace.steps))):
        source = run.read_from.get(number)
        if step.thread == two and source is not None and source > trace.earlier and trace.steps[source].thread == one:
            return f"{begin}: {_handed_over(machine, run, trace.steps[source], step)}"
    for number, step in reversed(list(enumerate(trace.steps))):
        if step.source is not None and step.thread in (one, two):
            load = _atomic(_edge(machine, run, step), False)
            return f"{begin}: the load at {_line(load.location)} gives an old value, {_origin(machine, trace, run, number)}; " \
                   "memory_order_seq_cst for what is stored and loaded there would exclude that"
    return f"{begin}: nothing that the one thread stores behind it is read by the other before"


def _origin(machine: Machine, trace: Trace, run: WeakRun, number: int) -> str:
    """Where the value comes from that a step reads from an atomic variable; nothing if it reads none."""
    source = run.read_from.get(number)
    if source is None:
        return ""
    if source == AT_START:
        return "the one at the start"
    return f"stored at {_line(_atomic(_edge(machine, run, trace.steps[source]), True).location)}"


def _handed_over(machine: Machine, run: WeakRun, store: Step, load: Step) -> str:
    """What is missing of a store and the load that reads it."""
    stored, loaded = _atomic(_edge(machine, run, store), True), _atomic(_edge(machine, run, load), False)
    there, here = f"the store at {_line(stored.location)}", f"the load at {_line(loaded.location)}"
    match stored.order.releases, loaded.order.acquires:
        case True, True:
            return f"{there} releases and {here} acquires, but what they hand over is not this"
        case True, False:
            return f"{here} is {loaded.order.value}; memory_order_acquire there would, as {there} releases"
        case False, True:
            return f"{there} is {stored.order.value}; memory_order_release there would, as {here} acquires"
        case _:
            both = f"memory_order_release there and memory_order_acquire at {_line(loaded.location)}"
            return f"{there} is {stored.order.value}; {both} would"


def _edge(machine: Machine, run: WeakRun, step: Step) -> Edge:
    return machine.edge(run.crew[step.thread], step.edge)


def _atomic(edge: Edge, write: bool) -> Access:
    """The access by which the step stores or loads; a plain store of an atomic variable if it has no other."""
    found = [a for a in edge.accesses if a.write == write]
    return next((a for a in found if a.kind is AccessKind.ATOMIC), found[0])


def _verb(write: bool) -> str:
    return "writes" if write else "reads"


def _line(place: Location) -> str:
    return f"line {place.line}"
