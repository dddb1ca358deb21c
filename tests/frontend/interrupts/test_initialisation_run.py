"""What `main` does before anybody else can run becomes the start, and not a step more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from frontend.interrupts.initialisation_run import initialised
from frontend.program import Arbitrary, Program, Role, Values
from tests.support.build import program, thread

HANDLER = "0 1 [on == 1] / 1 0 y = 1"


def started(main: str, handler: str = HANDLER, locals_: str = "r:u8=*", atomic: tuple[int, ...] = ()) -> Program:
    p = program("x:u8 y:u8 on:u8 a:u8[3]", thread("main", main, locals_, 1, atomic), thread("isr", handler, "", 1))
    roles = (Role.MAIN, Role.HANDLER)
    return initialised(replace(p, templates=tuple(replace(t, role=r) for t, r in zip(p.templates, roles, strict=True))))


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


def test_a_choice_that_depends_on_what_is_open_is_not_made() -> None:
    p = started("0 1 r = * / 1 2 [r == 1] / 1 3 [r != 1] / 2 4 x = 1 / 3 4 x = 2 / 4 5 on = 1")
    assert p.templates[0].cfa.start <= 1 and start(p, "x") == Values(0)


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
