"""Function calls: those of the program, and the functions whose meaning the lowering knows itself."""

from __future__ import annotations

import re

from pycparser import c_ast

from frontend.ctypes import CType, FloatType, FunctionType, IntType, PointerType, RecordType, VoidType
from frontend.ctypes.conversions import strip
from frontend.ctypes.declarations import adjusted
from frontend.ctypes.scope import FunctionName
from frontend.ir import AtomicBegin, AtomicEnd, Call, Copy, Fail, FailKind, Guard, Place
from frontend.ir.builder import GraphBuilder
from frontend.ir.library_table import POP, PUSH
from frontend.ir.thread_library import THREAD_LIBRARY, ThreadCall
from frontend.lower.called import assembly_statements as asm_statements
from frontend.lower.called import atomics, builtins
from frontend.lower.called.arguments import Arguments
from frontend.lower.lowering import Lowering
from frontend.lower.operands import Aggregate, Floating, Nothing, Operand, ScalarValue
from frontend.program import Const, Expr, Read, Scalar, Var
from frontend.text.ast_text import text_of
from frontend.text.keywords import LABEL_ADDRESS

_STOPS = frozenset({"abort", "exit", "_exit", "_Exit", "quick_exit", "__builtin_unreachable", "__builtin_trap",
                    "__builtin_abort", "__builtin_exit"})
_EXITS = frozenset({"exit", "quick_exit", "__builtin_exit"})
_BEGINS = frozenset({"__VERIFIER_atomic_begin", "__nesc_atomic_start"})
_ENDS = frozenset({"__VERIFIER_atomic_end", "__nesc_atomic_end"})
_ASSUMES = frozenset({"assume", "__VERIFIER_assume", "__builtin_assume", "circ_assume"})
_ASSERTS = frozenset({"assert", "circ_assert"})
_ASSERT_FAILS = frozenset({"__assert_fail", "__assert_rtn", "__assert", "__assert_perror_fail", "__assert_func", "__assert_c99"})
_ERRORS = frozenset({"reach_error", "__VERIFIER_error"})
_JUMPS = frozenset({"longjmp", "_longjmp", "siglongjmp", "__builtin_longjmp", "__longjmp_chk"})
_CLEANUPS = {"__circ_cleanup_push": PUSH, "__pthread_register_cancel": PUSH, "__circ_cleanup_pop": POP,
             "__pthread_unregister_cancel": POP}
"""What `pthread_cleanup_push` and `pthread_cleanup_pop` are made of, here and in the GNU library."""
_SAVES = frozenset({"__sigsetjmp", "__sigsetjmp_cancel", "_setjmp"})
_WHOLE = frozenset({"free", "cfree", "memset", "bzero", "explicit_bzero", "memcpy", "memmove", "memcmp"})
"""Functions of the library that are told how many bytes they touch, or touch all of an object."""
_NONDET = {"int": "int", "uint": "unsigned int", "unsigned": "unsigned int", "unsigned_int": "unsigned int", "char": "char",
           "uchar": "unsigned char", "unsigned_char": "unsigned char", "short": "short", "ushort": "unsigned short",
           "long": "long", "ulong": "unsigned long", "longlong": "long long", "ulonglong": "unsigned long long",
           "bool": "_Bool", "_Bool": "_Bool", "int128": "__int128", "uint128": "unsigned __int128", "u32": "unsigned int",
           "u16": "unsigned short", "u8": "unsigned char", "loff_t": "long long", "size_t": "unsigned long"}


