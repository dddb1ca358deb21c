"""Memory: objects, split into leaf variables by field path, and their addresses. The model is told in docs/memory.md.

A leaf is a scalar, or an array with one flattened index when an array lies on its path. A bit field's leaf is the run of
adjacent bit fields; a union whose members do not all have one scalar size is a leaf of bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from frontend.ctypes import (
    ArrayType,
    CType,
    FieldDecl,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    Record,
    RecordType,
    VoidType,
)
from frontend.ir import MemorySymbol, Module
from frontend.memory.lock_types import lock_records
from frontend.program import BOOL, NOWHERE, UNBOUNDED_LENGTH, FrontendError, Location, Scalar, Start
from frontend.records import dataclass

BYTE = Scalar(8, False)
_STATE = Scalar(32, True)


@dataclass(frozen=True, slots=True)
class Dim:
    """An array on the path of a leaf: `count` elements, `stride` bytes apart."""

    stride: int
    count: int


@dataclass(frozen=True, slots=True)
class Leaf:
    """A variable of the program: `size` bytes at `offset` of its object, repeated along `dims` (outermost first)."""

    name: str
    type: Scalar
    offset: int
    size: int
    dims: tuple[Dim, ...] = ()
    bytes: bool = False
    floating: bool = False
    volatile: bool = False
    aliases: tuple[str, ...] = ()
    lock: bool = False
    """The state of one of the threading library's objects, in place of all of its members."""

    @property
    def length(self) -> int | None:
        """Number of elements, None for a scalar."""
        if not self.dims:
            return None
        total = 1
        for dim in self.dims:
            total *= dim.count
        return min(total, UNBOUNDED_LENGTH)

    @property
    def span(self) -> int:
        """Bytes from the first byte of the first element to the last of the last."""
        return min(sum(d.stride * (d.count - 1) for d in self.dims) + self.size, UNBOUNDED_LENGTH)


@dataclass(frozen=True, slots=True)
class LeafNode:
    leaf: Leaf


@dataclass(frozen=True, slots=True)
class ArrayNode:
    element: LayoutTree
    dim: Dim


@dataclass(frozen=True, slots=True)
class StructNode:
    """`fields`: for each member its subtree; for a bit field also the first bit in the leaf and the number of bits."""

    fields: dict[str, tuple[LayoutTree, tuple[int, int] | None]]


@dataclass(frozen=True, slots=True)
class BytesNode:
    """Untyped memory: every access is of bytes, counted from the leaf's first."""

    leaf: Leaf


LayoutTree: TypeAlias = LeafNode | ArrayNode | StructNode | BytesNode


@dataclass(frozen=True, slots=True)
class Anchor:
    """A subtree that a pointer may point to: its type, its offset in the object, and the arrays it is in."""

    offset: int
    type: CType
    node: LayoutTree
    dims: tuple[Dim, ...]


@dataclass(frozen=True, slots=True)
class LeafLayout:
    """A type split into leaves."""

    root: LayoutTree
    leaves: tuple[Leaf, ...]
    anchors: tuple[Anchor, ...]


