"""The parts of the searches on their own: what is left out, values to try, paths as traces, shorter runs."""

from __future__ import annotations

from dataclasses import replace

from circ.kernel.replay import Replayed, replay
from circ.search.reductions import forgotten, local_locations, waited_for
from circ.search.sample_values import MOST_SAMPLES, samples
from circ.search.shorten import ENOUGH, shortened
from circ.search.state_search import SearchSpace, StateSearch
from circ.search.trace_building import build_trace
from circ.semantics.interpreter import Machine
from circ.verdict import Assertions, Options, RaceOn, Step, Technique, Trace
from frontend.program import Program
from tests.support.build import program, thread

ALL_OFF = Options(switches={Technique.OPEN: False, Technique.SYMMETRY: False, Technique.LOCAL_FIRST: False})


# --------------------------------------------------------------------------------------------------- reductions
def test_locals_are_dead_until_they_are_written_again() -> None:
    [t] = program("x", thread("w", "0 1 l = x / 1 2 x = l / 2 3 m = 1 / 3 0 x = m", "l m", 1)).templates
    assert forgotten(t)[:4] == ((0, 1), (1,), (0, 1), (0,))


def test_a_local_that_is_read_before_it_is_written_in_one_step_is_alive() -> None:
    [t] = program("x", thread("w", "0 1 l = l + 1 / 1 2 l = 0; x = l", "l", 1)).templates
    assert forgotten(t)[0] == () and forgotten(t)[1] == (0,)


def test_an_index_of_an_access_keeps_a_local_alive() -> None:
    [t] = program("a[3]", thread("w", "0 1 skip / 1 2 a[l] = 1", "l", 1)).templates
    assert forgotten(t)[0] == () and forgotten(t)[1] == ()


def test_local_locations_are_those_whose_steps_nobody_sees() -> None:
    p = program("x", thread("w", "0 1 l = 1 / 1 2 x = l / 2 3 l = 2 / 3 4 [l == 2]", "l", 2, critical={3}))
    assert local_locations(p, 0, RaceOn("x")) == {0, 2, 3}
    assert local_locations(p, 0, Assertions()) == {0}, "a step into or out of a critical section is seen"


def test_whoever_is_waited_for_has_no_local_steps() -> None:
    p = program("x", thread("m", "0 1 all w 1", count=1), thread("w", "0 1 l = 1", "l", 2))
    assert waited_for(p) == {"w"} and local_locations(p, 1, RaceOn("x")) == frozenset()
    assert waited_for(p, started=True) == frozenset(), "counted threads are as many as they are"
    unbounded = program("x", thread("m", "0 1 all w 1", count=1), thread("w", "0 1 l = 1", "l"))
    assert waited_for(unbounded, started=True) == {"w"}


def test_samples_are_the_constants_and_their_neighbours() -> None:
    found = samples(program("x y", thread("w", "0 1 [x == 77]; y = 1000", count=1)))
    assert {0, 1, -1, 76, 77, 78, 999, 1000, 1001} <= set(found)
    many = " / ".join(f"{n} {n + 1} [x == {100 * n}]" for n in range(50))
    assert len(samples(program("x", thread("w", many, count=1)))) == MOST_SAMPLES


# --------------------------------------------------------------------------------------------------- traces
def found_trace(p: Program, x: str, options: Options = ALL_OFF) -> Trace:
    crew = tuple(i for i, t in enumerate(p.templates) for _ in range(t.count or 2))
    search = StateSearch(SearchSpace(p, RaceOn(x), options), crew, options, proof=True)
    found = search.run()
    assert found is not None
    path, who = search.path(found.state)
    return build_trace(p, search.machine, RaceOn(x), crew, path, who, found)


def test_a_value_is_chosen_where_it_was_left_open() -> None:
    """`l` is havocked by one step and decided by the test in the next one: the choice belongs to the havoc."""
    p = program("x s:u8=*", thread("w", "0 1 l = * / 1 2 [l == 5] / 2 3 [s == 9] / 3 4 x = 1", "l:u8", 2))
    trace = found_trace(p, "x")
    assert isinstance(replay(p, trace), Replayed)
    assert [(c.variable, c.value) for c in trace.start] == [("s", 9)]
    chosen = {(s.edge, c.variable, c.value) for s in trace.steps for c in s.choices}
    assert chosen == {(0, "l", 5)}


def test_threads_that_were_sorted_away_get_their_steps_back() -> None:
    p = program("x y", thread("w", "0 1 y = 1 / 1 2 [y == 1] / 2 3 x = 1", count=3))
    for options in (ALL_OFF, Options()):
        assert isinstance(replay(p, found_trace(p, "x", options)), Replayed)


# --------------------------------------------------------------------------------------------------- shorter runs
def long_run() -> tuple[Program, Trace]:
    """A race after many rounds of a third thread, which it does without."""
    p = program("x y:u8", thread("h", "0 1 y = 1 / 1 0 y = 0"), thread("w", "0 1 skip / 1 2 x = 1", count=2))
    short = found_trace(p, "x")
    idle = short.threads.index("h")
    rounds = (Step(idle, 0), Step(idle, 1)) * ENOUGH
    return p, replace(short, steps=rounds + short.steps)


def test_rounds_that_a_race_does_without_are_left_out() -> None:
    p, trace = long_run()
    assert isinstance(replay(p, trace), Replayed)
    shorter = shortened(Machine(p), trace, 100_000)
    assert isinstance(replay(p, shorter), Replayed)
    assert not any(p.template(shorter.threads[s.thread]).name == "h" for s in shorter.steps)
    assert "h" not in shorter.threads, "a thread of unbounded number that does nothing is not there"


def test_without_effort_the_run_stays_and_a_short_one_is_not_touched() -> None:
    p, trace = long_run()
    assert [s.edge for s in shortened(Machine(p), trace, 0).steps] == [s.edge for s in trace.steps]
    short = found_trace(p, "x")
    assert shortened(Machine(p), short, 100_000) is short


def test_rounds_that_a_race_needs_stay() -> None:
    p = program("x y:u8", thread("h", "0 1 skip / 1 0 y = y + 1", count=1), thread("w", "0 1 [y == 25] / 1 2 x = 1", count=2))
    trace = found_trace(p, "x")
    assert len(trace.steps) > ENOUGH
    shorter = shortened(Machine(p), trace, 100_000)
    assert isinstance(replay(p, shorter), Replayed)
    assert sum(p.template(shorter.threads[s.thread]).name == "h" for s in shorter.steps) == 50
