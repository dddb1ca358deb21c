"""The parts of context inference, each under its own name: slicing, skeletons, predicates, counters, ACFAs, traces, miners."""

from __future__ import annotations

import pytest

from circ.abstraction.abstract_errors import Errors
from circ.abstraction.counters import OMEGA, count, enter, leave, move
from circ.abstraction.predicates import Abstraction, Predicates, canonical
from circ.abstraction.relevance import doubtful
from circ.abstraction.skeleton import skeleton
from circ.abstraction.trace_formulas import Feasible, Infeasible, decide, script
from circ.inference.acfa import ContextMove, collapse, empty
from circ.inference.arg import AbstractError, AbstractSystem, Arg, reach_and_build
from circ.inference.context_inference import infer_context, omega_circ
from circ.inference.effort import Effort
from circ.inference.miners import equalities, interpolants, needed_variables, values, weakest_preconditions
from circ.inference.omega import NotUnbounded, _PairClosure, omega_check
from circ.inference.refinement import Learnt, Real, refine
from circ.inference.results.minterms import cover
from circ.inference.silent_paths import after, ways
from circ.inference.simulation import simulates
from circ.kernel.certificate import check_certificate
from circ.kernel.outcome import Accepted
from circ.verdict import Options, RaceOn, Safe, Technique, Unknown, silent
from circ.views.variable_sets import VariableSet, everything
from circ.views.weaken import weaken
from frontend.program import Assume, Binary, Const, Havoc, Program, Read, Var, primitive, show, show_op
from tests.support.build import INT, expr, program, thread

TEST_AND_SET = """
    0 1 skip
    1 2 old = state
    2 3 [state == 0]
    2 4 [state != 0]
    3 4 state = 1
    4 5 skip
    5 6 [old == 0]
    5 0 [old != 0]
    6 7 t = x
    7 8 x = t + 1
    8 0 state = 0
"""


def figure_1(atomic: bool = True) -> Program:
    return program("x state", thread("w", TEST_AND_SET, locals="old=* t=*", atomic={1, 2, 3, 4} if atomic else ()))


def system(p: Program, kept: VariableSet | None = None, predicates: tuple[str, ...] = (), **options: bool) -> tuple[AbstractSystem, Predicates, VariableSet]:
    kept = everything(p) if kept is None else kept
    known = Predicates(p)
    for text in predicates:
        for t in p.templates:
            scope = {v.name: v for v in (*p.globals, *t.locals)}
            try:
                known.add(expr(text, scope), t.name)
            except KeyError:
                continue
    weak = weaken(p, kept)
    skeletons = tuple(
        skeleton(o, w, kept.globals, "x", p.race_model) for o, w in zip(p.templates, weak.templates, strict=True)
    )
    abstractions = tuple(Abstraction(p, sk, known, **options) for sk in skeletons)
    args = tuple(Arg(sk, ab) for sk, ab in zip(skeletons, abstractions, strict=True))
    return AbstractSystem(skeletons, abstractions, args, Errors(p, RaceOn("x"), skeletons, abstractions), Options()), known, kept


# --------------------------------------------------------------------------------------------------- slicing
def test_weakening_never_removes_a_behaviour() -> None:
    p = figure_1()
    weak = weaken(p, VariableSet(frozenset({"state"})))
    texts = [show_op(e.op) for e in weak.templates[0].cfa.edges]
    assert texts[1] == "skip"  # old is not looked at
    assert texts[2] == "[state == 0]"
    assert texts[6] == texts[7] == "skip"  # both ways are open
    assert [e.accesses for e in weak.templates[0].cfa.edges] == [e.accesses for e in p.templates[0].cfa.edges]
    assert show_op(weaken(p, VariableSet(frozenset({"x"}))).templates[0].cfa.edges[9].op) == "x = *"


def test_nothing_kept_leaves_control_flow_and_accesses() -> None:
    (sk,) = system(figure_1(), VariableSet())[0].skeletons
    assert sk.size < len(figure_1().templates[0].cfa.leaving())
    assert any(sk.accesses)


