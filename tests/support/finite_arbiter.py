"""The arbiter of the thread-modular family: random finite-state programs, every engine against the explicit search.

    python -m tests.support.finite_arbiter --seed 1 --count 2000

The judge is `explicit` without any reduction. `explicit` with symmetry and `refinement` (in all its ways) must agree with it
exactly; `thread-modular`, `cartesian` and `pushdown` may only say safe where it is true, and race or violated where it is
not. Every proof is re-checked and every trace replayed. Programs of `pushdown` are C with functions: without recursion the
judge is the same; with recursion it is a search with stacks of bounded depth, which can only show that "safe" is wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from circ.finite import cartesian, pushdown, refinement, thread_modular
from circ.kernel.other_kinds import check_any_kind
from circ.kernel.outcome import Accepted
from circ.kernel.replay import Replayed, replay
from circ.search import explicit
from circ.verdict import Assertions, Engine, Options, Question, RaceOn, Refuted, Safe, Technique, Unknown, Verdict, silent
from frontend import LoadOptions, load
from frontend.program import FrontendError, Program
from tests.support.finite_random import random_program
from tests.support.recursive_random import Product, random_text

LIMIT = 30_000
"""States of a product; larger ones are left out."""
PLAIN = {Technique.SYMMETRY: False, Technique.LOCAL_FIRST: False, Technique.OPEN: False}
COMPLETE = ("explicit", "refinement")


def _with(engine: Engine, **switches: bool) -> Callable[[Program, Question], Verdict]:
    return partial(engine, options=Options(switches=switches), observer=silent)


ENGINES: dict[str, Callable[[Program, Question], Verdict]] = {
    "explicit": _with(explicit.answer),
    "thread-modular": _with(thread_modular.check),
    "cartesian": _with(cartesian.check),
    "refinement": _with(refinement.check),
    "refinement, diagrams": _with(refinement.check, symmetry=False),
    "refinement, counters": _with(refinement.check, symbolic=False),
}


@dataclass
class Tally:
    """How often each engine said what of right and wrong programs, and every fault."""

    programs: int = 0
    said: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.programs += other.programs
        self.said.update(other.said)
        self.faults.extend(other.faults)

    def __str__(self) -> str:
        names = dict.fromkeys(name for name, _, _ in sorted(self.said))
        columns = [(said, truth) for truth in ("right", "wrong", "not known") for said in ("Safe", "Unknown", "Refuted")]
        lines = [f"{'program:':24}" + "".join(f"{truth:>10}" for _, truth in columns),
                 f"{'said:':24}" + "".join(f"{said:>10}" for said, _ in columns)]
        lines += [f"{name:24}" + "".join(f"{self.said[name, *c] or '':>10}" for c in columns) for name in names]
        return "\n".join((*lines, *self.faults, f"{self.programs} programs, {len(self.faults)} faults"))


def judged(program: Program, question: Question) -> bool | None:
    """Whether a run shows what is asked, by search without any reduction; None if there are too many states."""
    match explicit.answer(program, question, Options(max_states=LIMIT, switches=PLAIN), silent):
        case Safe():
            return False
        case Refuted():
            return True
        case _:
            return None


def fault(program: Program, question: Question, name: str, verdict: Verdict, wrong: bool | None) -> str | None:
    """What is wrong with an engine's verdict, None if nothing is."""
    match verdict:
        case Safe(certificate=certificate):
            if wrong:
                return "says safe"
            if not isinstance(outcome := check_any_kind(program, question, certificate), Accepted):
                return f"has its proof refused: {outcome}"
        case Refuted(trace=trace):
            if wrong is False:
                return "says wrong"
            if not isinstance(replayed := replay(program, trace), Replayed):
                return f"has its trace refused: {replayed}"
        case Unknown(reason=reason):
            if name.startswith(COMPLETE) and wrong is not None:
                return f"does not know: {reason}"
    return None


def questions(program: Program, variable: str) -> list[Question]:
    asserts = program.invariants or any(t.cfa.errors or t.cfa.critical for t in program.templates)
    races: list[Question] = [RaceOn(variable)] if any(v.name == variable for v in program.globals) else []
    return [*races, *([Assertions()] if asserts else [])]


def automata(seeds: Iterable[int], engines: dict[str, Callable[[Program, Question], Verdict]] = ENGINES) -> Tally:
    """Random automata of two to four threads."""
    tally = Tally()
    for seed in seeds:
        program = random_program(seed)
        tally.programs += 1
        for question in questions(program, "g0"):
            wrong = judged(program, question)
            if wrong is not None:
                for name, run in engines.items():
                    _note(tally, f"seed {seed}", program, question, name, run(program, question), wrong)
    return tally


def functions(seeds: Iterable[int], recursive: bool) -> Tally:
    """Random C with functions, for the engine with a stack."""
    tally = Tally()
    name = "pushdown, recursion" if recursive else "pushdown"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.c"
        for seed in seeds:
            path.write_text(random_text(seed, recursive))
            try:
                program = load(path, LoadOptions(stack=True))
            except FrontendError:
                continue  # an invariant over a variable that nobody uses
            tally.programs += 1
            assert program.procedures is not None
            known = {v.name for v in program.procedures.program.globals}
            for question in questions(program, "a") if "a" in known else [Assertions()]:
                if recursive:
                    wrong = True if Product(program.procedures, question, 3).search().wrong else None
                else:
                    wrong = judged(program, question)
                verdict = pushdown.check(program, question, Options(max_states=LIMIT), silent)
                _note(tally, f"seed {seed}", program, question, name, verdict, wrong)
    return tally


def _note(tally: Tally, where: str, program: Program, question: Question, name: str, verdict: Verdict, wrong: bool | None) -> None:
    truth = "not known" if wrong is None else "wrong" if wrong else "right"
    tally.said[name, type(verdict).__name__, truth] += 1
    found = fault(program, question, name, verdict, wrong)
    if found is not None:
        tally.faults.append(f"{where}, {question}: {name} {found}")


def examine(seeds: range) -> Tally:
    """One slice: automata, C with functions, and C with recursive functions, a quarter as many of each of the latter."""
    tally = automata(seeds)
    fewer = [s for s in seeds if s % 4 == 0]
    tally.add(functions(fewer, recursive=False))
    tally.add(functions(fewer, recursive=True))
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=2000)
    arguments = parser.parse_args()
    tally = examine(range(arguments.seed, arguments.seed + arguments.count))
    print(tally)
    sys.exit(1 if tally.faults else 0)


if __name__ == "__main__":
    main()
