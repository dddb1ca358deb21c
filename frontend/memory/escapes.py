"""Which locals get out of their thread, and so become variables of the program."""

from __future__ import annotations

from collections.abc import Mapping

from frontend.ir import Module, Storage
from frontend.memory.call_graph import CallGraph
from frontend.memory.objects import Objects
from frontend.memory.points_to import NO_OBJECT, UNKNOWN, PointsTo
from frontend.program import Const, Expr, Read, Scalar, Self, Var, Variable
from frontend.program.fold import plus
from frontend.records import dataclass

UNBOUNDED_COPIES = 1 << 16
"""Threads of an unbounded template that have room for locals that get out."""
SELF = "<self>"


STATIC_COPIES = 64
"""Threads of one function that are each created once; those created in loops are numbered from here on."""


@dataclass(frozen=True, slots=True)
class Root:
    """A function that threads start in: from the start, or `created`; `count` of them, any number if None."""

    function: str
    count: int | None
    created: bool = False

    @property
    def room(self) -> int:
        if self.count is None:
            return UNBOUNDED_COPIES + (STATIC_COPIES if self.created else 0)
        return self.count


@dataclass(frozen=True, slots=True)
class Escapes:
    """Locals that became variables of the program; `starts`: the first instance that the threads of a root have."""

    starts: Mapping[tuple[Root, str], int]
    several: Mapping[str, bool]
    word: Scalar

    def instances(self, root: Root, number: int, count: int | None) -> dict[str, Expr]:
        """For each promoted local with several instances, the one that belongs to the running thread.

        `number` tells threads of a root apart that are each created once; `count` is that of the thread's template.
        """
        found: dict[str, Expr] = {}
        for (owner, name), start in self.starts.items():
            if owner != root or not self.several[name]:
                continue
            if count == 1:
                found[name] = Const(start + number, self.word)
            else:
                first = start + (STATIC_COPIES if root.created else 0)
                found[name] = plus(Read(Var(SELF, self.word)), Const(first, self.word))
        return found


def own_number(word: Scalar) -> Variable:
    """The thread's own number among those of its template."""
    return Variable(SELF, word, None, Self(), SELF, ghost=True)


def find_escapes(pointsto: PointsTo, objects: Objects, module: Module, roots: tuple[Root, ...], calls: CallGraph) -> Escapes:
    """Decide which locals are promoted, and tell `objects`; must run before addresses and variables are asked for."""
    owners: dict[str, str | None] = {s.name: f.name for f in pointsto.reached.values() for s in f.memory
                                     if s.storage in (Storage.LOCAL, Storage.THREAD)}
    owners |= {s.name: None for s in module.symbols.values() if s.storage is Storage.THREAD}
    reach = {root: frozenset(calls.reach(root.function)) for root in roots}
    escaped = _escaped(pointsto, objects, owners)
    starts: dict[tuple[Root, str], int] = {}
    several: dict[str, bool] = {}
    for name in escaped:
        total = 0
        owner = owners[name]
        for root in roots:
            if owner is None or owner in reach[root]:
                starts[root, name] = total
                total += root.room
        several[name] = total > 1
        objects.promote(name)
        if total > 1:
            objects.many(name, total)
    objects.forget(escaped)
    return Escapes(starts, several, objects.word)


def _escaped(pointsto: PointsTo, objects: Objects, owners: Mapping[str, str | None]) -> tuple[str, ...]:
    """Locals that something outside their thread may point to."""
    reached: dict[str, None] = {}
    work: list[str] = list(pointsto.exposed)
    if pointsto.wild:
        work.extend(pointsto.taken)
    given = [t[0] for t in pointsto.given_away()]
    work.extend(pointsto.taken if UNKNOWN[0] in given else given)
    for obj in objects.all():
        if obj.name not in owners:
            work.extend(t[0] for t in pointsto.contents(obj))
    while work:
        name = work.pop()
        if name in reached or name[0] in NO_OBJECT:
            continue
        reached[name] = None
        if objects.is_known(name):
            work.extend(t[0] for t in pointsto.contents(objects.named(name)))
    return tuple(sorted(n for n in reached if n in owners))
