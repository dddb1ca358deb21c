"""A scan's results as plain data: a head for each file, a row for each variable; and what they mean for the exit status."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from circ.report.accepted.norace import left_out
from circ.report.data.automata import DrawnAutomaton, drawn_threads
from circ.report.excerpts import Excerpts
from circ.report.findings import Finding, finding_of
from circ.report.flow_rule import Alarm, alarms
from circ.report.forms import FailOn
from circ.report.summary import BAD_INPUT, BUG, PROVED, UNDECIDED, WORDS, FileReport, finding_status, uncounted, worst
from circ.report.text import population
from circ.verdict import Answer, Unknown
from frontend.program import Location, Program
from frontend.records import dataclass

_PLACE = re.compile(r"(?P<file>[^\\:][^\\]*?):(?P<line>[1-9][0-9]{0,8})(?::(?P<column>[1-9][0-9]{0,8}))?: (?:error|unknown): ")
"""How a message about a file begins, unless the file's name has characters that are written in another way there."""
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
    files: tuple[str, ...] = ()
    """All files of the program."""
    threads: tuple[str, ...] = ()
    """Its threads, as reports call them."""
    automata: tuple[DrawnAutomaton, ...] = ()
    """Those of its threads that are small enough to be drawn."""
    norace: tuple[str, ...] = ()
    """Variables that are not asked about: they are declared so, with a reason."""

    @property
    def unread(self) -> str:
        """The line that says why it has no answers, empty if it was read."""
        return self.error or self.bug or self.limit

    @property
    def unread_at(self) -> Location:
        """The place that this line begins with, which may lie in a header, or else the file's first line."""
        begin = _PLACE.match(self.unread)
        return Location(self.file, 1) if begin is None else Location(begin["file"], int(begin["line"]), int(begin["column"] or 0))


@dataclass(frozen=True, slots=True)
class Row:
    """One variable of a file, answered. `variable` names the question, which may need more than the user's name for it."""

    file: str
    key: str | None
    variable: str
    finding: Finding
    acfa: int = 0
    k: int = 0
    seconds: float = 0.0
    killed: bool = False
    """The process that was to answer was ended from outside: another run may answer."""
    limits: tuple[float | None, int | None, float | None] = (None, None, None)
    """Seconds, megabytes, and seconds of processor time that it was given."""
    evidence: str = ""
    cached: bool = False

    @property
    def verdict(self) -> str:
        return self.finding.verdict

    @property
    def message(self) -> str:
        """The diagnostic of `circ check`, its first line."""
        warning = "warning: " if self.verdict in ("race", "violated") else ""
        return f"{self.finding.place}: {warning}{self.finding.message}"


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


def head_of(program: Program, key: str | None, lines: int, asked: tuple[str, ...]) -> Head:
    """What is known of a program before anything is answered."""
    return Head(program.file, key, lines, asked, warnings=tuple(map(str, program.warnings)), alarms=alarms(program),
                models=_models(program), files=program.files, threads=tuple(population(program)),
                automata=drawn_threads(program), norace=left_out(program))


def _models(program: Program) -> str:
    return f"race model {program.race_model}, {program.ints} integers, {program.data_model}, {program.preemption} preemption"


def scanned_of(report: FileReport) -> Scanned:
    """A file of a run of `circ check`, as a scan would have it."""
    if report.result is None:
        why = "" if report.error is None else str(report.error)
        return Scanned(Head(report.file, None, error=why, bug=report.bug, limit=report.limit))
    program, answers = report.result.program, report.result.answers
    head = head_of(program, None, Excerpts.of(program).length(program.file), tuple(a.shown for a in answers))
    rows = [_row(program.file, None, a, f) for a, f in zip(answers, report.findings, strict=True)]
    return Scanned(head if report.complete else replace(head, asked=(*head.asked, "")), tuple(rows))


def row_of(
    program: Program, answer: Answer, key: str, limits: tuple[float | None, int | None, float | None], evidence: str,
) -> Row:
    """The row for an answer to a question about the program."""
    return replace(_row(program.file, key, answer, finding_of(program, answer)), limits=limits, evidence=evidence)


def _row(file: str, key: str | None, answer: Answer, finding: Finding) -> Row:
    s = answer.verdict.statistics
    return Row(file, key, answer.shown, finding, sum(s.acfa.values()), s.k,
               round(s.seconds.get("engine", 0.0) + s.seconds.get("kernel", 0.0), 3),
               isinstance(answer.verdict, Unknown) and answer.verdict.killed)


def scanned_status(scanned: Scanned, fail_on: FailOn = FailOn.UNKNOWN) -> int:
    """The exit status that `circ check` would have for the file."""
    head = scanned.head
    if head.bug:
        return BUG
    if head.error:
        return BAD_INPUT
    statuses = [finding_status(r.finding, fail_on) for r in scanned.rows]
    return worst([*statuses, UNDECIDED if head.limit or not scanned.complete else PROVED])


def verdict_counts(files: Sequence[Scanned]) -> str:
    """How many of each verdict, and how many files were not even read or not finished, in words."""
    counts: dict[str, int] = dict.fromkeys((*WORDS, "not readable", "not finished"), 0)
    for scanned in files:
        for row in scanned.rows:
            counts[row.verdict] += 1
        head = scanned.head
        counts["not readable"] += bool(head.error or head.bug)
        counts["not finished"] += not (head.error or head.bug) and (bool(head.limit) or not scanned.complete)
    parts = [f"{n} {name}" for name, n in counts.items() if n]
    return ", ".join([*parts, *uncounted(row.finding for scanned in files for row in scanned.rows)]) or "nothing to check"
