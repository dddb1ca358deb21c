"""Types of variable length: the expressions in a type are evaluated where C evaluates the type.

That is where control passes over a declaration or a typedef, in casts, compound literals, `typeof`, `va_arg`, and in
`sizeof` of a type; on entry to a function, in the types of its parameters. Parameters in other function types are in
prototype scope: nothing there is evaluated. `_Alignof` evaluates nothing.
"""

from __future__ import annotations

from pycparser import c_ast

from frontend.ctypes import ArrayType, CType, FunctionType, PointerType
from frontend.ctypes.conversions import binary
from frontend.ctypes.scope import MemoryName, TypeName
from frontend.lower.lowering import Lowering
from frontend.lower.operands import ScalarValue
from frontend.program import Const, Expr


def variably_modified(t: CType) -> bool:
    """Whether the type is an array of variable length or leads to one, so that an operand of this type is evaluated."""
    match t:
        case ArrayType(element=element, length=length, variable=variable):
            return variable or length is None or variably_modified(element)
        case PointerType(target=target):
            return variably_modified(target)
        case FunctionType(result=result):
            return variably_modified(result)
    return False


def evaluate_type(x: Lowering, node: c_ast.Node) -> Expr | None:
    """Evaluate the expressions in a type, outermost first; the size in bytes if it is an array of variable length."""
    match node:
        case c_ast.Typename() | c_ast.Decl() | c_ast.Typedef() | c_ast.TypeDecl() | c_ast.AttributedType():
            return evaluate_type(x, node.type)
        case c_ast.PtrDecl() | c_ast.FuncDecl():
            evaluate_type(x, node.type)
        case c_ast.ArrayDecl():
            return _array(x, node)
        case c_ast.IdentifierType():
            named = x.scope.find(node.names[0])
            return named.size if isinstance(named, TypeName) else None
        case c_ast.Struct() | c_ast.Union():  # GNU C has members of variable length
            for member in node.decls or ():
                evaluate_type(x, member)
        case c_ast.TypeOf(expr=c_ast.Typename() as operand):
            return evaluate_type(x, operand)
        case c_ast.TypeOf(expr=operand):
            return evaluate_operand(x, operand)[1]
    return None


def evaluate_operand(x: Lowering, operand: c_ast.Node) -> tuple[CType, Expr | None]:
    """The type of an operand of `sizeof` or `typeof`, and its size if it varies; it is evaluated only if the type varies."""
    t = x.unit.type_of(operand, x.scope)
    if isinstance(operand, c_ast.ID):
        entity = x.scope.find(operand.name)
        return t, entity.size if isinstance(entity, MemoryName) else None
    if isinstance(t, ArrayType) and variably_modified(t):
        x.lvalue(operand)
    elif variably_modified(t):
        x.effect(operand)
    return t, None


def _array(x: Lowering, node: c_ast.ArrayDecl) -> Expr | None:
    given = node.dim is not None and not (isinstance(node.dim, c_ast.ID) and node.dim.name == "*")
    length = x.unit.constant(node.dim, x.scope) if given else None
    number: Expr | None = None
    if given and length is None:
        n = x.math.convert(x.value(node.dim), x.ints.size, node)
        assert isinstance(n, ScalarValue)
        number = x.spill(n, node.dim).expr
    size = evaluate_type(x, node.type)
    if length is not None:
        if size is None:
            return None
        number = Const(length, x.ints.size.scalar)
    if number is None:
        return None
    if size is None:
        element = x.types.resolve(node.type, x.scope)
        if not x.math.has_size(element):
            return None
        size = Const(x.types.sizeof(element), x.ints.size.scalar)
    return x.spill(ScalarValue(x.ints.size, binary("*", number, size)), node.dim).expr
