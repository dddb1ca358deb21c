"""Expressions: each memory access becomes one instruction, in C's order; what is left is an expression over registers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from pycparser import c_ast

from frontend import calls, literals
from frontend.arithmetic import Arithmetic
from frontend.convert import Aggregate, Floating, Nothing, Operand, Value, both, cast, either, joined, strip, unary
from frontend.ctext import text_of
from frontend.declare import field_type
from frontend.effects import Effects, Syntax, effects
from frontend.expr import BOOL, FALSE, TRUE, Const, Expr, Ite, Read, Scalar, Var, negate, truth, variables
from frontend.graph import Graph
from frontend.initialise import Leaf, leaves
from frontend.ir import (
    Address,
    AddressValue,
    AtomicBegin,
    AtomicEnd,
    Copy,
    Field,
    Forget,
    Index,
    Instr,
    Load,
    Place,
    Set,
    Step,
    Storage,
    Store,
    Symbol,
)
from frontend.scope import ConstantName, FunctionName, MemoryName, RegisterName, Scope, TypeName
from frontend.types import (
    ArrayType,
    CType,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    RecordType,
    VoidType,
)
from frontend.unit import ORDER, Unit


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

_LVALUES = (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef, c_ast.CompoundLiteral)
_STEPS = {"++": "+", "--": "-", "p++": "+", "p--": "-"}


class Expressions:
    """Lowers the expressions of one function (or of none: constants and types) into its graph."""

    def __init__(self, unit: Unit, graph: Graph, scope: Scope, syntax: Syntax) -> None:
        self.unit = unit
        self.graph = graph
        self.scope = scope
        self.syntax = syntax
        self.ints = unit.ints
        self.types = unit.types
        self.math = Arithmetic(self)
        self.memory: list[Symbol] = []
        self.shown: dict[str, str] = {}
        self.conditions: list[Operand] = []
        self.block: Callable[[c_ast.Compound], Operand]

    # ------------------------------------------------------------------------------------------- small things
    def emit(self, instr: Instr, node: c_ast.Node, text: str | None = None) -> None:
        self.graph.emit(instr, self.unit.where(node), text_of(node) if text is None else text)

    def arbitrary(self, scalar: Scalar, node: c_ast.Node) -> Expr:
        """A register with any value."""
        t = self.graph.temporary(scalar)
        self.emit(Forget((t,)), node)
        return Read(t)

    def spill(self, v: Value, node: c_ast.Node) -> Value:
        """The value in a register of its own."""
        t = self.graph.temporary(v.expr.type)
        self.emit(Set(t, v.expr), node)
        return Value(v.type, Read(t))

    def local(self, name: str, t: CType, node: c_ast.Node, storage: Storage = Storage.LOCAL) -> Symbol:
        """A new memory symbol of this function (of the file, outside functions)."""
        owner = self.scope.owner
        unique = self.unit.unique(f"{owner}::{name}" if owner else name)
        shown = f"{owner}::{name}" if owner else name
        symbol = Symbol(unique, t, storage if owner else Storage.STATIC, shown, location=self.unit.where(node))
        if symbol.storage is Storage.LOCAL:
            self.memory.append(symbol)
        return symbol

    # ------------------------------------------------------------------------------------------- lvalues
    def lvalue(self, node: c_ast.Node) -> Lvalue:
        """The object (or function) that the node designates."""
        match node:
            case c_ast.ID():
                return self._identifier(node)
            case c_ast.ArrayRef():
                return self.element(node.name, node.subscript, node)
            case c_ast.StructRef():
                return Cell(self._member(node))
            case c_ast.UnaryOp(op="*"):
                return Cell(self.target(node.expr))
            case c_ast.CompoundLiteral():
                return self._compound_literal(node)
            case c_ast.Constant(type="string"):
                return self._string(node)
            case c_ast.Cast():
                # GNU C once took a cast as an lvalue; only a cast that changes nothing is one here.
                inner = self.lvalue(node.expr)
                if self.types.sizeof(inner.type) == self.types.sizeof(self.types.resolve(node.to_type, self.scope)):
                    return inner
        v = self.value(node)
        if isinstance(v, Aggregate):
            return Cell(v.place)
        raise self.unit.error(node, f"'{text_of(node)}' is not an lvalue")

    def _identifier(self, node: c_ast.ID) -> Lvalue:
        match self.scope.find(node.name):
            case RegisterName(var=var, type=t):
                return Slot(var, t)
            case MemoryName(symbol=symbol, type=t):
                return Cell(Place(symbol, (), t, t))
            case FunctionName(name=name, type=t):
                return Cell(Place(name, (), t, t))
        if node.name in ("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"):
            return self._literal(f'"{self.scope.owner}"', node)
        raise self.unit.error(node, f"'{node.name}' is not declared")

    def _string(self, node: c_ast.Constant) -> Cell:
        return self._literal(node.value, node)

    def _literal(self, text: str, node: c_ast.Node) -> Cell:
        where = self.unit.where(node)
        codes, element = literals.string(text, self.ints, where)
        symbol = self.unit.string(codes, element, text, where)
        return Cell(Place(symbol.name, (), symbol.type, symbol.type))

    def _compound_literal(self, node: c_ast.CompoundLiteral) -> Cell:
        t = self.types.resolve(node.type, self.scope)
        t, parts = leaves(self, t, node.init)
        symbol = self.local("<literal>", t, node)
        place = Place(symbol.name, (), t, t)
        if self.scope.owner:
            self.initialise(place, parts, node)
        else:
            self.unit.symbols[symbol.name] = replace(symbol, initial=self.static(parts))
        return Cell(place)

    def extend(self, place: Place, step: Step, t: CType) -> Place:
        """A part of a place."""
        if isinstance(step, Index) and not place.path and not isinstance(place.base, str) \
                and isinstance(place.base_type, ArrayType):
            # A first index would step from one array to the next.
            return Place(place.base, (Index(Const(0, self.ints.difference.scalar)), step), t, place.base_type)
        return Place(place.base, (*place.path, step), t, place.base_type)

    def first(self, place: Place) -> Place:
        """Element 0 of an array."""
        assert isinstance(place.type, ArrayType)
        return self.extend(place, Index(Const(0, self.ints.difference.scalar)), place.type.element)

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
        if isinstance(node, _LVALUES) or (isinstance(node, c_ast.UnaryOp) and node.op == "*") \
                or (isinstance(node, c_ast.Constant) and node.type == "string"):
            if isinstance(node, c_ast.ID) and isinstance(self.scope.find(node.name), ConstantName):
                v = self.value(node)
            else:
                lv = self.lvalue(node)
                if isinstance(lv, Cell) and isinstance(lv.type, ArrayType):
                    return lv.place
                v = self.load(lv, node)
        else:
            v = self.value(node)
        if isinstance(v, Value):
            return v
        raise self.unit.error(node, f"'{text_of(node)}' is not a pointer")

    def _sum_target(self, node: c_ast.BinaryOp) -> Place:
        lv = self.element(node.left, node.right, node)
        assert isinstance(lv, Cell)
        return lv.place

    def element(self, base: c_ast.Node, index: c_ast.Node, node: c_ast.Node) -> Lvalue:
        """`base[index]`, in whichever order the pointer and the integer come."""
        left = self._array_or_pointer(base)
        self.unsequenced(base, index)
        if isinstance(left, Value):
            left = self.settled(left, index, node)
        else:
            left = self.settled_place(left, index, node)
        right = self._array_or_pointer(index)
        if isinstance(right, Place) or (isinstance(right.type, PointerType) and isinstance(left, Value)
                                        and isinstance(left.type, IntType)):
            left, right = right, left
        if isinstance(right, Place) or not isinstance(right.type, IntType):
            raise self.unit.error(node, "the index is not an integer")
        step = Index(cast(right.expr, self.ints.promote(right.type).scalar))
        if isinstance(left, Place):
            assert isinstance(left.type, ArrayType)
            return Cell(self.extend(left, step, left.type.element))
        if not isinstance(left.type, PointerType):
            raise self.unit.error(node, f"'{text_of(base)}' is neither an array nor a pointer")
        t = left.type.target
        if step.value == Const(0, step.value.type):
            return Cell(Place(left.expr, (), t, t))
        return Cell(Place(left.expr, (step,), t, t))

    def _member(self, node: c_ast.StructRef) -> Place:
        if node.type == "->":
            place = self.target(node.name)
        else:
            lv = self.lvalue(node.name)
            if isinstance(lv, Slot):
                raise self.unit.error(node, f"'{text_of(node.name)}' is not a struct or union")
            place = lv.place
        if not isinstance(place.type, RecordType):
            raise self.unit.error(node, f"'{text_of(node.name)}' is not a struct or union")
        way = self.types.member(place.type, node.field.name)
        if way is None:
            raise self.unit.error(node, f"'{place.type.key}' has no member '{node.field.name}'")
        for field in way:
            inherited = replace(place.type.quals, atomic=False)
            t = field_type(field)
            place = self.extend(place, Field(field.name), self.types.add_quals(t, joined(t.quals, inherited)))
        return place

    # ------------------------------------------------------------------------------------------- access
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
                self.emit(Load(self.graph.temporary(Scalar(bits, False)), lv.place), node)
                return Floating(t)
            case VoidType():
                return Nothing()
            case IntType() | PointerType():
                var = self.graph.temporary(self.ints.scalar(t))
                self.emit(Load(var, lv.place), node)
                return Value(t, Read(var))

    def store(self, lv: Lvalue, v: Operand, node: c_ast.Node) -> Operand:
        """Assign a value of the lvalue's type (qualifiers aside); gives the value the assignment has."""
        if isinstance(v, Aggregate):
            assert isinstance(lv, Cell)
            if lv.place != v.place:
                self.emit(Copy(lv.place, v.place), node)
            return Aggregate(v.type, lv.place)
        if isinstance(lv, Slot):
            if isinstance(v, Value):
                if not self.graph.retarget(v.expr, lv.var):
                    self.emit(Set(lv.var, v.expr), node)
                return Value(v.type, Read(lv.var))
            return v
        self.emit(Store(lv.place, v.expr if isinstance(v, Value) else None), node)
        return v

    def address(self, place: Place, node: c_ast.Node) -> Value:
        """The address of a place or function; no access."""
        t = PointerType(place.type)
        if not isinstance(place.base, str):
            offset = self.math.offset(place)
            if isinstance(place.base, Const) and isinstance(offset, Const):
                return Value(t, Const(place.base.type.wrap(place.base.value + offset.value), place.base.type))
            if offset is not None and all(isinstance(step, Index) for step in place.path):
                return self.math.made(t, self.math.plus(place.base, offset), 2, node)
        var = self.graph.temporary(self.ints.pointer)
        self.emit(Address(var, place), node)
        return Value(t, Read(var))

    # ------------------------------------------------------------------------------------------- values
    def value(self, node: c_ast.Node) -> Operand:
        """The value of an expression after lvalue conversion, with its side effects done."""
        match node:
            case c_ast.Constant():
                return self._constant(node)
            case c_ast.ID():
                return self._name(node)
            case c_ast.BinaryOp():
                return self._binary(node)
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.Assignment():
                return self._assignment(node)
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.CompoundLiteral():
                return self.load(self.lvalue(node), node)
            case c_ast.FuncCall():
                return calls.call(self, node)
            case c_ast.Cast():
                return self._cast(node)
            case c_ast.TernaryOp():
                return self._conditional(node)
            case c_ast.ExprList():
                for part in node.exprs[:-1]:
                    self.effect(part)
                return self.value(node.exprs[-1])
            case c_ast.Compound():
                return self.block(node)
            case c_ast.GenericSelection():
                return self._generic(node)
        raise self.unit.error(node, f"an expression of this form ({type(node).__name__}) is not supported")

    def scalar(self, node: c_ast.Node) -> Value:
        """The value of an expression that must be an integer or a pointer."""
        v = self.value(node)
        if isinstance(v, Floating):
            v = self.math.convert(v, self.ints.named("long long"), node)
        if not isinstance(v, Value):
            raise self.unit.error(node, f"'{text_of(node)}' has no scalar value")
        return v

    def effect(self, node: c_ast.Node) -> None:
        """Evaluate for the side effects only."""
        match node:
            case c_ast.UnaryOp(op="p++" | "p--"):
                self._step(node, keep=False)
            case c_ast.ExprList():
                for part in node.exprs:
                    self.effect(part)
            case c_ast.FuncCall():
                calls.call(self, node, wanted=False)
            case c_ast.Cast() if isinstance(self.types.resolve(node.to_type, self.scope), VoidType):
                self.effect(node.expr)
            case c_ast.TernaryOp() if not self.pure(node):
                yes, no, end = self.graph.location(), self.graph.location(), self.graph.location()
                self.branch(node.cond, yes, no)
                for start, part in ((yes, node.iftrue), (no, node.iffalse)):
                    self.graph.current = start
                    if not (isinstance(part, c_ast.ID) and part.name == "__circ_condition"):
                        self.effect(part)
                    self.graph.jump(end)
                self.graph.current = end
            case c_ast.BinaryOp(op="&&" | "||") if not self.pure(node):
                end = self.graph.location()
                self.branch(node, end, end)
                self.graph.current = end
            case _:
                self.value(node)

    def _constant(self, node: c_ast.Constant) -> Operand:
        match node.type:
            case "string":
                return self.load(self._string(node), node)
            case _ if node.value[0] in "'LuU":
                value, t = literals.character(node.value, self.ints, self.unit.where(node))
                return Value(t, Const(value, t.scalar))
            case "bool":
                return Value(self.ints.bool, TRUE if node.value == "true" else FALSE)
            case "nullptr_t":
                return Value(PointerType(VoidType()), Const(0, self.ints.pointer))
            case "float" | "double" | "long double" | "_Decimal32" | "_Decimal64" | "_Decimal128":
                kind = self.types.resolve(c_ast.IdentifierType(node.type.split()), self.scope)
                assert isinstance(kind, FloatType)
                return Floating(kind, self.math.rounded(literals.floating(node.value), kind))
            case _:
                value, t = literals.integer(node.value, self.ints)
                return Value(t, Const(value, t.scalar))

    def _name(self, node: c_ast.ID) -> Operand:
        if node.name == "__circ_condition" and self.conditions:
            return self.conditions[-1]
        match self.scope.find(node.name):
            case ConstantName(value=value, type=t):
                return Value(t, Const(value, t.scalar))
            case TypeName():
                raise self.unit.error(node, f"'{node.name}' is a type where a value is needed")
        return self.load(self._identifier(node), node)

    def _binary(self, node: c_ast.BinaryOp) -> Operand:
        if node.op in ("&&", "||"):
            return self._logical(node)
        spine = [node]
        while isinstance(spine[-1].left, c_ast.BinaryOp) and spine[-1].left.op not in ("&&", "||"):
            spine.append(spine[-1].left)
        left = self.value(spine[-1].left)
        for part in reversed(spine):
            if id(part.right) in self.syntax.effectful or id(part.left) in self.syntax.effectful:
                self.unsequenced(part.left, part.right)
                if isinstance(left, Value):
                    left = self.settled(left, part.right, part)
            left = self.math.binary(part.op, left, self.value(part.right), part)
        return left

    def _unary(self, node: c_ast.UnaryOp) -> Operand:
        match node.op:
            case "&":
                lv = self.lvalue(node.expr)
                if isinstance(lv, Slot):
                    raise self.unit.error(node, f"the address of the register '{text_of(node.expr)}' is taken")
                return self.address(lv.place, node)
            case "*":
                return self.load(self.lvalue(node), node)
            case "++" | "--" | "p++" | "p--":
                return self._step(node, keep=True)
            case "!":
                return Value(self.ints.int, cast(negate(self.condition(node.expr)), self.ints.int.scalar), 2)
            case "sizeof":
                return self._sizeof(node.expr)
            case "_Alignof":
                return Value(self.ints.size, Const(self.types.alignof(self.types.resolve(node.expr, self.scope)),
                                                   self.ints.size.scalar))
            case "+" | "-" | "~":
                return self._sign(node)
        raise self.unit.error(node, f"the operator '{node.op}' is not supported")

    def _sign(self, node: c_ast.UnaryOp) -> Operand:
        v = self.value(node.expr)
        if isinstance(v, Floating):
            return Floating(v.type, -v.number if v.number is not None and node.op == "-" else v.number)
        if not isinstance(v, Value) or not isinstance(v.type, IntType):
            raise self.unit.error(node, f"'{node.op}' needs a number")
        t = self.ints.promote(v.type)
        e = cast(v.expr, t.scalar)
        return Value(t, e, v.depth + 1) if node.op == "+" else self.math.made(t, unary(node.op, e), v.depth + 2, node)

    def _sizeof(self, operand: c_ast.Node) -> Operand:
        size: Expr | None = None
        if isinstance(operand, c_ast.Typename):
            t = self.types.resolve(operand, self.scope)
            if isinstance(operand.type, c_ast.TypeDecl) and isinstance(operand.type.type, c_ast.IdentifierType):
                named = self.scope.find(operand.type.type.names[0])
                size = named.size if isinstance(named, TypeName) else None
        else:
            if isinstance(operand, c_ast.ID):
                entity = self.scope.find(operand.name)
                size = entity.size if isinstance(entity, MemoryName) else None
            t = self.unit.type_of(operand, self.scope)
        if size is not None:
            return Value(self.ints.size, size)
        if not self.math.has_size(t):
            return Value(self.ints.size, self.arbitrary(self.ints.size.scalar, operand))
        return Value(self.ints.size, Const(self.types.sizeof(t), self.ints.size.scalar))

    def _step(self, node: c_ast.UnaryOp, keep: bool) -> Operand:
        """`++` and `--`, before and after; `keep` if the value is used."""
        lv = self.lvalue(node.expr)
        post = node.op[0] == "p"
        one = Value(self.ints.int, Const(1, self.ints.int.scalar))
        if lv.type.quals.atomic and isinstance(lv, Cell):
            self.emit(AtomicBegin(), node)
        old = self.load(lv, node)
        if post and keep and isinstance(lv, Slot) and isinstance(old, Value):
            old = self.spill(old, node)
        new = self.math.convert(self.math.binary(_STEPS[node.op], old, one, node), strip(lv.type), node)
        new = self.store(lv, new, node)
        if lv.type.quals.atomic and isinstance(lv, Cell):
            self.emit(AtomicEnd(), node)
        return old if post else new

    def _assignment(self, node: c_ast.Assignment) -> Operand:
        lv = self.lvalue(node.lvalue)
        if node.op == "=":
            if not isinstance(node.lvalue, c_ast.ID):
                self.unsequenced(node.lvalue, node.rvalue)
                if isinstance(lv, Cell):
                    lv = Cell(self.settled_place(lv.place, node.rvalue, node))
            return self.store(lv, self.math.convert(self.value(node.rvalue), strip(lv.type), node), node)
        self.unsequenced(node.lvalue, node.rvalue)
        if isinstance(lv, Cell):
            lv = Cell(self.settled_place(lv.place, node.rvalue, node))
        atomic = lv.type.quals.atomic and isinstance(lv, Cell)
        if atomic:
            right = self.value(node.rvalue)
            self.emit(AtomicBegin(), node)
            old = self.load(lv, node.lvalue)
        else:
            old = self.load(lv, node.lvalue)
            if isinstance(old, Value):
                old = self.settled(old, node.rvalue, node)
            right = self.value(node.rvalue)
        new = self.math.convert(self.math.binary(node.op[:-1], old, right, node), strip(lv.type), node)
        result = self.store(lv, new, node)
        if atomic:
            self.emit(AtomicEnd(), node)
        return result

    def _cast(self, node: c_ast.Cast) -> Operand:
        t = self.types.resolve(node.to_type, self.scope)
        if isinstance(t, VoidType):
            self.effect(node.expr)
            return Nothing()
        v = self.value(node.expr)
        if isinstance(t, RecordType) and t.union and not isinstance(v, Aggregate):
            raise self.unit.error(node, "a cast to a union is not supported", "use a compound literal")
        return self.math.convert(v, strip(t), node)

    def _generic(self, node: c_ast.GenericSelection) -> Operand:
        chosen = self._decayed(self.unit.type_of(node.expr, self.scope))
        default = None
        for association in node.associations:
            if association.type is None:
                default = association.expr
            elif self.types.resolve(association.type, self.scope) == chosen:
                return self.value(association.expr)
        if default is None:
            raise self.unit.error(node, "no association of _Generic has the type of its operand")
        return self.value(default)

    def _decayed(self, t: CType) -> CType:
        if isinstance(t, ArrayType):
            return PointerType(t.element)
        return PointerType(t) if isinstance(t, FunctionType) else strip(t)

    # ------------------------------------------------------------------------------------------- conditions
    def condition(self, node: c_ast.Node) -> Expr:
        """The value of an expression as a condition."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "!":
            return negate(self.condition(node.expr))
        return self.truth(self.value(node), node)

    def truth(self, v: Operand, node: c_ast.Node) -> Expr:
        match v:
            case Value(expr=e):
                return truth(e)
            case Floating(number=Fraction() as number):
                return TRUE if number else FALSE
            case Floating():
                self.math.floats(node)
                return self.arbitrary(BOOL, node)
        raise self.unit.error(node, f"'{text_of(node)}' is not a scalar")

    def branch(self, node: c_ast.Node, yes: int, no: int) -> None:
        """Evaluate a condition and leave the current location for `yes` or `no`."""
        while isinstance(node, c_ast.UnaryOp) and node.op == "!":
            node, yes, no = node.expr, no, yes
        if isinstance(node, c_ast.BinaryOp) and node.op in ("&&", "||") and not self.pure(node):
            terms = self._terms(node)
            for term in terms[:-1]:
                following = self.graph.location()
                if node.op == "&&":
                    self.branch(term, following, no)
                else:
                    self.branch(term, yes, following)
                self.graph.current = following
            self.branch(terms[-1], yes, no)
            return
        self.graph.branch(self.condition(node), yes, no, self.unit.where(node), text_of(node))

    @staticmethod
    def _terms(node: c_ast.BinaryOp) -> list[c_ast.Node]:
        terms: list[c_ast.Node] = []
        part: c_ast.Node = node
        while isinstance(part, c_ast.BinaryOp) and part.op == node.op:
            terms.append(part.right)
            part = part.left
        return [part, *reversed(terms)]

    def _logical(self, node: c_ast.BinaryOp) -> Operand:
        """`&&` and `||` as a value: an expression if nothing happens on the way, else a register set on both ways out."""
        t = self.ints.int
        if self.pure(node):
            terms = self._terms(node)
            result = self.condition(terms[0])
            for depth, term in enumerate(terms[1:]):
                result = (both if node.op == "&&" else either)(result, self.condition(term))
                if depth % 16 == 15:
                    result = self.spill(Value(self.ints.bool, result), node).expr
            return Value(t, cast(result, t.scalar), 20)
        yes, no, end = self.graph.location(), self.graph.location(), self.graph.location()
        self.branch(node, yes, no)
        var = self.graph.temporary(t.scalar)
        for start, constant in ((yes, 1), (no, 0)):
            self.graph.current = start
            self.emit(Set(var, Const(constant, t.scalar)), node)
            self.graph.jump(end)
        self.graph.current = end
        return Value(t, Read(var))

    def pure(self, node: c_ast.Node) -> bool:
        """Whether the node is an expression over registers and constants: no access, no side effect, no edge."""
        todo = [node]
        while todo:
            part = todo.pop()
            match part:
                case c_ast.Constant():
                    if part.type in ("string", "float", "double", "long double"):
                        return False
                case c_ast.ID():
                    entity = self.scope.find(part.name)
                    if not (isinstance(entity, ConstantName)
                            or (isinstance(entity, RegisterName) and not isinstance(entity.type, FloatType))):
                        return False
                case c_ast.UnaryOp(op="sizeof" | "_Alignof"):
                    if not isinstance(part.expr, (c_ast.Typename, c_ast.ID)):
                        return False
                case c_ast.UnaryOp(op="!" | "-" | "~" | "+"):
                    todo.append(part.expr)
                case c_ast.BinaryOp():
                    todo.extend((part.left, part.right))
                case c_ast.Cast():
                    if isinstance(self.types.resolve(part.to_type, self.scope), (FloatType, VoidType)):
                        return False
                    todo.append(part.expr)
                case c_ast.TernaryOp():
                    todo.extend((part.cond, part.iftrue, part.iffalse))
                case _:
                    return False
        return True

    def _conditional(self, node: c_ast.TernaryOp) -> Operand:
        elvis = isinstance(node.iftrue, c_ast.ID) and node.iftrue.name == "__circ_condition"
        cond: Expr | None = None
        if elvis:
            kept = self.value(node.cond)
            if isinstance(kept, Value) and kept.depth:
                kept = self.spill(kept, node)
            cond = self.truth(kept, node.cond)
            self.conditions.append(kept)
        elif self.pure(node.cond):
            cond = self.condition(node.cond)
        if isinstance(cond, Const):
            result = self._taken(node, bool(cond.value))
        else:
            yes, no = self.graph.location(), self.graph.location()
            before = self.graph.current
            if cond is None:
                self.branch(node.cond, yes, no)
            result = self._two_ways(node, cond, before, yes, no)
        if elvis:
            self.conditions.pop()
        return result

    def _taken(self, node: c_ast.TernaryOp, first: bool) -> Operand:
        """A conditional whose condition is constant: one branch is evaluated, both have a say in the type."""
        taken, other = (node.iftrue, node.iffalse) if first else (node.iffalse, node.iftrue)
        v = self.value(taken)
        scratch = self.unit.scratch(self.scope)
        scratch.conditions = self.conditions
        t = self.math.common(v, scratch.value(other), node)
        return Nothing() if t is None else self.math.convert(v, t, node)

    def _two_ways(self, node: c_ast.TernaryOp, cond: Expr | None, before: int, yes: int, no: int) -> Operand:
        graph = self.graph
        graph.current = yes
        mark = graph.mark
        then = self.value(node.iftrue)
        quiet = graph.mark == mark
        then_end = graph.current
        graph.current = no
        mark = graph.mark
        other = self.value(node.iffalse)
        quiet = quiet and graph.mark == mark
        other_end = graph.current
        t = self.math.common(then, other, node)
        if cond is not None and quiet and isinstance(then, Value) and isinstance(other, Value) and t is not None:
            graph.current = before
            a, b = self.math.convert(then, t, node), self.math.convert(other, t, node)
            assert isinstance(a, Value) and isinstance(b, Value) and isinstance(t, (IntType, PointerType))
            return self.math.made(t, Ite(cond, a.expr, b.expr), max(a.depth, b.depth, 8) + 1, node)
        if cond is not None:
            graph.current = before
            graph.branch(cond, yes, no, self.unit.where(node.cond), text_of(node.cond))
        end = graph.location()
        target: Lvalue | None = None
        result: Operand = Nothing()
        if isinstance(t, (IntType, PointerType)):
            target = Slot(graph.temporary(self.ints.scalar(t)), t)
        elif isinstance(t, RecordType):
            symbol = self.local("<conditional>", t, node)
            target = Cell(Place(symbol.name, (), t, t))
        elif isinstance(t, FloatType):
            result = Floating(t)
        for last, v, part in ((then_end, then, node.iftrue), (other_end, other, node.iffalse)):
            graph.current = last
            if target is not None and t is not None:
                result = self.store(target, self.math.convert(v, t, node), part)
            graph.jump(end)
        graph.current = end
        return result

    # ------------------------------------------------------------------------------------------- order
    def settled(self, v: Value, later: c_ast.Node, node: c_ast.Node) -> Value:
        """The value, in a register of its own if evaluating `later` changes a register it reads."""
        if id(later) in self.syntax.effectful and self._assigned(later) & variables(v.expr):
            return self.spill(v, node)
        return v

    def settled_place(self, place: Place, later: c_ast.Node, node: c_ast.Node) -> Place:
        if id(later) not in self.syntax.effectful:
            return place
        changed = self._assigned(later)
        base = place.base
        if not isinstance(base, str) and variables(base) & changed:
            base = self.spill(Value(PointerType(place.base_type), base), node).expr
        path = tuple(
            Index(self.spill(Value(self.ints.int, s.value), node).expr)
            if isinstance(s, Index) and variables(s.value) & changed else s
            for s in place.path)
        return Place(base, path, place.type, place.base_type)

    def _assigned(self, node: c_ast.Node) -> frozenset[str]:
        """The registers that evaluating the node assigns."""
        found = (self.scope.find(name) for name in effects(node).assigned)
        return frozenset(e.var.name for e in found if isinstance(e, RegisterName))

    def unsequenced(self, first: c_ast.Node, second: c_ast.Node) -> None:
        """Record the assumption on the order of two operands if it could matter."""
        if id(first) not in self.syntax.effectful and id(second) not in self.syntax.effectful:
            return
        a, b = effects(first), effects(second)
        if a.assigned & b.mentioned or b.assigned & a.mentioned or self._interferes(a, b) or self._interferes(b, a):
            self.unit.assume(ORDER, self.unit.where(second))

    def _interferes(self, a: Effects, b: Effects) -> bool:
        """Whether a function that `a` calls could see or change what `b` uses."""
        if not any(name is None or self.unit.defined(name) for name in a.called):
            return False
        return any(name is None or self.unit.defined(name) for name in b.called) or any(
            isinstance(self.scope.find(name), MemoryName) for name in b.mentioned)

    # ------------------------------------------------------------------------------------------- constants and types
    def constant(self, node: c_ast.Node) -> int | None:
        """The value of an integer constant expression, None if it is not one. Only for a lowering that is thrown away."""
        if isinstance(node, c_ast.Constant) and node.type == "int" and node.value[0] != "'":
            return literals.integer(node.value, self.ints)[0]
        v = self.value(node)
        return v.expr.value if isinstance(v, Value) and isinstance(v.expr, Const) else None

    def type_of(self, node: c_ast.Node) -> CType:
        """The type of an expression; arrays stay arrays. Only for a lowering that is thrown away."""
        if isinstance(node, _LVALUES) or (isinstance(node, c_ast.UnaryOp) and node.op == "*") \
                or (isinstance(node, c_ast.Constant) and node.type == "string"):
            if isinstance(node, c_ast.ID) and isinstance(self.scope.find(node.name), (ConstantName, type(None))):
                return self.value(node).type
            return self.lvalue(node).type
        return self.value(node).type

    # ------------------------------------------------------------------------------------------- initialisers
    def initialise(self, place: Place, parts: list[Leaf], node: c_ast.Node) -> None:
        """Store the initialiser of a local aggregate, element by element, zero where it says nothing."""
        from frontend.initialise import store_all

        store_all(self, place, parts, node)

    def static(self, parts: list[Leaf]) -> tuple[tuple[tuple[Step, ...], int | AddressValue], ...]:
        """The start values of an object with static storage."""
        from frontend.initialise import link_values

        return link_values(self, parts)
