"""Objects: what an lvalue designates, and the instructions that read, write and address it."""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast

from frontend.ctypes import VECTOR, ArrayType, IntType, PointerType, RecordType, literals
from frontend.ctypes.conversions import cast, joined
from frontend.ctypes.declarations import field_type
from frontend.ctypes.scope import FunctionName, MemoryName, RegisterName, is_constant
from frontend.ir import Field, Index, Place
from frontend.lower.declared.initialisers import leaves, link_values, store_all
from frontend.lower.declared.variable_types import evaluate_type
from frontend.lower.lowering import Lowering
from frontend.lower.operands import Aggregate, Designated, Floating, InMemory, InRegister, Operand, ScalarValue
from frontend.program import Const
from frontend.text.ast_text import text_of


def is_lvalue(node: c_ast.Node) -> bool:
    """Whether the syntax may designate an object (or a function, or an enumeration constant)."""
    return isinstance(node, (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef, c_ast.CompoundLiteral)) \
        or (isinstance(node, c_ast.UnaryOp) and node.op == "*") \
        or (isinstance(node, c_ast.Constant) and node.type == "string")


class Lvalues:
    """The objects that the expressions of one lowering mention."""

    def __init__(self, x: Lowering) -> None:
        self._x = x

    def lvalue(self, node: c_ast.Node) -> Designated:
        """The object (or function) that the node designates."""
        match node:
            case c_ast.ID():
                return self.identifier(node)
            case c_ast.ArrayRef():
                return self.element(node.name, node.subscript, node)
            case c_ast.StructRef():
                return InMemory(self._member(node))
            case c_ast.UnaryOp(op="*"):
                return InMemory(self.target(node.expr))
            case c_ast.CompoundLiteral():
                return self._compound_literal(node)
            case c_ast.Constant(type="string"):
                return self.string(node)
            case c_ast.Cast():
                # GNU C once took a cast as an lvalue; only a cast that changes nothing is one here.
                if isinstance(self._x.types.resolve(node.to_type, self._x.scope), RecordType):
                    raise self._x.unit.not_modelled(node, "a cast to a union")
                inner = self.lvalue(node.expr)
                if self._x.types.sizeof(inner.type) == self._x.types.sizeof(self._x.types.resolve(node.to_type, self._x.scope)):
                    return inner
        v = self._x.value(node)
        if isinstance(v, Aggregate):
            return InMemory(v.place)
        raise self._x.unit.error(node, f"'{text_of(node)}' is not an lvalue", "assign to a variable, a member or an element")

    def identifier(self, node: c_ast.ID) -> Designated:
        match self._x.scope.find(node.name):
            case RegisterName(var=var, type=t):
                return InRegister(var, t)
            case MemoryName(symbol=symbol, type=t):
                return InMemory(Place(symbol, (), t, t))
            case FunctionName(name=name, type=t):
                return InMemory(Place(name, (), t, t))
        if node.name in ("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"):
            return self._literal(f'"{self._x.scope.owner.removeprefix(f"{self._x.unit.names.label}:")}"', node)
        raise self._x.unit.error(node, f"'{node.name}' is not declared", "declare it, or include its header")

    def string(self, node: c_ast.Constant) -> InMemory:
        return self._literal(node.value, node)

    def _literal(self, text: str, node: c_ast.Node) -> InMemory:
        where = self._x.unit.where(node)
        codes, element = literals.string(text, self._x.ints, where)
        symbol = self._x.unit.string(codes, element, text, where)
        return InMemory(Place(symbol.name, (), symbol.type, symbol.type))

    def _compound_literal(self, node: c_ast.CompoundLiteral) -> InMemory:
        t = self._x.types.resolve(node.type, self._x.scope)
        evaluate_type(self._x, node.type)
        t, parts = leaves(self._x, t, node.init)
        symbol = self._x.local("<literal>", t, node)
        place = Place(symbol.name, (), t, t)
        if self._x.scope.owner:
            store_all(self._x, place, parts, node)
        else:
            self._x.unit.symbols[symbol.name] = replace(symbol, initial=link_values(self._x, parts))
        return InMemory(place)

    def target(self, node: c_ast.Node) -> Place:
        """What the pointer (or array) that the node yields points to."""
        match node:
            case c_ast.UnaryOp(op="&"):
                inner = self.lvalue(node.expr)
                if isinstance(inner, InMemory):
                    return inner.place
            case c_ast.BinaryOp(op="+"):
                return self._sum_target(node)
        found = self._array_or_pointer(node)
        if isinstance(found, Place):
            return self._x.objects.first(found)
        if not isinstance(found.type, PointerType):
            raise self._x.unit.error(node, f"'{text_of(node)}' is not a pointer", "take the address of an object")
        return Place(found.expr, (), found.type.target, found.type.target)

    def _array_or_pointer(self, node: c_ast.Node) -> Place | ScalarValue:
        """An array as its place, a pointer as its value (also a function, an integer never)."""
        v: Operand
        if is_lvalue(node):
            if isinstance(node, c_ast.ID) and is_constant(self._x.scope.find(node.name)):
                v = self._x.value(node)
            else:
                lv = self.lvalue(node)
                if isinstance(lv, InMemory) and isinstance(lv.type, ArrayType):
                    return lv.place
                v = self._x.objects.load(lv, node)
        else:
            v = self._x.value(node)
        if isinstance(v, ScalarValue):
            return v
        if isinstance(v, Floating) and v.type.name == VECTOR:
            raise self._x.unit.not_modelled(node, "an element of a vector")
        raise self._x.unit.error(node, f"'{text_of(node)}' is not a pointer", "take the address of an object")

    def _sum_target(self, node: c_ast.BinaryOp) -> Place:
        lv = self.element(node.left, node.right, node)
        assert isinstance(lv, InMemory)
        return lv.place

    def element(self, base: c_ast.Node, index: c_ast.Node, node: c_ast.Node) -> Designated:
        """`base[index]`, in whichever order the pointer and the integer come."""
        left = self._array_or_pointer(base)
        # Of an array only the place is found out: its elements are not looked at before the index is known.
        self._x.order.unsequenced(base, index, stored=isinstance(left, Place))
        if isinstance(left, ScalarValue):
            left = self._x.order.settled(left, index, node)
        else:
            left = self._x.order.settled_place(left, index, node)
        right = self._array_or_pointer(index)
        if isinstance(right, Place) or (isinstance(right.type, PointerType) and isinstance(left, ScalarValue)
                                        and isinstance(left.type, IntType)):
            left, right = right, left
        if isinstance(right, Place) or not isinstance(right.type, IntType):
            raise self._x.unit.error(node, "the index is not an integer", "index with an integer")
        step = Index(cast(right.expr, self._x.ints.promote(right.type).scalar))
        if isinstance(left, Place):
            assert isinstance(left.type, ArrayType)
            if self._x.math.has_size(left.type.element):
                return InMemory(self._x.objects.extend(left, step, left.type.element))
            left = self._x.objects.address(self._x.objects.first(left), node)
        if not isinstance(left.type, PointerType):
            raise self._x.unit.error(node, f"'{text_of(base)}' is neither an array nor a pointer",
                                     "index an array or a pointer")
        t = left.type.target
        if step.value == Const(0, step.value.type):
            return InMemory(Place(left.expr, (), t, t))
        if not self._x.math.has_size(t):
            # A row of variable length: which one is meant is not known.
            somewhere = self._x.arbitrary(left.expr.type, node, "a size is not known")
            return InMemory(Place(self._x.math.plus(left.expr, somewhere), (), t, t))
        return InMemory(Place(left.expr, (step,), t, t))

    def _member(self, node: c_ast.StructRef) -> Place:
        if node.type == "->":
            place = self.target(node.name)
        else:
            lv = self.lvalue(node.name)
            if isinstance(lv, InRegister):
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
            assert isinstance(place.type, RecordType)
            if place.type.union:
                self._x.math.members_as_bytes(place.type)
            inherited = replace(place.type.quals, atomic=False)
            t = field_type(field)
            place = self._x.objects.extend(place, Field(field.name), self._x.types.add_quals(t, joined(t.quals, inherited)))
        return place
