"""The arbiter: an engine's verdicts on random concurrent programs against the explicit search, the kernel in between.

Wrong is: `safe` where the search finds a race with 2 to 4 threads; evidence that the kernel refuses; an exception. Whatever
the engine leaves open is counted, overall and without what triage alone proves.
"""

from __future__ import annotations

import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import frontend
from circ.kernel.outcome import Refused
from circ.run.check import judge
from circ.run.triage import triage
from circ.search.explicit import COPIES, oracle
from circ.verdict import Engine, Options, OutOfTime, Question, RaceOn, Refuted, Safe, Unknown, Verdict, silent, word
from frontend.program import FrontendError, Program
from tests.support.randomc.concurrent import concurrent

ORACLE_STATES = 60_000
ORACLE = {True: "race", False: "no race", None: "not known"}


@dataclass(frozen=True, slots=True)
class Wrong:
    """A seed and what went wrong with it."""

    seed: int
    what: str

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.what}"


@dataclass
class Table:
    """Counts of (engine's word, oracle's word), what is wrong, and what stayed open."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    trivial: int = 0
    wrong: list[Wrong] = field(default_factory=list)
    undecided: list[tuple[int, str]] = field(default_factory=list)

    def add(self, other: Table) -> None:
        """Takes in the rows of another table."""
        self.counts += other.counts
        self.trivial += other.trivial
        self.wrong += other.wrong
        self.undecided += other.undecided

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def decided(self) -> float:
        """The share of programs with a verdict other than unknown."""
        return 1 - len(self.undecided) / max(1, self.total)

    @property
    def decided_beyond_triage(self) -> float:
        return 1 - len(self.undecided) / max(1, self.total - self.trivial)

    def __str__(self) -> str:
        columns = list(ORACLE.values())
        lines = ["engine \\ oracle " + "".join(c.rjust(12) for c in columns)]
        for row in ("safe", "race", *(["violated"] if any(r == "violated" for r, _ in self.counts) else []), "unknown"):
            lines.append(row.ljust(16) + "".join(str(self.counts[row, c]).rjust(12) for c in columns))
        lines.append(f"{self.total} programs, {len(self.wrong)} wrong, decided {self.decided:.1%}, "
                     f"without the {self.trivial} that triage proves {self.decided_beyond_triage:.1%}")
        lines += [f"WRONG {w}" for w in self.wrong]
        reasons = Counter(reason for _, reason in self.undecided)
        lines += [f"undecided {n} x {reason}" for reason, n in reasons.most_common(8)]
        if self.undecided:
            lines.append("undecided seeds " + " ".join(str(seed) for seed, _ in self.undecided[:40]))
        return "\n".join(lines)


def load_text(text: str) -> Program:
    """The program in this C text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.c"
        path.write_text(text)
        return frontend.load(str(path))


def judged_by_oracle(program: Program, question: Question, max_states: int = ORACLE_STATES) -> bool | None:
    """Whether two to four threads can race; None where the search is incomplete and found nothing."""
    answers = []
    for copies in COPIES:
        answers.append(oracle(program, question, copies, max_states))
        if answers[-1]:
            return True
        if all(t.count is not None for t in program.templates):
            break
    return None if None in answers else False


def disagreements(engine: Engine, seeds: Iterable[int], options: Options | None = None, seconds: float = 10.0) -> Table:
    """Runs the engine on the programs with these seeds and compares."""
    table = Table()
    for seed in seeds:
        try:
            program = load_text(concurrent(seed).text)
        except FrontendError as error:
            table.wrong.append(Wrong(seed, f"the front end refuses the program: {error}"))
            continue
        examine(table, engine, seed, program, RaceOn("x"), options or Options(), seconds)
    return table


def examine(
    table: Table, engine: Engine, seed: int, program: Program, question: Question, options: Options, seconds: float,
) -> None:
    """One program more in the table."""
    proof = triage(program, question)
    verdict = Safe(proof, trivial=True) if proof else _verdict(table, engine, seed, program, question, options, seconds)
    truth = judged_by_oracle(program, question)
    table.counts[word(question, verdict), ORACLE[truth]] += 1
    match verdict:
        case Safe(certificate=evidence, trivial=trivial):
            table.trivial += trivial
            if truth:
                table.wrong.append(Wrong(seed, "safe, but the search finds a race"))
        case Refuted(trace=evidence):
            pass
        case Unknown(reason=reason):
            table.undecided.append((seed, reason))
            return
    outcome = judge(program, question, evidence)
    if isinstance(outcome, Refused):
        table.wrong.append(Wrong(seed, f"the kernel refuses the evidence: {outcome}"))


def _verdict(
    table: Table, engine: Engine, seed: int, program: Program, question: Question, options: Options, seconds: float,
) -> Verdict:
    try:
        return engine(program, question, replace(options, deadline=time.monotonic() + seconds), silent)
    except OutOfTime:
        return Unknown("the time limit was reached")
    except Exception:
        table.wrong.append(Wrong(seed, traceback.format_exc(limit=-3)))
        return Unknown("an exception")
