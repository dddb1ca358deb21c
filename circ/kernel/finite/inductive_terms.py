"""The states, facts and moves of an `inductive` proof as terms for the solver; what is asked of them is in `inductive`.

A state is that of the globals, the threads in the slots, the counters and the flag `atomic`; primed, the one after a move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from circ.kernel.finite.diagram_bodies import InductiveBody, Reference
from circ.kernel.outcome import Malformed
from circ.smt import Encoder, SymbolicState, Term, conjunction, disjunction, equality, implication, key, negation
from frontend.program import (
    BOOL,
    Assign,
    Binary,
    Cfa,
    Const,
    Edge,
    Element,
    Ints,
    Program,
    Read,
    Scalar,
    Self,
    ThreadTemplate,
    Var,
    Variable,
    op_writes,
)

WORD = Scalar(24, False)
"""Locations, counters and selectors."""
FLAG = Scalar(1, False)
INDEX = Scalar(64, False)
ELEMENTS = 64
"""Arrays up to this length are taken apart."""
PATHS = 4096

Slot: TypeAlias = tuple[int, int]
"""A group and 1, or 2 for a second thread of the same group."""


def section_paths(cfa: Cfa, listed: frozenset[int]) -> Iterator[tuple[Edge, ...]]:
    """The moves of a thread as sequences of edges; inner locations are atomic and not listed."""
    inner = cfa.atomic - listed
    leaving = cfa.leaving()
    found = 0
    todo: list[tuple[Edge, ...]] = [(e,) for e in cfa.edges if e.source not in inner]
    while todo:
        path = todo.pop()
        if path[-1].target in inner:
            todo.extend((*path, e) for e in leaving[path[-1].target])
        else:
            yield path
        found += 1
        if found > PATHS:
            raise Malformed("too many paths through an atomic section")


class InductiveTerms:
    def __init__(self, program: Program, body: InductiveBody) -> None:
        self.program = program
        self.body = body
        self.encoder = Encoder(program.ints)
        # Locations, counters and selectors are bit-vectors in both integer models.
        self.words = Encoder(Ints.EXACT)
        self.used = {str(r[1]) for r, _ in body.nodes if r[0] == "global"}
        """The globals that the facts speak of."""
        self._terms: dict[tuple[object, ...], dict[str, Term]] = {}
        self._facts: dict[tuple[int, Slot, bool], Term] = {}
        self._moves: dict[Slot, Term] = {}
        self._made: dict[tuple[object, ...], Term] = {}

    # ----------------------------------------------------------------------------------------------- names
    def template(self, group: int) -> ThreadTemplate:
        return self.program.templates[self.body.groups[group].template]

    def shared(self, primed: bool) -> dict[str, Term]:
        """The globals, as constants."""
        return self._constants(("g", primed), self.program.globals, "'" if primed else "")

    def own(self, slot: Slot, primed: bool) -> dict[str, Term]:
        """A thread's locals, and its location under the empty name."""
        suffix = f"@{slot[0]}.{slot[1]}" + ("'" if primed else "")
        found = self._constants(("l", slot, primed), self.template(slot[0]).locals, suffix)
        if "" not in found:
            found[""] = self.word("at" + suffix)
            found.update(self._numbers(slot[0]))
        return found

    def _numbers(self, group: int) -> dict[str, Term]:
        """The locals of a thread that hold its number and are never written."""
        t, copies = self.template(group), self.body.groups[group].copies
        written = {n for e in t.cfa.edges for n in op_writes(e.op)}
        return {v.name: self.encoder.constant(copies[0] + v.start.offset, v.type) for v in t.locals
                if isinstance(v.start, Self) and len(copies) == 1 and not v.is_array and v.name not in written}

    def _constants(self, key: tuple[object, ...], wanted: Sequence[Variable], suffix: str) -> dict[str, Term]:
        if key not in self._terms:
            self._terms[key] = {v.name: self._symbol(v, suffix) for v in wanted}
        return self._terms[key]

    def _symbol(self, v: Variable, suffix: str) -> Term:
        """A constant for the variable; a short array has one for each element, which spares the solver the theory of arrays."""
        whole = self.encoder.symbol(v, suffix)
        if v.length is None or v.length > ELEMENTS:
            return whole
        state = SymbolicState({v.name: whole}, [])
        for i in range(v.length):
            element = Variable(f"{v.name}<{i}>", v.type)
            state.terms[element.name] = self.encoder.symbol(element, suffix)
            self.encoder.apply(Assign(Element(v.name, Const(i, INDEX), v.type), Read(Var(element.name, v.type))), state)
        return state.terms[v.name]

    def word(self, name: str, t: Scalar = WORD) -> Term:
        """A symbol of the kernel's own; no variable of a program has a name that begins so."""
        return self.once(("word", name), lambda: self.words.symbol(Variable("?" + name, t)))

    def counter(self, group: int, cls: int, primed: bool) -> Term:
        return self.word(f"#{group}.{cls}" + ("'" if primed else ""))

    def atomic(self, primed: bool) -> Term:
        return self.word("atomic" + ("'" if primed else ""), FLAG)

    def is_word(self, word: Term, value: int, t: Scalar = WORD) -> Term:
        # Words are made once and kept (`word`), so their keys stay good.
        return self.once(("is", key(word), value), lambda: equality(word, self.words.constant(value, t)))

    def _among(self, word: Term, values: Sequence[int], t: Scalar = WORD) -> Term:
        # A number that no word can be is not to be read as another one.
        return disjunction(self.is_word(word, v, t) for v in values if t.low <= v <= t.high)

    # ----------------------------------------------------------------------------------------------- facts
    def fact(self, slot: Slot, primed: bool) -> Term:
        """The fact of the slot's group about the thread in it."""
        return self.diagram(self.body.facts[slot[0]], slot, primed)

    def diagram(self, root: int, slot: Slot, primed: bool) -> Term:
        """A diagram, its own thread being the one in the slot."""
        key = (root, slot, primed)
        if key not in self._facts:
            built: dict[int, Term] = {0: disjunction(()), 1: conjunction(())}
            for n in self.body.below(root):
                reference, branches = self.body.nodes[n - 2]
                built[n] = disjunction(conjunction((self.test(reference, values, slot, primed), built[child]))
                                       for values, child in branches)
            self._facts[key] = built[root]
        return self._facts[key]

    def test(self, reference: Reference, values: tuple[int, ...], slot: Slot, primed: bool) -> Term:
        """What the reference names has one of the values, as the thread in the slot sees it."""
        return self.once(("test", reference, values, slot, primed), lambda: self._test(reference, values, slot, primed))

    def _test(self, reference: Reference, values: Sequence[int], slot: Slot, primed: bool) -> Term:
        match reference:
            case ("atomic",):
                return self._among(self.atomic(primed), values, FLAG)
            case ("global", str(name), (int() | None) as element):
                v = self.program.variable(name)
                return self._values(v, element, self.body.spans.get((name, element)), values, self.shared(primed))
            case ("at",):
                return self._among(self.own(slot, primed)[""], values)
            case ("own", str(name), (int() | None) as element):
                return self._cell(slot, name, element, values, primed)
            case ("other-at", int(group)):
                return self._among(self.own((group, 1), primed)[""], values)
            case ("other", int(group), str(name), (int() | None) as element):
                return self._cell((group, 1), name, element, values, primed)
            case ("count", int(group), int(cls)):
                return self._among(self.counter(group, cls, primed), values)
        raise AssertionError(reference)

    def _cell(self, slot: Slot, name: str, element: int | None, values: Sequence[int], primed: bool) -> Term:
        cell = self.body.groups[slot[0]].cells[name, element]
        terms = self.own(slot, primed)
        v = next(v for v in self.template(slot[0]).locals if v.name == name)
        live = self._among(terms[""], cell.live)
        here = conjunction((live, self._values(v, element, cell.spans, values, terms)))
        return disjunction((here, negation(live))) if cell.default in values else here

    def _values(self, v: Variable, element: int | None, spans: Sequence[tuple[int, int, int]] | None, values: Sequence[int],
                terms: Mapping[str, Term]) -> Term:
        """The variable (or element) has one of the values, or is in the span of one."""
        lvalue = Var(v.name, v.type) if element is None else Element(v.name, Const(element, WORD), v.type)
        intervals = [(n, n) for n in values] if spans is None else [(low, high) for low, high, n in spans if n in values]
        if not self.encoder.math or v.type == BOOL:
            # A number that the variable cannot have is not to be read as another one: classes would no longer exclude each other.
            intervals = [(max(low, v.type.low), min(high, v.type.high)) for low, high in intervals]
        parts = []
        for low, high in ((low, high) for low, high in intervals if low <= high):
            lower, upper = (Binary(op, Read(lvalue), Const(n, v.type)) for op, n in ((">=", low), ("<=", high)))
            exact = Binary("==", Read(lvalue), Const(low, v.type))
            parts.append(self.encoder.cond(exact if low == high else Binary("&&", lower, upper), terms))
        return disjunction(parts)

    def in_class(self, slot: Slot, cls: int, primed: bool) -> Term:
        """Whether the thread's local state is in a class that its group's counters count."""
        group = self.body.groups[slot[0]]
        parts = group.class_parts(cls)
        tests = [self._among(self.own(slot, primed)[""], parts[0])]
        tests += [self._cell(slot, *name, values, primed) for name, values in zip(group.cells, parts[1:], strict=True)]
        return conjunction(tests)

    # ----------------------------------------------------------------------------------------------- moves
    def paths(self, group: int) -> Iterator[tuple[Edge, ...]]:
        """The moves of a thread as sequences of edges; inner locations are atomic and unlisted."""
        return section_paths(self.template(group).cfa, frozenset(self.body.sections[self.body.groups[group].template]))

    def move(self, slot: Slot) -> Term:
        """Some move of the thread in the slot: relates the state to the primed one, other threads' locals left open."""
        if slot not in self._moves:
            self._moves[slot] = disjunction(self._path(slot, path) for path in self.paths(slot[0]))
        return self._moves[slot]

    def _path(self, slot: Slot, path: Sequence[Edge]) -> Term:
        here, there = self.own(slot, False), self.own(slot, True)
        listed = self.body.sections[self.body.groups[slot[0]].template]
        state = SymbolicState({**self.shared(False), **{n: t for n, t in here.items() if n}}, [])
        for edge in path:
            self.encoder.apply(edge.op, state)
        source, target = path[0].source, path[-1].target
        parts = [self.is_word(here[""], source), self.is_word(there[""], target), *state.constraints,
                 self.is_word(self.atomic(True), int(target in listed), FLAG)]
        if source not in listed:
            parts.append(self.flag(False, 0))
        parts += [e for v in self.program.globals if v.name in self.used
                  for e in self._same(v, self.shared(True)[v.name], state.terms[v.name])]
        parts += [equality(there[n], state.terms[n]) for n in self._names(slot[0])]
        return conjunction(parts)

    def _same(self, v: Variable, one: Term, two: Term) -> list[Term]:
        """Two values of a variable are equal; of a short array, those of its elements (what lies behind it is left open)."""
        if v.length is None or v.length > ELEMENTS:
            return [equality(one, two)]
        places = [Read(Element(v.name, Const(i, INDEX), v.type)) for i in range(v.length)]
        return [equality(self.encoder.value(p, {v.name: one}), self.encoder.value(p, {v.name: two})) for p in places]

    def _names(self, group: int) -> list[str]:
        return sorted({name for name, _ in self.body.groups[group].cells})

    def still(self, slot: Slot) -> Term:
        """The thread in the slot does not move."""
        here, there = self.own(slot, False), self.own(slot, True)
        names = ("", *self._names(slot[0]))
        return self.once(("still", slot), lambda: conjunction(equality(there[n], here[n]) for n in names))

    def counted(self, mover: Slot) -> Term:
        """The counters after a move of the thread in `mover`."""
        return self.once(("counted", mover), lambda: self._make_counted(mover))

    def _make_counted(self, mover: Slot) -> Term:
        parts = []
        for k, group in enumerate(self.body.groups):
            for c in range(group.class_count):
                before, after = self.counter(k, c, False), self.counter(k, c, True)
                one = self.words.constant(1, WORD)
                if k != mover[0]:
                    parts.append(equality(after, before))
                    continue
                left, came = self.in_class(mover, c, False), self.in_class(mover, c, True)
                parts.append(disjunction((
                    conjunction((left, negation(came), equality(after + one, before))),
                    conjunction((came, negation(left), equality(after, before + one))),
                    conjunction((equality(left, came), equality(after, before))))))
        return conjunction(parts)

    def once(self, key: tuple[object, ...], make: Callable[[], Term]) -> Term:
        """The term for this key, made when it is first wanted."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def counts_hold(self, slots: Sequence[Slot]) -> Term:
        """No class has fewer threads than those in `slots` that are in it, and no group more than it has."""
        return self.once(("counts", *slots), lambda: self._make_counts_hold(slots))

    def _make_counts_hold(self, slots: Sequence[Slot]) -> Term:
        parts = []
        for k, group in enumerate(self.body.groups):
            present = [s for s in slots if s[0] == k]
            for c in range(group.class_count):
                word = self.counter(k, c, False)
                parts.append(disjunction(self.is_word(word, n) for n in range(len(group.copies) + 1)))
                if len(present) == 1:
                    parts.append(implication(self.in_class(present[0], c, False), negation(self.is_word(word, 0))))
                if len(present) == 2:
                    one, two = (self.in_class(s, c, False) for s in present)
                    parts.append(implication(disjunction((one, two)), negation(self.is_word(word, 0))))
                    parts.append(implication(conjunction((one, two)), negation(self.is_word(word, 1))))
        return conjunction(parts)

    def flag(self, primed: bool, value: int) -> Term:
        return self.is_word(self.atomic(primed), value, FLAG)

    def at_any(self, slot: Slot, locations: Sequence[int]) -> Term:
        return self._among(self.own(slot, False)[""], locations)

    def at_listed(self, slot: Slot) -> Term:
        """Whether the thread is at a listed atomic location."""
        return self.at_any(slot, self.body.sections[self.body.groups[slot[0]].template])

    def holders(self, slots: Sequence[Slot]) -> Term:
        """At most one of the threads is at a listed atomic location, and then `atomic` is 1."""
        if not any(self.body.sections):
            return conjunction(())
        holder = self.word("holder")
        parts = []
        for n, s in enumerate(slots):
            parts.append(implication(self.at_listed(s), conjunction((self.is_word(holder, n), self.flag(False, 1)))))
        return conjunction(parts)
