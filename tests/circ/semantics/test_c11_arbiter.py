"""The enumerator of C11 executions reproduces what the standard (RC11) allows and forbids of the litmus shapes."""

from __future__ import annotations

import itertools

import pytest

from tests.support.c11.executions import Sequences, behaviour
from tests.support.c11.programs import Add, Exchange, Fence, Litmus, Load, Op, Order, Plain, PlainLoad, PlainStore, Store, When

RLX, ACQ, REL, AR, SC = Order.RELAXED, Order.ACQUIRE, Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST


def w(x: str, value: int, order: Order) -> Store:
    return Store(x, value, order)


def r(into: str, x: str, order: Order) -> Load:
    return Load(into, x, order)


def allows(threads: list[list[Op]], *registers: dict[str, int]) -> bool:
    return behaviour(Litmus(tuple(map(tuple, threads)))).allows(*registers)


STORE_ORDERS, LOAD_ORDERS = (RLX, REL, SC), (RLX, ACQ, SC)


@pytest.mark.parametrize(("store", "load"), list(itertools.product(STORE_ORDERS, LOAD_ORDERS)))
def test_mp(store: Order, load: Order) -> None:
    threads = [[w("x", 1, RLX), w("y", 1, store)], [r("a", "y", load), r("b", "x", RLX)]]
    assert allows(threads, {}, {"a": 1, "b": 0}) == (not (store.releases and load.acquires))


def test_mp_with_fences() -> None:
    def mp(first: list[Op], second: list[Op]) -> bool:
        return allows([[w("x", 1, RLX), *first, w("y", 1, RLX)], [r("a", "y", RLX), *second, r("b", "x", RLX)]],
                      {}, {"a": 1, "b": 0})

    assert not mp([Fence(REL)], [Fence(ACQ)])
    assert not mp([Fence(SC)], [Fence(SC)])
    assert mp([Fence(ACQ)], [Fence(ACQ)])
    assert mp([Fence(REL)], [Fence(REL)])
    assert mp([Fence(REL)], []) and mp([], [Fence(ACQ)])


@pytest.mark.parametrize("orders", list(itertools.product((REL, SC), (ACQ, SC), repeat=2)))
def test_sb(orders: tuple[Order, Order, Order, Order]) -> None:
    a, b, c, d = orders
    threads = [[w("x", 1, a), r("a", "y", b)], [w("y", 1, c), r("b", "x", d)]]
    assert allows(threads, {"a": 0}, {"b": 0}) == (set(orders) != {SC})


def test_sb_with_fences() -> None:
    def sb(first: Order, second: Order) -> bool:
        return allows([[w("x", 1, RLX), Fence(first), r("a", "y", RLX)], [w("y", 1, RLX), Fence(second), r("b", "x", RLX)]],
                      {"a": 0}, {"b": 0})

    assert not sb(SC, SC)
    assert sb(SC, AR) and sb(AR, AR)


def test_lb() -> None:
    """Forbidden for every order in RC11, which has no values out of thin air."""
    assert not allows([[r("a", "x", RLX), w("y", 1, RLX)], [r("b", "y", RLX), w("x", 1, RLX)]], {"a": 1}, {"b": 1})
    assert allows([[r("a", "x", RLX), w("y", 1, RLX)], [r("b", "y", RLX), w("x", 1, RLX)]], {"a": 0}, {"b": 1})


def test_s() -> None:
    """The store of 1 comes last among those of x although it follows a read of what came after the store of 2: seen by a third."""
    def s(store: Order, load: Order) -> bool:
        return allows([[w("x", 2, RLX), w("y", 1, store)], [r("a", "y", load), w("x", 1, RLX)],
                       [r("b", "x", RLX), r("c", "x", RLX)]], {}, {"a": 1}, {"b": 1, "c": 2})

    assert s(RLX, ACQ) and s(REL, RLX)
    assert not s(REL, ACQ) and not s(SC, SC)


def test_r() -> None:
    def shape(a: Order, b: Order, c: Order, d: Order) -> bool:
        return allows([[w("x", 1, a), w("y", 1, b)], [w("y", 2, c), r("a", "x", d)], [r("b", "y", RLX), r("c", "y", RLX)]],
                      {}, {"a": 0}, {"b": 1, "c": 2})

    assert shape(REL, REL, REL, ACQ)
    assert not shape(SC, SC, SC, SC)


