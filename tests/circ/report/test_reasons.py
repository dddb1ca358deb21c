"""`--explain` in a sentence or two, whichever engine proved it; all of it with `--explain=full`."""

from __future__ import annotations

import re
from dataclasses import replace

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


def test_long_reasons_are_cut_and_said_in_full_where_that_is_asked_for(program: Program) -> None:
    [answer] = circ.check(program, ["x"], engine="static").answers
    assert isinstance(answer.verdict, Safe)
    long = replace(answer, verdict=replace(answer.verdict, why=tuple(f"w {n} " + "because " * 60 for n in range(9))))
    lines = explained(program, long)
    assert len(lines) == 5 and all(len(line) < 260 for line in lines) and lines[-1] == "  (--explain=full says all of it)"
    assert len([line for line in explained(program, long, Explain.FULL) if "because" in line]) == 9
