"""Replay of runs under weak memory orders: accepted as they are found, refused with any part changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from circ.kernel.outcome import Refused
from circ.kernel.replay import Replayed, replay
from circ.run.certificate_files import dump, parse
from circ.search.weak_runs import WeakRuns
from circ.verdict import Options, RaceOn, Refuted, Trace, silent
from frontend import LoadOptions
from frontend.program import Program
from tests.support.randomc.arbiter import load_text

DEKKER = """
#include <pthread.h>
#include <stdatomic.h>
int x;
atomic_int a, b;
void *first(void *arg) { atomic_store_explicit(&a, 1, memory_order_STORE); if (!atomic_load_explicit(&b, memory_order_acquire)) x = 1; return arg; }
void *second(void *arg) { atomic_store_explicit(&b, 1, memory_order_STORE); if (!atomic_load_explicit(&a, memory_order_acquire)) x = 2; return arg; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, first, 0); pthread_create(&t, 0, second, 0); return 0; }
"""


def found(program: Program) -> Trace:
    verdict = WeakRuns()(program, RaceOn("x"), Options(), silent)
    assert isinstance(verdict, Refuted)
    return verdict.trace


@pytest.fixture(scope="module")
def program() -> Program:
    return load_text(DEKKER.replace("STORE", "release"))


@pytest.fixture(scope="module")
def trace(program: Program) -> Trace:
    return found(program)


def test_accepted_and_always_the_same(program: Program, trace: Trace) -> None:
    assert isinstance(replay(program, trace), Replayed)
    assert found(program) == trace
    assert any(step.source is not None for step in trace.steps), "some load gives an old value"


def test_every_step_is_needed(program: Program, trace: Trace) -> None:
    """The run was shortened."""
    for n in range(len(trace.steps)):
        assert isinstance(replay(program, replace(trace, steps=trace.steps[:n] + trace.steps[n + 1:])), Refused)


def test_not_as_an_interleaving(program: Program, trace: Trace) -> None:
    assert isinstance(replay(program, replace(trace, earlier=None)), Refused)
    latest = tuple(replace(s, source=None) for s in trace.steps)
    assert isinstance(replay(program, replace(trace, steps=latest)), Refused)


@pytest.mark.parametrize("source", [-2, 0, 99])
def test_no_other_store_can_be_read(program: Program, trace: Trace, source: int) -> None:
    steps = tuple(s if s.source is None else replace(s, source=source) for s in trace.steps)
    assert isinstance(replay(program, replace(trace, steps=steps)), Refused)


def test_another_first_access(program: Program, trace: Trace) -> None:
    assert trace.earlier is not None
    for n in (-1, 0, trace.earlier - 1, len(trace.steps)):
        assert isinstance(replay(program, replace(trace, earlier=n)), Refused)
    one, two = trace.accesses
    assert isinstance(replay(program, replace(trace, accesses=(two, one))), Refused)
    assert isinstance(replay(program, replace(trace, accesses=(one, one))), Refused)


def test_a_load_that_reads_anything_is_no_step_of_it(program: Program, trace: Trace) -> None:
    number = next(n for n, s in enumerate(trace.steps) if s.source is not None)
    step = trace.steps[number]
    edges = program.template(trace.threads[step.thread]).cfa.edges
    stale = next(e for e, edge in enumerate(edges) if edge.stale and edge.source == edges[step.edge].source)
    steps = (*trace.steps[:number], replace(step, edge=stale, source=None), *trace.steps[number + 1:])
    assert isinstance(replay(program, replace(trace, steps=steps)), Refused)


def test_with_seq_cst_there_is_none() -> None:
    program = load_text(DEKKER.replace("STORE", "seq_cst").replace("acquire", "seq_cst").replace("int x;", "int x; atomic_int c;")
                        .replace("return arg;", "atomic_fetch_add_explicit(&c, 1, memory_order_relaxed); return arg;"))
    assert not isinstance(WeakRuns()(program, RaceOn("x"), Options(), silent), Refuted)


def test_written_and_read(program: Program, trace: Trace) -> None:
    text = dump(trace, LoadOptions())
    assert parse(text)[0] == trace
