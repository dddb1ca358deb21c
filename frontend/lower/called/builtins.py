"""The compiler's builtin functions that are neither atomics nor library functions under another name."""

from __future__ import annotations

from pycparser import c_ast

from frontend.ctypes import ArrayType, CType, FloatType, IntType, PointerType, RecordType, VoidType
from frontend.ctypes.compatible import Compatibility
from frontend.ctypes.conversions import binary, both, cast, strip
from frontend.ctypes.declarations import field_type
from frontend.ir import Forget, Guard, Set
from frontend.lower.called.arguments import Arguments
from frontend.lower.declared.variable_types import evaluate_type
from frontend.lower.lowering import Lowering
from frontend.lower.operands import Floating, Nothing, Operand, ScalarValue
from frontend.program import Const, Expr, FrontendError, Read, Scalar

_COUNTS = {"clz": 0, "ctz": 0, "popcount": 0, "ffs": 0, "parity": 0, "clrsb": 0}
_NOTHING = frozenset({"__builtin_va_end", "__builtin_prefetch", "__builtin_ia32_pause", "__builtin_ia32_mfence",
                      "__builtin___clear_cache", "__builtin_ia32_lfence", "__builtin_ia32_sfence"})
_VARIADIC = "variable arguments are not followed"
_FLOATS = frozenset({"huge_val", "huge_valf", "huge_vall", "inf", "inff", "infl", "nan", "nanf", "nanl", "fabs", "fabsf",
                     "fabsl"})
_TESTS = frozenset({"isnan", "isinf", "isinf_sign", "isfinite", "isnormal", "signbit", "signbitf", "signbitl", "isgreater",
                    "isgreaterequal", "isless", "islessequal", "islessgreater", "isunordered", "fpclassify"})


def builtin(x: Lowering, name: str, node: c_ast.FuncCall) -> Operand | None:
    """The value of a call to a builtin; None if the name is none of them."""
    if name in ("offsetof", "__builtin_offsetof"):
        return _offsetof(x, node)
    if not name.startswith("__builtin_"):
        return None
    nodes = Arguments(x, node)
    short = name.removeprefix("__builtin_")
    if name in _NOTHING:
        for arg in nodes:
            x.effect(arg)
        return Nothing()
    if short in ("expect", "expect_with_probability", "assume_aligned"):
        first = x.value(nodes[0])
        for arg in nodes.behind(1):
            x.effect(arg)
        return first if short == "assume_aligned" else x.math.convert(first, x.ints.named("long"), node)
    if short in ("frame_address", "return_address", "extract_return_addr"):
        return ScalarValue(PointerType(VoidType()), x.arbitrary(x.ints.pointer, node, "where the stack is is not tracked"))
    if short.rstrip("l") in _COUNTS and len(nodes) == 1:
        return _count(x, short, nodes[0], node)
    if short in ("bswap16", "bswap32", "bswap64"):
        return _swapped(x, int(short[5:]), nodes[0], node)
    if short.endswith("_overflow"):
        return _overflow(x, short, nodes, node)
    return _at_compile_time(x, short, nodes) or _variadic(x, short, nodes, node) or _floating(x, short, nodes, node)


def _at_compile_time(x: Lowering, short: str, nodes: Arguments) -> Operand | None:
    """What the compiler says about its operands. Sizes of objects are what it says when it does not know: none, or any."""
    match short:
        case "constant_p":
            return _number(x, 1 if _is_constant(x, nodes[0]) else 0)
        case "choose_expr":
            return x.value(nodes[1] if x.unit.constant(nodes[0], x.scope) else nodes[2])
        case "types_compatible_p":
            first, second = strip(_operand_type(x, nodes[0])), strip(_operand_type(x, nodes[1]))
            return _number(x, int(Compatibility(x.types.records, x.types.records, one_file=True)(first, second)))
        case "object_size" | "dynamic_object_size":
            kind = x.unit.constant(nodes[1], x.scope)
            return ScalarValue(x.ints.size, Const(x.ints.size.scalar.wrap(0 if kind in (2, 3) else -1), x.ints.size.scalar))
        case _:
            return None