# --------------------------------------------------------------------------------------------------- skeletons
def test_an_atomic_section_and_the_local_steps_after_it_are_one_segment() -> None:
    (sk,) = system(figure_1())[0].skeletons
    assert not any(sk.atomic)
    ops = {show_op(s.op) for s in sk.segments[sk.start]}
    assert "old = state; [state == 0]; state = 1; [old == 0]" in ops


def test_two_atomic_sections_are_never_glued() -> None:
    p = program("x s", thread("w", "0 1 skip / 1 2 s = 1 / 2 3 skip / 3 0 s = 0", atomic={1, 3}))
    (sk,) = system(p)[0].skeletons
    assert all(show_op(s.op) in ("s = 1", "s = 0") for row in sk.segments for s in row)


def test_a_blocking_guard_is_not_glued_behind_an_access() -> None:
    p = program("x s", thread("w", "0 1 x = 1 / 1 2 [s == 0] / 2 0 skip"))
    (sk,) = system(p)[0].skeletons
    assert not any("x" in show_op(s.op) and "[" in show_op(s.op) for row in sk.segments for s in row)


def test_an_anchor_stands_before_every_havoc() -> None:
    p = program("x s", thread("w", "0 1 l = s / 1 2 l = * / 2 0 s = l", locals="l=*"))
    (sk,) = system(p)[0].skeletons
    for row in sk.segments:
        for s in row:
            assert not any(isinstance(part, Havoc) for part in tuple(primitive(s.op))[1:])


def test_dead_locals_are_not_alive_at_loop_heads() -> None:
    (sk,) = system(figure_1())[0].skeletons
    assert sk.live[sk.start] == frozenset()


# --------------------------------------------------------------------------------------------------- predicates
def test_a_predicate_and_its_negation_are_one() -> None:
    a = Binary("==", Read(Var("x", INT)), Const(0, INT))
    b = Binary("!=", Read(Var("x", INT)), Const(0, INT))
    assert canonical(a) == canonical(b)
    p = Predicates(figure_1())
    assert p.add(expr("state == 0", {v.name: v for v in p.program.globals}), "w")
    assert not p.add(expr("state != 0", {v.name: v for v in p.program.globals}), "w")
    assert len(p) == 1


@pytest.mark.parametrize("cartesian", [False, True])
def test_the_post_of_a_segment(cartesian: bool) -> None:
    s, _, _ = system(figure_1(), predicates=("state == 0", "old == 0"), cartesian=cartesian)
    ab, sk = s.abstractions[0], s.skeletons[0]
    assert ab.initial() == ((1, 0),)
    taking = next(g for g in sk.segments[sk.start] if "state = 1" in show_op(g.op) and "[old == 0]" in show_op(g.op))
    assert {g for g, _ in ab.post(taking, 1, 0)} == {0}
    assert ab.post(taking, 0, 0) == ()


def test_posts_are_cached_by_the_relevant_bits() -> None:
    s, _, _ = system(figure_1(), predicates=("state == 0", "x == 7"))
    ab, sk = s.abstractions[0], s.skeletons[0]
    taking = next(g for g in sk.segments[sk.start] if "state = 1" in show_op(g.op))
    ab.post(taking, 0b01, 0)
    spent = ab.queries
    assert ab.post(taking, 0b11, 0) and ab.queries == spent  # whether x is 7 does not matter here


def test_the_environment_makes_mixed_predicates_uncertain() -> None:
    p = program("x s", thread("w", "0 1 l = s / 1 2 x = 1 / 2 0 [l == s]", locals="l=*"))
    s, _, _ = system(p, predicates=("l == s", "l == 0"))
    ab = s.abstractions[0]
    anchor = next(a for a in range(s.skeletons[0].size) if ab.active[a] == 0b11)
    assert set(ab.disturbed(anchor, 0, 0b01, frozenset({"s"}))) == {0b00, 0b01}
    assert ab.disturbed(anchor, 0, 0b01, frozenset({"x"})) == (0b01,)


def test_cover_is_exact() -> None:
    scope = {v.name: v for v in figure_1().globals}
    ps = (expr("x == 0", scope), expr("state == 0", scope))
    assert show(cover([0, 1, 2, 3], (0, 1), ps)) == "1"
    assert show(cover([], (0, 1), ps)) == "0"
    assert show(cover([3], (0, 1), ps)) == "x == 0 && state == 0"
    assert show(cover([1, 3], (0, 1), ps)) == "x == 0"


