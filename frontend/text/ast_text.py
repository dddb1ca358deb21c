"""The C text of an AST node, short, for the labels of edges."""

from __future__ import annotations

import re

from pycparser import c_ast

LIMIT = 80

_LEVEL = {"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, "<=": 7, ">": 7, ">=": 7, "==": 6, "!=": 6,
          "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1}
_UNARY, _PRIMARY = 11, 12
_STANDS_FOR = re.compile(r"__circ_(fgets|snprintf|sprintf)(_\d+)?")
"""Functions that are called in place of those of the C library, see `frontend.text.bodies`."""


def text_of(node: c_ast.Node | None) -> str:
    """The node as C on one line; what would be longer than LIMIT ends in `...`."""
    writer = _AstWriter()
    writer.write(node, -1)
    text = "".join(writer.parts)
    return text if len(text) <= LIMIT else text[: LIMIT - 3] + "..."


class _AstWriter:
    """Writes a node until the budget is used up, so that the cost does not depend on the size of the tree."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.depth = 0

    def put(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def write(self, node: c_ast.Node | None, level: int) -> None:
        """`level`: how tightly the context binds (-1: a comma needs no parentheses)."""
        if self.length > LIMIT or node is None:
            return
        if self.depth > 40:
            self.put("...")
            return
        self.depth += 1
        self._write(node, level)
        self.depth -= 1

    def _write(self, node: c_ast.Node, level: int) -> None:  # noqa: C901 - one case for each form of expression
        """The node as C, in parentheses where it binds less tightly than its context; bodies and types in short."""
        match node:
            case c_ast.ID():
                self.put("" if node.name == "__circ_condition" else node.name)
            case c_ast.Constant():
                self.put(node.value)
            case c_ast.ArrayRef():
                self.write(node.name, _PRIMARY)
                self.put("[")
                self.write(node.subscript, -1)
                self.put("]")
            case c_ast.StructRef():
                self.write(node.name, _PRIMARY)
                self.put(node.type)
                self.write(node.field, _PRIMARY)
            case c_ast.FuncCall(name=c_ast.ID(name="__circ_copied"), args=c_ast.ExprList(exprs=[call, *_])):
                self.write(call, level)
            case c_ast.FuncCall(name=c_ast.ID(name=name)) if (stands_for := _STANDS_FOR.fullmatch(name)):
                self.put(f"{stands_for[1]}(")
                self._list(node.args.exprs)
                self.put(")")
            case c_ast.FuncCall():
                self.write(node.name, _PRIMARY)
                self.put("(")
                self._list(node.args.exprs if node.args is not None else [])
                self.put(")")
            case c_ast.UnaryOp(op="*", expr=c_ast.FuncCall(name=c_ast.ID(name="__circ_errno" | "__errno_location"))):
                self.put("errno")
            case c_ast.UnaryOp():
                self._unary(node, level)
            case c_ast.BinaryOp():
                mine = _LEVEL[node.op]
                self._wrapped(level > mine, self._binary, node, mine)
            case c_ast.Assignment():
                self._wrapped(level >= 0, self._assignment, node, 0)
            case c_ast.TernaryOp():
                self._wrapped(level > 0, self._ternary, node, 0)
            case c_ast.Cast(expr=c_ast.Constant(value="0")) if _type_text(node.to_type) == "void *":
                self.put("NULL")
            case c_ast.Cast():
                self.put("(")
                self.write(node.to_type, -1)
                self.put(")")
                self.write(node.expr, _UNARY)
            case c_ast.ExprList():
                self._wrapped(level >= 0, self._comma, node, 0)
            case c_ast.CompoundLiteral():
                self.put("(")
                self.write(node.type, -1)
                self.put("){...}")
            case c_ast.InitList():
                self.put("{")
                self._list(node.exprs)
                self.put("}")
            case c_ast.NamedInitializer():
                self.write(node.expr, 0)
            case c_ast.Compound():
                self.put("({...})")
            case c_ast.Decl():
                self.put(node.name or "")
                if node.init is not None:
                    self.put(" = ")
                    self.write(node.init, 0)
            case c_ast.Return():
                self.put("return ")
                self.write(node.expr, -1)
            case _:
                self.put(_type_text(node))

    def _wrapped(self, needed: bool, inside: object, node: c_ast.Node, level: int) -> None:
        if needed:
            self.put("(")
        assert callable(inside)
        inside(node, level)
        if needed:
            self.put(")")

    def _unary(self, node: c_ast.UnaryOp, level: int) -> None:
        if node.op in ("p++", "p--"):
            self.write(node.expr, _PRIMARY)
            self.put(node.op[1:])
        elif node.op in ("sizeof", "_Alignof"):
            self.put(f"{node.op}(")
            self.write(node.expr, -1)
            self.put(")")
        else:
            self._wrapped(level > _UNARY, self._prefix, node, _UNARY)

    def _prefix(self, node: c_ast.UnaryOp, level: int) -> None:
        self.put(node.op)
        if isinstance(node.expr, c_ast.UnaryOp) and node.expr.op[0] == node.op[0]:
            self.put(" ")
        self.write(node.expr, level)

    def _binary(self, node: c_ast.BinaryOp, mine: int) -> None:
        spine = [node]
        while isinstance(spine[-1].left, c_ast.BinaryOp) and _LEVEL[spine[-1].left.op] == mine:
            spine.append(spine[-1].left)
        self.write(spine[-1].left, mine)
        for part in reversed(spine):
            if self.length > LIMIT:
                return
            self.put(f" {part.op} ")
            self.write(part.right, mine + 1)

    def _assignment(self, node: c_ast.Assignment, level: int) -> None:
        self.write(node.lvalue, _UNARY)
        self.put(f" {node.op} ")
        self.write(node.rvalue, -1 if isinstance(node.rvalue, c_ast.Assignment) else 0)

    def _ternary(self, node: c_ast.TernaryOp, level: int) -> None:
        self.write(node.cond, 1)
        self.put(" ? ")
        self.write(node.iftrue, 0)
        self.put(" : ")
        self.write(node.iffalse, 0)

    def _comma(self, node: c_ast.ExprList, level: int) -> None:
        self._list(node.exprs)

    def _list(self, nodes: list[c_ast.Node]) -> None:
        for i, part in enumerate(nodes):
            if self.length > LIMIT:
                return
            if i:
                self.put(", ")
            self.write(part, 0)


def _type_text(node: c_ast.Node) -> str:
    """A type name without the parts that a label does not need."""
    match node:
        case c_ast.Typename() | c_ast.TypeDecl():
            return _type_text(node.type)
        case c_ast.PtrDecl():
            inner = _type_text(node.type)
            return inner + ("*" if inner.endswith("*") else " *")
        case c_ast.ArrayDecl():
            return f"{_type_text(node.type)}[]"
        case c_ast.FuncDecl():
            return f"{_type_text(node.type)} ()"
        case c_ast.IdentifierType():
            return " ".join(node.names)
        case c_ast.Struct():
            return f"struct {node.name or '{...}'}"
        case c_ast.Union():
            return f"union {node.name or '{...}'}"
        case c_ast.Enum():
            return f"enum {node.name or '{...}'}"
        case _:
            return "..."
