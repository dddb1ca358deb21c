"""What was found, as verdicts: a run of the finite system becomes a trace of the program, with the accesses that race."""

from __future__ import annotations

import itertools

from circ.finite.system.error_marks import access_guard
from circ.finite.system.expression_values import evaluate
from circ.finite.system.stepper import Stepper
from circ.finite.system.transition_system import ATOMIC, FATAL, FiniteSystem, GlobalStore, LocalStore, Transition
from circ.kernel.outcome import Refused
from circ.kernel.replay import replay
from circ.semantics.conflicts import conflict
from circ.verdict import Choice, RaceOn, Refuted, Statistics, Step, Trace, Unknown
from frontend.program import (
    Access,
    Arbitrary,
    Edge,
    Element,
    Havoc,
    name_of,
    primitive,
)


def verdict_of(system: FiniteSystem, stepper: Stepper, g: GlobalStore, locals_: tuple[LocalStore, ...], start: tuple[Choice, ...],
               steps: tuple[Step, ...], statistics: Statistics) -> Refuted | Unknown:
    """The verdict for a real run to an error state: unknown if all that is wrong there is that a step leaves the finite view."""
    at_error = any(m.location == local[0] for local, i in zip(locals_, system.threads, strict=True)
                   for m in system.groups[i].marks if m.shape == FATAL)
    marks = [stepper.marks(i, g, local) for local, i in zip(locals_, system.threads, strict=True)]
    clash = any((a, b) in system.conflicts for one, two in itertools.combinations(marks, 2) for a in one for b in two)
    if not at_error and not clash and not stepper.bad(g):
        escapes = (stepper.escape(i, g, local) for local, i in zip(locals_, system.threads, strict=True))
        reason = next(e for e in escapes if e is not None)
        return Unknown(f"not finite-state as declared: {reason}", advice="widen the range", statistics=statistics)
    accesses = racing_accesses(system, stepper, g, locals_)
    preludes = [Step(t, edge) for t, i in enumerate(system.threads) for edge in system.groups[i].prelude]
    steps = (*preludes, *steps)
    trace = Trace(system.program.fingerprint(), system.question, system.names(), start, steps, accesses)
    if system.waits and isinstance(replay(system.program, trace), Refused):
        return Unknown("a run was found in which a thread does not wait for all others", statistics=statistics)
    return Refuted(trace, statistics)


def trace_steps(system: FiniteSystem, thread: int, move: Transition, chosen: tuple[int, ...]) -> list[Step]:
    """A step of the system as steps of the program."""
    group = system.groups[system.threads[thread]]
    left = list(chosen)
    steps = []
    for index in move.edges:
        choices = []
        for part in primitive(group.template.cfa.edges[index].op):
            if isinstance(part, Havoc):
                for t in part.targets:
                    choices.append(Choice(name_of(t), left.pop(0), thread=thread))
                for w in part.whole:
                    size = sum(1 for c in (*system.globals, *group.cells) if c.name == w)
                    choices.extend(Choice(w, left.pop(0), i, thread) for i in range(size))
        steps.append(Step(thread, index, tuple(choices)))
    return steps


def start_choices(system: FiniteSystem, g: GlobalStore, locals_: tuple[LocalStore, ...]) -> tuple[Choice, ...]:
    """The start values that the program leaves open, as a Trace wants them."""
    found = [Choice(c.name, v, c.element) for c, v in zip(system.globals, g, strict=True)
             if c.name != ATOMIC and isinstance(system.program.variable(c.name).start, Arbitrary)]
    for t, local in enumerate(locals_):
        group = system.groups[system.threads[t]]
        free = {v.name for v in group.template.locals if isinstance(v.start, Arbitrary)}
        found += [Choice(c.name, v, c.element, t) for c, v in zip(group.cells, local[1:], strict=True) if c.name in free]
    return tuple(found)


def racing_accesses(system: FiniteSystem, stepper: Stepper, g: GlobalStore,
                    locals_: tuple[LocalStore, ...]) -> tuple[tuple[int, int, int], ...]:
    """In an error state of a race: the two (thread, edge, access) that conflict; empty for assertions."""
    if not isinstance(system.question, RaceOn):
        return ()
    x = system.question.variable
    found: list[tuple[int, int, int, Edge, Access, int | None]] = []
    for t, local in enumerate(locals_):
        i = system.threads[t]
        read = stepper.reader(i, g, local)
        for n, e in enumerate(system.groups[i].template.cfa.edges):
            for m, a in enumerate(e.accesses):
                if e.source == local[0] and a.variable == x and evaluate(access_guard(system.program, e, a), read, stepper.math):
                    cell = a.lvalue
                    index = evaluate(cell.index, read, stepper.math) if isinstance(cell, Element) and not a.whole else None
                    found.append((t, n, m, e, a, index))
    for one, two in itertools.combinations(found, 2):
        same = one[5] is None or two[5] is None or one[5] == two[5]
        if one[0] != two[0] and same and conflict(system.program.race_model, one[3], one[4], two[3], two[4]):
            return (one[:3], two[:3])
    raise AssertionError("an error state without conflicting accesses")
