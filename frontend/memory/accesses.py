"""Memory instructions as steps: loads, stores, copies, each with the accesses that a race can be about.

An access through a pointer waits (`Pending`) until the whole thread is inlined and constants are propagated: by then many
pointers are known. The others become a case for each target that the points-to analysis gives, guarded by a test of the
pointer, which is a register: the test touches nothing shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, replace
from functools import partial

from frontend.ctypes import ArrayType, CType, FloatType, FunctionType, RecordType
from frontend.ir import Field, Function, Index, IrEdge, Module, Place, Storage, Store
from frontend.ir import Step as PathStep
from frontend.memory.call_graph import CallGraph
from frontend.memory.calling_contexts import Contexts
from frontend.memory.escapes import own_number
from frontend.memory.leaves import Leaf, MemObject, scalar_of
from frontend.memory.objects import Notes, Objects
from frontend.memory.places import CHAR, Cell, Places
from frontend.memory.pointer_cases import Case, Resolver, linear
from frontend.memory.points_to import ANY, PointsTo, Site, Targets
from frontend.memory.sketch import DEEP, Lock, Pending, Sketch, Step
from frontend.memory.sole_values import pointer_in, sole
from frontend.program import (
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
    Havoc,
    Location,
    Lvalue,
    Op,
    Read,
    Scalar,
    Var,
    Variable,
    op_writes,
    primitive,
    substitute,
    variables,
)
from frontend.program.fold import cast, fold, minus, plus, times

_MAX_COPIED = 64
_LOOK_BACK = 40


@dataclass(frozen=True, slots=True)
class World:
    """What all threads of a program share while they are built."""

    module: Module
    objects: Objects
    places: Places
    pointsto: PointsTo
    calls: CallGraph
    notes: Notes
    outside: tuple[str, ...]
    """Objects that a pointer from outside may point to."""
    joined: Mapping[Site, tuple[str, ...]]
    """Edges of functions that run once behind which every thread of some functions has ended."""
    contexts: Contexts
    """The calls that are told apart."""


class Accesses:
    """Turns the memory instructions of one thread into steps."""

    def __init__(self, world: World, functions: Iterable[str], instances: Mapping[str, Expr]) -> None:
        self.world = world
        self._resolver = Resolver(world.module, world.objects, world.places, world.notes)
        self._functions = frozenset(functions)
        self._instances = instances
        self._temporaries = 0
        self.sole: Callable[[int, Var], tuple[int, frozenset[int]] | None] = lambda *_: None
        """The only address that a register of the thread has at a location, and what else it may be; see `SoleValues`."""
        self.temporaries: dict[str, Var] = {}
        self.used: dict[str, MemObject] = {}
        self.own: tuple[Variable, ...] = (own_number(world.places.word),) if instances else ()
        self.me: Expr = Const(0, world.places.word)
        """The thread's number among all, for locks that know their holder."""

    # ------------------------------------------------------------------------------------------- instructions
    def load(self, sketch: Sketch, source: int, target: int, register: Var, place: Place, origin: Targets | None,
             edge: IrEdge) -> None:
        """register := place; `origin`: what the place's base may point to, if it is a pointer."""
        if isinstance(place.base, str):
            self._load_case(sketch, source, target, register, self._symbol_case(place, edge.location), edge)
        else:
            assert origin is not None
            sketch.steps.append(Step(source, target, Havoc((register,)), (), edge.location, edge.text,
                                     pending=Pending(place, origin, register, None, False, edge)))

    def store(self, sketch: Sketch, source: int, target: int, place: Place, value: Expr | None, origin: Targets | None,
              edge: IrEdge) -> None:
        """place := value"""
        if isinstance(place.base, str):
            self._store_case(sketch, source, target, value, self._symbol_case(place, edge.location), edge)
        else:
            assert origin is not None
            sketch.steps.append(Step(source, target, SKIP, (), edge.location, edge.text,
                                     pending=Pending(place, origin, None, value, True, edge)))

    def copy(self, sketch: Sketch, source: int, target: int, into: Place, origin: Place, into_targets: Targets | None,
             origin_targets: Targets | None, edge: IrEdge) -> None:
        """A struct assignment, scalar by scalar through a temporary each; a very large one reads all and writes anything."""
        here = source
        parts = self._scalars(into.type, edge.location) if self.world.module.sizeof(into.type) <= _MAX_COPIED * 8 else []
        if not 0 < len(parts) <= _MAX_COPIED:
            between = sketch.fresh()
            self.effect(sketch, source, between, *self._pointer(origin, origin_targets, edge), -1, False, edge, sure=True)
            self.effect(sketch, between, target, *self._pointer(into, into_targets, edge), -1, True, edge, sure=True)
            return
        for path, type_ in parts:
            scalar = scalar_of(type_, self.world.module)
            assert scalar is not None
            register = self.temporary(scalar)
            a, b = sketch.fresh(), sketch.fresh()
            self.load(sketch, here, a, register, self._below(origin, path, type_), origin_targets, edge)
            value = None if isinstance(type_, FloatType) else Read(register)
            self.store(sketch, a, b, self._below(into, path, type_), value, into_targets, edge)
            here = b
        sketch.steps.append(Step(here, target, SKIP, (), edge.location, edge.text))

    def _pointer(self, place: Place, targets: Targets | None, edge: IrEdge) -> tuple[Expr, Targets]:
        """A place as an address, with what it may point to."""
        if isinstance(place.base, str):
            obj = self._object(place.base)
            move = self.world.places.displacement(obj.type, place.path, inside=True)
            targets = Targets(((obj.name, obj.normal(move.offset)),), False)
        assert targets is not None
        return self.address(place, edge.location), targets

    def effect(self, sketch: Sketch, source: int, target: int, pointer: Expr, targets: Targets, extent: int, write: bool,
               edge: IrEdge, fill: int | None = None, sure: bool = False, outside: bool = False, ends: bool = False) -> None:
        """A library function reads, or changes in an unknown way, memory that a pointer leads to; see `Pending`."""
        place = Place(pointer, (), CHAR, CHAR)
        sketch.steps.append(Step(source, target, SKIP, (), edge.location, edge.text,
                                 pending=Pending(place, targets, None, None, write, edge, extent, fill, sure, outside, ends)))

    def _below(self, place: Place, path: tuple[PathStep, ...], type_: CType) -> Place:
        if place.type.quals.atomic:
            type_ = replace(type_, quals=replace(type_.quals, atomic=True))  # an atomic struct is accessed as a whole
        return Place(place.base, (*place.path, *path), type_, place.base_type)

    def _scalars(self, t: CType, location: Location) -> list[tuple[tuple[PathStep, ...], CType]]:
        """The scalars that a value of the type consists of."""
        match t:
            case ArrayType(element=element, length=length):
                inner = self._scalars(element, location)
                places = [Index(Const(k, self.world.places.word)) for k in range(length or 0)]
                return [((at, *path), type_) for at in places for path, type_ in inner]
            case RecordType(key=key):
                record = self.world.module.records[key]
                if record.union and self.world.objects.is_untyped(t):
                    return [((Index(Const(k, self.world.places.word)),), CHAR) for k in range(record.size)]
                fields = record.fields[:1] if record.union else record.fields
                return [
                    ((Field(f.name), *path), type_)
                    for f in fields
                    for path, type_ in (self._scalars(f.type, location) if f.bits is None else [((), f.type)])
                    if f.name and f.bits != 0
                ]
            case _:
                return [((), t)]

    def address(self, place: Place, location: Location) -> Expr:
        """The address of a place."""
        pointer = self.world.places.pointer
        if isinstance(place.base, str):
            if isinstance(place.type, FunctionType):
                return Const(self.world.objects.function_address(place.base, location), pointer)
            obj = self._object(place.base)
            base: Expr = Const(self.world.objects.base(obj), pointer)
            if obj.instances is not None:
                base = plus(base, times(cast(self._instances[obj.name], pointer), obj.instances.stride))
            move = self.world.places.displacement(obj.type, place.path, inside=True)
        else:
            base = cast(place.base, pointer)
            move = self.world.places.displacement(place.base_type, place.path)
        terms = [times(cast(e, pointer), s) for e, s in move.terms]
        return plus(base, *terms, Const(pointer.wrap(move.offset), pointer))

    def is_function(self, pointer: Expr, name: str, location: Location) -> Expr:
        """Whether a pointer value is the address of a function."""
        return fold(Binary("==", pointer, Const(self.world.objects.function_address(name, location), pointer.type)))

    def fresh_locals(self, function: Function) -> tuple[tuple[Lvalue, ...], tuple[str, ...], tuple[Access, ...]]:
        """The function's memory locals, which are arbitrary on entry: scalars, whole arrays, and what is visible of that."""
        whole: list[str] = []
        scalars: list[Lvalue] = []
        seen: list[Access] = []
        for symbol in function.memory:
            if symbol.storage is not Storage.LOCAL:
                continue
            obj = self._object(symbol.name)
            for leaf in obj.leaves:
                if not leaf.dims:
                    scalars.append(Var(leaf.name, leaf.type))
                elif len(leaf.dims) == 1 and obj.instances is not None:
                    scalars.append(Element(leaf.name, self._instances[obj.name], leaf.type))
                else:
                    whole.append(leaf.name)
                if self.world.objects.is_global(obj):
                    every = leaf.name in whole
                    touched = Element(leaf.name, Const(0, self.world.places.word), leaf.type) if every else scalars[-1]
                    seen.append(Access(touched, True, kind=AccessKind.SYNC, whole=every))
        return tuple(scalars), tuple(whole), tuple(seen)

    def temporary(self, type_: Scalar) -> Var:
        """A fresh register of the thread."""
        self._temporaries += 1
        made = Var(f"%{self._temporaries}", type_)
        self.temporaries[made.name] = made
        return made

    # ------------------------------------------------------------------------------------------- pending
    def settle(self, sketch: Sketch, registers: Iterable[str],
               constants: Callable[[Sketch], Mapping[int, Mapping[str, Const]]]) -> None:
        """Replace every pending access by steps, those through pointers of known value first.

        `registers`: the thread's own scalars that no pointer leads to.
        """
        own = frozenset(registers)
        for last in (False, False, False, False, False, True):
            if not any(s.pending is not None or s.lock is not None for s in sketch.steps):
                return
            states = constants(sketch)
            into = sketch.entering()
            steps, sketch.steps = sketch.steps, []
            settled = 0
            for step in steps:
                if step.pending is None and step.lock is None:
                    sketch.steps.append(step)
                elif step.source in states:
                    settled += self._try(sketch, _at_origin(step, into, own | self.temporaries.keys()), states[step.source], last)
            if not settled and not last:
                steps, sketch.steps = sketch.steps, []
                for step in steps:
                    if step.pending is None and step.lock is None:
                        sketch.steps.append(step)
                    else:
                        self._try(sketch, step, {}, True)

    def _try(self, sketch: Sketch, step: Step, values: Mapping[str, Const], force: bool) -> bool:
        """Resolve the step if its pointer is known, or anyway; True if that was done."""
        if step.lock is not None:
            step, pointer = self._sole(sketch, step, put(step.lock.pointer, values), True)
            assert step.lock is not None
            if force or linear(pointer) is not None:
                self._settle_lock(sketch, step, step.lock, pointer)
                return True
            sketch.steps.append(replace(step, lock=replace(step.lock, pointer=pointer)))
            return False
        assert step.pending is not None
        pending = _with_constants(step.pending, values)
        place = pending.place
        assert not isinstance(place.base, str)
        # What a function without a body does with a null pointer is its own affair.
        step, base = self._sole(sketch, step, place.base, pending.extent is None)
        pending = replace(pending, place=Place(base, place.path, place.type, place.base_type))
        if force or linear(base) is not None:
            self._settle(sketch, step, pending)
            return True
        sketch.steps.append(replace(step, pending=pending))
        return False

    def _sole(self, sketch: Sketch, step: Step, pointer: Expr, follows: bool) -> tuple[Step, Expr]:
        """The pointer with the only address that it can be put in; where it is followed, it is that."""
        known = linear(pointer)
        found = None if known is not None else sole(pointer, partial(self.sole, step.source))
        if found is None or (0 in found[2] and not follows):
            return step, pointer
        v, address, others = found
        placed = put(pointer, {v.name: Const(address, v.type)})
        if others:
            self.world.notes.assume("no invalid pointer is dereferenced", step.location)
            there = sketch.fresh()
            sketch.steps.append(Step(step.source, there, Assume(Binary("==", Read(v), Const(address, v.type))), (), step.location,
                                     step.text, total=True))
            step = replace(step, source=there)
        return step, placed

    def _settle_lock(self, sketch: Sketch, step: Step, lock: Lock, pointer: Expr) -> None:
        words = self._resolver.words(pointer, lock.targets, self._visible, self.world.outside, lock.type, step.location)
        if (lock.targets.unknown and not isinstance(pointer, Const)) or not words:
            self._lost(sketch, step, lock, step.source)
        for case in words:
            start = step.source
            if case.guard is not None and case.guard != TRUE:
                start = sketch.fresh()
                sketch.steps.append(Step(step.source, start, Assume(case.guard), (), step.location, step.text, total=True))
            if case.cell is None or (case.object is not None and self._many(case.object)):
                self._lost(sketch, step, lock, start)
                continue
            assert case.object is not None
            touched = tuple(Access(v, True, step.location, step.text, AccessKind.SYNC) for v in case.cell.lvalues)
            shared = self.world.objects.is_global(case.object)
            for ops in self._lock_ways(lock, case.cell):
                block = ops[0] if len(ops) == 1 else Block(tuple(ops))
                sketch.steps.append(Step(start, step.target, block, touched if shared else (), step.location, step.text, True))

    def _lost(self, sketch: Sketch, step: Step, lock: Lock, start: int) -> None:
        """A lock from outside, or one that is not told apart from others, excludes nobody that we know of."""
        self.world.notes.warn("a lock that cannot be told apart protects nothing", lock.edge.location)
        op: Op = SKIP if lock.result is None else Havoc((lock.result,))
        lost = Doubt("a lock that cannot be told apart is not waited for", step=True)
        sketch.steps.append(Step(start, step.target, op, (), step.location, step.text, doubts=(lost,)))

    def _lock_ways(self, lock: Lock, word: Cell) -> list[list[Op]]:
        """What may be done to the word; one that is kept as bytes is put together, changed, and taken apart again."""
        if not word.bytes:
            return lock.ways(word, lock.result)
        copy = self.temporary(word.type)
        value = word.value()
        assert value is not None
        state = Cell(Leaf(copy.name, copy.type, 0, word.bytes), None, copy.type)
        return [[Assign(copy, value), *ops, *word.write(Read(copy))] for ops in lock.ways(state, lock.result)]

    def _settle(self, sketch: Sketch, step: Step, pending: Pending) -> None:
        if pending.extent is not None:
            self._settle_effect(sketch, step, pending, pending.extent)
            return
        cases = self._resolver.cases(pending.place, pending.targets, self._visible, self.world.outside, pending.edge.location)
        for case in cases:
            start = step.source
            if case.guard is not None:
                start = sketch.fresh()
                sketch.steps.append(Step(step.source, start, Assume(case.guard), (), step.location, step.text, total=True))
            if pending.write:
                self._store_case(sketch, start, step.target, pending.value, case, pending.edge)
            else:
                assert pending.register is not None
                self._load_case(sketch, start, step.target, pending.register, case, pending.edge)

    def _settle_effect(self, sketch: Sketch, step: Step, pending: Pending, extent: int) -> None:
        """Each object the pointer may lead to: its leaves are touched in any order, any number of times."""
        assert not isinstance(pending.place.base, str)
        if extent == DEEP:
            around = sketch.fresh()
            reached = self.reached(pending.targets)
            changed = self._changed(pending, [leaf for obj in reached for leaf in obj.leaves])
            sketch.steps.append(Step(step.source, around, SKIP, (), step.location, step.text, doubts=changed))
            for obj in reached:
                for leaf in obj.leaves:
                    self._touch(sketch, around, around, Case(None, obj), leaf, pending)
            sketch.steps.append(Step(around, step.target, SKIP, (), step.location, step.text))
            return
        for case in self._resolver.extents(pending.place.base, pending.targets, self._visible, self.world.outside, extent):
            start = step.source
            if case.guard is not None:
                start = sketch.fresh()
                sketch.steps.append(Step(step.source, start, Assume(case.guard), (), step.location, step.text, total=True))
            elif pending.fill is not None and self._fill(sketch, step, case, pending):
                continue
            if len(case.leaves) == 1:
                self._touch(sketch, start, step.target, case, case.leaves[0], pending)
                continue
            around = sketch.fresh()
            changed = self._changed(pending, case.leaves)
            if case.object is None and pending.write and pending.targets.unknown:
                changed = (Doubt("memory is changed through an unknown pointer", step=True),)
            sketch.steps.append(Step(start, around, SKIP, (), step.location, step.text, doubts=changed))
            for leaf in case.leaves:
                self._touch(sketch, around, around, case, leaf, pending)
            sketch.steps.append(Step(around, step.target, SKIP, (), step.location, step.text))

    def _fill(self, sketch: Sketch, step: Step, case: Case, pending: Pending) -> bool:
        """Set a whole object of few scalars byte by byte to one value; False if that is not what happens here."""
        obj, base = case.object, pending.place.base
        if obj is None or obj.instances is not None or pending.fill is None or pending.extent != obj.size:
            return False
        if base != Const(self.world.objects.base(obj), self.world.places.pointer):
            return False
        if sum(leaf.length or 1 for leaf in obj.leaves) > _MAX_COPIED:
            return False
        here = step.source
        for leaf in obj.leaves:
            number = leaf.type.wrap(int.from_bytes(bytes([pending.fill & 255]) * leaf.size, "little"))
            for k in range(leaf.length or 1):
                lvalue: Lvalue = Element(leaf.name, Const(k, self.world.places.word), leaf.type)
                if not leaf.dims:
                    lvalue = Var(leaf.name, leaf.type)
                access = Access(lvalue, True, step.location, step.text)
                after = sketch.fresh()
                shared = (access,) if self.world.objects.is_global(obj) else ()
                sketch.steps.append(Step(here, after, Assign(lvalue, Const(number, leaf.type)), shared, step.location, step.text))
                here = after
        sketch.steps.append(Step(here, step.target, SKIP, (), step.location, step.text))
        return True

    def reached(self, targets: Targets) -> list[MemObject]:
        """The objects that a pointer leads to, directly or through pointers stored in them."""
        names = [t[0] for t in targets.known]
        if targets.unknown:
            names.extend(self.world.outside)
        found: dict[str, MemObject] = {}
        while names:
            name = names.pop()
            if name in found or name[0] in "&*":
                continue
            if name in ("?", "#"):
                names.extend(self.world.outside if name == "?" else ())
                continue
            obj = self.world.objects.named(name)
            if self._visible(obj):
                found[name] = obj
                names.extend(t[0] for t in self.world.pointsto.leads(obj))
        return [found[name] for name in sorted(found)]

    def _touch(self, sketch: Sketch, source: int, target: int, case: Case, leaf: Leaf, pending: Pending) -> None:
        assert case.object is not None
        access = self._of_instance(case, leaf, pending) or self._whole(leaf, pending.write, pending.edge)
        shared = self.world.objects.is_global(case.object)
        lvalue = access.lvalue
        op: Op = SKIP
        if pending.write and not pending.ends:
            op = Havoc((), (lvalue.array,)) if access.whole and isinstance(lvalue, Element) else Havoc((lvalue,))
        doubts = self._changed(replace(pending, input=pending.input and not access.whole), (leaf,))
        lost = case.guard is None and pending.targets.unknown
        if lost or not pending.sure or (access.whole and not self._all(case.object, pending)) or self._several(case, pending):
            doubts = (*doubts, Doubt("which memory a function touches is not known exactly", accesses=True))
        sketch.steps.append(Step(source, target, op, (access,) if shared else (), pending.edge.location, pending.edge.text,
                                 doubts=doubts))

    def _of_instance(self, case: Case, leaf: Leaf, pending: Pending) -> Access | None:
        """The leaf of the one instance that the pointer is in; None if there is more than that to touch."""
        obj, pointer = case.object, pending.place.base
        assert obj is not None and not isinstance(pointer, str)
        base = fold(cast(pointer, self.world.places.pointer))
        if obj.instances is None or len(leaf.dims) != 1 or (case.guard is None and not isinstance(base, Const)):
            return None
        distance = minus(base, self.world.objects.base(obj))
        instance = cast(fold(Binary("/", distance, Const(obj.instances.stride, distance.type))), self.world.places.word)
        lvalue = Element(leaf.name, instance, leaf.type)
        return Access(lvalue, pending.write, pending.edge.location, pending.edge.text)

    def _several(self, case: Case, pending: Pending) -> bool:
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
        return (Doubt("what a function writes is not tracked", tuple(leaf.name for leaf in leaves)),)

    def _visible(self, obj: MemObject) -> bool:
        """Whether this thread can reach the object at all: another thread's local that never got out it cannot."""
        if not self.world.objects.is_global(obj) and obj.symbol is not None:
            owner = obj.name.partition("::")[0]
            if owner not in self._functions and "::" in obj.name:
                return False
        self.used.setdefault(obj.name, obj)
        return True

    # ------------------------------------------------------------------------------------------- cases
    def _object(self, name: str) -> MemObject:
        obj = self.world.objects.named(name)
        self.used.setdefault(obj.name, obj)
        return obj

    def _symbol_case(self, place: Place, location: Location) -> Case:
        assert isinstance(place.base, str)
        obj = self._object(place.base)
        head = () if obj.instances is None else (self._instances[obj.name],)
        part = self.world.places.part(obj.shape.root, obj.type, place.path, head)
        if any(isinstance(s, Index) and not isinstance(s.value, Const) for s in place.path):
            self.world.notes.assume("no array index is out of bounds", location)
        return Case(None, obj, self.world.places.cell(part, place.type, location))

    def _load_case(self, sketch: Sketch, source: int, target: int, register: Var, case: Case, edge: IrEdge) -> None:
        anything: Op = Havoc((register,))
        if case.cell is None:
            doubts = self._unsure(case, (register.name,))
            for accesses in self._some(case, False, edge):
                sketch.steps.append(Step(source, target, anything, accesses, edge.location, edge.text, total=True, doubts=doubts))
            return
        assert case.object is not None
        value = None if self._arbitrary(case.object, case.cell.leaf) else case.cell.value()
        op = anything if value is None else Assign(register, cast(value, register.type))
        accesses = self._exactly(case.object, case.cell, False, edge)
        sketch.steps.append(Step(source, target, op, accesses, edge.location, edge.text,
                                 doubts=self._in_activation(case.object, register.name)))

    def _store_case(self, sketch: Sketch, source: int, target: int, value: Expr | None, case: Case, edge: IrEdge) -> None:
        if case.cell is None:
            if case.object is None and self.world.objects.tracked:
                self.world.notes.assume("a pointer of unknown value does not point to a register", edge.location)
            for accesses in self._some(case, True, edge):
                touched = [a.lvalue for a in accesses]
                scalars = tuple(v for v in touched if isinstance(v, Var))
                op: Op = Havoc(scalars, tuple(v.array for v in touched if isinstance(v, Element)))
                op = op if accesses else SKIP
                doubts = self._unsure(case, tuple(leaf.name for leaf in case.leaves), case.guard is None)
                sketch.steps.append(Step(source, target, op, accesses, edge.location, edge.text, total=True, doubts=doubts))
            return
        assert case.object is not None
        ops = case.cell.write(value)
        why = edge.instr.why if isinstance(edge.instr, Store) else ""
        doubts = (Doubt(why, (case.cell.leaf.name,), accesses=True),) if why else self._in_activation(case.object)
        sketch.steps.append(Step(source, target, ops[0] if len(ops) == 1 else Block(ops),
                                 self._exactly(case.object, case.cell, True, edge), edge.location, edge.text, doubts=doubts))

    def _in_activation(self, obj: MemObject, *loaded: str) -> tuple[Doubt, ...]:
        """One object stands for the same local of all activations of a recursive function, of which an access means one."""
        if not self._many(obj):
            return ()
        return (Doubt("what is in the memory of a recursive function is not tracked", loaded, accesses=True),)

    def _unsure(self, case: Case, values: tuple[str, ...], step: bool = False) -> tuple[Doubt, ...]:
        """An access that is not known exactly; hardware is known well enough, and gives any value."""
        if case.object is not None and self.world.objects.is_hardware(case.object):
            return ()
        return (Doubt("memory is accessed through an unknown pointer, or as another type than it has", values, True, step),)

    def _arbitrary(self, obj: MemObject, leaf: Leaf) -> bool:
        """Whether hardware may change it at any time, so that a read gives any value; or it stands for many objects."""
        if self.world.objects.is_hardware(obj):
            return not self.world.objects.is_tracked(obj)
        if self._many(obj):
            return True
        if leaf.volatile and obj.symbol is not None and not obj.symbol.defined:
            return True
        if leaf.volatile and self.world.objects.is_global(obj):
            self.world.notes.assume(f"volatile variable '{obj.shown}' changes only through the program", obj.location)
        return False

    def _many(self, obj: MemObject) -> bool:
        """Whether the object is a local of a recursive function, of which several activations may be there at once."""
        local = obj.symbol is not None and obj.symbol.storage is Storage.LOCAL
        return local and bool(self.world.calls.recursive(obj.name.partition("::")[0]))

    def _exactly(self, obj: MemObject, cell: Cell, write: bool, edge: IrEdge) -> tuple[Access, ...]:
        if not self.world.objects.is_global(obj):
            return ()
        kind = AccessKind.ATOMIC if cell.atomic else AccessKind.DATA
        return tuple(Access(v, write, edge.location, edge.text, kind) for v in cell.lvalues)

    def _some(self, case: Case, write: bool, edge: IrEdge) -> list[tuple[Access, ...]]:
        """For an access that is not known exactly: the accesses of each of its possibilities."""
        if case.object is None:
            return [(self._whole(self._object(self.world.objects.outside().name).leaves[0], write, edge),)]
        if self.world.objects.is_hardware(case.object):
            return [tuple(self._whole(leaf, write, edge) for leaf in case.leaves)]
        if not self.world.objects.is_global(case.object):
            return [()] if not write else [tuple(self._whole(leaf, write, edge) for leaf in case.leaves)]
        if write and case.wide:
            return [tuple(self._whole(leaf, write, edge) for leaf in case.leaves)]
        return [(self._whole(leaf, write, edge),) for leaf in case.leaves]

    def _whole(self, leaf: Leaf, write: bool, edge: IrEdge) -> Access:
        lvalue: Lvalue = Var(leaf.name, leaf.type)
        if leaf.dims:
            lvalue = Element(leaf.name, Const(0, self.world.places.word), leaf.type)
        return Access(lvalue, write, edge.location, edge.text, AccessKind.DATA, whole=bool(leaf.dims))


