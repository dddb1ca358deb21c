"""What the command line says about linking."""

from __future__ import annotations

from dataclasses import dataclass

from frontend.ir.interrupt_table import InterruptTable
from frontend.program import Ints, Preemption, RaceModel
from frontend.threads.sources import NO_TABLE


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


DEFAULT_OPTIONS = LinkOptions()
