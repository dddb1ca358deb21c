"""Where threads wait for others to be (`AllAt`): locations that such a wait tells apart must not be merged by any view."""

from __future__ import annotations

from collections.abc import Mapping

from frontend.program import AllAt, Program, primitive


def awaited(program: Program) -> Mapping[str, tuple[frozenset[int], ...]]:
    """For each template the sets of its locations that some thread waits for the others to be in, in a fixed order."""
    found: dict[str, dict[frozenset[int], None]] = {t.name: {} for t in program.templates}
    for t in program.templates:
        for e in t.cfa.edges:
            for p in primitive(e.op):
                if isinstance(p, AllAt) and p.template in found:
                    found[p.template][p.locations] = None
    return {name: tuple(sorted(sets, key=sorted)) for name, sets in found.items()}
