"""`circ check a.c b.c` is one program: verdicts, places, certificates and reports over several files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

MAIN = """#include <pthread.h>
#include "shared.h"
static int calls;
int main(void)
{
    pthread_t t;
    start(&t);
    hits++;
    calls++;
    pthread_join(t, 0);
    return calls;
}
"""
WORKER = """#include <pthread.h>
#include "shared.h"
int hits;
static int calls;
static void *worker(void *arg)
{
    hits++;
    calls++;
    return 0;
}
void start(pthread_t *t) { pthread_create(t, 0, worker, 0); }
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "shared.h").write_text("#include <pthread.h>\nextern int hits;\nvoid start(pthread_t *t);\n")
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "worker.c").write_text(WORKER)
    return tmp_path


def circ(folder: Path, *args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "circ", *map(str, args)], capture_output=True, text=True, cwd=folder, check=False)


def test_a_race_between_files_and_proofs_of_their_statics(files: Path) -> None:
    done = circ(files, "check", "main.c", "worker.c", "--certificate", "proofs")
    assert done.returncode == 1 and done.stderr == ""
    assert "main.c:8:5: warning: race on 'hits'" in done.stdout and "worker.c:7" in done.stdout
    assert "main.c:3:12: safe: no race on 'main.c:calls'" in done.stdout
    assert "worker.c:4:12: safe: no race on 'worker.c:calls'" in done.stdout
    assert "; with worker.c" in done.stdout and done.stdout.endswith("circ: 2 safe, 1 race\n")

    [race] = (files / "proofs").glob("*.hits.*")
    [proof] = (files / "proofs").glob("*main.c%3acalls*")
    assert circ(files, "replay", race, "main.c", "worker.c").returncode == 0
    assert circ(files, "recheck", proof, "main.c", "worker.c").returncode == 0
    worker = files / "worker.c"
    worker.write_text(WORKER.replace("    hits++;\n", ""))
    assert circ(files, "replay", race, "main.c", "worker.c").returncode == 1
    assert circ(files, "recheck", proof, "main.c", "worker.c").returncode == 1
    assert circ(files, "recheck", proof, "main.c").returncode == 1


def test_the_report_names_all_files(files: Path) -> None:
    done = circ(files, "check", "main.c", "worker.c", "-x", "worker.c:calls", "--format", "json")
    [entry] = json.loads(done.stdout)["files"]
    assert entry["file"] == "main.c" and entry["program"]["files"] == ["main.c", "worker.c"]
    assert [a["variable"] for a in entry["answers"]] == ["worker.c:calls"]
    assert "worker.c:7" in circ(files, "cfa", "main.c", "worker.c").stdout


def test_errors_in_any_file_are_located(files: Path) -> None:
    (files / "more.c").write_text("int hits = 2;\n")
    (files / "worker.c").write_text(WORKER.replace("int hits;", "int hits = 1;"))
    done = circ(files, "check", "main.c", "worker.c", "more.c")
    assert done.returncode == 2
    assert done.stderr == "more.c:1:5: error: 'hits' is defined twice: here and at worker.c:3:5 (keep one definition, or make one static)\n"
