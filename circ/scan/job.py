"""One file of a scan, in a process of its own: from its first byte to the last answer, all under the limits of that process.

What is found out is told as it is found: `About` the file, its `Head`, a `Row` for each question.
"""

from __future__ import annotations

import contextlib
import errno
import os
import pickle
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, TypeAlias

from circ.report.accepted.norace import with_reasons
from circ.report.accepted.suppressions import Suppression, read_suppressions
from circ.report.rows import Head, Row, head_of, row_of
from circ.run.certificate_files import dump as evidence_text
from circ.run.check import answers, file_name, questions
from circ.run.output_files import encoded, write_whole
from circ.run.reading import NotRead, why_not
from circ.run.schedule import NamedQuestion
from circ.run.session import Request
from circ.scan.cache import Cache, Damaged
from circ.scan.fingerprint import fingerprint
from circ.scan.header import ASSERTS, Expectation, Header, read_header, refused
from circ.scan.pool import Allow, Tell
from circ.scan.results import FileResults
from circ.scan.sources import Source
from circ.verdict import POSSIBLE, Answer, Property, Refuted, Safe, Unknown, UserQuestion
from frontend import load_project, preprocessed, resolve_variable
from frontend.program import FrontendError, Program, displayed, read_source
from frontend.program.variable_names import NoSuchVariable
from frontend.records import dataclass
from frontend.text.preprocess import Preprocessed

RequestFor: TypeAlias = Callable[[Source, Header], Request]
"""What the command line asks of a program whose first file has such a header; raises FrontendError if they make no sense."""

_SCARCE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC)
"""What a system may run out of, whoever asks for it."""
SPARE = 5.0
"""Seconds that a file may take for each question beyond the question's own limit, to be written and told."""


@dataclass(frozen=True, slots=True)
class Job:
    """One file and its place in the report; `weight` is a guess of how long it takes."""

    number: int
    source: Source
    weight: float = 0.0
    twin: int = 1
    """Of the programs with the same first file, the how manyth it is."""

    @property
    def path(self) -> str:
        return self.source.path


