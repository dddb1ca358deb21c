"""Verification conditions of one thread: every step has its obligations, asked of the states that it may find.

The states come from `circ.guarantee.thread_states`; a condition that is not valid is a `FailedCondition`, with the states around
the step.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from circ.guarantee.formulas import obligations, shown, visible
from circ.guarantee.thread_states import ThreadStates
from circ.kernel.guarantee.loop_cuts import Arc
from circ.smt import (
    SatResult,
    SymbolicState,
    Term,
    conjunction,
    disjunction,
    negation,
)
from frontend.annotations.attached import TID
from frontend.program import (
    BOOL,
    Edge,
    ErrorKind,
    Location,
    Variable,
    calls_copy,
    name_of,
    op_reads,
    op_writes,
)
from frontend.records import dataclass


class ObligationKind(enum.Enum):
    RELY = "assumption"
    INVARIANT = "invariant"
    ASSERT = "assertion"
    LOOP_FIRST = "loop invariant, initially"
    LOOP_AGAIN = "loop invariant, preserved"
    REQUIRES = "requires"
    ENSURES = "ensures"


@dataclass(frozen=True, slots=True)
class FailedCondition:
    """A condition that is not valid: a step, what it should ensure (`text`, written at `claim`), and the states around it.

    `state`: name, value before, value after (None where there is none), in the order of the program. `decided`: the solver
    has a counterexample, rather than no answer. `call`: where a function is called, if it is the call that breaks the claim.
    """

    kind: ObligationKind
    template: str
    edge: Edge
    text: str
    claim: Location
    other: str = ""
    state: tuple[tuple[str, int | None, int | None], ...] = ()
    tid: int | None = None
    other_tid: int | None = None
    decided: bool = True
    call: Location | None = None


@dataclass(frozen=True, slots=True)
class _StepGoal:
    """A goal that a step has to ensure, and where it is written; `known`: what is known of the other thread, `tid` its number."""

    kind: ObligationKind
    goal: Term
    text: str
    claim: Location
    other: str = ""
    known: tuple[Term, ...] = ()
    tid: Term | None = None


class ThreadConditions:
    """The conditions of a thread of one template; `failure()` is the first that fails, `states` what it may find."""

    def __init__(self, states: ThreadStates, check_time: Callable[[], None] = lambda: None) -> None:
        self.states = states
        self.check_time = check_time
        self.conditions = 0
        self._others = {u.name: states.terms.tid(u, f"@other.{u.name}") for u in states.program.templates}

    def failure(self) -> FailedCondition | None:
        """The first condition that is not valid, steps in the order of the flow; None if all are."""
        into = self.states.flow.entering()
        leaving: list[list[Arc]] = [[] for _ in self.states.flow.nodes]
        for arc in self.states.flow.arcs:
            if arc.forget is None:
                leaving[arc.source].append(arc)
        wrong: list[list[int]] = [[] for _ in self.states.flow.nodes]
        for n, i in self.states.flow.failures:
            wrong[n].append(i)
        for n, node in enumerate(self.states.flow.nodes):
            self.check_time()
            self.states.extend(n, node, into[n])
            for i in wrong[n]:
                found = self._error(n, i, into[n])
                if found is not None:
                    return found
            for arc in leaving[n]:
                found = self._step(n, arc)
                if found is not None:
                    return found
        return None

    def _error(self, n: int, i: int, arcs: list[Arc]) -> FailedCondition | None:
        edge = self.states.template.cfa.edges[i]
        error = self.states.template.cfa.errors[edge.target]
        kinds = {ErrorKind.REQUIRES: ObligationKind.REQUIRES, ErrorKind.ENSURES: ObligationKind.ENSURES}
        if error.kind is not ErrorKind.LOOP:
            state = self.states.after(n, i)
            kind = kinds.get(error.kind, ObligationKind.ASSERT)
            found = self._ask(_StepGoal(kind, disjunction(()), error.text, error.location), edge, state, n)
            called = [e.location for a in arcs if calls_copy(e := self.states.template.cfa.edges[a.edge])]
            to_blame = error.kind is ErrorKind.REQUIRES and len(called) == 1
            return replace(found, call=called[0]) if found is not None and to_blame else found
        # Both the first time and the later ones, which the ways to the head tell apart.
        again = [a for a in arcs if self._inside_loop(a)]
        first = [a for a in arcs if a not in again]
        for kind, ways in ((ObligationKind.LOOP_FIRST, first), (ObligationKind.LOOP_AGAIN, again)):
            state = self.states.after(n, i)
            came = [conjunction(self.states.after(a.source, a.edge).constraints) for a in ways]
            if n == self.states.flow.start and kind is ObligationKind.LOOP_FIRST:
                came.append(conjunction(()))
            state.constraints.append(disjunction(came))
            found = self._ask(_StepGoal(kind, disjunction(()), error.text, error.location), edge, state, n)
            if found is not None:
                return found
        return None

    def _inside_loop(self, arc: Arc) -> bool:
        """Whether no hold node of the target is entered by the same edge: the arc comes back."""
        return not any(a.edge == arc.edge and a.forget is not None and a.source == arc.source for a in self.states.flow.arcs)

    def _step(self, n: int, arc: Arc) -> FailedCondition | None:
        edge, cfa = self.states.template.cfa.edges[arc.edge], self.states.template.cfa
        writes = bool(set(op_writes(edge.op)) & set(self.states.terms.shared))
        if not writes and (edge.target in cfa.atomic or edge.source not in cfa.atomic):
            return None
        state = self.states.after(n, arc.edge)
        asked = list(self._obligations(n, edge, state))
        if self._all_hold(state, asked):
            self.conditions += len(asked)
            return None
        for o in asked:
            found = self._ask(o, edge, state, n)
            if found is not None:
                return found
        return None

    def _obligations(self, n: int, edge: Edge, state: SymbolicState) -> Iterator[_StepGoal]:
        """What a step that ends in this state has to ensure, in small parts."""
        ends = edge.target not in self.states.template.cfa.atomic
        for inv in self.states.program.invariants:
            if ends or not inv.between:
                goal = self.states.encoder.cond(inv.cond, state.terms, strict=True)
                yield _StepGoal(ObligationKind.INVARIANT, goal, inv.text, inv.location)
        if not ends:
            return
        begun = self.states.points[n].begun
        for u in self.states.program.templates:
            if u.name == self.states.template.name and u.count == 1:
                continue
            tid, known = self._others[u.name]
            who = (*known, *(self.states.terms.different(tid, self.states.tid) if u.name == self.states.template.name else []))
            for rely in self.states.annotated.relies[u.name]:
                for part in obligations(rely.cond):
                    goal = self.states.terms.two(part, begun, state.terms, tid)
                    yield _StepGoal(ObligationKind.RELY, goal, rely.text, rely.location, u.name, who, tid)

    def _all_hold(self, state: SymbolicState, asked: list[_StepGoal]) -> bool:
        """One query for a step that keeps all its promises, as most do."""
        self.states.solver.push()
        self.states.solver.add(*state.constraints, disjunction(conjunction((*o.known, negation(o.goal))) for o in asked))
        answer = self.states.solver.check()
        self.states.solver.pop()
        return answer is SatResult.UNSAT

    def _ask(self, o: _StepGoal, edge: Edge, state: SymbolicState, n: int) -> FailedCondition | None:
        """Whether a step from node `n` to this state may break the obligation."""
        self.conditions += 1
        self.states.solver.push()
        self.states.solver.add(*state.constraints, *o.known, negation(o.goal))
        answer = self.states.solver.check()
        found = None
        if answer is not SatResult.UNSAT:
            values = tuple(self._values(n, edge, state)) if answer is SatResult.SAT else ()
            mine = self._number(self.states.tid) if answer is SatResult.SAT else None
            theirs = self._number(o.tid) if answer is SatResult.SAT else None
            found = FailedCondition(o.kind, self.states.template.name, edge, o.text, o.claim, o.other, values, mine, theirs,
                                    answer is SatResult.SAT)
        self.states.solver.pop()
        return found

    def _number(self, term: Term | None) -> int | None:
        return None if term is None else self.states.solver.evaluate(term)

    def _values(self, n: int, edge: Edge, state: SymbolicState) -> Iterator[tuple[str, int | None, int | None]]:
        point = self.states.points[n]
        before = {**point.terms, **point.begun}
        seen = {*op_writes(edge.op), *map(name_of, op_reads(edge.op))}
        for v in self.states.program.globals:
            if not v.is_array and visible(v):
                yield shown(v), self._value(v, before), self._value(v, state.terms)
        for v in self.states.template.locals:
            if not v.is_array and v.name != TID and v.shown and (not v.ghost or v.name in seen):
                yield v.shown, self._value(v, before), self._value(v, state.terms)

    def _value(self, v: Variable, terms: Mapping[str, Term]) -> int:
        value = self.states.solver.evaluate(terms[v.name])
        return value if self.states.encoder.math and v.type != BOOL else v.type.wrap(value)
