"""A trace run step by step: it chooses the schedule and every value that the program leaves open, and nothing else.

One stepping for the kernel, which accepts a race or a violation because the trace runs here, and for reports, which show what
each step does. Trusted; what the trace says is checked, never completed: a step that is not possible, a value that nobody leaves
open, a value that is missing are all refused. (Start values that the trace does not name are 0.) Threads of a finite count that
it does not name exist all the same: they stay at their start.
"""

from __future__ import annotations

from circ.evidence import Choice, Step, Trace
from circ.semantics.evaluation import Undefined, Value, cells
from circ.semantics.interpreter import Globals, Hole, Machine, State
from circ.semantics.weak_memory import WeakRun
from frontend.program import Arbitrary, Scalar, Self, Variable
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class TraceRun:
    """`crew[i]` is the template (its index) of thread i; `states[i]` is the state before step i, the last is the end."""

    crew: tuple[int, ...]
    states: tuple[State, ...]
    weak: WeakRun | None = None
    """What memory orders add, at the end of the run."""


class NotARun(Exception):
    """The trace is no run of the program: at which point of it, and why."""

    def __init__(self, at: str, reason: str) -> None:
        super().__init__(reason)
        self.at, self.reason = at, reason


class _WrongTrace(Exception):
    """Why the trace is refused."""


def run_trace(machine: Machine, trace: Trace) -> TraceRun:
    """The states that the trace leads through; raises NotARun if it is no run of the machine's program."""
    at = "the header"
    try:
        crew = _crew(machine, trace)
        at = "the start"
        states = [_start(machine, crew, trace)]
        weak = None if trace.earlier is None else WeakRun(machine, crew, states[0])
        for number, step in enumerate(trace.steps):
            at = f"step {number + 1}"
            states.append(_step(machine, crew, len(trace.threads), states[-1], step, weak))
        return TraceRun(crew, tuple(states), weak)
    except _WrongTrace as wrong:
        raise NotARun(at, str(wrong)) from None
    except Undefined as missing:
        raise NotARun(at, f"a value that nobody chose is read: {missing.where}") from None


# --------------------------------------------------------------------------------------------------- the start
def _crew(machine: Machine, trace: Trace) -> tuple[int, ...]:
    crew = []
    for name in trace.threads:
        if name not in machine.index:
            raise _WrongTrace(f"no thread template {name!r}")
        crew.append(machine.index[name])
    for i, template in enumerate(machine.program.templates):
        if template.count is not None:
            if crew.count(i) > template.count:
                raise _WrongTrace(f"{crew.count(i)} threads of {template.name!r}, of which there are {template.count}")
            crew += [i] * (template.count - crew.count(i))
    return tuple(crew)


def _start(machine: Machine, crew: tuple[int, ...], trace: Trace) -> State:
    chosen: dict[tuple[int | None, str], dict[int | None, int]] = {}
    for choice in trace.start:
        _check_start(machine, crew, len(trace.threads), choice)
        values = chosen.setdefault((choice.thread, choice.variable), {})
        if choice.index in values:
            raise _WrongTrace(f"two values for {choice.variable!r}")
        values[choice.index] = choice.value
    numbers = _numbers(machine, crew, chosen)

    def value(v: Variable, thread: int | None) -> Value:
        if isinstance(v.start, Self):
            if thread is None:
                raise _WrongTrace(f"the global {v.name!r} cannot hold a thread's number")
            return v.type.wrap(numbers[thread] + v.start.offset)
        values = chosen.get((thread, v.name), {})
        if v.is_array:
            return cells(0, {i: n for i, n in values.items() if i is not None})
        return values.get(None, 0)

    return machine.start(crew, value)


def _check_start(machine: Machine, crew: tuple[int, ...], named: int, choice: Choice) -> None:
    if choice.thread is not None and not 0 <= choice.thread < named:
        raise _WrongTrace(f"no thread {choice.thread}")
    owner = machine.program.globals if choice.thread is None else machine.program.templates[crew[choice.thread]].locals
    found = next((v for v in owner if v.name == choice.variable), None)
    if found is None or not isinstance(found.start, Arbitrary | Self):
        raise _WrongTrace(f"{choice.variable!r} has no start value to choose")
    if (choice.index is not None) != found.is_array:
        raise _WrongTrace(f"a start value of {choice.variable!r} has the wrong shape")
    if choice.index is not None and not 0 <= choice.index < 1 << 64:
        raise _WrongTrace(f"{choice.variable!r} has no element {choice.index}")
    _check_range(choice, found.type)


