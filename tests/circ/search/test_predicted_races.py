"""Races that a run shows without coming to them: what is brought together is a run, and locks and creation keep apart what they do."""

from __future__ import annotations

from circ.kernel.replay import Replayed, replay
from circ.search.predicted_races import Candidate, RecordedRun, candidates
from circ.search.step_effects import StepEffects
from circ.search.trace_building import FoundState, build_trace
from circ.semantics.interpreter import Domain, Machine, Move
from circ.verdict import RaceOn
from frontend.program import Program
from tests.support.build import program, thread

TAKE, GIVE = "[m == 0]; m = 1", "m = 0"


def in_turn(p: Program, *order: int) -> RecordedRun:
    """The run in which each thread of the order takes one step after the other until it cannot go on."""
    machine = Machine(p)
    crew = tuple(i for i, t in enumerate(p.templates) for _ in range(t.count or 1))
    state = machine.open_start(crew)
    g, threads = state.globals, list(state.threads)
    path: list[tuple[int, Move]] = []
    for i in order:
        while True:
            move = next((m for m in machine.moves(crew[i], g, threads[i], Domain())
                         if machine.guards_pass(m.guards, crew, threads, i)), None)
            if move is None:
                break
            path.append((i, move))
            g, threads[i] = move.globals, move.thread
    return RecordedRun(machine, StepEffects(machine), crew, path)


def found(p: Program, x: str, *order: int) -> list[Candidate]:
    """The candidates of the run, each of which is a run of the program to a race on the variable."""
    run = in_turn(p, *order)
    ones = list(candidates(run, x, run.events(frozenset((x,))).get(x, [])))
    for one in ones:
        trace = build_trace(p, run.machine, RaceOn(x), run.crew, one.path, range(len(run.crew)), FoundState(0, (one.one, one.two)))
        assert isinstance(replay(p, trace), Replayed)
    return ones


def test_a_lock_that_both_take_in_turn_does_not_order_them() -> None:
    first = thread("a", f"0 1 x = 1 / 1 2 {TAKE} / 2 3 n = n + 1 / 3 4 {GIVE}", count=1)
    second = thread("b", f"0 1 {TAKE} / 1 2 {GIVE} / 2 3 x = 2", count=1)
    assert found(program("x m n", first, second), "x", 0, 1)
    assert found(program("x m n", first, second), "x", 1, 0)


def test_a_lock_that_both_hold_does() -> None:
    one, two = (thread(name, f"0 1 {TAKE} / 1 2 x = 1 / 2 3 {GIVE}", count=1) for name in "ab")
    p = program("x m", one, two)
    assert not found(p, "x", 0, 1) and not found(p, "x", 1, 0)


def test_what_was_read_before_must_have_been_written() -> None:
    """The second one comes to its access only after the first one's flag, which is behind its own access."""
    writer = thread("a", "0 1 x = 1 / 1 2 f = 1", count=1)
    waiter = thread("b", "0 1 [f == 1] / 1 2 x = 2", count=1)
    assert not found(program("x f", writer, waiter), "x", 0, 1)
    early = thread("a", "0 1 f = 1 / 1 2 x = 1", count=1)
    [one, *_] = found(program("x f", early, waiter), "x", 0, 1)
    assert len(one.path) == 2, "the flag is set and seen, and nobody has accessed x"


def test_whoever_is_waited_for_comes_to_its_end() -> None:
    joined = program("x", thread("m", "0 1 all w 2 / 1 2 x = 1", count=1), thread("w", "0 1 skip / 1 2 x = 2", count=1))
    assert not found(joined, "x", 1, 0)
    early = program("x", thread("m", "0 1 all w 1 2 / 1 2 x = 1", count=1), thread("w", "0 1 skip / 1 2 x = 2", count=1))
    assert found(early, "x", 1, 0)


def test_only_the_same_element() -> None:
    p = program("a[4] i", thread("u", "0 1 a[1] = 1", count=1), thread("v", "0 1 a[2] = 1", count=1),
                thread("w", "0 1 a[1] = 2", count=1))
    assert all({one.one[0], one.two[0]} == {0, 2} for one in found(p, "a", 0, 1, 2)) and found(p, "a", 0, 1, 2)


def test_threads_that_do_not_matter_are_left_out() -> None:
    p = program("x n", thread("a", "0 1 x = 1", count=1), thread("b", "0 1 n = 1 / 1 2 n = 2", count=1),
                thread("c", "0 1 x = 2", count=1))
    assert [len(one.path) for one in found(p, "x", 0, 1, 2)] == [0]
