"""The loops of an automaton, one within the other, and when a turn of one ends.

A loop is a strongly connected part; its head is the location of it that is nearest to the start, and a turn ends where a step
comes back to the head. What is left of the loop without these steps has the loops inside it.
"""

from __future__ import annotations

from frontend.program import Cfa, Edge
from frontend.program.components import components
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Loop:
    """`inside`: its locations, those of the loops in it included; `parent`: the loop right around it, by number."""

    head: int
    inside: frozenset[int]
    parent: int | None


class Turns:
    """The loops of one automaton; `around` a location are those that it is in."""

    def __init__(self, cfa: Cfa) -> None:
        self.loops: list[Loop] = []
        self._innermost: dict[int, int] = {}
        order = _order(cfa)
        steps = [(e.source, e.target) for e in cfa.edges]
        todo: list[tuple[frozenset[int], int | None]] = [(frozenset(range(cfa.size)), None)]
        while todo:
            within, parent = todo.pop()
            without = None if parent is None else self.loops[parent].head
            graph: dict[int, list[int]] = {}
            for source, target in steps:
                if source in within and target in within and target != without:
                    graph.setdefault(source, []).append(target)
            for part in components(graph, cfa.size):
                if len(part) == 1 and part[0] not in graph.get(part[0], ()):
                    continue
                head = min(part, key=lambda q: (order.get(q, cfa.size), q))
                self.loops.append(Loop(head, frozenset(part), parent))
                self._innermost.update(dict.fromkeys(part, len(self.loops) - 1))
                todo.append((frozenset(part), len(self.loops) - 1))

    def around(self, location: int) -> tuple[int, ...]:
        """The loops that a location is in, by number, the innermost first."""
        found: list[int] = []
        at = self._innermost.get(location)
        while at is not None:
            found.append(at)
            at = self.loops[at].parent
        return tuple(found)

    def ends(self, edge: Edge) -> int | None:
        """The loop of which the step ends a turn, by number."""
        for number in self.around(edge.source):
            if self.loops[number].head == edge.target:
                return number
        return None


def _order(cfa: Cfa) -> dict[int, int]:
    """For each location how many steps the start is away, at least."""
    out = cfa.leaving()
    found = {cfa.start: 0}
    todo = [cfa.start]
    for q in todo:  # grows
        for e in out[q]:
            if e.target not in found:
                found[e.target] = found[q] + 1
                todo.append(e.target)
    return found
