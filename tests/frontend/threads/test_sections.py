"""A thread that ends inside an atomic section never lets another run again: said where it is, not guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend import FrontendError, LoadOptions, load

HEAD = "int g;\nvoid __VERIFIER_atomic_begin(void);\nvoid __VERIFIER_atomic_end(void);\n"


def loaded(tmp_path: Path, body: str) -> None:
    (tmp_path / "a.c").write_text(HEAD + body)
    load(tmp_path / "a.c", LoadOptions(threads=("w",)))


@pytest.mark.parametrize("body", [
    "void w(void) { __VERIFIER_atomic_begin(); g = 1; }",
    "void begin(void) { __VERIFIER_atomic_begin(); }\nvoid w(void) { begin(); g = 1; }",
])
def test_a_section_that_is_never_ended_is_an_error(tmp_path: Path, body: str) -> None:
    with pytest.raises(FrontendError, match="'w' ends inside one"):
        loaded(tmp_path, body)


@pytest.mark.parametrize("body", [
    "void w(void) { __VERIFIER_atomic_begin(); g = 1; __VERIFIER_atomic_end(); }",
    "void begin(void) { __VERIFIER_atomic_begin(); }\nvoid end(void) { __VERIFIER_atomic_end(); }\n"
    "void w(void) { begin(); g = 1; end(); }",
    "void abort(void);\nvoid w(void) { __VERIFIER_atomic_begin(); if (g) abort(); g = 1; __VERIFIER_atomic_end(); }",
    "void w(void) { while (1) { __VERIFIER_atomic_begin(); g = 1; __VERIFIER_atomic_end(); } }",
])
def test_sections_that_end_elsewhere_are_fine(tmp_path: Path, body: str) -> None:
    loaded(tmp_path, body)
