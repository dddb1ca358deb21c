"""Thread-modular model checking: the paper's R and G, its limitation, domains, and refusals."""

from __future__ import annotations

import pytest

from circ.finite import cartesian, refinement, thread_modular
from circ.finite.modular import Modular, one_class
from circ.finite.system import NotFiniteState, build
from circ.kernel.other_kinds import check_any_kind
from circ.kernel.outcome import Accepted
from circ.kernel.replay import Replayed, replay
from circ.verdict import Assertions, Options, RaceOn, Refuted, Safe, Unknown, silent
from tests.support.build import program, thread
from tests.support.finite_programs import mux_sem, mux_sem_last, simple


def run(p, question=Assertions()):  # type: ignore[no-untyped-def]  # noqa: B008
    return thread_modular.check(p, question, Options(), silent)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_simple_has_the_papers_reachable_sets_and_guarantee(n: int) -> None:
    system = build(simple(n), Assertions())
    result = Modular(system, one_class(system), Options()).run()
    for t in range(n):
        tid = t + 1
        others = [k + 1 for k in range(n) if k != t]
        reached = {(m, x, local[0] + 1) for ((m, x), _), locals_ in result.reached[t].items() for local in locals_}
        expected = {(0, 1, 1), (0, 1, 6)}
        expected |= {(m, x, pc) for m in others for x in (0, 1) for pc in (1, 6)}
        expected |= {(tid, 1, pc) for pc in (2, 4, 5)} | {(tid, 0, 3)}
        assert reached == expected
        steps = {(g, after[0]) for (g, _), afters in result.steps[t].items() for after, _ in afters}
        # The printed G also lists x = x' = 1, a step that changes nothing and that we leave out.
        assert steps == {((0, 1), (tid, 1)), ((tid, 1), (0, 1)), ((tid, 0), (tid, 1)), ((tid, 1), (tid, 0))}


def test_owner_numbers_prove_what_a_bit_does_not() -> None:
    assert isinstance(run(simple(3)), Safe)
    assert isinstance(run(simple(3, owner=False)), Unknown)
    assert isinstance(run(mux_sem(3)), Unknown)
    assert isinstance(run(mux_sem_last(3)), Safe)


def test_a_bit_reaches_every_combination() -> None:
    """The paper's R for the Boolean mutex: nothing is known of m and x."""
    system = build(simple(2, owner=False), Assertions())
    result = Modular(system, one_class(system), Options()).run()
    stores = {g for table in result.reached for g, _ in table}
    assert stores == {(m, x) for m in (0, 1) for x in (0, 1)}


def test_races_and_certificates() -> None:
    p = simple(4)
    for question in (RaceOn("x"), Assertions()):
        verdict = run(p, question)
        assert isinstance(verdict, Safe)
        assert isinstance(check_any_kind(p, question, verdict.certificate), Accepted)
    assert isinstance(run(program("x", thread("w", "0 1 x = 1", count=2)), RaceOn("x")), Unknown)


def test_identical_threads_are_computed_once() -> None:
    few, many = run(mux_sem(2)), run(mux_sem(200))
    assert few.statistics.states == many.statistics.states


def test_threads_without_number_share_a_set_and_space_grows_with_their_numbers() -> None:
    small, large = run(simple(5)), run(simple(20))
    assert large.statistics.states <= 17 * small.statistics.states  # n^2, not 2^n


def test_an_atomic_section_is_exclusive_without_any_lock() -> None:
    p = program("x", thread("w", "0 1 skip / 1 2 x = 1 / 2 3 [x == 1] / 3 0 x = 0", count=3, atomic={1, 2, 3}, critical={2}))
    assert isinstance(run(p), Safe)


@pytest.mark.parametrize(("p", "variable", "reason"), [
    (program("x", thread("w", "0 0 x = x + 1", count=2)), "x", "takes more values"),
    (program("x=*", thread("w", "0 1 x = x + 1", count=2)), "x", "takes more values"),
    (program("x", thread("w", "0 1 x = 1")), "w", "any number of times"),
    # A counter without a bound is noticed before every pair of its values has been looked at.
    (program("x", thread("w", "0 1 l = x / 1 0 x = l + 1", "l", count=2)), "x", "takes more values"),
])
def test_what_is_not_finite_is_refused_with_its_name_and_the_reason(p, variable: str, reason: str) -> None:  # type: ignore[no-untyped-def]
    verdict = run(p, RaceOn("x"))
    assert isinstance(verdict, Unknown)
    assert f"'{variable}'" in verdict.reason and reason in verdict.reason


def test_arbitrary_values_that_are_only_compared_are_finite() -> None:
    p = program("x", thread("w", "0 1 l = * / 1 2 [l > 100] / 2 3 [l < 50] / 3 4 x = 1 / 1 0 [l <= 100]", "l", 2, errors=[3]))
    verdict = run(p)
    assert isinstance(verdict, Safe)
    assert isinstance(check_any_kind(p, Assertions(), verdict.certificate), Accepted)
    with pytest.raises(NotFiniteState):
        build(program("x=* y", thread("w", "0 1 y = x * x", count=1)), RaceOn("y"))


def test_a_counter_with_a_bound_is_finite() -> None:
    p = program("x", thread("w", "0 1 i = 0 / 1 2 [i < 5] / 2 1 i = i + 1 / 1 3 [i >= 5] / 3 4 [i != 5]", "i", 2, errors=[4]))
    assert isinstance(run(p), Safe)


WAITING = "0 1 [y == 0] / 1 2 all w 2 / 2 3 {}"


@pytest.mark.parametrize(("last", "engine", "verdict"), [
    # What comes behind the wait touches nothing that matters: the wait need not be seen.
    ("y = 1", thread_modular.check, Safe),
    # The wait is what keeps the threads apart: no engine of the family sees it, and none takes the run for one.
    ("x = 1", thread_modular.check, Unknown), ("x = 1", refinement.check, Unknown), ("x = 1", cartesian.check, Unknown),
])
def test_a_wait_for_all_is_left_out(last: str, engine, verdict: type) -> None:  # type: ignore[no-untyped-def]
    p = program("x:u2 y:u2", thread("w", "0 1 [x == 0] / 1 2 y = 0" if last == "y = 1" else "0 1 [y == 0] / 1 2 x = 2", count=1),
                thread("m", WAITING.format(last), count=1))
    assert isinstance(engine(p, RaceOn("x"), Options(), silent), verdict)


@pytest.mark.parametrize("engine", [refinement.check, cartesian.check])
def test_a_run_past_a_wait_that_the_program_has_counts(engine) -> None:  # type: ignore[no-untyped-def]
    p = program("x:u2", thread("w", "0 1 skip / 1 2 x = 1 / 2 3 x = 2", count=2), thread("m", "0 1 all w 2 3 / 1 2 x = 3", count=1))
    verdict = engine(p, RaceOn("x"), Options(), silent)
    assert isinstance(verdict, Refuted) and isinstance(replay(p, verdict.trace), Replayed)
