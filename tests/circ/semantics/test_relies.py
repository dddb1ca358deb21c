"""Assumptions of threads on explicit states: which step of whom breaks which of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from circ.semantics.evaluation import Undefined
from circ.semantics.interpreter import Machine
from circ.semantics.relies import Relies
from frontend import LoadOptions, load
from frontend.program import Program

LOCK = """#include <circ_locks.h>
int m, x;
//@ assumes m == \\tid ==> m' == \\tid && x' == x;
circ_threads(2) void f(void) { acq(m); x = x + 1; rel(m); }
"""


@pytest.fixture
def program(tmp_path: Path) -> Program:
    (tmp_path / "a.c").write_text(LOCK)
    return load(tmp_path / "a.c", LoadOptions(contracts=True))


def broken(program: Program, mover: int, before: dict[str, int | None], after: dict[str, int | None]) -> bool:
    """Whether a step of one of two threads from one store to another breaks what the other one assumes; their numbers are 1 and 2."""
    machine = Machine(program)
    threads = machine.start([0, 0], lambda v, thread: 0 if thread is None else thread + 1).threads
    stores = [tuple(store.get(v.name, 0) for v in program.globals) for store in (before, after)]
    return Relies(machine).broken([0, 0], threads, mover, stores[0], stores[1]) is not None


def test_only_the_holders_assumption_counts(program: Program) -> None:
    assert broken(program, 0, {"m": 2, "x": 5}, {"m": 2, "x": 6})
    assert broken(program, 0, {"m": 2}, {"m": 0})
    assert not broken(program, 1, {"m": 2, "x": 5}, {"m": 2, "x": 6})  # its own step breaks nothing of its own
    assert not broken(program, 0, {"m": 1, "x": 5}, {"m": 1, "x": 6})  # the lock is the mover's
    assert not broken(program, 0, {"m": 0}, {"m": 1})
    assert not broken(program, 0, {"m": 2, "x": 5}, {"m": 2, "x": 5})


def test_an_open_value_is_no_answer(program: Program) -> None:
    with pytest.raises(Undefined):
        broken(program, 0, {"m": 2, "x": 5}, {"m": 2, "x": None})


def test_without_assumptions_nothing_breaks(program: Program) -> None:
    assert not broken(replace(program, relies=()), 0, {"m": 2}, {"m": 0})
