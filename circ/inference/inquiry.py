"""One question on its way through context inference: what is known, what is kept, what was spent, and when to stop.

This is the bookkeeping of the loop in `circ.inference.context_inference`: predicates and variables in use, the counter bound,
statistics, effort, and what `--dump` draws of a round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field

from circ.abstraction.abstract_errors import Errors
from circ.abstraction.predicates import Abstraction, Predicates, Steps
from circ.abstraction.relevance import ScopedName
from circ.abstraction.seen_templates import SeenTemplates
from circ.inference.arg import AbstractSystem, Arg
from circ.inference.effort import Effort
from circ.inference.miners import family
from circ.inference.results.pictures import AcfaPicture, ArgPicture
from circ.smt.effort import SolverEffort
from circ.verdict import Observer, Options, Question, RaceOn, Statistics, Technique
from circ.views.variable_sets import VariableSet, everything
from frontend.program import Program, show
from frontend.program.display import formula_words
from frontend.records import dataclass

DEFAULT_OPTIONS = Options()
MOST_K = 3
MOST_ROUNDS = 400
MOST_PREDICATES = 60
"""With more, refinement is unrolling a loop or counting up a variable, and every round costs more than the one before."""
MOST_ALIKE = 6
"""With more predicates that only a number added tells apart, it is counting up."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why the loop ends undecided; `paused`: with more effort it would go on."""

    reason: str
    paused: bool = False


@dataclass(slots=True)
class Inquiry:
    """A question, what context inference knows about it and how much that has cost."""

    program: Program
    question: Question
    options: Options
    observer: Observer
    learnt: Predicates
    """What is known from all questions; of this, the part about kept variables is in use."""
    predicates: Predicates
    steps: Steps
    kept: VariableSet
    k: int
    reluctance: Mapping[ScopedName, int] = field(default_factory=dict)
    effort: Effort | None = None
    rounds: int = 0
    states: int = 0
    acfa: tuple[int, ...] = ()
    queries: int = 0
    solver: int = 0
    used: tuple[str, ...] | None = None
    valued: VariableSet | None = None
    """What was kept when the values of variables were last looked at."""
    seen: SeenTemplates | None = None
    """What rounds have in common: the templates as they are seen."""
    crews: dict[tuple[int, ...], None] = field(default_factory=dict)
    """Threads that showed an error which k + 1 of them do not: they will do so again, sooner than all pairs with all thirds."""

    @contextmanager
    def round(self) -> Iterator[AbstractSystem]:
        """A round over the program as it is seen now; what it costs is booked, and drawn if anybody looks."""
        self.rounds += 1
        solver = SolverEffort()
        if self.seen is None:
            self.seen = seen_templates(self.program, self.question, self.options)
        system = abstract_system(self.program, self.question, self.predicates, self.kept, self.options, self.steps, self.seen)
        try:
            yield system
        finally:
            self.book(system)
            self.solver += solver.spent()
            for arg in system.args:
                self.observer("dump", {"name": f"arg-{arg.skeleton.template}", "dot": ArgPicture(arg)})
                self.observer("dump", {"name": f"acfa-{arg.skeleton.template}", "dot": AcfaPicture(arg)})

    def book(self, system: AbstractSystem) -> None:
        """Books the states and queries that a system has cost since the last time."""
        self.states += system.states
        system.states = 0
        for a in system.abstractions:
            self.queries += a.queries
            a.queries = 0

    def keep(self, more: VariableSet) -> None:
        """Looks at more variables from now on; what is already known about them from other questions comes along."""
        self.kept |= more
        self.predicates.include(self.learnt.about(self.kept.of))

    def count_further(self) -> bool:
        """Counts threads up to one more; False if that is no longer worth while."""
        if self.k >= MOST_K:
            return False
        self.k += 1
        return True

    def exhausted(self) -> Stop | None:
        """Why there is no further round, if there is none."""
        endless = self._endless()
        if endless is not None:
            return Stop(endless)
        if self.effort is not None and self.states > self.effort.states:
            return Stop(f"more than {self.effort.states} abstract states, and no end", paused=True)
        if self.effort is not None and self.solver > self.effort.solver:
            return Stop("more work for the solver than was allowed, and no end", paused=True)
        return Stop("too many refinements") if self.rounds >= MOST_ROUNDS else None

    def _endless(self) -> str | None:
        if len(self.predicates) > MOST_PREDICATES:
            return f"more than {MOST_PREDICATES} predicates, and no end"
        alike = Counter(map(family, (*self.predicates.shared, *(p for ps in self.predicates.own.values() for p in ps))))
        counted = next((e for e, n in alike.items() if n > MOST_ALIKE), None)
        return None if counted is None else f"it counts up: {MOST_ALIKE} predicates like '{show(counted)}', and no end"

    def statistics(self) -> Statistics:
        """The predicates are those the proof uses, once there is one, else all that were found."""
        shown = self.used
        if shown is None:
            everything_found = (*self.predicates.shared, *(p for ps in self.predicates.own.values() for p in ps))
            shown = tuple(formula_words(self.program, p) for p in everything_found)
        sizes = {t.name: n for t, n in zip(self.program.templates, self.acfa, strict=False)}
        return Statistics(shown, sizes, self.k, self.rounds, self.states, self.queries)


def seen_templates(program: Program, question: Question, options: Options = DEFAULT_OPTIONS) -> SeenTemplates:
    """How the program's templates are seen as more and more variables are kept."""
    variable = question.variable if isinstance(question, RaceOn) else None
    return SeenTemplates(program, variable, options.on(Technique.COMPACT) and not program.invariants)


def abstract_system(
    program: Program, question: Question, predicates: Predicates, kept: VariableSet | None = None,
    options: Options = DEFAULT_OPTIONS, steps: Steps | None = None, seen: SeenTemplates | None = None,
) -> AbstractSystem:
    """What `reach_and_build` works on: skeletons and abstractions of the templates by these predicates, and empty graphs.

    Of the program only the `kept` variables are seen (all of them if None), everything else is left open. `steps` keeps what
    solvers have said for another system of the same program, `seen` what its templates look like.
    """
    kept = everything(program) if kept is None else kept
    skeletons = (seen or seen_templates(program, question, options)).skeletons(kept)
    cartesian = options.on(Technique.CARTESIAN)
    abstractions = tuple(
        Abstraction(program, sk, predicates, steps, cache=options.on(Technique.CACHE), cartesian=cartesian)
        for sk in skeletons
    )
    args = tuple(Arg(sk, ab) for sk, ab in zip(skeletons, abstractions, strict=True))
    errors = Errors(program, question, skeletons, abstractions)
    return AbstractSystem(skeletons, abstractions, args, errors, options)
