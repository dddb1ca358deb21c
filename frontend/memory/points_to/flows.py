"""How addresses move through expressions: which registers an address comes from, what is added to it on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from frontend.ctypes import ArrayType, CType, IntType
from frontend.ir import Module
from frontend.memory.leaves import MemObject
from frontend.memory.objects import Objects
from frontend.memory.places import Displacement, Places
from frontend.memory.points_to.targets import (
    ANY,
    COMPUTED,
    DISTANCE,
    DISTANCES,
    FOREIGN,
    INTEGER,
    NO_OBJECT,
    NUMBERS,
    UNKNOWN,
    PointerNode,
    Shift,
    Target,
    absolute_target,
    is_inside,
    register,
    walks,
)
from frontend.program import COMPARISONS, LOGICAL, Binary, Cast, Const, Expr, Ite, Read, Scalar, Unary, Var
from frontend.records import dataclass

_FAR = 1 << 16
"""A pointer that is farther from its object than this is not followed back."""

_MOST_ODD = 16
"""So many offsets of an object are told apart at which no part of it starts."""

_LOW_BITS = 1 << 12
"""Fewer bits of an address are no address."""

_ALIGNMENTS = 1 << 8
"""Still fewer bits tell how an address is aligned: what is added then leaves it in its object."""

@dataclass(frozen=True, slots=True)
class Difference:
    """An integer less another one, in a function; see `between`. What becomes of the first is told apart."""

    function: str
    left: Expr
    right: Expr


Flow = tuple[PointerNode | Difference | None, Shift | None, Target | None]
"""Where an address comes from: a node and what happens to its targets on the way, or a constant target."""


def between(lefts: Iterable[Target], right: Target) -> Target:
    """What the right side of a difference makes of it: addresses in one object have a distance that is a number.

    This holds of single targets on the left, too: the difference may be what it is for any of them.
    """
    if right in (UNKNOWN, DISTANCE):
        return UNKNOWN
    number = right[0][0] in "*#" or all(left[0] == right[0] for left in lefts)
    return INTEGER if number else DISTANCE


class Flows:
    """Follows addresses through expressions and through arithmetic on them."""

    def __init__(self, module: Module, objects: Objects, places: Places) -> None:
        self._module = module
        self._objects = objects
        self._places = places
        self._shifts: dict[tuple[object, ...], Shift] = {}
        self._offsets: dict[str, tuple[MemObject, set[int], list[int]]] = {}
        """For each object the offsets that are told apart, and for how many more there is room."""

    def wide(self, t: Scalar) -> bool:
        """Whether a value of the type can be an address."""
        return t.width >= self._places.pointer.width

    def flows(self, function: str, e: Expr) -> Iterable[Flow]:
        """Where an address in the value of `e` may come from: nodes with what is added on the way, or constants.

        Bits that are set and cleared in an address (tags) leave it in its object. What is made of an address by other
        operators (`_scrambled`), or by taking it off something, may become the address of any object again.
        """
        if not self.wide(e.type):
            return
        match e:
            case Const(value=0):
                return
            case Const(value=v):
                self._objects.keep_free(v)
                yield None, None, absolute_target(v)
            case Read(lvalue=Var(name=name)):
                yield register(function, name), None, None
            case Read():
                yield None, None, INTEGER
            case Cast(arg=a):
                if self.wide(a.type):
                    yield from self.flows(function, a)
                else:
                    yield None, None, INTEGER
                    yield DISTANCES, None, None
                    for wide in narrowed(a, self._places.pointer.width):
                        yield from self._shifted(self.flows(function, wide), self.number)
            case Ite(then=a, other=b):
                yield from self.flows(function, a)
                yield from self.flows(function, b)
            case Binary():
                yield from self._of_two(function, e)
            case Unary(op="-" | "~" as op, arg=a):
                yield from self._scrambled(function, op, a)
                yield None, None, INTEGER
            case _:
                yield None, None, INTEGER

    def _of_two(self, function: str, e: Binary) -> Iterable[Flow]:
        match e:
            case Binary(op="+", left=a, right=b):
                yield from self._shifted(self.flows(function, a), self._by("+", b))
                yield from self._shifted(self.flows(function, b), self._by("+", a))
            case Binary(op="-", left=a, right=b):
                yield from self._shifted(self.flows(function, a), self._by("-", b))
                if any(node is not None for node, _, _ in self.flows(function, b)):
                    yield Difference(function, a, b), None, None
                yield None, None, INTEGER
            case Binary(op="&", left=a, right=Const(value=v)) if 0 <= v < _LOW_BITS:
                if v >= _ALIGNMENTS:
                    yield from self._shifted(self.flows(function, a), self.number)
                yield None, None, INTEGER
            case Binary(op="^", left=a, right=Const(value=v)) if 0 <= v < _LOW_BITS:
                yield from self._shifted(self.flows(function, a), self.anywhere)
                yield None, None, INTEGER
            case Binary(op="&" | "|" as op, left=a, right=b):
                moved = self.anywhere if op == "&" else self.added
                yield from self._shifted([*self.flows(function, a), *self.flows(function, b)], moved)
                yield None, None, INTEGER
            case _:
                if e.op not in COMPARISONS and e.op not in LOGICAL:
                    yield from self._scrambled(function, e.op, e.left)
                    yield from self._scrambled(function, e.op, e.right)
                yield None, None, INTEGER

    def _scrambled(self, function: str, op: str, e: Expr) -> Iterable[Flow]:
        """An operand of which the operator makes a number: two of them put together may be an address (`a ^= b; b ^= a`).

        What an unknown function gave, multiplied or divided, is taken for a number: an index, a length.
        """
        if not isinstance(e, Const):
            kept = INTEGER if op in ("*", "/", "%") else UNKNOWN
            distance = UNKNOWN if op == "^" else DISTANCE
            foreign = INTEGER if kept == INTEGER else FOREIGN
            made = self._shift(("scrambled", kept, distance), lambda t: kept if t == UNKNOWN else distance if t == DISTANCE else
                               foreign if t == FOREIGN else INTEGER if t[0][0] in "*#" else UNKNOWN)
            yield from self._shifted(self.flows(function, e), made)

    def _shifted(self, flows: Iterable[Flow], by: Shift) -> Iterable[Flow]:
        for node, shift, constant in flows:
            if node is None:
                assert constant is not None
                yield None, None, by(constant)
            elif shift is None:
                yield node, by, None
            else:
                yield node, self.then(shift, by), None

    def then(self, first: Shift, second: Shift) -> Shift:
        """One shift after the other."""
        return self._shift((first, second), lambda t: second(first(t)))

    def _shift(self, key: tuple[object, ...], made: Shift) -> Shift:
        """The one shift for a key: edges that do the same are told by it."""
        return self._shifts.setdefault(key, made)

    def _by(self, op: str, e: Expr) -> Shift:
        match e:
            case Const(value=v):
                distance = self._places.word.wrap(v if op == "+" else -v)
                return self._shift(("moved", distance), lambda t: self.moved(t, distance))
            case Binary(op="*", right=Const(value=stride)):
                return self._shift(("strided", stride), lambda t: self.strided(t, stride))
            case _:
                return self.added

    def number(self, t: Target) -> Target:
        """A part of it is a number, which is no address; what two addresses are apart may be made of such parts."""
        return DISTANCE if t == DISTANCE or t[0][0] not in "*?#!" else INTEGER

    # ------------------------------------------------------------------------------------------- offsets
    def anywhere(self, t: Target) -> Target:
        """Any offset of the same object."""
        return t if t in NUMBERS or t[0][0] in "&!" else COMPUTED if t[0][0] == "*" else (t[0], ANY)

    def added(self, t: Target) -> Target:
        """What may be an address is added, or taken off."""
        return UNKNOWN if t == DISTANCE else self.anywhere(t)

    def moved(self, t: Target, distance: int) -> Target:
        """`distance` bytes on."""
        name, offset = t
        if distance == 0 or t in NUMBERS or t == COMPUTED or name[0] in "&!":
            return t
        if name[0] == "*":
            return absolute_target(self._places.pointer.wrap(int(name[1:], 16) + distance))
        return t if offset == ANY else (name, self._moved(self._objects.named(name), offset, distance))

    def _moved(self, obj: MemObject, offset: int, distance: int) -> int:
        """The offset so many bytes on. What leaves the object by one step may come back by the next (`container_of`)."""
        there = offset + distance
        if is_inside(obj, there) or isinstance(obj.type, ArrayType):
            there = obj.normal(there)
        elif not is_inside(obj, offset) or abs(there) > _FAR:
            return ANY
        return self._odd_bounded(obj, there)

    def _odd_bounded(self, obj: MemObject, offset: int) -> int:
        """The offset, if it is the start of a part of the object, or one of few others; else any one.

        Pointers to bytes that walk over a struct would be another target for each of its bytes.
        """
        known = self._offsets.get(obj.name)
        if known is None or known[0] is not obj:
            known = self._offsets[obj.name] = (obj, {ANY, *(a.offset for a in obj.shape.anchors)}, [_MOST_ODD])
        _, offsets, room = known
        if offset in offsets:
            return offset
        if not room[0]:
            return ANY
        room[0] -= 1
        offsets.add(offset)
        return offset

    def strided(self, t: Target, stride: int) -> Target:
        """Any number of `stride` bytes on or back: stays in its array if the array's elements fit the stride."""
        name, offset = t
        if t in NUMBERS or name[0] in "&!" or offset == ANY:
            return t
        if name[0] == "*":
            return COMPUTED
        obj = self._objects.named(name)
        if abs(stride) >= obj.size or any(stride % d == 0 for d in obj.strides(offset, arithmetic=True)):
            return t
        return (name, ANY)

    def displacement(self, move: Displacement, type_: CType) -> Shift | None:
        """What `&p->path` is for a pointer to the type; None if that is the pointer itself."""
        strides = tuple(stride for _, stride in move.terms)
        walking = type_ if isinstance(type_, IntType) else None
        if move.offset == 0 and not strides and walking is None:
            return None
        return self._shift(("displaced", move.offset, strides, walking), lambda t: self._displaced(t, move, type_))

    def _displaced(self, t: Target, move: Displacement, type_: CType) -> Target:
        there = self.displaced(t, move)
        if there[0][0] not in NO_OBJECT and walks(self._objects.named(there[0]), there[1], type_, self._module):
            return self.anywhere(there)
        return there

    def displaced(self, t: Target, move: Displacement) -> Target:
        """The target of `&p->path` for a pointer to `t`."""
        name, offset = self.moved(t, move.offset)
        if name[0] not in NO_OBJECT and offset != ANY:
            strides = self._objects.named(name).strides(offset)
            if all(stride in strides for _, stride in move.terms):
                return name, offset
        for _, stride in move.terms:
            t = self.strided(t, stride)
        return self.moved(t, move.offset)


def narrowed(e: Expr, width: int) -> Iterator[Expr]:
    """The parts of an expression that are wide enough for an address, and made too narrow for one."""
    match e:
        case Cast(arg=a, type=t):
            if t.width < width <= a.type.width:
                yield a
            yield from narrowed(a, width)
        case Unary(arg=a):
            yield from narrowed(a, width)
        case Binary(left=a, right=b):
            yield from narrowed(a, width)
            yield from narrowed(b, width)
        case Ite(cond=c, then=a, other=b):
            for part in (c, a, b):
                yield from narrowed(part, width)
        case _:
            pass
