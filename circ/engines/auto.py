"""Engine `auto`: asks the other engines in the order of their cost, stage by stage (`circ.engines.stages`)."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, assert_never

from circ.engines.on_orders import OnOrders
from circ.engines.on_views import OnLarge
from circ.engines.stages import STAGES, Case, Stage, Who
from circ.inference.effort import Effort
from circ.search import explicit
from circ.search.random_runs import RandomRuns
from circ.search.weak_runs import WeakRuns
from circ.static.prover import Static
from circ.verdict import (
    Choice,
    Engine,
    Observer,
    Options,
    OutOfTime,
    Part,
    ProofKind,
    Question,
    RaceOn,
    Technique,
    Trace,
    Unknown,
    Verdict,
)
from circ.views.copies import copy_of, one_by_one
from circ.views.lifting import lifted
from circ.views.on_sections import OnSections
from frontend.program import Program, Role, Self, Var
from frontend.records import dataclass

if TYPE_CHECKING:
    from circ.inference.context_inference import ContextInference
    from circ.search.turn_by_turn import TurnByTurn

PATIENCE = 10
"""How much more effort than at first the static prover may take for one try where nothing cheap has decided."""
ROUND_STATES = 400_000
"""Abstract states of one round of context inference at most."""
ROUND_SHARE = 4
"""A round is given up when it takes so many times the effort of its stage."""
LOCATIONS = 400
"""For programs of so many locations the efforts of context inference are meant; larger ones get more, in proportion."""


@dataclass(slots=True)
class StagedQuestion:
    """A question on its way through the stages, with what the last inference and the last search said about it."""

    program: Program
    question: Question
    options: Options
    observer: Observer
    reactive: bool
    counted: bool
    synchronised: bool
    locks: bool
    inferred: Unknown = field(default_factory=lambda: Unknown("not asked"))
    searched: Unknown = field(default_factory=lambda: Unknown("not asked"))

    def note(self, who: Who, said: Unknown) -> None:
        match who:
            case Who.BRIEF | Who.INFERENCE | Who.VALUES:
                self.inferred = said
            case Who.SEARCH:
                self.searched = said
            case _:
                pass

    def undecided(self) -> Unknown:
        """What the stages have come to, all together."""
        inferred, searched = self.inferred, self.searched
        tried = dict.fromkeys((*(f"omega-circ: {t}" for t in inferred.tried), *(f"explicit: {t}" for t in searched.tried)))
        # Every engine has had its turn: none of them is worth advising.
        advice = "give it more time with --timeout, or a --predicate over what protects it"
        return replace(inferred, advice=advice, tried=(f"omega-circ: {inferred.reason}", f"explicit: {searched.reason}", *tried))


class Auto:
    """Answers the questions of one program in turn; context inference keeps what it learns for the next."""

    def __init__(self) -> None:
        self.static, self.patient = Static(), Static(patience=PATIENCE)
        self.chase = RandomRuns()
        self._begun: dict[Question, StagedQuestion] = {}
        """Questions that are asked part by part."""
        self._tried: set[Question] = set()
        """Those of which the static prover has come to the end of what it tries first."""

    @cached_property
    def turns(self) -> TurnByTurn:
        # Only for programs with handlers, and it needs the solver.
        from circ.search.turn_by_turn import TurnByTurn

        return TurnByTurn()

    @cached_property
    def inference(self) -> ContextInference:
        # Much to load, and most programs with locks never come to it.
        from circ.inference.context_inference import omega_circ

        return omega_circ()

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        asked = self._asked(program, question, options, observer)
        for stage in STAGES:
            if not self._due(stage, asked) or not stage.when(self._case(asked)):
                continue
            try:
                options.check_time()
            except OutOfTime as limit:
                return replace(asked.undecided(), reason=str(limit), advice="give it more time with --timeout")
            try:
                verdict = self._ask(stage, asked)
            except OutOfTime as limit:
                verdict = Unknown(str(limit))
            else:
                self._tried |= {question} if stage.part is Part.PROVE and not self.static.cut_off else set()
            verdict = replace(verdict, statistics=replace(verdict.statistics, by=stage.who.label))
            if not isinstance(verdict, Unknown):
                return verdict
            asked.note(stage.who, verdict)
        return asked.undecided()

    def _due(self, stage: Stage, asked: StagedQuestion) -> bool:
        """Whether it is the stage's turn; a proof that was cut short is tried again with the rest."""
        part = asked.options.part
        return part in (Part.ALL, stage.part) or (
            part is Part.REST and stage.part is Part.PROVE and asked.question not in self._tried)

    def _asked(self, program: Program, question: Question, options: Options, observer: Observer) -> StagedQuestion:
        begun = self._begun.get(question)
        if begun is not None and begun.program is program:
            begun.options, begun.observer = options, observer
            return begun
        # What hardware and a scheduler look at are synchronisation too, but seldom what protects a variable.
        reactive = any(t.role in (Role.HANDLER, Role.TASK) for t in program.templates)
        counted = all(t.count is not None for t in program.templates)
        synchronised = not reactive and any(
            a.orders for t in program.templates for e in t.cfa.edges for a in e.accesses)
        locks = synchronised or (not reactive and self.static.argues(program))
        self._begun[question] = StagedQuestion(program, question, options, observer, reactive, counted, synchronised, locks)
        return self._begun[question]

    def _case(self, asked: StagedQuestion) -> Case:
        inference = self.__dict__.get("inference")  # not loaded for a look at it
        paused = inference is not None and inference.paused is not None and inference.paused.question == asked.question
        return Case(asked.reactive, asked.counted, asked.locks, paused, self.static.exhausted, self.chase.cut_off(asked.question))

    def _ask(self, stage: Stage, asked: StagedQuestion) -> Verdict:
        program, question, options, observer, effort = asked.program, asked.question, asked.options, asked.observer, stage.effort
        match stage.who:
            case Who.STATIC:
                most = options.first_look if options.part is Part.PROVE else None
                return self.static(program, question, options, observer, most)
            case Who.PATIENT:
                return self.patient(program, question, options, observer, effort.states)
            case Who.SEARCH:
                return explicit.answer(program, question, replace(options, max_states=effort.states), observer)
            case Who.RUNS:
                return self.chase(program, question, replace(options, max_states=effort.states), observer)
            case Who.TURNS:
                return self.turns(program, question, replace(options, max_states=effort.states), observer)
            case Who.BRIEF | Who.INFERENCE:
                hints = self.static.hints(question) if asked.synchronised else ()
                return self._infer(self.inference, asked, effort, hints, values=stage.who is Who.INFERENCE)
            case Who.GUIDED:
                return self._guided(asked, effort)
            case Who.VALUES:
                return self.inference.values(asked.inferred, effort.states or None)
            case Who.APART:
                return told_apart(program, question, replace(options, max_states=ROUND_STATES), observer, effort)
            case _:
                assert_never(stage.who)

    def _guided(self, asked: StagedQuestion, effort: Effort) -> Verdict:
        """Context inference that looks from the beginning at what the program tests before it accesses the variable."""
        from circ.abstraction.nearby_tests import guards
        from circ.inference.context_inference import omega_circ

        hints = guards(asked.program, asked.question.variable) if isinstance(asked.question, RaceOn) else ()
        if not hints:
            return Unknown("nothing is tested before the accesses")
        return self._infer(omega_circ(), asked, effort, hints, values=False)

    def _infer(self, inference: ContextInference, asked: StagedQuestion, effort: Effort, hints: tuple[Var, ...],
               values: bool) -> Verdict:
        size = sum(t.cfa.size for t in asked.program.templates)
        effort = replace(effort, states=effort.states * max(1, size // LOCATIONS))
        options = replace(asked.options, max_states=min(ROUND_STATES, ROUND_SHARE * effort.states))
        if not values:
            options = replace(options, switches={**options.switches, Technique.VALUES: False})
        return inference(asked.program, asked.question, options, asked.observer, hints, effort)


def told_apart(
    program: Program, question: Question, options: Options, observer: Observer, effort: Effort | None = None
) -> Verdict:
    """Context inference on the program whose counted threads are told apart: what it says holds of the program."""
    from circ.inference.context_inference import omega_circ

    split = one_by_one(program)
    if split is program:
        return Unknown("no template has a few copies")
    verdict = omega_circ()(split, question, options, observer, (), effort)
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


def engine() -> Engine:
    def on_sections() -> Engine:
        return OnLarge(lambda: OnSections(Auto()), OnSections(RandomRuns()))

    return OnOrders(on_sections, WeakRuns())
