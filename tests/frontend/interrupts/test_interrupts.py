"""Interrupts, tasks and tables, from C to verdicts; and bad tables, refused in one located line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from circ.run.check import check
from circ.search.explicit import oracle
from circ.verdict import RaceOn, Refuted, Safe
from frontend import LoadOptions, load
from frontend.ir.interrupt_table import load_table
from frontend.program import PLATFORMS, FrontendError, Program, Role, Values

Make: TypeAlias = Callable[..., Program]

AVR = '#include <avr/io.h>\n#include <avr/interrupt.h>\nstatic unsigned char x, y;\n'


@pytest.fixture
def program(tmp_path: Path) -> Make:
    def make(text: str, platform: str | None = None, table: str = "", **options: object) -> Program:
        path = tmp_path / "p.c"
        path.write_text(text)
        interrupts = ("t.toml", table) if table else ()
        return load(path, LoadOptions(platform=platform, interrupts=interrupts, race_model="nesc", **options))  # type: ignore[arg-type]

    return make


def verdict(program: Program, variable: str) -> str:
    (answer,) = check(program, [variable]).answers
    return "safe" if isinstance(answer.verdict, Safe) else "race" if isinstance(answer.verdict, Refuted) else "unknown"


def test_shipped_tables_say_what_the_data_sheets_say() -> None:
    assert load_table("cortex-m").data_model == "ilp32-uchar" and load_table("cortex-m").ranked
    for platform in (p for p in PLATFORMS if p != "cortex-m"):
        table = load_table(platform)
        assert table.data_model == "ip16" and table.status == (0x3F if platform == "xmega" else 0x5F, 7)
        if platform not in ("atmega103", "atmega128"):
            continue
        compare, adc, sent = (table.rule(f"__vector_{n}") for n in (15, 21, 20))
        assert compare is not None and [(b.address, b.bit) for b in compare.enable] == [(0x57, 1)]  # type: ignore[union-attr]
        assert adc is not None and [(b.address, b.bit) for b in adc.armed_by] == [(0x26, 6)]  # type: ignore[union-attr]
        assert sent is not None and sent.armed_by == (0x2C,)


def test_the_table_of_the_document_is_one() -> None:
    text = (Path(__file__).parents[3] / "docs" / "interrupts.md").read_text()
    table = load_table(None, "t.toml", text.partition("```toml\n")[2].partition("```")[0])
    (rule,) = table.rules
    assert rule.names == ("__vector_21", "adc_done") and len(rule.enable) == 4 and rule.priority == 2 and rule.location.line == 17


# --------------------------------------------------------------------------------------------------- interrupts on and off
GLOBAL = AVR + "ISR(TIMER0_OVF_vect) { x++; }\nint main(void) { x = 7; TIMSK |= 1; %s for (;;) { %s x--; %s } }\n"


@pytest.mark.parametrize(("start", "before", "after", "expected"), [
    ("sei();", "", "", "race"),
    ("sei();", "cli();", "sei();", "safe"),
    ("sei();", "unsigned char s = SREG; cli();", "SREG = s;", "safe"),
    ("cli();", "", "", "safe"),
    ("", "", "", "race"),
    ("sei(); TIMSK = 0;", "", "", "safe"),
    ("sei();", "TIMSK &= ~1;", "TIMSK |= 1;", "safe"),
    ("sei();", "TIMSK &= ~2;", "TIMSK |= 1;", "race"),
])
def test_interrupts_come_when_they_are_on(program: Make, start: str, before: str, after: str, expected: str) -> None:
    assert verdict(program(GLOBAL % (start, before, after), "atmega128"), "x") == expected


def test_the_initialisation_is_executed(program: Make) -> None:
    made = program(GLOBAL % ("sei();", "cli();", "sei();"), "atmega128")
    starts = {v.name: v.start for v in made.globals}
    assert starts["x"] == Values(7) and starts["*0x57.0"] == Values(1) and starts["<interrupts on>"] == Values(1)
    main = made.template("main")
    assert all(e.location.line == 5 for e in main.cfa.edges) and main.cfa.start != 0


def test_a_handler_that_never_fires_is_reported(program: Make) -> None:
    made = program(AVR + "ISR(TIMER0_OVF_vect) { x++; }\nint main(void) { sei(); for (;;) x--; }\n", "atmega128")
    assert verdict(made, "x") == "safe" and any("never starts" in w.text for w in made.warnings)


def test_attributes_decide_whether_a_handler_preempts_itself(program: Make) -> None:
    text = AVR + "%s(TIMER0_OVF_vect) { %s x++; }\nint main(void) { TIMSK |= 1; sei(); for (;;) ; }\n"
    for macro, first, count, expected in (("SIGNAL", "", 1, "safe"), ("INTERRUPT", "", None, "race"), ("SIGNAL", "sei();", None, "race")):
        made = program(text % (macro, first), "atmega103")
        assert made.template("TIMER0_OVF_vect").count == count and verdict(made, "x") == expected


@pytest.mark.parametrize(("platform", "enabled", "expected"), [
    ("atmega328p", "*(volatile uint8_t *)0x6e = 1;", "race"), ("atmega328p", "*(volatile uint8_t *)0x57 = 1;", "safe"),
    ("avr", "", "race"), ("atmega128", "", "safe")])
def test_each_part_has_its_own_enable_bits(program: Make, platform: str, enabled: str, expected: str) -> None:
    """The timer's bit is elsewhere on the smaller parts; of a part without a table every handler may start."""
    text = ("typedef unsigned char uint8_t;\nuint8_t x;\nvoid sei(void);\n__attribute__((signal)) void __vector_16(void) { x++; }\n"
            "int main(void) { " + enabled + " sei(); for (;;) x--; }\n")
    assert verdict(program(text, platform), "x") == expected


