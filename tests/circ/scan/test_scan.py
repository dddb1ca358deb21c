"""`circ scan` as a user runs it: the table, exit statuses, bad files, resuming, the cache, expectations."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from circ.cli import app
from circ.scan.cache import Cache

ROOT = Path(__file__).parents[3]
THREAD = "__attribute__((circ_thread)) void w(void)"
LOCKED = f"int x;\n{THREAD}\n{{\n    atomic {{ x = x + 1; }}\n}}\n"
RACY = f"int a, b;\n{THREAD}\n{{\n    a = a + 1;\n    atomic {{ b = 1; }}\n}}\n"


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    err: str

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """File name, variable, verdict of each line of a CSV table."""
        return [(os.path.basename(r["name"]), r["variable"], r["verdict"]) for r in csv.DictReader(io.StringIO(self.out))]


Run = Callable[..., Ended]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "circ"


@pytest.fixture
def scan(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """`circ scan` in this process, which is quicker than starting another one."""

    def run(*args: str | Path, cwd: Path | None = None) -> Ended:
        if cwd is not None:
            monkeypatch.chdir(cwd)
        capfd.readouterr()
        before = signal.getsignal(signal.SIGTERM)
        with pytest.raises(SystemExit) as end:
            app(["scan", *map(str, args)])
        signal.signal(signal.SIGTERM, before)
        assert isinstance(end.value.code, int)
        return Ended(end.value.code, *capfd.readouterr())

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three programs and a file that is none of ours."""
    folder = tmp_path / "src"
    (folder / "sub").mkdir(parents=True)
    (folder / "locked.c").write_text(LOCKED)
    (folder / "sub" / "racy.c").write_text(RACY)
    (folder / "pre.i").write_text(LOCKED)
    (folder / "notes.txt").write_text("no C\n")
    return folder


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


# ------------------------------------------------------------------------------------------------ what is scanned, the table
def test_a_folder_gives_a_table_in_order(scan: Run, folder: Path) -> None:
    done = scan(folder, "--format", "csv")
    assert done.rows == [("locked.c", "x", "safe"), ("pre.i", "x", "safe"), ("racy.c", "a", "race"), ("racy.c", "b", "safe")]
    assert done.status == 1


def test_output_does_not_depend_on_the_number_of_processes(scan: Run, folder: Path) -> None:
    one, two = (json.loads(scan(folder, "--no-cache", "--format", "json", "-j", n).out) for n in (1, 2))
    for report in (one, two):
        for file in report["files"]:
            for answer in file["answers"]:
                del answer["time"]
    assert one == two
    assert one["status"] == 1 and one["summary"] == "3 safe, 1 race"


def test_text_has_the_columns_of_table_1_and_the_races(scan: Run, folder: Path) -> None:
    done = scan(folder)
    assert "name  lines  variable  verdict  predicates  ACFA  k  time" in " ".join(done.out.split()).replace(" ", "  ")
    assert "racy.c:4:5: warning: race on 'a'" in done.out
    assert "circ: 3 safe, 1 race; 3 files" in done.out.splitlines()[-1]
    assert "[3/3]" in done.err


def test_markdown(scan: Run, folder: Path) -> None:
    table = scan(folder / "locked.c", "--format", "md").out.splitlines()
    assert table[0] == "| name | lines | variable | verdict | predicates | ACFA | k | time |"
    assert len(table) == 3 and "| x | safe | 0 |" in table[2]


def test_globs_and_files_are_taken_once(scan: Run, folder: Path) -> None:
    done = scan("*.c", "locked.c", "./locked.c", "--format", "csv", cwd=folder)
    assert done.rows == [("locked.c", "x", "safe")]
    assert scan("**/*.c", "--format", "csv", cwd=folder).rows[1:] == [("racy.c", "a", "race"), ("racy.c", "b", "safe")]


