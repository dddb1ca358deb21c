"""A program of finite domains and fixed thread counts as a finite transition system, for the thread-modular family.

The system has exactly the behaviours of the program (`frontend.program.cfa`) as far as the question can see:
- an atomic section is one step where nothing inside can be observed; the atomic locations that remain are tracked by
  one ghost cell `atomic` (1 iff some thread is at one), so "only it runs" becomes a guard;
- a local that is dead at a location has its first value there;
- a first step that initialises locals is taken at once, and so is an empty step:
  a location where a thread can only take an empty step, and that the question does not see, is passed at once;
- copies of a template that do not know their number are one `Group` of identical threads;
- a guard that waits for all threads of a template (`AllAt`) is left out: there are more runs than the program has, so a
  proof holds, and a run that was found counts only if the program has it.
What is not finite is refused by `NotFinite`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, assert_never

from circ.finite.domains import (
    PRODUCT_LIMIT,
    Analysis,
    Domain,
    NotFinite,
    Observations,
    ReadCell,
    Subject,
    evaluate,
    live_before,
    live_locals,
)
from circ.kernel.outcome import Refused
from circ.kernel.replay import replay
from circ.semantics.conflicts import conflict
from circ.verdict import Assertions, Choice, Question, RaceOn, Refuted, Statistics, Step, Trace, Unknown
from frontend.program import (
    TRUE,
    Access,
    AllAt,
    Arbitrary,
    Assign,
    Assume,
    Binary,
    Block,
    Cfa,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Program,
    Scalar,
    Self,
    ThreadTemplate,
    Values,
    Var,
    Variable,
    name_of,
    op_reads,
    op_writes,
    primitive,
    substitute,
    truth,
    variables,
)

Global: TypeAlias = tuple[int, ...]
Local: TypeAlias = tuple[int, ...]
"""A thread's location, then the values of its cells."""