def test_one_conversion_for_each_start(program: Make) -> None:
    text = AVR + "ISR(ADC_vect) { %s x = 1; }\nint main(void) { ADCSRA = 0x88; sei(); for (;;) { %s } }\n"
    assert verdict(program(text % ("sei();", "x = 2; ADCSRA |= 1 << ADSC; while (x == 2) ;"), "atmega128"), "x") == "race"
    assert verdict(program(text % ("sei();", "ADCSRA |= 1 << ADSC; ADCSRA &= ~8;"), "atmega128"), "x") == "safe"
    assert verdict(program(text % ("sei();", "ADCSRA |= 1 << ADSC;"), "atmega128"), "x") == "race"


# --------------------------------------------------------------------------------------------------- tables
OWN = "unsigned char x; unsigned char mode;\nvoid a(void) { x++; }\nvoid b(void) { x++; }\nint main(void) { %s for (;;) ; }\n"


def test_priorities_decide_who_preempts_whom(program: Make) -> None:
    rules = '[[handler]]\nname = "a"\npriority = {}\n[[handler]]\nname = "b"\npriority = {}\n'
    assert verdict(program(OWN % "", table=rules.format(1, 1)), "x") == "safe"
    assert verdict(program(OWN % "", table=rules.format(1, 2)), "x") == "race"


def test_conditions_over_variables_and_calls(program: Make) -> None:
    rules = '[[handler]]\nname = "a"\nentered = "on"\n{}\n[[handler]]\nname = "b"\nenable = ["mode == 2"]\nentered = "on"\n'
    assert verdict(program(OWN % "mode = 1;", table=rules.format('enable = ["mode > 1"]')), "x") == "safe"
    assert verdict(program(OWN % "mode = 2;", table=rules.format('enable = ["mode > 1"]')), "x") == "race"
    pair = rules.format('calls = ["enable_isr(3)", "disable_isr(3)"]')
    declared = "void enable_isr(int n); void disable_isr(int n);\n" + OWN
    assert verdict(program(declared % "mode = 0; enable_isr(2);", table=pair), "x") == "safe"
    assert verdict(program(declared % "mode = 2; enable_isr(3);", table=pair), "x") == "race"
    assert verdict(program(declared % "enable_isr(3); disable_isr(3); mode = 2;", table=pair), "x") == "race"  # b preempts itself


