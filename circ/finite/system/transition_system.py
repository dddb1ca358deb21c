"""The data of a finite system: cells with their values, transitions of threads, groups of identical threads, error marks.

The system has exactly the behaviours of the program (`frontend.program.cfa`) as far as the question can see:
- an atomic section is one transition where nothing inside can be observed; the atomic locations that remain are tracked by
  one ghost cell ATOMIC (1 iff some thread is at one), so "only it runs" becomes a guard;
- a local that is dead at a location has its first value there;
- a first step that initialises locals is taken at once, and so is an empty step:
  a location where a thread can only take an empty step, and that the question does not see, is passed at once;
- copies of a template that do not know their number are one `ThreadGroup` of identical threads;
- a guard that waits for all threads of a template (`AllAt`) is left out: there are more runs than the program has, so a
  proof holds, and a run that was found counts only if the program has it.
What is not finite is refused by `NotFiniteState`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import field
from typing import NamedTuple, TypeAlias

from circ.verdict import Question
from frontend.program import TRUE, AccessKind, AllAt, Block, Expr, Program, Scalar, ThreadTemplate, primitive
from frontend.records import dataclass

GlobalStore: TypeAlias = tuple[int, ...]
"""The values of the global cells, in the order of `FiniteSystem.globals`."""
LocalStore: TypeAlias = tuple[int, ...]
"""A thread's location, then the values of its cells."""

ATOMIC = "<atomic>"
"""The name of the ghost cell that says whether a thread is at an atomic location; it is the last global."""


@dataclass(frozen=True, slots=True)
class FiniteCell:
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
class Transition:
    """One step of a thread: the edges it consists of (more than one: a whole atomic section) and their operation."""

    source: int
    target: int
    op: Block
    edges: tuple[int, ...]


class ErrorRole(enum.Enum):
    """A thread's part in the violation of an assertion: FATAL is one alone, CRITICAL is one together with another."""

    FATAL = "fatal"
    CRITICAL = "critical"


class NextAccess(NamedTuple):
    """A thread's part in a race: what decides whether its next access conflicts with another's. `element` None: any."""

    write: bool
    protected: bool
    kind: AccessKind
    element: int | None


ErrorShape: TypeAlias = ErrorRole | NextAccess
FATAL, CRITICAL = ErrorRole.FATAL, ErrorRole.CRITICAL


@dataclass(frozen=True, slots=True)
class ErrorMark:
    """Something about one thread that takes part in an error: it is at a location (and an index has a value there).

    `shape` is what decides on conflicts; a thread has the mark at `location` if `guard` holds and `index` (if any) has
    the value.
    """

    location: int
    shape: ErrorShape
    index: Expr | None = None
    value: int | None = None
    guard: Expr = TRUE


@dataclass(frozen=True, slots=True)
class ThreadGroup:
    """Identical threads: `threads` are their numbers in the system, `copies` their numbers within the template."""

    template: ThreadTemplate
    threads: tuple[int, ...]
    copies: tuple[int, ...]
    cells: tuple[FiniteCell, ...]
    live: tuple[frozenset[str], ...]
    moves: tuple[Transition, ...]
    atomic: frozenset[int]
    marks: tuple[ErrorMark, ...]
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


@dataclass(frozen=True, slots=True)
class FiniteSystem:
    """The finite system of one question. Error: a FATAL mark, two threads with conflicting marks, or a false invariant."""

    program: Program
    question: Question
    globals: tuple[FiniteCell, ...]
    groups: tuple[ThreadGroup, ...]
    invariants: tuple[Expr, ...]
    conflicts: frozenset[tuple[ErrorShape, ErrorShape]]

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
