"""ThreadSanitizer as an arbiter that shares nothing with circ, not even the front end: random C that both look at.

Wrong is: a program that circ proves to be free of races, and in which a run under the sanitizer shows one; a refusal; a crash.
A race that only circ reports is counted, for the sanitizer sees one schedule at a time.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import frontend
from circ import engines
from circ.kernel.certificate import Kernel
from circ.kernel.further_kinds import FurtherKinds
from circ.run.check import confirmed
from circ.run.triage import triage
from circ.verdict import Answer, Options, OutOfTime, RaceOn, Safe, Unknown, Verdict, silent, subjects, word
from frontend.program import FrontendError, Program
from tests.support.randomc.sharing import TAIL, Sharing, sharing_program
from tests.support.randomc.two_files import split
from tests.support.tsan import HELPERS, compiled, raced, watched


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


def said_of(program: Program, seconds: float) -> dict[str, str]:
    """The word about each shared object, in this process, as `circ check` would print it; seconds for each variable."""
    entry = engines.find(engines.DEFAULT)
    assert entry is not None
    engine, kernel = entry.load(), Kernel(program, FurtherKinds())
    words: dict[str, str] = {}
    for v in subjects(program):
        question = RaceOn(v.name)
        proof = triage(program, question)
        verdict: Verdict
        try:
            verdict = Safe(proof) if proof is not None else engine(
                program, question, Options(deadline=time.monotonic() + seconds), silent)
        except OutOfTime as limit:
            verdict = Unknown(str(limit))
        words[v.shown] = word(question, confirmed(program, Answer(question, v.shown, verdict, entry.name), kernel).verdict)
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
                words = set(said_of(frontend.load(path), seconds).values())
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


def examine_sharing(seeds: Iterable[int], runs: int = 6, seconds: float = 4.0, program: Callable[[int], Sharing] = sharing_program) -> Tally:
    """Programs that share memory in odd ways, or that start and join threads in odd ways, judged object by object.

    Every fifth of those that share memory is two files. Wrong is: `safe` for an object on which a run shows a race; anything but a race where each thread ends with an unprotected
    `tail++`; a `race` in a program that is careful by construction, or one that the sanitizer reports (then it is not careful).
    """
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        helpers = folder / "helpers.c"
        helpers.write_text(HELPERS)
        for seed in seeds:
            made = program(seed)
            files = [folder / "program.c", folder / "second.c"]
            texts = split(made.text) if program is sharing_program and seed % 5 == 4 else (made.text,)
            for path, text in zip(files, texts, strict=False):
                path.write_text(text)
            files = files[:len(texts)]
            trouble = compiled(files[0], helpers, folder / "program", "-O0", files[1:])
            if trouble:
                tally.faults.append(f"seed {seed}: gcc: {trouble}")
                continue
            try:
                shown = raced(folder / "program", runs)
                words = said_of(frontend.load_project(files), seconds)
            except (FrontendError, RuntimeError, subprocess.TimeoutExpired) as error:
                tally.faults.append(f"seed {seed}: {error}")
                continue
            tally.faults += [f"seed {seed}: {fault}" for fault in faults(made, shown, words)]
            for thing, said in words.items():
                tally.counts[said, _base(thing) in shown] += 1
            if "unknown" in words.values():
                tally.undecided.append(seed)
    return tally


def faults(made: Sharing, shown: frozenset[str], words: dict[str, str]) -> Iterator[str]:
    """What is wrong about circ's words, given what runs showed."""
    by_base: dict[str, set[str]] = {}
    for thing, said in words.items():
        by_base.setdefault(_base(thing), set()).add(said)
    for thing in sorted(shown):
        if by_base.get(thing) == {"safe"} and not _behind_a_race(thing, by_base):
            yield f"{thing} is safe, but a run shows a race on it"
    if shown - {TAIL} and all(said == "safe" for thing, said in words.items() if thing != TAIL):
        yield f"all is safe, but a run shows races: {', '.join(sorted(shown))}"
    if by_base.get(TAIL, {"race"}) not in ({"race"}, {"unknown"} if made.in_doubt else {"race"}):
        yield f"the race on {TAIL} is not found: {', '.join(sorted(by_base[TAIL]))}"
    if made.careful:
        yield from (f"a race on {thing} in a program without one" for thing, said in words.items() if said == "race" and thing != TAIL)
        yield from (f"the program is not careful: {thing}" for thing in sorted(shown - {TAIL}))


def _behind_a_race(thing: str, by_base: dict[str, set[str]]) -> bool:
    """Whether the pointer of the same cell races, and is told: what a thread does with what it read there has no order any more.

    ThreadSanitizer sees that the object is reached without one; no two accesses to it need ever be next at once.
    """
    number = thing.lstrip("ab")
    return thing[0] in "ab" and "race" in by_base.get(f"p{number}", ())


def _base(thing: str) -> str:
    return re.split(r"[.\[]", thing)[0]
