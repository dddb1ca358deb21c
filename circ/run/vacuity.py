"""Accesses that no run comes to, so that no proof is empty unnoticed.

What protects a variable may be that nothing ever happens to it: a handler that is never enabled, a branch that is never
taken. Both are found here, the first on the graph alone, the second in proofs that the kernel has accepted: a location
about which the proof says `false` is never reached. Whatever is not sure counts as reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from circ.verdict import Assertions, AtomicityOf, Certificate, ProofKind
from circ.views.copies import copy_of, one_by_one
from circ.views.memory_orders import orders
from circ.views.memory_orders.happens_before import with_past
from circ.views.quotient import Quotients
from circ.views.sections_as_steps import sections_as_steps
from circ.views.variable_sets import from_rows
from frontend.program import (
    FALSE,
    Assume,
    Assumption,
    Const,
    Edge,
    Expr,
    Location,
    Lvalue,
    Program,
    ThreadTemplate,
    Values,
    Var,
    op_writes,
    primitive,
    substitute,
)
from frontend.program.fold import fold

_MOST_TOLD = 4
_EFFORT = 200_000
"""What the solver may spend on one step."""

SourceAccess: TypeAlias = tuple[str, Location, bool]
"""Accesses as users tell them apart: template, place in the text, whether it writes."""

Reached: TypeAlias = list[set[int]]
"""For each template the locations that may be reached."""


def unreached(program: Program, certificate: Certificate) -> tuple[Assumption, ...]:
    """A warning if an accepted proof, or the graph, shows that no run comes to some of the accesses to the variable.

    Of a proof about assertions: a warning for every step that no run passes, such as an assumption that contradicts itself.
    """
    if isinstance(certificate.question, Assertions):
        return tuple(_dead_ends(program))
    if isinstance(certificate.question, AtomicityOf):
        return ()
    variable = certificate.question.variable
    by_graph = _by_graph(program)
    alive = _spots(program, program, variable, by_graph)
    if any(alive.values()):  # else the graph has said all that there is to say
        proved = _proved(program, certificate.kind, certificate.body, variable)
        alive = {spot: reached and proved.get(spot, True) for spot, reached in alive.items()}
    dead = [spot for spot, reached in alive.items() if not reached]
    if not dead:
        return ()
    told = [f"{'writes' if write else 'reads'} at {place} in {name}" for name, place, write in dead[:_MOST_TOLD]]
    more = [f"{len(dead) - _MOST_TOLD} more"] if len(dead) > _MOST_TOLD else []
    return (Assumption(f"no run comes to {len(dead)} of the {len(alive)} accesses to it: {', '.join([*told, *more])}"),)


def _dead_ends(program: Program) -> Iterator[Assumption]:
    """Steps that are the only way on and whose own conditions exclude each other."""
    from circ.smt import Encoder, SatResult, Solver, SymbolicState  # the solver is heavy

    told: set[Location] = set()
    for template in program.templates:
        leaving = template.cfa.leaving()
        encoder, solver = Encoder(program.ints), Solver(_EFFORT)
        for [edge] in (edges for edges in leaving if len(edges) == 1):
            if edge.location in told or not any(isinstance(p, Assume) for p in primitive(edge.op)):
                continue
            state = SymbolicState({v.name: encoder.symbol(v) for v in (*program.globals, *template.locals)}, [])
            encoder.apply(edge.op, state)
            solver.push()
            solver.add(*state.constraints)
            if solver.check() is SatResult.UNSAT:
                told.add(edge.location)
                yield Assumption("no run passes this: what is assumed here contradicts itself", edge.location)
            solver.pop()


def _spots(program: Program, origin: Program, variable: str, reached: Reached) -> dict[SourceAccess, bool]:
    """Each access of a program made from `origin`, in the order of the text, and whether an edge that may be reached has it."""
    found: dict[SourceAccess, bool] = {}
    for n, edge, access in program.accesses.get(variable, ()):
        spot = copy_of(origin, program.templates[n].name)[0], access.location, access.write
        found[spot] = found.get(spot, False) or edge.source in reached[n]
    return dict(sorted(found.items()))


# --------------------------------------------------------------------------------------------------- by the graph
def _by_graph(program: Program) -> Reached:
    """Locations that a path leads to on which no condition is false whenever it is asked."""
    written = {name for t in program.templates for e in t.cfa.edges for name in op_writes(e.op)}
    constant = {v.name: Const(v.type.wrap(v.start.default), v.type) for v in program.globals
                if isinstance(v.start, Values) and not v.is_array and v.name not in written}

    def known(v: Lvalue) -> Expr | None:
        return constant.get(v.name) if isinstance(v, Var) else None

    def passes(e: Edge) -> bool:
        return not any(isinstance(p, Assume) and fold(substitute(p.cond, known)) == FALSE for p in primitive(e.op))

    return [_closure(t, [e for e in t.cfa.edges if passes(e)]) if t.count != 0 else set() for t in program.templates]


def _closure(template: ThreadTemplate, edges: list[Edge]) -> set[int]:
    after: dict[int, list[int]] = {}
    for e in edges:
        after.setdefault(e.source, []).append(e.target)
    reached, work = {template.cfa.start}, [template.cfa.start]
    while work:
        for target in after.get(work.pop(), ()):
            if target not in reached:
                reached.add(target)
                work.append(target)
    return reached


# --------------------------------------------------------------------------------------------------- by a proof
def _proved(program: Program, kind: str, body: Mapping[str, Any], variable: str) -> dict[SourceAccess, bool]:
    """For accesses that a proof speaks of whether they may be reached as far as it says."""
    other = program
    while True:
        match kind:
            case ProofKind.ONE_BY_ONE:
                other = one_by_one(other)
            case ProofKind.SECTIONS:
                sections = sections_as_steps(other)
                assert sections is not None, "the kernel accepted a proof about them"
                other = sections.program
            case ProofKind.QUOTIENT:
                kept = from_rows(other, body["globals"], body["locals"])
                other = Quotients(other).of(kept, frozenset(body["asked"]))
            case ProofKind.ORDERS:
                other, body = orders.ordered(other, body["focus"], body["plain"]), body["proofs"][0]
            case ProofKind.HAPPENS_BEFORE:
                other, body = with_past(other, body["focus"], tuple(body["plain"]), variable), body["proofs"][0]
            case ProofKind.REACHABLE:
                return _spots(other, program, variable, _in_states(other, body))
            case ProofKind.PAIRS:
                return _spots(other, program, variable, _in_pairs(other, body))
            case _:
                return {}
        kind, body = body["kind"], body["body"]


def _in_states(program: Program, body: Mapping[str, Any]) -> Reached:
    """Where threads are in the listed states."""
    crew = [n for n, t in enumerate(program.templates) for _ in range(t.count or 0)]
    reached: Reached = [set() for _ in program.templates]
    for state in body["states"]:
        for n, thread in zip(crew, state[1:], strict=True):
            reached[n].add(body["threads"][n][thread][0])
    return reached


def _in_pairs(program: Program, body: Mapping[str, Any]) -> Reached:
    """Locations of which the proof does not say `false`, beside whatever other thread.

    A thread that comes to a location does so while no other is in an atomic section, so the pairs speak of it then.
    """
    classes: list[set[int]] = [set() for _ in program.templates]
    for n, number in _possible(program, body):
        classes[n].add(number)
    return [{q for q, number in enumerate(of) if number in seen} for of, seen in zip(body["classes"], classes, strict=True)]


def _possible(program: Program, body: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    if sum(2 if t.count is None else t.count for t in program.templates) == 1:
        yield from ((row[0], row[1]) for row in body.get("singles", ()) if row[2])
        return
    pairs = {tuple(row[:4]) for row in body["pairs"] if row[4]}
    for a, one, b, two in pairs:
        if (b, two, a, one) in pairs:
            yield a, one
            yield b, two
