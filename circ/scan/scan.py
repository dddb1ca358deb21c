"""`circ scan`: many files in several processes, each result kept as soon as it is known, one table at the end.

What is known already, from an interrupted scan (`--resume`) or from the cache, is not computed again. Files that take long
are started first; the report does not depend on that, nor on the number of processes.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, assert_never

from circ.report.flow_rule import alarms
from circ.report.rows import Head, Row, Scanned, row_of
from circ.run.bugs import report_bug
from circ.run.certificate_files import dump as evidence_text
from circ.run.check import Asked, answers, file_name, questions
from circ.run.progress import ScanProgress
from circ.run.session import Request
from circ.scan.fingerprint import fingerprint
from circ.scan.header import ASSERTS, Header, read_header
from circ.scan.pool import Allow, Ended, Started, Tell, Tick, Told, run
from circ.scan.results import Cache, Known, Results, read_results
from circ.scan.sources import Source, find_sources
from circ.verdict import Answer, Refuted, Safe, Unknown
from frontend import load, resolve_variable
from frontend.program import FrontendError, Program, read_source
from frontend.program.variable_names import NoSuchVariable

READING = 120.0
"""Seconds that a file may take to be read, unless its variables are given more."""

RequestFor: TypeAlias = Callable[[Source, Header], Request]
"""What the command line asks of a file with such flags and such a header; raises FrontendError if they make no sense."""


@dataclass(frozen=True, slots=True)
class ScanRequest:
    """What the user asked for. `results`: a file for JSON lines; `cache`: a folder, None for no cache."""

    paths: tuple[str, ...]
    jobs: int = 1
    results: Path | None = None
    resume: Path | None = None
    cache: Path | None = None
    file_timeout: float | None = None
    memory: int | None = 4096
    debug: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One file: its place in the report, what it says of itself, and what is asked of it (or why nothing can be)."""

    number: int
    path: str
    request: Request | None
    header: Header
    lines: int = 0
    error: str = ""
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class _Bug:
    """Sent by a job: our own mistake, with what we need to see."""

    what: str
    details: str


