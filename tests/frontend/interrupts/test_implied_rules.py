"""Handlers that the program's own calls enable: CMSIS, `enable_isr`, and what tables say of calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.run.check import Limits, check
from circ.verdict import word
from frontend.api import LoadOptions, load
from frontend.program import Program, RaceModel

CMSIS = """#include <stdint.h>
typedef enum { SysTick_IRQn = -1, EXTI0_IRQn = 6, TIM2_IRQn = 28 } IRQn_Type;
void NVIC_EnableIRQ(IRQn_Type n); void NVIC_DisableIRQ(IRQn_Type n); void __disable_irq(void); void __enable_irq(void);
volatile uint64_t x; volatile uint32_t word;
void TIM2_IRQHandler(void) { x++; word = 1; }
int main(void) { %s }
"""
SUITE = """void enable_isr(int n); void disable_isr(int n);
volatile long long x;
void demo_isr_1(void) { x++; }
void demo_main(void) { %s }
int main(void) { demo_main(); return 0; }
"""


def program(tmp_path: Path, text: str, platform: str | None = None, table: str = "", model: str | None = None) -> Program:
    path = tmp_path / "p.c"
    path.write_text(text)
    return load(path, LoadOptions(platform=platform, interrupts=("t.toml", table) if table else (), race_model=model))


def verdict(p: Program, variable: str = "x") -> str:
    (answer,) = check(p, [variable], limits=Limits(timeout=30)).answers
    return word(answer.question, answer.verdict)


@pytest.mark.parametrize(("main", "expected"), [
    ("x = 5; NVIC_EnableIRQ(TIM2_IRQn); for (;;) ;", "safe"),
    ("NVIC_EnableIRQ(TIM2_IRQn); for (;;) x = 5;", "race"),
    ("NVIC_EnableIRQ(TIM2_IRQn); for (;;) { NVIC_DisableIRQ(TIM2_IRQn); x = 5; NVIC_EnableIRQ(TIM2_IRQn); }", "safe"),
    ("NVIC_EnableIRQ(TIM2_IRQn); for (;;) { NVIC_DisableIRQ(EXTI0_IRQn); x = 5; NVIC_EnableIRQ(EXTI0_IRQn); }", "race"),
    ("NVIC_EnableIRQ(TIM2_IRQn); for (;;) { __disable_irq(); x = 5; __enable_irq(); }", "safe"),
    ("for (;;) x = 5;", "race"),                                                         # enabled elsewhere
    ("x = 5; *(volatile uint32_t *)0xE000E100 = 1 << 28; x = 6; NVIC_EnableIRQ(TIM2_IRQn); for (;;) ;", "race"),
])
def test_cmsis_enables_by_number(main: str, expected: str, tmp_path: Path) -> None:
    assert verdict(program(tmp_path, CMSIS % main, "cortex-m")) == expected


def test_a_cortex_m_is_a_machine_of_four_bytes(tmp_path: Path) -> None:
    p = program(tmp_path, CMSIS % "NVIC_EnableIRQ(TIM2_IRQn); for (;;) word = 2;", "cortex-m", model="machine")
    assert p.race_model is RaceModel.MACHINE and p.data_model == "ilp32-uchar" and verdict(p, "word") == "safe"
    assert any("NVIC_EnableIRQ" in a.text for a in p.assumptions)


@pytest.mark.parametrize(("main", "expected"), [
    ("x = 1;", "race"), ("disable_isr(1); x = 1;", "safe"), ("disable_isr(-1); x = 1;", "safe"), ("disable_isr(2); x = 1;", "race"),
    ("disable_isr(-1); enable_isr(1); x = 1;", "race"), ("disable_isr(-1); enable_isr(2); x = 1;", "safe"),
    ("disable_isr(1); enable_isr(-1); x = 1;", "race"), ("for (int i = 1; i < 3; i++) disable_isr(i); x = 1;", "safe"),
])
def test_suites_of_interrupt_programs(main: str, expected: str, tmp_path: Path) -> None:
    assert verdict(program(tmp_path, SUITE % main)) == expected


def test_functions_of_that_name_with_a_body_are_functions(tmp_path: Path) -> None:
    own = SUITE.replace("void enable_isr(int n);", "int on; void enable_isr(int n) { on = n; }")
    assert [t.name for t in program(tmp_path, own % "x = 1;").templates] == ["main"]


def test_tables_with_several_calls(tmp_path: Path) -> None:
    text = "void start(void); void go(int n); void stop(void);\nlong long x;\nvoid h(void) { x++; }\nint main(void) { %s for (;;) ; }\n"
    rule = '[calls]\nall = 255\n[[handler]]\nname = "h"\nenabled_by = ["start()", "go(3)"]\ndisabled_by = ["stop()"]\n%s\n'
    for main, reset, expected in (("x = 1;", "", "safe"), ("start(); x = 1;", "", "race"), ("go(3); x = 1;", "", "race"),
                                  ("go(2); x = 1;", "", "safe"), ("go(255); x = 1;", "", "race"),
                                  ("start(); stop(); x = 1;", "", "safe"), ("x = 1;", 'reset = "on"', "race"),
                                  ("stop(); x = 1;", 'reset = "on"', "safe")):
        assert verdict(program(tmp_path, text % main, table=rule % reset)) == expected, (main, reset)


SKETCH = """#include <stdint.h>
void attachInterrupt(uint8_t n, void (*f)(void), int mode); void detachInterrupt(uint8_t n);
void interrupts(void); void noInterrupts(void); uint8_t digitalPinToInterrupt(uint8_t pin);
volatile uint16_t x; volatile uint8_t flag;
void pressed(void) { x++; flag = 1; }
void setup(void) { x = 300; %s }
void loop(void) { %s }
"""


@pytest.mark.parametrize(("setup", "loop", "expected"), [
    ("attachInterrupt(0, pressed, 3);", "", "safe"),                                     # set before it is attached
    ("attachInterrupt(0, pressed, 3);", "x = 0;", "race"),
    ("attachInterrupt(0, pressed, 3);", "noInterrupts(); x = 0; interrupts();", "safe"),
    ("attachInterrupt(0, pressed, 3);", "detachInterrupt(0); x = 0; attachInterrupt(0, pressed, 3);", "safe"),
    ("attachInterrupt(0, pressed, 3);", "detachInterrupt(1); x = 0;", "race"),
    ("attachInterrupt(digitalPinToInterrupt(2), pressed, 3);", "detachInterrupt(digitalPinToInterrupt(2)); x = 0;", "possible race"),
    ("attachInterrupt(digitalPinToInterrupt(2), pressed, 3);", "", "safe"),
])
def test_sketches(setup: str, loop: str, expected: str, tmp_path: Path) -> None:
    p = program(tmp_path, SKETCH % (setup, loop), "avr", model="machine")
    assert {t.name for t in p.templates} == {"main", "pressed"}
    assert verdict(p) == expected and verdict(p, "flag") == "safe"


def test_not_everything_with_these_names_is_a_sketch(tmp_path: Path) -> None:
    part = "int x; void setup(void) { x = 1; } void loop(void) { x++; } int other(void) { return x; }\n"
    assert {t.name for t in program(tmp_path, part).templates} == {"call@setup", "call@loop", "call@other"}
