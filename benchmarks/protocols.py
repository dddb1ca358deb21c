"""The tables of the thread-modular papers on our own programs: `make bench-protocols`, or `--quick` for the small rows.

Tables 1 to 5 of "Thread-Modular Model Checking with Iterative Refinement" (TMMCIR below) and Figure 4 of "Precise
Thread-Modular Verification". The baselines run in the same package, with the same variable order: breadth-first search with
one transition relation for the whole program, and chaining. Times are seconds of one run on this machine; the papers'
are from theirs (2.0 GHz Intel T6400; 2.8 GHz). Rows that the whole product wins are printed as they come out.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from circ.engines import baseline, cartesian, refinement, thread_modular  # noqa: E402
from circ.finite import build  # noqa: E402
from circ.kernel.certificate import check_certificate  # noqa: E402
from circ.kernel.outcome import Accepted  # noqa: E402
from circ.verdict import Assertions, Options, OutOfTime, Refuted, Safe, Verdict, silent  # noqa: E402
from frontend.api import LoadOptions, load  # noqa: E402
from frontend.cfa import Program  # noqa: E402

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
    their_refinements: int
    their_predicates: int
    their_best_product: float | None
    small: bool = False


ROWS = (
    Row(1, "MUX-SEM", "mux_sem.c", (), 20, 0.064, 1, 40, 0.064, True),
    Row(1, "MUX-SEM", "mux_sem.c", (), 50, 0.580, 1, 100, 3.320, True),
    Row(1, "MUX-SEM", "mux_sem.c", (), 100, 5.536, 1, 200, 208.561),
    Row(1, "MUX-SEM", "mux_sem.c", (), 200, 27.966, 1, 400, None),
    Row(1, "MUX-SEM", "mux_sem.c", (), 300, 145.093, 1, 600, None),
    Row(2, "MUX-SEM-LAST", "mux_sem_last.c", (), 50, 1.548, 1, 100, 87.297, True),
    Row(2, "MUX-SEM-LAST", "mux_sem_last.c", (), 100, 12.945, 1, 200, None),
    Row(3, "MUX-SEM-COUNT, M=8", "mux_sem_count.c", ("M=8",), 10, 0.020, 1, 20, 2.288, True),
    Row(3, "MUX-SEM-COUNT, M=8", "mux_sem_count.c", ("M=8",), 20, 0.104, 1, 40, 1584.179),
    Row(3, "MUX-SEM-COUNT, M=16", "mux_sem_count.c", ("M=16",), 20, 0.104, 1, 40, 1584.179),
    Row(4, "bakery", "bakery.c", (), 4, 0.100, 0, 0, 0.084, True),
    Row(4, "bakery", "bakery.c", (), 8, 26.246, 0, 0, 240.555),
    Row(5, "philosophers", "philosophers.c", (), 6, 0.104, 3, 12, 0.016, True),
    Row(5, "philosophers", "philosophers.c", (), 8, 1.028, 3, 16, 0.236, True),
    Row(5, "philosophers", "philosophers.c", (), 10, 15.981, 3, 20, 2.592),
)

HEAD = ("protocol", "threads", "method", "seconds", "kernel", "nodes or states", "refinements", "predicates", "conclusive")


@dataclass(frozen=True, slots=True)
class Measured:
    seconds: float | None
    size: int | None = None
    refinements: int | None = None
    predicates: int | None = None
    conclusive: bool = False
    kernel: float | None = None


def measure(run: Callable[[Options], Measured], limit: float) -> Measured:
    """One run; a run over the limit is inconclusive."""
    options = Options(deadline=time.monotonic() + limit)
    started = time.perf_counter()
    try:
        found = run(options)
    except OutOfTime:
        return Measured(None)
    spent = time.perf_counter() - started - (found.kernel or 0)
    return Measured(spent, found.size, found.refinements, found.predicates, found.conclusive, found.kernel)


def of_verdict(program: Program, verdict: Verdict, recheck: bool) -> Measured:
    kernel = None
    if isinstance(verdict, Safe) and recheck:
        started = time.perf_counter()
        outcome = check_certificate(program, QUESTION, verdict.certificate)
        assert isinstance(outcome, Accepted), outcome
        kernel = time.perf_counter() - started
    s = verdict.statistics
    return Measured(0, s.states, s.rounds, len(s.predicates), isinstance(verdict, (Safe, Refuted)), kernel)


def methods(program: Program, row: Row) -> Iterator[tuple[str, Callable[[Options], Measured]]]:
    """Our engines and the baselines on one instance. The system is built anew in each, so its cost is in the time."""
    alone = {"symmetry": False}
    single = build(program, QUESTION, symmetry=False)
    identical = any(g.size > 1 for g in build(program, QUESTION).groups)

    def refine(switches: dict[str, bool], recheck: bool) -> Callable[[Options], Measured]:
        def run(o: Options) -> Measured:
            verdict = refinement.check(program, QUESTION, Options(deadline=o.deadline, switches=switches), silent)
            return of_verdict(program, verdict, recheck)

        return run

    if identical:
        yield "refinement, identical threads once", refine({}, True)
    yield "refinement", refine(alone, row.size <= 10)
    yield "thread-modular", lambda o: of_verdict(program, thread_modular.check(program, QUESTION, o, silent), False)
    for name, search in (("breadth-first", baseline.breadth_first), ("chaining", baseline.chaining)):
        def run(o: Options, search: Callable[..., baseline.Searched] = search) -> Measured:
            found = search(refinement.closed(single, o), o.check_time)
            return Measured(0, found.nodes, conclusive=found.safe)

        yield name, run


def tables(rows: tuple[Row, ...], limit: float) -> None:
    print("| " + " | ".join(HEAD) + " |")
    print("|" + "---|" * len(HEAD))
    for row in rows:
        program = load(PROTOCOLS / row.file, LoadOptions(define=(f"N={row.size}", *row.define)))
        for name, run in methods(program, row):
            m = measure(run, limit)
            cells = (row.name, row.size, name, f"{m.seconds:.3f}" if m.seconds is not None else f"> {limit:g}",
                     f"{m.kernel:.2f}" if m.kernel is not None else "", m.size if m.size is not None else "",
                     m.refinements if m.refinements is not None else "", m.predicates if m.predicates is not None else "",
                     "yes" if m.conclusive else "no")
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)
        product = f"{row.their_best_product:g}" if row.their_best_product is not None else "> 1 h"
        print(f"| {row.name} | {row.size} | *paper: TMMCIR; best whole product {product}* | *{row.theirs:g}* | | | "
              f"*{row.their_refinements}* | *{row.their_predicates}* | *yes* |", flush=True)


def figure4(threads: tuple[int, ...], sections: tuple[int, ...]) -> None:
    """Cartesian abstraction with exceptions on n threads with m critical sections; the exponent is fitted by least squares."""
    print("| threads | " + " | ".join(f"{m} sections" for m in sections) + " | kernel, most sections |")
    print("|" + "---|" * (len(sections) + 2))
    points: dict[int, list[tuple[float, float]]] = {m: [] for m in sections}
    for n in threads:
        cells = []
        kernel = 0.0
        for m in sections:
            program = load(PROTOCOLS / "sections.c", LoadOptions(define=(f"N={n}", f"M={m}")))
            found = measure(lambda o, p=program: of_verdict(p, cartesian.check(p, QUESTION, o, silent), True), 600)  # type: ignore[misc]
            assert found.conclusive and found.seconds is not None and found.kernel is not None
            points[m].append((math.log(n), math.log(found.seconds)))
            kernel = found.kernel
            cells.append(f"{found.seconds:.3f}")
        print(f"| {n} | " + " | ".join(cells) + f" | {kernel:.2f} |", flush=True)
    print("| exponent in n | " + " | ".join(f"{slope(points[m]):.2f}" for m in sections) + " | |")


def slope(points: list[tuple[float, float]]) -> float:
    """The exponent of the best power law through points of logarithms."""
    x = sum(p[0] for p in points) / len(points)
    y = sum(p[1] for p in points) / len(points)
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the small rows only")
    parser.add_argument("--limit", type=float, default=300, help="seconds for each run")
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
