"""A program: its variables, its thread templates, what was assumed when it was read."""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from frontend.program.cfa import Access, Cfa, Edge, MemoryOrder
from frontend.program.exact import exact_op, show_exact, show_exact_lvalue
from frontend.program.expr import Expr, Lvalue, Scalar, Var
from frontend.program.models import Ints, Preemption, RaceModel
from frontend.program.ops import AllAt, Assign, Havoc, Op, name_of, op_reads, op_writes, primitive, show_op
from frontend.program.source import NOWHERE, Location
from frontend.records import dataclass

CALLER = "call@"
"""Functions that circ makes to call what other files of a program would call have names that begin with this."""


class Role(enum.Enum):
    MAIN = "main"
    THREAD = "thread"
    HANDLER = "handler"
    TASK = "task"


@dataclass(frozen=True, slots=True)
class Values:
    """Start values of a variable: `default` for every element, except those in `elements` (sorted pairs index, value)."""

    default: int = 0
    elements: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Arbitrary:
    """Any value of the type at the start."""


@dataclass(frozen=True, slots=True)
class Self:
    """The thread's own number: 0 .. count-1 within its template; if the count is unbounded any number from 0 on that fits
    the variable, pairwise distinct.

    `offset` is added to it (annotations count threads from 1).
    """

    offset: int = 0


Start: TypeAlias = Values | Arbitrary | Self

ZERO = Values()


@dataclass(frozen=True, slots=True)
class Variable:
    """A global or a thread's local: one scalar, or an array of `length` scalars (UNBOUNDED_LENGTH if not known).

    `shown` is the name a user writes (`x`, `s.f`, `a[]`, `f::x`); `object` the C object it is a part of.
    `ghost`: made by circ (a temporary, a return value, a lock's state); never itself the subject of a race.
    """

    name: str
    type: Scalar
    length: int | None = None
    start: Start = ZERO
    shown: str = ""
    object: str = ""
    ghost: bool = False
    volatile: bool = False
    norace: bool = False
    location: Location = NOWHERE
    range: tuple[int, int] | None = None
    """What `circ_range` says of its values; a hint, on which no proof rests."""
    dims: tuple[int, ...] = ()
    """Of an array of arrays, flattened here, how many elements each has, the outermost first."""

    @property
    def is_array(self) -> bool:
        return self.length is not None


UNBOUNDED_LENGTH = 1 << 62


def plain_edge(source: int, target: int, op: Op, shared: Iterable[Variable], protected: bool = False,
               location: Location = NOWHERE) -> Edge:
    """A step whose accesses are all its reads and writes of the `shared` variables: for programs that are made by hand.

    One that enters, is inside or leaves an atomic section, or takes or gives back a lock, is to be `protected`.
    """
    known = {v.name: v for v in shared}
    accesses = [Access(v, False, location) for v in dict.fromkeys(op_reads(op)) if name_of(v) in known]
    for part in primitive(op):
        match part:
            case Assign(target=lvalue):
                written: tuple[Lvalue, ...] = (lvalue,)
            case Havoc(targets=written, whole=whole):
                accesses += [Access(Var(name, known[name].type), True, location, whole=True) for name in whole if name in known]
            case _:
                written = ()
        accesses += [Access(lvalue, True, location) for lvalue in written if name_of(lvalue) in known]
    return Edge(source, target, op, tuple(accesses), protected, location, show_op(op))


@dataclass(frozen=True, slots=True)
class ThreadTemplate:
    """A thread as the program text has it; `count` copies run, any number of them if it is None.

    `masked`: a handler that is entered with interrupts off. `shown`: what the user calls it, if that is not its name.
    """

    name: str
    cfa: Cfa
    locals: tuple[Variable, ...] = ()
    count: int | None = None
    role: Role = Role.THREAD
    location: Location = NOWHERE
    masked: bool = False
    shown: str = ""

    @property
    def called(self) -> str:
        """What it is called in reports: as in the source, without the number that tells threads of one function apart."""
        return (self.shown or self.name).partition("#")[0]

    @property
    def most(self) -> int | None:
        """How many copies can run: `count`, or as many as there are numbers for a local that holds one; None for any number."""
        if self.count is not None:
            return self.count
        return min((v.type.high - max(v.start.offset, 0) + 1 for v in self.locals if isinstance(v.start, Self)), default=None)


OWN_MISTAKE = "internal error"
"""How the text of an assumption begins that is there because of our own mistake."""


class Ground(enum.StrEnum):
    """Why an assumption may be taken for granted."""

    DEFINED = "what is done otherwise is undefined"
    BOUNDED = "memory, threads and counters are large enough"
    ORDERED = "memory is sequentially consistent"
    ABSENT = "it is about code or data that is not there"
    ALONE = "nothing but the program changes its memory"
    COVERED = "it only tells of values or steps beyond those of the program, which proofs cover"
    NONE = "for no reason but that circ cannot do better"


