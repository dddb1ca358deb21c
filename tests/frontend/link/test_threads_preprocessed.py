"""Programs with threads as they come out of `gcc -E`, with the C library's own declarations: the same verdicts."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from circ.engines import auto
from circ.run.check import confirmed, questions
from circ.verdict import Answer, Options, silent, word
from frontend import load
from tests.support.corpus import PROGRAMS, read_example

GCC = shutil.which("gcc")
NAMES = (
    "argument_structs", "argument_structs_broken", "barrier_phases", "barrier_phases_broken", "error_checking_mutex_broken",
    "heap_counter", "heap_counter_broken", "recursive_static", "recursive_static_broken", "rwlock_table", "rwlock_table_broken",
    "semaphore_mutex", "semaphore_mutex_broken", "spin_locks", "once_table_broken",
)


@pytest.mark.skipif(GCC is None, reason="needs gcc")
@pytest.mark.parametrize("name", NAMES)
def test_preprocessed(tmp_path: Path, name: str) -> None:
    assert GCC is not None
    source = PROGRAMS / "threads" / f"{name}.c"
    path = tmp_path / f"{name}.i"
    subprocess.run([GCC, "-E", str(source), "-o", str(path)], check=True)
    program = load(path)
    engine = auto.engine()
    said = {}
    wanted = {x.subject: x.verdict for x in read_example(source).expectations}
    for asked in (a for a in questions(program, None, "races") if a.shown in wanted):
        answer = Answer(asked.question, asked.shown, engine(program, asked.question, Options(), silent), "auto")
        said[asked.shown] = word(asked.question, confirmed(program, answer).verdict)
    assert said == wanted
