"""What the command line says about linking."""

from __future__ import annotations

from collections.abc import Callable

from frontend.annotations.attached import Attach, Attached
from frontend.ir.interrupt_table import InterruptTable
from frontend.library.atomic_operations import AnnotatedModel
from frontend.memory.points_to import Solver
from frontend.program import Ints, Preemption, Program, RaceModel
from frontend.records import dataclass
from frontend.threads.sources import NO_TABLE


@dataclass(frozen=True, slots=True)
class Finders:
    """Who looks for facts about the program; what they find is checked, and without them it is found in a slower way."""

    points_to: Solver | None = None


@dataclass(frozen=True, slots=True)
class Annotations:
    """How annotations are read (`frontend.annotated`); a program that is read without them rests on none of it."""

    attach: Attach
    calls: AnnotatedModel
    contracts: Callable[[Program, Attached], Program]
    """The program with what its annotations claim."""


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """What the command line says about threads and models; None where the program decides."""

    threads: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    ints: Ints = Ints.EXACT
    race_model: RaceModel | None = None
    preemption: Preemption | None = None
    ignore_norace: bool = False
    table: InterruptTable = NO_TABLE
    finders: Finders = Finders()
    annotations: Annotations | None = None


DEFAULT_OPTIONS = LinkOptions()
