"""The views for weak memory orders, each by itself, against the enumerator of executions: what one of them proves must not race.

The engines come to few of the views of a program, as they stop at the first proof. Here every focus is tried, with every choice of
variables that count as plain, by an exhaustive search of the view.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from circ.search import explicit
from circ.verdict import Options, RaceOn, Safe, silent
from circ.views.memory_orders.fenced import loads_and_stores_only
from circ.views.memory_orders.happens_before import PAST, is_focus, mixed, traceable, with_past
from circ.views.memory_orders.orders import is_weak, ordered
from circ.views.memory_orders.reads import focusable
from frontend.program import FENCE, Program
from tests.support.c11.executions import Sequences, behaviour
from tests.support.c11.programs import Litmus, c_text
from tests.support.c11.random_orders import random_fences, random_mixed, random_orders
from tests.support.randomc.arbiter import load_text


@dataclass
class Attack:
    """How many views proved something that is so, or did not; and what they proved that is not so."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, other: Attack) -> None:
        self.counts += other.counts
        self.faults += other.faults


def attack(seeds: Iterable[int]) -> Attack:
    """All views of the programs of these seeds."""
    found = Attack()
    for seed in seeds:
        found.add(faults_of(random_orders(seed), f"seed {seed}"))
        found.add(faults_of(random_fences(seed), f"fences, seed {seed}"))
        found.add(faults_of(random_mixed(seed), f"mixed, seed {seed}"))
    return found


def faults_of(litmus: Litmus, title: str) -> Attack:
    """All views of the program, as it stands and with loads that wait."""
    found = Attack()
    truth = behaviour(litmus, Sequences.CPP20)
    for waiting in (False, True):
        program = load_text(c_text(litmus, waiting))
        if not is_weak(program):
            continue
        for name in litmus.asked:
            for view, proved in verdicts(program, name):
                found.counts[view.partition(" ")[0], "proved" if proved else "open"] += 1
                if proved and truth.must_be_found(name):
                    found.faults.append(f"{title}{' waiting' if waiting else ''}: {view} proves {name}, which races")
    return found


def verdicts(program: Program, name: str) -> Iterator[tuple[str, bool]]:
    """For each view what it is, and whether there is no race on the variable in it."""
    foci = [None, *(x for x in program.accesses if x != name and focusable(program, x))]
    for focus in foci:
        yield f"orders focus {focus}", _proves(ordered(program, focus), name)
    choices = [*foci, *([FENCE] if is_focus(program, FENCE) else [])] if traceable(program, name) else []
    for focus in [name] if mixed(program, name) else choices:
        others = [x for x in foci if x is not None and x != focus and loads_and_stores_only(program, x)]
        for plain in itertools.chain.from_iterable(itertools.combinations(others, n) for n in range(len(others) + 1)):
            views = (with_past(program, focus, plain, asked) for asked in (name, *plain))
            yield f"happens-before focus {focus} plain {','.join(plain)}", all(_proves(v, PAST.name) for v in views)


def _proves(view: Program, variable: str) -> bool:
    return isinstance(explicit.answer(view, RaceOn(variable), Options(max_states=20_000), silent), Safe)
