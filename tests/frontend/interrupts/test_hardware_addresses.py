"""Hardware registers reached in other ways than by a constant address: computed, handed over, declared as variables."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.run.check import check
from circ.run.supervise import Limits
from circ.verdict import Unknown, word
from frontend import LoadOptions, load

PROGRAMS = {
    "asm_ptr": ({"x": "unknown"}, """
#include <avr/interrupt.h>
int x;
ISR(__vector_13){ x = 1; }
int main(void){ sei(); cli(); x = 2; __asm__ volatile("st %a0, %1" :: "e"((volatile unsigned char*)0x5f), "r"(0x80)); x = 3; for(;;); }
"""),
    "ext_port": ({"x": "safe"}, """
#include <avr/interrupt.h>
int x;
extern void wr(volatile unsigned char*, unsigned char);
ISR(__vector_13){ x = 1; }
int main(void){ sei(); cli(); x = 2; wr((volatile unsigned char*)0x25, 3); x = 3; for(;;); }
"""),
    "ext_restore": ({"x": "unknown"}, """
#include <avr/interrupt.h>
int x;
extern void restore(volatile char*);
ISR(__vector_13){ x = 1; }
int main(void){ sei(); cli(); x = 2; restore((volatile char*)0x5f); x = 3; for(;;); }
"""),
    "fn_ptr": ({"x": "race"}, """
#include <avr/interrupt.h>
int x;
static void put(volatile unsigned char *r, unsigned char i, unsigned char v) { r[i] = v; }
ISR(__vector_13){ x = 1; }
int main(void){ unsigned char buf[4]; sei(); cli(); put(buf, 1, 2); x = 2; put((volatile unsigned char*)0x50, 15, 0x80); x = 3; cli(); for(;;); }
"""),
    "idx_loop": ({"x": "race"}, """
#include <avr/interrupt.h>
int x;
ISR(__vector_13){ x = 1; }
int main(void){ volatile unsigned char *p=(void*)0x5d; sei(); cli(); for (int n = 0; n < 3; n++) *p++ = 0x80; x = 2; for(;;); }
"""),
    "idx_mem": ({"*0x1001": "race", "*0x1000": "safe"}, """
extern unsigned char n;
void __attribute__((signal)) h(void){ *(volatile char*)0x1001 = 1; }
int main(void){ for(;;) { unsigned char i = n; if (i < 5) ((volatile char*)0x1000)[i] = 2;  *(volatile char*)0x1000 = 4; } }
"""),
    "idx_sreg": ({"x": "race"}, """
#include <avr/interrupt.h>
int x;
int n;
ISR(__vector_13){ x = 1; }
int main(void){ volatile unsigned char *p=(void*)0x5e; cli(); sei(); cli(); n = 1; *(p+n)=0x80; x = 2; for(;;); }
"""),
    "idx_sreg0": ({"x": "safe"}, """
#include <avr/interrupt.h>
int x;
ISR(__vector_13){ x = 1; }
int main(void){ volatile unsigned char *p=(void*)0x5e; sei(); cli(); for (int n = 0; n < 1; n++) p[n]=0x80; x = 2; for(;;); }
"""),
    "memcpy_sreg": ({"x": "unknown"}, """
#include <string.h>
#include <avr/interrupt.h>
int x; unsigned char saved;
ISR(__vector_13){ x = 1; }
int main(void){ sei(); memcpy(&saved, (void*)0x5f, 1); cli(); x = 2; memcpy((void*)0x5f, &saved, 1);  x = 3; for(;;); }
"""),
    "memset_sreg": ({"x": "race"}, """
#include <string.h>
#include <avr/interrupt.h>
int x;
ISR(__vector_13){ x = 1; }
int main(void){ sei(); cli(); x = 2; memset((void*)0x5f,0x80,1); x = 3; cli(); for(;;); }
"""),
    "memset_sreg2": ({"x": "safe"}, """
#include <string.h>
#include <avr/interrupt.h>
int x;
ISR(__vector_13){ x = 1; }
int main(void){ sei(); cli(); x = 2; memset((void*)0x5d,0x80,2); x = 3; memset((void*)0x5e,0x70,2); x = 4; for(;;); }
"""),
    "sreg_extern": ({"x": "race"}, """
#include <stdint.h>
#include <avr/interrupt.h>
extern volatile uint8_t SREG;
int x;
void __attribute__((signal)) tick(void){ x++; }
int main(void){  sei(); for(;;) { uint8_t s = SREG; cli(); x = 3; SREG = s; x = 4; } }
"""),
    "sreg_extern_ok": ({"x": "safe"}, """
#include <stdint.h>
#include <avr/interrupt.h>
extern volatile uint8_t SREG;
int x;
void __attribute__((signal)) tick(void){ x++; }
int main(void){  sei(); for(;;) { uint8_t s = SREG; cli(); x = 3; SREG = s; } }
"""),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("model", ["lp64", "ip16"])
def test_the_register_that_is_meant(name: str, model: str, tmp_path: Path) -> None:
    """The verdicts, whatever the size of a pointer: objects never lie where registers are."""
    expected, text = PROGRAMS[name]
    path = tmp_path / f"{name}.c"
    path.write_text(text)
    found = check(load(path, LoadOptions(data_model=model)), list(expected), limits=Limits(timeout=30))
    assert {a.shown: "unknown" if isinstance(a.verdict, Unknown) else word(a.question, a.verdict) for a in found.answers} == expected
