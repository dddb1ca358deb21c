"""Ordinary C that was once read wrongly, with its neighbours: every program of `tests/programs/reading` comes out as its header says."""

from __future__ import annotations

import pytest

from tests.circ.test_verdicts import answers
from tests.support.corpus import PROGRAMS, Example, collect, decided

EXAMPLES = collect(PROGRAMS / "reading")


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.path.stem for e in EXAMPLES])
def test_the_verdict_is_that_of_the_header(example: Example) -> None:
    said = answers(example, "auto", 120)
    found = {x.subject: decided(said[x.subject]) for x in example.expectations}
    assert found == {x.subject: x.verdict for x in example.expectations}
