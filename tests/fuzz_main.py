"""`make fuzz`: fresh random programs against gcc and against the oracle; prints the tables, status 1 if anything is wrong.

    python -m tests.fuzz_main --seed 17 --count 2000 --engine omega-circ
"""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import sys
from collections.abc import Iterable, Sequence

from circ import engines
from circ.verdict import Options
from tests.randomc.arbiter import Table, disagreements
from tests.randomc.differential import Difference, differences

_SLICE = 25


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True, help="where the seeds start")
    parser.add_argument("--count", type=int, default=2000, help="how many programs of each kind")
    parser.add_argument("--engine", action="append", help="engines to judge (default: the default engine)")
    parser.add_argument("--seconds", type=float, default=10.0, help="time limit for each question")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--only", choices=["gcc", "oracle"], help="one of the two comparisons")
    options = parser.parse_args(arguments)
    starts = range(options.seed, options.seed + options.count, _SLICE)
    slices = [range(s, min(s + _SLICE, options.seed + options.count)) for s in starts]
    wrong = 0
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=8) as pool:
        if options.only != "oracle":
            wrong += _against_gcc(pool.imap(differences, slices), options.count)
        for name in (options.engine or [engines.DEFAULT]) if options.only != "gcc" else ():
            tables = pool.imap(_judge, [(name, s, options.seconds) for s in slices])
            wrong += _against_oracle(name, tables)
    return 1 if wrong else 0


def _against_gcc(found: Iterable[list[Difference]], count: int) -> int:
    if shutil.which("gcc") is None:
        print("gcc is not installed: the lowering is not compared")
        return 0
    differing = [d for part in found for d in part]
    for d in differing:
        print(d)
    print(f"gcc against the interpreter: {count} programs, {len(differing)} differences", flush=True)
    return len(differing)


def _judge(task: tuple[str, range, float]) -> Table:
    name, seeds, seconds = task
    entry = engines.find(name)
    assert entry is not None, f"no engine {name}"
    total = Table()
    for seed in seeds:
        total.add(disagreements(entry.load(), [seed], Options(), seconds))
    return total


def _against_oracle(name: str, tables: Iterable[Table]) -> int:
    total = Table()
    for table in tables:
        total.add(table)
    print(f"{name} against the explicit search\n{total}", flush=True)
    return len(total.wrong)


if __name__ == "__main__":
    sys.exit(main())
