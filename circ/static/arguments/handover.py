"""Memory that is allocated for a thread and handed to it when it is created: it belongs to that thread alone.

What the creator has allocated is private (`circ.static.arguments.publication`) until it is passed; only one thread takes what
was passed, so two
threads never have pointers into the same instance, as long as neither stores its pointer anywhere. What is passed and not yet
taken differs from what threads have, and so does what is passed to threads of different templates.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations

from circ.static.arguments.argument import Argument, RegionPlace, of_thread
from circ.static.arguments.numbering import arriving
from circ.static.arguments.own_facts import OwnFacts
from circ.static.arguments.publication import Publication
from circ.static.arguments.sites import AllocationSite, null, place_of, uncast
from frontend.program import (
    Access,
    Assign,
    Binary,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Program,
    Read,
    Var,
    name_of,
    negate,
    op_writes,
    primitive,
    reads,
    variables,
)


class Handover(Argument):
    """The argument about an array whose elements are instances of a site: what is private, and what is one thread's."""

    def __init__(self, program: Program, variable: str) -> None:
        self.program, self.variable = program, variable
        self.words = "what was allocated for a thread and passed to it is its own"
        self.private = Publication(program, variable)
        self.own = self.private.own
        self.passed: dict[int, tuple[Var, Var, Var]] = {}
        """By template the flag, the local and the global through which arguments come."""
        if self.private.site is not None and self.private.clean():
            self.passed = {n: a for n in range(len(program.templates)) if (a := arriving(program, n)) is not None
                           and a[2].name in self.private.names and self._unshared(a[0], a[2])}
        self.owned_at = {n: self._owned(n) for n in self.passed}
        self.facts = {n: OwnFacts(program.templates[n], frozenset(), frozenset(v.name for vs in at for v in vs or ()))
                      for n, at in self.owned_at.items()}

    @property
    def applies(self) -> bool:
        return any(self._mine((n, e.source), a) for n in self.passed for e in self.program.templates[n].cfa.edges
                   for a in e.accesses if a.variable == self.variable)

    def also(self) -> Iterator[str]:
        return self.private.also()

    def _unshared(self, flag: Var, passed: Var) -> bool:
        """Whether whoever passes something passes null or what is private then, and says so in the same step."""
        for n, t in enumerate(self.program.templates):
            for e in t.cfa.edges:
                written = [p for p in primitive(e.op) if passed.name in op_writes(p)]
                if not written:
                    continue
                value = uncast(written[0].value) if len(written) == 1 and isinstance(written[0], Assign) else None
                match value:
                    case Const(value=0):
                        pass
                    case Read(lvalue=Var() as v) if self.private.at((n, e.source)).group(v) is not None:
                        pass
                    case _:
                        return False
                if flag.name not in op_writes(e.op):
                    return False
        return True

    def _owned(self, n: int) -> list[frozenset[Var] | None]:
        """At each location of a created thread the registers with its argument, while that is stored nowhere."""
        cfa, (_, taken, passed) = self.program.templates[n].cfa, self.passed[n]

        def after(here: frozenset[Var], e: Edge) -> frozenset[Var]:
            for part in primitive(e.op):
                match part:
                    case Assign(target=Var() as v, value=value) if v.name in self.own[n]:
                        source = uncast(value)
                        gets = isinstance(source, Read) and (source.lvalue in here or (
                            e.source == cfa.start and v == taken and source.lvalue == passed))
                        here = here | {v} if gets else here - {v}
                    case Assign(target=target, value=value):
                        if any(v in here for v in reads(value)) and name_of(target) in self.private.names:
                            here = frozenset()
                    case Havoc(targets=ts):
                        here = here - {t for t in ts if isinstance(t, Var)}
                    case _:
                        pass
            return here

        return cfa.forward(frozenset[Var](), after, frozenset.intersection)

    # ----------------------------------------------------------------------------------------------- the argument
    def owned(self, spot: RegionPlace) -> tuple[Var, ...]:
        if spot[0] not in self.passed:
            return ()
        live = self.private.live[spot[0]][spot[1]]
        return tuple(sorted((v for v in self.owned_at[spot[0]][spot[1]] or () if v.name in live), key=lambda v: v.name))

    def _tested(self, spot: RegionPlace) -> tuple[Expr, ...]:
        """What the thread knows of what it owns by its own tests and copies."""
        facts = self.facts[spot[0]].at[spot[1]] if spot[0] in self.facts else None
        names = {v.name for v in self.owned(spot)}
        return () if facts is None else tuple(c for c in facts.formulas() if variables(c) <= names)

    def marks(self, template: int) -> Sequence[Hashable]:
        return [(mark, self.owned((template, q)), self._tested((template, q)))
                for q, mark in enumerate(self.private.marks(template))]

    def alone(self, spot: RegionPlace) -> Iterator[Expr]:
        assert self.private.site is not None
        yield from self.private.alone(spot)
        yield from self._tested(spot)
        for flag, _, passed in self.passed.values():
            for v in self.owned(spot):
                yield Binary("||", negate(Read(flag)), _apart(self.private.site, Read(passed), Read(v)))
        for (flag, _, passed), (other, _, second) in combinations(self.passed.values(), 2):
            both = Binary("||", negate(Read(flag)), negate(Read(other)))
            yield Binary("||", both, _apart(self.private.site, Read(passed), Read(second)))

    def together(self, one: RegionPlace, two: RegionPlace) -> Iterator[Expr]:
        assert self.private.site is not None
        yield from self.private.together(one, two)
        for v in self.owned(one):
            for w in self.owned(two):
                yield _apart(self.private.site, of_thread(Read(v), 1, self.own[one[0]]), of_thread(Read(w), 2, self.own[two[0]]))

    def everywhere(self, spot: RegionPlace) -> Iterator[Expr]:
        return self.private.everywhere(spot)

    def apart(self, one: RegionPlace, a: Access, two: RegionPlace, b: Access) -> bool:
        return self.private.apart(one, a, two, b) or (self._mine(one, a) and self._mine(two, b))

    def _mine(self, spot: RegionPlace, access: Access) -> bool:
        """Whether the access is to the instance that this thread was given."""
        if access.whole or not isinstance(access.lvalue, Element):
            return False
        place = place_of(access.lvalue.index)
        return place is not None and place[0] in self.owned(spot)


def _apart(site: AllocationSite, a: Expr, b: Expr) -> Expr:
    """One of the two is null, or they are in different instances."""
    return Binary("||", null(b), site.apart(a, b))
