"""Functions in, programs out: calls, atomic sections, accesses, thread sources, on modules built by hand."""

from __future__ import annotations

import pytest

from frontend.ctypes import FunctionType
from frontend.ir import AtomicBegin, AtomicEnd, Call, Forget, Guard, Load, Nop, Set, Store
from frontend.link import LinkOptions, link
from frontend.program import Arbitrary, Binary, Const, FrontendError, Read, Role, Self, ThreadTemplate, Var, show_op
from tests.support.handmade import I32, INT, VOID, HandModule, function, place, symbol

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


def one(edges: list[tuple[int, int, object]], exit_: int, registers: tuple[Var, ...] = (), **more: object) -> HandModule:
    worker = function("worker", edges, exit_, registers, attributes=(("circ_thread", ()),), **more)  # type: ignore[arg-type]
    return HandModule({"worker": worker}, {n: symbol(n) for n in ("x", "y", "m")})


def test_a_section_of_one_step_has_no_atomic_location() -> None:
    (template,) = link(one([(0, 1, AtomicBegin()), (1, 2, Store(place("x"), Const(1, I32))), (2, 3, AtomicEnd())], 3)).templates
    assert text(template) == ["0 x = 1 -> 1 p"]
    assert not template.cfa.atomic


def test_increment_is_two_steps_outside_and_one_inside_a_section() -> None:
    body = [(1, 2, Load(T, place("x"))), (2, 3, Store(place("x"), plus1(T)))]
    (outside,) = link(one([(0, 1, Load(U, place("y"))), *body], 3, (T, U))).templates
    assert text(outside)[1:] == ["1 worker::%1 = x -> 2", "2 x = worker::%1 + 1 -> 3"]
    (inside,) = link(one([(0, 1, AtomicBegin()), *body, (3, 4, AtomicEnd())], 4, (T,))).templates
    assert text(inside) == ["0 x = x + 1 -> 1 p"]


def test_a_read_before_a_section_does_not_become_protected() -> None:
    edges = [(0, 1, Load(T, place("x"))), (1, 2, AtomicBegin()), (2, 3, Guard(eq(T, 0))), (2, 4, Guard(ne(T, 0))),
             (3, 4, Store(place("y"), Const(1, I32))), (4, 5, AtomicEnd())]
    (template,) = link(one(edges, 5, (T,))).templates
    reading = [e for e in template.cfa.edges if any(a.variable == "x" for a in e.accesses)]
    assert [e.protected for e in reading] == [False]


def test_a_lock_blocks_before_its_section() -> None:
    edges = [(0, 1, AtomicBegin()), (1, 2, Load(T, place("m"))), (2, 3, Guard(eq(T, 0))),
             (3, 4, Store(place("m"), Const(1, I32))), (4, 5, AtomicEnd()), (5, 6, Store(place("x"), Const(7, I32)))]
    (template,) = link(one(edges, 6, (T,))).templates
    assert text(template) == ["0 [m == 0] -> 1 p", "1* m = 1 -> 2 p", "2 x = 7 -> 3"]


def test_blocking_deep_in_a_section_is_moved_to_its_entry() -> None:
    edges = [(0, 1, AtomicBegin()), (1, 2, Store(place("x"), Const(1, I32))), (2, 3, Load(T, place("m"))),
             (3, 4, Guard(eq(T, 0))), (4, 5, Store(place("y"), Const(1, I32))), (5, 6, AtomicEnd())]
    (template,) = link(one(edges, 6, (T,))).templates
    assert text(template) == ["0 x = 1; [m == 0] -> 1 p", "1* y = 1 -> 2 p"]
    assert [a.variable for a in template.cfa.edges[0].accesses] == ["x", "m"]


def test_two_blocking_tests_are_made_at_once() -> None:
    edges = [(0, 1, AtomicBegin()), (1, 2, Load(T, place("x"))), (2, 3, Guard(eq(T, 0))), (3, 4, Load(U, place("m"))),
             (4, 5, Guard(eq(U, 0))), (5, 6, Store(place("m"), Const(1, I32))), (6, 7, AtomicEnd())]
    (template,) = link(one(edges, 7, (T, U))).templates
    assert text(template) == ["0 [x == 0 && m == 0] -> 1 p", "1* m = 1 -> 2 p"]


def test_blocking_behind_a_loop_interrupts_the_section() -> None:
    edges = [(0, 1, AtomicBegin()), (1, 2, Load(T, place("x"))), (2, 1, Guard(eq(T, 0))), (2, 3, Guard(ne(T, 0))),
             (3, 3, Store(place("y"), Const(0, I32))), (3, 4, Load(U, place("m"))), (4, 5, Guard(eq(U, 0))),
             (5, 6, Store(place("m"), Const(1, I32))), (6, 7, AtomicEnd())]
    (template,) = link(one(edges, 7, (T, U))).templates
    out = template.cfa.leaving()
    for q in sorted(template.cfa.atomic):
        assert not all("[" in show_op(e.op) for e in out[q]) or len(out[q]) > 1


def test_unbalanced_section_is_located() -> None:
    edges = [(0, 1, Guard(eq(OLD, 0))), (0, 2, Guard(ne(OLD, 0))), (1, 2, AtomicBegin()), (2, 3, AtomicEnd())]
    with pytest.raises(FrontendError, match="unbalanced atomic section") as caught:
        link(one(edges, 3, (OLD,)))
    assert caught.value.location.file == "hand.c" and caught.value.location.line > 0