def test_compile_commands(scan: Run, tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "lock.h").write_text("#define LOCK atomic\n")
    text = '#include "lock.h"\nint x;\n__attribute__((circ_thread)) void w(void)\n{\n    LOCK { x = x + ONE; }\n    PLAIN\n}\n'
    (tmp_path / "a.c").write_text(text)
    (tmp_path / "b.c").write_text(text)
    commands = [
        {"directory": str(tmp_path), "file": "a.c", "command": "cc -O2 -Iinc -DONE=1 -D 'PLAIN=' -c a.c -o a.o"},
        {"directory": str(tmp_path), "file": "b.c", "arguments": ["cc", "-I", "inc", "-DONE=1", "-DPLAIN=x = 2;", "-c", "b.c"]},
        {"directory": str(tmp_path), "file": "c.S", "command": "cc -c c.S"},
    ]
    path = tmp_path / "compile_commands.json"
    path.write_text(json.dumps(commands))
    assert scan(path, "--format", "csv").rows == [("a.c", "x", "safe"), ("b.c", "x", "race")]


@pytest.mark.parametrize("text", ["{", "{}", "[1]", '[{"file": 1}]', '[{"file": "a.c", "command": "cc \'"}]',
                                  '[{"file": "a.c", "arguments": [1]}]', '[{"file": "a.c", "directory": 1}]', "[]"])
def test_bad_compile_commands_are_one_located_line(scan: Run, tmp_path: Path, text: str) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_text(text)
    done = scan(path)
    assert done.status == 2
    assert len(done.err.splitlines()) == 1 and done.err.startswith(f"{path}:1: error: ")


def test_one_wrong_entry_of_a_database_does_not_stop_the_rest(scan: Run, tmp_path: Path) -> None:
    """Each is told of with its line, and counted; one that is excluded, or that is of another language, is not."""
    (tmp_path / "a.c").write_text(LOCKED)
    entries = ['{"file": "a.c", "command": "cc -c a.c"}', '{"file": 5}', '"a.c", [\n], null', '{"file": "b.c",\n "command": "cc \'"}',
               '{"file": "left/out.c", "arguments": 3}', '{"file": "n\\u0000.c", "command": "cc"}']
    path = tmp_path / "compile_commands.json"
    path.write_text("[ " + " ,\n".join(entries) + "\n]\n")
    done = scan(path.name, "--exclude", "left", "--format", "csv", cwd=tmp_path)
    assert done.rows == [("a.c", "x", "safe"), ("b.c", "", "error"), *[("compile_commands.json", "", "error")] * 5] and done.status == 2
    told = [line.removeprefix(f"{path.name}:").split(" ", 5)[:5] for line in done.err.splitlines() if line.startswith(path.name)]
    assert [(place, number) for place, _, _, _, number in told] == [("5:", "6"), ("2:", "2"), ("3:", "3"), ("3:", "4"), ("4:", "5"), ("8:", "8")]


def test_a_file_that_is_compiled_twice_is_two_programs(scan: Run, tmp_path: Path) -> None:
    """Also at the same time, and each with its own line of progress."""
    (tmp_path / "a.c").write_text(f"int x;\n{THREAD} {{ LOCK {{ x = x + 1; }} }}\nint main(void) {{ return 0; }}\n")
    (tmp_path / "compile_commands.json").write_text(json.dumps([
        {"directory": ".", "file": "a.c", "command": f"cc -DLOCK={lock} -c a.c -o CMakeFiles/{lock}.dir/a.o"} for lock in ("atomic", "if(1)")]))
    done = scan("compile_commands.json", "-j", "2", "--no-cache", "--format", "csv", cwd=tmp_path)
    assert sorted(done.rows) == [("a.c", "x", "race"), ("a.c", "x", "safe")] and "[2/2] a.c" in done.err


