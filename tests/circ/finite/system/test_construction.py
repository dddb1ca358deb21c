"""Building finite systems and stepping them: sections, empty steps, initialisation, marks, refusals."""

from __future__ import annotations

import pytest

from circ.finite.system import ATOMIC, FATAL, NotFiniteState, Stepper, build
from circ.finite.system.error_marks import access_guard, conflicting_shapes
from circ.finite.system.transition_system import CRITICAL, NextAccess
from circ.finite.system.transitions import PATHS, transitions_of
from circ.verdict import Assertions, RaceOn
from frontend.program import TRUE, AccessKind
from tests.support.build import program, thread


def test_a_section_that_nobody_can_look_into_is_one_step() -> None:
    p = program("x y", thread("w", "0 1 x = 1 / 1 2 y = 1 / 2 0 x = 0", count=2, atomic={1, 2}))
    moves, atomic = transitions_of(p, Assertions(), p.templates[0])
    assert [m.edges for m in moves] == [(0, 1, 2)] and not atomic
    assert ATOMIC not in {c.name for c in build(p, Assertions()).globals}


def test_what_the_question_sees_inside_a_section_stays_a_location() -> None:
    p = program("x y", thread("w", "0 1 x = 1 / 1 2 y = 1 / 2 0 x = 0", count=2, atomic={1, 2}), invariants=["x == 0"])
    moves, atomic = transitions_of(p, Assertions(), p.templates[0])
    assert atomic == {1} and {(m.source, m.target) for m in moves} == {(0, 1), (1, 0)}
    assert build(p, Assertions()).globals[-1].name == ATOMIC


def test_a_loop_inside_a_section_and_a_section_of_many_paths_are_walked_step_by_step() -> None:
    loop = program("x", thread("w", "0 1 x = 1 / 1 1 [x == 1] / 1 0 x = 0", count=1, atomic={1}))
    assert transitions_of(loop, Assertions(), loop.templates[0])[1] == {1}
    branches = [f"{n} {n + 1} [x == {k}]" for n in range(1, 10) for k in (0, 1)]
    many = program("x", thread("w", "0 1 x = 0 / " + " / ".join(branches) + " / 10 0 x = 0", count=1, atomic=set(range(1, 11))))
    moves, atomic = transitions_of(many, Assertions(), many.templates[0])
    assert PATHS < 2 ** 9 and atomic == set(range(1, 11)) and all(len(m.edges) == 1 for m in moves)


def test_more_branches_than_paths_are_no_section() -> None:
    edges = " / ".join(f"0 {n + 1} [x == {n}]" for n in range(PATHS + 50))
    p = program("x", thread("w", edges, count=1))
    assert len(transitions_of(p, Assertions(), p.templates[0])[0]) == PATHS + 50


def test_empty_steps_and_initialisation_are_taken_at_once() -> None:
    p = program("x", thread("w", "0 1 l = 0 / 1 2 x = l / 2 3 skip / 3 1 x = 1", "l", 1))
    [group] = build(p, Assertions()).groups
    assert group.prelude == (0,) and group.start == 1
    assert set(group.same(1)) == {0, 1} and set(group.same(3)) == {2, 3}


def test_identical_threads_are_one_group_unless_they_know_their_number() -> None:
    plain, numbered = thread("w", "0 1 x = 1", count=3), thread("v", "0 1 x = me", "me=self", 2)
    system = build(program("x", plain, numbered), Assertions())
    assert [g.threads for g in system.groups] == [(0, 1, 2), (3,), (4,)]
    assert [g.copies for g in system.groups] == [(0, 1, 2), (0,), (1,)]
    assert len(build(program("x", plain), Assertions(), symmetry=False).groups) == 3


def test_threads_of_unknown_number_are_refused() -> None:
    with pytest.raises(NotFiniteState, match="--thread w=N"):
        build(program("x", thread("w", "0 1 x = 1")), Assertions())


def test_marks_that_conflict() -> None:
    p = program("x", thread("w", "0 1 x = 1", count=2))
    write, read = (NextAccess(w, False, AccessKind.DATA, None) for w in (True, False))
    first, second = (NextAccess(True, False, AccessKind.DATA, n) for n in (0, 1))
    inside = NextAccess(True, True, AccessKind.DATA, None)
    shapes = [FATAL, CRITICAL, write, read, first, second, inside]
    found = conflicting_shapes(p, shapes)
    assert (CRITICAL, CRITICAL) in found and not any(FATAL in pair for pair in found)
    assert (write, read) in found and (read, write) in found and (read, read) not in found
    assert (first, second) not in found and (first, first) in found and (write, first) in found
    assert (inside, write) not in found  # the nesc model: what is inside a section is no race


def test_an_access_behind_a_condition_is_next_only_if_it_passes() -> None:
    p = program("x y", thread("w", "0 1 l = y + 1; [l == 3]; x = 1", "l", 2))
    [edge] = p.templates[0].cfa.edges
    access = next(a for a in edge.accesses if a.variable == "x")
    assert access_guard(p, edge, access) != TRUE
    stepper = Stepper(build(p, RaceOn("x")))
    start = stepper.starts()[1][0][0]
    assert not stepper.marks(0, (0, 0), start)
    assert access_guard(p, edge, next(a for a in edge.accesses if a.variable == "y")) == TRUE


def test_successors_choose_what_matters_only() -> None:
    p = program("x:u1", thread("w", "0 1 l = * / 1 2 x = l / 2 3 l = *", "l:u1", 1))
    stepper = Stepper(build(p, Assertions()))
    [store], [[local]] = stepper.starts()
    first = stepper.successors(0, store, local)
    assert {s[3] for s in first} == {(1, 0), (1, 1)}
    last = [s for one in first for two in stepper.successors(0, *one[2:]) for s in stepper.successors(0, *two[2:])]
    assert {s[3][1] for s in last} == {0}, "a local that nobody reads again has its first value"


def test_a_step_outside_an_array_is_an_error_of_the_finite_view() -> None:
    p = program("i=2 a[2]", thread("w", "0 1 a[i] = 1", count=1))
    stepper = Stepper(build(p, Assertions()))
    [store], [[local]] = stepper.starts()
    assert stepper.successors(0, store, local) == ()
    assert "outside the array" in str(stepper.escape(0, store, local)) and FATAL in stepper.marks(0, store, local)


def test_open_cells_are_closed_by_what_was_seen() -> None:
    p = program("x y", thread("w", "0 1 [y < 9]; x = x + 1000; y = y + 1 / 1 0 skip", count=1))
    system = build(p, Assertions())
    assert system.has_open
    stepper = Stepper(system)
    [store], [[local]] = stepper.starts()
    stepper.run_alone(0, store, local)
    closed = stepper.closed()
    assert not closed.has_open
    assert next(c for c in closed.globals if c.name == "x").values == tuple(range(0, 10000, 1000))
