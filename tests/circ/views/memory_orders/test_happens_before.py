"""The view with happens-before as data: what is handed on, what may be asked, and that each of its conditions is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from circ.views.memory_orders import happens_before
from circ.views.memory_orders.fenced import loads_and_stores_only
from circ.views.memory_orders.happens_before import PAST, only_threads, traceable, with_past
from frontend.program import FALSE, FENCE, Access, AccessKind, Edge, Expr, MemoryOrder, Op, Program, show_op
from tests.support.c11.programs import Add, Exchange, Litmus, Load, Order, Plain, Store, When, c_text
from tests.support.c11.views_attacked import attack, faults_of, verdicts
from tests.support.randomc.arbiter import load_text

RLX, ACQ, REL = Order.RELAXED, Order.ACQUIRE, Order.RELEASE
D = Plain("d", True)

STALE_TURN = Litmus((
    (Store("y", 1, REL), Store("y", 2, REL), Add("q", "x", 1, RLX), D),
    (Add("q", "x", 1, RLX), When("q", 1, True, (Load("r", "y", ACQ), When("r", 1, True, (D,)))))))
"""The second thread comes later by the count, and may read the turn that has passed: nothing hands over."""
BROKEN = Litmus(((D, Store("y", 1, REL)), (Load("q", "y", RLX), When("q", 1, True, (Store("y", 2, RLX),))),
                 (Load("r", "y", ACQ), When("r", 2, True, (D,)))))
"""Another thread's store breaks the release sequence."""
CONTINUED = Litmus(((D, Store("y", 1, REL)), (Exchange("q", "y", 2, RLX), ), (Load("r", "y", ACQ), When("r", 2, True, (D,)))))
"""An exchange goes on with it, but may come first."""

TEXT = """
#include <pthread.h>
#include <stdatomic.h>
int data, other[4];
atomic_int flag, turn, count;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
void *worker(void *arg)
{
    while (atomic_load_explicit(&turn, memory_order_acquire) != 1)
        ;
    data = 1;
    pthread_mutex_lock(&mutex);
    other[(long)arg] = 1;
    pthread_mutex_unlock(&mutex);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    atomic_store_explicit(&turn, 1, memory_order_release);
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        data = 2;
    }
    pthread_mutex_lock(&mutex);
    other[1] = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(t, 0);
    return data + other[0];
}
"""


@pytest.fixture(scope="module")
def program() -> Program:
    return load_text(TEXT)


def steps(view: Program, part: str) -> list[str]:
    return [show_op(e.op) for t in view.templates for e in t.cfa.edges if part in show_op(e.op)]


def test_what_can_be_asked_and_taken_for_plain(program: Program) -> None:
    assert only_threads(program) and traceable(program, "data") and not traceable(program, "flag")
    assert [loads_and_stores_only(program, name) for name in ("turn", "flag", "count", "data")] == [True, True, False, False]


def test_what_hands_on(program: Program) -> None:
    view = with_past(program, "flag", (), "data")
    assert all("<flag carries> = <knew at release fence>" in op for op in steps(view, "flag = 1"))
    assert steps(view, "<knows behind acquire fence> || <flag carries>"), "a relaxed load keeps it for a fence"
    assert steps(view, "<knows> = <knows> || <knows behind acquire fence>")
    assert any("__circ_mutex == 0" in op and "mutex carries>" in op for op in steps(view, "<knows> = <knows> ||"))
    assert any("created> carries> = <knows>" in op for op in steps(view, "created> = 1"))
    assert any("done> carries>" in op for op in steps(view, "<knows> ||")), "who joins knows"
    assert not steps(view, "<turn carries>"), "its reads may be stale"
    assert steps(with_past(program, "flag", ("turn",), "data"), "<turn carries> = <knows>")


def test_one_access_is_the_past(program: Program) -> None:
    view = with_past(program, None, (), "data")
    marked = steps(view, "<a write> = 1")
    assert len(marked) == 2 and all("!(<a write> || <a read>)" in op and "<knows> = 1" in op for op in marked)
    assert {t for t, _, _ in view.accesses[PAST.name]} == {0, 1, 2}


def test_who_waits_reads_anything_and_any_other_read_is_exact(program: Program) -> None:
    view = with_past(program, None, ("turn",), "turn")
    [worker] = [t for t in view.templates if t.name == "worker"]
    reads = [e for e in worker.cfa.edges if any(a.variable == "turn" for a in e.accesses)]
    assert {e.source == e.target for e in reads if e.stale} == {True}
    assert {e.source == e.target for e in reads if not e.stale} == {False}
    assert steps(view, "<turn before a> = turn; turn = 1")
    assert steps(view, "[<turn before a> == 1]"), "the value that was there before must let the load pass"


def test_elements_are_told_apart_and_unknown_ones_are_any(program: Program) -> None:
    view = with_past(program, None, (), "other[]")
    assert steps(view, "<a element> = ") and steps(view, "<a element> == 0")
    [t, n] = next((t, n) for t, template in enumerate(program.templates) for n, e in enumerate(template.cfa.edges)
                  if any(a.variable == "other[]" for a in e.accesses))
    template = program.templates[t]
    edges = list(template.cfa.edges)
    edges[n] = replace(edges[n], accesses=tuple(replace(a, whole=True) for a in edges[n].accesses))
    blurred = replace(program, templates=tuple(
        replace(x, cfa=replace(x.cfa, edges=tuple(edges))) if i == t else x for i, x in enumerate(program.templates)))
    assert steps(with_past(blurred, None, (), "other[]"), "<a element> = *")


# --------------------------------------------------------------------------------------------------- against all executions
def test_no_view_proves_what_races() -> None:
    found = attack(range(24))
    assert not found.faults
    assert found.counts["happens-before", "proved"] > 20


@pytest.mark.parametrize("litmus", [STALE_TURN, BROKEN, CONTINUED])
def test_hand_made(litmus: Litmus) -> None:
    assert not list(faults_of(litmus, "hand-made").faults)
    assert len(list(verdicts(load_text(c_text(litmus)), "d"))) > 3


_learns, _shows = happens_before._Thread._learns, happens_before._Thread._shows


def _with(e: Edge, order: MemoryOrder, write: bool) -> Edge:
    def strong(a: Access) -> Access:
        atomic = a.kind is AccessKind.ATOMIC and a.variable != FENCE and a.write == write
        return replace(a, order=order) if atomic else a

    return replace(e, accesses=tuple(map(strong, e.accesses)))


def _all_acquire(self: Any, e: Edge) -> Iterator[Op]:
    return _learns(self, _with(e, MemoryOrder.ACQUIRE, False))


def _all_release(self: Any, e: Edge) -> Iterator[Op]:
    return _shows(self, _with(e, MemoryOrder.RELEASE, True))


def _all_change(self: Any, e: Edge, a: Access) -> bool:
    return True


def _never_stale(self: Any, e: Edge, read: object) -> Iterator[Expr]:
    yield FALSE


@pytest.mark.parametrize(("name", "wrong", "program"), [
    ("_learns", _all_acquire, 9), ("_shows", _all_release, 7), ("_changes", _all_change, BROKEN), ("_seen", _never_stale, STALE_TURN)])
def test_each_condition_is_needed(name: str, wrong: Callable[..., object], program: int | Litmus,
                                  monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it a program that races is proved."""
    monkeypatch.setattr(happens_before._Thread, name, wrong)
    found = attack([program]) if isinstance(program, int) else faults_of(program, "hand-made")
    assert any("happens-before" in fault for fault in found.faults)
