"""Finite systems: a program and a question in; a transition system of few values, its explicit steps, and verdicts on runs out.

In comes a `Program` with fixed thread counts and one question. Out go `build` (the `FiniteSystem`), `Stepper` (successors and
error marks of thread states) and the functions that turn a run of the system into a verdict with a trace of the program.
It may not know any engine: no set of reachable states, no abstraction and no certificate is made here.
"""

from circ.finite.system.construction import build
from circ.finite.system.expression_values import ReadCell, evaluate
from circ.finite.system.refusals import NotFiniteState, OutOfDomain
from circ.finite.system.stepper import Stepper
from circ.finite.system.transition_system import (
    ATOMIC,
    CRITICAL,
    FATAL,
    ErrorMark,
    ErrorShape,
    FiniteCell,
    FiniteSystem,
    GlobalStore,
    LocalStore,
    ThreadGroup,
    Transition,
)
from circ.finite.system.verdicts import start_choices, trace_steps, verdict_of

__all__ = [
    "ATOMIC", "CRITICAL", "FATAL", "ErrorMark", "ErrorShape", "FiniteCell", "FiniteSystem", "GlobalStore", "LocalStore",
    "NotFiniteState", "OutOfDomain", "ReadCell", "Stepper", "ThreadGroup", "Transition", "build", "evaluate", "start_choices",
    "trace_steps", "verdict_of",
]
