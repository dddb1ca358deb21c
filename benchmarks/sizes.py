"""Time against program size: threaded C of 1k, 5k and 20k lines, reading it and proving every variable statically.

    sizes.py             1k and 5k lines
    sizes.py --large     20k lines, too: some minutes
    sizes.py --reading   reading alone, 5k to 100k lines, each in a process of its own, with its peak of memory

The last row is a program that `gcc -E` turns into 5,000 lines, half of them the C library's headers (if there is a gcc).

Seconds of processor time. `reading` is from C to automata; `prover` the static prover alone, for all variables that locks,
creation and joining protect; `kernel` what checking its proofs takes. The fitted exponent of 1 would be linear.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from measure import exponent
from threaded import threaded_program

import frontend
from circ.kernel.certificate import Kernel
from circ.kernel.outcome import Accepted
from circ.run.triage import triage
from circ.static.prover import Static
from circ.verdict import Options, RaceOn, Safe, silent

SIZES = (1_000, 5_000)
LARGE = (1_000, 5_000, 20_000)
READ = (5_000, 20_000, 50_000, 100_000)
LIMIT = 1.3
"""Near-linear: the exponent that reading and proving are meant to stay below."""


@dataclass(frozen=True, slots=True)
class Row:
    """One program. `variables` are those that need the prover."""

    lines: int
    edges: int
    variables: int
    proved: int
    reading: float
    prover: float
    kernel: float


def preprocessed(lines: int) -> str:
    """A program of so many lines behind the preprocessor of gcc, which keeps the lines of headers."""
    def run(size: int) -> str:
        return subprocess.run(["gcc", "-E", "-x", "c", "-"], input=threaded_program(size), capture_output=True, text=True,
                              check=True).stdout

    return run(lines - run(250).count("\n") + 250)


def measure(text: str, name: str = "server.c") -> Row:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_text(text)
        begin = time.process_time()
        program = frontend.load(path)
        reading = time.process_time() - begin
    gc.freeze()  # as the process does in which a program is analysed
    asked = [q for v in program.shared if triage(program, q := RaceOn(v.name)) is None]
    engine, options = Static(), Options()
    begin = time.process_time()
    proofs = [(q, v.certificate) for q in asked if isinstance(v := engine(program, q, options, silent), Safe)]
    prover = time.process_time() - begin
    begin = time.process_time()
    kernel = Kernel(program)
    accepted = sum(isinstance(kernel.check(q, proof), Accepted) for q, proof in proofs)
    edges = sum(len(t.cfa.edges) for t in program.templates)
    return Row(text.count("\n"), edges, len(asked), accepted, reading, prover, time.process_time() - begin)


def read_alone() -> None:
    """Prints time and memory of reading programs of the sizes in `READ`."""
    print("  lines   reading  lines/s   peak MB")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in READ:
            path = Path(folder, f"server{size}.c")
            path.write_text(threaded_program(size))
            code = ("import frontend, resource, sys, time; begin = time.process_time(); frontend.load(sys.argv[1]); "
                    "print(time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)")
            done = subprocess.run([sys.executable, "-P", "-c", code, str(path)], capture_output=True, text=True, check=True)
            seconds, kilobytes = map(float, done.stdout.split())
            rows.append((size, seconds))
            print(f"{size:>7} {seconds:>7.2f} s {size / seconds:>8.0f} {kilobytes / 1024:>9.0f}", flush=True)
    print(f"reading ~ lines ^ {exponent(rows):.2f}")


def show(r: Row, what: str = "") -> None:
    times = "".join(f" {seconds:>7.2f} s" for seconds in (r.reading, r.prover, r.kernel))
    print(f"{r.lines:>7} {r.edges:>7} {r.variables:>10} {r.proved:>7}{times} "
          f"{1000 * r.prover / max(r.variables, 1):>13.0f} ms{what}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="20,000 lines, too")
    parser.add_argument("--reading", action="store_true", help="reading alone, up to 100,000 lines")
    arguments = parser.parse_args()
    if arguments.reading:
        read_alone()
        return
    sizes = LARGE if arguments.large else SIZES
    measure(threaded_program(sizes[0] // 4))  # warm up
    print("threaded C, everything protected\n  lines   edges  variables  proved   reading    prover    kernel  prover/variable")
    rows = []
    for size in sizes:
        rows.append(measure(threaded_program(size)))
        show(rows[-1])
    if shutil.which("gcc") is not None:
        show(measure(preprocessed(SIZES[-1]), "server.i"), "  (preprocessed)")
    for name in ("reading", "prover", "kernel"):
        fitted = exponent([(r.lines, getattr(r, name)) for r in rows])
        print(f"{name} ~ lines ^ {fitted:.2f} (meant: at most {LIMIT:g})")


if __name__ == "__main__":
    main()