@dataclass(frozen=True, slots=True)
class About:
    """What a file says of itself, and which variables it is asked about, None for all."""

    lines: int
    expectations: tuple[Expectation, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    variables: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Bug:
    """Our own mistake, with what we need to see."""

    what: str
    details: str


@dataclass(frozen=True, slots=True)
class Warned:
    """What the user should know, once for all files with the same `kind`."""

    kind: str
    line: str


@dataclass(frozen=True, slots=True)
class Ready:
    """A file that is preprocessed, with what is asked of it: all that its analysis needs, on whichever machine.

    `rows` are known from an interrupted scan; `seconds` were spent on it by now.
    """

    job: Job
    lines: int
    header: Header
    request: Request
    extra: tuple[str, ...]
    key: str
    tokens: tuple[Preprocessed, ...]
    rows: tuple[Row, ...]
    file_timeout: float | None
    seconds: float
    suppressions: tuple[Suppression, ...] = ()


@dataclass(frozen=True, slots=True)
class Packed:
    """A file that is ready to be analysed, on its way to where that is done."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Found:
    """An answer about a program of this first file, and its row, of which only the evidence is not yet known."""

    file: str
    answer: Answer
    row: Row


@dataclass(slots=True)
class ReadSoFar:
    """How far the reading of a file has come, for what may go wrong later."""

    lines: int = 0
    header: Header = field(default_factory=Header)


@dataclass(frozen=True, slots=True)
class FileScan:
    """Does a job. `resumed` is what an interrupted scan left, by file and fingerprint."""

    request_for: RequestFor
    cache: Cache | None
    resumed: Mapping[tuple[str, str], FileResults]
    file_timeout: float | None

    def __call__(self, job: Job, tell: Tell) -> None:
        """Reads a file and answers what is asked of it; whatever goes wrong is told."""
        with mistakes_told(job, tell) as place:
            ready = self._prepared(job, place, tell)
            if ready is not None:
                analyse(ready, self._stored(ready, tell), partial(self._kept, ready.key))

    def ready_or_done(self, job: Job, tell: Tell) -> None:
        """The same, but what can be analysed anywhere is told as it is then (`Packed`). What the cache has is looked at here."""
        with mistakes_told(job, tell) as place:
            ready = self._prepared(job, place, tell)
            if ready is not None and self.cache is not None and self.cache.knows(ready.key):
                analyse(ready, self._stored(ready, tell), partial(self._kept, ready.key))
            elif ready is not None:
                tell(Packed(pickle.dumps(_with_texts(ready))))

    def _prepared(self, job: Job, place: ReadSoFar, tell: Tell) -> Ready | None:
        """The file preprocessed, with what is asked of it; None if all that is known already."""
        if job.source.unread is not None:
            raise job.source.unread
        text = read_source(job.path)
        place.lines = text.count("\n") + 1
        header = place.header = read_header(job.path, text, job.source.project)
        request = self.request_for(job.source, header)
        files = job.source.all_files
        suppressions = read_suppressions(file.path for file in files) if request.suppress else ()
        tell(About(place.lines, header.expectations, suppressions, request.variables))
        begin = time.monotonic()
        extra = tuple(e.subject for e in header.expectations) if request.variables is None else ()
        tokens = tuple(preprocessed(files, request.source))
        key = fingerprint(files, tokens, request.source, {
            "variables": request.variables, "extra": extra, "property": request.prop, "engine": request.engine,
            "predicates": request.predicates, "k": request.k, "unroll": request.unroll,
            "possible": request.possible, "assume_absent": request.assume_absent, "budget": request.budget,
            "reasons": sorted({s.variable for s in suppressions if s.reason})})
        known = self._known(job.path, key, request)
        if known.head is not None and len(known.rows) == len(known.head.asked):
            for item in (known.head, *known.rows):
                tell(item)
            return None
        return Ready(job, place.lines, header, request, extra, key, tokens, known.rows, self.file_timeout,
                     time.monotonic() - begin, suppressions)

    # ----------------------------------------------------------------------------------------------- what is known
    def _known(self, path: str, key: str, request: Request) -> FileResults:
        """What need not be computed again: definite answers, and those that the same limits would cut short again."""
        resumed = self.resumed.get((path, key), FileResults())
        rows = {r.variable: r for r in resumed.rows if _reusable(r, request)}
        if resumed.head is None:
            return FileResults(None, tuple(rows.values()))
        return FileResults(resumed.head, tuple(rows[name] for name in resumed.head.asked if name in rows))

    def _kept(self, key: str, asked: Sequence[NamedQuestion], tell: Tell) -> dict[UserQuestion, Answer]:
        """Answers from the cache, for the kernel to judge."""
        found: dict[UserQuestion, Answer] = {}
        for each in asked if self.cache is not None else ():
            assert self.cache is not None
            try:
                if (answer := self.cache.get(key, each.question)) is not None:
                    found[each.question] = answer
            except Damaged as path:
                tell(Warned("damaged", f"circ: warning: {path}: a damaged entry of the cache, computed anew (delete the folder)"))
        return found

    # ----------------------------------------------------------------------------------------------- rows
    def _stored(self, ready: Ready, tell: Tell) -> Tell:
        """Tells what is found, its rows as `row` makes them."""
        return lambda item: tell(self.row(item, ready, tell) if isinstance(item, Found) else item)

    def row(self, found: Found, ready: Ready, tell: Tell) -> Row:
        """The row for an answer, its evidence written if that was asked for, the answer kept for later."""
        path, answer, request = "", found.answer, ready.request
        stem = file_name(found.file) + (f"~{ready.job.twin}" if ready.job.twin > 1 else "")
        match answer.verdict:
            case Unknown(reason=reason, bug=bug) if bug:
                tell(Bug(f"{displayed(found.file)}: {answer.shown}: {reason}", bug))
            case Safe(certificate=evidence) | Refuted(trace=evidence) if request.certificate is not None:
                name = f"{stem}.{file_name(answer.shown)}.{answer.engine}.json"
                path = str(request.certificate / name)
                try:
                    write_whole(request.certificate / name, encoded(evidence_text(evidence, request.source)))
                except OSError as error:
                    tell(Warned("certificate", f"circ: error: {path}: {error.strerror} (the verdict holds without it)"))
                    path = ""
        if self.cache is not None and not found.row.cached:
            try:
                self.cache.put(ready.key, answer, request.source)
            except OSError as error:
                tell(Warned("cache", f"circ: warning: {error.filename}: {error.strerror}; answers are not kept (see --cache)"))
        return replace(found.row, evidence=path)


# --------------------------------------------------------------------------------------------------- analysis
def analyse(ready: Ready, tell: Tell, kept_of: Callable[[Sequence[NamedQuestion], Tell], Mapping[UserQuestion, Answer]]) -> None:
    """Reads the program and tells its head and, for each answer, what was `Found`; looks at none of its files.

    `kept_of`: answers to some of the questions that are known already, for the kernel to judge.
    """
    begin, job, header, request, key = time.monotonic(), ready.job, ready.header, ready.request, ready.key
    program = with_reasons(load_project(job.source.all_files, request.source, ready.tokens), ready.suppressions)
    missing = _missing(program, request)
    for option in header.options:
        if option.name == "-x" and option.value in missing:
            raise refused(option, f"there is no variable '{option.value}' in this program", "circ cfa shows the variables")
    asked = _named(_questions(program, request, ready.extra, missing))
    spent = ready.seconds + time.monotonic() - begin
    tell(replace(head_of(program, key, ready.lines, tuple(asked)), file=job.path, missing=missing, seconds=round(spent, 3)))
    tell(_allowed(ready, len(asked), spent))
    rows = {row.variable: row for row in ready.rows if row.variable in asked}
    todo = [question for name, question in asked.items() if name not in rows]
    kept = kept_of(todo, tell)
    for row in rows.values():
        tell(row)
    names = {named.question: name for name, named in asked.items()}
    deadline = None if request.budget is None else begin - ready.seconds + request.budget
    start = time.monotonic()
    plan = replace(request.plan(), kept=kept, deadline=deadline, budget=request.budget)
    for answer in answers(program, todo, plan, _teller(tell)):
        answer = replace(answer, shown=names[answer.question])
        row = row_of(program, answer, key, (request.timeout, request.memory, request.cpu), "")
        row = replace(row, seconds=row.seconds or round(time.monotonic() - start, 3),
                      cached=_same_evidence(answer, kept.get(answer.question)))
        tell(Found(program.file, answer, row))
        start = time.monotonic()


def _allowed(ready: Ready, asked: int, spent: float) -> Allow:
    """What a file may still take: what is left of its own limit, or what its questions may take."""
    request = ready.request
    cpu = None if request.cpu is None else (asked + 1) * (request.cpu + SPARE)
    if ready.file_timeout is not None:
        return Allow(max(0.0, ready.file_timeout - spent), cpu)
    return Allow(None if request.timeout is None else (asked + 1) * (request.timeout + SPARE), cpu)


@contextlib.contextmanager
def mistakes_told(job: Job, tell: Tell) -> Iterator[ReadSoFar]:
    """Whatever goes wrong with a file is told as its head."""
    place = ReadSoFar()
    try:
        yield place
    except FrontendError as error:
        tell(Head(job.path, None, place.lines, error=str(place.header.located(error))))
    except NotRead as error:
        line, bug = why_not(error)
        if bug:
            tell(Bug(line, bug))
        tell(Head(job.path, None, place.lines, limit="" if bug else line, bug=line if bug else ""))
    except MemoryError:
        tell(Head(job.path, None, place.lines, limit=f"{displayed(job.path)}:1: unknown: memory: the limit was reached"))
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _SCARCE:
            line = f"{displayed(job.path)}:1: unknown: the system's limit was reached: {error.strerror}"
            tell(Head(job.path, None, place.lines, limit=line))
            return
        what = f"{displayed(job.path)}: {type(error).__name__}: {error}"
        tell(Bug(what, traceback.format_exc()))
        tell(Head(job.path, None, place.lines, bug=what))


def _with_texts(ready: Ready) -> Ready:
    """With the texts of its files, in which macros name what the tokens do not."""
    source = ready.job.source
    files = tuple(file if file.text is not None else replace(file, text=read_source(file.path)) for file in source.all_files)
    return replace(ready, job=replace(ready.job, source=replace(source, files=files)))


def _same_evidence(answer: Answer, kept: Answer | None) -> bool:
    match answer.verdict, kept.verdict if kept is not None else None:
        case (Safe(certificate=one), Safe(certificate=two)):
            return one == two
        case (Refuted(trace=one), Refuted(trace=two)):
            return one == two
        case _:
            return False


def _reusable(row: Row, request: Request) -> bool:
    if row.verdict in ("unknown", POSSIBLE):
        return not (row.finding.bug or row.killed) and row.limits == (request.timeout, request.memory, request.cpu)
    return request.certificate is None or (bool(row.evidence) and os.path.exists(row.evidence))


def _missing(program: Program, request: Request) -> tuple[str, ...]:
    """The names asked about that this program has no variable of; other files may."""
    missing: dict[str, None] = {}
    for name in request.variables or ():
        try:
            resolve_variable(program, name)
        except NoSuchVariable:
            missing[name] = None
    return tuple(missing)


def _questions(program: Program, request: Request, extra: Sequence[str], missing: Sequence[str]) -> list[NamedQuestion]:
    """What the request asks, and what the file's header expects beyond it: a global that no thread touches, say."""
    wanted = None if request.variables is None else [name for name in request.variables if name not in missing]
    asked = list(questions(program, wanted, request.prop))
    for subject in extra:
        if subject != ASSERTS and request.prop is not Property.ASSERTS:
            prop = Property.ATOMICITY if request.prop is Property.ATOMICITY else Property.RACES
            with contextlib.suppress(FrontendError):  # missing from the answers, hence a difference
                asked += [a for a in questions(program, [subject], prop) if a not in asked]
    return asked


def _named(asked: Sequence[NamedQuestion]) -> dict[str, NamedQuestion]:
    """The questions by what the user calls their subjects, or by their full names where that is not unique."""
    times = Counter(a.shown for a in asked)
    return {a.shown if times[a.shown] == 1 else str(a.question): a for a in asked}


def _teller(tell: Tell) -> Callable[[str, Mapping[str, Any]], None]:
    """An observer that says now and then what is going on."""
    last = [0.0]

    def observe(event: str, data: Mapping[str, Any]) -> None:
        now = time.monotonic()
        if now - last[0] > 0.2:
            last[0] = now
            tell(f"{data.get('subject')} ({event})")

    return observe
