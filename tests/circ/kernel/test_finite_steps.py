"""The kernel's decision diagrams, and obligations decided on them: judged by sets written out and by the solver."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from circ.finite import refinement, thread_modular
from circ.kernel.finite.decisions import Decisions, Endless
from circ.kernel.finite.diagram_bodies import read_inductive
from circ.kernel.finite.inductive import InductiveCheck
from circ.kernel.other_kinds import check_any_kind
from circ.kernel.outcome import Accepted, Malformed, Refused
from circ.verdict import Assertions, Certificate, Options, RaceOn, Safe, Technique, silent
from frontend.api import LoadOptions, load
from frontend.program import Program
from tests.support.build import program, thread
from tests.support.corpus import ROOT
from tests.support.finite_programs import mux_sem_last, simple
from tests.support.finite_random import random_program

DOMAINS = ((0, 1), (0, 3), (-2, 300))
SAMPLE = ((0, 1), (0, 1, 2, 3), (-2, 0, 1, 2, 3, 300))
"""Values that stand for all: -2 and 300 are listed nowhere."""
STATES = list(itertools.product(*SAMPLE))


def random_set(sets: Decisions, rng: random.Random, depth: int = 3) -> tuple[int, Callable[[tuple[int, ...]], bool]]:
    """A set and what it should contain."""
    if depth == 0:
        variable = rng.randrange(3)
        values = tuple(v for v in range(4) if rng.random() < 0.5 and v <= DOMAINS[variable][1])
        return sets.among(variable, values), lambda s: s[variable] in values
    (a, f), (b, g) = random_set(sets, rng, depth - 1), random_set(sets, rng, depth - 1)
    match rng.randrange(3):
        case 0:
            return sets.both(a, b), lambda s: f(s) and g(s)
        case 1:
            return sets.either(a, b), lambda s: f(s) or g(s)
        case _:
            return sets.without(a), lambda s: not f(s)


@pytest.mark.parametrize("seed", range(40))
def test_diagrams_are_the_sets_they_stand_for(seed: int) -> None:
    rng = random.Random(seed)
    sets = Decisions(DOMAINS, 10_000)

    def contains(a: int, state: tuple[int, ...]) -> bool:
        return not sets.never_into((1,), a, dict(enumerate(state)), frozenset())

    (a, f), (b, g) = random_set(sets, rng), random_set(sets, rng)
    assert all(contains(a, s) == f(s) for s in STATES)
    assert sets.apart(a, b) == (not any(f(s) and g(s) for s in STATES))
    forgotten, changed = frozenset({rng.randrange(3)}), {rng.randrange(3): rng.randrange(2)}

    def near(s: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [t for t in STATES if all(t[n] == s[n] for n in range(3) if n not in forgotten)]

    assert all(contains(sets.forget(a, forgotten), s) == any(map(f, near(s))) for s in STATES)
    c, h = random_set(sets, rng)
    into = [s for s in STATES if f(s) and h(s) and any(g(tuple(changed.get(n, v) for n, v in enumerate(t))) for t in near(s))]
    assert sets.never_into((a, c), b, changed, forgotten - set(changed)) == (not into)
    assert sets.values(a, 1) == [v for v in range(4) if any(f(s) for s in STATES if s[1] == v)]


def test_values_without_a_bound_and_too_many_nodes_are_no_answer() -> None:
    with pytest.raises(Endless):
        Decisions(DOMAINS, 1000).values(1, 2)
    with pytest.raises(Endless):
        sets = Decisions([(0, 9)] * 9, 20)
        for n in range(9):
            sets.both(sets.among(n, (1, 2)), sets.among((n + 1) % 9, (3,)))


def proof(p: Program) -> Certificate | None:
    verdict = refinement.check(p, Assertions(), Options(switches={Technique.SYMMETRY: False}), silent)
    return verdict.certificate if isinstance(verdict, Safe) else None


def mutants(body: Any, rng: random.Random, count: int) -> list[Any]:
    """The body, and copies in which a node has lost or gained a value."""
    found = [body]
    for _ in range(count):
        new = copy.deepcopy(dict(body))
        _, branches = rng.choice([n for n in new["nodes"] if n[1]])
        values = rng.choice(branches)[0]
        if rng.random() < 0.7 and values:
            values.remove(rng.choice(values))
        else:
            values.append(rng.randrange(4))
        found.append(new)
    return found


@pytest.mark.parametrize("slice_", range(4))
def test_commands_and_solver_agree(slice_: int) -> None:
    """What the diagrams prove the solver proves; the other way round nearly always."""
    decided = proved = 0
    for seed in range(slice_ * 6, slice_ * 6 + 6):
        p = random_program(seed)
        certificate = proof(p)
        for body in mutants(certificate.body, random.Random(seed), 4) if certificate else ():
            try:
                check = InductiveCheck(p, Assertions(), read_inductive(p, body))
            except Malformed:
                continue
            for k, s in itertools.product(range(len(check.body.groups)), repeat=2):
                solved = check.keeps(k, (s, 1))
                proved += solved
                if check.commands is not None and check.commands.keeps(k, s):
                    decided += 1
                    assert solved, (seed, k, s)
    assert decided >= 0.9 * proved > 20


def first_step_only(check: Callable[..., Any], p: Program) -> bool:
    """Whether the proof's steps and pairs are decided without the solver."""
    verdict = check(p, Assertions(), Options(switches={Technique.SYMMETRY: False}), silent)
    assert isinstance(verdict, Safe)
    body = read_inductive(p, verdict.certificate.body)
    solved = InductiveCheck(p, Assertions(), body)
    assert isinstance(solved.outcome(), Accepted)
    # Each thread: its start (and its counters' start), its error locations; the invariants.
    return solved.solver.queries <= 2 * len(body.groups) + len(p.invariants)


