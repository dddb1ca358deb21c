"""Accesses through pointers: the cases of what a pointer value may be, each with its guard and its cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from frontend.ctypes import ArrayType, CType, IntType, RecordType, VoidType
from frontend.ir import Index, Module, PathStep, Place
from frontend.memory.leaves import Anchor, BytesNode, Dim, Leaf, MemObject, scalar_of
from frontend.memory.objects import Notes, Objects
from frontend.memory.places import Cell, PlaceInObject, Places
from frontend.memory.points_to import ANY, COMPUTED, NO_OBJECT, Target, Targets, is_inside, walks
from frontend.program import TRUE, UNBOUNDED_LENGTH, Binary, Const, Expr, Ground, Location, Scalar, negate
from frontend.program.fold import cast, conjunction, fold, minus, plus, times
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class PointerCase:
    """One thing an access may touch under `guard` (None: no condition): an exact cell, or some part of some of `leaves`."""

    guard: Expr | None
    object: MemObject | None
    cell: Cell | None = None
    leaves: tuple[Leaf, ...] = ()
    wide: bool = False
    """The access may touch several of the leaves at once."""


@dataclass(frozen=True, slots=True)
class RegisterCase:
    """An access of `size` bytes (None: any number) to hardware at an address that is computed; which bytes there are is known
    when all threads are."""

    guard: Expr | None
    address: Expr
    size: int | None


_MOST_REGISTERS = 64
"""So many bytes of hardware a function touches one by one; of more, those that the program uses elsewhere."""
MANY_LEAVES = 64
"""More than so many leaves that an access may touch under no condition are touched by one step."""
_MANY_TARGETS = 16
"""So many targets are told apart where a pointer may be from outside as well, and that is the one step for all."""
MOST_TARGETS = 24
"""So many targets of a pointer are told apart at all. Beyond that one step touches all of them: a case for each, at each access,
would make threads of many times the size of their code, in which nothing is found."""

Parts: TypeAlias = tuple[tuple[MemObject, tuple[Leaf, ...]], ...]
"""Objects with the leaves of them that an access may touch."""

_BYTE = IntType("unsigned char", 8, False)
OUTSIDE = PointerCase(None, None)
"""An access to memory that is no object of the program."""


class Resolver:
    """Finds the cases of an access through a pointer."""

    def __init__(self, module: Module, objects: Objects, places: Places, notes: Notes) -> None:
        self._module = module
        self._objects = objects
        self._places = places
        self._notes = notes
        self._anywhere: dict[tuple[str, ...], Parts] = {}
        self._joined: dict[tuple[str, ...], Parts] = {}

    def anywhere(self, targets: Targets, visible: Callable[[MemObject], bool], anything: tuple[str, ...]) -> Parts:
        """The objects that a pointer from outside may point to, any part of them, if they have many leaves; else none.

        Always called with the same `visible`.
        """
        if not targets.unknown:
            return ()
        if anything not in self._anywhere:
            parts = tuple((obj, obj.leaves) for name in anything if visible(obj := self._objects.named(name)))
            self._anywhere[anything] = parts if sum(len(leaves) for _, leaves in parts) > MANY_LEAVES else ()
        return self._anywhere[anything]

    def _told_apart(self, targets: Targets, visible: Callable[[MemObject], bool], anything: tuple[str, ...],
                    touched: Callable[[MemObject, int], tuple[Leaf, ...]]) -> tuple[tuple[Target, ...], Parts]:
        """The targets that get cases of their own, and what one step for all others touches.

        All targets are told apart, unless there are too many, or many beside those of a pointer from outside. `touched`: the
        leaves of an object that are touched from an offset on. Registers of hardware are always told apart.
        """
        anywhere = self.anywhere(targets, visible, anything)
        if len(targets.known) <= (_MANY_TARGETS if anywhere else MOST_TARGETS) or (targets.unknown and not anywhere):
            return targets.known, anywhere
        covered = {obj.name for obj, _ in anywhere}
        leaves: dict[str, tuple[MemObject, dict[Leaf, None]]] = {}
        for name, offset in targets.known:
            if name not in covered and name[0] not in NO_OBJECT and visible(obj := self._objects.named(name)):
                leaves.setdefault(name, (obj, {}))[1].update(dict.fromkeys(touched(obj, offset)))
        rest = tuple((obj, tuple(some)) for obj, some in leaves.values())
        if rest:
            names = (*(anything if anywhere else ()), "", *(leaf.name for _, some in rest for leaf in some))
            anywhere = self._joined.setdefault(names, (*anywhere, *rest))
        return tuple(t for t in targets.known if t[0][0] == "*"), anywhere

    def cases(self, place: Place, targets: Targets, visible: Callable[[MemObject], bool], anything: tuple[str, ...],
              location: Location) -> tuple[list[PointerCase | RegisterCase], Parts]:
        """What an access to `place`, based on a pointer value, may touch; what one step touches as a whole stands apart.

        `targets` is what the pointer may point to, `visible` tells the objects this thread can reach, `anything` names the
        objects a pointer from outside may point to.
        """
        assert not isinstance(place.base, str)
        base = fold(cast(place.base, self._places.pointer))
        known = linear(base)
        if known is not None:
            exact = self._constant(*known, place, location)
            if exact is not None:
                return exact, ()
            nowhere = not targets.outside and all(name[0] in NO_OBJECT for name, _ in targets.known)
            if known[0] and nowhere and self._objects.at(known[0]) is None:
                return [self._computed(None, base, place)], ()
        found: list[PointerCase | RegisterCase] = []
        apart, anywhere = targets.known, self.anywhere(targets, visible, anything)
        if not place.type.quals.atomic:  # a step for many objects does not say that it is atomic
            apart, anywhere = self._told_apart(targets, visible, anything, self._touched(place))
        for target in apart:
            if target == COMPUTED:
                found.append(self._computed(None, base, place))
            elif target[0].startswith("*") and COMPUTED not in targets.known:
                found.append(self._hardware(int(target[0][1:], 16), base, place))
            if target[0][0] in "&*":
                continue
            obj = self._objects.named(target[0])
            if visible(obj):
                found.extend(self._in_object(base, obj, target, place, location))
        if targets.outside:
            found.append(OUTSIDE)
        if targets.unknown:
            for name in anything if not anywhere else ():
                obj = self._objects.named(name)
                if visible(obj):
                    found.append(PointerCase(None, obj, None, obj.leaves, self._module.sizeof(place.type) > 1))
        elif not targets.outside:
            self._notes.assume("no invalid pointer is dereferenced", location, Ground.DEFINED)
        return _distinct(found), anywhere

    def extents(self, pointer: Expr, targets: Targets, visible: Callable[[MemObject], bool], anything: tuple[str, ...],
                extent: int) -> tuple[list[PointerCase | RegisterCase], Parts]:
        """What a library function that follows a pointer may touch, as in `cases`; see `Pending.extent`."""
        base = fold(cast(pointer, self._places.pointer))
        at = self._objects.at(base.value) if isinstance(base, Const) else None
        if isinstance(base, Const) and base.value == 0:
            return [OUTSIDE], ()
        if isinstance(base, Const) and at is None and self._objects.bare:
            return [self._registers(None, base.value, extent)], ()
        if at is not None:
            obj, _, offset = at
            known = extent > 0 and offset >= 0 and offset + extent <= obj.size
            leaves = obj.overlapped(offset, extent) if known else self._extent(obj, obj.normal(offset), extent)
            return [PointerCase(None, obj, None, leaves)] if visible(obj) else [], ()
        found: list[PointerCase | RegisterCase] = []
        apart, anywhere = (targets.known, ()) if isinstance(base, Const) else self._told_apart(
            targets, visible, anything, lambda obj, at: self._extent(obj, at, extent))
        for name, offset in apart:
            if (name, offset) == COMPUTED:
                found.append(RegisterCase(None, base, extent if extent > 0 else None))
            elif name[0] == "*" and self._objects.bare:
                address = int(name[1:], 16)
                found.append(self._registers(fold(Binary("==", base, Const(address, base.type))), address, extent))
            if name[0] in "&*":
                continue
            obj = self._objects.named(name)
            if visible(obj):
                found.append(PointerCase(self._within(base, obj), obj, None, self._extent(obj, offset, extent)))
        if (found or anywhere) and not targets.outside:
            # What a null pointer means to a function is its own affair (free, realloc, time, ...): it follows it nowhere.
            found.append(PointerCase(fold(Binary("==", base, Const(0, base.type))), None))
        if targets.outside or not (found or anywhere):
            found.append(OUTSIDE)
            if targets.unknown and not anywhere:
                found.extend(PointerCase(None, obj, None, obj.leaves) for obj in map(self._objects.named,
                                                                                     anything) if visible(obj))
        return _distinct(found), anywhere

    def words(self, pointer: Expr, targets: Targets, visible: Callable[[MemObject], bool], anything: tuple[str, ...],
              type_: CType, location: Location) -> list[PointerCase]:
        """The lock words that a pointer may lead to: the first scalar of each object; no cell for one that is not told apart.

        One from outside may lead to any lock, which is of the type, in one of the objects `anything`.
        """
        base = fold(cast(pointer, self._places.pointer))
        known = linear(base)
        at = None if known is None else self._objects.at(known[0])
        if known is not None and at is not None:
            obj, instance, offset = at
            for leaf in obj.leaves:
                dims = leaf.dims[:-1] if leaf.bytes else leaf.dims
                indices = self._along(obj, instance, offset - leaf.offset, dims, known[1], location)
                if indices is not None:
                    return [PointerCase(None, obj, self._word(leaf, indices))]
        found: list[PointerCase] = []
        any_type = isinstance(type_, VoidType)
        far = [(obj.name, a.offset) for obj in map(self._objects.named, anything if targets.unknown else ())
               for a in obj.shape.anchors if any_type or isinstance(a.node, BytesNode) or self.compatible(a.type, type_)]
        for name, offset in dict.fromkeys((*targets.known, *far)):
            if name[0] in "&*":
                continue
            obj = self._objects.named(name)
            if not visible(obj):
                continue
            for leaf in obj.leaves:
                if offset in (ANY, leaf.offset):
                    dims = leaf.dims[:-1] if leaf.bytes else leaf.dims
                    guard, values = self._test(base, self._objects.base(obj) + leaf.offset, dims, obj)
                    found.append(PointerCase(guard, obj, self._word(leaf, values)))
                    if leaf.bytes:
                        # Another lock in memory of which nobody says what is in it.
                        within = Binary("<", minus(base, self._objects.base(obj) + leaf.offset), Const(leaf.span, base.type))
                        found.append(PointerCase(fold(conjunction(within, negate(guard))), obj))
        return _distinct(found)

    def _registers(self, guard: Expr | None, address: int, extent: int) -> PointerCase | RegisterCase:
        """The bytes of hardware from an address on."""
        if not 0 < extent <= _MOST_REGISTERS:
            return RegisterCase(guard, Const(address, self._places.pointer), extent if extent > 0 else None)
        leaves = tuple(self._objects.absolute(address + k).leaves[0] for k in range(extent))
        return PointerCase(guard, self._objects.absolute(address), None, leaves)

    def _word(self, leaf: Leaf, indices: tuple[Expr, ...]) -> Cell:
        if not leaf.bytes:
            return Cell(leaf, self._places.flatten(leaf, indices), leaf.type)
        index = self._places.flatten(leaf, (*indices, Const(0, self._places.word)))
        return Cell(leaf, index, Scalar(32, False), None, min(4, leaf.dims[-1].count))

    def _extent(self, obj: MemObject, offset: int, extent: int) -> tuple[Leaf, ...]:
        if offset == ANY or extent < 0:
            return obj.leaves
        here = [leaf for leaf in obj.leaves if leaf.offset <= offset < leaf.offset + leaf.size]
        if extent == 0:
            # A pointer to a struct that is taken for bytes may be meant, of which these are the first ones.
            alone = here and here[0].size == 1 and obj.inner(here[0].dims) and not walks(obj, offset, _BYTE, self._module)
            return tuple(here) if alone else obj.leaves
        if here and any(d.stride < extent for d in obj.inner(here[0].dims)):
            row = obj.inner(here[0].dims)[-1]
            # From the bytes of a union, or of a struct that is taken for bytes, it may go on to the members behind.
            leads_on = len(obj.leaves) > 1 and (here[0].bytes or walks(obj, offset, _BYTE, self._module))
            alone = here[0].size == row.stride and extent <= row.stride * row.count and not leads_on
            return tuple(here) if alone else obj.leaves
        return tuple(leaf for leaf in obj.leaves if leaf.offset < offset + extent and leaf.offset + leaf.span > offset)

    # ------------------------------------------------------------------------------------------- constants
    def _constant(self, address: int, terms: tuple[tuple[Expr, int], ...], place: Place,
                  location: Location) -> list[PointerCase | RegisterCase] | None:
        """The cases for a pointer whose value is known up to indices; None if the general way has to be taken."""
        if address == 0 and not terms:
            self._notes.assume("no invalid pointer is dereferenced", location, Ground.DEFINED)
            return []
        found = self._objects.at(address)
        if found is None and not terms and place.path:
            # Outside every object, as `container_of` of a list's head is: it is where the path leads that matters.
            move = self._places.displacement(place.base_type, place.path)
            there = None if move.terms or move.field is not None else self._objects.at(address + move.offset)
            if there is not None:
                return self._constant(address + move.offset, (), Place(place.base, (), place.type, place.type), location)
        if found is None:
            return None if terms else [self._hardware(address, Const(address, self._places.pointer), place)]
        obj, instance, offset = found
        rest = place.path
        if rest and isinstance(rest[0], Index):
            # Element i of what the pointer is in: the array with that stride moves on.
            first, rest = rest[0].value, rest[1:]
            stride = self._module.sizeof(place.base_type)
            if isinstance(first, Const):
                offset += first.value * stride
            else:
                terms = (*terms, (first, stride))
        if terms and walks(obj, obj.normal(offset), place.base_type, self._module):
            return None
        for anchor in obj.shape.anchors:
            if self.compatible(anchor.type, place.base_type):
                indices = self._along(obj, instance, offset - anchor.offset, anchor.dims, terms, location)
                if indices is not None:
                    return [self._finish(None, obj, self._start(anchor, indices, place.base_type), rest, place, location)]
        return self._overlapped(obj, found[2], place) if not terms else None

    def _overlapped(self, obj: MemObject, offset: int, place: Place) -> list[PointerCase | RegisterCase] | None:
        """An access at a known offset that is not the one its type is at: it touches some part of what lies there."""
        move = self._places.displacement(place.base_type, place.path)
        start, size = offset + move.offset, self._module.sizeof(place.type)
        if move.terms or start < 0 or start + size > obj.size:
            return None
        leaves = obj.overlapped(start, size)
        return [PointerCase(TRUE, obj, None, leaves, size > 1)] if leaves else None

    def _along(self, obj: MemObject, instance: int | None, distance: int, dims: tuple[Dim, ...],
               terms: tuple[tuple[Expr, int], ...],
               location: Location) -> tuple[Expr, ...] | None:
        """The indices of the element at a constant distance plus index * stride for each term; None if there is none."""
        inner = obj.inner(dims)
        indices = _indices(distance, inner)
        if indices is None:
            return None
        values: list[Expr] = [Const(i, self._places.word) for i in indices]
        for e, stride in terms:
            at = next((k for k in reversed(range(len(inner))) if inner[k].stride == stride), None)
            if at is None:
                return None
            self._notes.assume("no array index is out of bounds", location, Ground.DEFINED)
            plain = values[at] == Const(0, self._places.word)
            values[at] = fold(e) if plain and len(dims) == 1 and e.type.width < self._places.word.width else plus(
                cast(fold(e), self._places.word), values[at])
        head = () if instance is None else (Const(instance, self._places.word),)
        return (*head, *values)

    def _computed(self, guard: Expr | None, base: Expr, place: Place) -> RegisterCase:
        """An access to hardware at the place that a path leads to from an address."""
        move = self._places.displacement(place.base_type, place.path)
        terms = [times(cast(e, base.type), stride) for e, stride in move.terms]
        address = plus(base, *terms, Const(base.type.wrap(move.offset), base.type))
        return RegisterCase(guard, address, self._module.sizeof(place.type))

    def _hardware(self, address: int, base: Expr, place: Place) -> PointerCase | RegisterCase:
        move = self._places.displacement(place.base_type, place.path)
        if move.terms:
            guard = None if isinstance(base, Const) else Binary("==", base, Const(address, base.type))
            return self._computed(guard, Const(address, self._places.pointer), place)
        scalar = scalar_of(place.type, self._module)
        size = 1 if scalar is None else self._module.sizeof(place.type)
        guard = None if isinstance(base, Const) else Binary("==", base, Const(address, base.type))
        obj = self._objects.absolute(address + move.offset)
        if size == 1 and scalar is not None and not move.terms and move.field is None and self._objects.is_tracked(obj):
            return PointerCase(guard, obj, Cell(obj.leaves[0], None, scalar))
        leaves = tuple(self._objects.absolute(address + move.offset + k).leaves[0] for k in range(size))
        return PointerCase(guard, obj, None, leaves)

    # ------------------------------------------------------------------------------------------- targets
    def _in_object(self, base: Expr, obj: MemObject, target: Target, place: Place, location: Location) -> list[PointerCase]:
        path, address, at = place.path, base, target[1]
        if path and isinstance(path[0], Index):
            stride = self._module.sizeof(place.base_type)
            step = times(cast(path[0].value, base.type), stride)
            at = _moved(obj, at, path[0].value, stride)
            address, path = plus(base, step), path[1:]
        if walks(obj, at, place.base_type, self._module):
            at = ANY
        found: list[PointerCase] = []
        met: list[Anchor] = []
        for anchor in obj.shape.anchors:
            typed = self.compatible(anchor.type, place.base_type)
            inside = isinstance(anchor.node, BytesNode)
            there = at in (ANY, anchor.offset) or (inside and obj.normal(at) == anchor.offset)
            if there and typed and not inside:
                guard, indices = self._test(address, self._objects.base(obj) + anchor.offset, anchor.dims, obj)
                part = self._start(anchor, indices, place.base_type)
                found.append(self._finish(guard, obj, part, path, place, location))
            elif there and inside:
                found.append(self._in_bytes(address, obj, anchor, path, place, location))
            else:
                continue
            met.append(anchor)
        if found and (at != ANY or self._covered(obj, met)):
            return found
        move = self._places.displacement(place.base_type, place.path)
        size = self._module.sizeof(place.type)
        offset = ANY if at == ANY or move.terms else obj.normal(target[1] + move.offset)
        leaves = tuple(obj.leaves[n] for n in obj.leaf_numbers(offset, size))
        if not found and target[1] != ANY and not is_inside(obj, target[1]):
            # The pointer itself is outside; what matters is where its path leads.
            end = plus(base, Const(base.type.wrap(move.offset), base.type))
            return [PointerCase(None if move.terms else self._within(end, obj), obj, None, leaves, size > 1)]
        # What is nowhere in particular may be between the parts of its type, too: bytes of other members.
        rest = self._within(address if found else base, obj)
        for case in found:
            rest = conjunction(rest, negate(case.guard or TRUE))
        return [*found, PointerCase(rest, obj, None, leaves, size > 1)]

    def _touched(self, place: Place) -> Callable[[MemObject, int], tuple[Leaf, ...]]:
        """The leaves of an object that an access to the place may touch, by the offset of the pointer that it is based on."""
        move, size = self._places.displacement(place.base_type, place.path), self._module.sizeof(place.type)

        def touched(obj: MemObject, at: int) -> tuple[Leaf, ...]:
            there = ANY if at == ANY or walks(obj, at, place.base_type, self._module) else obj.normal(at + move.offset)
            if move.terms and there != ANY:
                strides = obj.strides(there)
                there = there if all(stride in strides for _, stride in move.terms) else ANY
            return tuple(obj.leaves[n] for n in obj.leaf_numbers(there, size))

        return touched

    def _covered(self, obj: MemObject, anchors: list[Anchor]) -> bool:
        """Whether every leaf lies in one of the parts: all of it, or its share of each if the parts are elements of an array."""
        return all(any(self._holds(a, leaf) for a in anchors) for leaf in obj.leaves)

    def _holds(self, part: Anchor, leaf: Leaf) -> bool:
        below = leaf.dims[len(part.dims):]
        share = sum(d.stride * (d.count - 1) for d in below) + leaf.size
        return part.offset <= leaf.offset and leaf.offset + share <= part.offset + self._module.sizeof(part.type)

    def _in_bytes(self, address: Expr, obj: MemObject, anchor: Anchor, path: tuple[PathStep, ...], place: Place,
                  location: Location) -> PointerCase:
        """An access into untyped memory: the bytes from the address on."""
        leaf = anchor.node.leaf if isinstance(anchor.node, BytesNode) else obj.leaves[0]
        count = leaf.dims[-1].count
        start = self._objects.base(obj) + anchor.offset
        distance = minus(address, start)
        indices: list[Expr] = []
        guard: Expr = TRUE
        rest = distance
        for dim in anchor.dims:
            guard = conjunction(guard, Binary("<", rest, Const(dim.stride * dim.count, rest.type)))
            indices.append(cast(fold(Binary("/", rest, Const(dim.stride, rest.type))), self._places.word))
            rest = fold(Binary("%", rest, Const(dim.stride, rest.type)))
        guard = conjunction(guard, Binary("<", rest, Const(count, rest.type)))
        part = PlaceInObject(anchor.node, place.base_type, tuple(indices), None, cast(rest, self._places.word))
        return self._finish(guard, obj, part, path, place, location)

    def _start(self, anchor: Anchor, indices: tuple[Expr, ...], type_: CType) -> PlaceInObject:
        byte = Const(0, self._places.word) if isinstance(anchor.node, BytesNode) else None
        # The program's view of the type wins: it may be qualified differently.
        return PlaceInObject(anchor.node, type_ if isinstance(type_, RecordType | ArrayType) else anchor.type, indices, None,
                             byte)

    def _finish(self, guard: Expr | None, obj: MemObject, part: PlaceInObject, path: tuple[PathStep, ...], place: Place,
                location: Location) -> PointerCase:
        for step in path:
            part = self._places.down(part, step)
        return PointerCase(guard, obj, self._places.cell(part, place.type, location))

    def _test(self, address: Expr, start: int, dims: tuple[Dim, ...], obj: MemObject) -> tuple[Expr, tuple[Expr, ...]]:
        """Whether the address is that of an element, and which one."""
        if not dims:
            return fold(Binary("==", address, Const(start, address.type))), ()
        rest = minus(address, start)
        guard: Expr = TRUE
        indices: list[Expr] = []
        above: int | None = None
        for dim in dims:
            extent = min(dim.stride * dim.count, obj.size) if dim.count == UNBOUNDED_LENGTH else dim.stride * dim.count
            if extent != above:
                guard = conjunction(guard, Binary("<", rest, Const(extent, rest.type)))
            indices.append(cast(fold(Binary("/", rest, Const(dim.stride, rest.type))), self._places.word))
            rest = fold(Binary("%", rest, Const(dim.stride, rest.type))) if dim.stride > 1 else Const(0, rest.type)
            above = dim.stride
        return conjunction(guard, Binary("==", rest, Const(0, rest.type))), tuple(indices)

    def _within(self, address: Expr, obj: MemObject) -> Expr:
        size = obj.size if obj.instances is None else obj.instances.stride * obj.instances.count
        distance = minus(address, self._objects.base(obj))
        return fold(Binary("<=", distance, Const(size, distance.type)))

    def compatible(self, a: CType, b: CType) -> bool:
        """Whether memory of one type may be accessed as the other, as far as its layout goes."""
        if isinstance(a, RecordType) or isinstance(b, RecordType):
            return isinstance(a, RecordType) and isinstance(b, RecordType) and a.key == b.key
        if isinstance(a, ArrayType) or isinstance(b, ArrayType):
            return isinstance(a, ArrayType) and isinstance(b, ArrayType) and self.compatible(a.element, b.element)
        first, second = scalar_of(a, self._module), scalar_of(b, self._module)
        return first is not None and second is not None and self._module.sizeof(a) == self._module.sizeof(b)


def _moved(obj: MemObject, offset: int, index: Expr, stride: int) -> int:
    """The offset that so many elements of `stride` bytes from one lead to; it stays in an array that the stride fits."""
    if offset == ANY or index == Const(0, index.type):
        return offset
    if stride >= obj.size or any(stride % d == 0 for d in obj.strides(offset, arithmetic=True)):
        return offset
    return obj.normal(offset + index.value * stride) if isinstance(index, Const) else ANY


def linear(e: Expr) -> tuple[int, tuple[tuple[Expr, int], ...]] | None:
    """An address as a constant plus index * stride terms; None if it is nothing of the kind."""
    match e:
        case Const(value=v):
            return v, ()
        case Binary(op="+", left=a, right=b):
            first, second = linear(a), linear(b)
            if first is None or second is None:
                return None
            return e.type.wrap(first[0] + second[0]), (*first[1], *second[1])
        case Binary(op="*", left=a, right=Const(value=stride)) if not isinstance(a, Const):
            return 0, ((a, stride),)
        case _:
            return None


def _indices(distance: int, dims: tuple[Dim, ...]) -> list[int] | None:
    """The indices along `dims` that make up a distance; None if none do."""
    found: list[int] = []
    for dim in dims:
        index = distance // dim.stride
        if not 0 <= index < dim.count:
            return None
        found.append(index)
        distance -= index * dim.stride
    return found if distance == 0 else None


_Case = TypeVar("_Case", PointerCase, PointerCase | RegisterCase)


def _distinct(cases: list[_Case]) -> list[_Case]:
    kept: dict[tuple[object, ...], _Case] = {}
    for c in cases:
        if isinstance(c, RegisterCase):
            kept.setdefault((c.guard, c.address, c.size), c)
        else:
            kept.setdefault((c.guard, None if c.object is None else c.object.name, c.cell, c.leaves, c.wide), c)
    return list(kept.values())
