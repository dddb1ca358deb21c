"""The obligations of a `pairs` certificate, and why they prove what they prove.

The certificate gives, for threads by template and class of location:

    P[a,A,b,B](g, l1, l2)         holds of any two distinct threads there whenever no *third* thread is at an atomic location
    K[a,A,b,B,c,C](g, l1, l2, l3) A, B not atomic, C atomic: holds of the two while a third thread is at C

A missing row is false. H(1,2) stands for P_ab(1,2) and P_ba(2,1), with what is known of thread numbers (`Threads.numbers`)
and counts. For all templates a, b, c, as far as the counts let such threads exist:

    Init   the start values imply P[q0,q0]
    S1     B not atomic:        H(1,2) and a step of 1                            imply P[A',B]
    S2     A not atomic:        H(1,2) and a step of 2                            imply P[A,B']
    T1     A, B, C not atomic:  H(1,2), H(1,3), H(2,3) and a step of 3            imply P[A,B], or K[A,B,C'] if C' is atomic
    T2     A, B not, C atomic:  K(1,2,3), K(2,1,3), H(1,3), H(2,3), a step of 3   imply the same
    Race   conflicting accesses next at A and B:  H(1,2) and "the cells overlap" is impossible
    Error  an error location in A: H(1,2) is impossible; Critical: the same for two critical locations;
    Invariant   H(1,2) implies it

By induction on the length of a run, all pairs satisfy P, and K while a third thread is at an atomic location. No start
location is atomic, so at most one thread ever is at one, and when a thread steps every *other* one is not. If the thread
that steps is one of the pair, S1 or S2 speak of it, otherwise T1 or T2. Hypotheses speak of the state before the step, so
nothing is circular. Two threads whose next accesses conflict while a third is at an atomic location were there when that
one entered, so P decides, except about cells: an index that reads globals may change under them, so it is asked under K too.
In every state of two or more threads some pair satisfies P, so errors and invariants are asked of P alone.

A formula belongs to a class of locations that agree on being atomic; edges of one class that do the same are one step.
`AllAt(t, S)` stops a step if the class of another thread of t lies outside S; one that lies partly outside does not stop it.

Counting facts: expr(g) is the sum of the weights of all threads' classes. It is 0 at the start, where weights are 0
(CountInit), and every step of thread 1, beside any thread 2, changes it by the difference of its weights (Count); so it is
at least the sum of any threads' weights, and at most that and the greatest weight for each other thread, if their number
is known. For exact integers all this is modulo 2^width and holds as said while the
sum fits the type: known from the counts, or assumed, and then the assumption is part of the answer.

Formulas for every index: Q[a,A,b,B](g, l1, l2, j), a missing row being true, holds of the two threads for every j, whenever P
does. Init, S1, S2 and T1 prove it for a j of which nothing is known, from Q before the step for that same j and for the indices
that the step uses: what holds for every index holds for those. P after the step may be proved from Q before it for the indices
that P names, with their values after the step. Only in programs without atomic locations, so that there is no K.

A run of one thread alone, where others might have existed, is a run in which those stay at their start, as long as no
`AllAt` waits for them to leave it (checked where it matters); a program of one thread in all has unary facts instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import TypeAlias, assert_never

from circ.evidence import Assertions, Question, RaceOn
from circ.kernel.outcome import Accepted, Outcome, Refused
from circ.kernel.pair_bodies import FALSE_ROW, Counting, FormulaRow, PairsBody
from circ.kernel.prover import ELEMENTS, Obligation, Prover, Unproved
from circ.kernel.threads import Moment, ThreadPlace, Threads
from circ.semantics.conflicts import conflict
from circ.smt import SatResult, Term
from frontend.program import Access, AllAt, Assumption, Edge, Element, Ground, Ints, Program, op_writes, primitive, variables
from frontend.program.exact import exact_op, show_exact_lvalue
from frontend.records import dataclass

AccessesAt: TypeAlias = dict[int, list[tuple[Edge, Access]]]
"""By class what may be accessed next."""


@dataclass(frozen=True, slots=True)
class ClassStep:
    """What edges between two classes of a template do; `edge` is one of them."""

    source: int
    target: int
    edge: Edge


class PairsCheck:
    """The obligations, one method each; H and the rest of the vocabulary below them.

    That the formulas are inductive has nothing to do with the question, and is proved once for all that are asked.
    """

    most = 3
    """No obligation speaks of more threads, so as many of a template are like any number of them."""

    def __init__(self, program: Program, body: PairsBody) -> None:
        self.program = program
        self.body = body
        self.threads = Threads(program)
        self.templates = range(len(program.templates))
        self.crowd = [self.most if t.count is None else min(t.count, self.most) for t in program.templates]
        counts = [t.count for t in program.templates]
        self.total = None if None in counts else sum(c for c in counts if c is not None)
        self.classes = [sorted(set(classes)) for classes in body.classes]
        self.atomic = [frozenset(body.classes[t][q] for q in program.templates[t].cfa.atomic) for t in self.templates]
        self.quiet = [[c for c in self.classes[t] if c not in self.atomic[t]] for t in self.templates]
        self.spoken = frozenset(s.name for symbols in (*(r.symbols for r in body.rows), *(c.symbols for c in body.counting))
                                for s in symbols)
        self.steps = [self._steps(t) for t in self.templates]
        self.start = self.threads.start([v for v in program.globals if v.name in self.spoken], self.threads.globals)
        self._awaited: dict[tuple[int, int], frozenset[int] | None] = {}
        self._h: dict[tuple[ThreadPlace, ThreadPlace], tuple[Term, ...]] = {}
        self._seen: dict[int, list[tuple[ThreadPlace, ClassStep, frozenset[str]]]] = {}
        self._meetings: dict[tuple[int, int], list[tuple[ThreadPlace, ThreadPlace, tuple[Term, ...], frozenset[str]]]] = {}
        told = (*body.pairs.values(), *body.every.values(), *body.triples.values())
        self.named = frozenset(s.name for row in told for s in row.symbols if not s.slot)
        # Questions about elements of arrays are easier in smaller lots.
        self.prover = Prover(ELEMENTS) if any(v.is_array and v.name in self.spoken for v in program.globals) else Prover()
        self.inductive = False

    def outcome(self, question: Question) -> Outcome:
        """Whether the formulas are inductive and exclude what the question forbids."""
        flaw = self.flaw(question)
        if flaw is not None:
            return Refused(*flaw)
        asked = self.prover.queries
        failure = None if self.inductive else self.prover.first_failure(self.induction())
        if failure is None:
            self.inductive = True
            failure = self.prover.first_failure(self.exclusion(question))
        if failure is not None:
            return self.refused(failure)
        return Accepted(tuple(self.assumptions()), self.prover.queries - asked)

    def induction(self) -> Iterator[Obligation]:
        """What makes the formulas true in every state, whatever they are used for."""
        yield from self.count_init()
        for a, b in product(self.templates, repeat=2):
            if not self.exists(a, b):
                continue
            yield from self.init(a, b)
            yield from self.count(a, b)
            yield from self.s1(a, b)
            yield from self.s2(a, b)
            for c in self.templates:
                if self.exists(a, b, c):
                    yield from self.t1(a, b, c)
                    yield from self.t2(a, b, c)

    def exclusion(self, question: Question) -> Iterator[Obligation]:
        """What makes them an answer to the question."""
        match question:
            case RaceOn(variable=variable):
                accesses = [self._accesses(t, variable) for t in self.templates]
                for a, b in product(self.templates, repeat=2):
                    if self.exists(a, b):
                        yield from self.race(a, b, accesses)
            case Assertions():
                for a in self.templates:
                    if sum(self.crowd) == 1 and self.crowd[a]:
                        yield from self.alone(a)
                for a, b in product(self.templates, repeat=2):
                    if self.exists(a, b):
                        yield from self.error(a, b)
                        yield from self.critical(a, b)
                        yield from self.invariant(a, b)
            case _:
                assert_never(question)

    # ----------------------------------------------------------------------------------------------- the obligations
    def init(self, a: int, b: int) -> Iterator[Obligation]:
        one, two = self.at_start(1, a), self.at_start(2, b)
        globals_, known = self.start
        starts = [self.threads.start(self.program.templates[p.template].locals, self.threads.locals[p.slot, p.template])
                  for p in (one, two)]
        facts = (*known, *(c for _, more in starts for c in more), *self.threads.numbers((one, two), at_start=True))
        for row in (self.body.pairs.get((a, one.cls, b, two.cls), FALSE_ROW), self.body.every.get((a, one.cls, b, two.cls))):
            if row is not None:
                yield Obligation("Init", facts, self.threads.formula(row, globals_, [terms for terms, _ in starts]), (one, two))

    def s1(self, a: int, b: int) -> Iterator[Obligation]:
        for one, two, step, moment, before in self.steps_of_first(a, b):
            after = ThreadPlace(1, a, step.target)
            yield from self.both("S1", before, after, two, moment, (one, two, step), (one, two))

    def s2(self, a: int, b: int) -> Iterator[Obligation]:
        for ca, cb in product(self.quiet[a], self.classes[b]):
            one, two = ThreadPlace(1, a, ca), ThreadPlace(2, b, cb)
            h = self.h(one, two)
            for step, moment in self.possible_steps(two, (one,), h):
                before = (*moment.constraints, *h, *self.counts(one, two),
                          *self.indexed(self.threads.indices_of(two, step.edge.op), (one, two)))
                yield from self.both("S2", before, one, ThreadPlace(2, b, step.target), moment, (one, two, step), (one, two))

    def t1(self, a: int, b: int, c: int) -> Iterator[Obligation]:
        steps = self.seen_steps(c)
        for one, two, h, named in self.meetings(a, b) if steps else ():
            for three, step, changed in steps:
                # The frame rule again, for these two: P[A,B] and Q[A,B] are hypotheses, and nothing in them changes.
                if (step.target in self.atomic[c] or not named.isdisjoint(changed)) and not self.stopped(step, (one, two)):
                    yield from self.third("T1", one, two, three, step, (*h, *self.h(one, three), *self.h(two, three)))

    def seen_steps(self, c: int) -> list[tuple[ThreadPlace, ClassStep, frozenset[str]]]:
        """The steps of a third thread from outside atomic sections, but for those that enter none and change nothing named,
        and what they change.

        That is the frame rule for many at once: P[A,B] is a hypothesis, and nothing in it changes.
        """
        if c not in self._seen:
            found = [(three, step, self.threads.step(three, step.edge.op).changed)
                     for three in (ThreadPlace(3, c, cc) for cc in self.quiet[c]) for step in self.steps[c].get(three.cls, ())]
            self._seen[c] = [(three, step, changed) for three, step, changed in found
                             if step.target in self.atomic[c] or changed & self.named]
        return self._seen[c]

    def meetings(self, a: int, b: int) -> list[tuple[ThreadPlace, ThreadPlace, tuple[Term, ...], frozenset[str]]]:
        """Where two threads can be, neither at an atomic location: H of them, and the globals that P and Q of the two name."""
        if (a, b) not in self._meetings:
            found = self._meetings[a, b] = []
            for ca, cb in product(self.quiet[a], self.quiet[b]):
                one, two = ThreadPlace(1, a, ca), ThreadPlace(2, b, cb)
                h = self.h(one, two)
                if not self.impossible(h):
                    rows = (self._row(one, two), self.every(one, two))
                    named = frozenset(s.name for row in rows if row is not None for s in row.symbols if not s.slot)
                    found.append((one, two, h, named))
        return self._meetings[a, b]

    def t2(self, a: int, b: int, c: int) -> Iterator[Obligation]:
        pairs = [(ThreadPlace(1, a, ca), ThreadPlace(2, b, cb)) for ca, cb in product(self.quiet[a], self.quiet[b])]
        for three in (ThreadPlace(3, c, cc) for cc in sorted(self.atomic[c])):
            beside = [(one, two, self.beside(one, two, three)) for one, two in pairs]
            for step in self.steps[c].get(three.cls, ()):
                for one, two, h in beside:
                    yield from self.third("T2", one, two, three, step, h)

    def third(
        self, name: str, one: ThreadPlace, two: ThreadPlace, three: ThreadPlace, step: ClassStep, h: tuple[Term, ...],
    ) -> Iterator[Obligation]:
        if self.impossible(h) or self.stopped(step, (one, two)):
            return
        moment = self.threads.step(three, step.edge.op)
        pairs = (one, two), (one, three), (two, three)
        before = (*moment.constraints, *h, *self.counts(one, two, three),
                  *self.indexed(self.threads.indices_of(three, step.edge.op), *pairs))
        if step.target in self.atomic[three.template]:
            goal = self.holder(one, two, ThreadPlace(3, three.template, step.target), moment)
            yield Obligation(name, before, goal, (one, two, three, step))
        else:
            yield from self.both(name, before, one, two, moment, (one, two, three, step), *pairs)

    def both(self, name: str, before: tuple[Term, ...], one: ThreadPlace, two: ThreadPlace, moment: Moment,
             about: tuple[object, ...], *pairs: tuple[ThreadPlace, ThreadPlace]) -> Iterator[Obligation]:
        """P and Q of the two at that moment, one conjunct after the other; `pairs` are those of which Q holds before the step."""
        for part in self._row(one, two).parts:
            more = self.indexed(self.threads.indices_in(part, moment, (one, two)), *pairs)
            yield Obligation(name, (*before, *more), self.threads.holds(part, moment, (one, two)), about)
        every = self.every(one, two)
        for part in () if every is None else every.parts:
            yield Obligation(name, before, self.threads.holds(part, moment, (one, two)), about)

    def race(self, a: int, b: int, accesses: Sequence[AccessesAt]) -> Iterator[Obligation]:
        for one, two, overlap, first, second, moving in self.conflicts(a, b, accesses):
            yield Obligation("Race", (*self.h(one, two), *self.counts(one, two), overlap), self.threads.false,
                             (one, two, first, second))
            if moving and one.cls in self.quiet[a] and two.cls in self.quiet[b]:
                yield from self.race_beside(one, two, overlap, first, second)

    def race_beside(self, one: ThreadPlace, two: ThreadPlace, overlap: Term, first: Edge, second: Edge) -> Iterator[Obligation]:
        """The same while a third thread is at an atomic location, for indices that it can change."""
        for c in self.templates:
            if self.exists(one.template, two.template, c):
                for three in (ThreadPlace(3, c, cc) for cc in sorted(self.atomic[c])):
                    h = (*self.beside(one, two, three), *self.counts(one, two, three), overlap)
                    yield Obligation("Race", h, self.threads.false, (one, two, three, first, second))

    def error(self, a: int, b: int) -> Iterator[Obligation]:
        wrong = {self.body.classes[a][q] for q in self.program.templates[a].cfa.errors}
        for one, two in self.places(a, b):
            if one.cls in wrong:
                yield Obligation("Error", (*self.h(one, two), *self.counts(one, two)), self.threads.false, (one, two))

    def critical(self, a: int, b: int) -> Iterator[Obligation]:
        inside = [{self.body.classes[t][q] for q in self.program.templates[t].cfa.critical} for t in (a, b)]
        for one, two in self.places(a, b):
            if one.cls in inside[0] and two.cls in inside[1]:
                yield Obligation("Critical", (*self.h(one, two), *self.counts(one, two)), self.threads.false, (one, two))

    def invariant(self, a: int, b: int) -> Iterator[Obligation]:
        for one, two in self.places(a, b):
            for inv in self.program.invariants:
                goal = self.threads.encoder.cond(inv.cond, self.threads.globals, strict=True)
                yield Obligation("Invariant", (*self.h(one, two), *self.counts(one, two)), goal, (one, two, inv.text))

    def alone(self, a: int) -> Iterator[Obligation]:
        """The program is one thread, of template a: unary facts, and no third or second thread to think of."""
        template, start = self.program.templates[a], self.at_start(1, a)
        globals_, known = self.threads.start(self.program.globals, self.threads.globals)
        terms, more = self.threads.start(template.locals, self.threads.locals[1, a])
        facts = (*known, *more, *self.threads.numbers((start,), at_start=True))
        yield Obligation("Init", facts, self.threads.formula(self.single(start), globals_, [terms]), (start,))
        for ca in self.classes[a]:
            one = ThreadPlace(1, a, ca)
            h = (self.threads.holds(self.single(one), self.threads.before, (one,)), *self.threads.numbers((one,)),
                 *self.counts(one))
            for step, moment in self.possible_steps(one, (), h):
                after = ThreadPlace(1, a, step.target)
                before = (*moment.constraints, *h)
                yield Obligation("S1", before, self.threads.holds(self.single(after), moment, (after,)), (one, step))
                yield from self.counted(before, one, step, moment)
            if any(self.body.classes[a][q] == ca for q in template.cfa.errors):
                yield Obligation("Error", h, self.threads.false, (one,))
            for inv in self.program.invariants:
                goal = self.threads.encoder.cond(inv.cond, self.threads.globals, strict=True)
                yield Obligation("Invariant", h, goal, (one, inv.text))

    def count_init(self) -> Iterator[Obligation]:
        globals_, known = self.threads.start(self.program.globals, self.threads.globals)
        for fact in self.body.counting:
            yield Obligation("CountInit", known, self.threads.is_count(fact, 0, globals_))

    def count(self, a: int, b: int) -> Iterator[Obligation]:
        if self.body.counting:
            for one, _, step, moment, before in self.steps_of_first(a, b):
                yield from self.counted(before, one, step, moment)

    def counted(self, before: tuple[Term, ...], one: ThreadPlace, step: ClassStep, moment: Moment) -> Iterator[Obligation]:
        for fact in self.body.counting:
            weights = fact.weights[one.template]
            by = weights[step.target] - weights[step.source]
            if by or any(s.name in moment.changed for s in fact.symbols):
                yield Obligation("Count", before, self.threads.grows(fact, moment, by), (one, step))

    # ----------------------------------------------------------------------------------------------- vocabulary
    def exists(self, *templates: int) -> bool:
        """Whether there can be distinct threads of these templates at once."""
        return all(templates.count(t) <= self.crowd[t] for t in templates)

    def _row(self, one: ThreadPlace, two: ThreadPlace) -> FormulaRow:
        return self.body.pairs.get((one.template, one.cls, two.template, two.cls), FALSE_ROW)

    def holder(self, one: ThreadPlace, two: ThreadPlace, three: ThreadPlace, moment: Moment) -> Term:
        """K of the first two while the third is where it is."""
        where = (one.template, one.cls, two.template, two.cls, three.template, three.cls)
        return self.threads.holds(self.body.holders.get(where, FALSE_ROW), moment, (one, two, three))

    def h(self, one: ThreadPlace, two: ThreadPlace) -> tuple[Term, ...]:
        """H(1,2), before the step."""
        if (one, two) not in self._h:
            before = self.threads.before
            facts = tuple(self.threads.holds(part, before, places) for places in ((one, two), (two, one))
                          for row in (self._row(*places), self.every(*places)) if row is not None for part in row.parts)
            self._h[one, two] = facts if self.impossible(facts) else (*facts, *self.threads.numbers((one, two)))
        return self._h[one, two]

    def every(self, one: ThreadPlace, two: ThreadPlace) -> FormulaRow | None:
        return self.body.every.get((one.template, one.cls, two.template, two.cls))

    def indexed(self, indices: Iterable[Term], *pairs: tuple[ThreadPlace, ThreadPlace]) -> Iterator[Term]:
        """Q of these pairs, both ways round, before the step, for these indices."""
        if self.body.every:
            for index in indices:
                for places in (p for one, two in pairs for p in ((one, two), (two, one))):
                    row = self.every(*places)
                    for part in () if row is None else row.parts:
                        yield self.threads.at_index(part, places, index)

    def beside(self, one: ThreadPlace, two: ThreadPlace, three: ThreadPlace) -> tuple[Term, ...]:
        """What holds before a step while the third is at an atomic location."""
        before = self.threads.before
        held = self.holder(one, two, three, before)
        if held is self.threads.false:
            return (held,)
        return (held, self.holder(two, one, three, before), *self.h(one, three), *self.h(two, three),
                *self.threads.numbers((one, two)))

    def counts(self, *places: ThreadPlace) -> tuple[Term, ...]:
        """What the counting facts say of a state with threads at these places, and others anywhere."""
        facts: list[Term] = []
        for fact in self.body.counting:
            least = sum(fact.weights[p.template][p.cls] for p in places)
            facts.append(self.threads.at_least(fact, least))
            if self.total is not None:
                most = least + self.heaviest(fact) * (self.total - len(places))
                if most <= fact.expr.type.high:
                    facts.append(self.threads.at_most(fact, most))
        return tuple(facts)

    @staticmethod
    def heaviest(fact: Counting) -> int:
        return max((w for ws in fact.weights for w in ws), default=0)

    def single(self, one: ThreadPlace) -> FormulaRow:
        return self.body.singles.get((one.template, one.cls), FALSE_ROW)

    def at_start(self, slot: int, t: int) -> ThreadPlace:
        return ThreadPlace(slot, t, self.body.classes[t][self.program.templates[t].cfa.start])

    def places(self, a: int, b: int) -> Iterator[tuple[ThreadPlace, ThreadPlace]]:
        """Where two threads can be at once: not both at atomic locations."""
        for ca, cb in product(self.classes[a], self.classes[b]):
            if ca not in self.atomic[a] or cb not in self.atomic[b]:
                yield ThreadPlace(1, a, ca), ThreadPlace(2, b, cb)

    def steps_of_first(self, a: int, b: int) -> Iterator[tuple[ThreadPlace, ThreadPlace, ClassStep, Moment, tuple[Term, ...]]]:
        """Each step of a thread beside one that is not at an atomic location, with all that is known before it."""
        for ca, cb in product(self.classes[a], self.quiet[b]):
            one, two = ThreadPlace(1, a, ca), ThreadPlace(2, b, cb)
            h = self.h(one, two)
            for step, moment in self.possible_steps(one, (two,), h):
                yield one, two, step, moment, (*moment.constraints, *h, *self.counts(one, two),
                                               *self.indexed(self.threads.indices_of(one, step.edge.op), (one, two)))

    def possible_steps(
        self, mover: ThreadPlace, others: tuple[ThreadPlace, ...], h: tuple[Term, ...],
    ) -> Iterator[tuple[ClassStep, Moment]]:
        if not self.impossible(h):
            for step in self.steps[mover.template].get(mover.cls, ()):
                if not self.stopped(step, others):
                    yield step, self.threads.step(mover, step.edge.op)

    def impossible(self, terms: tuple[Term, ...]) -> bool:
        return any(t is self.threads.false for t in terms)

    def stopped(self, step: ClassStep, others: tuple[ThreadPlace, ...]) -> bool:
        """Whether an `AllAt` of the step forbids it while the other threads are where they are."""
        return any(allowed is not None and p.cls not in allowed for p in others for allowed in (self.awaited(step, p.template),))

    def awaited(self, step: ClassStep, t: int) -> frozenset[int] | None:
        """The classes that a step waits for the other threads of a template to be in; None: it does not wait for them."""
        known = (id(step), t)
        if known not in self._awaited:
            classes = self.body.classes[t]
            wanted = [frozenset(classes[q] for q in part.locations if 0 <= q < len(classes)) for part in primitive(step.edge.op)
                      if isinstance(part, AllAt) and part.template == self.program.templates[t].name]
            self._awaited[known] = frozenset.intersection(*wanted) if wanted else None
        return self._awaited[known]

    def conflicts(
        self, a: int, b: int, accesses: Sequence[AccessesAt],
    ) -> Iterator[tuple[ThreadPlace, ThreadPlace, Term, Edge, Edge, bool]]:
        """Conflicting accesses that can be next at two places, when they overlap, and whether globals decide that."""
        first, second = accesses[a], accesses[b]
        if not first or not second:
            return
        shared = self.threads.globals.keys()
        for one, two in self.places(a, b):
            for (e, x), (f, y) in product(first.get(one.cls, ()), second.get(two.cls, ())):
                if conflict(self.program.race_model, e, x, f, y):
                    moving = any(isinstance(v, Element) and variables(v.index) & shared for v in (x.lvalue, y.lvalue))
                    yield one, two, self.threads.overlap(one, x, two, y), e, f, moving

    def _accesses(self, t: int, variable: str) -> AccessesAt:
        """By class, one of each sort of access to the variable."""
        found: dict[int, dict[object, tuple[Edge, Access]]] = {}
        for n, e, x in self.program.accesses.get(variable, ()):
            if n == t:
                sort = (e.protected, x.write, x.kind, x.whole, show_exact_lvalue(x.lvalue))
                found.setdefault(self.body.classes[t][e.source], {}).setdefault(sort, (e, x))
        return {c: list(sorts.values()) for c, sorts in found.items()}

    def _steps(self, t: int) -> dict[int, list[ClassStep]]:
        """By source class, one of each sort of step.

        The frame rule: a step that stays in its class and writes nothing that a formula names leaves every formula, and every
        count, as it was; it needs no obligation.
        """
        found: dict[int, dict[tuple[int, str], ClassStep]] = {}
        for e in self.program.templates[t].cfa.edges:
            source, target = self.body.classes[t][e.source], self.body.classes[t][e.target]
            if source == target and self.spoken.isdisjoint(op_writes(e.op)):
                continue
            found.setdefault(source, {}).setdefault((target, exact_op(e.op)), ClassStep(source, target, e))
        return {c: list(sorts.values()) for c, sorts in found.items()}

    # ----------------------------------------------------------------------------------------------- side conditions
    def flaw(self, question: Question) -> tuple[str, str, str] | None:
        """What is wrong with the certificate before any question to the solver: obligation, where, detail."""
        for t, template in enumerate(self.program.templates):
            for q in range(template.cfa.size):
                if (q in template.cfa.atomic) != (self.body.classes[t][q] in self.atomic[t]):
                    return "atomic", template.name, f"class {self.body.classes[t][q]} has atomic and other locations"
            for fact in self.body.counting:
                if fact.weights[t][self.at_start(1, t).cls]:
                    return "CountInit", template.name, "the class of the start location has a weight"
        if self.body.every and (any(self.atomic) or self.program.ints != Ints.EXACT):
            return "every", "", "formulas for every index are for exact integers and programs without atomic locations"
        if not sum(self.crowd):
            return "count", "", "the program has no thread"
        if isinstance(question, Assertions) and sum(t.count or 0 for t in self.program.templates) <= 1:
            return self.waits_for_nobody()
        return None

    def waits_for_nobody(self) -> tuple[str, str, str] | None:
        """Why there may be no other thread that stays at its start."""
        for template in self.program.templates:
            if template.count is None and template.most is not None and template.most < 2:
                return "count", template.name, "there is no number for a second thread"
            for e in template.cfa.edges:
                for part in primitive(e.op):
                    if isinstance(part, AllAt):
                        named = next((t for t in self.program.templates if t.name == part.template), None)
                        if named is not None and named.count is None and named.cfa.start not in part.locations:
                            return "count", str(e), f"waits for threads of {named.name!r}, which need not exist"
        return None

    def assumptions(self) -> Iterator[Assumption]:
        """What the proof rests on beside the program's own assumptions."""
        for fact in self.body.counting:
            heaviest = self.heaviest(fact)
            limit = fact.expr.type.high // heaviest if heaviest else None
            if limit is not None and self.program.ints != Ints.MATH and (self.total is None or self.total > limit):
                yield Assumption(f"at most {limit} threads run", ground=Ground.BOUNDED)
        for t in self.program.templates:
            if t.count is None and t.most is not None:
                yield Assumption(f"at most {t.most} threads of {t.name} run", ground=Ground.BOUNDED)

    def refused(self, failure: Unproved) -> Refused:
        places = [self.show(p) for p in failure.obligation.about]
        detail = "does not follow" if failure.answer is SatResult.SAT else "the solver gave up"
        return Refused(failure.obligation.name, "; ".join(places), detail, failure.answer is not SatResult.SAT)

    def show(self, part: object) -> str:
        match part:
            case ThreadPlace(template=t, cls=c):
                return f"{self.program.templates[t].name} in class {c}"
            case ClassStep(edge=e):
                return f"edge {e}"
            case Edge():
                return f"access on {part}"
            case _:
                return str(part)