def _at_origin(step: Step, into: Mapping[int, list[Step]], own: Set[str]) -> Step:
    """The step with its pointer replaced by the expression that was assigned to it just before."""
    if step.lock is not None:
        return replace(step, lock=replace(step.lock, pointer=_origin(step.lock.pointer, step.source, into, own)))
    assert step.pending is not None and not isinstance(step.pending.place.base, str)
    place = step.pending.place
    base = _origin(step.pending.place.base, step.source, into, own)
    return replace(step, pending=replace(step.pending, place=Place(base, place.path, place.type, place.base_type)))


def _origin(e: Expr, location: int, into: Mapping[int, list[Step]], own: Set[str]) -> Expr:
    """What a pointer was set to on the only way here, if nothing that went into it has changed since.

    A register that is a copy of another one, or lies at a distance from it, is what that one was set to further back, whatever
    has become of it since. Only registers of the thread (`own`) are followed: what lies in memory may be set by other threads, or
    through a pointer, on the way here.
    """
    changed: set[str] = set()
    sought = pointer_in(e)
    result = e
    for _ in range(_LOOK_BACK):
        before = into.get(location, [])
        if sought is None or sought.name not in own or len(before) != 1:
            return e
        for part in reversed(list(primitive(before[0].op))):
            if sought is not None and sought.name in op_writes(part):
                if not isinstance(part, Assign) or not isinstance(part.target, Var) or part.value.type.width != sought.type.width:
                    return e
                further = pointer_in(part.value)
                if changed & (variables(part.value) - ({further.name} if further is not None else set())):
                    return e
                result = put(result, {sought.name: part.value})
                if further is None:
                    return result if linear(result) is not None else e
                sought = further
            changed.update(op_writes(part))
        location = before[0].source
    return e


def put(e: Expr, values: Mapping[str, Expr]) -> Expr:
    """The expression with known registers put in."""
    return fold(substitute(e, lambda v: values.get(v.name) if isinstance(v, Var) else None)) if values else e


def _with_constants(pending: Pending, values: Mapping[str, Const]) -> Pending:
    """The access with the constants known before it put in."""
    place = pending.place
    assert not isinstance(place.base, str)
    path = tuple(Index(put(s.value, values)) if isinstance(s, Index) else s for s in place.path)
    return replace(pending, place=Place(put(place.base, values), path, place.type, place.base_type),
                   value=None if pending.value is None else put(pending.value, values))