@dataclass(frozen=True, slots=True)
class MemObject:
    """An object with its leaves. With `instances` there are many of it, and every leaf's first index says which one.

    `filled`: fresh memory that has something in it from the beginning, as `realloc` gives it.
    """

    name: str
    shown: str
    type: CType
    size: int
    align: int
    shape: LeafLayout
    symbol: MemorySymbol | None = None
    location: Location = NOWHERE
    instances: Dim | None = None
    start: Start | None = None
    filled: bool = False

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        return self.shape.leaves

    def inner(self, dims: tuple[Dim, ...]) -> tuple[Dim, ...]:
        """Dimensions within one instance."""
        return dims[1:] if self.instances is not None else dims

    def normal(self, offset: int) -> int:
        """The offset with all array indices taken to be 0; -1 if no leaf is there."""
        for retry in (False, True):
            for leaf in self.leaves:
                rest = offset - leaf.offset
                for dim in self.inner(leaf.dims):
                    if rest < 0 or rest >= dim.stride * dim.count:
                        rest = -1
                        break
                    rest %= dim.stride
                if 0 <= rest < leaf.size:
                    return leaf.offset + rest
            if retry or not isinstance(self.type, ArrayType):
                break
            # One past the end, or before the start, of an array of structs is still that array.
            offset %= max(self.inner(self.leaves[0].dims)[0].stride, 1)
        return -1

    def strides(self, offset: int, arithmetic: bool = False) -> tuple[int, ...]:
        """Strides of the arrays that the (normal) offset lies in; with `arithmetic`, that moving a pointer to it stays in.

        Bytes that stand for a union are no array then: a pointer to bytes of a struct goes on to the members beside the union.
        """
        for leaf in self.leaves:
            if leaf.offset <= offset < leaf.offset + leaf.size:
                dims = self.inner(leaf.dims)
                leaves = arithmetic and leaf.bytes and len(self.leaves) > 1
                return tuple(d.stride for d in (dims[:-1] if leaves else dims))
        return ()

    def characters(self, offset: int) -> bool:
        """Whether the (normal) offset lies in an array of characters, which a function that is given a pointer to it stays in."""
        here = next((leaf for leaf in self.leaves if leaf.offset <= offset < leaf.offset + leaf.size), None)
        return here is not None and here.size == 1 and not here.bytes and bool(self.inner(here.dims))

    def leaf_numbers(self, offset: int, size: int) -> tuple[int, ...]:
        """The leaves that `size` bytes from a normal offset may touch; all of them for -1."""
        exact = [n for n, leaf in enumerate(self.leaves) if leaf.offset == offset and leaf.size == size]
        if exact:
            return tuple(exact)
        for n, leaf in enumerate(self.leaves):
            if leaf.bytes and leaf.offset <= offset and offset + size <= leaf.offset + max(leaf.span, 1):
                return (n,)
        return tuple(range(len(self.leaves)))

    def array_begin(self, leaf: Leaf) -> int | None:
        """The offset of the outermost array that the leaf is in, within one instance; None if it is in none, or in bytes."""
        pending: list[LayoutTree] = [self.shape.root]
        while pending:
            match pending.pop():
                case ArrayNode() as array:
                    inside = list(_leaves(array))
                    if leaf in inside:
                        return None if leaf.bytes else min(other.offset for other in inside)
                case StructNode(fields=fields):
                    pending += [tree for tree, _ in fields.values()]
                case _:
                    pass
        return None

    def overlapped(self, start: int, size: int) -> tuple[Leaf, ...]:
        """The leaves of which some element lies in the `size` bytes from an offset on."""
        end = start + size
        return tuple(leaf for leaf in self.leaves if _overlaps(leaf.offset, self.inner(leaf.dims), leaf.size, start, end))


def _leaves(tree: LayoutTree) -> Iterator[Leaf]:
    match tree:
        case LeafNode(leaf=leaf) | BytesNode(leaf=leaf):
            yield leaf
        case ArrayNode(element=element):
            yield from _leaves(element)
        case StructNode(fields=fields):
            for part, _ in fields.values():
                yield from _leaves(part)


