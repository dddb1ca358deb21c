"""From places of the intermediate form to cells of leaf variables, and the operations that read and write them."""

from __future__ import annotations

from typing import assert_never

from frontend.ctypes import ArrayType, CType, FieldDecl, FloatType, IntType, RecordType
from frontend.ir import Field, Index, Module, PathStep
from frontend.memory.leaves import BYTE, ArrayNode, BytesNode, LayoutTree, Leaf, LeafNode, StructNode, scalar_of
from frontend.memory.lock_types import state_of_kind
from frontend.program import (
    Assign,
    Binary,
    Const,
    Element,
    Expr,
    FrontendError,
    Havoc,
    Location,
    Lvalue,
    MemoryOrder,
    Op,
    Read,
    Scalar,
    Var,
)
from frontend.program.fold import cast, fold, plus, times
from frontend.records import dataclass

CHAR = IntType("unsigned char", 8, False)


@dataclass(frozen=True, slots=True)
class Cell:
    """A scalar in memory: a leaf, its element if it is an array, the bits of a bit field, or `bytes` bytes from there on."""

    leaf: Leaf
    index: Expr | None
    type: Scalar
    bits: tuple[int, int] | None = None
    bytes: int = 0
    floating: bool = False
    atomic: bool = False
    further: bool = False
    """A member of a library object other than its first; only the kind of a mutex matters."""
    order: MemoryOrder = MemoryOrder.SEQ_CST

    @property
    def lvalues(self) -> tuple[Lvalue, ...]:
        """What an access to the cell touches."""
        if self.index is None:
            return (Var(self.leaf.name, self.leaf.type),)
        if not self.bytes:
            return (Element(self.leaf.name, self.index, self.leaf.type),)
        return tuple(
            Element(self.leaf.name, plus(self.index, Const(k, self.index.type)), self.leaf.type) for k in range(self.bytes)
        )

    def value(self) -> Expr | None:
        """The value read, in the cell's type; None if it is arbitrary (floating point)."""
        if self.floating or self.further:
            return None
        whole = self._whole()
        if self.bits is None:
            return cast(whole, self.type)
        first, count = self.bits
        shifted = fold(Binary(">>", whole, Const(first, whole.type)))
        if count < whole.type.width and not self.type.signed:
            # A mask, not a cast: one unsigned bit is `_Bool`, and a cast to that is a test of all bits.
            shifted = fold(Binary("&", shifted, Const((1 << count) - 1, whole.type)))
        elif self.type.signed:
            shifted = cast(shifted, Scalar(count, True))
        return cast(shifted, self.type)

    def write(self, value: Expr | None) -> tuple[Op, ...]:
        """The operations that store `value` (None: an arbitrary one)."""
        if self.further:
            state = state_of_kind(value.value) if isinstance(value, Const) else 0
            return (Assign(self.lvalues[0], Const(state, self.leaf.type)),) if state else ()
        if value is None:
            return (Havoc(self.lvalues),)
        if self.bits is not None:
            first, count = self.bits
            unit = self._whole().type
            mask = ((1 << count) - 1) << first
            kept = Binary("&", self._whole(), Const(unit.high & ~mask, unit))
            moved = Binary("&", Binary("<<", cast(value, unit), Const(first, unit)), Const(mask, unit))
            value = fold(Binary("|", kept, moved))
        else:
            value = cast(value, self.type)
        if not self.bytes:
            return (Assign(self.lvalues[0], cast(value, self.leaf.type)),)
        wide = Scalar(8 * self.bytes, False)
        bits = cast(value, wide)
        # A byte's new value depends on the old value of that byte only, so the order does not matter.
        return tuple(Assign(v, cast(fold(Binary(">>", bits, Const(8 * k, wide))), BYTE)) for k, v in enumerate(self.lvalues))

    def _whole(self) -> Expr:
        """All of the memory that an access touches, as one unsigned number if it is several bytes."""
        return _join([Read(v) for v in self.lvalues]) if self.bytes else Read(self.lvalues[0])


def _join(parts: list[Read]) -> Expr:
    """Bytes as one unsigned integer, little endian."""
    wide = Scalar(8 * len(parts), False)
    total: Expr = cast(parts[0], wide)
    for k, part in enumerate(parts[1:], 1):
        total = Binary("|", total, Binary("<<", cast(part, wide), Const(8 * k, wide)))
    return total


@dataclass(frozen=True, slots=True)
class PlaceInObject:
    """Where a path leads: a subtree, the indices gathered on the way, and the byte offset once memory is untyped."""

    node: LayoutTree
    type: CType
    indices: tuple[Expr, ...] = ()
    bits: tuple[int, int] | None = None
    byte: Expr | None = None


@dataclass(frozen=True, slots=True)
class Displacement:
    """A path as bytes: a constant plus index * stride for each array step, the type there, and the bit field if it is one."""

    offset: int
    terms: tuple[tuple[Expr, int], ...]
    type: CType
    field: FieldDecl | None


