"""The kernel for invariants of finite programs: it accepts what the engines prove and refuses everything else."""

from __future__ import annotations

import copy
import random
from dataclasses import replace
from typing import Any

import pytest

from circ.finite import cartesian, refinement, thread_modular
from circ.kernel.finite import inductive
from circ.kernel.other_kinds import check_any_kind
from circ.kernel.outcome import Accepted, Refused
from circ.run.check import confirmed
from circ.smt import Solver
from circ.verdict import Answer, Assertions, Certificate, Options, Safe, Technique, Unknown, silent
from frontend.program import Program
from tests.support.finite_programs import mux_sem, peterson, sections, simple
from tests.support.finite_programs import test_and_set as broken

CASES = {
    "thread-modular": (simple(2), thread_modular.check, {}),
    "counters": (mux_sem(3), refinement.check, {}),
    "diagrams": (peterson(), refinement.check, {Technique.SYMMETRY: False}),
    "exceptions": (peterson(), cartesian.check, {}),
    "lock": (sections(3, 1), cartesian.check, {}),
}


def proof(case: str) -> tuple[Program, Certificate]:
    p, check, switches = CASES[case]
    verdict = check(p, Assertions(), Options(switches=switches), silent)
    assert isinstance(verdict, Safe)
    return p, verdict.certificate


def judged(p: Program, certificate: Certificate) -> object:
    return check_any_kind(p, Assertions(), certificate)


@pytest.mark.parametrize("case", CASES)
def test_a_proof_is_accepted_and_bound_to_its_program(case: str) -> None:
    p, certificate = proof(case)
    assert isinstance(judged(p, certificate), Accepted)
    assert isinstance(judged(p, replace(certificate, program="0" * 64)), Refused)


@pytest.mark.parametrize("case", CASES)
def test_the_true_invariant_is_refused(case: str) -> None:
    """`true` is inductive but does not exclude the error."""
    p, certificate = proof(case)
    body = copy.deepcopy(dict(certificate.body))
    if "facts" in body:
        body["facts"] = [1] * len(body["facts"])
    else:
        body["rows"] = [[1, [1] * len(body["rows"][0][1])]]
    assert isinstance(judged(p, replace(certificate, body=body)), Refused)


def numbers(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all numbers in plain JSON data."""
    if isinstance(data, dict):
        return [q for k in sorted(data) for q in numbers(data[k], (*path, k))]
    if isinstance(data, list):
        return [q for i, v in enumerate(data) for q in numbers(v, (*path, i))]
    return [path] if isinstance(data, int) and not isinstance(data, bool) else []


def mutated(body: Any, rng: random.Random) -> Any:
    """The body with one number changed, or one list entry dropped."""
    new = copy.deepcopy(body)
    *path, last = rng.choice(numbers(new))
    at = new
    for key in path:
        at = at[key]
    if rng.random() < 0.3 and isinstance(at, list) and len(at) > 1:
        del at[last]
    else:
        at[last] += rng.choice([-1, 1, 2])
    return new


@pytest.mark.parametrize("case", [c for c in CASES if c != "thread-modular"])
def test_no_mutant_proves_a_wrong_program(case: str) -> None:
    """Transferred to a program with the same shape that is wrong, neither the proof nor any mutant is accepted."""
    _, certificate = proof(case)
    rng = random.Random(case)
    wrong = {"counters": broken(3), "diagrams": peterson(right=False), "exceptions": peterson(right=False),
             "lock": broken(3)}[case]
    for n in range(40):
        body = certificate.body if n == 0 else mutated(certificate.body, rng)
        assert isinstance(judged(wrong, replace(certificate, program=wrong.fingerprint(), body=body)), Refused)


@pytest.mark.parametrize("case", CASES)
def test_most_mutants_are_refused(case: str) -> None:
    """A mutant may happen to be another proof (a wider set, an unused number), but a checker that sleeps accepts nearly all."""
    p, certificate = proof(case)
    rng = random.Random(case)
    verdicts = [judged(p, replace(certificate, body=mutated(certificate.body, rng))) for _ in range(40)]
    assert sum(isinstance(v, Refused) for v in verdicts) >= 20


def test_threads_that_know_their_numbers_are_not_exchanged() -> None:
    p, certificate = proof("thread-modular")
    body = copy.deepcopy(dict(certificate.body))
    body["groups"] = [{**body["groups"][0], "copies": [0, 1]}]
    body["facts"] = body["facts"][:1]
    found = judged(p, replace(certificate, body=body))
    assert isinstance(found, Refused) and "not identical" in found.detail


@pytest.mark.parametrize("change", [
    {"facts": "x"}, {"groups": []}, {"nodes": [[["at"], [[[0], 99]]]]}, {"extra": 1}, {"sections": [[0]]},
    {"globals": [["nothing", None, [[0, 1, 0]]]]}, {"facts": [10_000]},
])
def test_malformed_bodies_are_refused(change: dict[str, Any]) -> None:
    p, certificate = proof("counters")
    assert isinstance(judged(p, replace(certificate, body={**certificate.body, **change})), Refused)


def test_a_solver_that_gives_up_is_a_limit_and_no_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    p, certificate = proof("diagrams")
    monkeypatch.setattr(inductive, "Solver", lambda effort: Solver(effort=1))
    outcome = judged(p, certificate)
    assert isinstance(outcome, Refused) and outcome.limit
    answer = confirmed(p, Answer(Assertions(), "asserts", Safe(certificate), "refinement"))
    assert isinstance(answer.verdict, Unknown) and "limits" in answer.verdict.reason and not answer.verdict.bug