def _overlaps(offset: int, dims: tuple[Dim, ...], size: int, start: int, end: int) -> bool:
    """Whether bytes from `start` to `end` are among those of some element of an array that begins at `offset`."""
    if not dims:
        return offset < end and start < offset + size
    outer, *rest = dims
    first, last = max((start - offset) // outer.stride, 0), min((end - 1 - offset) // outer.stride, outer.count - 1)
    return any(_overlaps(offset + i * outer.stride, tuple(rest), size, start, end) for i in range(first, last + 1))


def scalar_of(t: CType, module: Module) -> Scalar | None:
    """The machine integer that holds a value of scalar type; None for aggregates, void and functions."""
    match t:
        case IntType():
            return t.scalar
        case FloatType(bits=bits):
            return Scalar(bits, False)
        case PointerType():
            return Scalar(8 * module.model.pointer_size, False)
        case _:
            return None


class Layout:
    """Splits C types into leaves."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._locks = lock_records(module)
        self._leaves: list[Leaf] = []
        self._anchors: list[Anchor] = []
        self._room: int | None = None
        self._open_at: int | None = None

    def split(self, name: str, type_: CType, location: Location, dims: tuple[Dim, ...] = (), room: int | None = None,
              open_at: int | None = None) -> LeafLayout:
        """The leaves of a type under a name, in order of their offsets.

        An array without a length ends with the `room`, if that is given, and so does the one that is `open_at` an offset.
        """
        self._leaves, self._anchors, self._room, self._open_at = [], [], room, open_at
        root = self._node(name, type_, 0, dims, False, location)
        return LeafLayout(root, tuple(self._leaves), tuple(self._anchors))

    def flat(self, name: str, size: int, type_: CType, dims: tuple[Dim, ...] = ()) -> LeafLayout:
        """`size` untyped bytes."""
        leaf = Leaf(f"{name}.bytes[]", BYTE, 0, 1, (*dims, Dim(1, size)), bytes=True)
        return LeafLayout(BytesNode(leaf), (leaf,), (Anchor(0, type_, BytesNode(leaf), dims),))

    def _node(self, name: str, t: CType, offset: int, dims: tuple[Dim, ...], volatile: bool,
              location: Location) -> LayoutTree:
        at = len(self._anchors)
        node = self._subtree(name, t, offset, dims, volatile or t.quals.volatile, location)
        self._anchors.insert(at, Anchor(offset, t, node, dims))
        return node

    def _subtree(self, name: str, t: CType, offset: int, dims: tuple[Dim, ...], volatile: bool,
                 location: Location) -> LayoutTree:
        scalar = scalar_of(t, self._module)
        if scalar is not None:
            leaf = Leaf(name, scalar, offset, self._module.sizeof(t), dims, False, isinstance(t, FloatType), volatile)
            return self._leaf(leaf)
        match t:
            case ArrayType(element=ArrayType() as element) if self._module.sizeof(element) == 0:
                # Rows of variable length: one row without end, in which every access is somewhere.
                return self._node(f"{name}[]", element, offset, dims, volatile, location)
            case ArrayType(element=element, length=length):
                if offset == self._open_at:
                    length = self._open_at = None
                dim = Dim(self._module.sizeof(element), length or self._open_length(length, element, offset))
                return ArrayNode(self._node(f"{name}[]", element, offset, (*dims, dim), volatile, location), dim)
            case RecordType(key=key):
                record = self._module.records.get(key)
                if record is None:
                    raise FrontendError(location, f"'{name}' has an incomplete type", "define the struct or union")
                if key in self._locks:
                    return self._leaf(Leaf(name, _STATE, offset, _STATE.width // 8, dims, lock=True))
                if self._is_overlaid(record):
                    return self._union(name, record, offset, dims, volatile)
                return self._struct(name, record, offset, dims, volatile, location)
            case VoidType() | FunctionType():
                raise FrontendError(location, f"'{name}' is not an object", "declare a variable")
            case _:
                raise AssertionError(t)

    def _open_length(self, length: int | None, element: CType, offset: int) -> int:
        """How many elements an array without a length, or of length 0, has from an offset of its object on."""
        stride = self._module.sizeof(element)
        if self._room is None or stride == 0:
            return UNBOUNDED_LENGTH if length is None else 1
        return max((self._room - offset) // stride, 1)

    def _is_overlaid(self, record: Record) -> bool:
        """Whether members lie on each other: those of a union, and an array of length 0 that other members stand behind."""
        return record.union or any(isinstance(f.type, ArrayType) and not f.type.length and self._module.sizeof(f.type.element) > 0
                                   for f in record.fields[:-1])

    def flexible(self, t: CType) -> int | None:
        """Where the array lies that the memory behind a struct belongs to: its last member, of length 0, 1 or none."""
        record = self._module.records.get(t.key) if isinstance(t, RecordType) and not t.union else None
        if record is None or not record.fields:
            return None
        match record.fields[-1]:
            case FieldDecl(type=ArrayType(length=None | 0 | 1), offset=offset):
                return offset
            case FieldDecl(type=below, offset=offset):
                inner = self.flexible(below)
                return None if inner is None else offset + inner

    def _leaf(self, leaf: Leaf) -> LeafNode:
        self._leaves.append(leaf)
        return LeafNode(leaf)

    def _struct(self, name: str, record: Record, offset: int, dims: tuple[Dim, ...], volatile: bool,
                location: Location) -> LayoutTree:
        fields: dict[str, tuple[LayoutTree, tuple[int, int] | None]] = {}
        for run in _runs(record):
            member = run[0]
            if member.bits is None:
                inner = self._anonymous(name, member) if member.name.startswith("<anon") else f"{name}.{member.name}"
                below = self._node(inner, member.type, offset + member.offset, dims, volatile, location)
                fields[member.name] = (below, None)
                continue
            first = min(f.offset * 8 + f.bit_offset for f in run) // 8
            last = max((f.offset * 8 + f.bit_offset + (f.bits or 0) + 7) // 8 for f in run)
            names = [f"{name}.{f.name}" for f in run if f.name]
            leaf = Leaf(names[0] if names else f"{name}.<bits>", Scalar(8 * (last - first), False), offset + first, last - first,
                        dims, volatile=volatile or any(f.type.quals.volatile for f in run), aliases=tuple(names))
            unit = self._leaf(leaf)
            for f in run:
                fields[f.name] = (unit, ((f.offset - first) * 8 + f.bit_offset, f.bits or 0))
        if not fields:
            self._leaf(Leaf(f"{name}.<empty>", BYTE, offset, 1, dims))
        return StructNode(fields)

    def _anonymous(self, name: str, member: FieldDecl) -> str:
        """Members of an anonymous struct are the outer one's; an anonymous union is named after its first member."""
        record = self._module.records.get(member.type.key) if isinstance(member.type, RecordType) else None
        return f"{name}.{record.fields[0].name}" if record is not None and record.union and record.fields else name

    def _union(self, name: str, record: Record, offset: int, dims: tuple[Dim, ...], volatile: bool) -> LayoutTree:
        scalars = [scalar_of(f.type, self._module) for f in record.fields if f.bits is None]
        sizes = {self._module.sizeof(f.type) for f in record.fields}
        plain = len(scalars) == len(record.fields) and all(s is not None and s != BOOL for s in scalars) and len(sizes) == 1
        volatile = volatile or any(f.type.quals.volatile for f in record.fields)
        outer = name.rpartition(".")[0]
        aliases = (name, *(f"{name}.{f.name}" for f in record.fields), *(f"{outer}.{f.name}" for f in record.fields if outer))
        if plain and record.fields:
            size = next(iter(sizes))
            node = self._leaf(Leaf(name, Scalar(8 * size, False), offset, size, dims, volatile=volatile, aliases=aliases))
            return StructNode({f.name: (node, None) for f in record.fields})
        bytes_ = (*dims, Dim(1, max(record.size, 1)))
        leaf = self._leaf(Leaf(f"{name}.bytes[]", BYTE, offset, 1, bytes_, bytes=True, volatile=volatile, aliases=aliases)).leaf
        return BytesNode(leaf)


def _runs(record: Record) -> Iterator[list[FieldDecl]]:
    """Members of a struct; adjacent bit fields, which one of no bits parts, are one memory location in C11."""
    run: list[FieldDecl] = []
    for member in record.fields:
        if member.bits is None:
            if run:
                yield run
            run = []
            yield [member]
        elif run and member.apart:
            yield run
            run = [member]
        else:
            run.append(member)
    if run:
        yield run
