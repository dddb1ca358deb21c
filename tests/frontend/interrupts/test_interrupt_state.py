"""Whether interrupts are on: what assembly, status registers, atomic sections, handlers and the start say about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from circ.run.check import check
from circ.run.supervise import Limits
from circ.search.explicit import oracle
from circ.verdict import RaceOn, Refuted, Safe, Unknown
from frontend import LoadOptions, load
from frontend.ir.assembly import effects
from frontend.program import FrontendError, Program

Make: TypeAlias = Callable[..., Program]


@pytest.fixture
def program(tmp_path: Path) -> Make:
    def make(text: str, platform: str | None = None, table: str = "") -> Program:
        path = tmp_path / "p.c"
        path.write_text(text)
        return load(path, LoadOptions(platform=platform, interrupts=("t.toml", table) if table else ()))

    return make


def races(program: Program, variable: str) -> bool | None:
    return oracle(program, RaceOn(variable), 2)


# --------------------------------------------------------------------------------------------------- assembly
@pytest.mark.parametrize(("template", "calls"), [
    ("sei", ["interrupts_on"]),
    (r"sei\n\tsleep\n\t", ["interrupts_on"]),
    ("nop { dint { nop", ["interrupts_off"]),
    (r"in %0, __SREG__\n\tcli", ["read_status %0", "interrupts_off"]),
    ("out __SREG__, %0", ["write_status %0"]),
    (r"in __tmp_reg__,__SREG__\n\tcli\n\twdr\n\tout 0x21,%0\n\tout __SREG__,__tmp_reg__", []),
    ("out __SREG__, r24", ["write_status r24"]),
    ("cpsie i", ["clear_status #1"]),
    ("MRS %0, primask", ["read_status %0"]),
    ("msr basepri, %0", ["masks_some"]),
    ("mrs %0, basepri", []),
    ("bis.w %0, SR", ["set_status %0"]),
    ("csrsi mstatus, 8", ["set_status #8"]),
    ("csrrci %0, mstatus, 0x8", ["read_status %0", "clear_status #8"]),
    ("csrr %0, mstatus", ["read_status %0"]),
    ("csrrs %0, mstatus, zero", ["read_status %0"]),
    ("csrw mtvec, %0", []),
    ("csrs mie, %0", ["masks_some"]),
    ("bset 7", ["interrupts_on"]), ("bclr 0x07", ["interrupts_off"]), ("bset 6", []),
    ("cpsie.n i", ["clear_status #1"]), ("cpsid.w i", ["set_status #1"]), ("cpsid f", ["unclear_status"]),
    ("xor #8, SR", ["unclear_status"]), ("clr SR", ["interrupts_off"]), ("bic #GIE, r2", ["clear_status #8"]),
    ("msr daifset, #2", ["interrupts_off"]), ("msr daifclr, #2", ["interrupts_on"]), ("msr daifset, #1", []),
    (r"cli ; then sei\n\tout 0x21, r1", ["interrupts_off"]),
    ("cli; sti", ["unclear_status"]),  # a comment on an AVR, two instructions elsewhere
    ("nop; nop", []),
    ("/* cli */ nop", []), ("nop @ cpsid i", []), ("nop // sei", []), ("# sei", []),
    (r"sbis 0x10, 3\n\tcli", ["unclear_status"]),
    (r"brne 1f\n\tsei\n1:", ["unclear_status"]),
    (r"1: dec %0\n\tbrne 1b", []),
    (r"in r24, 0x3f\n\tori r24, 0x80\n\tout 0x3f, r24", ["write_status r24"]),
    (r"in r24, 0x3f\n\tpush r24\n\tcli\n\tout 0x3f, r24", []),
    (r"in %0, __SREG__\n\tandi %0, 0x7f", []),
    ("out 63, %0", ["write_status %0"]), ("out 0x1f+0x20, %0", ["write_status %0"]), ("sts 0x5F, %0", ["write_status %0"]),
    ("out %0, %1", ["unclear_status"]), ("out PORTB, %0", ["unclear_status"]), ("out __SP_L__, r28", []),
    (".word 0x9478", ["unclear_status"]), (".balign 4", []), ("frobnicate r0", ["unclear_status"]),
    ("in r0, 0x3e", []),
    ("mov %0, %1", []),
])
def test_instructions_that_concern_interrupts(template: str, calls: list[str]) -> None:
    assert [f"{e.call.removeprefix('__circ_')} {e.operand}".strip() for e in effects(template)] == calls


def test_operands_that_are_constants_are_part_of_the_text() -> None:
    assert [e.call for e in effects("out %0, %1", {0: 0x3F})] == ["__circ_write_status"]
    assert effects("out %0, %1", {0: 0x25}) == []


def test_a_store_through_a_pointer_of_the_processor_may_be_one_to_the_status() -> None:
    assert [e.call for e in effects(r"ldi r30, 0x5f\n\tclr r31\n\tst Z, r0")] == ["__circ_unclear_status"]
    assert [e.call for e in effects("std Y+1, r24")] == ["__circ_unclear_status"]
    assert effects("st %a0, %1") == []  # what an operand points to is known


AVR = "typedef unsigned char u8; u8 x, y;\nvoid __attribute__((signal)) __vector_5(void) { x++; }\n"


@pytest.mark.parametrize(("on", "off", "back"), [
    ('asm("sei" "\\n\\t" "sleep");', 'asm("cli");', 'asm("sei");'),
    ('asm("sei");', 'u8 s; asm ("in %0, __SREG__" "\\n\\t" "cli" : "=r" (s));', 'asm ("out __SREG__, %0" :: "r" (s));'),
    ("", 'unsigned p; asm("mrs %0, primask" : "=r" (p)); asm("cpsid i");', 'asm("msr primask, %0" :: "r" (p));'),
    ("__bis_SR_register(8);", "unsigned s = __get_interrupt_state(); _DINT();", "__set_interrupt_state(s);"),
    ("__bis_SR_register(8);", "__bic_SR_register(8);", "__bis_SR_register(8 | 16);"),
])
def test_interrupts_are_switched_in_many_ways(program: Make, on: str, off: str, back: str) -> None:
    known = "void __bis_SR_register(unsigned); void __bic_SR_register(unsigned); void _DINT(void);\n" \
            "unsigned __get_interrupt_state(void); void __set_interrupt_state(unsigned);\n" + AVR
    for inside, racy in ((f"{off} x = 1; {back}", False), (f"{off} {back} x = 1;", True), (f"x = 1; {off} {back}", True)):
        assert races(program(f"{known}int main(void) {{ {on} for (;;) {{ {{ {inside} }} }} }}\n"), "x") is racy


def test_functions_with_the_names_of_instructions_have_their_own_bodies(program: Make) -> None:
    own = 'void sei(void) { asm("sei"); }\nvoid cli(void) { asm("cli"); }\n'
    assert races(program(own + AVR + "int main(void) { sei(); for (;;) { cli(); x = 1; sei(); } }\n"), "x") is False
    assert races(program(own + AVR + "int main(void) { sei(); for (;;) { cli(); sei(); x = 1; } }\n"), "x") is True


@pytest.mark.parametrize("hold", ["__set_BASEPRI(32);", 'asm("msr basepri, %0" :: "r" (32));', 'asm("csrc mie, %0" :: "r" (8));',
                                  'asm("xor #8, SR");'])
def test_what_is_not_followed_is_neither_safe_nor_a_race(program: Make, hold: str) -> None:
    made = program("void __set_BASEPRI(unsigned);\n" + AVR + "int main(void) { " + hold + " for (;;) { x = 1; } }\n")
    (answer,) = check(made, ["x"], engine="explicit").answers
    assert isinstance(answer.verdict, Unknown) and "held back" in answer.verdict.reason


# --------------------------------------------------------------------------------------------------- at the start
@pytest.mark.parametrize(("text", "table", "racy"), [
    ("x = 1; sei(); for (;;) ;", "", False),
    ("x = 1; __disable_irq(); __enable_irq(); for (;;) ;", "", True),
    ("x = 1; __disable_irq(); __enable_irq(); for (;;) ;", '[status]\nreset = "off"\n', False),
    ("x = 1; sei(); for (;;) ;", '[status]\nreset = "on"\n', True),
    ("u8 s = *(volatile u8 *)0x5f; cli(); *(volatile u8 *)0x5f = s; x = 1; for (;;) ;", "", True),
    ("cli(); x = 1; *(volatile u8 *)0x5f |= 0x80; for (;;) ;", "", False),
])
def test_interrupts_after_reset(program: Make, text: str, table: str, racy: bool) -> None:
    known = "void sei(void); void cli(void); void __enable_irq(void); void __disable_irq(void);\n" + AVR
    assert races(program(f"{known}int main(void) {{ {text} }}\n", table=table), "x") is racy


def test_a_bad_state_after_reset_is_refused(program: Make) -> None:
    with pytest.raises(FrontendError, match=r't.toml:2: error: after reset interrupts are "on" or "off"'):
        program(AVR + "int main(void) { return 0; }\n", table='[status]\nreset = "perhaps"\n')


# --------------------------------------------------------------------------------------------------- sections
NESC = "u8 __nesc_atomic_start(void); void __nesc_atomic_end(u8); void cli(void); void sei(void);\n" \
       "void __attribute__((signal)) __vector_6(void) { y = 1; }\n"


@pytest.mark.parametrize(("body", "racy"), [
    ("u8 a = __nesc_atomic_start(); cli(); __nesc_atomic_end(a); x = 1;", True),
    ("u8 a = __nesc_atomic_start(); sei(); x = 1; __nesc_atomic_end(a);", True),
    ("u8 a = __nesc_atomic_start(); sei(); cli(); x = 1; __nesc_atomic_end(a);", False),
    ("u8 a = __nesc_atomic_start(), b; sei(); b = __nesc_atomic_start(); x = 1; __nesc_atomic_end(b); __nesc_atomic_end(a);", False),
    ("u8 a = __nesc_atomic_start(), b; sei(); b = __nesc_atomic_start(); __nesc_atomic_end(b); x = 1; __nesc_atomic_end(a);", True),
    ("u8 a = __nesc_atomic_start(), b; b = __nesc_atomic_start(); cli(); __nesc_atomic_end(b); x = 1; __nesc_atomic_end(a);", False),
    ("u8 a = __nesc_atomic_start(), s = *(volatile u8 *)0x5f; *(volatile u8 *)0x5f = s; x = 1; __nesc_atomic_end(a);", False),
    ("u8 g, a = __nesc_atomic_start(); y = 0; sei(); cli(); g = y; __nesc_atomic_end(a); if (g) x = 1;", True),
    ("u8 g, a = __nesc_atomic_start(); y = 0; cli(); g = y; __nesc_atomic_end(a); if (g) x = 1;", False),
    ("cli(); u8 a = __nesc_atomic_start(); sei(); __nesc_atomic_end(a); x = 1; sei();", False),
])
def test_atomic_sections_that_switch_interrupts(program: Make, body: str, racy: bool) -> None:
    assert races(program(AVR + NESC + f"int main(void) {{ sei(); for (;;) {{ {body} }} }}\n"), "x") is racy


# --------------------------------------------------------------------------------------------------- handlers
PAIR = "unsigned char x, y; void cli(void); void sei(void);\nvoid a(void) { %s x++; }\nvoid b(void) { if (y) x++; }\n" \
       "int main(void) { sei(); for (;;) { %s } }\n"
RANKS = '[[handler]]\nname = "a"\npriority = 1\n{}[[handler]]\nname = "b"\npriority = 2\n'


def test_a_handler_entered_with_interrupts_off_is_not_preempted_whatever_its_priority(program: Make) -> None:
    assert races(program(PAIR % ("", "y = 1;"), table=RANKS.format('entered = "off"\n')), "x") is False
    assert races(program(PAIR % ("", "y = 1;"), table=RANKS.format('entered = "on"\n')), "x") is True


def test_interrupts_are_on_again_behind_a_handler_with_a_priority(program: Make) -> None:
    made = program(PAIR % ("unsigned char s = *(volatile unsigned char *)0x5f; cli(); y = 1; *(volatile unsigned char *)0x5f = s;",
                           "if (y) x = 1;"), table=RANKS.format('entered = "off"\n'))
    assert races(made, "x") is True
    (answer,) = check(made, ["x"]).answers
    assert isinstance(answer.verdict, Refuted)


def test_a_handler_that_is_called_returns_like_one(program: Make) -> None:
    text = "void sei(void); void cli(void);\n" + AVR + "void __attribute__((signal)) __vector_6(void) { y++; }\n" \
           "int main(void) { sei(); cli(); %s x = 1; for (;;) ; }\n"
    assert races(program(text % ""), "x") is False
    assert races(program(text % "__vector_6();"), "x") is True


def test_handlers_of_a_cortex_are_known_by_their_names(program: Make) -> None:
    text = "unsigned x, y; void SysTick_Handler(void) { x++; }\nvoid TIM2_IRQHandler(void) { x++; y++; }\n" \
           "void HardFault_Handler(void) { for (;;) ; }\nint main(void) { for (;;) { } }\n"
    made = program(text)
    assert [t.name for t in made.templates] == ["main", "SysTick_Handler", "TIM2_IRQHandler"]
    assert races(made, "x") is True and races(made, "y") is False
    assert any("may preempt each other: SysTick_Handler, TIM2_IRQHandler" in a.text for a in made.assumptions)
    equal = '[[handler]]\nname = "SysTick_Handler"\npriority = 1\n[[handler]]\nname = "TIM2_IRQHandler"\npriority = 1\n'
    assert races(program(text, table=equal), "x") is False


@pytest.mark.parametrize("marked", ["#pragma vector=9\n__interrupt void h(void)", "void __interrupt() h(void)"])
def test_the_keyword_of_small_controllers(program: Make, marked: str) -> None:
    text = "void __enable_interrupt(void); void __disable_interrupt(void); unsigned x, y;\n" + marked + " { x++; y++; }\n" \
           "int main(void) { __enable_interrupt(); for (;;) { y = 1; __disable_interrupt(); x = 1; __enable_interrupt(); } }\n"
    assert races(program(text), "x") is False and races(program(text), "y") is True


def test_norace_is_a_word_too(program: Make) -> None:
    made = program("norace unsigned char x; static norace struct { int a; } s; unsigned char y;\n"
                   "void __attribute__((signal)) h(void) { x = 1; s.a = 1; y = 1; }\nint main(void) { for (;;) { x = 2; s.a = 2; y = 2; } }\n")
    assert [v.name for v in made.globals if v.norace] == ["x", "s.a"]
    assert [a.shown for a in check(made).answers] == ["y"]


def test_a_task_that_runs_the_scheduler_is_refused(program: Make) -> None:
    text = "unsigned char x; int TOS_post(void (*t)(void)); int TOSH_run_next_task(void);\nvoid two(void) { x = 2; }\n" \
           "void one(void) { TOS_post(two);\n TOSH_run_next_task(); }\nint main(void) { TOS_post(one); for (;;) TOSH_run_next_task(); }\n"
    with pytest.raises(FrontendError, match=r"p.c:4:2: error: 'TOSH_run_next_task' is called elsewhere than by 'main'"):
        program(text)


def test_a_word_that_covers_the_status_register_may_switch_interrupts_on(program: Make) -> None:
    made = program(AVR.replace("x++", "*(volatile unsigned short *)0x5e = 0xffff; x++") + "int main(void) { for (;;) ; }\n")
    assert made.template("__vector_5").count is None and races(made, "x") is not False


def test_any_write_arms_for_certain(program: Make) -> None:
    text = "#include <avr/io.h>\n#include <avr/interrupt.h>\nuint8_t x;\nISR(USART0_TX_vect) { x++; }\n" \
           "int main(void) { UCSR0B = 1 << TXCIE0; sei(); UDR0 = 1; for (;;) x--; }\n"
    (answer,) = check(program(text, "atmega128"), ["x"]).answers
    assert isinstance(answer.verdict, Refuted)


@pytest.mark.parametrize("value", ["0x0000", "0x0100"])
def test_bits_that_are_written_as_a_part_of_more_prove_no_race(program: Make, value: str) -> None:
    text = "#include <avr/io.h>\n#include <avr/interrupt.h>\nuint8_t x;\nISR(TIMER0_OVF_vect) { x++; }\n" \
           f"int main(void) {{ *(volatile uint16_t *)0x56 = {value}; sei(); for (;;) x--; }}\n"
    (answer,) = check(program(text, "atmega128"), ["x"], limits=Limits(timeout=5)).answers
    assert isinstance(answer.verdict, Unknown)


# --------------------------------------------------------------------------------------------------- the initialisation
@pytest.mark.parametrize(("start", "test", "racy"), [
    ("u8 a = *(volatile u8 *)0x2c, b = a;", "a != b", False),
    ("u8 a = *(volatile u8 *)0x2c & 3;", "a > 3", False),
    ("u8 a = *(volatile u8 *)0x2c;", "a > 3", True),
    ("u8 a = *(volatile u8 *)0x2c; y = a;", "a != y", False),
    ("t[1] = *(volatile u8 *)0x2c;", "t[0]", False),
    ("t[1] = *(volatile u8 *)0x2c;", "t[1]", True),
    ("big[1] = 1;", "big[0]", False),
])
def test_the_initialisation_forgets_nothing_that_it_knows(program: Make, start: str, test: str, racy: bool) -> None:
    text = f"{AVR}u8 t[2], big[2000]; void sei(void);\nint main(void) {{ {start} sei(); for (;;) {{ if ({test}) x = 1; }} }}\n"
    (answer,) = check(program(text), ["x"]).answers
    assert isinstance(answer.verdict, Refuted if racy else Safe)


def test_a_handler_that_restores_what_it_saved_stays_closed(program: Make) -> None:
    text = "#include <avr/io.h>\n#include <avr/interrupt.h>\nunsigned n, k;\n" \
           "static void bump(void) { uint8_t s = SREG & 0x80; cli(); n++; SREG = %s; }\n" \
           "ISR(TIMER0_OVF_vect) { bump(); k++; }\nISR(TWI_vect) { bump(); k++; }\n" \
           "int main(void) { TIMSK = 1 << TOIE0; TWCR = 1 << TWIE; sei(); for (;;) bump(); }\n"
    made = program(text % "s", "atmega128")
    assert [t.count for t in made.templates] == [1, 1, 1]
    assert races(made, "n") is False
    assert [v.name for v in made.globals if not v.ghost] == ["n", "k", "*0x57", "*0x74"]
    made = program(text % "s | 0x80", "atmega128")
    assert [t.count for t in made.templates] == [1, None, None]


# --------------------------------------------------------------------------------------------------- addresses that are numbers
@pytest.mark.parametrize("body", [
    "static volatile u8 *p = (volatile u8 *)0x38; int main(void) { *p = 1;",
    "static volatile u8 *p[2] = { (volatile u8 *)0x38, (volatile u8 *)0x39 }; int main(void) { for (int i = 0; i < 2; i++) *p[i] |= 1;",
    "static u8 *p[2] = { &y, (u8 *)0x38 }; int main(void) { *p[1] = 1;",
    "static struct { int n; volatile u8 *port; } led = { 3, (volatile u8 *)0x38 }; int main(void) { *led.port |= 1 << led.n;",
    "static unsigned long base = 0x38; int main(void) { *(volatile u8 *)(base + 2) = 1;",
])
def test_registers_are_reached_through_constants(program: Make, body: str) -> None:
    """An access to a register that is not seen as one looks like the end of the thread."""
    assert races(program(f"{AVR}{body} for (;;) x = 1; }}\n"), "x") is True


def test_a_pointer_that_is_counted_up_from_a_number_may_be_any(program: Make) -> None:
    made = program(AVR + "int main(void) { for (volatile u8 *p = (u8 *)0x60; p < (u8 *)0x100; p++) *p = 0; for (;;) x = 1; }\n")
    (answer,) = check(made, ["x"], limits=Limits(timeout=1)).answers
    assert not isinstance(answer.verdict, Safe)


def test_interrupts_that_are_off_after_reset_stay_off_without_a_call(program: Make) -> None:
    made = program(AVR + "int main(void) { for (;;) { x = 1; } }\n", table='[status]\nreset = "off"\n')
    assert races(made, "x") is False
    assert any("never starts" in str(w) for w in made.warnings)


def test_builtins_of_the_compiler_switch_interrupts(program: Make) -> None:
    switch = "int main(void) { __builtin_avr_sei(); for (;;) { __builtin_avr_cli(); %s __builtin_avr_sei(); %s } }\n"
    assert races(program(AVR + switch % ("x = 1;", "")), "x") is False
    assert races(program(AVR + switch % ("", "x = 1;")), "x") is True


@pytest.mark.parametrize(("statement", "verdict"), [
    ('asm volatile("out %0, %1" :: "I"(0x3f), "r"(0x80));', Refuted),
    ('asm volatile("out %0, %1" :: "I"(0x25), "r"(0x80));', Safe),
    ('asm volatile("out %[r], %[v]" :: [r] "I"(0x3f), [v] "r"(0x80));', Refuted),
    ('asm volatile("out %[r], %[v]" :: [v] "r"(0x7f), [r] "I"(0x3f));', Safe),
    ('u8 s; asm volatile("in %0, 0x3f" : "=r"(s)); s |= 0x80; asm volatile("out 0x3f, %0" :: "r"(s));', Refuted),
    ('u8 s = 0x80; asm volatile("out 0x3f, %0" : "+r"(s));', Unknown),
    ('asm volatile("in r24, 0x3f\\n\\tori r24, 0x80\\n\\tout 0x3f, r24" ::: "r24");', Unknown),
    ('asm volatile("sbrc r0, 1\\n\\tsei");', Unknown),
    ('asm volatile("nop ; sei\\n\\tout 5, r1");', Safe),
    ('asm volatile("mystery");', Unknown),
])
def test_assembly_is_understood_exactly_or_a_doubt(program: Make, statement: str, verdict: type) -> None:
    text = AVR + f'int main(void) {{ asm("sei"); asm("cli"); {statement} x = 1; asm("cli"); for (;;) ; }}\n'
    (answer,) = check(program(text), ["x"]).answers
    assert isinstance(answer.verdict, verdict), answer.verdict
