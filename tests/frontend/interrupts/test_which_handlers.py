"""Which functions are handlers, and what interrupts them, on processors of different kinds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from circ.run.check import check
from circ.run.supervise import Limits
from circ.verdict import Unknown, word
from frontend import LoadOptions, load
from frontend.ir.interrupt_table import load_table
from frontend.program import FrontendError


def verdict(tmp_path: Path, text: str, variable: str = "x", platform: str | None = None) -> str:
    path = tmp_path / "p.c"
    path.write_text(text)
    (answer,) = check(load(path, LoadOptions(platform=platform, race_model="nesc")), [variable], limits=Limits(timeout=30)).answers
    return "unknown" if isinstance(answer.verdict, Unknown) else word(answer.question, answer.verdict)


OWN = "unsigned x; extern volatile unsigned y;\n%s { x++; }\n%s\nint main(void) { for (;;) y = 1; }\n"


@pytest.mark.parametrize(("head", "more", "expected"), [
    ("__attribute__((interrupt)) void h(void)", "", "unknown"),           # no sign of which processor it is
    ("__attribute__((interrupt)) void h(void)", "void sei(void);", "race"),  # an AVR: interrupts are on in it
    ("__attribute__((interrupt(9))) void h(void)", "", "safe"),           # MSP430
    ('__attribute__((interrupt("machine"))) void h(void)', "", "safe"),   # RISC-V
    ('__attribute__((interrupt("IRQ"))) void h(void)', "", "safe"),       # ARM
    ("__attribute__((interrupt)) void TIM2_IRQHandler(void)", "", "safe"),
    ("void TC3_Handler(void)", "", "safe"),
    ("void h(void) __interrupt(1)", "", "safe"),
    ("void h(void) __interrupt 1", "", "safe"),
    ("__interrupt void h(void)", "", "safe"),
])
def test_handlers_that_interrupt_themselves(head: str, more: str, expected: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, OWN % (head, more)) == expected


@pytest.mark.parametrize("table", [
    "void (* const vectors[])(void) = { Reset_Handler, stop, h };",
    'const void *table[] __attribute__((section(".isr_vector"))) = { 0, Reset_Handler, stop, h };',
    'struct v { void *stack; void (*reset)(void), (*tick)(void); };\n'
    'const struct v exceptions __attribute__((section(".vectors"))) = { 0, Reset_Handler, h };',
])
def test_handlers_in_tables_of_vectors(table: str, tmp_path: Path) -> None:
    """What a table lists runs; the entry at reset, and default handlers that only loop, do not."""
    text = "unsigned x, y;\nint main(void);\nvoid h(void) { x++; }\nvoid stop(void) { for (;;) ; }\n" \
           "void Reset_Handler(void) { y++; main(); }\n" + table + "\nint main(void) { for (;;) { x = 1; y = 2; } }\n"
    assert verdict(tmp_path, text) == "race"
    assert verdict(tmp_path, text, "y") == "safe"
    if "stop" in table:
        assert verdict(tmp_path, text.replace("{ for (;;) ; }", "{ y++; for (;;) ; }"), "y") == "race"


def test_a_function_that_is_called_is_no_handler(tmp_path: Path) -> None:
    text = "unsigned x;\nvoid FAULT_Handler(void) { x++; }\nint main(void) { for (;;) { x = 1; FAULT_Handler(); } }\n"
    assert verdict(tmp_path, text) == "safe"


def test_what_cannot_be_masked(tmp_path: Path) -> None:
    text = "void __disable_irq(void); void __enable_irq(void); unsigned x, y;\nvoid NMI_Handler(void) { x++; }\n" \
           "void TIM2_IRQHandler(void) { y++; }\n" \
           "int main(void) { for (;;) { __disable_irq(); x = 1; y = 1; __enable_irq(); } }\n"
    assert verdict(tmp_path, text) == "race"
    assert verdict(tmp_path, text, "y") == "safe"


SREG = """#include <avr/interrupt.h>
#define SREG (*(volatile unsigned char *)%s)
unsigned char x;
ISR(__vector_9) { x++; }
int main(void) { sei(); for (;;) { unsigned char s = SREG; cli(); x = 1; SREG = s; %s } }
"""


def test_where_the_status_register_is(tmp_path: Path) -> None:
    """At 0x5f, or on newer parts at 0x3f: a write there that no table explains is a doubt."""
    assert verdict(tmp_path, SREG % ("0x5f", "")) == "safe" and verdict(tmp_path, SREG % ("0x5f", "x = 2;")) == "race"
    assert verdict(tmp_path, SREG % ("0x3f", "x = 2;")) == "unknown"
    assert verdict(tmp_path, SREG % ("0x3f", "x = 2;"), platform="xmega") == "race"
    assert verdict(tmp_path, SREG % ("0x3f", ""), platform="xmega") == "safe"


def test_handlers_of_an_xmega_interrupt_each_other(tmp_path: Path) -> None:
    text = "#include <avr/interrupt.h>\nunsigned char x, y;\nISR(__vector_9) { x++; }\nISR(__vector_10) { x++; y++; }\n" \
           "int main(void) { sei(); for (;;) ; }\n"
    assert (verdict(tmp_path, text, platform="xmega"), verdict(tmp_path, text, "y", "xmega")) == ("race", "safe")
    assert verdict(tmp_path, text, platform="avr") == "safe"


ADC = """#include <avr/interrupt.h>
#define ADCSRA (*(volatile unsigned char *)0x7a)
#define ADCSRB (*(volatile unsigned char *)0x7b)
unsigned char x;
ISR(__vector_21) { x++; }
int main(void) { ADCSRB = %s; ADCSRA = %s; sei(); for (;;) x = 1; }
"""


@pytest.mark.parametrize(("source", "control", "expected"), [
    (3, 0xA8, "race"), (0, 0xA8, "safe"), (3, 0x88, "safe"), (0, 0xC8, "race"), (4, 0xA8, "race"),
])
def test_conversions_that_a_timer_starts(source: int, control: int, expected: str, tmp_path: Path) -> None:
    """Without the start bit: if the trigger is on (bit 5) and is something else than the end of a conversion."""
    assert verdict(tmp_path, ADC % (source, control), platform="atmega328p") == expected


def test_a_register_that_handlers_of_one_kind_share(tmp_path: Path) -> None:
    """The access of a handler that itself interrupted is next, though the register is followed by its bits."""
    text = "#include <avr/interrupt.h>\n#define TIMSK1 (*(volatile unsigned char *)0x6f)\n" \
           "ISR(__vector_13) { sei(); TIMSK1 &= ~1; }\nint main(void) { TIMSK1 = 1; sei(); for (;;) ; }\n"
    assert verdict(tmp_path, text, "*0x6f", "atmega328p") == "race"


@pytest.mark.parametrize(("table", "hint"), [
    ('[[handler]]\nname = "h"\nprio = 2\n', "write 'priority'"),
    ('[[handler]]\nname = "h"\nenables = ["running"]\n', "write 'enable'"),
    ('[status]\nresets = "off"\n', "write 'reset'"),
    ('[calls]\nxyz = []\n', "its keys are all, disable, enable"),
    ('[[handler]]\nname = "h"\nenabled_by = ["f(1)"]\ndisabled_by = ["f(1)"]\n', "one call both enables and disables 'h'"),
    ('[[handler]]\nname = "h"\nreset = "on"\n', "'reset' of 'h'"),
    ('[calls]\nall = "every"\n', "'all' is the number"),
    ('[registers]\nTIMSK1 = 0x6f\n[[handler]]\nname = "h"\nenable = ["TIMSK.0"]\n', "write 'TIMSK1'"),
])
def test_a_table_that_is_wrong_is_told_what_is_meant(table: str, hint: str) -> None:
    with pytest.raises(FrontendError, match=re.escape(hint)):
        load_table(None, "t.toml", table)


@pytest.mark.parametrize(("handler", "expected"), [
    ("#include <avr/interrupt.h>\nISR(__vector_1) { other(); }\nISR(__vector_2, ISR_ALIASOF(h));", "race"),
    ("#include <avr/interrupt.h>\nISR(__vector_1) { other(); }\nISR_ALIAS(__vector_2, h)", "race"),
    ('void TIM2_IRQHandler(void) __attribute__((alias("h")));', "race"),
    ('void plain(void) __attribute__((alias("h")));', "safe"),
])
def test_handlers_by_another_name(handler: str, expected: str, tmp_path: Path) -> None:
    text = f"unsigned x, y; static void other(void) {{ y = 1; }} static void h(void) {{ x++; }}\n{handler}\n"
    assert verdict(tmp_path, text + "int main(void) { for (;;) { x++; other(); } }\n") == expected
