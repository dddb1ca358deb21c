"""Unsound variants that the arbiter must catch: one for each row of the soundness ledger, and sabotaged kernels.

A mutant is an engine (or a patch around one) known to be wrong. It is registered with the seeds and directed programs on which
it is to be tried; `caught` says whether the arbiter notices that it is wrong on at least one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from circ.verdict import Engine, Options, RaceOn
from tests.support.randomc.arbiter import Table, examine, load_text
from tests.support.randomc.concurrent import concurrent


@dataclass(frozen=True, slots=True)
class Mutant:
    """`row`: what the paper says that goes wrong. `patched`, while entered, makes the code wrong, if `engine` alone is not."""

    name: str
    row: str
    engine: Callable[[], Engine]
    directed: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    options: Options = field(default_factory=Options)
    patched: Callable[[], AbstractContextManager[None]] = nullcontext


MUTANTS: dict[str, Mutant] = {}


def register(mutant: Mutant) -> Mutant:
    """Adds a mutant under its name."""
    assert mutant.name not in MUTANTS, mutant.name
    MUTANTS[mutant.name] = mutant
    return mutant


def caught(mutant: Mutant, more_seeds: Iterable[int] = (), seconds: float = 10.0) -> Table:
    """The table of the mutant, ended at the first thing that is wrong; the mutant is caught iff `wrong` is not empty."""
    table = Table()
    texts = [*mutant.directed, *(concurrent(seed).text for seed in (*mutant.seeds, *more_seeds))]
    for number, text in enumerate(texts):
        program = load_text(text)
        with mutant.patched():
            examine(table, mutant.engine(), number, program, RaceOn("x"), mutant.options, seconds)
        if table.wrong:
            break
    return table