def test_2_plus_2w() -> None:
    def shape(order: Order) -> bool:
        return allows([[w("x", 1, order), w("y", 2, order)], [w("y", 1, order), w("x", 2, order)],
                       [r("a", "x", RLX), r("b", "x", RLX)], [r("c", "y", RLX), r("d", "y", RLX)]],
                      {}, {}, {"a": 2, "b": 1}, {"c": 2, "d": 1})

    assert shape(REL)
    assert not shape(SC)


@pytest.mark.parametrize(("order", "allowed"), [(RLX, True), (ACQ, True), (SC, False)])
def test_iriw(order: Order, allowed: bool) -> None:
    store = REL if order is ACQ else order
    threads = [[w("x", 1, store)], [w("y", 1, store)], [r("a", "x", order), r("b", "y", order)], [r("c", "y", order), r("d", "x", order)]]
    assert allows(threads, {}, {}, {"a": 1, "b": 0}, {"c": 1, "d": 0}) == allowed


def test_iriw_with_fences() -> None:
    def iriw(fence: Order) -> bool:
        return allows([[w("x", 1, RLX)], [w("y", 1, RLX)], [r("a", "x", RLX), Fence(fence), r("b", "y", RLX)],
                       [r("c", "y", RLX), Fence(fence), r("d", "x", RLX)]], {}, {}, {"a": 1, "b": 0}, {"c": 1, "d": 0})

    assert iriw(AR) and not iriw(SC)


def test_wrc() -> None:
    def wrc(store: Order, load: Order) -> bool:
        return allows([[w("x", 1, RLX)], [r("a", "x", ACQ), w("y", 1, store)], [r("b", "y", load), r("c", "x", RLX)]],
                      {}, {"a": 1}, {"b": 1, "c": 0})

    assert not wrc(REL, ACQ)
    assert wrc(RLX, ACQ) and wrc(REL, RLX)


def test_isa2() -> None:
    def isa2(order: Order) -> bool:
        return allows([[w("x", 1, RLX), w("y", 1, REL)], [r("a", "y", ACQ), w("z", 1, order)], [r("b", "z", ACQ), r("c", "x", RLX)]],
                      {}, {"a": 1}, {"b": 1, "c": 0})

    assert not isa2(REL) and isa2(RLX)


def test_corr() -> None:
    assert not allows([[w("x", 1, RLX)], [r("a", "x", RLX), r("b", "x", RLX)]], {}, {"a": 1, "b": 0})
    assert not allows([[w("x", 1, RLX), w("x", 2, RLX)], [r("a", "x", RLX), r("b", "x", RLX)]], {}, {"a": 2, "b": 1})
    assert not allows([[w("x", 1, RLX)], [w("x", 2, RLX)], [r("a", "x", RLX), r("b", "x", RLX)],
                       [r("c", "x", RLX), r("d", "x", RLX)]], {}, {}, {"a": 1, "b": 2}, {"c": 2, "d": 1})


def test_read_modify_writes_read_the_latest() -> None:
    assert not allows([[Add("a", "x", 1, RLX)], [Add("b", "x", 1, RLX)]], {"a": 0}, {"b": 0})
    assert not allows([[Exchange("a", "x", 1, RLX)], [Exchange("b", "x", 1, RLX)]], {"a": 0}, {"b": 0})


def test_races() -> None:
    def race(store: Order, load: Order) -> bool:
        threads = ((Plain("d", True), w("f", 1, store)), (r("a", "f", load), When("a", 1, True, (Plain("d", False),))))
        return behaviour(Litmus(threads)).may_race("d")

    assert not race(REL, ACQ) and not race(SC, SC)
    assert race(RLX, ACQ) and race(REL, RLX)


@pytest.mark.parametrize(("sequences", "expected"), [(Sequences.C17, False), (Sequences.CPP20, True)])
def test_release_sequences(sequences: Sequences, expected: bool) -> None:
    """A later relaxed store of the same thread is in the sequence in C17 only; another thread's change always is."""
    reader: tuple[Op, ...] = (r("a", "f", ACQ), When("a", 2, True, (Plain("d", False),)))
    own: tuple[Op, ...] = (Plain("d", True), w("f", 1, REL), w("f", 2, RLX))
    assert behaviour(Litmus((own, reader)), sequences).may_race("d") == expected
    third = Litmus(((Plain("d", True), w("f", 1, REL)), (Exchange("b", "f", 2, RLX),), (r("a", "f", ACQ), r("c", "f", RLX),
                    When("a", 2, True, (Plain("e", True),)))))
    assert not behaviour(third, sequences).may_race("d")
    through = Litmus(((Plain("d", True), w("f", 1, REL)), (Add("b", "f", 1, RLX), When("b", 1, False, (w("f", 5, RLX),))),
                      (r("a", "f", ACQ), When("a", 2, True, (Plain("d", False),)))))
    assert not behaviour(through, sequences).may_race("d")