class Places:
    """Resolves paths against layouts."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self.pointer = Scalar(8 * module.model.pointer_size, False)
        self.word = Scalar(8 * module.model.pointer_size, True)

    def displacement(self, base_type: CType, path: tuple[PathStep, ...], inside: bool = False) -> Displacement:
        """How many bytes `path` leads away from an address of type `base_type *`.

        A first Index counts whole targets of a pointer, or, `inside` an object, enters its array.
        """
        offset, terms, here = 0, [], base_type
        field: FieldDecl | None = None
        for number, step in enumerate(path):
            match step:
                case Field(name=name):
                    assert isinstance(here, RecordType), here
                    field = self._module.records[here.key].field(name)
                    offset, here = offset + field.offset, field.type
                case Index(value=value):
                    if number > 0 or inside:
                        # Element k of a union that is kept as bytes is its k-th byte.
                        here = here.element if isinstance(here, ArrayType) else CHAR
                    stride = self._module.sizeof(here)
                    if isinstance(value, Const):
                        offset += value.value * stride
                    else:
                        terms.append((value, stride))
                case _:
                    assert_never(step)
        return Displacement(offset, tuple(terms), here, field if field is not None and field.bits is not None else None)

    def down(self, part: PlaceInObject, step: PathStep) -> PlaceInObject:
        """One step further into an object."""
        if isinstance(part.node, BytesNode):
            move = self.displacement(part.type, (step,), inside=True)
            assert part.byte is not None
            distance = [Const(move.offset, self.word), *(times(cast(e, self.word), s) for e, s in move.terms)]
            bits = None if move.field is None else (move.field.bit_offset, move.field.bits or 0)
            return PlaceInObject(part.node, move.type, part.indices, bits, plus(part.byte, *distance))
        match step, part.node:
            case _, LeafNode(leaf=leaf) if leaf.lock:
                move = self.displacement(part.type, (step,), inside=True)
                moved = Const(move.offset, self.word) if part.byte is None else plus(part.byte, Const(move.offset, self.word))
                return PlaceInObject(part.node, move.type, part.indices, None, moved)
            case Field(name=name), StructNode(fields=fields):
                assert isinstance(part.type, RecordType)
                child, bits = fields[name]
                below = self._module.records[part.type.key].field(name).type
                byte = Const(0, self.word) if isinstance(child, BytesNode) else None
                return PlaceInObject(child, below, part.indices, bits, byte)
            case Index(value=value), ArrayNode(element=element):
                assert isinstance(part.type, ArrayType)
                byte = Const(0, self.word) if isinstance(element, BytesNode) else None
                return PlaceInObject(element, part.type.element, (*part.indices, value), None, byte)
            case _:
                raise AssertionError((step, part.node))

    def part(self, root: LayoutTree, type_: CType, path: tuple[PathStep, ...], instance: tuple[Expr, ...] = ()) -> PlaceInObject:
        """The part of an object that `path` names."""
        here = PlaceInObject(root, type_, instance, None, Const(0, self.word) if isinstance(root, BytesNode) else None)
        for step in path:
            here = self.down(here, step)
        return here

    def cell(self, part: PlaceInObject, type_: CType, location: Location) -> Cell:
        """The scalar at a part; `type_` is the C type it is accessed with."""
        scalar = scalar_of(type_, self._module)
        if scalar is None:
            raise FrontendError(location, "a struct or union is used as a value here", "use a member")
        floating = isinstance(type_, FloatType)
        match part.node:
            case LeafNode(leaf=leaf):
                index = self.flatten(leaf, part.indices)
                further = leaf.lock and part.byte not in (None, Const(0, self.word))
                return Cell(leaf, index, scalar, part.bits, 0, floating, type_.quals.atomic, further, type_.quals.order)
            case BytesNode(leaf=leaf):
                assert part.byte is not None
                index = self.flatten(leaf, (*part.indices, part.byte))
                size = self._module.sizeof(type_)
                if part.bits is not None:
                    size = (sum(part.bits) + 7) // 8
                return Cell(leaf, index, scalar, part.bits, size, floating, type_.quals.atomic, order=type_.quals.order)
            case _:
                raise FrontendError(location, "a struct, union or array is used as a value here", "use a member or an element")

    def flatten(self, leaf: Leaf, indices: tuple[Expr, ...]) -> Expr | None:
        """One element number from the indices along the leaf's dimensions."""
        assert len(indices) == len(leaf.dims), (leaf, indices)
        if not indices:
            return None
        if len(indices) == 1:
            return fold(indices[0])
        total: Expr = cast(fold(indices[0]), self.word)
        for value, dim in zip(indices[1:], leaf.dims[1:], strict=True):
            total = plus(times(total, dim.count), cast(fold(value), self.word))
        return total
