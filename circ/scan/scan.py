"""`circ scan`: many files in several processes, each result kept as soon as it is known, one table at the end.

What is known already, from an interrupted scan (`--resume`) or from the cache, is not computed again. Files that take long
are started first; the report does not depend on that, nor on the number of processes.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import assert_never

from circ.report.findings import unanswered
from circ.report.rows import Head, Row, Scanned
from circ.run.output_files import is_full, report_bug
from circ.run.progress import ScanProgress
from circ.run.supervise import Limits
from circ.scan.cache import Cache
from circ.scan.job import About, Bug, FileScan, Job, RequestFor, Warned
from circ.scan.pool import Ended, Event, Started, Tick, Told, run
from circ.scan.results import FileResults, Known, Results, read_results
from circ.scan.sources import Source
from frontend.program import displayed
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class ScanRequest:
    """What the user asked for. `results`: a file for JSON lines; `limits`: for reading a file, and for each question."""

    sources: tuple[Source, ...]
    jobs: int = 1
    results: Path | None = None
    resume: Path | None = None
    cache: Cache | None = None
    file_timeout: float | None = None
    limits: Limits = field(default_factory=Limits)
    debug: bool = False
    cluster: str | None = None
    """The address of a scheduler, or `local:N`; None for processes of our own alone."""


class Scan:
    """One run; `files` holds what is known at any moment, in the order of the report."""

    def __init__(self, request: ScanRequest, request_for: RequestFor) -> None:
        self.request = request
        self.cache = request.cache
        self.warned: set[str] = set()
        self.results = self._open_results()
        self.resumed = self._read_resumed()
        self.jobs = self._weighed(_numbered(request.sources))
        self.work = FileScan(request_for, self.cache, self.resumed, request.file_timeout)
        self.about: dict[int, About] = {}
        self.heads: dict[int, Head] = {}
        self.rows: dict[int, list[Row]] = {}

    @property
    def files(self) -> tuple[Scanned, ...]:
        """Every file that something is known of."""
        return tuple(self.by_number.values())

    @property
    def by_number(self) -> dict[int, Scanned]:
        """The same by the numbers of their jobs: several programs may begin with one file."""
        return {n: _in_order(self.heads[n], self.rows[n]) for n in sorted(self.heads)}

    @property
    def unfinished(self) -> int:
        """How many files an interrupted scan has not come to."""
        return len(self.jobs) - len(self.heads)

    def run(self) -> None:
        """Does all jobs; an exception (Ctrl-C, say) leaves what is known by then."""
        for heavy in ("frontend.lower.module", "circ.smt"):
            importlib.import_module(heavy)  # here, so that not every job's process has to load them
        progress = ScanProgress(sys.stderr, {job.number: job.weight for job in self.jobs})
        with contextlib.ExitStack() as stack:
            stack.callback(progress.clear)
            results = None if self.results is None else stack.enter_context(self.results)
            reading = replace(self.request.limits, timeout=self.request.file_timeout or self.request.limits.timeout)
            jobs = sorted(self.jobs, key=lambda j: (-j.weight, j.number))
            events = self._events(jobs, reading)
            stack.callback(events.close)  # type: ignore[attr-defined]
            for event in events:
                match event:
                    case Started(job=job):
                        progress.start(job.number, job.path)
                    case Told(job=job, item=About() as about):
                        self.about[job.number] = about
                    case Told(job=job, item=Head() | Row() as item):
                        self._note(job, item, results)
                    case Told(item=Bug(what=what, details=details)):
                        progress.clear()
                        report_bug(what, details, self.request.debug)
                    case Told(item=Warned() as warned):
                        progress.clear()
                        self._warn(warned)
                    case Told(job=job, item=item):
                        progress.at(job.number, str(item))
                    case Ended(job=job, why=why, seconds=seconds):
                        self._end(job, why, results)
                        self._learn(job, seconds)
                        progress.end(job.number, Scanned(self.heads[job.number], tuple(self.rows[job.number])))
                    case Tick():
                        progress.tick()
                    case _:
                        assert_never(event)

    def _events(self, jobs: Sequence[Job], reading: Limits) -> Iterator[Event[Job]]:
        """What happens to the jobs, here or on a cluster."""
        if self.request.cluster is None:
            return run(jobs, self.work, self.request.jobs, reading)
        from circ.scan.cluster import Cluster, run_on

        return run_on(Cluster(self.request.cluster), jobs, self.work, self.request.jobs, reading)

    @property
    def appending(self) -> bool:
        """Whether results are added to the file that is resumed."""
        path, resume = self.request.results, self.request.resume
        return resume is not None and (path is None or (path.exists() and os.path.samefile(path, resume)))

    def _open_results(self) -> Results | None:
        """The file for results; without one, on a full disk, the table is all there is."""
        path = self.request.results or self.request.resume
        if path is None:
            return None
        try:
            return Results(path, keep=self.appending)
        except OSError as error:
            if not is_full(error):
                raise
            self._not_written(error)
            return None

    def _read_resumed(self) -> Known:
        if self.request.resume is None:
            return {}
        return self.results.known if self.appending and self.results is not None else read_results(self.request.resume)

    def _not_written(self, error: OSError) -> None:
        self._warn(Warned("results", f"circ: error: {error.filename}: {error.strerror} (the table has it all)"))

    def _weighed(self, jobs: Sequence[Job]) -> tuple[Job, ...]:
        """The jobs with how long they may take: as before, or by size at the rate of those that are known."""
        times = {job.number: t for job in jobs if self.cache is not None and (t := self.cache.seconds(job.path)) is not None}
        sizes = {job.number: _size(job.path) for job in jobs}
        rate = (sum(times.values()) or 1.0) / (sum(sizes[n] for n in times) or 1)
        return tuple(replace(job, weight=times.get(job.number, rate * sizes[job.number])) for job in jobs)

    # ----------------------------------------------------------------------------------------------- what is known
    def _note(self, job: Job, item: Head | Row, results: Results | None) -> None:
        match item:
            case Head():
                self.heads[job.number] = item
                self.rows.setdefault(job.number, [])
            case Row():
                self.rows[job.number].append(item)
        if results is not None and not (self.appending and self._resumed(item)):
            try:
                results.add(item)
            except OSError as error:
                self._not_written(error)

    def _warn(self, warned: Warned) -> None:
        if warned.kind not in self.warned:
            self.warned.add(warned.kind)
            print(warned.line, file=sys.stderr)

    def _resumed(self, item: Head | Row) -> bool:
        known = self.resumed.get((item.file, item.key or ""), FileResults())
        return item in (known.head, *known.rows)

    def _end(self, job: Job, why: str, results: Results | None) -> None:
        """A process that was ended leaves questions open: they are answered by why."""
        head = self.heads.get(job.number)
        if head is None:
            about = self.about.get(job.number, About(0))
            line = f"{displayed(job.path)}:1: unknown: {why or 'nothing was heard of it'}"
            self._note(job, Head(job.path, None, about.lines, limit=line), results)
            return
        answered = {row.variable for row in self.rows[job.number]}
        for name in head.asked:
            if name not in answered:
                self._note(job, Row(job.path, head.key, name, unanswered(job.path, name, why)), None)

    def _learn(self, job: Job, seconds: float) -> None:
        new = not any(row.cached or self._resumed(row) for row in self.rows[job.number])
        if self.cache is not None and new:
            self.cache.took(job.path, seconds)


def _in_order(head: Head, rows: Sequence[Row]) -> Scanned:
    """The rows, which come as they are known, in the order in which their variables are asked about."""
    order = {name: n for n, name in enumerate(head.asked)}
    return Scanned(head, tuple(sorted(rows, key=lambda row: order.get(row.variable, len(order)))))


def _numbered(sources: Sequence[Source]) -> list[Job]:
    """A job for each program, those of the same first file told apart."""
    twins: Counter[str] = Counter()
    jobs = []
    for number, source in enumerate(sources):
        twins[source.path] += 1
        jobs.append(Job(number, source, twin=twins[source.path]))
    return jobs


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except (OSError, ValueError):
        return 0
