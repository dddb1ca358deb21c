"""ThreadSanitizer as an arbiter that shares nothing with circ, not even the front end: random C that both look at.

Wrong is: a program that circ proves to be free of races, and in which a run under the sanitizer shows one; a refusal; a crash.
A race that only circ reports is counted, for the sanitizer sees one schedule at a time.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import frontend
from circ import engines
from circ.kernel.certificate import Kernel
from circ.run.check import confirmed
from circ.run.triage import triage
from circ.verdict import Answer, Options, OutOfTime, RaceOn, Safe, Unknown, Verdict, silent, subjects, word
from frontend.program import FrontendError, Program
from tests.support.tsan import HELPERS, compiled, watched


@dataclass
class Tally:
    """Counts of (circ's word, what the sanitizer shows), and what is wrong."""

    counts: Counter[tuple[str, bool]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    unconfirmed: list[int] = field(default_factory=list)
    undecided: list[int] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.counts += other.counts
        self.faults += other.faults
        self.unconfirmed += other.unconfirmed
        self.undecided += other.undecided

    def __str__(self) -> str:
        lines = ["circ \\ sanitizer   reports    silent"]
        lines += [f"{row:16}{self.counts[row, True]:10}{self.counts[row, False]:10}" for row in ("safe", "race", "unknown")]
        lines += [f"WRONG {fault}" for fault in self.faults]
        for title, seeds in (("races that no run showed", self.unconfirmed), ("undecided", self.undecided)):
            if seeds:
                lines.append(f"{title}: seeds {' '.join(map(str, seeds[:40]))}")
        return "\n".join(lines)


def said_of(program: Program, seconds: float) -> set[str]:
    """The words about all that is shared, in this process, as `circ check` would print them; seconds for each variable."""
    entry = engines.find(engines.DEFAULT)
    assert entry is not None
    engine, kernel = entry.load(), Kernel(program)
    words: set[str] = set()
    for v in subjects(program):
        question = RaceOn(v.name)
        proof = triage(program, question)
        verdict: Verdict
        try:
            verdict = Safe(proof) if proof is not None else engine(
                program, question, Options(deadline=time.monotonic() + seconds), silent)
        except OutOfTime as limit:
            verdict = Unknown(str(limit))
        words.add(word(question, confirmed(program, Answer(question, v.shown, verdict, entry.name), kernel).verdict))
    return words


def examine(seeds: Iterable[int], program: Callable[[int], str], runs: int = 12, seconds: float = 10.0) -> Tally:
    """Programs of these seeds, each judged whole: a race on anything, or on nothing."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        helpers = folder / "helpers.c"
        helpers.write_text(HELPERS)
        for seed in seeds:
            path = folder / "program.c"
            path.write_text(program(seed))
            try:
                words = said_of(frontend.load(path), seconds)
            except FrontendError as error:
                tally.faults.append(f"seed {seed}: refused: {error}")
                continue
            said = "race" if "race" in words else "unknown" if "unknown" in words else "safe"
            trouble = compiled(path, helpers, folder / "program", "-O0")  # no access is optimised away
            if trouble:
                tally.faults.append(f"seed {seed}: gcc: {trouble}")
                continue
            shown = any(watched(folder / "program", runs))
            tally.counts[said, shown] += 1
            if said == "safe" and shown:
                tally.faults.append(f"seed {seed}: safe, but a run shows a race")
            if said == "race" and not shown:
                tally.unconfirmed.append(seed)
            if said == "unknown":
                tally.undecided.append(seed)
    return tally
