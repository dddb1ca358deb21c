"""What the intrinsics of processors, and of Arduino's core, say about interrupts: most of them nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.run.check import check
from circ.run.supervise import Limits
from circ.verdict import Unknown, word
from frontend import LoadOptions, load

MSP430 = """unsigned x;
void __bis_SR_register(unsigned short); void __bic_SR_register_on_exit(unsigned short); void __enable_interrupt(void);
void __disable_interrupt(void); unsigned short __even_in_range(unsigned short, unsigned short); void __delay_cycles(unsigned long);
void __no_operation(void); unsigned __CLZ(unsigned);
__attribute__((interrupt(3))) void port(void) { x++; %s }
int main(void) { __bis_SR_register(8); for (;;) { %s } }
"""
SKETCH = """#include <Arduino.h>
volatile unsigned long pulses; unsigned long last;
void pulse(void) { pulses++; }
void setup(void) { pinMode(2, INPUT_PULLUP); attachInterrupt(digitalPinToInterrupt(2), pulse, RISING); }
void loop(void)
{
    unsigned long n;
    %s
    n = pulses;
    pulses = 0;
    %s
    if (millis() > 100 && digitalRead(3) == HIGH)
        last += n + analogRead(0);
    digitalWrite(LED_BUILTIN, last & 1);
    delay(10);
}
"""


def verdict(tmp_path: Path, text: str, variable: str, **options: str) -> str:
    path = tmp_path / "p.c"
    path.write_text(text)
    (answer,) = check(load(path, LoadOptions(**options)), [variable], limits=Limits(timeout=60)).answers
    return "unknown" if isinstance(answer.verdict, Unknown) else word(answer.question, answer.verdict)


@pytest.mark.parametrize(("handler", "main", "expected"), [
    ("__bic_SR_register_on_exit(0xd0);", "__disable_interrupt(); x = 0; __enable_interrupt();", "safe"),
    ("__bic_SR_register_on_exit(0xd0);", "x = 0;", "race"),
    ("", "__delay_cycles(9); __no_operation(); x = 0;", "race"),
    ("", "__disable_interrupt(); __delay_cycles(9); x = 0; __enable_interrupt();", "safe"),
    ("", "if (__even_in_range(2, 4) == 2) x = 0;", "race"),
    ("", "if (__even_in_range(2, 4) == 0) x = 0;", "safe"),      # it gives what it is given
    ("", "if (__CLZ(1) == 0) x = 0;", "unknown"),                # what it computes is not followed
])
def test_intrinsics(handler: str, main: str, expected: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, MSP430 % (handler, main), "x") == expected


def test_a_status_that_is_given_back_without_interrupts(tmp_path: Path) -> None:
    """A handler that clears the bit of all interrupts as it returns runs once: what comes then nobody interrupts."""
    text = MSP430 % ("__bic_SR_register_on_exit(8);", "x = 0;")
    assert verdict(tmp_path, text, "x") in ("race", "unknown")   # the first time it comes in between


@pytest.mark.parametrize(("off", "on", "expected"), [("noInterrupts();", "interrupts();", "safe"), ("", "", "race")])
@pytest.mark.parametrize("platform", ["", "atmega328p"])
def test_sketches(off: str, on: str, expected: str, platform: str, tmp_path: Path) -> None:
    options = {"platform": platform} if platform else {}
    assert verdict(tmp_path, SKETCH % (off, on), "pulses", **options) == expected
    assert verdict(tmp_path, SKETCH % (off, on), "last", **options) == "safe"
