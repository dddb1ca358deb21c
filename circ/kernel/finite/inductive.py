"""Kind `inductive`: one inductive invariant of a program with a fixed number of threads, checked by one-step queries.

The threads are divided into groups; a group of more than one consists of copies that do not know their number, so any two
of them may be exchanged. The invariant is the conjunction, over all threads, of the fact of the thread's group: a decision
diagram over the globals, that thread's location and locals, those of threads that are alone in their group, and counters
of how many threads of a group are in a class of local states. A local counts as its `default` outside the locations listed
for it, and a value as the one its span names: definitions, not assumptions.

Obligations (thread 1 has the fact that is to be kept, thread 2 is any other one):
- **start**: every start state satisfies the fact of each group;
- **step**: fact(1), and fact(2) if 2 moves, and the move imply fact(1) after it, for a move of 1 and of 2;
- **error**: no error location, no false `circ_invariant`, no two conflicting accesses or critical sections under the facts.
Moves are the edges of the program, except that from an atomic location which is not listed in `sections` the thread runs on
alone until it is at a listed or plain location: nobody else can step meanwhile. Such locations form no loop and show the
question nothing. `atomic` says whether some thread is at a listed location; the semantics allows at most one.

Why it suffices: by induction over the moves, all facts hold whenever no thread is inside an unlisted location. A move of
thread 2 in a group of many is every move of a different thread, because exchanging two threads other than 1 changes
neither the program nor fact(1), which sees the others through counters only.

Where every thread is alone in its group and all is finite, steps and pairs are first looked at as diagrams
(`circ.kernel.finite.finite_steps`), which is no trouble where a solver gives up; the solver is asked about what that leaves open.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, assert_never

from circ.evidence import Assertions, Question, RaceOn
from circ.kernel.finite.diagram_bodies import InductiveBody, read_inductive
from circ.kernel.finite.finite_steps import Commands, Unclear
from circ.kernel.finite.inductive_terms import INDEX, InductiveTerms, Slot
from circ.kernel.outcome import Accepted, Outcome, Refused
from circ.semantics.access_guards import Prefixes
from circ.semantics.conflicts import conflict
from circ.smt import (
    SatResult,
    Solver,
    SymbolicState,
    Term,
    boolean,
    conjunction,
    disjunction,
    equality,
    implication,
    key,
    negation,
)
from frontend.program import (
    Access,
    Arbitrary,
    Edge,
    Element,
    Program,
    Self,
    ThreadTemplate,
    Values,
    Variable,
    op_writes,
    variables,
)

INDEX_OF_BOTH = Variable("?index", INDEX)
"""The element that two accesses mean; no variable of a program has a name that begins so."""

MarkedLocation: TypeAlias = tuple[int, int, Access | None, Edge | None]
"""A location, the sort that decides on conflicts and, for a race, the access and its edge."""


def check_inductive(program: Program, question: Question, data: Mapping[str, Any]) -> Outcome:
    """Whether the invariant in `data` proves the question's answer to be "safe"."""
    return InductiveCheck(program, question, read_inductive(program, data)).outcome()

