"""Functions in, programs out: calls, atomic sections, accesses, thread sources, on modules built by hand."""

from __future__ import annotations

import pytest

from frontend.cfa import Arbitrary, Role, Self, ThreadTemplate, show_op
from frontend.expr import Binary, Const, Read, Var
from frontend.ir import AtomicBegin, AtomicEnd, Call, Forget, Guard, Load, Set, Store
from frontend.link import LinkOptions, link
from frontend.source import FrontendError
from frontend.types import FunctionType

from handmade import I32, INT, VOID, HandModule, function, place, symbol

T, U, OLD = Var("%1", I32), Var("%2", I32), Var("old", I32)


def eq(v: Var, n: int) -> Binary:
    return Binary("==", Read(v), Const(n, I32))


def ne(v: Var, n: int) -> Binary:
    return Binary("!=", Read(v), Const(n, I32))


def plus1(v: Var) -> Binary:
    return Binary("+", Read(v), Const(1, I32))


def text(template: ThreadTemplate) -> list[str]:
    marks = template.cfa.atomic
    return [f"{e.source}{'*' if e.source in marks else ''} {show_op(e.op)} -> {e.target}{' p' if e.protected else ''}"
            for e in template.cfa.edges]


def figure1() -> HandModule:
    edges = [
        (0, 1, AtomicBegin()), (1, 2, Load(OLD, place("state"))), (2, 3, Load(T, place("state"))), (3, 4, Guard(eq(T, 0))),
        (3, 5, Guard(ne(T, 0))), (4, 5, Store(place("state"), Const(1, I32))), (5, 6, AtomicEnd()),
        (6, 7, Guard(eq(OLD, 0))), (6, 0, Guard(ne(OLD, 0))), (7, 8, Load(U, place("x"))), (8, 9, Store(place("x"), plus1(U))),
        (9, 0, Store(place("state"), Const(0, I32))),
    ]
    worker = function("worker", edges, 10, (T, U, OLD), attributes=(("circ_thread", ()),))
    return HandModule({"worker": worker}, {"x": symbol("x"), "state": symbol("state")})


def test_figure_1_is_the_papers_automaton() -> None:
    program = link(figure1())
    (template,) = program.templates
    assert text(template) == [
        "0 worker::old = state -> 1 p",
        "1* [state == 0] -> 2 p",
        "1* [state != 0] -> 3 p",
        "2* state = 1 -> 3 p",
        "3 [worker::old == 0] -> 4",
        "3 [worker::old != 0] -> 0",
        "4 worker::%2 = x -> 5",
        "5 x = worker::%2 + 1 -> 6",
        "6 state = 0 -> 0",
    ]
    assert template.count is None and template.role is Role.THREAD
    assert [v.name for v in program.shared] == ["x", "state"]
    assert [v.name for v in template.locals] == ["worker::%2", "worker::old"]
    assert program.race_model == "nesc"
    reading = template.cfa.edges[1]
    assert [(a.variable, a.write, a.location.line) for a in reading.accesses] == [("state", False, 3)]
