"""The tables of the thread-modular papers on our own programs: `make bench-protocols`, or `--quick` for the small rows.

Tables 1 to 5 of "Thread-Modular Model Checking with Iterative Refinement" (TMMCIR below; TMMC is one round of it) and
Figure 4 of "Precise Thread-Modular Verification". The baselines run in the same package, with the same variable order and
the same encoding: breadth-first search with one transition relation for the whole program, and chaining. Times are
processor seconds on this machine (the best of three where a run is short), the finite view of the program included, the
kernel's re-check beside them; the papers' are from theirs (2.0 GHz Intel T6400; 2.8 GHz). Every run has a limit (`--limit`,
60 s); one that reaches it is inconclusive; all of it takes some ten minutes. What comes out is printed as it comes out: at
the end stands how each row compares, also where a search of the whole product wins.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import symbolic_baselines as baseline  # noqa: E402
from circ.finite import cartesian, refinement  # noqa: E402
from circ.finite.symbolic import SymbolicModular, SymbolicSystem, hidden  # noqa: E402
from circ.finite.system import build  # noqa: E402
from circ.kernel.certificate import check_certificate  # noqa: E402
from circ.kernel.outcome import Accepted  # noqa: E402
from circ.verdict import Assertions, Options, OutOfTime, Refuted, Safe, Technique, Verdict, silent  # noqa: E402
from frontend.api import LoadOptions, load  # noqa: E402
from frontend.program import Program  # noqa: E402

PROTOCOLS = Path(__file__).resolve().parent / "protocols"
QUESTION = Assertions()


@dataclass(frozen=True, slots=True)
class Row:
    """An instance, and what the paper measured for it: its own method, and the better of its two whole-product searches."""

    table: int
    name: str
    file: str
    define: tuple[str, ...]
    size: int
    theirs: float
    their_nodes: int
    their_refinements: int
    their_predicates: int
    their_best_product: float | None
    small: bool = False


ROWS = (
    Row(1, "MUX-SEM", "mux_sem.c", (), 20, 0.064, 45990, 1, 40, 0.064, True),
    Row(1, "MUX-SEM", "mux_sem.c", (), 50, 0.580, 401646, 1, 100, 3.320, True),
    Row(1, "MUX-SEM", "mux_sem.c", (), 100, 5.536, 1510344, 1, 200, 208.561),
    Row(1, "MUX-SEM", "mux_sem.c", (), 200, 27.966, 2439514, 1, 400, None),
    Row(1, "MUX-SEM", "mux_sem.c", (), 300, 145.093, 5767146, 1, 600, None),
    Row(2, "MUX-SEM-LAST", "mux_sem_last.c", (), 50, 1.548, 1263192, 1, 100, 87.297, True),
    Row(2, "MUX-SEM-LAST", "mux_sem_last.c", (), 100, 12.945, 4143188, 1, 200, None),
    Row(3, "MUX-SEM-COUNT, M=8", "mux_sem_count.c", ("M=8",), 10, 0.020, 14308, 1, 20, 2.288, True),
    Row(3, "MUX-SEM-COUNT, M=8", "mux_sem_count.c", ("M=8",), 20, 0.104, 122640, 1, 40, 1584.179),
    Row(3, "MUX-SEM-COUNT, M=16", "mux_sem_count.c", ("M=16",), 20, 0.104, 122640, 1, 40, 1584.179),
    Row(4, "bakery", "bakery.c", (), 4, 0.100, 96068, 0, 0, 0.084, True),
    Row(4, "bakery", "bakery.c", (), 8, 26.246, 2389436, 0, 0, 240.555),
    Row(5, "philosophers", "philosophers.c", (), 6, 0.104, 85848, 3, 12, 0.016, True),
    Row(5, "philosophers", "philosophers.c", (), 8, 1.028, 367920, 3, 16, 0.236, True),
    Row(5, "philosophers", "philosophers.c", (), 10, 15.981, 1475768, 3, 20, 2.592),
)

HEAD = ("protocol", "threads", "method", "seconds", "kernel", "nodes or states", "refinements", "predicates", "conclusive")
BREADTH_FIRST, CHAINING = "breadth-first", "chaining"
ONCE, PLAIN, ROUND = "refinement, identical threads once", "refinement", "one round (TMMC)"
RECHECKED = 10
"""Where identical threads are proved once, the proof about each of more threads than this is not re-checked as well."""


@dataclass(frozen=True, slots=True)
class Measured:
    seconds: float | None
    size: int | None = None
    refinements: int | None = None
    predicates: int | None = None
    conclusive: bool = False


def measure(run: Callable[[Options], Measured], limit: float) -> Measured:
    """The run's figures, with the least time of up to three; a run over the limit is inconclusive."""
    best = math.inf
    for _ in range(3):
        started = time.process_time()
        try:
            found = run(Options(deadline=time.monotonic() + limit))
        except OutOfTime:
            return Measured(None)
        best = min(best, time.process_time() - started)
        if best > 0.3:
            break
    return replace(found, seconds=best)


