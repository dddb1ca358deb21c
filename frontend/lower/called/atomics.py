"""The atomics of C11 and GNU C: one atomic load or store, or a load and a store in one atomic section."""

from __future__ import annotations

import re
from dataclasses import replace

from pycparser import c_ast

from frontend.ctypes import CType, FloatType, IntType, PointerType, Quals, RecordType, VoidType
from frontend.ctypes.conversions import binary, cast, strip, unary
from frontend.ir import AtomicBegin, AtomicEnd, Copy, Field, Load, Place, Set, Store, ThreadFence
from frontend.lower.called.arguments import Arguments
from frontend.lower.lowering import Lowering
from frontend.lower.operands import Aggregate, Designated, Nothing, Operand, ScalarValue
from frontend.lower.unit import WEAK_ORDERS
from frontend.program import BOOL, FALSE, TRUE, Const, Expr, MemoryModel, MemoryOrder, Read, negate
from frontend.records import dataclass

_ORDERS = (MemoryOrder.RELAXED, MemoryOrder.ACQUIRE, MemoryOrder.ACQUIRE, MemoryOrder.RELEASE, MemoryOrder.ACQ_REL,
           MemoryOrder.SEQ_CST)
"""By the numbers of `memory_order` and `__ATOMIC_*`; consume is acquire."""
_READING = {MemoryOrder.ACQ_REL: MemoryOrder.ACQUIRE, MemoryOrder.RELEASE: MemoryOrder.RELAXED}
"""What is left of an order where only the read takes place."""
_OPS = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^", "nand": "nand"}
_FETCH = re.compile(r"(?:__atomic_|__c11_atomic_|atomic_)fetch_(add|sub|and|or|xor|nand)(_explicit)?$|__sync_fetch_and_(\w+)$")
_AFTER = re.compile(r"__atomic_(add|sub|and|or|xor|nand)_fetch$|__sync_(\w+)_and_fetch$")
_FENCES = frozenset({"__atomic_thread_fence", "__sync_synchronize", "atomic_thread_fence", "__c11_atomic_thread_fence"})
_SIGNAL_FENCES = frozenset({"__atomic_signal_fence", "atomic_signal_fence", "__c11_atomic_signal_fence"})
_LOCK_FREE = frozenset({"__atomic_always_lock_free", "__atomic_is_lock_free", "atomic_is_lock_free", "__c11_atomic_is_lock_free"})
_BYTES = "whether two structs or floating values have the same bytes is not tracked"
_PREFIX = re.compile(r"^(__atomic_|__c11_atomic_|atomic_)")


@dataclass(frozen=True, slots=True)
class _Object:
    """The atomic object of an operation."""

    place: Place
    type: CType


def atomic(x: Lowering, name: str, node: c_ast.FuncCall) -> Operand | None:
    """The value of a call to an atomic builtin or generic function; None if the name is none of them."""
    if not name.startswith(("__atomic_", "__sync_", "atomic_", "__c11_atomic_")):
        return None
    nodes = Arguments(x, node)
    if name in _FENCES:
        x.emit(ThreadFence(_order(x, nodes, 0, fence=True)), node)
        return Nothing()
    if name in _SIGNAL_FENCES:
        _order(x, nodes, 0, fence=True)
        return Nothing()
    if name in _LOCK_FREE:
        return ScalarValue(x.ints.bool, TRUE)
    for pattern, after in ((_FETCH, False), (_AFTER, True)):
        found = pattern.match(name)
        if found:
            op = found.group(1) or found.group(3 if not after else 2)
            if op in _OPS:
                order = MemoryOrder.SEQ_CST if name.startswith("__sync_") else _order(x, nodes, 2)
                return _modify(x, _OPS[op], after, nodes, node, order)
    match name:
        case "__sync_bool_compare_and_swap" | "__sync_val_compare_and_swap":
            return _swap_if(x, nodes, node, wants_value="val" in name)
        case "__sync_lock_test_and_set":
            return _exchange(x, _object(x, nodes[0], _weak(x, MemoryOrder.ACQUIRE, node)), x.value(nodes[1]), node)
        case "__sync_lock_release":
            zero = ScalarValue(x.ints.int, Const(0, x.ints.int.scalar))
            return _assign(x, _object(x, nodes[0], _weak(x, MemoryOrder.RELEASE, node)).place, zero, node)
    return _generic(x, _PREFIX.sub("", name).removesuffix("_explicit"), name, nodes, node)


