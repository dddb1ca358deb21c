"""How unlikely it is that a variable is part of what protects another: a guess from what is assigned to it.

Hardware bits and variables with few values (flags, states) are what programs protect data with; how often something is due,
numbers that are computed or read from outside, and counters of loops hardly are. Nothing rests on it but time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from frontend.program import Assign, Cast, Const, Expr, Havoc, Ite, Program, Read, Values, name_of, primitive, variables
from frontend.program.schedule_ghosts import is_depth, is_schedule

ScopedName: TypeAlias = tuple[str | None, str]
"""A local with its template, or a global with None."""

DUE, DATA, ARRAY, DEPTH, LOOP = 1_000, 4_000, 5_000, 8_000, 10_000


def doubtful(program: Program) -> Mapping[ScopedName, int]:
    """For globals, and for locals that count, how reluctantly a proof should speak of them; other locals are not in it."""
    found: dict[ScopedName, int] = {}
    sources = _sources(program)
    for v in program.globals:
        if v.is_array:
            found[None, v.name] = ARRAY
        elif v.ghost:
            found[None, v.name] = DUE if is_schedule(v.name) else DEPTH if is_depth(v.name) else 1
        else:
            start = v.start.default if isinstance(v.start, Values) else None
            values = _values((None, v.name), sources)
            found[None, v.name] = DATA if values is None else len(values | {start})
    for t in program.templates:
        own = {v.name for v in t.locals}
        for e in t.cfa.edges:
            for part in primitive(e.op):
                if isinstance(part, Assign) and name_of(part.target) in own & variables(part.value):
                    found[t.name, name_of(part.target)] = LOOP
    return found


_AssignedValue: TypeAlias = "int | ScopedName | None"
"""A constant, the value of another variable, or anything."""


def _sources(program: Program) -> dict[ScopedName, set[_AssignedValue]]:
    """What each variable is assigned."""
    shared = {v.name for v in program.globals}
    found: dict[ScopedName, set[_AssignedValue]] = {}
    for t in program.templates:
        def named(name: str, template: str = t.name) -> ScopedName:
            return (None if name in shared else template), name

        for e in t.cfa.edges:
            for part in primitive(e.op):
                if isinstance(part, Assign):
                    into = found.setdefault(named(name_of(part.target)), set())
                    into.update(named(s) if isinstance(s, str) else s for s in _parts(part.value))
                elif isinstance(part, Havoc):
                    for name in (*map(name_of, part.targets), *part.whole):
                        found.setdefault(named(name), set()).add(None)
    return found


def _parts(e: Expr) -> Iterator[int | str | None]:
    """What the value of an expression may be: constants, values of variables, or anything (None)."""
    match e:
        case Const(value=n):
            yield n
        case Read(lvalue=v):
            yield name_of(v)
        case Cast(arg=a):
            yield from _parts(a)
        case Ite(then=a, other=b):
            yield from _parts(a)
            yield from _parts(b)
        case _:
            yield None


def _values(name: ScopedName, sources: Mapping[ScopedName, set[_AssignedValue]]) -> set[int] | None:
    """The constants that a variable is assigned, itself or by way of others; None if also something else."""
    seen, queue, values = {name}, [name], set()
    while queue:
        for source in sources.get(queue.pop(), ()):
            if source is None:
                return None
            if isinstance(source, int):
                values.add(source)
            elif source not in seen:
                seen.add(source)
                queue.append(source)
    return values
