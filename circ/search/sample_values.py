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
    Values,
    children,
    primitive,
)

MOST_SAMPLES = 20
MOST_WORDS = 40
CHARACTERS = (10, 10, 32, 97, 97, 49)
"""Characters that stand between words, or for the rest of the alphabet, newlines more often than others."""


def samples(program: Program) -> tuple[int, ...]:
    """Values to try for an open integer of many bits: the constants of the program and their neighbours."""
    constants: dict[int, None] = {0: None, 1: None, -1: None, 2: None}
    for t in program.templates:
        for e in t.cfa.edges:
            for part in primitive(e.op):
                for c in _constants(part):
                    constants.update({c: None, c + 1: None, c - 1: None})
    return tuple(constants)[:MOST_SAMPLES]


def words(program: Program) -> tuple[tuple[int, ...], ...]:
    """Texts worth trying as input: the program's own string literals, if it has any."""
    found: dict[tuple[int, ...], None] = {}
    for v in program.globals:
        if v.shown.startswith('"') and v.type.width == 8 and isinstance(v.start, Values):
            characters = dict(v.start.elements)
            text = tuple(characters[k] for k in range(len(characters)) if k in characters)
            if text and "%" not in v.shown:
                found[text] = None
    return tuple(found)[:MOST_WORDS]


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
