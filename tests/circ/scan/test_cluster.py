"""A scan on a Dask cluster says what one on this machine says, whatever becomes of the cluster meanwhile."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from circ.report.rows import Head
from circ.run.session import Request
from circ.run.supervise import Limits
from circ.scan.fingerprint import circ_itself
from circ.scan.job import FileScan, Found, Job, Packed
from circ.scan.remote import Items, NotDone, Task, done
from circ.scan.sources import Source
from frontend import LoadOptions, load

HELD = """#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int NAME, bare_NAME;
void *t(void *p) { pthread_mutex_lock(&m); NAME++; pthread_mutex_unlock(&m); bare_NAME = 1; return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); return 0; }
"""
CIRC = [sys.executable, "-m", "circ", "scan", "."]


def program(folder: Path, number: int) -> None:
    (folder / f"file{number:02}.c").write_text(HELD.replace("NAME", f"x{number}"))


def table(text: str) -> list[str]:
    """What a scan prints, without times and without the order in which files were done."""
    lines = [line for line in text.splitlines() if not line.startswith("[")]
    return [re.sub(r"\s+", " ", re.sub(r"\d+\.\d+ s", "", line)) for line in lines]


def scan(folder: Path, *words: str, env: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*CIRC, *words], cwd=folder, capture_output=True, text=True, env={**os.environ, **(env or {})}, timeout=300)


# --------------------------------------------------------------------------------------------------- without a cluster
def ready(path: Path) -> bytes:
    told: list[Any] = []
    work = FileScan(lambda source, header: Request(LoadOptions()), None, {}, None)
    work.ready_or_done(Job(0, Source(str(path), str(path.parent))), told.append)
    [packed] = [item for item in told if isinstance(item, Packed)]
    return packed.data


def test_what_travels_is_all_that_is_needed(tmp_path: Path) -> None:
    program(tmp_path, 1)
    (tmp_path / "own.h").write_text("int x1;")
    data = ready(tmp_path / "file01.c")
    (tmp_path / "file01.c").unlink()
    items = done(Task(circ_itself(), data, Limits()))
    assert isinstance(items, Items) and not items.why
    assert {i.answer.shown: i.row.verdict for i in items.items if isinstance(i, Found)} == {"x1": "safe", "bare_x1": "race"}


def test_handlers_and_registers_are_called_there_as_the_source_has_them(tmp_path: Path) -> None:
    """The names stand in macros, of which the tokens know nothing."""
    path = tmp_path / "a.c"
    path.write_text("#define ISR(v) __attribute__((signal)) void v(void)\n#define BELL __vector_7\n#define PORT (*(volatile unsigned char *)0x38)\n"
                    "int x;\nISR(BELL) { x = 1; PORT = 1; }\nint main(void) { __asm__(\"sei\"); x = 2; PORT = 2; }\n")
    program = load(str(path))
    assert any(t.shown == "BELL" for t in program.templates) or any(t.name == "BELL" for t in program.templates)
    data = ready(path)
    path.unlink()
    items = done(Task(circ_itself(), data, Limits()))
    assert isinstance(items, Items)
    [head] = [i for i in items.items if isinstance(i, Head)]
    assert any("BELL" in thread for thread in head.threads) and "PORT" in head.asked


def test_another_circ_does_nothing_for_us(tmp_path: Path) -> None:
    program(tmp_path, 1)
    task = Task("another", ready(tmp_path / "file01.c"), Limits())
    refused = done(task)
    assert isinstance(refused, NotDone) and "another circ" in refused.warning
    assert isinstance(done(replace(task, circ=circ_itself())), Items)


def test_what_is_wrong_with_a_file_is_told_where_the_file_is(tmp_path: Path) -> None:
    (tmp_path / "bad.c").write_text("int main(void) { return undeclared; }\n")
    assert done(Task(circ_itself(), ready(tmp_path / "bad.c"), Limits())) == NotDone()


@pytest.mark.parametrize(("address", "message"), [
    ("local:0", "names no number of workers"), ("local:x", "names no number of workers"), ("tcp://127.0.0.1:1", "no scheduler answers")])
def test_no_cluster(tmp_path: Path, address: str, message: str) -> None:
    pytest.importorskip("distributed")
    program(tmp_path, 1)
    ended = scan(tmp_path, "--no-cache", "--cluster", address)
    assert ended.returncode == 2 and message in ended.stderr and "Traceback" not in ended.stderr


def test_without_dask(tmp_path: Path) -> None:
    program(tmp_path, 1)
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "distributed.py").write_text("raise ModuleNotFoundError('no', name='distributed')\n")
    ended = scan(tmp_path, "--no-cache", "--cluster", "local:1", env={"PYTHONPATH": str(tmp_path / "hidden")})
    assert ended.returncode == 2 and "pip install 'circ[cluster]'" in ended.stderr


# --------------------------------------------------------------------------------------------------- with one
def test_the_same_table_results_and_cache(tmp_path: Path) -> None:
    """A file with an error, one that is kept in the cache and one with a header among them; then all from the cache, and resumed."""
    pytest.importorskip("distributed")
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(3):
        program(folder, number)
    (folder / "bad.c").write_text("int main(void) { return undeclared; }\n")
    header = "// CIRC: -x x7\n// EXPECT: safe x7\n"
    (folder / "headed.c").write_text(header + HELD.replace("NAME", "x7"))
    here = scan(folder, "--no-cache", "-j", "2", "--certificate", str(tmp_path / "here"))
    there = scan(folder, "--cluster", "local:2", "--cache", str(tmp_path / "cache"), "--results", str(tmp_path / "out.jsonl"),
                 "--certificate", str(tmp_path / "there"))
    assert table(there.stdout) == table(here.stdout) and there.returncode == here.returncode, there
    assert sorted(p.name for p in (tmp_path / "there").iterdir()) == sorted(p.name for p in (tmp_path / "here").iterdir())
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert {row["variable"] for row in lines if row.get("kind") == "row"} == {"x0", "x1", "x2", "x7", "bare_x0", "bare_x1", "bare_x2"}
    kept = scan(folder, "--cluster", "local:1", "--cache", str(tmp_path / "cache"), "--resume", str(tmp_path / "out.jsonl"))
    assert table(kept.stdout) == table(here.stdout)


@pytest.fixture
def start() -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    started: list[subprocess.Popen[bytes]] = []

    def process(part: str, *words: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", f"distributed.cli.dask_{part}", *words, "--no-dashboard"]
        started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return started[-1]

    yield process
    for each in started:
        each.kill()
        each.wait()


def test_workers_that_die_or_come_late_and_a_scheduler_that_starts_again(
    tmp_path: Path, start: Callable[..., "subprocess.Popen[bytes]"],
) -> None:
    pytest.importorskip("distributed")
    for number in range(16):
        program(tmp_path, number)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, results = f"tcp://127.0.0.1:{port}", tmp_path / "out.jsonl"

    def scheduler() -> "subprocess.Popen[bytes]":
        return start("scheduler", "--host", "127.0.0.1", "--port", str(port))

    def worker() -> "subprocess.Popen[bytes]":
        return start("worker", address, "--nthreads", "1", "--no-nanny")

    first, one, _ = scheduler(), worker(), worker()
    command = [*CIRC, "--no-cache", "--cluster", address, "--results", str(results)]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def files_done(number: int) -> None:
        """Waits until so many files are done, and no more than a few."""
        end = time.monotonic() + 200
        while not results.exists() or results.read_text().count('"kind":"head"') < number:
            assert running.poll() is None and time.monotonic() < end
            time.sleep(0.02)

    files_done(1)
    one.send_signal(signal.SIGKILL)
    worker()
    files_done(4)
    first.send_signal(signal.SIGKILL)
    first.wait()
    scheduler()
    worker()
    assert running.poll() is None
    out, err = running.communicate(timeout=250)
    here = scan(tmp_path, "--no-cache", "-j", "2")
    assert table(out) == table(here.stdout) and running.returncode == here.returncode, err
    assert "done here" not in err
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    assert len([row for row in rows if row.get("kind") == "row"]) == 32  # each of them once
