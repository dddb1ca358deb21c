"""A disk that is full: verdict and status are what they would have been, the message has the path, and no file stays behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
RACY = "int x;\n__attribute__((circ_thread)) void w(void) { x = x + 1; }\n"
SAFE = "int y;\n__attribute__((circ_thread)) void w(void) { atomic { y = y + 1; } }\n"

FORMS = ("text", "gcc", "json", "html", "sarif", "junit", "github", "codeclimate", "csv", "md")
WRITING = {  # what is written, by the words that ask for it, and the status
    **{f"check racy.c --format {form} -o out/report": 1 for form in FORMS},
    **{f"scan racy.c safe.c --no-cache --format {form} -o out/report": 1 for form in FORMS if form != "gcc"},
    "check racy.c --certificate out/proofs": 1,
    "check safe.c --certificate out/proofs": 0,
    "scan racy.c --no-cache --certificate out/proofs": 1,
    "scan racy.c --cache out/kept": 1,
    "check safe.c --engine circ --dump out/automata": 0,
    "check racy.c --witness-out out/w.yml": 1,
    "check safe.c --witness-out out/w.yml": 0,
    "check racy.c --baseline out/known": 1,
    "verify safe.c -o out/report": 0,
    "cfa racy.c -o out/report": 2,  # nothing else was asked for
}
ALL_AT_ONCE = """
import json, os, resource, shutil, sys
sys.dont_write_bytecode = True  # Python does not notice when that has no room
from typer.testing import CliRunner
from circ.cli import app
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
told = {}
for words in json.loads(sys.argv[2]):
    shutil.rmtree("out", ignore_errors=True)
    os.mkdir("out")
    done = CliRunner().invoke(app, words.split())
    files = [name for _, _, names in os.walk("out") for name in names]
    told[words] = done.exit_code, done.stdout, done.stderr, files
print(json.dumps(told))
"""


def on_a_full_disk(folder: Path, room: int) -> dict[str, tuple[int, str, str, list[str]]]:
    """For each command its status, what it said, and the files that it left. No file may have more than `room` bytes."""
    (folder / "racy.c").write_text(RACY)
    (folder / "safe.c").write_text(SAFE)
    done = subprocess.run([sys.executable, "-c", ALL_AT_ONCE, str(room), json.dumps(list(WRITING))], cwd=folder, text=True,
                          stdout=subprocess.PIPE, env=ENVIRONMENT, timeout=600, check=True)
    told: dict[str, tuple[int, str, str, list[str]]] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("room", [0, 100])
def test_whatever_is_written(tmp_path: Path, room: int) -> None:
    for words, (status, out, errors, files) in on_a_full_disk(tmp_path, room).items():
        answered = out if "-o out/report" in words or "--format" not in words else errors
        small = files and "File too large" not in errors  # it had room
        assert status == WRITING[words] or ("--baseline" in words and small), (words, errors)
        assert small or ("out/" in errors and "File too large" in errors), (words, errors)
        assert small or answered or words.startswith("cfa"), words
        # Of results, which come line by line, the lines that had room stay, each of them whole.
        assert small or not files or (words.startswith("scan") and room), (words, files)
        assert "internal error" not in errors and "Traceback" not in errors
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", ["check safe.c", "check safe.c --format html", "scan safe.c --no-cache", "engines", "--version", "check --nix"])
def test_an_answer_that_cannot_be_told_is_no_race(tmp_path: Path, words: str) -> None:
    (tmp_path / "safe.c").write_text(SAFE)
    command = [sys.executable, "-m", "circ", *words.split()]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, env=ENVIRONMENT)
        silent = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=full, timeout=120, env=ENVIRONMENT)
        plain = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=full, timeout=120, env=ENVIRONMENT)
    assert done.returncode == silent.returncode == 2 and "Traceback" not in done.stderr
    assert "circ: error: the standard output: No space left on device" in done.stderr or "--nix" in words
    assert plain.returncode == (2 if "--nix" in words else 0)
