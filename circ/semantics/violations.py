"""What a run violates at its end: an error location, mutual exclusion, an invariant, what a thread assumes of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from circ.semantics.interpreter import Machine, State
from circ.semantics.relies import broken_at_end
from frontend.program import ErrorLocation, Invariant, Rely
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class ErrorReached:
    """A thread is at an error location."""

    thread: int
    error: ErrorLocation


@dataclass(frozen=True, slots=True)
class BothCritical:
    """Two threads are in critical sections."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class InvariantBroken:
    """An invariant of the program is false in the last state."""

    invariant: Invariant


@dataclass(frozen=True, slots=True)
class RelyBroken:
    """The last step does what another thread assumes nobody does."""

    rely: Rely


Violation: TypeAlias = ErrorReached | BothCritical | InvariantBroken | RelyBroken


def violation_at_end(machine: Machine, crew: Sequence[int], states: Sequence[State], movers: Sequence[int]) -> Violation | None:
    """What the last of the states, or the step to it, violates: the first in the order above; None if nothing.

    `states` are those of a run from the start, `movers[i]` is the thread that went from `states[i]` to `states[i + 1]`. Raises
    Undefined if that depends on a value that nobody chose.
    """
    program, state = machine.program, states[-1]
    inside = []
    for i, (location, _) in enumerate(state.threads):
        cfa = program.templates[crew[i]].cfa
        if location in cfa.errors:
            return ErrorReached(i, cfa.errors[location])
        if location in cfa.critical:
            inside.append(i)
    if len(inside) > 1:
        return BothCritical(inside[0], inside[1])
    broken = machine.broken_invariant(state.globals, machine.holder(crew, state.threads) is not None)
    if broken is not None:
        return InvariantBroken(program.invariants[broken])
    rely = broken_at_end(program, machine, crew, states, movers)
    return None if rely is None else RelyBroken(rely)
