"""Our Table 1 beside the paper's: verdict, predicates, ACFA size and time of each row, under nested and free preemption.

    table1.py --demo     Table 1 alone, with a limit of 45 s for each variable; also in what nescc compiles, if it is there
    table1.py            also: a transmitter of 4 to 40 states, 10,000 lines of compiler output against their slice, -j 2
                         against -j 1

The programs are ours, written after the paper's descriptions (nesc_examples/), so lines and times are not the paper's.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from generate import nesc_program, transmitter
from measure import Case, exponent, measure
from nescc import compile_application

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "nesc_examples"
TRANSMITTER = (4, 8, 12, 20, 28, 40)
SLICE_RATIO = 3.0
"""How much longer the 10,000 lines may take than the slice made by hand."""


def scan(paths: Sequence[Path], *options: str) -> dict[str, Any]:
    """The JSON report of `circ scan`, everything computed anew."""
    command = [sys.executable, "-c", "from circ.cli import main; main()", "scan", *map(str, paths), *options]
    done = subprocess.run([*command, "--no-cache", "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=False)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def answers(rows: Sequence[Mapping[str, Any]], *options: str) -> dict[tuple[str, str], Mapping[str, Any]]:
    """For each (file, variable) of the rows what circ says; a file is read once for all its rows."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for file in dict.fromkeys(r["file"] for r in rows):
        wanted = [word for r in rows if r["file"] == file for word in ("-x", r["name"])]
        [report] = scan([EXAMPLES / file], *wanted, *options)["files"]
        found |= {(file, a["variable"]): {**a, "lines": report["lines"]} for a in report["answers"]}
    return found


NOTHING: Mapping[str, Any] = {"verdict": "-", "predicates": [], "acfa": 0, "k": 0, "time": 0.0, "lines": 0}


def table1(limit: float) -> bool:
    """Prints the table; whether every row came out as in the paper."""
    data = tomllib.loads((ROOT / "benchmarks" / "table1.toml").read_text())
    rows, races = data["row"], data["race"]
    nested = answers([*rows, *races], "--timeout", f"{limit:g}")
    free = answers(rows, "--timeout", f"{limit / 5:g}", "--preemption", "free")
    print("Table 1                        |            circ, nested preemption           |  free   |  the paper, 2004")
    print("program        variable        |  lines  verdict  predicates ACFA   k     time | verdict | predicates ACFA    time")
    total, right = 0.0, True
    for row in rows:
        key = (row["file"], row["name"])
        ours, freely = nested.get(key, NOTHING), free.get(key, NOTHING)
        total += ours["time"]
        right = right and ours["verdict"] == "safe"
        print(f"{row['program']:<14} {row['variable']:<15} | {ours['lines']:>6}  {ours['verdict']:<7} "
              f"{len(ours['predicates']):>11} {ours['acfa'] or '-':>4}  {ours['k'] or '-':>2} {ours['time']:>6.1f} s | "
              f"{freely['verdict']:<7} | {row['predicates']:>10} {row['acfa']:>4} {row['seconds']:>5} s")
    print(f"{'total':<30} | {'':>36} {total:>6.1f} s |         | {'':>15} {sum(r['seconds'] for r in rows):>5} s")
    for race in races:
        ours = nested.get((race["file"], race["name"]), NOTHING)
        right = right and ours["verdict"] == "race"
        print(f"{race['variable']}: {ours['verdict']} ({ours['time']:.1f} s); the paper: race")
    undecided = sum(found["verdict"] == "unknown" for found in nested.values())
    late = f" ({undecided} not decided in time)" if undecided else ""
    print(f"every verdict as in the paper: {'yes' if right else 'NO'}{late}")
    return right


