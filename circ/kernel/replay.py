"""Replay: a trace is run step by step by the interpreter, and must end in what it claims. Trusted; refuses, never guesses.

The trace chooses the schedule and every value that the program leaves open, nothing else. Threads of a finite count that
it does not name exist all the same: they stay at their start.
"""

from __future__ import annotations

from dataclasses import dataclass

from circ.kernel.outcome import Refused
from circ.semantics.conflicts import conflict
from circ.semantics.evaluation import Undefined, Value, cells
from circ.semantics.interpreter import Hole, Machine, State
from circ.semantics.relies import broken_at_end
from circ.verdict import Assertions, Choice, RaceOn, Step, Trace
from frontend.program import Arbitrary, Program, Scalar, Self, Variable


@dataclass(frozen=True, slots=True)
class Replayed:
    """The trace is a run of the program and shows what it claims. `states[i]` is the state before step i, the last is the end.

    `crew[i]` is the template (its index) of thread i; `finding` says what the end shows.
    """

    crew: tuple[int, ...]
    states: tuple[State, ...]
    finding: str


class _Wrong(Exception):
    """Why the trace is refused."""


def replay(program: Program, trace: Trace, machine: Machine | None = None) -> Replayed | Refused:
    """Runs the trace; refused with the step and the reason if it is not a run, or does not show what it claims.

    A `machine` of this program spares it compiling its steps again.
    """
    assert machine is None or machine.program is program, "a machine of another program"
    at = "the header"
    try:
        if trace.program != program.fingerprint():
            raise _Wrong("the trace is about another program")
        machine = machine or Machine(program)
        crew = _crew(machine, trace)
        at = "the start"
        state = _start(machine, crew, trace)
        states = [state]
        for number, step in enumerate(trace.steps):
            at = f"step {number + 1}"
            state = _step(machine, crew, len(trace.threads), state, step)
            states.append(state)
        at = "the end"
        return Replayed(crew, tuple(states), _finding(machine, crew, trace, states))
    except _Wrong as wrong:
        return Refused("replay", at, str(wrong))
    except Undefined as missing:
        return Refused("replay", at, f"a value that nobody chose is read: {missing.where}")


# --------------------------------------------------------------------------------------------------- the start
def _crew(machine: Machine, trace: Trace) -> tuple[int, ...]:
    crew = []
    for name in trace.threads:
        if name not in machine.index:
            raise _Wrong(f"no thread template {name!r}")
        crew.append(machine.index[name])
    for i, template in enumerate(machine.program.templates):
        if template.count is not None:
            if crew.count(i) > template.count:
                raise _Wrong(f"{crew.count(i)} threads of {template.name!r}, of which there are {template.count}")
            crew += [i] * (template.count - crew.count(i))
    return tuple(crew)


def _start(machine: Machine, crew: tuple[int, ...], trace: Trace) -> State:
    chosen: dict[tuple[int | None, str], dict[int | None, int]] = {}
    for choice in trace.start:
        _check_start(machine, crew, len(trace.threads), choice)
        values = chosen.setdefault((choice.thread, choice.variable), {})
        if choice.index in values:
            raise _Wrong(f"two values for {choice.variable!r}")
        values[choice.index] = choice.value
    numbers = _numbers(machine, crew, chosen)

    def value(v: Variable, thread: int | None) -> Value:
        if isinstance(v.start, Self):
            if thread is None:
                raise _Wrong(f"the global {v.name!r} cannot hold a thread's number")
            return v.type.wrap(numbers[thread] + v.start.offset)
        values = chosen.get((thread, v.name), {})
        if v.is_array:
            return cells(0, {i: n for i, n in values.items() if i is not None})
        return values.get(None, 0)

    return machine.start(crew, value)


def _check_start(machine: Machine, crew: tuple[int, ...], named: int, choice: Choice) -> None:
    if choice.thread is not None and not 0 <= choice.thread < named:
        raise _Wrong(f"no thread {choice.thread}")
    owner = machine.program.globals if choice.thread is None else machine.program.templates[crew[choice.thread]].locals
    found = next((v for v in owner if v.name == choice.variable), None)
    if found is None or not isinstance(found.start, Arbitrary | Self):
        raise _Wrong(f"{choice.variable!r} has no start value to choose")
    if (choice.index is not None) != found.is_array:
        raise _Wrong(f"a start value of {choice.variable!r} has the wrong shape")
    if choice.index is not None and not 0 <= choice.index < 1 << 64:
        raise _Wrong(f"{choice.variable!r} has no element {choice.index}")
    _check_range(choice, found.type)


def _check_range(choice: Choice, t: Scalar) -> None:
    if not t.low <= choice.value <= t.high:
        raise _Wrong(f"{choice.value} is no value of {choice.variable!r}")


def _numbers(
    machine: Machine, crew: tuple[int, ...], chosen: dict[tuple[int | None, str], dict[int | None, int]],
) -> list[int]:
    """Each thread's number: as chosen, else the smallest that is free in its template."""
    numbers: list[int | None] = []
    for i, t in enumerate(crew):
        claims = {values[None] - v.start.offset for v in machine.program.templates[t].locals
                  if isinstance(v.start, Self) for values in [chosen.get((i, v.name), {})] if None in values}
        if len(claims) > 1:
            raise _Wrong(f"thread {i} has two numbers")
        numbers.append(claims.pop() if claims else None)
    result: list[int] = []
    for i, t in enumerate(crew):
        taken = [n for j, n in enumerate(numbers) if crew[j] == t and n is not None]
        number = numbers[i]
        if number is None:
            number = numbers[i] = next(n for n in range(len(crew) + 1) if n not in taken)
        elif taken.count(number) > 1:
            raise _Wrong(f"two threads of {machine.program.templates[t].name!r} have the number {number}")
        count = machine.program.templates[t].count
        if number < 0 or (count is not None and number >= count):
            raise _Wrong(f"thread {i} cannot have the number {number}")
        result.append(number)
    return result


