"""A scan's results as plain data: a head for each file, a row for each variable; and what they mean for the exit status."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from circ.report.flow_rule import Alarm
from circ.report.summary import BAD_INPUT, BUG, FOUND, PROVED, UNDECIDED, WORDS, worst
from circ.report.text import answer_text
from circ.verdict import Answer, Unknown, word
from frontend.program import Program

MOST = 10**15
"""Every count and every time of a scan is less."""


@dataclass(frozen=True, slots=True)
class Head:
    """One file: what was asked of it, or the one line that says why it could not be read (`limit`: a limit was reached).

    `missing` are names given by `-x` that it has no variable of, `warnings` are those of the program as a whole.
    """

    file: str
    key: str | None
    lines: int = 0
    asked: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str = ""
    bug: str = ""
    limit: str = ""
    alarms: tuple[Alarm, ...] = ()
    models: str = ""
    seconds: float = 0.0
    """What reading the file took."""


@dataclass(frozen=True, slots=True)
class Row:
    """One variable of a file, answered. `message` is the diagnostic of `circ check`, its first line."""

    file: str
    key: str | None
    variable: str
    verdict: str
    engine: str
    message: str
    predicates: tuple[str, ...] = ()
    acfa: int = 0
    k: int = 0
    seconds: float = 0.0
    bug: bool = False
    killed: bool = False
    """The process that was to answer was ended from outside: another run may answer."""
    limits: tuple[float | None, int | None, float | None] = (None, None, None)
    """Seconds, megabytes, and seconds of processor time that it was given."""
    assuming: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    evidence: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Scanned:
    """A file with its rows in the order asked; some are missing if the scan was interrupted."""

    head: Head
    rows: tuple[Row, ...] = ()

    @property
    def seconds(self) -> float:
        return sum(r.seconds for r in self.rows)

    @property
    def complete(self) -> bool:
        return len(self.rows) == len(self.head.asked)


def row_of(
    program: Program, answer: Answer, key: str, limits: tuple[float | None, int | None, float | None], evidence: str,
) -> Row:
    """The row for an answer to a question about the program."""
    s = answer.verdict.statistics
    unknown = answer.verdict if isinstance(answer.verdict, Unknown) else None
    return Row(
        program.file, key, answer.shown, word(answer.question, answer.verdict), answer.engine,
        answer_text(program, answer, explain=False).partition("\n")[0], s.predicates, sum(s.acfa.values()), s.k,
        round(s.seconds.get("engine", 0.0) + s.seconds.get("kernel", 0.0), 3),
        unknown is not None and bool(unknown.bug), unknown is not None and unknown.killed, limits,
        tuple(str(a) for a in (*program.assumptions, *answer.assumptions)), tuple(map(str, answer.warnings)), evidence,
    )


def scanned_status(scanned: Scanned) -> int:
    """The exit status that `circ check` would have for the file."""
    head = scanned.head
    if head.bug:
        return BUG
    if head.error:
        return BAD_INPUT
    statuses = [_row_status(r) for r in scanned.rows]
    return worst([*statuses, UNDECIDED if head.limit or not scanned.complete else PROVED])


def _row_status(row: Row) -> int:
    match row.verdict:
        case "safe":
            return PROVED
        case "race" | "violated":
            return FOUND
        case _:
            return BUG if row.bug else UNDECIDED


def verdict_counts(files: Iterable[Scanned]) -> str:
    """How many of each verdict, and how many files were not even read or not finished, in words."""
    counts: dict[str, int] = dict.fromkeys((*WORDS, "not readable", "not finished"), 0)
    for scanned in files:
        for row in scanned.rows:
            counts[row.verdict] += 1
        head = scanned.head
        counts["not readable"] += bool(head.error or head.bug)
        counts["not finished"] += not (head.error or head.bug) and (bool(head.limit) or not scanned.complete)
    return ", ".join(f"{n} {name}" for name, n in counts.items() if n) or "nothing to check"