ATOMIC = "<atomic>"
OPEN_LIMIT = 512
"""More values than this for an open cell, and the program is not finite-state."""
ALONE = 16 * OPEN_LIMIT
"""States of a thread that runs alone to find out whether open cells have few values."""
PATHS = 256
"""Atomic sections with more paths than this are not made one step."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One scalar. `spans`: each value stands for an interval of values that the program cannot tell apart.

    `open`: the values are not known beforehand; explicit engines find them as they go.
    """

    name: str
    element: int | None
    type: Scalar
    values: tuple[int, ...]
    start: tuple[int, ...]
    spans: tuple[tuple[int, int], ...] | None = None
    open: bool = False

    def normal(self, value: int) -> int | None:
        """The value that stands for `value`; None if it is outside the domain."""
        if self.open:
            return value
        if self.spans is None:
            return value if value in self.values else None
        return next((v for v, (low, high) in zip(self.values, self.spans, strict=True) if low <= value <= high), None)

    def __str__(self) -> str:
        return self.name if self.element is None else f"{self.name}[{self.element}]"


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a thread: the edges it consists of (more than one: a whole atomic section) and their operation."""

    source: int
    target: int
    op: Block
    edges: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """Something about one thread that takes part in an error: it is at a location (and an index has a value there).

    `shape` is what decides on conflicts; a thread has the mark at `location` if `guard` holds and `index` (if any) has
    the value.
    """

    location: int
    shape: tuple[object, ...]
    index: Expr | None = None
    value: int | None = None
    guard: Expr = TRUE


@dataclass(frozen=True, slots=True)
class Group:
    """Identical threads: `threads` are their numbers in the system, `copies` their numbers within the template."""

    template: ThreadTemplate
    threads: tuple[int, ...]
    copies: tuple[int, ...]
    cells: tuple[Cell, ...]
    live: tuple[frozenset[str], ...]
    moves: tuple[Move, ...]
    atomic: frozenset[int]
    marks: tuple[Mark, ...]
    locations: tuple[int, ...]
    passed: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """For a location those that are left by nothing but an empty step to it: a thread there counts as being here."""
    start: int = 0
    prelude: tuple[int, ...] = ()
    """Edges that every thread takes before all others do anything: its locals get their first values."""

    def same(self, location: int) -> tuple[int, ...]:
        """The locations of the program that this one stands for, itself first."""
        return (location, *self.passed.get(location, ()))

    @property
    def size(self) -> int:
        return len(self.threads)


CRITICAL = ("critical",)
FATAL = ("fatal",)


@dataclass(frozen=True, slots=True)
class System:
    """The finite system of one question. Error: a FATAL mark, two threads with conflicting marks, or a false invariant."""

    program: Program
    question: Question
    globals: tuple[Cell, ...]
    groups: tuple[Group, ...]
    invariants: tuple[Expr, ...]
    conflicts: frozenset[tuple[tuple[object, ...], tuple[object, ...]]]
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def threads(self) -> tuple[int, ...]:
        """For each thread the number of its group."""
        owner = {t: i for i, g in enumerate(self.groups) for t in g.threads}
        return tuple(owner[t] for t in range(len(owner)))

    @property
    def has_atomic(self) -> bool:
        return any(g.atomic for g in self.groups)

    @property
    def waits(self) -> bool:
        """Whether some thread waits for all threads of a template at once."""
        return any(isinstance(p, AllAt) for g in self.groups for m in g.moves for p in primitive(m.op))

    @property
    def has_open(self) -> bool:
        """Whether the values of some cell are not known beforehand."""
        return any(c.open for c in (*self.globals, *(c for g in self.groups for c in g.cells)))

    def names(self) -> tuple[str, ...]:
        """For each thread the template it is a copy of, as a Trace wants it."""
        return tuple(self.groups[i].template.name for i in self.threads)


# --------------------------------------------------------------------------------------------------- construction
def build(program: Program, question: Question, symmetry: bool = True, at_once: bool = True) -> System:
    """The finite system; raises NotFinite for what has none. `symmetry`: identical threads form one group.

    `at_once`: empty steps, and a first one that initialises locals, are taken at once (not so where locals begin as
    arguments).
    """
    # A range says what assignments lead to; a value that is chosen is any value of the type, whatever the range.
    chosen = {n for t in program.templates for e in t.cfa.edges for n in _chosen(e.op)}
    limits = {v.name: v.range for v in program.globals
              if v.range is not None and v.name not in chosen and not isinstance(v.start, Arbitrary)}
    shapes: list[tuple[ThreadTemplate, tuple[int, ...], tuple[int, ...]]] = []
    thread = 0
    for t in program.templates:
        if t.count is None:
            raise NotFinite(t.name, f"runs any number of times; fix it with --thread {t.name}=N", t.location)
        numbers = range(t.count)
        if symmetry and not any(isinstance(v.start, Self) for v in t.locals):
            if t.count:
                shapes.append((t, tuple(range(thread, thread + t.count)), tuple(numbers)))
        else:
            shapes.extend((t, (thread + i,), (i,)) for i in numbers)
        thread += t.count
    prepared = {t.name: _moves(program, question, t) for t in program.templates}
    observed = _observed(program, question)
    subjects = []
    for t, _, copies in shapes:
        names = frozenset(v.name for v in t.locals)
        subjects.append(Subject(t, copies[0], live_locals(t.cfa, names, observed)))
    analysis = Analysis(program, subjects, limits).run()
    watch = Observations()
    for t in program.templates:
        for e in t.cfa.edges:
            watch.operation(e.op)
            for expr in observed(e):
                watch.condition(expr)
    for inv in program.invariants:
        watch.condition(inv.cond)
    cells = [c for v in program.globals for c in _cells(v, analysis.globals[v.name], watch, 0)]
    if any(prepared[t.name][1] for t in program.templates):
        cells.append(Cell(ATOMIC, None, Scalar(1, False), (0, 1), (0,)))
    groups = []
    shape_set: set[tuple[object, ...]] = set()
    for (t, threads, copies), subject, domains in zip(shapes, subjects, analysis.locals, strict=True):
        own = [c for v in t.locals for c in _cells(v, domains.get(v.name, frozenset()), watch, copies[0],
                                                   at_once and v.name in subject.live[t.cfa.start])]
        moves, atomic = prepared[t.name]
        marks = tuple(_marks(program, question, t))
        shape_set |= {m.shape for m in marks}
        passed: dict[int, tuple[int, ...]] = {}
        if at_once:
            moves, passed = _passing(t.cfa, moves, atomic | {m.location for m in marks})
        group = Group(t, threads, copies, tuple(own), subject.live, moves, atomic, marks,
                      tuple(sorted({t.cfa.start, *(m.target for m in moves)})), passed, t.cfa.start)
        groups.append(_begun(group) if at_once else group)
    invariants = tuple(i.cond for i in program.invariants) if isinstance(question, Assertions) else ()
    return System(program, question, tuple(cells), tuple(groups), invariants, _conflicts(program, shape_set), limits)


def _chosen(op: Op) -> Iterator[str]:
    """The variables that get arbitrary values."""
    for part in primitive(op):
        if isinstance(part, Havoc):
            yield from (*map(name_of, part.targets), *part.whole)


def _cells(v: Variable, domain: Domain, watch: Observations, copy: int, alive: bool = True) -> Iterator[Cell]:
    """The scalars of a variable with their values; an array is one cell for each element."""
    spans = None
    parts = watch.intervals(v.name, v.type) if domain is None and not v.is_array else None
    is_open = domain is None and parts is None
    if parts is not None:
        values = tuple(low if low != v.type.low else high for low, high in parts)
        spans = tuple(parts)
    else:
        values = tuple(sorted(domain or ())) or (0,)
    length = v.length
    if length is not None and length > 4096:
        raise NotFinite(v.shown or v.name, "is an array without a small fixed length", v.location)
    for i in range(length) if length is not None else (None,):
        match v.start:
            case _ if not alive:
                start: tuple[int, ...] = values[:1]
            case Values(default=d, elements=es):
                start = (dict(es).get(i, d) if i is not None else d,)
            case Arbitrary():
                if is_open:
                    raise too_many(v)
                start = values
            case Self(offset=offset):
                start = (copy + offset,)
            case _:
                assert_never(v.start)
        cell = Cell(v.name, i, v.type, values, start, spans, is_open)
        normal = tuple(n for s in start if (n := cell.normal(s)) is not None)
        yield replace(cell, start=tuple(dict.fromkeys(normal)) or values[:1])


def too_many(v: Variable) -> NotFinite:
    """The refusal of a variable whose values cannot be listed."""
    return NotFinite(v.shown or v.name, f"has type {v.type} and takes more values than can be listed; "
                     "narrow it with circ_range or a smaller type", v.location)


def _moves(program: Program, question: Question, t: ThreadTemplate) -> tuple[tuple[Move, ...], frozenset[int]]:
    """The steps of a thread, unobservable atomic sections in one, and the atomic locations that remain."""
    kept = _kept(program, question, t.cfa)
    leaving: list[list[int]] = [[] for _ in range(t.cfa.size)]
    for i, e in enumerate(t.cfa.edges):
        leaving[e.source].append(i)
    while True:
        inside = t.cfa.atomic - kept
        moves: list[Move] = []
        crowded = False
        for q in range(t.cfa.size):
            if q in inside:
                continue
            paths: list[tuple[int, ...]] = [(i,) for i in leaving[q]]
            while paths:
                path = paths.pop(0)
                last = t.cfa.edges[path[-1]]
                if last.target in inside:
                    paths.extend((*path, i) for i in leaving[last.target])
                else:
                    ops: tuple[Op, ...] = tuple(t.cfa.edges[i].op for i in path)
                    moves.append(Move(q, last.target, Block(ops), path))
                if len(paths) > PATHS:
                    crowded = True
                    break
            if crowded:
                break
        if not crowded:
            reached = {t.cfa.start}
            while grown := {m.target for m in moves if m.source in reached} - reached:
                reached |= grown
            return tuple(m for m in moves if m.source in reached), kept & t.cfa.atomic
        kept = kept | t.cfa.atomic


def _passing(cfa: Cfa, moves: tuple[Move, ...], seen: frozenset[int]) -> tuple[tuple[Move, ...], dict[int, tuple[int, ...]]]:
    """The moves with empty steps glued to what leads to them, and for each location those that are passed on the way to it.

    An empty step commutes with every step of other threads, so nothing is lost by taking it at once.
    """
    leaving: dict[int, list[Move]] = {}
    for m in moves:
        leaving.setdefault(m.source, []).append(m)
    onward = {q: own[0] for q, own in leaving.items()
              if len(own) == 1 and not any(primitive(own[0].op)) and q not in seen and q != cfa.start and own[0].target != q}

    def glued(move: Move) -> Move:
        met = {move.source}
        while move.target in onward and move.target not in met:
            met.add(move.target)
            step = onward[move.target]
            move = Move(move.source, step.target, Block((move.op, step.op)), (*move.edges, *step.edges))
        return move

    passed: dict[int, list[int]] = {}
    for q in sorted(onward):
        passed.setdefault(glued(onward[q]).target, []).append(q)
    through = set(onward) - {glued(m).target for m in moves}
    kept = tuple(glued(m) for m in moves if m.source not in through)
    return kept, {r: tuple(q for q in qs if q in through) for r, qs in passed.items()}


def _begun(group: Group) -> Group:
    """The group after a first step that only initialises locals, if there is one.

    Nobody sees that step, and where it starts the locals it sets are dead: they read as their first values, which are the
    values they get. So a thread before it counts as being after it.
    """
    first = [m for m in group.moves if m.source == group.start]
    if len(first) != 1 or any(m.target == group.start for m in group.moves) or group.start in {m.location for m in group.marks}:
        return group
    cells = {c.name: c for c in group.cells if c.element is None}
    for part in primitive(first[0].op):
        match part:
            case Assign(target=Var(name=n), value=Const(value=v)) if n in cells and cells[n].normal(v) == cells[n].values[0]:
                if n in group.live[group.start] or cells[n].open:
                    return group
            case _:
                return group
    target = first[0].target
    if target in group.atomic:
        return group
    set_here = {n for part in primitive(first[0].op) for n in op_writes(part)}
    passed = {**group.passed, target: (*group.passed.get(target, ()), group.start)}
    return replace(
        group, start=target, prelude=first[0].edges, passed=passed, moves=tuple(m for m in group.moves if m is not first[0]),
        cells=tuple(replace(c, start=c.values[:1]) if c.name in set_here else c for c in group.cells),
        locations=tuple(q for q in group.locations if q != group.start))


def _kept(program: Program, question: Question, cfa: Cfa) -> frozenset[int]:
    """Atomic locations that the question can observe, or that lie on a loop of the section."""
    kept = {q for q in cfa.errors if q in cfa.atomic} if isinstance(question, Assertions) else set()
    match question:
        case RaceOn(variable=x):
            if program.race_model == "c11":
                kept |= {e.source for e in cfa.edges if any(a.variable == x for a in e.accesses)} & cfa.atomic
            indices = {n for t in program.templates for e in t.cfa.edges for i in _observed(program, question)(e)
                       for n in variables(i)}
            kept |= {e.target for e in cfa.edges if e.target in cfa.atomic and indices & set(op_writes(e.op))}
        case Assertions():
            kept |= cfa.critical & cfa.atomic
            shown = {n for i in program.invariants for n in variables(i.cond)}
            kept |= {e.target for e in cfa.edges if e.target in cfa.atomic and shown & set(op_writes(e.op))}
        case _:
            assert_never(question)
    inner = {q: [e.target for e in cfa.edges if e.source == q and e.target in cfa.atomic and e.target not in kept]
             for q in cfa.atomic if q not in kept}
    for q in sorted(inner):
        seen: set[int] = set()
        todo = list(inner[q])
        while todo:
            p = todo.pop()
            if p not in seen:
                seen.add(p)
                todo.extend(inner[p])
        if q in seen:
            kept.add(q)
    return frozenset(kept)


def _observed(program: Program, question: Question) -> Callable[[Edge], tuple[Expr, ...]]:
    """For an edge the indices and conditions that the question reads at its source."""
    def seen(e: Edge) -> tuple[Expr, ...]:
        found: list[Expr] = []
        for a in e.accesses:
            if isinstance(question, RaceOn) and a.variable == question.variable:
                if isinstance(a.lvalue, Element) and not a.whole:
                    found.append(a.lvalue.index)
                found.append(_guard(program, e, a))
        return tuple(found)

    return seen


def _guard(program: Program, edge: Edge, access: Access) -> Expr:
    """The condition under which the access is next: what precedes it in the step passes, the scheduler's guards apart."""
    ghosts = {v.name for v in program.globals if v.ghost}
    shared = {v.name for v in program.globals}
    written: dict[str, Expr] = {}
    found: Expr = TRUE
    for part in primitive(edge.op):
        if access.variable in (*op_writes(part), *(name_of(v) for v in op_reads(part))):
            break
        match part:
            case Assume(cond=c):
                seen = variables(c) & shared
                if not seen or not seen <= ghosts:
                    now = truth(substitute(c, lambda v: written.get(v.name) if isinstance(v, Var) else None))
                    found = now if found == TRUE else Binary("&&", found, now)
            case Assign(target=Var(name=n), value=e):
                written[n] = substitute(e, lambda v: written.get(v.name) if isinstance(v, Var) else None)
            case _:
                # What follows depends on a choice: the access is taken to be next.
                break
    return found


