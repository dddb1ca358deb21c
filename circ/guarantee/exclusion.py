"""Two threads at once: no two may be about to make conflicting accesses, or be inside critical sections."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from circ.guarantee.formulas import shown, visible
from circ.guarantee.thread_states import ThreadStates
from circ.semantics.access_guards import Prefixes
from circ.semantics.conflicts import conflict
from circ.smt import SatResult, Solver, SymbolicState, Term, conjunction, disjunction, equality
from circ.verdict import Assertions, Question, RaceOn
from frontend.program import (
    NOWHERE,
    Access,
    Edge,
    Element,
    Location,
    Program,
    ThreadTemplate,
)
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class ExclusivePlace:
    """A location of a template, with the access that is next there if the question is about one."""

    template: str
    location: int
    access: tuple[Edge, Access] | None = None


@dataclass(frozen=True, slots=True)
class UnprovedExclusion:
    """Two places that are not shown to exclude each other, and the globals in which they meet."""

    one: ExclusivePlace
    two: ExclusivePlace
    state: tuple[tuple[str, int], ...]
    decided: bool

    def where(self, program: Program) -> Location:
        found = self.one.access
        if found is not None:
            return found[1].location if found[1].location != NOWHERE else found[0].location
        return program.template(self.one.template).cfa.places.get(self.one.location, NOWHERE)


def places(program: Program, question: Question) -> Iterator[tuple[ExclusivePlace, ExclusivePlace]]:
    """Pairs of places that must exclude each other."""
    for n, t in enumerate(program.templates):
        for u in program.templates[:n + 1]:
            if t.name == u.name and t.count == 1:
                continue
            match question:
                case Assertions():
                    yield from ((ExclusivePlace(t.name, a),
                                 ExclusivePlace(u.name, b)) for a in sorted(t.cfa.critical) for b in sorted(u.cfa.critical))
                case RaceOn(variable=x):
                    yield from ((ExclusivePlace(t.name, e.source, (e, a)), ExclusivePlace(u.name, f.source, (f, b)))
                                for e, a in _accesses(t, x) for f, b in _accesses(u, x)
                                if conflict(program.race_model, e, a, f, b))


def _accesses(template: ThreadTemplate, variable: str) -> list[tuple[Edge, Access]]:
    return [(e, a) for e in template.cfa.edges for a in e.accesses if a.variable == variable]


def unproved_exclusion(program: Program, question: Question, first: ThreadStates, second: ThreadStates,
                       check_time: Callable[[], None] = lambda: None) -> tuple[UnprovedExclusion | None, int]:
    """The first pair of places of these two threads (their conditions are proved) that may be taken at once; queries made."""
    solver = Solver()
    solver.add(*first.facts, *second.facts)
    if first.template.name == second.template.name:
        solver.add(*first.terms.different(first.tid, second.tid))
    asked = 0
    for one, two in places(program, question):
        if one.template != first.template.name or two.template != second.template.name:
            continue
        check_time()
        asked += 1
        solver.push()
        solver.add(_together(first, second, one, two))
        answer = solver.check()
        found = None
        if answer is not SatResult.UNSAT:
            sure = answer is SatResult.SAT
            found = UnprovedExclusion(one, two, _state(program, first, solver, one) if sure else (), sure)
        solver.pop()
        if found is not None:
            return found, asked
    return None, asked


def _together(first: ThreadStates, second: ThreadStates, one: ExclusivePlace, two: ExclusivePlace) -> Term:
    inside = (one.location in first.template.cfa.atomic, two.location in second.template.cfa.atomic)
    if all(inside):
        return disjunction(())
    prefixes = Prefixes(first.program)
    ways = []
    for p in first.nodes_at(one.location):
        for q in second.nodes_at(two.location):
            a, b = first.points[p], second.points[q]
            parts = [a.here, b.here, *(equality(a.begun[n], b.begun[n]) for n in first.terms.shared)]
            cells = []
            for states, point, place, outside in ((first, a, one, inside[1]), (second, b, two, inside[0])):
                if place.access is None or outside:
                    continue  # the other one is inside a section and may have changed what this one would look at
                edge, access = place.access
                state = SymbolicState(dict(point.terms), [])
                states.encoder.apply(prefixes.before(edge, access), state)
                parts += state.constraints
                if not access.whole and isinstance(access.lvalue, Element):
                    cells.append(states.encoder.index(access.lvalue.index, point.terms))
            if len(cells) == 2:
                parts.append(equality(*cells))
            ways.append(conjunction(parts))
    return disjunction(ways)


def _state(program: Program, states: ThreadStates, solver: Solver, place: ExclusivePlace) -> tuple[tuple[str, int], ...]:
    for n in states.nodes_at(place.location):
        point = states.points[n]
        if solver.evaluate(point.here):
            return tuple((shown(v), v.type.wrap(solver.evaluate(point.begun[v.name])))
                         for v in program.globals if not v.is_array and visible(v))
    return ()
