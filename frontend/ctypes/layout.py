"""Where the members of a struct or union lie: gcc's rules for alignment, packing and bit fields."""

from __future__ import annotations

from collections.abc import Callable

from frontend.ctypes.types import CType, FieldDecl, Record
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class LayoutField:
    """A member to place. `name` None: an unnamed bit field, which only takes room."""

    name: str | None
    type: CType
    bits: int | None
    packed: bool
    align: int


def lay_out(
    key: str, union: bool, fields: list[LayoutField], *, packed: bool, pack: int | None, least: int,
    sizeof: Callable[[CType], int], alignof: Callable[[CType], int],
) -> Record:
    """The record with every member at its offset. `pack` is that of `#pragma pack`, `least` a required alignment.

    `#pragma pack` bounds the alignment that a member asks for, too, and as far as bit fields go it takes the place of `packed`.
    """
    placed: list[FieldDecl] = []
    position = 0
    end = 0
    align = least
    apart = False
    for field in fields:
        if union:
            position = 0
        natural = alignof(field.type)
        loose = packed or field.packed
        unit = natural if not loose or (field.bits is not None and pack is not None) else 1
        unit = max(unit, field.align)
        if pack is not None:
            unit = min(unit, pack)
        if field.bits is None:
            position = _up(position, unit * 8)
            assert field.name is not None
            placed.append(FieldDecl(field.name, field.type, position // 8))
            position += sizeof(field.type) * 8
            align = max(align, unit)
        elif field.bits == 0:
            position = _up(position, natural * 8)
            apart = True
        else:
            size = sizeof(field.type) * 8
            if field.align:
                position = _up(position, field.align * 8)
            crosses = position // size != (position + field.bits - 1) // size
            if crosses and not loose and pack is None:
                position = _up(position, natural * 8)
            if field.name is not None:
                start = position // 8 if (position % size) + field.bits > size else position // size * (size // 8)
                placed.append(FieldDecl(field.name, field.type, start, field.bits, position - start * 8, apart))
                apart = False
                align = max(align, unit)
            position += field.bits
        end = max(end, position)
    size = _up((end + 7) // 8, align)
    return Record(key, union, tuple(placed), size, align)


def _up(n: int, unit: int) -> int:
    return (n + unit - 1) // unit * unit
