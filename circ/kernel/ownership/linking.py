"""A link gets another target: who loses an object by that, who gets one, and whether that keeps one live link to each.

Why each change is right: docs/certificate.md, kind `ownership`.
"""

from __future__ import annotations

from dataclasses import replace

from circ.kernel.ownership.heap import Heap
from circ.kernel.ownership.reading import labels_at
from circ.kernel.ownership.shapes import MINE, TORN, Cell, Label, Shape, Value


class Disallowed(Exception):
    """A step that the argument does not cover; `culprit` is the link, root or lock that is written, `others` what it is about."""

    def __init__(self, reason: str, culprit: str, others: tuple[str, ...] = ()) -> None:
        super().__init__(f"{reason}: {culprit}")
        self.culprit, self.others = culprit, others


class Linker:
    """Stores to links and roots."""

    def __init__(self, heap: Heap) -> None:
        self.heap = heap

    def link(self, shape: Shape, cell: Cell, old: Value | None, new: Value | None) -> None:
        """A live link gets another target: the old one has none then, and the new one must have had none."""
        labels, cut = labels_at(self.heap, shape, cell)
        name = cell[1]
        known = shape.cells.get(cell) if isinstance(cell[0], int) or cell[0] else old
        if TORN in labels:
            raise Disallowed("perhaps a field that was cut", name)
        if known is not None and not cut and not shape.is_void(known[0]):
            if new is not None and self._leads_on(shape, new[0], known[0]):
                shape.own(known[0])
            else:
                self._detach(shape, known[0], labels, new)
        if new is None:
            raise Disallowed("what is stored may be anything", name)
        if not self._fits(shape, name, new[0]):
            raise Disallowed("what is stored may be of another kind", name)
        group = shape.fact(cell[0]).group if isinstance(cell[0], int) else None
        if shape.is_void(new[0]) or self.give(shape, new[0], labels, cell[0]):
            if group is not None and group in shape.cuts and sum(f.group == group for f in shape.facts.values()) == 1:
                shape.cuts[group] -= {name}
        elif group is not None and isinstance(cell[0], int):
            shape.cut(cell[0], name)
        else:
            raise Disallowed("what is stored is linked elsewhere", name, self._holders(shape, new))

    def _leads_on(self, shape: Shape, new: int, old: int) -> bool:
        """Whether an own object comes in between: a field of it, which becomes live, has what the link had."""
        group = shape.fact(new).group
        return group is not None and any(shape.cells.get((new, n), (0, 0))[0] == old for n in shape.cuts.get(group, frozenset()))

    def _fits(self, shape: Shape, name: str, symbol: int) -> bool:
        wanted = self.heap.target(name)
        return wanted is None or shape.is_void(symbol) or shape.fact(symbol).site == wanted

    def _holders(self, shape: Shape, value: Value) -> tuple[str, ...]:
        """Links and roots that have this value, too."""
        roots = [t for t, v in shape.env.items() if v == value and isinstance(t, str) and t in self.heap.guard_of]
        return tuple(sorted({*(n for (_, n), v in shape.cells.items() if v == value), *roots}))

    def _detach(self, shape: Shape, old: int, labels: frozenset[Label], new: Value | None) -> None:
        """No live link leads to the object any more: with all that live links lead to from there, it becomes the thread's.

        If what replaces it is what one of its fields had, that goes back; then only the object itself and what its other
        fields lead to have changed hands.
        """
        back = {n for (c, n), v in shape.cells.items() if c == old and new is not None and v[0] == new[0]}
        others = [n for n, (site, _) in self.heap.links.items() if site == shape.fact(old).site and n not in back]
        lost = [self.heap.links[n][1] for n in others
                if not ((v := shape.cells.get((old, n))) is not None and shape.is_void(v[0]))]
        reached = self._sites_from(lost)

        def stays(s: int) -> bool:
            f = shape.fact(s)
            return len(back) == 1 and shape.fact(old).site is not None and shape.distinct(s, old) \
                and (f.site not in reached if f.site is not None else not reached)

        shape.relabel(labels, frozenset((MINE,)), stays)
        shape.own(old)
        for n in sorted(back)[:1]:
            held = shape.cells[old, n][0]
            if shape.fact(held).group is None and not shape.is_void(held):
                group = shape.fact(old).group
                assert group is not None
                shape.cuts[group] = shape.cuts.get(group, frozenset()) | {n}
                shape.relabel((MINE,), frozenset((TORN,)), stays)
                shape.own(held)

    def _sites_from(self, sites: list[int | None]) -> set[int]:
        """The sites whose objects live links may lead to from objects of these."""
        found: set[int] = set()
        todo = list(sites)
        while todo:
            here = todo.pop()
            new = set(range(len(self.heap.sites)) if here is None else (here,)) - found
            found |= new
            todo += [to for holder, to in self.heap.links.values() if holder in new]
        return found

    def give(self, shape: Shape, symbol: int, labels: frozenset[Label], holder: int | str) -> bool:
        """The thread's own object gets a live link from what has these labels; False if it is not the thread's to give."""
        if shape.fact(symbol).group is None and not self._cut_off(shape, symbol, holder):
            return False
        group = shape.fact(symbol).group
        assert group is not None
        for name in sorted(shape.cuts.get(group, frozenset())):
            value = shape.cells.get((symbol, name))
            if value is None:
                return False
            if shape.is_void(value[0]):
                continue
            inner = shape.fact(value[0]).group
            if inner is None or inner == group or not self._fits(shape, name, value[0]) \
                    or not self.give(shape, value[0], labels, symbol):
                return False
        for s, f in list(shape.facts.items()):
            if f.group == group:
                others = frozenset((TORN,)) if shape.cuts.get(group) else frozenset()
                shape.facts[s] = replace(f, group=None, reach=labels if s == symbol else labels | {MINE} | others)
        shape.cuts.pop(group, None)
        if labels != {MINE}:
            shape.relabel((MINE, TORN), labels, lambda s: s == symbol)
        return True

    def _cut_off(self, shape: Shape, symbol: int, holder: int | str) -> bool:
        """Makes an object the thread's own that a live link of an own object leads to, by cutting that link."""
        for (c, n), value in shape.cells.items():
            group = shape.fact(c).group if isinstance(c, int) else None
            if value[0] == symbol and group is not None and c != holder and n not in shape.cuts.get(group, frozenset()):
                assert isinstance(c, int)
                shape.cut(c, n)
                shape.own(symbol)
                return True
        return False
