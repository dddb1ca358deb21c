"""Where a run depends on what is open: all ways are followed to where they meet, and what they agree on is known there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from frontend.interrupts.known_bits import UNKNOWN, Bits
from frontend.interrupts.known_memory import KnownMemory
from frontend.program import AllAt, Assign, Assume, Cfa, Edge, Havoc, op_writes, primitive
from frontend.records import dataclass

_LONGEST_WITNESS = 2_000


class CannotFollow(Exception):
    """What the program does from here on is not told: its steps are left to run time."""


@dataclass(frozen=True)
class Meeting:
    """Where all ways meet, what is known there, and what was assigned to on the way."""

    location: int
    memory: KnownMemory
    assigned: frozenset[str]
    steps: int


def passes(edge: Edge, memory: KnownMemory, reading: Bits = UNKNOWN) -> bool | None:
    """Executes a step on `memory`: whether it can be taken, None if that is open. What is arbitrary becomes `reading`."""
    sure = True
    for part in primitive(edge.op):
        match part:
            case Assume(cond=c):
                value = memory.value(c)
                if value == 0:
                    return False
                sure = sure and value is not None
            case Assign(target=t, value=e):
                memory.write(memory.place(t), memory.bits(e))
            case Havoc(targets=ts, whole=ws):
                for t in ts:
                    every = (1 << t.type.width) - 1
                    memory.write(memory.place(t), (reading[0] & every, reading[1] & every))
                for w in ws:
                    memory.forget(w)
            case AllAt():
                pass  # all others are at their starts
    for doubt in edge.doubts:
        for name in doubt.values:
            memory.forget(name)
    return True if sure else None


def may_follow(edge: Edge, cfa: Cfa) -> bool:
    """Whether a step is surely one of the program's, and leads to no place that somebody asks about."""
    return not any(d.step for d in edge.doubts) and edge.target not in cfa.errors and edge.target not in cfa.critical


def meet(cfa: Cfa, out: Sequence[Sequence[Edge]], location: int, memory: KnownMemory, most: int,
         alone: Callable[[int, KnownMemory], bool]) -> Meeting:
    """Follows all ways from a location to where they meet, in an order that comes to each place after those before it.

    A loop on the way is followed until nothing new is learnt, and left only if, whatever the first step is, some run leaves it.
    """
    order = _Order(cfa, out, location)
    seen: dict[int, KnownMemory] = {}
    pending = {location: memory}
    assigned: set[str] = set()
    steps, loops = 0, False
    while not seen or len(pending) > 1:
        if not pending or steps > most:
            raise CannotFollow
        here = order.first(pending)
        known = seen[here] = pending.pop(here)
        if here not in cfa.atomic and not alone(here, known):
            raise CannotFollow
        ways = _ways(out[here], cfa, known)
        steps += len(ways)
        for edge, after in ways:
            assigned |= {*op_writes(edge.op), *(n for d in edge.doubts for n in d.values)}
            loops = loops or edge.target in seen
            before = pending.get(edge.target, seen.get(edge.target))
            if before is not None:
                after.join(before)
                if edge.target not in pending and not after.differing(before):
                    continue
            pending[edge.target] = after
    if not pending:
        raise CannotFollow
    [(end, at_end)] = pending.items()
    if loops and not all(any(_leads(out, e.target, after, end, choice) for choice in _READINGS)
                         for e, after in _ways(out[location], cfa, memory)):
        raise CannotFollow
    return Meeting(end, at_end, frozenset(assigned), steps)


def _ways(edges: Sequence[Edge], cfa: Cfa, memory: KnownMemory) -> list[tuple[Edge, KnownMemory]]:
    """The steps that may be taken here, and what is known behind each."""
    ways, sure = list[tuple[Edge, KnownMemory]](), False
    for edge in edges:
        after = memory.copy()
        taken = passes(edge, after)
        if taken is not False:
            if not may_follow(edge, cfa):
                raise CannotFollow
            ways.append((edge, after))
            sure = sure or taken is True
    if not ways or (len(ways) == 1 and not sure):
        raise CannotFollow  # it may be that none can be taken
    return ways


_EVERY = (1 << 64) - 1
_READINGS: tuple[Callable[[int], Bits], ...] = (
    lambda _: (_EVERY, 0), lambda _: (_EVERY, _EVERY), lambda n: (_EVERY, _EVERY if n % 2 else 0))


def _leads(out: Sequence[Sequence[Edge]], location: int, memory: KnownMemory, end: int, reading: Callable[[int], Bits]) -> bool:
    """Whether the run in which the n-th step reads `reading(n)` from hardware comes to `end`."""
    memory = memory.copy()
    for n in range(_LONGEST_WITNESS):
        if location == end:
            return True
        found = None
        for edge in out[location]:
            after = memory.copy()
            taken = passes(edge, after, reading(n))
            if taken is None or (taken and (found is not None or edge.doubts)):
                return False
            if taken:
                found = edge.target, after
        if found is None:
            return False
        location, memory = found
    return False


class _Order:
    """Which of several places comes first: the one from which most of the others can still be reached.

    In a loop, where each can be reached from each, it is the one that is met first from where the ways part.
    """

    def __init__(self, cfa: Cfa, out: Sequence[Sequence[Edge]], start: int) -> None:
        self._cfa = cfa
        self._behind: dict[int, frozenset[int]] = {}
        self._met = _topological(cfa, out, start)

    def first(self, places: Collection[int]) -> int:
        if len(places) == 1:
            return next(iter(places))
        return min(places, key=lambda q: (-len(self._reached(q).intersection(places)), self._met[q]))

    def _reached(self, location: int) -> frozenset[int]:
        if location not in self._behind:
            self._behind[location] = self._cfa.behind((location,))
        return self._behind[location]


def _topological(cfa: Cfa, out: Sequence[Sequence[Edge]], start: int) -> dict[int, int]:
    """The locations behind `start`, numbered so that each comes after those that lead to it, loops aside."""
    order: dict[int, int] = {}
    entered = {start}
    stack = [(start, iter(out[start]))]
    while stack:
        location, edges = stack[-1]
        following = next((e.target for e in edges if e.target not in entered), None)
        if following is None:
            stack.pop()
            order[location] = cfa.size - len(order)
        else:
            entered.add(following)
            stack.append((following, iter(out[following])))
    return order
