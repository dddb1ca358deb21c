"""Where a question can go wrong: the marks of a thread's locations, and which two marks conflict."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import assert_never

from circ.finite.system.refusals import NotFiniteState
from circ.finite.system.transition_system import CRITICAL, FATAL, ErrorMark, ErrorRole, ErrorShape, NextAccess
from circ.semantics.access_guards import Prefixes
from circ.semantics.conflicts import conflict
from circ.verdict import Assertions, Question, RaceOn
from frontend.program import (
    TRUE,
    Access,
    Assign,
    Assume,
    Binary,
    Block,
    Edge,
    Element,
    Expr,
    Lvalue,
    Program,
    Scalar,
    ThreadTemplate,
    Var,
    primitive,
    substitute,
    truth,
)

LONGEST_ARRAY = 4096
"""Arrays with more elements than this are refused: each element is a cell of its own."""


def error_marks(program: Program, question: Question, t: ThreadTemplate) -> Iterator[ErrorMark]:
    """The marks of the template's threads; an access to an element has one for each element that it may mean."""
    match question:
        case Assertions():
            yield from (ErrorMark(q, FATAL) for q in sorted(t.cfa.errors))
            yield from (ErrorMark(q, CRITICAL) for q in sorted(t.cfa.critical))
        case RaceOn(variable=x):
            length = next((v.length for v in program.globals if v.name == x), None)
            for e in t.cfa.edges:
                for a in e.accesses:
                    if a.variable != x:
                        continue
                    guard = access_guard(program, e, a)
                    if isinstance(a.lvalue, Element) and not a.whole and length is not None:
                        if length > LONGEST_ARRAY:
                            raise NotFiniteState(x, "is an array without a small fixed length", a.location)
                        for i in range(length):
                            yield ErrorMark(e.source, NextAccess(a.write, e.protected, a.kind, i), a.lvalue.index, i, guard)
                    else:
                        yield ErrorMark(e.source, NextAccess(a.write, e.protected, a.kind, None), guard=guard)
        case _:
            assert_never(question)


def conflicting_shapes(program: Program, shapes: Iterable[ErrorShape]) -> frozenset[tuple[ErrorShape, ErrorShape]]:
    """The pairs of shapes that make an error when two different threads have them."""
    known = tuple(dict.fromkeys(shapes))
    return frozenset((a, b) for a, b in itertools.product(known, known) if _conflict(program, a, b))


def _conflict(program: Program, a: ErrorShape, b: ErrorShape) -> bool:
    if isinstance(a, ErrorRole) or isinstance(b, ErrorRole):
        return a is CRITICAL and b is CRITICAL
    if a.element is not None and b.element is not None and a.element != b.element:
        return False
    # All that decides on a conflict is in the shapes; which variable it is does not matter, it is the same one.
    x = Var("x", Scalar(1, False))
    first, second = Edge(0, 0, Block(()), protected=a.protected), Edge(0, 0, Block(()), protected=b.protected)
    return conflict(program.race_model, first, Access(x, a.write, kind=a.kind), second, Access(x, b.write, kind=b.kind))


def observed_at(program: Program, question: Question) -> Callable[[Edge], tuple[Expr, ...]]:
    """For an edge the indices and conditions that the question reads at its source."""
    def seen(e: Edge) -> tuple[Expr, ...]:
        found: list[Expr] = []
        for a in e.accesses:
            if isinstance(question, RaceOn) and a.variable == question.variable:
                if isinstance(a.lvalue, Element) and not a.whole:
                    found.append(a.lvalue.index)
                found.append(access_guard(program, e, a))
        return tuple(found)

    return seen


def access_guard(program: Program, edge: Edge, access: Access) -> Expr:
    """The condition under which the access is next, over the state before the step (`Prefixes.before` as an expression).

    Where it depends on a choice, the access is taken to be next.
    """
    written: dict[str, Expr] = {}

    def now(v: Lvalue) -> Expr | None:
        return written.get(v.name) if isinstance(v, Var) else None

    found: Expr = TRUE
    for part in primitive(Prefixes(program).before(edge, access)):
        match part:
            case Assume(cond=c):
                passes = truth(substitute(c, now))
                found = passes if found == TRUE else Binary("&&", found, passes)
            case Assign(target=Var(name=n), value=e):
                written[n] = substitute(e, now)
            case _:
                break
    return found
