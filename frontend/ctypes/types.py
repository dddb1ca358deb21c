"""C's types and the three data models. Conversions and layout follow the data model; qualifiers travel with the type."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TypeAlias

from frontend.program import BOOL, MemoryOrder, Scalar
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Quals:
    const: bool = False
    volatile: bool = False
    atomic: bool = False
    order: MemoryOrder = MemoryOrder.SEQ_CST
    """With which an atomic object is accessed: of a place, never of a declared type."""


NO_QUALS = Quals()


@dataclass(frozen=True, slots=True)
class VoidType:
    quals: Quals = NO_QUALS


@dataclass(frozen=True, slots=True)
class IntType:
    """An integer type by its canonical name (`unsigned char`, `_Bool`, ...); enums are their underlying integer."""

    name: str
    bits: int
    signed: bool
    quals: Quals = NO_QUALS

    @property
    def scalar(self) -> Scalar:
        return BOOL if self.name == "_Bool" else Scalar(self.bits, self.signed)


VECTOR = "vector"
"""The name of vector types, which are floating types here."""


@dataclass(frozen=True, slots=True)
class FloatType:
    """A floating type; its values are abstracted to arbitrary ones, only its size is known."""

    name: str
    bits: int
    quals: Quals = NO_QUALS


@dataclass(frozen=True, slots=True)
class PointerType:
    target: CType
    quals: Quals = NO_QUALS


@dataclass(frozen=True, slots=True)
class ArrayType:
    """`length` None: incomplete or of variable length. `variable`: it is one of variable length to C."""

    element: CType
    length: int | None
    quals: Quals = NO_QUALS
    variable: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class RecordType:
    """A struct or union, by a key that is unique in the file (types may be recursive, so fields live in `Records`)."""

    key: str
    union: bool = False
    quals: Quals = NO_QUALS


@dataclass(frozen=True, slots=True)
class FunctionType:
    result: CType
    params: tuple[CType, ...]
    variadic: bool = False
    quals: Quals = NO_QUALS


CType: TypeAlias = VoidType | IntType | FloatType | PointerType | ArrayType | RecordType | FunctionType


def unqualified(t: CType) -> CType:
    return replace(t, quals=NO_QUALS)


@dataclass(frozen=True, slots=True)
class FieldDecl:
    """A member at a byte offset; a bit field (`bits` set) occupies `bits` bits from `bit_offset` of the unit of type `type`.

    `apart`: an unnamed bit field of no bits stands before it, so that the bit fields before that one are another memory location.
    """

    name: str
    type: CType
    offset: int
    bits: int | None = None
    bit_offset: int = 0
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """A complete struct or union with its layout in bytes. Anonymous members appear under a generated name `<anon N>`."""

    key: str
    union: bool
    fields: tuple[FieldDecl, ...]
    size: int
    align: int

    def field(self, name: str) -> FieldDecl:
        return next(f for f in self.fields if f.name == name)
