"""Bits that one instruction of an AVR sets or clears."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.run.check import Limits, check
from circ.verdict import word
from frontend.api import LoadOptions, load

TEXT = """#include <avr/interrupt.h>
#define PORT (*(volatile unsigned char *)%s)
unsigned char k;
ISR(__vector_9) { PORT |= 1; }
int main(void) { k = 3; sei(); for (;;) { %s } }
"""


def verdict(tmp_path: Path, text: str, address: int, platform: str | None, model: str = "machine") -> str:
    path = tmp_path / "p.c"
    path.write_text(text)
    program = load(path, LoadOptions(platform=platform, race_model=model))
    (answer,) = check(program, [f"*{address:#x}"], limits=Limits(timeout=30)).answers
    return word(answer.question, answer.verdict)


@pytest.mark.parametrize(("statement", "expected"), [
    ("PORT |= 2;", "safe"), ("PORT &= ~8;", "safe"), ("PORT = PORT | 0x80;", "safe"), ("PORT &= (unsigned char)~(1 << 7);", "safe"),
    ("cli(); PORT |= 2; sei();", "safe"), ("if (k) PORT |= 2; else PORT &= ~2;", "safe"),
    ("PORT ^= 2;", "race"), ("PORT |= 6;", "race"), ("PORT |= 1 << (k & 7);", "race"), ("PORT &= 3;", "race"),
    ("PORT = ~PORT | 2;", "race"), ("PORT |= 0;", "race"),
])
def test_which_statements_are_one(statement: str, expected: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, TEXT % ("0x38", statement), 0x38, "avr") == expected


def test_which_registers_are_reached(tmp_path: Path) -> None:
    statement = "PORT |= 2;"
    for address, platform, expected in ((0x20, "avr", "safe"), (0x3F, "avr", "safe"), (0x40, "avr", "race"), (0x62, "avr", "race"),
                                        (0x38, None, "race"), (0x1F, "xmega", "safe"), (0x38, "xmega", "race")):
        assert verdict(tmp_path, TEXT % (hex(address), statement), address, platform) == expected, (hex(address), platform)


def test_an_update_of_main_is_interrupted_by_one_instruction_of_a_handler(tmp_path: Path) -> None:
    """The handler's bit is lost, while a bit that main sets by one instruction never is. The strict model counts all."""
    assert verdict(tmp_path, TEXT % ("0x38", "PORT |= 2;"), 0x38, "avr", "nesc") == "race"
    toggles = TEXT.replace("PORT |= 1;", "PORT ^= 1;")
    assert verdict(tmp_path, toggles % ("0x38", "PORT |= 2;"), 0x38, "avr") == "safe"
    assert verdict(tmp_path, toggles % ("0x38", "PORT ^= 2;"), 0x38, "avr") == "race"
