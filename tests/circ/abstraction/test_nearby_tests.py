"""What is tested next to the accesses to a variable."""

from __future__ import annotations

from pathlib import Path

from circ.abstraction.nearby_tests import guards
from circ.engines.auto import engine
from circ.verdict import Options, RaceOn, Safe, silent
from frontend import LoadOptions, load

TWO = """#include <avr/interrupt.h>
unsigned char full, x, noise, far;
ISR(TIMER0_OVF_vect) { if (!full) { x = 1; full = 1; } }
int main(void) {
  sei();
  for (;;) {
    unsigned char seen, copy;
    noise++;
    if (far) { if (noise > 3) far = 0; }
    cli(); seen = full; sei();
    copy = seen;
    if (copy) { x = 2; full = 0; }
  }
}
"""


def test_the_nearest_tests_themselves_or_through_copies(tmp_path: Path) -> None:
    """Not what lies on another way; a copy of a copy is the variable itself."""
    path = tmp_path / "a.c"
    path.write_text(TWO)
    program = load(path, LoadOptions(platform="avr"))
    assert [v.name for v in guards(program, "x")] == ["full"]
    assert [v.name for v in guards(program, "noise")] == ["far"]


def test_how_often_a_handler_is_due_is_among_them(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("""#include <avr/io.h>
#include <avr/interrupt.h>
unsigned char *volatile buffer; unsigned char length, store[4];
ISR(USART0_TX_vect) { sei(); if (buffer) { if (length > 1) { length--; UDR0 = 1; } else buffer = 0; } }
int main(void) {
  UCSR0B = 1 << 6; sei();
  for (;;) { unsigned char mine = 0; cli(); if (!buffer) { buffer = store; mine = 1; } sei(); if (mine) { length = 4; UDR0 = 0; } }
}
""")
    program = load(path, LoadOptions(platform="atmega128"))
    assert {v.name for v in guards(program, "length")} == {"buffer", "<__vector_20 armed>"}
    assert isinstance(engine()(program, RaceOn("length"), Options(), silent), Safe)
