"""Elements whose index is drawn from a counter: `i = next++` under a lock or in one step, then `a[i]` without either.

The counter is only ever counted up, so a number that was drawn lies below it, and no two threads have the same one. What keeps it
from wrapping is a bound that is tested before a number is drawn; where there is none, each thread draws once, and the counter is
the number of threads that did (a counting fact), which is less than a word holds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, reduce

from circ.static.arguments.argument import Argument, RegionPlace, as_type, of_thread, plain
from frontend.program import (
    BOOL,
    Access,
    AccessKind,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Program,
    Read,
    Scalar,
    ThreadTemplate,
    Values,
    Var,
    op_writes,
    primitive,
    substitute,
    truth,
    variables,
)
from frontend.program.connectives import conjuncts, disjoin
from frontend.program.fold import fold
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class DrawFacts:
    """What is known where a thread is.

    `same`: locals that equal the counter, which nobody else can change now; `below`: what the counter is below, likewise.
    `mine`: locals with a number drawn, or with one of some constants that tell that there is none. `constants`: locals with one
    value. `drawn`: the thread has drawn before. `dead`: the constants exclude that the thread comes here.
    """

    same: frozenset[Var] = frozenset()
    below: int | None = None
    mine: frozenset[tuple[Var, frozenset[int]]] = frozenset()
    constants: frozenset[tuple[Var, int]] = frozenset()
    drawn: bool = False
    dead: bool = False

    def without(self, names: Iterable[str]) -> DrawFacts:
        gone = set(names)
        return replace(
            self, same=frozenset(v for v in self.same if v.name not in gone),
            mine=frozenset((v, none) for v, none in self.mine if v.name not in gone),
            constants=frozenset((v, c) for v, c in self.constants if v.name not in gone))

    def both(self, other: DrawFacts) -> DrawFacts:
        """What is known on both of two ways to a place."""
        if self.dead or other.dead:
            return other if self.dead else self
        below = None if self.below is None or other.below is None else max(self.below, other.below)
        return DrawFacts(self.same & other.same, below, self._numbers(other), self.constants & other.constants,
                         self.drawn or other.drawn)

    def _numbers(self, other: DrawFacts) -> frozenset[tuple[Var, frozenset[int]]]:
        found = set()
        for one, two in ((self, other), (other, self)):
            there, fixed = dict(two.mine), dict(two.constants)
            for v, none in one.mine:
                if v in there:
                    found.add((v, none | there[v]))
                elif v in fixed:
                    found.add((v, none | {fixed[v]}))
        return frozenset(found)

    def tested(self, c: Expr) -> DrawFacts:
        """After a test: constants that it excludes are none of those that a local has, or may have instead of a number."""
        def passes(v: Var, value: int) -> bool:
            held = fold(substitute(c, lambda w: Const(value, v.type) if w == v else None))
            return not (isinstance(held, Const) and held.value == 0)

        names = variables(c)
        if any(v.name in names and not passes(v, value) for v, value in self.constants):
            return DrawFacts(dead=True)
        return replace(self, mine=frozenset(
            (v, frozenset(n for n in none if passes(v, n)) if v.name in names else none) for v, none in self.mine))


class _Unfit(Exception):
    """Something else is done to the counter."""


def draws(program: Program, variable: str, locks: Callable[[str], Sequence[Lvalue]]) -> tuple[Draws, ...]:
    """An argument for each counter from which indices of the array variable are drawn; `locks` are held where it is accessed."""
    found = []
    for v in program.globals:
        if v.is_array or v.type.width < 32 or not isinstance(v.start, Values) or not _drawn_from(program, v.name):
            continue
        try:
            argument = Draws(program, variable, Var(v.name, v.type), v.start.default, tuple(locks(v.name)[:1]))
        except _Unfit:
            continue
        if argument.applies:
            found.append(argument)
    return tuple(found)


def _drawn_from(program: Program, name: str) -> bool:
    """Whether some thread writes the variable, and no more than one step more than what it is."""
    writes = [p for t in program.templates for e in t.cfa.edges for p in primitive(e.op) if name in op_writes(p)]
    return any(isinstance(p, Assign) and _one_more(p.value) is not None for p in writes)


class Draws(Argument):
    """The argument about one counter and one array."""

    def __init__(self, program: Program, variable: str, counter: Var, start: int, locks: tuple[Lvalue, ...]) -> None:
        self.locks = locks
        self.program, self.variable, self.counter, self.start = program, variable, counter, start
        self.own = [frozenset(v.name for v in t.locals) for t in program.templates]
        self.facts = [_facts(counter, t, own) for t, own in zip(program.templates, self.own, strict=True)]
        shown = next(v.shown or v.name for v in program.globals if v.name == counter.name)
        self.words = f"a thread touches the element whose number it has drawn from {shown}, and no two have drawn the same"
        self.bounded = all(self._bounded(n, e) for n, t in enumerate(program.templates) for e in t.cfa.edges)
        if not self.bounded and any(self._again(n, e) for n, t in enumerate(program.templates) for e in t.cfa.edges):
            raise _Unfit

    def _bounded(self, n: int, e: Edge) -> bool:
        """Whether a step draws no number, or one that a bound was tested for."""
        return not self._draws(e) or self.at((n, e.source)).below is not None

    def _again(self, n: int, e: Edge) -> bool:
        """Whether a step may draw a second number, or leads to where it is open whether one was drawn."""
        here, there = self.at((n, e.source)), self.at((n, e.target))
        if here.dead or there.dead:
            return False
        return (self._draws(e) and here.drawn) or there.drawn != (here.drawn or self._draws(e))

    def _draws(self, e: Edge) -> bool:
        return any(self.counter.name in op_writes(p) and not _sets(p) for p in primitive(e.op))

    @property
    def applies(self) -> bool:
        return any(isinstance(a.lvalue, Element) and self._number((n, e.source), a) is not None
                   for n, t in enumerate(self.program.templates) for e in t.cfa.edges for a in e.accesses
                   if a.variable == self.variable)

    def cells(self) -> tuple[Lvalue, ...]:
        return self.locks

    def at(self, spot: RegionPlace) -> DrawFacts:
        return self.facts[spot[0]][spot[1]] or DrawFacts()

    def marks(self, template: int) -> Sequence[Hashable]:
        return self.facts[template]

    def alone(self, spot: RegionPlace) -> Iterator[Expr]:
        here, counter = self.at(spot), Read(self.counter)
        for v in sorted(here.same, key=str):
            yield Binary("==", as_type(v, self.counter.type), counter)
        if here.below is not None:
            yield Binary("<", counter, Const(here.below, self.counter.type))
        for v, c in sorted(here.constants, key=str):
            yield Binary("==", Read(v), Const(c, v.type))
        for v, none in _sorted(here.mine):
            yield _unless(v, none, Binary("<", self._place(as_type(v, self.counter.type)), self._place(counter)))

    def _place(self, number: Expr) -> Expr:
        """Which one of those drawn a number is: itself, if a bound keeps the counter from wrapping, else from the start on."""
        if self.bounded:
            return number
        return Cast(Binary("-", number, Const(self.start, number.type)), Scalar(number.type.width, False))

    def together(self, one: RegionPlace, two: RegionPlace) -> Iterator[Expr]:
        for v, none in _sorted(self.at(one).mine):
            for w, nor in _sorted(self.at(two).mine):
                mine, other = (of_thread(as_type(x, self.counter.type), n, self.own[spot[0]])
                               for x, n, spot in ((v, 1, one), (w, 2, two)))
                differ = of_thread(_unless(v, none, Const(0, BOOL)), 1, self.own[one[0]])
                absent = of_thread(_unless(w, nor, Const(0, BOOL)), 2, self.own[two[0]])
                yield disjoin(disjoin(differ, absent), Binary("!=", mine, other))

    def apart(self, one: RegionPlace, a: Access, two: RegionPlace, b: Access) -> bool:
        return self._number(one, a) is not None and self._number(two, b) is not None

    def broken(self, one: RegionPlace, two: RegionPlace) -> bool:
        """While the first thread draws, the second one must not."""
        here = self.at(one)
        return (bool(here.same) or here.below is not None) and two in self._writers

    @cached_property
    def _writers(self) -> frozenset[RegionPlace]:
        return frozenset((n, e.source) for n, t in enumerate(self.program.templates) for e in t.cfa.edges
                         if self.counter.name in op_writes(e.op))

    def _number(self, spot: RegionPlace, a: Access) -> Var | None:
        """The local with the number that an access has as its index."""
        if a.whole or not isinstance(a.lvalue, Element):
            return None
        v = plain(a.lvalue.index)
        return v if (v, frozenset()) in self.at(spot).mine else None

    def counting(self) -> Iterator[tuple[Expr, Sequence[Sequence[int]]]]:
        if not self.bounded:
            number = Binary("-", Read(self.counter), Const(self.start, self.counter.type))
            yield Cast(number, Scalar(self.counter.type.width, True)), [
                [int(f is not None and f.drawn) for f in facts] for facts in self.facts]


def _sorted(mine: Iterable[tuple[Var, frozenset[int]]]) -> list[tuple[Var, frozenset[int]]]:
    return sorted(mine, key=lambda item: (str(item[0]), sorted(item[1])))


def _unless(v: Var, none: frozenset[int], e: Expr) -> Expr:
    """The condition, or that the local has one of the constants."""
    return reduce(disjoin, (Binary("==", Read(v), Const(c, v.type)) for c in sorted(none)), e)


def _one_more(e: Expr) -> Var | None:
    """The variable that the expression is one more than, modulo its width."""
    if isinstance(e, Cast) and e.arg.type.width >= e.type.width:
        e = e.arg
    match e:
        case Binary(op="+", left=left, right=Const(value=1)):
            return plain(left)
        case _:
            return None


def _sets(op: Op) -> bool:
    """Whether the step gives the counter a value that does not depend on what it was."""
    return isinstance(op, Assign) and isinstance(op.value, Const)


# --------------------------------------------------------------------------------------------------- the analysis
def _facts(counter: Var, t: ThreadTemplate, own: frozenset[str]) -> list[DrawFacts | None]:
    """What is known at each location, by a forward analysis; raises `_Unfit` if the counter is not only counted up."""
    def after(known: DrawFacts, e: Edge) -> DrawFacts:
        for part in primitive(e.op):
            known = _after(counter, t, own, known, part)
        tells = any(a.write and a.kind is AccessKind.SYNC and a.variable != counter.name for a in e.accesses)
        leaves = e.source in t.cfa.atomic and e.target not in t.cfa.atomic
        # What gives a lock back, or ends a section, lets others draw.
        return replace(known, same=frozenset(), below=None) if tells or leaves else known

    # Two ways that meet need not agree on a local: it may have a number on one of them, and a constant on the other.
    return t.cfa.forward(DrawFacts(), after, DrawFacts.both)


def _after(counter: Var, t: ThreadTemplate, own: frozenset[str], known: DrawFacts, op: Op) -> DrawFacts:
    if known.dead:
        return known
    match op:
        case Assume(cond=c):
            below = [n for condition in conjuncts(truth(c)) if (n := _bound(counter, known, condition)) is not None]
            return (replace(known, below=min(below)) if below else known).tested(truth(c))
        case Assign(target=Var() as v, value=e) if v == counter:
            if isinstance(e, Const) and t.count == 1:
                return replace(known, same=frozenset(), below=None)
            if _one_more(e) not in known.same | {counter} or not known.same:
                raise _Unfit
            return DrawFacts(mine=frozenset((v, frozenset()) for v in known.same), constants=known.constants, drawn=True)
        case Assign(target=Var() as v, value=e) if v.name in own:
            source, kept = plain(e), known.without((v.name,))
            if source == v:
                return known
            same = kept.same | {v} if source == counter or source in known.same else kept.same
            mine = kept.mine | {(v, none) for w, none in known.mine if w == source and w.type.width == v.type.width}
            value = fold(e)
            fixed = {(v, value.value)} if isinstance(value, Const) else {(v, c) for w, c in known.constants if w == source}
            return replace(kept, same=same, mine=mine, constants=kept.constants | fixed)
        case Assign() | Havoc():
            if counter.name in op_writes(op):
                raise _Unfit
            return known.without(op_writes(op))
        case _:
            return known


def _bound(counter: Var, known: DrawFacts, c: Expr) -> int | None:
    """What the counter is below, if the condition says so of it or of a local that equals it."""
    match c:
        case Binary(op="<" | "<=" as op, left=left, right=Const(value=n)) if plain(left) in known.same | {counter}:
            return n + (op == "<=")
        case Binary(op=">" | ">=" as op, left=Const(value=n), right=right) if plain(right) in known.same | {counter}:
            return n + (op == ">=")
        case _:
            return None
