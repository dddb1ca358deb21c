"""Volatile variables of a word that one thread alone writes: no race where nobody asks for a model, and nothing else is excused."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.run.check import check
from circ.run.supervise import Limits
from circ.verdict import Unknown, word
from frontend import LoadOptions, load

HEAD = """#include <stdint.h>
#include <string.h>
typedef enum { TIM2_IRQn = 28 } IRQn_Type;
void NVIC_EnableIRQ(IRQn_Type n);
"""


def verdict(tmp_path: Path, text: str, variable: str = "x", **options: str) -> str:
    path = tmp_path / "p.c"
    path.write_text(HEAD + text)
    program = load(path, LoadOptions(**{"platform": "cortex-m", **options}))
    (answer,) = check(program, [variable], limits=Limits(timeout=60)).answers
    return "unknown" if isinstance(answer.verdict, Unknown) else word(answer.question, answer.verdict)


def counter(declared: str, handler: str = "x++;", main: str = "seen = x;", before: str = "") -> str:
    return f"{declared}; uint32_t seen;\nvoid TIM2_IRQHandler(void) {{ {handler} }}\n" \
           f"int main(void) {{ {before} NVIC_EnableIRQ(TIM2_IRQn); for (;;) {{ {main} }} }}\n"


@pytest.mark.parametrize(("text", "expected"), [
    (counter("volatile uint32_t x"), "safe"),
    (counter("static volatile uint32_t x", "if (++x == 60) x = 0;", "uint32_t t = x; while (x - t < 5) ;"), "safe"),
    (counter("volatile uint32_t x", "seen = x;", "x++;"), "safe"),                   # main alone writes it
    (counter("volatile uint32_t x", before="x = 7;"), "safe"),                       # before anybody else runs
    (counter("uint32_t x"), "race"),                                                 # a compiler may read it once
    (counter("volatile uint64_t x"), "race"),                                        # torn
    (counter("volatile uint32_t x", main="x = 0;"), "race"),                         # a lost update
    (counter("volatile uint32_t x", main="uint32_t old = x; x = old + 1;"), "race"),
    (counter("volatile uint32_t x", main="if (x == 9) x = 0;"), "race"),
    (counter("volatile uint32_t x", "((volatile uint8_t *)&x)[0]++; ((volatile uint8_t *)&x)[1]++;"), "unknown"),   # byte by byte
    (counter("volatile union { uint32_t all; uint8_t bytes[4]; } u", "u.bytes[1]++;", "seen = u.all;"), "race u"),
    (counter("volatile struct { uint32_t a, b; } x", "x.a++; x.b++;", "seen = x.a + x.b;"), "race x.a"),
    (counter("volatile uint32_t x[2]", "x[0]++; x[1]++;", "seen = x[0] + x[1];"), "race x[]"),
])
def test_what_is_handed_over_at_once(text: str, expected: str, tmp_path: Path) -> None:
    said, _, variable = expected.partition(" ")
    assert verdict(tmp_path, text, variable or "x") == said


def test_two_handlers_that_write(tmp_path: Path) -> None:
    """Where one interrupts the other an update is lost; with equal priorities there is only one writer at a time, but two of them."""
    text = counter("volatile uint32_t x") + "void SysTick_Handler(void) { x++; }\n"
    assert verdict(tmp_path, text) == "race"


@pytest.mark.parametrize(("platform", "declared", "expected"), [
    ("atmega328p", "volatile uint8_t x", "safe"),
    ("atmega328p", "volatile uint16_t x", "race"),
    ("", "volatile uint8_t x", "safe"),
    ("", "volatile uint16_t x", "race"),     # nobody knows what the processor does at once
])
def test_how_much_a_processor_does_at_once(platform: str, declared: str, expected: str, tmp_path: Path) -> None:
    text = f"{declared}; int seen;\nvoid sei(void);\n__attribute__((signal)) void __vector_9(void) {{ x++; }}\n" \
           "int main(void) { *(volatile uint8_t *)0x70 = 1; sei(); for (;;) seen = x; }\n"
    path = tmp_path / "p.c"
    path.write_text(HEAD + text)
    program = load(path, LoadOptions(platform=platform or None))
    (answer,) = check(program, ["x"], limits=Limits(timeout=60)).answers
    assert word(answer.question, answer.verdict) == expected


def test_who_asks_for_a_model_gets_it(tmp_path: Path) -> None:
    text = counter("volatile uint32_t x")
    assert verdict(tmp_path, text, race_model="nesc") == "race"
    assert verdict(tmp_path, text, preemption="free") == "race"


def test_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(HEAD + counter("volatile uint32_t x"))
    assert any("alone writes it: 'x'" in a.text for a in load(path, LoadOptions(platform="cortex-m")).assumptions)