def _marks(program: Program, question: Question, t: ThreadTemplate) -> Iterator[Mark]:
    match question:
        case Assertions():
            yield from (Mark(q, FATAL) for q in sorted(t.cfa.errors))
            yield from (Mark(q, CRITICAL) for q in sorted(t.cfa.critical))
        case RaceOn(variable=x):
            length = next((v.length for v in program.globals if v.name == x), None)
            for e in t.cfa.edges:
                for a in e.accesses:
                    if a.variable != x:
                        continue
                    if isinstance(a.lvalue, Element) and not a.whole and length is not None:
                        if length > 4096:
                            raise NotFinite(x, "is an array without a small fixed length", a.location)
                        for i in range(length):
                            yield Mark(e.source, _shape(e, a, i), a.lvalue.index, i, _guard(program, e, a))
                    else:
                        yield Mark(e.source, _shape(e, a, None), guard=_guard(program, e, a))
        case _:
            assert_never(question)


def _shape(e: Edge, a: Access, i: int | None) -> tuple[object, ...]:
    return ("access", a.write, e.protected, a.kind, i)


def _conflicts(program: Program, shapes: set[tuple[object, ...]]) -> frozenset[tuple[tuple[object, ...], tuple[object, ...]]]:
    """The pairs of shapes that make an error when two different threads have them."""
    found: set[tuple[tuple[object, ...], tuple[object, ...]]] = set()
    x = Var("x", Scalar(1, False))
    for a, b in itertools.product(shapes, shapes):
        if a == CRITICAL and b == CRITICAL:
            found.add((a, b))
        if a[0] == "access" == b[0] and (a[4] is None or b[4] is None or a[4] == b[4]):
            first, second = (
                (Edge(0, 0, Block(()), protected=bool(s[2])), Access(x, bool(s[1]), kind=s[3])) for s in (a, b)  # type: ignore[arg-type]
            )
            if conflict(program.race_model, first[0], first[1], second[0], second[1]):
                found.add((a, b))
    return frozenset(found)