class Scan:
    """One run; `files` holds what is known at any moment, in the order of the report."""

    def __init__(self, request: ScanRequest, request_for: RequestFor) -> None:
        self.request = request
        self.cache = None if request.cache is None else Cache(request.cache)
        self.resumed = {} if request.resume is None else read_results(request.resume)
        self.jobs = self._weighed([_job(n, s, request_for) for n, s in enumerate(find_sources(request.paths))])
        self.heads: dict[int, Head] = {}
        self.rows: dict[int, list[Row]] = {}

    @property
    def files(self) -> tuple[Scanned, ...]:
        """Every file that something is known of."""
        return tuple(Scanned(self.heads[n], tuple(self.rows[n])) for n in sorted(self.heads))

    @property
    def unfinished(self) -> int:
        """How many files an interrupted scan has not come to."""
        return len(self.jobs) - len(self.heads)

    def run(self) -> None:
        """Does all jobs; an exception (Ctrl-C, say) leaves what is known by then."""
        for heavy in ("frontend.lower.module", "circ.smt"):
            importlib.import_module(heavy)  # here, so that not every job's process has to load them
        progress = ScanProgress(sys.stderr, {job.path: job.weight for job in self.jobs})
        with contextlib.ExitStack() as stack:
            stack.callback(progress.clear)
            path = self.request.results or self.request.resume
            results = None if path is None else stack.enter_context(Results(path, keep=self.appending))
            events = run(sorted(self.jobs, key=lambda j: (-j.weight, j.number)), self._work, self.request.jobs,
                         self.request.file_timeout or READING, self.request.memory)
            stack.callback(events.close)  # type: ignore[attr-defined]
            for event in events:
                match event:
                    case Started(job=job):
                        progress.start(job.path)
                    case Told(job=job, item=Head() | Row() as item):
                        self._note(job, item, results)
                    case Told(item=_Bug(what=what, details=details)):
                        progress.clear()
                        report_bug(what, details, self.request.debug)
                    case Told(job=job, item=item):
                        progress.at(job.path, str(item))
                    case Ended(job=job, why=why, seconds=seconds):
                        self._end(job, why, results)
                        self._learn(job, seconds)
                        progress.end(job.path, Scanned(self.heads[job.number], tuple(self.rows[job.number])))
                    case Tick():
                        progress.tick()
                    case _:
                        assert_never(event)

    @property
    def appending(self) -> bool:
        """Whether results are added to the file that is resumed."""
        path, resume = self.request.results, self.request.resume
        return resume is not None and (path is None or (path.exists() and os.path.samefile(path, resume)))

    def _weighed(self, jobs: Sequence[Job]) -> tuple[Job, ...]:
        """The jobs with how long they may take: as before, or by size at the rate of those that are known."""
        times = {job.number: t for job in jobs if self.cache is not None and (t := self.cache.seconds(job.path)) is not None}
        size = sum(job.lines for job in jobs if job.number in times) or 1
        rate = (sum(times.values()) or 1.0) / size
        return tuple(replace(job, weight=times.get(job.number, rate * job.lines)) for job in jobs)

    # ----------------------------------------------------------------------------------------------- what is known
    def _note(self, job: Job, item: Head | Row, results: Results | None) -> None:
        match item:
            case Head():
                self.heads[job.number] = item
                self.rows.setdefault(job.number, [])
            case Row():
                self.rows[job.number].append(item)
        if results is not None and not (self.appending and self._resumed(item)):
            results.add(item)

    def _resumed(self, item: Head | Row) -> bool:
        known = self.resumed.get((item.file, item.key or ""), Known())
        return item in (known.head, *known.rows)

    def _end(self, job: Job, why: str, results: Results | None) -> None:
        """A process that was ended leaves questions open: they are answered by why."""
        head = self.heads.get(job.number)
        if head is None:
            self._note(job, Head(job.path, None, job.lines, limit=f"{job.path}:1: unknown: {why or 'nothing was heard of it'}"),
                       results)
            return
        answered = {row.variable for row in self.rows[job.number]}
        for name in head.asked:
            if name not in answered:
                message = f"{job.path}:1: unknown: {name}: {why}"
                self._note(job, Row(job.path, head.key, name, "unknown", "", message), None)

    def _learn(self, job: Job, seconds: float) -> None:
        new = not any(row.cached or self._resumed(row) for row in self.rows[job.number])
        if self.cache is not None and new:
            self.cache.took(job.path, seconds)

    # ----------------------------------------------------------------------------------------------- in a job's process
    def _work(self, job: Job, tell: Tell) -> None:
        """Reads a file and answers what is asked of it; whatever goes wrong is told."""
        try:
            self._scan_file(job, tell)
        except FrontendError as error:
            tell(Head(job.path, None, job.lines, error=str(error)))
        except MemoryError:
            limit = job.request.memory if job.request else None
            tell(Head(job.path, None, job.lines, limit=f"{job.path}:1: unknown: memory: the limit of {limit} MB was reached"))
        except Exception as error:
            what = f"{job.path}: {type(error).__name__}: {error}"
            tell(_Bug(what, traceback.format_exc()))
            tell(Head(job.path, None, job.lines, bug=what))

    def _scan_file(self, job: Job, tell: Tell) -> None:
        request = job.request
        if request is None:
            tell(Head(job.path, None, job.lines, error=job.error))
            return
        begin = time.monotonic()
        extra = tuple(e.subject for e in job.header.expectations) if request.variables is None else ()
        key = fingerprint(job.path, request.source, {
            "variables": request.variables, "extra": extra, "property": request.prop, "engine": request.engine,
            "predicates": request.predicates, "k": request.k})
        known = self._known(job.path, key, request)
        if known.head is not None and len(known.rows) == len(known.head.asked):
            for item in (known.head, *known.rows):
                tell(item)
            return

        program = load(job.path, request.source)
        missing = _missing(program, request)
        asked = _named(_questions(program, request, extra, missing))
        head = Head(job.path, key, job.lines, tuple(asked), missing, tuple(map(str, program.warnings)),
                    alarms=alarms(program), models=_models(program), seconds=round(time.monotonic() - begin, 3))
        tell(head)
        tell(Allow(_allowed(self.request.file_timeout, request, len(asked), time.monotonic() - begin)))
        rows = {row.variable: row for row in known.rows if row.variable in asked}
        todo = [question for name, question in asked.items() if name not in rows]
        fresh = answers(program, todo, request.plan(), _teller(tell))
        for name, question in asked.items():
            if name not in rows:
                start = time.monotonic()
                row = _row(program, replace(next(fresh), shown=name), question, key, request, tell)
                rows[name] = row if row.seconds else replace(row, seconds=round(time.monotonic() - start, 3))
            tell(rows[name])
            if self.cache is not None:
                self.cache.put(head, tuple(rows.values()))

    def _known(self, path: str, key: str | None, request: Request) -> Known:
        """What need not be computed again: definite answers, and those that the same limits would cut short again."""
        if key is None:
            return Known()
        resumed = self.resumed.get((path, key), Known())
        cached = self.cache.get(key) if self.cache is not None else Known()
        rows = {r.variable: r for r in (*cached.rows, *resumed.rows) if _reusable(r, request)}
        head = resumed.head or cached.head
        if head is None:
            return Known(None, tuple(rows.values()))
        known = [rows[name] for name in head.asked if name in rows]
        return Known(head, tuple(row if row in resumed.rows else replace(row, cached=True) for row in known))


