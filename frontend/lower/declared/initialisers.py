"""Initialisers: which part of an object each expression initialises, for locals and for objects with static storage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from pycparser import c_ast

from frontend.ctypes import VECTOR, ArrayType, CType, FloatType, IntType, PointerType, Record, RecordType, literals
from frontend.ctypes.conversions import strip
from frontend.ctypes.declarations import field_type
from frontend.ir import Address, AddressValue, Copy, Field, Index, MemorySymbol, PathStep, Place, Set, Storage, Store
from frontend.lower.arithmetic import float_bits
from frontend.lower.lowering import Lowering
from frontend.lower.operands import Floating, Operand, ScalarValue
from frontend.program import BOOL, Binary, Cast, Const, Expr, FrontendError, Location, Read, Scalar, Var
from frontend.program.fold import compute
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class InitialPart:
    """A part of the object, and the expression (or character code) it gets."""

    path: tuple[PathStep, ...]
    type: CType
    value: c_ast.Node | int
    node: c_ast.Node


Initial: TypeAlias = tuple[tuple[tuple[PathStep, ...], int | AddressValue | None], ...]

EXPLICIT = 64
"""Up to so many leaves a local aggregate is initialised one by one, beyond that by copying from a constant object."""


def leaves(x: Lowering, t: CType, init: c_ast.Node) -> tuple[CType, list[InitialPart]]:
    """The leaves of an initialiser in source order, and the type, with the length of an array that it determines."""
    walker = _Walker(x)
    if isinstance(t, ArrayType):
        text = _string_of(init)
        if text is not None and isinstance(t.element, IntType):
            length = walker.string((), t, text)
        elif isinstance(init, c_ast.InitList):
            length = walker.braced((), t, init)
        else:
            raise x.unit.error(init, "an array needs an initialiser in braces", "write { }")
        return (ArrayType(t.element, length) if t.length is None else t), walker.found
    if isinstance(init, c_ast.InitList):
        if isinstance(t, RecordType):
            walker.braced((), t, init)
        elif init.exprs:
            return leaves(x, t, init.exprs[0])
        else:
            walker.found.append(InitialPart((), t, 0, init))
    else:
        walker.found.append(InitialPart((), t, init, init))
    return t, walker.found


def _string_of(node: c_ast.Node) -> c_ast.Constant | None:
    if isinstance(node, c_ast.InitList) and len(node.exprs) == 1:
        node = node.exprs[0]
    return node if isinstance(node, c_ast.Constant) and node.type == "string" else None


class _Items:
    """The items of a braced list, taken one after another, also by sub-aggregates without braces of their own."""

    def __init__(self, exprs: list[c_ast.Node]) -> None:
        self._exprs = exprs
        self._at = 0

    def peek(self) -> c_ast.Node | None:
        return self._exprs[self._at] if self._at < len(self._exprs) else None

    def take(self) -> None:
        self._at += 1


class _Walker:
    def __init__(self, x: Lowering) -> None:
        self._x = x
        self.found: list[InitialPart] = []
        self._begun: set[tuple[PathStep, ...]] = set()

    def _anew(self, path: tuple[PathStep, ...]) -> None:
        """A part is initialised as a whole: what was said of it before is forgotten."""
        if path in self._begun:
            self.found = [leaf for leaf in self.found if leaf.path[:len(path)] != path]
        self._begun.add(path)

    def index(self, i: int) -> Index:
        return Index(Const(i, self._x.ints.difference.scalar))

    def string(self, path: tuple[PathStep, ...], t: ArrayType, node: c_ast.Constant) -> int:
        codes, _ = literals.string(node.value, self._x.ints, self._x.unit.where(node))
        length = len(codes) if t.length is None else t.length
        self._anew(path)
        self.found.extend(InitialPart((*path, self.index(i)), t.element, code, node) for i, code in enumerate(codes[:length]))
        return length

    def braced(self, path: tuple[PathStep, ...], t: CType, init: c_ast.InitList) -> int:
        """An aggregate with its own braces; gives the number of elements of an array."""
        self._anew(path)
        return self._fill(path, t, _Items(init.exprs), top=True)

    def _parts(self, t: CType) -> Iterator[tuple[PathStep, CType]]:
        """The direct parts in order."""
        if isinstance(t, ArrayType):
            i = 0
            while t.length is None or i < t.length:
                yield self.index(i), t.element
                i += 1
        elif isinstance(t, RecordType):
            for field in self._record(t).fields:
                yield Field(field.name), field_type(field)
                if t.union:
                    return

    def _parts_of(self, t: CType) -> Iterator[tuple[PathStep, CType]]:
        """The direct parts, of a union all members."""
        if isinstance(t, RecordType):
            return iter([(Field(f.name), field_type(f)) for f in self._record(t).fields])
        return self._parts(t)

    def _record(self, t: RecordType) -> Record:
        record = self._x.types.records.get(t.key)
        if record is None:
            raise FrontendError(Location(self._x.unit.parsed.path, 1), f"'{t.key}' is incomplete where it is initialised",
                                "define the struct or union before")
        return record

    def _after(self, t: CType, step: PathStep) -> Iterator[tuple[PathStep, CType]]:
        """The parts that follow `step`."""
        if isinstance(t, ArrayType) and isinstance(step, Index):
            assert isinstance(step.value, Const)
            i = step.value.value + 1
            while t.length is None or i < t.length:
                yield self.index(i), t.element
                i += 1
        elif isinstance(t, RecordType) and not t.union:
            seen = False
            for part in self._parts(t):
                if seen:
                    yield part
                seen = seen or part[0] == step

    def _fill(self, path: tuple[PathStep, ...], t: CType, items: _Items, top: bool) -> int:
        length = 0
        rest = self._parts(t)
        while (item := items.peek()) is not None:
            if isinstance(item, c_ast.NamedInitializer):
                if not top:
                    break
                items.take()
                way, least = self._designated(path, t, item)
                length = max(length, least)
                self._go_on(path, t, way, items)
                rest = self._after(t, way[0])
                continue
            part = next(rest, None)
            if part is None:
                if top:
                    items.take()  # an excess element: evaluated by nobody, as compilers do
                    continue
                break
            step, inner = part
            self._item((*path, step), inner, items)
            if isinstance(step, Index):
                assert isinstance(step.value, Const)
                length = max(length, step.value.value + 1)
        return t.length if isinstance(t, ArrayType) and t.length is not None else length

    def _go_on(self, path: tuple[PathStep, ...], t: CType, way: tuple[PathStep, ...], items: _Items) -> None:
        """Items behind a designator `.a.b` go to what follows b in a, innermost first, before they go to what follows a."""
        if len(way) < 2:
            return
        inner = next(part for step, part in self._parts_of(t) if step == way[0] or isinstance(step, Index))
        self._go_on((*path, way[0]), inner, way[1:], items)
        for step, part in self._after(inner, way[1]):
            item = items.peek()
            if item is None or isinstance(item, c_ast.NamedInitializer):
                return
            self._item((*path, way[0], step), part, items)

    def _item(self, path: tuple[PathStep, ...], t: CType, items: _Items) -> None:
        """Initialise one part from the next item, or an aggregate without braces from the next few."""
        item = items.peek()
        assert item is not None
        if self._one(path, t, item):
            items.take()
        else:
            self._begun.add(path)
            self._fill(path, t, items, top=False)

    def _one(self, path: tuple[PathStep, ...], t: CType, item: c_ast.Node) -> bool:
        """Initialise a part from exactly this expression; False if it is an aggregate whose parts come one by one."""
        text = _string_of(item)
        if isinstance(t, ArrayType) and text is not None and isinstance(t.element, IntType):
            self.string(path, t, text)
        elif isinstance(item, c_ast.InitList):
            if isinstance(t, (ArrayType, RecordType)):
                self.braced(path, t, item)
            else:
                self.found.append(InitialPart(path, t, item.exprs[0] if item.exprs else 0, item))
        elif isinstance(t, ArrayType) or (isinstance(t, RecordType) and not self._same_record(t, item)):
            return False
        else:
            self.found.append(InitialPart(path, t, item, item))
        return True

    def _same_record(self, t: RecordType, item: c_ast.Node) -> bool:
        if isinstance(item, c_ast.Constant):
            return False
        found = self._x.unit.type_of(item, self._x.scope)
        return isinstance(found, RecordType) and found.key == t.key

    def _designated(self, path: tuple[PathStep, ...], t: CType, item: c_ast.NamedInitializer) -> tuple[tuple[PathStep, ...], int]:
        """`.f[2] = e`; gives the way to (the last of) what it initialises and, for an array, how long it must be at least."""
        designated: list[tuple[tuple[PathStep, ...], CType]] = [((), t)]
        for designator in item.name:
            designated = [((*done, *way), part) for done, inner in designated for way, part in self._designate(inner, designator)]
        for done, inner in designated:
            self._begun.update((*path, *done[:n]) for n in range(1, len(done)))
            if not self._one((*path, *done), inner, item.expr):
                self._fill((*path, *done), inner, _Items([item.expr]), top=False)
        way = designated[-1][0]
        first = way[0]
        if not isinstance(first, Index):
            return way, 0
        assert isinstance(first.value, Const)
        return way, first.value.value + 1

    def _designate(self, t: CType, designator: c_ast.Node) -> Iterator[tuple[tuple[PathStep, ...], CType]]:
        x = self._x
        if isinstance(designator, c_ast.ArrayDesignator) or not isinstance(designator, c_ast.ID) or isinstance(t, ArrayType):
            if not isinstance(t, ArrayType):
                raise x.unit.error(designator, "an index designates an element of something that is no array",
                                   "name the member")
            expr = designator.expr if isinstance(designator, c_ast.ArrayDesignator) else designator
            low, high = self._range(expr, t.length)
            for i in range(low, high + 1):
                yield (self.index(i),), t.element
            return
        way = x.types.member(t, designator.name) if isinstance(t, RecordType) else None
        if way is None:
            raise x.unit.error(designator, f"there is no member '{designator.name}' to initialise",
                               "correct the name of the member")
        yield tuple(Field(f.name) for f in way), field_type(way[-1])

    def _range(self, expr: c_ast.Node, length: int | None) -> tuple[int, int]:
        """The first and last index that a designator names, in an array of this length or one that is as long as need be."""
        ends = [expr, expr]
        if isinstance(expr, c_ast.FuncCall) and isinstance(expr.name, c_ast.ID) and expr.name.name == "__circ_range":
            ends = list(expr.args.exprs)
        values = [self._x.unit.constant(e, self._x.scope) for e in ends]
        if values[0] is None or values[1] is None:
            raise self._x.unit.error(expr, "the index of a designator is not a constant", "write the index as a constant")
        most = 1 << (8 * self._x.types.model.pointer_size - 1) if length is None else length
        if not 0 <= values[0] <= values[1] < most:
            raise self._x.unit.error(expr, "the index of a designator lies outside of the array", "correct the index")
        return values[0], values[1]


# --------------------------------------------------------------------------------------------------- locals
def zero_leaves(x: Lowering, t: CType, path: tuple[PathStep, ...] = ()) -> Iterator[tuple[tuple[PathStep, ...], CType]]:
    """Every scalar part of a type, the first member only of a union."""
    if isinstance(t, ArrayType):
        for i in range(t.length or 0):
            yield from zero_leaves(x, t.element, (*path, Index(Const(i, x.ints.difference.scalar))))
    elif isinstance(t, RecordType):
        record = x.types.records[t.key]
        for field in record.fields[:1] if t.union else record.fields:
            yield from zero_leaves(x, field_type(field), (*path, Field(field.name)))
    else:
        yield path, t


def store_all(x: Lowering, place: Place, parts: list[InitialPart], node: c_ast.Node) -> None:
    """Give every part of a local aggregate its value: those of the initialiser, zero for the rest."""
    covered: dict[tuple[PathStep, ...], InitialPart] = {leaf.path: leaf for leaf in parts}
    whole = () in covered
    count = 0
    rest: list[tuple[tuple[PathStep, ...], CType]] = []
    if not whole:
        for path, t in zero_leaves(x, place.type):
            count += 1
            if count > EXPLICIT:
                break
            if not any(path[:n] in covered for n in range(len(path) + 1)):
                rest.append((path, t))
    if count > EXPLICIT or _overlaps(x, place.type, parts):
        parts = _copy_constants(x, place, parts, node)
        rest = []
    x.order.all_unsequenced(list({id(leaf.value): leaf.value for leaf in parts if not isinstance(leaf.value, int)}.values()))
    parts = _without_overridden(parts)
    several = Counter(id(leaf.value) for leaf in parts if not isinstance(leaf.value, int))
    values: dict[int, Operand] = {}
    for leaf in parts:
        if isinstance(leaf.value, int):
            _store(x, place, leaf)
            continue
        if id(leaf.value) not in values:  # that of a range `[0 ... 9] = e` is evaluated once
            found = x.value(leaf.value)
            if isinstance(found, ScalarValue) and several[id(leaf.value)] > 1:
                found = x.spill(found, leaf.node)
            values[id(leaf.value)] = found
        x.objects.assign(_part(x, place, leaf.path, leaf.type), values[id(leaf.value)], leaf.node)
    for path, t in rest:
        part = _part(x, place, path, t)
        value = None if isinstance(t, FloatType) else Const(0, x.ints.scalar(t))  # type: ignore[arg-type]
        x.emit(Store(part, value), node)


def _without_overridden(parts: list[InitialPart]) -> list[InitialPart]:
    """The parts that no later one replaces: what is replaced is not evaluated, as compilers do."""
    kept: list[InitialPart] = []
    replaced: set[tuple[PathStep, ...]] = set()
    for leaf in reversed(parts):
        if not any(leaf.path[:n] in replaced for n in range(len(leaf.path) + 1)):
            kept.append(leaf)
        replaced.add(leaf.path)
    return kept[::-1]


def _overlaps(x: Lowering, t: CType, parts: list[InitialPart]) -> bool:
    """Whether unions make it hard to say which parts the initialiser leaves out: then all bytes are cleared first."""
    return any(isinstance(step, Field) and _in_union(x, t, leaf.path) for leaf in parts for step in leaf.path[:1]) \
        or (isinstance(t, RecordType) and t.union)


def _in_union(x: Lowering, t: CType, path: tuple[PathStep, ...]) -> bool:
    for step in path:
        if isinstance(t, RecordType):
            if t.union:
                return True
            assert isinstance(step, Field)
            t = x.types.records[t.key].field(step.name).type
        elif isinstance(t, ArrayType):
            t = t.element
    return False


def _copy_constants(x: Lowering, place: Place, parts: list[InitialPart], node: c_ast.Node) -> list[InitialPart]:
    """Copy from a constant object that holds the constant leaves; gives the leaves that are not constant."""
    constant: list[InitialPart] = []
    other: list[InitialPart] = []
    for leaf in parts:
        known = not isinstance(leaf.type, RecordType) and (
            isinstance(leaf.value, int) or (isinstance(leaf.value, c_ast.Constant) and leaf.value.type != "string"))
        (constant if known else other).append(leaf)
    name = x.unit.unique(f"{x.scope.owner}::<initial>")
    x.unit.symbols[name] = MemorySymbol(name, place.type, Storage.STATIC, name, link_values(x, constant),
                                        location=x.unit.where(node))
    x.emit(Copy(place, Place(name, (), place.type, place.type)), node)
    return other


def _part(x: Lowering, place: Place, path: tuple[PathStep, ...], t: CType) -> Place:
    return Place(place.base, (*place.path, *path), t, place.base_type)


def _store(x: Lowering, place: Place, leaf: InitialPart) -> None:
    """Give a part the value of a character of a string, or zero."""
    assert isinstance(leaf.value, int)
    assert isinstance(leaf.type, (IntType, PointerType, FloatType))
    value = None if isinstance(leaf.type, FloatType) else Const(leaf.value, x.ints.scalar(leaf.type))
    x.emit(Store(_part(x, place, leaf.path, leaf.type), value), leaf.node)


# --------------------------------------------------------------------------------------------------- statics
def link_values(x: Lowering, parts: list[InitialPart]) -> Initial:
    """The leaves as constants and link-time addresses; later leaves replace earlier ones for the same part."""
    found: dict[tuple[PathStep, ...], int | AddressValue | None] = {}
    scratch = x.scratch()
    last: tuple[InitialPart, int | AddressValue | None] | None = None  # the values of a range `[0 ... 9] = e` are one expression
    for leaf in parts:
        if isinstance(leaf.type, RecordType):
            found.update(_static_copy(x, leaf))
        elif isinstance(leaf.value, int):
            found[leaf.path] = leaf.value
        else:
            if last is None or last[0].value is not leaf.value or last[0].type is not leaf.type:
                last = (leaf, _link_value(scratch, leaf))
            found[leaf.path] = last[1]
    return tuple((path, value) for path, value in found.items() if value != 0)


def _static_copy(x: Lowering, leaf: InitialPart) -> dict[tuple[PathStep, ...], int | AddressValue | None]:
    """A struct initialised from a compound literal (a GNU extension for statics)."""
    node = leaf.value
    if isinstance(node, c_ast.CompoundLiteral):
        _, inner = leaves(x, x.types.resolve(node.type, x.scope), node.init)
        return {(*leaf.path, *path): value for path, value in link_values(x, inner)}
    raise x.unit.error(leaf.node, "the initialiser of a static struct is not constant", "assign it at the start of main")


def _link_value(scratch: Lowering, leaf: InitialPart) -> int | AddressValue | None:
    """The value of one leaf, by a lowering whose code is thrown away; None for a floating one that is not worked out."""
    assert isinstance(leaf.value, c_ast.Node)
    if isinstance(leaf.type, FloatType):
        if leaf.type.name == VECTOR:
            return None
        v = scratch.math.convert(scratch.value(leaf.value), strip(leaf.type), leaf.node)
        return float_bits(v) if isinstance(v, Floating) else None
    if not isinstance(leaf.type, IntType | PointerType):
        raise scratch.unit.error(leaf.node, "an initialiser for what has no value", "give the variable a type that has values")
    scalar = scratch.ints.scalar(leaf.type)
    mark = scratch.graph.mark
    v = scratch.math.convert(scratch.value(leaf.value), strip(leaf.type), leaf.node)
    if isinstance(v, Floating):
        return 0
    if isinstance(v, ScalarValue):
        if isinstance(v.expr, Const):
            return scalar.wrap(v.expr.value)
        known: dict[Var, int | AddressValue | None] = {}
        for edge in scratch.graph.added(mark):
            match edge.instr:
                case Address(target=t, place=Place(base=str(base), path=path)):
                    known[t] = AddressValue(base, path)
                case Set(target=t, value=e, distance=True):
                    known[t] = _symbolic(scratch, e, known)
        found = _symbolic(scratch, v.expr, known)
        if found is not None:
            return found
    raise scratch.unit.error(leaf.node, "the initialiser of an object with static storage is not constant",
                             "assign it at the start of main")


def _symbolic(x: Lowering, e: Expr, known: Mapping[Var, int | AddressValue | None]) -> int | AddressValue | None:
    """An expression over link-time addresses as a number, or as one address plus a constant."""
    match e:
        case Const(value=value):
            return value
        case Read(lvalue=Var() as var):
            return known.get(var)
        case Cast(arg=arg, type=t):
            inner = _symbolic(x, arg, known)
            if isinstance(inner, int):
                return (1 if inner else 0) if t == BOOL else t.wrap(inner)
            return inner if t.width >= arg.type.width else None
        case Binary(op=op, left=left, right=right):
            a, b = _symbolic(x, left, known), _symbolic(x, right, known)
            if isinstance(a, int) and isinstance(b, int):
                return compute(op, Const(a, left.type), Const(b, right.type)).value
            if isinstance(a, AddressValue) and isinstance(b, AddressValue) and op == "-" and a.symbol == b.symbol:
                first, second = _distance(x, a), _distance(x, b)
                return None if first is None or second is None else e.type.wrap(first - second)
            if isinstance(b, AddressValue) and op == "+":
                a, b = b, a
            if isinstance(a, AddressValue) and isinstance(b, int) and op in ("+", "-"):
                signed = Scalar(e.type.width, True).wrap(b if op == "+" else -b)
                return AddressValue(a.symbol, a.path, a.addend + signed)
    return None


def _distance(x: Lowering, a: AddressValue) -> int | None:
    """The bytes from the start of its symbol to an address."""
    symbol = x.unit.symbols.get(a.symbol)
    if symbol is None:
        return None
    offset = x.math.offset(Place(a.symbol, a.path, symbol.type, symbol.type))
    return offset.value + a.addend if isinstance(offset, Const) else None
