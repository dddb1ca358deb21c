"""The models under which a program is read: how wide types are, what integers are, which accesses race, who preempts whom."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class DataModel:
    """How wide C's basic types are, in bytes; no scalar is aligned to more than `max_align`."""

    name: str
    short_size: int
    int_size: int
    long_size: int
    long_long_size: int
    pointer_size: int
    max_align: int
    char_signed: bool = True


ILP32 = DataModel("ilp32", 2, 4, 4, 8, 4, 4)
LP64 = DataModel("lp64", 2, 4, 8, 8, 8, 16)
IP16 = DataModel("ip16", 2, 2, 4, 8, 2, 1)
DATA_MODELS = {m.name: m for m in (ILP32, LP64, IP16)}
PLATFORMS = ("atmega103", "atmega128", "atmega328p", "avr", "cortex-m", "xmega")
"""Processors whose interrupts are known (`frontend/tables/`)."""


class Ints(StrEnum):
    """What integers are."""

    EXACT = "exact"
    """Machine integers, which wrap around."""
    MATH = "math"
    """Mathematical ones: an assumption."""


class RaceModel(StrEnum):
    """Which two accesses to one cell, of which one is a write, are a race."""

    NESC = "nesc"
    """Both outside atomic sections."""
    C11 = "c11"
    """All but two atomic accesses, or two inside atomic sections."""
    MACHINE = "machine"
    """One of them is not made by one instruction (too wide, an update, polled though not volatile), and the other may come
    in between; `Access.kind` and `Edge.protected` say which are and which may."""


class Preemption(StrEnum):
    """Who may run between two steps of a thread."""

    NESTED = "nested"
    """Handlers run to their end, those that preempt them first."""
    FREE = "free"
    """Anybody."""