# --------------------------------------------------------------------------------------------------- explicit steps
class OutOfDomain(Exception):
    """A step writes a value outside a declared range or indexes outside an array, or there are too many states to list.

    Where such a step is possible the state counts as an error (`Stepper.escape`), and the step is not taken.
    """


@dataclass(frozen=True, slots=True)
class _Plan:
    """A move with what it reads and writes as positions: globals first, then the thread's cells."""

    move: Move
    support: tuple[tuple[int, ...], tuple[int, ...]]
    choices: tuple[frozenset[str], ...]


Effect: TypeAlias = tuple[tuple[tuple[int, int], ...], tuple[int, ...]]
"""What a move writes (position, value), and what its havocs chose."""


class Stepper:
    """Explicit successors of thread states; they are remembered, and so is what a move does for each value of what it reads."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.math = system.program.ints == "math"
        self._slots = [self._slot_table(g) for g in system.groups]
        self._cells = [(*system.globals, *g.cells) for g in system.groups]
        self._plans = [self._plan(i) for i in range(len(system.groups))]
        self._memo: dict[tuple[object, ...], tuple[Effect | str, ...]] = {}
        self._after: dict[tuple[int, Global, Local], tuple[tuple[Move, tuple[int, ...], Global, Local], ...]] = {}
        self._marks: dict[tuple[int, Global, Local], frozenset[tuple[object, ...]]] = {}
        self._width = len(system.globals)
        self._ghost = self._width - 1 if system.has_atomic else None
        self._seen: dict[tuple[int | None, str, int | None], set[int]] = {}

    def _slot_table(self, group: Group) -> dict[tuple[str, int | None], int]:
        return {(c.name, c.element): i for i, c in enumerate((*self.system.globals, *group.cells))}

    def _plan(self, i: int) -> list[list[_Plan]]:
        group = self.system.groups[i]
        out: list[list[_Plan]] = [[] for _ in range(group.template.cfa.size)]
        by_name: dict[str, list[int]] = {}
        for (name, _), slot in self._slots[i].items():
            by_name.setdefault(name, []).append(slot)
        for move in group.moves:
            used: set[int] = set()
            for v in op_reads(move.op):
                used.update(self._touched(i, v, by_name))
            for part in primitive(move.op):
                targets = (part.target,) if isinstance(part, Assign) else part.targets if isinstance(part, Havoc) else ()
                for t in targets:
                    if isinstance(t, Element):
                        used.update(self._touched(i, t, by_name))
            width = len(self.system.globals)
            support = (tuple(sorted(s for s in used if s < width)), tuple(sorted(s - width for s in used if s >= width)))
            out[move.source].append(_Plan(move, support, self._needed(group, move)))
        return out

    def _touched(self, i: int, v: Lvalue, by_name: Mapping[str, list[int]]) -> list[int]:
        if isinstance(v, Element) and isinstance(v.index, Const):
            slot = self._slots[i].get((v.array, v.index.value))
            return [] if slot is None else [slot]
        return by_name.get(name_of(v), [])

    @staticmethod
    def _needed(group: Group, move: Move) -> tuple[frozenset[str], ...]:
        """After each primitive operation, the variables whose value still matters (a dead havoc needs no choice)."""
        local = {v.name for v in group.template.locals}
        after = group.live[move.target]
        parts = list(primitive(move.op))
        needed: list[frozenset[str]] = []
        for part in reversed(parts):
            needed.append(after)
            after = live_before(part, after)
        everything = frozenset(n for p in parts for n in op_writes(p) if n not in local)
        return tuple(n | everything for n in reversed(needed))

    def starts(self) -> tuple[list[Global], list[list[Local]]]:
        """All global stores and, for each group, all local stores at the start."""
        what = "too many start states to list"
        stores = list(_listed([c.start for c in self.system.globals], what))
        locals_ = [[(g.start, *values) for values in _listed([c.start for c in g.cells], what)] for g in self.system.groups]
        return stores, locals_

    def entered(self, i: int, values: Mapping[str, int]) -> Local:
        """The local store at the start of group `i`'s function with these parameters; what is dead has its first value."""
        group = self.system.groups[i]
        return self.resumed(i, group.start, (0, *(c.values[0] for c in group.cells)), values)

    def resumed(self, i: int, location: int, local: Local, values: Mapping[str, int]) -> Local:
        """A local store moved to another location, some of its scalars changed."""
        cells = self.system.groups[i].cells
        new = [location, *(values.get(c.name, v) for c, v in zip(cells, local[1:], strict=True))]
        for n, c in enumerate(cells):
            if c.name in values and (normal := c.normal(new[n + 1])) is not None:
                new[n + 1] = normal
            if c.open:
                self._note(i, self._width + n, new[n + 1])
        self._settle(i, location, [0] * self._width, new)
        return tuple(new)

    def allowed(self, i: int, g: Global, local: Local) -> bool:
        """Whether no *other* thread is at an atomic location."""
        return self._ghost is None or g[self._ghost] == 0 or local[0] in self.system.groups[i].atomic

    def successors(self, i: int, g: Global, local: Local) -> tuple[tuple[Move, tuple[int, ...], Global, Local], ...]:
        """Steps of a thread of group `i`: the move, what its havocs chose, and the stores after it."""
        found = self._after.get((i, g, local))
        if found is None:
            found = self._after[i, g, local] = tuple(self._successors(i, g, local))
        return found

    def _successors(self, i: int, g: Global, local: Local) -> Iterator[tuple[Move, tuple[int, ...], Global, Local]]:
        width = self._width
        for plan, effects in self._effects(i, g, local):
            for effect in effects:
                if isinstance(effect, str):
                    continue
                new_g, new_l = list(g), list(local)
                for slot, value in effect[0]:
                    if slot < width:
                        new_g[slot] = value
                    else:
                        new_l[slot - width + 1] = value
                self._settle(i, plan.move.target, new_g, new_l)
                yield plan.move, effect[1], tuple(new_g), tuple(new_l)

    def run_alone(self, i: int, g: Global, local: Local) -> None:
        """A thread of group `i` runs for a while, nobody else does: a counter without a bound is soon seen to have none."""
        seen = {(g, local)}
        todo = [(g, local)] if self.system.has_open else []
        while todo and len(seen) < ALONE:
            for _, _, g2, local2 in self._successors(i, *todo.pop()):
                if (g2, local2) not in seen:
                    seen.add((g2, local2))
                    todo.append((g2, local2))

    def escape(self, i: int, g: Global, local: Local) -> str | None:
        """How a step of the thread would leave the finite view, None if none does."""
        return next((e for _, effects in self._effects(i, g, local) for e in effects if isinstance(e, str)), None)

    def _effects(self, i: int, g: Global, local: Local) -> Iterator[tuple[_Plan, tuple[Effect | str, ...]]]:
        """What each move can do here; a text says how it would leave the finite view."""
        if not self.allowed(i, g, local):
            return
        for plan in self._plans[i][local[0]]:
            key = (i, id(plan), *(g[s] for s in plan.support[0]), None, *(local[s + 1] for s in plan.support[1]))
            found = self._memo.get(key)
            if found is None:
                different: dict[object, Effect | str] = {}
                for effect in self._run(i, plan, g, local):
                    different.setdefault(effect if isinstance(effect, str) else effect[0], effect)
                found = self._memo[key] = tuple(different.values())
            yield plan, found

    def _settle(self, i: int, target: int, g: list[int], local: list[int]) -> None:
        group = self.system.groups[i]
        local[0] = target
        alive = group.live[target]
        for j, c in enumerate(group.cells):
            if c.name not in alive:
                local[j + 1] = c.values[0]
        if self._ghost is not None:
            g[self._ghost] = int(target in group.atomic)

    def _run(self, i: int, plan: _Plan, g: Global, local: Local) -> Iterator[Effect | str]:
        slots, cells = self._slots[i], self._cells[i]
        parts = list(primitive(plan.move.op))

        def slot(v: Lvalue, env: dict[int, int]) -> int:
            index = evaluate(v.index, reading(env), self.math) if isinstance(v, Element) else None
            return self._slot(i, name_of(v), index)

        def reading(env: dict[int, int]) -> ReadCell:
            def read(name: str, index: int | None) -> int:
                s = self._slot(i, name, index)
                return env[s] if s in env else g[s] if s < self._width else local[s - self._width + 1]

            return read

        def put(s: int, value: int, env: dict[int, int]) -> dict[int, int]:
            normal = cells[s].normal(value)
            if normal is None:
                raise OutOfDomain(f"'{cells[s]}' can get the value {value}, outside its range")
            if cells[s].open:
                self._note(i, s, normal)
            return {**env, s: normal}

        def after(at: int, env: dict[int, int]) -> list[tuple[dict[int, int], tuple[int, ...]]]:
            """What one operation makes of the values written so far, with what it chose."""
            match parts[at]:
                case Assume(cond=c):
                    return [(env, ())] if evaluate(c, reading(env), self.math) else []
                case Assign(target=t, value=e):
                    value, s = evaluate(e, reading(env), self.math), slot(t, env)
                    return [(put(s, value, env) if cells[s].name in plan.choices[at] or isinstance(t, Element) else env, ())]
                case Havoc(targets=ts, whole=ws):
                    places = [slot(t, env) for t in ts]
                    places += [s for w in ws for (name, _), s in slots.items() if name == w]
                    for s in places:
                        if cells[s].open and cells[s].name in plan.choices[at]:
                            raise too_many(self._variable(i, cells[s].name))
                    options = [cells[s].values if cells[s].name in plan.choices[at] else cells[s].values[:1] for s in places]
                    choices = _listed(options, "more values than can be listed are chosen in one step")
                    return [({**env, **dict(zip(places, values, strict=True))}, values) for values in choices]
                case AllAt():
                    return [(env, ())]

        def go(at: int, env: dict[int, int], chosen: tuple[int, ...]) -> Iterator[Effect | str]:
            if at == len(parts):
                yield tuple(sorted(env.items())), chosen
                return
            try:
                ways = after(at, env)
            except OutOfDomain as error:
                yield str(error)
                return
            for new, more in ways:
                yield from go(at + 1, new, (*chosen, *more))

        yield from go(0, {}, ())

    def _note(self, i: int, s: int, value: int) -> None:
        """Remember a value of an open cell; too many of them, and the program is not finite-state."""
        cell = self._cells[i][s]
        seen = self._seen.setdefault((None if s < self._width else i, cell.name, cell.element), set(cell.start))
        seen.add(value)
        if len(seen) > OPEN_LIMIT:
            raise too_many(self._variable(i, cell.name))

    def _variable(self, i: int, name: str) -> Variable:
        return next(v for v in (*self.system.program.globals, *self.system.groups[i].template.locals) if v.name == name)

    def closed(self) -> System:
        """The system with the values found so far as the domains of its open cells; sound after an exhaustive run."""
        def close(cell: Cell, owner: int | None) -> Cell:
            if not cell.open:
                return cell
            seen = self._seen.get((owner, cell.name, cell.element), set()) | set(cell.start) | {cell.values[0]}
            return replace(cell, values=tuple(sorted(seen)), open=False)

        if not self.system.has_open:
            return self.system
        groups = tuple(replace(g, cells=tuple(close(c, i) for c in g.cells)) for i, g in enumerate(self.system.groups))
        return replace(self.system, globals=tuple(close(c, None) for c in self.system.globals), groups=groups)

    # ----------------------------------------------------------------------------------------------- errors
    def marks(self, i: int, g: Global, local: Local) -> frozenset[tuple[object, ...]]:
        """The shapes that a thread of group `i` has in this state; one that can leave the finite view is FATAL."""
        key = (i, g, local)
        found = self._marks.get(key)
        if found is None:
            read = self.reader(i, g, local)
            found = frozenset(m.shape for m in self.system.groups[i].marks if m.location == local[0]
                              and evaluate(m.guard, read, self.math)
                              and (m.index is None or evaluate(m.index, read, self.math) == m.value))
            if self.escape(i, g, local) is not None:
                found |= {FATAL}
            self._marks[key] = found
        return found

    def bad(self, g: Global) -> bool:
        """Whether an invariant is false of the globals."""
        return any(not evaluate(c, self.reader(0, g, ()), self.math) for c in self.system.invariants)

    def reader(self, i: int, g: Global, local: Local) -> ReadCell:
        """Reads the state as a thread of group `i` sees it."""
        def read(name: str, index: int | None) -> int:
            s = self._slot(i, name, index)
            return g[s] if s < self._width else local[s - self._width + 1]

        return read

    def _slot(self, i: int, name: str, index: int | None) -> int:
        s = self._slots[i].get((name, index))
        if s is None:
            raise OutOfDomain(f"index {index} is outside the array '{name}'")
        return s


