"""Where a run that looks for races on some variables wants its threads to go: to their accesses, and to the start of others."""

from __future__ import annotations

from frontend.program import AccessKind, Program, Role


class Goals:
    """The locations of each template from which a goal can be reached: an access of a wanted variable, or a thread's creation.

    A thread that leaves them (no memory, a thread that could not be created, a usage message) is of no use to the run any more.
    """

    def __init__(self, program: Program, wanted: frozenset[str]) -> None:
        flags = [frozenset(a.variable for e in t.cfa.edges if e.source == t.cfa.start for a in e.accesses
                           if a.kind is AccessKind.SYNC and a.write) if t.role is not Role.MAIN else frozenset()
                 for t in program.templates]
        started = frozenset().union(*flags)
        self._awaited: dict[tuple[int, int], tuple[int, ...]] = {}
        for i, t in enumerate(program.templates):
            for e in t.cfa.edges if any(flags) else ():
                found_here = tuple(n for n, names in enumerate(flags) if any(a.variable in names and a.write for a in e.accesses))
                if found_here and e.source != t.cfa.start:
                    self._awaited[i, e.source] = found_here
        self._edges: list[frozenset[int]] = []
        self._ahead: list[frozenset[int]] = []
        for t in program.templates:
            goals = frozenset(n for n, e in enumerate(t.cfa.edges) if any(
                a.variable in wanted or (a.variable in started and a.write and e.source != t.cfa.start) for a in e.accesses))
            before: dict[int, list[int]] = {}
            for e in t.cfa.edges:
                before.setdefault(e.target, []).append(e.source)
            found = {t.cfa.edges[n].source for n in goals}
            todo = list(found)
            while todo:
                for location in before.get(todo.pop(), ()):
                    if location not in found:
                        found.add(location)
                        todo.append(location)
            self._edges.append(goals)
            self._ahead.append(frozenset(found))

    def reaches(self, template: int, edge: int) -> bool:
        """Whether the edge is a goal."""
        return edge in self._edges[template]

    def ahead(self, template: int, location: int) -> bool:
        """Whether a thread at the location may still come to a goal."""
        return location in self._ahead[template]

    def loses(self, template: int, before: int, after: int) -> bool:
        """Whether a thread that goes from one location to another has no goal ahead any more."""
        return before in self._ahead[template] and after not in self._ahead[template]

    def awaited(self, template: int, location: int) -> tuple[int, ...]:
        """The templates of which a thread at the location starts another one, by setting what that one's first step waits for."""
        return self._awaited.get((template, location), ())

    def created(self) -> frozenset[int]:
        """The templates whose threads others start."""
        return frozenset(n for found in self._awaited.values() for n in found)

    def starts(self, template: int) -> bool:
        """Whether threads of the template start others."""
        return any(t == template for t, _ in self._awaited)
