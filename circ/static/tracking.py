"""What a cheap proof about a variable may rest on: locks that are held where it is accessed, flags, locals that are tested.

A guess from the shape of the edges; nothing rests on it but time.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypeAlias

from frontend.program import (
    BOOL,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Program,
    Read,
    ThreadTemplate,
    Unary,
    Var,
    name_of,
    primitive,
    reads,
    variables,
)
from frontend.records import dataclass

MOST_FLAGS = 24
MOST_LOCALS = 12

CellKey: TypeAlias = tuple[str, int | None]
"""A cell: a scalar's name, or an array's with a constant index."""
TrackedCell: TypeAlias = tuple[int | None, Lvalue]
"""A tracked cell with the template it belongs to, None for a global."""


@dataclass(frozen=True, slots=True)
class Tracked:
    """Global cells, and for each template locals."""

    globals: tuple[Lvalue, ...]
    locals: tuple[tuple[Var, ...], ...]

    def cells(self) -> list[TrackedCell]:
        """Every tracked cell; those that are guessed last come first."""
        own: list[TrackedCell] = [(n, v) for n, vs in enumerate(self.locals) for v in vs]
        return [*own, *((None, v) for v in reversed(self.globals))]

    def names(self, template: int) -> frozenset[str]:
        """The variables that tracked cells belong to, as that template sees them."""
        return frozenset(map(name_of, (*self.globals, *self.locals[template])))

    def without(self, cells: Iterable[TrackedCell]) -> Tracked:
        """All but these cells."""
        dropped = set(cells)
        return Tracked(tuple(v for v in self.globals if (None, v) not in dropped),
                       tuple(tuple(v for v in own if (n, v) not in dropped) for n, own in enumerate(self.locals)))


def key(v: Lvalue) -> CellKey | None:
    """The cell that an lvalue always means, None if that depends on the state."""
    if isinstance(v, Var):
        return v.name, None
    return (v.array, v.index.value) if isinstance(v.index, Const) else None


def taken(parts: Iterable[Op]) -> Iterator[Lvalue]:
    """Cells that a step tests and then sets."""
    tested: list[Lvalue] = []
    for part in parts:
        match part:
            case Assume(cond=c):
                tested += reads(c)
            case Assign(target=t) if t in tested:
                yield t


@dataclass(frozen=True, slots=True)
class OwnScalars:
    """A template's own scalars: how often each is compared with one value, which are counted, what each is computed from."""

    own: frozenset[str]
    tests: Counter[Var]
    counters: set[str]
    sources: dict[Var, list[Expr]]


