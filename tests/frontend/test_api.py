"""Words that choose a model are checked when a program is read: a misspelt one is an error, not the default."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend import FrontendError, LoadOptions, load
from frontend.program import Ints, Preemption, RaceModel


def test_words_become_models(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x; void w(void) { x = 1; }")
    program = load(tmp_path / "a.c", LoadOptions(threads=("w",), ints="math", race_model="c11", preemption="nested"))
    assert (program.ints, program.race_model, program.preemption) == (Ints.MATH, RaceModel.C11, Preemption.NESTED)


@pytest.mark.parametrize("options", [
    LoadOptions(threads=("w",), ints="maths"), LoadOptions(threads=("w",), race_model="c12"),
    LoadOptions(threads=("w",), preemption="none"),
])
def test_a_misspelt_word_is_an_error(tmp_path: Path, options: LoadOptions) -> None:
    (tmp_path / "a.c").write_text("int x; void w(void) { x = 1; }")
    with pytest.raises(FrontendError, match="unknown option"):
        load(tmp_path / "a.c", options)
