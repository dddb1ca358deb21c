"""The report for people: diagnostics like a compiler's, the interleaving of a race in columns, a summary line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from circ.report.columns import interleaving
from circ.report.possible import details, headline
from circ.report.rerun import Rerun
from circ.report.summary import FileReport, assuming, counts
from circ.verdict import (
    Answer,
    Assertions,
    Certificate,
    Question,
    RaceOn,
    Refuted,
    Result,
    Safe,
    Statistics,
    Trace,
    Unknown,
)
from frontend.program import NOWHERE, Location, Program, displayed


def answer_text(program: Program, answer: Answer, explain: bool, full_trace: bool = False) -> str:
    """The diagnostic for one question, and what belongs to it."""
    match answer.verdict:
        case Safe() as safe:
            lines = _safe(program, answer, safe, explain)
        case Refuted(trace=trace):
            lines = _refuted(program, answer, trace, full_trace)
        case Unknown() as unknown:
            lines = _unknown(program, answer, unknown)
        case _:
            assert_never(answer.verdict)
    notes = (f"  warning: {w}" for w in answer.warnings)
    return "\n".join([*lines, *notes]) + "\n"


def file_text(result: Result) -> str:
    """What stands once below the answers of a file: models, assumptions, warnings."""
    program = result.program
    lines = [f"{displayed(program.file)}: note: race model {program.race_model}, {program.ints} integers, {program.data_model}, "
             f"{program.preemption} preemption; " + ", ".join(_population(program)) + _together(program)]
    if not result.answers:
        lines.append(f"{displayed(program.file)}: note: nothing to check: no thread touches a shared variable or an assertion")
    lines += [f"  assuming: {a}" for a in assuming(result)]
    lines += [f"  warning: {w}" for w in program.warnings]
    return "\n".join(lines) + "\n"


_NAMED = 4
"""Files that are named beside the first one."""


def _together(program: Program) -> str:
    """The other files of the program."""
    others = [displayed(file) for file in program.files if file != program.file]
    if len(others) > _NAMED:
        others = [*others[:_NAMED], f"{len(others) - _NAMED} more"]
    return f"; with {', '.join(others)}" if others else ""


def summary_text(reports: Sequence[FileReport]) -> str:
    """The last line: how many of each verdict, and what was not even read or not finished."""
    parts = [f"{n} {word}" for word, n in counts(reports).items() if n]
    unread = sum(r.error is not None or bool(r.bug) for r in reports)
    late = sum(bool(r.limit) for r in reports)
    open_ = sum(not r.complete and not r.limit for r in reports)
    parts += [f"{unread} not readable"] if unread else []
    parts += [f"{late} not read within the limits"] if late else []
    parts += ["interrupted"] if open_ else []
    return f"circ: {', '.join(parts) or 'nothing to check'}\n"


def _population(program: Program) -> Iterator[str]:
    for t in program.templates:
        copies = "any number" if t.count is None else str(t.count)
        yield f"{t.role.value} {t.name} ({copies})"


def _place(program: Program, answer: Answer) -> Location:
    """Where the subject of a question was declared."""
    if isinstance(answer.question, RaceOn):
        place = program.variable(answer.question.variable).location
        if place != NOWHERE:
            return place
    return Location(program.file, 1)


# --------------------------------------------------------------------------------------------------- safe
def _safe(program: Program, answer: Answer, safe: Safe, explain: bool) -> Iterator[str]:
    subject = f"no race on '{answer.shown}'" if isinstance(answer.question, RaceOn) else "no assertion can fail"
    facts = ", ".join([answer.engine, *_facts(safe)])
    yield f"{_place(program, answer)}: safe: {subject} ({facts})"
    if explain:
        yield from (f"  {line}" for line in safe.why)
        if safe.statistics.predicates:
            yield "  the proof rests on the predicates " + "; ".join(safe.statistics.predicates)
        yield from (f"  {line}" for line in safe.statistics.context)


def _facts(safe: Safe) -> Iterator[str]:
    s: Statistics = safe.statistics
    if safe.trivial:
        yield "needs no predicate"
        return
    if s.predicates or s.k:
        yield _plural(len(s.predicates), "predicate")
    elif s.states:
        yield _plural(s.states, "state")
    if s.k:
        yield f"k = {s.k}"
    if s.acfa:
        sizes = " + ".join(str(n) for n in s.acfa.values())
        yield f"context automaton of {sizes} locations"


def _plural(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


# --------------------------------------------------------------------------------------------------- race, violated
def _refuted(program: Program, answer: Answer, trace: Trace, full: bool) -> Iterator[str]:
    rerun = Rerun(program, trace)
    yield _headline(program, answer.question, answer.shown, trace, rerun)
    yield from _harm(answer.question, rerun)
    yield from (f"  {line}" for line in interleaving(program, trace, rerun, full))


def _headline(program: Program, question: Question, shown: str, trace: Trace, rerun: Rerun) -> str:
    match question:
        case RaceOn():
            one, two = rerun.meeting()
            first, second = (f"thread {m.thread + 1} ({trace.threads[m.thread]}) {m}" for m in (one, two))
            return f"{one.location}: warning: race on '{shown}': {first} while {second} at {two.location}"
        case Assertions():
            failure = rerun.failure()
            return f"{failure.location}: warning: violated: {failure.text}"
        case _:
            assert_never(question)


def _harm(question: Question, rerun: Rerun) -> Iterator[str]:
    if isinstance(question, RaceOn) and (harm := rerun.harm()):
        yield f"  {harm}"


def evidence_text(program: Program, evidence: Certificate | Trace) -> str:
    """What a certificate proves, or what a trace shows."""
    question = evidence.question
    shown = program.variable(question.variable).shown or question.variable if isinstance(question, RaceOn) else str(question)
    match evidence:
        case Certificate(kind=kind):
            what = f"no race on '{shown}'" if isinstance(question, RaceOn) else "no assertion can fail"
            return f"safe: {what} (proof of kind {kind})\n"
        case Trace():
            rerun = Rerun(program, evidence)
            lines = [_headline(program, question, shown, evidence, rerun), *_harm(question, rerun)]
            return "\n".join([*lines, *(f"  {line}" for line in interleaving(program, evidence, rerun, full=True))]) + "\n"
        case _:
            assert_never(evidence)


# --------------------------------------------------------------------------------------------------- unknown
def _unknown(program: Program, answer: Answer, unknown: Unknown) -> Iterator[str]:
    if unknown.possible is not None:
        yield f"{unknown.possible.first.location}: possible race on '{answer.shown}': {headline(unknown.possible)}"
        yield from (f"  {line}" for line in details(unknown.possible))
        yield f"  neither proved nor shown: {unknown.reason} ({answer.engine})"
        if unknown.advice:
            yield f"  you can: {unknown.advice}"
        return
    subject = f"races on '{answer.shown}'" if isinstance(answer.question, RaceOn) else "assertions"
    place = unknown.where if unknown.where != NOWHERE else _place(program, answer)
    yield f"{place}: unknown: {subject}: {unknown.reason} ({answer.engine})"
    yield from (f"  {line}" for line in unknown.details)
    yield from (f"  tried: {t}" for t in unknown.tried)
    if unknown.advice:
        yield f"  you can: {unknown.advice}"
