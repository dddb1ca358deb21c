"""Sweeps over numbers that are marked again and again, and facts that outlive new scalars."""

from __future__ import annotations

from frontend.memory.sketch import sweeps
from frontend.program import Assign, Const, Read, Scalar, Var
from frontend.threads.op_facts import OpFacts

INT = Scalar(32, True)


def test_each_number_has_its_turn_and_those_marked_behind_come_in_the_next_sweep() -> None:
    waiting = bytearray(b"\1") * 5
    turns = []
    for number in sweeps(waiting):
        turns.append(number)
        if turns == [0, 1, 2, 3]:
            waiting[1] = waiting[2] = 1
    assert turns == [0, 1, 2, 3, 4, 1, 2]
    assert not any(waiting)


def test_a_loop_in_loops_takes_a_sweep_more_for_each() -> None:
    """Ten numbers, of which the last one leads back to the others, one further each time: as often as that, and no more."""
    waiting = bytearray(b"\1") * 10
    left, turns = 9, 0
    for number in sweeps(waiting):
        turns += 1
        if number == 9 and left:
            left -= 1
            waiting[left] = 1
            waiting[9] = 1
    assert turns == 10 + 2 * 9


def test_facts_about_operations_without_new_scalars_are_kept() -> None:
    old, new = Var("old", INT), Var("new", INT)
    kept, changed = Assign(old, Const(1, INT)), Assign(old, Read(new))
    facts = OpFacts({"old": False})
    before, unknown = facts.of(kept), facts.of(changed)
    assert not unknown.needs
    more = facts.about({"old": False, "new": True})
    assert more.of(kept) is before
    assert more.of(changed).needs == {"new"}
    assert more.of(changed).needed == more.bit("new") != more.bit("old")


def test_nothing_is_kept_when_a_scalar_is_gone() -> None:
    old, new = Var("old", INT), Var("new", INT)
    op = Assign(old, Read(new))
    facts = OpFacts({"old": False, "new": False})
    assert facts.of(op).needs == {"new"}
    assert not facts.about({"old": False}).of(op).needs
