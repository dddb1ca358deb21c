"""Steps for an access whose object is known: an exact cell of it, or some part of some of its leaves.

An access to hardware at a computed address (`((volatile char *)0x1000)[i]`) may be one to any register, so that it is resolved
last, when it is known which registers there are: a case for each byte of hardware that the program uses anywhere. Each case
tests the address, which is computed from the thread's own registers: the test touches nothing shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from frontend.ir import Field, Index, IrEdge, Place, Storage, Store
from frontend.memory.leaves import ArrayNode, LayoutTree, Leaf, MemObject, StructNode, scalar_of
from frontend.memory.places import Cell
from frontend.memory.pointer_cases import Parts, PointerCase, RegisterCase
from frontend.memory.points_to import ReachableObjects, Targets
from frontend.memory.sketch import Pending, RegisterAccess, Sketch, SketchStep
from frontend.memory.world import World
from frontend.program import (
    NOWHERE,
    SKIP,
    TRUE,
    Access,
    AccessKind,
    Assign,
    Assume,
    Binary,
    Block,
    Const,
    Doubt,
    Element,
    Expr,
    Ground,
    Havoc,
    Location,
    Lvalue,
    Op,
    Var,
    negate,
)
from frontend.program.fold import cast, conjunction, fold
from frontend.records import dataclass

_UNSURE = "memory is accessed through an unknown pointer, or as another type than it has"
_BITS = "the bits of a floating-point number are not tracked"


@dataclass(frozen=True, slots=True)
class AllAtOnce:
    """What a step may touch that may touch any part of many objects, how it changes them, and their leaves."""

    accesses: tuple[Access, ...]
    changed: Op
    names: tuple[str, ...]


class CaseSteps:
    """Makes the steps of loads and stores of one thread; `used` are the objects that they touch."""

    def __init__(self, world: World, functions: Iterable[str], instances: Mapping[str, Expr]) -> None:
        """`functions`: what the thread runs; `instances`: its own one of each local that has several."""
        self._world = world
        self._functions = frozenset(functions)
        self._instances = instances
        self.used: dict[str, MemObject] = {}
        self._at_once: dict[tuple[bool, tuple[str, ...]], AllAtOnce] = {}
        self._same_parts: dict[tuple[bool, int], tuple[Parts, AllAtOnce]] = {}
        self._reachable = ReachableObjects(world.pointsto, world.objects, world.outside, self.visible)

    def object(self, name: str) -> MemObject:
        obj = self._world.objects.named(name)
        self.used.setdefault(obj.name, obj)
        return obj

    def visible(self, obj: MemObject) -> bool:
        """Whether this thread can reach the object at all: another thread's local that never got out it cannot."""
        if not self._world.objects.is_global(obj) and obj.symbol is not None:
            owner = obj.name.partition("::")[0]
            if owner not in self._functions and "::" in obj.name:
                return False
        self.used.setdefault(obj.name, obj)
        return True

    def of_symbol(self, place: Place, location: Location) -> PointerCase:
        assert isinstance(place.base, str)
        obj = self.object(place.base)
        head = () if obj.instances is None else (self._instances[obj.name],)
        part = self._world.places.part(obj.shape.root, obj.type, place.path, head)
        if _may_be_outside(place, obj.shape.root):
            self._world.notes.assume("no array index is out of bounds", location, Ground.DEFINED)
        return PointerCase(None, obj, self._world.places.cell(part, place.type, location))

    def load(self, sketch: Sketch, source: int, target: int, register: Var, case: PointerCase, edge: IrEdge) -> None:
        anything: Op = Havoc((register,))
        if case.cell is None:
            doubts = self._unsure(case, (register.name,))
            for accesses in self._some(case, False, edge):
                sketch.steps.append(SketchStep(source, target, anything, accesses, edge.location, edge.text, total=True,
                                               doubts=doubts))
            return
        assert case.object is not None
        value = None if self._arbitrary(case.object, case.cell.leaf) else case.cell.value()
        doubts = self._in_activation(case.object, register.name)
        if value is not None and case.cell.leaf.name in self._world.objects.open_starts(case.object):
            value, doubts = None, (*doubts, Doubt(_BITS, (register.name,)))
        op = anything if value is None else Assign(register, cast(value, register.type))
        accesses = self._exactly(case.object, case.cell, False, edge)
        sketch.steps.append(SketchStep(source, target, op, accesses, edge.location, edge.text, doubts=doubts))

    def store(self, sketch: Sketch, source: int, target: int, value: Expr | None, case: PointerCase, edge: IrEdge) -> None:
        if case.cell is None:
            if case.object is None and self._world.objects.tracked:
                self._world.notes.assume("a pointer of unknown value does not point to a register", edge.location)
            for accesses in self._some(case, True, edge):
                touched = [a.lvalue for a in accesses]
                scalars = tuple(v for v in touched if isinstance(v, Var))
                op: Op = Havoc(scalars, tuple(v.array for v in touched if isinstance(v, Element)))
                op = op if accesses else SKIP
                doubts = self._unsure(case, tuple(leaf.name for leaf in case.leaves), case.guard is None)
                sketch.steps.append(SketchStep(source, target, op, accesses, edge.location, edge.text, total=True, doubts=doubts))
            return
        assert case.object is not None
        ops = case.cell.write(value)
        why = edge.instr.why if isinstance(edge.instr, Store) else ""
        doubts = (Doubt(why, (case.cell.leaf.name,), accesses=True),) if why else self._in_activation(case.object)
        if value is None:
            doubts = (*doubts, Doubt(_BITS, (case.cell.leaf.name,)))
        sketch.steps.append(SketchStep(source, target, ops[0] if len(ops) == 1 else Block(ops),
                                 self._exactly(case.object, case.cell, True, edge), edge.location, edge.text, doubts=doubts))

    def _in_activation(self, obj: MemObject, *loaded: str) -> tuple[Doubt, ...]:
        """One object stands for the same local of all activations of a recursive function, of which an access means one."""
        if not self.is_many(obj):
            return ()
        return (Doubt("what is in the memory of a recursive function is not tracked", loaded, accesses=True),)

    def _unsure(self, case: PointerCase, values: tuple[str, ...], step: bool = False) -> tuple[Doubt, ...]:
        """An access that is not known exactly; hardware is known well enough, and gives any value."""
        if case.object is not None and self._world.objects.is_hardware(case.object):
            return ()
        return (Doubt(_UNSURE, values, True, step),)

    def _arbitrary(self, obj: MemObject, leaf: Leaf) -> bool:
        """Whether hardware may change it at any time, so that a read gives any value; or it stands for many objects."""
        if self._world.objects.is_hardware(obj):
            return not self._world.objects.is_tracked(obj)
        if self.is_many(obj):
            return True
        if leaf.volatile and obj.symbol is not None and not obj.symbol.defined:
            return True
        if leaf.volatile and self._world.objects.is_global(obj):
            self._world.notes.assume(f"volatile variable '{obj.shown}' changes only through the program",
                                     obj.location, Ground.ALONE)
        return False

    def is_many(self, obj: MemObject) -> bool:
        """Whether the object is a local of a recursive function, of which several activations may be there at once."""
        local = obj.symbol is not None and obj.symbol.storage is Storage.LOCAL
        return local and bool(self._world.calls.recursive(obj.name.partition("::")[0]))

    def _exactly(self, obj: MemObject, cell: Cell, write: bool, edge: IrEdge) -> tuple[Access, ...]:
        if not self._world.objects.is_global(obj):
            return ()
        kind = AccessKind.ATOMIC if cell.atomic else AccessKind.DATA
        return tuple(Access(v, write, edge.location, edge.text, kind, order=cell.order) for v in cell.lvalues)

    def _some(self, case: PointerCase, write: bool, edge: IrEdge) -> list[tuple[Access, ...]]:
        """For an access that is not known exactly: the accesses of each of its possibilities."""
        if case.object is None:
            return [(self.whole(self.object(self._world.objects.outside().name).leaves[0], write, edge),)]
        if self._world.objects.is_hardware(case.object):
            return [tuple(self.whole(leaf, write, edge) for leaf in case.leaves)]
        if not self._world.objects.is_global(case.object):
            return [()] if not write else [tuple(self.whole(leaf, write, edge) for leaf in case.leaves)]
        if write and case.wide:
            return [tuple(self.whole(leaf, write, edge) for leaf in case.leaves)]
        return [(self.whole(leaf, write, edge),) for leaf in case.leaves]

    def all_at_once(self, parts: Parts, write: bool) -> AllAtOnce:
        """Any of these parts of objects as one step, for accesses that may be anywhere; shared by all such accesses.

        A step for each leaf would say no more: what is changed may stay as it was, and no such access is known exactly.
        """
        known = self._same_parts.get((write, id(parts)))
        if known is not None:
            return known[1]
        key = (write, tuple(leaf.name for _, leaves in parts for leaf in leaves))
        if key not in self._at_once:
            leaves = [leaf for _, some in parts for leaf in some]
            seen = {obj.name for obj, _ in parts if self._world.objects.is_global(obj)}
            touched = tuple(self.whole(leaf, write, None) for obj, some in parts if obj.name in seen for leaf in some)
            changed: Op = SKIP
            if write:
                changed = Havoc(tuple(Var(v.name, v.type) for v in leaves if not v.dims), tuple(v.name for v in leaves if v.dims))
            self._at_once[key] = AllAtOnce(touched, changed, tuple(v.name for v in leaves))
        self._same_parts[write, id(parts)] = (parts, self._at_once[key])  # keeping the parts keeps their id their own
        return self._at_once[key]

    def load_anything(self, sketch: Sketch, source: int, target: int, register: Var, parts: Parts, edge: IrEdge) -> None:
        """register := something in one of the parts."""
        accesses = self.all_at_once(parts, False).accesses
        sketch.steps.append(SketchStep(source, target, Havoc((register,)), accesses, edge.location, edge.text, total=True,
                                       doubts=(Doubt(_UNSURE, (register.name,), True),)))

    def store_anything(self, sketch: Sketch, source: int, target: int, parts: Parts, edge: IrEdge) -> None:
        """Something in one of the parts changes."""
        step = self.all_at_once(parts, True)
        sketch.steps.append(SketchStep(source, target, step.changed, step.accesses, edge.location, edge.text, total=True,
                                       doubts=(Doubt(_UNSURE, step.names, True, True),)))

    def whole(self, leaf: Leaf, write: bool, edge: IrEdge | None) -> Access:
        lvalue: Lvalue = Var(leaf.name, leaf.type)
        if leaf.dims:
            lvalue = Element(leaf.name, Const(0, self._world.places.word), leaf.type)
        location, text = (NOWHERE, "") if edge is None else (edge.location, edge.text)
        return Access(lvalue, write, location, text, AccessKind.DATA, whole=bool(leaf.dims))

    def reached(self, targets: Targets) -> list[MemObject]:
        """The objects that a pointer leads to, directly or through pointers stored in them."""
        return self._reachable.of(targets)


