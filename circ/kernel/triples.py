"""The obligations of a `triples` certificate: what `circ.kernel.pairs` does with two threads, with three.

Only programs without atomic locations (a `sections` certificate makes one of most programs that have some). The certificate
gives, for threads by template and class of location, the places in order of their numbers,

    P[a,A,b,B,c,C](g, l1, l2, l3)   holds of any three distinct threads there; a missing row is false

Threads at one place have no order: P holds whichever of them is taken for the first. H(1,2,3) stands for P of the three
in each order that their places allow, with what is known of thread numbers. For all templates, as far as the counts let
such threads exist:

    Init   the start values imply P[q0,q0,q0]
    S      H(1,2,3) and a step of one of the three            imply P of the three where they are then
    T      H of any three of 1, 2, 3, 4 and a step of 4       imply P[A,B,C] of the others
    Race   conflicting accesses next at A and B: H(1,2,3) and "the cells overlap" is impossible, wherever a third is
    Error, Critical, Invariant   as for pairs, of H(1,2,3)

By induction on the length of a run, all triples satisfy P: whoever steps is one of the triple (S) or a fourth (T), and the
hypotheses speak of the state before the step. What is to be excluded is shown by one or two threads and the globals, and is
excluded beside any third. Where a run has fewer than three threads, because a template's number of them is open, there is
the same run in which more of them stay at their start: no `AllAt` waits for them to leave it, and there are numbers for them
(both checked). A program that always has fewer than three threads has no such proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, permutations, product
from typing import assert_never

from circ.evidence import Assertions, Question, RaceOn
from circ.kernel.pair_bodies import FALSE_ROW, FormulaRow
from circ.kernel.pairs import ClassStep, PairsCheck
from circ.kernel.prover import Obligation
from circ.kernel.threads import Moment, ThreadPlace
from circ.smt import Term


class TriplesCheck(PairsCheck):
    """The obligations about three threads; counts, steps, conflicts and the prover are those of pairs."""

    most = 4

    def induction(self) -> Iterator[Obligation]:
        yield from self.init_three()
        for places in self.threes():
            for mover in places:
                yield from self.own_steps(mover, _without(places, mover))
            for c, cls in self.spots():
                yield from self.fourth(places, ThreadPlace(4, c, cls))

    def exclusion(self, question: Question) -> Iterator[Obligation]:
        match question:
            case RaceOn(variable=variable):
                accesses = [self._accesses(t, variable) for t in self.templates]
                for a, b in product(self.templates, repeat=2):
                    for one, two, overlap, first, second, _ in self.conflicts(a, b, accesses):
                        for three in self.thirds(one, two):
                            yield Obligation("Race", (*self.of_three(one, two, three), overlap), self.threads.false,
                                             (one, two, three, first, second))
            case Assertions():
                for places in self.threes():
                    yield from self.excluded(places)
            case _:
                assert_never(question)

    # ----------------------------------------------------------------------------------------------- the obligations
    def init_three(self) -> Iterator[Obligation]:
        globals_, known = self.start
        for templates in combinations_with_replacement(self.templates, 3):
            if self.exists(*templates):
                places = [self.at_start(slot, t) for slot, t in enumerate(templates, 1)]
                starts = [self.threads.start(self.program.templates[p.template].locals, self.threads.locals[p.slot, p.template])
                          for p in places]
                facts = (*known, *(c for _, more in starts for c in more), *self.threads.numbers(places, at_start=True))
                terms = {p.slot: made for p, (made, _) in zip(places, starts, strict=True)}
                for row, order in self.rows_of(places):
                    goal = self.threads.formula(row, globals_, [terms[p.slot] for p in order])
                    yield Obligation("Init", facts, goal, tuple(places))

    def own_steps(self, mover: ThreadPlace, others: tuple[ThreadPlace, ...]) -> Iterator[Obligation]:
        h = self.of_three(mover, *others)
        for step, moment in self.possible_steps(mover, others, h):
            after = ThreadPlace(mover.slot, mover.template, step.target)
            yield from self.goals("S", (*moment.constraints, *h), (after, *others), moment, (mover, *others, step))

    def fourth(self, places: tuple[ThreadPlace, ThreadPlace, ThreadPlace], four: ThreadPlace) -> Iterator[Obligation]:
        if not self.exists(*(p.template for p in (*places, four))):
            return
        steps = [s for s in self.steps[four.template].get(four.cls, ())
                 if self.threads.step(four, s.edge.op).changed & self.named and not self.stopped(s, places)]
        if steps:
            h = tuple(t for three in (places, *(_without((*places, four), p) for p in places)) for t in self.of_three(*three))
            for step in [] if self.impossible(h) else steps:
                moment = self.threads.step(four, step.edge.op)
                yield from self.goals("T", (*moment.constraints, *h), places, moment, (*places, four, step))

    def goals(self, name: str, before: tuple[Term, ...], places: tuple[ThreadPlace, ...], moment: Moment,
              about: tuple[ThreadPlace | ClassStep, ...]) -> Iterator[Obligation]:
        for row, order in self.rows_of(places):
            for part in row.parts:
                yield Obligation(name, before, self.threads.holds(part, moment, order), about)

    def excluded(self, places: tuple[ThreadPlace, ThreadPlace, ThreadPlace]) -> Iterator[Obligation]:
        h = self.of_three(*places)
        if self.impossible(h):
            return
        cfas = [self.program.templates[p.template].cfa for p in places]
        wrong = any(self.body.classes[p.template][q] == p.cls for p, cfa in zip(places, cfas, strict=True) for q in cfa.errors)
        inside = sum(any(self.body.classes[p.template][q] == p.cls for q in cfa.critical)
                     for p, cfa in zip(places, cfas, strict=True))
        if wrong or inside > 1:
            yield Obligation("Error" if wrong else "Critical", h, self.threads.false, places)
        for inv in self.program.invariants:
            goal = self.threads.encoder.cond(inv.cond, self.threads.globals, strict=True)
            yield Obligation("Invariant", h, goal, (*places, inv.text))

    # ----------------------------------------------------------------------------------------------- vocabulary
    def spots(self) -> Iterator[tuple[int, int]]:
        yield from ((t, c) for t in self.templates for c in self.classes[t])

    def threes(self) -> Iterator[tuple[ThreadPlace, ThreadPlace, ThreadPlace]]:
        """Where three threads can be, the places in order, so that a row speaks of them."""
        for where in self.body.triples:
            a, b, c = (ThreadPlace(slot, *where[2 * slot - 2:2 * slot]) for slot in (1, 2, 3))
            if self.exists(a.template, b.template, c.template):
                yield a, b, c

    def thirds(self, one: ThreadPlace, two: ThreadPlace) -> Iterator[ThreadPlace]:
        for t, cls in self.spots():
            if self.exists(one.template, two.template, t):
                yield ThreadPlace(3, t, cls)

    def rows_of(self, places: Sequence[ThreadPlace]) -> list[tuple[FormulaRow, tuple[ThreadPlace, ...]]]:
        """P of the three, once for each order that their places allow: the row, and who is the first, second, third in it."""
        found = []
        for order in permutations(places):
            where = tuple(n for p in order for n in (p.template, p.cls))
            if where[0:2] <= where[2:4] <= where[4:6]:
                found.append((self.body.triples.get(where, FALSE_ROW), order))
        return found

    def of_three(self, *places: ThreadPlace) -> tuple[Term, ...]:
        """H, before the step."""
        facts = tuple(self.threads.holds(part, self.threads.before, order)
                      for row, order in self.rows_of(places) for part in row.parts)
        return facts if self.impossible(facts) else (*facts, *self.threads.numbers(places))

    # ----------------------------------------------------------------------------------------------- side conditions
    def flaw(self, question: Question) -> tuple[str, str, str] | None:
        if any(self.atomic):
            return "atomic", "", "triples are for programs without atomic locations"
        if sum(self.crowd) < 3:
            return "count", "", "the program has fewer than three threads"
        if sum(t.count or 0 for t in self.program.templates) < 3:
            for t in self.program.templates:
                if t.count is None and t.most is not None and t.most < 3:
                    return "count", t.name, "there are not three numbers for its threads"
            return super().flaw(question) or self.waits_for_nobody()
        return super().flaw(question)


def _without(places: tuple[ThreadPlace, ...], one: ThreadPlace) -> tuple[ThreadPlace, ...]:
    return tuple(p for p in places if p is not one)
