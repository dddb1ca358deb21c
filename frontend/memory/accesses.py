"""Memory instructions as steps: loads, stores, copies, each with the accesses that a race can be about.

An access through a pointer waits (`Pending`) until the whole thread is inlined and constants are propagated; see `settling`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from frontend.ctypes import ArrayType, CType, FloatType, FunctionType, RecordType
from frontend.ir import Field, Function, Index, IrEdge, PathStep, Place, Storage
from frontend.memory.case_steps import CaseSteps
from frontend.memory.escapes import own_number
from frontend.memory.leaves import scalar_of
from frontend.memory.places import CHAR
from frontend.memory.points_to import Targets
from frontend.memory.settling import Settling, SoleAddress
from frontend.memory.sketch import Pending, Sketch, SketchStep
from frontend.memory.world import World
from frontend.program import (
    SKIP,
    Access,
    AccessKind,
    Binary,
    Const,
    Element,
    Expr,
    Havoc,
    Location,
    Lvalue,
    Read,
    Scalar,
    Var,
    Variable,
)
from frontend.program.fold import cast, fold, plus, times
from frontend.records import replace

_MAX_COPIED = 64
"""Scalars of a struct that is copied one by one."""


class Accesses:
    """Turns the memory instructions of one thread into steps."""

    def __init__(self, world: World, functions: Iterable[str], instances: Mapping[str, Expr]) -> None:
        """`functions`: what the thread runs; `instances`: its own one of each local that has several."""
        self.world = world
        self._instances = instances
        self._cases = CaseSteps(world, functions, instances)
        self.temporaries: dict[str, Var] = {}
        self._settling = Settling(world, self._cases, self.temporaries, self.temporary)
        self.used = self._cases.used
        self.reached = self._cases.reached
        self.own: tuple[Variable, ...] = (own_number(world.places.word),) if instances else ()
        self.me: Expr = Const(0, world.places.word)
        self.handle: int | None = None
        """The number of the thread's handle, if it is created once."""
        """The thread's number among all, for locks that know their holder."""

    def settle(self, sketch: Sketch, registers: Iterable[str], constants: Callable[[Sketch], Mapping[int, Mapping[str, Const]]],
               address: SoleAddress) -> None:
        """Replace every pending access by steps, those through pointers of known value first.

        `registers`: the thread's own scalars that no pointer leads to; `constants`: scalars of known value, by location.
        """
        self._settling.settle(sketch, registers, constants, address)

    def settle_registers(self, sketch: Sketch) -> None:
        """Replace accesses to hardware at computed addresses by steps, when all threads are settled."""
        self._settling.registers.settle(sketch)

    def load(self, sketch: Sketch, source: int, target: int, register: Var, place: Place, origin: Targets | None,
             edge: IrEdge) -> None:
        """register := place; `origin`: what the place's base may point to, if it is a pointer."""
        if isinstance(place.base, str):
            self._cases.load(sketch, source, target, register, self._cases.of_symbol(place, edge.location), edge)
        else:
            assert origin is not None
            sketch.steps.append(SketchStep(source, target, Havoc((register,)), (), edge.location, edge.text,
                                     pending=Pending(place, origin, register, None, False, edge)))

    def store(self, sketch: Sketch, source: int, target: int, place: Place, value: Expr | None, origin: Targets | None,
              edge: IrEdge) -> None:
        """place := value"""
        if isinstance(place.base, str):
            self._cases.store(sketch, source, target, value, self._cases.of_symbol(place, edge.location), edge)
        else:
            assert origin is not None
            sketch.steps.append(SketchStep(source, target, SKIP, (), edge.location, edge.text,
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
        sketch.steps.append(SketchStep(here, target, SKIP, (), edge.location, edge.text))

    def _pointer(self, place: Place, targets: Targets | None, edge: IrEdge) -> tuple[Expr, Targets]:
        """A place as an address, with what it may point to."""
        if isinstance(place.base, str):
            obj = self._cases.object(place.base)
            move = self.world.places.displacement(obj.type, place.path, inside=True)
            targets = Targets(((obj.name, obj.normal(move.offset)),), False)
        assert targets is not None
        return self.address(place, edge.location), targets

    def effect(self, sketch: Sketch, source: int, target: int, pointer: Expr, targets: Targets, extent: int, write: bool,
               edge: IrEdge, fill: int | None = None, sure: bool = False, outside: bool = False, ends: bool = False,
               pointee: int = 1) -> None:
        """A library function reads, or changes in an unknown way, memory that a pointer leads to; see `Pending`."""
        place = Place(pointer, (), CHAR, CHAR)
        sketch.steps.append(SketchStep(source, target, SKIP, (), edge.location, edge.text,
                                       pending=Pending(place, targets, None, None, write, edge, extent, fill, sure, outside,
                                                       pointee, ends)))

    def _below(self, place: Place, path: tuple[PathStep, ...], type_: CType) -> Place:
        # An atomic struct is accessed as a whole; one that only has atomic members is assigned like any other.
        type_ = replace(type_, quals=replace(type_.quals, atomic=place.type.quals.atomic, order=place.type.quals.order))
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
            obj = self._cases.object(place.base)
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
            obj = self._cases.object(symbol.name)
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
        made = Var(f"%{len(self.temporaries) + 1}", type_)
        self.temporaries[made.name] = made
        return made