def _may_be_outside(place: Place, node: LayoutTree) -> bool:
    """Whether an index on the way to the place is not known to lie in its array."""
    for step in place.path:
        match step, node:
            case Index(value=Const(value=i)), ArrayNode(element=element, dim=dim):
                if i < 0 or 0 < dim.count <= i:
                    return True
                node = element
            case Field(name=name), StructNode(fields=fields) if name in fields:
                node = fields[name][0]
            case _:  # bytes of a union, or an index that is not constant
                break
    return any(isinstance(s, Index) and not isinstance(s.value, Const) for s in place.path)


def deferred(source: int, target: int, case: RegisterCase, pending: Pending) -> SketchStep:
    """The step that stands for the access until then."""
    edge, into = pending.edge, pending.register
    return SketchStep(source, target, SKIP if into is None else Havoc((into,)), (), edge.location, edge.text,
                      register=RegisterAccess(case.address, case.size, pending))


class ComputedRegisters:
    """Resolves the deferred accesses of one thread."""

    def __init__(self, world: World, cases: CaseSteps) -> None:
        self._world = world
        self._cases = cases

    def settle(self, sketch: Sketch) -> None:
        """Replace every deferred access by steps."""
        steps, sketch.steps = sketch.steps, []
        for step in steps:
            if step.register is None:
                sketch.steps.append(step)
            elif step.register.pending.extent is None:
                self._access(sketch, step, step.register)
            else:
                self._of_function(sketch, step, step.register)

    def _access(self, sketch: Sketch, step: SketchStep, register: RegisterAccess) -> None:
        """A load or store: exactly one of the places where it meets a byte of hardware, or none of them."""
        hardware, pending, size = self._world.objects.hardware(), register.pending, register.size or 1
        starts = sorted({byte - k for byte in hardware for k in range(size) if byte >= k})
        elsewhere: Expr = TRUE
        for first in starts:
            here = fold(Binary("==", register.address, Const(first, register.address.type)))
            elsewhere = conjunction(elsewhere, negate(here))
            start = self._guarded(sketch, step, here)
            case = self._bytes([b for b in range(first, first + size) if b in hardware], pending, size)
            if pending.write:
                self._cases.store(sketch, start, step.target, pending.value, case, pending.edge)
            else:
                assert pending.register is not None
                self._cases.load(sketch, start, step.target, pending.register, case, pending.edge)
        start = self._guarded(sketch, step, fold(elsewhere))
        sketch.steps.append(SketchStep(start, step.target, step.op, (), step.location, step.text))

    def _bytes(self, touched: list[int], pending: Pending, size: int) -> PointerCase:
        objects = [self._world.objects.absolute(b) for b in touched]
        scalar = scalar_of(pending.place.type, self._world.module)
        if size == 1 and scalar is not None and self._world.objects.is_tracked(objects[0]):
            return PointerCase(None, objects[0], Cell(objects[0].leaves[0], None, scalar))
        return PointerCase(None, objects[0], None, tuple(o.leaves[0] for o in objects))

    def _of_function(self, sketch: Sketch, step: SketchStep, register: RegisterAccess) -> None:
        """A function without a body touches some of the bytes from the address on."""
        pending, address = register.pending, register.address
        around = sketch.fresh()
        sketch.steps.append(SketchStep(step.source, around, SKIP, (), step.location, step.text))
        for byte in self._world.objects.hardware():
            within = TRUE if register.size is None else fold(
                Binary("<", Binary("-", Const(byte, address.type), address), Const(register.size, address.type)))
            start = self._guarded(sketch, step, within, around)
            leaf = self._world.objects.absolute(byte).leaves[0]
            access = self._cases.whole(leaf, pending.write, pending.edge)
            doubt = Doubt("which register a function touches is not known exactly", (leaf.name,) if pending.write else (), True)
            op = Havoc((access.lvalue,)) if pending.write else SKIP
            sketch.steps.append(SketchStep(start, around, op, (access,), step.location, step.text, doubts=(doubt,)))
        sketch.steps.append(SketchStep(around, step.target, SKIP, (), step.location, step.text))

    def _guarded(self, sketch: Sketch, step: SketchStep, guard: Expr, source: int | None = None) -> int:
        source = step.source if source is None else source
        if guard == TRUE:
            return source
        start = sketch.fresh()
        sketch.steps.append(SketchStep(source, start, Assume(guard), (), step.location, step.text, total=True))
        return start
