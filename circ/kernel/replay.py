"""Replay: a trace is run step by step (`circ.semantics.trace_run`), and must end in what it claims. Refuses, never guesses.

Trusted, with the semantics it runs on and nothing else: no view, no solver, no engine has a say in it.
"""

from __future__ import annotations

from typing import assert_never

from circ.evidence import Assertions, AtomicityOf, RaceOn, Trace
from circ.kernel.outcome import Refused
from circ.semantics.conflicts import conflict
from circ.semantics.evaluation import Undefined
from circ.semantics.interpreter import Machine, State
from circ.semantics.serialisability import triple_at_end
from circ.semantics.trace_run import NotARun, TraceRun, run_trace
from circ.semantics.violations import BothCritical, ErrorReached, InvariantBroken, RelyBroken, Violation, violation_at_end
from circ.semantics.weak_memory import WeakRun
from frontend.program import Program, RaceModel
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Replayed:
    """The trace is a run of the program and shows what it claims. `states[i]` is the state before step i, the last is the end.

    `crew[i]` is the template (its index) of thread i; `finding` says what the end shows.
    """

    crew: tuple[int, ...]
    states: tuple[State, ...]
    finding: str


class _WrongEnd(Exception):
    """Why the end does not show what the trace claims."""


def replay(program: Program, trace: Trace, machine: Machine | None = None) -> Replayed | Refused:
    """Runs the trace; refused with the step and the reason if it is not a run, or does not show what it claims.

    A `machine` of this program spares it compiling its steps again.
    """
    assert machine is None or machine.program is program, "a machine of another program"
    if trace.program != program.fingerprint():
        return Refused("replay", "the header", "the trace is about another program")
    machine = machine or Machine(program)
    try:
        run = run_trace(machine, trace)
        return Replayed(run.crew, run.states, _finding(machine, trace, run))
    except NotARun as refusal:
        return Refused("replay", refusal.at, refusal.reason)
    except _WrongEnd as wrong:
        return Refused("replay", "the end", str(wrong))
    except Undefined as missing:
        return Refused("replay", "the end", f"a value that nobody chose is read: {missing.where}")


def _finding(machine: Machine, trace: Trace, run: TraceRun) -> str:
    match trace.question:
        case RaceOn(variable=x):
            return _race(machine, trace, x, run) if run.weak is None else _weak_race(machine, trace, x, run, run.weak)
        case Assertions():
            if trace.accesses:
                raise _WrongEnd("a violated assertion has no accesses")
            found = violation_at_end(machine, run.crew, run.states, [s.thread for s in trace.steps])
            if found is None:
                raise _WrongEnd("no assertion is violated")
            return _in_words(found)
        case AtomicityOf(variable=x):
            if trace.accesses or run.weak is not None:
                raise _WrongEnd("three accesses are those of a run that is sequentially consistent, and are not named")
            if triple_at_end(machine, run.crew, run.states, trace.steps, x) is None:
                raise _WrongEnd("the last step makes no access that is not serialisable with two others")
            return f"the last step makes the third of three accesses to {x} that are not serialisable"
    raise _WrongEnd("an unknown question")


def _weak_race(machine: Machine, trace: Trace, x: str, run: TraceRun, weak: WeakRun) -> str:
    """The first access was made by the step `earlier`, the second is next, and the first does not happen before it."""
    if len(trace.accesses) != 2 or trace.earlier is None or not 0 <= trace.earlier < len(trace.steps):
        raise _WrongEnd("a race needs two accesses, the first of which was made")
    if machine.program.race_model is not RaceModel.C11:
        raise _WrongEnd("memory orders are those of C11's races")
    (one, first, at), (two, second, access) = trace.accesses
    step = trace.steps[trace.earlier]
    if (step.thread, step.edge) != (one, first) or not 0 <= two < len(trace.threads):
        raise _WrongEnd("the step made no such access")
    location, local = run.states[-1].threads[two]
    if second not in machine.leaving(run.crew[two], location):
        raise _WrongEnd(f"thread {two} is at location {location}, which edge {second} does not leave")
    if machine.edge(run.crew[two], second).stale:
        raise _WrongEnd("the access is one of a load that reads anything")
    if not 0 <= access < len(machine.edge(run.crew[two], second).accesses):
        raise _WrongEnd(f"edge {second} has no access {access}")
    if machine.edge(run.crew[two], second).accesses[access].variable != x:
        raise _WrongEnd(f"the accesses are not to {x!r}")
    if not machine.is_next(run.crew[two], second, access, run.states[-1].globals, local):
        raise _WrongEnd(f"the access of thread {two} is not next: a condition before it does not hold")
    found = weak.races(two, second, access)
    if found is None or (found.thread, found.step, found.edge, found.access) != (one, trace.earlier, first, at):
        raise _WrongEnd("the first access happens before the second, or does not conflict with it")
    return f"thread {two} is about to access {x}, which thread {one} accessed, and nothing orders them"


def _race(machine: Machine, trace: Trace, x: str, run: TraceRun) -> str:
    crew, state = run.crew, run.states[-1]
    if len(trace.accesses) != 2:
        raise _WrongEnd("a race needs two accesses")
    edges, found, indices = [], [], []
    for thread, e, at in trace.accesses:
        if not 0 <= thread < len(trace.threads):
            raise _WrongEnd(f"no thread {thread}")
        template, (location, local) = crew[thread], state.threads[thread]
        if e not in machine.leaving(template, location):
            raise _WrongEnd(f"thread {thread} is at location {location}, which edge {e} does not leave")
        edge = machine.edge(template, e)
        if not 0 <= at < len(edge.accesses):
            raise _WrongEnd(f"edge {e} has no access {at}")
        # A thread that waits for others (`AllAt`) is suspended: its access is next all the same.
        if not machine.is_next(template, e, at, state.globals, local):
            raise _WrongEnd(f"the access of thread {thread} is not next: a condition before it does not hold")
        edges.append(edge)
        found.append(edge.accesses[at])
        indices.append(machine.cell(template, e, at, state.globals, local))
    (one, two), (a, b) = edges, found
    if trace.accesses[0][0] == trace.accesses[1][0]:
        raise _WrongEnd("both accesses are of one thread")
    if a.variable != x or b.variable != x:
        raise _WrongEnd(f"the accesses are not to {x!r}")
    if not conflict(machine.program.race_model, one, a, two, b):
        raise _WrongEnd("the accesses do not conflict")
    if None not in indices and indices[0] != indices[1]:
        raise _WrongEnd(f"the accesses are to different elements, {indices[0]} and {indices[1]}")
    return f"threads {trace.accesses[0][0]} and {trace.accesses[1][0]} are about to access {x}"


def _in_words(found: Violation) -> str:
    match found:
        case ErrorReached(thread=i, error=error):
            return f"thread {i} violates {error.text or error.kind.value} ({error.location})"
        case BothCritical(first=i, second=j):
            return f"threads {i} and {j} are in critical sections at once"
        case InvariantBroken(invariant=invariant):
            return f"the invariant {invariant.text} is false"
        case RelyBroken(rely=rely):
            return f"the last step breaks what {rely.template} assumes: {rely.text} ({rely.location})"
        case _:
            assert_never(found)
