"""Verification conditions of one thread: what it may find is followed along its flow, and every step has its obligations.

The environment's steps stand before each step that looks at globals: a new value for each global, related to the old one by
the closure of the assumption (the paper's A*). States are terms over few symbols; only where branches meet, or others may
have stepped, are there new ones.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from circ.guarantee.formulas import AnnotatedProgram, Closure, StateTerms, conjuncts, shown, visible
from circ.kernel.guarantee.loop_cuts import Arc, Flow, Node, NodeRole
from circ.smt import (
    Encoder,
    SatResult,
    Solver,
    SymbolicState,
    Term,
    boolean,
    conjunction,
    disjunction,
    equality,
    implication,
    key,
    negation,
)
from frontend.annotations.two_state import TID
from frontend.program import (
    BOOL,
    Arbitrary,
    Edge,
    ErrorKind,
    Location,
    Self,
    ThreadTemplate,
    Values,
    Variable,
    calls_copy,
    name_of,
    op_reads,
    op_writes,
)


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
class _Obligation:
    """A goal that a step has to ensure, and where it is written; `known`: what is known of the other thread, `tid` its number."""

    kind: ObligationKind
    goal: Term
    text: str
    claim: Location
    other: str = ""
    known: tuple[Term, ...] = ()
    tid: Term | None = None


@dataclass(slots=True)
class NodeTerms:
    """A node as terms: whether control is there; the state; the globals where the present step began."""

    here: Term
    terms: dict[str, Term]
    begun: dict[str, Term]


class ThreadConditions:
    """The conditions of a thread of one template; `failure()` is the first that fails."""

    def __init__(self, annotated: AnnotatedProgram, template: ThreadTemplate, flow: Flow, closures: Mapping[str, Closure],
                 tag: str = "", check_time: Callable[[], None] = lambda: None, encoder: Encoder | None = None) -> None:
        self.annotated, self.template, self.flow = annotated, template, flow
        self.program = annotated.program
        self.terms = StateTerms(annotated, encoder)
        self.encoder = self.terms.encoder
        self.closure = closures[template.name].kept
        self.check_time = check_time
        self.tag = tag
        self.solver = Solver()
        self.conditions = 0
        self.points: list[NodeTerms] = []
        self._fresh = 0
        self.tid, known = self.terms.tid(template, f"@{tag}")
        self.solver.add(*known)
        self.facts: list[Term] = list(known)
        self._others = {u.name: self.terms.tid(u, f"@other.{u.name}") for u in self.program.templates}

    def add(self, *terms: Term) -> None:
        self.solver.add(*terms)
        self.facts.extend(terms)

    # ------------------------------------------------------------------------------------------- the walk
    def failure(self) -> FailedCondition | None:
        """The first condition that is not valid, steps in the order of the flow; None if all are."""
        into = self.flow.entering()
        leaving: list[list[Arc]] = [[] for _ in self.flow.nodes]
        for arc in self.flow.arcs:
            if arc.forget is None:
                leaving[arc.source].append(arc)
        wrong: list[list[int]] = [[] for _ in self.flow.nodes]
        for n, i in self.flow.failures:
            wrong[n].append(i)
        for n, node in enumerate(self.flow.nodes):
            self.check_time()
            self.points.append(self._point(n, node, into[n]))
            for i in wrong[n]:
                found = self._error(n, i, into[n])
                if found is not None:
                    return found
            for arc in leaving[n]:
                found = self._step(n, arc)
                if found is not None:
                    return found
        return None

    def _point(self, n: int, node: Node, arcs: list[Arc]) -> NodeTerms:
        inside = node.location in self.template.cfa.atomic
        ways = [self._way(arc) for arc in arcs]
        if n == self.flow.start:
            ways.append(self._start())
        if n in self.flow.free:
            ways.append(self._anything(inside))
        if not ways:
            return NodeTerms(disjunction(()), (unreached := self._anything(inside)).terms, unreached.begun)
        merged = ways[0] if len(ways) == 1 else self._merge(ways)
        if inside:
            return merged
        if self._looks(node) or len(ways) > 1:
            merged = self._interrupted(merged)
        return NodeTerms(merged.here, merged.terms, {x: merged.terms[x] for x in self.terms.shared})

    def _looks(self, node: Node) -> bool:
        """Whether a step from here reads or writes globals, or something is claimed of them here."""
        shared = set(self.terms.shared)
        for e in self.template.cfa.edges:
            if e.source == node.location and (shared & {*op_writes(e.op), *map(name_of, op_reads(e.op))} or e.accesses
                                              or e.target in self.template.cfa.atomic):
                return True
        return node.location in self.template.cfa.critical

    def _way(self, arc: Arc) -> NodeTerms:
        source = self.points[arc.source]
        state = self._after(arc.source, arc.edge)
        here = boolean(self._name("way"))
        self.add(implication(here, conjunction(state.constraints)))
        if arc.forget is None:
            return NodeTerms(here, state.terms, source.begun)
        gone = [v for v in self.template.locals if v.name in arc.forget.names]
        terms = {**state.terms, **self._symbols((*self.program.globals, *gone))}
        inside = self.flow.nodes[arc.target].location in self.template.cfa.atomic
        begun = {x: terms[x] for x in self.terms.shared} if not inside else (
            source.begun if arc.forget.within else self._symbols(self.program.globals))
        self.add(implication(here, self.terms.invariant(begun)))
        return NodeTerms(here, terms, begun)

    def _start(self) -> NodeTerms:
        terms: dict[str, Term] = {}
        here = boolean(self._name("start"))
        for v in (*self.program.globals, *self.template.locals):
            if v.name == TID and self.tid is not None:
                terms[TID] = self.tid
                continue
            match v.start:
                case Values(default=d, elements=es):
                    terms[v.name] = self.encoder.array_of(v, d, es) if v.is_array else self.encoder.constant(d, v.type)
                case Self(offset=offset) if (number := self._counted(v, offset)) is not None:
                    terms[v.name] = number
                case Arbitrary() | Self():
                    terms |= self._symbols((v,))
                    if self.encoder.math and v.type != BOOL and not v.is_array:
                        self.add(terms[v.name] >= v.type.low, terms[v.name] <= v.type.high)
        return NodeTerms(here, terms, {x: terms[x] for x in self.terms.shared})

    def _counted(self, v: Variable, offset: int) -> Term | None:
        """The start of a local that counts the threads of the template like `\\tid`, but from another number on."""
        tid = next((own for own in self.template.locals if own.name == TID), None)
        if tid is None or self.tid is None or not isinstance(tid.start, Self) or tid.type != v.type:
            return None
        return self.tid + self.encoder.constant(offset - tid.start.offset, v.type)

    def _anything(self, inside: bool) -> NodeTerms:
        terms = self._symbols((*self.program.globals, *(v for v in self.template.locals if v.name != TID)))
        if self.tid is not None:
            terms[TID] = self.tid
        here = boolean(self._name("any"))
        begun = self._symbols(self.program.globals) if inside else {x: terms[x] for x in self.terms.shared}
        self.add(implication(here, self.terms.invariant(begun)))
        return NodeTerms(here, terms, begun)

    def _merge(self, ways: list[NodeTerms]) -> NodeTerms:
        here = boolean(self._name("join"))
        self.add(implication(here, disjunction(w.here for w in ways)))
        own = {v.name: v for v in (*self.program.globals, *self.template.locals)}
        chosen = [boolean(self._name("choice")) for _ in ways]
        self.add(implication(here, disjunction(chosen)))
        for c, w in zip(chosen, ways, strict=True):
            self.add(implication(c, w.here))
        made: list[dict[str, Term]] = []
        for states in ([w.terms for w in ways], [w.begun for w in ways]):
            found: dict[str, Term] = {}
            for name in states[0]:
                if len({key(s[name]) for s in states}) == 1:
                    found[name] = states[0][name]
                    continue
                found[name] = self._symbols((own[name],))[name]
                for c, s in zip(chosen, states, strict=True):
                    self.add(implication(c, equality(found[name], s[name])))
            made.append(found)
        return NodeTerms(here, *made)

    def _interrupted(self, point: NodeTerms) -> NodeTerms:
        """Others have taken any number of steps."""
        after = {**point.terms, **self._symbols(self.program.globals)}
        here = boolean(self._name("later"))
        steps = [self.terms.two(c, point.terms, after, self.tid) for c in self.closure]
        self.add(implication(here, conjunction((point.here, *steps, self.terms.invariant(after)))))
        return NodeTerms(here, after, point.begun)

    def _after(self, node: int, edge: int) -> SymbolicState:
        point = self.points[node]
        state = SymbolicState(dict(point.terms), [point.here])
        self.encoder.apply(self.flow.effect(self.template.cfa, edge), state)
        return state

    def _name(self, what: str) -> str:
        self._fresh += 1
        return f"{what}@{self.tag}.{self._fresh}"

    def _symbols(self, what: tuple[Variable, ...]) -> dict[str, Term]:
        self._fresh += 1
        return {v.name: self.encoder.symbol(v, f"@{self.tag}.{self._fresh}") for v in what}

    # ------------------------------------------------------------------------------------------- obligations
    def _error(self, n: int, i: int, arcs: list[Arc]) -> FailedCondition | None:
        edge = self.template.cfa.edges[i]
        error = self.template.cfa.errors[edge.target]
        kinds = {ErrorKind.REQUIRES: ObligationKind.REQUIRES, ErrorKind.ENSURES: ObligationKind.ENSURES}
        if error.kind is not ErrorKind.LOOP:
            state = self._after(n, i)
            kind = kinds.get(error.kind, ObligationKind.ASSERT)
            found = self._ask(_Obligation(kind, disjunction(()), error.text, error.location), edge, state, n)
            called = [e.location for a in arcs if calls_copy(e := self.template.cfa.edges[a.edge])]
            to_blame = error.kind is ErrorKind.REQUIRES and len(called) == 1
            return replace(found, call=called[0]) if found is not None and to_blame else found
        # Both the first time and the later ones, which the ways to the head tell apart.
        again = [a for a in arcs if self._inside_loop(a)]
        first = [a for a in arcs if a not in again]
        for kind, ways in ((ObligationKind.LOOP_FIRST, first), (ObligationKind.LOOP_AGAIN, again)):
            state = self._after(n, i)
            came = [conjunction(self._after(a.source, a.edge).constraints) for a in ways]
            if n == self.flow.start and kind is ObligationKind.LOOP_FIRST:
                came.append(conjunction(()))
            state.constraints.append(disjunction(came))
            found = self._ask(_Obligation(kind, disjunction(()), error.text, error.location), edge, state, n)
            if found is not None:
                return found
        return None

    def _inside_loop(self, arc: Arc) -> bool:
        """Whether no hold node of the target is entered by the same edge: the arc comes back."""
        return not any(a.edge == arc.edge and a.forget is not None and a.source == arc.source for a in self.flow.arcs)

    def _step(self, n: int, arc: Arc) -> FailedCondition | None:
        edge, cfa = self.template.cfa.edges[arc.edge], self.template.cfa
        writes = bool(set(op_writes(edge.op)) & set(self.terms.shared))
        if not writes and (edge.target in cfa.atomic or edge.source not in cfa.atomic):
            return None
        state = self._after(n, arc.edge)
        asked = list(self._obligations(n, edge, state))
        if self._all_hold(state, asked):
            self.conditions += len(asked)
            return None
        for o in asked:
            found = self._ask(o, edge, state, n)
            if found is not None:
                return found
        return None

    def _obligations(self, n: int, edge: Edge, state: SymbolicState) -> Iterator[_Obligation]:
        """What a step that ends in this state has to ensure, in small parts."""
        ends = edge.target not in self.template.cfa.atomic
        for inv in self.program.invariants:
            if ends or not inv.between:
                goal = self.encoder.cond(inv.cond, state.terms, strict=True)
                yield _Obligation(ObligationKind.INVARIANT, goal, inv.text, inv.location)
        if not ends:
            return
        begun = self.points[n].begun
        for u in self.program.templates:
            if u.name == self.template.name and u.count == 1:
                continue
            tid, known = self._others[u.name]
            who = (*known, *(self.terms.different(tid, self.tid) if u.name == self.template.name else []))
            for rely in self.annotated.relies[u.name]:
                for part in conjuncts(rely.cond):
                    goal = self.terms.two(part, begun, state.terms, tid)
                    yield _Obligation(ObligationKind.RELY, goal, rely.text, rely.location, u.name, who, tid)

    def _all_hold(self, state: SymbolicState, asked: list[_Obligation]) -> bool:
        """One query for a step that keeps all its promises, as most do."""
        self.solver.push()
        self.solver.add(*state.constraints, disjunction(conjunction((*o.known, negation(o.goal))) for o in asked))
        answer = self.solver.check()
        self.solver.pop()
        return answer is SatResult.UNSAT

    def _ask(self, o: _Obligation, edge: Edge, state: SymbolicState, n: int) -> FailedCondition | None:
        """Whether a step from node `n` to this state may break the obligation."""
        self.conditions += 1
        self.solver.push()
        self.solver.add(*state.constraints, *o.known, negation(o.goal))
        answer = self.solver.check()
        found = None
        if answer is not SatResult.UNSAT:
            values = tuple(self._values(n, edge, state)) if answer is SatResult.SAT else ()
            mine = self._number(self.tid) if answer is SatResult.SAT else None
            theirs = self._number(o.tid) if answer is SatResult.SAT else None
            found = FailedCondition(o.kind, self.template.name, edge, o.text, o.claim, o.other, values, mine, theirs,
                                    answer is SatResult.SAT)
        self.solver.pop()
        return found

    def _number(self, term: Term | None) -> int | None:
        return None if term is None else self.solver.evaluate(term)

    def _values(self, n: int, edge: Edge, state: SymbolicState) -> Iterator[tuple[str, int | None, int | None]]:
        point = self.points[n]
        before = {**point.terms, **point.begun}
        seen = {*op_writes(edge.op), *map(name_of, op_reads(edge.op))}
        for v in self.program.globals:
            if not v.is_array and visible(v):
                yield shown(v), self._value(v, before), self._value(v, state.terms)
        for v in self.template.locals:
            if not v.is_array and v.name != TID and v.shown and (not v.ghost or v.name in seen):
                yield v.shown, self._value(v, before), self._value(v, state.terms)

    def _value(self, v: Variable, terms: Mapping[str, Term]) -> int:
        value = self.solver.evaluate(terms[v.name])
        return value if self.encoder.math and v.type != BOOL else v.type.wrap(value)

    # ------------------------------------------------------------------------------------------- for pairs of threads
    def nodes_at(self, location: int) -> list[int]:
        return [n for n, node in enumerate(self.flow.nodes) if node.location == location and node.role is not NodeRole.HOLD]