class InductiveCheck(InductiveTerms):
    """The obligations, on the terms of the program's states."""

    def __init__(self, program: Program, question: Question, body: InductiveBody) -> None:
        super().__init__(program, body)
        self.question = question
        self.prefixes = Prefixes(program)
        self.solver = Solver(effort=200_000_000)
        self.gave_up = False
        """Whether the last query came to no end."""
        self._named: dict[int, Term] = {}
        self._kept: list[Term] = []
        self._mentioned = [{body.nodes[n - 2][0][1] for n in body.below(f) if str(body.nodes[n - 2][0][0]).startswith("other")}
                           for f in body.facts]

    def outcome(self) -> Outcome:
        obligations = {"sections": self.check_sections, "start": self._start, "step": self._step, "error": self._error}
        for name, obligation in obligations.items():
            failed = obligation()
            if failed is not None:
                return Refused(name, *failed, self.gave_up)
        return Accepted(queries=self.solver.queries)
    # ----------------------------------------------------------------------------------------------- obligations
    def check_sections(self) -> tuple[str, str] | None:
        """Unlisted atomic locations form no loop and show nothing to the question."""
        for number, t in enumerate(self.program.templates):
            cfa = t.cfa
            inner = cfa.atomic - frozenset(self.body.sections[number])
            out: dict[int, list[int]] = {q: [e.target for e in cfa.edges if e.source == q and e.target in inner] for q in inner}
            for q in sorted(inner):
                todo, met = list(out[q]), set()
                while todo:
                    p = todo.pop()
                    if p == q:
                        return t.name, f"a loop of unlisted atomic locations through {q}"
                    if p not in met:
                        met.add(p)
                        todo.extend(out[p])
            into = {n for e in cfa.edges if e.target in inner for n in op_writes(e.op)}
            match self.question:
                case Assertions():
                    if inner & (cfa.critical | set(cfa.errors)):
                        return t.name, "an unlisted atomic location is critical or an error"
                    if any(into & variables(i.cond) for i in self.program.invariants):
                        return t.name, "an unlisted atomic section changes what an invariant speaks of"
                case RaceOn():
                    if any(e.source in inner and self._conflicts(e, a) for e, a in self.accesses(t)):
                        return t.name, "an access at an unlisted atomic location can race"
                    if any(into & self.prefixes.moving(e, a) for u in self.program.templates for e, a in self.accesses(u)):
                        return t.name, "an unlisted atomic section changes whether or where an access is next"
                case _:
                    assert_never(self.question)
        return None

    def accesses(self, t: ThreadTemplate) -> list[tuple[Edge, Access]]:
        x = self.question.variable if isinstance(self.question, RaceOn) else None
        return [(e, a) for e in t.cfa.edges for a in e.accesses if a.variable == x]

    def _conflicts(self, e: Edge, a: Access) -> bool:
        return any(conflict(self.program.race_model, e, a, f, b) or conflict(self.program.race_model, f, b, e, a)
                   for t in self.program.templates for f, b in self.accesses(t))

    def _start(self) -> tuple[str, str] | None:
        for k in range(len(self.body.groups)):
            slots = self._present(k)
            hypotheses = [self.globals_start(), self.flag(False, 0), self.counts_hold(slots)]
            hypotheses += [self.thread_start(s) for s in slots]
            for j, group in enumerate(self.body.groups):
                for c in range(group.class_count):
                    starts = conjunction((self.thread_start((j, 2)), self.in_class((j, 2), c, False), self.globals_start()))
                    if not self.refuted(starts):
                        # Some thread may start in this class: nothing is known of its counter.
                        continue
                    hypotheses.append(self.is_word(self.counter(j, c, False), 0))
                hypotheses += self._whole(j)
            if not self.refuted(conjunction((*hypotheses, negation(self.fact((k, 1), False))))):
                return self.template(k).name, "a start state does not satisfy the fact"
        return None

    def _whole(self, k: int) -> list[Term]:
        """At the start every thread of the group is in some class or none is, if the start is in a class at all."""
        group = self.body.groups[k]
        if not group.class_count:
            return []
        outside = [negation(self.in_class((k, 2), c, False)) for c in range(group.class_count)]
        if not self.refuted(self.thread_start((k, 2)), *outside):
            return []
        total = self.counter(k, 0, False)
        for c in range(1, group.class_count):
            total = total + self.counter(k, c, False)
        return [self.is_word(total, len(group.copies))]

    def globals_start(self) -> Term:
        used = [v for v in self.program.globals if v.name in self.used]
        return conjunction(t for v in used for t in self._value_start(v, self.shared(False)[v.name], 0))

    def thread_start(self, slot: Slot) -> Term:
        terms = self.own(slot, False)
        t = self.template(slot[0])
        copy = self.body.groups[slot[0]].copies[0]
        values = [s for v in t.locals for s in self._value_start(v, terms[v.name], copy)]
        return conjunction((self.is_word(terms[""], t.cfa.start), *values))

    def _value_start(self, v: Variable, term: Term, copy: int) -> list[Term]:
        match v.start:
            case Arbitrary():
                return []
            case Self(offset=offset):
                return [equality(term, self.encoder.constant(copy + offset, v.type))]
            case Values(default=d, elements=es) if v.is_array:
                return [equality(term, self.encoder.array_of(v, d, es))]
            case Values(default=d):
                return [equality(term, self.encoder.constant(d, v.type))]
            case _:
                assert_never(v.start)

    def _present(self, target: int) -> list[Slot]:
        """The threads a query about `target` speaks of: one of each group, and a second one of a larger group of its own."""
        slots = [(k, 1) for k in range(len(self.body.groups))]
        return [*slots, (target, 2)] if len(self.body.groups[target].copies) > 1 else slots

    def _step(self) -> tuple[str, str] | None:
        for k in range(len(self.body.groups)):
            for s in self._present(k):
                if not (self.commands is not None and self.commands.keeps(k, s[0])) and not self.keeps(k, s):
                    return self.template(k).name, f"a move of {self.template(s[0]).name!r} leads out of the invariant"
        return None

    def keeps(self, k: int, s: Slot) -> bool:
        """Whether every move of the thread in the slot keeps the fact of group `k`, by the solver."""
        kept, lost = self.fact((k, 1), False), negation(self.fact((k, 1), True))
        named = [(k, 1)] if s == (k, 1) else [(k, 1), s]
        others = [self.still(t) for t in self._present(k) if t != s and self._speaks(k, t)]
        query = (kept, lost, self.move(s), self.fact(s, False), self.counted(s), self.counts_hold(named), self.holders(named),
                 *others)
        return self.refuted(*query) or self.refuted(*query, *self._everybody())

    def _everybody(self) -> list[Term]:
        return [self.fact((j, 1), False) for j in range(len(self.body.groups))]

    @functools.cached_property
    def commands(self) -> Commands | None:
        """The moves as commands over diagrams, where all is finite."""
        try:
            return Commands(self.program, self.body, [tuple(self.paths(k)) for k in range(len(self.body.groups))])
        except Unclear:
            return None

    def _speaks(self, k: int, slot: Slot) -> bool:
        """Whether the fact of group `k` about thread 1 mentions the thread in the slot."""
        return slot == (k, 1) or (slot[1] == 1 and slot[0] in self._mentioned[k])

    def _error(self) -> tuple[str, str] | None:
        match self.question:
            case Assertions():
                for k in range(len(self.body.groups)):
                    bad = self.at_any((k, 1), sorted(self.template(k).cfa.errors))
                    if not self.refuted(self.fact((k, 1), False), bad):
                        return self.template(k).name, "an error location satisfies the fact"
                for i in self.program.invariants:
                    if not self.refuted(*self._everybody(), negation(self.encoder.cond(i.cond, self.shared(False), strict=True))):
                        return i.text, "the invariant does not follow"
                return self._pairs(lambda k: [(q, 0, None, None) for q in sorted(self.template(k).cfa.critical)], {(0, 0)})
            case RaceOn():
                found = {(e.protected, a.write, a.kind): (e, a) for t in self.program.templates for e, a in self.accesses(t)}
                sorts = list(found)
                clash = {(sorts.index(s), sorts.index(t)) for s in sorts for t in sorts
                         if conflict(self.program.race_model, *found[s], *found[t])}
                return self._pairs(lambda k: [(e.source, sorts.index((e.protected, a.write, a.kind)), a, e)
                                              for e, a in self.accesses(self.template(k))], clash)
            case _:
                assert_never(self.question)

    def _pairs(self, marks: Callable[[int], list[MarkedLocation]],
               clash: set[tuple[int, int]]) -> tuple[str, str] | None:
        """No two different threads are at once at places whose sorts clash and whose cells overlap."""
        index = INDEX_OF_BOTH
        symmetric = clash == {(b, a) for a, b in clash}
        sort = [self.word(f"sort{n}") for n in (0, 1)]
        pairs = disjunction(conjunction((self.is_word(sort[0], a), self.is_word(sort[1], b))) for a, b in sorted(clash))
        for k in range(len(self.body.groups)):
            first = self.marked((k, 1), marks(k), 0, index)
            if first is None:
                continue
            for s in self._present(k):
                second = self.marked(s, marks(s[0]), 1, index) if s != (k, 1) else None
                if second is None or (s[1] == 1 and s[0] < k and symmetric):
                    continue
                places = ((p, q) for p, a, *_ in marks(k) for q, b, *_ in marks(s[0]) if (a, b) in clash)
                if self.commands is not None and self.commands.never(k, s[0], places):
                    continue
                both = [(k, 1), s]
                query = (self.fact((k, 1), False), first, second, self.fact(s, False), pairs,
                         self.counts_hold(both), self.holders(both))
                if not self.refuted(*query) and not self.refuted(*query, *self._everybody()):
                    return self.template(k).name, "two threads can be at conflicting places"
        return None

    def marked(self, slot: Slot, marks: list[MarkedLocation], side: int, index: Variable) -> Term | None:
        if not marks:
            return None
        return self.once(("marked", slot, side), lambda: self._make_marked(slot, marks, side, index))

    def _make_marked(self, slot: Slot, marks: list[MarkedLocation], side: int, index: Variable) -> Term:
        terms = {**self.shared(False), **{n: t for n, t in self.own(slot, False).items() if n}}
        cell = self.encoder.symbol(index)
        parts = []
        for q, sort, a, e in marks:
            place = [self.is_word(self.own(slot, False)[""], q), self.is_word(self.word(f"sort{side}"), sort)]
            if a is not None and e is not None:
                state = SymbolicState(dict(terms), [])
                self.encoder.apply(self.prefixes.before(e, a), state)
                place += state.constraints
            if a is not None and isinstance(a.lvalue, Element) and not a.whole:
                place.append(equality(cell, self.encoder.index(a.lvalue.index, terms)))
            parts.append(conjunction(place))
        return disjunction(parts)

    def refuted(self, *terms: Term) -> bool:
        """Whether the terms cannot all hold. Each different term is given to the solver once, under a name of its own."""
        names = []
        for term in terms:
            name = self._named.get(key(term))
            if name is None:
                name = boolean(f"?{len(self._named)}")
                # The term is kept with its name, because its key is only good while it lives.
                self._kept.append(term)
                self._named[key(term)] = name
                self.solver.add(implication(name, term))
            names.append(name)
        answer = self.solver.check(*names)
        self.gave_up = answer is SatResult.UNKNOWN
        return answer is SatResult.UNSAT