def _generic(x: Lowering, kind: str, name: str, nodes: Arguments, node: c_ast.FuncCall) -> Operand | None:
    """The operations that C11 and GNU C have in common; an order that is not given is sequentially consistent."""
    gnu = name.startswith("__atomic_")
    orders: tuple[MemoryOrder, MemoryOrder]
    match kind:
        case "init":
            place = x.target(nodes[0])
            return _assign(x, replace(place, type=_with_atomic(place.type, False)), x.value(nodes[1]), node)
        case "load" if gnu:
            return _load_into(x, _object(x, nodes[0], _order(x, nodes, 2)), nodes[1], node)
        case "load" | "load_n":
            return _load(x, _object(x, nodes[0], _order(x, nodes, 1)), node)
        case "store" if gnu:
            return _assign(x, _object(x, nodes[0], _order(x, nodes, 2)).place, _pointed(x, nodes[1], node), node)
        case "store" | "store_n":
            return _assign(x, _object(x, nodes[0], _order(x, nodes, 2)).place, x.value(nodes[1]), node)
        case "exchange" if gnu:
            return _exchange_into(x, _object(x, nodes[0], _order(x, nodes, 3)), nodes, node)
        case "exchange" | "exchange_n":
            return _exchange(x, _object(x, nodes[0], _order(x, nodes, 2)), x.value(nodes[1]), node)
        case "compare_exchange_n" | "compare_exchange":
            orders = _order(x, nodes, 4), _order(x, nodes, 5)
            weak = x.unit.constant(nodes[3], x.scope) != 0
            return _compare(x, nodes, node, orders, weak, by_pointer=kind == "compare_exchange")
        case "compare_exchange_strong" | "compare_exchange_weak":
            orders = _order(x, nodes, 3), _order(x, nodes, 4)
            return _compare(x, nodes, node, orders, kind.endswith("weak"), by_pointer=False)
        case "test_and_set" | "flag_test_and_set":
            return _test_and_set(x, _object(x, nodes[0], _order(x, nodes, 1)), node)
        case "clear" | "flag_clear":
            zero = ScalarValue(x.ints.int, Const(0, x.ints.int.scalar))
            return _assign(x, _object(x, nodes[0], _order(x, nodes, 1)).place, zero, node)
    return None


# --------------------------------------------------------------------------------------------------- parts
def _with_atomic(t: CType, atomic_: bool, order: MemoryOrder = MemoryOrder.SEQ_CST) -> CType:
    return replace(t, quals=Quals(t.quals.const, t.quals.volatile, atomic_, order))


def _object(x: Lowering, node: c_ast.Node, order: MemoryOrder) -> _Object:
    """What the pointer argument points to, as an atomic object; an `atomic_flag` struct by its first member."""
    place = x.target(node)
    t = strip(place.type)
    while isinstance(t, RecordType) and t.key in x.types.records and len(x.types.records[t.key].fields) == 1:
        field = x.types.records[t.key].fields[0]
        place = x.objects.extend(place, Field(field.name), field.type)
        t = strip(field.type)
    if isinstance(t, VoidType):
        t = x.ints.named("unsigned char")
        place = Place(place.base, place.path, t, t if not place.path else place.base_type)
    return _Object(replace(place, type=_with_atomic(place.type, True, order)), t)


def _order(x: Lowering, nodes: Arguments, at: int, fence: bool = False) -> MemoryOrder:
    """The order in this argument; the strongest if it is not given. Accesses with a weaker one are taken note of."""
    if at >= len(nodes):
        return MemoryOrder.SEQ_CST
    number = x.unit.constant(nodes[at], x.scope)
    if number is None:
        x.effect(nodes[at])
    # GNU C keeps hints for hardware transactions in higher bits.
    order = MemoryOrder.OPEN if number is None or not 0 <= number & 0xFFFF < len(_ORDERS) else _ORDERS[number & 0xFFFF]
    return order if fence else _weak(x, order, nodes[at])


def _weak(x: Lowering, order: MemoryOrder, node: c_ast.Node) -> MemoryOrder:
    """The order, taken note of if it is weaker than sequentially consistent; what the memory model makes of it."""
    if order is MemoryOrder.SEQ_CST:
        return order
    if x.unit.memory is MemoryModel.SC:
        x.unit.assume(WEAK_ORDERS, x.unit.where(node))
        return MemoryOrder.SEQ_CST
    x.unit.orders.add(order)
    return order


def _read(x: Lowering, obj: _Object, node: c_ast.Node) -> Operand:
    return x.objects.read(obj.place, node)


