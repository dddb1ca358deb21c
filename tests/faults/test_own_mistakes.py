"""Our own mistakes behind reading: each costs what it is about, a variable or a file, and the rest of the run goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from circ.cli import app
from circ.report import findings
from circ.run import check, session
from circ.verdict import Unknown

THREAD = "__attribute__((circ_thread)) void w(void)"
LOCKED = f"int x, y;\n{THREAD} {{ atomic {{ x = x + 1; }} y = 1; }}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def broken(real: Callable[..., Any], when: Callable[..., bool]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        if when(*arguments):
            raise KeyError("our own mistake")
        return real(*arguments, **named)

    return call


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.output


def test_in_an_engine_it_costs_the_variable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.c").write_text(LOCKED)
    monkeypatch.setattr(check, "triage", broken(check.triage, lambda program, question: question.variable == "x"))
    status, out = run("check", "a.c")
    assert status == 4 and "race on 'y'" in out and "internal error: KeyError" in out


def test_in_the_report_it_costs_the_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second program of a project is checked although telling of the first one has failed."""
    (folder / "a.c").write_text(LOCKED)
    (folder / "b.c").write_text(LOCKED)
    (folder / "compile_commands.json").write_text(
        '[{"directory": ".", "file": "a.c", "arguments": ["cc", "-c", "a.c"]}, {"directory": ".", "file": "b.c", "arguments": ["cc", "-c", "b.c"]}]')
    monkeypatch.setattr(session, "finding_of", broken(findings.finding_of, lambda program, answer: program.file.endswith("a.c")))
    status, out = run("check", "compile_commands.json", "--cpp", "own")
    assert status == 4 and "b.c:2" in out and "race on 'y'" in out and "a.c: internal error: KeyError" in out


def test_in_looking_for_possible_races_it_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.c").write_text(LOCKED)
    monkeypatch.setattr(check, "possible_races", broken(check.possible_races, lambda *_: True))
    monkeypatch.setattr(check._Worker, "_infer", lambda *_: ("auto", Unknown("nothing helps")))
    status, out = run("check", "a.c")
    assert status == 4 and "internal error: KeyError" in out
