"""Context inference on tiny random automata: every operation, atomic sections, joins, assertions; kernel and oracle judge."""

from __future__ import annotations

import random

import pytest

from circ import engines
from circ.verdict import Assertions, Options, RaceOn
from tests.support.kernel.attack import random_program
from tests.support.randomc.arbiter import Table, examine

ONCE_WRONG = (3003, 3084, 3194, 3462)
"""A step in another thread's atomic section; a thread stuck between two anchors; a join with a thread between two anchors."""


@pytest.mark.parametrize("name", ["circ", "omega-circ"])
@pytest.mark.parametrize("seeds", [ONCE_WRONG, range(40)], ids=["once wrong", "slice"])
def test_no_disagreement(name: str, seeds: range | tuple[int, ...]) -> None:
    entry = engines.find(name)
    assert entry is not None
    table = Table()
    for seed in seeds:
        for question in (RaceOn("x"), Assertions()):
            examine(table, entry.load(), seed, random_program(random.Random(seed)), question, Options(), 20)
    assert not table.wrong, str(table)
    assert table.decided > (0.9 if isinstance(seeds, range) else 0.7), str(table)