@pytest.mark.parametrize(("table", "message"), [
    ('[[handler]]\nname = "nobody"\n', "t.toml:2: error: unknown handler 'nobody'"),
    ('[[handler]]\nname = "a"\nenable = ["TIMSK.1"]\n', "t.toml:3: error: unknown register 'TIMSK'"),
    ('[registers]\nT = 0x20\n[[handler]]\nname = "a"\nenable = ["T.8"]\n', "t.toml:5: error: register 'T' has no bit 8"),
    ('[[handler]]\nname = "a"\nenable = ["nothing"]\n', "'nothing' is neither a register nor a variable"),
    ('[[handler]]\nname = "a"\nenabled = ["x"]\n', "t.toml:3: error: handler 'a' has the unknown key 'enabled'"),
    ('[[handler]\n', "t.toml:1: error: not TOML"),
    ('[[handler]]\nname = "a"\npriority = "high"\n', "the priority of 'a' is not a number"),
    ('[[handler]]\nname = "a"\ncalls = ["on(1)"]\n', "needs two"),
    ('[registers]\nT = 0x20\n[[handler]]\nname = "a"\narmed_by = ["T.9"]\n', "t.toml:5: error: register 'T' has no bit 9"),
    ('[[handler]]\nname = "a"\ncalls = ["on(1)", "on(1)"]\n', "t.toml:3: error: 'calls' of 'a' needs two that differ"),
    ('[registers]\nT = 0x20\n[[handler]]\nname = "a"\nenable = ["T == 3"]\n', "t.toml:5: error: 'T == 3' is no condition: name a bit"),
    ('[[handler]]\nname = "a"\nsets = ["NONE.1"]\n', "t.toml:3: error: unknown register 'NONE'"),
    ('[registers]\nT = 0x20\n[status]\nregister = "T"\nbit = 8\n', "register 'T' has no bit 8"),
    ('[[handler]]\nname = "a"\n\n[[handler]]\nname = "a"\npriority = 2\n', "t.toml:2: error: handler 'a' has two entries"),
    ('[[handler]]\nname = "main"\n', "t.toml:2: error: 'main' is no handler"),
    ('[[handler]]\nname = "a"\nenable = ["mode < 300"]\n', "t.toml:2: error: 'mode' cannot have the value 300"),
])
def test_bad_tables(program: Make, table: str, message: str) -> None:
    with pytest.raises(FrontendError) as caught:
        program(OWN % "", table=table)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(("text", "message"), [
    ('#include "circ.h"\nint on; circ_interrupt(on) void h(int n) { }\n', "handler 'h' has arguments"),
    ('#include "circ.h"\nint x; circ_task void t(void) { for (;;) x = 1; }\nint main(void) { return 0; }\n', "task 't' never returns"),
    ('#include "circ.h"\ncirc_interrupt(off) void h(void) { }\n', "'off' that enables 'h' does not exist"),
    ('int TOS_post(void (*t)(void));\nvoid t(void);\nint main(void) { TOS_post(t); return 0; }\n', "task 't' is posted but not defined"),
    ('void t(void);\nint main(void) { post t(); return 0; }\n', "task 't' is posted but not defined"),
    ('int TOS_post(void (*t)(void));\nvoid (*p)(void);\nvoid t(void) { }\nint main(void) { p = t; TOS_post(p); return 0; }\n',
     "it is not known which task is posted here"),
    ('int TOS_post(void (*t)(void));\nint x;\nvoid t(void) { }\nvoid u(void) { }\n'
     'int main(void) { void (*p)(void) = t, (*q)(void) = u; if (x) p = q; TOS_post(p); return 0; }\n',
     "it is not known which task is posted here"),
    ('#include "circ.h"\ncirc_task void t(int n) { }\nint main(void) { return 0; }\n', "task 't' has arguments"),
    ('void __attribute__((signal)) h(char c) { }\nint main(void) { return 0; }\n', "handler 'h' has arguments"),
])
def test_bad_programs(program: Make, text: str, message: str) -> None:
    with pytest.raises(FrontendError) as caught:
        program(text)
    assert message in str(caught.value) and caught.value.location.line >= 1


@pytest.mark.parametrize("text", [
    '#include "circ.h"\nint on; circ_interrupt(on) void h(void) { for (;;) on = 1; }\n',
    "void loop(void) { while (1) { } }\nvoid __attribute__((interrupt)) h(void) { loop(); }\nint main(void) { return 0; }\n",
])
def test_a_handler_that_never_returns_is_told(program: Make, text: str) -> None:
    assert [w.text for w in program(text).warnings] == ["handler 'h' never returns: what it interrupts does not go on"]


