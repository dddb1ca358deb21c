"""CIRC and omega-CIRC: race checking by context inference (Henzinger, Jhala, Majumdar, PLDI 2004).

`circ` is Algorithm 5: the context is any number of abstract threads, counted 0..k and omega. `omega-circ` infers the context
with k threads in it and then checks that it is right for any number. Both end with the pairs of `circ.inference.omega`,
which the kernel re-checks; the departures from the paper that make them sound are told where they are made
(`circ.inference.arg`, `circ.inference.acfa`, `circ.abstraction.counters`, `circ.inference.omega`,
`circ.inference.simulation`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from circ.abstraction.counters import Context
from circ.abstraction.predicates import Predicates, Steps
from circ.abstraction.relevance import ScopedName, doubtful
from circ.counting.by_values import by_values
from circ.counting.local_states import LocalStates, NotFinite
from circ.inference.acfa import Acfa, collapse
from circ.inference.arg import AbstractError, AbstractSystem, RoundTooLong, reach_and_build
from circ.inference.contexts import contexts, crews, crowd, most_others
from circ.inference.effort import Effort
from circ.inference.inquiry import Inquiry
from circ.inference.omega import NotUnbounded, Pairs, omega_check
from circ.inference.refinement import Learnt, NothingNew, Real, refine
from circ.inference.results.explain import automata, context_automata, why
from circ.inference.results.pair_proof import certificate, single_certificate
from circ.inference.simulation import simulates
from circ.inference.trace import CounterTooLow, Mu
from circ.verdict import Observer, Options, OutOfTime, Question, RaceOn, Refuted, Safe, Technique, Unknown, Verdict
from circ.views.variable_sets import VariableSet, everything
from circ.views.weaken import weaken
from frontend.annotations.predicate import parse_predicate
from frontend.program import Program, Read, Var, truth


class ContextInference:
    """Answers the questions of one program in turn; predicates found for one variable are there for the next."""

    def __init__(self, name: str, unbounded: bool) -> None:
        self.name, self.unbounded = name, unbounded
        self.learnt: Predicates | None = None
        self.steps: Steps = {}
        self.reluctance: Mapping[ScopedName, int] = {}
        self.paused: Inquiry | None = None
        """The last question, if it was left for want of effort: asked again with more, it goes on from there."""

    def loop(self, inquiry: Inquiry) -> Verdict:
        """Algorithm 5: infer a context for the present predicates and k, or learn from the error that stands in the way."""
        while (stop := inquiry.exhausted()) is None:
            mus: list[Mu] = []
            with inquiry.round() as system:
                try:
                    infer_context(system, inquiry.k, self.unbounded, mus, tuple(inquiry.crews))
                    return prove(inquiry, system, mus)
                except AbstractError as error:
                    match learn(inquiry, system, mus, error):
                        case Real(trace=trace):
                            return Refuted(trace, inquiry.statistics())
                        case Learnt(kept=kept):
                            inquiry.keep(kept)
                        case NothingNew():
                            return self.unknown(inquiry, NOTHING_NEW)
                        case CounterTooLow():
                            if not inquiry.count_further():
                                return self.unknown(inquiry, NOTHING_NEW)
                except RoundTooLong as limit:
                    self.paused = inquiry
                    return self.unknown(inquiry, str(limit))
                except NotUnbounded as missed:
                    if not inquiry.count_further():
                        return self.unknown(
                            inquiry, f"the context for {inquiry.k} threads does not extend to any number ({missed})")
        self.paused = inquiry if stop.paused else None
        return self.unknown(inquiry, stop.reason)

    def unknown(self, inquiry: Inquiry, reason: str) -> Unknown:
        advice = "try --engine explicit, or give a --predicate that tells why the error cannot happen"
        return Unknown(reason, (self.name,), advice, inquiry.statistics())

    # ----------------------------------------------------------------------------------------------- questions
    def __call__(
        self, program: Program, question: Question, options: Options, observer: Observer, hints: Sequence[Var] = (),
        effort: Effort | None = None,
    ) -> Verdict:
        """`hints` are globals (locks, flags) that probably matter: they are looked at, whether 0 or not, from the beginning.

        `effort`: it pauses after the round in which so much has been spent on the question (`paused`).
        """
        if self.learnt is None or self.learnt.program is not program:
            self.learnt, self.steps, self.reluctance, self.paused = Predicates(program), {}, doubtful(program), None
            for text in options.predicates:
                for template, predicate in parse_predicate(program, text):
                    self.learnt.add(predicate, template)
        inquiry, self.paused = self.paused, None
        if inquiry is None or inquiry.question != question:
            inquiry = self.begin(program, question, options, observer, hints, self.learnt)
        inquiry.options, inquiry.observer, inquiry.effort = options, observer, effort
        try:
            verdict = self.loop(inquiry)
            over = self.paused is None and options.on(Technique.VALUES)
            return prove_by_values(inquiry, verdict) if isinstance(verdict, Unknown) and over else verdict
        except OutOfTime as limit:
            return Unknown(str(limit), (self.name,), "raise --timeout, or give the engine a --predicate", inquiry.statistics())
        finally:
            self.learnt.include(inquiry.predicates)

    def begin(
        self, program: Program, question: Question, options: Options, observer: Observer, hints: Sequence[Var],
        learnt: Predicates,
    ) -> Inquiry:
        """A question that is new, with the hints and what is known about them."""
        kept = VariableSet() if options.on(Technique.SLICE) else everything(program)
        inquiry = Inquiry(program, question, options, observer, learnt, Predicates(program), self.steps, kept,
                          max(1, options.k or 1), self.reluctance)
        for v in hints:
            learnt.add(truth(Read(v)), program.templates[0].name)
        inquiry.keep(VariableSet(frozenset(v.name for v in hints)))
        return inquiry

    def values(self, verdict: Unknown, most: int | None = None) -> Verdict:
        """What the values of variables prove about the question that was paused with this verdict, without going on with it.

        `most`: no proof by more tuples of local states than these.
        """
        if self.paused is None or not self.paused.options.on(Technique.VALUES):
            return verdict
        try:
            return prove_by_values(self.paused, verdict, most)
        except OutOfTime as limit:
            return replace(verdict, tried=(*verdict.tried, str(limit)))


NOTHING_NEW = "refinement found nothing new about a possible error"


# --------------------------------------------------------------------------------------------------- the parts of a round
def infer_context(system: AbstractSystem, k: int, unbounded: bool, mus: list[Mu], crews: Iterable[tuple[int, ...]] = ()) -> None:
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


def learn(
    inquiry: Inquiry, system: AbstractSystem, mus: list[Mu], error: AbstractError
) -> Real | Learnt | NothingNew | CounterTooLow:
    """Refine: what an abstract error teaches; CounterTooLow if counters up to k do not tell whose steps led to it."""
    try:
        return refine(inquiry.program, inquiry.question, system, mus, error.trace, inquiry.predicates, inquiry.kept,
                      inquiry.reluctance)
    except CounterTooLow as low:
        return low
    finally:
        inquiry.observer("refined", {"round": inquiry.rounds, "k": inquiry.k, "predicates": len(inquiry.predicates)})


def prove(inquiry: Inquiry, system: AbstractSystem, mus: list[Mu]) -> Verdict:
    """The unbounded check and the certificate; raises NotUnbounded if the context is right for k threads only.

    Before it does, the threads that had a part in the error are explored together: an error that they reach is raised.
    """
    if most_others(system) == 0:
        inquiry.acfa = tuple(arg.size for arg in system.args)
        proof = single_certificate(inquiry.program, inquiry.question, system)
        inquiry.used = proof.predicates
        return Safe(proof.certificate, ("the only thread never gets into an error",), statistics=inquiry.statistics())
    try:
        pairs: Pairs = omega_check(system)
    except NotUnbounded as reason:
        collapsed = [collapse(arg, t) for t, arg in enumerate(system.args)]
        mus[:] = [mu for _, mu in collapsed]
        for crew in crews(system, reason.crew, inquiry.k):
            try:
                explore(system, [a for a, _ in collapsed], crew)
            except AbstractError:
                inquiry.crews[tuple(sorted(crew))] = None
                raise
        raise
    inquiry.acfa = tuple(a.size for a in pairs.acfas)
    proof = certificate(inquiry.program, inquiry.question, system, pairs)
    inquiry.used = proof.predicates
    inquiry.book(system)
    statistics = replace(inquiry.statistics(), context=automata(system, pairs.acfas))
    return Safe(proof.certificate, why(inquiry.question, system, pairs.acfas, pairs.mus), statistics=statistics,
                context=context_automata(system, pairs.acfas))


def explore(system: AbstractSystem, acfas: Sequence[Acfa], crew: tuple[int, ...]) -> None:
    """Explores one thread (the first) among one of each of the others."""
    for main, context in crowd(system, acfas, crew):
        reach_and_build(system, main, acfas, context, len(crew) - 1)


def prove_by_values(inquiry: Inquiry, verdict: Unknown, most: int | None = None) -> Verdict:
    """What predicates and pairs of classes do not prove, by the values that the same variables take, and by triples."""
    if inquiry.valued == inquiry.kept:
        return verdict  # tried before, and nothing has changed
    if most is None:
        inquiry.valued = inquiry.kept
    variable = inquiry.question.variable if isinstance(inquiry.question, RaceOn) else None
    try:
        states = LocalStates(weaken(inquiry.program, inquiry.kept, variable), inquiry.question, inquiry.options)
        found = by_values(inquiry.program, inquiry.question, states, inquiry.options, most)
    except NotFinite as reason:
        found = f"not finite-state: {reason}"
    if isinstance(found, Safe):
        return replace(found, statistics=replace(inquiry.statistics(), predicates=()))
    return replace(verdict, tried=(*verdict.tried, f"by the values of its variables: {found}"))


def omega_circ() -> ContextInference:
    return ContextInference("omega-circ", unbounded=False)


def circ() -> ContextInference:
    return ContextInference("circ", unbounded=True)
