"""One run of `circ check`: programs in, reports, certificates and dumps out, an exit status at the end.

An interrupted run still reports what is known: leaving the session writes the report, whatever the reason for leaving.
"""

from __future__ import annotations

import io
import os
import sys
import time
import traceback
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from circ import engines
from circ.report.accepted.norace import left_out, with_reasons
from circ.report.accepted.suppressions import Suppression, complaints, read_suppressions, suppressed
from circ.report.documents import document
from circ.report.findings import Finding, finding_of
from circ.report.flow_rule import alarms, flow_text
from circ.report.forms import Explain, FailOn, ReportForm
from circ.report.gcc import diagnostics
from circ.report.json import report_json
from circ.report.possible import suspects
from circ.report.rows import scanned_of
from circ.report.summary import FileReport, file_status, summary_text, worst
from circ.report.terminal.by_object import ObjectReport
from circ.report.text import Manner, file_text
from circ.run.certificate_files import dump as evidence_text
from circ.run.check import SUSPECTED, Inquiry, Plan, file_name, in_order, questions
from circ.run.competition.tasks import not_allowed, race_by_orders, read_task, until_a_race, verdict_line
from circ.run.dump import NOT_WRITTEN
from circ.run.output_files import BaselineFile, check_writable, encoded, make_folder, report_bug, write_whole
from circ.run.progress import Progress
from circ.run.projects import Selection, read_project
from circ.run.reading import NotRead, load_within, why_not
from circ.run.schedule import NamedQuestion, variables_of
from circ.run.supervise import Limits
from circ.verdict import Answer, Hints, Observer, Options, Property, Refuted, Result, Safe, Unknown, UserQuestion, word
from circ.views.memory_orders.orders import is_weak
from frontend import LoadOptions, SourceFile
from frontend.annotations.predicate import parse_predicate
from frontend.program import FrontendError, MemoryModel, Program, displayed

if TYPE_CHECKING:
    from circ.run.competition.witnesses import Witnesses
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for, for all files of a run."""

    source: LoadOptions
    variables: tuple[str, ...] | None = None
    prop: Property = Property.RACES
    engine: str = engines.DEFAULT
    timeout: float | None = 60.0
    memory: int | None = 4096
    cpu: float | None = None
    predicates: tuple[str, ...] = ()
    k: int | None = None
    form: ReportForm = ReportForm.TEXT
    output: Path | None = None
    certificate: Path | None = None
    dump: Path | None = None
    explain: Explain = Explain.NOTHING
    flow_rule: bool = False
    debug: bool = False
    competition: bool = False
    unroll: int = 3
    possible: bool = True
    assume_absent: bool = True
    budget: float | None = None
    verbose: bool = False
    full_trace: bool = False
    fail_on: FailOn = FailOn.UNKNOWN
    baseline: Path | None = None
    suppress: bool = True
    witness: Path | None = None
    witness_out: Path | None = None

    def plan(self) -> Plan:
        return Plan(self.engine, Options(self.predicates, self.k, unroll=self.unroll), self.limits, self.dump, self.possible,
                    self.assume_absent)

    @property
    def limits(self) -> Limits:
        return Limits(self.timeout, self.memory, self.cpu)


def _witnesses(request: Request) -> Witnesses | None:
    """What is tried and written of witnesses, if anybody asks for it: there is much to load for them."""
    if request.witness is None and request.witness_out is None:
        return None
    from circ.run.competition.witnesses import Witnesses

    return Witnesses(request.witness, request.witness_out)


READING_SHARE = 0.75
"""The part of a program's budget that reading it may take."""
_LEAST_READING = 1.0
"""Seconds in which a small program is read, whatever is left of the budget."""

RequestForFile: TypeAlias = Callable[[str, str | None], Request]
"""The request for the program whose first file this is, with what the file's header says. Headers may name files of the folder
that is given, or, if it is None, of the file's own. Raises FrontendError for a header that makes no sense."""


