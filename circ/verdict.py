"""What is asked of a program and what is answered: questions and evidence (`circ.evidence`), verdicts. No solver, no engine."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from circ.evidence import (
    Assertions as Assertions,
)
from circ.evidence import (
    AtomicityOf as AtomicityOf,
)
from circ.evidence import (
    Certificate as Certificate,
)
from circ.evidence import (
    Choice as Choice,
)
from circ.evidence import (
    ProofKind as ProofKind,
)
from circ.evidence import (
    Property as Property,
)
from circ.evidence import (
    Question as Question,
)
from circ.evidence import (
    RaceOn as RaceOn,
)
from circ.evidence import (
    Step as Step,
)
from circ.evidence import (
    Trace as Trace,
)
from circ.evidence import (
    UserQuestion as UserQuestion,
)
from frontend.program import NOWHERE, Assumption, Expr, Location, Program, Variable, show
from frontend.records import dataclass

if TYPE_CHECKING:
    import networkx


# --------------------------------------------------------------------------------------------------- questions
def variable_of(question: UserQuestion) -> str | None:
    """The global that a question is about; None if it is about the program."""
    return None if isinstance(question, Assertions) else question.variable


def property_of(question: UserQuestion) -> Property:
    """What a question asks for."""
    match question:
        case RaceOn():
            return Property.RACES
        case Assertions():
            return Property.ASSERTS
        case AtomicityOf():
            return Property.ATOMICITY


def subjects(program: Program) -> tuple[Variable, ...]:
    """The shared variables that a race could be about: some access to them is not mere synchronisation.

    What our own headers of kernels keep for themselves is none of them.
    """
    data = {a.variable for t in program.templates for e in t.cfa.edges for a in e.accesses if not a.orders}
    return tuple(v for v in program.shared if v.name in data and not v.name.startswith(_INTERNAL))


_INTERNAL = ("__circ_", "malloc@__circ_")


# --------------------------------------------------------------------------------------------------- verdicts
@dataclass(frozen=True, slots=True)
class Statistics:
    """What an answer cost and what it rests on; times are the only part that may differ between two runs."""

    predicates: tuple[str, ...] = ()
    acfa: Mapping[str, int] = field(default_factory=dict)
    k: int = 0
    rounds: int = 0
    states: int = 0
    queries: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict, compare=False)
    by: str = ""
    """The engine that decided, where several were asked."""
    context: tuple[str, ...] = ()
    """The context automata, line by line."""


NO_STATISTICS = Statistics()


@dataclass(frozen=True, slots=True)
class ContextLocation:
    """A location of a context automaton: what `holds` of the globals while a thread is there, and its `places` in its own one.

    While a thread is at an `atomic` one, no other thread steps.
    """

    holds: Expr
    places: frozenset[int]
    start: bool = False
    atomic: bool = False


@dataclass(frozen=True, slots=True)
class ContextEdge:
    """A step of a context automaton: it `writes` globals, `needs` this to hold of them before and `makes` that hold behind."""

    source: int
    target: int
    writes: tuple[str, ...]
    needs: Expr
    makes: Expr


@dataclass(frozen=True, slots=True)
class ContextAutomaton:
    """What the threads of a template do as far as the others see it, as it was inferred (an ACFA of the CIRC paper).

    It is for readers: what the kernel has checked is the certificate.
    """

    template: str
    locations: tuple[ContextLocation, ...]
    edges: tuple[ContextEdge, ...]

    def to_networkx(self) -> networkx.MultiDiGraph:
        """As a graph: nodes with `location` and `label`, edges with `edge` and `label`."""
        import networkx

        graph = networkx.MultiDiGraph(template=self.template)
        for n, location in enumerate(self.locations):
            graph.add_node(n, location=location, label=show(location.holds))
        for edge in self.edges:
            writes = f" writes {', '.join(edge.writes)}" if edge.writes else ""
            graph.add_edge(edge.source, edge.target, edge=edge, label=f"{show(edge.needs)} -> {show(edge.makes)}{writes}")
        return graph


@dataclass(frozen=True, slots=True)
class Safe:
    """Proved; `why` says in plain words what protects the variable, `trivial` that no predicate was needed.

    `context` has an automaton for each template if the proof was found by context inference, in this run; else it is empty.
    """

    certificate: Certificate
    why: tuple[str, ...] = ()
    trivial: bool = False
    statistics: Statistics = NO_STATISTICS
    context: tuple[ContextAutomaton, ...] = ()


@dataclass(frozen=True, slots=True)
class Refuted:
    """A replayed run that shows the race, or the violated assertion."""

    trace: Trace
    statistics: Statistics = NO_STATISTICS


class Rank(enum.IntEnum):
    """How much speaks for a possible race, the most first: whether the two accesses mean one cell, and whether both write."""

    WRITES = 1
    """Two threads write one variable without a common lock."""
    WRITE_AND_READ = 2
    """One thread writes a variable that another reads, without a common lock."""
    ELEMENTS = 3
    """Elements of one array, perhaps different ones."""
    INSTANCES = 4
    """Objects that are made at one place, perhaps different ones, perhaps handed over from one thread to the other."""
    POINTER = 5
    """Through a pointer that is not proved to point there."""


@dataclass(frozen=True, slots=True)
class PossibleAccess:
    """One of the two accesses of a possible race, and how a thread gets there.

    `locks` are held whichever way the thread came. `path` are the calls from the thread's function to `function`, and
    `started` the places at which such a thread is created; both are empty where there is nothing to tell.
    """

    thread: str
    location: Location
    write: bool
    cell: str
    text: str = ""
    function: str = ""
    locks: tuple[str, ...] = ()
    path: tuple[tuple[str, Location], ...] = ()
    started: tuple[Location, ...] = ()


@dataclass(frozen=True, slots=True)
class PossibleRace:
    """Two accesses that conflict and that nothing known keeps apart; `why` says so in a sentence. Not shown to happen.

    `others` is the number of further pairs of accesses to the variable that nothing keeps apart.
    """

    rank: Rank
    first: PossibleAccess
    second: PossibleAccess
    why: str
    others: int = 0


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither: the reason, what was tried, and what the user can do.

    `bug` is what we need to see (a traceback, the kernel's refusal) if the reason is a mistake of ours.
    """

    reason: str
    tried: tuple[str, ...] = ()
    advice: str = ""
    statistics: Statistics = NO_STATISTICS
    bug: str = ""
    where: Location = NOWHERE
    """The step that could not be shown to be right, if it is one step."""
    details: tuple[str, ...] = ()
    """More about it, line by line: the states around the step."""
    killed: bool = False
    """The process that was to answer was ended from outside: another run may answer."""
    possible: PossibleRace | None = None
    """The two accesses that make a race on this variable possible, as far as is known without a proof or a run."""


