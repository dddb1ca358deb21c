"""Loads, stores and addresses of objects: one instruction for each access to memory."""

from __future__ import annotations

from pycparser import c_ast

from frontend.ctypes import ArrayType, CType, FloatType, FunctionType, IntType, PointerType, RecordType, VoidType
from frontend.ctypes.conversions import strip
from frontend.ir import Address, Copy, Forget, Index, Load, PathStep, Place, Set, Store
from frontend.lower.arithmetic import Arithmetic
from frontend.lower.emitter import Emitter
from frontend.lower.operands import Aggregate, Designated, Floating, InMemory, InRegister, Nothing, Operand, ScalarValue
from frontend.program import Const, Read, Scalar


class ObjectAccess:
    """Reads and writes what lvalues designate."""

    def __init__(self, x: Emitter, math: Arithmetic) -> None:
        self._x = x
        self._math = math

    def extend(self, place: Place, step: PathStep, t: CType) -> Place:
        """A part of a place."""
        if isinstance(step, Index) and not place.path and not isinstance(place.base, str) \
                and isinstance(place.base_type, ArrayType):
            if place.base_type.length is None:  # of no known size: its elements are wherever the pointer points
                zero = isinstance(step.value, Const) and step.value.value == 0
                return Place(place.base, () if zero else (step,), t, t)
            # A first index would step from one array to the next.
            return Place(place.base, (Index(Const(0, self._x.ints.difference.scalar)), step), t, place.base_type)
        return Place(place.base, (*place.path, step), t, place.base_type)

    def first(self, place: Place) -> Place:
        """Element 0 of an array."""
        assert isinstance(place.type, ArrayType)
        return self.extend(place, Index(Const(0, self._x.ints.difference.scalar)), place.type.element)

    def load(self, lv: Designated, node: c_ast.Node) -> Operand:
        """The value of an lvalue; arrays and functions become pointers, without an access."""
        if isinstance(lv, InRegister):
            if isinstance(lv.type, FloatType):
                return Floating(lv.type)
            t = strip(lv.type)
            assert isinstance(t, (IntType, PointerType))
            return ScalarValue(t, Read(lv.var))
        t = strip(lv.type)
        match t:
            case ArrayType():
                return self.address(self.first(lv.place), node)
            case FunctionType():
                return self.address(lv.place, node)
            case RecordType():
                return Aggregate(t, lv.place)
            case FloatType(bits=bits):
                self._x.emit(Load(self._x.graph.temporary(Scalar(bits, False)), lv.place), node)
                return Floating(t)
            case VoidType():
                return Nothing()
            case IntType() | PointerType():
                constant = self._x.unit.literal_element(lv.place)
                if constant is not None:
                    return ScalarValue(t, Const(constant, self._x.ints.scalar(t)))
                var = self._x.graph.temporary(self._x.ints.scalar(t))
                self._x.emit(Load(var, lv.place), node)
                return ScalarValue(t, Read(var))

    def store(self, lv: Designated, v: Operand, node: c_ast.Node) -> Operand:
        """Assign a value of the lvalue's type (qualifiers aside); gives the value the assignment has."""
        if isinstance(v, Aggregate):
            assert isinstance(lv, InMemory)
            if lv.place != v.place:
                self._x.emit(Copy(lv.place, v.place), node)
            return Aggregate(v.type, lv.place)
        if isinstance(lv, InRegister):
            if isinstance(v, ScalarValue):
                if not self._x.graph.retarget(v.expr, lv.var):
                    self._x.emit(Set(lv.var, v.expr), node)
                return ScalarValue(v.type, Read(lv.var))
            return v
        self._x.emit(Store(lv.place, v.expr if isinstance(v, ScalarValue) else None), node)
        return v

    def read(self, place: Place, node: c_ast.Node) -> Operand:
        """The value in a place."""
        return self.load(InMemory(place), node)

    def assign(self, place: Place, v: Operand, node: c_ast.Node) -> None:
        """Store a value, converted to the type of the place."""
        self.store(InMemory(place), self._math.convert(v, strip(place.type), node), node)

    def address(self, place: Place, node: c_ast.Node) -> ScalarValue:
        """The address of a place or function; no access."""
        t = PointerType(place.type)
        if not isinstance(place.base, str):
            offset = self._math.offset(place)
            if isinstance(place.base, Const) and isinstance(offset, Const):
                return ScalarValue(t, Const(place.base.type.wrap(place.base.value + offset.value), place.base.type))
            if offset is not None and all(isinstance(step, Index) for step in place.path):
                return self._math.made(t, self._math.plus(place.base, offset), 2, node)
        var = self._x.graph.temporary(self._x.ints.pointer)
        self._x.emit(Address(var, place), node)
        if place.base in self._x.unit.absent:
            self._x.emit(Forget((var,), f"whether the weak '{place.base}' is there is not known"), node)
        return ScalarValue(t, Read(var))
