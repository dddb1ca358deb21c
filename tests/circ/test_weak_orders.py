"""Weak memory orders from end to end: programs with known verdicts, random ones against all executions of C11, what is reported."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import frontend
from circ.cli import app
from tests.support.c11.random_orders import examine, examine_many, examine_mixed
from tests.support.corpus import PROGRAMS, Example, collect
from tests.support.randomc.sanitizer import said_of

EXAMPLES = collect(PROGRAMS / "weak")


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.path.stem for e in EXAMPLES])
def test_as_the_header_says(example: Example) -> None:
    hard = any(x.verdict == "unknown" for x in example.expectations)
    words = said_of(frontend.load(str(example.path)), 2 if hard else 60)
    for expected in example.expectations:
        assert words[expected.subject].replace("possible race", "unknown") == expected.verdict, expected.subject


def test_no_wrong_verdict_on_random_programs() -> None:
    tally = examine(range(60))
    assert not tally.faults, str(tally)
    assert tally.counts["safe", "no race"] > 2 * tally.counts["unknown", "no race"]
    assert tally.counts["race", "race"] > 2 * tally.counts["unknown", "race"]


def test_no_wrong_verdict_on_mixed_accesses_and_any_number_of_threads() -> None:
    for tally in (examine_mixed(range(8)), examine_many(range(6))):
        assert not tally.faults, str(tally)
        assert sum(tally.counts.values()) >= 6


def shown(name: str, *options: str) -> str:
    return CliRunner().invoke(app, ["check", str(PROGRAMS / "weak" / name), *options]).stdout


def test_what_is_missing_is_named() -> None:
    assert "nothing orders line 11 before line 23: the store at line 12 is relaxed; memory_order_release there would, as the load " \
           "at line 21 acquires" in shown("message_relaxed_store.c")
    assert "the load at line 21 is relaxed; memory_order_acquire there would" in shown("message_relaxed_load.c")
    dekker = shown("dekker_acquire_release.c")
    assert "(old value, the one at the start)" in dekker and "memory_order_seq_cst" in dekker


def test_what_is_assumed_is_not_sequential_consistency() -> None:
    said = shown("message_relaxed_store.c")
    assert "assuming: no race on what is not proved" in said and "sequential consistency" not in said


def test_the_proof_names_what_hands_over() -> None:
    assert "memory orders: value 1 of 'ready' hands over 'message.length': stored at line 15 with release, read at line 24 with " \
           "acquire" in shown("message_release_acquire.c", "--explain")
    ticket = shown("ticket.c", "--explain")
    assert "a value of 'now_serving' hands over 'queue_length': stored at line 16 with release, read at line 13 with acquire" in ticket
    assert "'next_ticket' hands nothing over" in ticket
    fences = shown("message_fences.c", "--explain")
    assert "stored at line 13 with a release fence before it, read at line 19 with an acquire fence behind it" in fences
    dekker = shown("dekker_fences.c", "--explain")
    assert "memory orders: fences that are sequentially consistent (lines 12, 21) put the accesses to 'a', 'b' into one order" in dekker
