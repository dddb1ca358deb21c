"""The race model `machine`: what one instruction does, what comes between two, and which programs are read with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.report.text import evidence_text
from circ.run.check import Limits, check
from circ.verdict import Refuted, word
from frontend.api import LoadOptions, load
from frontend.program import Program, RaceModel

HEAD = """#include <avr/io.h>
#include <avr/interrupt.h>
"""
CORTEX = "#include <stdint.h>\nvoid __enable_irq(void); void __disable_irq(void);\n"


def read(tmp_path: Path, text: str, platform: str | None = "avr", model: str | None = "machine", **options: object) -> Program:
    path = tmp_path / "p.c"
    path.write_text(text)
    return load(path, LoadOptions(platform=platform, race_model=model, **options))  # type: ignore[arg-type]


def answer(program: Program, variable: str = "x") -> str:
    (found,) = check(program, [variable], limits=Limits(timeout=30)).answers
    return word(found.question, found.verdict)


def harm(program: Program, variable: str = "x") -> str:
    (found,) = check(program, [variable], limits=Limits(timeout=30)).answers
    assert isinstance(found.verdict, Refuted), found.verdict
    return evidence_text(program, found.verdict.trace)


@pytest.mark.parametrize(("declared", "handler", "main", "expected"), [
    ("volatile uint8_t x;", "x = 1;", "if (x) x = 0;", "safe"),                        # a flag of one byte
    ("volatile uint16_t x;", "x = 1;", "if (x) PORTB = 0;", "race"),                   # read in two halves
    ("volatile uint16_t x;", "PORTB = x;", "x = 300;", "race"),                        # written in two halves
    ("volatile uint8_t x;", "x = 1;", "x++;", "race"),
    ("volatile uint8_t x;", "x++;", "x = 0;", "safe"),                                 # main does not interrupt the handler
    ("volatile uint8_t x;", "PORTB = x;", "x++;", "safe"),                             # old or new, and nothing is lost
    ("volatile uint8_t x;", "x = 1;", "x = x > 9 ? 0 : x + 1;", "race"),
    ("volatile uint8_t x, y;", "x = 1;", "y = x; x = y;", "safe"),                     # two statements: --property atomicity
    ("uint8_t x;", "x = 1;", "while (!x) ;", "race"),                                  # read once, before the loop
    ("uint8_t x, y;", "x = 1;", "while (!x) ; y = 1;", "race"),
    ("volatile uint8_t x;", "x = 1;", "while (!x) ;", "safe"),
    ("uint8_t x;", "x = 1;", 'while (!x) __asm__ volatile ("" ::: "memory"); PORTB = 1;', "safe"),
    ("uint8_t x; void elsewhere(void);", "x = 1;", "while (!x) elsewhere(); PORTB = 1;", "safe"),
    ("uint8_t x, t[9];", "x = 1;", "for (uint8_t i = 0; i < x; i++) t[i] = i;", "safe"),  # counts: no loop that waits
    ("volatile uint8_t x[4];", "x[1] = 1;", "x[PINB & 3]++;", "race"),
    ("volatile uint8_t x[4];", "x[1] = 1;", "x[2]++;", "safe"),
    ("volatile uint16_t x;", "x++;", "cli(); x = 0; sei();", "safe"),
    ("volatile uint16_t x;", "x++;", "uint8_t s = SREG; cli(); PORTB = x; SREG = s;", "safe"),
])
def test_one_byte_is_one_instruction(declared: str, handler: str, main: str, expected: str, tmp_path: Path) -> None:
    text = f"{HEAD}{declared}\nISR(__vector_9) {{ {handler} }}\nint main(void) {{ sei(); for (;;) {{ {main} }} }}\n"
    program = read(tmp_path, text)
    assert program.race_model is RaceModel.MACHINE
    assert answer(program, "x[]" if "x[4]" in declared else "x") == expected


def test_a_section_of_a_handler_comes_between_the_halves_of_an_access(tmp_path: Path) -> None:
    """The nesC rule exempts what is inside a section; on a machine it is main's access that would have to be in one."""
    text = HEAD + "uint16_t x;\nISR(__vector_9) { __builtin_avr_cli(); x++; __builtin_avr_sei(); }\n" \
                  "int main(void) { sei(); for (;;) PORTB = x; }\n"
    assert answer(read(tmp_path, text)) == "race"
    section = "uint16_t x;\n__attribute__((signal)) void __vector_9(void) { atomic { x++; } }\n" \
              "int main(void) { sei(); for (;;) PORTB = x; }\n"
    assert answer(read(tmp_path, HEAD + section, model="nesc")) == "safe"
    assert answer(read(tmp_path, HEAD + section, model="machine")) == "race"


def test_members_that_share_bytes(tmp_path: Path) -> None:
    fields = "struct { uint8_t a : 1, b : 1; } volatile s;\nISR(__vector_9) { s.a = 1; }\nint main(void) { sei(); for (;;) s.b = 1; }\n"
    assert answer(read(tmp_path, HEAD + fields), "s.a") == "race"
    union = "union { uint16_t w; uint8_t b[2]; } volatile u;\nISR(__vector_9) { u.b[0] = 1; }\nint main(void) { sei(); for (;;) %s; }\n"
    assert answer(read(tmp_path, HEAD + union % "PORTB = u.w"), "u") == "race"
    assert answer(read(tmp_path, HEAD + union % "PORTB = u.b[0]"), "u") == "safe"


