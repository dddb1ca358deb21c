"""What was found, as plain data that every form of a report is made of."""

from __future__ import annotations

import hashlib
import json
import re
from typing import assert_never

from circ.report.data.automata import DrawnAutomaton, drawn_context
from circ.report.rerun import Rerun
from circ.report.text import declared_at, first_line
from circ.verdict import Answer, Assertions, PossibleAccess, RaceOn, Refuted, Safe, Trace, Unknown, word
from frontend.program import Location, Program
from frontend.records import dataclass

_PLACE = re.compile(r" ?\(?[^\s()]+:\d+(?::\d+)?\)?")
"""A place in the text of a diagnostic."""


@dataclass(frozen=True, slots=True)
class FoundAccess:
    """One of two accesses that meet, or may. `thread`: a template's name; `number`: which thread of the run, from 1, else 0."""

    thread: str
    number: int
    location: Location
    write: bool
    cell: str
    text: str
    function: str = ""
    locks: tuple[str, ...] = ()
    path: tuple[Location, ...] = ()
    """The calls by which the thread comes there."""
    calls: tuple[str, ...] = ()
    """The functions that these calls are of."""
    started: tuple[Location, ...] = ()
    """Where such threads are created."""


@dataclass(frozen=True, slots=True)
class FoundValue:
    """What a variable was when a step read it, or is after the step wrote it."""

    variable: str
    value: int


@dataclass(frozen=True, slots=True)
class FoundStep:
    """One step of a run: thread (from 1), where, what, with which values."""

    thread: int
    location: Location
    text: str
    values: tuple[FoundValue, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer to one question. `place` is where its diagnostic stands, `declared` where its variable is.

    `message` is the diagnostic without that place. `threads` are the templates of the run's threads. `why` are the reasons of a
    proof, or what is known of something undecided. `suppressed` is why it does not count; `known`: the baseline has it.
    """

    variable: str | None
    verdict: str
    engine: str
    place: Location
    declared: Location
    message: str
    fingerprint: str
    threads: tuple[str, ...] = ()
    accesses: tuple[FoundAccess, ...] = ()
    steps: tuple[FoundStep, ...] = ()
    why: tuple[str, ...] = ()
    advice: str = ""
    predicates: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    assuming: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    bug: bool = False
    suppressed: str = ""
    known: bool = False
    automata: tuple[DrawnAutomaton, ...] = ()
    """The context automata of a proof, for drawings."""

    @property
    def subject(self) -> str:
        return self.variable if self.variable is not None else "assertions"

    @property
    def counts(self) -> bool:
        """Whether it is to be acted upon: neither suppressed nor in the baseline."""
        return not self.suppressed and not self.known


def finding_of(program: Program, answer: Answer) -> Finding:
    """The answer to a question about the program, as data."""
    line = first_line(program, answer)
    verdict = answer.verdict
    threads: tuple[str, ...] = ()
    accesses: tuple[FoundAccess, ...] = ()
    steps: tuple[FoundStep, ...] = ()
    why: tuple[str, ...] = ()
    advice = ""
    automata: tuple[DrawnAutomaton, ...] = ()
    match verdict:
        case Safe():
            why = verdict.why
            automata = tuple(drawn for context in verdict.context if (drawn := drawn_context(program, context)) is not None)
        case Refuted(trace=trace):
            threads = tuple(program.template(name).called for name in trace.threads)
            accesses, steps = _run(program, trace)
        case Unknown(possible=possible):
            why, advice = (verdict.reason, *verdict.details, *verdict.tried), verdict.advice
            if possible is not None:
                why = (possible.why, *why)
                accesses = (_possible(possible.first), _possible(possible.second))
        case _:
            assert_never(verdict)
    statistics = verdict.statistics
    return Finding(
        None if isinstance(answer.question, Assertions) else answer.shown, word(answer.question, verdict), answer.engine,
        line.place, declared_at(program, answer), line.text.removeprefix("warning: "), _fingerprint(answer, line.text),
        threads, accesses, steps, why, advice, statistics.predicates, statistics.context,
        tuple(str(a) for a in (*program.assumptions, *answer.assumptions)), tuple(map(str, answer.warnings)),
        isinstance(verdict, Unknown) and bool(verdict.bug), automata=automata)


def unanswered(file: str, subject: str, why: str) -> Finding:
    """A question that nobody answered: the process that was to do so was ended."""
    place = Location(file, 1)
    return Finding(subject, "unknown", "", place, place, f"unknown: {subject}: {why}", _hash(["race", subject]), why=(why,))


def _run(program: Program, trace: Trace) -> tuple[tuple[FoundAccess, ...], tuple[FoundStep, ...]]:
    """The two accesses that meet at the end of a run, if it is about a race, and its steps."""
    rerun = Rerun(program, trace)
    met = rerun.meeting() if isinstance(trace.question, RaceOn) else []
    accesses = [FoundAccess(rerun.called[m.thread], m.thread + 1, m.location, m.write, m.cell, m.text) for m in met]
    steps = [FoundStep(r.thread + 1, r.location, " ".join(r.text.split()), tuple(FoundValue(v.name, v.value) for v in r.values))
             for r in rerun.rows]
    return tuple(accesses), tuple(steps)


def _possible(access: PossibleAccess) -> FoundAccess:
    return FoundAccess(access.thread, 0, access.location, access.write, access.cell, access.text, access.function, access.locks,
                       tuple(place for _, place in access.path), tuple(name for name, _ in access.path), access.started)


def _fingerprint(answer: Answer, line: str) -> str:
    """Names what a finding is about, without files and lines: it stays the same when code moves.

    A race is named by its variable, whichever of its accesses were found first; a violated assertion by its text.
    """
    if not isinstance(answer.question, Assertions):
        return _hash(["race" if isinstance(answer.question, RaceOn) else "atomicity", answer.shown])
    return _hash(["asserts", _PLACE.sub("", line) if isinstance(answer.verdict, Refuted) else ""])


def _hash(about: list[str]) -> str:
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]
