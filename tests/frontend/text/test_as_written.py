"""Handlers and registers are called as the source has them, in the program and in every report."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from frontend import LoadOptions, load
from frontend.program import AllAt, primitive

TEXT = """#include <avr/io.h>
#include <avr/interrupt.h>
#include <string.h>
volatile unsigned char head, tail;
unsigned char buf[16];
char name[8];
ISR(USART0_RX_vect) { buf[head & 15] = UDR0; head++; PORTB ^= 1; if (strcmp(name, "abc") == 0) tail = 0; }
ISR(TIMER0_OVF_vect) { PORTB |= 2; tail++; strcpy(name, "xy"); }
int main(void)
{
    DDRB = 3; UCSR0B = 0x98; TIMSK = 1; sei();
    for (;;) { if (head != tail) { buf[tail & 15] = 0; tail++; } name[0] = 1; PORTB &= ~4; }
}
"""
INTERNAL = re.compile(r"__vector_\d|\*0x[0-9a-f]|__circ_|%\d|- \d{5,}|str(?:cmp|cpy)::|\buint8_t\b|\{0\}")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "avr.c").write_text(TEXT)
    return tmp_path / "avr.c"


def test_templates_variables_and_texts(source: Path) -> None:
    program = load(source, LoadOptions(platform="atmega128"))
    assert {t.name for t in program.templates} == {"main", "USART0_RX_vect", "TIMER0_OVF_vect"}
    waits = {p.template for t in program.templates for e in t.cfa.edges for p in primitive(e.op) if isinstance(p, AllAt)}
    assert waits <= {t.name for t in program.templates}
    assert "PORTB" in [v.shown for v in program.globals]
    texts = {e.text for t in program.templates for e in t.cfa.edges}
    assert {"PORTB |= 2", "buf[head & 15] = UDR0"} <= texts
    assert {"USART0_RX_vect", "TIMER0_OVF_vect", "main"} <= {f.name for f in program.functions}


def test_names_that_the_source_has_itself_stay(tmp_path: Path) -> None:
    text = TEXT.replace("ISR(USART0_RX_vect)", "ISR(__vector_18)").replace("PORTB ^= 1", "*(volatile unsigned char *)0x38 ^= 1")
    (tmp_path / "avr.c").write_text(text)
    program = load(tmp_path / "avr.c", LoadOptions(platform="atmega128"))
    assert "__vector_18" in {t.name for t in program.templates}
    assert "PORTB" in [v.shown for v in program.globals]  # the platform's name: the source has two words for it
    text = text.replace("<avr/io.h>", '"own.h"').replace("UDR0", "UDR").replace("TIMSK = 1;", "").replace("UCSR0B = 0x98;", "")
    (tmp_path / "own.h").write_text("#define PORT_B (*(volatile unsigned char *)0x38)\n#define DDRB (*(volatile unsigned char *)0x37)\n"
                                    "#define UDR (*(volatile unsigned char *)0x2c)\n")
    (tmp_path / "avr.c").write_text(text.replace("PORTB", "PORT_B"))
    assert "*0x38" in [v.shown for v in load(tmp_path / "avr.c").globals]
    (tmp_path / "avr.c").write_text(text.replace("PORTB", "PORT_B").replace("*(volatile unsigned char *)0x38", "PORT_B"))
    assert "PORT_B" in [v.shown for v in load(tmp_path / "avr.c").globals]  # a macro of the user's own


@pytest.mark.parametrize("form", ["text", "gcc", "sarif", "github", "junit"])
def test_no_report_shows_what_circ_calls_it(source: Path, form: str) -> None:
    done = subprocess.run([sys.executable, "-m", "circ", "check", source.name, "--platform", "atmega128", "--race-model", "nesc", "--explain", "--full-trace",
                           "-x", "PORTB", "-x", "tail", "-x", "head", "--format", form],
                          capture_output=True, text=True, cwd=source.parent, check=False)
    assert done.returncode in (1, 3) and "PORTB" in done.stdout and "USART0_RX_vect" in done.stdout
    assert [line for line in done.stdout.replace("%0A", " ").splitlines() if INTERNAL.search(line)] == []