# --------------------------------------------------------------------------------------------------- counters
def test_counters() -> None:
    a, b = (0, 0), (0, 1)
    one = enter((), a, 1)
    assert count(one, a) == 1 and count(enter(one, a, 1), a) == OMEGA
    assert leave(((a, OMEGA),), a, 1, endless=True) == (((a, OMEGA),),)
    # Elsewhere omega - 1 is k or omega: a class can be left by all its threads.
    assert set(leave(((a, OMEGA),), a, 1, endless=False)) == {((a, 1),), ((a, OMEGA),)}
    assert move(((a, 1),), a, b, 1, endless=False) == (((b, 1),),)


# --------------------------------------------------------------------------------------------------- ARG, ACFA, simulation
def test_context_inference_reaches_the_acfa_of_figure_1() -> None:
    s, _, _ = system(figure_1(), predicates=("state == 0", "old == 0"))
    infer_context(s, 1, False, [])
    acfa, mu = collapse(s.args[0], 0)
    assert simulates(acfa, s.args[0])
    assert set(mu) == {state for states in acfa.states for state in states}
    busy = [c for c in range(acfa.size) if any(s.skeletons[0].accesses[q] for q in acfa.anchors[c])]
    assert busy and all(acfa.label[c] == {0} for c in busy)  # x is touched only while state is not 0


def test_the_empty_context_simulates_nothing_that_moves() -> None:
    s, _, _ = system(figure_1())
    reach_and_build(s, 0, [empty(0)], (((0, 0), 1),), 1)
    assert not simulates(empty(0), s.args[0])


def test_the_graph_only_grows() -> None:
    s, _, _ = system(figure_1(), predicates=("state == 0", "old == 0"))
    reach_and_build(s, 0, [empty(0)], (((0, 0), 1),), 1)
    before = set(s.args[0].edges())
    acfa, _ = collapse(s.args[0], 0)
    reach_and_build(s, 0, [acfa], ((((0, min(acfa.start))), 1),), 1)
    assert before <= set(s.args[0].edges())


def test_without_predicates_an_abstract_race_is_found_and_refined() -> None:
    p = figure_1()
    s, known, kept = system(p)
    mus: list[dict[tuple[int, int, int], int]] = []
    with pytest.raises(AbstractError) as error:
        infer_context(s, 1, False, mus)
    outcome = refine(p, RaceOn("x"), s, mus, error.value.trace, known, kept, {})
    assert isinstance(outcome, Learnt) and outcome.predicates
    assert "state == 0" in [show(e) for e in known.shared]


def test_without_the_atomic_section_the_race_is_real() -> None:
    p = figure_1(atomic=False)
    s, known, kept = system(p, predicates=("state == 0", "old == 0"))
    mus: list[dict[tuple[int, int, int], int]] = []
    with pytest.raises(AbstractError) as error:
        infer_context(s, 1, False, mus)
    assert isinstance(refine(p, RaceOn("x"), s, mus, error.value.trace, known, kept, {}), Real)


# --------------------------------------------------------------------------------------------------- the unbounded check
THREE = """
    0 1 skip
    1 2 [n == 0]; n = 1
    1 3 [n == 1]; n = 2
    1 4 [n == 2]; n = 3
    2 5 skip
    3 6 skip
    4 6 skip
    6 7 x = 1
"""


def test_a_race_of_three_threads_is_not_hidden_by_k_1() -> None:
    p = program("x n", thread("w", THREE, atomic={1, 2, 3, 4}, count=None))
    s, _, _ = system(p, predicates=("n == 0", "n == 1", "n == 2"))
    infer_context(s, 1, False, [])  # with two threads only one of them writes x
    with pytest.raises(NotUnbounded):
        omega_check(s)


# --------------------------------------------------------------------------------------------------- traces and miners
def run_of(p: Program, *steps: tuple[int, int]) -> object:
    threads = [p.templates[0]] * (1 + max(t for t, _ in steps))
    return script(p, threads, [(t, p.templates[0].cfa.edges[i].op) for t, i in steps], ())


