"""Which objects a pointer leads to, directly or through pointers that are stored in objects; for all pointers at once.

The graph of what is stored where is closed once, by its strongly connected components, with sets of objects as bit masks.
"""

from __future__ import annotations

from collections.abc import Callable

from frontend.memory.leaves import MemObject
from frontend.memory.objects import Objects
from frontend.memory.points_to.analysis import PointsTo
from frontend.memory.points_to.targets import COMPUTED, FOREIGN, Targets
from frontend.program.components import components

_OUTSIDE = "?"
"""What a pointer from outside may point to: all objects whose address is taken."""
_EXPOSED = "^"
"""What code that is not here may put into memory: pointers to all that it has got to."""


class ReachableObjects:
    """The objects that pointers lead to, as far as a thread sees them."""

    def __init__(self, pointsto: PointsTo, objects: Objects, outside: tuple[str, ...],
                 visible: Callable[[MemObject], bool]) -> None:
        """`outside`: what a pointer from outside may point to. What is not `visible` is not there for the thread."""
        self._pointsto = pointsto
        self._objects = objects
        self._outside = outside
        self._visible = visible
        self._stored: dict[str, tuple[str, ...]] = {}
        """By object, and by the two words above, what is found there."""
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._closed: list[int] = []
        self._known: dict[int, list[MemObject]] = {}

    def of(self, targets: Targets) -> list[MemObject]:
        """The objects that a pointer with these targets leads to, sorted by name."""
        names = [t[0] for t in targets.known if self._leads_on(t[0])] + ([_OUTSIDE] if targets.unknown else [])
        names += [FOREIGN[0]] if targets.foreign else []
        if not all(name in self._stored for name in names):
            self._close(names)
        found = 0
        for name in names:
            if name in self._numbers:
                found |= self._closed[self._numbers[name]]
        if found not in self._known:
            self._known[found] = [self._object(name) for n, name in enumerate(self._names)
                                  if found >> n & 1 and self._is_object(name)]
        return self._known[found]

    def _close(self, names: list[str]) -> None:
        """Takes in what the names lead to, and computes what each leads to in the end."""
        todo = names[::-1]
        while todo:
            name = todo.pop()
            if name not in self._stored:
                self._stored[name] = self._stored_in(name)
                todo += reversed(self._stored[name])
        self._names = sorted(n for n in self._stored if not self._is_object(n) or self._visible(self._object(n)))
        self._numbers = {name: n for n, name in enumerate(self._names)}
        self._known = {}
        graph = {n: [self._numbers[s] for s in self._stored[name] if s in self._numbers] for n, name in enumerate(self._names)}
        self._closed = [0] * len(self._names)
        for component in components(graph, len(self._names)):
            closed = 0
            for n in component:
                closed |= 1 << n
                for after in graph[n]:
                    closed |= self._closed[after]
            for n in component:
                self._closed[n] = closed

    def _stored_in(self, name: str) -> tuple[str, ...]:
        if name == _OUTSIDE:
            return tuple(dict.fromkeys(n for n in self._outside if self._is_object(n)))
        if name == _EXPOSED:
            return tuple(self._pointsto.exposed_deep)
        if name == FOREIGN[0]:
            return tuple(n for n in dict.fromkeys(t[0] for t in self._pointsto.found_outside()) if self._leads_on(n))
        if name[0] == "&":
            return tuple(n for n in dict.fromkeys(t[0] for t in self._pointsto.results(name[1:])) if self._leads_on(n))
        obj = self._object(name)
        if not self._visible(obj):
            return ()
        found, exposed = self._pointsto.led_to(obj)
        return (*(n for n in dict.fromkeys(t[0] for t in found) if self._leads_on(n)), *((_EXPOSED,) if exposed else ()))

    def _leads_on(self, name: str) -> bool:
        """Whether a target is an object, anything from outside, or a function: whoever gets hold of it has what it gives."""
        return name[0] in ("&", _OUTSIDE, FOREIGN[0]) or self._is_object(name)

    def _is_object(self, name: str) -> bool:
        """Whether a target is an object: a constant address is one where the program has the processor for itself."""
        return name[0] not in "&*#?!^" or (name[0] == "*" and name != COMPUTED[0] and self._objects.bare)

    def _object(self, name: str) -> MemObject:
        return self._objects.absolute(int(name[1:], 16)) if name[0] == "*" else self._objects.named(name)
