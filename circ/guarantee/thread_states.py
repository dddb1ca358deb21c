"""The states that a thread may find at each node of its flow, as terms over few symbols.

The environment's steps stand before each step that looks at globals: a new value for each global, related to the old one by
the closure of the assumption (the paper's A*). Only where branches meet, or others may have stepped, are there new symbols.
"""

from __future__ import annotations

from collections.abc import Mapping

from circ.guarantee.formulas import AnnotatedProgram, ClosedAssumption, StateTerms
from circ.kernel.guarantee.loop_cuts import AcyclicFlow, Arc, FlowNode, NodeRole
from circ.smt import (
    Encoder,
    Solver,
    SymbolicState,
    Term,
    boolean,
    conjunction,
    disjunction,
    equality,
    implication,
    key,
)
from frontend.annotations.attached import TID
from frontend.program import (
    BOOL,
    Arbitrary,
    Self,
    ThreadTemplate,
    Values,
    Variable,
    name_of,
    op_reads,
    op_writes,
)
from frontend.records import dataclass


@dataclass(slots=True)
class NodeTerms:
    """A node as terms: whether control is there; the state; the globals where the present step began."""

    here: Term
    terms: dict[str, Term]
    begun: dict[str, Term]


class ThreadStates:
    """The nodes of a thread's flow as terms, made in the order of the flow by `extend`; `facts` is all that is known of them."""

    def __init__(self, annotated: AnnotatedProgram, template: ThreadTemplate, flow: AcyclicFlow,
                 closures: Mapping[str, ClosedAssumption], tag: str = "", encoder: Encoder | None = None) -> None:
        self.annotated, self.template, self.flow = annotated, template, flow
        self.program = annotated.program
        self.terms = StateTerms(annotated, encoder)
        self.encoder = self.terms.encoder
        self.closure = closures[template.name].kept
        self.tag = tag
        self.solver = Solver()
        self.points: list[NodeTerms] = []
        self._fresh = 0
        self.tid, known = self.terms.tid(template, f"@{tag}")
        self.solver.add(*known)
        self.facts: list[Term] = list(known)

    def extend(self, n: int, node: FlowNode, arcs: list[Arc]) -> None:
        """Makes the terms of the next node, which is entered by these arcs."""
        self.points.append(self._terms_at(n, node, arcs))

    def add(self, *terms: Term) -> None:
        self.solver.add(*terms)
        self.facts.extend(terms)

    def _terms_at(self, n: int, node: FlowNode, arcs: list[Arc]) -> NodeTerms:
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

    def _looks(self, node: FlowNode) -> bool:
        """Whether a step from here reads or writes globals, or something is claimed of them here."""
        shared = set(self.terms.shared)
        for e in self.template.cfa.edges:
            if e.source == node.location and (shared & {*op_writes(e.op), *map(name_of, op_reads(e.op))} or e.accesses
                                              or e.target in self.template.cfa.atomic):
                return True
        return node.location in self.template.cfa.critical

    def _way(self, arc: Arc) -> NodeTerms:
        source = self.points[arc.source]
        state = self.after(arc.source, arc.edge)
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

    def after(self, node: int, edge: int) -> SymbolicState:
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

    def nodes_at(self, location: int) -> list[int]:
        return [n for n, node in enumerate(self.flow.nodes) if node.location == location and node.role is not NodeRole.HOLD]
