"""Accesses that no run comes to are told with the verdict, in every report; those that some run comes to never are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from circ.cli import app
from circ.run.check import check
from circ.verdict import Safe
from frontend import LoadOptions, load

AVR = "#include <avr/io.h>\n#include <avr/interrupt.h>\nstatic unsigned char x, mode;\n"
NEVER_ENABLED = AVR + "ISR(TIMER0_OVF_vect) { x = 1; }\nint main(void) { sei(); for (;;) { x = 2; } }\n"
NEVER_THERE = AVR + """ISR(TIMER0_OVF_vect) { if (mode > 1) x = 1; }
int main(void) { TIMSK |= 1; sei(); for (;;) { mode = !mode; x = 2; } }
"""
GUARDED = """int x, turn;
__attribute__((circ_thread)) void w(void) {
    int t;
    while (1) {
        atomic { t = turn; turn = 1; }
        if (t == 0) { x = 1; atomic { turn = 0; } }
        if (t == 7) x = 2;
    }
}
"""


def warnings(tmp_path: Path, text: str, engine: str = "auto", **options: object) -> list[str]:
    (tmp_path / "a.c").write_text(text)
    program = load(tmp_path / "a.c", LoadOptions(**options))  # type: ignore[arg-type]
    (answer,) = check(program, ["x"], engine).answers
    assert isinstance(answer.verdict, Safe)
    return [str(w).replace(f"{tmp_path}/", "") for w in answer.warnings]


def test_a_handler_that_is_never_enabled(tmp_path: Path) -> None:
    assert warnings(tmp_path, NEVER_ENABLED, platform="atmega128") == [
        "no run comes to 1 of the 2 accesses to it: writes at a.c:4:24 in TIMER0_OVF_vect"]
    enabled = NEVER_ENABLED.replace("sei();", "TIMSK |= 1; sei();").replace("x = 2;", "cli(); x = 2; sei();")
    assert warnings(tmp_path, enabled, platform="atmega128") == []


@pytest.mark.parametrize("engine", ["explicit", "omega-circ"])
def test_a_branch_that_a_proof_shows_is_never_taken(tmp_path: Path, engine: str) -> None:
    assert warnings(tmp_path, NEVER_THERE, engine, platform="atmega128", race_model="nesc") == [
        "no run comes to 1 of the 2 accesses to it: writes at a.c:4:38 in TIMER0_OVF_vect"]


@pytest.mark.parametrize(("engine", "threads"), [("omega-circ", "w"), ("auto", "w=2"), ("explicit", "w=3")])
def test_threads_that_run_in_copies(tmp_path: Path, engine: str, threads: str) -> None:
    assert warnings(tmp_path, GUARDED, engine, threads=(threads,)) == [
        "no run comes to 1 of the 2 accesses to it: writes at a.c:7:21 in w"]
    assert warnings(tmp_path, GUARDED.replace("if (t == 7)", "if (t == 0)").replace("x = 2", "t = 2"), engine,
                    threads=(threads,)) == []


def test_every_report_tells(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("a.c").write_text(NEVER_ENABLED)

    def run(*words: str) -> str:
        with pytest.raises(SystemExit) as end:
            app([*words, "a.c", "--platform", "atmega128"])
        assert end.value.code == 0
        return capfd.readouterr().out

    starts = "handler 'TIMER0_OVF_vect' never starts: what enables it never holds"
    comes = "no run comes to 1 of the 2 accesses to it"
    text = run("check")
    assert f"  warning: {starts} (a.c:4:5)\n" in text and f"  warning: {comes}" in text
    [file] = json.loads(run("check", "--format", "json"))["files"]
    assert [w["text"] for w in file["program"]["warnings"]] == [starts]
    assert [w["text"].partition(":")[0] for a in file["answers"] for w in a["warnings"]] == [comes]
    for _ in ("computed", "cached"):
        table = run("scan")
        assert f"a.c: warning: {starts} (a.c:4:5)\n" in table and f"a.c: warning: x: {comes}" in table
    [file] = json.loads(run("scan", "--format", "json"))["files"]
    assert len(file["warnings"]) == 1 and [len(a["warnings"]) for a in file["answers"]] == [1]
