"""Kind `assume-guarantee`: each thread alone against what its annotations assume of the others (`Program.relies`).

For a template T let A_T(g, g', i) be the conjunction of its assumptions, I the invariants. The certificate has a closure R_T
of A_T: a list of formulas over the same symbols. Obligations:
- **identity**: no two threads have the same number, wherever the formulas name one;
- **initial**: the start values satisfy I;
- **reflexive**: I(g) => A_T(g, g) and R_T(g, g); **closure**: I(g), I(h), I(k), R_T(g, h), A_T(h, k) => R_T(g, k);
- **guarantee**: every step g -> g' of a thread i of T satisfies A_U(g, g', j) for every other thread j, and I(g');
- **claim**: no step to an error location is possible; **meeting**: two threads cannot stand at conflicting places.
A *step* begins and ends outside of atomic sections. What a thread may find at a location is followed along the pieces of its
automaton (`circ.kernel.guarantee.loop_cuts`): before each step that begins outside of a section the globals change by R_T, and
satisfy I.

Why it suffices: by induction over the steps of a run, I holds whenever no thread is inside a section, and the state that thread
i sees is one of those that its flow allows: steps of i are arcs, and a sequence of others' steps is in R_T, because each of them
is in A_T by **guarantee**, which was checked in the states that their flows allow. Inside a section nobody else steps.
Two threads of which one is inside a section are where they were when it began it, as far as the other can tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, assert_never

from circ.evidence import Assertions, Question, RaceOn
from circ.kernel.formula import parse
from circ.kernel.guarantee.loop_cuts import AcyclicFlow, Arc, NodeRole, flow
from circ.kernel.outcome import Accepted, Malformed, Outcome, Refused
from circ.semantics.access_guards import Prefixes
from circ.semantics.conflicts import conflict
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
    negation,
)
from frontend.program import (
    BOOL,
    Access,
    Arbitrary,
    Assume,
    Edge,
    Element,
    Expr,
    Op,
    Program,
    Self,
    ThreadTemplate,
    Values,
    Variable,
    op_writes,
    primitive,
    variables,
)
from frontend.records import dataclass

TID = "\\tid"
PRIME = "'"
_BATCH = 24
TermByName = dict[str, Term]


def check_guarantee(program: Program, question: Question, data: Mapping[str, Any]) -> Outcome:
    """Whether the closures in `data` prove the question's answer to be "safe"."""
    closures = _read(program, data)
    return GuaranteeCheck(program, question, closures).outcome()


def _read(program: Program, data: Mapping[str, Any]) -> tuple[tuple[Expr, ...], ...]:
    if set(data) != {"closures"} or not isinstance(data["closures"],
                                                   list | tuple) or len(data["closures"]) != len(program.templates):
        raise Malformed("the body has `closures`, a list for each template")
    known: dict[str, Variable] = {}
    for v in program.globals:
        known[v.name] = v
        known[v.name + PRIME] = v
    found = []
    for template, texts in zip(program.templates, data["closures"], strict=True):
        own = {**known, **{v.name: v for v in template.locals if v.name == TID}}
        if not isinstance(texts, list | tuple) or not all(isinstance(t, str) for t in texts):
            raise Malformed("a closure is a list of formulas")
        found.append(tuple(parse(t, own, program.ints) for t in texts))
    return tuple(found)


@dataclass(slots=True)
class _At:
    """A node of a flow as symbols: whether control is there, the state, the globals where the present step began."""

    here: Term
    terms: TermByName
    begun: TermByName


@dataclass(slots=True)
class _ThreadConstraints:
    """One thread's flow as constraints over symbols of its own."""

    template: ThreadTemplate
    flow: AcyclicFlow
    at: list[_At]
    constraints: list[Term]


