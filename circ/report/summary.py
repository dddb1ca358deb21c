"""What all reports have in common: files with what was found in them, counts, and the exit status."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from circ.report.findings import Finding, finding_of
from circ.report.forms import FailOn
from circ.verdict import POSSIBLE, Result, word
from frontend.program import FrontendError
from frontend.records import dataclass

WORDS = ("safe", "race", "violated", POSSIBLE, "unknown")

PROVED, FOUND, BAD_INPUT, UNDECIDED, BUG = 0, 1, 2, 3, 4
_PRECEDENCE = (BUG, BAD_INPUT, FOUND, UNDECIDED, PROVED)


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file of a run: its result, or what kept it from being read: an error in it, or a bug of ours.

    `findings` are the result's answers as data; if they are not given, they are made. `complete`: nothing that was asked is
    missing. `limit`: one line about the limit that was reached while it was read.
    """

    file: str
    result: Result | None = None
    error: FrontendError | None = None
    complete: bool = True
    bug: str = ""
    limit: str = ""
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        if self.result is not None and len(self.findings) != len(self.result.answers):
            made = tuple(finding_of(self.result.program, answer) for answer in self.result.answers)
            object.__setattr__(self, "findings", made)


def counts(reports: Sequence[FileReport]) -> dict[str, int]:
    """How many answers carry each verdict word."""
    found = dict.fromkeys(WORDS, 0)
    for report in reports:
        for answer in report.result.answers if report.result else ():
            found[word(answer.question, answer.verdict)] += 1
    return found


def summary_text(reports: Sequence[FileReport]) -> str:
    """The last line: how many of each verdict, what of it does not count, and what was not even read or not finished."""
    parts = [f"{n} {word}" for word, n in counts(reports).items() if n]
    parts += uncounted(f for r in reports for f in r.findings)
    unread = sum(r.error is not None or bool(r.bug) for r in reports)
    late = sum(bool(r.limit) for r in reports)
    open_ = sum(not r.complete and not r.limit for r in reports)
    parts += [f"{unread} not readable"] if unread else []
    parts += [f"{late} not read within the limits"] if late else []
    parts += ["interrupted"] if open_ else []
    return f"circ: {', '.join(parts) or 'nothing to check'}\n"


def uncounted(findings: Iterable[Finding]) -> list[str]:
    """How many findings are suppressed, and how many the baseline has, in words."""
    found = list(findings)
    suppressed, known = sum(bool(f.suppressed) for f in found), sum(f.known and not f.suppressed for f in found)
    return [*([f"{suppressed} suppressed"] if suppressed else []), *([f"{known} in the baseline"] if known else [])]


# --------------------------------------------------------------------------------------------------- exit status
def finding_status(finding: Finding, fail_on: FailOn = FailOn.UNKNOWN) -> int:
    """The exit status if this were all that there is."""
    if finding.bug:
        return BUG
    if not finding.counts:
        return PROVED
    match finding.verdict:
        case "safe":
            return PROVED
        case "race" | "violated":
            return FOUND
        case "possible race":
            return PROVED if fail_on is FailOn.RACE else UNDECIDED
        case _:
            return UNDECIDED if fail_on is FailOn.UNKNOWN else PROVED


def file_status(report: FileReport, fail_on: FailOn = FailOn.UNKNOWN) -> int:
    if report.bug:
        return BUG
    if report.error is not None:
        return BAD_INPUT
    statuses = [finding_status(f, fail_on) for f in report.findings]
    return worst([*statuses, PROVED if report.complete else UNDECIDED])


def worst(statuses: Sequence[int]) -> int:
    """The status of a whole run: the first of 4, 2, 1, 3, 0 that occurs."""
    return next(s for s in _PRECEDENCE if s in statuses) if statuses else PROVED


def plural(n: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
