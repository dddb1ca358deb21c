"""Iterative refinement: complete, on diagrams and on counters, with traces that replay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import symbolic_baselines as baseline
from circ.finite import cartesian, refinement, thread_modular
from circ.finite.product import Product
from circ.finite.symbolic import SymbolicModular, SymbolicSystem, hidden, predicates, split
from circ.finite.system import OutOfDomain, build
from circ.kernel.other_kinds import check_any_kind
from circ.kernel.outcome import Accepted
from circ.kernel.replay import Replayed, replay
from circ.verdict import Assertions, Options, Question, RaceOn, Refuted, Safe, Technique, Unknown, Verdict, silent, word
from frontend.api import load
from frontend.program import Program, Variable
from tests.support.build import program, thread
from tests.support.corpus import ROOT, read_example
from tests.support.finite_programs import mux_sem, mux_sem_count, mux_sem_last, peterson, simple
from tests.support.finite_programs import test_and_set as broken
from tests.support.finite_random import random_program

WAYS = {"as chosen": {}, "diagrams": {Technique.SYMMETRY: False}, "counters": {Technique.SYMBOLIC: False}}


def run(p: Program, way: str, question: Question = Assertions()) -> Verdict:  # noqa: B008
    return refinement.check(p, question, Options(switches=WAYS[way]), silent)


def confirmed(p: Program, question: Question, verdict: Verdict) -> bool:
    if isinstance(verdict, Safe):
        return isinstance(check_any_kind(p, question, verdict.certificate), Accepted)
    return isinstance(verdict, Refuted) and isinstance(replay(p, verdict.trace), Replayed)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("p", "safe"), [
    (mux_sem(4), True), (mux_sem_last(4), True), (mux_sem_count(3, 4), True), (simple(3), True), (peterson(), True),
    (peterson(right=False), False), (broken(3), False), (simple(2, owner=False), True),
], ids=["mux-sem", "last", "count", "simple", "peterson", "peterson-broken", "test-and-set", "simple-bit"])
def test_the_papers_protocols(p: Program, safe: bool, way: str) -> None:
    verdict = run(p, way)
    assert isinstance(verdict, Safe if safe else Refuted)
    assert confirmed(p, Assertions(), verdict)


def test_one_refinement_and_one_predicate_for_each_thread_of_mux_sem() -> None:
    """Table 1 has one refinement and two predicates a thread; classes of values with one cofactor need one."""
    s = SymbolicSystem(build(mux_sem(5), Assertions(), symmetry=False))
    first = SymbolicModular(s, hidden(s), lambda: None).run()
    classes = split(s, hidden(s), first.join & s.error())
    assert predicates(classes) == 5
    assert SymbolicModular(s, classes, lambda: None).run().join & s.error() == s.false


def test_identical_threads_cost_at_most_their_number() -> None:
    few, many = run(mux_sem(3), "as chosen"), run(mux_sem(300), "as chosen")
    assert isinstance(many, Safe) and many.statistics.states <= 150 * few.statistics.states
    assert confirmed(mux_sem(300), Assertions(), many)


@pytest.mark.parametrize("p", [mux_sem(4), broken(3), mux_sem_count(2, 3), peterson(right=False)])
def test_the_baselines_agree(p: Program) -> None:
    system = build(p, Assertions(), symmetry=False)
    expected = isinstance(run(p, "as chosen"), Safe)
    assert baseline.breadth_first(system, lambda: None).safe is expected
    assert baseline.chaining(system, lambda: None).safe is expected


def test_a_range_that_holds_helps_and_one_that_does_not_is_no_proof() -> None:
    def ranged(p: Program, high: int) -> Program:
        def narrow(v: Variable) -> Variable:
            return replace(v, range=(0, high)) if v.name == "r" else v

        return replace(p, globals=tuple(map(narrow, p.globals)))

    p = program("r w", thread("reader", "0 1 [w == 0]; r = r + 1 / 1 0 r = r - 1", count=3),
                thread("writer", "0 1 [w == 0 and r == 0]; w = 1 / 1 2 [r != 0] / 1 0 w = 0", count=1, errors=[2]))
    verdict = run(ranged(p, 3), "as chosen")
    assert isinstance(verdict, Safe) and confirmed(ranged(p, 3), Assertions(), verdict)
    for way in WAYS:
        verdict = run(ranged(p, 2), way)
        assert isinstance(verdict, Unknown) and "outside its range" in verdict.reason


@pytest.mark.parametrize("kind", ["u8", "i32"])
def test_a_range_does_not_hide_values_that_are_chosen(kind: str) -> None:
    """A choice is any value of the type: the range is no proof that it is not."""
    p = program(f"x:{kind}", thread("p", "0 0 x = *", count=2), invariants=["x <= 3"])
    ranged = replace(p, globals=tuple(replace(v, range=(0, 3)) for v in p.globals))
    for way in WAYS:
        assert isinstance(run(ranged, way), Refuted)
    assert not isinstance(thread_modular.check(ranged, Assertions(), Options(), silent), Safe)
    assert isinstance(cartesian.check(ranged, Assertions(), Options(), silent), Refuted)


def test_where_nothing_exposed_is_more_than_the_product_everything_is() -> None:
    """What others can do to a counter of 8 bits is anything; what they do is little."""
    for most, good in ((2, True), (1, False)):
        p = program("m:u8=2 n:u8", thread("p", "0 1 [m > 0]; m = m - 1 / 1 2 n = n + 1 / 2 3 n = n - 1 / 3 0 m = m + 1", count=4),
                    invariants=[f"n <= {most}"])
        verdict = refinement.check(p, Assertions(), Options(max_states=5_000), silent)
        assert isinstance(verdict, Safe if good else Refuted) and confirmed(p, Assertions(), verdict)


def test_start_states_without_number_are_told_at_once() -> None:
    p = program("x", thread("p", "0 1 a[i] = 0 / 1 2 [a[0] == 0]", "a:u8[3]=* i:u2=* me=self", 2))
    verdict = thread_modular.check(p, Assertions(), Options(), silent)
    assert isinstance(verdict, Unknown) and "start states" in verdict.reason


def test_an_index_outside_an_array_is_no_proof() -> None:
    p = program("a[2] i:u2", thread("w", "0 1 i = 3 / 1 2 a[i] = 1 / 2 3 [i == 0]", count=1, errors=[3]))
    for way in WAYS:
        assert isinstance(run(p, way), Unknown)


@pytest.mark.parametrize("seed", range(36))
def test_random_programs_exactly(seed: int) -> None:
    p = random_program(seed)
    questions: list[Question] = [RaceOn("g0")]
    if p.invariants or any(t.cfa.errors or t.cfa.critical for t in p.templates):
        questions.append(Assertions())
    for question in questions:
        try:
            wrong = Product(build(p, question, symmetry=False), Options(max_states=20_000)).search()
        except OutOfDomain:
            continue
        way = tuple(WAYS)[seed % len(WAYS)]
        verdict = run(p, way, question)
        assert isinstance(verdict, Safe if wrong is None else Refuted), (seed, question, way)
        assert confirmed(p, question, verdict)


PROTOCOLS = sorted((ROOT / "benchmarks" / "protocols").glob("*.c"))


@pytest.mark.parametrize("path", PROTOCOLS, ids=lambda p: p.stem)
def test_every_protocol_has_the_verdict_in_its_header(path: Path) -> None:
    p = load(path)
    for expected in read_example(path).expectations:
        question: Question = Assertions() if expected.subject == "asserts" else RaceOn(expected.subject)
        verdict = refinement.check(p, question, Options(), silent)
        assert word(question, verdict) == expected.verdict
        assert confirmed(p, question, verdict)
