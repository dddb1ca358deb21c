"""Kind `exceptions`: an inductive invariant that is a union of products of sets of local states, with their global stores.

A row `[store, sets]` holds of a state if `store` holds of the globals and, for every thread, its set holds of the thread's
location and locals; the invariant is that some row holds. Obligations: **start**, **step** (of each thread; of one thread
where exchanging two threads changes neither the program nor the set of rows), **error**. Moves, atomic sections and the
reading of locals are as in `circ.kernel.finite.inductive`; a query speaks of all threads at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from circ.evidence import Assertions, Question, RaceOn
from circ.kernel.finite.diagram_bodies import read_inductive
from circ.kernel.finite.inductive import INDEX_OF_BOTH, InductiveCheck, MarkedLocation
from circ.kernel.finite.inductive_terms import Slot
from circ.kernel.outcome import Accepted, Malformed, Outcome, Refused
from circ.semantics.conflicts import conflict
from circ.smt import Term, conjunction, disjunction, implication, negation
from frontend.program import Program, Self


def check_exceptions(program: Program, question: Question, data: Mapping[str, Any]) -> Outcome:
    """Whether the invariant in `data` proves the question's answer to be "safe"."""
    if not isinstance(data, Mapping) or "rows" not in data:
        raise Malformed("no rows")
    singles: list[dict[str, Any]] = []
    for group in data.get("groups", ()):
        if not isinstance(group, Mapping) or not isinstance(group.get("copies"), list):
            raise Malformed("a group without copies")
        singles += [{**group, "copies": [c]} for c in group["copies"]]
    plain = {**{k: v for k, v in data.items() if k != "rows"}, "groups": singles, "facts": [1] * len(singles)}
    body = read_inductive(program, plain)
    rows: list[tuple[int, tuple[int, ...]]] = []
    known = range(len(body.nodes) + 2)
    for row in data["rows"]:
        if not isinstance(row, list) or len(row) != 2 or not isinstance(row[1], list) or len(row[1]) != len(singles):
            raise Malformed("a row is not a store and a set for each thread")
        if not all(isinstance(n, int) and not isinstance(n, bool) and n in known for n in (row[0], *row[1])):
            raise Malformed("a row names no node")
        rows.append((row[0], tuple(row[1])))
    for store, sets in rows:
        if any(body.nodes[n - 2][0][0] not in ("global", "atomic") for n in body.below(store)):
            raise Malformed("a store speaks of threads")
        for k, part in enumerate(sets):
            for n in body.below(part):
                reference = body.nodes[n - 2][0]
                if reference != ("at",) and (reference[0] != "own" or (reference[1], reference[2]) not in body.groups[k].cells):
                    raise Malformed("a set of local states speaks of something else")
    return ExceptionsCheck(InductiveCheck(program, question, body), rows).outcome()


