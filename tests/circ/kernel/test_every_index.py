"""Certificates that say something of every index of an array: accepted where it holds, refused where it does not."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from circ.kernel.certificate import Accepted, Outcome, Refused, check_certificate
from circ.verdict import Certificate, RaceOn
from frontend.program import Program
from tests.support.build import program, thread

STEPS = "0 1 v = a[l] / 1 2 [v > 1] / 2 3 x = 1 / 1 4 a[l] = {} / 4 0 l = *"
SMALL = "(<= a[@any:u64]:u64 1:u64)"


def made(written: str = "1", start: str = "", atomic: frozenset[int] = frozenset()) -> Program:
    """Threads that copy elements of an array about and race on x if they find one that is greater than 1."""
    return program(f"x a:u64[4]{start}", thread("w", STEPS.format(written), "l:u64=* v:u64=*", atomic=atomic))


def body(claim: str = SMALL) -> dict[str, Any]:
    places = [(p, q) for p in (0, 1) for q in (0, 1)]
    return {
        "classes": [[0, 1, 2, 2, 0]],
        "formulas": [claim, "(<= v@1:u64 1:u64)", "(<= v@2:u64 1:u64)"],
        "pairs": [[0, p, 0, q, [[1] * p + [2] * q]] for p, q in places],
        "every": [[0, p, 0, q, [[0]]] for p, q in places],
    }


def check(target: Program, claims: dict[str, Any]) -> Outcome:
    return check_certificate(target, RaceOn("x"), Certificate(target.fingerprint(), RaceOn("x"), "pairs", claims))


@pytest.mark.parametrize("written", ["1", "0", "v", "a[0]", "a[v]"])
def test_what_holds_of_every_element_holds_of_the_one_that_is_read(written: str) -> None:
    assert isinstance(check(made(written), body()), Accepted)


@pytest.mark.parametrize(("written", "start", "claim", "where"), [
    ("2", "", SMALL, "S1"),
    ("v + 1", "", SMALL, "S1"),
    ("l", "", SMALL, "S1"),
    ("1", "=5", SMALL, "Init"),
    ("1", "=*", SMALL, "Init"),
    ("1", "", "(<= a[@any:u64]:u64 2:u64)", "S1"),
    ("1", "", "(|| (!= @any:u64 0:u64) (<= a[@any:u64]:u64 1:u64))", "S1"),
])
def test_what_does_not_is_refused(written: str, start: str, claim: str, where: str) -> None:
    outcome = check(made(written, start), body(claim))
    assert isinstance(outcome, Refused) and outcome.obligation == where


def test_it_is_for_conjunctions_without_atomic_locations() -> None:
    either = copy.deepcopy(body())
    either["every"][0][-1] = [[0], [1]]
    assert isinstance(check(made(), either), Refused)
    inside = made(atomic=frozenset((4,)))
    claims = {**body(), "classes": [[0, 1, 2, 2, 4]]}
    outcome = check(inside, claims)
    assert isinstance(outcome, Refused) and outcome.obligation == "every"


def test_the_index_is_named_nowhere_else() -> None:
    claims = body()
    claims["pairs"][0][-1] = [[0]]
    assert isinstance(check(made(), claims), Refused)


@pytest.mark.parametrize(("claim", "kind"), [(SMALL, Accepted), (f"(|| (== @any:u64 2:u64) {SMALL})", Refused)])
def test_what_is_said_of_one_element_follows_for_another_one_after_the_step(claim: str, kind: type[Outcome]) -> None:
    """n goes on to an element that the step does not look at; that it is small, too, is known of every element only."""
    target = program("x n:u64 a:u64[4]=1", thread("w", "0 0 n = n + 1 / 0 1 [a[n] > 1] / 1 2 x = 1"))
    claims = {"classes": [[0, 1, 1]], "formulas": [claim, "(<= a[n:u64]:u64 1:u64)"],
              "pairs": [[0, 0, 0, 0, [[1]]]], "every": [[0, 0, 0, 0, [[0]]]]}
    outcome = check(target, claims)
    assert isinstance(outcome, kind), outcome
