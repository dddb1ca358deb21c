"""Which two accesses make a race: the table of both race models, and elements that are the same or not."""

from __future__ import annotations

from itertools import product

from circ.semantics.conflicts import clash, conflict, ready
from circ.semantics.interpreter import Machine
from frontend.program import SKIP, Access, AccessKind, Edge, Scalar, Var
from tests.support.build import program, thread

X, Y = Var("x", Scalar(32, True)), Var("y", Scalar(32, True))


def edge(protected: bool = False) -> Edge:
    return Edge(0, 1, SKIP, (), protected)


def test_the_table() -> None:
    for model, write, other, one, two in product(("nesc", "c11"), *((False, True),) * 4):
        expected = (write or other) and (not (one or two) if model == "nesc" else not (one and two))
        assert conflict(model, edge(one), Access(X, write), edge(two), Access(X, other)) == expected


def test_other_variables_and_synchronisation_do_not_conflict() -> None:
    assert not conflict("c11", edge(), Access(X, True), edge(), Access(Y, True))
    for a, b in product(AccessKind, repeat=2):
        found = conflict("c11", edge(), Access(X, True, kind=a), edge(), Access(X, True, kind=b))
        in_parts = {AccessKind.DATA, AccessKind.POLLED} & {a, b}
        lost = AccessKind.UPDATE in (a, b) and AccessKind.LOCK not in (a, b)
        assert found == (AccessKind.SYNC not in (a, b) and bool(in_parts or lost))


def test_an_update_loses_writes_and_hides_nothing_from_readers() -> None:
    update, whole = Access(X, True, kind=AccessKind.UPDATE), AccessKind.INDIVISIBLE
    assert conflict("machine", edge(), update, edge(), Access(X, True, kind=whole))
    assert conflict("machine", edge(), update, edge(), update)
    assert not conflict("machine", edge(), update, edge(), Access(X, False, kind=whole))
    assert not conflict("machine", edge(), Access(X, True, kind=whole), edge(), Access(X, False, kind=whole))
    assert not conflict("machine", edge(True), update, edge(), update)


def test_elements() -> None:
    p = program("a[4] i", thread("v", "0 1 a[i] = 1"), thread("w", "0 1 a[2] = 1"), thread("all", "0 1 a[] = *"))
    machine = Machine(p)

    def pair(i: int, one: int, two: int) -> bool:
        g = (machine.open_start((0,)).globals[0], i)
        near = [ready(machine, "a", t, g, (0, ())) for t in (one, two)]
        return clash(machine, one, near[0], two, near[1]) is not None

    assert pair(2, 0, 1) and not pair(1, 0, 1)
    assert pair(1, 0, 2) and pair(3, 2, 1)
    assert ready(machine, "a", 0, (machine.open_start((0,)).globals[0], 0), (1, ())) == ()