def test_locks_that_are_tried_without_a_single_order() -> None:
    """Releasing one lock and failing to take another may happen in both threads: no order of the two locks is the only one."""
    def tried(mine: str, other: str) -> list[Op]:
        return [w(mine, 0, REL), Exchange("a", other, 1, ACQ), When("a", 1, True, (Plain("d", True),))]

    program = Litmus((tuple(tried("x", "y")), tuple(tried("y", "x"))), (("x", 1), ("y", 1)))
    assert behaviour(program).may_race("d")

def test_fences_in_wrc_and_isa2() -> None:
    def wrc(first: list[Op], second: list[Op]) -> bool:
        return allows([[w("x", 1, RLX)], [r("a", "x", RLX), *first, w("y", 1, RLX)], [r("b", "y", RLX), *second, r("c", "x", RLX)]],
                      {}, {"a": 1}, {"b": 1, "c": 0})

    def isa2(first: list[Op], second: list[Op], third: list[Op]) -> bool:
        return allows([[w("x", 1, RLX), *first, w("y", 1, RLX)], [r("a", "y", RLX), *second, w("z", 1, RLX)],
                       [r("b", "z", RLX), *third, r("c", "x", RLX)]], {}, {"a": 1}, {"b": 1, "c": 0})

    assert not wrc([Fence(AR)], [Fence(ACQ)]) and not wrc([Fence(REL)], [Fence(ACQ)])
    assert wrc([], [Fence(ACQ)]) and wrc([Fence(AR)], [])
    assert not isa2([Fence(REL)], [Fence(AR)], [Fence(ACQ)])
    assert isa2([Fence(REL)], [Fence(REL)], [Fence(ACQ)]) and isa2([Fence(REL)], [Fence(ACQ)], [Fence(ACQ)])


def test_fences_in_r_s_and_2_plus_2w() -> None:
    def shape_r(fence: Order) -> bool:
        return allows([[w("x", 1, RLX), Fence(fence), w("y", 1, RLX)], [w("y", 2, RLX), Fence(fence), r("a", "x", RLX)],
                       [r("b", "y", RLX), r("c", "y", RLX)]], {}, {"a": 0}, {"b": 1, "c": 2})

    def shape_s(first: list[Op], second: list[Op]) -> bool:
        return allows([[w("x", 2, RLX), *first, w("y", 1, RLX)], [r("a", "y", RLX), *second, w("x", 1, RLX)],
                       [r("b", "x", RLX), r("c", "x", RLX)]], {}, {"a": 1}, {"b": 1, "c": 2})

    def shape_2w(fence: Order) -> bool:
        return allows([[w("x", 1, RLX), Fence(fence), w("y", 2, RLX)], [w("y", 1, RLX), Fence(fence), w("x", 2, RLX)],
                       [r("a", "x", RLX), r("b", "x", RLX)], [r("c", "y", RLX), r("d", "y", RLX)]],
                      {}, {}, {"a": 2, "b": 1}, {"c": 2, "d": 1})

    assert shape_r(AR) and not shape_r(SC)
    assert shape_2w(AR) and not shape_2w(SC)
    assert not shape_s([Fence(REL)], [Fence(ACQ)]) and shape_s([Fence(REL)], []) and shape_s([], [Fence(ACQ)])


def test_accesses_that_are_not_atomic_race_with_those_that_are() -> None:
    def race(order: Order, *first: Op) -> bool:
        count = (*first, Add("r", "x", -1, order), When("r", 1, True, (PlainStore("x", 9),)))
        return behaviour(Litmus((count, count), (("x", 2),))).may_race("x")

    assert race(RLX) and race(REL) and race(ACQ) and not race(AR)
    assert race(AR, PlainLoad("q", "x")), "the other one may have counted by then"
