"""Engine `auto`: the engines in the order of their cost. Deterministic: effort is counted in states, not in seconds.

In programs that use a library's locks and threads, or locks that count, the static prover comes first: it costs little and
proves what locks, creation and joining protect. A small explicit search finds most races, and proves what is small and
finite; random runs find those that take many steps or threads, and after a few of them context inference has a first, short
try; then the static prover may take longer, where that might help; context inference proves the rest or finds the races that
take a special way; a large explicit search is for programs with counted threads whose proof needs more than pairs or triples
of threads. With handlers that interrupt each other, interleavings
are many and reasons few (state variables and enable bits): there context inference comes first, for a little while, and it and
random runs take turns.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from circ.engines.on_views import OnLarge
from circ.search import explicit
from circ.search.random_runs import RandomRuns
from circ.static.prover import Static
from circ.verdict import (
    Choice,
    Engine,
    Observer,
    Options,
    OutOfTime,
    ProofKind,
    Question,
    RaceOn,
    Safe,
    Technique,
    Trace,
    Unknown,
    Verdict,
)
from circ.views.copies import copy_of, one_by_one
from circ.views.lifting import lifted
from circ.views.on_sections import OnSections
from frontend.program import AccessKind, Program, Role, Self

if TYPE_CHECKING:
    from circ.inference.context_inference import ContextInference

SMALL_SEARCH = 3_000
MEDIUM_SEARCH = 80_000
"""For programs that consist of counted threads only: these a search can also prove."""
LARGE_SEARCH = 300_000
PATIENCE = 10
"""How much more effort than at first the static prover may take where nothing cheap has decided."""
TURNS = ((6_000, 16_000), (30_000, 90_000), (100_000, 60_000))
"""For programs with handlers: abstract states of context inference in all, then steps of random runs, turn by turn."""
THREAD_RUNS, FEW_STATES = (10_000, 90_000), 2_000
"""For programs without: steps of random runs before and after a first try of context inference with so many abstract states.
That try comes first, too, for programs with handlers that consist of counted threads only, before a search."""
GUIDED = 3_000
"""Abstract states of context inference after the first turn, with nothing but the tests next to the accesses."""
MANY_STATES = 1_000_000
"""Abstract states of context inference after these."""


class Auto:
    """Answers the questions of one program in turn; context inference keeps what it learns for the next."""

    def __init__(self) -> None:
        self.static, self.patient = Static(), Static(patience=PATIENCE)
        self.chase = RandomRuns()

    @cached_property
    def inference(self) -> ContextInference:
        # Much to load, and most programs with locks never come to it.
        from circ.inference.context_inference import omega_circ

        return omega_circ()

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        # What hardware and a scheduler look at are synchronisation too, but seldom what protects a variable.
        reactive = any(t.role in (Role.HANDLER, Role.TASK) for t in program.templates)
        synchronised = not reactive and any(
            a.kind is AccessKind.SYNC for t in program.templates for e in t.cfa.edges for a in e.accesses)
        early = synchronised or (not reactive and self.static.argues(program))
        if early:
            static = self.static(program, question, options, observer)
            if not isinstance(static, Unknown):
                return _by("static", static)
        if not reactive or _counted(program):
            quick = _search(program, question, options, SMALL_SEARCH, observer)
            if not isinstance(quick, Unknown):
                return quick
        if reactive:
            inferred = self._in_turns(program, question, options, observer)
            if not isinstance(inferred, Unknown):
                return inferred
        else:
            inferred = self._with_threads(program, question, options, observer, synchronised, early)
            if not isinstance(inferred, Unknown):
                return inferred
        if not early:
            static = self.static(program, question, options, observer)
            if not isinstance(static, Unknown):
                return _by("static", static)
        apart = told_apart(program, question, _share_of_time(options, 0.5), observer)
        if not isinstance(apart, Unknown):
            return _by("omega-circ", apart)
        # Where any number of handlers may be on the stack a search proves nothing, and random runs have looked for races.
        large = MEDIUM_SEARCH if reactive and not _counted(program) else LARGE_SEARCH
        search = _search(program, question, options, large, observer)
        if not isinstance(search, Unknown):
            return search
        tried = tuple(dict.fromkeys((*(f"omega-circ: {t}" for t in inferred.tried), *(f"explicit: {t}" for t in search.tried))))
        return replace(inferred, tried=(f"omega-circ: {inferred.reason}", f"explicit: {search.reason}", *tried))

    def _patiently(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict | None:
        """The static prover once more, if more effort might lead to another answer."""
        try:
            return self.patient(program, question, _share_of_time(options, 0.5), observer) if self.static.exhausted else None
        except OutOfTime:
            return None

    def _with_threads(self, program: Program, question: Question, options: Options, observer: Observer, synchronised: bool,
                      early: bool) -> Verdict:
        """Random runs and context inference of a program without handlers: a little of each before much of either."""
        hints = self.static.hints(question) if synchronised else ()
        few, many = THREAD_RUNS
        chased = self.chase(program, question, replace(options, max_states=few), observer)
        if not isinstance(chased, Unknown):
            return _by("chase", chased)
        brief = _briefly(_share_of_time(options, 0.3))
        inferred = self.inference(program, question, brief, observer, hints, FEW_STATES)
        if not isinstance(inferred, Unknown):
            return _by("omega-circ", inferred)
        chased = self.chase(program, question, replace(options, max_states=many), observer)
        if not isinstance(chased, Unknown):
            return _by("chase", chased)
        if _counted(program):
            all_states = _search(program, question, options, MEDIUM_SEARCH, observer)
            if not isinstance(all_states, Unknown):
                return all_states
        longer = self._patiently(program, question, options, observer) if early else None
        if isinstance(longer, Safe):
            return _by("static", longer)
        return _by("omega-circ", self.inference(program, question, _share_of_time(options, 0.7), observer, hints))

    def _guided(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        """Context inference that looks from the beginning at what the program tests before it accesses the variable."""
        from circ.abstraction.nearby_tests import guards
        from circ.inference.context_inference import omega_circ

        hints = guards(program, question.variable) if isinstance(question, RaceOn) else ()
        if not hints:
            return Unknown("nothing is tested before the accesses")
        return omega_circ()(program, question, _briefly(options), observer, hints, GUIDED)

    def _in_turns(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        """Context inference and random runs of a program with handlers, by turns, with more effort each time."""
        inference = self.inference
        inferred: Verdict = Unknown("not asked")
        if _counted(program):
            inferred = inference(program, question, _briefly(_share_of_time(options, 0.3)), observer, effort=FEW_STATES)
            if not isinstance(inferred, Unknown):
                return _by("omega-circ", inferred)
            all_states = _search(program, question, options, MEDIUM_SEARCH, observer)
            if not isinstance(all_states, Unknown):
                return all_states
        for turn, (states, steps) in enumerate(TURNS):
            if turn == 0 or inference.paused is not None:
                inferred = inference(program, question, _share_of_time(options, 0.7), observer, effort=states)
                if not isinstance(inferred, Unknown):
                    return _by("omega-circ", inferred)
            if turn == 0:
                guided = self._guided(program, question, options, observer)
                if not isinstance(guided, Unknown):
                    return _by("omega-circ", guided)
            chased = self.chase(program, question, replace(options, max_states=steps), observer)
            if not isinstance(chased, Unknown):
                return _by("chase", chased)
        assert isinstance(inferred, Unknown)
        if inference.paused is not None:
            inferred = inference.values(inferred)
        if inference.paused is not None and isinstance(inferred, Unknown):
            inferred = inference(program, question, _share_of_time(options, 0.7), observer, effort=MANY_STATES)
        return _by("omega-circ", inferred)


def told_apart(program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
    """Context inference on the program whose counted threads are told apart: what it says holds of the program."""
    from circ.inference.context_inference import omega_circ

    split = one_by_one(program)
    if split is program:
        return Unknown("no template has a few copies")
    verdict = omega_circ()(split, question, options, observer)
    return lifted(verdict, program, question, ProofKind.ONE_BY_ONE, lambda trace: _together(program, trace))


def _together(program: Program, trace: Trace) -> Trace:
    """A run of the split program as one of the program: the copies are threads with these numbers."""
    names, start = [], []
    for thread, name in enumerate(trace.threads):
        base, copy = copy_of(program, name)
        names.append(base)
        if copy is not None:
            for v in program.template(base).locals:
                if isinstance(v.start, Self):
                    start.append(Choice(v.name, v.type.wrap(copy + v.start.offset), None, thread))
    return replace(trace, program=program.fingerprint(), threads=tuple(names), start=(*trace.start, *start))


def _counted(program: Program) -> bool:
    return all(t.count is not None for t in program.templates)


def _search(program: Program, question: Question, options: Options, states: int, observer: Observer) -> Verdict:
    try:
        return _by("explicit", explicit.answer(program, question, replace(options, max_states=states), observer))
    except OutOfTime as limit:
        return Unknown(str(limit))


def _share_of_time(options: Options, share: float) -> Options:
    """The options with a part of the time that is left."""
    if options.deadline is None:
        return options
    now = time.monotonic()
    return replace(options, deadline=now + share * (options.deadline - now))


def _briefly(options: Options) -> Options:
    """Options for a try that leaves the values of variables to a later one."""
    return replace(options, switches={**options.switches, Technique.VALUES: False})


def _by(name: str, verdict: Verdict) -> Verdict:
    return replace(verdict, statistics=replace(verdict.statistics, by=name))


def engine() -> Engine:
    return OnLarge(lambda: OnSections(Auto()), OnSections(RandomRuns()))
