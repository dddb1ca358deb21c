"""The contexts that a main thread is explored in: how many other threads, and in which start classes of their automata."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from circ.abstraction.counters import OMEGA, Context, ContextClass
from circ.inference.acfa import Acfa
from circ.inference.arg import AbstractSystem
from circ.inference.omega import may_exist
from circ.verdict import OutOfTime

MOST_CONTEXTS = 256


def contexts(system: AbstractSystem, acfas: list[Acfa], main: int, k: int, unbounded: bool) -> Iterator[Context]:
    """The contexts a main thread starts in: all others at once, or every choice of k others."""
    if unbounded:
        ways = 1
        crowds = [list(_crowds(system, a, t, main, k)) for t, a in enumerate(acfas)]
        for crowd in crowds:
            ways *= len(crowd)
        if ways > MOST_CONTEXTS:
            raise OutOfTime("too many ways to spread the threads over their start states")
        for mixture in itertools.product(*crowds):
            yield tuple(sorted(item for crowd in mixture for item in crowd))
        return
    places: list[ContextClass] = [(t, c) for t, a in enumerate(acfas) if acts(system, t) for c in sorted(a.start)]
    for size in range(min(k, most_others(system)), -1, -1):
        found = [chosen for chosen in itertools.combinations_with_replacement(places, size)
                 if may_exist(system, main, *(t for t, _ in chosen))]
        if found:
            yield from (tuple(sorted((key, chosen.count(key)) for key in set(chosen))) for chosen in found)
            return


def _crowds(system: AbstractSystem, acfa: Acfa, t: int, main: int, k: int) -> Iterator[Context]:
    """How the other threads of one template may be spread over its start classes, counted up to k.

    More idle threads of a template without a count change nothing, so its occupied start classes hold infinitely many;
    unless somebody waits for all of them, and then every number matters.
    """
    n, endless = system.count(t), system.endless(t)
    most = OMEGA if n is None else n - (t == main)
    numbers = (0, OMEGA) if endless else (*range(min(k, most) + 1), OMEGA)
    starts = sorted(acfa.start)
    for spread in itertools.product(numbers, repeat=len(starts)):
        least = sum(min(m, k + 1) for m in spread)
        fits = least <= most and (OMEGA in spread or least == most)
        if fits if n is not None else any(spread) or not endless:
            yield tuple(((t, c), m) for c, m in zip(starts, spread, strict=True) if m)


def acts(system: AbstractSystem, t: int) -> bool:
    """Whether a thread of the template can change what others see, or have a part in an error; if not, it can only wait."""
    sk = system.skeletons[t]
    return (any(segment.writes for row in sk.segments for segment in row) or any(sk.accesses) or any(sk.error) or any(sk.critical)
            or bool(system.errors.program.invariants))


def most_others(system: AbstractSystem) -> int:
    counts = [system.count(t) for t in range(len(system.skeletons))]
    return 1 << 20 if None in counts else sum(n for n in counts if n is not None) - 1


def crews(system: AbstractSystem, guilty: tuple[int, ...], k: int) -> Iterator[tuple[int, ...]]:
    """Threads that may show together what k + 1 of them do not: the guilty ones, then the first two with any others that act."""
    if len(guilty) > k + 1:
        yield guilty
    others = [t for t in range(len(system.skeletons)) if acts(system, t)]
    for more in itertools.combinations_with_replacement(others, k):
        crew = (*guilty[:2], *more)
        if crew != guilty and may_exist(system, *crew):
            yield crew


def crowd(system: AbstractSystem, acfas: Sequence[Acfa], crew: tuple[int, ...]) -> Iterator[tuple[int, Context]]:
    """The first thread of a crew, and the contexts of one of each of the others that it may start in."""
    main, *others = crew
    if may_exist(system, *crew):
        for classes in itertools.product(*(sorted(acfas[t].start) for t in others)):
            chosen = list(zip(others, classes, strict=True))
            yield main, tuple(sorted((key, chosen.count(key)) for key in set(chosen)))