class GuaranteeCheck:
    def __init__(self, program: Program, question: Question, closures: tuple[tuple[Expr, ...], ...]) -> None:
        self.program, self.question = program, question
        self.closures = closures
        self.encoder = Encoder(program.ints)
        self.globals = {v.name for v in program.globals}
        self.prefixes = Prefixes(program)
        self.passing = frozenset(n for t in program.templates for e in t.cfa.edges if e.target in t.cfa.atomic
                                 for n in op_writes(e.op))
        """What may change inside a section, and be seen by those who wait."""
        self.relies = [tuple(r.cond for r in program.relies if r.template == t.name) for t in program.templates]
        self.invariants = tuple(i.cond for i in program.invariants)
        self.always = tuple(i.cond for i in program.invariants if not i.between)
        self.queries = 0
        self._names = 0

    def outcome(self) -> Outcome:
        for name, obligation in (("identity", self.identity), ("initial", self.initial), ("closure", self.closure),
                                 ("guarantee", self.guarantee), ("meeting", self.meeting)):
            failed = obligation()
            if failed is not None:
                return Refused(name, *failed)
        return Accepted(queries=self.queries)

    # ----------------------------------------------------------------------------------------------- symbols
    def symbols(self, what: Iterable[Variable], tag: str) -> TermByName:
        return {v.name: self.encoder.symbol(v, f"@{tag}") for v in what}

    def ranges(self, what: Iterable[Variable], terms: TermByName) -> Iterator[Term]:
        """Mathematical integers that start arbitrary start in the range of their type; later they may be anything."""
        if self.encoder.math:
            for v in what:
                if v.type != BOOL and not v.is_array:
                    yield conjunction((terms[v.name] >= v.type.low, terms[v.name] <= v.type.high))

    def all(self, conditions: Iterable[Expr], terms: Mapping[str, Term]) -> Term:
        return conjunction(self.encoder.cond(c, terms, strict=True) for c in conditions)

    def two(self, conditions: Iterable[Expr], before: TermByName, after: TermByName, tid: Term | None) -> Term:
        """Two-state conditions about a thread of that number."""
        shared = {n: before[n] for n in self.globals} | {n + PRIME: after[n] for n in self.globals}
        return self.all(conditions, shared if tid is None else {**shared, TID: tid})

    def prove(self, hypotheses: Iterable[Term], goals: Sequence[tuple[str, Term]]) -> str | None:
        """The first goal that does not follow, None if all do."""
        solver = Solver(effort=200_000_000)
        solver.add(*hypotheses)
        for start in range(0, len(goals), _BATCH):
            batch = goals[start:start + _BATCH]
            if self._possible(solver, disjunction(negation(g) for _, g in batch)):
                for name, goal in batch:
                    if self._possible(solver, negation(goal)):
                        return name
        return None

    def _possible(self, solver: Solver, term: Term) -> bool:
        solver.push()
        solver.add(term)
        answer = solver.check()
        solver.pop()
        self.queries += 1
        return answer is not SatResult.UNSAT

    # ----------------------------------------------------------------------------------------------- numbers
    def tid(self, template: ThreadTemplate) -> Variable | None:
        return next((v for v in template.locals if v.name == TID), None)

    def number(self, t: int, tid: Term) -> Term:
        """What is known of the number of a thread that has taken its first step, or takes it."""
        template = self.program.templates[t]
        v = self.tid(template)
        assert v is not None and isinstance(v.start, Self)
        offset = v.start.offset
        last = v.type.high if template.count is None else offset + template.count - 1
        parts = [tid >= self.encoder.constant(offset, v.type), tid <= self.encoder.constant(last, v.type)]
        starts = [e for e in template.cfa.edges if e.source == template.cfa.start]
        guards = [[p.cond for p in primitive(e.op) if isinstance(p, Assume) and variables(p.cond) == {TID}] for e in starts]
        # No step leads back to the start location, so the guard was passed once and for all.
        if starts and all(e.target != template.cfa.start for e in template.cfa.edges) and not any(e.accesses for e in starts):
            parts.append(disjunction(self.all(g, {TID: tid}) for g in guards))
        return conjunction(parts)

    def identity(self) -> tuple[str, str] | None:
        """Numbers are signed, start as the thread's own and are never written; those of two templates cannot be the same."""
        named = {t.name for t in self.program.templates for v in t.locals if v.name == TID}
        for t in self.program.templates:
            v = self.tid(t)
            if v is None:
                continue
            if v.is_array or not v.type.signed or not isinstance(v.start, Self) or v.start.offset < 1:
                return t.name, "a thread's number does not start as one"
            if v.start.offset + (t.count or 1) - 1 > v.type.high or any(TID in op_writes(e.op) for e in t.cfa.edges):
                return t.name, "a thread's number may change"
        if TID in self.globals:
            return "", "a global has the name of the thread's number"
        if len(named) not in (0, len(self.program.templates)) and self.program.relies:
            return "", "only some threads have numbers"
        for i, t in enumerate(self.program.templates):
            for j, u in enumerate(self.program.templates[:i]):
                v, w = self.tid(t), self.tid(u)
                if v is not None and w is not None:
                    if v.type != w.type:
                        return t.name, "numbers of two types"
                    same = self.encoder.symbol(v)
                    if self.prove((self.number(i, same), self.number(j, same)), [("", disjunction(()))]) is not None:
                        return t.name, f"it may have a number of {u.name}"
        return None

    # ----------------------------------------------------------------------------------------------- the assumptions
    def initial(self) -> tuple[str, str] | None:
        terms, constraints = self.start(self.program.globals, self.symbols(self.program.globals, "start"))
        goals = [(i.text, self.all((i.cond,), terms)) for i in self.program.invariants]
        failed = self.prove(constraints, goals)
        return None if failed is None else (failed, "the invariant does not hold at the start")

    def start(self, what: Iterable[Variable], terms: TermByName) -> tuple[TermByName, list[Term]]:
        made = dict(terms)
        constraints: list[Term] = []
        for v in what:
            match v.start:
                case Values(default=d, elements=es):
                    made[v.name] = self.encoder.array_of(v, d, es) if v.is_array else self.encoder.constant(d, v.type)
                case Arbitrary() | Self():
                    constraints.extend(self.ranges((v,), made))
                case _:
                    assert_never(v.start)
        return made, constraints

    def closure(self) -> tuple[str, str] | None:
        g, h, k = (self.symbols(self.program.globals, tag) for tag in ("g", "h", "k"))
        for n, t in enumerate(self.program.templates):
            v = self.tid(t)
            tid = None if v is None else self.encoder.symbol(v, "@me")
            known = [*([] if tid is None else [self.number(n, tid)])]
            known += [self.all(self.invariants, state) for state in (g, h, k)]
            both = [*self.relies[n], *self.closures[n]]
            if self.prove(known, [("", self.two((c,), g, g, tid)) for c in both]) is not None:
                return t.name, "an assumption is not reflexive"
            steps = [self.two(self.closures[n], g, h, tid), self.two(self.relies[n], h, k, tid)]
            if self.prove([*known, *steps], [("", self.two((c,), g, k, tid)) for c in self.closures[n]]) is not None:
                return t.name, "the closure does not contain two steps in a row"
        return None

    # ----------------------------------------------------------------------------------------------- one thread
    def thread(self, t: int, tag: str) -> _ThreadConstraints:
        """The flow of a thread of the template, every symbol tagged."""
        template = self.program.templates[t]
        pieces = flow(template.cfa)
        into = pieces.entering()
        tid = self.encoder.symbol(v, f"@{tag}") if (v := self.tid(template)) is not None else None
        constraints: list[Term] = [] if tid is None else [self.number(t, tid)]
        made = _ThreadConstraints(template, pieces, [], constraints)
        changed = [v for v in template.locals if v.name != TID]
        for n, node in enumerate(pieces.nodes):
            here = boolean(f"at@{tag}.{n}")
            terms = self.symbols((*self.program.globals, *changed), f"{tag}.{n}") | ({} if tid is None else {TID: tid})
            inside = node.location in template.cfa.atomic
            begun = self.symbols(self.program.globals, f"{tag}.{n}.begun") if inside else {x: terms[x] for x in self.globals}
            made.at.append(_At(here, terms, begun))
            ways = [self._arrival(t, made, arc, n) for arc in into[n]]
            if n == pieces.start:
                ways.append(self._beginning(t, terms))
            if n in pieces.free:
                ways.append(self.all(self.invariants, begun))
            constraints.append(implication(here, disjunction(ways)))
        return made

    def _beginning(self, t: int, terms: TermByName) -> Term:
        template = self.program.templates[t]
        first, constraints = self.start(self.program.globals, self.symbols(self.program.globals, "start"))
        own, more = self.start([v for v in template.locals if v.name != TID], terms)
        same = [equality(terms[n], own[n]) for n in own if n != TID and n not in self.globals]
        same += self._numbers(template, terms)
        return conjunction((*constraints, *more, *same, self._between(t, first, terms)))

    def _numbers(self, template: ThreadTemplate, terms: TermByName) -> Iterator[Term]:
        """At the start all locals that count the threads of a template do so together, each from its own number on."""
        tid = self.tid(template)
        if tid is None or not isinstance(tid.start, Self):
            return
        for v in template.locals:
            if isinstance(v.start, Self) and v.name != TID and v.type == tid.type:
                yield equality(terms[v.name], terms[TID] + self.encoder.constant(v.start.offset - tid.start.offset, v.type))

    def _between(self, t: int, before: TermByName, after: TermByName) -> Term:
        """Others have taken any number of steps."""
        return conjunction((self.two(self.closures[t], before, after, after.get(TID)), self.all(self.invariants, after)))

    def _after(self, thread: _ThreadConstraints, node: int, op: Op) -> SymbolicState:
        at = thread.at[node]
        state = SymbolicState(dict(at.terms), [at.here])
        self.encoder.apply(op, state)
        return state

    def _arrival(self, t: int, thread: _ThreadConstraints, arc: Arc, node: int) -> Term:
        source, target = thread.at[arc.source], thread.at[node]
        state = self._after(thread, arc.source, thread.flow.effect(thread.template.cfa, arc.edge))
        gone = frozenset() if arc.forget is None else arc.forget.names
        names = [v.name for v in thread.template.locals if v.name != TID and v.name not in gone]
        parts = [*state.constraints, *(equality(target.terms[n], state.terms[n]) for n in names)]
        inside = thread.flow.nodes[node].location in thread.template.cfa.atomic
        if arc.forget is not None and not inside:
            parts.append(self.all(self.invariants, target.terms))
        elif arc.forget is not None:
            # Where the section began is known only if it is still the same section.
            same = [equality(target.begun[n], source.begun[n]) for n in sorted(self.globals)]
            parts += same if arc.forget.within else [self.all(self.invariants, target.begun)]
        elif inside:
            parts += [equality(target.terms[n], state.terms[n]) for n in sorted(self.globals)]
            parts += [equality(target.begun[n], source.begun[n]) for n in sorted(self.globals)]
        else:
            parts.append(self._between(t, state.terms, target.terms))
        return conjunction(parts)

    # ----------------------------------------------------------------------------------------------- every step
    def guarantee(self) -> tuple[str, str] | None:
        for t, template in enumerate(self.program.templates):
            thread = self.thread(t, "1")
            if thread.flow.open:
                return f"{template.name} location {min(thread.flow.open)}", "a loop without an invariant"
            if template.cfa.start in template.cfa.errors:
                return template.name, "it starts at an error location"
            goals: list[tuple[str, Term]] = []
            for node, i in thread.flow.failures:
                state = self._after(thread, node, template.cfa.edges[i].op)
                goals.append((str(template.cfa.edges[i]), negation(conjunction(state.constraints))))
            for arc in thread.flow.arcs:
                if arc.forget is None:
                    goals.extend(self._step(t, thread, arc))
            failed = self.prove(thread.constraints, goals)
            if failed is not None:
                return f"{template.name} {failed}", "the step is not shown to do what is claimed"
        return None

    def _step(self, t: int, thread: _ThreadConstraints, arc: Arc) -> Iterator[tuple[str, Term]]:
        edge = thread.template.cfa.edges[arc.edge]
        state = self._after(thread, arc.source, thread.flow.effect(thread.template.cfa, arc.edge))
        reached = conjunction(state.constraints)
        if self.always and set(op_writes(edge.op)) & self.globals:
            yield str(edge), implication(reached, self.all(self.always, state.terms))
        if edge.target in thread.template.cfa.atomic:
            return
        if edge.source not in thread.template.cfa.atomic and not set(op_writes(edge.op)) & self.globals:
            return  # it changes no global, and the assumptions are reflexive
        begun = thread.at[arc.source].begun
        yield str(edge), implication(reached, self.all(self.invariants, state.terms))
        for u, other in enumerate(self.program.templates):
            if u == t and other.count == 1:
                continue
            v = self.tid(other)
            tid = None if v is None else self.encoder.symbol(v, f"@other{u}")
            who = [] if tid is None else [self.number(u, tid)]
            if tid is not None and u == t:
                who.append(negation(equality(tid, state.terms[TID])))
            yield str(edge), implication(conjunction((reached, *who)), self.two(self.relies[u], begun, state.terms, tid))

    # ----------------------------------------------------------------------------------------------- two threads
    def meeting(self) -> tuple[str, str] | None:
        """No two threads can be about to make conflicting accesses, or inside critical sections."""
        for t, one in enumerate(self.program.templates):
            for u, two in enumerate(self.program.templates[:t + 1]):
                if (t == u and one.count == 1) or not (pairs := list(self._pairs(t, u))):
                    continue
                first, second = self.thread(t, "1"), self.thread(u, "2")
                known = [*first.constraints, *second.constraints]
                if t == u and self.tid(one) is not None:
                    known.append(negation(equality(first.at[0].terms[TID], second.at[0].terms[TID])))
                goals = [(f"{one.name} {a} and {two.name} {b}", negation(self._together(first, second, a, b, x, y)))
                         for a, x, b, y in pairs]
                failed = self.prove(known, goals)
                if failed is not None:
                    return failed, "the two are not shown to exclude each other"
        return None

    def _pairs(self, t: int, u: int) -> Iterator[tuple[int, tuple[Edge, Access] | None, int, tuple[Edge, Access] | None]]:
        """Locations of two threads that must not be taken at once, with the accesses that would be made from there."""
        one, two = (self.program.templates[n].cfa for n in (t, u))
        match self.question:
            case Assertions():
                yield from ((a, None, b, None) for a in sorted(one.critical) for b in sorted(two.critical))
            case RaceOn(variable=x):
                for e in one.edges:
                    for f in two.edges:
                        for a in e.accesses:
                            for b in f.accesses:
                                if a.variable == x and conflict(self.program.race_model, e, a, f, b):
                                    yield e.source, (e, a), f.source, (f, b)
            case _:
                assert_never(self.question)

    def _together(self, first: _ThreadConstraints, second: _ThreadConstraints, a: int, b: int, x: tuple[Edge, Access] | None,
                  y: tuple[Edge, Access] | None) -> Term:
        """Both threads are at these locations, in one state."""
        both_inside = a in first.template.cfa.atomic and b in second.template.cfa.atomic
        ways = []
        for p in self._nodes(first, a):
            for q in self._nodes(second, b):
                if both_inside:
                    continue  # at most one thread is inside an atomic section
                here, there = first.at[p], second.at[q]
                parts = [here.here, there.here, *(equality(here.begun[n], there.begun[n]) for n in sorted(self.globals))]
                if x is not None and y is not None:
                    inside = [thread for thread,
                              at in ((0, a in first.template.cfa.atomic), (1, b in second.template.cfa.atomic)) if at]
                    parts += self._accesses(here, there, x, y, inside[0] if inside else None)
                ways.append(conjunction(parts))
        return disjunction(ways)

    @staticmethod
    def _nodes(thread: _ThreadConstraints, location: int) -> list[int]:
        """The nodes of a location that cover all states there: everything that arrives comes to one that is no hold node."""
        return [n for n, node in enumerate(thread.flow.nodes) if node.location == location and node.role is not NodeRole.HOLD]

    def _accesses(self, here: _At, there: _At, x: tuple[Edge, Access], y: tuple[Edge, Access],
                  inside: int | None) -> Iterator[Term]:
        """Control comes to both accesses, and they mean the same cell.

        If one thread is `inside` a section, the globals are no longer those that the other's state has: nothing is asked of it.
        A third thread may be inside one: nothing is asked that globals decide which a section changes.
        """
        cells: list[Term] = []
        for who, (at, (edge, access)) in enumerate(((here, x), (there, y))):
            if (inside is not None and who != inside) or self.prefixes.moving(edge, access) & self.passing:
                continue
            state = SymbolicState(dict(at.terms), [])
            self.encoder.apply(self.prefixes.before(edge, access), state)
            yield conjunction(state.constraints)
            if not access.whole and isinstance(access.lvalue, Element):
                cells.append(self.encoder.index(access.lvalue.index, at.terms))
        if len(cells) == 2:
            yield equality(*cells)