def compiled(limit: float) -> None:
    """The rows in whole applications as the nesC compiler gives them, with the processor time of all of it."""
    rows = tomllib.loads((ROOT / "benchmarks" / "table1.toml").read_text())["compiled"]
    print("\nTable 1 in the nesC compiler's output")
    with tempfile.TemporaryDirectory() as folder:
        total = 0.0
        for application, define in dict.fromkeys((r["application"], r["define"]) for r in rows):
            path = Path(folder, f"{application}.c")
            problem = compile_application(application, path, (define,))
            if problem is not None:
                print(f"  {application}: not compiled ({problem})")
                continue
            names = {r["name"]: r["variable"] for r in rows if r["application"] == application}
            begin = _children()
            [report] = scan([path], *(word for name in names for word in ("-x", name)), "--platform", "atmega103",
                            "--timeout", f"{limit:g}")["files"]
            seconds = _children() - begin
            total += seconds
            for a in report["answers"]:
                print(f"{application:<14} {names[a['variable']]:<15} | {report['lines']:>6}  {a['verdict']:<7} "
                      f"{len(a['predicates']):>11} {a['acfa'] or '-':>4}  {a['k'] or '-':>2} {a['time']:>6.1f} s", flush=True)
            print(f"{application:<30} | {seconds:.1f} s of processor time, reading included")
        print(f"{'total':<30} | {total:.1f} s of processor time")


def transmitters(limit: float) -> None:
    """Time against the number of states."""
    print("\ntransmitter of n states\n  states  locations  verdict   predicates  reading   engine   kernel")
    points = []
    cases = [Case(str(n), "count", transmitter(n), seconds=limit) for n in TRANSMITTER]
    for case, m in measure(cases, 2 * limit + 10):
        times = "".join(f" {t:>6.2f} s" for t in (m.reading, m.seconds, m.kernel))
        print(f"{case.name:>8} {m.locations:>10}  {m.verdict:<8} {m.predicates:>11}{times}", flush=True)
        if m.verdict == "safe":
            points.append((float(case.name), m.reading + m.seconds + m.kernel))
    print(f"time ~ states ^ {exponent(points):.2f} over {len(points)} of {len(TRANSMITTER)} programs (meant: at most 2)")


def against_slice(lines: int, limit: float) -> None:
    """The same variable in a whole application and in the part of it that matters."""
    core = (EXAMPLES / "sense.c").read_text()
    print("\n10,000 lines of compiler output against the slice made by hand\n  program        lines  verdict   processor time")
    seconds, verdicts = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("slice", core), ("application", nesc_program(core, lines))):
            path = Path(folder, f"{name}.c")
            path.write_text(text)
            begin = _children()
            report = scan([path], "-x", "ADCM$tosPort", "--timeout", f"{limit:g}")
            seconds.append(_children() - begin)
            [file] = report["files"]
            verdicts.append(file["answers"][0]["verdict"] if file["answers"] else file["error"] or file["bug"] or file["limit"])
            print(f"  {name:<12} {text.count(chr(10)):>7}  {verdicts[-1]:<8} {seconds[-1]:>10.1f} s", flush=True)
    ratio = f"ratio {seconds[1] / seconds[0]:.1f}" if verdicts == ["safe", "safe"] else "not both decided: no ratio"
    print(f"{ratio} (meant: below {SLICE_RATIO:g})")


def _children() -> float:
    """Processor time of all processes that have ended and that we or they started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def parallel(limit: float) -> None:
    """Two processes against one, on small programs of different sizes."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"transmitter{n:02}.c") for n in (4, 5, 6, 7, 8, 10, 12, 16)]
        for path in paths:
            path.write_text(transmitter(int(path.stem[-2:])))
        seconds = []
        for jobs in ("1", "2"):
            begin = time.perf_counter()
            scan(paths, "-j", jobs, "--timeout", f"{limit:g}")
            seconds.append(time.perf_counter() - begin)
    print(f"\n-j 1: {seconds[0]:.1f} s, -j 2: {seconds[1]:.1f} s of wall-clock time, "
          f"efficiency {seconds[0] / seconds[1] / 2:.0%} ({os.cpu_count()} processors, load {os.getloadavg()[0]:.1f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", action="store_true", help="Table 1 alone, with short limits")
    parser.add_argument("--limit", type=float, help="seconds for each variable")
    args = parser.parse_args()
    table1(args.limit or (45.0 if args.demo else 60.0))
    compiled(args.limit or (45.0 if args.demo else 60.0))
    if not args.demo:
        limit = args.limit or 60.0
        transmitters(limit)
        against_slice(10_000, limit)
        parallel(limit)


if __name__ == "__main__":
    main()
