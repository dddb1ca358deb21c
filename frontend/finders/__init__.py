"""Facts about programs, found here and checked where they are used: nothing in this room is trusted.

Comes in: what a question is about. Goes out: an answer that the asker goes over once more, every instruction of the program,
before anything rests on it (docs/trust.md). The trusted rooms import nothing of this: `frontend.api` hands it to them. It may
be clever, and it may be wrong: then a fact is found again without it, or is missing, and proofs are harder to find.
"""

from __future__ import annotations

from frontend.finders.points_to_solver import solver
from frontend.link import Finders

FINDERS = Finders(points_to=solver)
"""All of them."""

__all__ = ["FINDERS"]