def call(x: Lowering, node: c_ast.FuncCall, wanted: bool = True) -> Operand:
    """The value of a call; `wanted` is False if it is thrown away."""
    if isinstance(node.name, c_ast.ID):
        name = node.name.name
        entity = x.scope.find(name)
        if entity is None or isinstance(entity, FunctionName):
            known = _known(x, name, node)
            if known is not None:
                return known
            t = entity.type if isinstance(entity, FunctionName) else FunctionType(x.ints.int, (), True)
            name = entity.name if isinstance(entity, FunctionName) else x.unit.names.external(name, x.unit.where(node))
            if name.startswith("__builtin_"):
                name = _plain_name(name)
                named = x.scope.find(name)
                t = named.type if isinstance(named, FunctionName) else t
            return _call(x, name, t, node, wanted)
    return _indirect(x, node, wanted)


def arguments(node: c_ast.FuncCall) -> list[c_ast.Node]:
    return list(node.args.exprs) if node.args is not None else []


def _indirect(x: Lowering, node: c_ast.FuncCall, wanted: bool) -> Operand:
    callee = node.name
    while isinstance(callee, c_ast.UnaryOp) and callee.op == "*":
        callee = callee.expr  # `(*f)()` is `f()`
    if callee is not node.name and isinstance(callee, c_ast.ID) and isinstance(x.scope.find(callee.name), FunctionName):
        return call(x, c_ast.FuncCall(callee, node.args, node.coord), wanted)
    v = x.value(callee)
    if isinstance(v, ScalarValue) and isinstance(v.type, PointerType):
        t = v.type.target
        if isinstance(t, PointerType):
            # One `*` too many was taken away: the pointer to a function is itself in memory.
            v = x.objects.load(x.lvalue(c_ast.UnaryOp("*", callee, callee.coord)), node)
            t = t.target
        if isinstance(v, ScalarValue) and isinstance(t, FunctionType):
            return _call(x, v, t, node, wanted)
    raise x.unit.error(node, f"'{text_of(node.name)}' is not a function", "call a function or a pointer to one")


def _call(x: Lowering, callee: str | ScalarValue, t: FunctionType, node: c_ast.FuncCall, wanted: bool) -> Operand:
    nodes = arguments(node)
    x.order.all_unsequenced([node.name, *nodes] if not isinstance(callee, str) else nodes)
    if isinstance(callee, str) and len(nodes) < len(t.params) and not x.unit.defined(callee):
        raise x.unit.error(node, f"'{text_of(node.name)}' has too few arguments", f"it takes {len(t.params)}")
    args: list[Expr | Place] = []
    for i, arg in enumerate(nodes):
        v = x.value(arg)
        param = t.params[i] if i < len(t.params) else None
        for later in nodes[i + 1:]:
            if isinstance(v, ScalarValue):
                v = x.order.settled(v, later, arg)
        if param is None and isinstance(v, ScalarValue) and (not isinstance(callee, str) or x.unit.defined(callee)):
            x.math.as_bytes(v.type)  # no parameter says what the function takes it for
        args.append(_argument(x, v, param if not _uses_up(x, callee, t, v, wanted) else None, arg))
    if isinstance(callee, str) and THREAD_LIBRARY.get(callee) is ThreadCall.EXIT:
        x.close(node)
    result, operand = _result(x, t.result, node, wanted)
    x.emit(Call(result, callee if isinstance(callee, str) else callee.expr, tuple(args), t), node)
    if isinstance(callee, str) and ((callee in _JUMPS and not x.unit.defined(callee)) or x.unit.noreturn(callee)):
        x.graph.stop()
    return operand


def _uses_up(x: Lowering, callee: str | ScalarValue, t: FunctionType, v: Operand, wanted: bool) -> bool:
    """Whether no pointer to bytes comes out of a call with this pointer again, so that it need not be taken for one."""
    kept = wanted and isinstance(t.result, PointerType)
    return (isinstance(callee, str) and callee in _WHOLE and not kept and not x.unit.defined(callee)
            and isinstance(v, ScalarValue) and isinstance(v.type, PointerType))


