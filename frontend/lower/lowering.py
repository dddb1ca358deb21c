"""What the parts of a lowering may ask of the whole: lowering is recursive, the modules of this folder are not.

The parts (lvalues, conditions, calls, initialisers, ...) are written against `Lowering`; `expressions` puts them together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from pycparser import c_ast

from frontend.ctypes.scope import Scope
from frontend.ir import Place
from frontend.ir.builder import GraphBuilder
from frontend.lower.arithmetic import Arithmetic
from frontend.lower.emitter import Emitter
from frontend.lower.evaluation_order import Order
from frontend.lower.object_access import ObjectAccess
from frontend.lower.operands import Designated, InMemory, Operand, ScalarValue
from frontend.lower.unit import Unit
from frontend.program import Expr
from frontend.text.side_effects import Syntax


class Lowering(Emitter, ABC):
    """Lowers the syntax of one function: every method puts the code of a node behind what there is."""

    def __init__(self, unit: Unit, graph: GraphBuilder, scope: Scope, syntax: Syntax) -> None:
        super().__init__(unit, graph, scope, syntax)
        self.math = Arithmetic(self)
        self.order = Order(self)
        self.objects = ObjectAccess(self, self.math)

    @abstractmethod
    def value(self, node: c_ast.Node) -> Operand:
        """The value of an expression after lvalue conversion, with its side effects done."""

    @abstractmethod
    def scalar(self, node: c_ast.Node) -> ScalarValue:
        """The value of an expression that must be an integer or a pointer."""

    @abstractmethod
    def effect(self, node: c_ast.Node) -> None:
        """Evaluate for the side effects only."""

    @abstractmethod
    def lvalue(self, node: c_ast.Node) -> Designated:
        """The object (or function) that the node designates."""

    @abstractmethod
    def target(self, node: c_ast.Node) -> Place:
        """What the pointer (or array) that the node yields points to."""

    @abstractmethod
    def condition(self, node: c_ast.Node) -> Expr:
        """Whether the node is not zero, as an expression."""

    @abstractmethod
    def branch(self, node: c_ast.Node, yes: int, no: int) -> None:
        """Go on at one of two locations, as the node is zero or not."""

    @abstractmethod
    def close(self, node: c_ast.Node) -> None:
        """End the atomic and critical blocks that are open."""

    @abstractmethod
    def scratch(self) -> Lowering:
        """A lowering in the same scope whose code is thrown away: for constants and types."""

    def pointed(self, node: c_ast.Node) -> Designated:
        """What a pointer argument of a builtin points to; `&x` may name a register."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            return self.lvalue(node.expr)
        return InMemory(self.target(node))
