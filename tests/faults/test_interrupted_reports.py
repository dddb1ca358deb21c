"""Ctrl-C at any moment: a report is a whole document of its form, or there is none; never half of one, and no file of ours is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from circ.run.process_tree import below
from tests.faults.test_kills import ROOT, THREAD

SLOW = f"unsigned a, b, c, x, y;\n{THREAD} {{ unsigned d; y = 1; while (1) {{ atomic {{ a = a + d; }} atomic {{ b = b + a; }} " \
       "atomic { c = c * b; } if (c == 77) x = x + 1; } }\n"


def page(text: str) -> None:
    assert text.startswith("<!doctype html>") and text.endswith("</html>\n")


WHOLE: dict[str, Callable[[str], object]] = {"json": json.loads, "sarif": json.loads, "codeclimate": json.loads, "junit": ElementTree.fromstring, "html": page}


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="this system has no /proc")
@pytest.mark.parametrize("command", ["check", "scan --no-cache"])
@pytest.mark.parametrize("form", WHOLE)
def test_whole_or_not_at_all(tmp_path: Path, command: str, form: str) -> None:
    (tmp_path / "a.c").write_text(SLOW)
    written = f"--format {form}" + (" -o report" if form in ("html", "sarif") else "")
    process = subprocess.Popen([sys.executable, "-m", "circ", *command.split(), "a.c", "--engine", "explicit", *written.split()], cwd=tmp_path,
                               text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    deadline = time.monotonic() + 60
    while not below(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT and "Traceback" not in errors
    WHOLE[form]((tmp_path / "report").read_text() if "-o" in written else out)
    assert sorted(path.name for path in tmp_path.iterdir()) == (["a.c", "report"] if "-o" in written else ["a.c"])
