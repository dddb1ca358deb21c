"""The lowering against a compiler: random sequential programs, run by gcc's code and by the interpreter of automata."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import frontend
from frontend.interpret import Machine, Stuck, run_alone
from frontend.source import FrontendError
from tests.randomc.sequential import SequentialProgram, batch, sequential

GCC = ("gcc", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-O0", "-w")


@dataclass(frozen=True, slots=True)
class Difference:
    """The compiler's checksum and what the interpreter has instead: another one, or the reason why it has none."""

    seed: int
    compiled: int
    interpreted: int | str

    def __str__(self) -> str:
        return f"seed {self.seed}: gcc {self.compiled}, interpreter {self.interpreted}"


def differences(seeds: Iterable[int]) -> list[Difference]:
    """What does not agree, of the programs with these seeds."""
    programs = [sequential(seed) for seed in seeds]
    found = []
    for program, compiled in zip(programs, compiled_checksums(programs), strict=True):
        interpreted = interpreted_checksum(program.alone())
        if interpreted != compiled:
            found.append(Difference(program.seed, compiled, interpreted))
    return found


def compiled_checksums(programs: list[SequentialProgram]) -> list[int]:
    """What gcc's code computes, for all programs in one run."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder) / "batch.c", Path(folder) / "batch"
        source.write_text(batch(programs))
        subprocess.run([*GCC, str(source), "-o", str(binary)], check=True, capture_output=True, timeout=300)
        run = subprocess.run([str(binary)], check=True, capture_output=True, text=True, timeout=60)
    return [int(line) for line in run.stdout.split()]


def interpreted_checksum(text: str) -> int | str:
    """The global `checksum` after the interpreter ran `main` of this file; why it has no value, if it has none."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.c"
        source.write_text(text)
        try:
            program = frontend.load(str(source))
            final = run_alone(Machine(program), [t.name for t in program.templates].index("main"))
        except (FrontendError, Stuck) as error:
            return f"{type(error).__name__}: {error}"
    cfa = program.template("main").cfa
    if any(e.source == final.threads[0][0] for e in cfa.edges):
        return f"blocked at location {final.threads[0][0]}"
    for variable, value in zip(program.globals, final.globals, strict=True):
        if variable.name == "checksum":
            return value if isinstance(value, int) else "an open value"
    return "no variable `checksum`"
