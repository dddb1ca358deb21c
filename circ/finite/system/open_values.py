"""Values of open cells, found by running: cells whose values the analysis could not list beforehand."""

from __future__ import annotations

from dataclasses import replace

from circ.finite.system.layout import CellLayout
from circ.finite.system.refusals import NotFiniteState, too_many
from circ.finite.system.transition_system import FiniteCell, FiniteSystem

OPEN_LIMIT = 512
"""More values than this for an open cell, and the program is not finite-state."""


class OpenValues:
    """The values that open cells have been seen to take."""

    def __init__(self, system: FiniteSystem, layout: CellLayout) -> None:
        self.system = system
        self.layout = layout
        self._seen: dict[tuple[int | None, str, int | None], set[int]] = {}

    def note(self, i: int, slot: int, value: int) -> None:
        """Remember a value of the open cell at a position of group `i`; raises NotFiniteState when there are too many of them."""
        cell = self.layout.cells[i][slot]
        seen = self._seen.setdefault((None if slot < self.layout.width else i, cell.name, cell.element), set(cell.start))
        seen.add(value)
        if len(seen) > OPEN_LIMIT:
            raise self.refusal(i, cell.name)

    def refusal(self, i: int, name: str) -> NotFiniteState:
        """The refusal of a variable that threads of group `i` see."""
        shared = self.system.program.globals
        return too_many(next(v for v in (*shared, *self.system.groups[i].template.locals) if v.name == name))

    def closed(self) -> FiniteSystem:
        """The system with the values found so far as the domains of its open cells; sound after an exhaustive run."""
        def close(cell: FiniteCell, owner: int | None) -> FiniteCell:
            if not cell.open:
                return cell
            seen = self._seen.get((owner, cell.name, cell.element), set()) | set(cell.start) | {cell.values[0]}
            return replace(cell, values=tuple(sorted(seen)), open=False)

        if not self.system.has_open:
            return self.system
        groups = tuple(replace(g, cells=tuple(close(c, i) for c in g.cells)) for i, g in enumerate(self.system.groups))
        return replace(self.system, globals=tuple(close(c, None) for c in self.system.globals), groups=groups)
