"""Files of options: what they may say, which one holds, what wins over them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.main import get_command

from circ.cli import app, main
from circ.config_file import ALLOWED, find_config, read_config
from frontend.program import FrontendError

RACY = "int x;\nvoid w(void)\n{\n    x = x + 1;\n}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.c").write_text(RACY)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capfd.readouterr()
    with pytest.raises(SystemExit) as end:
        main(words)
    out, err = capfd.readouterr()
    assert isinstance(end.value.code, int)
    return end.value.code, out, err


@pytest.mark.parametrize("command", [("check",), ("scan", "--no-cache")])
def test_options_of_a_file_hold_unless_the_command_line_says_otherwise(command: tuple[str, ...], folder: Path,
                                                                       capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "circ.toml").write_text('thread = ["w=1"]\nverbose = true\nflow-rule = false\ntarget = "t"\n')
    status, _, err = run(capfd, *command, "a.c")
    assert status == 0 and "circ: note: circ.toml says --thread w=1 --verbose --target t\n" in err
    assert run(capfd, *command, "a.c", "--thread", "w=2")[0] == 1
    assert run(capfd, "--no-config", *command, "a.c", "--thread", "w")[0] == 1
    (folder / "other.toml").write_text('thread = "w=3"\n')
    assert run(capfd, "--config", "other.toml", *command, "a.c")[0] == 1


def test_a_header_wins_over_the_file_and_lists_of_the_command_line_add_to_it(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "circ.toml").write_text('ints = "math"\nD = ["A"]\n')
    (folder / "a.c").write_text("// CIRC: --thread w=1 --ints exact\n" + RACY)
    _, out, _ = run(capfd, "cfa", "a.c")
    assert "exact integers" in out and "thread w, 1 copy" in out


def test_a_project_file_and_folders_below_it(folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "pyproject.toml").write_text('[tool.other]\ncpp = 1\n[tool.circ]\nthread = ["w=1"]\nbaseline = "b.json"\n')
    assert "there is no baseline" in run(capfd, "check", "a.c")[2]  # a file of options lets nothing be written
    (folder / "b.json").write_text('{"format": "circ-baseline", "version": 1, "findings": []}')
    (folder / "sub").mkdir()
    monkeypatch.chdir(folder / "sub")
    assert run(capfd, "check", "../a.c")[0] == 0
    assert (folder / "b.json").read_text().endswith("[]}")
    (folder / "sub" / ".git").mkdir()  # a repository of its own
    assert find_config(str(folder / "sub")) is None


@pytest.mark.parametrize(("text", "place", "message"), [
    ('cpp = "touch pwned"', "1:1", "may not say 'cpp'"), ('verbose = true\n  o = "pwned"', "2:3", "may not say 'o'"),
    ('certificate = "d"', "1:1", "may not say"), ('cache = "d"', "1:1", "may not say"), ('I = ["../secret"]', "1:1", "lies outside"),
    ('baseline = "/etc/passwd"', "1:1", "lies outside"), ('thread = [["w"]]', "1:1", "neither a text"), ("thread = true", "1:1", "has a value"),
    ('verbose = "yes"', "1:1", "is true or false"), ('engine = ["a", "b"]', "1:1", "has one value"), ("thread = ", "1", "no TOML"),
    ('property = "x.prp"', "1:1", "property file"), ('"\\u001b[2J" = 1', "1", "may not say"),
])
def test_what_a_file_may_not_say_is_refused_with_its_place(folder: Path, capfd: pytest.CaptureFixture[str], text: str, place: str,
                                                           message: str) -> None:
    (folder / "circ.toml").write_text(text)
    status, out, err = run(capfd, "check", "a.c")
    assert (status, out) == (2, "") and err.startswith(f"{folder}/circ.toml:{place}: error: ") and message in err and "\x1b" not in err
    assert not (folder / "pwned").exists()


def test_a_file_of_somebody_else_is_passed_over(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "circ.toml").write_text('cpp = "touch pwned"')
    (folder / "circ.toml").chmod(0o644)
    real = os.stat(folder / "circ.toml").st_uid
    monkeypatch.setattr("circ.config_file.os.getuid", lambda: real + 1)
    if real == 0:
        os.chown(folder / "circ.toml", 12345, 12345)
    assert find_config(str(folder)) is None
    with pytest.raises(FrontendError):
        read_config(str(folder / "circ.toml"))


def test_every_option_that_a_file_may_have_has_a_key_that_is_read(folder: Path) -> None:
    for option in ALLOWED:
        key = option.lstrip("-")
        (folder / "circ.toml").write_text(f'"{key}" = "1"\n')
        config = read_config(str(folder / "circ.toml"))
        assert config is not None and config.options[0][0] == option


def test_no_file_of_options_sets_limits_runs_or_writes(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    options = {option for name in ("check", "verify", "scan", "cfa") for p in get_command(app).commands[name].params for option in p.opts}  # type: ignore[attr-defined]
    refused = sorted(option for option in options if option.startswith("-") and option not in ALLOWED)
    assert {"--timeout", "--memory", "--cpu-limit", "--budget", "--file-timeout", "--cpp", "-o", "--certificate", "--dump", "--cache",
            "--results", "--resume", "-p", "-j"} <= set(refused)
    for key in [option.lstrip("-") for option in refused] + [option for option in ALLOWED if option.startswith("--")]:
        (folder / "circ.toml").write_text(f'"{key}" = "1"\n')
        status, _, err = run(capfd, "check", "a.c")
        assert status == 2 and f"circ.toml:1:1: error: a file of options may not say '{key}'" in err, key


def test_a_number_of_thousands_of_digits_is_no_toml(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "circ.toml").write_text("k = " + "9" * 5000 + "\n")
    status, _, err = run(capfd, "check", "a.c")
    assert status == 2 and "circ.toml:1: error: this is no TOML" in err
