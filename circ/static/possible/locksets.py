"""Which locks are held at each location of a thread, whichever way it came there (as in Savage et al., "Eraser", TOCS 1997).

A lock is a cell that some step tests for a value and then sets, such as `[m == 0]; m = 1`; any other write to it gives it back.
Locks behind pointers are told apart by the text of their index. A call that may fail to take a lock says so in a register:
the lock is held where the register has that value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from frontend.program import (
    Assign,
    Assume,
    Binary,
    Cfa,
    Const,
    Edge,
    Element,
    Expr,
    Lvalue,
    Program,
    Read,
    Var,
    op_writes,
    primitive,
    substitute,
    truth,
    variables,
)
from frontend.records import dataclass

Register: TypeAlias = tuple[str, int]
"""A local that has this value."""


@dataclass(frozen=True, slots=True)
class HeldLock:
    """A lock that a thread holds; `shared`: with others, for reading."""

    cell: Lvalue
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Holding:
    """What holds at a location: locks, locks that are held if a register has a value, and values of registers."""

    locks: frozenset[HeldLock] = frozenset()
    cases: frozenset[tuple[Register, HeldLock]] = frozenset()
    registers: frozenset[Register] = frozenset()

    def meet(self, other: Holding) -> Holding:
        """What holds whichever of two ways was taken."""
        cases = {(r, lock) for one, two in ((self, other), (other, self)) for lock in one.locks - two.locks
                 for r in one.registers if any(name == r[0] and value != r[1] for name, value in two.registers)}
        cases |= {(r, lock) for one, two in ((self, other), (other, self)) for r, lock in one.cases
                  if lock in two.locks or (r, lock) in two.cases
                  or any(name == r[0] and value != r[1] for name, value in two.registers)}
        return Holding(self.locks & other.locks, frozenset(cases), self.registers & other.registers)


class Locksets:
    """The locks of a program and where they are held."""

    def __init__(self, program: Program, count: Callable[[], None] = lambda: None) -> None:
        """`count` is called at every step, and may raise if there are too many."""
        self._count = count
        globals_ = {v.name for v in program.globals}
        self._copies = [_copies(t.cfa, {v.name for v in t.locals}) for t in program.templates]
        self._taken = [{i: HeldLock(self.canonical(n, lock.cell), lock.shared) for i, lock in _takes(t.cfa, globals_)}
                       for n, t in enumerate(program.templates)]
        self._words = frozenset(lock.cell.name if isinstance(lock.cell, Var) else lock.cell.array
                                for taken in self._taken for lock in taken.values())
        """The variables that locks live in."""
        self._results = [frozenset(n for i in taken for n in _constants(t.cfa.edges[i]))
                         for t, taken in zip(program.templates, self._taken, strict=True)]
        counted = {name for t in program.templates for e in t.cfa.edges for name in _sets_many(e, self._words)}
        self._counting = frozenset(counted)
        """Semaphores that several threads can pass at once."""
        self._held = [self._flow(n, t.cfa) for n, t in enumerate(program.templates)]

    def held(self, template: int, location: int) -> frozenset[HeldLock]:
        """The locks that a thread of the template surely holds there."""
        return self._held[template][location]

    def canonical(self, template: int, cell: Lvalue) -> Lvalue:
        """The cell, its index told by the variables that registers are copies of."""
        copies = self._copies[template]
        if isinstance(cell, Var) or not variables(cell.index) & copies.keys():
            return cell

        def read(v: Lvalue) -> Expr:
            return Read(copies.get(v.name, v)) if isinstance(v, Var) else Read(v)

        return replace(cell, index=substitute(cell.index, read))

    def _flow(self, number: int, cfa: Cfa) -> list[frozenset[HeldLock]]:
        taken, results = self._taken[number], self._results[number]
        if not taken:
            return [frozenset()] * cfa.size
        position = {id(e): i for i, e in enumerate(cfa.edges)}

        def after(here: Holding, e: Edge) -> Holding:
            self._count()
            return self._after(number, here, e, taken.get(position[id(e)]), results)

        at = cfa.forward(Holding(), after, Holding.meet)
        return [frozenset() if h is None else h.locks for h in at]

    def _after(self, number: int, here: Holding, e: Edge, takes: HeldLock | None, results: frozenset[str]) -> Holding:
        written = frozenset(op_writes(e.op))
        locks, cases, registers = here.locks, here.cases, here.registers
        for part in primitive(e.op):
            if isinstance(part, Assume):
                known = _equal(part.cond)
                locks = locks | {lock for r, lock in cases if r == known}
        if written:
            elements = [t for p in primitive(e.op) if isinstance(p, Assign)
                        for t in (self.canonical(number, p.target),) if isinstance(t, Element)]
            locks = frozenset(lock for lock in locks if not _lost(lock, written, elements))
            cases = frozenset((r, lock) for r, lock in cases if r[0] not in written and not _lost(lock, written, elements))
            registers = frozenset(r for r in registers if r[0] not in written)
        if takes is not None and not self._open(takes):
            locks = locks | {takes}
        registers = registers | {(name, value) for name, value in _constants(e).items() if name in results}
        return Holding(locks, cases, registers)

    def _open(self, lock: HeldLock) -> bool:
        return isinstance(lock.cell, Var) and lock.cell.name in self._counting


def excludes(one: frozenset[HeldLock], two: frozenset[HeldLock]) -> HeldLock | None:
    """A lock that two threads cannot hold at once, if they hold one in common; locks behind pointers may be different ones."""
    for lock in sorted(one, key=repr):
        for other in two:
            if lock.cell == other.cell and not (lock.shared and other.shared) and _fixed(lock.cell):
                return lock
    return None


def beside(lock: HeldLock, cell: Lvalue) -> bool:
    """Whether the lock is the one that stands in the same element, or the same object, as the cell."""
    return isinstance(lock.cell, Element) and isinstance(cell, Element) and lock.cell.index == cell.index


def _fixed(cell: Lvalue) -> bool:
    return isinstance(cell, Var) or isinstance(cell.index, Const)


def _lost(lock: HeldLock, written: frozenset[str], elements: Sequence[Element]) -> bool:
    """Whether a step gives the lock back, or changes what tells which one it is; `elements` are what it assigns to."""
    if isinstance(lock.cell, Var):
        return lock.cell.name in written
    return bool(variables(lock.cell.index) & written) or lock.cell in elements


# --------------------------------------------------------------------------------------------------- steps
def _copies(cfa: Cfa, own: set[str]) -> dict[str, Var]:
    """The registers that are only ever a copy of one local."""
    found: dict[str, Var | None] = {}
    for e in cfa.edges:
        sources = {p.target.name: p.value.lvalue for p in primitive(e.op) if isinstance(p, Assign) and isinstance(p.target, Var)
                   and isinstance(p.value, Read) and isinstance(p.value.lvalue, Var) and p.value.lvalue.name in own}
        for name in op_writes(e.op):
            known = sources.get(name)
            found[name] = known if name not in found or found[name] == known else None
    return {name: v for name, v in found.items() if v is not None and "%" in name and v.name != name}


def _takes(cfa: Cfa, globals_: set[str]) -> Iterator[tuple[int, HeldLock]]:
    """The edges that take a lock, by position. A call has an edge for each kind of lock that it may be: all of them take it."""
    found: dict[tuple[int, int], dict[Lvalue, bool]] = {}
    sure = {i: lock for i, e in enumerate(cfa.edges) if (lock := _take(e, globals_)) is not None}
    for i, lock in sure.items():
        e = cfa.edges[i]
        found.setdefault((e.source, e.target), {})[lock.cell] = lock.shared
    for i, e in enumerate(cfa.edges):
        if i in sure:
            yield i, sure[i]
            continue
        for cell, shared in found.get((e.source, e.target), {}).items():
            set_ = any(isinstance(p, Assign) and p.target == cell for p in primitive(e.op))
            # A lock that the thread has is left as it is, without an error.
            if _orders(e, cell) and (set_ or not any(_constants(e).values())):
                yield i, HeldLock(cell, shared)


def _take(e: Edge, globals_: set[str]) -> HeldLock | None:
    """The lock that the step takes if its first value is right."""
    tested: dict[Lvalue, tuple[str, int]] = {}
    for part in primitive(e.op):
        match part:
            case Assume(cond=c):
                match truth(c):
                    case Binary(op="==" | "!=" as op, left=Read(lvalue=v), right=Const(value=free)):
                        tested[v] = op, free
                    case _:
                        pass
            case Assign(target=t, value=value) if t in tested and _name(t) in globals_ and _orders(e, t):
                test, free = tested[t]
                if test == "==" and not (isinstance(value, Const) and value.value == free):
                    return HeldLock(t)
                if test == "!=" and isinstance(value, Binary):
                    # `[rw != writer]; rw = rw + 1` is a reader; `[s != 0]; s = s - 1` passes a semaphore.
                    return HeldLock(t, shared=value.op == "+" and value.right == Const(1, t.type))
            case _:
                pass
    return None


def _orders(e: Edge, cell: Lvalue) -> bool:
    return any(a.lvalue == cell and not a.is_data for a in e.accesses)


def _name(v: Lvalue) -> str:
    return v.name if isinstance(v, Var) else v.array


def _equal(cond: Expr) -> Register | None:
    """The register and its value, if the condition asks for one."""
    match truth(cond):
        case Binary(op="==", left=Read(lvalue=Var(name=name)), right=Const(value=value)):
            return name, value
        case _:
            return None


def _constants(e: Edge) -> dict[str, int]:
    """The scalars that the step sets to constants."""
    return {p.target.name: p.value.value for p in primitive(e.op)
            if isinstance(p, Assign) and isinstance(p.target, Var) and isinstance(p.value, Const)}


def _sets_many(e: Edge, words: frozenset[str]) -> Iterator[str]:
    """Semaphores that the step sets to more than 1."""
    if len(tuple(primitive(e.op))) == 1:
        for name, value in _constants(e).items():
            if name in words and 1 < value < 1 << 16:
                yield name