def test_nested_sections_are_one() -> None:
    edges = [(0, 1, AtomicBegin()), (1, 2, Store(place("x"), Const(1, I32))), (2, 3, AtomicBegin()),
             (3, 4, Store(place("y"), Const(2, I32))), (4, 5, AtomicEnd()), (5, 6, Store(place("x"), Const(3, I32))),
             (6, 7, AtomicEnd())]
    (template,) = link(one(edges, 7)).templates
    assert text(template) == ["0 x = 1 -> 1 p", "1* y = 2 -> 2 p", "2* x = 3 -> 3 p"]


def test_calls_bind_parameters_and_give_results() -> None:
    p, r = Var("p", I32), Var("r", I32)
    double = function("double", [(0, 1, Set(r, Binary("+", Read(p), Read(p))))], 1, (p, r), params=(p,), result=r)
    call = FunctionType(INT, (INT,))
    edges = [(0, 1, Load(T, place("x"))), (1, 2, Call(U, "double", (Read(T),), call)), (2, 3, Store(place("y"), Read(U)))]
    worker = function("worker", edges, 3, (T, U), attributes=(("circ_thread", ()),))
    program = link(HandModule({"worker": worker, "double": double}, {"x": symbol("x"), "y": symbol("y")}))
    assert text(program.templates[0]) == [
        "0 double::p = x -> 1", "1 double::r = double::p + double::p -> 2", "2 y = double::r -> 3"]


def test_a_recursive_function_returns_to_any_call_of_its_group() -> None:
    call = FunctionType(VOID, ())
    f = function("f", [(0, 1, Call(None, "g", (), call)), (1, 2, Store(place("x"), Const(1, I32)))], 2,
                 attributes=(("circ_thread", ()),))
    g = function("g", [(0, 1, Call(None, "h", (), call)), (0, 2, Nop()), (1, 2, Store(place("y"), Const(1, I32)))], 2)
    h = function("h", [(0, 1, Call(None, "g", (), call))], 1)
    (template,) = link(HandModule({"f": f, "g": g, "h": h}, {"x": symbol("x"), "y": symbol("y")})).templates
    inner = [e for e in template.cfa.edges if e.doubts]
    assert inner and all("recursive" in d.reason and d.step for e in inner for d in e.doubts)
    out = template.cfa.leaving()
    written = {a.variable: e.source for e in template.cfa.edges for a in e.accesses}
    assert set(written) == {"x", "y"} and {e.target for e in out[written["y"]]} <= {e.source for e in inner}


def test_locals_are_arbitrary_again_at_every_call() -> None:
    r = Var("r", I32)
    body = [(0, 1, Guard(eq(r, 1))), (0, 2, Guard(ne(r, 1))), (1, 2, Set(r, Const(1, I32)))]
    stale = function("stale", body, 2, (r,), result=r)
    call = FunctionType(INT, ())
    edges = [(0, 1, Call(T, "stale", (), call)), (1, 2, Call(T, "stale", (), call)), (2, 3, Store(place("x"), Read(T)))]
    worker = function("worker", edges, 3, (T,), attributes=(("circ_thread", ()),))
    (template,) = link(HandModule({"stale": stale, "worker": worker}, {"x": symbol("x")})).templates
    assert sum("stale::r = *" in line for line in text(template)) == 2


def test_unknown_function_is_an_assumption_and_gives_any_value() -> None:
    edges = [(0, 1, Call(T, "mystery", (), FunctionType(INT, ()))), (1, 2, Store(place("x"), Read(T)))]
    program = link(one(edges, 2, (T,)))
    assert text(program.templates[0]) == ["0 worker::%1 = * -> 1", "1 x = worker::%1 -> 2"]
    assert [a.text for a in program.assumptions] == [
        "unknown function 'mystery' touches only what its arguments reach, calls back only what it was given, starts no thread and makes nobody wait"]


def test_threads_of_the_command_line() -> None:
    me = Var("self", I32)
    worker = function("worker", [(0, 1, Store(place("x"), Read(me)))], 1, (me,), params=(me,))
    module = HandModule({"worker": worker, "main": function("main", [], 0)}, {"x": symbol("x")})
    program = link(module, LinkOptions(threads=("worker=2",)))
    assert [(t.name, t.count, t.role) for t in program.templates] == [("worker", 2, Role.THREAD)]
    assert program.templates[0].locals[0].start == Self()
    assert [(t.name, t.count) for t in link(module).templates] == [("main", 1)]
    for bad in ("nobody", "worker=0", "worker=x"):
        with pytest.raises(FrontendError):
            link(module, LinkOptions(threads=(bad,)))


def test_handlers_wait_for_their_flag_and_start_again() -> None:
    h = function("h", [(0, 1, Forget((OLD,))), (1, 2, Store(place("x"), Read(OLD)))], 2, (OLD,),
                 attributes=(("circ_interrupt", ("on",)),))
    main = function("main", [(0, 0, Store(place("on"), Const(1, I32))), (0, 1, Nop())], 1)
    _, template = link(HandModule({"main": main, "h": h}, {"x": symbol("x"), "on": symbol("on")})).templates
    assert template.role is Role.HANDLER and template.count == 1
    assert text(template) == ["0 [on != 0] -> 1 p", "1 h::old = * -> 2", "2 x = h::old -> 3", "3 skip -> 0 p"]
    assert template.locals[0].start == Arbitrary()


def test_tasks_do_not_preempt_each_other() -> None:
    def task(name: str) -> object:
        return function(name, [(0, 1, Store(place("x"), Const(1, I32)))], 1, attributes=(("circ_task", ()),))

    program = link(HandModule({"a": task("a"), "b": task("b")}, {"x": symbol("x")}))  # type: ignore[dict-item]
    for template, other in zip(program.templates, "ba", strict=True):
        assert text(template) == [f"0 [all {other} at {{0}}] -> 1 p", "1 x = 1 -> 2", "2 skip -> 0 p"]
    assert not [v.name for v in program.globals if v.ghost]
