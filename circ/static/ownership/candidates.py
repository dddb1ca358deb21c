"""Guesses what a proof by ownership may speak of: sites, links, locks, pointers that they guard, arguments of threads."""

from __future__ import annotations

from collections.abc import Iterator

from circ.kernel.ownership import Guarded, Heap, Lifetimes, Site, Slot, pointer_in, uncast
from circ.static.arguments.sites import allocations
from frontend.program import (
    Assign,
    Assume,
    Binary,
    Const,
    Element,
    Expr,
    Lvalue,
    Program,
    Read,
    Values,
    Var,
    name_of,
    op_writes,
    primitive,
    reads,
    truth,
)
from frontend.program.connectives import conjuncts
from frontend.records import dataclass

ALLOCATED = "@"
"""In the names of variables that are parts of allocated memory."""


@dataclass(frozen=True, slots=True)
class Guess:
    """What may be spoken of; `pointers`: globals that may hold addresses of objects, with their site (None: several)."""

    sites: tuple[Site, ...]
    arrays: dict[str, int]
    links: dict[str, tuple[int, int | None]]
    pointers: dict[str, int | None]
    locks: tuple[str, ...]
    slots: tuple[Slot, ...]
    starts: dict[int, tuple[int, ...]]
    lives: Lifetimes

    def heap(self, program: Program, guards: dict[str, str], without: frozenset[str]) -> Heap:
        """With these locks of pointers; `without` are no links and no roots, and locks of which nothing is said."""
        links = {a: x for a, x in self.links.items() if a not in without}
        locks = {}
        known = {v.name: v for v in program.globals}
        for lock in self.locks:
            if lock in without:
                continue
            names = [g for g, k in guards.items() if k == lock and f"unguarded {g}" not in without]
            roots = {g: self.pointers[g] for g in names if g not in without and known[g].start == Values(0)}
            scalars = tuple(g for g in names if g not in roots and not known[g].is_array)
            locks[lock] = Guarded(lock, scalars, roots)
        slots = tuple(s for s in self.slots if s.argument not in without and s.flag not in without)
        return Heap(program, self.sites, links, self.arrays, locks, slots, self.starts, self.lives)


def guess(program: Program) -> Guess | None:
    """What a proof may speak of; None if nothing is allocated."""
    sites = _sites(program)
    if not sites:
        return None
    arrays = {v.name: n for v in program.globals if v.is_array and (n := _site_of_array(program, v.name, sites)) is not None}
    lives = Lifetimes(program)
    held = _Holders(program, sites, arrays)
    width = next((v.type.width for s in sites for v in program.globals if v.name == s.counter), 64)
    wide = {v.name: v for v in program.globals if v.type.width == width and not v.type.signed}
    one: dict[str, int | None] = {
        name: min(found) if len(found) == 1 else None for name in wide if (found := held.of.get((-1, name)))}
    links = {a: (n, one[a]) for a, n in arrays.items() if a in one and wide[a].start == Values(0)}
    slots = tuple(_slots(program, lives, one, sites))
    special = {*links, *(s.argument for s in slots), *(s.flag for s in slots), *(s.counter for s in sites)}
    pointers = {g: n for g, n in one.items() if g not in special and g not in arrays}
    return Guess(sites, arrays, links, pointers, tuple(_locks(program)), slots, _starts(program, sites, lives), lives)


def _sites(program: Program) -> tuple[Site, ...]:
    counted = {s for t in program.templates for e in t.cfa.edges for _, s in allocations(program, e)}
    found = [Site(s.base, s.stride, s.limit, s.counter.name, s.first) for s in sorted(counted, key=lambda s: s.base)]
    ranges: dict[tuple[int, int], int] = {}
    lengths = {v.name: v.length or 0 for v in program.globals}
    for t in program.templates:
        for e in t.cfa.edges:
            heap = [a for a in e.accesses if ALLOCATED in a.variable and isinstance(a.lvalue, Element)]
            for a in heap:
                assert isinstance(a.lvalue, Element)
                place = pointer_in(a.lvalue.index)
                if place is not None:
                    length = lengths.get(a.variable, 0)
                    ranges.setdefault((place[1], place[2]), length)
                    ranges[place[1], place[2]] = max(length, ranges[place[1], place[2]])
    for (base, stride), limit in sorted(ranges.items()):
        site = Site(base, stride, limit, None, limit)
        if limit > 0 and all(site.end <= s.base or s.end <= site.base for s in found):
            found.append(site)
    return tuple(sorted(found, key=lambda s: s.base))


def _site_of_array(program: Program, name: str, sites: tuple[Site, ...]) -> int | None:
    """The site whose objects have one element of the array each."""
    length = program.variable(name).length
    found = {(place[1], place[2]) for _, _, a in program.accesses.get(name, ())
             if isinstance(a.lvalue, Element) and (place := pointer_in(a.lvalue.index)) is not None}
    fitting = [n for n, s in enumerate(sites) if length == s.limit
               and all(s.base <= b < s.base + s.stride and stride == s.stride for b, stride in found)]
    return fitting[0] if found and len(fitting) == 1 else None


