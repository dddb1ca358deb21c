"""Files read under limits, which hold for all processes that are started; what is left behind; files that cannot be written."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from circ.cli import main
from circ.run.output_files import check_writable, write_whole
from circ.run.process_tree import below, cpu_seconds, end, exceeds
from circ.run.reading import NotRead, load_within, why_not
from circ.run.supervise import Limits, OutOfCpu, OutOfMemory, TimedOut
from circ.scan.results import Results
from frontend import LoadOptions, SourceFile, load
from frontend.program import FrontendError

ROOT = Path(__file__).parents[3]
LOCKED = "int x;\n__attribute__((circ_thread)) void w(void) { atomic { x = x + 1; } }\n"


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "a.c").write_text(LOCKED)
    return str(tmp_path / "a.c")


def running(mark: str) -> list[str]:
    """The command lines of processes that have this text in them."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if any(mark.encode() == word for word in words):
            found.append(str(words))
    return found


def gone(mark: str) -> bool:
    deadline = time.monotonic() + 10
    while running(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not running(mark)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def test_a_program_and_an_error_come_back(file: str, tmp_path: Path) -> None:
    assert [v.name for v in load_within([SourceFile(file)], LoadOptions(), Limits()).globals] == ["x"]
    (tmp_path / "b.c").write_text("int x = ;\n")
    with pytest.raises(FrontendError) as error:
        load_within([SourceFile(str(tmp_path / "b.c"))], LoadOptions(), Limits())
    assert str(error.value).startswith(f"{tmp_path}/b.c:1:9: error: ")


@pytest.mark.parametrize(("command", "limits", "expected"), [
    ("sh -c 'sleep {} & sleep {}' x", Limits(0.6, None), TimedOut(0.6)),
    ("sh -c 'setsid sleep {} & while :; do :; done' x", Limits(60.0, None, 0.7), OutOfCpu(0.7)),
    ("sh -c 'sleep {} & cat /dev/zero' x", Limits(60.0, 700), OutOfMemory(700)),
])
def test_a_preprocessor_is_ended_with_all_it_started(file: str, command: str, limits: Limits, expected: object) -> None:
    mark = f"4{os.getpid()}.{len(command)}"
    begin = time.monotonic()
    with pytest.raises(NotRead) as error:
        load_within([SourceFile(file)], LoadOptions(cpp=command.replace("{}", mark)), limits)
    assert error.value.outcome == expected
    assert time.monotonic() - begin < 30 and gone(mark)
    assert why_not(error.value)[0].startswith(f"{file}:1: unknown: ")


def test_what_a_preprocessor_leaves_behind_is_ended(file: str) -> None:
    mark = f"5{os.getpid()}"
    cpp = f"sh -c 'setsid sleep {mark} >/dev/null 2>&1 & cat {file}' x"
    program = load_within([SourceFile(file)], LoadOptions(cpp=cpp), Limits())
    assert program.globals and gone(mark)


@pytest.mark.parametrize("command", ["check", "scan"])
def test_a_killed_circ_leaves_nothing_behind(file: str, command: str) -> None:
    mark = f"6{os.getpid()}"
    process = subprocess.Popen([sys.executable, "-m", "circ", command, file, "--cpp", f"sh -c 'sleep {mark}; :' x"],
                               env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not running(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running(mark)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=20)
    assert gone(mark)


@pytest.mark.parametrize("command", ["check", "scan"])
def test_nor_does_one_for_which_the_systems_compiler_preprocesses(tmp_path: Path, command: str) -> None:
    """Nobody names it: it is the first `cc` on PATH, here one that takes its time."""
    mark = f"7{os.getpid()}"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "cc").write_text(f"#!/bin/sh\nsleep {mark}; :\n")
    (tmp_path / "bin" / "cc").chmod(0o755)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.c").write_text("#include <sys/nobody_has_it.h>\n" + LOCKED)
    process = subprocess.Popen([sys.executable, "-m", "circ", command, str(tmp_path / "src" / "a.c")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
    deadline = time.monotonic() + 60
    while not running(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running(mark)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=20)
    assert gone(mark)


def test_a_tree_of_processes() -> None:
    process = subprocess.Popen(["sh", "-c", "sh -c 'sleep 61 & sleep 62' & while :; do :; done"])
    deadline = time.monotonic() + 20
    while (len(below(process.pid)) < 3 or cpu_seconds(process.pid) < 0.05) and time.monotonic() < deadline:
        time.sleep(0.02)
    found = below(process.pid)
    assert len(found) == 3 and cpu_seconds(process.pid) > 0 and not exceeds(process.pid, 1000) and exceeds(process.pid, 0)
    end(process.pid)
    assert process.wait(timeout=10) == -signal.SIGKILL
    deadline = time.monotonic() + 10
    while (left := [pid for pid in found if alive(pid)]) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left


# ------------------------------------------------------------------------------------------------ files that are written
def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "out"
    write_whole(path, b"one")
    (tmp_path / "link").symlink_to(path)
    write_whole(tmp_path / "link", b"two")
    assert path.read_bytes() == b"two" and (tmp_path / "link").is_symlink()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(OSError) as error:
            write_whole(path, b"x" * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert error.value.filename == str(path) and path.read_bytes() == b"two"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "out"]
    write_whole(Path("/dev/null"), b"x")
    with pytest.raises(OSError):
        write_whole(Path("/dev/full"), b"x")
    for bad in (tmp_path / "no" / "file", path / "file", tmp_path):
        with pytest.raises(OSError):
            check_writable(bad)


def full_disk(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A run whose files may have 10 bytes: what a full disk does, on any machine."""
    return subprocess.run([sys.executable, "-m", "circ", *words], capture_output=True, text=True, cwd=cwd, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(cwd / "kept")},
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)))


def test_a_full_disk_changes_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x;\n__attribute__((circ_thread)) void w(void) { x = x + 1; }\n")
    done = full_disk("check", "a.c", "-o", "out.txt", "--certificate", "proofs", "--dump", "dumps", cwd=tmp_path)
    assert done.returncode == 1 and "race on 'x'" in done.stdout
    errors = done.stderr.splitlines()
    assert len(errors) == 3 and all(any(name in line for line in errors) for name in ("out.txt", "proofs/a.c.x", "dumps/"))
    done = full_disk("scan", "a.c", "-o", "out.jsonl", "--certificate", "proofs", cwd=tmp_path)
    assert done.returncode == 1 and "race on 'x'" in done.stdout and "out.jsonl: File too large (the table has it all)" in done.stderr
    done = full_disk("scan", "a.c", "--certificate", "proofs", cwd=tmp_path)
    assert done.returncode == 1 and ",x,race" not in done.stdout and "race on 'x'" in done.stdout
    assert "proofs/" in done.stderr and "kept/circ/" in done.stderr
    files = [p for p in tmp_path.rglob("*") if p.is_file() and p.name != "a.c" and not p.name.endswith(".time")]
    assert files == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB, on machines where one can be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if shutil.which("mount") is None or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)],
                                                       capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_disk_that_is_really_full(small_disk: Path, tmp_path: Path, file: str) -> None:
    """The verdict and its status stay; each file that could not be written is named, and no part of one stays."""
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as into, contextlib.suppress(OSError):
        while into.write(b"x" * 4096):
            pass
    done = subprocess.run([sys.executable, "-m", "circ", "check", file, "-o", str(small_disk / "out.txt"), "--certificate", str(small_disk),
                           "--dump", str(small_disk)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0 and "safe: no race on 'x'" in done.stdout and "Traceback" not in done.stderr
    assert sum("No space left" in line for line in done.stderr.splitlines()) >= 2 and str(small_disk / "out.txt") in done.stderr
    assert [p for p in small_disk.rglob("*") if p.is_file()] == [filler]
    done = subprocess.run([sys.executable, "-m", "circ", "scan", file, "-o", str(small_disk / "out.jsonl"), "--certificate", str(small_disk / "proofs"),
                           "--cache", str(small_disk / "cache")], capture_output=True, text=True, timeout=120, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0 and "safe" in done.stdout and str(small_disk / "out.jsonl") in done.stderr
    assert [p for p in small_disk.rglob("*") if p.is_file()] == [filler]


def test_a_disk_without_room_for_folders(tmp_path: Path, file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def full(folder: Path, *args: object, **more: object) -> None:
        raise OSError(28, "No space left on device", str(folder))

    monkeypatch.setattr(Path, "mkdir", full)
    for words in (("check", "--certificate", str(tmp_path / "new"), "--dump", str(tmp_path / "dump")),
                  ("scan", "--certificate", str(tmp_path / "new"), "--cache", str(tmp_path / "kept"))):
        with pytest.raises(SystemExit) as end:
            main([*words, file])
        shown = capsys.readouterr()
        assert end.value.code == 0 and "safe" in shown.out and shown.err.count("No space left") >= 2
        assert not any((tmp_path / name).exists() for name in ("new", "dump", "kept"))


def test_the_report_of_a_full_pipe_is_bad_status_not_a_traceback(tmp_path: Path, file: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "circ", "check", file], stdout=full, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=120)
    assert done.returncode == 2 and "Traceback" not in done.stderr and "No space left" in done.stderr


def test_a_preprocessor_has_the_limits_of_the_user_and_none_of_its_own(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = subprocess.run
    seen: list[object] = []

    def run(words: list[str], **how: Any) -> subprocess.CompletedProcess[bytes]:
        seen.append(how.get("timeout"))
        return real(words, **how)

    monkeypatch.setattr("frontend.text.compilers.subprocess.run", run)
    load(file, LoadOptions(cpp=f"sh -c 'cat {file}' x"))
    assert seen == [None]


def test_a_file_that_a_scan_is_writing_to_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    (tmp_path / "link").symlink_to(path)
    with Results(path, keep=False):
        before = path.read_bytes()
        for name in ("results.jsonl", "link"):
            with pytest.raises(OSError, match="another scan is writing"):
                check_writable(tmp_path / name)
            with pytest.raises(OSError, match="another scan is writing"):
                write_whole(tmp_path / name, b"report")
        assert path.read_bytes() == before
    write_whole(path, b"report")
    assert sorted(os.listdir(tmp_path)) == ["link", "results.jsonl"] and path.read_bytes() == b"report"