# --------------------------------------------------------------------------------------------------- steps
def _step(machine: Machine, crew: tuple[int, ...], named: int, state: State, step: Step) -> State:
    me = step.thread
    if not 0 <= me < named:
        raise _Wrong(f"no thread {me}")
    template, (location, local) = crew[me], state.threads[me]
    if step.edge not in machine.leaving(template, location):
        raise _Wrong(f"thread {me} is at location {location}, which edge {step.edge} does not leave")
    holder = machine.holder(crew, state.threads)
    if holder is not None and holder != me:
        raise _Wrong(f"thread {me} cannot run while thread {holder} is inside an atomic section")
    code = machine.code(template, step.edge)
    if not machine.guards_pass(code.guards, crew, state.threads, me):
        raise _Wrong(f"thread {me} waits for other threads")
    choices = list(step.choices)
    after = machine.execute(code, state.globals, local, lambda k, index: _fill(machine, code.holes[k], index, choices, me))
    if after is None:
        raise _Wrong(f"a condition does not hold: {machine.edge(template, step.edge)}")
    if choices:
        raise _Wrong(f"a value for {choices[0].variable!r}, which the step does not leave open")
    g, after_local = after
    threads = list(state.threads)
    threads[me] = machine.edge(template, step.edge).target, after_local
    return State(g, tuple(threads))


def _fill(machine: Machine, hole: Hole, index: int | None, choices: list[Choice], me: int) -> Value:
    """Takes what belongs to the hole from the front of `choices`."""
    if not hole.whole:
        if not choices or choices[0].variable != hole.variable:
            raise _Wrong(f"no value for {hole.variable!r}")
        return _accept(choices.pop(0), hole, index, me)
    elements: dict[int, int | None] = {}
    while choices and choices[0].variable == hole.variable and choices[0].index is not None:
        element = choices[0].index
        if element in elements or not 0 <= element < 1 << 64:
            raise _Wrong(f"element {element} of {hole.variable!r} cannot be chosen")
        elements[element] = _accept(choices.pop(0), hole, element, me)
    return cells(0, elements)


def _accept(choice: Choice, hole: Hole, index: int | None, me: int) -> int:
    if choice.thread not in (None, me) or choice.index not in (None, index):
        raise _Wrong(f"the value for {choice.variable!r} is meant for another place")
    _check_range(choice, hole.type)
    return choice.value


# --------------------------------------------------------------------------------------------------- the end
def _finding(machine: Machine, crew: tuple[int, ...], trace: Trace, states: list[State]) -> str:
    state = states[-1]
    match trace.question:
        case RaceOn(variable=x):
            return _race(machine, crew, trace, x, state)
        case Assertions():
            if trace.accesses:
                raise _Wrong("a violated assertion has no accesses")
            found = violation(machine, crew, state)
            if found is not None:
                return found
            rely = broken_at_end(machine.program, machine, crew, states, [s.thread for s in trace.steps])
            if rely is None:
                raise _Wrong("no assertion is violated")
            return f"the last step breaks what {rely.template} assumes: {rely.text} ({rely.location})"
    raise _Wrong("an unknown question")


def _race(machine: Machine, crew: tuple[int, ...], trace: Trace, x: str, state: State) -> str:
    if len(trace.accesses) != 2:
        raise _Wrong("a race needs two accesses")
    edges, found, indices = [], [], []
    for thread, e, at in trace.accesses:
        if not 0 <= thread < len(trace.threads):
            raise _Wrong(f"no thread {thread}")
        template, (location, local) = crew[thread], state.threads[thread]
        if e not in machine.leaving(template, location):
            raise _Wrong(f"thread {thread} is at location {location}, which edge {e} does not leave")
        edge = machine.edge(template, e)
        if not 0 <= at < len(edge.accesses):
            raise _Wrong(f"edge {e} has no access {at}")
        # A thread that waits for others (`AllAt`) is suspended: its access is next all the same.
        if not machine.is_next(template, e, at, state.globals, local):
            raise _Wrong(f"the access of thread {thread} is not next: a condition before it does not hold")
        edges.append(edge)
        found.append(edge.accesses[at])
        indices.append(machine.cell(template, e, at, state.globals, local))
    (one, two), (a, b) = edges, found
    if trace.accesses[0][0] == trace.accesses[1][0]:
        raise _Wrong("both accesses are of one thread")
    if a.variable != x or b.variable != x:
        raise _Wrong(f"the accesses are not to {x!r}")
    if not conflict(machine.program.race_model, one, a, two, b):
        raise _Wrong("the accesses do not conflict")
    if None not in indices and indices[0] != indices[1]:
        raise _Wrong(f"the accesses are to different elements, {indices[0]} and {indices[1]}")
    return f"threads {trace.accesses[0][0]} and {trace.accesses[1][0]} are about to access {x}"


def violation(machine: Machine, crew: tuple[int, ...], state: State) -> str | None:
    """What assertion of the program the state violates, in words."""
    inside = []
    for i, (location, _) in enumerate(state.threads):
        cfa = machine.program.templates[crew[i]].cfa
        if location in cfa.errors:
            error = cfa.errors[location]
            return f"thread {i} violates {error.text or error.kind.value} ({error.location})"
        if location in cfa.critical:
            inside.append(i)
    if len(inside) > 1:
        return f"threads {inside[0]} and {inside[1]} are in critical sections at once"
    broken = machine.broken_invariant(state.globals, machine.holder(crew, state.threads) is not None)
    return None if broken is None else f"the invariant {machine.program.invariants[broken].text} is false"