def _assign(x: Lowering, place: Place, v: Operand, node: c_ast.Node) -> Operand:
    x.objects.assign(place, v, node)
    return Nothing()


def _pointed(x: Lowering, pointer: c_ast.Node, node: c_ast.Node) -> Operand:
    """The plain value behind a pointer argument."""
    return x.objects.load(x.pointed(pointer), node)


def _put(x: Lowering, target: Designated, v: Operand, node: c_ast.Node) -> None:
    """Store a plain value where a pointer argument points."""
    x.objects.store(target, x.math.convert(v, strip(target.type), node), node)


def _load(x: Lowering, obj: _Object, node: c_ast.Node) -> Operand:
    return _copied(x, obj, node) if isinstance(obj.type, RecordType) else _read(x, obj, node)


def _copied(x: Lowering, obj: _Object, node: c_ast.Node) -> Operand:
    """A struct read at once into memory of its own."""
    assert isinstance(obj.type, RecordType)
    symbol = x.local("<atomic>", obj.type, node)
    place = Place(symbol.name, (), obj.type, obj.type)
    x.emit(Copy(place, obj.place), node)
    return Aggregate(obj.type, place)


def _load_into(x: Lowering, obj: _Object, pointer: c_ast.Node, node: c_ast.FuncCall) -> Operand:
    into = x.pointed(pointer)
    _put(x, into, _copied(x, obj, node) if isinstance(obj.type, RecordType) else _read(x, obj, node), node)
    return Nothing()


def _exchange(x: Lowering, obj: _Object, v: Operand, node: c_ast.Node) -> Operand:
    new = x.math.convert(v, obj.type, node)
    x.emit(AtomicBegin(), node)
    old = _copied(x, obj, node) if isinstance(obj.type, RecordType) else _read(x, obj, node)
    _assign(x, obj.place, new, node)
    x.emit(AtomicEnd(), node)
    return old


def _exchange_into(x: Lowering, obj: _Object, nodes: Arguments, node: c_ast.FuncCall) -> Operand:
    old = _exchange(x, obj, _pointed(x, nodes[1], node), node)
    _put(x, x.pointed(nodes[2]), old, node)
    return Nothing()


def _modify(x: Lowering, op: str, after: bool, nodes: Arguments, node: c_ast.FuncCall, order: MemoryOrder) -> Operand:
    """`fetch_op` and `op_fetch`; a pointer moves by bytes, as the builtins do."""
    obj = _object(x, nodes[0], order)
    operand = x.value(nodes[1])
    if isinstance(obj.type, FloatType) or not isinstance(obj.type, (IntType, PointerType)):
        raise x.unit.error(node, "an atomic read-modify-write needs an integer or a pointer",
                           "use a compare-and-exchange loop or a lock")
    right = x.math.convert(operand, obj.type, node)
    assert isinstance(right, ScalarValue)
    x.emit(AtomicBegin(), node)
    old = _read(x, obj, node)
    assert isinstance(old, ScalarValue)
    e = unary("~", binary("&", old.expr, right.expr)) if op == "nand" else binary(op, old.expr, right.expr)
    new = ScalarValue(old.type, e, right.depth + 2)
    x.emit(Store(obj.place, new.expr), node)
    x.emit(AtomicEnd(), node)
    return new if after else old


def _swap_if(x: Lowering, nodes: Arguments, node: c_ast.FuncCall, wants_value: bool) -> Operand:
    obj = _object(x, nodes[0], MemoryOrder.SEQ_CST)
    expected = x.math.convert(x.value(nodes[1]), obj.type, node)
    desired = x.math.convert(x.value(nodes[2]), obj.type, node)
    assert isinstance(expected, ScalarValue) and isinstance(desired, ScalarValue)
    old = _attempt(x, obj, expected, desired, node)
    if wants_value:
        assert isinstance(obj.type, (IntType, PointerType))
        return ScalarValue(obj.type, old)
    return ScalarValue(x.ints.bool, binary("==", old, expected.expr), expected.depth + 1)


def _attempt(x: Lowering, obj: _Object, expected: ScalarValue, desired: ScalarValue, node: c_ast.Node) -> Expr:
    """Store `desired` if the object has the value `expected`; gives the old value."""
    graph = x.graph
    equal, differs, end = graph.location(), graph.location(), graph.location()
    x.emit(AtomicBegin(), node)
    old = graph.temporary(expected.expr.type)
    x.emit(Load(old, obj.place), node)
    graph.branch(binary("==", Read(old), expected.expr), equal, differs, x.unit.where(node), "")
    graph.current = equal
    x.emit(Store(obj.place, desired.expr), node)
    graph.jump(end)
    graph.current = differs
    graph.jump(end)
    graph.current = end
    x.emit(AtomicEnd(), node)
    return Read(old)