def _job(number: int, source: Source, request_for: RequestFor) -> Job:
    try:
        text = read_source(source.path)
        header = read_header(source.path, text, source.project)
        request = request_for(source, header)
    except FrontendError as error:
        return Job(number, source.path, None, Header(), error=str(error))
    return Job(number, source.path, request, header, text.count("\n") + 1)


def _missing(program: Program, request: Request) -> tuple[str, ...]:
    """The names asked about that this program has no variable of; other files may."""
    missing: dict[str, None] = {}
    for name in request.variables or ():
        try:
            resolve_variable(program, name)
        except NoSuchVariable:
            missing[name] = None
    return tuple(missing)


def _questions(program: Program, request: Request, extra: Sequence[str], missing: Sequence[str]) -> list[Asked]:
    """What the request asks, and what the file's header expects beyond it: a global that no thread touches, say."""
    wanted = None if request.variables is None else [name for name in request.variables if name not in missing]
    asked = list(questions(program, wanted, request.prop))
    for subject in extra:
        if subject != ASSERTS and request.prop in ("races", "all"):
            with contextlib.suppress(FrontendError):  # missing from the answers, hence a difference
                asked += [a for a in questions(program, [subject], "races") if a not in asked]
    return asked


def _named(asked: Sequence[Asked]) -> dict[str, Asked]:
    """The questions by what the user calls their subjects, or by their full names where that is not unique."""
    names = [a.shown for a in asked]
    return {a.shown if names.count(a.shown) == 1 else str(a.question): a for a in asked}


def _allowed(file_timeout: float | None, request: Request, asked: int, spent: float) -> float | None:
    """Seconds that a file may still take: what is left of its own limit, or what its variables may take."""
    if file_timeout is not None:
        return max(0.0, file_timeout - spent)
    return None if request.timeout is None else (asked + 1) * (request.timeout + READING)


def _teller(tell: Tell) -> Callable[[str, Mapping[str, Any]], None]:
    """An observer that says now and then what is going on."""
    last = [0.0]

    def observe(event: str, data: Mapping[str, Any]) -> None:
        now = time.monotonic()
        if now - last[0] > 0.2:
            last[0] = now
            tell(f"{data.get('subject')} ({event})")

    return observe


def _row(program: Program, answer: Answer, asked: Asked, key: str | None, request: Request, tell: Tell) -> Row:
    """The row for an answer, its evidence written if that was asked for."""
    path = ""
    match answer.verdict:
        case Unknown(reason=reason, bug=bug) if bug:
            tell(_Bug(f"{program.file}: {asked.shown}: {reason}", bug))
        case Safe(certificate=evidence) | Refuted(trace=evidence) if request.certificate is not None:
            name = f"{file_name(program.file)}.{file_name(answer.shown)}.{answer.engine}.json"
            path = str(request.certificate / name)
            Path(path).write_text(evidence_text(evidence, request.source))
    return row_of(program, answer, key, (request.timeout, request.memory), path)


def _reusable(row: Row, request: Request) -> bool:
    if row.verdict == "unknown":
        return not row.bug and row.limits == (request.timeout, request.memory)
    return request.certificate is None or (bool(row.evidence) and os.path.exists(row.evidence))


def _models(program: Program) -> str:
    return f"race model {program.race_model}, {program.ints} integers, {program.data_model}, {program.preemption} preemption"
