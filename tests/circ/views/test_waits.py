"""The locations that somebody waits for, by template: all of them, each set once, in an order that does not depend on the edges'."""

from __future__ import annotations

from circ.views.waits import awaited
from tests.support.build import program, thread


def test_sets_by_template() -> None:
    p = program("x", thread("v", "0 1 all w 2 1 / 1 2 all w 0 / 2 0 all w 1 2"), thread("w", "0 1 x = 1; all v 0 / 1 2"), thread("u", "0 0"))
    assert awaited(p) == {"v": (frozenset({0}),), "w": (frozenset({0}), frozenset({1, 2})), "u": ()}
