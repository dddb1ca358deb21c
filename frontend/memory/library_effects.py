"""Steps for what library functions do to the memory that a pointer leads to: read it, fill it, or change it somehow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod

from frontend.memory.case_steps import CaseSteps, deferred
from frontend.memory.leaves import BYTE, Leaf, MemObject
from frontend.memory.pointer_cases import MANY_LEAVES, Parts, PointerCase, RegisterCase, Resolver
from frontend.memory.points_to import ANY, COMPUTED, NO_OBJECT
from frontend.memory.sketch import DEEP, Pending, Sketch, SketchStep
from frontend.memory.world import World
from frontend.program import (
    SKIP,
    Access,
    Assign,
    Assume,
    Binary,
    Const,
    Doubt,
    Element,
    Expr,
    Ground,
    Havoc,
    Lvalue,
    Op,
    Read,
    Scalar,
    Var,
)
from frontend.program.fold import cast, fold, minus, plus, times
from frontend.records import replace

_MOST_FILLED, _UNROLLED = 4096, 8
"""Scalars of an object that is filled byte by byte, and of an array in it that needs no loop; a larger object may hold anything
afterwards."""
_NOT_EXACTLY = "which memory a function touches is not known exactly"
_NOT_TRACKED = "what a function writes is not tracked"


class LibraryEffects:
    """Settles the accesses of library functions; see `Pending.extent`."""

    def __init__(self, world: World, cases: CaseSteps, resolver: Resolver, temporary: Callable[[Scalar], Var]) -> None:
        self._temporary = temporary
        self._world = world
        self._cases = cases
        self._resolver = resolver

    def settle(self, sketch: Sketch, step: SketchStep, pending: Pending, extent: int) -> None:
        """Each object the pointer may lead to: its leaves are touched in any order, any number of times."""
        assert not isinstance(pending.place.base, str)
        if pending.targets.unknown:
            self._world.assume_far_from_locks(pending.edge.location)
        if extent == DEEP:
            around = sketch.fresh()
            reached = [*self._cases.reached(pending.targets), *self._beside(pending)]
            changed = self._changed(pending, [leaf for obj in reached for leaf in obj.leaves])
            sketch.steps.append(SketchStep(step.source, around, SKIP, (), step.location, step.text, doubts=changed))
            if not pending.sure and sum(len(obj.leaves) for obj in reached) > MANY_LEAVES:
                self._touch_all(sketch, around, tuple((obj, obj.leaves) for obj in reached), pending)
                reached = []
            for obj in reached:
                for leaf in obj.leaves:
                    self._touch(sketch, around, around, PointerCase(None, obj), leaf, pending)
            if COMPUTED in pending.targets.known:
                nowhere = RegisterCase(None, Const(0, self._world.places.pointer), None)
                sketch.steps.append(deferred(around, around, nowhere, pending))
            sketch.steps.append(SketchStep(around, step.target, SKIP, (), step.location, step.text))
            return
        self._bounds(pending, extent)
        cases, anywhere = self._resolver.extents(pending.place.base, pending.targets, self._cases.visible, self._world.outside,
                                                 extent)
        if anywhere:
            around = sketch.fresh()
            changed = self._changed(pending, [leaf for _, leaves in anywhere for leaf in leaves])
            sketch.steps.append(SketchStep(step.source, around, SKIP, (), step.location, step.text, doubts=changed))
            self._touch_all(sketch, around, anywhere, pending)
            sketch.steps.append(SketchStep(around, step.target, SKIP, (), step.location, step.text))
        for case in cases:
            start = step.source
            if case.guard is not None:
                start = sketch.fresh()
                sketch.steps.append(SketchStep(step.source, start, Assume(case.guard), (), step.location, step.text, total=True))
            if isinstance(case, RegisterCase):
                sketch.steps.append(deferred(start, step.target, case, pending))
                continue
            if pending.fill is not None and self._fill(sketch, start, step, case, pending):
                continue
            if len(case.leaves) == 1 and (self._outer(case, case.leaves[0], pending) is None or _behind(case.leaves[0]) == 1):
                self._touch(sketch, start, step.target, case, case.leaves[0], pending)
                continue
            around = sketch.fresh()
            changed = self._changed(pending, case.leaves)
            if case.object is None and pending.write and pending.targets.unknown:
                changed = (Doubt("memory is changed through an unknown pointer", step=True),)
            sketch.steps.append(SketchStep(start, around, SKIP, (), step.location, step.text, doubts=changed))
            for leaf in case.leaves:
                self._touch(sketch, around, around, case, leaf, pending)
            sketch.steps.append(SketchStep(around, step.target, SKIP, (), step.location, step.text))

    def _bounds(self, pending: Pending, extent: int) -> None:
        """Writes down that a function stays in the memory that it is given, where that is not certain."""
        if not pending.ends and not self._is_inside(pending, extent):
            self._world.notes.assume("no array index is out of bounds", pending.edge.location, Ground.DEFINED)

    def _is_inside(self, pending: Pending, extent: int) -> bool:
        """Whether all that a function touches is in the objects that the pointer may lead to; a string ends in its array."""
        assert not isinstance(pending.place.base, str)
        if extent <= 0:
            return extent == 0 and not pending.write
        objects = self._world.objects
        base = fold(cast(pending.place.base, self._world.places.pointer))
        at = objects.at(base.value) if isinstance(base, Const) else None
        if at is not None:
            return at[2] + extent <= at[0].size
        targets = [(objects.named(name), offset) for name, offset in pending.targets.known if name[0] not in NO_OBJECT]
        return all(offset != ANY and offset + extent <= obj.size and all(extent <= n for n in obj.strides(offset)[-1:])
                   for obj, offset in targets)

    def _beside(self, pending: Pending) -> list[MemObject]:
        """The other bytes of the registers that the pointer may be the address of."""
        objects = self._world.objects
        return [objects.absolute(int(name[1:], 16) + k) for name, offset in pending.targets.known
                if objects.bare and name[0] == "*" and (name, offset) != COMPUTED for k in range(1, pending.pointee)]

    def _fill(self, sketch: Sketch, source: int, step: SketchStep, case: PointerCase, pending: Pending) -> bool:
        """Set a whole object of few scalars byte by byte to one value; False if that is not what happens here."""
        obj, base = case.object, pending.place.base
        if obj is not None and pending.fill is not None and self._world.objects.is_hardware(obj):
            self._fill_bytes(sketch, source, step, case.leaves, Const(pending.fill, BYTE))
            return True
        if obj is None or pending.fill is None or pending.extent != obj.size or isinstance(base, str):
            return False
        begin_of = Const(self._world.objects.base(obj), self._world.places.pointer)
        if obj.instances is None and (case.guard is not None or base != begin_of):
            return False
        if sum(_count(obj, leaf) for leaf in obj.leaves) > _MOST_FILLED:
            return False
        first = self._instance(obj, base)
        for leaf in obj.leaves:
            count = _count(obj, leaf)
            value = Const(leaf.type.wrap(int.from_bytes(bytes([pending.fill & 255]) * leaf.size, "little")), leaf.type)
            begin = fold(times(first, count)) if first is not None else Const(0, self._world.places.word)
            if not leaf.dims:
                source = self._set(sketch, source, step, obj, Var(leaf.name, leaf.type), value)
            elif count <= _UNROLLED:
                for k in range(count):
                    index = fold(plus(begin, Const(k, begin.type)))
                    source = self._set(sketch, source, step, obj, Element(leaf.name, index, leaf.type), value)
            else:
                source = self._fill_array(sketch, source, step, obj, leaf, begin, value)
        sketch.steps.append(SketchStep(source, step.target, SKIP, (), step.location, step.text))
        return True

    def _set(self, sketch: Sketch, source: int, step: SketchStep, obj: MemObject, lvalue: Lvalue, value: Const) -> int:
        """One scalar gets a value; gives where that leads to."""
        after = sketch.fresh()
        shared = (Access(lvalue, True, step.location, step.text),) if self._world.objects.is_global(obj) else ()
        sketch.steps.append(SketchStep(source, after, Assign(lvalue, value), shared, step.location, step.text))
        return after

    def _fill_array(self, sketch: Sketch, source: int, step: SketchStep, obj: MemObject, leaf: Leaf, begin: Expr,
                    value: Const) -> int:
        """A loop that sets each element of an array, from index `begin` on."""
        count = Const(_count(obj, leaf), begin.type)
        number = self._temporary(begin.type)
        loop, inside, after = sketch.fresh(), sketch.fresh(), sketch.fresh()

        def add(from_: int, op: Op, to: int) -> None:
            sketch.steps.append(SketchStep(from_, to, op, (), step.location, step.text, total=isinstance(op, Assume)))

        add(source, Assign(number, Const(0, begin.type)), loop)
        add(loop, Assume(Binary("<", Read(number), count)), inside)
        add(loop, Assume(Binary(">=", Read(number), count)), after)
        index = fold(plus(begin, Read(number)))
        set_ = self._set(sketch, inside, step, obj, Element(leaf.name, index, leaf.type), value)
        add(set_, Assign(number, Binary("+", Read(number), Const(1, begin.type))), loop)
        return after

    def _instance(self, obj: MemObject, pointer: Expr) -> Expr | None:
        """Which instance of the object a pointer is in; None if there is only one."""
        if obj.instances is None:
            return None
        distance = minus(fold(cast(pointer, self._world.places.pointer)), self._world.objects.base(obj))
        return cast(fold(Binary("/", distance, Const(obj.instances.stride, distance.type))), self._world.places.word)

    def _fill_bytes(self, sketch: Sketch, source: int, step: SketchStep, leaves: tuple[Leaf, ...], value: Const) -> None:
        for leaf in leaves:
            after, byte = sketch.fresh(), Var(leaf.name, leaf.type)
            access = Access(byte, True, step.location, step.text)
            sketch.steps.append(SketchStep(source, after, Assign(byte, value), (access,), step.location, step.text))
            source = after
        sketch.steps.append(SketchStep(source, step.target, SKIP, (), step.location, step.text))

    def _touch(self, sketch: Sketch, source: int, target: int, case: PointerCase, leaf: Leaf, pending: Pending) -> None:
        """The leaf is touched: the one element that the pointer is in, or one of several there, or something of all."""
        assert case.object is not None
        outer = self._outer(case, leaf, pending)
        inner = 1 if outer is None else _behind(leaf)
        if outer is None:
            access = self._cases.whole(leaf, pending.write, pending.edge)
        else:
            index = outer
            if inner > 1:
                source, number = self._any_below(sketch, source, Const(inner, outer.type), pending)
                index = fold(plus(times(outer, inner), number))
            access = Access(Element(leaf.name, index, leaf.type), pending.write, pending.edge.location, pending.edge.text)
        shared = self._world.objects.is_global(case.object)
        lvalue = access.lvalue
        op: Op = SKIP
        if pending.write and not pending.ends:
            op = Havoc((), (lvalue.array,)) if access.whole and isinstance(lvalue, Element) else Havoc((lvalue,))
        several = access.whole or inner > 1
        doubts = self._changed(replace(pending, input=pending.input and not several), (leaf,))
        lost = case.guard is None and pending.targets.unknown
        if lost or not pending.sure or (several and not self._all(case.object, pending)) or self._several(case, pending):
            doubts = (*doubts, Doubt(_NOT_EXACTLY, accesses=True))
        sketch.steps.append(SketchStep(source, target, op, (access,) if shared else (), pending.edge.location, pending.edge.text,
                                 doubts=doubts))

    def _any_below(self, sketch: Sketch, source: int, bound: Const, pending: Pending) -> tuple[int, Expr]:
        """A number from 0 to below the bound, and where it has been chosen."""
        number, chosen, after = self._temporary(bound.type), sketch.fresh(), sketch.fresh()
        edge = pending.edge
        sketch.steps.append(SketchStep(source, chosen, Havoc((number,)), (), edge.location, edge.text))
        within = Binary("&&", Binary(">=", Read(number), Const(0, bound.type)), Binary("<", Read(number), bound))
        sketch.steps.append(SketchStep(chosen, after, Assume(within), (), edge.location, edge.text))
        return after, Read(number)

    def _touch_all(self, sketch: Sketch, around: int, parts: Parts, pending: Pending) -> None:
        """Any of the parts is touched, by one step that may be repeated."""
        step = self._cases.all_at_once(parts, pending.write)
        changes = pending.write and not pending.ends
        doubts = (*((Doubt(_NOT_TRACKED, step.names),) if changes else ()), Doubt(_NOT_EXACTLY, accesses=True))
        sketch.steps.append(SketchStep(around, around, step.changed if changes else SKIP, step.accesses, pending.edge.location,
                                       pending.edge.text, doubts=doubts))

    def _outer(self, case: PointerCase, leaf: Leaf, pending: Pending) -> Expr | None:
        """The index of the one element, along the leaf's outermost array, that all that is touched lies in: the instance that
        the pointer is in, or the element of an array of structs. None if there may be more than one, or no array."""
        obj, pointer = case.object, pending.place.base
        assert obj is not None and not isinstance(pointer, str)
        base = fold(cast(pointer, self._world.places.pointer))
        if not leaf.dims or (case.guard is None and not isinstance(base, Const)):
            return None
        if obj.instances is not None:
            return self._instance(obj, base)
        begin = self._stays_from(case, leaf, pending)
        if begin is None:
            return None
        distance = minus(base, self._world.objects.base(obj) + begin)
        return cast(fold(Binary("/", distance, Const(leaf.dims[0].stride, distance.type))), self._world.places.word)

    def _stays_from(self, case: PointerCase, leaf: Leaf, pending: Pending) -> int | None:
        """Offset of a place in the first element of the leaf's outermost array, if the function stays in one element and the
        pointer is as far into that as the place is into the first, or up to a stride further. It stays where it is given an
        array that lies behind other members of a struct, or as many bytes as there are to the element's end."""
        assert case.object is not None and pending.extent is not None
        offsets = {offset for name, offset in pending.targets.known if name == case.object.name}
        if len(offsets) != 1 or pending.extent < 0:
            return None
        (offset,) = offsets
        here = next((at for at in case.object.leaves if at.offset <= offset < at.offset + at.size), None)
        begin = case.object.array_begin(leaf)
        if here is None or begin is None or begin != case.object.array_begin(here):
            return None
        if case.leaves == (leaf,) == (here,) and len(leaf.dims) == 2 and leaf.offset > begin:
            return leaf.offset
        return offset if len(here.dims) == 1 and 0 < pending.extent <= here.dims[0].stride - (offset - begin) else None

    def _several(self, case: PointerCase, pending: Pending) -> bool:
        """Whether the pointer may be at several places of the object, of which the function touches what is behind one."""
        assert case.object is not None
        offsets = [offset for name, offset in pending.targets.known if name == case.object.name]
        return case.guard is not None and pending.extent not in (-1, DEEP) and (len(offsets) > 1 or ANY in offsets)

    def _all(self, obj: MemObject, pending: Pending) -> bool:
        """Whether a function touches every cell of the object."""
        return obj.instances is None and pending.extent is not None and (pending.extent == -1 or pending.extent >= obj.size)

    def _changed(self, pending: Pending, leaves: Iterable[Leaf]) -> tuple[Doubt, ...]:
        """What a function writes is not tracked, unless it is input."""
        if not pending.write or pending.input or pending.ends:
            return ()
        return (Doubt(_NOT_TRACKED, tuple(leaf.name for leaf in leaves)),)


def _behind(leaf: Leaf) -> int:
    """How many elements of a leaf have the same index along its outermost array."""
    return prod(dim.count for dim in leaf.dims[1:])


def _count(obj: MemObject, leaf: Leaf) -> int:
    """How many elements a leaf has in one instance of its object."""
    return prod(dim.count for dim in obj.inner(leaf.dims))
