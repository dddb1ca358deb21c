"""What numbers a declaration may have, as compilers bound them: widths of bit fields, sizes of arrays, alignments, vectors.

Each function gives the number back, or raises a FrontendError at the place of what is wrong.
"""

from __future__ import annotations

from frontend.ctypes.types import CType, IntType
from frontend.program import FrontendError, Location

_MOST_BIT_INT = 65_535
_MOST_ALIGNMENT = 1 << 28
_MOST_VECTOR = 1 << 16
_PACKS = (1, 2, 4, 8, 16)


def bit_field(name: str | None, t: CType, bits: int | None, where: Location) -> int:
    """The width of a bit field of this type; None: it is no constant."""
    called = f"the bit field '{name}'" if name is not None else "a bit field"
    if bits is None:
        raise FrontendError(where, "the width of the bit field is not a constant", "write it as a constant")
    if not isinstance(t, IntType):
        raise FrontendError(where, f"{called} is of no integer type", "declare it as int, unsigned or _Bool")
    most = 1 if t.name == "_Bool" else t.bits
    if bits < 0 or (bits == 0 and name is not None) or bits > most:
        raise FrontendError(where, f"{called} has {bits} bits, its type has {most}", f"make the width 1 to {most}")
    return bits


def array_length(length: int, where: Location, pointer_bits: int) -> int:
    """The length of an array that fits into memory, whatever its elements."""
    if length < 0:
        raise FrontendError(where, "the size of the array is negative", "make it positive")
    if length >> (pointer_bits - 1):
        raise FrontendError(where, "the array is larger than any object can be", "correct its size")
    return length


def alignment(asked: int, where: Location) -> int:
    """An alignment that attributes or `_Alignas` ask for; 0 asks for nothing."""
    if asked < 0 or asked & (asked - 1) or asked > _MOST_ALIGNMENT:
        raise FrontendError(where, f"the alignment {asked} is no power of 2 that there can be", "write 1, 2, 4, 8, ...")
    return asked


def no_less(asked: int, natural: int, where: Location) -> int:
    """An alignment that `_Alignas` asks for, which must not be less than that of the type."""
    if asked < natural:
        raise FrontendError(where, f"_Alignas asks for an alignment of {asked}, the type has {natural}", "ask for more")
    return asked


def bit_int(bits: int | None, signed: bool, where: Location) -> int:
    """The width of a `_BitInt`."""
    if bits is None:
        raise FrontendError(where, "the width of _BitInt is not a constant", "write the width as a constant")
    if not (2 if signed else 1) <= bits <= _MOST_BIT_INT:
        raise FrontendError(where, f"a _BitInt of {bits} bits", f"the width is {2 if signed else 1} to {_MOST_BIT_INT}")
    return bits


def vector_size(size: int, where: Location) -> int:
    """The bytes (or elements) of a vector."""
    if not 0 < size <= _MOST_VECTOR:
        raise FrontendError(where, f"a vector of size {size}", f"the size is 1 to {_MOST_VECTOR}")
    return size


def packing(asked: int | None) -> int | None:
    """What `#pragma pack` asks for; as compilers do, anything but a small power of 2 is ignored."""
    return asked if asked in _PACKS else None