@pytest.mark.parametrize("p", [simple(4), mux_sem_last(6)], ids=["simple", "last"])
@pytest.mark.parametrize("check", [refinement.check, thread_modular.check], ids=["refinement", "thread-modular"])
def test_numbered_threads_need_the_solver_for_their_start_and_errors_only(check: Callable[..., Any], p: Program) -> None:
    assert first_step_only(check, p)


def test_the_bakery_needs_no_solver_for_its_steps() -> None:
    """Of eight threads, it is what the solver gives up on."""
    assert first_step_only(refinement.check, load(ROOT / "benchmarks/protocols/bakery.c", LoadOptions(define=("N=4",))))


OWN = program("x:u2 y:u2", thread("p", "0 1 x = me; y = 1 / 1 0 [x == me]; x = 2", "me:u2=self", 2))
"""x is 0, 1 or 2."""


def certificate_of(facts: list[int], nodes: list[Any], p: Program = OWN, sections: list[int] | None = None) -> Certificate:
    groups = [{"template": 0, "copies": [c], "cells": [], "classes": []} for c in range(2)]
    body = {"sections": [sections or []], "groups": groups, "globals": [], "nodes": nodes, "facts": facts}
    return Certificate(p.fingerprint(), Assertions(), "inductive", body)


def no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(InductiveCheck, "keeps", lambda *_: False)


@pytest.mark.parametrize(("values", "good"), [([0, 1, 2], True), ([0, 1], False), ([0, 2], False), ([0, 1, 2, 3], True)])
def test_steps_of_all_threads_are_looked_at(values: list[int], good: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """2 is what a thread itself writes, 1 what only the second one does."""
    no_solver(monkeypatch)
    outcome = check_any_kind(OWN, Assertions(), certificate_of([2, 2], [[["global", "x", None], [[values, 1]]]]))
    assert isinstance(outcome, Accepted if good else Refused)


@pytest.mark.parametrize("node", [
    [["global", "x", None], [[[0, 1, 2, 4], 1]]],   # 4 is 0 to a solver of two bits
    [["global", "x", None], [[[-4, 1, 2], 1]]],
])
def test_values_outside_their_type_are_left_to_the_solver(node: Any) -> None:
    body = read_inductive(OWN, certificate_of([2, 2], [node]).body)
    assert InductiveCheck(OWN, Assertions(), body).commands is None


@pytest.mark.parametrize(("values", "good"), [([0, 1, 2, 3], True), ([0, 1, 2], False)])
def test_a_choice_is_every_value(values: list[int], good: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    no_solver(monkeypatch)
    p = program("x:u2", thread("p", "0 0 x = *", "me:u2=self", 2))
    found = check_any_kind(p, Assertions(), certificate_of([2, 2], [[["global", "x", None], [[values, 1]]]], p))
    assert isinstance(found, Accepted if good else Refused)


def test_a_choice_that_is_looked_at_is_left_to_the_solver() -> None:
    p = program("x:u2 y:u2", thread("p", "0 0 y = *; [y < 2]; x = y", "me:u2=self", 2))
    nodes: list[Any] = [[["global", "x", None], [[[0, 1], 1]]]]
    check = InductiveCheck(p, Assertions(), read_inductive(p, certificate_of([2, 2], nodes, p).body))
    assert check.commands is not None and not check.commands.keeps(0, 1) and check.keeps(0, (1, 1))


def test_a_wrong_step_is_not_hidden_by_a_section(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread inside a section sees no other one move, but moves itself, and others see what it did."""
    no_solver(monkeypatch)
    p = program("x:u2", thread("p", "0 1 x = 1 / 1 2 x = 3 / 2 0 x = 0", "me:u2=self", 2, atomic=[1, 2]))
    at = [["at"], [[[0, 1, 2], 1]]]
    everything = certificate_of([2, 2], [at], p, [1, 2])
    assert isinstance(check_any_kind(p, Assertions(), everything), Accepted)
    for x, good in (([0, 1, 3], True), ([0, 1], False)):
        found = check_any_kind(p, Assertions(), certificate_of([2, 2], [[["global", "x", None], [[x, 1]]]], p, [1, 2]))
        assert isinstance(found, Accepted if good else Refused)
    # While somebody else is inside, x is not 0; at 0 nobody is, unless `atomic` says so.
    inside = [[["global", "x", None], [[[0], 1]]], [["global", "x", None], [[[1, 3], 1]]], [["atomic"], [[[0], 2], [[1], 3]]]]
    assert isinstance(check_any_kind(p, Assertions(), certificate_of([4, 4], inside, p, [1, 2])), Accepted)
    inside[2] = [["atomic"], [[[0], 2], [[1], 2]]]
    assert isinstance(check_any_kind(p, Assertions(), certificate_of([4, 4], inside, p, [1, 2])), Refused)


def test_pairs_of_places_are_told_apart_on_diagrams() -> None:
    p = simple(3)
    certificate = proof(p)
    assert certificate is not None
    check = InductiveCheck(p, Assertions(), read_inductive(p, certificate.body))
    assert check.commands is not None
    assert check.commands.never(0, 1, [(1, 1), (2, 3)]) and not check.commands.never(0, 1, [(1, 1), (0, 0)])
    raced = replace(certificate, question=RaceOn("x"))
    assert isinstance(check_any_kind(p, RaceOn("x"), raced), Accepted)
