"""Commands that a page lists without what they print: each is run as it stands there, on programs that fit its words."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.shown import DOCUMENTS, ROOT

_BLOCK = re.compile(r"^```(\w*)\n((?:.*\n)*?)```$", re.M)
_LINE = re.compile(r"^((?:circ|make|pip|npm) .*?)(?: {2,}#.*)?$", re.M)
LISTED = [(document.name, command) for document in DOCUMENTS for language, block in _BLOCK.findall(document.read_text())
          if language in ("", "sh") and not block.startswith("$ ") for command in _LINE.findall(block)]
ELSEWHERE = {"make demo", "make test", "make check", "make fuzz", "make faults", "make bench", "pip install 'circ[cluster]'"}
"""What `.ci/run` and those who work on circ do: what stands behind it in the Makefile is there (`tests/test_readme.py`)."""
FOREIGN = "tcp://"
"""Machines that are not here: a scheduler of somebody's is tried in `tests/circ/scan/test_cluster.py`."""
MEANT = {"local:8": "local:1", "-j 4": "-j 1"}
"""What stands for something of the user's, and numbers that would only take longer."""

WORKER = "#include <pthread.h>\nint hits, misses;\npthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nvoid *work(void *a)\n{\n" \
         "    pthread_mutex_lock(&lock);\n    hits++;\n    pthread_mutex_unlock(&lock);\n    misses++;\n    return a;\n}\n"
MAIN = "#include <pthread.h>\nvoid *work(void *);\nint main(void)\n{\n    pthread_t one, two;\n    pthread_create(&one, 0, work, 0);\n" \
       "    pthread_create(&two, 0, work, 0);\n    return 0;\n}\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of two files, its compile database, a folder of sources, an example with what is expected of it."""
    folder = tmp_path_factory.mktemp("shown")
    for name in ("src", "build", "nesc_examples", "DIR"):
        (folder / name).mkdir()
    (folder / "main.c").write_text(MAIN)
    (folder / "worker.c").write_text(WORKER)
    (folder / "src" / "all.c").write_text(WORKER + MAIN)
    (folder / "nesc_examples" / "test_and_set.c").write_text((ROOT / "nesc_examples" / "test_and_set.c").read_text())
    entries = [{"directory": str(folder), "file": name, "arguments": ["cc", "-c", name, "-o", f"build/CMakeFiles/app.dir/{name}.o"]}
               for name in ("main.c", "worker.c")]
    (folder / "build" / "compile_commands.json").write_text(json.dumps(entries))
    return folder


def circ(words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    script = f'circ() {{ "{sys.executable}" -m circ "$@"; }}\n{words}'
    return subprocess.run(["sh", "-c", script], cwd=folder, capture_output=True, text=True, timeout=300,
                          env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder / "cache")})


@pytest.mark.parametrize(("document", "command"), LISTED, ids=[f"{d}: {c}" for d, c in LISTED])
def test_listed(document: str, command: str, folder: Path) -> None:
    if any(command.startswith(each) for each in ELSEWHERE):
        return
    if "--cluster" in command and importlib.util.find_spec("distributed") is None:
        pytest.skip("dask is not installed (pip install '.[cluster]')")
    if FOREIGN in command:
        return
    if "svg" in command and importlib.util.find_spec("pygraphviz") is None:
        pytest.skip("pygraphviz is not installed (pip install '.[draw]')")
    for word, meant in MEANT.items():
        command = command.replace(word, meant)
    if judges := re.match(r"circ (recheck|replay) (\S+) (.*)", command):
        # Of which variable and engine a proof or a trace is, is no matter here.
        files = judges[3].replace("FILE", "src/all.c")
        circ(f"circ check {files} --certificate evidence", folder)
        variable = "hits" if judges[1] == "recheck" else "misses"
        [path] = (folder / "evidence").glob(f"{Path(files.split()[0]).name}.{variable}.*.json")
        command = f"circ {judges[1]} {path} {files}"
    command = command.replace("FILE", "src/all.c")
    done = circ(command, folder)
    assert done.returncode in (0, 1) and "error:" not in done.stderr, (command, done.stdout, done.stderr)


def test_there_are_such_commands() -> None:
    run = [command for _, command in LISTED if not any(command.startswith(each) for each in ELSEWHERE) and FOREIGN not in command]
    assert len(run) >= 12 and {d for d, _ in LISTED} >= {"usage.md", "programs.md", "scale.md"}