@dataclass(frozen=True, slots=True, order=True)
class Assumption:
    """Something a verdict rests on that was not proved; printed with it and stored in every report."""

    text: str
    location: Location = NOWHERE
    ground: Ground = Ground.NONE

    @property
    def absent(self) -> bool:
        """Whether `--assume none` does not take it for granted."""
        return self.ground is Ground.ABSENT

    @property
    def mistake(self) -> bool:
        """Whether our own mistake is behind it: a part of the program could not be read, so that no proof can rest on it."""
        return self.text.startswith(OWN_MISTAKE)

    def __str__(self) -> str:
        return self.text if self.location == NOWHERE else f"{self.text} ({self.location})"


@dataclass(frozen=True, slots=True)
class Invariant:
    """A condition over the globals that must hold in every reachable state (`circ_invariant`)."""

    cond: Expr
    location: Location
    text: str
    between: bool = False
    """It may be false while a thread is inside an atomic section (`//@ invariant`)."""


@dataclass(frozen=True, slots=True)
class Rely:
    """What the threads of a template assume about a step of any other thread (`//@ assumes`): a condition over the globals
    before it, those after it (their names with a prime) and the thread's own `\\tid`. A claim about the program."""

    template: str
    cond: Expr
    location: Location
    text: str


@dataclass(frozen=True, slots=True)
class Exempt:
    """States that the Cartesian engine is to keep out of its abstraction (`circ_exception`): a condition over the globals,
    and places (template, copy, source line) of threads. A hint, on which no proof rests."""

    cond: Expr
    places: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class FunctionText:
    """Where a function stands in the text, from its first line to its last, and which functions it calls, each where first."""

    name: str
    file: str
    first: int
    last: int
    calls: tuple[tuple[str, Location], ...] = ()


