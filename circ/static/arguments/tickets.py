"""Ticket locks: a thread takes the next number and waits until it is served.

`next` and `serving` start equal and are only ever counted up: `next` by who takes a number, `serving` by who is served. So
`next - serving` is how many threads have a number (a counting fact), numbers lie between the two and differ, and only one
thread has the one that is served. All of it holds modulo the width of the counters, as long as there are fewer threads
than that.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace

from circ.static.arguments.argument import Argument, RegionPlace, as_type, of_thread, plain
from frontend.program import (
    Access,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Expr,
    Havoc,
    Op,
    Program,
    Read,
    Scalar,
    ThreadTemplate,
    Values,
    Var,
    Variable,
    op_writes,
    primitive,
    truth,
)
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class TicketFacts:
    """What is known where a thread is: locals by name with their types.

    `taken`: equal `next`, which no other thread can change now. `mine`: equal the thread's number, which is in the queue.
    `served`: the number is being served. `same`: equal `serving`. `seen`: if it is the thread's number, that is being served.
    """

    taken: frozenset[Var] = frozenset()
    mine: frozenset[Var] = frozenset()
    served: bool = False
    same: frozenset[Var] = frozenset()
    seen: frozenset[Var] = frozenset()

    @property
    def number(self) -> Var | None:
        """A variable with the thread's number, if it has one."""
        return min(self.mine, key=str, default=None)

    def without(self, names: Iterable[str]) -> TicketFacts:
        gone = set(names)
        taken, mine, same, seen = (frozenset(v for v in vs if v.name not in gone)
                                   for vs in (self.taken, self.mine, self.same, self.seen))
        return TicketFacts(taken, mine, self.served, same, seen)

    def both(self, other: TicketFacts) -> TicketFacts:
        """What is known on both of two ways to a place."""
        return TicketFacts(self.taken & other.taken, self.mine & other.mine, self.served and other.served,
                     self.same & other.same, self.seen & other.seen)


class _Unfit(Exception):
    """The program does not use the two counters as a ticket lock."""


@dataclass(frozen=True, slots=True)
class TicketLock:
    """Two counters, and for each template what is known at its locations (None where nothing leads to)."""

    next: Var
    serving: Var
    facts: tuple[tuple[TicketFacts | None, ...], ...]

    def at(self, spot: RegionPlace) -> TicketFacts:
        return self.facts[spot[0]][spot[1]] or TicketFacts()


def tickets(program: Program) -> tuple[Tickets, ...]:
    """An argument for each ticket lock of the program."""
    return tuple(Tickets(program, lock) for lock in _locks(program))


class Tickets(Argument):
    """The argument about one ticket lock."""

    def __init__(self, program: Program, lock: TicketLock) -> None:
        self.program, self.lock = program, lock
        self.own = [frozenset(v.name for v in t.locals) for t in program.templates]
        shown = {v.name: v.shown or v.name for v in program.globals}
        self.words = (f"numbers are given out by {shown[lock.next.name]} and served in turn by {shown[lock.serving.name]}, "
                      "so only one thread at a time has the number that is served")

    def marks(self, template: int) -> Sequence[Hashable]:
        return self.lock.facts[template]

    def alone(self, spot: RegionPlace) -> Iterator[Expr]:
        here, t = self.lock.at(spot), self.lock.next.type
        serving = Read(self.lock.serving)
        for v in sorted(here.taken, key=str):
            yield _equal(v, Read(self.lock.next))
        number = here.number
        if number is not None:
            unsigned = Scalar(t.width, False)
            place, length = (Cast(Binary("-", e, serving), unsigned) for e in (as_type(number, t), Read(self.lock.next)))
            yield Binary("<", place, length)
            for v in sorted(here.mine - {number}, key=str):
                yield _equal(v, as_type(number, t))
            if here.served:
                yield _equal(number, serving)
            for v in sorted(here.seen, key=str):
                yield Binary("||", Binary("!=", as_type(v, t), as_type(number, t)), _equal(number, serving))
        for v in sorted(here.same, key=str):
            yield _equal(v, serving)

    def together(self, one: RegionPlace, two: RegionPlace) -> Iterator[Expr]:
        v, w = self.lock.at(one).number, self.lock.at(two).number
        if v is not None and w is not None:
            mine, other = (of_thread(as_type(x, self.lock.next.type), n, self.own[spot[0]])
                           for x, n, spot in ((v, 1, one), (w, 2, two)))
            yield Binary("!=", mine, other)

    def apart(self, one: RegionPlace, a: Access, two: RegionPlace, b: Access) -> bool:
        return self.lock.at(one).served and self.lock.at(two).served

    def counting(self) -> Iterator[tuple[Expr, Sequence[Sequence[int]]]]:
        length = Binary("-", Read(self.lock.next), Read(self.lock.serving))
        yield Cast(length, Scalar(self.lock.next.type.width, True)), [
            [int(f is not None and bool(f.mine)) for f in facts] for facts in self.lock.facts]


def _equal(v: Var, e: Expr) -> Expr:
    return Binary("==", as_type(v, e.type), e)


