"""`--explain` in a sentence or two, whichever engine proved it; all of it with `--explain=full`."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import circ
from circ.report.forms import Explain
from circ.report.text import Manner, answer_text
from circ.verdict import Answer, Safe
from frontend import LoadOptions, load
from frontend.program import Program

TURN = """int x;
char turn;
void w(void) { while (1) { if (turn == 0) { x = 1; turn = 1; } } }
void v(void) { while (1) { if (turn == 1) { x = 2; turn = 0; } } }
"""
ENGINES = ("static", "omega-circ", "circ", "counter-guided", "explicit", "thread-modular", "pushdown", "cartesian", "refinement")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("reasons") / "turn.c"
    path.write_text(TURN)
    return load(str(path), LoadOptions(threads=("w=1", "v=1")))


def explained(program: Program, answer: Answer, explain: Explain = Explain.WORDS) -> list[str]:
    _, *lines = answer_text(program, answer, Manner(explain)).splitlines()
    return lines


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_says_why_in_a_few_short_sentences(program: Program, engine: str) -> None:
    if engine == "pushdown":
        program = load(program.file, LoadOptions(threads=("w=1", "v=1"), stack=True))
    [answer] = circ.check(program, ["x"], engine=engine).answers
    assert isinstance(answer.verdict, Safe), engine
    lines = explained(program, answer)
    assert 1 <= len(lines) <= 6 and all(len(line) < 260 for line in lines)
    text = "\n".join(lines)
    assert re.search(r"\bw\b.*\bline 3\b", text), text  # who accesses it, and where
    assert "reachable states" not in text and "automaton" not in text and "exception set" not in text


PROGRAMS = Path(__file__).resolve().parents[2] / "programs"
AVR = """#include <avr/io.h>
#include <avr/interrupt.h>
unsigned char buffer, mode;
volatile unsigned char count;
ISR(TIMER0_OVF_vect) { buffer = 1; count++; }
int main(void)
{
    sei();
    for (;;) { TIMSK &= ~(1 << TOIE0); buffer = 2; TIMSK |= 1 << TOIE0; cli(); mode = count; sei(); }
}
"""
AVR_BY_NESC = f"{AVR}// by the rules of nesC"


@pytest.mark.parametrize(("file", "variable", "words"), [
    ("threads/worker_pool.c", "count", "m is held at every access"),
    ("threads/created_by_thread.c", "setup", "worker starts only when main has created it"),
    ("threads/create_loop_join_loop.c", "total", "main waits until the 3 threads of worker have ended|lock is held at line 14"),
    ("threads/semaphore_hand_over.c", "message.kind", "the semaphore full hands it over: posted at line 11, waited for at line 15"),
    ("threads/ready_flag_condition.c", "result", "main accesses it at line 24 only while ready == 1; compute accesses it at line 11 only while ready == 0"),
    ("threads/barrier_phases.c", "old[]", "the threads wait for each other at the barrier barrier at line 9"),
    ("threads/once.c", "table", "once lets one call alone do it at line 11, and the others wait until that is over"),
    ("threads/own_element.c", "part[]", "each touches the elements of its own"),
    ("threads/list_published_late.c", "malloc@producer:14.value", "each object has one owner at a time"),
    ("threads/peterson_atomic.c", "want0", "every access to it is atomic"),
    ("weak/published_pointer.c", "config.limit", "the address in 'current' hands over 'config.limit'"),
    ("firmware/tick_counter.c", "ticks", "every access to it is made with interrupts off, except by timer_overflow alone, at line 17"),
    ("firmware/flag_handshake.c", "rx_byte", "uart_receive accesses it at line 27 only while rx_full == 0"),
    (AVR, "buffer", "main accesses it at line 9 only while bit 0 of TIMSK is 0; TIMER0_OVF_vect accesses it at line 5 only while bit 0 of TIMSK is 1"),
    (AVR, "count", "only TIMER0_OVF_vect writes it, and one instruction makes each access to it"),
    (AVR_BY_NESC, "count", "main accesses it at line 9 only while interrupts are off; TIMER0_OVF_vect accesses it at line 5 only while interrupts are on"),
], ids=lambda value: value.partition("\n")[0])
def test_each_way_to_protect_a_variable_has_words_of_its_own(file: str, variable: str, words: str, tmp_path: Path) -> None:
    path, options = PROGRAMS / file if AVR not in file else tmp_path / "avr.c", LoadOptions()
    if AVR in file:
        path.write_text(AVR)
        options = LoadOptions(platform="atmega128", race_model="nesc" if file == AVR_BY_NESC else None)
    program = load(str(path), options)
    [answer] = circ.check(program, [variable]).answers
    assert isinstance(answer.verdict, Safe)
    text = "\n".join(explained(program, answer))
    assert all(part in text for part in words.split("|")), text
    assert not re.search(r"__circ|__vector|\*0x|<interrupts|#\d|%\d|reachable states", text), text


def test_inferred_contexts_speak_of_interrupts_and_registers_in_words(tmp_path: Path) -> None:
    path = tmp_path / "avr.c"
    path.write_text(AVR)
    program = load(str(path), LoadOptions(platform="atmega128", race_model="nesc"))
    answers = circ.check(program, ["buffer", "count"], engine="omega-circ").answers
    buffer, count = ("\n".join(explained(program, answer)) for answer in answers)
    assert "bit 0 of TIMSK is 1 before it, bit 0 of TIMSK is 0 after it" in buffer
    assert "TIMER0_OVF_vect accesses it at line 5 only while interrupts are on" in count


def test_long_reasons_are_cut_and_said_in_full_where_that_is_asked_for(program: Program) -> None:
    [answer] = circ.check(program, ["x"], engine="static").answers
    assert isinstance(answer.verdict, Safe)
    long = replace(answer, verdict=replace(answer.verdict, why=tuple(f"w {n} " + "because " * 60 for n in range(9))))
    lines = explained(program, long)
    assert len(lines) == 5 and all(len(line) < 260 for line in lines) and lines[-1] == "  (--explain=full says all of it)"
    assert len([line for line in explained(program, long, Explain.FULL) if "because" in line]) == 9