def _listed(options: Sequence[tuple[int, ...]], too_many: str) -> Iterator[tuple[int, ...]]:
    """All choices of one value from each; raises OutOfDomain if they are too many."""
    if math.prod(map(len, options)) > PRODUCT_LIMIT:
        raise OutOfDomain(too_many)
    return itertools.product(*options)


# --------------------------------------------------------------------------------------------------- traces
def verdict_of(system: System, stepper: Stepper, g: Global, locals_: tuple[Local, ...], start: tuple[Choice, ...],
               steps: tuple[Step, ...], statistics: Statistics) -> Refuted | Unknown:
    """The verdict for a real run to an error state: unknown if all that is wrong there is that a step leaves the finite view."""
    at_error = any(m.location == local[0] for local, i in zip(locals_, system.threads, strict=True)
                   for m in system.groups[i].marks if m.shape == FATAL)
    marks = [stepper.marks(i, g, local) for local, i in zip(locals_, system.threads, strict=True)]
    clash = any((a, b) in system.conflicts for one, two in itertools.combinations(marks, 2) for a in one for b in two)
    if not at_error and not clash and not stepper.bad(g):
        escapes = (stepper.escape(i, g, local) for local, i in zip(locals_, system.threads, strict=True))
        reason = next(e for e in escapes if e is not None)
        return Unknown(f"not finite-state as declared: {reason}", advice="widen the range", statistics=statistics)
    accesses = racing_accesses(system, stepper, g, locals_)
    preludes = [Step(t, edge) for t, i in enumerate(system.threads) for edge in system.groups[i].prelude]
    steps = (*preludes, *steps)
    trace = Trace(system.program.fingerprint(), system.question, system.names(), start, steps, accesses)
    if system.waits and isinstance(replay(system.program, trace), Refused):
        return Unknown("a run was found in which a thread does not wait for all others", statistics=statistics)
    return Refuted(trace, statistics)


