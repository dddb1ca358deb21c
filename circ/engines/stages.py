"""The stages of `auto`: who is asked, with how much effort, in which cases; cheap ones first.

Effort is counted, never timed: states of a search, steps of random runs, abstract states and resource units of the solver, steps
of the static prover. A busy machine may come to its time limit sooner, but never to another stage.

In programs that use a library's locks and threads, or locks that count, the static prover comes first: it costs little and
proves what locks, creation and joining protect. A small explicit search finds most races, and proves what is small and
finite; random runs find those that take many steps or threads, and after a few of them context inference has a first, short
try; then the static prover may take longer, where that might help; context inference proves the rest or finds the races that
take a special way; a large explicit search is for programs with counted threads whose proof needs more than pairs or triples
of threads. With handlers that interrupt each other, interleavings are many and reasons few (state variables and enable bits):
there context inference comes first, for a little while, and it and random runs take turns; what only many bytes in the right
order lead to is for runs turn by turn.
"""

from __future__ import annotations

import enum
from collections.abc import Callable

from circ.inference.effort import Effort
from circ.verdict import Part
from frontend.records import dataclass


class Who(enum.Enum):
    """Who is asked; the value is the engine's name in reports."""

    def __init__(self, label: str, how: str) -> None:
        self.label, self.how = label, how

    STATIC = "static", "the static prover"
    PATIENT = "static", "the static prover with ten times the effort for each try"
    SEARCH = "explicit", "explicit search"
    RUNS = "chase", "random runs"
    TURNS = "chase", "random runs turn by turn, with values by the solver"
    BRIEF = "omega-circ", "context inference that leaves the values of variables to a later stage"
    INFERENCE = "omega-circ", "context inference, which goes on where it paused"
    GUIDED = "omega-circ", "context inference afresh, with the tests next to the accesses as predicates"
    VALUES = "omega-circ", "the values of the variables that paused inference looks at"
    APART = "omega-circ", "context inference with counted threads told apart"


@dataclass(frozen=True, slots=True)
class Case:
    """What of a program, and of the stages before, decides which stages it goes through."""

    reactive: bool
    """It has handlers or tasks."""
    counted: bool
    """There are finitely many threads of each template: a search can also prove."""
    locks: bool
    """The static prover may have something to say: a library's locks and threads, or locks that count."""
    paused: bool
    """Context inference has paused at this question."""
    exhausted: bool
    """More effort might lead the static prover to another answer."""
    cut_off: bool
    """Random runs were cut off before their threads came to an end."""


@dataclass(frozen=True, slots=True)
class Stage:
    """`effort.states` in what `who` counts: states of a search, steps of runs, abstract states, steps of the static prover.

    For the values of variables: tuples of local states. The static prover's first tries, and the last proof by values, have
    limits of their own.
    """

    who: Who
    effort: Effort
    when: Callable[[Case], bool]
    part: Part = Part.REST
    """When it is its turn if there are many questions."""


def _threads(case: Case) -> bool:
    return not case.reactive


def _handlers(case: Case) -> bool:
    return case.reactive


def _paused(case: Case) -> bool:
    return case.reactive and case.paused


SMALL, MEDIUM, LARGE = Effort(3_000), Effort(80_000), Effort(300_000)

STAGES = (
    Stage(Who.STATIC, Effort(), lambda case: case.locks, Part.PROVE),
    Stage(Who.SEARCH, SMALL, lambda case: case.counted or not case.reactive, Part.SEARCH),
    # A first try, and a proof by search where there are finitely many threads.
    Stage(Who.RUNS, Effort(10_000), _threads, Part.SEARCH),
    Stage(Who.BRIEF, Effort(2_000, 20_000_000), lambda case: case.counted or not case.reactive, Part.FURTHER),
    Stage(Who.RUNS, Effort(90_000), _threads, Part.RUNS),
    Stage(Who.SEARCH, MEDIUM, lambda case: case.counted, Part.FURTHER),
    Stage(Who.PATIENT, Effort(3_000_000), lambda case: case.locks and case.exhausted),
    Stage(Who.RUNS, Effort(500_000), lambda case: not case.reactive and case.cut_off),
    Stage(Who.INFERENCE, Effort(200_000, 60_000_000), _threads),
    # Handlers: by turns, with more effort each time.
    Stage(Who.INFERENCE, Effort(6_000, 20_000_000), _handlers),
    Stage(Who.GUIDED, Effort(3_000, 20_000_000), _handlers),
    Stage(Who.RUNS, Effort(16_000), _handlers),
    Stage(Who.INFERENCE, Effort(30_000, 30_000_000), _paused),
    Stage(Who.RUNS, Effort(90_000), _handlers),
    Stage(Who.INFERENCE, Effort(200_000, 60_000_000), _paused),
    Stage(Who.TURNS, Effort(400_000), _handlers),
    Stage(Who.VALUES, Effort(6_000), _paused),
    Stage(Who.INFERENCE, Effort(500_000, 60_000_000), _paused),
    Stage(Who.RUNS, Effort(150_000), _handlers),
    Stage(Who.VALUES, Effort(), _paused),
    # What is left.
    Stage(Who.STATIC, Effort(), lambda case: not case.locks),
    Stage(Who.APART, Effort(100_000, 20_000_000), lambda case: True),
    # Where any number of handlers may be on the stack a search proves nothing, and random runs have looked for races.
    Stage(Who.SEARCH, MEDIUM, lambda case: case.reactive and not case.counted),
    Stage(Who.SEARCH, LARGE, lambda case: not case.reactive or case.counted),
)
