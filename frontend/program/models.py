"""The models under which a program is read: what integers are, which accesses race, who may preempt whom."""

from __future__ import annotations

from enum import StrEnum


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


class Preemption(StrEnum):
    """Who may run between two steps of a thread."""

    NESTED = "nested"
    """Handlers run to their end, those that preempt them first."""
    FREE = "free"
    """Anybody."""