INFEASIBLE = ((0, 0), (0, 1), (0, 3), (0, 5), (0, 6))  # old = state = 0, yet state != 0


def test_trace_formulas() -> None:
    p = figure_1()
    good = decide(run_of(p, (0, 0), (0, 1), (0, 2), (0, 4), (0, 5), (0, 6)))
    assert isinstance(good, Feasible)
    bad = decide(run_of(p, *INFEASIBLE))
    assert isinstance(bad, Infeasible) and bad.core


@pytest.mark.parametrize("miner", [weakest_preconditions, interpolants, equalities, values])
def test_miners_find_predicates_over_one_thread(miner: object) -> None:
    p = figure_1()
    # Thread 1 holds the flag, then thread 0 takes it as if it were free.
    s = run_of(p, (1, 1), (1, 2), (1, 4), (1, 6), (0, 1), (0, 2))
    bad = decide(s)
    assert isinstance(bad, Infeasible)
    found = miner(s, bad)
    assert found
    assert all("@" not in show(e) for _, e in found)
    if miner in (weakest_preconditions, interpolants, values):
        assert any("state" in show(e) for _, e in found)


def test_localisation_names_what_excludes_the_trace() -> None:
    p = figure_1()
    s = run_of(p, *INFEASIBLE)
    bad = decide(s)
    assert isinstance(bad, Infeasible)
    assert (None, "state") in needed_variables(s, bad)


def test_an_assignment_that_reads_its_target_passes_the_need_on() -> None:
    p = program("x n", thread("w", "0 1 l = 5 / 1 2 n = l / 2 3 n = n + 1 / 3 4 [n == 0]", locals="l=*"))
    s = run_of(p, (0, 0), (0, 1), (0, 2), (0, 3))
    bad = decide(s)
    assert isinstance(bad, Infeasible)
    assert ("w", "l") in needed_variables(s, bad)


def test_what_takes_few_values_is_preferred_to_numbers_and_arrays() -> None:
    text = "0 1 n = n + 1 / 1 2 busy = 1 / 2 3 s = 2 / 3 4 s = 5 / 4 5 c = s"
    p = program("n busy s c a[2]", thread("w", text))
    cost = doubtful(p)
    assert cost[None, "busy"] == 2 and cost[None, "s"] == cost[None, "c"] == 3
    assert cost[None, "s"] < cost[None, "n"] < cost[None, "a"]


def test_a_reason_with_a_flag_is_preferred_to_one_with_a_number() -> None:
    p = program("n busy", thread("w", "0 1 [n == 7] / 1 2 [busy == 1] / 2 0 n = n + 1 / 2 0 busy = 1"))
    s = run_of(p, (0, 0), (0, 1))
    bad = decide(s, doubtful(p))
    assert isinstance(bad, Infeasible)
    assert needed_variables(s, bad) == [(None, "busy")]


def test_silent_ways_do_not_contradict_themselves() -> None:
    text = "0 1 f = 0 / 1 2 [f == 1] / 1 3 [f == 0] / 3 4 [y == 0] / 3 4 [y == 1] / 4 2 skip / 2 5 x = 1"
    p = program("x y", thread("w", text, locals="f=*"))
    s, _, _ = system(p, VariableSet())
    edges = p.templates[0].cfa.edges
    taken = [" / ".join(show_op(edges[i].op) for i in way) for way in ways(s.skeletons[0], 0, 2, {})]
    assert len(taken) == 2 and not any("f == 1" in way for way in taken)
    contradiction = Assume(expr("f == 1", {v.name: v for v in p.templates[0].locals}))
    assert after(p.templates[0], contradiction, {"f": Const(0, INT)}) is None


def test_silent_ways_go_around_loops_as_often_as_they_count() -> None:
    text = "0 1 i = 0 / 1 2 [i < 3] / 2 1 i = i + 1 / 1 3 [i >= 3] / 3 4 x = 1"
    p = program("x", thread("w", text, locals="i=*"))
    s, _, _ = system(p, VariableSet())
    assert ways(s.skeletons[0], 0, 3, {}) == [[0, 1, 2, 1, 2, 1, 2, 3]]


