"""One request in its own process: files are read, old answers looked through, questions asked; everything is told as it comes."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from circ.report.accepted.norace import with_reasons
from circ.report.accepted.suppressions import Suppression, read_suppressions, suppressed
from circ.report.findings import finding_of
from circ.report.json import answer_json
from circ.report.summary import FileReport, file_status
from circ.run.check import Inquiry, questions
from circ.run.reading import NotRead, read_within, why_not
from circ.run.session import Request
from circ.run.supervise import Limits
from circ.scan.fingerprint import fingerprint
from circ.serve.facts import place, program_facts
from circ.serve.memory import Known, usable
from circ.verdict import Answer, Refuted, Result, Safe, UserQuestion, silent
from frontend import LoadOptions, SourceFile, load_project, preprocessed
from frontend.annotations.predicate import parse_predicate
from frontend.program import FrontendError, Program
from frontend.records import dataclass

Tell = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """A program to check: its files, options as words of a command line, and texts of files that are not those on the disk."""

    files: tuple[str, ...]
    words: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What it is about: a later request about the same takes the place of this one."""
        return self.files, self.words

    def sources(self) -> list[SourceFile]:
        return [SourceFile(file, text=self.texts.get(file)) for file in self.files]


RequestFor = Callable[[Sequence[str], str, "str | None"], Request]
"""Words of a command line, the first file, and its text if it is not the one on the disk, to what is asked for."""


Outcome = tuple[Known | None, Mapping[str, Any]]
"""What is to be remembered of a request, nothing if the files could not be read, and the last that is told."""


def check_files(asked: CheckRequest, known: Known | None, request_for: RequestFor, tell: Tell) -> Outcome:
    """Does a request. What is to be remembered is `known` itself if nothing has changed."""
    begin = time.monotonic()
    try:
        request = request_for(asked.words, asked.files[0], asked.texts.get(asked.files[0]))
        key, program = _read(asked.sources(), request.source, request.limits, known)
        suppressions = read_suppressions(program.files) if request.suppress else ()
        program = with_reasons(program, suppressions)
        named = questions(program, request.variables, request.prop)
        for predicate in request.predicates:
            parse_predicate(program, predicate)
    except FrontendError as error:
        return None, {"event": "failed", "location": place(error.location), "message": error.message, "hint": error.hint}
    except NotRead as error:
        why, bug = why_not(error)
        return None, {"event": "failed", "location": None, "message": why, "hint": bug}
    tell({"event": "read", "seconds": round(time.monotonic() - begin, 3), "program": program_facts(program)})
    same, kept = usable(known, program) if known is not None else ({}, {})
    found: dict[UserQuestion, Answer] = {}
    reused = 0

    def note(answer: Answer, old: bool) -> None:
        nonlocal reused
        reused += old
        found[answer.question] = answer
        tell({"event": "answer", "answer": answer_data(program, answer, suppressions), "reused": old})

    for each in named:
        if each.question in same:
            note(same[each.question], True)
    left = [each for each in named if each.question not in found]
    for answer in Inquiry(program, left, replace(request.plan(), kept=kept), silent):
        note(answer, _evidence(answer) is not None and _evidence(answer) == _evidence(kept.get(answer.question)))
    report = _report(program, [found[each.question] for each in named], suppressions)
    now = Known(key, program, found)
    if known is not None and program is known.program and found.keys() == known.answers.keys() and all(
            answer is known.answers[question] for question, answer in found.items()):
        now = known
    return now, {"event": "end", "status": file_status(report), "reused": reused,
                                        "seconds": round(time.monotonic() - begin, 3)}


def _evidence(answer: Answer | None) -> object:
    match answer.verdict if answer is not None else None:
        case Safe(certificate=evidence) | Refuted(trace=evidence):
            return evidence
        case _:
            return None


def _report(program: Program, answers: Sequence[Answer], suppressions: Sequence[Suppression]) -> FileReport:
    findings = tuple(suppressed(finding_of(program, answer), suppressions) for answer in answers)
    return FileReport(program.file, Result(program, tuple(answers)), findings=findings)


def answer_data(program: Program, answer: Answer, suppressions: Sequence[Suppression]) -> dict[str, Any]:
    """The answer as a report in JSON has it (docs/json.md)."""
    return answer_json(Result(program, (answer,)), answer, suppressed(finding_of(program, answer), suppressions))


def _read(files: list[SourceFile], source: LoadOptions, limits: Limits, known: Known | None) -> tuple[str, Program]:
    """The program, under limits; the one that is known if no token of it has changed."""

    def read() -> tuple[str, Program | None]:
        tokens = preprocessed(files, source)
        key = fingerprint(files, tokens, source, {})
        return key, None if known is not None and known.key == key else load_project(files, source, tokens)

    key, program = read_within(files, source, limits, read)
    if program is None:
        assert known is not None
        program = known.program
    return key, program


def guarded_job(asked: CheckRequest, known: Known | None, request_for: RequestFor, tell: Tell) -> Outcome:
    """The same; a mistake of ours is told of, and ends this request only."""
    try:
        return check_files(asked, known, request_for, tell)
    except Exception as error:
        return None, {"event": "failed", "location": None, "message": f"internal error: {type(error).__name__}: {error}",
                      "hint": traceback.format_exc()}
