"""Handlers that never switch interrupts on: what they restore is what they have saved."""

from __future__ import annotations

import pytest

from frontend.interrupts.handler_facts import stays_off
from frontend.program import (
    BOOL,
    Assign,
    Assume,
    Binary,
    Block,
    Cfa,
    Const,
    Edge,
    Havoc,
    Op,
    Read,
    Scalar,
    ThreadTemplate,
    Var,
    Variable,
)
from frontend.program.schedule_ghosts import ACTIVE, IE

BYTE = Scalar(8, False)
SAVED, R = Var("saved", BOOL), Var("r", BYTE)
ON, OFF = Const(1, BOOL), Const(0, BOOL)
ENTER, LEAVE = Assign(ACTIVE, ON), Assign(ACTIVE, OFF)


def handler(*edges: tuple[int, int, Op]) -> ThreadTemplate:
    size = 1 + max(max(a, b) for a, b, _ in edges)
    own = (Variable(SAVED.name, BOOL), Variable(R.name, BYTE))
    return ThreadTemplate("isr", Cfa(size, 0, tuple(Edge(a, b, o) for a, b, o in edges)), own)


@pytest.mark.parametrize("edges", [
    [(0, 1, ENTER), (1, 0, LEAVE)],
    [(0, 1, ENTER), (1, 2, Assign(SAVED, Read(IE))), (2, 3, Assign(IE, OFF)), (3, 4, Assign(IE, Read(SAVED))), (4, 0, LEAVE)],
    [(0, 1, ENTER), (1, 2, Block((Assign(SAVED, Read(IE)), Assign(IE, OFF)))), (2, 2, Havoc((R,))), (2, 3, Assign(IE, Read(SAVED))),
     (3, 0, LEAVE)],
    [(0, 1, ENTER), (1, 2, Assign(SAVED, Read(IE))), (2, 3, Assume(Read(SAVED))), (3, 0, Assign(IE, ON)), (2, 0, LEAVE)],
], ids=["does nothing", "restores", "restores behind a loop", "switches on if they were"])
def test_stays_off(edges: list[tuple[int, int, Op]]) -> None:
    assert stays_off(handler(*edges))


@pytest.mark.parametrize("edges", [
    [(0, 1, ENTER), (1, 2, Assign(IE, ON)), (2, 0, LEAVE)],
    [(0, 1, ENTER), (1, 2, Havoc((IE,))), (2, 0, LEAVE)],
    [(0, 1, ENTER), (1, 2, Assign(IE, Read(SAVED))), (2, 0, LEAVE)],
    [(0, 1, ENTER), (1, 2, Assign(SAVED, Read(IE))), (2, 3, Havoc((SAVED,))), (3, 4, Assign(IE, Read(SAVED))), (4, 0, LEAVE)],
    [(0, 1, ENTER), (1, 2, Assign(SAVED, Read(IE))), (1, 2, Assign(SAVED, ON)), (2, 3, Assign(IE, Read(SAVED))), (3, 0, LEAVE)],
    [(0, 1, ENTER), (1, 2, Assume(Read(SAVED))), (2, 0, Assign(IE, ON)), (1, 0, LEAVE)],
    [(0, 1, ENTER), (1, 2, Assign(IE, Binary("==", Read(R), Const(0, BYTE)))), (2, 0, LEAVE)],
], ids=["switches on", "may switch on", "restores what it has not saved", "loses what it saved", "one path saves, one does not",
        "switches on if what it has not saved", "depends on a value"])
def test_may_be_on(edges: list[tuple[int, int, Op]]) -> None:
    assert not stays_off(handler(*edges))