def trace_steps(system: System, thread: int, move: Move, chosen: tuple[int, ...]) -> list[Step]:
    """A step of the system as steps of the program."""
    group = system.groups[system.threads[thread]]
    left = list(chosen)
    steps = []
    for index in move.edges:
        choices = []
        for part in primitive(group.template.cfa.edges[index].op):
            if isinstance(part, Havoc):
                for t in part.targets:
                    choices.append(Choice(name_of(t), left.pop(0), thread=thread))
                for w in part.whole:
                    size = sum(1 for c in (*system.globals, *group.cells) if c.name == w)
                    choices.extend(Choice(w, left.pop(0), i, thread) for i in range(size))
        steps.append(Step(thread, index, tuple(choices)))
    return steps


def start_choices(system: System, g: Global, locals_: tuple[Local, ...]) -> tuple[Choice, ...]:
    """The start values that the program leaves open, as a Trace wants them."""
    found = [Choice(c.name, v, c.element) for c, v in zip(system.globals, g, strict=True)
             if c.name != ATOMIC and isinstance(system.program.variable(c.name).start, Arbitrary)]
    for t, local in enumerate(locals_):
        group = system.groups[system.threads[t]]
        free = {v.name for v in group.template.locals if isinstance(v.start, Arbitrary)}
        found += [Choice(c.name, v, c.element, t) for c, v in zip(group.cells, local[1:], strict=True) if c.name in free]
    return tuple(found)


def racing_accesses(system: System, stepper: Stepper, g: Global, locals_: tuple[Local, ...]) -> tuple[tuple[int, int, int], ...]:
    """In an error state of a race: the two (thread, edge, access) that conflict; empty for assertions."""
    if not isinstance(system.question, RaceOn):
        return ()
    x = system.question.variable
    found: list[tuple[int, int, int, Edge, Access, int | None]] = []
    for t, local in enumerate(locals_):
        i = system.threads[t]
        read = stepper.reader(i, g, local)
        for n, e in enumerate(system.groups[i].template.cfa.edges):
            for m, a in enumerate(e.accesses):
                if e.source == local[0] and a.variable == x and evaluate(_guard(system.program, e, a), read, stepper.math):
                    cell = a.lvalue
                    index = evaluate(cell.index, read, stepper.math) if isinstance(cell, Element) and not a.whole else None
                    found.append((t, n, m, e, a, index))
    for one, two in itertools.combinations(found, 2):
        same = one[5] is None or two[5] is None or one[5] == two[5]
        if one[0] != two[0] and same and conflict(system.program.race_model, one[3], one[4], two[3], two[4]):
            return (one[:3], two[:3])
    raise AssertionError("an error state without conflicting accesses")


