"""Readings of C that were wrong once, as patches of the front end: the random sharing programs must catch each of them again.

`attempt` runs the program of one seed under the patch and gives what the comparison with ThreadSanitizer finds wrong; without
the patch nothing is wrong about the same program.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from unittest.mock import patch

from frontend.memory.leaves import Layout
from frontend.memory.points_to.pieces import Pieces
from frontend.program import FALSE
from frontend.threads.same_address import SameAddress
from tests.support.randomc.sanitizer import Tally, examine_sharing


@dataclass(frozen=True, slots=True)
class ReadingMutant:
    """`seed`: the program that shows it; `patched`, while entered, makes the reading wrong."""

    name: str
    seed: int
    patched: Callable[[], AbstractContextManager[object]]


MUTANTS: tuple[ReadingMutant, ...] = (
    ReadingMutant("memory behind a struct is more structs, not more of the array at its end", 107,
                  lambda: patch.object(Layout, "flexible", lambda self, t: None)),
    ReadingMutant("addresses are not followed in pieces", 3, lambda: patch.object(Pieces, "_watch", lambda self, node, wide: None)),
    ReadingMutant("every object has its own place for ever", 126, lambda: patch.object(SameAddress, "is_open", lambda *arguments: FALSE)),
)


def attempt(mutant: ReadingMutant, runs: int = 4) -> Tally:
    """What is found wrong about the mutant's program when it is read wrongly."""
    with mutant.patched():
        return examine_sharing([mutant.seed], runs=runs)
