"""What stands on a terminal: colours, lines of source with carets, and nothing that a source file could send there."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from circ.report.excerpts import Excerpts
from circ.report.forms import When
from circ.report.terminal.colours import coloured, painted, wanted
from circ.report.terminal.plain_text import plain, unfiltered
from frontend.program import Location


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("when", "environment", "expected"), [
    (When.AUTO, {}, True), (When.AUTO, {"NO_COLOR": "1"}, False), (When.AUTO, {"NO_COLOR": ""}, True),
    (When.AUTO, {"TERM": "dumb"}, False), (When.ALWAYS, {"NO_COLOR": "1"}, True), (When.NEVER, {}, False),
])
def test_colours_on_a_terminal(when: When, environment: dict[str, str], expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wanted(when, Terminal()) is expected
    assert wanted(When.AUTO, io.StringIO()) is False


def test_a_verdict_has_the_colour_of_what_it_means() -> None:
    assert painted("a.c:1:2: safe: no race on 'x'\n") == "\x1b[1ma.c:1:2:\x1b[0m \x1b[1;32msafe\x1b[0m: no race on 'x'\n"
    assert "\x1b[1;35mwarning\x1b[0m: race" in painted("dir/a.c:1:2: warning: race on 'x'\n")
    assert "\x1b[1;33mpossible race\x1b[0m on 'x'" in painted("a.c:1: possible race on 'x': w writes\n")
    assert painted("circ: 1 safe, 2 race\n") == "circ: \x1b[1;32m1 safe\x1b[0m, \x1b[1;31m2 race\x1b[0m\n"
    assert painted("      | \t ^\n") == "      | \t \x1b[1;32m^\x1b[0m\n"
    assert painted("  assuming: safe: nothing\n") == "  assuming: safe: nothing\n"


def test_a_source_file_sends_nothing_to_a_coloured_terminal() -> None:
    terminal = Terminal()
    stream = coloured(plain(terminal), When.ALWAYS)
    stream.write("a.c:1: warning: race on '\x1b[2J'\n")
    assert unfiltered(stream) is terminal
    assert terminal.getvalue() == "\x1b[1ma.c:1:\x1b[0m \x1b[1;35mwarning\x1b[0m: race on '\\x1b[2J'\n"


def test_a_caret_stands_below_its_column(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("int x;\n\tx = y + 1;\n" + "a" * 300 + "\n")
    shown = Excerpts([str(path)])
    assert list(shown.caret(Location(str(path), 2, 6))) == ["    2 | \tx = y + 1;", "      | \t    ^"]
    line, caret = shown.caret(Location(str(path), 3, 200))
    assert len(line) < 130 and line[len(caret) - 1] == "a" and line.startswith("    3 | ...a") and line.endswith("a...")
    for nowhere in (Location(str(path), 9, 1), Location(str(path), 2, 0), Location(str(path), 2, 99), Location("none.c", 1, 1)):
        assert list(shown.caret(nowhere)) == []


def test_a_line_marker_shows_no_file_that_was_not_named(tmp_path: Path) -> None:
    """`# 1 "../secret"` in a source says only that its lines came from there."""
    (tmp_path / "project" / "include").mkdir(parents=True)
    (tmp_path / "secret").write_text("password\n")
    (tmp_path / "project" / "a.c").write_text("int x;\n")
    (tmp_path / "project" / "include" / "a.h").write_text("int y;\n")
    (tmp_path / "project" / "link").symlink_to(tmp_path / "secret")
    shown = Excerpts([str(tmp_path / "project" / "a.c")])
    assert shown.line(str(tmp_path / "project" / "include" / "a.h"), 1) == "int y;"
    for name in ("secret", "project/../secret", "project/link"):
        assert shown.line(str(tmp_path / name), 1) is None
    assert shown.line("\0", 1) is None
