"""Declarations in blocks: registers, objects of the function, statics, arrays of variable length."""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast

from frontend.ctypes import ArrayType, CType, FloatType, FunctionType, IntType, PointerType, RecordType, VoidType
from frontend.ctypes.conversions import strip
from frontend.ctypes.scope import FunctionName, MemoryName, RegisterName, Scope
from frontend.ir import Forget, MemorySymbol, Place, Storage
from frontend.lower.declared.initialisers import leaves, link_values, store_all
from frontend.lower.declared.variable_types import evaluate_type
from frontend.lower.lowering import Lowering
from frontend.lower.operands import InRegister, ScalarValue
from frontend.program import Const, Expr, Scalar

THREAD_LOCAL = ("_Thread_local", "thread_local", "__thread")


class Locals:
    """Enters the declarations of one function's blocks."""

    def __init__(self, x: Lowering) -> None:
        self._x = x

    def declare(self, node: c_ast.Decl | c_ast.Typedef, again: bool) -> None:
        """A declaration in a block; `again` if control may pass it more than once in an activation."""
        x = self._x
        if isinstance(node, c_ast.Typedef):
            x.scope.names[node.name] = x.types.typedef(node, x.scope, evaluate_type(x, node))
            return
        x.types.declare_tags(node, x.scope)
        size = evaluate_type(x, node)
        if node.name is None:
            if isinstance(node.type, (c_ast.Struct, c_ast.Union)) and node.type.decls is None and node.type.name:
                x.types.record(node.type, x.scope)
            return
        t = self._declared_type(node)
        x.types.check_alignment(node, t, x.scope)
        if isinstance(t, FunctionType):
            known = _file_scope(x.scope).find(node.name)
            x.scope.names[node.name] = known if isinstance(known, FunctionName) else FunctionName(
                x.unit.names.external(node.name, x.unit.where(node)), t)
        elif "extern" in node.storage:
            self._extern(node, t)
        elif "static" in node.storage or any(s in node.storage for s in THREAD_LOCAL):
            self._static(node, t)
        else:
            self._automatic(node, t, again, size)

    def _declared_type(self, node: c_ast.Decl) -> CType:
        inner = node.type
        if isinstance(inner, c_ast.TypeDecl) and isinstance(inner.type, c_ast.InferredType):
            assert node.init is not None
            found = strip(self._x.scratch().value(node.init).type)
            return self._x.types.qualified(found, inner.quals)
        return self._x.types.resolve(node, self._x.scope)

    def _extern(self, node: c_ast.Decl, t: CType) -> None:
        x = self._x
        scope = _file_scope(x.scope)
        found = scope.find(node.name)
        if found is None:
            where = x.unit.where(node)
            known_as = x.unit.names.external(node.name, where)
            found = MemoryName(known_as, t)
            x.unit.symbols.setdefault(known_as,
                                      MemorySymbol(known_as, t, Storage.GLOBAL, known_as, defined=False, location=where))
            scope.names[node.name] = found
        x.scope.names[node.name] = found

    def _static(self, node: c_ast.Decl, t: CType) -> None:
        x = self._x
        own = any(s in node.storage for s in THREAD_LOCAL)
        symbol = x.local(node.name, t, node, Storage.THREAD if own else Storage.STATIC)
        x.scope.names[node.name] = MemoryName(symbol.name, t)
        if node.init is not None:
            t, parts = leaves(x, t, node.init)
            symbol = replace(symbol, type=t, initial=link_values(x, parts))
            x.scope.names[node.name] = MemoryName(symbol.name, t, value=fixed_value(symbol))
        attributes = tuple(a.name for a in x.unit.parsed.record_attributes(node))
        x.unit.symbols[symbol.name] = replace(symbol, attributes=attributes)

    def _automatic(self, node: c_ast.Decl, t: CType, again: bool, size: Expr | None) -> None:
        """`size`: in bytes, of an array of variable length."""
        x = self._x
        if isinstance(t, VoidType):
            raise x.unit.error(node, f"'{node.name}' has type void", "declare it with a type that has values")
        if isinstance(t, (IntType, PointerType, FloatType)) and node.name not in x.syntax.taken:
            self._register(node, t, again)
            return
        symbol = x.local(node.name, t, node)
        x.scope.names[node.name] = MemoryName(symbol.name, t, size)
        if node.init is None:
            return
        if isinstance(t, (ArrayType, RecordType)):
            t, parts = leaves(x, t, node.init)
            if t != symbol.type:
                symbol = replace(symbol, type=t)
                x.memory[-1] = symbol
                x.scope.names[node.name] = MemoryName(symbol.name, t)
            store_all(x, Place(symbol.name, (), t, t), parts, node)
        else:
            x.objects.assign(Place(symbol.name, (), t, t), x.value(_scalar_init(node.init)), node)

    def _register(self, node: c_ast.Decl, t: IntType | PointerType | FloatType, again: bool) -> None:
        x = self._x
        scalar = Scalar(t.bits, False) if isinstance(t, FloatType) else x.ints.scalar(t)
        var = x.graph.register(node.name, scalar)
        x.show(var, node.name, t)
        x.scope.names[node.name] = RegisterName(var, t)
        if node.init is not None:
            v = x.math.convert(x.value(_scalar_init(node.init)), strip(t), node)
            x.objects.store(InRegister(var, t), v, node)
            if fixed(t) and isinstance(v, ScalarValue) and isinstance(v.expr, Const):
                x.scope.names[node.name] = RegisterName(var, t, v.expr.value)
        elif again and not isinstance(t, FloatType):
            x.emit(Forget((var,)), node)


def fixed(t: CType) -> bool:
    """Whether an object of the type keeps the value of its initialiser."""
    return isinstance(t, (IntType, PointerType)) and t.quals.const and not t.quals.volatile and not t.quals.atomic


def fixed_value(symbol: MemorySymbol) -> int | None:
    """The value of a `const` scalar that is initialised with a constant, None for any other symbol."""
    if not fixed(symbol.type):
        return None
    value = next((v for _, v in symbol.initial), 0)
    return value if isinstance(value, int) else None


def _file_scope(scope: Scope) -> Scope:
    while scope.parent is not None:
        scope = scope.parent
    return scope


def _scalar_init(init: c_ast.Node) -> c_ast.Node:
    """The expression of a scalar's initialiser, which may stand in braces."""
    while isinstance(init, c_ast.InitList) and init.exprs:
        init = init.exprs[0]
    return init if not isinstance(init, c_ast.InitList) else c_ast.Constant("int", "0", init.coord)
