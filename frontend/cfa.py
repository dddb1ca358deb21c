"""Control-flow automata and programs: what the front end gives and every engine reads.

The semantics (all engines, the interpreter and the kernel share it):
a state is the globals plus, for each thread, a location and its locals; one step is one edge of one thread; a thread may
step only if no *other* thread is at an atomic location; a thread of `ThreadTemplate.count` n exists n times.
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, TypeVar, assert_never

from frontend.expr import Element, Expr, Lvalue, Scalar, Var, reads, show, show_lvalue
from frontend.source import NOWHERE, Location


# --------------------------------------------------------------------------------------------------- operations
@dataclass(frozen=True, slots=True)
class Assume:
    """Passes only where the condition is not 0; blocks otherwise."""

    cond: Expr


@dataclass(frozen=True, slots=True)
class Assign:
    target: Lvalue
    value: Expr


@dataclass(frozen=True, slots=True)
class Havoc:
    """Each target gets an arbitrary value of its type; an array name without index (see `whole`) gets arbitrary elements."""

    targets: tuple[Lvalue, ...]
    whole: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AllAt:
    """Passes only while every *other* thread of `template` is at one of `locations` (what joining many threads needs)."""

    template: str
    locations: frozenset[int]


@dataclass(frozen=True, slots=True)
class Block:
    """Several operations done in order in one step; the step exists only if every assume in it passes."""

    ops: tuple[Op, ...]


Op: TypeAlias = Assume | Assign | Havoc | AllAt | Block

SKIP = Block(())


def primitive(op: Op) -> Iterator[Assume | Assign | Havoc | AllAt]:
    """The operations of `op` in order, blocks flattened."""
    if not isinstance(op, Block):
        return iter((op,))
    flat = [part for part in op.ops if not isinstance(part, Block)]
    return iter(flat) if len(flat) == len(op.ops) else _flattened(op)


def _flattened(block: Block) -> Iterator[Assume | Assign | Havoc | AllAt]:
    for part in block.ops:
        yield from primitive(part)


def op_reads(op: Op) -> Iterator[Lvalue]:
    """Every lvalue the operation reads, indices of targets included."""
    for part in primitive(op):
        match part:
            case Assume(cond=c):
                yield from reads(c)
            case Assign(target=t, value=e):
                yield from reads(e)
                if isinstance(t, Element):
                    yield from reads(t.index)
            case Havoc(targets=ts):
                for t in ts:
                    if isinstance(t, Element):
                        yield from reads(t.index)
            case AllAt():
                pass
            case _:
                assert_never(part)


RETURN = "::<return>"
"""How the register of a function ends that remembers where to return to; only one with one copy for all calls has it."""


def calls_copy(edge: Edge) -> bool:
    """Whether the step calls a function that has one copy for all its callers."""
    return any(name.endswith(RETURN) for name in op_writes(edge.op))


def op_writes(op: Op) -> Iterator[str]:
    """Names of the variables and arrays the operation may change."""
    for part in primitive(op):
        match part:
            case Assign(target=t):
                yield name_of(t)
            case Havoc(targets=ts, whole=ws):
                yield from (name_of(t) for t in ts)
                yield from ws


def name_of(v: Lvalue) -> str:
    """The variable or array that holds `v`."""
    return v.name if isinstance(v, Var) else v.array


def show_op(op: Op) -> str:
    """The operation in C syntax, an assume in brackets as in the papers."""
    match op:
        case Assume(cond=c):
            return f"[{show(c)}]"
        case Assign(target=t, value=e):
            return f"{show_lvalue(t)} = {show(e)}"
        case Havoc(targets=ts, whole=ws):
            return ", ".join(f"{name} = *" for name in (*map(show_lvalue, ts), *(f"{w}[..]" for w in ws)))
        case AllAt(template=t, locations=ls):
            return f"[all {t} at {{{', '.join(map(str, sorted(ls)))}}}]"
        case Block(ops=ops):
            return "; ".join(map(show_op, ops)) if ops else "skip"
        case _:
            assert_never(op)


# --------------------------------------------------------------------------------------------------- automata
class AccessKind(enum.Enum):
    """DATA can race. ATOMIC (a C11/GNU atomic access) races with DATA only. SYNC (a lock word, a ghost) never races."""

    DATA = "data"
    ATOMIC = "atomic"
    SYNC = "sync"


@dataclass(frozen=True, slots=True)
class Access:
    """One access to a variable that other threads may see, as the user wrote it.

    `lvalue` is evaluated in the state at the edge's source location, so its index reads only what is fixed before the
    step. `whole` means any element of the array may be meant (an access that was over-approximated).
    """

    lvalue: Lvalue
    write: bool
    location: Location = NOWHERE
    text: str = ""
    kind: AccessKind = AccessKind.DATA
    whole: bool = False

    @property
    def variable(self) -> str:
        return name_of(self.lvalue)


@dataclass(frozen=True, slots=True)
class Doubt:
    """How a step does more than the C program can: a proof covers it, but a run that depends on it may not be real.

    `values`: variables whose values behind the step are open here, but not in the program. `accesses`: the program may not
    make the step's accesses. `step`: the program may not be able to take the step. Inputs are open in the program, too.
    `frame`: behind a call, `values` are those that this activation of the function had before it, saved in what the step
    forgets; other activations have saved theirs elsewhere.
    """

    reason: str
    values: tuple[str, ...] = ()
    accesses: bool = False
    step: bool = False
    frame: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """One step. `protected`: it enters, is inside or leaves an atomic section, or is a lock operation."""

    source: int
    target: int
    op: Op
    accesses: tuple[Access, ...] = ()
    protected: bool = False
    location: Location = NOWHERE
    text: str = ""
    doubts: tuple[Doubt, ...] = ()

    def __str__(self) -> str:
        return f"{self.source} --{show_op(self.op)}--> {self.target}"


class ErrorKind(enum.Enum):
    """LOOP, REQUIRES and ENSURES come from annotations: the claim holds on the branch that does not go there."""

    ASSERT = "assert"
    REACH_ERROR = "reach_error"
    LOOP = "loop invariant"
    REQUIRES = "requires"
    ENSURES = "ensures"


@dataclass(frozen=True, slots=True)
class ErrorLocation:
    """A location that no thread may ever reach, and what the user wrote to say so."""

    kind: ErrorKind
    location: Location
    text: str


K = TypeVar("K")
"""What an analysis knows at a location."""


@dataclass(frozen=True, slots=True)
class Cfa:
    """A control-flow automaton with locations 0 .. size-1; `start` is never atomic."""

    size: int
    start: int
    edges: tuple[Edge, ...]
    atomic: frozenset[int] = frozenset()
    errors: Mapping[int, ErrorLocation] = field(default_factory=dict)
    critical: frozenset[int] = frozenset()
    """Locations inside a `circ_critical` block: at most one thread of the program may be at such a location."""
    places: Mapping[int, Location] = field(default_factory=dict)
    """Where a location stands in the source, for the reader's sake."""

    def leaving(self) -> tuple[tuple[Edge, ...], ...]:
        """For each location its outgoing edges, in the order of `edges`; build it once and keep it."""
        out: list[list[Edge]] = [[] for _ in range(self.size)]
        for edge in self.edges:
            out[edge.source].append(edge)
        return tuple(map(tuple, out))

    def forward(self, first: K, after: Callable[[K, Edge], K], meet: Callable[[K, K], K]) -> list[K | None]:
        """What is known at each location, None where no path leads: `first` at the start, then what holds `after` each edge.

        Where ways come together, it is what they `meet` in.
        """
        out = self.leaving()
        at: list[K | None] = [None] * self.size
        at[self.start] = first
        todo = [self.start]
        while todo:
            q = todo.pop()
            for e in out[q]:
                here, old = at[q], at[e.target]
                assert here is not None
                known = after(here, e)
                new = known if old is None else meet(old, known)
                if new != old:
                    at[e.target] = new
                    todo.append(e.target)
        return at

    def behind(self, locations: Iterable[int]) -> frozenset[int]:
        """These locations and all that some path leads to from them."""
        out = self.leaving()
        found = set(locations)
        todo = list(found)
        while todo:
            for e in out[todo.pop()]:
                if e.target not in found:
                    found.add(e.target)
                    todo.append(e.target)
        return frozenset(found)


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