def test_what_is_called_like_a_file_and_is_none(scan: Run, folder: Path) -> None:
    (folder / "broken.c").symlink_to("nowhere.c")
    (folder / "loop.c").symlink_to("loop.c")
    (folder / "zero.c").symlink_to("/dev/zero")
    (folder / "good.c").symlink_to("locked.c")
    (folder / ".#locked.c").symlink_to("me@here.1:2")
    (folder / "folder.c").mkdir()
    os.mkfifo(folder / "pipe.c")
    done = scan(folder, "--exclude", "zero.c", "--format", "csv")
    assert [row[0] for row in done.rows if row[2] == "error"] == ["broken.c", "loop.c", "pipe.c"] and done.status == 2
    assert [row[0] for row in done.rows if row[2] != "error"] == ["good.c", "locked.c", "pre.i", "racy.c", "racy.c"]
    assert "broken.c:1: error: a link to a file that is not there" in done.err and "pipe.c:1: error: this is no plain file" in done.err


def test_a_folder_that_cannot_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from circ.scan import sources

    real = os.scandir

    def scandir(path: str) -> Any:
        if os.path.basename(path) == "sub":
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = sources.find_sources([str(folder)])
    assert [os.path.basename(s.path) for s in found if s.unread is None] == ["locked.c", "pre.i"]
    assert [str(s.unread).removeprefix(str(folder)) for s in found if s.unread is not None] == [
        "/sub:1: error: cannot read the directory: Permission denied (check its permissions, or --exclude it)"]


# ------------------------------------------------------------------------------------------------ options of a file
def test_the_header_of_a_file_holds_for_it_alone(scan: Run, folder: Path) -> None:
    (folder / "locked.c").write_text("// CIRC: -D N=0 --thread v\nint x, y;\nvoid v(void) { if (N) x = 1; }\nvoid w(void) { y = 1; }\n")
    assert scan(folder / "locked.c", folder / "sub", "--format", "csv").rows == [("racy.c", "a", "race"), ("racy.c", "b", "safe")]