def _argument(x: Lowering, v: Operand, param: CType | None, node: c_ast.Node) -> Expr | Place:
    """The argument converted to the parameter's type, or promoted if there is none."""
    if isinstance(v, Aggregate):
        symbol = x.local("<argument>", v.type, node)
        place = Place(symbol.name, (), v.type, v.type)
        x.emit(Copy(place, v.place), node)
        return place
    if param is not None and not isinstance(param, RecordType):
        v = x.math.convert(v, strip(adjusted(param)), node)
    elif isinstance(v, ScalarValue) and isinstance(v.type, IntType):
        v = x.math.convert(v, x.ints.promote(v.type), node)
    if isinstance(v, ScalarValue):
        return v.expr
    if isinstance(v, Floating):
        return Read(_unassigned(x.graph, Scalar(v.type.bits, False)))
    raise x.unit.error(node, f"'{text_of(node)}' has no value", "do not use the value of a void expression")


def _unassigned(graph: GraphBuilder, scalar: Scalar) -> Var:
    """A register that is never assigned, so it holds an arbitrary value."""
    name = f"%any {scalar}"
    return graph.registers.setdefault(name, Var(name, scalar))


def _result(x: Lowering, t: CType, node: c_ast.Node, wanted: bool) -> tuple[Var | Place | None, Operand]:
    t = strip(t)
    match t:
        case VoidType():
            return None, Nothing()
        case RecordType():
            symbol = x.local("<result>", t, node)
            place = Place(symbol.name, (), t, t)
            return place, Aggregate(t, place)
        case FloatType():
            return None, Floating(t)
        case IntType() | PointerType() if wanted:
            var = x.graph.temporary(x.ints.scalar(t))
            return var, ScalarValue(t, Read(var))
    return None, Nothing()


# --------------------------------------------------------------------------------------------------- known functions
def _known(x: Lowering, name: str, node: c_ast.FuncCall) -> Operand | None:
    """The meaning of a function that is not called as one; None for all others."""
    if name in _CLEANUPS or (name in _SAVES and "__cancel_jmp_buf" in text_of(node)):
        return _cleanup(x, name, node)
    if name in _BEGINS or name in _ENDS:
        for arg in arguments(node):
            x.effect(arg)
        x.emit(AtomicBegin(name) if name in _BEGINS else AtomicEnd(name), node)
        return _declared_value(x, name)
    if name in _ERRORS or name in _ASSERT_FAILS:
        return _fail(x, FailKind.REACH_ERROR if name in _ERRORS else FailKind.ASSERT, node)
    if name == LABEL_ADDRESS:
        pointer, label = PointerType(VoidType()), next(iter(arguments(node)), None)
        if not isinstance(label, c_ast.ID):
            raise x.unit.error(node, "'&&' is not followed by the name of a label", "write && and a label")
        return ScalarValue(pointer, Const(x.unit.label(x.scope.owner, label.name), x.ints.scalar(pointer)))
    if name == "__circ_asm":
        return asm_statements.lowered(x, arguments(node), node)
    if x.unit.defined(name):
        return None
    if name in _STOPS:
        for arg in arguments(node):
            x.effect(arg)
        if name in _EXITS:
            x.close(node)
            x.emit(Call(None, name.removeprefix("__builtin_"), (), FunctionType(VoidType(), ())), node)
        x.graph.stop()
        return Nothing()
    if name in _ASSERTS and arguments(node):
        return _assertion(x, node)
    if name in _ASSUMES and arguments(node):
        cond = x.condition(arguments(node)[0])
        x.emit(Guard(cond), node)
        return Nothing()
    if name == "nondet" or name.startswith("__VERIFIER_nondet_"):
        return _nondet(x, name, node)
    return atomics.atomic(x, name, node) or builtins.builtin(x, name, node)


