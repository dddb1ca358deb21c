"""How assume-guarantee checking grows with the steps of a thread and with the shared variables, and conditions per second.

Every number is measured in this run, in one process, as processor time. The generated program runs any number of threads
that change variables under a lock; its assumption says that the lock protects them all.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import exponent

from circ.guarantee.assume_guarantee import answer
from circ.kernel.outcome import Accepted
from circ.run.check import judge
from circ.verdict import Assertions, Options, Safe, silent
from frontend import LoadOptions, load

GROWTH = 2.0
"""The exponent that is meant not to be exceeded."""
STEPS = (10, 30, 100, 300, 1000)
VARIABLES = (2, 5, 10, 20, 50)
PAPER = {"simple_lock": 1, "dekker": 3, "reader_writer": 3, "frangipani": 6}
"""Formulas (assumptions and invariants) in the paper."""
FIXED_VARIABLES, FIXED_STEPS = 4, 100


def locked(steps: int, variables: int) -> str:
    """A thread function of about so many steps on so many variables, with an assertion now and then."""
    names = [f"v{i}" for i in range(variables)]
    lines = ["#include <circ_locks.h>", f"int m, {', '.join(names)};", "//@ assumes m == \\tid ==> m' == \\tid;"]
    lines += [f"//@ assumes m == \\tid ==> {v}' == {v};" for v in names]
    lines += ["circ_thread void worker(void) {", "    acq(m);"]
    for i in range(max(steps - 2, 1)):
        v = names[i % variables]
        lines.append(f"    {v} = {i % 100};")
        if i % 10 == 9:
            lines.append(f"    assert({v} == {i % 100});")
    lines += ["    rel(m);", "}"]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Cost:
    edges: int
    conditions: int
    seconds: float
    kernel: float


def cost(text: str, limit: float) -> Cost | None:
    """What a proof of the program takes; None if there is none within the limit."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.c"
        path.write_text(text)
        program = load(path, LoadOptions(contracts=True))
    begin = time.process_time()
    verdict = answer(program, Assertions(), Options(deadline=time.monotonic() + limit), silent)
    seconds = time.process_time() - begin
    if not isinstance(verdict, Safe):
        return None
    begin = time.process_time()
    accepted = isinstance(judge(program, Assertions(), verdict.certificate), Accepted)
    kernel = time.process_time() - begin
    edges = sum(len(t.cfa.edges) for t in program.templates)
    return Cost(edges, verdict.statistics.queries, seconds, kernel) if accepted else None


def series(title: str, members: Sequence[tuple[int, int]], axis: int, limit: float) -> float:
    """Prints a family and gives the exponent of its time against what grows: 0 the steps, 1 the variables."""
    print(f"\n{title}\n"
          f"{'steps':>6} {'variables':>9} {'edges':>6} {'conditions':>10} {'engine':>9} {'kernel':>9} {'per second':>10}")
    points = []
    for member in members:
        found = cost(locked(*member), limit)
        if found is None:
            print(f"{member[0]:>6} {member[1]:>9}  not proved within {limit:g} s", flush=True)
            continue
        total = found.seconds + found.kernel
        points.append((float(member[axis]), total))
        print(f"{member[0]:>6} {member[1]:>9} {found.edges:>6} {found.conditions:>10} {found.seconds:>7.2f} s "
              f"{found.kernel:>7.2f} s {found.conditions / found.seconds:>10.0f}", flush=True)
    b = exponent(points)
    good = len(points) == len(members) and b <= GROWTH
    print(f"time ~ {('steps', 'variables')[axis]} ^ {b:.2f}, {len(points)} of {len(members)} programs "
          f"(meant: at most {GROWTH:g}): {'ok' if good else 'NOT AS MEANT'}")
    return b


def annotations() -> None:
    """Prints how many lines the programs of the tests need, beside the formulas that the paper writes for them."""
    folder = Path(__file__).parent.parent / "tests" / "programs" / "assume"
    print(f"\n{'program':<24} {'lines':>5} {'paper':>5} {'loop invariants':>15}  verdict")
    for path in sorted(folder.glob("*.c")):
        if path.stem.endswith(("_annotation", "_broken")):
            continue
        text = path.read_text()
        clauses = len(re.findall(r"^\s*//@ (?:for \w+: )?(?:assumes|invariant)", text, re.M))
        loops = len(re.findall(r"//@ loop invariant", text))
        program = load(path, LoadOptions(contracts=True, ints="math" if "--ints math" in text else "exact"))
        proved = isinstance(answer(program, Assertions(), Options(), silent), Safe)
        verdict = "safe" if proved else "NOT PROVED"
        print(f"{path.stem:<24} {clauses:>5} {PAPER.get(path.stem, '-'):>5} {loops:>15}  {verdict}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for each program")
    limit = parser.parse_args().limit
    annotations()
    series("more steps", [(n, FIXED_VARIABLES) for n in STEPS], 0, limit)
    series("more shared variables", [(FIXED_STEPS, n) for n in VARIABLES], 1, limit)


if __name__ == "__main__":
    main()