def of_verdict(verdict: Verdict) -> Measured:
    s = verdict.statistics
    return Measured(0, s.states, s.rounds, len(s.predicates), isinstance(verdict, (Safe, Refuted)))


def rechecked(program: Program, verdict: Verdict) -> str:
    """How long the kernel takes over the proof, in seconds."""
    assert isinstance(verdict, Safe)
    started = time.process_time()
    outcome = check_certificate(program, QUESTION, verdict.certificate)
    assert isinstance(outcome, Accepted) or outcome.limit, outcome
    return f"{time.process_time() - started:.2f}" if isinstance(outcome, Accepted) else "gives up"


def methods(program: Program, row: Row) -> Iterator[tuple[str, Callable[[Options], Measured]]]:
    """Our engines and the baselines on one instance. The system is built anew in each, so its cost is in the time."""
    identical = any(g.size > 1 for g in build(program, QUESTION).groups)

    def refine(o: Options, **switches: bool) -> Verdict:
        return refinement.check(program, QUESTION, Options(deadline=o.deadline, switches=switches), silent)

    def one_round(o: Options) -> Measured:
        s = SymbolicSystem(refinement.closed(build(program, QUESTION, symmetry=False), o))
        found = SymbolicModular(s, hidden(s), o.check_time).run()
        return Measured(0, s.peak(), conclusive=bool(found.join & s.error() == s.false))

    def searched(search: Callable[..., baseline.Searched], o: Options) -> Measured:
        found = search(refinement.closed(build(program, QUESTION, symmetry=False), o), o.check_time)
        return Measured(0, found.nodes, conclusive=found.safe)

    if identical:
        yield ONCE, lambda o: of_verdict(refine(o))
    yield PLAIN, lambda o: of_verdict(refine(o, symmetry=False))
    yield ROUND, one_round
    yield BREADTH_FIRST, partial(searched, baseline.breadth_first)
    yield CHAINING, partial(searched, baseline.chaining)


def tables(rows: tuple[Row, ...], limit: float) -> None:
    print("| " + " | ".join(HEAD) + " |")
    print("|" + "---|" * len(HEAD))
    notes = []
    for row in rows:
        program = load(PROTOCOLS / row.file, LoadOptions(define=(f"N={row.size}", *row.define)))
        times: dict[str, float] = {}
        exposed = 0
        for name, run in methods(program, row):
            m = measure(run, limit)
            times[name] = m.seconds if m.seconds is not None and m.conclusive else math.inf
            exposed = m.predicates if m.predicates is not None else exposed
            kernel = ""
            if m.conclusive and (name == ONCE or (name == PLAIN and (row.size <= RECHECKED or ONCE not in times))):
                switches = {Technique.SYMMETRY: name == ONCE}
                kernel = rechecked(program, refinement.check(program, QUESTION, Options(switches=switches), silent))
            cells = (row.name, row.size, name, f"{m.seconds:.4f}" if m.seconds is not None else f"> {limit:g}", kernel,
                     m.size if m.size is not None else "", m.refinements if m.refinements is not None else "",
                     m.predicates if m.predicates is not None else "", "yes" if m.conclusive else "no")
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)
        product = f"{row.their_best_product:g}" if row.their_best_product is not None else "> 1 h"
        print(f"| {row.name} | {row.size} | *paper: TMMCIR; best whole product {product}* | *{row.theirs:g}* | | "
              f"*{row.their_nodes}* | *{row.their_refinements}* | *{row.their_predicates}* | *yes* |", flush=True)
        notes.append(told(row, times, exposed))
    print("\n" + "\n".join(notes))


