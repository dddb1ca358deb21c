"""How a scan ends: the table, the lines about what could not be read, the differences from the headers, and the status."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import field, replace
from pathlib import Path

from circ.report.accepted.suppressions import complaints, suppressed
from circ.report.documents import document
from circ.report.formats.table import table_json, table_text, verdicts
from circ.report.forms import FailOn, ReportForm
from circ.report.gcc import diagnostics
from circ.report.rows import Scanned, scanned_status
from circ.report.summary import BAD_INPUT, BUG, FOUND, PROVED, UNDECIDED, plural, worst
from circ.run.output_files import BaselineFile, encoded, write_whole
from circ.scan.job import About, Job
from circ.scan.scan import Scan
from circ.verdict import POSSIBLE
from frontend.program import FrontendError, Location
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What report is wanted. `expect`: compared with the headers; `output`: a document goes there, not to the standard output."""

    form: ReportForm = ReportForm.TEXT
    flow_rule: bool = False
    expect: bool = False
    fail_on: FailOn = FailOn.UNKNOWN
    output: Path | None = None
    baseline: BaselineFile = field(default_factory=lambda: BaselineFile(None))


def report(scan: Scan, wanted: ScanReport) -> int:
    """Writes the report on what is known by now and gives the exit status."""
    files = _judged(scan, wanted.baseline)
    differences = list(_differences(scan)) if wanted.expect else None
    missing = list(_missing(scan))
    status = worst([_status(scan, files, differences, wanted.fail_on), BAD_INPUT if missing else PROVED])
    for scanned in files:
        if scanned.head.error or scanned.head.limit:
            print(scanned.head.error or scanned.head.limit, file=sys.stderr)
    for line in missing:
        print(line, file=sys.stderr)
    _write(wanted.output, _text(scan, files, wanted, differences, status))
    if differences is not None and wanted.form is ReportForm.TEXT:
        total = sum(len(_about(scan, job).expectations) for job in scan.jobs)
        print("".join(f"{line}\n" for line in differences)
              + f"circ: {plural(total, 'expectation')}, {plural(len(differences), 'difference')}")
    if scan.unfinished:
        print(f"circ: interrupted: {plural(scan.unfinished, 'file')} not reached; {_how_to_go_on(scan)}", file=sys.stderr)
    sys.stdout.flush()
    return status


def _judged(scan: Scan, baseline: BaselineFile) -> tuple[Scanned, ...]:
    """The files, with those findings marked that are suppressed or known; suppressions that do nothing are told of."""
    files = []
    for number, scanned in scan.by_number.items():
        suppressions = scan.about.get(number, About(0)).suppressions
        rows = [replace(row, finding=baseline.marked(scanned.head.file, suppressed(row.finding, suppressions)))
                for row in scanned.rows]
        for line in complaints(suppressions, [row.finding for row in rows], scanned.complete, scanned.head.norace):
            print(line, file=sys.stderr)
        files.append(replace(scanned, rows=tuple(rows)))
    complete = not scan.unfinished and all(f.complete and not (f.head.error or f.head.bug or f.head.limit) for f in files)
    found = iter(baseline.write([(f.head.file, row.finding) for f in files for row in f.rows], complete))
    return tuple(replace(f, rows=tuple(replace(row, finding=next(found)) for row in f.rows)) for f in files)


def _text(scan: Scan, files: tuple[Scanned, ...], wanted: ScanReport, differences: list[str] | None, status: int) -> str:
    match wanted.form:
        case ReportForm.TEXT:
            return table_text(files, wanted.flow_rule)
        case ReportForm.GCC:
            return "".join(f"{line}\n" for scanned in files for row in scanned.rows for line in diagnostics(row.finding))
        case ReportForm.JSON:
            return table_json(files, wanted.flow_rule, differences, status, wanted.fail_on)
        case form:
            return document(form, files, status, not scan.unfinished, wanted.fail_on)


def _write(output: Path | None, text: str) -> None:
    """To the standard output, too, if the file cannot be written: a long scan is not lost."""
    try:
        if output is not None:
            write_whole(output, encoded(text))
            return
    except OSError as failed:
        print(f"circ: error: {failed.filename}: {failed.strerror} (the report is printed instead)", file=sys.stderr)
    sys.stdout.write(text)


def _missing(scan: Scan) -> Iterator[str]:
    """A line for each name that was asked for and that no file has; none while it may be in a file that was not read."""
    asked = [(job, name) for job in scan.jobs for name in _about(scan, job).variables or ()]
    for name in dict.fromkeys(name for _, name in asked):
        of = [scan.heads.get(job.number) for job, wanted in asked if wanted == name]
        read = [head for head in of if head is not None and not head.limit]
        lacking = [head for head in read if name in head.missing]
        if lacking and len(read) == len(of) and all(name in head.missing or head.error or head.bug for head in read):
            others = f", nor in the {len(lacking) - 1} others" if len(lacking) > 1 else ""
            yield str(FrontendError(Location(lacking[0].file, 1), f"there is no variable '{name}' in this program{others}",
                                    "circ cfa shows the variables"))


def _how_to_go_on(scan: Scan) -> str:
    path = scan.request.results or scan.request.resume
    if path is not None:
        return f"go on with --resume {path}"
    return "with -o a scan can be gone on with" if scan.cache is None else "what is known is in the cache"


def _status(scan: Scan, files: tuple[Scanned, ...], differences: list[str] | None, fail_on: FailOn) -> int:
    statuses = [scanned_status(f, fail_on) for f in files] + [UNDECIDED] * scan.unfinished
    if differences is None:
        return worst(statuses)
    if not any(_about(scan, job).expectations for job in scan.jobs):
        print("circ: error: --expect: no file has an EXPECT line", file=sys.stderr)
        return BAD_INPUT
    return worst([s for s in statuses if s in (BUG, BAD_INPUT)] + [FOUND if differences else PROVED])


def _differences(scan: Scan) -> Iterator[str]:
    """What the headers say and what came out, where they differ; variables that a header does not name are not compared."""
    known = scan.by_number
    for job in scan.jobs:
        yield from _file_differences(_about(scan, job), known.get(job.number))


def _about(scan: Scan, job: Job) -> About:
    return scan.about.get(job.number, About(0))


def _file_differences(about: About, scanned: Scanned | None) -> Iterator[str]:
    found = verdicts(scanned) if scanned is not None else {}
    for e in about.expectations:
        if about.variables is None or e.subject in about.variables:
            got = found.get(e.subject, "no verdict")
            # What may be a race is not known to be one.
            if got != e.verdict and (got, e.verdict) != (POSSIBLE, "unknown"):
                yield f"{e.location}: difference: {e.subject}: expected {e.verdict}, got {got}"