def _variadic(x: Lowering, short: str, nodes: Arguments, node: c_ast.FuncCall) -> Operand | None:
    """The arguments behind the named ones, which are not told apart."""
    match short:
        case "va_arg_pack":
            return ScalarValue(PointerType(VoidType()), _passed(x, x.ints.pointer, node))
        case "va_start" | "va_copy":
            return _opaque_list(x, nodes[0], node)
        case "va_arg":
            _opaque_list(x, nodes[0], node)
            evaluate_type(x, nodes[1])
            return _next_argument(x, strip(x.types.resolve(nodes[1], x.scope)), node)
        case _:
            return None


def _floating(x: Lowering, short: str, nodes: Arguments, node: c_ast.FuncCall) -> Operand | None:
    """Floating-point functions and tests: any value."""
    if short not in _FLOATS and short not in _TESTS:
        return None
    for arg in nodes:
        x.effect(arg)
    x.math.floats(node)
    if short in _FLOATS:
        return Floating(FloatType("double", 64))
    return ScalarValue(x.ints.int, x.arbitrary(x.ints.int.scalar, node, "floating point is not tracked"))


def _number(x: Lowering, value: int) -> ScalarValue:
    return ScalarValue(x.ints.int, Const(value, x.ints.int.scalar))


def _is_constant(x: Lowering, node: c_ast.Node) -> bool:
    try:
        return x.unit.constant(node, x.scope) is not None
    except FrontendError:
        return False


def _operand_type(x: Lowering, node: c_ast.Node) -> CType:
    """The type in `sizeof(T)`, which stands for a type argument."""
    inner = node.expr if isinstance(node, c_ast.UnaryOp) and node.op == "sizeof" else node
    return x.types.resolve(inner, x.scope) if isinstance(inner, c_ast.Typename) else x.unit.type_of(inner, x.scope)


def _next_argument(x: Lowering, t: CType, node: c_ast.Node) -> Operand:
    if isinstance(t, FloatType):
        return Floating(t)
    if isinstance(t, (IntType, PointerType)):
        return ScalarValue(t, _passed(x, x.ints.scalar(t), node))
    raise x.unit.not_modelled(node, "a struct among variable arguments")


def _passed(x: Lowering, scalar: Scalar, node: c_ast.Node) -> Read:
    """One of the arguments behind the named ones of any call."""
    t = x.graph.temporary(scalar)
    x.emit(Forget((t,), _VARIADIC, variadic=True), node)
    return Read(t)


def _opaque_list(x: Lowering, target: c_ast.Node, node: c_ast.Node) -> Operand:
    """A `va_list` is opaque: a word that leads to the arguments."""
    x.objects.store(x.lvalue(target), ScalarValue(PointerType(VoidType()), _passed(x, x.ints.pointer, node)), node)
    return Nothing()


def _offsetof(x: Lowering, node: c_ast.FuncCall) -> Operand:
    arguments = Arguments(x, node)
    kind, designator = arguments[0], arguments[1]
    steps: list[c_ast.Node] = []
    while isinstance(designator, c_ast.StructRef | c_ast.ArrayRef):
        steps.append(designator)
        designator = designator.name
    if not isinstance(designator, c_ast.ID) or not isinstance(kind, c_ast.Typename):
        raise x.unit.error(node, "offsetof takes a type and a member", "offsetof(struct s, member)")
    t: CType = x.types.resolve(kind, x.scope)
    word = x.ints.size.scalar
    offset, t = _member_offset(x, t, designator.name, node)
    variable: Expr | None = None  # the part of the offset that depends on indices, which GNU C evaluates
    for step in reversed(steps):
        if isinstance(step, c_ast.StructRef):
            more, t = _member_offset(x, t, step.field.name, node)
            offset += more
            continue
        if not isinstance(t, ArrayType):
            raise x.unit.error(node, "offsetof needs a constant index of an array", "write the index as a constant")
        t = t.element
        index = x.unit.constant(step.subscript, x.scope)
        if index is not None:
            offset += index * x.types.sizeof(t)
            continue
        added = binary("*", cast(x.scalar(step.subscript).expr, word), Const(x.types.sizeof(t), word))
        variable = added if variable is None else binary("+", variable, added)
    fixed = Const(word.wrap(offset), word)
    return ScalarValue(x.ints.size, fixed) if variable is None else x.spill(
        ScalarValue(x.ints.size, binary("+", fixed, variable)), node)


