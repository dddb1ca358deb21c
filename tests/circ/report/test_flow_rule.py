"""The flow rule of the nesC compiler: which accesses it complains about, and what circ says of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from circ.cli import app
from circ.report.flow_rule import Alarm, alarms, flow_counts, flow_text
from frontend import LoadOptions, load
from frontend.program import (
    Access,
    AccessKind,
    Assign,
    Cfa,
    Const,
    Edge,
    Location,
    Program,
    Role,
    Scalar,
    ThreadTemplate,
    Var,
    Variable,
)

BYTE = Scalar(8, False)
EXAMPLES = Path(__file__).parents[3] / "nesc_examples"


def step(variable: str, line: int, write: bool = True, protected: bool = False, kind: AccessKind = AccessKind.DATA) -> Edge:
    v = Var(variable, BYTE)
    return Edge(0, 0, Assign(v, Const(1, BYTE)), (Access(v, write, Location("a.nc", line), kind=kind),), protected)


def program(handler: list[Edge], other: list[Edge], count: int | None = 1, norace: bool = False) -> Program:
    return Program(
        "a.c", (Variable("x", BYTE, shown="x", object="x", norace=norace), Variable("y", BYTE, shown="y", object="y")),
        (ThreadTemplate("h", Cfa(1, 0, tuple(handler)), count=count, role=Role.HANDLER),
         ThreadTemplate("t", Cfa(1, 0, tuple(other)), count=1, role=Role.TASK)))


def places(found: tuple[Alarm, ...]) -> list[tuple[str, str, bool]]:
    return [(a.variable, a.place, a.write) for a in found]


def test_every_plain_access_to_what_a_handler_shares() -> None:
    found = alarms(program([step("x", 9, protected=True)], [step("x", 2), step("x", 1, write=False), step("y", 3)]))
    assert places(found) == [("x", "a.nc:1", False), ("x", "a.nc:2", True)]
    assert {a.handlers for a in found} == {"h"}


def test_a_place_that_is_inlined_twice_is_one_alarm() -> None:
    assert places(alarms(program([step("x", 4)], [step("x", 4), step("x", 4)]))) == [("x", "a.nc:4", True)]


def test_what_is_no_alarm() -> None:
    reads = [step("x", 1, write=False)]
    assert alarms(program(reads, reads)) == ()
    assert alarms(program([step("x", 1, protected=True)], [step("x", 2, protected=True)])) == ()
    assert alarms(program([step("x", 1)], [step("y", 2)])) == ()  # the handler's own
    assert alarms(program([step("x", 1)], [step("x", 2)], norace=True)) == ()
    assert alarms(program([step("x", 1, kind=AccessKind.SYNC)], [step("x", 2, kind=AccessKind.SYNC)])) == ()


def test_a_handler_that_interrupts_itself_shares_with_itself() -> None:
    assert places(alarms(program([step("x", 1)], [], count=None))) == [("x", "a.nc:1", True)]


def test_alarms_are_told_with_the_verdict() -> None:
    found = alarms(program([step("x", 1), step("y", 5)], [step("x", 2), step("y", 6)]))
    text = flow_text(found, {"x": "safe", "y": "race"})
    assert "a.nc:1: flow rule: writes 'x' outside atomic, shared with h: a false alarm, circ proves it safe\n" in text
    assert "a.nc:6: flow rule: writes 'y' outside atomic, shared with h: circ finds a race on it\n" in text
    assert text.endswith("flow rule: 4 accesses to 2 variables: 2 false alarms, 2 on variables that race\n")
    assert flow_counts(found, {"x": "unknown"})["undecided"] == 4
    assert flow_text((), {}) == ""


AVR = "#include <avr/io.h>\n#include <avr/interrupt.h>\nstatic unsigned char x, y;\n"


@pytest.mark.parametrize(("handler", "main", "lines"), [
    ("x++;", "x = in(); y = x; sei(); for (;;) ;", []),  # initialisation, and a handler that nothing interrupts
    ("x++;", "sei();\nx = in(); for (;;) ;", [6]),
    ("x++;", "if (in()) sei();\nx = 1; for (;;) ;", [6]),
    ("x++;", "sei(); for (;;) { cli(); x = in(); sei(); }", []),
    ("x++;", "sei(); for (;;) { unsigned char s = SREG; cli(); x--; SREG = s; }", []),
    ("x++;", "sei(); for (;;) { unsigned char s = SREG; cli(); SREG = s;\nx--; }", [6, 6]),
    ("x = 1; sei();\nx = 2;", "sei(); cli(); x = 1; for (;;) ;", [5]),
])
def test_what_runs_with_interrupts_off_counts_as_atomic(tmp_path: Path, handler: str, main: str, lines: list[int]) -> None:
    file = tmp_path / "a.c"
    file.write_text(f"{AVR}ISR(TIMER0_OVF_vect) {{ {handler} TIFR = 1; }} int in(void);\nint main(void) {{ TIFR = 0; {main} }}\n")
    found = alarms(load(file, LoadOptions(platform="atmega128")))
    assert [int(a.place.split(":")[1]) for a in found] == lines and {a.variable for a in found} <= {"x"}


def test_on_the_programs_of_the_paper() -> None:
    """As the compiler on the real ones: in sense only tosPort, which is written and read outside atomic."""
    found = alarms(load(EXAMPLES / "sense.c", LoadOptions(platform="atmega103")))
    assert [(a.variable, a.write) for a in found] == [("ADCM$tosPort", False), ("ADCM$tosPort", True)]
    assert alarms(load(EXAMPLES / "init_before_enable.c", LoadOptions(platform="atmega128"))) == ()


SPLIT = """\
int data, full;
__attribute__((circ_thread)) void t(void)
{
    int take;

    atomic { take = full; full = 0; }
    if (take) { data = 0; }
}
"""


def test_on_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without handlers there is nothing to complain about; the report says so in each format."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("a.c").write_text(SPLIT)
    for command in (["check"], ["scan", "--no-cache"]):
        with pytest.raises(SystemExit) as end:
            app([*command, "a.c", "--flow-rule", "--format", "json"])
        assert end.value.code == 0
        [file] = json.loads(capfd.readouterr().out)["files"]
        assert file["flow_rule"]["alarms"] == [] and file["flow_rule"]["counts"]["false alarms"] == 0
