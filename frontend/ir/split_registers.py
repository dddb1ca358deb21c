"""A register that is used for several things one after the other becomes several registers, so that pointers are told apart.

Two definitions belong together if some use may see either of them. What a parameter is at the entry and a result is at the
exit keeps the register's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias, assert_never

from frontend.annotations.notes import Note
from frontend.ir.instructions import (
    Address,
    AtomicBegin,
    AtomicEnd,
    Call,
    Copy,
    CriticalBegin,
    CriticalEnd,
    Fail,
    Forget,
    Guard,
    Index,
    Instr,
    Load,
    Nop,
    Place,
    Set,
    Store,
    ThreadFence,
    defined,
)
from frontend.ir.module import Function
from frontend.program import Expr, Read, Var, reads, substitute

MARK = "^"
"""Separates a register's name from the number of its part."""

_ENTRY = -1
Definition: TypeAlias = int
"""An edge, or `_ENTRY`."""


def plain(name: str) -> str:
    """The name that the program gives a register."""
    return name.partition(MARK)[0]


def split(function: Function, wanted: Callable[[Var], bool]) -> Function:
    """The function with those registers taken apart for which `wanted` holds."""
    for register in function.registers:
        if wanted(register):
            function = _split(function, register)
    return function


def _split(function: Function, register: Var) -> Function:
    written = [n for n, e in enumerate(function.edges) if register in defined(e.instr)]
    if len(written) < 2 or (register in function.params and register == function.result):
        return function
    seen = _reaching(function, register)
    web: dict[Definition, Definition] = {d: d for d in (_ENTRY, *written)}

    def first(d: Definition) -> Definition:
        while web[d] != d:
            d = web[d]
        return d

    def join(definitions: Iterable[Definition]) -> None:
        roots = sorted({first(d) for d in definitions})
        for d in roots[1:]:
            web[d] = roots[0]

    uses = [n for n, e in enumerate(function.edges) if register in _used(e.instr)]
    for n in uses:
        join(seen[function.edges[n].source])
    if register == function.result:
        join(seen[function.exit])
    roots = sorted({first(d) for d in written if first(d) != _ENTRY})
    keeps = first(_ENTRY) if register in function.params or not roots else roots[0]
    if register == function.result and seen[function.exit]:
        keeps = first(min(seen[function.exit]))
    names = {root: Var(f"{register.name}{MARK}{n}", register.type) for n, root in enumerate((r for r in roots if r != keeps), 2)}
    if not names:
        return function

    def named(definitions: Iterable[Definition]) -> Var:
        root = next((first(d) for d in definitions), keeps)
        return names.get(root, register)

    edges = []
    for n, e in enumerate(function.edges):
        use = named(sorted(seen[e.source])) if n in uses else register
        define = named((n,)) if n in written else register
        edges.append(e if use == register == define else replace(e, instr=_renamed(e.instr, register, use, define)))
    return replace(function, edges=tuple(edges), registers=(*function.registers, *names.values()))


def _reaching(function: Function, register: Var) -> list[frozenset[Definition]]:
    """For each location the definitions that the register may have its value from."""
    out: list[list[int]] = [[] for _ in range(function.size)]
    for n, e in enumerate(function.edges):
        out[e.source].append(n)
    seen: list[frozenset[Definition]] = [frozenset()] * function.size
    seen[function.start] = frozenset((_ENTRY,))
    todo = [function.start]
    while todo:
        q = todo.pop()
        for n in out[q]:
            e = function.edges[n]
            after = frozenset((n,)) if register in defined(e.instr) else seen[q]
            if not after <= seen[e.target]:
                seen[e.target] |= after
                todo.append(e.target)
    return seen


# --------------------------------------------------------------------------------------------------- instructions
def _used(instr: Instr) -> Iterator[Var]:
    for e in _expressions(instr):
        yield from (v for v in reads(e) if isinstance(v, Var))
    if isinstance(instr, Note):
        yield from (v for _, v in instr.names)


def _expressions(instr: Instr) -> Iterator[Expr]:
    match instr:
        case Set(value=e) | Guard(cond=e):
            yield e
        case Load(place=place) | Address(place=place):
            yield from _of_place(place)
        case Store(place=place, value=value):
            yield from _of_place(place)
            if value is not None:
                yield value
        case Copy(target=a, source=b):
            yield from (*_of_place(a), *_of_place(b))
        case Call(result=result, callee=callee, args=args):
            for part in (result, callee, *args):
                if isinstance(part, Place):
                    yield from _of_place(part)
                elif part is not None and not isinstance(part, str | Var):
                    yield part
        case Forget() | AtomicBegin() | AtomicEnd() | CriticalBegin() | CriticalEnd() | Fail() | Nop() | Note() | ThreadFence():
            pass
        case _:
            assert_never(instr)


def _of_place(place: Place) -> Iterator[Expr]:
    if not isinstance(place.base, str):
        yield place.base
    yield from (s.value for s in place.path if isinstance(s, Index))


def _renamed(instr: Instr, register: Var, use: Var, define: Var) -> Instr:
    """The instruction with the register read as `use` and written as `define`."""
    def expr(e: Expr) -> Expr:
        return substitute(e, lambda v: Read(use) if v == register else None)

    def place(p: Place) -> Place:
        return Place(p.base if isinstance(p.base, str) else expr(p.base),
                     tuple(Index(expr(s.value)) if isinstance(s, Index) else s for s in p.path), p.type, p.base_type)

    def into(v: Var) -> Var:
        return define if v == register else v

    match instr:
        case Set(target=t, value=e):
            return replace(instr, target=into(t), value=expr(e))
        case Forget(targets=ts):
            return replace(instr, targets=tuple(map(into, ts)))
        case Guard(cond=e):
            return Guard(expr(e))
        case Load(target=t, place=p):
            return Load(into(t), place(p))
        case Store(place=p, value=value):
            return Store(place(p), None if value is None else expr(value))
        case Address(target=t, place=p):
            return Address(into(t), place(p))
        case Copy(target=a, source=b):
            return Copy(place(a), place(b))
        case Call(result=result, callee=callee, args=args):
            return replace(instr, result=into(result) if isinstance(result, Var) else result if result is None else place(result),
                           callee=callee if isinstance(callee, str) else expr(callee),
                           args=tuple(place(a) if isinstance(a, Place) else expr(a) for a in args))
        case Note(names=names):
            return replace(instr, names=tuple((name, use if v == register else v) for name, v in names))
        case AtomicBegin() | AtomicEnd() | CriticalBegin() | CriticalEnd() | Fail() | Nop() | ThreadFence():
            return instr
        case _:
            assert_never(instr)
