"""How a C file becomes the program that is analysed: the options of the command line that a verdict depends on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """As the user gave them, None where the program decides; recorded in every proof, trace and report."""

    threads: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()
    undefine: tuple[str, ...] = ()
    cpp: str | None = None
    data_model: str | None = None
    ints: str = "exact"
    race_model: str | None = None
    preemption: str | None = None
