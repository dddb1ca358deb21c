"""Lies about where pointers point, and whether the front end falls for one: random C programs read by way of a lying solver.

Whatever a solver says is tested against the program. So, with any lie, no access may be lost; and where targets are only
missing and nothing is allocated (types and calls told apart for the heap are choices, which may be made badly), the program
has the very same steps; the cases of one pointer may come in another order.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from frontend.api import loads
from frontend.finders.points_to_solver import ConstraintGraph
from frontend.link import Finders
from frontend.memory.points_to import PointerSets, Target
from frontend.memory.points_to.closed_graph import Graph
from frontend.program import NOWHERE, FrontendError, Program
from frontend.reading import SourceFile, read_project
from tests.support.randomc.heap import heap_program
from tests.support.randomc.memory import memory_program
from tests.support.randomc.pthreads import pthread_program
from tests.support.randomc.sharing import sharing_program

Lie = Callable[[PointerSets], PointerSets]


def fewer(rng: random.Random, often: float) -> Lie:
    """Targets are missing."""
    return lambda s: replace(s, sets={node: points & ~(rng.getrandbits(len(s.targets)) if rng.random() < often else 0)
                                      for node, points in s.sets.items()})


def more(rng: random.Random) -> Lie:
    """There are targets that nobody put there."""
    return lambda s: replace(s, sets={node: points | (rng.getrandbits(len(s.targets)) & rng.getrandbits(len(s.targets)))
                                      for node, points in s.sets.items()})


def nothing(_: PointerSets) -> PointerSets:
    return PointerSets()


def one_inner_node(s: PointerSets) -> PointerSets:
    """All nodes between those of the program are one."""
    return replace(s, inner=dict.fromkeys(s.inner, ("i", "", "0")))


def nonsense(s: PointerSets) -> PointerSets:
    """Targets that are nothing in the program."""
    strange: tuple[Target, ...] = (("no such object", 0), ("&no_such_function", 0), ("malloc@nowhere:1", 8))
    bits = ((1 << len(strange)) - 1) << len(s.targets)
    return replace(s, targets=(*s.targets, *strange), sets={node: points | bits for node, points in s.sets.items()})


class Liar:
    """A solver that works, and does not tell what it found."""

    def __init__(self, lie: Lie) -> None:
        self._lie = lie
        self._solver = ConstraintGraph()
        self.inner, self.shifted, self.add = self._solver.inner, self._solver.shifted, self._solver.add
        self.add_foreign, self.copy, self.each = self._solver.add_foreign, self._solver.copy, self._solver.each
        self.run = self._solver.run

    def solution(self) -> PointerSets:
        return self._lie(self._solver.solution())


def lying(lie: Lie) -> Callable[[bool], Graph]:
    return lambda _bare: Liar(lie)


# --------------------------------------------------------------------------------------------------- random programs
@dataclass(slots=True)
class Tally:
    """How many lies were told, and about which programs one was believed."""

    told: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.told + other.told, self.faults + other.faults)

    def __str__(self) -> str:
        return "\n".join([*(f"  {what:20}{count}" for what, count in sorted(self.told.items())), *self.faults])


def text_of(seed: int) -> str:
    """The program of this seed."""
    makers: list[Callable[[int], str]] = [memory_program, pthread_program, heap_program, lambda n: sharing_program(n).text]
    return makers[seed % 4](seed)


def read_honestly(seed: int) -> Program:
    """The program, read as always."""
    return loads(text_of(seed), name=f"{seed}.c")


def lied_to(seed: int, lie: Lie) -> Program:
    """The program, read by way of a lying solver."""
    return read_project([SourceFile(f"{seed}.c", text=text_of(seed))], finders=Finders(points_to=lying(lie)))


def examine(seeds: range) -> Tally:
    """Random programs, each with several lies."""
    tally = Tally()
    for seed in seeds:
        rng, honest = random.Random(seed), read_honestly(seed)
        heap = any(word in text_of(seed) for word in ("alloc", "strdup"))
        lies = {"fewer": fewer(rng, 0.3), "none": nothing, "more": more(rng), "one inner node": one_inner_node, "nonsense": nonsense}
        for name, lie in lies.items():
            tally.told[name] += 1
            if believed(seed, lie, honest, same=name in ("fewer", "none", "nonsense") and not heap):
                tally.faults.append(f"seed {seed}: {name} was believed")
    return tally


def believed(seed: int, lie: Lie, honest: Program, same: bool = False) -> bool:
    """Whether the lie makes another program, or one in which accesses are missing; or none, as if the C were wrong."""
    try:
        found = lied_to(seed, lie)
    except (FrontendError, AssertionError, KeyError):
        return True
    return steps(found) != steps(honest) if same else bool(accesses(honest) - accesses(found))


def steps(program: Program) -> tuple[object, ...]:
    """The variables, and what each thread's steps do, in whatever order the cases of a pointer are tried."""
    done = {t.name: Counter((e.text, e.op, e.accesses, e.doubts) for e in t.cfa.edges) for t in program.templates}
    return frozenset(program.globals), done


def accesses(program: Program) -> frozenset[tuple[str, int, int, bool]]:
    """By template and place, what is read or written there. A step that touches many objects at once has the place itself."""
    ghosts = {v.name for v in program.globals if v.ghost}
    return frozenset((t.name, place.line, place.column, a.write) for t in program.templates for e in t.cfa.edges
                     for a in e.accesses if a.variable not in ghosts
                     for place in (e.location if a.location == NOWHERE else a.location,))
