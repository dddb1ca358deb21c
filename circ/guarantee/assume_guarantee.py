"""Engine `assume-guarantee`: the programmer's own assumptions, after Flanagan, Freund and Qadeer (Thread-Modular Verification
for Shared-Memory Programs).

Each thread is checked alone: between its steps the environment does what the thread's assumption allows, any number of times
(`circ.guarantee.formulas.closure`), and each of its steps must satisfy the assumptions of all others and keep the invariants.
Departures from the paper: the environment's steps stand only before steps that look at globals, since others cannot tell; an
assumption that is not transitive is weakened to those of its conjuncts that survive any number of steps, rather than refused;
a race is excluded by two threads' conditions together, since `x' == x` permits writing the same value.
A condition that fails may still be one that no run breaks: then the answer is `unknown`, with the step and the states.
"""

from __future__ import annotations

from dataclasses import replace

from circ.guarantee.conditions import FailedCondition, ThreadConditions
from circ.guarantee.exclusion import UnprovedExclusion, places, unproved_exclusion
from circ.guarantee.explain import details, exclusion_details, exclusion_reason, place, reason
from circ.guarantee.formulas import AnnotatedProgram, ClosedAssumption, closure, excluded, false_at_start, obligations, said
from circ.guarantee.hints import hint
from circ.guarantee.real_runs import real_run
from circ.guarantee.thread_flow import thread_flow
from circ.guarantee.thread_states import ThreadStates
from circ.kernel.guarantee.loop_cuts import flow
from circ.smt import Encoder, Inexpressible
from circ.verdict import (
    Certificate,
    Engine,
    Observer,
    Options,
    OutOfTime,
    ProofKind,
    Question,
    Refuted,
    Safe,
    Statistics,
    Technique,
    Unknown,
    Verdict,
)
from frontend.program import NOWHERE, Location, Program
from frontend.program.exact import show_exact

_SEARCH = 30_000
"""States that are looked at for a run that really breaks what could not be proved."""


def engine() -> Engine:
    return answer


