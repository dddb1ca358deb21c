"""The package works installed, from any directory: headers and tables are package data."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROGRAM = '#include "circ.h"\n#include <stdint.h>\nuint8_t x;\ncirc_thread void w(void) { atomic { x = 1; } }\n'


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a plain, not editable, installation made from a copy of the checkout."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("target")
    for name in ("circ", "frontend"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
               "--no-build-isolation", "--target", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


def circ(installed: Path, folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    script = "import sys, circ.cli; assert circ.__file__.startswith(sys.argv.pop(1)); circ.cli.main()"
    return subprocess.run([sys.executable, "-c", script, str(installed), *args], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(installed)})


def test_the_shipped_headers_are_found_from_another_directory(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(PROGRAM)
    done = circ(installed, tmp_path, "cfa", "a.c")
    assert (done.returncode, done.stderr) == (0, "")
    assert "thread w, any number of copies" in done.stdout


def test_everything_that_is_not_code_is_installed(installed: Path) -> None:
    for package in ("circ", "frontend"):
        files = {p.relative_to(ROOT) for p in (ROOT / package).rglob("*") if p.is_file() and p.suffix != ".pyc"}
        assert not [str(p) for p in sorted(files) if not (installed / p).is_file()]
