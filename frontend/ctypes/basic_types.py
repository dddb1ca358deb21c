"""The types that C names by keywords."""

from __future__ import annotations

from frontend.ctypes.conversions import Integers
from frontend.ctypes.types import CType, FloatType, PointerType, VoidType


def basic_type(names: list[str], ints: Integers) -> CType | None:
    """The type of a list of type specifiers in any order; None if they name none."""
    model = ints.model
    words = [w for w in names if w not in ("_Complex", "__complex__", "_Imaginary")]
    factor = 1 if len(words) == len(names) else 2
    longs, short, unsigned = words.count("long"), "short" in words, "unsigned" in words
    small = model.int_size == 2
    match [w for w in words if w not in ("long", "short", "unsigned", "signed", "int")]:
        case ["void"]:
            return VoidType()
        case ["_Bool" | "bool"]:
            return ints.bool
        case ["char"]:
            sign = "unsigned " if unsigned else "signed " if "signed" in words else ""
            return ints.named(f"{sign}char")
        case ["float"]:
            return FloatType("float", 32 * factor)
        case ["double"] if longs:
            return FloatType("long double", (32 if small else 128 if model.max_align >= 16 else 96) * factor)
        case ["double"]:
            return FloatType("double", (32 if small else 64) * factor)
        case ["__int128" | "__int128_t" | "__uint128_t" as name]:
            return ints.named("unsigned __int128" if unsigned or name == "__uint128_t" else "__int128")
        case ["__builtin_va_list" | "__gnuc_va_list"]:
            return PointerType(VoidType())
        case ["_Decimal32" | "_Decimal64" | "_Decimal128" as name]:
            return FloatType(name, int(name[8:]))
        case [] if words:
            base = "short" if short else ("int", "long", "long long")[min(longs, 2)]
            return ints.named(f"unsigned {base}" if unsigned else base)
        case [] if factor == 2:
            return FloatType("double", 128)
    return None
