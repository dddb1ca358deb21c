"""What a file says of its globals as a whole: names of enumerations in invariants, ranges and exceptions."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.finite import refinement
from circ.verdict import Assertions, Options, Refuted, Safe, silent
from frontend import load
from frontend.program import FrontendError

TEXT = """
#include "circ.h"
enum state { IDLE, BUSY = 4, DONE };
enum state s;
int n;
circ_range(n, IDLE, DONE);
circ_invariant(%s);
circ_threads(2) void p(void) { atomic { if (s == IDLE) s = BUSY; } n = s; }
"""


@pytest.mark.parametrize(("claim", "holds"), [("s == IDLE || s == BUSY", True), ("s != BUSY", False), ("s < DONE", True), ("n <= BUSY", True)])
def test_enumerators_are_constants(tmp_path: Path, claim: str, holds: bool) -> None:
    path = tmp_path / "a.c"
    path.write_text(TEXT % claim)
    program = load(path)
    assert program.variable("n").range == (0, 5)
    assert isinstance(refinement.check(program, Assertions(), Options(), silent), Safe if holds else Refuted)


def test_a_name_that_is_neither_global_nor_enumerator_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(TEXT % "s != LOST")
    with pytest.raises(FrontendError, match="'LOST'"):
        load(path)


@pytest.mark.parametrize("claim", ["circ_range(k, 0, 6)", "circ_exception(n == 1, p(0, 9))"])
def test_a_claim_about_globals_is_refused_inside_a_function(tmp_path: Path, claim: str) -> None:
    """It would be a call of a function that nobody knows."""
    path = tmp_path / "a.c"
    path.write_text(f'#include "circ.h"\nint n;\ncirc_threads(2) void p(void) {{ int k = 0; {claim}; n = k; }}\n')
    with pytest.raises(FrontendError, match="inside a function"):
        load(path)
