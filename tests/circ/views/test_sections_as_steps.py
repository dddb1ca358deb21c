"""Atomic sections as single steps: the same races, and proofs and traces about it speak of the program."""

from __future__ import annotations

from dataclasses import replace

import pytest

from circ.inference.omega_circ import engine
from circ.kernel.certificate import check_certificate
from circ.kernel.outcome import Accepted, Refused
from circ.kernel.replay import Replayed, replay
from circ.search.explicit import answer, oracle
from circ.verdict import Certificate, Options, RaceOn, Refuted, Safe, Unknown, silent
from circ.views.on_sections import OnSections
from circ.views.sections_as_steps import sections_as_steps
from frontend.program import Program
from tests.support.build import program, thread
from tests.support.randomc.automata import random_program

CLAIM = "0 1 [1 == 1] / 1 2 old = state / 2 3 [old == 0] / 2 4 [old != 0] / 3 4 state = 1 / 4 5 [old == 0] / 4 0 [old != 0] / "
TEST_AND_SET = program("x state", thread("w", CLAIM + "5 6 x = 1 / 6 0 state = 0", locals="old=*", atomic={1, 2, 3}))
FORGETS = program("x state", thread("w", CLAIM.replace("3 4 state = 1", "3 4 state = 0") + "5 6 x = 1 / 6 0 state = 0",
                                    locals="old=*", atomic={1, 2, 3}))
X = RaceOn("x")


def steps(p: Program) -> Program:
    found = sections_as_steps(p)
    assert found is not None
    return found.program


def test_each_way_through_a_section_is_a_step() -> None:
    found = sections_as_steps(TEST_AND_SET)
    assert found is not None
    assert found.paths["w"][:2] == ((0, 1, 2, 4), (0, 1, 3)) and not found.program.templates[0].cfa.atomic
    taken, missed = found.program.templates[0].cfa.edges[:2]
    assert str(taken) == "0 --[1 == 1]; old = state; [old == 0]; state = 1--> 4" and taken.protected and not taken.accesses
    assert str(missed) == "0 --[1 == 1]; old = state; [old != 0]--> 4"


LOOP = "0 1 [1 == 1] / 1 2 l = *  / 2 1 [l != 0] / 2 3 [l == 0] / 3 4 [1 == 1] / 4 5 x = 1 / 5 0 x = 2"


def test_a_section_with_a_loop_stays_and_so_does_what_shares_it() -> None:
    found = sections_as_steps(program("x", thread("w", LOOP, locals="l=*", atomic={1, 2, 4})))
    assert found is not None
    assert found.program.templates[0].cfa.atomic == {1, 2}
    assert (4, 5) in found.paths["w"]
    shared = "0 1 [1 == 1] / 0 2 [1 == 1] / 1 2 x = 1 / 1 1 x = 2 / 2 3 x = 3"
    assert sections_as_steps(program("x", thread("w", shared, atomic={1, 2}))) is None


@pytest.mark.parametrize("change", [
    pytest.param(lambda p: replace(p, race_model="c11"), id="accesses in sections count in c11"),
    pytest.param(lambda p: _without_protection(p), id="an access that is not protected counts"),
    pytest.param(lambda p: _with_moving_cell(), id="a global decides on a cell"),
    pytest.param(lambda p: replace(p, templates=tuple(
        replace(t, cfa=replace(t.cfa, critical=frozenset({2}))) for t in p.templates)), id="a critical section inside"),
])
def test_what_would_change_the_answers_is_left_alone(change) -> None:  # type: ignore[no-untyped-def]
    assert sections_as_steps(change(TEST_AND_SET)) is None


def _with_moving_cell() -> Program:
    return program("x state i a[2]", thread("w", CLAIM + "5 6 x = 1 / 6 0 a[i] = 0", locals="old=*", atomic={1, 2, 3}))


def test_a_cell_that_moves_inside_a_section_is_no_part_of_a_race() -> None:
    inside = CLAIM.replace("state = 1", "state = 1; a[i] = 0") + "5 6 x = 1 / 6 0 x = 2"
    found = sections_as_steps(program("x state i a[2]", thread("w", inside, locals="old=*", atomic={1, 2, 3})))
    assert "a[i]" in inside and found is not None and not found.program.templates[0].cfa.atomic


def _without_protection(p: Program) -> Program:
    (t,) = p.templates
    edges = tuple(replace(e, protected=e.protected and e.source != 2) for e in t.cfa.edges)
    return replace(p, templates=(replace(t, cfa=replace(t.cfa, edges=edges)),))


@pytest.mark.parametrize("seed", range(300))
def test_the_races_are_the_same(seed: int) -> None:
    p = replace(random_program(seed), race_model="nesc")
    found = sections_as_steps(p)
    if found is None:
        return
    for v in p.shared:
        whole, short = (oracle(each, RaceOn(v.name), 2, 20_000) for each in (p, found.program))
        assert whole == short or None in (whole, short)


def test_random_programs_have_sections_that_become_steps() -> None:
    found = [sections_as_steps(replace(random_program(seed), race_model="nesc")) for seed in range(300)]
    assert sum(s is not None for s in found) > 60


def test_a_proof_about_the_steps_is_one_about_the_program() -> None:
    verdict = engine()(TEST_AND_SET, X, Options(), silent)
    assert isinstance(verdict, Safe) and verdict.certificate.kind == "sections"
    assert isinstance(check_certificate(TEST_AND_SET, X, verdict.certificate), Accepted)
    body = verdict.certificate.body
    assert isinstance(check_certificate(FORGETS, X, Certificate(FORGETS.fingerprint(), X, "sections", body)), Refused)
    c11 = replace(TEST_AND_SET, race_model="c11")
    assert isinstance(check_certificate(c11, X, Certificate(c11.fingerprint(), X, "sections", body)), Refused)


@pytest.mark.parametrize("seed", range(150))
def test_a_race_among_the_steps_is_one_of_the_program(seed: int) -> None:
    p = replace(random_program(seed), race_model="nesc")
    for v in p.shared:
        verdict = OnSections(answer)(p, RaceOn(v.name), Options(max_states=3_000), silent)
        if isinstance(verdict, Refuted):
            assert isinstance(replay(p, verdict.trace), Replayed)
        else:
            assert isinstance(verdict, Safe | Unknown)


def test_values_that_a_section_leaves_open_go_to_their_steps() -> None:
    p = program("x", thread("w", "0 1 a = * / 1 2 b = * / 2 3 [a > b] / 2 4 [a <= b] / 3 5 [b == 7] / 3 4 [b != 7] / 5 0 x = 1",
                            locals="a=* b=*", atomic={1, 2}))
    verdict = engine()(p, X, Options(), silent)
    assert isinstance(verdict, Refuted)
    assert isinstance(replay(p, verdict.trace), Replayed)
    assert {c.value for s in verdict.trace.steps for c in s.choices if c.variable == "b"} == {7}


@pytest.mark.parametrize("body", [{}, {"kind": "pairs"}, {"kind": "sections", "body": {}}, {"kind": "no", "body": {}}])
def test_hostile_bodies_are_refused(body: dict[str, object]) -> None:
    assert isinstance(check_certificate(TEST_AND_SET, X, Certificate(TEST_AND_SET.fingerprint(), X, "sections", body)), Refused)