# --------------------------------------------------------------------------------------------------- finding them
def _locks(program: Program) -> Iterator[TicketLock]:
    counters = [v for v in program.globals if not v.is_array and v.type.width > 1 and isinstance(v.start, Values)]
    taken = {v.name for v in counters if any(_takes(t, v) for t in program.templates)}
    written = {name for t in program.templates for e in t.cfa.edges for name in op_writes(e.op)}
    changing = [v for v in counters if v.name in written]
    for n in (v for v in counters if v.name in taken):
        for s in changing:
            if n is not s and n.type == s.type and n.start == s.start:
                lock = TicketLock(Var(n.name, n.type), Var(s.name, s.type), ())
                try:
                    yield replace(lock, facts=tuple(tuple(_facts(lock, t)) for t in program.templates))
                except _Unfit:
                    continue


def _takes(t: ThreadTemplate, v: Variable) -> bool:
    """Whether a thread reads the variable into a local at the beginning of an atomic section, or in one step with writing it."""
    own = {w.name for w in t.locals}
    reads = [e for e in t.cfa.edges for p in primitive(e.op) if isinstance(p, Assign) and isinstance(p.target, Var)
             and p.target.name in own and plain(p.value) == Var(v.name, v.type)]
    return any(e.target in t.cfa.atomic or v.name in op_writes(e.op) for e in reads)


def _facts(lock: TicketLock, t: ThreadTemplate) -> list[TicketFacts | None]:
    """What is known at each location, by a forward analysis; raises `_Unfit` if a counter is not used as it must be."""
    found: list[TicketFacts | None] = [None] * t.cfa.size
    found[t.cfa.start] = TicketFacts()
    own = {v.name for v in t.locals}
    out = t.cfa.leaving()
    todo = [t.cfa.start]
    while todo:
        q = todo.pop()
        for e in out[q]:
            here = found[q]
            assert here is not None
            after = here
            for part in primitive(e.op):
                after = _after(lock, own, after, part)
            if e.target not in t.cfa.atomic:
                after = replace(after, taken=frozenset())
            known = found[e.target]
            joined = after if known is None else known.both(after)
            if not bool(joined.mine) == bool(after.mine) == bool((known or after).mine):
                raise _Unfit
            if joined != known:
                found[e.target] = joined
                todo.append(e.target)
    return found


def _after(lock: TicketLock, own: set[str], known: TicketFacts, op: Op) -> TicketFacts:
    match op:
        case Assume(cond=c):
            return _tested(lock, known, truth(c))
        case Assign(target=Var() as v, value=e) if v == lock.next:
            if not _counts_up(e, known.taken | {lock.next}) or not known.taken or known.mine:
                raise _Unfit
            return TicketFacts(mine=known.taken)
        case Assign(target=Var() as v, value=e) if v == lock.serving:
            if not known.served or not _counts_up(e, known.mine | known.same | {lock.serving}):
                raise _Unfit
            return TicketFacts()
        case Assign(target=Var() as v, value=e) if v.name in own and v.type.width == lock.next.type.width:
            return _kept(_assigned(lock, known, v, plain(e)), known)
        case Assign() | Havoc():
            if {lock.next.name, lock.serving.name} & set(op_writes(op)):
                raise _Unfit
            return _kept(known.without(op_writes(op)), known)
        case _:
            return known


def _kept(after: TicketFacts, before: TicketFacts) -> TicketFacts:
    """`after`, if the thread has not lost its number."""
    if before.mine and not after.mine:
        raise _Unfit
    return after


def _assigned(lock: TicketLock, known: TicketFacts, v: Var, source: Var | None) -> TicketFacts:
    """After a local got the value of a variable, or one that is not known."""
    after = known.without((v.name,))
    if source is None or source == v:
        return known if source == v else after
    if source == lock.next:
        return after if known.mine else replace(after, taken=after.taken | {v})
    if source == lock.serving:
        return replace(after, same=after.same | {v}) if known.served else replace(after, seen=after.seen | {v})
    groups = {name: getattr(after, name) | {v} if source in getattr(known, name) else getattr(after, name)
              for name in ("taken", "mine", "same", "seen")}
    return replace(after, **groups)


def _tested(lock: TicketLock, known: TicketFacts, c: Expr) -> TicketFacts:
    """After a test: a number that equals the one served, or one that was seen to be, is served."""
    match c:
        case Binary(op="&&", left=left, right=right):
            return _tested(lock, _tested(lock, known, truth(left)), truth(right))
        case Binary(op="==", left=left, right=right):
            sides = {v for v in (plain(left), plain(right)) if v is not None}
            if len({v.type for v in sides}) == 1 and known.mine & sides and (lock.serving in sides or known.seen & sides):
                return replace(known, served=True, seen=frozenset())
            return known
        case _:
            return known


def _counts_up(e: Expr, among: frozenset[Var]) -> bool:
    """Whether the expression is one more than one of these variables, modulo its width."""
    if isinstance(e, Cast) and e.arg.type.width >= e.type.width:
        e = e.arg
    match e:
        case Binary(op="+", left=left, right=Const(value=1)):
            return plain(left) in among
        case _:
            return False