def _compare_any(x: Lowering, obj: _Object, nodes: Arguments, node: c_ast.FuncCall, by_pointer: bool) -> Operand:
    """Compare-and-exchange of a struct or a floating value: whether the bytes are equal is not tracked."""
    kept = x.pointed(nodes[1])
    desired = x.math.convert(_pointed(x, nodes[2], node) if by_pointer else x.value(nodes[2]), obj.type, node)
    graph = x.graph
    equal, differs, end = graph.location(), graph.location(), graph.location()
    result = graph.temporary(BOOL)
    x.objects.load(kept, nodes[1])
    x.emit(AtomicBegin(), node)
    old = _copied(x, obj, node) if isinstance(obj.type, RecordType) else _read(x, obj, node)
    graph.branch(x.arbitrary(BOOL, node, _BYTES), equal, differs, x.unit.where(node), "")
    graph.current = equal
    _assign(x, obj.place, desired, node)
    x.emit(AtomicEnd(), node)
    x.emit(Set(result, TRUE), node)
    graph.jump(end)
    graph.current = differs
    x.emit(AtomicEnd(), node)
    _put(x, kept, old, node)
    x.emit(Set(result, FALSE), node)
    graph.jump(end)
    graph.current = end
    return ScalarValue(x.ints.bool, Read(result))


def _compare(x: Lowering, nodes: Arguments, node: c_ast.FuncCall, orders: tuple[MemoryOrder, MemoryOrder], weak: bool,
             by_pointer: bool) -> Operand:
    """Compare-and-exchange: `*expected` gets the old value on failure; a weak one may fail without a reason.

    If a failure has another order than the read of a success, the two are two ways from the beginning.
    """
    success, failure = orders
    obj = _object(x, nodes[0], success)
    if not isinstance(obj.type, (IntType, PointerType)):
        return _compare_any(x, obj, nodes, node, by_pointer)
    kept = x.pointed(nodes[1])
    expected = x.math.convert(x.objects.load(kept, nodes[1]), obj.type, node)
    desired = x.math.convert(_pointed(x, nodes[2], node) if by_pointer else x.value(nodes[2]), obj.type, node)
    assert isinstance(expected, ScalarValue) and isinstance(desired, ScalarValue)
    graph = x.graph
    where, text = x.unit.where(node), ""
    equal, differs, end = graph.location(), graph.location(), graph.location()
    result, old = graph.temporary(BOOL), graph.temporary(expected.expr.type)
    same = binary("==", Read(old), expected.expr)
    otherwise = TRUE if weak else negate(same)
    if _READING.get(success, success) is failure:
        x.emit(AtomicBegin(), node)
        x.emit(Load(old, obj.place), node)
        graph.guard(same, equal, where, text)
        graph.guard(otherwise, differs, where, text)
    else:
        first, second = graph.location(), graph.location()
        graph.guard(TRUE, first, where, text)
        graph.guard(TRUE, second, where, text)
        failing = replace(obj.place, type=_with_atomic(obj.place.type, True, failure))
        for start, place, cond, then in ((first, obj.place, same, equal), (second, failing, otherwise, differs)):
            graph.current = start
            x.emit(AtomicBegin(), node)
            x.emit(Load(old, place), node)
            graph.guard(cond, then, where, text)
    graph.current = equal
    x.emit(Store(obj.place, desired.expr), node)
    x.emit(AtomicEnd(), node)
    x.emit(Set(result, TRUE), node)
    graph.jump(end)
    graph.current = differs
    x.emit(AtomicEnd(), node)
    _put(x, kept, ScalarValue(obj.type, Read(old)), node)
    x.emit(Set(result, FALSE), node)
    graph.jump(end)
    graph.current = end
    return ScalarValue(x.ints.bool, Read(result))


def _test_and_set(x: Lowering, obj: _Object, node: c_ast.Node) -> Operand:
    if not isinstance(obj.type, IntType):
        raise x.unit.error(node, "test-and-set needs an integer object", "use an atomic_flag")
    x.emit(AtomicBegin(), node)
    old = _read(x, obj, node)
    assert isinstance(old, ScalarValue)
    x.emit(Store(obj.place, Const(1, obj.type.scalar)), node)
    x.emit(AtomicEnd(), node)
    return ScalarValue(x.ints.bool, cast(old.expr, BOOL), 1)
