"""Objects: what an lvalue designates, and the instructions that read, write and address it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from pycparser import c_ast

from frontend.ctypes import ArrayType, CType, FloatType, FunctionType, IntType, PointerType, RecordType, VoidType, literals
from frontend.ctypes.conversions import cast, joined, strip
from frontend.ctypes.declarations import field_type
from frontend.ctypes.scope import FunctionName, MemoryName, RegisterName, is_constant
from frontend.ir import Address, Copy, Field, Index, Load, Place, Set, Step, Store
from frontend.lower.initialisers import leaves, link_values, store_all
from frontend.lower.operands import Aggregate, Floating, Nothing, Operand, Value
from frontend.program import Const, Read, Scalar, Var
from frontend.text.ast_text import text_of

if TYPE_CHECKING:
    from frontend.lower.expressions import Expressions


@dataclass(frozen=True, slots=True)
class Slot:
    """An lvalue that is a register."""

    var: Var
    type: CType


@dataclass(frozen=True, slots=True)
class Cell:
    """An lvalue in memory, or a function."""

    place: Place

    @property
    def type(self) -> CType:
        return self.place.type


Lvalue: TypeAlias = Slot | Cell


def is_lvalue(node: c_ast.Node) -> bool:
    """Whether the syntax may designate an object (or a function, or an enumeration constant)."""
    return isinstance(node, (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef, c_ast.CompoundLiteral)) \
        or (isinstance(node, c_ast.UnaryOp) and node.op == "*") \
        or (isinstance(node, c_ast.Constant) and node.type == "string")


class Lvalues:
    """The objects that the expressions of one lowering mention."""

    def __init__(self, x: Expressions) -> None:
        self._x = x

    def lvalue(self, node: c_ast.Node) -> Lvalue:
        """The object (or function) that the node designates."""
        match node:
            case c_ast.ID():
                return self.identifier(node)
            case c_ast.ArrayRef():
                return self.element(node.name, node.subscript, node)
            case c_ast.StructRef():
                return Cell(self._member(node))
            case c_ast.UnaryOp(op="*"):
                return Cell(self.target(node.expr))
            case c_ast.CompoundLiteral():
                return self._compound_literal(node)
            case c_ast.Constant(type="string"):
                return self.string(node)
            case c_ast.Cast():
                # GNU C once took a cast as an lvalue; only a cast that changes nothing is one here.
                inner = self.lvalue(node.expr)
                if self._x.types.sizeof(inner.type) == self._x.types.sizeof(self._x.types.resolve(node.to_type, self._x.scope)):
                    return inner
        v = self._x.value(node)
        if isinstance(v, Aggregate):
            return Cell(v.place)
        raise self._x.unit.error(node, f"'{text_of(node)}' is not an lvalue", "assign to a variable, a member or an element")

    def identifier(self, node: c_ast.ID) -> Lvalue:
        match self._x.scope.find(node.name):
            case RegisterName(var=var, type=t):
                return Slot(var, t)
            case MemoryName(symbol=symbol, type=t):
                return Cell(Place(symbol, (), t, t))
            case FunctionName(name=name, type=t):
                return Cell(Place(name, (), t, t))
        if node.name in ("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"):
            return self._literal(f'"{self._x.scope.owner}"', node)
        raise self._x.unit.error(node, f"'{node.name}' is not declared", "declare it, or include its header")

    def string(self, node: c_ast.Constant) -> Cell:
        return self._literal(node.value, node)

    def _literal(self, text: str, node: c_ast.Node) -> Cell:
        where = self._x.unit.where(node)
        codes, element = literals.string(text, self._x.ints, where)
        symbol = self._x.unit.string(codes, element, text, where)
        return Cell(Place(symbol.name, (), symbol.type, symbol.type))

    def _compound_literal(self, node: c_ast.CompoundLiteral) -> Cell:
        t = self._x.types.resolve(node.type, self._x.scope)
        t, parts = leaves(self._x, t, node.init)
        symbol = self._x.local("<literal>", t, node)
        place = Place(symbol.name, (), t, t)
        if self._x.scope.owner:
            store_all(self._x, place, parts, node)
        else:
            self._x.unit.symbols[symbol.name] = replace(symbol, initial=link_values(self._x, parts))
        return Cell(place)

    def extend(self, place: Place, step: Step, t: CType) -> Place:
        """A part of a place."""
        if isinstance(step, Index) and not place.path and not isinstance(place.base, str) \
                and isinstance(place.base_type, ArrayType):
            # A first index would step from one array to the next.
            return Place(place.base, (Index(Const(0, self._x.ints.difference.scalar)), step), t, place.base_type)
        return Place(place.base, (*place.path, step), t, place.base_type)

    def first(self, place: Place) -> Place:
        """Element 0 of an array."""
        assert isinstance(place.type, ArrayType)
        return self.extend(place, Index(Const(0, self._x.ints.difference.scalar)), place.type.element)

    def target(self, node: c_ast.Node) -> Place:
        """What the pointer (or array) that the node yields points to."""
        match node:
            case c_ast.UnaryOp(op="&"):
                inner = self.lvalue(node.expr)
                if isinstance(inner, Cell):
                    return inner.place
            case c_ast.BinaryOp(op="+"):
                return self._sum_target(node)
        found = self._array_or_pointer(node)
        if isinstance(found, Place):
            return self.first(found)
        assert isinstance(found.type, PointerType)
        return Place(found.expr, (), found.type.target, found.type.target)

    def _array_or_pointer(self, node: c_ast.Node) -> Place | Value:
        """An array as its place, a pointer as its value (also a function, an integer never)."""
        v: Operand
        if is_lvalue(node):
            if isinstance(node, c_ast.ID) and is_constant(self._x.scope.find(node.name)):
                v = self._x.value(node)
            else:
                lv = self.lvalue(node)
                if isinstance(lv, Cell) and isinstance(lv.type, ArrayType):
                    return lv.place
                v = self.load(lv, node)
        else:
            v = self._x.value(node)
        if isinstance(v, Value):
            return v
        raise self._x.unit.error(node, f"'{text_of(node)}' is not a pointer", "take the address of an object")

    def _sum_target(self, node: c_ast.BinaryOp) -> Place:
        lv = self.element(node.left, node.right, node)
        assert isinstance(lv, Cell)
        return lv.place

    def element(self, base: c_ast.Node, index: c_ast.Node, node: c_ast.Node) -> Lvalue:
        """`base[index]`, in whichever order the pointer and the integer come."""
        left = self._array_or_pointer(base)
        self._x.order.unsequenced(base, index)
        if isinstance(left, Value):
            left = self._x.order.settled(left, index, node)
        else:
            left = self._x.order.settled_place(left, index, node)
        right = self._array_or_pointer(index)
        if isinstance(right, Place) or (isinstance(right.type, PointerType) and isinstance(left, Value)
                                        and isinstance(left.type, IntType)):
            left, right = right, left
        if isinstance(right, Place) or not isinstance(right.type, IntType):
            raise self._x.unit.error(node, "the index is not an integer", "index with an integer")
        step = Index(cast(right.expr, self._x.ints.promote(right.type).scalar))
        if isinstance(left, Place):
            assert isinstance(left.type, ArrayType)
            if self._x.math.has_size(left.type.element):
                return Cell(self.extend(left, step, left.type.element))
            left = self.address(self.first(left), node)
        if not isinstance(left.type, PointerType):
            raise self._x.unit.error(node, f"'{text_of(base)}' is neither an array nor a pointer",
                                     "index an array or a pointer")
        t = left.type.target
        if step.value == Const(0, step.value.type):
            return Cell(Place(left.expr, (), t, t))
        if not self._x.math.has_size(t):
            # A row of variable length: which one is meant is not known.
            somewhere = self._x.arbitrary(left.expr.type, node, "a size is not known")
            return Cell(Place(self._x.math.plus(left.expr, somewhere), (), t, t))
        return Cell(Place(left.expr, (step,), t, t))

    def _member(self, node: c_ast.StructRef) -> Place:
        if node.type == "->":
            place = self.target(node.name)
        else:
            lv = self.lvalue(node.name)
            if isinstance(lv, Slot):
                raise self._x.unit.error(node, f"'{text_of(node.name)}' is not a struct or union",
                                         "correct the name, or the type")
            place = lv.place
        if not isinstance(place.type, RecordType):
            raise self._x.unit.error(node, f"'{text_of(node.name)}' is not a struct or union", "correct the name, or the type")
        way = self._x.types.member(place.type, node.field.name)
        if way is None:
            raise self._x.unit.error(node, f"'{place.type.key}' has no member '{node.field.name}'",
                                     "correct the name of the member")
        for field in way:
            inherited = replace(place.type.quals, atomic=False)
            t = field_type(field)
            place = self.extend(place, Field(field.name), self._x.types.add_quals(t, joined(t.quals, inherited)))
        return place

    def load(self, lv: Lvalue, node: c_ast.Node) -> Operand:
        """The value of an lvalue; arrays and functions become pointers, without an access."""
        if isinstance(lv, Slot):
            if isinstance(lv.type, FloatType):
                return Floating(lv.type)
            t = strip(lv.type)
            assert isinstance(t, (IntType, PointerType))
            return Value(t, Read(lv.var))
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
                    return Value(t, Const(constant, self._x.ints.scalar(t)))
                var = self._x.graph.temporary(self._x.ints.scalar(t))
                self._x.emit(Load(var, lv.place), node)
                return Value(t, Read(var))

    def store(self, lv: Lvalue, v: Operand, node: c_ast.Node) -> Operand:
        """Assign a value of the lvalue's type (qualifiers aside); gives the value the assignment has."""
        if isinstance(v, Aggregate):
            assert isinstance(lv, Cell)
            if lv.place != v.place:
                self._x.emit(Copy(lv.place, v.place), node)
            return Aggregate(v.type, lv.place)
        if isinstance(lv, Slot):
            if isinstance(v, Value):
                if not self._x.graph.retarget(v.expr, lv.var):
                    self._x.emit(Set(lv.var, v.expr), node)
                return Value(v.type, Read(lv.var))
            return v
        self._x.emit(Store(lv.place, v.expr if isinstance(v, Value) else None), node)
        return v

    def read(self, place: Place, node: c_ast.Node) -> Operand:
        """The value in a place."""
        return self.load(Cell(place), node)

    def assign(self, place: Place, v: Operand, node: c_ast.Node) -> None:
        """Store a value, converted to the type of the place."""
        self.store(Cell(place), self._x.math.convert(v, strip(place.type), node), node)

    def pointed(self, node: c_ast.Node) -> Lvalue:
        """What a pointer argument of a builtin points to; `&x` may name a register."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            return self.lvalue(node.expr)
        return Cell(self.target(node))

    def address(self, place: Place, node: c_ast.Node) -> Value:
        """The address of a place or function; no access."""
        t = PointerType(place.type)
        if not isinstance(place.base, str):
            offset = self._x.math.offset(place)
            if isinstance(place.base, Const) and isinstance(offset, Const):
                return Value(t, Const(place.base.type.wrap(place.base.value + offset.value), place.base.type))
            if offset is not None and all(isinstance(step, Index) for step in place.path):
                return self._x.math.made(t, self._x.math.plus(place.base, offset), 2, node)
        var = self._x.graph.temporary(self._x.ints.pointer)
        self._x.emit(Address(var, place), node)
        return Value(t, Read(var))
