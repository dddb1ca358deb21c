"""When two addresses that are different here may be equal in the program, or the other way round.

Every object has a place of its own here, with a gap behind it, and keeps it. An implementation is free to do otherwise:
equal string literals may be one array or several, and one may be the end of another; what lies just behind an array may be the
start of the next object; memory that was freed, and that of a call that has returned, is used again. The last of these is seen
by numbers only: the value of a pointer to an object that is gone may not be used (C11 6.2.4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from frontend.ctypes import ArrayType
from frontend.ir import STRING, Storage
from frontend.memory.leaves import MemObject
from frontend.memory.objects import Objects
from frontend.memory.points_to import ANY, Target
from frontend.memory.world import World
from frontend.program import FALSE, Binary, Const, Expr, negate
from frontend.program.fold import conjunction, disjunction, fold, minus

_Places = dict[str, set[int]]
"""Objects, with offsets in them."""

_MANY_PAIRS = 64
"""With more pairs of objects than this, an object is not asked about each other one."""


def within(objects: Objects, address: Expr, obj: MemObject) -> Expr:
    """Whether an address is in an object, in any instance of it, or just behind it."""
    size = obj.size if obj.instances is None else obj.instances.stride * obj.instances.count
    return fold(Binary("<=", minus(address, objects.base(obj)), Const(size, address.type)))


def instance(objects: Objects, address: Expr, obj: MemObject) -> Expr:
    """Which instance of an object an address in it is in."""
    assert obj.instances is not None
    return fold(Binary("/", minus(address, objects.base(obj)), Const(obj.instances.stride, address.type)))


class SameAddress:
    """Finds the conditions under which the equality of two addresses is open."""

    def __init__(self, world: World) -> None:
        self._objects = world.objects
        self._pointsto = world.pointsto

    def is_open(self, a: Expr, b: Expr, first: Sequence[Target], second: Sequence[Target], numbers: bool) -> Expr:
        """Whether `a == b`, of addresses in these targets, may be true or false; `numbers`: one of them is an integer."""
        if a == b:
            return FALSE
        return disjunction(map(fold, self._conditions(a, b, _by_object(first), _by_object(second), numbers)))

    def _conditions(self, a: Expr, b: Expr, first: _Places, second: _Places, numbers: bool) -> Iterator[Expr]:
        if len(first) * len(second) > _MANY_PAIRS:
            yield from self._coarse(a, b, first, second, numbers)
            return
        for x in map(self._objects.named, first):
            for y in map(self._objects.named, second):
                yield from self._pair(a, b, x, y, numbers)
                if x is not y or x.instances is not None:
                    yield self._behind(a, b, x, first[x.name], y, second[y.name])
                    yield self._behind(b, a, y, second[y.name], x, first[x.name])

    def _pair(self, a: Expr, b: Expr, x: MemObject, y: MemObject, numbers: bool) -> Iterator[Expr]:
        """One address in `x`, one in `y`."""
        both = conjunction(within(self._objects, a, x), within(self._objects, b, y))
        if self._may_overlap(x, y):
            # The rest of both strings is the same only if it is of the same length.
            ends = (minus(e, self._objects.base(obj) + obj.size) for e, obj in ((a, x), (b, y)))
            yield conjunction(both, Binary("==", *ends))
        if numbers and not (_is_lasting(x) and _is_lasting(y)):
            if x is y and x.symbol is None:
                if x.instances is None:
                    return
                both = conjunction(both, negate(fold(Binary("==", instance(self._objects, a, x), instance(self._objects, b, x)))))
            yield both

    def _may_overlap(self, x: MemObject, y: MemObject) -> bool:
        """Whether both are string literals, one of which the other may end with."""
        if not (x.name.startswith(STRING) and y.name.startswith(STRING)):
            return False
        first, second = self._pointsto.literal(x.name), self._pointsto.literal(y.name)
        return first is None or second is None or first.endswith(second) or second.endswith(first)

    def _behind(self, a: Expr, b: Expr, x: MemObject, offsets: set[int], y: MemObject, starts: set[int]) -> Expr:
        """Whether `a` is just behind `x` and `b` at the start of `y`."""
        ends = isinstance(x.type, ArrayType) or bool(offsets & {ANY, x.size})
        if not ends or not starts & {ANY, 0} or STRING in (x.name[:len(STRING)], y.name[:len(STRING)]):
            return FALSE
        return conjunction(self._at(a, x, x.size), self._at(b, y, 0))

    def _at(self, address: Expr, obj: MemObject, offset: int) -> Expr:
        """Whether an address is at an offset of an object, in any instance of it."""
        distance = minus(address, self._objects.base(obj))
        if obj.instances is None:
            return fold(Binary("==", distance, Const(offset, distance.type)))
        rest = fold(Binary("%", distance, Const(obj.instances.stride, distance.type)))
        return conjunction(within(self._objects, address, obj), Binary("==", rest, Const(offset, distance.type)))

    def _coarse(self, a: Expr, b: Expr, first: _Places, second: _Places, numbers: bool) -> Iterator[Expr]:
        """The same for very many objects, by those of one side each: whatever is at stake makes it open."""
        for address, objects in ((a, first), (b, second)):
            for obj in map(self._objects.named, objects):
                if obj.name.startswith(STRING) or (numbers and not _is_lasting(obj)):
                    yield within(self._objects, address, obj)
                elif isinstance(obj.type, ArrayType) or objects[obj.name] & {ANY, obj.size}:
                    yield self._at(address, obj, obj.size)


def _by_object(targets: Sequence[Target]) -> _Places:
    """The offsets in each object that the targets are in."""
    found: _Places = {}
    for name, offset in targets:
        if name[0] != "&":
            found.setdefault(name, set()).add(offset)
    return found


def _is_lasting(obj: MemObject) -> bool:
    """Whether an object is there as long as the program runs."""
    return obj.symbol is not None and obj.symbol.storage in (Storage.GLOBAL, Storage.STATIC)