class ExceptionsCheck:
    def __init__(self, base: InductiveCheck, rows: Sequence[tuple[int, tuple[int, ...]]]) -> None:
        self.base = base
        self.rows = rows
        self.slots: list[Slot] = [(k, 1) for k in range(len(base.body.groups))]
        self._invariants: dict[bool, Term] = {}

    def outcome(self) -> Outcome:
        flaw = self.base.check_sections()
        if flaw is not None:
            return Refused("sections", *flaw)
        base = self.base
        if not base.refuted(base.globals_start(), base.flag(False, 0), *(base.thread_start(s) for s in self.slots),
                            negation(self.invariant(False))):
            return Refused("start", "", "a start state is not in the invariant", base.gave_up)
        for s in self._movers():
            others = [base.still(t) for t in self.slots if t != s]
            if not base.refuted(self.invariant(False), self._holders(), base.move(s), *others, negation(self.invariant(True))):
                return Refused("step", base.template(s[0]).name, "a move leads out of the invariant", base.gave_up)
        return self._error()

    def invariant(self, primed: bool) -> Term:
        if primed not in self._invariants:
            parts = []
            for store, sets in self.rows:
                tests = [self.base.diagram(store, (0, 1), primed)]
                tests += [self.base.diagram(n, s, primed) for n, s in zip(sets, self.slots, strict=True)]
                parts.append(conjunction(tests))
            self._invariants[primed] = disjunction(parts)
        return self._invariants[primed]

    def _holders(self) -> Term:
        """`atomic` is 1 iff a thread is at a listed atomic location, and never two are."""
        inside = [self.base.at_listed(s) for s in self.slots]
        return conjunction((self.base.holders(self.slots), implication(self.base.flag(False, 1), disjunction(inside))))

    def _movers(self) -> list[Slot]:
        """One thread of each template whose threads may be exchanged, all threads of the others."""
        found: list[Slot] = []
        rows = set(self.rows)
        groups = self.base.body.groups
        for number, t in enumerate(self.base.program.templates):
            own = [k for k, g in enumerate(groups) if g.template == number]
            alike = not any(isinstance(v.start, Self) for v in t.locals)
            alike = alike and all(groups[k].cells == groups[own[0]].cells for k in own)
            if alike and all({(store, _exchanged(sets, own[0], k)) for store, sets in rows} == rows for k in own[1:]):
                own = own[:1]
            found += [(k, 1) for k in own]
        return found

    def _error(self) -> Outcome:
        base = self.base
        marks: list[list[MarkedLocation]] = []
        clash: set[tuple[int, int]] = {(0, 0)}
        match base.question:
            case Assertions():
                bad = [base.at_any(s, sorted(base.template(s[0]).cfa.errors)) for s in self.slots]
                if not base.refuted(self.invariant(False), self._holders(), disjunction(bad)):
                    return Refused("error", "", "an error location is in the invariant", base.gave_up)
                for i in base.program.invariants:
                    false = negation(base.encoder.cond(i.cond, base.shared(False), strict=True))
                    if not base.refuted(self.invariant(False), self._holders(), false):
                        return Refused("error", i.text, "the invariant does not follow", base.gave_up)
                for k, _ in self.slots:
                    marks.append([(q, 0, None, None) for q in sorted(base.template(k).cfa.critical)])
            case RaceOn():
                accesses = [base.accesses(base.template(k)) for k, _ in self.slots]
                found = {(e.protected, a.write, a.kind): (e, a) for row in accesses for e, a in row}
                sorts = list(found)
                clash = {(sorts.index(s), sorts.index(t)) for s in sorts for t in sorts
                         if conflict(base.program.race_model, *found[s], *found[t])}
                for row in accesses:
                    marks.append([(e.source, sorts.index((e.protected, a.write, a.kind)), a, e) for e, a in row])
        pairs = disjunction(conjunction((base.is_word(base.word("sort0"), a), base.is_word(base.word("sort1"), b)))
                            for a, b in sorted(clash))
        alone: dict[object, bool] = {}
        for one, two, number, what in self._pairs_of_sets():
            first, second = (base.marked((k, 1), marks[k], side, INDEX_OF_BOTH) for side, k in enumerate((one, two)))
            if first is None or second is None:
                continue
            query = (*self._of_two(one, two, number), first, second, pairs)
            if what not in alone:
                alone[what] = base.refuted(*query)
            # What the other threads' sets exclude is excluded in this row only.
            if not alone[what] and not base.refuted(*query, *self._of_all(number)):
                return Refused("error", base.template(one).name, "two threads can be at conflicting places", base.gave_up)
        return Accepted(queries=base.solver.queries)

    def _pairs_of_sets(self) -> Iterator[tuple[int, int, int, object]]:
        """Two different threads and a row, and what the row says of the two: for each row all that are different in this."""
        groups = self.base.body.groups
        sorts: list[tuple[object, ...]] = []
        for g in groups:
            numbered = any(isinstance(v.start, Self) for v in self.base.program.templates[g.template].locals)
            sorts.append((g.template, tuple(g.cells.items()), g.copies if numbered else ()))
        known = {s: n for n, s in enumerate(dict.fromkeys(sorts))}
        for r, (store, sets) in enumerate(self.rows):
            alike: dict[tuple[int, int], list[int]] = {}
            for k, part in enumerate(sets):
                alike.setdefault((known[sorts[k]], part), []).append(k)
            for a, b in itertools.product(alike, alike):
                if a != b or len(alike[a]) > 1:
                    yield alike[a][0], alike[b][0 if a != b else 1], r, (store, a, b)

    def _of_two(self, one: int, two: int, row: int) -> tuple[Term, ...]:
        """What a row says of two threads and the globals."""
        store, sets = self.rows[row]
        return (self.base.diagram(store, (0, 1), False), *(self.base.diagram(sets[k], (k, 1), False) for k in (one, two)),
                self.base.holders([(one, 1), (two, 1)]))

    def _of_all(self, row: int) -> tuple[Term, ...]:
        """What a row says of all threads."""
        sets = self.rows[row][1]
        return *(self.base.diagram(n, s, False) for n, s in zip(sets, self.slots, strict=True)), self._holders()


def _exchanged(sets: tuple[int, ...], a: int, b: int) -> tuple[int, ...]:
    swapped = list(sets)
    swapped[a], swapped[b] = swapped[b], swapped[a]
    return tuple(swapped)
