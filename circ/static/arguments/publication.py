"""Heap objects that are private until they are published: nobody else can have a pointer to one before.

A thread that has allocated an instance of a site and has not stored the address anywhere yet has the only pointers to it: every
global, every element of every array and every register of another thread that may point into the site points elsewhere.
That is inductive: what is loaded comes from a global or an element, what is stored comes from a register, and what is
allocated is a number that nobody was given before. It takes formulas for every index, so there must be no atomic locations.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from circ.static.arguments.argument import Argument, RegionPlace, of_thread
from circ.static.arguments.own_facts import OwnFacts
from circ.static.arguments.sites import ANY, AllocationSite, allocations, holders, place_of, site_of, uncast
from circ.static.live_locals import live_locals
from frontend.program import (
    Access,
    Assign,
    Binary,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Ints,
    Program,
    Read,
    Var,
    Variable,
    name_of,
    op_writes,
    primitive,
    reads,
    variables,
)
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class PublicationFacts:
    """At a location: registers that hold what may be in a global too (`clean`), and groups of registers that each hold null
    or the one address of an instance that is still private."""

    clean: frozenset[Var] = frozenset()
    private: frozenset[frozenset[Var]] = frozenset()

    def without(self, v: Var) -> PublicationFacts:
        return PublicationFacts(self.clean - {v}, frozenset(g - {v} for g in self.private if g != {v}))

    def group(self, v: Var) -> frozenset[Var] | None:
        return next((g for g in self.private if v in g), None)

    def published(self, v: Var) -> PublicationFacts:
        return PublicationFacts(self.clean, frozenset(g for g in self.private if v not in g))

    def meet(self, other: PublicationFacts) -> PublicationFacts:
        """Two registers are in one group if they are in either."""
        both = {v for g in self.private for v in g} & {v for g in other.private for v in g}
        groups: list[frozenset[Var]] = []
        for g in (*self.private, *other.private):
            merged = g & both
            for old in [h for h in groups if h & merged]:
                groups.remove(old)
                merged |= old
            if merged:
                groups.append(merged)
        return PublicationFacts(self.clean & other.clean, frozenset(groups))


class Publication(Argument):
    """The argument about one array whose elements are instances of an allocation site."""

    def __init__(self, program: Program, variable: str) -> None:
        self.program, self.variable = program, variable
        self.words = "what a thread has allocated and not yet stored anywhere is its own"
        self.own = [frozenset(v.name for v in t.locals) for t in program.templates]
        atomic = any(t.cfa.atomic for t in program.templates) or program.ints != Ints.EXACT
        self.site: AllocationSite | None = None if atomic else site_of(program, variable)
        self.globals: list[Variable] = []
        self.known_at: list[list[PublicationFacts | None]] = []
        self.names: frozenset[str] = frozenset()
        if self.site is not None:
            self.held = holders(program, self.site)
            self.globals = [v for v in program.globals if v.name in self.held.globals]
            self.names = frozenset(v.name for v in self.globals)
            self.needed = [self._needed(n) for n in range(len(program.templates))]
            self.known_at = [self._flow(n, self.site) for n in range(len(program.templates))]
            self.live = [live_locals(t) for t in program.templates]
            self.facts = [OwnFacts(t, frozenset(), self._tested(n)) for n, t in enumerate(program.templates)]

    @property
    def applies(self) -> bool:
        return self.site is not None and self.clean() and any(
            self._private((n, e.source), a) for n, t in enumerate(self.program.templates) for e in t.cfa.edges
            for a in e.accesses if a.variable == self.variable)

    def also(self) -> Iterator[str]:
        assert self.site is not None
        for v in self.program.globals:
            if v.is_array and v.name != self.variable and site_of(self.program, v.name) == self.site:
                yield v.name

    def _tested(self, n: int) -> frozenset[str]:
        """Pointers to private instances, which are known not to be null where they have been tested."""
        return frozenset(v.name for known in self.known_at[n] if known is not None for g in known.private for v in g)

    # ----------------------------------------------------------------------------------------------- the flow
    def _flow(self, n: int, site: AllocationSite) -> list[PublicationFacts | None]:
        return self.program.templates[n].cfa.forward(PublicationFacts(), lambda here, e: self._after(n, here, e, site),
                                                     PublicationFacts.meet)

    def _after(self, n: int, here: PublicationFacts, edge: Edge, site: AllocationSite) -> PublicationFacts:
        made = {r for r, s in allocations(self.program, edge) if s == site}
        elsewhere = {r for r, s in allocations(self.program, edge) if s != site}
        for part in primitive(edge.op):
            match part:
                case Assign(target=Var() as v, value=e) if v.name in self.own[n]:
                    group = self._copied(here, e)
                    clean = v.type == site.counter.type and (v in made or v in elsewhere or self._clean(n, here, e))
                    here = here.without(v)
                    if v.type == site.counter.type and (v in made or _is_null(e)):
                        here = PublicationFacts(here.clean, here.private | {frozenset((v,))})
                    elif group is not None and v not in group:
                        here = PublicationFacts(here.clean, (here.private - {group}) | {group | {v}})
                    if clean:
                        here = PublicationFacts(here.clean | {v}, here.private)
                case Assign(target=target, value=e) if name_of(target) in self.names:
                    for w in reads(e):
                        here = here.published(w) if isinstance(w, Var) else here
                case Havoc(targets=ts):
                    for t in ts:
                        here = here.without(t) if isinstance(t, Var) else here
                case _:
                    pass
        return here

    def _needed(self, n: int) -> list[frozenset[str]]:
        """At each location the locals whose value may yet get into one of the globals."""
        cfa = self.program.templates[n].cfa
        entering: list[list[Edge]] = [[] for _ in range(cfa.size)]
        for e in cfa.edges:
            entering[e.target].append(e)
        found: list[frozenset[str]] = [frozenset()] * cfa.size
        todo = list(range(cfa.size))
        while todo:
            q = todo.pop()
            for e in entering[q]:
                here = found[q]
                for part in reversed(list(primitive(e.op))):
                    if isinstance(part, Assign) and (name_of(part.target) in here or name_of(part.target) in self.names):
                        here = (here - {name_of(part.target)}) | ({name_of(v) for v in reads(part.value)} & self.own[n])
                if not here <= found[e.source]:
                    found[e.source] |= here
                    todo.append(e.source)
        return found

    def _copied(self, here: PublicationFacts, e: Expr) -> frozenset[Var] | None:
        e = uncast(e)
        return here.group(e.lvalue) if isinstance(e, Read) and isinstance(e.lvalue, Var) else None

    def _clean(self, n: int, here: PublicationFacts, e: Expr) -> bool:
        """Whether a value is one that a global might have."""
        assert self.site is not None
        match uncast(e):
            case Const(value=c):
                return self.site.outside(c)
            case Read(lvalue=Var() as v):
                return v in here.clean if v.name in self.own[n] else v.name in self.names
            case Read(lvalue=Element(array=a)):
                return a in self.names and a not in self.own[n]
            case _:
                return False

    def clean(self) -> bool:
        """Whether nothing gets into a global that could be an address from nowhere."""
        assert self.site is not None
        for n, t in enumerate(self.program.templates):
            for e in t.cfa.edges:
                here = self.known_at[n][e.source]
                if here is None:
                    continue
                for part in primitive(e.op):
                    match part:
                        case Assign(target=target, value=value) if name_of(target) in self.names:
                            if not self._clean(n, here, value):
                                return False
                        case Havoc():
                            if self.names & set(op_writes(part)):
                                return False
                        case _:
                            pass
                    here = self._after(n, here, Edge(e.source, e.target, part), self.site) if isinstance(part, Assign) else here
        return True

    # ----------------------------------------------------------------------------------------------- the argument
    def at(self, spot: RegionPlace) -> PublicationFacts:
        return self.known_at[spot[0]][spot[1]] or PublicationFacts()

    def marks(self, template: int) -> Sequence[Hashable]:
        return [(self._mine((template, q)), self._others((template, q)), self._passed((template, q)))
                for q in range(self.program.templates[template].cfa.size)]

    def _mine(self, spot: RegionPlace) -> tuple[Var, ...]:
        held = self.live[spot[0]][spot[1]] & self.held.locals[spot[0]][spot[1]]
        return tuple(sorted((v for g in self.at(spot).private for v in g if v.name in held), key=lambda v: v.name))

    def _others(self, spot: RegionPlace) -> tuple[Var, ...]:
        """Registers that may point to an instance, or get into a global: other instances than those that are private."""
        matter = self.live[spot[0]][spot[1]] & (self.held.locals[spot[0]][spot[1]] | self.needed[spot[0]][spot[1]])
        return tuple(sorted((v for v in self.at(spot).clean if v.name in matter), key=lambda v: v.name))

    def _passed(self, spot: RegionPlace) -> tuple[Expr, ...]:
        facts = self.facts[spot[0]].at[spot[1]]
        mine = {v.name for v in self._mine(spot)}
        return () if facts is None else tuple(c for c in facts.formulas() if variables(c) <= mine)

    def alone(self, spot: RegionPlace) -> Iterator[Expr]:
        assert self.site is not None
        site = self.site
        yield from self._passed(spot)
        yield Binary("<=", Read(site.counter), Const(site.limit, site.counter.type))
        yield Binary(">=", Read(site.counter), Const(site.first, site.counter.type))
        for g in self.globals:
            if not g.is_array:
                yield site.made(Read(Var(g.name, g.type)))
        for v in self._others(spot):
            yield site.made(Read(v))
        for r in self._mine(spot):
            yield site.own(Read(r))
            for g in self.globals:
                if not g.is_array:
                    yield site.apart(Read(r), Read(Var(g.name, g.type)))
            group = self.at(spot).group(r) or frozenset()
            for v in self._others(spot):
                if v not in group:
                    yield site.apart(Read(r), Read(v))

    def together(self, one: RegionPlace, two: RegionPlace) -> Iterator[Expr]:
        assert self.site is not None
        for first, second, n, k in ((one, two, 1, 2), (two, one, 2, 1)):
            for r in self._mine(first):
                mine = of_thread(Read(r), n, self.own[first[0]])
                for v in self._others(second):
                    yield self.site.apart(mine, of_thread(Read(v), k, self.own[second[0]]))

    def everywhere(self, spot: RegionPlace) -> Iterator[Expr]:
        assert self.site is not None
        for g in self.globals:
            if g.is_array:
                element = Read(Element(g.name, Read(ANY), g.type))
                yield self.site.made(element)
                for r in self._mine(spot):
                    yield self.site.apart(Read(r), element)

    def apart(self, one: RegionPlace, a: Access, two: RegionPlace, b: Access) -> bool:
        return (self._private(one, a) and self._public(two, b)) or (self._private(two, b) and self._public(one, a))

    def _private(self, spot: RegionPlace, access: Access) -> bool:
        found = self._pointer(access)
        return found is not None and found in self._mine(spot)

    def _public(self, spot: RegionPlace, access: Access) -> bool:
        found = self._pointer(access)
        if found is not None:
            return found in self._others(spot)
        lvalue = access.lvalue
        return isinstance(lvalue, Element) and not access.whole and isinstance(lvalue.index, Const) and \
            self.site is not None and lvalue.index.value < self.site.first

    def _pointer(self, access: Access) -> Var | None:
        if access.whole or not isinstance(access.lvalue, Element):
            return None
        place = place_of(access.lvalue.index)
        return None if place is None else place[0]


def _is_null(e: Expr) -> bool:
    e = uncast(e)
    return isinstance(e, Const) and e.value == 0
