"""Expressions: each memory access becomes one instruction, in C's order; what is left is an expression over registers."""

from __future__ import annotations

from typing import Protocol

from pycparser import c_ast

from frontend.ctypes import ArrayType, CType, FloatType, FunctionType, IntType, PointerType, RecordType, VoidType, literals
from frontend.ctypes.compatible import Compatibility
from frontend.ctypes.conversions import cast, strip, unary
from frontend.ctypes.scope import ConstantName, MemoryName, RegisterName, Scope, TypeName
from frontend.ir import AtomicBegin, AtomicEnd, Place
from frontend.ir.builder import GraphBuilder
from frontend.lower.called import calls
from frontend.lower.conditions import Conditions
from frontend.lower.declared.variable_types import evaluate_operand, evaluate_type, variably_modified
from frontend.lower.lowering import Lowering
from frontend.lower.lvalues import Lvalues, is_lvalue
from frontend.lower.operands import Aggregate, Designated, Floating, InMemory, InRegister, Nothing, Operand, ScalarValue
from frontend.lower.unit import Unit
from frontend.program import FALSE, TRUE, Const, Expr, negate
from frontend.text.ast_text import text_of
from frontend.text.side_effects import Syntax

_STEPS = {"++": "+", "--": "-", "p++": "+", "p--": "-"}


class Blocks(Protocol):
    """What expressions need of the statements around them."""

    def block_value(self, node: c_ast.Compound) -> Operand:
        """The value of a statement expression."""

    def close_all(self, node: c_ast.Node) -> None:
        """End the atomic and critical blocks that are open."""

    def scratch(self) -> Lowering:
        """A lowering in the same scope whose code is thrown away."""


