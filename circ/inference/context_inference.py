"""CIRC and omega-CIRC: race checking by context inference (Henzinger, Jhala, Majumdar, PLDI 2004).

`circ` is Algorithm 5: the context is any number of abstract threads, counted 0..k and omega. `omega-circ` infers the
context with k threads in it and then checks that it is right for any number. Both end with the pairs of
`circ.inference.omega`, which
the kernel re-checks; the departures from the paper that make them sound are told where they are made (`circ.inference.arg`,
`circ.inference.acfa`, `circ.abstraction.counters`, `circ.inference.omega`, `circ.inference.simulation`).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from circ.abstraction.abstract_errors import Errors
from circ.abstraction.counters import OMEGA, Context, Key
from circ.abstraction.predicates import Abstraction, Predicates, Steps
from circ.abstraction.relevance import Name, doubtful
from circ.abstraction.skeleton import skeleton
from circ.counting.by_values import by_values
from circ.counting.local_states import LocalStates, NotFinite
from circ.inference.acfa import Acfa, collapse
from circ.inference.arg import AbstractError, Arg, System, reach_and_build
from circ.inference.explain import automata, why
from circ.inference.miners import family
from circ.inference.omega import NotUnbounded, Pairs, may_exist, omega_check
from circ.inference.pair_proof import certificate, single_certificate
from circ.inference.pictures import AcfaPicture, ArgPicture
from circ.inference.refinement import Learnt, NothingNew, Real, refine
from circ.inference.simulation import simulates
from circ.inference.trace import CounterTooLow, Mu
from circ.verdict import Observer, Options, OutOfTime, Question, RaceOn, Refuted, Safe, Statistics, Technique, Unknown, Verdict
from circ.views.variable_sets import VariableSet, everything
from circ.views.waits import awaited
from circ.views.weaken import weaken
from frontend.annotations.predicate import parse_predicate
from frontend.program import Program, Read, Var, show, truth

MOST_K = 3
MOST_ROUNDS = 400
MOST_PREDICATES = 60
"""With more, refinement is unrolling a loop or counting up a variable, and every round costs more than the one before."""
MOST_ALIKE = 6
"""With more predicates that only a number added tells apart, it is counting up."""
MOST_CONTEXTS = 256


@dataclass(slots=True)
class _Run:
    """One question on its way: what is kept, what is known, how much was spent."""

    program: Program
    question: Question
    options: Options
    observer: Observer
    predicates: Predicates
    steps: Steps
    kept: VariableSet
    k: int
    reluctance: Mapping[Name, int] = field(default_factory=dict)
    effort: int | None = None
    rounds: int = 0
    states: int = 0
    acfa: tuple[int, ...] = ()
    queries: int = 0
    used: tuple[str, ...] | None = None
    valued: VariableSet | None = None
    """What was kept when the values of variables were last looked at."""
    crews: dict[tuple[int, ...], None] = field(default_factory=dict)
    """Threads that showed an error which k + 1 of them do not: they will do so again, sooner than all pairs with all thirds."""

    def statistics(self) -> Statistics:
        """The predicates are those the proof uses, once there is one, else all that were found."""
        shown = self.used
        if shown is None:
            shown = (*map(show, self.predicates.shared), *(show(p) for ps in self.predicates.own.values() for p in ps))
        sizes = {t.name: n for t, n in zip(self.program.templates, self.acfa, strict=False)}
        return Statistics(shown, sizes, self.k, self.rounds, self.states, self.queries)

    def spent(self, system: System) -> None:
        """Books what a system has cost since the last time."""
        self.states += system.states
        system.states = 0
        for a in system.abstractions:
            self.queries += a.queries
            a.queries = 0

    def keep(self, more: VariableSet, learnt: Predicates) -> None:
        """Looks at more variables from now on; what is already known about them from other questions comes along."""
        self.kept |= more
        self.predicates.include(learnt.about(self.kept.of))

    def endless(self) -> str | None:
        """Why it is not worth going on, if it is not."""
        if len(self.predicates) > MOST_PREDICATES:
            return f"more than {MOST_PREDICATES} predicates, and no end"
        alike = Counter(map(family, (*self.predicates.shared, *(p for ps in self.predicates.own.values() for p in ps))))
        counted = next((e for e, n in alike.items() if n > MOST_ALIKE), None)
        return None if counted is None else f"it counts up: {MOST_ALIKE} predicates like '{show(counted)}', and no end"

    def dump(self, system: System) -> None:
        for arg in system.args:
            self.observer("dump", {"name": f"arg-{arg.skeleton.template}", "dot": ArgPicture(arg)})
            self.observer("dump", {"name": f"acfa-{arg.skeleton.template}", "dot": AcfaPicture(arg)})


class ContextInference:
    """Answers the questions of one program in turn; predicates found for one variable are there for the next."""

    def __init__(self, name: str, unbounded: bool) -> None:
        self.name, self.unbounded = name, unbounded
        self.learnt: Predicates | None = None
        self.steps: Steps = {}
        self.reluctance: Mapping[Name, int] = {}
        self.paused: _Run | None = None
        """The last question, if it was left for want of effort: asked again with more, it goes on from there."""

    def __call__(
        self, program: Program, question: Question, options: Options, observer: Observer, hints: Sequence[Var] = (),
        effort: int | None = None,
    ) -> Verdict:
        """`hints` are globals (locks, flags) that probably matter: they are looked at, whether 0 or not, from the beginning.

        `effort`: it pauses after the round in which it has seen so many abstract states (`paused`).
        """
        if self.learnt is None or self.learnt.program is not program:
            self.learnt, self.steps, self.reluctance, self.paused = Predicates(program), {}, doubtful(program), None
            for text in options.predicates:
                for template, predicate in parse_predicate(program, text):
                    self.learnt.add(predicate, template)
        run, self.paused = self.paused, None
        if run is None or run.question != question:
            run = self.begin(program, question, options, observer, hints, self.learnt)
        run.options, run.observer, run.effort = options, observer, effort
        try:
            verdict = self.loop(run, self.learnt)
            over = self.paused is None and options.on(Technique.VALUES)
            return self.by_values(run, verdict) if isinstance(verdict, Unknown) and over else verdict
        except OutOfTime as limit:
            return Unknown(str(limit), (self.name,), "raise --timeout, or give the engine a --predicate", run.statistics())
        finally:
            self.learnt.include(run.predicates)

    def begin(
        self, program: Program, question: Question, options: Options, observer: Observer, hints: Sequence[Var],
        learnt: Predicates,
    ) -> _Run:
        """A question that is new, with the hints and what is known about them."""
        kept = VariableSet() if options.on(Technique.SLICE) else everything(program)
        run = _Run(program, question, options, observer, Predicates(program), self.steps, kept, max(1, options.k or 1),
                   self.reluctance)
        for v in hints:
            learnt.add(truth(Read(v)), program.templates[0].name)
        run.keep(VariableSet(frozenset(v.name for v in hints)), learnt)
        return run

    def values(self, verdict: Unknown) -> Verdict:
        """What the values of variables prove about the question that was paused with this verdict, without going on with it."""
        if self.paused is None or not self.paused.options.on(Technique.VALUES):
            return verdict
        try:
            return self.by_values(self.paused, verdict)
        except OutOfTime as limit:
            return replace(verdict, tried=(*verdict.tried, str(limit)))

    def by_values(self, run: _Run, verdict: Unknown) -> Verdict:
        """What predicates and pairs of classes do not prove, by the values that the same variables take, and by triples."""
        if run.valued == run.kept:
            return verdict  # tried before, and nothing has changed
        run.valued = run.kept
        variable = run.question.variable if isinstance(run.question, RaceOn) else None
        try:
            states = LocalStates(weaken(run.program, run.kept, variable), run.question, run.options)
            found = by_values(run.program, run.question, states, run.options)
        except NotFinite as reason:
            found = f"not finite-state: {reason}"
        if isinstance(found, Safe):
            return replace(found, statistics=replace(run.statistics(), predicates=()))
        return replace(verdict, tried=(*verdict.tried, f"by the values of its variables: {found}"))

    def loop(self, run: _Run, learnt: Predicates) -> Verdict:
        """Algorithm 5: infer a context for the present predicates and k, or learn from the error that stands in the way."""
        while run.rounds < MOST_ROUNDS:
            endless = run.endless()
            if endless is None and run.effort is not None and run.states > run.effort:
                endless, self.paused = f"more than {run.effort} abstract states, and no end", run
            if endless is not None:
                advice = "give a --predicate that tells why the error cannot happen"
                return Unknown(endless, (self.name,), advice, run.statistics())
            run.rounds += 1
            system = build(run)
            mus: list[Mu] = []
            try:
                infer_context(system, run.k, self.unbounded, mus, tuple(run.crews))
                return prove(run, system, mus)
            except AbstractError as error:
                try:
                    outcome = refine(run.program, run.question, system, mus, error.trace, run.predicates, run.kept,
                                     run.reluctance)
                except CounterTooLow:
                    outcome = None
                run.observer("refined", {"round": run.rounds, "k": run.k, "predicates": len(run.predicates)})
                match outcome:
                    case Real(trace=trace):
                        return Refuted(trace, run.statistics())
                    case Learnt(kept=kept):
                        run.keep(kept, learnt)
                    case NothingNew() | None:
                        if outcome is not None or run.k >= MOST_K:
                            return Unknown(
                                "refinement found nothing new about a possible error", (self.name,),
                                "try --engine explicit, or give a --predicate that tells why it cannot happen", run.statistics(),
                            )
                        run.k += 1
            except NotUnbounded as reason:
                if run.k >= MOST_K:
                    return Unknown(
                        f"the context for {run.k} threads does not extend to any number ({reason})", (self.name,),
                        "try --engine explicit, or give a --predicate", run.statistics(),
                    )
                run.k += 1
            finally:
                run.spent(system)
                run.dump(system)
        return Unknown("too many refinements", (self.name,), "give a --predicate", run.statistics())


# --------------------------------------------------------------------------------------------------- the inner loop
def build(run: _Run) -> System:
    """Skeletons, abstractions and empty graphs for the present choice of kept variables and predicates."""
    variable = run.question.variable if isinstance(run.question, RaceOn) else None
    weak = weaken(run.program, run.kept, variable)
    glue = run.options.on(Technique.COMPACT) and not run.program.invariants
    skeletons = tuple(
        skeleton(o, w, run.kept.globals, variable, run.program.race_model, glue, awaited(weak)[o.name])
        for o, w in zip(run.program.templates, weak.templates, strict=True)
    )
    cartesian = run.options.on(Technique.CARTESIAN)
    abstractions = tuple(
        Abstraction(run.program, sk, run.predicates, run.steps, cache=run.options.on(Technique.CACHE), cartesian=cartesian)
        for sk in skeletons
    )
    args = tuple(Arg(sk, ab) for sk, ab in zip(skeletons, abstractions, strict=True))
    errors = Errors(run.program, run.question, skeletons, abstractions)
    return System(skeletons, abstractions, args, errors, run.options)


def infer_context(system: System, k: int, unbounded: bool, mus: list[Mu], crews: Iterable[tuple[int, ...]] = ()) -> None:
    """Lines 5-8: collapse the graphs to abstract threads and explore every template among them, until they simulate it.

    `mus` always holds the maps that belong to the abstract threads in use, for whoever has to read an error trace.
    Each of `crews`, more than k + 1 threads by their templates, is explored as well.
    """
    known: dict[tuple[int, Context, int], tuple[int, ...]] = {}
    """The graphs that a context came from, as they were when it was last explored: the same again teaches nothing."""
    collapsed: list[tuple[Acfa, Mu]] = []
    versions: list[int] = []

    def fresh(main: int, context: Context, others: int) -> bool:
        seen = tuple(versions[t] for t in sorted({t for (t, _), _ in context}))
        if known.get((main, context, others)) == seen:
            return False
        known[main, context, others] = seen
        return True

    while True:
        before, versions = versions, [arg.version for arg in system.args]
        collapsed = [collapsed[t] if before and before[t] == versions[t] else collapse(arg, t)
                     for t, arg in enumerate(system.args)]
        acfas = [a for a, _ in collapsed]
        mus[:] = [mu for _, mu in collapsed]
        for main in range(len(acfas)):
            for context in contexts(system, acfas, main, k, unbounded):
                if fresh(main, context, k):
                    reach_and_build(system, main, acfas, context, k)
        for crew in crews:
            for n in range(len(crew)):
                for main, context in crowd(system, acfas, (crew[n], *crew[:n], *crew[n + 1:])):
                    if fresh(main, context, len(crew) - 1):
                        reach_and_build(system, main, acfas, context, len(crew) - 1)
        if all(arg.version == version or simulates(a, arg)
               for a, arg, version in zip(acfas, system.args, versions, strict=True)):
            return


def contexts(system: System, acfas: list[Acfa], main: int, k: int, unbounded: bool) -> Iterator[Context]:
    """The contexts a main thread starts in: all others at once, or every choice of k others."""
    if unbounded:
        ways = 1
        crowds = [list(_crowds(system, a, t, main, k)) for t, a in enumerate(acfas)]
        for crowd in crowds:
            ways *= len(crowd)
        if ways > MOST_CONTEXTS:
            raise OutOfTime("too many ways to spread the threads over their start states")
        for mixture in itertools.product(*crowds):
            yield tuple(sorted(item for crowd in mixture for item in crowd))
        return
    places: list[Key] = [(t, c) for t, a in enumerate(acfas) if acts(system, t) for c in sorted(a.start)]
    for size in range(min(k, _most_others(system)), -1, -1):
        found = [chosen for chosen in itertools.combinations_with_replacement(places, size)
                 if may_exist(system, main, *(t for t, _ in chosen))]
        if found:
            yield from (tuple(sorted((key, chosen.count(key)) for key in set(chosen))) for chosen in found)
            return


def acts(system: System, t: int) -> bool:
    """Whether a thread of the template can change what others see, or have a part in an error; if not, it can only wait."""
    sk = system.skeletons[t]
    return (any(segment.writes for row in sk.segments for segment in row) or any(sk.accesses) or any(sk.error) or any(sk.critical)
            or bool(system.errors.program.invariants))


def _crowds(system: System, acfa: Acfa, t: int, main: int, k: int) -> Iterator[Context]:
    """How the other threads of one template may be spread over its start classes, counted up to k.

    More idle threads of a template without a count change nothing, so its occupied start classes hold infinitely many;
    unless somebody waits for all of them, and then every number matters.
    """
    n, endless = system.count(t), system.endless(t)
    most = OMEGA if n is None else n - (t == main)
    numbers = (0, OMEGA) if endless else (*range(min(k, most) + 1), OMEGA)
    starts = sorted(acfa.start)
    for spread in itertools.product(numbers, repeat=len(starts)):
        least = sum(min(m, k + 1) for m in spread)
        fits = least <= most and (OMEGA in spread or least == most)
        if fits if n is not None else any(spread) or not endless:
            yield tuple(((t, c), m) for c, m in zip(starts, spread, strict=True) if m)


def _most_others(system: System) -> int:
    counts = [system.count(t) for t in range(len(system.skeletons))]
    return 1 << 20 if None in counts else sum(n for n in counts if n is not None) - 1


def prove(run: _Run, system: System, mus: list[Mu]) -> Verdict:
    """The unbounded check and the certificate; raises NotUnbounded if the context is right for k threads only.

    Before it does, the threads that had a part in the error are explored together: an error that they reach is raised.
    """
    if _most_others(system) == 0:
        run.acfa = tuple(arg.size for arg in system.args)
        proof = single_certificate(run.program, run.question, system)
        run.used = proof.predicates
        return Safe(proof.certificate, ("the only thread never gets into an error",), statistics=run.statistics())
    try:
        pairs: Pairs = omega_check(system)
    except NotUnbounded as reason:
        collapsed = [collapse(arg, t) for t, arg in enumerate(system.args)]
        mus[:] = [mu for _, mu in collapsed]
        for crew in crews(system, reason.crew, run.k):
            try:
                explore(system, [a for a, _ in collapsed], crew)
            except AbstractError:
                run.crews[tuple(sorted(crew))] = None
                raise
        raise
    run.acfa = tuple(a.size for a in pairs.acfas)
    proof = certificate(run.program, run.question, system, pairs)
    run.used = proof.predicates
    run.spent(system)
    statistics = replace(run.statistics(), context=automata(system, pairs.acfas))
    return Safe(proof.certificate, why(run.question, system, pairs.acfas, pairs.mus), statistics=statistics)


def crews(system: System, guilty: tuple[int, ...], k: int) -> Iterator[tuple[int, ...]]:
    """Threads that may show together what k + 1 of them do not: the guilty ones, then the first two with any others that act."""
    if len(guilty) > k + 1:
        yield guilty
    others = [t for t in range(len(system.skeletons)) if acts(system, t)]
    for more in itertools.combinations_with_replacement(others, k):
        crew = (*guilty[:2], *more)
        if crew != guilty and may_exist(system, *crew):
            yield crew


def explore(system: System, acfas: Sequence[Acfa], crew: tuple[int, ...]) -> None:
    """Explores one thread (the first) among one of each of the others."""
    for main, context in crowd(system, acfas, crew):
        reach_and_build(system, main, acfas, context, len(crew) - 1)


def crowd(system: System, acfas: Sequence[Acfa], crew: tuple[int, ...]) -> Iterator[tuple[int, Context]]:
    """The first thread of a crew, and the contexts of one of each of the others that it may start in."""
    main, *others = crew
    if may_exist(system, *crew):
        for classes in itertools.product(*(sorted(acfas[t].start) for t in others)):
            chosen = list(zip(others, classes, strict=True))
            yield main, tuple(sorted((key, chosen.count(key)) for key in set(chosen)))


def omega_circ() -> ContextInference:
    return ContextInference("omega-circ", unbounded=False)


def circ() -> ContextInference:
    return ContextInference("circ", unbounded=True)
