"""Proofs by a list of states: accepted if the list is closed and shows no race, refused when one state is missing, bad or no state."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from circ.kernel.outcome import Accepted, Outcome, Refused
from circ.kernel.reachable import check_reachable
from circ.verdict import Assertions, Certificate, ProofKind, Question, RaceOn
from frontend.program import Program
from tests.support.build import program, thread

HANDOVER = program("x s", thread("v", "0 1 x = 1 / 1 2 s = 1", count=1), thread("w", "0 1 [s == 1] / 1 2 x = 2", count=1))
X = RaceOn("x")
BODY: dict[str, Any] = {
    "globals": [[0, 0], [1, 0], [1, 1], [2, 1]],
    "threads": [[[0, []], [1, []], [2, []]]] * 2,
    "states": [[0, 0, 0], [1, 1, 0], [2, 2, 0], [2, 2, 1], [3, 2, 2]],
    "open": {"globals": [], "locals": [[], []]},
    "forget": [[[], [], []]] * 2,
}


def check(body: Any, p: Program = HANDOVER, question: Question = X) -> Outcome:
    return check_reachable(p, Certificate(p.fingerprint(), question, ProofKind.REACHABLE, body))


def refused(outcome: Outcome, obligation: str) -> bool:
    return isinstance(outcome, Refused) and outcome.obligation == obligation


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    body = copy.deepcopy(BODY)
    change(body)
    return body


def test_a_closed_list_without_a_race_is_a_proof() -> None:
    assert check(BODY) == Accepted()
    assert check(changed(lambda b: b["states"].append([2, 2, 2]))) == Accepted()  # a state that nobody reaches does no harm
    assert check(changed(lambda b: b["states"].reverse())) == Accepted()
    assert check(changed(lambda b: b["open"]["globals"].append("y"))) == Accepted()  # nor does a name of nothing


@pytest.mark.parametrize("missing", range(5))
def test_no_state_can_be_left_out(missing: int) -> None:
    outcome = check(changed(lambda b: b["states"].pop(missing)))
    assert refused(outcome, "closure" if missing else "start")


def test_a_state_that_shows_the_race_is_refused() -> None:
    assert refused(check(changed(lambda b: b["states"].append([0, 0, 1]))), "safety")
    racy = program("x s", thread("v", "0 1 x = 1 / 1 2 s = 1", count=1), thread("w", "0 1 [s == 0] / 1 2 x = 2", count=1))
    assert isinstance(check(BODY, racy), Refused)


def test_the_question_decides_what_is_bad() -> None:
    wrong = program("x s", thread("v", "0 1 x = 1 / 1 2 s = 1", count=1),
                    thread("w", "0 1 [s == 1] / 1 2 x = 2", count=1, errors={2}))
    assert check(BODY, wrong) == Accepted()
    assert refused(check(BODY, wrong, Assertions()), "safety")
    assert check(BODY, HANDOVER, Assertions()) == Accepted()


def test_variables_at_will() -> None:
    """A value that is not kept is open in every listed state; the race must not depend on it."""
    opened = changed(lambda b: b["open"]["globals"].append("x"))
    assert refused(check(opened), "start")
    opened["globals"] = [[None, 0], [None, 0], [None, 1], [None, 1]]
    assert check(opened) == Accepted()
    flag = changed(lambda b: b["open"]["globals"].append("s"))
    flag["globals"] = [[0, None], [1, None], [1, None], [2, None]]
    assert refused(check(flag), "closure")  # w need not wait any more


def test_threads_of_a_template_are_interchangeable() -> None:
    twins = program("s", thread("w", "0 1 [s == 0]; s = 1", count=2))
    body = {"globals": [[0], [1]], "threads": [[[0, []], [1, []]]], "states": [[0, 0, 0], [1, 0, 1]],
            "open": {"globals": [], "locals": [[]]}, "forget": [[[], []]]}
    assert check(body, twins, Assertions()) == Accepted()
    assert refused(check({**body, "states": [[0, 0, 0]]}, twins, Assertions()), "closure")


def test_any_number_of_threads_has_no_such_proof() -> None:
    assert refused(check(BODY, program("x s", thread("v", "0 1 x = 1"), thread("w", "0 1 x = 2", count=1))), "counts")


@pytest.mark.parametrize("change", [
    pytest.param(lambda b: b["states"].append([0, 0]), id="a thread is missing"),
    pytest.param(lambda b: b["states"].append([4, 0, 0]), id="no such globals"),
    pytest.param(lambda b: b["states"].append([-1, 0, 0]), id="counted from the end"),
    pytest.param(lambda b: b["states"].append([0, 0, True]), id="no number"),
    pytest.param(lambda b: b["globals"].append([0]), id="a value is missing"),
    pytest.param(lambda b: b["globals"].append([0, "1"]), id="a text for a value"),
    pytest.param(lambda b: b["threads"][0].append([3, []]), id="no such location"),
    pytest.param(lambda b: b["threads"][0].append([0, [1]]), id="no such local"),
    pytest.param(lambda b: b["threads"].pop(), id="a template is missing"),
    pytest.param(lambda b: b["open"]["locals"].pop(), id="locals of a template are missing"),
    pytest.param(lambda b: b["forget"][0][0].append(0), id="no such local to forget"),
    pytest.param(lambda b: b.update(more=[]), id="a key too many"),
    pytest.param(lambda b: b.pop("open"), id="a key is missing"),
])
def test_what_is_no_list_of_states_is_refused(change: Callable[[dict[str, Any]], object]) -> None:
    assert refused(check(changed(change)), "format")
