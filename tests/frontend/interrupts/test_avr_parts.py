"""AVR parts: `<avr/io.h>` and the table are those of the part that is named, and agree with avr-libc where that is installed."""

from __future__ import annotations

import re
import shutil

import pytest

import circ
import frontend
from circ.report.text import answer_text, file_text
from circ.verdict import word
from frontend.ir.interrupt_table import load_table
from frontend.program import PARTS, FrontendError
from tests.support import avr_parts

BLINK = """
#define F_CPU 8000000UL
#include <avr/io.h>
#include <avr/interrupt.h>
#include <util/atomic.h>
#include <util/delay.h>
#include <stdint.h>
#ifndef {macro}
#error "another part"
#endif
static volatile uint16_t ticks;
static volatile uint8_t other;
ISR(TIMER0_OVF_vect) {{ ticks++; }}
ISR(INT0_vect) {{ other++; }}
int main(void)
{{
    DDRB |= _BV(PB0);
    {timer} |= _BV(TOIE0);
    sei();
    for (;;) {{
        uint16_t now;
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {{ now = ticks; }}
        if (now & 1)
            PORTB ^= _BV(PB0);
        other = 0;
        _delay_ms(10);
    }}
}}
"""


@pytest.mark.parametrize(("platform", "timer"), [
    ("atmega328p", "TIMSK0"), ("atmega88", "TIMSK0"), ("atmega168p", "TIMSK0"), ("atmega32u4", "TIMSK0"), ("atmega2560", "TIMSK0"),
    ("atmega1284p", "TIMSK0"), ("attiny85", "TIMSK"), ("attiny84", "TIMSK0"), ("attiny2313", "TIMSK"), ("atmega16", "TIMSK"),
    ("atmega32", "TIMSK"), ("atmega8", "TIMSK"),
])
def test_a_program_is_read_for_its_part(platform: str, timer: str) -> None:
    """The timer is enabled and its counter read in a section; INT0 is not, and never starts."""
    macro = f"__AVR_AT{platform[2:6]}{platform[6:].upper()}__"
    text = BLINK.format(timer=timer, macro=macro)
    program = frontend.loads(text, frontend.LoadOptions(platform=platform))
    assert {a.shown: word(a.question, a.verdict) for a in circ.check(program, ["ticks", "other"]).answers} == {
        "ticks": "safe", "other": "safe"}
    assert any("never starts" in str(w) for w in program.warnings)
    careless = text.replace("ATOMIC_BLOCK(ATOMIC_RESTORESTATE)", "")
    program = frontend.loads(careless, frontend.LoadOptions(platform=platform))
    assert [word(a.question, a.verdict) for a in circ.check(program, ["ticks"]).answers] == ["race"]


def test_a_part_that_there_is_not_is_refused_with_the_nearest() -> None:
    with pytest.raises(FrontendError) as refused:
        frontend.loads("int main(void) { return 0; }", frontend.LoadOptions(platform="atmega382p"))
    assert "atmega328p" in refused.value.hint


def test_every_vector_of_a_table_is_one_of_the_header() -> None:
    for family in sorted(set(PARTS.values())):
        text = (avr_parts.HEADERS / f"{family}.h").read_text()
        vectors = {name: f"__vector_{n}" for name, n in re.findall(r"#define (\w+_vect) _VECTOR\((\d+)\)", text)}
        registers = {name: int(at, 0) for name, at in re.findall(r"#define (\w+) _SFR_MEM8\((0x\w+)\)", text)}
        table = load_table(family)
        assert len(table.rules) > 10
        for rule in table.rules:
            assert rule.enable and all(vectors[name] == rule.names[0] for name in rule.names[1:])
        assert all(registers[name] == address for name, address in table.registers.items() if name != "SREG")


@pytest.mark.skipif(shutil.which("avr-gcc") is None, reason="needs avr-gcc and avr-libc")
def test_what_is_shipped_is_what_avr_libc_says() -> None:
    for path, text in avr_parts.files():
        assert path.read_text() == text, f"run python -m tests.support.avr_parts ({path.name})"


@pytest.mark.skipif(shutil.which("avr-gcc") is None, reason="needs avr-gcc and avr-libc")
def test_parts_of_a_family_have_its_registers_and_vectors() -> None:
    for name, family in PARTS.items():
        if name == family:
            continue
        own, known = avr_parts.part(name), avr_parts.part(family)
        assert all(known.vectors.get(v, n) == n for v, n in own.vectors.items()), name
        used = load_table(family).registers
        assert all(own.registers[r][0] == address for r, address in used.items() if r in own.registers), name


def test_handlers_and_registers_are_called_what_the_user_calls_them() -> None:
    text = """#include <avr/io.h>
#include <avr/interrupt.h>
ISR(USART_RX_vect) { PORTB = UDR0; }
int main(void) { UCSR0B |= _BV(RXCIE0); sei(); for (;;) PORTB = 3; }
"""
    program = frontend.loads(text, frontend.LoadOptions(platform="atmega328p"))
    result = circ.check(program, ["PORTB"])
    [answer] = result.answers
    assert answer == circ.check(program, ["*0x25"]).answers[0] and answer.shown == "PORTB"
    told = answer_text(program, answer) + file_text(result)
    assert "(USART_RX_vect) writes PORTB in 'PORTB = UDR0'" in told or "(main) writes PORTB in 'PORTB = 3'" in told
    assert "handler USART_RX_vect (1)" in told and "__vector" not in told and "0x" not in told
