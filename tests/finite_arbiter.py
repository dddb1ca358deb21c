"""The arbiter of the thread-modular family: random finite-state programs, every engine against search of the whole product.

    python -m tests.finite_arbiter --seed 1 --count 2000 [--kernel]

`refinement` (in all its ways) must agree exactly; `thread-modular` and `cartesian` may only say safe where it is true, and
race or violated where it is false. With --kernel every proof is re-checked and every trace replayed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from circ.engines import cartesian, refinement, thread_modular
from circ.engines.product import Product
from circ.finite import OutOfDomain, build
from circ.kernel.certificate import check_certificate
from circ.kernel.outcome import Accepted
from circ.kernel.replay import Replayed, replay
from circ.verdict import Assertions, Options, Question, RaceOn, Refuted, Safe, Unknown, Verdict, silent
from frontend.cfa import Program
from tests.finite_random import random_program

ENGINES = {
    "thread-modular": lambda p, q: thread_modular.check(p, q, Options(), silent),
    "cartesian": lambda p, q: cartesian.check(p, q, Options(), silent),
    "refinement": lambda p, q: refinement.check(p, q, Options(), silent),
    "refinement, diagrams": lambda p, q: refinement.check(p, q, Options(switches={"symmetry": False}), silent),
    "refinement, counters": lambda p, q: refinement.check(p, q, Options(switches={"symbolic": False}), silent),
}


def questions(p: Program) -> list[Question]:
    asserts = p.invariants or any(t.cfa.errors or t.cfa.critical for t in p.templates)
    return [RaceOn("g0"), *([Assertions()] if asserts else [])]


def fault(p: Program, q: Question, name: str, verdict: Verdict, wrong: bool, kernel: bool) -> str | None:
    """What is wrong with an engine's verdict, None if nothing is."""
    match verdict:
        case Safe(certificate=certificate):
            if wrong:
                return "says safe"
            if kernel and not isinstance(outcome := check_certificate(p, q, certificate), Accepted):
                return f"its proof is refused: {outcome}"
        case Refuted(trace=trace):
            if not wrong:
                return "says wrong"
            if kernel and not isinstance(outcome2 := replay(p, trace), Replayed):
                return f"its trace is refused: {outcome2}"
        case Unknown(reason=reason):
            if name.startswith("refinement"):
                return f"does not know: {reason}"
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--kernel", action="store_true")
    arguments = parser.parse_args()
    tally: Counter[tuple[str, str, bool]] = Counter()
    faults = 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        p = random_program(seed)
        for q in questions(p):
            try:
                wrong = Product(build(p, q, symmetry=False), Options(max_states=20_000)).search() is not None
            except OutOfDomain:
                continue
            for name, run in ENGINES.items():
                verdict = run(p, q)
                tally[name, type(verdict).__name__, wrong] += 1
                found = fault(p, q, name, verdict, wrong, arguments.kernel)
                if found is not None:
                    faults += 1
                    print(f"seed {seed}, {q}: {name} {found}", flush=True)
    for (name, said, wrong), count in sorted(tally.items()):
        print(f"{name:22} {said:8} {'wrong program' if wrong else 'right program':14} {count}")
    print(f"{faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
