"""Atomicity: an engine looks for the race of the program in which accesses are watched (`circ.views.watched`).

What it proves there holds of the program. A run that it finds is told in the program's own steps, the last of which makes the
third of three accesses; where it is not known which elements they mean, it need not be one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from circ.evidence import AtomicityOf, Certificate, ProofKind, RaceOn, Trace
from circ.semantics.evaluation import Undefined
from circ.semantics.interpreter import Machine
from circ.semantics.serialisability import triple_at_end
from circ.semantics.trace_run import NotARun, run_trace
from circ.verdict import Engine, Observer, Options, Refuted, Safe, Unknown, Verdict
from circ.views.lifting import lifted
from circ.views.memory_orders.orders import is_weak
from circ.views.watched import CELL, VIOLATED, WITNESS, Watched, watched
from frontend.program import Program


class OnWatched:
    """Asks engines that `make` gives, one for each variable; `quickly` proves what needs no engine."""

    def __init__(self, make: Callable[[], Engine], quickly: Callable[[Program, RaceOn], Certificate | None]) -> None:
        self.make, self.quickly = make, quickly
        self._views: dict[str, tuple[Watched, Engine]] = {}

    def __call__(self, program: Program, question: AtomicityOf, options: Options, observer: Observer) -> Verdict:
        if is_weak(program):
            return Unknown("with weak memory orders, three accesses are not looked at")
        if question.variable not in self._views:
            self._views[question.variable] = watched(program, question.variable), self.make()
        view, engine = self._views[question.variable]
        race = RaceOn(VIOLATED.name)
        proof = self.quickly(view.program, race)
        if proof is not None:
            body = {"kind": proof.kind, "body": proof.body}
            why = "no other thread has an access that two of a thread would not be serialisable with"
            return Safe(Certificate(program.fingerprint(), question, ProofKind.WATCHED, body), (why,), trivial=True)
        verdict = engine(view.program, race, options, observer)
        found = lifted(verdict, program, question, ProofKind.WATCHED, lambda trace: _told(program, question, view, trace))
        if isinstance(found, Refuted) and not _shows(program, question, found.trace):
            return Unknown("a run was found in which it is not known which elements are meant", statistics=verdict.statistics)
        return found


def _told(program: Program, question: AtomicityOf, view: Watched, trace: Trace) -> Trace:
    """The run without the witness, in the program's own steps."""
    number: dict[int, int] = {}
    for n, name in enumerate(trace.threads):
        if name != WITNESS:
            number[n] = len(number)
    steps = []
    for step in trace.steps:
        origin = view.origin[trace.threads[step.thread]][step.edge]
        if origin is not None:
            choices = tuple(c for c in step.choices if c.variable != CELL.name)
            steps.append(replace(step, thread=number[step.thread], edge=origin, choices=choices))
    start = tuple(replace(c, thread=number[c.thread]) if c.thread is not None else c for c in trace.start
                  if c.thread is None or c.thread in number)
    return Trace(program.fingerprint(), question, tuple(name for name in trace.threads if name != WITNESS), start, tuple(steps))


def _shows(program: Program, question: AtomicityOf, trace: Trace) -> bool:
    """Whether the last step makes the third access, as it does unless elements were guessed."""
    machine = Machine(program)
    try:
        run = run_trace(machine, trace)
        return triple_at_end(machine, run.crew, run.states, trace.steps, question.variable) is not None
    except (NotARun, Undefined):
        return True  # the kernel will say what is wrong with it