def _member_offset(x: Lowering, t: CType, name: str, node: c_ast.Node) -> tuple[int, CType]:
    way = x.types.member(t, name) if isinstance(t, RecordType) else None
    if way is None:
        raise x.unit.error(node, f"there is no member '{name}'", "correct the name of the member")
    return sum(field.offset for field in way), field_type(way[-1])


def _width(x: Lowering, short: str) -> IntType:
    longs = len(short) - len(short.rstrip("l"))
    return x.ints.named(("unsigned int", "unsigned long", "unsigned long long")[min(longs, 2)])


def _count(x: Lowering, short: str, arg: c_ast.Node, node: c_ast.Node) -> Operand:
    """Bit counts: exact for constants, else any value of the right range."""
    t = _width(x, short)
    v = x.math.convert(x.value(arg), t, node)
    assert isinstance(v, ScalarValue)
    name = short.rstrip("l")
    if isinstance(v.expr, Const):
        return _number(x, _bits(name, v.expr.value, t.bits))
    result = x.arbitrary(x.ints.int.scalar, node, "bits are counted")
    scalar = x.ints.int.scalar
    x.emit(Guard(both(binary(">=", result, Const(0, scalar)), binary("<=", result, Const(t.bits, scalar)))), node)
    return ScalarValue(x.ints.int, result)


def _bits(name: str, value: int, width: int) -> int:
    match name:
        case "popcount":
            return value.bit_count()
        case "parity":
            return value.bit_count() & 1
        case "clz":
            return width - value.bit_length()
        case "clrsb":
            return width - 1 - (value if not value >> (width - 1) else ~value & ((1 << width) - 1)).bit_length()
    lowest = (value & -value).bit_length()
    return lowest if name == "ffs" else (lowest - 1 if value else width)


def _swapped(x: Lowering, width: int, arg: c_ast.Node, node: c_ast.Node) -> Operand:
    t = x.ints.of_width(width, signed=False)
    v = x.math.convert(x.value(arg), t, node)
    assert isinstance(v, ScalarValue)
    v = v if isinstance(v.expr, (Const, Read)) else x.spill(v, node)
    total: ScalarValue | None = None
    for i in range(width // 8):
        byte = binary("&", binary(">>", v.expr, Const(8 * i, t.scalar)), Const(255, t.scalar))
        moved = binary("<<", byte, Const(width - 8 - 8 * i, t.scalar))
        total = ScalarValue(t, moved if total is None else binary("|", total.expr, moved), 12)
    assert total is not None
    return total


def _overflow(x: Lowering, short: str, nodes: Arguments, node: c_ast.FuncCall) -> Operand | None:
    """`__builtin_add_overflow(a, b, &r)` and its typed forms: computed without loss, then stored and compared."""
    words = short.removesuffix("_overflow")
    op = next((sign for word, sign in (("add", "+"), ("sub", "-"), ("mul", "*")) if word in words), None)
    if op is None:
        return None
    a, b = x.scalar(nodes[0]), x.scalar(nodes[1])
    predicate = words.endswith("_p")
    target = None if predicate else x.pointed(nodes[2])
    t = strip(x.unit.type_of(nodes[2], x.scope)) if target is None else strip(target.type)
    if not isinstance(t, IntType):
        raise x.unit.error(node, "the result of an overflow builtin is an integer",
                           "make the last argument a pointer to an integer")
    wide = Scalar(2 * max(a.expr.type.width, b.expr.type.width, t.bits) + 2, True)
    exact = x.graph.temporary(wide)
    x.emit(Set(exact, binary(op, cast(a.expr, wide), cast(b.expr, wide))), node)
    low = cast(Read(exact), t.scalar)
    if target is not None:
        x.objects.store(target, ScalarValue(t, low, 1), node)
    lost = binary("!=", cast(low, wide), Read(exact))
    return ScalarValue(x.ints.bool, lost, 3)
