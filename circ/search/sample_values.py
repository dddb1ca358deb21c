"""Values worth trying for what a program leaves open: its own constants and their neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from frontend.program import (
    Assign,
    Assume,
    Const,
    Expr,
    Op,
    Program,
    children,
    primitive,
)

MOST_SAMPLES = 20


def samples(program: Program) -> tuple[int, ...]:
    """Values to try for an open integer of many bits: the constants of the program and their neighbours."""
    constants: dict[int, None] = {0: None, 1: None, -1: None, 2: None}
    for t in program.templates:
        for e in t.cfa.edges:
            for part in primitive(e.op):
                for c in _constants(part):
                    constants.update({c: None, c + 1: None, c - 1: None})
    return tuple(constants)[:MOST_SAMPLES]


def nearby(op: Op) -> tuple[int, ...]:
    """The constants of one operation and their neighbours."""
    return tuple(dict.fromkeys(n for part in primitive(op) for c in _constants(part) for n in (c, c + 1, c - 1)))


def _constants(part: Op) -> Iterator[int]:
    match part:
        case Assume(cond=e) | Assign(value=e):
            yield from _leaves(e)


def _leaves(e: Expr) -> Iterator[int]:
    if isinstance(e, Const):
        yield e.value
    for child in children(e):
        yield from _leaves(child)
