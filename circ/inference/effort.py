"""How much context inference may spend; apart from what it says, so that naming an effort does not load the solver."""

from __future__ import annotations

from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """Abstract states and resource units of the solver for one question: inference pauses after the round that exceeds either.

    Both are counted, so a busy machine pauses where an idle one does.
    """

    states: int = 0
    solver: int = 0