POSSIBLE = "possible race"

Verdict: TypeAlias = Safe | Refuted | Unknown


def word(question: UserQuestion, verdict: Verdict) -> str:
    """The word for a verdict in every format: safe, race, violated, possible race, unknown."""
    match verdict:
        case Safe():
            return "safe"
        case Refuted():
            return "race" if isinstance(question, RaceOn) else "violated"
        case Unknown(possible=possible):
            return "unknown" if possible is None else POSSIBLE


@dataclass(frozen=True, slots=True)
class Answer:
    """One question of a program, answered; `assumptions` are those of the proof, beside the program's own."""

    question: UserQuestion
    shown: str
    verdict: Verdict
    engine: str
    warnings: tuple[Assumption, ...] = ()
    assumptions: tuple[Assumption, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """A program and the answers to all that was asked of it, in the order asked."""

    program: Program
    answers: tuple[Answer, ...]


# --------------------------------------------------------------------------------------------------- engines
class OutOfTime(Exception):
    """A limit was reached inside an engine; becomes `Unknown` where the engine is called."""


class Technique(enum.StrEnum):
    """What an engine can do without: left out to measure what it is worth, or by an engine that asks another one."""

    CACHE = "cache"
    """Context inference: abstract successors are kept."""
    CARTESIAN = "cartesian"
    """Context inference: Cartesian instead of Boolean abstraction. The only one that is off by default."""
    COMPACT = "compact"
    """Context inference: silent steps are glued together."""
    HINTS = "hints"
    """Assume-guarantee: advice on what annotation is missing."""
    LOCAL_FIRST = "local-first"
    """Explicit search: steps that nobody else sees are taken first."""
    OPEN = "open"
    """Explicit search: variables that decide nothing are left open."""
    SEARCH = "search"
    """Assume-guarantee: a run that shows the failure is looked for."""
    SECTIONS = "sections"
    """Atomic sections as single steps."""
    SLICE = "slice"
    """Variables are left out until they are needed."""
    SYMBOLIC = "symbolic"
    """Thread-modular refinement: sets of states as decision diagrams."""
    SYMMETRY = "symmetry"
    """Identical threads are counted, not told apart."""
    VALUES = "values"
    """Context inference: where predicates decide nothing, what the explicit values of variables prove."""


class Part(enum.Enum):
    """Which part of its work an engine of several stages is to do: with many questions, what is cheap comes first for all."""

    ALL = "all of it"
    PROVE = "proofs that cost little"
    SEARCH = "runs that show a race and cost little"
    RUNS = "runs that cost more"
    FURTHER = "searches and proofs that cost more"
    REST = "what is left"


@dataclass(frozen=True, slots=True)
class Waypoint:
    """A point that a run is said to pass: a thread takes one of the `edges` (template, position), and the condition for its
    template `holds` before. `thread`: who, by a number of the witness; None for anybody. `stops`: it need only come there."""

    edges: frozenset[tuple[int, int]]
    thread: int | None = None
    holds: Mapping[int, Expr] = field(default_factory=dict)
    stops: bool = False


@dataclass(frozen=True, slots=True)
class Hints:
    """What somebody else says of a program (a witness): nothing of it is believed, it is tried first.

    `predicates` are C expressions over the program's variables; `schedule` the points of a run that fails, in their order.
    """

    predicates: tuple[str, ...] = ()
    schedule: tuple[Waypoint, ...] = ()


FIRST_LOOK = 500_000
"""A few seconds, if it is not shared with others."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a user may tell an engine. Predicates are C expressions over the program's variables."""

    predicates: tuple[str, ...] = ()
    k: int | None = None
    deadline: float | None = None
    max_states: int = 2_000_000
    switches: Mapping[Technique, bool] = field(default_factory=dict)
    unroll: int = 3
    """How often loops without an invariant are followed by the engine that reads annotations."""
    part: Part = Part.ALL
    first_look: int = FIRST_LOOK
    """Steps of the static prover at a question before all others had their first look."""
    hints: Hints | None = None

    def __post_init__(self) -> None:
        for name in self.switches:
            Technique(name)  # a misspelt one would be on, silently

    def check_time(self) -> None:
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfTime("the time limit was reached")

    def on(self, technique: Technique) -> bool:
        """Whether the technique is in use; all but CARTESIAN are by default."""
        return self.switches.get(technique, technique is not Technique.CARTESIAN)


Observer: TypeAlias = Callable[[str, Mapping[str, Any]], None]
"""Called with an event's name and data: progress, iterations, artefacts to dump. Never influences the outcome."""


def silent(event: str, data: Mapping[str, Any]) -> None:
    """The observer that does nothing."""


class Engine(Protocol):
    """Answers one question. What it returns as Safe or Refuted has not yet been through the kernel."""

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict: ...
