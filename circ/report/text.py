"""The report for people: diagnostics like a compiler's, the interleaving of a race in columns, a summary line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from circ.report.assumptions import assuming
from circ.report.excerpts import Excerpts
from circ.report.forms import Explain
from circ.report.possible import PlacedLine, details, headline
from circ.report.reasons import in_words
from circ.report.rerun import Rerun
from circ.report.terminal.columns import interleaving
from circ.verdict import (
    Answer,
    Assertions,
    AtomicityOf,
    Certificate,
    RaceOn,
    Refuted,
    Result,
    Safe,
    Statistics,
    Trace,
    Unknown,
    UserQuestion,
    variable_of,
)
from frontend.program import NOWHERE, Assumption, Location, Program, displayed
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Manner:
    """How much is told."""

    explain: Explain = Explain.NOTHING
    full_trace: bool = False


PLAIN = Manner()

def answer_text(program: Program, answer: Answer, manner: Manner = PLAIN, excerpts: Excerpts | None = None) -> str:
    """The diagnostic for one question, and what belongs to it; lines of source as far as `excerpts` has them."""
    show = _Shown(program, manner, excerpts)
    match answer.verdict:
        case Safe() as safe:
            lines = _safe(program, answer, safe, manner.explain)
        case Refuted(trace=trace):
            lines = show.refuted(answer, trace)
        case Unknown() as unknown:
            lines = show.unknown(answer, unknown)
        case _:
            assert_never(answer.verdict)
    notes = (f"  warning: {w}" for w in answer.warnings)
    return "\n".join([*lines, *notes]) + "\n"


def first_line(program: Program, answer: Answer) -> PlacedLine:
    """Where the diagnostic for a question stands, and its first line without that place."""
    match answer.verdict:
        case Safe() as safe:
            return _proved(program, answer, safe)
        case Refuted(trace=trace):
            return _shown_to_happen(answer.question, answer.shown, trace, Rerun(program, trace))
        case Unknown() as unknown:
            return _undecided(program, answer, unknown)
        case _:
            assert_never(answer.verdict)


def file_text(result: Result) -> str:
    """What stands once below the answers of a file: models, assumptions, warnings."""
    program = result.program
    lines = [f"{displayed(program.file)}: note: race model {program.race_model}, {program.ints} integers, {program.data_model}, "
             f"{program.preemption} preemption; " + ", ".join(population(program)) + _together(program)]
    if not result.answers:
        lines.append(f"{displayed(program.file)}: note: nothing to check: no thread touches a shared variable or an assertion")
    lines += [f"  assuming: {a}{_needed_by(result, a)}" for a in assuming(result)]
    lines += [f"  warning: {w}" for w in program.warnings]
    return "\n".join(lines) + "\n"


_NAMED = 4
"""Files that are named beside the first one, and variables that an assumption is about."""


def _needed_by(result: Result, assumption: Assumption) -> str:
    """Which answers rest on an assumption that some of their proofs make, if not all do."""
    needing = [a.shown for a in result.answers if assumption in a.assumptions]
    if assumption in result.program.assumptions or not needing or len(needing) == len(result.answers):
        return ""
    more = f" and {len(needing) - _NAMED} more" if len(needing) > _NAMED else ""
    return f" (needed for {', '.join(needing[:_NAMED])}{more})"


def _together(program: Program) -> str:
    """The other files of the program."""
    others = [displayed(file) for file in program.files if file != program.file]
    if len(others) > _NAMED:
        others = [*others[:_NAMED], f"{len(others) - _NAMED} more"]
    return f"; with {', '.join(others)}" if others else ""


def population(program: Program) -> Iterator[str]:
    """The threads, with how many copies of each there are; those that run the same function are counted together."""
    counts: dict[str, list[int | None]] = {}
    for t in program.templates:
        counts.setdefault(f"{t.role.value} {t.called}", []).append(t.count)
    for name, copies in counts.items():
        yield f"{name} ({'any number' if None in copies else sum(n for n in copies if n is not None)})"


def declared_at(program: Program, answer: Answer) -> Location:
    """Where the subject of a question was declared."""
    variable = variable_of(answer.question)
    if variable is not None:
        place = program.variable(variable).location
        if place != NOWHERE:
            return place
    return Location(program.file, 1)


# --------------------------------------------------------------------------------------------------- safe
def _proved(program: Program, answer: Answer, safe: Safe) -> PlacedLine:
    subject = _what_is_safe(answer.question, answer.shown)
    return PlacedLine(declared_at(program, answer), f"safe: {subject} ({', '.join([answer.engine, *_facts(safe)])})")


def _what_is_safe(question: UserQuestion, shown: str) -> str:
    match question:
        case RaceOn():
            return f"no race on '{shown}'"
        case Assertions():
            return "no assertion can fail"
        case AtomicityOf():
            return f"the accesses to '{shown}' are serialisable"
        case _:
            assert_never(question)


def _in_question(question: UserQuestion, shown: str) -> str:
    match question:
        case RaceOn():
            return f"races on '{shown}'"
        case Assertions():
            return "assertions"
        case AtomicityOf():
            return f"atomicity of '{shown}'"
        case _:
            assert_never(question)


def _safe(program: Program, answer: Answer, safe: Safe, explain: Explain) -> Iterator[str]:
    yield str(_proved(program, answer, safe))
    if explain is Explain.WORDS:
        yield from (f"  {line}" for line in in_words(program, answer, safe))
    if explain is Explain.FULL:
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


# --------------------------------------------------------------------------------------------------- race, violated, unknown
class _Shown:
    """What is told of a run that shows something, and of what is not decided: with places and the lines of source there."""

    def __init__(self, program: Program, manner: Manner, excerpts: Excerpts | None) -> None:
        self.program, self.manner, self.excerpts = program, manner, excerpts

    def refuted(self, answer: Answer, trace: Trace) -> Iterator[str]:
        rerun = Rerun(self.program, trace)
        yield from self._with_source(_shown_to_happen(answer.question, answer.shown, trace, rerun))
        if isinstance(answer.question, RaceOn):
            one, two = rerun.meeting()
            note = PlacedLine(two.location, f"note: {rerun.who(two.thread)} {two}")
            yield from [str(note)] if one.location == two.location else self._with_source(note)
        yield from _harm(answer.question, rerun)
        yield from (f"  {line}" for line in interleaving(self.program, trace, rerun, self.manner.full_trace))

    def unknown(self, answer: Answer, unknown: Unknown) -> Iterator[str]:
        line = _undecided(self.program, answer, unknown)
        located = unknown.possible is not None or unknown.where != NOWHERE
        yield from self._with_source(line) if located else [str(line)]
        if unknown.possible is not None:
            first = unknown.possible.first.location
            for line in details(unknown.possible):
                yield from [str(line)] if line.place == first else self._with_source(line)
            yield f"  neither proved nor shown: {unknown.reason} ({answer.engine})"
        else:
            yield from (f"  {line}" for line in unknown.details)
            yield from (f"  tried: {t}" for t in unknown.tried)
        if unknown.advice:
            yield f"  you can: {unknown.advice}"

    def _with_source(self, line: PlacedLine) -> Iterator[str]:
        yield str(line)
        if self.excerpts is not None:
            yield from self.excerpts.caret(line.place)


def _shown_to_happen(question: UserQuestion, shown: str, trace: Trace, rerun: Rerun) -> PlacedLine:
    match question:
        case RaceOn():
            one, two = rerun.meeting()
            met = f"{rerun.who(one.thread)} {one} while {rerun.who(two.thread)} {two} at {two.location}"
            return PlacedLine(one.location, f"warning: race on '{shown}': {met}")
        case Assertions():
            failure = rerun.failure()
            return PlacedLine(failure.location, f"warning: violated: {failure.text}")
        case AtomicityOf():
            failure = rerun.failure()
            return PlacedLine(failure.location, f"warning: atomicity of '{shown}' violated: {failure.text}")
        case _:
            assert_never(question)


def _harm(question: UserQuestion, rerun: Rerun) -> Iterator[str]:
    if isinstance(question, RaceOn) and (harm := rerun.harm()):
        yield f"  {harm}"


def _undecided(program: Program, answer: Answer, unknown: Unknown) -> PlacedLine:
    if unknown.possible is not None:
        return PlacedLine(unknown.possible.first.location, f"possible race on '{answer.shown}': {headline(unknown.possible)}")
    subject = _in_question(answer.question, answer.shown)
    place = unknown.where if unknown.where != NOWHERE else declared_at(program, answer)
    return PlacedLine(place, f"unknown: {subject}: {unknown.reason} ({answer.engine})")


def evidence_text(program: Program, evidence: Certificate | Trace) -> str:
    """What a certificate proves, or what a trace shows."""
    question = evidence.question
    variable = variable_of(question)
    shown = str(question) if variable is None else program.variable(variable).shown or variable
    match evidence:
        case Certificate(kind=kind):
            return f"safe: {_what_is_safe(question, shown)} (proof of kind {kind})\n"
        case Trace():
            rerun = Rerun(program, evidence)
            lines = [str(_shown_to_happen(question, shown, evidence, rerun)), *_harm(question, rerun)]
            return "\n".join([*lines, *(f"  {line}" for line in interleaving(program, evidence, rerun, full=True))]) + "\n"
        case _:
            assert_never(evidence)