def _check_range(choice: Choice, t: Scalar) -> None:
    if not t.low <= choice.value <= t.high:
        raise _WrongTrace(f"{choice.value} is no value of {choice.variable!r}")


def _numbers(
    machine: Machine, crew: tuple[int, ...], chosen: dict[tuple[int | None, str], dict[int | None, int]],
) -> list[int]:
    """Each thread's number: as chosen, else the smallest that is free in its template."""
    numbers: list[int | None] = []
    for i, t in enumerate(crew):
        claims = {values[None] - v.start.offset for v in machine.program.templates[t].locals
                  if isinstance(v.start, Self) for values in [chosen.get((i, v.name), {})] if None in values}
        if len(claims) > 1:
            raise _WrongTrace(f"thread {i} has two numbers")
        numbers.append(claims.pop() if claims else None)
    result: list[int] = []
    for i, t in enumerate(crew):
        taken = [n for j, n in enumerate(numbers) if crew[j] == t and n is not None]
        number = numbers[i]
        if number is None:
            number = numbers[i] = next(n for n in range(len(crew) + 1) if n not in taken)
        elif taken.count(number) > 1:
            raise _WrongTrace(f"two threads of {machine.program.templates[t].name!r} have the number {number}")
        count = machine.program.templates[t].count
        if number < 0 or (count is not None and number >= count):
            raise _WrongTrace(f"thread {i} cannot have the number {number}")
        result.append(number)
    return result


# --------------------------------------------------------------------------------------------------- steps
def _step(machine: Machine, crew: tuple[int, ...], named: int, state: State, step: Step, weak: WeakRun | None) -> State:
    me = step.thread
    if not 0 <= me < named:
        raise _WrongTrace(f"no thread {me}")
    template, (location, local) = crew[me], state.threads[me]
    if step.edge not in machine.leaving(template, location):
        raise _WrongTrace(f"thread {me} is at location {location}, which edge {step.edge} does not leave")
    holder = machine.holder(crew, state.threads)
    if holder is not None and holder != me:
        raise _WrongTrace(f"thread {me} cannot run while thread {holder} is inside an atomic section")
    code = machine.code(template, step.edge)
    if not machine.guards_pass(code.guards, crew, state.threads, me):
        raise _WrongTrace(f"thread {me} waits for other threads")
    choices = list(step.choices)

    def fill(k: int, index: int | None) -> Value:
        return _fill(machine, code.holes[k], index, choices, me)

    if weak is not None:
        if not weak.step(me, step.edge, fill, step.source):
            raise _WrongTrace(f"a condition does not hold, or the load cannot read that: {machine.edge(template, step.edge)}")
        after: tuple[Globals, tuple[Value, ...]] | None = (weak.state.globals, weak.state.threads[me][1])
    elif step.source is not None:
        raise _WrongTrace("a load reads an old value in a run that is sequentially consistent")
    else:
        after = machine.execute(code, state.globals, local, fill)
    if after is None:
        raise _WrongTrace(f"a condition does not hold: {machine.edge(template, step.edge)}")
    if choices:
        raise _WrongTrace(f"a value for {choices[0].variable!r}, which the step does not leave open")
    g, after_local = after
    threads = list(state.threads)
    threads[me] = machine.edge(template, step.edge).target, after_local
    return State(g, tuple(threads))


def _fill(machine: Machine, hole: Hole, index: int | None, choices: list[Choice], me: int) -> Value:
    """Takes what belongs to the hole from the front of `choices`."""
    if not hole.whole:
        if not choices or choices[0].variable != hole.variable:
            raise _WrongTrace(f"no value for {hole.variable!r}")
        return _accept(choices.pop(0), hole, index, me)
    elements: dict[int, int | None] = {}
    while choices and choices[0].variable == hole.variable and choices[0].index is not None:
        element = choices[0].index
        if element in elements or not 0 <= element < 1 << 64:
            raise _WrongTrace(f"element {element} of {hole.variable!r} cannot be chosen")
        elements[element] = _accept(choices.pop(0), hole, element, me)
    return cells(0, elements)


def _accept(choice: Choice, hole: Hole, index: int | None, me: int) -> int:
    if choice.thread not in (None, me) or choice.index not in (None, index):
        raise _WrongTrace(f"the value for {choice.variable!r} is meant for another place")
    _check_range(choice, hole.type)
    return choice.value
