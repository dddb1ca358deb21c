"""Which locals of a thread a later step may use: what is known of the others need not be kept."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush

from frontend.program import Assign, Element, ThreadTemplate, Var, name_of, op_reads, primitive, variables


class LiveLocals:
    """At each location the locals that a later step, or the place of an access, may use; sets are made when asked for."""

    def __init__(self, names: tuple[str, ...], masks: list[int]) -> None:
        """`masks`: for each location the positions of what is live among the names, as bits."""
        self._names, self._masks = names, masks
        self._sets: dict[int, frozenset[str]] = {}

    def __getitem__(self, location: int) -> frozenset[str]:
        mask = self._masks[location]
        if mask not in self._sets:
            self._sets[mask] = frozenset(self._names[n] for n in ones(mask))
        return self._sets[mask]


def live_locals(template: ThreadTemplate) -> LiveLocals:
    """What is live at each location of a thread."""
    cfa = template.cfa
    bits = {v.name: 1 << n for n, v in enumerate(template.locals)}
    backwards = _backwards(template)
    turn = [0] * cfa.size
    for number, q in enumerate(backwards):
        turn[q] = number
    entering: list[list[tuple[int, int, int]]] = [[] for _ in backwards]
    for e in cfa.edges:
        used = put = 0
        for part in reversed(list(primitive(e.op))):
            if isinstance(part, Assign) and isinstance(part.target, Var):
                bit = bits.get(part.target.name, 0)
                used &= ~bit
                put |= bit
            for v in op_reads(part):
                used |= bits.get(name_of(v), 0)
        for a in e.accesses:
            if isinstance(a.lvalue, Element):
                for name in variables(a.lvalue.index):
                    used |= bits.get(name, 0)
        entering[turn[e.target]].append((turn[e.source], used, ~put))
    live = [0] * len(backwards)
    todo = list(range(len(backwards)))
    heapify(todo)
    waiting = set(todo)
    while todo:
        here = heappop(todo)
        waiting.discard(here)
        after = live[here]
        for source, used, kept in entering[here]:
            known = live[source] | used | (after & kept)
            if known != live[source]:
                live[source] = known
                if source not in waiting:
                    waiting.add(source)
                    heappush(todo, source)
    return LiveLocals(tuple(bits), [live[number] for number in turn])


def ones(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _backwards(template: ThreadTemplate) -> list[int]:
    """All locations, those first that others lead to; where no path leads, at the end."""
    order = template.cfa.order()
    reached = set(order)
    return [*reversed(order), *(q for q in range(template.cfa.size) if q not in reached)]
