"""Programs as products have them (pools, caches, loggers, servers), each in a run of its own with a budget for all it shares.

    products.py                    all of tests/programs/services and tests/programs/products
    products.py --budget 60 NAME ...

Prints for each program what its header expects and what was said, what else is undecided, and the seconds that it took. Fails if
something is wrong: `race` where `safe` is expected, or the other way round.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from circ.scan.header import read_header

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("services", "products")
UNDECIDED = ("possible race", "unknown")


@dataclass(frozen=True, slots=True)
class Subject:
    """A variable of a program with the verdict that is expected, empty if the header says nothing of it, and what was said."""

    name: str
    expected: str
    said: str

    @property
    def wrong(self) -> bool:
        return self.expected != "" and self.said not in (self.expected, *UNDECIDED)


def check(path: Path, budget: float) -> tuple[list[Subject], float]:
    """All that is said of a program's variables, and the seconds it took."""
    header = read_header(str(path), path.read_text(), str(path.parent))
    expected = {x.subject: x.verdict for x in header.expectations}
    begin = time.monotonic()
    words = [sys.executable, "-m", "circ", "check", *header.words, "--budget", f"{budget:g}s", "--format", "json", str(path)]
    found = json.loads(subprocess.run(words, capture_output=True, text=True).stdout)
    said = {answer["variable"]: answer["verdict"] for file in found["files"] for answer in file["answers"]}
    return [Subject(name, expected.get(name, ""), said.get(name, "nothing")) for name in dict.fromkeys((*expected, *said))], \
        time.monotonic() - begin


def programs(names: list[str]) -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((ROOT / "tests" / "programs" / folder).glob("*.c")):
            if not names or path.stem in names:
                yield path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds a program")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    subjects: list[Subject] = []
    for path in programs(arguments.names):
        rows, seconds = check(path, arguments.budget)
        subjects += rows
        missed = [f"{r.name} ({r.expected} expected)" for r in rows if r.expected and r.said != r.expected]
        more = sum(not r.expected and r.said in UNDECIDED for r in rows)
        races = [r.name for r in rows if r.said == "race"]
        tail = "; MISSED " + ", ".join(missed) if missed else ""
        print(f"{path.parent.name}/{path.stem:16} {seconds:5.1f} s  {sum(r.said == 'safe' for r in rows):3} safe, race on "
              f"{', '.join(races) or 'nothing'}; {more} more undecided{tail}", flush=True)
    for verdict in ("race", "safe"):
        wanted = [r for r in subjects if r.expected == verdict]
        print(f"{verdict}: {sum(r.said == verdict for r in wanted)} of {len(wanted)}")
    decided = [r for r in subjects if r.said not in UNDECIDED]
    print(f"in all {len(subjects)} variables, {len(decided)} decided, {sum(r.wrong for r in subjects)} wrong")
    sys.exit(any(r.wrong for r in subjects))


if __name__ == "__main__":
    main()