def test_reasons_without_loop_counters_are_preferred() -> None:
    text = "0 1 i = 0 / 1 2 [i == 5] / 2 3 [x == 1] / 1 1 i = i + 1"
    p = program("x", thread("w", text, locals="i=*"))
    s = run_of(p, (0, 0), (0, 1), (0, 2))
    bad = decide(s, doubtful(p))
    assert isinstance(bad, Infeasible)
    assert needed_variables(s, bad) == [(None, "x")]


# --------------------------------------------------------------------------------------------------- little by little
def test_a_question_that_was_left_goes_on_from_there() -> None:
    p, question = figure_1(), RaceOn("x")
    at_once = omega_circ()(p, question, Options(), silent)
    engine = omega_circ()
    little = engine(p, question, Options(), silent, effort=Effort(1, 10**9))
    assert isinstance(little, Unknown) and engine.paused is not None
    rest = engine(p, question, Options(), silent, effort=None)
    assert isinstance(at_once, Safe) and isinstance(rest, Safe) and engine.paused is None
    assert little.statistics.rounds >= 1
    assert (rest.statistics.rounds, rest.statistics.states) == (at_once.statistics.rounds, at_once.statistics.states)


def test_a_round_that_is_too_long_is_left_and_begun_again_with_more() -> None:
    p, question = figure_1(), RaceOn("x")
    engine = omega_circ()
    little = engine(p, question, Options(max_states=3), silent)
    assert isinstance(little, Unknown) and little.reason == "too many abstract states" and engine.paused is not None
    assert isinstance(engine(p, question, Options(), silent), Safe)


class _AllMoves(_PairClosure):
    """Goes through every move of a third thread."""

    def noticed_moves(self, t: int, q: int, mover: tuple[int, int], g: int) -> tuple[ContextMove, ...]:
        return self.acfas[mover[0]].moves[mover[1]].get(g, ())


def test_moves_of_a_third_thread_that_nobody_notices_lead_to_no_other_pairs() -> None:
    p = program("x state y", thread("w", TEST_AND_SET + "0 0 y = 1\n 6 6 y = 2", locals="old=* t=*", atomic={1, 2, 3, 4}))
    s, _, _ = system(p, predicates=("state == 0", "old == 0"))
    infer_context(s, 1, False, [])
    collapsed = [collapse(a, t) for t, a in enumerate(s.args)]
    few, all_ = (kind(s, tuple(a for a, _ in collapsed), tuple(mu for _, mu in collapsed)) for kind in (_PairClosure, _AllMoves))
    few.run()
    all_.run()
    assert few.pairs.reached.keys() == all_.pairs.reached.keys()
    moves = few.acfas[0].moves
    assert any(len(noticed) < len(moves[c].get(g, ())) for (_, _, (_, c), g), noticed in few.noticed.items())


def test_the_solver_s_work_counts_as_effort() -> None:
    engine = omega_circ()
    little = engine(figure_1(), RaceOn("x"), Options(), silent, effort=Effort(10**9, 1))
    assert isinstance(little, Unknown) and "solver" in little.reason and engine.paused is not None
    assert engine.paused.solver > 1


def test_another_question_begins_anew() -> None:
    p = figure_1()
    engine = omega_circ()
    engine(p, RaceOn("x"), Options(), silent, effort=Effort(1, 10**9))
    state = engine(p, RaceOn("state"), Options(), silent, effort=None)
    fresh = omega_circ()(p, RaceOn("state"), Options(), silent)
    assert type(state) is type(fresh) and engine.paused is None


def test_what_tells_which_cell_is_accessed_is_alive_at_the_access() -> None:
    p = program("a[2] head", thread("one", "0 1 i = head / 1 0 a[i] = 1", locals="i=*", count=1),
                thread("two", "0 1 j = head / 1 0 a[1 - j] = 1", locals="j=*", count=1))
    verdict = omega_circ()(p, RaceOn("a"), Options(switches={Technique.VALUES: False}), silent)
    assert isinstance(verdict, Safe) and isinstance(check_certificate(p, RaceOn("a"), verdict.certificate), Accepted)
