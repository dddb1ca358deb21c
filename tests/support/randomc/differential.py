"""The lowering against a compiler: random sequential programs, run by gcc's code and by the interpreter of automata."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import frontend
from circ.semantics.interpreter import Machine, Stuck, run_alone
from frontend.program import FrontendError, Program, Scalar
from tests.support.randomc.sequential import SequentialProgram, batch, sequential

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


def compiled_checksum(text: str) -> int:
    """What gcc's code leaves in the global `checksum` of a file with a `main` of its own."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder) / "program.c", Path(folder) / "program"
        shown = "__attribute__((destructor)) static void show(void) { printf(\"%lu\\n\", checksum); }"
        source.write_text(f"#include <stdio.h>\n{text}\n{shown}\n")
        subprocess.run([*GCC, str(source), "-o", str(binary)], check=True, capture_output=True, timeout=60)
        return int(subprocess.run([str(binary)], capture_output=True, text=True, timeout=60).stdout)


def interpreted_checksum(text: str) -> int | str:
    """The global `checksum` after the interpreter ran `main` of this file; why it has no value, if it has none.

    Padding and bits of a unit that nobody wrote are open: they are once all zeros and once all ones, to the same result.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.c"
        source.write_text(text)
        try:
            program = frontend.load(str(source))
            results = [_checksum(program, open_value) for open_value in (lambda t: 0, lambda t: t.wrap(-1))]
        except (FrontendError, Stuck) as error:
            return f"{type(error).__name__}: {error}"
    return results[0] if results[0] == results[1] else f"{results[0]} or {results[1]}, by the values of what is not initialised"


def _checksum(program: Program, open_value: Callable[[Scalar], int]) -> int | str:
    main = [t.name for t in program.templates].index("main")
    final = run_alone(Machine(program), main, open_value=open_value)
    if any(e.source == final.threads[0][0] for e in program.templates[main].cfa.edges):
        return f"blocked at location {final.threads[0][0]}"
    for variable, value in zip(program.globals, final.globals, strict=True):
        if variable.name == "checksum":
            return value if isinstance(value, int) else "an open value"
    return "no variable `checksum`"