@dataclass(frozen=True, slots=True)
class ThreadTemplate:
    """A thread as the program text has it; `count` copies run, any number of them if it is None.

    `masked`: a handler that is entered with interrupts off.
    """

    name: str
    cfa: Cfa
    locals: tuple[Variable, ...] = ()
    count: int | None = None
    role: Role = Role.THREAD
    location: Location = NOWHERE
    masked: bool = False

    @property
    def most(self) -> int | None:
        """How many copies can run: `count`, or as many as there are numbers for a local that holds one; None for any number."""
        if self.count is not None:
            return self.count
        return min((v.type.high - max(v.start.offset, 0) + 1 for v in self.locals if isinstance(v.start, Self)), default=None)


@dataclass(frozen=True, slots=True, order=True)
class Assumption:
    """Something a verdict rests on that was not proved; printed with it and stored in every report."""

    text: str
    location: Location = NOWHERE

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


@dataclass(frozen=True)
class Program:
    """A whole program: globals, templates, and the models under which it is read."""

    file: str
    globals: tuple[Variable, ...]
    templates: tuple[ThreadTemplate, ...]
    data_model: str = "lp64"
    ints: str = "exact"
    race_model: str = "nesc"
    preemption: str = "free"
    invariants: tuple[Invariant, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    warnings: tuple[Assumption, ...] = ()
    exceptions: tuple[Exempt, ...] = ()
    relies: tuple[Rely, ...] = ()
    procedures: Procedures | None = None
    """The same program with its functions kept apart, where an engine with a stack is to see it."""
    asserted: bool = False
    """Whether the text has assertions, even if none is left because each was seen to hold."""

    def template(self, name: str) -> ThreadTemplate:
        return next(t for t in self.templates if t.name == name)

    def variable(self, name: str) -> Variable:
        return next(v for v in self.globals if v.name == name)

    @property
    def shared(self) -> tuple[Variable, ...]:
        """The globals a race can be about: not ghosts, and accessed by some thread."""
        return tuple(v for v in self.globals if not v.ghost and v.name in self.accesses)

    @cached_property
    def accesses(self) -> Mapping[str, Sequence[tuple[int, Edge, Access]]]:
        """By variable every access to it: the template's position, the edge, the access."""
        found: dict[str, list[tuple[int, Edge, Access]]] = {}
        for n, t in enumerate(self.templates):
            for e in t.cfa.edges:
                for a in e.accesses:
                    found.setdefault(a.variable, []).append((n, e, a))
        return found

    def fingerprint(self) -> str:
        """A hash of everything that a proof speaks about, the same in every run; source locations do not enter."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        digest = hashlib.sha256()

        def put(*parts: object) -> None:
            digest.update("\x1f".join(map(str, parts)).encode() + b"\x1e")

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
                put("edge", e.source, e.target, exact_op(e.op), e.protected,
                    [(show_exact_lvalue(a.lvalue), a.write, a.kind.value, a.whole) for a in e.accesses])
        if self.procedures is not None:
            put("procedures", self.procedures.fingerprint())
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call edge of the caller: the callee, its arguments over the caller's locals, where the result goes."""

    edge: int
    callee: str
    args: tuple[Expr, ...]
    result: Var | None


@dataclass(frozen=True, slots=True)
class Procedures:
    """Functions that are not inlined, so that they may be recursive (`frontend.procedures`).

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


def show_exact_lvalue(v: Lvalue) -> str:
    """An unambiguous text of an lvalue, types included."""
    return f"{v.name}:{v.type}" if isinstance(v, Var) else f"{v.array}[{show_exact(v.index)}]:{v.type}"


def show_exact(e: Expr) -> str:
    """An unambiguous text of an expression, types and every cast included."""
    from frontend.expr import Binary, Cast, Const, Ite, Read, Unary

    match e:
        case Const(value=v, type=t):
            return f"{v}:{t}"
        case Read(lvalue=v):
            return show_exact_lvalue(v)
        case Unary(op=op, arg=a):
            return f"({op} {show_exact(a)})"
        case Binary(op=op, left=a, right=b):
            return f"({op} {show_exact(a)} {show_exact(b)})"
        case Cast(arg=a, type=t):
            return f"(cast {t} {show_exact(a)})"
        case Ite(cond=c, then=a, other=b):
            return f"(ite {show_exact(c)} {show_exact(a)} {show_exact(b)})"
        case _:
            assert_never(e)


def exact_op(op: Op) -> str:
    """An unambiguous text of an operation."""
    match op:
        case Assume(cond=c):
            return f"assume {show_exact(c)}"
        case Assign(target=t, value=e):
            return f"{show_exact_lvalue(t)} := {show_exact(e)}"
        case Havoc(targets=ts, whole=ws):
            return f"havoc {' '.join(map(show_exact_lvalue, ts))} | {' '.join(ws)}"
        case AllAt(template=t, locations=ls):
            return f"all {t} {sorted(ls)}"
        case Block(ops=ops):
            return "{" + "; ".join(map(exact_op, ops)) + "}"
        case _:
            assert_never(op)


# --------------------------------------------------------------------------------------------------- races
def conflict(race_model: str, first: Edge, a: Access, second: Edge, b: Access) -> bool:
    """Whether two accesses by different threads make a race if they can be next in one state and their cells overlap.

    The variables must be equal; whether two elements of an array are the same cell is a question about the state:
    their index expressions must be able to be equal (any two, if either access is `whole`).
    """
    if a.variable != b.variable or not (a.write or b.write):
        return False
    if AccessKind.SYNC in (a.kind, b.kind) or (a.kind is AccessKind.ATOMIC and b.kind is AccessKind.ATOMIC):
        return False
    if race_model == "nesc":
        return not first.protected and not second.protected
    return not (first.protected and second.protected)
