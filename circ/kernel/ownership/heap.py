"""What a proof by ownership speaks of: allocation sites, links between objects, roots with their locks, arguments of threads.

Read from the body of a certificate, and compared with the program: only what is checked here and in `steps` is relied on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from itertools import pairwise

from circ.kernel.outcome import Malformed
from circ.kernel.ownership.lifetimes import Lifetimes
from circ.kernel.ownership.shapes import Label
from frontend.program import (
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Edge,
    Expr,
    Ints,
    Program,
    Read,
    Values,
    Var,
    op_writes,
    primitive,
    truth,
)
from frontend.program.connectives import conjuncts
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Site:
    """Object number n < limit has the addresses base + n * stride on. `counter` is the next number, from `first` on, which nobody
    was given yet; without one, and below `first`, objects are there from the start."""

    base: int
    stride: int
    limit: int
    counter: str | None
    first: int

    @property
    def end(self) -> int:
        """Behind the last address that counts as one in an object: the first of number `limit`, which is never made, is one."""
        return self.base + self.limit * self.stride + 1

    def has(self, address: int) -> bool:
        return self.base <= address < self.end


@dataclass(frozen=True, slots=True)
class Guarded:
    """A lock, or an array of locks, with what is changed only by its holder: pointers, and beside them roots with the site of
    what they lead to (None: any), scalars or arrays. Roots of an array of locks are arrays with the same indices."""

    lock: str
    scalars: tuple[str, ...]
    roots: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class Slot:
    """Through which threads of a template get their argument: valid while the flag is set.

    `constant`: the only argument that is ever passed, if it is known.
    """

    template: int
    flag: str
    argument: str
    site: int | None
    constant: int | None


@dataclass(slots=True)
class Heap:
    """All of it, with the program it is about."""

    program: Program
    sites: tuple[Site, ...]
    links: Mapping[str, tuple[int, int | None]]
    """By array the site whose objects it is a field of, and that of the objects it leads to; None: of any site."""
    arrays: Mapping[str, int]
    """Arrays of which races are asked, with the site whose objects they are a field of."""
    locks: Mapping[str, Guarded]
    slots: tuple[Slot, ...]
    starts: Mapping[int, tuple[int, ...]]
    """By template the addresses of objects that are its own at the start."""
    lives: Lifetimes
    guard_of: dict[str, str] = field(default_factory=dict)
    """By scalar or root the lock."""

    def __post_init__(self) -> None:
        for g in self.locks.values():
            for name in dict.fromkeys((*g.scalars, *g.roots)):
                if self.guard_of.setdefault(name, g.lock) != g.lock:
                    raise Malformed(f"{name!r} is guarded by two locks")

    def site_at(self, address: int) -> int | None:
        return next((n for n, s in enumerate(self.sites) if s.has(address)), None)

    def is_root(self, name: str) -> bool:
        return name in self.guard_of and name in self.locks[self.guard_of[name]].roots

    def target(self, name: str) -> int | None:
        """The site of the objects that a link or root leads to; None if it is any."""
        return self.links[name][1] if name in self.links else self.locks[self.guard_of[name]].roots[name]

    def lock_of(self, label: Label) -> Label | None:
        """The lock, with its index, that guards objects with this label; None if it is no root's."""
        lock = self.guard_of.get(label[0])
        return None if lock is None else (lock, label[1])

    def is_array(self, name: str) -> bool:
        return self.program.variable(name).is_array

    def label(self, root: str, index: str) -> Label:
        """The label of what an element of a root leads to: all elements have one label, unless each has a lock of its own."""
        return root, index if self.is_array(self.guard_of[root]) else ""

    # ----------------------------------------------------------------------------------------------- what is relied on
    def flaw(self) -> str | None:
        """Why the program is not as the proof says; None if it is."""
        if self.program.ints != Ints.EXACT:
            return "addresses are exact integers only"
        return next(self._flaws(), None)

    def _flaws(self) -> Iterator[str]:
        ordered = sorted(self.sites, key=lambda s: s.base)
        for s in ordered:
            if s.base <= 0 or s.stride <= 0 or not 0 <= s.first <= s.limit or s.end >= 1 << 63:
                yield "addresses of a site wrap around"
        for one, two in pairwise(ordered):
            if one.end > two.base:
                yield "two sites have addresses in common"
        counters = [s.counter for s in self.sites if s.counter is not None]
        if len(set(counters)) != len(counters):
            yield "two sites have one counter"
        for s in self.sites:
            if s.counter is not None:
                yield from self._counter_flaws(s)
        owned = [a for template, addresses in self.starts.items() for a in addresses if self._starts_alone(template)]
        numbers = [(n, (a - self.sites[n].base) // self.sites[n].stride) for a in owned if (n := self.site_at(a)) is not None]
        if len(numbers) != sum(map(len, self.starts.values())) or len(set(numbers)) != len(numbers):
            yield "an object has two owners at the start, or one that runs more than once"
        for n, k in numbers:
            if k >= self.sites[n].first:
                yield "an object that is made by counting has an owner at the start"
        yield from self._cell_flaws()

    def _starts_alone(self, template: int) -> bool:
        return self.program.templates[template].count == 1

    def _counter_flaws(self, s: Site) -> Iterator[str]:
        assert s.counter is not None
        v = next((g for g in self.program.globals if g.name == s.counter), None)
        if v is None or v.is_array or v.start != Values(s.first) or v.type.signed:
            yield f"{s.counter!r} does not count from {s.first}"
            return
        for t in self.program.templates:
            for e in t.cfa.edges:
                if s.counter in op_writes(e.op) and made(e, s) is None:
                    yield f"{s.counter!r} is changed by something else than an allocation"

    def _cell_flaws(self) -> Iterator[str]:
        """Links and roots start as 0; a flag says whether an argument has been passed."""
        known = {g.name: g for g in self.program.globals}
        taken: dict[str, None] = {}
        scalars = [n for g in self.locks.values() for n in dict.fromkeys((g.lock, *g.scalars, *g.roots))]
        for name in (*self.links, *scalars, *(x for s in self.slots for x in (s.flag, s.argument)),
                     *(s.counter for s in self.sites if s.counter is not None)):
            if name not in known:
                yield f"no global {name!r}"
                return
            if name in taken:
                yield f"{name!r} has two parts in the proof"
            taken[name] = None
        zero = Values(0)
        for name in (*self.links, *(r for g in self.locks.values() for r in g.roots), *(s.flag for s in self.slots)):
            if known[name].start != zero:
                yield f"{name!r} does not start as 0"
        width = {known[n].type.width for n in (*self.links, *self.guard_of, *(s.argument for s in self.slots))}
        width |= {known[s.counter].type.width for s in self.sites if s.counter is not None}
        if len(width) > 1 or any(s.end >= 1 << w for s in self.sites for w in width):
            yield "pointers of several widths, or addresses that do not fit them"
        for g in self.locks.values():
            array = known[g.lock].is_array
            plain = [n for n in g.roots if not known[n].is_array]
            if (array and (g.scalars or plain)) or any(known[n].is_array for n in g.scalars):
                yield f"{g.lock!r} is an array of locks and guards a scalar, or guards an array that is no root"
        if any(not known[n].is_array for n in (*self.links, *self.arrays)) or any(
                known[n].is_array for s in self.slots for n in (s.flag, s.argument)):
            yield "a field that is no array, or an argument that is one"
        for s in self.slots:
            if self.lives.flags.get(s.template) != s.flag:
                yield f"{s.flag!r} is not what threads wait for at their start"


def made(edge: Edge, site: Site) -> Var | None:
    """The register that gets the address of a new object, in a step that does just that to the counter."""
    conditions = [c for p in primitive(edge.op) if isinstance(p, Assume) for c in conjuncts(truth(p.cond))]
    below = any(isinstance(c, Binary) and c.op == "<" and _is(c.left, site.counter) and isinstance(c.right, Const)
                and c.right.value <= site.limit for c in conditions)
    target: Var | None = None
    counted = 0
    for part in primitive(edge.op):
        match part:
            case Assign(target=Var() as v, value=Binary(op="+", left=Binary(op="*", left=n, right=Const(value=stride)),
                                                        right=Const(value=base))) \
                    if _is(n, site.counter) and not counted and stride == site.stride and base == site.base:
                if target is not None:
                    return None
                target = v
            case Assign(target=Var(name=name), value=Binary(op="+", left=n, right=Const(value=1))) \
                    if name == site.counter and _is(n, site.counter):
                counted += 1
            case Assume():
                pass
            case _ if any(name == site.counter for name in op_writes(part)):
                return None
            case _:
                pass
    alone = target is not None and list(op_writes(edge.op)).count(target.name) == 1
    return target if below and counted == 1 and alone else None


def _is(e: Expr, name: str | None) -> bool:
    return isinstance(e, Read) and isinstance(e.lvalue, Var) and e.lvalue.name == name


def pointer_in(index: Expr) -> tuple[Var, int, int] | None:
    """The register, what is taken off and what it is divided by in an index (register - base) / stride."""
    match uncast(index):
        case Binary(op="/", left=Binary(op="-", left=p, right=Const(value=base)), right=Const(value=stride)) if not p.type.signed:
            p = uncast(p)
            return (p.lvalue, base, stride) if isinstance(p, Read) and isinstance(p.lvalue, Var) else None
        case _:
            return None


def uncast(e: Expr) -> Expr:
    """Without conversions that keep all bits."""
    while isinstance(e, Cast) and e.type.width == e.arg.type.width:
        e = e.arg
    return e