def told(row: Row, times: dict[str, float], exposed: int) -> str:
    """How the row compares: with the better search of the whole product, and with the paper's own figure."""
    ours, product = min(times.get(ONCE, math.inf), times[PLAIN]), min(times[BREADTH_FIRST], times[CHAINING])
    if ours == math.inf:
        return f"- {row.name} {row.size}: refinement is inconclusive within the limit"
    if product == math.inf:
        against = "no search of the whole product ends within the limit"
    elif ours <= product:
        against = f"refinement is {product / ours:.1f} times faster than the better search of the whole product"
    else:
        against = f"a search of the whole product wins, {ours / product:.1f} times faster"
    why = f"{exposed} predicates are exposed here" if exposed > row.their_predicates else "an interpreter drives the diagrams"
    slower = "" if ours <= row.theirs else f"; slower than the paper's {row.theirs:g} s: {why}"
    return f"- {row.name} {row.size}: {against}{slower}"


def figure4(threads: tuple[int, ...], sections: tuple[int, ...]) -> None:
    """Cartesian abstraction with exceptions on n threads with m critical sections; the exponent is fitted by least squares."""
    print("| threads | " + " | ".join(f"{m} sections" for m in sections) + " | kernel, most sections |")
    print("|" + "---|" * (len(sections) + 2))
    points: dict[int, list[tuple[float, float]]] = {m: [] for m in sections}
    for n in threads:
        cells = []
        kernel = ""
        for m in sections:
            program = load(PROTOCOLS / "sections.c", LoadOptions(define=(f"N={n}", f"M={m}")))
            found = measure(lambda o, p=program: of_verdict(cartesian.check(p, QUESTION, o, silent)), 60)  # type: ignore[misc]
            assert found.conclusive and found.seconds is not None
            points[m].append((math.log(n), math.log(found.seconds)))
            if m == sections[-1]:
                kernel = rechecked(program, cartesian.check(program, QUESTION, Options(), silent))
            cells.append(f"{found.seconds:.3f}")
        print(f"| {n} | " + " | ".join(cells) + f" | {kernel} |", flush=True)
    print("| exponent in n | " + " | ".join(f"{slope(points[m]):.2f}" for m in sections) + " | |")


def slope(points: list[tuple[float, float]]) -> float:
    """The exponent of the best power law through points of logarithms."""
    x = sum(p[0] for p in points) / len(points)
    y = sum(p[1] for p in points) / len(points)
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the small rows only")
    parser.add_argument("--limit", type=float, default=60, help="seconds for each run")
    parser.add_argument("--table", type=int, action="append", help="only these tables of the refinement paper; 0 is Figure 4")
    arguments = parser.parse_args()
    wanted = arguments.table or [0, 1, 2, 3, 4, 5]
    rows = tuple(r for r in ROWS if r.table in wanted and (r.small or not arguments.quick))
    if rows:
        print("## Iterative refinement: Tables 1 to 5\n")
        tables(rows, arguments.limit)
    if 0 in wanted:
        print("\n## Cartesian abstraction with exception sets: Figure 4\n")
        figure4((10, 20, 30) if arguments.quick else tuple(range(10, 101, 10)), (1, 3, 5, 7, 9))


if __name__ == "__main__":
    main()
