"""Real firmware: the programs for AVRs in Debian's source packages, read and checked without further options.

    python benchmarks/firmware.py                    # both packages
    python benchmarks/firmware.py simavr --limit 5   # one of them, 5 s for each variable

The sources come as in `benchmarks/real/run.py`, into the same kind of folder (`--work`), which is never committed. Each program
gets a compile database with the command that its package builds it by (part, clock, folders of headers), and circ nothing else:
the part chooses the interrupts, the data model and the race model, and `avr-gcc` the headers, where it is installed.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "real"))

from run import fetched  # noqa: E402

SECONDS = 240
"""For one program."""


@dataclass(frozen=True, slots=True)
class FirmwareProgram:
    """One program: its file, the processor, and flags of its build."""

    file: Path
    part: str
    flags: tuple[str, ...]


def simavr(root: Path) -> Iterator[FirmwareProgram]:
    """Programs for the simulator, whose names begin with the part, as its makefiles have it."""
    for file in sorted((*root.glob("tests/at*_*.c"), *root.glob("examples/*/at*_*.c"))):
        folders = ("simavr/sim/avr", "simavr/sim", "examples/shared")
        flags = ("-std=gnu99", "-DF_CPU=8000000", *(f"-I{root / f}" for f in folders))
        yield FirmwareProgram(file, file.name.partition("_")[0], flags)


def arduino(root: Path) -> Iterator[FirmwareProgram]:
    """The parts of the core that are written in C, for an Arduino Uno: each has handlers, and functions that sketches call."""
    flags = ("-std=gnu11", "-DF_CPU=16000000L", "-DARDUINO=10807", "-DARDUINO_AVR_UNO", "-DARDUINO_ARCH_AVR",
             f"-I{root / 'cores/arduino'}", f"-I{root / 'variants/standard'}", f"-I{root / 'libraries/Wire/src'}")
    for file in sorted((*root.glob("cores/arduino/*.c"), *root.glob("libraries/*/src/utility/*.c"))):
        yield FirmwareProgram(file, "atmega328p", flags)


PACKAGES = {"simavr": simavr, "arduino-core-avr": arduino}


def checked(program: FirmwareProgram, limit: float) -> tuple[str, float]:
    """What circ says of a program, in one line, and the processor time that it took."""
    words = ["avr-gcc", "-Os", f"-mmcu={program.part}", *program.flags, "-c", str(program.file)]
    with tempfile.TemporaryDirectory() as folder:
        database, report = Path(folder, "compile_commands.json"), Path(folder, "report.json")
        database.write_text(json.dumps([{"directory": str(program.file.parent), "file": str(program.file), "arguments": words}]))
        command = [sys.executable, "-c", "from circ.cli import main; main()", "check", str(database), "--timeout", f"{limit:g}",
                   "--format", "json", "-o", str(report)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS, cwd=HERE.parent)
        except subprocess.TimeoutExpired:
            return f"no answer in {SECONDS} s", resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if not report.is_file():
            said = [line for line in done.stderr.splitlines() if "error" in line]
            return (said or ["nothing"])[0].replace(f"{program.file.parent}/", "")[:100], seconds
        found = json.loads(report.read_text())["files"][0]
    if found["program"] is None:
        why = found["error"] or {"message": found["bug"]}
        return f"not read: {why['message']}"[:100], seconds
    verdicts = Counter(a["verdict"] for a in found["answers"])
    roles = Counter(t["role"] for t in found["program"]["threads"])
    counts = ", ".join(f"{n} {word}" for word, n in sorted(verdicts.items())) or "nothing shared"
    handlers = f"{roles['handler']} handlers" if roles["handler"] != 1 else "1 handler"
    return f"{found['program']['race_model']}, {handlers}: {counts}", seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", nargs="*", default=list(PACKAGES))
    parser.add_argument("--work", type=Path, default=HERE / "real" / "work", help="where sources go")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for each variable")
    args = parser.parse_args()
    total, read, programs = 0.0, 0, 0
    for package in args.package:
        root = fetched(package, args.work)
        if root is None:
            print(f"{package}: its sources cannot be had")
            continue
        for program in PACKAGES[package](root):
            said, seconds = checked(program, args.limit)
            programs, total, read = programs + 1, total + seconds, read + bool(re.match(r"\w+, \d+ handler", said))
            name = str(program.file.relative_to(root))
            print(f"{package:<16} {name:<52} {program.part:<11} {seconds:>6.1f} s  {said}", flush=True)
    print(f"{read} of {programs} programs read and checked, {total:.1f} s of processor time")


if __name__ == "__main__":
    main()
