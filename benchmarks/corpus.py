"""The threaded programs with known verdicts, each in a process of its own, as a competition would run them.

    corpus.py                  all of tests/programs/threads and tests/programs/pthreads
    corpus.py --timeout 30 -j 1 NAME ...

The circ that is measured is the interpreter's own, wherever this is run, and its byte code is compiled.
Prints what is wrong, what is not decided, and processor time of a program including start-up, beside what starting takes
alone. Fails if a verdict is wrong or if less than nine tenths are decided.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from circ.scan.header import Header, read_header

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("threads", "pthreads")
DECIDED = 0.9
CIRC = (sys.executable, "-P", "-m", "circ")
WORDS = {"true": "safe", "false(no-data-race)": "race"}


@dataclass(frozen=True, slots=True)
class Row:
    """A program: what it is, what was said, and seconds of processor time."""

    name: str
    expected: str
    said: str
    seconds: float

    @property
    def wrong(self) -> bool:
        return self.said not in (self.expected, "unknown")


def run(command: Sequence[str]) -> tuple[str, float]:
    """The output of a process, and its seconds of processor time with those of its children."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env) as process:
        assert process.stdout is not None
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return text, usage.ru_utime + usage.ru_stime


def check(path: Path, header: Header, timeout: float) -> Row:
    races = [x.verdict for x in header.expectations if x.verdict in ("race", "safe")]
    text, seconds = run([*CIRC, "check", *header.words, "--competition", "--timeout", f"{timeout:g}", str(path)])
    last = text.strip().splitlines()[-1] if text.strip() else "nothing"
    return Row(path.stem, "race" if "race" in races else "safe", WORDS.get(last, last), seconds)


def programs(names: Sequence[str]) -> list[tuple[Path, Header]]:
    """Those that races are expected of, or their absence."""
    paths = [p for folder in FOLDERS for p in sorted((ROOT / "tests" / "programs" / folder).glob("*.c"))]
    found = [(p, read_header(str(p), p.read_text(), str(p.parent))) for p in paths if not names or p.stem in names]
    return [(p, h) for p, h in found if any(x.verdict in ("race", "safe") and x.subject != "asserts" for x in h.expectations)
            and "--property" not in h.options]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--timeout", type=float, default=30.0, help="seconds a program")
    parser.add_argument("-j", type=int, default=1, help="programs at a time")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    begin = min(run([*CIRC, "--help"])[1] for _ in range(3))
    with ThreadPoolExecutor(arguments.j) as pool:
        rows = list(pool.map(lambda p: check(*p, arguments.timeout), programs(arguments.names)))
    for row in rows:
        if row.said != row.expected:
            print(f"{row.name:32} {'WRONG: ' if row.wrong else ''}{row.said}, expected {row.expected}  {row.seconds:.1f} s")
    decided = sum(r.said == r.expected for r in rows)
    times = [r.seconds for r in rows]
    print(f"{len(rows)} programs: {decided} decided ({100 * decided / len(rows):.1f} %), {sum(r.wrong for r in rows)} wrong")
    print(f"processor time: median {median(times):.2f} s, nine tenths within {quantiles(times, n=10)[8]:.2f} s, "
          f"most {max(times):.1f} s; starting alone {begin:.2f} s")
    sys.exit(any(r.wrong for r in rows) or decided < DECIDED * len(rows))


if __name__ == "__main__":
    main()