def test_wider_machines(tmp_path: Path) -> None:
    text = CORTEX + "{} x;\nvoid TIM2_IRQHandler(void) {{ x = 1; }}\nint main(void) {{ __enable_irq(); for (;;) if (x) x = 2; }}\n"
    for declared, expected in (("volatile uint32_t", "safe"), ("volatile uint64_t", "race"), ("volatile uint8_t", "safe")):
        program = read(tmp_path, text.format(declared), None, "machine", data_model="ilp32")
        assert answer(program) == expected, declared
    packed = CORTEX + "struct __attribute__((packed)) { uint8_t a; volatile uint32_t x; } s;\n" \
                      "void TIM2_IRQHandler(void) { s.x = 1; }\nint main(void) { __enable_irq(); for (;;) if (s.x) s.x = 2; }\n"
    assert answer(read(tmp_path, packed, None, "machine", data_model="ilp32"), "s.x") == "race"


def test_who_interrupts_whom_decides(tmp_path: Path) -> None:
    """An update in a handler is interrupted by those of higher priority only."""
    rules = "word = 4\n" + "".join(f'[[handler]]\nname = "{n}"\npriority = {p}\n' for n, p in (("low", 1), ("high", 2)))
    text = "volatile unsigned char x;\nvoid low(void) { %s }\nvoid high(void) { %s }\nint main(void) { for (;;) ; }\n"
    for low, high, expected in (("x++;", "x = 1;", "race"), ("x = 1;", "x++;", "safe")):
        program = read(tmp_path, text % (low, high), None, interrupts=("t.toml", rules))
        assert program.race_model is RaceModel.MACHINE and answer(program) == expected


def test_threads_run_at_once(tmp_path: Path) -> None:
    text = '#include "circ.h"\nvolatile int x; volatile char y;\ncirc_thread void f(void) { x = 1; y++; }\n'
    program = read(tmp_path, text, None, "machine")
    assert (answer(program), answer(program, "y")) == ("safe", "race")


def test_which_programs_are_read_so(tmp_path: Path) -> None:
    isr = "volatile uint8_t x;\nISR(__vector_9) { x = 1; }\nint main(void) { sei(); for (;;) x = 0; }\n"
    asked, program = read(tmp_path, HEAD + isr), read(tmp_path, HEAD + isr, model=None)
    assert asked.race_model is RaceModel.MACHINE and any("spread over several statements" in a.text for a in asked.assumptions)
    assert program.race_model is RaceModel.NESC and answer(program) == "race"


@pytest.mark.parametrize("update", [
    "x = next(x);", "put(get() + 1);", "uint8_t t = x; t++; x = t;", "inc(&x);", "uint8_t t; (t = x, x = t + 1);",
])
def test_updates_in_pieces_are_races_unless_the_machine_is_asked_for(tmp_path: Path, update: str) -> None:
    """A handler that resets x in between is undone; the race model of machines says that it does not look at that."""
    text = HEAD + "volatile uint8_t x;\nISR(__vector_9) { x = 0; }\nstatic uint8_t next(uint8_t q) { return q > 9 ? 0 : q + 1; }\n" \
        "static uint8_t get(void) { return x; }\nstatic void put(uint8_t v) { x = v; }\n" \
        "static void inc(volatile uint8_t *q) { uint8_t t = *q; *q = t + 1; }\n" \
        f"int main(void) {{ sei(); for (;;) {{ {update} }} }}\n"
    assert answer(read(tmp_path, text, model=None)) == "race"


def test_reports_say_what_goes_wrong(tmp_path: Path) -> None:
    text = HEAD + "volatile uint16_t w; volatile uint8_t x; uint8_t f;\nISR(__vector_9) { w++; x++; f = 1; }\n" \
                  "int main(void) { sei(); while (!f) ; for (;;) { PORTB = w; x |= 4; } }\n"
    program = read(tmp_path, text)
    assert "torn: " in harm(program, "w") and "lost update: thread 1 has read it" in harm(program) and "not volatile" in harm(program, "f")
    assert any("1 byte is one instruction" in a.text for a in program.assumptions)


def test_a_delay_loop_in_the_initialisation(tmp_path: Path) -> None:
    """avr-libc's delays change an argument that nothing uses any more, on one of two ways that meet again."""
    text = HEAD + "volatile uint8_t x;\nISR(__vector_9) { x = 1; }\n" \
        'static inline void delay(uint16_t n) { __asm__ volatile ("1: sbiw %0,1\\n\\tbrne 1b" : "=w" (n) : "0" (n)); }\n' \
        "int main(void) { if (PINB & 1) delay(30000); sei(); for (;;) x = 0; }\n"
    assert answer(read(tmp_path, text)) == "safe"
