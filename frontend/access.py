"""Memory instructions as steps: loads, stores and copies of cells, each with the accesses that a race can be about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frontend.cfa import Access, AccessKind, Assign, Assume, Block, Havoc, Op
from frontend.expr import Const, Element, Expr, Lvalue, Var
from frontend.fold import cast, plus, times
from frontend.ir import Call, Function, Index, IrEdge, Module, Place
from frontend.memory import ArrayNode, BytesNode, Leaf, LeafNode, MemObject, StructNode
from frontend.objects import Notes, Objects
from frontend.places import Cell, Part, Places
from frontend.source import FrontendError, Location
from frontend.types import FunctionType

if TYPE_CHECKING:
    from frontend.inline import Inliner


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that a place may be: the guard under which it is that (None: always) and the cell."""

    guard: Expr | None
    object: MemObject
    cell: Cell


class Accesses:
    """Turns memory instructions into steps."""

    def __init__(self, module: Module, objects: Objects, places: Places, notes: Notes) -> None:
        self._module = module
        self.objects = objects
        self._places = places
        self._notes = notes
        self.used: dict[str, MemObject] = {}

    # ------------------------------------------------------------------------------------------- instructions
    def load(self, inliner: Inliner, source: int, target: int, register: Var, place: Place, edge: IrEdge) -> None:
        """register := place"""
        for case in self._cases(place, edge.location):
            start = self._guarded(inliner, case, source, edge)
            value = None if self._arbitrary(case.object, case.cell.leaf) else case.cell.value()
            op: Op = Havoc((register,)) if value is None else Assign(register, cast(value, register.type))
            inliner.step(start, op, target, edge, accesses=self._accesses(case, False, edge))

    def store(self, inliner: Inliner, source: int, target: int, place: Place, value: Expr | None, edge: IrEdge) -> None:
        """place := value"""
        for case in self._cases(place, edge.location):
            start = self._guarded(inliner, case, source, edge)
            ops = case.cell.write(value)
            inliner.step(start, ops[0] if len(ops) == 1 else Block(ops), target, edge, accesses=self._accesses(case, True, edge))

    def copy(self, inliner: Inliner, source: int, target: int, into: Place, origin: Place, edge: IrEdge) -> None:
        """A struct assignment, leaf by leaf through a temporary."""
        raise FrontendError(edge.location, "struct copies are not modelled yet")

    def address(self, place: Place, location: Location) -> Expr:
        """The address of a place."""
        pointer = self._places.pointer
        if isinstance(place.base, str):
            if isinstance(place.base_type, FunctionType) or isinstance(place.type, FunctionType):
                return Const(self.objects.function_address(place.base, location), pointer)
            obj = self._object(place.base)
            base: Expr = Const(self.objects.base(obj), pointer)
            move = self._places.displacement(obj.type, place.path, inside=True)
        else:
            base = cast(place.base, pointer)
            move = self._places.displacement(place.base_type, place.path)
        terms = [times(cast(e, pointer), s) for e, s in move.terms]
        return plus(base, Const(pointer.wrap(move.offset), pointer), *terms)

    def function_targets(self, function: str, call: Call) -> tuple[str, ...]:
        """The functions that a call through a pointer may reach."""
        return ()

    def is_function(self, pointer: Expr, name: str, location: Location) -> Expr:
        """Whether a pointer value is the address of a function."""
        from frontend.expr import Binary

        return Binary("==", pointer, Const(self.objects.function_address(name, location), pointer.type))

    def locals_of(self, function: Function) -> tuple[tuple[str, ...], tuple[Lvalue, ...]]:
        """Arrays and scalars that the function's memory locals are, to be made arbitrary on entry."""
        whole: list[str] = []
        scalars: list[Lvalue] = []
        for symbol in function.memory:
            obj = self.objects.named(symbol.name)
            if not self.objects.is_global(obj):
                self.used.setdefault(obj.name, obj)
                whole.extend(leaf.name for leaf in obj.leaves if leaf.dims)
                scalars.extend(Var(leaf.name, leaf.type) for leaf in obj.leaves if not leaf.dims)
        return tuple(whole), tuple(scalars)

    # ------------------------------------------------------------------------------------------- cases
    def _object(self, name: str) -> MemObject:
        obj = self.objects.named(name)
        self.used.setdefault(obj.name, obj)
        return obj

    def _cases(self, place: Place, location: Location) -> list[Case]:
        if not isinstance(place.base, str):
            raise FrontendError(location, "access through a pointer is not modelled yet")
        obj = self._object(place.base)
        part = self._places.part(obj.root, obj.type, place.path)
        return [Case(None, obj, self._places.cell(part, place.type, location))]

    def _guarded(self, inliner: Inliner, case: Case, source: int, edge: IrEdge) -> int:
        if case.guard is None:
            return source
        inside = inliner.sketch.fresh()
        inliner.step(source, Assume(case.guard), inside, edge, total=True)
        return inside

    def _arbitrary(self, obj: MemObject, leaf: Leaf) -> bool:
        """Whether hardware may change it at any time, so that a read gives any value."""
        return leaf.volatile and obj.symbol is not None and not obj.symbol.defined

    def _accesses(self, case: Case, write: bool, edge: IrEdge) -> tuple[Access, ...]:
        if not self.objects.is_global(case.object):
            return ()
        kind = AccessKind.ATOMIC if case.cell.atomic else AccessKind.DATA
        return tuple(Access(v, write, edge.location, edge.text, kind) for v in case.cell.lvalues)


__all__ = ["ArrayNode", "BytesNode", "Element", "Index", "LeafNode", "Part", "StructNode"]