def test_a_handler_whose_enabling_call_is_nowhere_never_starts(program: Make) -> None:
    rules = '[[handler]]\nname = "a"\ncalls = ["enable_isr(3)", "disable_isr(3)"]\n[[handler]]\nname = "b"\nenable = ["mode == 2"]\n'
    made = program(OWN % "mode = 1;", table=rules)
    assert [w.text for w in made.warnings if "'a'" in w.text] == ["handler 'a' never starts: what enables it never holds"]


def test_a_handler_that_is_only_declared_is_told(program: Make) -> None:
    (warning,) = program("int x; void __attribute__((signal)) h(void);\nint main(void) { x = 1; return 0; }\n").warnings
    assert warning.text == "handler 'h' is declared but not defined: what it does is not seen" and warning.location.line == 1


def test_norace_is_respected_or_ignored(program: Make) -> None:
    text = ("unsigned char x __attribute__((norace)), y;\nvoid __attribute__((signal)) h(void) { x = 1; y = 1; }\n"
            "int main(void) { for (;;) { x = 2; y = 2; } }\n")
    made = program(text)
    assert [a.shown for a in check(made).answers] == ["y"] and verdict(made, "x") == "race"
    assert made.warnings == ()  # whoever asks on behalf of a user tells what is left out: circ/report/accepted/norace.py
    ignored = program(text, ignore_norace=True)
    assert [a.shown for a in check(ignored).answers] == ["x", "y"] and ignored.warnings == ()


# --------------------------------------------------------------------------------------------------- tasks
TASKS = """
unsigned char x, y, busy;
int TOS_post(void (*t)(void)) { return 1; }
int TOSH_run_next_task(void) { return 0; }
void two(void) { x = 2; y = x; }
void one(void) { x = 1; TOS_post(two); y = 1; }
void __attribute__((interrupt)) h(void) { %s }
int main(void) { x = 0; TOS_post(one); y = 0; while (1) { %s TOSH_run_next_task(); } }
"""


def test_tasks_run_to_their_end_when_they_are_posted(program: Make) -> None:
    made = program(TASKS % ("", ""))
    assert [t.name for t in made.templates if t.role is Role.TASK] == ["one", "two"]
    assert verdict(made, "x") == "safe" and verdict(made, "y") == "safe"
    assert verdict(program(TASKS % ("", "x = 3;")), "x") == "safe"
    assert verdict(program(TASKS % ("x = 4;", "")), "x") == "race"
    assert any("TOSH_run_next_task" in a.text for a in made.assumptions)


def test_tasks_that_a_pointer_posts(program: Make) -> None:
    text = TASKS.replace("TOS_post(one);", "void (*p)(void) = two; if (busy) p = one; TOS_post(p);") % ("", "")
    assert [t.name for t in program(text).templates if t.role is Role.TASK] == ["two", "one"]


def test_a_task_that_is_not_posted_does_not_run(program: Make) -> None:
    text = TASKS.replace("TOS_post(one);", "if (busy) TOS_post(one);") % ("x = 4;", "")
    assert verdict(program(text), "x") != "safe"  # the handler preempts itself
    once = text.replace("interrupt", "signal").replace("x = 0;", "")
    assert verdict(program(once), "x") == "safe"
    assert verdict(program(once.replace("busy;", "busy = 1;")), "x") == "race"


@pytest.mark.parametrize(("flag", "racy"), [("1", True), ("0x0", False)])
def test_a_constant_enables_a_handler(tmp_path: Path, flag: str, racy: bool) -> None:
    file = tmp_path / "h.c"
    file.write_text(f'#include "circ.h"\nint x; circ_interrupt({flag}) void h(void) {{ x = 1; }} int main(void) {{ x = 2; }}')
    assert oracle(load(file), RaceOn("x"), 2) is racy


def test_a_race_for_which_main_must_be_in_the_scheduler(program: Make) -> None:
    text = """unsigned char x, ready;
int TOS_post(void (*t)(void)) { return 1; }
int TOSH_run_next_task(void) { return 0; }
void t(void) { if (ready) x = 2; }
void __attribute__((interrupt)) h(void) { TOS_post(t); ready = 1; %s }
int main(void) { while (1) { TOSH_run_next_task(); } }
"""
    (answer,) = check(program(text % "x = 1;"), ["x"], engine="omega-circ").answers
    assert isinstance(answer.verdict, Refuted) and "main" in answer.verdict.trace.threads
    (answer,) = check(program(text % ""), ["x"], engine="omega-circ").answers
    assert isinstance(answer.verdict, Safe)
