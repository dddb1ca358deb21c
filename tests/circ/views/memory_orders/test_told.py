"""Flags whose values tell something: what they are, what follows from reading one, and that each condition is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from circ.views.memory_orders import happens_before, orders
from circ.views.memory_orders.told import Told, flags
from frontend.program import Const, Edge, MemoryOrder, Op, Program
from tests.support.c11.programs import Add, Exchange, Litmus, Load, Order, Plain, Store, When, c_text
from tests.support.c11.views_attacked import faults_of, verdicts
from tests.support.randomc.arbiter import load_text

RLX, ACQ, REL = Order.RELAXED, Order.ACQUIRE, Order.RELEASE
D = Plain("d", True)


def forwarded(store: Order, load: Order) -> Litmus:
    """What the first thread did is handed over by x, and on by y."""
    return Litmus(((D, Store("x", 1, store), Load("p", "x", ACQ)), (Load("q", "x", load), When("q", 1, True, (Store("y", 1, REL),))),
                   (Load("r", "y", ACQ), When("r", 1, True, (D,)))))


BY_ANOTHER = Litmus(((D, Store("x", 1, REL)), (Store("x", 1, REL),), (Load("r", "x", ACQ), When("r", 1, True, (D,)))))
"""A thread that knows nothing stores the same value."""

LATER = Litmus(((Store("x", 1, REL),), (Load("r", "x", ACQ), When("r", 1, True, (D,))), (D,)))
"""Nothing orders the third thread."""
AFTER_ALL = Litmus(((D, Store("y", 1, RLX)), (Store("x", 1, REL),),
                    (Load("q", "y", RLX), When("q", 1, True, (Load("r", "x", ACQ), When("r", 1, True, (D,)))))))
"""The third thread comes after the first by a relaxed flag, and learns from one that knows nothing."""


def views(litmus: Litmus) -> dict[str, bool]:
    return dict(verdicts(load_text(c_text(litmus)), "d"))


def test_which_values_tell_something() -> None:
    def told(*ops: Store | Add | Exchange, start: int = 0) -> tuple[list[int], list[int]] | None:
        found = flags(load_text(c_text(Litmus((ops, (Load("r", "x", ACQ), D)), (("x", start),)))))
        return ([v.value for v in found["x"].released], [v.value for v in found["x"].other]) if "x" in found else None

    assert told(Store("x", 1, REL), Store("x", 2, RLX)) == ([1], [0, 2])
    assert told(Exchange("q", "x", 2, Order.ACQ_REL), start=1) == ([2], [1])
    assert told(Store("x", 1, REL), Store("x", 1, RLX)) is None, "not all stores of the value release"
    assert told(Store("x", 1, REL), start=1) is None, "it is there at the start"
    assert told(Store("x", 1, REL), Add("q", "x", 1, REL)) is None, "there may be any value"


def test_plain_accesses_store_values_that_tell_nothing() -> None:
    text = c_text(Litmus(((Store("x", 1, REL), Store("x", 2, REL)), (Load("r", "x", ACQ), D))))
    program = load_text(text.replace("atomic_int x", "int x").replace("atomic_store_explicit(&x, 2, memory_order_release)", "x = 2")
                        .replace("atomic_store_explicit(&x", "__atomic_store_n(&x").replace("atomic_load_explicit(&x", "__atomic_load_n(&x"))
    assert [v.value for v in flags(program)["x"].other] == [0, 2]


def test_what_is_handed_on_is_proved_with_every_focus() -> None:
    found = views(forwarded(REL, ACQ))
    assert len(found) > 5 and all(proved for view, proved in found.items() if view.startswith("orders focus")), found
    assert found["happens-before focus None plain "]


@pytest.mark.parametrize("litmus", [forwarded(RLX, ACQ), forwarded(REL, RLX), BY_ANOTHER, LATER, AFTER_ALL])
def test_what_is_not_handed_on_is_not_proved(litmus: Litmus) -> None:
    assert not faults_of(litmus, "hand-made").faults
    assert not any(views(litmus).values())


# --------------------------------------------------------------------------------------------------- mutants
def _all_released(program: Program) -> dict[str, Told]:
    return {name: Told(name, (*told.released, *(v for v in told.other if v.value)), tuple(v for v in told.other if not v.value))
            for name in program.accesses if (told := _any_value(program, name)) is not None}


def _any_value(program: Program, name: str) -> Told | None:
    type_ = program.variable(name).type
    return Told(name, (), (Const(0, type_), Const(1, type_))) if name in ("x", "y") else None


_told_reads = orders.told_reads


def _all_acquire(e: Edge, told: Told) -> Iterator[tuple[Const | None, Op]]:
    return _told_reads(replace(e, accesses=tuple(replace(a, order=MemoryOrder.ACQUIRE) for a in e.accesses)), told)


def _marks_only(self: happens_before._Thread, e: Edge) -> Iterator[Op]:
    return (op for op in _shows(self, e) if "does not know" not in str(op))


_shows = happens_before._Thread._shows


@pytest.mark.parametrize(("where", "name", "wrong", "litmus"), [
    (orders, "flags", _all_released, forwarded(RLX, ACQ)),
    (orders, "told_reads", _all_acquire, forwarded(REL, RLX)),
    (orders, "marks", lambda e, told: [], LATER),
    (happens_before._Thread, "_shows", _marks_only, AFTER_ALL)])
def test_each_condition_is_needed(where: object, name: str, wrong: Callable[..., object], litmus: Litmus,
                                  monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it a program that races is proved."""
    monkeypatch.setattr(where, name, wrong)
    found = faults_of(litmus, "mutant").faults
    assert found, "the mutant lives"
