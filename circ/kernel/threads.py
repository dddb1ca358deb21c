"""Up to three threads of a program as terms: their variables, their steps, and formulas about them before and after a step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, assert_never

from circ.kernel.pair_bodies import ANY, SLOTS, Counting, FormulaRow
from circ.smt import Encoder, SymbolicState, Term, conjunction, disjunction, equality, key, negation, rename
from frontend.program import (
    BOOL,
    Access,
    Arbitrary,
    Assign,
    Binary,
    Const,
    Element,
    Expr,
    Havoc,
    Op,
    Program,
    Read,
    Self,
    ThreadTemplate,
    Values,
    Var,
    Variable,
    op_reads,
    op_writes,
    primitive,
    reads,
)
from frontend.records import dataclass

Terms: TypeAlias = Mapping[str, Term]


@dataclass(frozen=True, slots=True)
class ThreadPlace:
    """The thread in a slot: its template and the class of its location."""

    slot: int
    template: int
    cls: int


@dataclass(frozen=True, slots=True)
class Moment:
    """The values at some point: before a step (`mover` 0), or after one by the thread in slot `mover`.

    `constraints` are the conditions under which the step can be taken; `changed` the globals whose term is another one.
    """

    mover: int
    globals: Terms
    locals: Terms
    constraints: tuple[Term, ...]
    changed: frozenset[str]


class Threads:
    """Terms are built once and kept, so that `key` identifies them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.encoder = Encoder(program.ints)
        self.globals: Terms = {v.name: self.encoder.symbol(v) for v in (*program.globals, ANY)}
        self.locals: Mapping[tuple[int, int], Terms] = {
            (slot, t): {v.name: self.encoder.symbol(v, f"@{slot}") for v in template.locals}
            for slot in SLOTS for t, template in enumerate(program.templates)}
        self.before = Moment(0, self.globals, {}, (), frozenset())
        self.false = disjunction(())
        self._numbers = tuple(tuple(_numbers(t)) for t in program.templates)
        self._steps: dict[tuple[int, int, int], Moment] = {}
        self._rows: dict[int, Term] = {}
        self._conditions: dict[int, tuple[Term, Expr]] = {}
        self._formulas: dict[tuple[int, tuple[int, ...]], tuple[Term, FormulaRow, list[Term]]] = {}

    # ----------------------------------------------------------------------------------------------- moments
    def step(self, place: ThreadPlace, op: Op) -> Moment:
        """The moment after the thread executed `op`."""
        cached = (place.slot, place.template, id(op))
        if cached not in self._steps:
            mine = self.locals[place.slot, place.template]
            state = SymbolicState({**self.globals, **mine}, [])
            self.encoder.apply(op, state)
            written = [name for name in dict.fromkeys(op_writes(op)) if name in self.globals]
            changed = frozenset(n for n in written if key(state.terms[n]) != key(self.globals[n]))
            after = {**self.globals, **{n: state.terms[n] for n in changed}}
            self._steps[cached] = Moment(place.slot, after, {n: state.terms[n] for n in mine}, tuple(state.constraints), changed)
        return self._steps[cached]

    def start(self, variables: Sequence[Variable], symbols: Terms) -> tuple[Terms, tuple[Term, ...]]:
        """Terms for the start values, and what is known of them; of a thread's number it is `numbers` that knows."""
        terms = dict(symbols)
        constraints: list[Term] = []
        for v in variables:
            match v.start:
                case Values(default=d, elements=es) if v.is_array:
                    terms[v.name] = self.encoder.array_of(v, d, es)
                case Values(default=d):
                    terms[v.name] = self.encoder.constant(d, v.type)
                case Arbitrary():
                    if self.encoder.math and v.type != BOOL and not v.is_array:
                        constraints.append(self._within(v, symbols, v.type.low, v.type.high))
                case Self():
                    pass
                case _:
                    assert_never(v.start)
        return terms, tuple(constraints)

    # ----------------------------------------------------------------------------------------------- formulas
    def holds(self, row: FormulaRow, moment: Moment, places: Sequence[ThreadPlace]) -> Term:
        """The row about the threads in `places`, first slot first, with the values of that moment."""
        return self.formula(row, moment.globals, [self._locals(p, moment) for p in places])

    def formula(self, row: FormulaRow, globals_: Terms, locals_: Sequence[Terms]) -> Term:
        """The row with given terms for its symbols: one term for one row and the same terms."""
        if not row.dnf:
            return self.false
        terms = [locals_[s.slot - 1][s.name] if s.slot else globals_[s.name] for s in row.symbols]
        cached = (id(row), tuple(map(key, terms)))
        if cached not in self._formulas:
            plain, symbols = self._plain(row)
            changed = [(s, t) for s, t in zip(symbols, terms, strict=True) if key(s) != key(t)]
            # Row and terms are kept with the entry: their identities stand in its key.
            self._formulas[cached] = rename(plain, changed) if changed else plain, row, terms
        return self._formulas[cached][0]

    def _plain(self, row: FormulaRow) -> tuple[Term, list[Term]]:
        """The row over the symbols of slots 1, 2, 3 before the step, and those symbols."""
        symbols = [self.locals[s.slot, row.templates[s.slot - 1]][s.name] if s.slot else self.globals[s.name]
                   for s in row.symbols]
        if id(row) not in self._rows:
            values = {s.text: t for s, t in zip(row.symbols, symbols, strict=True)}
            self._rows[id(row)] = disjunction(conjunction(self._condition(e, values) for e in c) for c in row.dnf)
        return self._rows[id(row)], symbols

    def _condition(self, e: Expr, values: Terms) -> Term:
        if id(e) not in self._conditions:
            self._conditions[id(e)] = self.encoder.cond(e, values, strict=True), e
        return self._conditions[id(e)][0]

    def _locals(self, place: ThreadPlace, moment: Moment) -> Terms:
        return moment.locals if place.slot == moment.mover else self.locals[place.slot, place.template]

    def at_index(self, row: FormulaRow, places: Sequence[ThreadPlace], index: Term) -> Term:
        """The row before the step, for one index."""
        return self.formula(row, {**self.globals, ANY.name: index}, [self._locals(p, self.before) for p in places])

    def indices_of(self, mover: ThreadPlace, op: Op) -> Iterator[Term]:
        """The indices of arrays that an operation of `mover` reads or writes."""
        named = {**self.globals, **self.locals[mover.slot, mover.template]}
        for e in dict.fromkeys(_indices(op)):
            yield self.encoder.index(e, named)

    def indices_in(self, row: FormulaRow, moment: Moment, places: Sequence[ThreadPlace]) -> Iterator[Term]:
        """The indices of arrays that the row names, with the values of that moment."""
        mine = [self._locals(p, moment) for p in places]
        named = {s.text: mine[s.slot - 1][s.name] if s.slot else moment.globals[s.name] for s in row.symbols}
        for e in dict.fromkeys(v.index for c in row.dnf for f in c for v in reads(f) if isinstance(v, Element)):
            yield self.encoder.index(e, named)

    # ----------------------------------------------------------------------------------------------- thread numbers
    def numbers(self, places: Sequence[ThreadPlace], at_start: bool = False) -> tuple[Term, ...]:
        """What is known of the threads' own numbers (`Self` start values).

        The numbers of two threads of one template differ and lie in 0 .. count-1 (from 0 to the greatest that fits, if the
        count is unbounded) by the semantics of `Self`, so this holds of the values at the start. A local that no edge of its
        template writes keeps its start value for ever, and no other thread can write it: for those it holds in every state.
        The offset is added modulo 2^width, which keeps numbers apart as long as there are no more than 2^width of them; the
        range is used only where nothing wraps.
        """
        facts: list[Term] = []
        for i, one in enumerate(places):
            mine = self.locals[one.slot, one.template]
            for v, offset, fixed in self._numbers[one.template]:
                if not (fixed or at_start):
                    continue
                count = self.program.templates[one.template].count
                if count is None:
                    count = max(v.type.high - max(offset, 0) + 1, 1)
                if v.type.low <= offset and offset + count - 1 <= v.type.high:
                    facts.append(self._within(v, mine, offset, offset + count - 1))
                if count <= 1 << v.type.width:
                    facts.extend(negation(equality(mine[v.name], self.locals[other.slot, other.template][v.name]))
                                 for other in places[i + 1:] if other.template == one.template)
        return tuple(facts)

    def _within(self, v: Variable, terms: Terms, low: int, high: int) -> Term:
        read = Read(Var(v.name, v.type))
        bounds = Binary("&&", Binary(">=", read, Const(low, v.type)), Binary("<=", read, Const(high, v.type)))
        return self.encoder.cond(bounds, terms)

    # ----------------------------------------------------------------------------------------------- counting facts
    def at_least(self, fact: Counting, weight: int) -> Term:
        """Before the step the count is at least `weight`."""
        return self.encoder.cond(Binary(">=", fact.expr, Const(weight, fact.expr.type)), self.globals, strict=True)

    def at_most(self, fact: Counting, weight: int) -> Term:
        """Before the step the count is at most `weight`."""
        return self.encoder.cond(Binary("<=", fact.expr, Const(weight, fact.expr.type)), self.globals, strict=True)

    def is_count(self, fact: Counting, value: int, globals_: Terms) -> Term:
        return self.encoder.cond(Binary("==", fact.expr, Const(value, fact.expr.type)), globals_, strict=True)

    def grows(self, fact: Counting, moment: Moment, by: int) -> Term:
        """The step changes the count by `by`, modulo the width of its type for exact integers."""
        old, new = (self.encoder.value(fact.expr, g, strict=True) for g in (self.globals, moment.globals))
        return equality(new, old + self.encoder.constant(by, fact.expr.type))

    # ----------------------------------------------------------------------------------------------- cells
    def overlap(self, one: ThreadPlace, a: Access, two: ThreadPlace, b: Access) -> Term:
        """Whether accesses to one variable that are next for two threads may meet in the same cell."""
        if a.whole or b.whole or not isinstance(a.lvalue, Element) or not isinstance(b.lvalue, Element):
            return conjunction(())
        i, j = (self.encoder.index(access.index, {**self.globals, **self.locals[place.slot, place.template]})
                for place, access in ((one, a.lvalue), (two, b.lvalue)))
        return equality(i, j)


def _indices(op: Op) -> Iterator[Expr]:
    yield from (v.index for v in op_reads(op) if isinstance(v, Element))
    for part in primitive(op):
        targets = (part.target,) if isinstance(part, Assign) else part.targets if isinstance(part, Havoc) else ()
        yield from (t.index for t in targets if isinstance(t, Element))


def _numbers(template: ThreadTemplate) -> Iterator[tuple[Variable, int, bool]]:
    """Each local that starts as the thread's number: the offset, and whether it keeps that value for ever."""
    written = {name for e in template.cfa.edges for name in op_writes(e.op)}
    for v in template.locals:
        if isinstance(v.start, Self) and not v.is_array:
            yield v, v.start.offset, v.name not in written
