"""Results files: what is believed of one, who may write to it, and what is no file for results at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from circ.report.findings import Finding
from circ.report.rows import Head, Row
from circ.scan import results
from circ.scan.results import Results, UnreadableResults, first_line, from_line, read_results, to_line
from frontend.program import FrontendError, Location

ROOT = Path(__file__).parents[3]
HEAD = Head("a.c", "k", 3, ("x",))
FOUND = Finding("x", "safe", "static", Location("a.c", 1), Location("a.c", 1), "m", "0", predicates=("p",))
ROW = Row("a.c", "k", "x", FOUND, 2, 1, 0.5, limits=(60.0, 4096, None))
KNOWN = {("a.c", "k"): results.FileResults(HEAD, (ROW,))}


def test_lines_are_read_as_they_were_written() -> None:
    for item in (HEAD, ROW, replace(ROW, limits=(None, None, 1.5))):
        assert from_line(to_line(item)) == item


@pytest.mark.parametrize(("item", "field", "value"), [
    (ROW, "k", -1), (ROW, "k", True), (ROW, "k", 1.5), (ROW, "k", 10**18), (ROW, "acfa", "2"), (ROW, "seconds", float("nan")),
    (ROW, "seconds", float("inf")), (ROW, "seconds", -0.5), (ROW, "seconds", None), (FOUND, "verdict", "fine"), (FOUND, "verdict", None),
    (FOUND, "predicates", [1]), (FOUND, "predicates", "p"), (FOUND, "predicates", [["p"]]), (ROW, "limits", [60.0, 4096]), (ROW, "limits", [1, 2.5, 3]),
    (ROW, "limits", [float("nan"), 1, None]), (FOUND, "bug", 0), (ROW, "key", 7), (ROW, "variable", ["x"]), (HEAD, "lines", -3),
    (HEAD, "lines", float("inf")), (HEAD, "asked", [None]), (HEAD, "alarms", {}), (HEAD, "alarms", [{"variable": "x"}]), (HEAD, "seconds", "1"),
])
def test_figures_that_no_scan_comes_to_are_refused(item: Head | Row | Finding, field: str, value: Any) -> None:
    data = json.loads(to_line(ROW if isinstance(item, Finding) else item))
    assert from_line(json.dumps(data))
    (data["finding"] if isinstance(item, Finding) else data)[field] = value
    with pytest.raises(UnreadableResults):
        from_line(json.dumps(data))


def test_a_cut_off_line_is_removed_only_by_who_writes(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    whole = first_line() + to_line(HEAD) + to_line(ROW)
    path.write_text(whole + '{"kind":"row"')
    assert read_results(path) == KNOWN and path.read_text() != whole
    with Results(path, keep=True) as kept:
        assert kept.known == KNOWN and path.read_text() == whole
        with pytest.raises(FrontendError, match="another scan"):
            read_results(path)
        kept.add(ROW)
    assert path.read_text() == whole + to_line(ROW)


def test_who_comes_second_removes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two scans find that there is no file, and both make it: the second one leaves the first one's alone."""
    path = tmp_path / "out.jsonl"
    with Results(path, keep=False) as first:
        answers = iter([False])
        real = os.path.lexists
        monkeypatch.setattr(results.os.path, "lexists", lambda p: next(answers, None) is None and real(p))
        with pytest.raises(FrontendError, match="another scan is writing"):
            Results(path, keep=False)
        first.add(HEAD)
    assert path.read_text() == first_line() + to_line(HEAD)


def test_a_file_that_is_removed_before_it_is_locked_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.jsonl"
    real, times = results._lock, iter([1])

    def lock(file: int, name: Path, how: int) -> None:
        if next(times, None) is not None:
            name.unlink()  # as a scan does whose disk is full
        real(file, name, how)

    monkeypatch.setattr(results, "_lock", lock)
    with Results(path, keep=False) as written:
        written.add(HEAD)
    assert path.read_text() == first_line() + to_line(HEAD)


def test_what_cannot_be_written_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    old, link = tmp_path / "old.jsonl", tmp_path / "link"
    old.write_text("what was there before\n")
    link.symlink_to("new.jsonl")
    monkeypatch.setattr(results.os, "write", full)
    for path in (old, link):
        with pytest.raises(OSError, match="No space left") as error:
            Results(path, keep=False)
        assert error.value.filename == str(path)
    assert [p.name for p in tmp_path.iterdir()] == ["link"]


def scan(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "circ", "scan", "a.c", "--no-cache", *map(str, words)], capture_output=True, text=True,
                          cwd=cwd, timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)})


def test_pipes_devices_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x;\n__attribute__((circ_thread)) void w(void) { atomic { x = 1; } }\n")
    os.mkfifo(tmp_path / "pipe")
    for words, message in ((("--resume", "pipe"), "pipe:1: error: this is no plain file"), (("--resume", "/dev/zero"), "this is no plain file"),
                           (("-o", "pipe"), "circ: error: pipe: nobody reads this pipe"), (("--resume", "."), "Is a directory")):
        done = scan(*words, cwd=tmp_path)
        assert done.returncode == 2 and message in done.stderr and not done.stdout
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()))
    reader.start()
    writer = os.open(tmp_path / "pipe", os.O_WRONLY)  # waits for the reader, and keeps it
    done = scan("-o", "pipe", cwd=tmp_path)
    os.close(writer)
    reader.join()
    assert done.returncode == 0 and [json.loads(line).get("kind") for line in read[0].splitlines()] == [None, "head", "row"]
    full = scan("-o", "/dev/full", cwd=tmp_path)
    assert full.returncode == 0 and "circ: error: /dev/full: No space left on device" in full.stderr and "safe" in full.stdout
