"""Databases, proofs and texts that others wrote: nothing is waited for, read without end, or done to the terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from circ.report.terminal.plain_text import PlainText, plain, printable, unfiltered
from circ.scan.post_office import command
from circ.serve.client import ServeClient
from frontend import LoadOptions, load
from frontend.program import FrontendError, read_data
from frontend.project.database import WrongCommand, read_database
from frontend.text.compilers import harmless

ROOT = Path(__file__).parents[2]


def circ(*words: object, cwd: Path, shell: str = "") -> subprocess.CompletedProcess[str]:
    command = " ".join([sys.executable, "-m", "circ", *map(str, words), shell])
    return subprocess.run(command, shell=True, cwd=cwd, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})


@pytest.mark.parametrize("words", ["scan {}", "check {}", "recheck {} a.c", "check a.c --interrupts {}", "check a.c --property {}.prp"])
def test_what_is_no_plain_file_is_not_waited_for(tmp_path: Path, words: str) -> None:
    (tmp_path / "a.c").write_text("int x;\n__attribute__((circ_thread)) void w(void) { x = 1; }\n")
    os.mkfifo(tmp_path / "compile_commands.json")
    os.mkfifo(tmp_path / "compile_commands.json.prp")
    done = circ(*words.format("compile_commands.json").split(), cwd=tmp_path)
    assert done.returncode == 2 and "this is no plain file" in done.stderr


@pytest.mark.parametrize("words", [
    "check a.c -o {}", "check a.c --witness-out {}", "check a.c --baseline {}", "verify a.c -o {}", "cfa a.c -o {}", "check a.c --export-assumption -o {}",
    "scan . --no-cache -o {}", "scan a.c --no-cache --results {}", "scan a.c --no-cache --format html -o {}", "scan a.c --no-cache --baseline {}"])
def test_what_is_checked_is_not_written_to(tmp_path: Path, words: str) -> None:
    text = "int x;\n__attribute__((circ_thread)) void w(void) { x = 1; }\n"
    (tmp_path / "a.c").write_text(text)
    (tmp_path / "link").symlink_to("a.c")
    done = circ(*words.format("link").split(), cwd=tmp_path)
    assert done.returncode == 2 and "names a file that is checked" in done.stderr and (tmp_path / "a.c").read_text() == text


def test_devices_and_files_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for name in ("zero", "bytes", "none", "."):
        with pytest.raises(FrontendError):
            read_data(str(tmp_path / name))


@pytest.mark.parametrize(("entry", "message"), [
    ({"arguments": ["gcc", "@r", "a.c"]}, "reads files of options without end"),
    ({"command": None}, "has a command that is no text"), ({"command": 5}, "has a command that is no text"),
])
def test_commands_that_never_end_or_are_none(tmp_path: Path, entry: dict[str, object], message: str) -> None:
    (tmp_path / "r").write_text("@r " * 20_000)
    path = tmp_path / "compile_commands.json"
    path.write_text(json.dumps([{"directory": str(tmp_path), "file": "a.c", **entry}]))
    [wrong] = read_database(str(path))
    assert isinstance(wrong, WrongCommand) and message in str(wrong.error) and wrong.file.endswith("a.c")


def test_a_source_file_does_nothing_to_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_bytes(b"#error \x1b[2J\x07 all safe\n")
    (tmp_path / "b.c").write_bytes(b'int x;\n__attribute__((circ_thread)) void w(void) { x = "\x1b[2J"[0]; }\n')
    for asked in ("check", "scan"):
        for name in ("a.c", "b.c"):
            done = circ(asked, name, cwd=tmp_path)
            assert "\x1b" not in done.stdout + done.stderr and "\\x1b" in done.stdout + done.stderr
    assert printable("a\tb\r\n\rc") == "a\tb\r\n\\x0dc"
    assert printable("a\u202eb\ufeff") == "a\\u202eb\\ufeff"
    assert isinstance(plain(sys.stdout), PlainText) and unfiltered(plain(sys.stdout)) is sys.stdout


def test_closed_streams_change_no_status(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x;\n__attribute__((circ_thread)) void w(void) { x = 1; }\n")
    assert circ("check", "a.c", cwd=tmp_path, shell=">&-").returncode == 1
    assert circ("check", "a.c", cwd=tmp_path, shell="2>&- >/dev/null").returncode == 1


@pytest.mark.parametrize("value", ["@r", "@/etc/passwd", "-o", "=1", "1X", ""])
@pytest.mark.parametrize("option", ["define", "undefine"])
def test_no_value_of_an_option_is_a_file_of_options_to_a_compiler(tmp_path: Path, option: str, value: str) -> None:
    """gcc passes `-D@r` on as `-D` and `@r`, and its first pass reads options from the file `r`, also those that load code."""
    path = tmp_path / "a.c"
    path.write_text("int x;\n")
    with pytest.raises(FrontendError, match="no macro has such a name"):
        load(str(path), LoadOptions(cpp="cat", **{option: (value,)}))  # type: ignore[arg-type]


def test_nor_is_a_path_or_a_file_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "@a.c"
    path.write_text("int x;\n")
    with pytest.raises(FrontendError, match="begins with '@'"):
        load(str(path), LoadOptions(cpp="cat"))
    seen: list[list[str]] = []
    (tmp_path / "a.c").write_text("int x; void f(void) { x = 1; }\n")
    monkeypatch.setattr("frontend.text.preprocess.run_preprocessor", lambda words, *_: seen.append(list(words)) or "int x;")
    with suppress(FrontendError):
        load(str(tmp_path / "a.c"), LoadOptions(cpp="gcc -E", include=("@r",), threads=("f",)))
    assert "-I./@r" in seen[0] and not any(word.startswith("-I@") for word in seen[0])
    assert not harmless("-isysroot@r") and not harmless("--sysroot=@r") and harmless("--sysroot=/opt/avr")


def test_what_the_system_has_no_more_of_is_a_limit(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x;\n__attribute__((circ_thread)) void w(void) { x = 1; }\n")
    command = f"ulimit -n 12; {sys.executable} -m circ scan a.c --no-cache"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode in (1, 3) and "internal error" not in done.stderr


@pytest.mark.parametrize("words", ["check p.c", "cfa p.c", "scan p.c --no-cache"])
def test_a_pipe_in_place_of_a_file_ends_at_the_limit(tmp_path: Path, words: str) -> None:
    os.mkfifo(tmp_path / "p.c")
    done = circ(words, "--timeout 1", cwd=tmp_path)
    assert done.returncode == 3


@pytest.mark.parametrize("words", ["check a.c", "check a.c --format html", "scan a.c --no-cache --format html", "cfa a.c", "check a.c --explain"])
def test_a_place_in_a_pipe_is_not_looked_at(tmp_path: Path, words: str) -> None:
    """A line marker may say that an access stands in a pipe, from which a report would take the line."""
    os.mkfifo(tmp_path / "pipe.c")
    (tmp_path / "a.c").write_text('int x;\n#line 1 "pipe.c"\n__attribute__((circ_thread)) void w(void) { x = x + 1; }\n')
    done = circ(words, cwd=tmp_path)
    assert done.returncode == (0 if words.startswith("cfa") else 1) and "pipe.c:1" in done.stdout


@pytest.mark.parametrize("words", ["check p.c", "check p.c --format html", "verify p.c"])
def test_a_pipe_that_somebody_writes_is_read_once(tmp_path: Path, words: str) -> None:
    os.mkfifo(tmp_path / "p.c")
    writer = subprocess.Popen(["sh", "-c", "printf 'int x;\\n__attribute__((circ_thread)) void w(void) { x = x + 1; }\\n' >p.c"], cwd=tmp_path)
    done = circ(words, cwd=tmp_path)
    assert done.returncode == (0 if words.startswith("verify") else 1) and not writer.wait(60)


@pytest.mark.parametrize("header", ["// CIRC: -D A=1\n" * 5000, "// CIRC: " + "-D A=1 " * 5000 + "\n"])
def test_headers_have_an_end(tmp_path: Path, header: str) -> None:
    (tmp_path / "a.c").write_text(header + "int x;\n")
    done = circ("check a.c", cwd=tmp_path)
    assert done.returncode == 2 and "the header is too long" in done.stderr


def test_directives_of_a_witness_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x;\n__attribute__((circ_thread)) void w(void) { x = 1; }\n")
    (tmp_path / "w.yml").write_text("%TAG !a! x\n---\n- a\n")
    done = circ("check a.c --witness w.yml", cwd=tmp_path)
    assert done.returncode == 2 and "w.yml:1: error: a directive" in done.stderr


def test_nothing_is_imported_from_the_folder_that_is_checked(tmp_path: Path) -> None:
    """Processes that circ starts do not take a stranger's circ.py, or json.py, for a module."""
    for name in ("circ", "json", "frontend"):
        (tmp_path / f"{name}.py").write_text("open('/dev/stdout', 'w').write('run by a stranger')\n")
    server = ServeClient().command
    office = command("local:1", 99, os.getpid())
    assert [word for words in (server, office) for word in words].count("-P") == 2
    for words in (server, office):
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        assert "run by a stranger" not in done.stdout + done.stderr
