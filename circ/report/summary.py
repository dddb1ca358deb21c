"""What all reports have in common: files with their results, what a verdict rests on, counts, and the exit status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from circ.verdict import POSSIBLE, Answer, RaceOn, Result, Safe, Unknown, subjects, word
from frontend.program import Assumption, FrontendError

WORDS = ("safe", "race", "violated", POSSIBLE, "unknown")

PROVED, FOUND, BAD_INPUT, UNDECIDED, BUG = 0, 1, 2, 3, 4
_PRECEDENCE = (BUG, BAD_INPUT, FOUND, UNDECIDED, PROVED)


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file of a run: its result, or what kept it from being read: an error in it, or a bug of ours.

    `complete`: nothing that was asked is missing. `limit`: one line about the limit that was reached while it was read.
    """

    file: str
    result: Result | None = None
    error: FrontendError | None = None
    complete: bool = True
    bug: str = ""
    limit: str = ""


def sequentially_consistent(result: Result) -> bool:
    """Whether every shared variable is proved, so that sequential consistency is no assumption any more."""
    proved = {a.question.variable for a in result.answers if isinstance(a.question, RaceOn) and isinstance(a.verdict, Safe)}
    return all(v.name in proved for v in subjects(result.program))


def assuming(result: Result, of: Answer | None = None) -> tuple[Assumption, ...]:
    """All that the verdicts (or one of them) rest on and that was not proved."""
    extra = () if sequentially_consistent(result) else (Assumption("sequential consistency"),)
    proofs = dict.fromkeys(assumption for answer in ([of] if of else result.answers) for assumption in answer.assumptions)
    return (*result.program.assumptions, *proofs, *extra)


def counts(reports: Sequence[FileReport]) -> dict[str, int]:
    """How many answers carry each verdict word."""
    found = dict.fromkeys(WORDS, 0)
    for report in reports:
        for answer in report.result.answers if report.result else ():
            found[word(answer.question, answer.verdict)] += 1
    return found


def answer_status(answer: Answer) -> int:
    match word(answer.question, answer.verdict):
        case "safe":
            return PROVED
        case "race" | "violated":
            return FOUND
        case _:
            return BUG if isinstance(answer.verdict, Unknown) and answer.verdict.bug else UNDECIDED


def file_status(report: FileReport) -> int:
    if report.bug:
        return BUG
    if report.error is not None:
        return BAD_INPUT
    statuses = [answer_status(a) for a in report.result.answers] if report.result else []
    return worst([*statuses, PROVED if report.complete else UNDECIDED])


def worst(statuses: Sequence[int]) -> int:
    """The status of a whole run: the first of 4, 2, 1, 3, 0 that occurs."""
    return next(s for s in _PRECEDENCE if s in statuses) if statuses else PROVED
