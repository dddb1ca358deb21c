"""Allocation sites of which there are many instances, as steps of the program show them: who makes one, who may point to one."""

from __future__ import annotations

from collections.abc import Iterator

from frontend.program import (
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Edge,
    Element,
    Expr,
    Program,
    Read,
    Scalar,
    Var,
    name_of,
    primitive,
    reads,
)
from frontend.records import dataclass

ANY = Var("@any", Scalar(64, False))
"""The index that a formula for every index speaks about (docs/certificate.md)."""


@dataclass(frozen=True, slots=True)
class AllocationSite:
    """Instance number n has the addresses base + n * stride on; `counter` is the next number, at most `limit`.

    The base is a multiple of the stride, so that pointers into one instance agree in pointer / stride.
    """

    counter: Var
    base: int
    stride: int
    limit: int
    first: int
    """Instances below this number are not made by counting."""

    def made(self, pointer: Expr) -> Expr:
        """The pointer is in no instance, or in one that has been made."""
        beyond = Binary(">=", pointer, Const(self.base + self.limit * self.stride, pointer.type))
        return Binary("||", Binary("<", pointer, self._next), beyond)

    def own(self, pointer: Expr) -> Expr:
        """The pointer is null or the address of an instance that was made by counting."""
        t = pointer.type
        first = Const(self.base + self.first * self.stride, t)
        inside = Binary("&&", Binary("<", pointer, self._next), Binary(">=", pointer, first))
        whole = Binary("==", Binary("%", pointer, Const(self.stride, t)), Const(0, t))
        return Binary("||", null(pointer), Binary("&&", inside, whole))

    def apart(self, mine: Expr, other: Expr) -> Expr:
        """The first is null, or the two are in different instances."""
        size = Const(self.stride, mine.type)
        return Binary("||", null(mine), Binary("!=", Binary("/", mine, size), Binary("/", other, size)))

    @property
    def _next(self) -> Expr:
        t = self.counter.type
        return Binary("+", Binary("*", Read(self.counter), Const(self.stride, t)), Const(self.base, t))

    def outside(self, address: int) -> bool:
        """Whether a constant is no address of an instance that is made by counting."""
        distance = (address - self.base) % (1 << self.counter.type.width)
        return distance >= self.limit * self.stride or distance < self.first * self.stride


def null(pointer: Expr) -> Expr:
    return Binary("==", pointer, Const(0, pointer.type))


def site_of(program: Program, variable: str) -> AllocationSite | None:
    """The site whose instances are the elements of an array; None if it is nothing of the kind."""
    forms = {place_of(a.lvalue.index) for t in program.templates for e in t.cfa.edges for a in e.accesses
             if a.variable == variable and isinstance(a.lvalue, Element) and not a.whole}
    places = {(p[1], p[2]) for p in forms if p is not None}
    if len(places) != 1:
        return None
    base, stride = places.pop()
    found = {made[1] for t in program.templates for e in t.cfa.edges for made in allocations(program, e)
             if made[1].base == base and made[1].stride == stride}
    return found.pop() if len(found) == 1 else None


def place_of(index: Expr) -> tuple[Var, int, int] | None:
    """The pointer, the base and the stride in an index of the form (pointer - base) / stride."""
    match uncast(index):
        case Binary(op="/", left=Binary(op="-", left=p, right=Const(value=base)), right=Const(value=stride)):
            p = uncast(p)
            return (p.lvalue, base, stride) if isinstance(p, Read) and isinstance(p.lvalue, Var) else None
        case _:
            return None


def allocations(program: Program, edge: Edge) -> Iterator[tuple[Var, AllocationSite]]:
    """What an edge allocates: the register that gets the address, and the site."""
    limits = {c.left.lvalue: c.right.value for p in primitive(edge.op) if isinstance(p, Assume)
              for c in (p.cond,) if isinstance(c, Binary) and c.op == "<" and isinstance(c.left, Read)
              and isinstance(c.left.lvalue, Var) and isinstance(c.right, Const)}
    for part in primitive(edge.op):
        match part:
            case Assign(target=Var() as register, value=Binary(
                    op="+", left=Binary(op="*", left=Read(lvalue=Var() as counter), right=Const(value=stride)),
                    right=Const(value=base))) if counter in limits and base % stride == 0:
                start = program.variable(counter.name).start
                yield register, AllocationSite(counter, base, stride, limits[counter], getattr(start, "default", 0))
            case _:
                pass


@dataclass(frozen=True, slots=True)
class Holders:
    """Where pointers into instances of a site may be: in these globals, and at each location of a template in these locals."""

    globals: frozenset[str]
    locals: list[list[frozenset[str]]]


def holders(program: Program, site: AllocationSite) -> Holders:
    """What may come to hold a pointer into an instance, as far as it is wide enough for an address."""
    shared: frozenset[str] = frozenset()
    while True:
        flows = [_held(program, n, site, shared) for n in range(len(program.templates))]
        grown = shared.union(*(written for _, written in flows))
        if grown == shared:
            return Holders(shared, [at for at, _ in flows])
        shared = grown


def _held(program: Program, n: int, site: AllocationSite, shared: frozenset[str]) -> tuple[list[frozenset[str]], frozenset[str]]:
    """The locals of a template that may hold a pointer, by location, and the globals it may store one in."""
    own = frozenset(v.name for v in program.templates[n].locals)
    stored: set[str] = set()

    def after(here: frozenset[str], e: Edge) -> frozenset[str]:
        made = {r for r, s in allocations(program, e) if s == site}
        for part in primitive(e.op):
            if isinstance(part, Assign) and part.target.type.width == site.counter.type.width:
                name = name_of(part.target)
                may = part.target in made or any(name_of(v) in here or name_of(v) in shared for v in reads(part.value))
                if name not in own:
                    stored.update({name} if may and name != site.counter.name else ())
                elif may:
                    here |= {name}
                elif isinstance(part.target, Var):
                    here -= {name}
        return here

    found = program.templates[n].cfa.forward(frozenset[str](), after, frozenset.union)
    return [known or frozenset() for known in found], frozenset(stored)


def uncast(e: Expr) -> Expr:
    """The address without casts that keep all its bits."""
    while isinstance(e, Cast) and e.type.width == e.arg.type.width:
        e = e.arg
    return e
