"""Variables that `seq_cst` fences make behave like sequentially consistent ones: which they are, and that each condition is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from circ.views.memory_orders import fenced
from circ.views.memory_orders.fenced import fenced_variables
from frontend.program import FENCE, Access, AccessKind, MemoryOrder
from tests.support.c11.programs import Exchange, Fence, Litmus, Load, Op, Order, Plain, Store, When, c_text
from tests.support.c11.random_orders import random_fences
from tests.support.c11.views_attacked import faults_of, verdicts
from tests.support.randomc.arbiter import load_text

RLX, ACQ, REL, ACQ_REL, SC = Order.RELAXED, Order.ACQUIRE, Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST
D = Plain("d", True)


def looks(other: str, *then: Op, value: int = 0, order: Order = RLX) -> tuple[Op, ...]:
    return Load(f"r{other}", other, order), When(f"r{other}", value, True, then)


DEKKER = Litmus(((Store("x", 1, RLX), Fence(SC), *looks("y", D)), (Store("y", 1, RLX), Fence(SC), *looks("x", D))))
WEAK_FENCE = Litmus(((Store("x", 1, RLX), Fence(ACQ_REL), *looks("y", D)), (Store("y", 1, RLX), Fence(SC), *looks("x", D))))
WRONG_SIDE = Litmus(((Fence(SC), Store("x", 1, RLX), *looks("y", D)), (Store("y", 1, RLX), Fence(SC), *looks("x", D))))
TAKEN_OVER = Litmus(((Store("x", 1, REL),), (Fence(SC), *looks("x", *looks("y", D, order=ACQ), value=1, order=ACQ)),
                     (Store("y", 1, RLX), Fence(SC), *looks("x", D, order=ACQ))))
"""The second thread takes over from the first behind its fence, and then looks: its fence says nothing about that."""
BOTH_WRITE = Litmus(((Store("x", 1, RLX), Fence(SC), *looks("y", D)), (Store("y", 1, RLX), Fence(SC), *looks("x", D)),
                     (Store("x", 0, RLX),)))
CHANGED = Litmus(((Store("x", 1, RLX), Fence(SC), *looks("y", D)), (Exchange("q", "y", 1, RLX), Fence(SC), *looks("x", D))))


@pytest.mark.parametrize(("litmus", "names"), [
    (DEKKER, {"x", "y"}), (WEAK_FENCE, {"x"}), (WRONG_SIDE, {"x"}), (TAKEN_OVER, {"x"}), (BOTH_WRITE, {"y"}), (CHANGED, {"x"})])
def test_which(litmus: Litmus, names: set[str]) -> None:
    assert fenced_variables(load_text(c_text(litmus))) == names


def test_dekker_is_proved() -> None:
    proved = [view for view, proves in verdicts(load_text(c_text(DEKKER)), "d") if proves]
    assert any(f"focus {FENCE}" in view for view in proved)


@pytest.mark.parametrize("litmus", [DEKKER, WEAK_FENCE, WRONG_SIDE, TAKEN_OVER, BOTH_WRITE, CHANGED])
def test_no_view_proves_what_races(litmus: Litmus) -> None:
    assert not faults_of(litmus, "hand-made").faults


def test_random() -> None:
    found = [faults_of(random_fences(seed), f"seed {seed}") for seed in range(12)]
    assert not [fault for one in found for fault in one.faults]


_behind = fenced._behind


def _strong_fences(known: frozenset[str], a: Access, candidates: frozenset[str]) -> frozenset[str]:
    return _behind(known, replace(a, order=MemoryOrder.SEQ_CST) if a.variable == FENCE else a, candidates)


def _stores_pass(known: frozenset[str], a: Access, candidates: frozenset[str]) -> frozenset[str]:
    return _behind(known, a, frozenset())


def _loads_take_nothing(known: frozenset[str], a: Access, candidates: frozenset[str]) -> frozenset[str]:
    return known if a.kind is AccessKind.ATOMIC and not a.write and a.variable != FENCE else _behind(known, a, candidates)


@pytest.mark.parametrize(("wrong", "litmus"), [
    (_strong_fences, WEAK_FENCE), (_stores_pass, WRONG_SIDE), (_loads_take_nothing, TAKEN_OVER)])
def test_each_condition_is_needed(wrong: Callable[..., frozenset[str]], litmus: Litmus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it a program that races is proved."""
    monkeypatch.setattr(fenced, "_behind", wrong)
    assert any(f"focus {FENCE}" in fault for fault in faults_of(litmus, "hand-made").faults)