@dataclass(frozen=True)
class Program:
    """A whole program: globals, templates, and the models under which it is read."""

    file: str
    globals: tuple[Variable, ...]
    templates: tuple[ThreadTemplate, ...]
    data_model: str = "lp64"
    ints: Ints = Ints.EXACT
    race_model: RaceModel = RaceModel.NESC
    preemption: Preemption = Preemption.FREE
    invariants: tuple[Invariant, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    warnings: tuple[Assumption, ...] = ()
    exceptions: tuple[Exempt, ...] = ()
    relies: tuple[Rely, ...] = ()
    procedures: Procedures | None = None
    """The same program with its functions kept apart, where an engine with a stack is to see it."""
    files: tuple[str, ...] = ()
    """All files that it was read from, in the order given; `file` is the one with `main`, else the first."""
    asserted: bool = False
    """Whether the text has assertions, even if none is left because each was seen to hold."""
    functions: tuple[FunctionText, ...] = ()
    """The functions that threads run, for the reader's sake: in the automata they are inlined."""

    def template(self, name: str) -> ThreadTemplate:
        return next(t for t in self.templates if t.name == name)

    def variable(self, name: str) -> Variable:
        return next(v for v in self.globals if v.name == name)

    @property
    def shared(self) -> tuple[Variable, ...]:
        """The globals a race can be about: not ghosts, and accessed by some thread."""
        return tuple(v for v in self.globals if not v.ghost and v.name in self.accessed)

    @cached_property
    def accessed(self) -> frozenset[str]:
        """The variables that some thread accesses."""
        lists = access_lists(e for t in self.templates for e in t.cfa.edges)
        return frozenset([a.variable for accesses in lists for a in accesses])

    @cached_property
    def accesses(self) -> Mapping[str, Sequence[tuple[int, Edge, Access]]]:
        """By variable every access to it: the template's position, the edge, the access."""
        found: dict[str, list[tuple[int, Edge, Access]]] = {}
        for n, t in enumerate(self.templates):
            for e in t.cfa.edges:
                for a in e.accesses:
                    found.setdefault(a.variable, []).append((n, e, a))
        return found

    def problems(self) -> Iterator[str]:
        """What makes this no program: names that mean nothing or two things, locations that there are not.

        A program that the front end has read has none; one that was made by hand may.
        """
        names = [t.name for t in self.templates]
        yield from (f"two threads are called '{name}'" for name in sorted({n for n in names if names.count(n) > 1}))
        for t in self.templates:
            scope = [v.name for v in (*self.globals, *t.locals)]
            twice = sorted({name for name in scope if scope.count(name) > 1}) if len(set(scope)) < len(scope) else []
            yield from (f"{t.name}: two variables are called '{name}'" for name in twice)
            yield from (f"{t.name}: {problem}" for problem in _problems(t.cfa, frozenset(scope)))
            if self.race_model != RaceModel.MACHINE:  # there an access in a section may come in the middle of others
                yield from (f"{t.name}: edge {n} is at an atomic location, and not protected" for n, e in enumerate(t.cfa.edges)
                            if not e.protected and not t.cfa.atomic.isdisjoint((e.source, e.target)))
            for n, edge in enumerate(t.cfa.edges):
                others = {part.template for part in primitive(edge.op) if isinstance(part, AllAt)} - set(names)
                yield from (f"{t.name}: edge {n} waits for '{name}', which is no thread" for name in sorted(others))

    def fingerprint(self) -> str:
        """A hash of everything that a proof speaks about, the same in every run; source locations do not enter."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        digest = hashlib.sha256()

        def put(*parts: object) -> None:
            digest.update("\x1f".join(map(str, parts)).encode() + b"\x1e")

        # There are lists of hundreds of accesses that thousands of steps share.
        accesses = {id(some): _exact_accesses(some) for t in self.templates for some in access_lists(t.cfa.edges)}
        put("circ-program-1", self.data_model, self.ints, self.race_model, self.preemption)
        for v in self.globals:
            put("global", v.name, v.type, v.length, v.start, v.ghost)
        for inv in self.invariants:
            put("invariant", show_exact(inv.cond), *(["between"] if inv.between else []))
        for rely in self.relies:
            put("rely", rely.template, show_exact(rely.cond))
        for t in self.templates:
            put("template", t.name, t.count, t.cfa.size, t.cfa.start, sorted(t.cfa.atomic), sorted(t.cfa.critical),
                sorted((q, e.kind.value) for q, e in t.cfa.errors.items()))
            for v in t.locals:
                put("local", v.name, v.type, v.length, v.start)
            for e in t.cfa.edges:
                shown, orders = accesses[id(e.accesses)]
                put("edge", e.source, e.target, exact_op(e.op), e.protected, shown, *orders, *(["stale"] if e.stale else ()))
        if self.procedures is not None:
            put("procedures", self.procedures.fingerprint())
        return digest.hexdigest()


def _exact_accesses(accesses: tuple[Access, ...]) -> tuple[str, tuple[str, ...]]:
    """What a list of accesses adds to the hash of each step that has it, and their memory orders if not all are sequentially
    consistent."""
    shown = str([(show_exact_lvalue(a.lvalue), a.write, a.kind.value, a.whole) for a in accesses])
    weak = any(a.order is not MemoryOrder.SEQ_CST for a in accesses)
    return shown, tuple([a.order.value for a in accesses]) if weak else ()


def access_lists(edges: Iterable[Edge]) -> list[tuple[Access, ...]]:
    """What edges access; a list that several edges share stands there once. There are lists of hundreds that thousands share."""
    return list({id(e.accesses): e.accesses for e in edges}.values())


def _problems(cfa: Cfa, scope: frozenset[str]) -> Iterator[str]:
    """What is wrong with an automaton whose thread has these variables."""
    if cfa.start in cfa.atomic:
        yield f"the start {cfa.start} is atomic"
    marked = {cfa.start, *cfa.atomic, *cfa.errors, *cfa.critical}
    yield from (f"there is no location {q}" for q in sorted(marked) if not 0 <= q < cfa.size)
    for n, edge in enumerate(cfa.edges):
        ends = (edge.source, edge.target)
        yield from (f"edge {n}: there is no location {q}" for q in ends if not 0 <= q < cfa.size)
        unknown = {*map(name_of, op_reads(edge.op)), *op_writes(edge.op)} - scope
        yield from (f"edge {n}: there is no variable '{name}'" for name in sorted(unknown))


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call edge of the caller: the callee, its arguments over the caller's locals, where the result goes."""

    edge: int
    callee: str
    args: tuple[Expr, ...]
    result: Var | None


@dataclass(frozen=True, slots=True)
class Procedures:
    """Functions that are not inlined, so that they may be recursive (`frontend.threads.procedures`).

    `program.templates` are the functions, each once; `threads` the functions that run as threads, and how often (those with
    a parameter know their number by it). A thread is a stack of activations, the topmost of which runs. An edge in `calls`
    pushes an activation of the callee at its start, its `params` being the arguments and its other locals arbitrary; at
    the exit in `returns` an activation is popped: the caller goes on behind its call, with the register of the result.
    """

    program: Program
    threads: tuple[tuple[str, int], ...]
    calls: Mapping[str, tuple[CallSite, ...]]
    params: Mapping[str, tuple[Var, ...]]
    returns: Mapping[str, tuple[int, Var | None]]

    def fingerprint(self) -> str:
        """A hash of everything a proof speaks about."""
        parts: list[object] = [self.program.fingerprint(), self.threads]
        for name in sorted(self.calls):
            sites = [(c.edge, c.callee, list(map(show_exact, c.args)), c.result) for c in self.calls[name]]
            parts.append((name, sites, self.params[name], self.returns[name]))
        return hashlib.sha256(repr(parts).encode()).hexdigest()
