"""Warnings of claims that are never asked: what stands behind a false assumption, contracts of functions that nothing calls."""

from __future__ import annotations

from pathlib import Path

import pytest

import frontend

ASKED = [
    "assert(x == 0);",
    "assert(1);",
    "if (x) assume(0); assert(x == 0);",
    "assume(x > 0); assert(x);",
    "if (x) { assume(0); } else { assert(0 == 0); }",
    "while (x) { assert(x != 0); }",
]
NEVER_ASKED = [
    "assume(0); assert(0);",
    "assume(1 == 2); x = 1; assert(x == 0);",
    "if (x) { assume(0); assert(x == 0); }",
]


def warnings(tmp_path: Path, text: str, contracts: bool = False) -> list[str]:
    path = tmp_path / "p.c"
    path.write_text(f'#include "circ.h"\nint x;\n{text}\n')
    return [w.text for w in frontend.load(path, frontend.LoadOptions(contracts=contracts)).warnings]


@pytest.mark.parametrize("body", ASKED)
def test_an_assertion_that_may_be_asked_is_not_warned_of(tmp_path: Path, body: str) -> None:
    assert warnings(tmp_path, f"circ_thread void w(void) {{ {body} }}") == []


@pytest.mark.parametrize("body", NEVER_ASKED)
def test_an_assertion_behind_what_is_never_true_is_warned_of(tmp_path: Path, body: str) -> None:
    assert [w for w in warnings(tmp_path, f"circ_thread void w(void) {{ {body} }}") if w.startswith("no run comes to 'assert(")]


def test_a_contract_that_nobody_is_held_to_is_warned_of(tmp_path: Path) -> None:
    text = "//@ requires x == 1 && x == 2;\n//@ ensures x == 7;\nvoid set(void) { x = 5; }\ncirc_thread void w(void) { CALL x = 3; }"
    assert warnings(tmp_path, text.replace("CALL", ""), contracts=True) == [
        "nothing calls 'set': what it requires and ensures is not checked"]
    assert warnings(tmp_path, text.replace("CALL", "set();"), contracts=True) == []