def answer(program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
    """Proves the question with the program's annotations."""
    try:
        return _Check(program, question, options, observer).verdict()
    except Inexpressible as error:
        return Unknown(f"{error} has no exact meaning for mathematical integers", advice="use --ints exact")


class _Check:
    def __init__(self, program: Program, question: Question, options: Options, observer: Observer) -> None:
        self.program, self.question, self.options, self.observer = program, question, options, observer
        self.annotated = AnnotatedProgram.of(program)
        self.encoder = Encoder(program.ints)
        self.closures: dict[str, ClosedAssumption] = {}
        self.complete = True
        self.conditions = 0

    def verdict(self) -> Verdict:
        for t in self.program.templates:
            found = self.closures[t.name] = closure(self.annotated, t)
            self.conditions += 2 * len(found.kept) + len(found.dropped)
            if found.irreflexive:
                return self._irreflexive(t.name, found)
        initial = self._initial()
        if initial is not None:
            return initial
        walks: list[ThreadConditions] = []
        for t in self.program.templates:
            walk = self._walk(t.name, "1")
            failure = walk.failure()
            self.conditions += walk.conditions
            self.observer("round", {"thread": t.name, "conditions": self.conditions})
            if failure is not None:
                return self._failed(failure)
            walks.append(walk)
        met = self._meet(walks)
        if met is not None:
            return met
        if not self.complete:
            n = self.options.unroll
            return Unknown(f"no violation within {n} iterations", (), "give the loops invariants, //@ loop invariant e; "
                           "and functions that call themselves contracts", self._statistics(), where=self._first_open(),
                           details=self._notes())
        body = {"closures": [[show_exact(c) for c in self.closures[t.name].kept] for t in self.program.templates]}
        certificate = Certificate(self.program.fingerprint(), self.question, ProofKind.ASSUME_GUARANTEE, body)
        return Safe(certificate, (f"{self.conditions} verification conditions hold", *self._notes()),
                    statistics=self._statistics())

    def _first_open(self) -> Location:
        """Where the first loop stands that has no invariant."""
        places = [e.location for t in self.program.templates if (rest := flow(t.cfa, again=False).open) for e in t.cfa.edges
                  if e.source in rest and e.location != NOWHERE]
        return min(places, default=NOWHERE)

    def _initial(self) -> Verdict | None:
        """Where an invariant is false in a start state, if it may be."""
        for inv in self.program.invariants:
            self.conditions += 1
            state = false_at_start(self.program, inv)
            if state is not None:
                shown = "in the state: " + ", ".join(f"{n} = {v}" for n, v in state)
                return self._real_run() or Unknown(f"the invariant {inv.text} may be false at the start", (),
                                                   "initialise the variables, or weaken it", self._statistics(),
                                                   where=inv.location, details=(shown,))
        return None

    def _walk(self, name: str, tag: str) -> ThreadConditions:
        template = self.program.template(name)
        flow, covers = thread_flow(template, self.options.unroll)
        self.complete = self.complete and covers
        states = ThreadStates(self.annotated, template, flow, self.closures, f"{name}.{tag}", self.encoder)
        return ThreadConditions(states, self.options.check_time)

    def _meet(self, walks: list[ThreadConditions]) -> Verdict | None:
        wanted = {(a.template, b.template) for a, b in places(self.program, self.question)}
        for i, first in enumerate(walks):
            for second in walks[:i + 1]:
                names = first.states.template.name, second.states.template.name
                if names not in wanted:
                    continue
                if first is second:
                    second = self._walk(names[0], "2")
                    second.failure()  # known to be none; it makes the states of the second thread
                found, asked = unproved_exclusion(self.program, self.question, first.states, second.states,
                                                  self.options.check_time)
                self.conditions += asked
                if found is not None:
                    return self._met(found)
        return None

    # ------------------------------------------------------------------------------------------- what is not proved
    def _failed(self, failure: FailedCondition) -> Verdict:
        real = self._real_run()
        if real is not None:
            return real
        advice = hint(self.annotated, self.closures, failure, self.options) if self.options.on(Technique.HINTS) else ""
        return Unknown(reason(failure), (), advice, self._statistics(), where=place(failure),
                       details=(*details(failure), *self._notes()))

    def _met(self, found: UnprovedExclusion) -> Verdict:
        real = self._real_run()
        if real is not None:
            return real
        return Unknown(exclusion_reason(self.program, found), (),
                       "say in the assumptions or invariants what keeps them apart",
                       self._statistics(), where=found.where(self.program), details=(*exclusion_details(found), *self._notes()))

    def _irreflexive(self, name: str, found: ClosedAssumption) -> Verdict:
        wrong = found.irreflexive[0]
        rely = next(r for r in self.annotated.relies[name] if wrong in obligations(r.cond))
        state = excluded(self.annotated, self.program.template(name), wrong)
        shown = ("in the state: " + ", ".join(f"{n} = {v}" for n, v in state),) if state else ()
        return Unknown(f"what {name} assumes excludes that nothing happens: {said(wrong)} ({rely.location})", (),
                       "an assumption has to allow x' == x for all x",
                       self._statistics(), where=rely.location, details=shown)

    def _real_run(self) -> Refuted | None:
        """A run that shows what is asked, if a small search finds one."""
        if not self.options.on(Technique.SEARCH):
            return None
        options = replace(self.options, max_states=min(self.options.max_states, _SEARCH))
        try:
            trace = real_run(self.program, self.question, options, self.observer)
        except OutOfTime:
            return None
        return None if trace is None else Refuted(trace, self._statistics())

    def _notes(self) -> tuple[str, ...]:
        return tuple(f"what {name} assumes is not transitive: of several steps {', '.join(map(said, c.dropped))} is not known"
                     for name, c in self.closures.items() if c.dropped)

    def _statistics(self) -> Statistics:
        return Statistics(queries=self.conditions)
