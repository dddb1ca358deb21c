"""What the kernel says of a proof: accepted, with what it rests on, or refused, with the obligation that fails."""

from __future__ import annotations

from typing import TypeAlias

from frontend.program import Assumption
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Accepted:
    """The proof holds, under `assumptions` beside those of the program; `queries` solver calls were made."""

    assumptions: tuple[Assumption, ...] = ()
    queries: int = 0


@dataclass(frozen=True, slots=True)
class Refused:
    """The proof does not hold, or is no proof at all: which obligation, where in the program, and what went wrong."""

    obligation: str
    where: str
    detail: str
    limit: bool = False
    """The solver gave up, so the proof may hold."""

    def __str__(self) -> str:
        place = f" at {self.where}" if self.where else ""
        return f"{self.obligation}{place}: {self.detail}"


Outcome: TypeAlias = Accepted | Refused


class Malformed(Exception):
    """A certificate that cannot be read; becomes `Refused` where the kernel is called."""
