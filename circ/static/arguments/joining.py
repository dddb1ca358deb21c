"""Threads that are created in a loop and joined one by one through an array of handles: what a joined thread did is over.

The creator counts in step with the ghost number of threads, so the thread with number r was created with the argument E(r), and
`handles[j]` is the handle of thread j for every j below that number. Who has read `handles[k]` and waited for that thread knows
that thread k is done, or that there is none; a thread that still runs is not done, so it has another number and another argument.
Who has done so for k = 0, 1, ... up to the bound that every creation was within knows that all are done.
It takes formulas for every index, so there must be no atomic locations.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from circ.static.arguments.argument import Argument, RegionPlace, of_thread
from circ.static.arguments.creator import Creator, CreatorFacts, ghosts_of, handles_of, made_in_turn, number_is
from circ.static.arguments.numbering import Made, still_has
from circ.static.arguments.own_facts import NOTHING, LocalFacts, OwnFacts
from circ.static.arguments.sites import ANY
from frontend.program import (
    Access,
    Binary,
    Cast,
    Const,
    Element,
    Expr,
    Ints,
    Program,
    Read,
    negate,
    op_writes,
    substitute,
    variables,
)
from frontend.program.fold import fold


class Joining(Argument):
    """The argument about an array variable of which each thread has an element, and the creator those of threads that it joined
    or has still to create."""

    def __init__(self, program: Program, variable: str) -> None:
        self.program, self.variable = program, variable
        self.own = [frozenset(v.name for v in t.locals) for t in program.templates]
        self.made: Made | None = None
        exact = program.ints == Ints.EXACT and not any(t.cfa.atomic for t in program.templates)
        found = [(m, g, h) for n in range(len(program.templates)) if exact and (m := made_in_turn(program, n)) is not None
                 and (g := ghosts_of(program, m)) is not None and (h := handles_of(program, m)) is not None]
        if len(found) != 1:
            return
        self.made, self.ghosts, self.handles = found[0]
        name = program.templates[self.made.template].name
        self.words = (f"threads of {name} are numbered as they are created, each touches what belongs to its number, and the "
                      "creator what belongs to one that it joined or creates next")
        self.known_at = Creator(program, *found[0]).flow()
        self.facts = [OwnFacts(t, frozenset(), self._wanted(n)) for n, t in enumerate(program.templates)]
        self.has = still_has(program, self.made)
        self.running = self._running()

    @property
    def applies(self) -> bool:
        return self.made is not None and any(
            v.known.joined or v.known.over or v.known.ahead is not None for variants in self.known_at for v in variants)

    def _wanted(self, n: int) -> frozenset[str]:
        used = [a.lvalue.index for e in self.program.templates[n].cfa.edges for a in e.accesses
                if a.variable == self.variable and isinstance(a.lvalue, Element)]
        return self.own[n] & {name for index in used for name in variables(index)}

    def _running(self) -> list[bool]:
        """The locations of the created thread at which it has started and surely not said that it is done."""
        assert self.made is not None
        cfa = self.program.templates[self.made.template].cfa
        over = cfa.behind(e.target for e in cfa.edges if self.ghosts.done.name in op_writes(e.op))
        return [q != cfa.start and q not in over for q in range(cfa.size)]

    # ----------------------------------------------------------------------------------------------- the argument
    def at(self, spot: RegionPlace) -> LocalFacts:
        return self.facts[spot[0]].at[spot[1]] or NOTHING

    def marks(self, template: int) -> Sequence[Hashable]:
        assert self.made is not None
        size = self.program.templates[template].cfa.size
        if template == self.made.creator:
            return [(self.known_at[q], self.facts[template].at[q]) for q in range(size)]
        if template == self.made.template:
            return [(self.facts[template].at[q], self.has[q], self.running[q]) for q in range(size)]
        return [None] * size

    def alone(self, spot: RegionPlace) -> Iterator[Expr]:
        assert self.made is not None
        m, g = self.made, self.ghosts
        count = Read(g.count)
        yield Binary("<=", count, Const(g.limit, g.count.type))
        if spot[0] == m.creator:
            yield from self.at(spot).formulas()
            variants = self.known_at[spot[1]]
            for variant in variants:
                yield from variant.literals() if len(variants) == 1 else ()
                yield from map(variant.unless, self._creator(variant.known, m))
        elif spot[0] == m.template and spot[1] == self.program.templates[m.template].cfa.start:
            last = Binary("-", count, Const(1, g.count.type))
            argument = [Binary("==", Read(m.passed), self._argument(m, last))] if m.told else []
            for said in (Binary(">=", count, Const(1, g.count.type)), *argument, negate(Read(self._done(last)))):
                yield Binary("||", negate(Read(m.flag)), said)
        elif spot[0] == m.template:
            yield from self.at(spot).formulas()
            yield Binary("<", Read(g.own), count)
            if self.has[spot[1]] and m.told:
                yield Binary("==", Read(m.taken), self._argument(m, Read(g.own)))
            if self.running[spot[1]]:
                yield negate(Read(self._done(Read(g.own))))

    def _creator(self, here: CreatorFacts, m: Made) -> Iterator[Expr]:
        g = self.ghosts
        count, t = Read(g.count), g.count.type
        if here.none:
            yield Binary("==", count, Const(0, t))
            yield negate(Read(m.flag))
        if here.ahead is not None:
            yield Binary("==", count, Binary("+", fold(Cast(Read(m.counter), t)), Const(here.ahead, t)))
        for x in sorted(here.fresh, key=repr):
            yield Binary("==", Read(x), fold(Cast(Binary("+", count, Const(g.handle - 1, t)), x.type)))
        for x, k in sorted(here.read, key=repr):
            number = fold(Cast(Read(k), t))
            yield Binary("||", Binary(">=", number, count),
                         Binary("==", Read(x), fold(Cast(Binary("+", number, Const(g.handle, t)), x.type))))
        for v in sorted(here.zero, key=repr):
            yield Binary("==", Read(v), Const(0, v.type))
        for c in sorted(here.tested, key=repr):
            yield number_is(c, Read(m.counter))
        for c in sorted(here.within, key=repr):
            last = fold(Cast(Binary("-", count, Const(1, t)), m.counter.type))
            yield Binary("||", Binary("==", count, Const(0, t)), number_is(c, last))
        for k in sorted(here.joined, key=repr):
            number = fold(Cast(Read(k), t))
            yield Binary("||", Binary(">=", number, count), Read(self._done(number)))

    def _done(self, number: Expr) -> Element:
        return Element(self.ghosts.done.name, number, self.ghosts.done.type)

    def _argument(self, m: Made, number: Expr) -> Expr:
        """What the thread with this number was created with."""
        counter = fold(Cast(number, m.counter.type))
        return substitute(m.value, lambda v: counter if v == m.counter else None)

    def together(self, one: RegionPlace, two: RegionPlace) -> Iterator[Expr]:
        assert self.made is not None
        m, g = self.made, self.ghosts
        for creator, made, n in ((one, two, 2), (two, one, 1)):
            if self._over(creator, made):
                # With what holds of the thread alone, this excludes the two.
                yield Read(self._done(of_thread(Read(g.own), n, self.own[m.template])))
        start = self.program.templates[m.template].cfa.start
        if one[0] != m.template or two[0] != m.template or one[1] == two[1] == start:
            return
        first, second = (of_thread(Read(g.own), n, self.own[m.template]) for n in (1, 2))
        if start in (one[1], two[1]):
            last = Binary("-", Read(g.count), Const(1, g.count.type))
            yield Binary("||", negate(Read(m.flag)), Binary("!=", second if one[1] == start else first, last))
        else:
            yield Binary("!=", first, second)

    def everywhere(self, spot: RegionPlace) -> Iterator[Expr]:
        assert self.made is not None
        g = self.ghosts
        t = g.count.type
        index = Read(ANY)
        yield Binary("||", negate(Read(self._done(index))), Binary("<", index, Read(g.count)))
        for variant in self.known_at[spot[1]] if spot[0] == self.made.creator else ():
            if variant.known.missing is not None:
                stored = Binary("==", Read(Element(self.handles.name, index, self.handles.type)),
                                fold(Cast(Binary("+", index, Const(g.handle, t)), self.handles.type)))
                there = Binary("-", Read(g.count), Const(variant.known.missing, t))
                yield variant.unless(Binary("||", Binary(">=", index, there), stored))
            ended = Binary("||", Binary(">=", index, Read(g.count)), Read(self._done(index)))
            for k in sorted(variant.known.through, key=repr):
                yield variant.unless(Binary("||", Binary(">=", index, fold(Cast(Read(k), t))), ended))
            if variant.known.over:
                yield variant.unless(ended)

    def apart(self, one: RegionPlace, a: Access, two: RegionPlace, b: Access) -> bool:
        if self._over(one, two) or self._over(two, one):
            return True
        if a.whole or b.whole or not isinstance(a.lvalue, Element) or not isinstance(b.lvalue, Element):
            return False
        m = self.made
        if m is not None and one[0] == two[0] == m.template:
            i, j = self.at(one).root(a.lvalue.index), self.at(two).root(b.lvalue.index)
            return i == j and variables(i) == {m.taken.name} and self.has[one[1]] and self.has[two[1]]
        return self._other(one, a.lvalue, two, b.lvalue) or self._other(two, b.lvalue, one, a.lvalue)

    def _over(self, creator: RegionPlace, made: RegionPlace) -> bool:
        """Whether the creator knows that all threads are done, and a created thread is not."""
        m = self.made
        return m is not None and creator[0] == m.creator and made[0] == m.template and self.running[made[1]] and all(
            v.known.over for v in self.known_at[creator[1]])

    def _other(self, creator: RegionPlace, a: Element, made: RegionPlace, b: Element) -> bool:
        """Whether a created thread is at its own element, and the creator at that of one that it joined or creates next."""
        m = self.made
        if m is None or creator[0] != m.creator or made[0] != m.template or not self.has[made[1]]:
            return False
        i, j = self.at(creator).root(a.index), self.at(made).root(b.index)
        if len(variables(i)) != 1 or variables(j) != {m.taken.name}:
            return False
        known = [v.known for v in self.known_at[creator[1]]]
        ahead = variables(i) == {m.counter.name} and all(k.ahead == 0 for k in known)
        joined = self.running[made[1]] and all(variables(i) <= {v.name for v in k.joined} for k in known)
        return ahead or joined
