"""The view without the stale reads that memory orders exclude: what stays, and that each of its conditions is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from circ.views.memory_orders import orders
from circ.views.memory_orders.orders import is_weak, ordered
from circ.views.memory_orders.reads import focusable
from frontend.program import FENCE, AccessKind, Cfa, Const, Program, show_op
from tests.support.c11.random_orders import examine
from tests.support.randomc.arbiter import load_text

TEXT = """
#include <pthread.h>
#include <stdatomic.h>
int data, plain;
atomic_int flag, lock, count, row[2];
void *worker(void *arg)
{
    data = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
        ;
    atomic_store_explicit(&lock, 0, memory_order_release);
    atomic_fetch_add_explicit(&count, 1, memory_order_acq_rel);
    row[(long)arg] = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        data = 2;
    }
    return atomic_load(&count) + row[data & 1];
}
"""


@pytest.fixture(scope="module")
def program() -> Program:
    return load_text(TEXT)


def stale(program: Program, name: str) -> list[str]:
    """The operations of the steps that may read an old value of the variable."""
    return [show_op(e.op) for t in program.templates for e in t.cfa.edges if e.stale and any(a.variable == name for a in e.accesses)]


def test_which_variables_can_be_the_focus(program: Program) -> None:
    assert is_weak(program)
    assert [n for n in program.accesses if focusable(program, n)] == [n for n in program.accesses if n in ("flag", "lock", "count")]


def test_a_lock_may_still_look_taken(program: Program) -> None:
    """What only acquires is not released: the value 1 may be read at any time, 0 is the latest."""
    assert [op for op in stale(ordered(program, "lock"), "lock") if "= 1" in op] == stale(ordered(program, "lock"), "lock") != []
    assert any("= *" in op for op in stale(ordered(program, "flag"), "lock"))


def test_who_reads_an_old_value_passes_no_acquire_fence(program: Program) -> None:
    seen = ordered(program, "flag")
    assert stale(seen, "flag") and all("<blind> = 1" in op for op in stale(seen, "flag"))
    fences = [show_op(e.op) for t in seen.templates for e in t.cfa.edges for a in e.accesses
              if a.variable == FENCE and a.order.acquires]
    assert fences and all("<blind> == 0" in op for op in fences)


def test_relaxed_loads_as_plain_ones(program: Program) -> None:
    seen = ordered(program, "flag", plain=True)
    assert not stale(seen, "flag")
    kinds = {(a.write, a.kind) for _, _, a in seen.accesses["flag"]}
    assert kinds == {(True, AccessKind.ATOMIC), (False, AccessKind.DATA)}


def test_what_is_sequentially_consistent(program: Program) -> None:
    assert not stale(ordered(program, None), "row[]")
    assert stale(ordered(program, "flag"), "row[]")


# --------------------------------------------------------------------------------------------------- mutants
def _all_exact(program: Program, focus: str | None) -> Iterator[str]:
    return (name for name in program.accesses if name != FENCE)


def _all_release(program: Program, focus: str, fences: bool) -> tuple[Const, ...]:
    return ()


def _everywhere(cfa: Cfa) -> frozenset[int]:
    return frozenset(range(cfa.size))


@pytest.mark.parametrize(("name", "wrong", "seed"), [
    ("exact_variables", _all_exact, 5), ("_unreleased", _all_release, 7), ("_behind_release", _everywhere, 31)])
def test_each_condition_is_needed(name: str, wrong: Callable[..., object], seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it some random program that races is proved."""
    assert not examine([seed]).faults
    monkeypatch.setattr(orders, name, wrong)
    assert any("safe" in fault for fault in examine([seed]).faults)