def test_the_command_line_wins_and_lists_add_up(scan: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("// CIRC: -D A=1 --race-model c11\nint x;\n__attribute__((circ_thread)) void w(void) { atomic { x = A + B; } if (x) {} }\n")
    assert scan(path, "-D", "B=1", "--format", "csv").rows == [("a.c", "x", "race")]
    assert scan(path, "-D", "B=1", "--race-model", "nesc", "--format", "csv").rows == [("a.c", "x", "safe")]


def test_a_table_in_a_header_lies_beside_the_file(scan: Run, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "t.toml").write_text('[[handler]]\nname = "h"\nentered = "off"\n')
    (tmp_path / "sub" / "a.c").write_text("// CIRC: --interrupts t.toml\nint x;\nvoid h(void) { x++; }\nint main(void) { for (;;) ; }\n")
    assert scan(tmp_path / "sub", "--format", "csv").rows == [("a.c", "x", "safe")]


@pytest.mark.parametrize(("header", "message"), [
    ("CIRC: --nonsense", "nonsense"), ("CIRC: --ints fuzzy", "fuzzy"), ("CIRC: -D 'x", "quotation"), ("EXPECT: fine x", "fine x"),
    ("CIRC: --engine nosuch", "nosuch"), ("CIRC: --property fine", "fine"), ("CIRC: --thread", "value"),
    ("CIRC: -D =", "-D =: there is no macro's name"), ("CIRC: -D A -D 1x=2", "'1x' cannot be the name"), ("CIRC: -U 1", "-U 1"),
    ("CIRC: --platform none", "--platform none: there is no such platform"), ("CIRC: --thread v", "no function 'v'"), ("CIRC: --entry v", "no function 'v'"),
    ("CIRC: --thread w=\u0663", "expected F or F=N"), ("CIRC: --thread w=1 --thread w=2", "'w' is named twice"), ("CIRC: --thread w=9999999", "so many"),
    ("CIRC: -x x -x nothing", "no variable 'nothing'"), ("CIRC: --interrupts none.toml", "no such file"), ("CIRC: --interrupts .", "no plain file"),
])
def test_a_bad_header_is_that_file_alone(scan: Run, folder: Path, header: str, message: str) -> None:
    (folder / "locked.c").write_text(f"// A title\n// {header}\n{LOCKED}")
    done = scan(folder, "--format", "csv")
    assert done.status == 2
    assert [line for line in done.err.splitlines() if "locked.c:2:" in line and " error: " in line and message in line]
    assert done.rows[0] == ("locked.c", "", "error") and len(done.rows) == 4


def test_of_a_thread_that_both_name_the_command_line_says_how_many(scan: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("// CIRC: --thread w=1 --thread v=1\nint x, y;\nvoid w(void) { x = x + 1; }\nvoid v(void) { y = y + 1; }\n")
    assert scan(path, "--format", "csv").rows == [("a.c", "x", "safe"), ("a.c", "y", "safe")]
    assert scan(path, "--thread", "w=2", "--format", "csv").rows == [("a.c", "x", "race"), ("a.c", "y", "safe")]


# ------------------------------------------------------------------------------------------------ what goes wrong
def test_one_bad_file_does_not_stop_the_rest(scan: Run, folder: Path) -> None:
    (folder / "broken.c").write_text("int x = ;\n")
    done = scan(folder, folder / "missing.c", "--format", "csv")
    assert done.status == 2
    assert done.rows[0] == ("broken.c", "", "error") and ("missing.c", "", "error") in done.rows and len(done.rows) == 6
    assert "broken.c:1:9: error:" in done.err and "missing.c:1:1: error: no such file" in done.err


def test_a_mistake_of_ours_in_one_file_is_its_row(scan: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from circ.scan import job

    real = job.load_project

    def load(files: Any, *rest: Any) -> Any:
        if files[0].path.endswith("locked.c"):
            raise KeyError("a mistake")
        return real(files, *rest)

    monkeypatch.setattr(job, "load_project", load)
    done = scan(folder, "--format", "csv")
    assert done.status == 4 and done.rows[0][:2] == ("locked.c", "") and len(done.rows) == 4
    [line] = [line for line in done.err.splitlines() if "internal error" in line]
    assert "locked.c: KeyError: 'a mistake' (details in " in line and "Traceback" not in done.err


def test_limits_end_in_unknown(scan: Run, folder: Path) -> None:
    hard = folder / "hard.c"
    hard.write_text((ROOT / "tests/programs/circ/bakery2.c").read_text())
    for limit in ("--timeout", "--file-timeout"):
        done = scan(hard, "-x", "goods", limit, "0.5", "--no-cache", "--format", "csv")
        assert done.rows and all(row[2] in ("unknown", "possible race") for row in done.rows) and done.status == 3


def test_a_file_without_the_variable_is_skipped(scan: Run, folder: Path) -> None:
    done = scan(folder, "-x", "a", "-x", "x", "--format", "csv")
    assert done.rows == [("locked.c", "x", "safe"), ("pre.i", "x", "safe"), ("racy.c", "a", "race")]
    assert done.status == 1 and "error" not in done.err
    files = json.loads(scan(folder, "-x", "x", "--format", "json").out)["files"]
    assert [f["missing"] for f in files] == [[], [], ["x"]] and [f["status"] for f in files] == [0, 0, 0]


def test_a_variable_that_no_file_has_is_an_error(scan: Run, folder: Path) -> None:
    for _ in ("computed", "cached"):
        done = scan("locked.c", "pre.i", "-x", "x", "-x", "nowhere", "--format", "csv", cwd=folder)
        assert done.status == 2 and done.rows == [("locked.c", "x", "safe"), ("pre.i", "x", "safe")]
        assert [line for line in done.err.splitlines() if "error" in line] == [
            "locked.c:1: error: there is no variable 'nowhere' in this program, nor in the 1 others (circ cfa shows the variables)"]
    done = scan("locked.c", "-x", "nowhere", cwd=folder)
    assert done.status == 2 and "locked.c:1: error: there is no variable 'nowhere' in this program (" in done.err


def test_nothing_to_scan(scan: Run, tmp_path: Path) -> None:
    done = scan(tmp_path)
    assert done.status == 2 and done.err == f"{tmp_path}:1: error: there are no C files here (circ scan reads .c and .i files)\n"


def test_an_output_that_cannot_be_written(scan: Run, folder: Path) -> None:
    done = scan(folder, "-o", folder / "no" / "such" / "folder.jsonl")
    assert done.status == 2 and len(done.err.splitlines()) == 1 and "No such file" in done.err
    (folder / "file").write_text("")
    done = scan(folder, "--certificate", folder / "file" / "proofs")
    assert done.status == 2 and len(done.err.splitlines()) == 1 and "Not a directory" in done.err


def test_evidence_is_written_and_can_be_judged_again(scan: Run, folder: Path, tmp_path: Path) -> None:
    proofs = tmp_path / "proofs"
    scan("locked.c", "sub", "--format", "csv", cwd=folder)  # what is in the cache has no evidence
    scan("locked.c", "sub", "--certificate", proofs, "--format", "csv", cwd=folder)
    assert sorted(p.name.split(".c.")[0] for p in proofs.iterdir()) == ["locked", "sub%2fracy", "sub%2fracy"]
    [proof] = proofs.glob("locked*")
    with pytest.raises(SystemExit) as end:
        app(["recheck", str(proof), "locked.c"])
    assert end.value.code == 0


# ------------------------------------------------------------------------------------------------ resuming
def test_results_are_json_lines_and_resuming_computes_nothing_twice(scan: Run, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    first = scan(folder, "--no-cache", "-o", out, "--format", "csv")
    lines = lines_of(out)
    assert lines[0] == {"format": "circ-results", "version": 4}
    assert [(line["kind"], line.get("variable")) for line in lines[1:]].count(("row", "a")) == 1
    before = out.read_bytes()
    again = scan(folder, "--no-cache", "--resume", out, "--format", "csv")
    assert again.out == first.out and again.status == first.status  # the times, too: nothing was computed
    assert out.read_bytes() == before


def test_resuming_after_a_kill_keeps_what_is_there(scan: Run, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    first = scan(folder, "--no-cache", "-o", out, "--format", "csv")
    whole = out.read_bytes()
    cut = whole.index(b'"variable":"b"')
    out.write_bytes(whole[:cut])
    again = scan(folder, "--no-cache", "--resume", out, "--format", "csv")
    assert again.rows == first.rows
    kept = whole[:whole.rindex(b"\n", 0, cut) + 1]
    assert out.read_bytes().startswith(kept) and len(lines_of(out)) >= len(whole.splitlines())
    changed = folder / "sub" / "racy.c"
    changed.write_text(changed.read_text().replace("atomic { b = 1; }", "b = 1;"))
    assert ("racy.c", "b", "race") in scan(folder, "--no-cache", "--resume", out, "--format", "csv").rows


@pytest.mark.parametrize(("text", "line"), [
    ("", 1), ("no JSON\n", 1), ('{"format": "circ-report"}\n', 1), ('{"format": "circ-results", "version": 99}\n', 1),
    ('{"format": "circ-results", "version": 4}\n{"kind": "row"}\n', 2), ('{"format": "circ-results", "version": 4}\n[]\n', 2),
    ('{"format": "circ-results", "version": 4}\nx\n', 2), ("\0\1\2\n", 1), ('{"format": "circ-results", "version": 4}', 1),
])
def test_a_foreign_results_file_is_refused(scan: Run, folder: Path, tmp_path: Path, text: str, line: int) -> None:
    out = tmp_path / "results.jsonl"
    out.write_text(text)
    done = scan(folder, "--resume", out)
    assert done.status == 2
    assert len(done.err.splitlines()) == 1 and done.err.startswith(f"{out}:{line}: error: this is not a results file of circ scan")
    assert out.read_text() == text


def test_resuming_what_is_not_there(scan: Run, folder: Path, tmp_path: Path) -> None:
    done = scan(folder, "--resume", tmp_path / "none")
    assert done.status == 2 and len(done.err.splitlines()) == 1 and "No such file" in done.err


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_end_by_signal_loses_no_result(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "quick.c").write_text(LOCKED)
    (tmp_path / "slow.c").write_text(_endless())
    out = tmp_path / "results.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-c", "from circ.cli import main; main()", "scan", "quick.c", "slow.c", "-j", "2", "-o", str(out),
         "--engine", "explicit", "--timeout", "600"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # tests may run in the background
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (out.exists() and '"verdict":"safe"' in out.read_text()):
        time.sleep(0.05)
    process.send_signal(how)
    printed, errors = process.communicate(timeout=20)
    assert [line["finding"]["verdict"] for line in lines_of(out) if line.get("kind") == "row" and line["file"] == "quick.c"] == ["safe"]
    if how is not signal.SIGKILL:
        assert process.returncode == 128 + how and "quick.c" in printed and "Traceback" not in errors


def _endless() -> str:
    """A program with far more states than can be searched."""
    counters = "".join(f"    atomic {{ c{i} = c{i} + d; }}\n" for i in range(8))
    return (f"unsigned x, {', '.join(f'c{i}' for i in range(8))};\n__attribute__((circ_thread)) void w(void)\n{{\n    unsigned d;\n"
            f"    while (1) {{\n{counters}    if (c0 == 77 && c1 == 78 && c2 == 79) {{ x = x + 1; }}\n    }}\n}}\n")


# ------------------------------------------------------------------------------------------------ cache
def answers(done: Ended) -> dict[str, bool]:
    """For each variable, whether its answer came from the cache."""
    return {a["variable"]: a["cached"] for f in json.loads(done.out)["files"] for a in f["answers"]}


def test_the_cache_is_by_content_and_options(scan: Run, folder: Path, cache: Path) -> None:
    (folder / "h.h").write_text("#define STEP 1\n")
    path = folder / "locked.c"
    path.write_text('#include "h.h"\n' + LOCKED.replace("+ 1", "+ STEP"))
    assert answers(scan(path, "--format", "json")) == {"x": False}
    assert answers(scan(path, "--format", "json")) == {"x": True}
    assert answers(scan(path, "--timeout", "30", "--format", "json")) == {"x": True}  # limits had no part in the answer
    assert answers(scan(path, "--no-cache", "--format", "json")) == {"x": False}
    assert answers(scan(path, "--data-model", "ip16", "--format", "json")) == {"x": False}
    (folder / "h.h").write_text("#define STEP 2\n")
    assert answers(scan(path, "--format", "json")) == {"x": False}
    for entry in cache.glob("*.answer"):
        entry.write_text("garbage")
    assert answers(scan(path, "--format", "json")) == {"x": False}


def test_unknown_is_not_cached(scan: Run, folder: Path) -> None:
    hard = folder / "hard.c"
    hard.write_text((ROOT / "tests/programs/circ/ticket_lock_2.c").read_text())
    assert scan(hard, "-x", "value", "--timeout", "0.3", "--format", "csv").status == 3
    assert scan(hard, "-x", "value", "--timeout", "200", "--format", "csv").status == 0


def test_a_cache_that_cannot_be_written_does_no_harm(scan: Run, folder: Path, cache: Path) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text("a file where the folder should be")
    assert scan(folder / "locked.c", "--format", "csv").status == 0


# ------------------------------------------------------------------------------------------------ expectations
def test_expectations(scan: Run, folder: Path) -> None:
    path = folder / "sub" / "racy.c"
    path.write_text("// EXPECT: race a\n// EXPECT: safe b\n// EXPECT: safe untouched\nint untouched;\n" + RACY)
    done = scan(folder, "--expect")
    assert done.status == 0 and done.out.endswith("circ: 3 expectations, 0 differences\n")
    path.write_text("// EXPECT: safe a\n// EXPECT: safe b\n// EXPECT: safe nowhere\n" + RACY)
    done = scan(folder, "--expect")
    assert done.status == 1
    assert f"{path}:1: difference: a: expected safe, got race" in done.out
    assert f"{path}:3: difference: nowhere: expected safe, got no verdict" in done.out
    assert done.out.endswith("circ: 3 expectations, 2 differences\n")
    assert json.loads(scan(folder, "--expect", "--format", "json").out)["differences"][0].endswith("expected safe, got race")


def test_unknown_where_a_verdict_is_expected_is_a_difference(scan: Run, folder: Path) -> None:
    path = folder / "sub" / "racy.c"
    path.write_text("// EXPECT: race a\n" + RACY)
    # An engine for counted threads has nothing to say about any number of them.
    assert scan(path, "--expect", "--engine", "thread-modular", "--no-cache").status == 1
    path.write_text("// EXPECT: race a\nint a = ;\n")
    assert scan(path, "--expect").status == 2


def test_expecting_nothing_is_an_error(scan: Run, folder: Path) -> None:
    done = scan(folder, "--expect")
    assert done.status == 2 and "no file has an EXPECT line" in done.err


# ------------------------------------------------------------------------------------------------ order
def test_what_took_longest_is_started_first(scan: Run, folder: Path, tmp_path: Path) -> None:
    """By size at first, then by what each file took; the table stays in the order of the paths."""
    (folder / "locked.c").write_text(LOCKED + "\n" * 200)
    out = tmp_path / "results.jsonl"
    scan(folder, "-o", out)
    assert os.path.basename(lines_of(out)[1]["file"]) == "locked.c"
    cache = Cache(Cache.default_folder())
    for path, seconds in ((folder / "locked.c", 0.1), (folder / "pre.i", 0.5), (folder / "sub" / "racy.c", 30.0)):
        assert cache.seconds(str(path)) is not None
        cache.took(str(path), seconds)
    done = scan(folder, "-o", out, "--format", "csv")
    assert [os.path.basename(line["file"]) for line in lines_of(out)[1:] if line["kind"] == "head"] == ["racy.c", "pre.i", "locked.c"]
    assert [row[0] for row in done.rows] == ["locked.c", "pre.i", "racy.c", "racy.c"]


def on_a_terminal(*words: str, **more: str) -> str:
    """What a command writes to the terminal that its stderr is."""
    main, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", "from circ.cli import main; main()", *words],
        env={**os.environ, "TERM": "xterm", "PYTHONPATH": str(ROOT), "COLUMNS": "300", **more}, stdout=subprocess.PIPE, stderr=other, text=True)
    os.close(other)
    seen = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(main, 4096):
            seen += chunk
    os.close(main)
    process.communicate(timeout=60)
    return seen.decode()


HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"  # the cursor


def test_progress_on_a_terminal(folder: Path) -> None:
    """Drawn by rich below what is printed, with what is running; nothing of it stays, and the cursor is there again."""
    (folder / "red\x1b[31m[bold].c").write_text("int x; int main(void) { return x; }\n")
    seen = on_a_terminal("scan", str(folder), "--no-cache")
    assert "0/4" in seen and "reading" in seen and "\\x1b[31m[bold].c" in seen and "\x1b[31m[bold]" not in seen
    assert seen.count(HIDE) == seen.count(SHOW) >= 1 and seen.rindex(HIDE) < seen.rindex(SHOW)
    after = seen[seen.rindex(SHOW):].removeprefix(SHOW)
    assert not after.replace("\x1b[1A", "").replace("\x1b[2K", "").strip("\r\n")


@pytest.mark.parametrize("more", [{"NO_COLOR": "1"}, {}])
def test_progress_of_a_check_on_a_terminal(folder: Path, more: dict[str, str]) -> None:
    seen = on_a_terminal("check", str(folder / "locked.c"), **more)
    assert "reading" in seen and "locked.c" in seen and seen.count(HIDE) == seen.count(SHOW) >= 1
    assert "\x1b[3" not in seen or not more  # no colours


def test_progress_where_the_cursor_cannot_be_moved(folder: Path) -> None:
    seen = on_a_terminal("scan", str(folder), "--no-cache", TERM="dumb")
    assert "\x1b" not in seen and len(re.findall(r"^\[\d/3\] \S+: .* s\)", seen, re.M)) == 3


# ------------------------------------------------------------------------------------------------ one file for each
def test_a_report_replaces_no_results(scan: Run, folder: Path, tmp_path: Path) -> None:
    results, report = tmp_path / "r.jsonl", tmp_path / "r.html"
    for words in (("--results", results), ("--resume", results), ("--baseline", results)):
        if words[0] == "--resume":
            scan(folder / "locked.c", "-o", results)
        before = results.read_bytes() if results.exists() else None
        done = scan(folder / "locked.c", "--format", "html", "-o", results, *words)
        assert done.status == 2 and f"-o and {words[0]} name the same file" in done.err
        assert (results.read_bytes() if results.exists() else None) == before
    assert scan(folder / "locked.c", "--format", "html", "-o", report, "--resume", results).status == 0
    assert report.read_text().startswith("<!doctype html>") and results.read_text().startswith('{"format"')
    assert scan(folder / "locked.c", "--format", "html", "-o", tmp_path / "no" / "r.html").status == 2  # before anything is done


def test_programs_with_the_same_first_file_have_files_of_their_own(scan: Run, tmp_path: Path) -> None:
    project, proofs = tmp_path / "project", tmp_path / "proofs"
    project.mkdir()
    (project / "app.c").write_text("int x;\nint step(void);\n// EXPECT: safe x\n" + THREAD + " { x = step(); }\nint main(void) { return 0; }\n")
    (project / "one.c").write_text("int step(void) { return 1; }  // circ-suppress x: only here\n")
    (project / "two.c").write_text("int step(void) { return 2; }\n")
    (project / "compile_commands.json").write_text(json.dumps([
        {"directory": str(project), "file": file, "command": f"cc -c {file} -o CMakeFiles/{target}.dir/{file}.o", "output": f"CMakeFiles/{target}.dir/{file}.o"}
        for target, other in (("a", "one.c"), ("b", "two.c")) for file in ("app.c", other)]))
    done = scan(project / "compile_commands.json", "--cpp", "own", "-x", "x", "--no-cache", "--certificate", proofs, "--format", "json")
    files = json.loads(done.out)["files"]
    assert [Path(f["file"]).name for f in files] == ["app.c", "app.c"]
    written = sorted(path.name.split(".c", 1)[1] for path in proofs.iterdir())
    assert len(written) == 2 and written[1].startswith("~2.x.")


def test_a_name_that_is_too_long_for_a_file_is_shortened(scan: Run, tmp_path: Path) -> None:
    long = tmp_path / ("d" * 120) / ("e" * 120)
    long.mkdir(parents=True)
    (long / "a.c").write_text(LOCKED.replace("x", "x" * 300))
    (long / "b.c").write_text(LOCKED.replace("x", "x" * 300))
    done = scan(long, "--no-cache", "--certificate", tmp_path / "proofs")
    assert done.status == 0 and "too long" not in done.err
    assert len(list((tmp_path / "proofs").iterdir())) == 2
