"""Verdicts on random programs with all memory orders agree with all executions of C11."""

from __future__ import annotations

from tests.support.c11.random_orders import examine


def test_no_wrong_verdict() -> None:
    tally = examine(range(150))
    assert not tally.faults, str(tally)
    assert tally.counts["safe", "no race"] > 2 * tally.counts["unknown", "no race"]
