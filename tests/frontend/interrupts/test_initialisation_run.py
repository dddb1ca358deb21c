"""What `main` does before anybody else can run becomes the start, and not a step more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from frontend.interrupts.initialisation_run import initialised
from frontend.program import Arbitrary, Doubt, Edge, Havoc, Program, Role, Scalar, Values, Var, show_op
from tests.support.build import program, thread

HANDLER = "0 1 [on == 1] / 1 0 y = 1"


def started(main: str, handler: str = HANDLER, locals_: str = "r:u8=*", atomic: tuple[int, ...] = ()) -> Program:
    return initialised(unstarted(main, handler, locals_, atomic))


def unstarted(main: str, handler: str = HANDLER, locals_: str = "r:u8=*", atomic: tuple[int, ...] = ()) -> Program:
    p = program("x:u8 y:u8 on:u8 a:u8[3]", thread("main", main, locals_, 1, atomic), thread("isr", handler, "", 1))
    roles = (Role.MAIN, Role.HANDLER)
    return replace(p, templates=tuple(replace(t, role=r) for t, r in zip(p.templates, roles, strict=True)))


def start(p: Program, name: str) -> object:
    return next(v.start for v in (*p.globals, *p.templates[0].locals) if v.name == name)


def test_steps_up_to_where_the_handler_may_start_are_done() -> None:
    p = started("0 1 x = 5 / 1 2 a[1] = 7 / 2 3 on = 1 / 3 4 x = 6")
    assert p.templates[0].cfa.start == 3
    assert (start(p, "x"), start(p, "on"), start(p, "a")) == (Values(5), Values(1), Values(0, ((1, 7),)))
    assert [e.source for e in p.templates[0].cfa.edges] == [3], "what is done is gone"


def test_nothing_is_done_once_the_handler_may_have_run() -> None:
    p = started("0 1 x = 5 / 1 2 x = 6", handler="0 1 [x != 9] / 1 0 y = x")
    assert p.templates[0].cfa.start == 0 and start(p, "x") == Values(0)


def test_a_condition_that_is_not_known_lets_the_handler_start() -> None:
    p = started("0 1 r = * / 1 2 on = r / 2 3 x = 5")
    assert p.templates[0].cfa.start <= 2 and start(p, "x") == Values(0)


def first_step(p: Program) -> Edge:
    """What is left to do before all else."""
    [edge] = [e for e in p.templates[0].cfa.edges if e.source == p.templates[0].cfa.start]
    return edge


def test_behind_an_open_choice_what_the_ways_agree_on_is_known_and_the_rest_is_doubtful() -> None:
    p = started("0 1 r = * / 1 2 [r == 1] / 1 3 [r != 1] / 2 4 x = 1; y = 3 / 3 4 x = 2; y = 3 / 4 5 on = 1 / 5 6 skip")
    assert start(p, "y") == Values(3)
    assert first_step(p).op == Havoc((Var("x", Scalar(8, False)),)) and first_step(p).doubts[0].values == ("x",)
    assert first_step(p).target == 4, "no handler may run before it"


def test_a_loop_that_waits_for_hardware_is_left_if_some_reading_leads_out_of_it() -> None:
    wait = "0 1 r = * / 1 0 [r {} 9] / 1 2 [r {} 9] / 2 3 x = 7 / 3 4 on = 1 / 4 5 skip"
    assert start(started(wait.format("!=", "==")), "x") == Values(0), "no reading that is tried leads out"
    p = started("0 1 r = * / 1 0 [(r & 32) == 0] / 1 2 [(r & 32) != 0] / 2 3 x = 7 / 3 4 on = 1 / 4 5 skip")
    assert start(p, "x") == Values(7) and p.templates[0].cfa.start == 4


def test_what_follows_from_a_reading_is_a_first_step_without_doubts() -> None:
    p = started("0 1 r = * / 1 2 x = r & 7 / 2 3 y = x + 1 / 3 4 a[1] = 4 / 4 5 on = 1 / 5 6 skip")
    edge = first_step(p)
    assert start(p, "a") == Values(0, ((1, 4),)) and edge.target == 4 and not edge.doubts
    assert show_op(edge.op) == "r = *; x = r & 7; y = x + 1"


def test_doubtful_values_are_carried_on_and_others_are_not() -> None:
    before = unstarted("0 1 x = 1 / 1 2 a[0] = x / 2 3 y = 5 / 3 4 on = 1 / 4 5 skip")
    main, isr = before.templates
    edges = tuple(replace(e, doubts=(Doubt("an unknown pointer", ("x",)),)) if e.source == 0 else e for e in main.cfa.edges)
    p = initialised(replace(before, templates=(replace(main, cfa=replace(main.cfa, edges=edges)), isr)))
    assert start(p, "y") == Values(5)
    assert first_step(p).doubts[0].values == ("a", "x"), "y is sure"


def test_two_variables_that_are_open_stay_the_same_value() -> None:
    p = started("0 1 r = * / 1 2 x = r / 2 3 y = r / 3 4 on = 1 / 4 5 [x != y]")
    both_open = start(p, "x") == Arbitrary() and start(p, "y") == Arbitrary()
    assert not both_open, "a start with any two values would let x and y differ"


@pytest.mark.parametrize("guard", ["[r == 1]", "[x == 1]"])
def test_tests_that_are_decided_are_taken(guard: str) -> None:
    p = started(f"0 1 x = 1; r = 1 / 1 2 {guard} / 1 3 [x != 1] / 2 4 y = 4 / 3 4 y = 8 / 4 5 on = 1 / 5 6 skip")
    assert start(p, "y") == Values(4)


def test_the_start_is_not_put_inside_an_atomic_section() -> None:
    p = started("0 1 x = 1 / 1 2 on = 1 / 2 3 x = 2 / 3 4 x = 3", atomic=(1, 2))
    assert p.templates[0].cfa.start not in (1, 2)


def test_a_handler_that_can_never_start_is_told() -> None:
    p = started("0 1 x = 1 / 1 2 x = 2")
    assert any("'isr' never starts" in str(w) for w in p.warnings)


def test_nothing_is_done_while_a_thread_waits_at_an_access() -> None:
    """A thread that is blocked at its first access races with what `main` does meanwhile."""
    p = program("x:u8 y:u8 on:u8 a:u8[3]", thread("main", "0 1 x = 5 / 1 2 on = 1 / 2 3 x = 6", "", 1),
                thread("isr", HANDLER, "", 1), thread("w", "0 1 [x == 9] / 1 2 skip", "", None))
    roles = (Role.MAIN, Role.HANDLER, Role.THREAD)
    p = initialised(replace(p, templates=tuple(replace(t, role=r) for t, r in zip(p.templates, roles, strict=True))))
    assert p.templates[0].cfa.start == 0 and start(p, "x") == Values(0)
