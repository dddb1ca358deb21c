"""What is asked of a program, and what is shown for an answer: questions, traces, certificates. The kernel knows no more."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, TypeAlias

from frontend.records import dataclass


# --------------------------------------------------------------------------------------------------- questions
class Property(enum.StrEnum):
    """What a program is asked for, in the words of `--property`."""

    RACES = "races"
    ASSERTS = "asserts"
    ATOMICITY = "atomicity"
    ALL = "all"
    """Races and assertions."""


@dataclass(frozen=True, slots=True)
class RaceOn:
    """Can two threads be about to access this global (its name in `Program.globals`) at once, one of them writing?"""

    variable: str

    def __str__(self) -> str:
        return self.variable


@dataclass(frozen=True, slots=True)
class Assertions:
    """Can an error location, two threads in `circ_critical`, or a state outside a `circ_invariant` be reached?"""

    def __str__(self) -> str:
        return Property.ASSERTS.value


@dataclass(frozen=True, slots=True)
class AtomicityOf:
    """Can another thread's access come between two consecutive ones of a thread to this global, so that no run one after the
    other explains the three?"""

    variable: str

    def __str__(self) -> str:
        return self.variable


Question: TypeAlias = RaceOn | Assertions
"""What engines answer."""
UserQuestion: TypeAlias = Question | AtomicityOf
"""What users ask: atomicity is answered by asking engines for a race of another program (`circ.views.watched`)."""


# --------------------------------------------------------------------------------------------------- traces
@dataclass(frozen=True, slots=True)
class Choice:
    """A value that the program leaves open: a start value (thread None: a global), or what a havoc gives."""

    variable: str
    value: int
    index: int | None = None
    thread: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """Thread `thread` takes edge `edge` (its index in `cfa.edges` of the thread's template).

    `choices` are the values for the havocs of the operation in order, one for each target; elements of a `whole` array
    that are not named get 0. `source`, in a run under weak memory orders: the step whose store an atomic load reads, -1 for
    the value at the start; None for the latest.
    """

    thread: int
    edge: int
    choices: tuple[Choice, ...] = ()
    source: int | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """A run from the start: thread i is a copy of `threads[i]`; after `steps` the state shows what `question` asks for.

    A race names two (thread, edge, index into the edge's accesses) that are next and conflict; a violated assertion names
    nothing more: a thread is at an error location, two are in critical sections, or an invariant is false; nor do three accesses
    that are not serialisable, of which the last step makes the third. Under weak memory
    orders the first of the two was made by the step `earlier`, and does not happen before the second, which is next.
    """

    program: str
    question: UserQuestion
    threads: tuple[str, ...]
    start: tuple[Choice, ...]
    steps: tuple[Step, ...]
    accesses: tuple[tuple[int, int, int], ...] = ()
    earlier: int | None = None


class ProofKind(enum.StrEnum):
    """The kinds of proof that the kernel knows, as certificates write them (docs/certificate.md)."""

    UNSHARED = "unshared"
    READ_ONLY = "read-only"
    PROTECTED = "protected"
    NO_ERROR = "no-error"
    PAIRS = "pairs"
    TRIPLES = "triples"
    REACHABLE = "reachable"
    OWNERSHIP = "ownership"
    INDUCTIVE = "inductive"
    EXCEPTIONS = "exceptions"
    SUMMARIES = "summaries"
    ASSUME_GUARANTEE = "assume-guarantee"
    ONE_BY_ONE = "one-by-one"
    SECTIONS = "sections"
    QUOTIENT = "quotient"
    ORDERS = "orders"
    HAPPENS_BEFORE = "happens-before"
    WATCHED = "watched"


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proof that the kernel re-checks; `body` is plain JSON data whose shape depends on `kind` (docs/certificate.md).

    `kind` is a `ProofKind` if an engine made the certificate; whoever wrote a file may have put any text there.
    """

    program: str
    question: UserQuestion
    kind: str
    body: Mapping[str, Any]