class _Holders:
    """Which variables may hold addresses in objects of which site: copies are followed, whatever the order."""

    def __init__(self, program: Program, sites: tuple[Site, ...], arrays: dict[str, int]) -> None:
        self.of: dict[tuple[int, str], set[int]] = {}
        flows: list[tuple[tuple[int, str], list[tuple[int, str]]]] = []
        for n, t in enumerate(program.templates):
            own = {v.name for v in t.locals}
            for e in t.cfa.edges:
                made = {r: next(k for k, x in enumerate(sites) if x.base == s.base) for r, s in allocations(program, e)}
                for part in primitive(e.op):
                    if not isinstance(part, Assign):
                        continue
                    target = n if name_of(part.target) in own else -1, name_of(part.target)
                    if isinstance(part.target, Var) and part.target in made:
                        self.of.setdefault(target, set()).add(made[part.target])
                    for c in _constants(part.value):
                        self.of.setdefault(target, set()).update(k for k, s in enumerate(sites) if s.has(c))
                    sources = [(n if name_of(v) in own else -1, name_of(v)) for v in _pointers(part.value)]
                    flows.append((target, sources))
        changed = True
        while changed:
            changed = False
            for target, sources in flows:
                new = set().union(*(self.of.get(s, set()) for s in sources)) - self.of.get(target, set())
                if new:
                    self.of.setdefault(target, set()).update(new)
                    changed = True


def _constants(e: Expr) -> Iterator[int]:
    e = uncast(e)
    if isinstance(e, Const):
        yield e.value


def _pointers(e: Expr) -> list[Lvalue]:
    """What an expression may have its address from."""
    match uncast(e):
        case Read(lvalue=v):
            return [v]
        case Binary(op="+" | "-", left=a, right=Const()):
            return _pointers(a)
        case Const():
            return []
        case other:
            return [v for v in reads(other) if v.type.width == other.type.width]


def _locks(program: Program) -> list[str]:
    """Globals that some step finds 0 and sets."""
    found: dict[str, None] = {}
    known = {v.name for v in program.globals}
    for t in program.templates:
        for e in t.cfa.edges:
            tested = {name_of(c.left.lvalue) for p in primitive(e.op) if isinstance(p, Assume) for c in conjuncts(truth(p.cond))
                      if isinstance(c, Binary) and c.op == "==" and isinstance(c.left, Read) and isinstance(c.right, Const)
                      and c.right.value == 0}
            for p in primitive(e.op):
                if isinstance(p, Assign) and isinstance(p.value, Const) and p.value.value and name_of(p.target) in tested & known:
                    found[name_of(p.target)] = None
    return list(found)


def _slots(program: Program, lives: Lifetimes, pointers: dict[str, int | None], sites: tuple[Site, ...]) -> Iterator[Slot]:
    for n, flag in lives.flags.items():
        cfa = program.templates[n].cfa
        looked_at = {a.variable for e in cfa.edges if e.source == cfa.start for a in e.accesses}
        passed: dict[str, list[Expr]] = {}
        for t in program.templates:
            for e in t.cfa.edges:
                if flag in op_writes(e.op):
                    for p in primitive(e.op):
                        if isinstance(p, Assign) and name_of(p.target) in looked_at & set(pointers):
                            passed.setdefault(name_of(p.target), []).append(uncast(p.value))
        for argument, values in sorted(passed.items()):
            constants = {v.value for v in values if isinstance(v, Const)}
            alone = len(constants) == 1 and all(isinstance(v, Const) for v in values)
            yield Slot(n, flag, argument, pointers[argument], min(constants) if alone else None)


def _starts(program: Program, sites: tuple[Site, ...], lives: Lifetimes) -> dict[int, tuple[int, ...]]:
    """Objects that are not made by counting, and whose they are at the start: of the starter, or of the first that names them."""
    users: dict[tuple[int, int], set[int]] = {}
    for n, t in enumerate(program.templates):
        for e in t.cfa.edges:
            for p in primitive(e.op):
                for c in _constants(p.value) if isinstance(p, Assign) else ():
                    for k, s in enumerate(sites):
                        if s.base <= c < s.base + s.first * s.stride:
                            users.setdefault((k, (c - s.base) // s.stride), set()).add(n)
    found: dict[int, list[int]] = {}
    for (k, number), names in sorted(users.items()):
        owner = lives.starter if lives.starter in names else min(names)
        if owner is not None and program.templates[owner].count == 1:
            found.setdefault(owner, []).append(sites[k].base + number * sites[k].stride)
    return {n: tuple(addresses) for n, addresses in found.items()}
