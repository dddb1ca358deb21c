"""The lowering means what gcc means: random sequential programs and the ones that once differed, zero differences."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.randomc.differential import compiled_checksum, differences, interpreted_checksum

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@needs_gcc
@pytest.mark.parametrize("start", range(0, 80, 20))
def test_random_programs(start: int) -> None:
    found = differences(range(start, start + 20))
    assert not found, "\n".join(map(str, found))


@needs_gcc
@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "differential").glob("*.c")), ids=lambda p: p.stem)
def test_programs_that_once_differed(path: Path) -> None:
    text = path.read_text()
    assert interpreted_checksum(text) == compiled_checksum(text)
