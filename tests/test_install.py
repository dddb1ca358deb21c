"""The package works installed, from any directory: headers and tables are package data."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import frontend
from circ.finite import refinement
from circ.verdict import Options, RaceOn, Unknown, silent
from tests.support.package import oldest

ROOT = Path(__file__).parent.parent
PROGRAM = '#include "circ.h"\n#include <stdint.h>\nuint8_t x;\ncirc_thread void w(void) { atomic { x = 1; } }\n'


def copied_into_the_image(folder: Path) -> None:
    """What the Dockerfile copies, as it says: of a folder its content, files into the folder that is named last."""
    image = (ROOT / "docs" / "builds" / "Dockerfile").read_text()
    home = "/opt/circ"
    assert re.search(rf"^RUN .*pip install \S+ {home}$", image.replace("\\\n", ""), re.M)
    for words in (line.split()[1:] for line in image.splitlines() if line.startswith("COPY ")):
        *names, target = words
        assert target.startswith(home)
        for name in names:
            to = folder / target.removeprefix(home).strip("/")
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, to, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / name, to)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a plain, not editable, installation made from what an image for Docker has of the checkout."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("target")
    copied_into_the_image(source)
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


# ------------------------------------------------------------------------------------------------ what is optional
def without(package: str, folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    script = "import sys; sys.modules[sys.argv.pop(1)] = None; from circ.cli import main; main()"
    return subprocess.run([sys.executable, "-c", script, package, *args], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})


def test_a_drawing_without_graphviz_is_refused_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(PROGRAM)
    done = without("pygraphviz", tmp_path, "cfa", "a.c", "--format", "svg")
    assert (done.returncode, done.stdout) == (2, "") and re.fullmatch(r"a\.c:1: error: .*pip install 'circ\[draw\]'.*\n", done.stderr)
    assert without("pygraphviz", tmp_path, "cfa", "a.c", "--format", "dot").returncode == 0


FINITE = """#include "circ.h"
int x, state;
circ_threads(1) void a(void) { atomic { assume(state == 0); state = 1; } x = 1; state = 0; }
circ_threads(1) void b(void) { atomic { assume(state == 0); state = 1; } x = 2; state = 0; }
"""


def test_refinement_without_diagrams_lists_states(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(FINITE)
    done = without("dd", tmp_path, "check", "a.c", "--engine", "refinement", "-x", "x")
    assert done.returncode == 0, done.stdout + done.stderr


def test_where_there_are_too_many_states_diagrams_are_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    program, options = frontend.loads(FINITE), Options(max_states=3)
    assert not isinstance(refinement.check(program, RaceOn("x"), options, silent), Unknown)
    monkeypatch.setattr(refinement, "_diagrams", lambda: None)
    verdict = refinement.check(program, RaceOn("x"), options, silent)
    assert isinstance(verdict, Unknown) and "circ[bdd]" in verdict.advice and "not installed" in verdict.tried[0]


# ------------------------------------------------------------------------------------------------ versions
def test_every_lower_bound_is_one_that_can_be_tried() -> None:
    """`make package` installs each requirement at its bound; here, that the bounds are there and are met."""
    for pinned in oldest(tomllib.loads((ROOT / "pyproject.toml").read_text())):
        name, _, bound = pinned.partition("==")
        assert [int(n) for n in re.findall(r"\d+", version(name))] >= [int(n) for n in bound.split(".")]
