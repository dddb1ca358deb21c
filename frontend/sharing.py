"""Which locals get out of their thread, and so become variables of the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from frontend.callgraph import CallGraph
from frontend.cfa import Self, Variable
from frontend.expr import Const, Expr, Read, Scalar, Var
from frontend.fold import plus
from frontend.ir import Storage
from frontend.objects import Objects
from frontend.pointsto import PointsTo

_UNBOUNDED_COPIES = 1 << 16
SELF = "<self>"


@dataclass(frozen=True, slots=True)
class Escapes:
    """`promoted`: locals that became variables of the program, with the number of instances they have room for (None: one)."""

    promoted: Mapping[str, int | None]
    owners: Mapping[str, str]
    starts: Mapping[tuple[str, str], int]
    word: Scalar

    def instances(self, root: str, count: int | None) -> dict[str, Expr]:
        """For each promoted local with several instances, the number of the one that belongs to the running thread."""
        found: dict[str, Expr] = {}
        for name, copies in self.promoted.items():
            start = self.starts.get((root.partition("#")[0], name))
            if copies is None or start is None:
                continue
            number: Expr = Const(start, self.word)
            if count != 1:
                number = plus(Read(Var(SELF, self.word)), number)
            found[name] = number
        return found


def own_number(word: Scalar) -> Variable:
    """The thread's own number among those of its template."""
    return Variable(SELF, word, None, Self(), SELF, ghost=True)


def find_escapes(pointsto: PointsTo, objects: Objects, roots: Mapping[str, int | None], calls: CallGraph) -> Escapes:
    """Decide which locals are promoted, and tell `objects`; must run before addresses and variables are asked for."""
    owners = {s.name: f.name for f in pointsto.reached.values() for s in f.memory if s.storage in (Storage.LOCAL, Storage.THREAD)}
    word = objects.word
    escaped = _escaped(pointsto, objects, owners)
    promoted: dict[str, int | None] = {}
    starts: dict[tuple[str, str], int] = {}
    for name in escaped:
        total, single = 0, True
        for root, count in roots.items():
            if owners[name] in calls.reach(root):
                starts[root, name] = total
                single = single and count == 1 and total == 0
                total += _UNBOUNDED_COPIES if count is None else count
        promoted[name] = None if single else total
        objects.promote(name)
        if not single:
            objects.many(name, total)
    objects.forget(escaped)
    return Escapes(promoted, owners, starts, word)


def _escaped(pointsto: PointsTo, objects: Objects, owners: Mapping[str, str]) -> tuple[str, ...]:
    """Locals that something outside their thread may point to."""
    reached: dict[str, None] = {}
    work: list[str] = list(pointsto.exposed)
    if pointsto.wild:
        work.extend(pointsto.taken)
    for obj in objects.all():
        if obj.name not in owners:
            work.extend(t[0] for t in pointsto.contents(obj))
    while work:
        name = work.pop()
        if name in reached or name[0] in "&*?#":
            continue
        reached[name] = None
        if objects.is_known(name):
            work.extend(t[0] for t in pointsto.contents(objects.named(name)))
    return tuple(sorted(n for n in reached if n in owners))
