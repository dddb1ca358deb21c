"""Memory: objects, split into leaf variables by field path, and their addresses. The model is told in docs/memory.md.

A leaf is a scalar, or an array with one flattened index when an array lies on its path. A bit field's leaf is the run of
adjacent bit fields; a union whose members do not all have one scalar size is a leaf of bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from frontend.cfa import UNBOUNDED_LENGTH
from frontend.expr import BOOL, Scalar
from frontend.ir import Module, Symbol
from frontend.source import FrontendError, Location
from frontend.types import (
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

BYTE = Scalar(8, False)


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
    atomic: bool = False
    pointer: bool = False
    aliases: tuple[str, ...] = ()

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
    element: Node
    dim: Dim


@dataclass(frozen=True, slots=True)
class StructNode:
    """`fields`: for each member its subtree; for a bit field also the first bit in the leaf and the number of bits."""

    fields: dict[str, tuple[Node, tuple[int, int] | None]]


@dataclass(frozen=True, slots=True)
class BytesNode:
    """Untyped memory: every access is of bytes, counted from the leaf's first."""

    leaf: Leaf


Node: TypeAlias = LeafNode | ArrayNode | StructNode | BytesNode


@dataclass(frozen=True, slots=True)
class MemObject:
    """An object with its leaves. `per_thread`: every thread has its own (a local, a thread-local)."""

    name: str
    shown: str
    type: CType
    size: int
    align: int
    root: Node
    leaves: tuple[Leaf, ...]
    symbol: Symbol | None = None
    location: Location = field(default=Location("<circ>", 0))


def qualifiers(t: CType) -> tuple[bool, bool]:
    """(volatile, atomic) of a type, those of an array's elements included."""
    volatile, atomic = t.quals.volatile, t.quals.atomic
    while isinstance(t, ArrayType):
        t = t.element
        volatile, atomic = volatile or t.quals.volatile, atomic or t.quals.atomic
    return volatile, atomic


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

    def split(self, name: str, type_: CType, location: Location) -> tuple[Node, tuple[Leaf, ...]]:
        """The tree of a type under a name, and its leaves in order of their offsets."""
        leaves: list[Leaf] = []
        root = self._node(name, type_, 0, (), False, False, leaves, location)
        return root, tuple(leaves)

    def flat(self, name: str, size: int, dims: tuple[Dim, ...] = ()) -> tuple[Node, tuple[Leaf, ...]]:
        """The tree of `size` untyped bytes."""
        leaf = Leaf(f"{name}.bytes[]", BYTE, 0, 1, (*dims, Dim(1, size)), bytes=True)
        return BytesNode(leaf), (leaf,)

    def _node(self, name: str, t: CType, offset: int, dims: tuple[Dim, ...], volatile: bool, atomic: bool,
              leaves: list[Leaf], location: Location) -> Node:
        volatile, atomic = volatile or t.quals.volatile, atomic or t.quals.atomic
        scalar = scalar_of(t, self._module)
        if scalar is not None:
            leaf = Leaf(name, scalar, offset, self._module.sizeof(t), dims, False, isinstance(t, FloatType), volatile, atomic,
                        isinstance(t, PointerType))
            leaves.append(leaf)
            return LeafNode(leaf)
        match t:
            case ArrayType(element=element, length=length):
                dim = Dim(self._module.sizeof(element), UNBOUNDED_LENGTH if length is None else max(length, 1))
                return ArrayNode(self._node(f"{name}[]", element, offset, (*dims, dim), volatile, atomic, leaves, location), dim)
            case RecordType(key=key):
                record = self._module.records.get(key)
                if record is None:
                    raise FrontendError(location, f"'{name}' has an incomplete type", "define the struct or union")
                if record.union:
                    return self._union(name, record, offset, dims, volatile, atomic, leaves, location)
                return self._struct(name, record, offset, dims, volatile, atomic, leaves, location)
            case VoidType() | FunctionType():
                raise FrontendError(location, f"'{name}' is not an object")
            case _:
                raise AssertionError(t)

    def _struct(self, name: str, record: Record, offset: int, dims: tuple[Dim, ...], volatile: bool, atomic: bool,
                leaves: list[Leaf], location: Location) -> Node:
        fields: dict[str, tuple[Node, tuple[int, int] | None]] = {}
        for run in _runs(record):
            if run[0].bits is None:
                member = run[0]
                # A flexible array member at the end has no length of its own.
                inner = f"{name}.{member.name}" if not member.name.startswith("<anon") else name
                fields[member.name] = (self._node(inner, member.type, offset + member.offset, dims, volatile, atomic, leaves, location), None)
                continue
            first = min(f.offset * 8 + f.bit_offset for f in run) // 8
            last = max((f.offset * 8 + f.bit_offset + (f.bits or 0) + 7) // 8 for f in run)
            names = [f"{name}.{f.name}" for f in run if f.name]
            leaf = Leaf(names[0] if names else f"{name}.<bits>", Scalar(8 * (last - first), False), offset + first, last - first,
                        dims, volatile=volatile or any(f.type.quals.volatile for f in run), aliases=tuple(names))
            leaves.append(leaf)
            for f in run:
                fields[f.name] = (LeafNode(leaf), ((f.offset - first) * 8 + f.bit_offset, f.bits or 0))
        return StructNode(fields)

    def _union(self, name: str, record: Record, offset: int, dims: tuple[Dim, ...], volatile: bool, atomic: bool,
               leaves: list[Leaf], location: Location) -> Node:
        scalars = [scalar_of(f.type, self._module) for f in record.fields if f.bits is None]
        sizes = {self._module.sizeof(f.type) for f in record.fields}
        plain = len(scalars) == len(record.fields) and all(s is not None and s != BOOL for s in scalars) and len(sizes) == 1
        volatile = volatile or any(f.type.quals.volatile for f in record.fields)
        if plain and record.fields:
            size = next(iter(sizes))
            leaf = Leaf(name, Scalar(8 * size, False), offset, size, dims, volatile=volatile, atomic=atomic,
                        pointer=any(isinstance(f.type, PointerType) for f in record.fields),
                        aliases=tuple(f"{name}.{f.name}" for f in record.fields))
            leaves.append(leaf)
            return StructNode({f.name: (LeafNode(leaf), None) for f in record.fields})
        leaf = Leaf(f"{name}.bytes[]", BYTE, offset, 1, (*dims, Dim(1, max(record.size, 1))), bytes=True, volatile=volatile,
                    aliases=(name, *(f"{name}.{f.name}" for f in record.fields)))
        leaves.append(leaf)
        return BytesNode(leaf)


def _runs(record: Record) -> Iterator[list[FieldDecl]]:
    """Members of a struct, adjacent bit fields together (they are one memory location in C11)."""
    run: list[FieldDecl] = []
    for member in record.fields:
        if member.bits is None:
            if run:
                yield run
            run = []
            yield [member]
        elif member.bits == 0:
            if run:
                yield run
            run = []
        else:
            run.append(member)
    if run:
        yield run
