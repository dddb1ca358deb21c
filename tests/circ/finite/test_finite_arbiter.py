"""A fixed slice of the arbiter of the thread-modular family; and the arbiter itself catches engines that lie."""

from __future__ import annotations

import pytest

from circ.finite import refinement
from circ.verdict import Options, Question, Refuted, Safe, Unknown, Verdict, silent
from frontend.program import Program
from tests.support.finite_arbiter import Tally, automata, functions


def decided(tally: Tally, name: str) -> tuple[int, int]:
    """How many right programs the engine proved, and how many wrong ones it refuted."""
    return tally.said[name, "Safe", "right"], tally.said[name, "Refuted", "wrong"]


@pytest.mark.parametrize("seeds", [range(5000, 5012), range(5012, 5024)], ids=str)
def test_no_engine_of_the_family_is_wrong(seeds: range) -> None:
    tally = automata(seeds)
    assert not tally.faults, str(tally)
    assert decided(tally, "refinement") == decided(tally, "explicit")
    assert min(decided(tally, "explicit")) > 2, "too few programs of a kind"
    assert tally.said["thread-modular", "Safe", "right"] > 2 and not decided(tally, "thread-modular")[1]


@pytest.mark.parametrize("recursive", [False, True])
def test_functions_with_a_stack(recursive: bool) -> None:
    tally = functions(range(300, 315), recursive)
    assert not tally.faults, str(tally)
    name = "pushdown, recursion" if recursive else "pushdown"
    assert tally.said[name, "Safe", "not known" if recursive else "right"] > 2
    assert tally.said[name, "Unknown", "wrong"] > 2


def honest(program: Program, question: Question) -> Verdict:
    return refinement.check(program, question, Options(), silent)


def silent_on_safe(program: Program, question: Question) -> Verdict:
    verdict = honest(program, question)
    return Unknown("no") if isinstance(verdict, Safe) else verdict


class LastProof:
    """Says of every program what it has proved of an earlier one."""

    def __init__(self) -> None:
        self.kept: Safe | None = None

    def __call__(self, program: Program, question: Question) -> Verdict:
        verdict = honest(program, question)
        if isinstance(verdict, Safe):
            self.kept = self.kept or verdict
        return self.kept or verdict


def wrong_run(program: Program, question: Question) -> Verdict:
    verdict = honest(program, question)
    if isinstance(verdict, Refuted) and verdict.trace.steps:
        trace = verdict.trace
        return Refuted(type(trace)(trace.program, trace.question, trace.threads, trace.start, trace.steps[:-1], trace.accesses))
    return verdict


@pytest.mark.parametrize("liar", [silent_on_safe, LastProof(), wrong_run])
def test_liars_are_caught(liar) -> None:  # type: ignore[no-untyped-def]
    seeds = range(5000, 5008)
    assert not automata(seeds, {"refinement": honest}).faults
    assert automata(seeds, {"refinement": liar}).faults
