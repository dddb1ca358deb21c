"""A scan that is killed, again and again, and resumed: in the end the table is what it would have been."""

from __future__ import annotations

import csv
import io
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
THREAD = "__attribute__((circ_thread)) void w(void)"
PROGRAMS = {
    "locked.c": f"int x;\n{THREAD} {{ atomic {{ x = x + 1; }} }}\n",
    "racy.c": f"int a, b;\n{THREAD} {{ a = a + 1; atomic {{ b = 1; }} }}\n",
    "broken.c": "int x = ;\n",
    "flag.c": f"int s, x;\n{THREAD} {{ int old; while (1) {{ atomic {{ old = s; if (s == 0) s = 1; }} if (old == 0) {{ x = x + 1; s = 0; }} }} }}\n",
}


def scan(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-m", "circ", "scan", "src", "-j", "2", "--format", "csv", *words], cwd=folder, text=True,
                            env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder / "kept")},
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def table(out: str) -> list[dict[str, str]]:
    return [{k: v for k, v in row.items() if k != "time"} for row in csv.DictReader(io.StringIO(out))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    for name, text in PROGRAMS.items():
        (tmp_path / "src" / name).write_text(text)
    return tmp_path


def kills(folder: Path, rng: random.Random, how: signal.Signals, times: int) -> None:
    """Interrupted `times` times, at any moment, with or without the cache; then the same table and status as at one go."""
    whole = scan(folder, "--no-cache")
    expected, _ = whole.communicate(timeout=300)
    results = folder / "results.jsonl"
    results.unlink(missing_ok=True)
    begun = False
    cached = rng.random() < 0.5
    more = () if cached else ("--no-cache",)
    for _ in range(times):
        process = scan(folder, "--resume" if begun else "-o", "results.jsonl", *more)
        time.sleep(rng.uniform(0.2, 4.0))
        process.send_signal(how)
        process.communicate(timeout=60)
        begun = results.exists() and results.read_bytes().count(b"\n") > 0
    last = scan(folder, "--resume" if begun else "-o", "results.jsonl", *more)
    out, errors = last.communicate(timeout=300)
    assert table(out) == table(expected) and last.returncode == whole.returncode == 2, errors


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGHUP])
def test_killed_and_resumed(folder: Path, how: signal.Signals) -> None:
    kills(folder, random.Random(int(how)), how, 2)


@pytest.fixture
def heard_hangups() -> Iterator[None]:
    """SIGHUP as it is by default, also where the tests themselves run under nohup: a child inherits what is ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("heard_hangups")
def test_a_hangup_ends_with_the_table_so_far(folder: Path) -> None:
    (folder / "src" / "slow.c").write_text("unsigned a, b, c, x;\n" + THREAD + " { unsigned d; while (1) { atomic { a = a + d; } atomic { b = b + a; } "
                                           "atomic { c = c * b; } if (c == 77) x = x + 1; } }\n")
    process = scan(folder, "--no-cache", "-o", "results.jsonl", "--engine", "explicit", "--timeout", "600")
    deadline = time.monotonic() + 60
    results = folder / "results.jsonl"
    while time.monotonic() < deadline and not (results.exists() and results.read_text().count('"kind":"row"') >= 2):
        time.sleep(0.05)
    process.send_signal(signal.SIGHUP)
    out, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGHUP and len(table(out)) >= 2 and "Traceback" not in errors


@pytest.mark.usefixtures("heard_hangups")
@pytest.mark.parametrize(("words", "told"), [(("--no-cache",), "with -o a scan can be gone on with"), ((), "what is known is in the cache"),
                                             (("--no-cache", "-o", "r.jsonl"), "go on with --resume r.jsonl")])
def test_an_interrupted_scan_says_how_to_go_on(folder: Path, words: tuple[str, ...], told: str) -> None:
    process = scan(folder, *words, "--cpp", "sh -c 'touch begun; sleep 30' x")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (folder / "begun").exists() and not (folder / "src" / "begun").exists():
        time.sleep(0.05)
    process.send_signal(signal.SIGHUP)
    _, errors = process.communicate(timeout=30)
    assert told in errors and ("in the cache" in errors) == ("in the cache" in told)


def test_a_results_file_has_one_writer(folder: Path) -> None:
    (folder / "src" / "wait.c").write_text("int x;\n")
    first = scan(folder, "--no-cache", "-o", "results.jsonl", "--cpp", "sh -c 'sleep 30' x")
    deadline = time.monotonic() + 60
    results = folder / "results.jsonl"
    while time.monotonic() < deadline and not (results.exists() and results.stat().st_size):
        time.sleep(0.05)
    for words in (("-o",), ("--resume",)):
        second = scan(folder, "--no-cache", *words, "results.jsonl")
        out, errors = second.communicate(timeout=60)
        assert second.returncode == 2 and errors.startswith("results.jsonl:1: error: another scan is writing to this file") and not out
    first.send_signal(signal.SIGTERM)
    first.communicate(timeout=30)


def test_a_killed_solver_is_named_and_tried_again(folder: Path) -> None:
    """As the system does it for want of memory; the answer is `unknown` in this run only."""
    from circ.report.findings import unanswered
    from circ.report.rows import Row
    from circ.scan.results import from_line, to_line

    results = folder / "results.jsonl"
    done = scan(folder, "--no-cache", "-o", "results.jsonl")
    expected, _ = done.communicate(timeout=300)
    lines = results.read_text().splitlines()
    for number, line in enumerate(lines[1:], 1):
        item = from_line(line)
        if isinstance(item, Row) and item.variable == "a":
            lost = Row(item.file, item.key, "a", unanswered(item.file, "a", "the analysis process ended early (signal SIGKILL)"), killed=True, limits=item.limits)
            lines[number] = to_line(lost).rstrip("\n")
    results.write_text("\n".join(lines) + "\n")
    again = scan(folder, "--no-cache", "--resume", "results.jsonl")
    out, _ = again.communicate(timeout=300)
    assert table(out) == table(expected)
