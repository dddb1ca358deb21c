"""Which threads may run beside each other, and where: what creation and joining say (Naumovich and Avrunin's MHP, made cheap).

A forward analysis on each thread tells which of the threads that it creates may be running at each of its locations: from
where they are created to where they are joined. Of threads of a library it says more than can happen, never less; of
handlers and tasks it says only that tasks do not interrupt each other.
"""

from __future__ import annotations

from collections.abc import Callable

from frontend.program import (
    AllAt,
    Assign,
    Assume,
    Const,
    Edge,
    Location,
    Program,
    Read,
    Role,
    Var,
    primitive,
    truth,
)


class Parallel:
    """Answers whether two places of two threads may be come to at once."""

    def __init__(self, program: Program, count: Callable[[], None] = lambda: None) -> None:
        """`count` is called at every step, and may raise if there are too many."""
        self.program, self._count = program, count
        self._index = {t.name: n for n, t in enumerate(program.templates)}
        self._flag = [_created_by(program, n) for n in range(len(program.templates))]
        self.sites: list[list[tuple[int, Edge]]] = [[] for _ in program.templates]
        """For each template the creator and the edge, wherever a thread of it is created."""
        of = {flag: n for n, flag in enumerate(self._flag) if flag is not None}
        for c, t in enumerate(program.templates):
            for e in t.cfa.edges:
                for name in _sets(e):
                    if name in of and of[name] != c:
                        self.sites[of[name]].append((c, e))
        self._below = [self._descendants(n) for n in range(len(program.templates))]
        self._running = [self._flow(n) for n in range(len(program.templates))]
        self._beside: dict[tuple[int, int], bool] = {}

    def together(self, one: int, at: int, two: int, other: int) -> bool:
        """Whether a thread of template `one` at location `at` may run beside another one, of template `two` at `other`."""
        if one == two:
            return self.program.templates[one].count != 1
        mine, theirs = self.program.templates[one], self.program.templates[two]
        if Role.HANDLER in (mine.role, theirs.role):
            return True
        if Role.TASK in (mine.role, theirs.role):
            return False
        if two in self._below[one] or one in self._below[two]:
            return (two in self._below[one] and two in self._running[one][at]) or (
                one in self._below[two] and one in self._running[two][other])
        key = (one, two) if one < two else (two, one)
        if key not in self._beside:
            self._beside[key] = self._siblings(*key)
        return self._beside[key]

    def started(self, template: int) -> tuple[Location, ...]:
        """Where threads of the template are created."""
        return tuple(dict.fromkeys(e.location for _, e in self.sites[template] if e.location.line))

    def _descendants(self, n: int) -> frozenset[int]:
        """The templates that a thread of this one creates, or those that it creates do."""
        found: set[int] = set()
        todo = [n]
        while todo:
            creator = todo.pop()
            self._count()
            for child, sites in enumerate(self.sites):
                if child not in found and any(c == creator for c, _ in sites):
                    found.add(child)
                    todo.append(child)
        return frozenset(found)

    def _flow(self, n: int) -> list[frozenset[int]]:
        """For each location the descendants that may be running while a thread of the template is there."""
        created: dict[int, set[int]] = {}
        for child, sites in enumerate(self.sites):
            for c, e in sites:
                if c == n:
                    created.setdefault(id(e), set()).update({child, *self._below[child]})

        def after(here: frozenset[int], e: Edge) -> frozenset[int]:
            self._count()
            return (here - self._joined(e)) | frozenset(created.get(id(e), ()))

        cfa = self.program.templates[n].cfa
        if not self._below[n]:
            return [frozenset()] * cfa.size
        none: frozenset[int] = frozenset()
        return [none if k is None else k for k in cfa.forward(none, after, frozenset.union)]

    def _joined(self, e: Edge) -> frozenset[int]:
        """The templates of which no thread runs behind the step."""
        found = set()
        for part in primitive(e.op):
            match part:
                case AllAt(template=name):
                    found.add(self._index[name])
                case Assume(cond=c):
                    match truth(c):
                        case Read(lvalue=Var(name=name)) if name.startswith("<") and name.endswith(" done>"):
                            found |= {n for n in (self._index.get(name[1:-len(" done>")]),) if n is not None}
                        case _:
                            pass
                case _:
                    pass
        return frozenset(found)

    def _siblings(self, one: int, two: int) -> bool:
        """Whether threads, neither of which has created the other, may run at once: one while the other is created."""
        for first, second in ((one, two), (two, one)):
            for c, e in self.sites[second]:
                if first in self._running[c][e.source] or (first not in self._below[c] and first != c):
                    return True
        return not self.sites[one] or not self.sites[two]


def _created_by(program: Program, n: int) -> str | None:
    """The flag that a thread of the template waits for before it does anything."""
    cfa = program.templates[n].cfa
    out = cfa.leaving()
    seen, todo = {cfa.start}, [cfa.start]
    while todo:
        for e in out[todo.pop()]:
            for part in primitive(e.op):
                match part:
                    case Assume(cond=c):
                        match truth(c):
                            case Read(lvalue=Var(name=name)) if name.startswith("<") and name.endswith(" created>"):
                                return name
                            case _:
                                pass
                    case _:
                        pass
            if not e.accesses and e.target not in seen:
                seen.add(e.target)
                todo.append(e.target)
    return None


def _sets(e: Edge) -> list[str]:
    """The flags that a step sets."""
    return [p.target.name for p in primitive(e.op)
            if isinstance(p, Assign) and isinstance(p.target, Var) and isinstance(p.value, Const) and p.value.value == 1]