class Survey:
    """What the edges of a program do to the cells of its globals; made once for all its variables."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.globals = {v.name: v for v in program.globals}
        self.cells: dict[CellKey, Lvalue] = {}
        self._uses: dict[str, OwnScalars] = {}
        self.takes: Counter[CellKey] = Counter()
        self.tested: dict[str, set[int]] = {}
        self.written: dict[str, set[int]] = {}
        self.odd: set[str] = set()
        """Globals that get other values than constants."""
        self._effects: list[dict[int, tuple[list[CellKey], list[CellKey]]]] = [{} for _ in program.templates]
        """For each template, by position, what edges take and what they set, where they take or set global cells."""
        self.touched = [[self._look(n, i, e) for i, e in enumerate(t.cfa.edges)] for n, t in enumerate(program.templates)]
        """For each edge the names that it writes or tests."""
        self.locks = {k: 1 << n for n, k in enumerate(self.takes)}
        self._lock_keys = list(self.takes)
        self.held = [self._held(n, t) for n, t in enumerate(program.templates)]
        self._ghosts = [v for k, v in self.cells.items() if self.globals[k[0]].ghost and v.type == BOOL and k[0] in self.tested]
        self._locks_of: dict[str, tuple[Lvalue, ...]] = {}
        self._told: dict[str, tuple[tuple[Var, ...], list[CellKey]]] = {}
        self._chosen: dict[frozenset[int], list[Lvalue]] = {}
        self._full: dict[str, Tracked] = {}

    @cached_property
    def _flags(self) -> list[Lvalue]:
        """Cells whose values are tested, or get into something that is, and that get constants or are locks."""
        copied = {name for t in self.program.templates for e in t.cfa.edges for p in primitive(e.op)
                  if isinstance(p, Assign) and name_of(p.target) in self.tested for name in variables(p.value)}
        return [v for k, v in self.cells.items()
                if (k[0] in self.tested or k[0] in copied) and (k[0] not in self.odd or k in self.locks)]

    def edges_with(self, name: str) -> Sequence[tuple[int, Edge]]:
        """The edges that write or test a global, with the positions of their templates."""
        return self._by_name.get(name, ())

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[int, Edge]]]:
        found: dict[str, list[tuple[int, Edge]]] = {}
        for n, (t, names) in enumerate(zip(self.program.templates, self.touched, strict=True)):
            for e, touched in zip(t.cfa.edges, names, strict=True):
                for name in touched & self.globals.keys():
                    found.setdefault(name, []).append((n, e))
        return found

    @property
    def size(self) -> int:
        """The number of edges of the program."""
        return sum(map(len, self.touched))

    def _look(self, template: int, position: int, e: Edge) -> frozenset[str]:
        """Takes down what an edge does; the names that it writes or tests."""
        parts = tuple(primitive(e.op))
        touched: list[str] = []
        assigned: list[CellKey] = []
        for part in parts:
            match part:
                case Assume(cond=c):
                    for v in reads(c):
                        self._cell(v)
                        name = name_of(v)
                        touched.append(name)
                        self.tested.setdefault(name, set()).add(template)
                case Assign(target=t, value=value):
                    k = self._cell(t)
                    if k is not None:
                        assigned.append(k)
                    name = name_of(t)
                    touched.append(name)
                    self.written.setdefault(name, set()).add(template)
                    known = False
                    for v in reads(value):
                        known = True
                        self._cell(v)
                    if known and t.type != BOOL:
                        self.odd.add(name)
                case Havoc(targets=ts, whole=ws):
                    changed = (*map(name_of, ts), *ws)
                    touched += changed
                    self.odd.update(changed)
        if assigned:
            takes = [k for v in taken(parts) if (k := key(v)) is not None and k[0] in self.globals] if len(parts) > 1 else []
            self._effects[template][position] = takes, assigned
            for k in takes:
                # A flag through which a thread is created is taken once and no lock; it is looked at with the other flags.
                if not (self.globals[k[0]].ghost and self.cells[k].type == BOOL):
                    self.takes[k] += 1
        return frozenset(touched)

    def _cell(self, v: Lvalue) -> CellKey | None:
        """Takes down a cell of a global."""
        k = key(v)
        if k is None or k[0] not in self.globals:
            return None
        self.cells.setdefault(k, v)
        return k

    def _held(self, number: int, t: ThreadTemplate) -> list[int]:
        """For each location the locks that some way there takes and does not give back, as a mask."""
        effects = self._effects[number]
        out: list[list[tuple[int, int, int]]] = [[] for _ in range(t.cfa.size)]
        for i, e in enumerate(t.cfa.edges):
            takes, kills = (sum({self.locks.get(k, 0) for k in keys}) for keys in effects[i]) if i in effects else (0, 0)
            out[e.source].append((e.target, takes, kills))
        held = [0] * t.cfa.size
        todo = [t.cfa.start]
        seen = {t.cfa.start}
        while todo:
            q = todo.pop()
            for r, takes, kills in out[q]:
                after = held[r] | (held[q] & ~kills) | takes
                if after != held[r] or r not in seen:
                    seen.add(r)
                    held[r] = after
                    todo.append(r)
        return held

    # ----------------------------------------------------------------------------------------------- choices
    def levels(self, variable: str) -> tuple[Tracked, Tracked, Tracked]:
        """What to track for this variable of cells that have to do with locks and threads, the least first."""
        none = tuple(() for _ in self.program.templates)
        locks = self.locks_of(variable)
        users = self._users(variable)
        near = [v for v in self._ghosts if self.tested[name_of(v)] & users and self.written.get(name_of(v), set()) & users]
        return (Tracked(_distinct(locks), none), Tracked(_distinct([*locks, *near]), none),
                Tracked(_distinct([*locks, *self._ghosts]), none))

    def full(self, variable: str) -> Tracked:
        """All that is worth tracking for this variable."""
        if variable not in self._full:
            own = [self._telling(t, variable) for t in self.program.templates]
            fed = [self.cells[k] for _, keys in own for k in keys if k in self.cells and k[0] not in self.odd]
            some = self.levels(variable)[2].globals
            known = set(some)
            chosen = (v for v in (*self._tested_by(self._users(variable)), *fed, *self._flags) if v not in known)
            self._full[variable] = Tracked(_distinct([*some, *_first(chosen, MOST_FLAGS)]), tuple(v for v, _ in own))
        return self._full[variable]

    def _users(self, variable: str) -> frozenset[int]:
        return frozenset(n for n, _, _ in self.program.accesses.get(variable, ()))

    def _tested_by(self, users: frozenset[int]) -> list[Lvalue]:
        if users not in self._chosen:
            self._chosen[users] = [v for v in self._flags if self.tested.get(name_of(v), set()) & users]
        return self._chosen[users]

    def locks_of(self, variable: str) -> tuple[Lvalue, ...]:
        """The lock words that are held at some access to the variable, those that are held at most of them first."""
        if variable not in self._locks_of:
            found: Counter[CellKey] = Counter()
            places = {(n, id(e)): self.held[n][e.source] for n, e, _ in self.program.accesses.get(variable, ())}
            for mask, times in Counter(places.values()).items():
                while mask:
                    low = mask & -mask
                    found[self._lock_keys[low.bit_length() - 1]] += times
                    mask ^= low
            order = sorted(found.items(), key=lambda item: (-item[1], self.locks[item[0]]))
            self._locks_of[variable] = tuple(self.cells[k] for k, _ in order)
        return self._locks_of[variable]

    def _use(self, t: ThreadTemplate) -> OwnScalars:
        """What a template does to its own scalars; worked out once."""
        if t.name not in self._uses:
            use = OwnScalars(frozenset(v.name for v in t.locals if not v.is_array), Counter(), set(), {})
            for e in t.cfa.edges:
                for part in primitive(e.op):
                    match part:
                        case Assume(cond=c):
                            use.tests.update(v for v in _compared(c) if v.name in use.own)
                        case Assign(target=Var() as v, value=value):
                            use.sources.setdefault(v, []).append(value)
                            if v.name in variables(value) and not isinstance(value, Read):
                                use.counters.add(v.name)
            self._uses[t.name] = use
        return self._uses[t.name]

    def _telling(self, t: ThreadTemplate, variable: str) -> tuple[tuple[Var, ...], list[CellKey]]:
        """Locals whose values decide something, and cells of globals they get them from.

        They are compared for equality, or as truth values, or tell which element of the variable is meant, and are not counted
        up or down.
        """
        use = self._use(t)
        own, counters, sources = use.own, use.counters, use.sources
        indices = Counter(
            v for n, _, a in self.program.accesses.get(variable, ())
            if self.program.templates[n] is t and isinstance(a.lvalue, Element)
            for v in reads(a.lvalue.index) if isinstance(v, Var) and v.name in own)
        if not indices and t.name in self._told:
            return self._told[t.name]
        tests = use.tests + indices
        chosen = list(itertools.islice((v for v, _ in tests.most_common() if v.name not in counters), MOST_LOCALS))
        fed: list[CellKey] = []
        for v in chosen:
            # What such a local is computed from is worth knowing too.
            for w in (w for e in sources.get(v, ()) for w in reads(e)):
                if isinstance(w, Var) and w.name in own and w.name not in counters and w not in chosen \
                        and len(chosen) < MOST_LOCALS:
                    chosen.append(w)
                k = key(w)
                if k is not None and k[0] in self.globals:
                    fed.append(k)
        told = tuple(chosen), fed
        if not indices:
            self._told[t.name] = told
        return told


def _compared(c: Expr) -> Iterator[Var]:
    """Scalars that a condition asks for one value of."""
    match c:
        case Read(lvalue=Var() as v):
            yield v
        case Unary(arg=a) | Cast(arg=a):
            yield from _compared(a)
        case Binary(op="&&" | "||", left=a, right=b):
            yield from _compared(a)
            yield from _compared(b)
        case Binary(op="==" | "!=", left=a, right=b):
            for side in (a, b):
                yield from _compared(side)


def _first(cells: Iterable[Lvalue], most: int) -> tuple[Lvalue, ...]:
    """The first so many distinct cells."""
    found: dict[CellKey, Lvalue] = {}
    for v in cells:
        k = key(v)
        if k is not None:
            found.setdefault(k, v)
            if len(found) == most:
                break
    return tuple(found.values())


def _distinct(cells: Iterable[Lvalue]) -> tuple[Lvalue, ...]:
    """Each cell once; an element only with a constant index."""
    found: dict[CellKey, Lvalue] = {}
    for v in cells:
        k = key(v)
        if k is not None:
            found.setdefault(k, v)
    return tuple(found.values())
