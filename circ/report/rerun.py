"""A trace run again for the sake of its reader: which thread, which line, which values, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from circ.semantics.evaluation import Value, cell, cells
from circ.semantics.interpreter import Machine, State
from circ.semantics.relies import broken_at_end
from circ.verdict import Choice, Step, Trace
from frontend.program import (
    NOWHERE,
    AccessKind,
    Assume,
    Const,
    Edge,
    Element,
    ErrorKind,
    Havoc,
    Location,
    Lvalue,
    Program,
    Self,
    Variable,
    calls_copy,
    name_of,
    op_reads,
    op_writes,
    primitive,
)
from frontend.program.display import Names


@dataclass(frozen=True, slots=True)
class Shown:
    """A variable as the user calls it, and its value."""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class Row:
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
class Meeting:
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
        self.crew = [self.machine.index[name] for name in trace.threads]
        self.names = [Names(program, t) for t in program.templates]
        self.ghosts = [{v.name for v in (*program.globals, *t.locals) if v.ghost} for t in program.templates]
        self.rows: list[Row] = []
        """The steps that a user could see."""
        self.state = self._start()
        self._states = [self.state]
        for step in trace.steps:
            self._step(step)

    def failure(self) -> Failure:
        """What the last state or step violates: an assertion, a critical section that two threads are in, an annotation."""
        program = self.machine.program
        inside = []
        for thread, ((location, _), template) in enumerate(zip(self.state.threads, self.crew, strict=True)):
            cfa = program.templates[template].cfa
            if location in cfa.errors:
                error = cfa.errors[location]
                if error.kind is ErrorKind.REQUIRES:
                    return Failure(self._call(thread), f"the call breaks '{error.text}' ({error.location})")
                return Failure(error.location, error.text or error.kind.value)
            if location in cfa.critical:
                inside.append(cfa.places.get(location, Location(program.file, 1)))
        if len(inside) > 1:
            return Failure(inside[0], f"two threads are in a critical section, the other at {inside[1]}")
        atomic = self.machine.holder(self.crew, self.state.threads) is not None
        broken = self.machine.broken_invariant(self.state.globals, atomic)
        if broken is None:
            rely = broken_at_end(program, self.machine, self.crew, self._states, [s.thread for s in self.trace.steps])
            assert rely is not None, "a trace that the kernel accepted violates nothing"
            return Failure(self._last_place(), f"the step breaks what {rely.template} assumes: {rely.text} ({rely.location})")
        invariant = program.invariants[broken]
        if not invariant.between:
            return Failure(invariant.location, f"circ_invariant({invariant.text})")
        if not self.trace.steps:
            return Failure(invariant.location, f"the invariant {invariant.text} is false at the start")
        return Failure(self._last_place(), f"the step breaks the invariant {invariant.text} ({invariant.location})")

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

    def meeting(self) -> list[Meeting]:
        """The accesses that race at the end, a write first."""
        return sorted(self._meeting(), key=lambda m: not m.write)

    def _meeting(self) -> Iterator[Meeting]:
        for thread, edge, index in self.trace.accesses:
            found = self.machine.edge(self.crew[thread], edge)
            access = found.accesses[index]
            names, local = self.names[self.crew[thread]], self.state.threads[thread][1]
            element = self.machine.cell(self.crew[thread], edge, index, self.state.globals, local)
            where = names.cell(access) if element is None else names.element(access.variable, element)
            place = access.location if access.location != NOWHERE else found.location
            text = " ".join(access.text.split())
            yield Meeting(thread, place, access.write, where, "" if text == where else text)

    # ----------------------------------------------------------------------------------------------- running
    def _start(self) -> State:
        chosen = _by_cell(self.trace.start)
        numbers = self._numbers(chosen)

        def value(v: Variable, thread: int | None) -> Value:
            if isinstance(v.start, Self) and thread is not None:
                return v.type.wrap(numbers[thread] + v.start.offset)
            given = chosen.get((v.name, thread), {})
            if v.is_array:
                return cells(0, {i: n for i, n in given.items() if i is not None})
            return given.get(None, 0)

        return self.machine.start(self.crew, value)

    def _numbers(self, chosen: Mapping[tuple[str, int | None], dict[int | None, int]]) -> list[int]:
        """Each thread's number: as chosen, else the smallest that is free in its template."""
        claimed: list[int | None] = []
        for i, t in enumerate(self.crew):
            selves = [(v, v.start.offset) for v in self.machine.program.templates[t].locals if isinstance(v.start, Self)]
            claims = [chosen[v.name, i][None] - offset for v, offset in selves if None in chosen.get((v.name, i), {})]
            claimed.append(claims[0] if claims else None)
        for i, t in enumerate(self.crew):
            if claimed[i] is None:
                taken = {n for j, n in enumerate(claimed) if self.crew[j] == t}
                claimed[i] = next(n for n in range(len(self.crew) + 1) if n not in taken)
        return [n for n in claimed if n is not None]

    def _step(self, step: Step) -> None:
        template, before = self.crew[step.thread], self.state
        edge, code = self.machine.edge(template, step.edge), self.machine.code(template, step.edge)
        pending = list(step.choices)

        def fill(hole: int, index: int | None) -> Value:
            name = code.holes[hole].variable
            if code.holes[hole].whole:
                return cells(0, {c.index: c.value for c in pending if c.variable == name and c.index is not None})
            found = next((c for c in pending if c.variable == name), None)
            if found is None:
                return 0
            pending.remove(found)
            return found.value

        done = self.machine.execute(code, before.globals, before.threads[step.thread][1], fill)
        assert done is not None, "a trace that the kernel accepted blocks"
        threads = list(before.threads)
        threads[step.thread] = edge.target, done[1]
        self.state = State(done[0], tuple(threads))
        self._states.append(self.state)
        values = tuple(self._values(step.thread, edge, before))
        fails = edge.target in self.machine.program.templates[template].cfa.errors
        if (fails or not _trivial(edge)) and (values or edge.text):
            self.rows.append(Row(step.thread, edge.location, self._text(template, edge), values))

    def _text(self, template: int, edge: Edge) -> str:
        """The step in C syntax; where circ's own variables would show, what the user wrote."""
        names, ghosts = self.names[template], self.ghosts[template]
        wrote = " ".join(edge.text.split())
        inside = bool(ghosts & {*map(name_of, op_reads(edge.op)), *op_writes(edge.op)})
        if not wrote and inside and edge.source == self.machine.program.templates[template].cfa.start:
            return "starts"
        if wrote and (any(a.kind is AccessKind.SYNC for a in edge.accesses)
                      or any(isinstance(p, Havoc) for p in primitive(edge.op))):
            return wrote
        if not wrote or (not inside and not _trivial(edge)):
            return names.op(edge.op)
        if not inside:
            return wrote
        if not all(isinstance(p, Assume) for p in primitive(edge.op)):
            reads = [names.cell(a) for a in edge.accesses if not a.write]
            return f"reads {', '.join(reads)}" if reads and set(op_writes(edge.op)) <= ghosts else wrote
        return f"{wrote}  {names.op(edge.op)}"

    # ----------------------------------------------------------------------------------------------- values
    def _values(self, thread: int, edge: Edge, before: State) -> Iterator[Shown]:
        """What the step read (as it was) and wrote (as it is now), each once, what circ made for itself left out."""
        written = dict.fromkeys(op_writes(edge.op))
        found = [self._shown(thread, name_of(v), self._index(thread, v, before), before)
                 for v in op_reads(edge.op) if name_of(v) not in written]
        found += [self._shown(thread, a.variable, self._index(thread, a.lvalue, before), self.state)
                  for a in edge.accesses if a.write and not a.whole]
        found += [self._shown(thread, name, None, self.state) for name in written]
        yield from dict.fromkeys(shown for shown in found if shown is not None)

    def _index(self, thread: int, v: Lvalue, state: State) -> int | None:
        if not isinstance(v, Element):
            return None
        return self.machine.function(self.crew[thread], v.index, index=True)(state.globals, state.threads[thread][1])

    def _shown(self, thread: int, name: str, index: int | None, state: State) -> Shown | None:
        where = self.machine.slot(self.crew[thread], name)
        assert where is not None, f"no variable {name}"
        variable = self.machine.variable(self.crew[thread], where)
        value = (state.globals if where[0] == "g" else state.threads[thread][1])[where[1]]
        names = self.names[self.crew[thread]]
        text = names.variable(name)
        if isinstance(value, tuple):
            if index is None:
                return None
            value, text = cell(value, index), names.element(name, index)
        return None if value is None or variable.ghost else Shown(text, value)


def _trivial(edge: Edge) -> bool:
    """Whether the step does nothing, and asks nothing that depends on the state."""
    return all(isinstance(p, Assume) and isinstance(p.cond, Const) for p in primitive(edge.op))


def _by_cell(choices: Sequence[Choice]) -> Mapping[tuple[str, int | None], dict[int | None, int]]:
    found: dict[tuple[str, int | None], dict[int | None, int]] = {}
    for c in choices:
        found.setdefault((c.variable, c.thread), {})[c.index] = c.value
    return found