class Expressions(Lowering):
    """Lowers the expressions of one function (or of none: constants and types) into its graph."""

    def __init__(self, unit: Unit, graph: GraphBuilder, scope: Scope, syntax: Syntax, blocks: Blocks) -> None:
        super().__init__(unit, graph, scope, syntax)
        self._blocks = blocks
        self._lvalues = Lvalues(self)
        self._tests = Conditions(self)

    def lvalue(self, node: c_ast.Node) -> Designated:
        """The object (or function) that the node designates."""
        return self._lvalues.lvalue(node)

    def target(self, node: c_ast.Node) -> Place:
        """What the pointer (or array) that the node yields points to."""
        return self._lvalues.target(node)

    def condition(self, node: c_ast.Node) -> Expr:
        """Whether the node is not zero, as an expression."""
        return self._tests.condition(node)

    def branch(self, node: c_ast.Node, yes: int, no: int) -> None:
        """Go on at one of two locations, as the node is zero or not."""
        self._tests.branch(node, yes, no)

    def close(self, node: c_ast.Node) -> None:
        """End the atomic and critical blocks that are open."""
        self._blocks.close_all(node)

    def scratch(self) -> Lowering:
        """A lowering in the same scope whose code is thrown away: for constants and types."""
        return self._blocks.scratch()

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
                return self.objects.load(self._lvalues.lvalue(node), node)
            case c_ast.FuncCall():
                return calls.call(self, node)
            case c_ast.Cast():
                return self._cast(node)
            case c_ast.TernaryOp():
                return self._tests.conditional(node)
            case c_ast.ExprList():
                for part in node.exprs[:-1]:
                    self.effect(part)
                return self.value(node.exprs[-1])
            case c_ast.Compound():
                return self._blocks.block_value(node)
            case c_ast.GenericSelection():
                return self._generic(node)
        raise self.unit.not_modelled(node, f"an expression of this form ({type(node).__name__})")

    def scalar(self, node: c_ast.Node) -> ScalarValue:
        """The value of an expression that must be an integer or a pointer."""
        v = self.value(node)
        if isinstance(v, Floating):
            v = self.math.convert(v, self.ints.named("long long"), node)
        if not isinstance(v, ScalarValue):
            raise self.unit.error(node, f"'{text_of(node)}' has no scalar value", "use a member or an element of it")
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
                evaluate_type(self, node.to_type)
                self.effect(node.expr)
            case c_ast.TernaryOp() if not self._tests.pure(node):
                yes, no, end = self.graph.location(), self.graph.location(), self.graph.location()
                self._tests.branch(node.cond, yes, no)
                for start, part in ((yes, node.iftrue), (no, node.iffalse)):
                    self.graph.current = start
                    if not (isinstance(part, c_ast.ID) and part.name == "__circ_condition"):
                        self.effect(part)
                    self.graph.jump(end)
                self.graph.current = end
            case c_ast.BinaryOp(op="&&" | "||") if not self._tests.pure(node):
                end = self.graph.location()
                self._tests.branch(node, end, end)
                self.graph.current = end
            case _:
                self.value(node)

    def _constant(self, node: c_ast.Constant) -> Operand:
        match node.type:
            case "string":
                return self.objects.load(self._lvalues.string(node), node)
            case _ if node.value[0] in "'LuU":
                value, t = literals.character(node.value, self.ints, self.unit.where(node))
                return ScalarValue(t, Const(value, t.scalar))
            case "bool":
                return ScalarValue(self.ints.bool, TRUE if node.value == "true" else FALSE)
            case "nullptr_t":
                return ScalarValue(PointerType(VoidType()), Const(0, self.ints.pointer))
            case "float" | "double" | "long double" | "_Decimal32" | "_Decimal64" | "_Decimal128":
                kind = self.types.resolve(c_ast.IdentifierType(node.type.split()), self.scope)
                assert isinstance(kind, FloatType)
                return Floating(kind, self.math.rounded(literals.floating(node.value), kind))
            case _:
                value, t = literals.integer(node.value, self.ints)
                return ScalarValue(t, Const(value, t.scalar))

    def _name(self, node: c_ast.ID) -> Operand:
        if node.name == "__circ_condition" and self.conditions:
            return self.conditions[-1]
        match self.scope.find(node.name):
            case ConstantName(value=value, type=t):
                return ScalarValue(t, Const(value, t.scalar))
            case RegisterName(type=declared, value=int(value)) | MemoryName(type=declared, value=int(value)):
                kind = strip(declared)
                assert isinstance(kind, (IntType, PointerType))
                return ScalarValue(kind, Const(value, self.ints.scalar(kind)))
            case TypeName():
                raise self.unit.error(node, f"'{node.name}' is a type where a value is needed",
                                      "write sizeof or a cast, or another name")
        return self.objects.load(self._lvalues.identifier(node), node)

    def _binary(self, node: c_ast.BinaryOp) -> Operand:
        if node.op in ("&&", "||"):
            return self._tests.logical(node)
        spine = [node]
        while isinstance(spine[-1].left, c_ast.BinaryOp) and spine[-1].left.op not in ("&&", "||"):
            spine.append(spine[-1].left)
        first = spine[-1]
        left: Operand
        if first.op == "+" and self._is_array(first.left):
            lv = self._lvalues.element(first.left, first.right, first)
            assert isinstance(lv, InMemory)
            left = self.objects.address(lv.place, spine.pop())
        else:
            left = self.value(first.left)
        for part in reversed(spine):
            if id(part.right) in self.syntax.effectful or id(part.left) in self.syntax.effectful:
                self.order.unsequenced(part.left, part.right)
                if isinstance(left, ScalarValue):
                    left = self.order.settled(left, part.right, part)
            left = self.math.binary(part.op, left, self.value(part.right), part)
        return left

    def _is_array(self, node: c_ast.Node) -> bool:
        entity = self.scope.find(node.name) if isinstance(node, c_ast.ID) else None
        return isinstance(entity, MemoryName) and isinstance(entity.type, ArrayType)

    def _unary(self, node: c_ast.UnaryOp) -> Operand:
        match node.op:
            case "&":
                lv = self._lvalues.lvalue(node.expr)
                if isinstance(lv, InRegister):
                    raise self.unit.error(node, f"the address of the register '{text_of(node.expr)}' is taken",
                                          "declare it without register")
                return self.objects.address(lv.place, node)
            case "*":
                return self.objects.load(self._lvalues.lvalue(node), node)
            case "++" | "--" | "p++" | "p--":
                return self._step(node, keep=True)
            case "!":
                refuted = cast(negate(self._tests.condition(node.expr)), self.ints.int.scalar)
                return self.math.made(self.ints.int, refuted, None, node)
            case "sizeof":
                return self._sizeof(node.expr)
            case "_Alignof":
                return ScalarValue(self.ints.size, Const(self.types.alignment(node.expr, self.scope), self.ints.size.scalar))
            case "+" | "-" | "~":
                return self._sign(node)
        raise self.unit.not_modelled(node, f"the operator '{node.op}'")

    def _sign(self, node: c_ast.UnaryOp) -> Operand:
        v = self.value(node.expr)
        if isinstance(v, Floating):
            if node.op == "-" and v.number is not None:
                return Floating(v.type, -v.number or None)  # no number is -0.0
            return v
        if not isinstance(v, ScalarValue) or not isinstance(v.type, IntType):
            raise self.unit.error(node, f"'{node.op}' needs a number", "use a member or an element of what stands there")
        t = self.ints.promote(v.type)
        e = cast(v.expr, t.scalar)
        return self.math.made(t, e if node.op == "+" else unary(node.op, e), v.depth + 2, node)

    def _sizeof(self, operand: c_ast.Node) -> Operand:
        if isinstance(operand, c_ast.Typename):
            t, size = self.types.resolve(operand, self.scope), evaluate_type(self, operand)
        else:
            t, size = evaluate_operand(self, operand)
        if size is not None:
            return ScalarValue(self.ints.size, size)
        if not self.math.has_size(t):
            return ScalarValue(self.ints.size, self.arbitrary(self.ints.size.scalar, operand, "a size is not known"))
        return ScalarValue(self.ints.size, Const(self.types.sizeof(t), self.ints.size.scalar))

    def _step(self, node: c_ast.UnaryOp, keep: bool) -> Operand:
        """`++` and `--`, before and after; `keep` if the value is used."""
        lv = self._lvalues.lvalue(node.expr)
        post = node.op[0] == "p"
        one = ScalarValue(self.ints.int, Const(1, self.ints.int.scalar))
        if lv.type.quals.atomic and isinstance(lv, InMemory):
            self.emit(AtomicBegin(), node)
        old = self.objects.load(lv, node)
        if post and keep and isinstance(lv, InRegister) and isinstance(old, ScalarValue):
            old = self.spill(old, node)
        new = self.math.convert(self.math.binary(_STEPS[node.op], old, one, node), strip(lv.type), node)
        new = self.objects.store(lv, new, node)
        if lv.type.quals.atomic and isinstance(lv, InMemory):
            self.emit(AtomicEnd(), node)
        return old if post else new

    def _assignment(self, node: c_ast.Assignment) -> Operand:
        lv = self._lvalues.lvalue(node.lvalue)
        if node.op == "=":
            if not isinstance(node.lvalue, c_ast.ID):
                self.order.unsequenced(node.lvalue, node.rvalue, stored=True)
                if isinstance(lv, InMemory):
                    lv = InMemory(self.order.settled_place(lv.place, node.rvalue, node))
            return self.objects.store(lv, self.math.convert(self.value(node.rvalue), strip(lv.type), node), node)
        self.order.unsequenced(node.lvalue, node.rvalue)
        if isinstance(lv, InMemory):
            lv = InMemory(self.order.settled_place(lv.place, node.rvalue, node))
        atomic = lv.type.quals.atomic and isinstance(lv, InMemory)
        if atomic:
            right = self.value(node.rvalue)
            self.emit(AtomicBegin(), node)
            old = self.objects.load(lv, node.lvalue)
        else:
            old = self.objects.load(lv, node.lvalue)
            if isinstance(old, ScalarValue):
                old = self.order.settled(old, node.rvalue, node)
            right = self.value(node.rvalue)
        new = self.math.convert(self.math.binary(node.op[:-1], old, right, node), strip(lv.type), node)
        result = self.objects.store(lv, new, node)
        if atomic:
            self.emit(AtomicEnd(), node)
        return result

    def _cast(self, node: c_ast.Cast) -> Operand:
        t = self.types.resolve(node.to_type, self.scope)
        if variably_modified(t):
            self.order.unsequenced(node.to_type, node.expr)
        evaluate_type(self, node.to_type)
        if isinstance(t, VoidType):
            self.effect(node.expr)
            return Nothing()
        v = self.value(node.expr)
        if isinstance(t, RecordType) and t.union and not isinstance(v, Aggregate):
            raise self.unit.not_modelled(node, "a cast to a union")
        return self.math.convert(v, strip(t), node)

    def _generic(self, node: c_ast.GenericSelection) -> Operand:
        chosen = self._decayed(self.unit.type_of(node.expr, self.scope))
        compatible = Compatibility(self.types.records, self.types.records, one_file=True)
        default = None
        for association in node.associations:
            if association.type is None:
                default = association.expr
            elif compatible(self.types.resolve(association.type, self.scope), chosen):
                return self.value(association.expr)
        if default is None:
            raise self.unit.error(node, "no association of _Generic has the type of its operand", "add one, or default")
        return self.value(default)

    def _decayed(self, t: CType) -> CType:
        if isinstance(t, ArrayType):
            return PointerType(t.element)
        return PointerType(t) if isinstance(t, FunctionType) else strip(t)

    def constant(self, node: c_ast.Node) -> int | None:
        """The value of an integer constant expression, None if it is not one. Only for a lowering that is thrown away."""
        if isinstance(node, c_ast.Constant) and node.type == "int" and node.value[0] != "'":
            return literals.integer(node.value, self.ints)[0]
        self._divides_by_zero(node)
        before, _ = self.graph.mark
        v = self.value(node)
        done, _ = self.graph.mark
        return v.expr.value if isinstance(v, ScalarValue) and isinstance(v.expr, Const) and done == before else None

    def _divides_by_zero(self, node: c_ast.Node) -> None:
        """Raises FrontendError for a constant expression that surely divides by zero."""
        if not isinstance(node, c_ast.BinaryOp) or node.op in ("&&", "||"):
            return
        if node.op in ("/", "%") and self.unit.constant(node.right, self.scope) == 0:
            raise self.unit.error(node, f"'{text_of(node)}' divides by zero in a constant", "correct the divisor")
        self._divides_by_zero(node.left)
        self._divides_by_zero(node.right)

    def type_of(self, node: c_ast.Node) -> CType:
        """The type of an expression; arrays stay arrays. Only for a lowering that is thrown away."""
        if is_lvalue(node):
            if isinstance(node, c_ast.ID) and isinstance(self.scope.find(node.name), (ConstantName, type(None))):
                return self.value(node).type
            return self._lvalues.lvalue(node).type
        return self.value(node).type