def _cleanup(x: Lowering, name: str, node: c_ast.FuncCall) -> Operand:
    """Cleanup handlers, which are pushed and popped in pairs in the text."""
    if name not in _CLEANUPS:
        return ScalarValue(x.ints.int, Const(0, x.ints.int.scalar))  # nobody comes back here: handlers run where the thread ends
    type_ = FunctionType(VoidType(), ())
    if _CLEANUPS[name] == POP:
        if not x.cleanups:
            raise x.unit.error(node, "pthread_cleanup_pop without pthread_cleanup_push", "write them in pairs in one block")
        x.emit(Call(None, POP, (Const(x.cleanups.pop(), x.ints.int.scalar),), type_), node, "pthread_cleanup_pop")
        return Nothing()
    given = [c_ast.ID("__cancel_routine", node.coord), c_ast.ID("__cancel_arg", node.coord)]
    if name == "__circ_cleanup_push":
        written = Arguments(x, node)
        given = [written[0], written[1]]
    routine, argument = (x.value(arg) for arg in given)
    if not (isinstance(routine, ScalarValue) and isinstance(argument, ScalarValue)):
        raise x.unit.error(node, "pthread_cleanup_push takes a function and a pointer", "see its manual")
    number = x.graph.current
    x.cleanups.append(number)
    x.emit(Call(None, PUSH, (Const(number, x.ints.int.scalar), routine.expr, argument.expr), type_), node, "pthread_cleanup_push")
    return Nothing()


def _declared_value(x: Lowering, name: str) -> Operand:
    """An arbitrary value of the declared result type, else an int (the interrupt state that `__nesc_atomic_start` saves)."""
    entity = x.scope.find(name)
    t = strip(entity.type.result) if isinstance(entity, FunctionName) else x.ints.int
    if isinstance(t, (IntType, PointerType)):
        return ScalarValue(t, Read(_unassigned(x.graph, x.ints.scalar(t))))
    return Nothing()


def _fail(x: Lowering, kind: FailKind, node: c_ast.FuncCall) -> Operand:
    nodes = arguments(node)
    text = text_of(node)
    if kind is FailKind.ASSERT and nodes and isinstance(nodes[0], c_ast.Constant) and nodes[0].type == "string":
        text = f"assert({nodes[0].value[1:-1]})"
    x.emit(Fail(kind, text), node, text)
    x.graph.stop()
    return Nothing()


def _assertion(x: Lowering, node: c_ast.FuncCall) -> Operand:
    fine, broken = x.graph.location(), x.graph.location()
    x.branch(arguments(node)[0], fine, broken)
    x.graph.current = broken
    x.emit(Fail(FailKind.ASSERT, text_of(node)), node)
    x.graph.current = fine
    return Nothing()


def _nondet(x: Lowering, name: str, node: c_ast.FuncCall) -> Operand:
    entity = x.scope.find(name)
    suffix = name.removeprefix("__VERIFIER_nondet_")
    t: CType = x.ints.int
    if isinstance(entity, FunctionName):
        t = strip(entity.type.result)
    elif suffix in ("pointer", "charp"):
        t = PointerType(VoidType())
    elif suffix in ("float", "double"):
        t = FloatType(suffix, 32 if suffix == "float" else 64)
    elif suffix in _NONDET:
        t = x.ints.named(_NONDET[suffix])
    if isinstance(t, FloatType):
        x.math.floats(node)
        return Floating(t)
    if isinstance(t, (IntType, PointerType)):
        for arg in arguments(node):
            x.effect(arg)
        return ScalarValue(t, x.arbitrary(x.ints.scalar(t), node))
    return _call(x, name, entity.type, node, wanted=True) if isinstance(entity, FunctionName) else Nothing()


_CHECKED = re.compile(r"__builtin___(\w+(?<!printf))_chk$")


def _plain_name(name: str) -> str:
    """`memcpy` for `__builtin_memcpy` and `__builtin___memcpy_chk`, whose last argument does no harm, not for `__sprintf_chk`."""
    checked = _CHECKED.match(name)
    return checked.group(1) if checked else name.removeprefix("__builtin_")