class Session:
    """A context manager; `check` a program at a time, then read `status`."""

    def __init__(self, request: Request, request_for: RequestForFile | None = None) -> None:
        self.request = request
        """For the program at hand; what is said about the report as a whole is the same for all."""
        self._general, self._request_for = request, request_for
        self.reports: list[FileReport] = []
        self.written: set[str] = set()
        self.progress = Progress(sys.stderr)
        self.out: TextIO = sys.stdout if request.output is None else io.StringIO()
        self.told: set[str] = set()
        self.source = request.source
        self.baseline = BaselineFile(None)
        self.witnesses = _witnesses(request)
        self.hints: Hints | None = None
        self.files: Sequence[SourceFile] = ()
        timeout = request.timeout if request.competition else None
        self.deadline = None if timeout is None else time.monotonic() + timeout
        self.budget_end = None if request.budget is None else time.monotonic() + request.budget

    def __enter__(self) -> Session:
        for folder in (self.request.certificate, self.request.dump):
            if folder is not None:
                make_folder(folder)
        for output in (self.request.output, self.request.witness_out):
            if output is not None:
                check_writable(output)
        self.baseline = BaselineFile(self.request.baseline)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.progress.clear()
        self.request = self._general
        form = self.request.form
        self._keep_baseline(kind is None)
        if form is ReportForm.JSON:
            self.out.write(report_json(self.reports, self.request.source, self._options(), self.status,
                                       self.request.flow_rule, self.request.fail_on))
        elif not form.told_at_once:
            self.out.write(document(form, [scanned_of(r) for r in self.reports], self.status, kind is None, self.request.fail_on))
        elif self.reports and form is ReportForm.TEXT:
            self.out.write(summary_text(self.reports))
        if self.request.competition and form is ReportForm.TEXT:
            self.out.writelines(f"circ: no answer of the competition rests on this: {a}\n" for a in not_allowed(self.reports))
            self.out.write(f"{verdict_line(self.reports, kind is None)}\n")
        if isinstance(self.out, io.StringIO) and self.request.output is not None:
            text = self.out.getvalue()
            try:
                write_whole(self.request.output, encoded(text))
            except OSError as failed:
                print(f"circ: error: {failed.filename}: {failed.strerror} (the report is printed instead)", file=sys.stderr)
                sys.stdout.write(text)
        sys.stdout.flush()

    def _keep_baseline(self, finished: bool) -> None:
        """Writes the baseline, if a new one is asked for: what it has is known from then on."""
        complete = finished and all(r.complete and r.error is None and not r.bug for r in self.reports)
        found = self.baseline.write([(r.file, f) for r in self.reports for f in r.findings], complete)
        for n, r in enumerate(self.reports):
            mine, found = found[:len(r.findings)], found[len(r.findings):]
            self.reports[n] = replace(r, findings=tuple(mine))

    @property
    def status(self) -> int:
        """The exit status of all programs checked so far."""
        return worst([file_status(r, self._general.fail_on) for r in self.reports])

    def check(self, files: Sequence[SourceFile]) -> None:
        """Asks everything of the program that C files make together."""
        self._check(files)

    def check_project(self, database: str, selection: Selection) -> None:
        """Asks everything of each program of a compile database; files that cannot be read are reported."""
        self.progress.show(f"reading {displayed(database)}")
        try:
            project = read_project(database, selection, self.source, self._reading())
        except FrontendError as error:
            self._refuse(database, error)
            return
        for file, why in project.unread:
            if isinstance(why, FrontendError):
                self._refuse(file, why)
            else:
                self._not_read(file, *why_not(why))
        left = sum(len(program.files) for program in project.programs)
        for program in project.programs:
            self._check(program.files, len(program.files) / left, os.path.dirname(database) or ".")
            left -= len(program.files)

    def check_task(self, file: str) -> None:
        """Asks everything of the program that a task file names."""
        try:
            task = read_task(file)
        except FrontendError as error:
            self._refuse(file, error)
            return
        self._check([SourceFile(name) for name in task.files], data_model=task.data_model)

    def _refuse(self, file: str, error: FrontendError) -> None:
        self.progress.clear()
        print(error, file=sys.stderr)
        self.reports.append(FileReport(file, error=error))

    def _check(self, files: Sequence[SourceFile], share: float = 1.0, project: str | None = None,
               data_model: str | None = None) -> None:
        """A program that cannot be read is reported and does not stop the others. `data_model`: unless an option says it."""
        file = files[0].path
        try:
            self.request = self._general if self._request_for is None else self._request_for(file, project)
            self.source = replace(self.request.source, data_model=self.request.source.data_model or data_model)
            self.progress.show(f"reading {displayed(file)}")
            program = load_within(files, self.source, self._reading())
            suppressing = self.request.suppress and not self.request.competition
            suppressions = read_suppressions((file, *program.files)) if suppressing else ()
            program = with_reasons(program, suppressions)
            asked = questions(program, self.request.variables, self.request.prop)
            for predicate in self.request.predicates:
                parse_predicate(program, predicate)
            self._heed_witness(program, files)
            race = self._race_by_orders(program, asked) if self.request.competition and is_weak(program) else None
            if self.request.competition and is_weak(program) and race is None:
                self.source = replace(self.source, memory_model=MemoryModel.SC.value)
                program = load_within(files, self.source, self._reading())
                asked = questions(program, self.request.variables, self.request.prop)
        except NotRead as error:
            self._not_read(file, *why_not(error))
            return
        except FrontendError as error:
            self._refuse(file, error)
            return
        except Exception as error:
            self._not_read(file, f"{displayed(file)}: {type(error).__name__}: {error}", traceback.format_exc())
            return
        index = len(self.reports)
        try:
            self._answer(file, program, asked, share, suppressions, race)
        except OSError:  # of the report as a whole: nobody reads it, or it cannot be written
            raise
        except Exception as error:
            why = f"{displayed(file)}: internal error: {type(error).__name__}: {error}"
            report_bug(why, traceback.format_exc(), self.request.debug)
            self.reports[index:] = [replace(self.reports[index], bug=why, complete=False) if index < len(self.reports)
                                    else FileReport(file, bug=why)]

    def _race_by_orders(self, program: Program, asked: tuple[NamedQuestion, ...]) -> Answer | None:
        """A race that weak memory orders make; where none shows, a competition's program is one of sequential consistency."""
        observer = self.progress.observer(program.file, len(asked), [])
        return race_by_orders(program, asked, self.request.plan(), self.deadline, observer)

    def _heed_witness(self, program: Program, files: Sequence[SourceFile]) -> None:
        self.files, self.hints = files, None
        if self.witnesses is not None and self.witnesses.given is not None:
            self.hints, notes = self.witnesses.hints(program, files, self.source, self._reading())
            self.progress.clear()
            print("\n".join(notes), file=sys.stderr)

    def _reading(self, files: int = 1, share: float = 1.0) -> Limits:
        """The limits for reading so many files: in a competition, all of a run shares one.

        With a budget, they may take most of what the program has of it, and leave the rest for its answers.
        """
        limits = self.request.limits
        if self.deadline is not None:
            return replace(limits, timeout=max(0.0, self.deadline - time.monotonic()))
        if self.budget_end is None or limits.timeout is None:
            return limits
        rest = max(_LEAST_READING, READING_SHARE * share * (self.budget_end - time.monotonic()))
        return replace(limits, timeout=min(files * limits.timeout, rest))

    def _not_read(self, file: str, why: str, bug: str) -> None:
        self.progress.clear()
        if bug:
            report_bug(why, bug, self.request.debug)
            self.reports.append(FileReport(file, bug=why))
        else:
            print(why, file=sys.stderr)
            self.reports.append(FileReport(file, complete=False, limit=why))

    def _answer(self, file: str, program: Program, asked: tuple[NamedQuestion, ...], share: float,
                suppressions: Sequence[Suppression], race: Answer | None = None) -> None:
        """`race`: known already, which is enough in a competition."""
        known: list[Answer] = []
        index = len(self.reports)
        self.reports.append(FileReport(file, Result(program, ()), complete=not asked))
        observer = self._observer(program, self.progress.observer(file, len(asked), known))
        everything = (self.request.verbose or self.request.explain is not Explain.NOTHING
                      or self.request.variables is not None)
        told = ObjectReport(program, variables_of(asked), everything, Manner(self.request.explain, self.request.full_trace),
                            self.request.possible)
        findings: dict[UserQuestion, Finding] = {}
        inquiry = Inquiry(program, asked, self._plan(file, share), observer)
        found = iter(inquiry)
        if race is not None:
            found = iter((race,))
        elif self.request.competition:
            found = until_a_race(program, asked, inquiry.plan, self.deadline, observer)

        def note(answer: Answer, complete: bool) -> None:
            known.append(answer)
            finding = self.baseline.marked(file, suppressed(finding_of(program, answer), suppressions))
            findings[answer.question] = finding
            result = Result(program, in_order(known, asked))
            self.reports[index] = FileReport(file, result, complete=complete,
                                             findings=tuple(findings[a.question] for a in result.answers))
            self._tell(program, answer, finding, told)

        try:
            for answer in found:
                note(answer, len(known) + 1 == len(asked))
        except BaseException:
            if not self.request.competition:
                for answer in inquiry.standing("the run was interrupted", "let it go on for longer"):
                    note(answer, complete=False)
            raise
        finally:
            self.progress.clear()
            for line in complaints(suppressions, list(findings.values()), len(known) == len(asked), left_out(program)):
                print(line, file=sys.stderr)
            counting = {question for question, finding in findings.items() if finding.counts}
            result = Result(program, in_order(known, asked))
            self._end(result, told, counting)
            if self.witnesses is not None and self.request.witness_out is not None:
                self._write_witness(self.witnesses, result, len(known) == len(asked))

    def _end(self, result: Result, told: ObjectReport, counting: Container[UserQuestion]) -> None:
        """What stands once below the answers of a program, whether all are there or not; some of them do not count."""
        if self.request.form is ReportForm.TEXT:
            self.out.write(told.at_the_end([a for a in result.answers if a.question in counting]))
            self.out.write(file_text(result))
            if self.request.flow_rule:
                words = {a.shown: word(a.question, a.verdict) for a in result.answers}
                self.out.write(flow_text(alarms(result.program), words))
            self.out.flush()

    def _write_witness(self, witnesses: Witnesses, result: Result, complete: bool) -> None:
        try:
            missing = witnesses.write(result, complete, self.files, self.source, self.request.limits)
        except OSError as error:
            self._not_written(str(self.request.witness_out), str(error.strerror))
        else:
            if missing:
                print(missing, file=sys.stderr)

    def _observer(self, program: Program, progress: Observer) -> Observer:
        """Shows how far it is; tells at once of files that could not be written, and on a terminal of what may be a race."""

        def observe(event: str, data: Mapping[str, Any]) -> None:
            if event == NOT_WRITTEN:
                self._not_written(str(data["path"]), str(data["why"]))
            elif event == SUSPECTED:
                self.progress.lines(suspects(program, data["races"]))
            else:
                progress(event, data)

        return observe

    def _not_written(self, path: str, why: str) -> None:
        """Once for each folder: what it is about holds without the file."""
        folder = os.path.dirname(path)
        if folder not in self.told:
            self.told.add(folder)
            self.progress.clear()
            print(f"circ: error: {path}: {why} (the verdict holds without it)", file=sys.stderr)

    def _plan(self, file: str, share: float) -> Plan:
        """The dumps of a second file and later ones go to folders of their own: their variables may have the same names.

        A program has its `share` of what is left of the budget; where that ends, its answers say so.
        """
        plan, number = self.request.plan(), len(self.reports)
        plan = replace(plan, options=replace(plan.options, hints=self.hints))
        if self.budget_end is not None and self._general.budget is not None:
            now = time.monotonic()
            plan = replace(plan, deadline=now + share * max(0.0, self.budget_end - now), budget=share * self._general.budget)
        if plan.dump is None or number == 1:
            return plan
        return replace(plan, dump=plan.dump / f"{number}-{file_name(Path(file).name)}")

    def _tell(self, program: Program, answer: Answer, finding: Finding, told: ObjectReport) -> None:
        self.progress.clear()
        if isinstance(answer.verdict, Unknown) and answer.verdict.bug:
            report_bug(f"{answer.shown}: {answer.verdict.reason}", answer.verdict.bug, self.request.debug)
        if self.request.form is ReportForm.TEXT:
            self.out.write(told.at_once(answer) if finding.counts else "".join(f"{line}\n" for line in diagnostics(finding)))
        elif self.request.form is ReportForm.GCC:
            self.out.write("".join(f"{line}\n" for line in diagnostics(finding)))
        self.out.flush()
        match answer.verdict:
            case Safe(certificate=evidence) | Refuted(trace=evidence) if self.request.certificate is not None:
                path = self.request.certificate / self._fresh_name(program.file, answer)
                try:
                    write_whole(path, encoded(evidence_text(evidence, self.source)))
                except OSError as error:
                    self._not_written(str(path), str(error.strerror))

    def _fresh_name(self, file: str, answer: Answer) -> str:
        """`<file>.<variable>.<engine>.json`; files of one name in different folders are numbered."""
        stem, rest = file_name(Path(file).name), f"{file_name(answer.shown)}.{answer.engine}.json"
        name, number = f"{stem}.{rest}", 1
        while name in self.written:
            number += 1
            name = f"{stem}-{number}.{rest}"
        self.written.add(name)
        return name

    def _options(self) -> dict[str, object]:
        r = self.request
        return {"engine": r.engine, "property": r.prop, "variables": None if r.variables is None else list(r.variables),
                "predicates": list(r.predicates), "k": r.k, "timeout": r.timeout, "memory": r.memory, "cpu_limit": r.cpu}
