"""What does not count: suppressions in the source, and baselines."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from circ.cli import main
from circ.report.accepted.baseline import Baseline, baseline_text, entries_of, read_baseline
from circ.report.accepted.suppressions import Suppression, complaints, read_suppressions, suppressed
from circ.report.findings import Finding
from frontend.program import FrontendError, Location

HERE = Location("a.c", 4, 5)
RACE = Finding("x", "race", "explicit", HERE, HERE, "race on 'x'", "11")
SAFE = replace(RACE, verdict="safe")


def suppression(variable: str, reason: str = "only statistics") -> Suppression:
    return Suppression(variable, reason, HERE)


# ------------------------------------------------------------------------------------------------ suppressions
def test_comments_that_suppress(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("int x; // circ-suppress x: only statistics\n/* circ-suppress s.f : a hint, no more */\n//circ-suppress f::n: own\n"
                    "// circ-suppress y\n// circ-suppress z:   \n// circ-suppress\n// circ-suppressed w: no\n")
    found = read_suppressions([str(path), str(path), "none.c"])
    assert [(s.variable, s.reason, s.location.line) for s in found] == [
        ("x", "only statistics", 1), ("s.f", "a hint, no more", 2), ("f::n", "own", 3), ("y", "", 4), ("z", "", 5), ("", "", 6)]


@pytest.mark.parametrize(("name", "variable", "matches"), [
    ("x", "x", True), ("x", "xy", False), ("s", "s.f", True), ("a", "a[]", True), ("s.f", "s", False), ("asserts", None, True), ("x", None, False),
])
def test_what_a_suppression_is_about(name: str, variable: str | None, matches: bool) -> None:
    finding = replace(RACE, variable=variable)
    assert bool(suppressed(finding, [suppression(name)]).suppressed) is matches


def test_a_suppression_needs_a_reason_and_something_to_suppress() -> None:
    assert suppressed(RACE, [suppression("x", "")]) == RACE
    assert suppressed(replace(RACE, bug=True), [suppression("x")]).suppressed == ""
    [no_reason] = complaints([suppression("x", "")], [RACE], True)
    assert no_reason.startswith("a.c:4:5: warning: a suppression needs a reason")
    [proved] = complaints([suppression("x")], [suppressed(SAFE, [suppression("x")])], True)
    assert "suppresses nothing on 'x': it is proved" in proved
    [misspelt] = complaints([suppression("xx")], [RACE], True)
    assert "nothing of this name" in misspelt
    assert list(complaints([suppression("xx")], [RACE], complete=False)) == []
    assert list(complaints([suppression("x")], [suppressed(RACE, [suppression("x")])], True)) == []


# ------------------------------------------------------------------------------------------------ baselines
def baseline(folder: Path, *found: tuple[str, Finding]) -> Baseline:
    path = folder / "b.json"
    path.write_text(baseline_text(entries_of(found, str(folder))))
    return read_baseline(path)


def test_what_is_known_is_known_where_lines_move_and_files_are_renamed(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("")
    known = baseline(tmp_path, (str(tmp_path / "a.c"), RACE), (str(tmp_path / "old.c"), replace(RACE, fingerprint="22")))
    moved = replace(RACE, place=Location("a.c", 99), message="another text")
    assert known.marked(str(tmp_path / "a.c"), moved).known
    assert known.marked(str(tmp_path / "new.c"), replace(RACE, fingerprint="22")).known  # there is no old.c any more
    assert not known.marked(str(tmp_path / "new.c"), RACE).known  # a.c is there: this is another one
    assert not known.marked(str(tmp_path / "a.c"), replace(RACE, fingerprint="33")).known
    assert known.gone == 0


def test_what_became_worse_is_new(tmp_path: Path) -> None:
    file = str(tmp_path / "a.c")
    Path(file).write_text("")
    known = baseline(tmp_path, (file, replace(RACE, verdict="possible race")))
    assert known.gone == 1
    assert not known.marked(file, RACE).known
    assert known.marked(file, replace(RACE, verdict="unknown")).known and known.gone == 0


def test_what_is_proved_suppressed_or_our_bug_is_in_no_baseline() -> None:
    assert entries_of([("a.c", SAFE), ("a.c", replace(RACE, suppressed="why")), ("a.c", replace(RACE, bug=True))], ".") == ()


@pytest.mark.parametrize("text", [
    "", "[]", "{}", '{"format": "circ-baseline", "version": 2, "findings": []}', '{"format": "circ-baseline", "version": 1, "findings": {}}',
    '{"format": "circ-baseline", "version": 1, "findings": [{"file": "a.c"}]}', "[" * 100_000,
    '{"format": "circ-baseline", "version": 1, "findings": [{"fingerprint": "1", "file": "a.c", "variable": null, "verdict": "fine", "message": ""}]}',
])
def test_what_is_no_baseline_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(FrontendError, match="no baseline"):
        read_baseline(tmp_path / "b.json")


# ------------------------------------------------------------------------------------------------ as a user has it
RACY = "int x, y;\nvoid w(void)\n{\n    x = x + 1;\n}\n"


def run(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(words)
    out, err = capfd.readouterr()
    assert isinstance(end.value.code, int)
    return end.value.code, out, err


@pytest.mark.parametrize("command", [("check",), ("scan", "--no-cache")])
def test_only_what_is_new_fails(command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text(RACY)
    words = (*command, "a.c", "--thread", "w", "--baseline", "b.json")
    status, out, err = run(capfd, *words)
    assert status == 0 and "race on 'x'" in out and "1 finding written to b.json" in err
    assert [e["variable"] for e in json.loads(Path("b.json").read_text())["findings"]] == ["x"]
    Path("a.c").write_text("\n\n" + RACY)
    status, out, err = run(capfd, *words)
    assert status == 0 and "a.c:6:5: note: in the baseline: race on 'x'" in out and "1 in the baseline" in out
    Path("a.c").write_text(RACY.replace("x = x + 1;", "x = x + 1;\n    y = y + 1;"))
    status, out, err = run(capfd, *words)
    assert status == 1 and "warning: race on 'y'" in out and "warning: race on 'x'" not in out
    Path("a.c").write_text(RACY.replace("x = x + 1;", "atomic { x = x + 1; }"))
    status, out, err = run(capfd, *words)
    assert status == 0 and "1 finding of b.json did not occur any more" in err


@pytest.mark.parametrize("command", [("check",), ("scan", "--no-cache")])
def test_a_suppressed_race_is_told_and_does_not_fail(command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                     capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text(RACY.replace("int x, y;", "int x, y; // circ-suppress x: only statistics\n// circ-suppress y: nothing"))
    status, out, err = run(capfd, *command, "a.c", "--thread", "w")
    assert status == 0 and "a.c:5:5: note: suppressed (only statistics): race on 'x'" in out and "1 suppressed" in out
    assert "a.c:2:1: warning: this suppresses nothing on 'y'" in err
    assert run(capfd, *command, "a.c", "--thread", "w", "--no-suppress")[0] == 1


NORACE = """norace unsigned char x%s;
unsigned char y __attribute__((norace));%s
void __attribute__((signal)) h(void) { x = 1; y = 1; }
int main(void) { for (;;) { x = 2; y = 2; } }
"""


@pytest.mark.parametrize("command", [("check",), ("scan", "--no-cache")])
def test_norace_holds_if_a_comment_says_why(command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                            capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.c"
    path.write_text(NORACE % ("", "  // circ-suppress y: read by the test only"))
    status, out, err = run(capfd, *command, "a.c", "--format", "gcc")
    assert status == 1 and "suppresses nothing" not in err and "race on 'x'" in out and "race on 'y'" not in out
    out = run(capfd, *command, "a.c", "--format", "json")[1]
    assert "'x' is declared norace without a reason: it is checked (say why: // circ-suppress x: ...)" in out
    assert "'y' is declared norace (read by the test only): it is checked only with -x or --ignore-norace" in out
    assert "race on 'y'" in run(capfd, *command, "a.c", "--no-suppress", "--format", "gcc")[1]
    path.write_text(NORACE % (";  // circ-suppress x: a hint\nint z", "  // circ-suppress y: read by the test only"))
    assert run(capfd, *command, "a.c")[0] == 0
    assert run(capfd, *command, "a.c", "-x", "x", "--no-suppress")[0] == 1


def test_a_competition_knows_no_suppressions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text("// circ-suppress x: hide it\n" + RACY)
    status, out, _ = run(capfd, "check", "a.c", "--thread", "w", "--competition")
    assert status == 1 and out.splitlines()[-1] == "false(no-data-race)"


def test_a_run_that_is_not_complete_writes_no_baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.c").write_text("int x = ;\n")
    status, _, err = run(capfd, "check", "broken.c", "--baseline", "b.json")
    assert status == 2 and "no baseline is written" in err and not Path("b.json").exists()
