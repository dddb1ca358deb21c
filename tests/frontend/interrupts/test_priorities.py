"""Priorities that a program gives its handlers by calls of CMSIS: who interrupts whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.run.check import check
from circ.run.supervise import Limits
from circ.verdict import Unknown, word
from frontend import LoadOptions, load

HEAD = """typedef enum { PendSV_IRQn = -2, SysTick_IRQn = -1, A_IRQn = 3, B_IRQn = 4 } IRQn_Type;
void NVIC_EnableIRQ(IRQn_Type n); void NVIC_DisableIRQ(IRQn_Type n); void NVIC_SetPriority(IRQn_Type n, unsigned p);
void HAL_NVIC_SetPriority(IRQn_Type n, unsigned p, unsigned sub); void HAL_NVIC_EnableIRQ(IRQn_Type n);
typedef struct { volatile unsigned char IP[240]; } NVIC_Type;
#define NVIC ((NVIC_Type *)0xE000E400)
typedef struct { volatile unsigned CPUID, ICSR, VTOR, AIRCR, SCR, CCR; volatile unsigned char SHP[12]; } SCB_Type;
#define SCB ((SCB_Type *)0xE000ED00)
unsigned x;
volatile unsigned other;
void NVIC_SetPriorityGrouping(unsigned g); void HAL_NVIC_SetPriorityGrouping(unsigned g);
#define P(n, p) NVIC_SetPriority(n, p)
#define ON(n) NVIC_EnableIRQ(n)
"""
HANDLERS = "void A_IRQHandler(void) { x++; }\nvoid B_IRQHandler(void) { x++; }\n"


def verdict(tmp_path: Path, text: str, variable: str = "x") -> str:
    path = tmp_path / "p.c"
    path.write_text(HEAD + text)
    program = load(path, LoadOptions(platform="cortex-m", race_model="nesc"))
    (answer,) = check(program, [variable], limits=Limits(timeout=60)).answers
    return "unknown" if isinstance(answer.verdict, Unknown) else word(answer.question, answer.verdict)


@pytest.mark.parametrize(("calls", "expected"), [
    ("P(A_IRQn, 3); P(B_IRQn, 3); ON(A_IRQn); ON(B_IRQn);", "safe"),
    ("P(A_IRQn, 3); P(B_IRQn, 2); ON(A_IRQn); ON(B_IRQn);", "race"),
    ("P(A_IRQn, 2); P(B_IRQn, 3); ON(A_IRQn); ON(B_IRQn);", "race"),
    ("P(A_IRQn, 3); ON(A_IRQn); P(B_IRQn, 3); ON(B_IRQn);", "safe"),
    ("P(A_IRQn, 0); ON(A_IRQn); ON(B_IRQn);", "safe"),                                     # after reset it is 0
    ("P(A_IRQn, 1); ON(A_IRQn); ON(B_IRQn);", "race"),
    ("P(A_IRQn, 1); ON(A_IRQn); ON(B_IRQn); P(B_IRQn, 1);", "unknown"),                    # for a while B is more urgent
    ("P(A_IRQn, 1); P(B_IRQn, 2); P(B_IRQn, 1); ON(A_IRQn); ON(B_IRQn);", "safe"),         # the last one counts
    ("P(A_IRQn, 1); P(B_IRQn, other); ON(A_IRQn); ON(B_IRQn);", "unknown"),
    ("P(A_IRQn, 1); P(B_IRQn, 1); ON(A_IRQn); ON(B_IRQn); if (other) P(A_IRQn, 0);", "unknown"),
    ("P(A_IRQn, 1); P(other, 1); ON(A_IRQn); ON(B_IRQn);", "unknown"),                     # that may be A, B or neither
    ("HAL_NVIC_SetPriority(A_IRQn, 1, 0); HAL_NVIC_SetPriority(B_IRQn, 1, 3); ON(A_IRQn); ON(B_IRQn);", "safe"),
    ("HAL_NVIC_SetPriorityGrouping(7); P(A_IRQn, 1); P(B_IRQn, 2); ON(A_IRQn); ON(B_IRQn);", "unknown"),  # no bit tells
    ("NVIC_SetPriorityGrouping(other); P(A_IRQn, 1); P(B_IRQn, 1); ON(A_IRQn); ON(B_IRQn);", "unknown"),
    ("NVIC_SetPriorityGrouping(3); P(A_IRQn, 1); P(B_IRQn, 2); ON(A_IRQn); ON(B_IRQn);", "race"),  # four bits, all of them
    ("NVIC_SetPriorityGrouping(3); P(A_IRQn, 1); P(B_IRQn, 1); ON(A_IRQn); ON(B_IRQn);", "safe"),
    ("P(A_IRQn, 1); P(B_IRQn, 1); ON(A_IRQn); ON(B_IRQn); NVIC->IP[4] = 0;", "race"),      # in other ways: nothing is known
    ("P(A_IRQn, 1); P(B_IRQn, 1); ON(A_IRQn); ON(B_IRQn); SCB->SCR = 4;", "safe"),
    ("P(A_IRQn, 1); P(B_IRQn, 1); ON(A_IRQn); ON(B_IRQn); SCB->SHP[10] = 4;", "race"),
    ("volatile unsigned char *p = NVIC->IP; P(A_IRQn, 1); P(B_IRQn, 1); ON(A_IRQn); ON(B_IRQn); p[4] = 0;", "race"),
])
def test_what_main_gives_them(calls: str, expected: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, HANDLERS + f"int main(void) {{ {calls} for (;;) other = 1; }}\n") == expected


@pytest.mark.parametrize("platform", [None, "cortex-m"])
def test_what_enables_a_handler_says_nothing_of_who_interrupts_it(platform: str | None, tmp_path: Path) -> None:
    """The names of a Cortex-M are enough: its handlers are entered with interrupts on."""
    path = tmp_path / "p.c"
    path.write_text(HEAD + HANDLERS + "int main(void) { P(A_IRQn, 1); P(B_IRQn, 2); ON(A_IRQn); ON(B_IRQn); for (;;) other = 1; }\n")
    (answer,) = check(load(path, LoadOptions(platform=platform, race_model="nesc")), ["x"], limits=Limits(timeout=60)).answers
    assert word(answer.question, answer.verdict) == "race"


@pytest.mark.parametrize(("more", "expected"), [
    ("static void set(IRQn_Type n, unsigned p) { P(n, p); ON(n); }\n"
     "int main(void) { set(A_IRQn, 2); set(B_IRQn, 2); for (;;) other = 1; }\n", "safe"),
    ("static void set(IRQn_Type n, unsigned p) { P(n, p); ON(n); }\n"
     "int main(void) { set(A_IRQn, 2); set(B_IRQn, 1); for (;;) other = 1; }\n", "race"),
    ("void MX_NVIC_Init(void) { P(A_IRQn, 2); P(B_IRQn, 2); ON(A_IRQn); ON(B_IRQn); }\n"
     "int main(void) { MX_NVIC_Init(); for (;;) other = 1; }\n", "safe"),
    ("typedef struct { int channel, preempt; } NVIC_InitTypeDef; void NVIC_Init(NVIC_InitTypeDef *i);\n"
     "int main(void) { NVIC_InitTypeDef i = { B_IRQn, 0 }; P(A_IRQn, 2); P(B_IRQn, 2); NVIC_Init(&i);\n"
     "ON(A_IRQn); ON(B_IRQn); for (;;) other = 1; }\n", "unknown"),                        # a function that is not here
    ("void C_IRQHandler(void) { P(B_IRQn, 1); }\n"
     "int main(void) { P(A_IRQn, 2); P(B_IRQn, 2); ON(A_IRQn); ON(B_IRQn); for (;;) other = 1; }\n", "unknown"),
    ("void C_IRQHandler(void) { ON(B_IRQn); }\n"
     "int main(void) { P(A_IRQn, 2); ON(A_IRQn); P(B_IRQn, 2); for (;;) other = 1; }\n", "unknown"),  # before it has one
])
def test_where_they_are_given(more: str, expected: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, HANDLERS + more) == expected


@pytest.mark.parametrize(("urgency", "expected"), [("15", "safe"), ("2", "race")])
def test_work_that_is_put_off(urgency: str, expected: str, tmp_path: Path) -> None:
    """A handler that software pends, the least urgent one: what it does with interrupts off no other handler is in the middle of."""
    text = "int __disable_irq(void); int __enable_irq(void);\nvoid A_IRQHandler(void) { x++; SCB->ICSR = 1u << 28; }\n" \
           "void PendSV_Handler(void) { __disable_irq(); x = 0; __enable_irq(); }\n" \
           f"int main(void) {{ P(PendSV_IRQn, {urgency}); P(A_IRQn, 4); ON(A_IRQn); for (;;) other = 1; }}\n"
    assert verdict(tmp_path, text) == expected


def test_what_is_assumed_is_said(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(HEAD + HANDLERS + "int main(void) { P(A_IRQn, 3); P(B_IRQn, 3); ON(A_IRQn); ON(B_IRQn); for (;;) other = 1; }")
    said = [a.text for a in load(path, LoadOptions(platform="cortex-m")).assumptions]
    assert any("priorities that calls" in text for text in said)
    assert not any("preempt each other" in text for text in said)
