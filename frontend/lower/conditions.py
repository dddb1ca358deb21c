"""Conditions: short circuit, branches, conditional expressions."""

from __future__ import annotations

from fractions import Fraction

from pycparser import c_ast

from frontend.ctypes import FloatType, IntType, PointerType, RecordType, VoidType
from frontend.ctypes.conversions import both, cast, either
from frontend.ctypes.scope import RegisterName, is_constant
from frontend.ir import Place, Set
from frontend.lower.declared.variable_types import variably_modified
from frontend.lower.lowering import Lowering
from frontend.lower.operands import Designated, Floating, InMemory, InRegister, Nothing, Operand, ScalarValue
from frontend.lower.unit import FLOATS
from frontend.program import BOOL, FALSE, TRUE, Const, Expr, Ite, Read, negate, truth
from frontend.text.ast_text import text_of


class Conditions:
    """Truth values of one lowering."""

    def __init__(self, x: Lowering) -> None:
        self._x = x

    def condition(self, node: c_ast.Node) -> Expr:
        """The value of an expression as a condition."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "!":
            return negate(self.condition(node.expr))
        return self.truth(self._x.value(node), node)

    def truth(self, v: Operand, node: c_ast.Node) -> Expr:
        match v:
            case ScalarValue(expr=e):
                return truth(e)
            case Floating(number=Fraction() as number):
                return TRUE if number else FALSE
            case Floating():
                self._x.math.floats(node)
                return self._x.arbitrary(BOOL, node, FLOATS)
        raise self._x.unit.error(node, f"'{text_of(node)}' is not a scalar", "compare a member or an element of it")

    def branch(self, node: c_ast.Node, yes: int, no: int) -> None:
        """Evaluate a condition and leave the current location for `yes` or `no`."""
        while isinstance(node, c_ast.UnaryOp) and node.op == "!":
            node, yes, no = node.expr, no, yes
        if isinstance(node, c_ast.BinaryOp) and node.op in ("&&", "||") and not self.pure(node):
            terms = self._terms(node)
            for term in terms[:-1]:
                following = self._x.graph.location()
                if node.op == "&&":
                    self.branch(term, following, no)
                else:
                    self.branch(term, yes, following)
                self._x.graph.current = following
            self.branch(terms[-1], yes, no)
            return
        self._x.graph.branch(self.condition(node), yes, no, self._x.unit.where(node), text_of(node))

    @staticmethod
    def _terms(node: c_ast.BinaryOp) -> list[c_ast.Node]:
        terms: list[c_ast.Node] = []
        part: c_ast.Node = node
        while isinstance(part, c_ast.BinaryOp) and part.op == node.op:
            terms.append(part.right)
            part = part.left
        return [part, *reversed(terms)]

    def logical(self, node: c_ast.BinaryOp) -> Operand:
        """`&&` and `||` as a value: an expression if nothing happens on the way, else a register set on both ways out."""
        t = self._x.ints.int
        if self.pure(node):
            terms = self._terms(node)
            result = self.condition(terms[0])
            for depth, term in enumerate(terms[1:]):
                result = (both if node.op == "&&" else either)(result, self.condition(term))
                if depth % 16 == 15:
                    result = self._x.spill(ScalarValue(self._x.ints.bool, result), node).expr
            return self._x.math.made(t, cast(result, t.scalar), None, node)
        yes, no, end = self._x.graph.location(), self._x.graph.location(), self._x.graph.location()
        self.branch(node, yes, no)
        var = self._x.graph.temporary(t.scalar)
        for start, constant in ((yes, 1), (no, 0)):
            self._x.graph.current = start
            self._x.emit(Set(var, Const(constant, t.scalar)), node)
            self._x.graph.jump(end)
        self._x.graph.current = end
        return ScalarValue(t, Read(var))

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
                    entity = self._x.scope.find(part.name)
                    if not (is_constant(entity)
                            or (isinstance(entity, RegisterName) and not isinstance(entity.type, FloatType))):
                        return False
                case c_ast.UnaryOp(op="sizeof" | "_Alignof"):
                    if isinstance(part.expr, c_ast.Typename):
                        if variably_modified(self._x.types.resolve(part.expr, self._x.scope)):
                            return False
                    elif not isinstance(part.expr, c_ast.ID):
                        return False
                case c_ast.UnaryOp(op="!" | "-" | "~" | "+"):
                    todo.append(part.expr)
                case c_ast.BinaryOp():
                    todo.extend((part.left, part.right))
                case c_ast.Cast():
                    to = self._x.types.resolve(part.to_type, self._x.scope)
                    if isinstance(to, (FloatType, VoidType)) or variably_modified(to):
                        return False
                    todo.append(part.expr)
                case c_ast.TernaryOp():
                    todo.extend((part.cond, part.iftrue, part.iffalse))
                case _:
                    return False
        return True

    def conditional(self, node: c_ast.TernaryOp) -> Operand:
        elvis = isinstance(node.iftrue, c_ast.ID) and node.iftrue.name == "__circ_condition"
        cond: Expr | None = None
        if elvis:
            kept = self._x.value(node.cond)
            if isinstance(kept, ScalarValue) and kept.depth:
                kept = self._x.spill(kept, node)
            cond = self.truth(kept, node.cond)
            self._x.conditions.append(kept)
        elif self.pure(node.cond):
            cond = self.condition(node.cond)
        if isinstance(cond, Const):
            result = self._taken(node, bool(cond.value))
        else:
            yes, no = self._x.graph.location(), self._x.graph.location()
            before = self._x.graph.current
            if cond is None:
                self.branch(node.cond, yes, no)
            result = self._two_ways(node, cond, before, yes, no)
        if elvis:
            self._x.conditions.pop()
        return result

    def _taken(self, node: c_ast.TernaryOp, first: bool) -> Operand:
        """A conditional whose condition is constant: one branch is evaluated, both have a say in the type."""
        taken, other = (node.iftrue, node.iffalse) if first else (node.iffalse, node.iftrue)
        v = self._x.value(taken)
        scratch = self._x.scratch()
        scratch.conditions = self._x.conditions
        t = self._x.math.common(v, scratch.value(other), node)
        return Nothing() if t is None else self._x.math.convert(v, t, node)

    def _two_ways(self, node: c_ast.TernaryOp, cond: Expr | None, before: int, yes: int, no: int) -> Operand:
        graph = self._x.graph
        graph.current = yes
        mark = graph.mark
        then = self._x.value(node.iftrue)
        quiet = graph.mark == mark
        then_end = graph.current
        graph.current = no
        mark = graph.mark
        other = self._x.value(node.iffalse)
        quiet = quiet and graph.mark == mark
        other_end = graph.current
        t = self._x.math.common(then, other, node)
        if cond is not None and quiet and isinstance(then, ScalarValue) and isinstance(other, ScalarValue) and t is not None:
            graph.current = before
            a, b = self._x.math.convert(then, t, node), self._x.math.convert(other, t, node)
            assert isinstance(a, ScalarValue) and isinstance(b, ScalarValue) and isinstance(t, (IntType, PointerType))
            return self._x.math.made(t, Ite(cond, a.expr, b.expr), None, node)
        if cond is not None and quiet and isinstance(t, FloatType):
            graph.current = before
            return Floating(t)
        if cond is not None:
            graph.current = before
            graph.branch(cond, yes, no, self._x.unit.where(node.cond), text_of(node.cond))
        end = graph.location()
        target: Designated | None = None
        result: Operand = Nothing()
        if isinstance(t, (IntType, PointerType)):
            target = InRegister(graph.temporary(self._x.ints.scalar(t)), t)
        elif isinstance(t, RecordType):
            symbol = self._x.local("<conditional>", t, node)
            target = InMemory(Place(symbol.name, (), t, t))
        elif isinstance(t, FloatType):
            result = Floating(t)
        for last, v, part in ((then_end, then, node.iftrue), (other_end, other, node.iffalse)):
            graph.current = last
            if target is not None and t is not None:
                result = self._x.objects.store(target, self._x.math.convert(v, t, node), part)
            graph.jump(end)
        graph.current = end
        return result
