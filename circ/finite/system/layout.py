"""Positions of cells: the globals first, then the cells of one thread; what reads a state by name goes through here."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

from circ.finite.system.expression_values import ReadCell
from circ.finite.system.refusals import OutOfDomain
from circ.finite.system.transition_system import FiniteSystem, GlobalStore, LocalStore
from circ.finite.system.value_sets import PRODUCT_LIMIT

NOTHING_WRITTEN: Mapping[int, int] = {}


class CellLayout:
    """For each group of a system the cells that its threads see; `slot` is a position among them."""

    def __init__(self, system: FiniteSystem) -> None:
        self.width = len(system.globals)
        """Positions below it are globals; a thread's own cell n is at `width + n`, and at n + 1 of its local store."""
        self.cells = [(*system.globals, *g.cells) for g in system.groups]
        self.slots = [{(c.name, c.element): n for n, c in enumerate(row)} for row in self.cells]

    def slot(self, i: int, name: str, index: int | None) -> int:
        s = self.slots[i].get((name, index))
        if s is None:
            raise OutOfDomain(f"index {index} is outside the array '{name}'")
        return s

    def reader(self, i: int, g: GlobalStore, local: LocalStore, written: Mapping[int, int] = NOTHING_WRITTEN) -> ReadCell:
        """Reads the state as a thread of group `i` sees it, after it has written some positions."""
        width = self.width

        def read(name: str, index: int | None) -> int:
            s = self.slot(i, name, index)
            if s in written:
                return written[s]
            return g[s] if s < width else local[s - width + 1]

        return read


def listed(options: Sequence[tuple[int, ...]], too_many: str) -> Iterator[tuple[int, ...]]:
    """All choices of one value from each; raises OutOfDomain if they are too many."""
    if math.prod(map(len, options)) > PRODUCT_LIMIT:
        raise OutOfDomain(too_many)
    return itertools.product(*options)
