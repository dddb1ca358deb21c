"""Where a lowering puts its code: the graph of one function, its scope, its registers and memory."""

from __future__ import annotations

from pycparser import c_ast

from frontend.ctypes import CType, IntType
from frontend.ctypes.scope import Scope
from frontend.ir import Forget, Instr, MemorySymbol, Set, Storage
from frontend.ir.builder import GraphBuilder
from frontend.lower.operands import Operand, ScalarValue
from frontend.lower.unit import Unit
from frontend.program import Expr, Read, Scalar, Var
from frontend.text.ast_text import text_of
from frontend.text.side_effects import Syntax


class Emitter:
    """The state of one function's lowering (or of none's: constants and types)."""

    def __init__(self, unit: Unit, graph: GraphBuilder, scope: Scope, syntax: Syntax) -> None:
        self.unit = unit
        self.graph = graph
        self.scope = scope
        """The innermost scope at the place that is being lowered."""
        self.syntax = syntax
        self.ints = unit.ints
        self.types = unit.types
        self.memory: list[MemorySymbol] = []
        self.shown: dict[str, str] = {}
        self.integers: set[str] = set()
        """See `Function.integers`."""
        self.cleanups: list[int] = []
        """The cleanup handlers that are pushed in the text before, by number."""
        self.conditions: list[Operand] = []
        """The first operands of the `a ?: b` that are being lowered, innermost last."""

    def emit(self, instr: Instr, node: c_ast.Node, text: str | None = None) -> None:
        """Append an instruction; `text`: what of the source it is shown as, if not the node itself."""
        self.graph.emit(instr, self.unit.where(node), text_of(node) if text is None else text)

    def show(self, register: Var, name: str, t: CType) -> None:
        """A register is a variable of the program, of this name and type."""
        self.shown[register.name] = name
        if isinstance(t, IntType):
            self.integers.add(register.name)

    def arbitrary(self, scalar: Scalar, node: c_ast.Node, why: str = "") -> Expr:
        """A register with any value; `why` as in `Forget`."""
        t = self.graph.temporary(scalar)
        self.emit(Forget((t,), why), node)
        return Read(t)

    def spill(self, v: ScalarValue, node: c_ast.Node) -> ScalarValue:
        """The value in a register of its own."""
        t = self.graph.temporary(v.expr.type)
        self.emit(Set(t, v.expr), node)
        return ScalarValue(v.type, Read(t))

    def local(self, name: str, t: CType, node: c_ast.Node, storage: Storage = Storage.LOCAL) -> MemorySymbol:
        """A new memory symbol of this function (of the file, outside functions)."""
        owner = self.scope.owner
        shown = f"{owner}::{name}" if owner else f"{name}{self.unit.names.label}"
        unique = self.unit.unique(shown)
        while unique.removeprefix(f"{owner}::") in self.graph.registers:
            unique = self.unit.unique(shown)
        self.graph.reserved.add(unique.removeprefix(f"{owner}::"))
        symbol = MemorySymbol(unique, t, storage if owner else Storage.STATIC, shown, location=self.unit.where(node))
        if symbol.storage is Storage.LOCAL:
            self.memory.append(symbol)
        return symbol
