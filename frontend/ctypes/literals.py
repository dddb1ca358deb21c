"""Integer, floating, character and string constants: their values and C types."""

from __future__ import annotations

from fractions import Fraction

from frontend.ctypes.conversions import Integers
from frontend.ctypes.types import IntType
from frontend.program import Location
from frontend.text.tokens import character_codes


def integer(text: str, ints: Integers) -> tuple[int, IntType]:
    """Value and type of an integer constant: the first type of C's list for its base and suffix that can hold it."""
    body = text.lower().replace("'", "")
    suffix = ""
    while (body and body[-1] in "ul") or (body.endswith("z")):
        suffix = body[-1] + suffix
        body = body[:-1]
    if body.startswith("0x"):
        value, decimal = int(body[2:], 16), False
    elif body.startswith("0b"):
        value, decimal = int(body[2:], 2), False
    elif body.startswith("0") and len(body) > 1:
        value, decimal = int(body[1:], 8), False
    else:
        value, decimal = int(body), True
    unsigned, longs = "u" in suffix, suffix.count("l")
    for name in ("int", "long", "long long", "__int128")[longs:]:
        if not unsigned and value <= ints.named(name).scalar.high:
            return value, ints.named(name)
        if (unsigned or not decimal) and value <= ints.named(f"unsigned {name}").scalar.high:
            return value, ints.named(f"unsigned {name}")
    return value, ints.named("unsigned __int128")


_MOST = 30_000
"""Beyond this exponent, as far as a constant of `MAX_NUMBER` digits goes, all is infinite, or 0, in every type of C."""


def floating(text: str) -> Fraction:
    """The exact value of a floating constant; that of one which is infinite, or 0, in every type may be another such."""
    body = text.lower().rstrip("l")
    if body.startswith("0x"):
        mantissa, _, exponent = body[2:].rstrip("f" if "p" in body else "").partition("p")
        whole, _, part = mantissa.partition(".")
        return Fraction(int(whole + part or "0", 16), 16 ** len(part)) * Fraction(2) ** _exponent(exponent)
    mantissa, _, exponent = body.rstrip("fij").partition("e")
    return Fraction(mantissa or "0") * Fraction(10) ** _exponent(exponent)


def _exponent(digits: str) -> int:
    return max(-_MOST, min(int(digits or "0"), _MOST))


def _prefix(text: str, quote: str) -> tuple[str, str]:
    start = text.index(quote)
    return text[:start], text[start + 1: -1]


def _element(prefix: str, ints: Integers) -> IntType:
    match prefix:
        case "L":
            return ints.named("int")
        case "u":
            return ints.named("unsigned short")
        case "U":
            return ints.of_width(32, signed=False)
        case _:
            return ints.named("char")


def character(text: str, ints: Integers, where: Location) -> tuple[int, IntType]:
    """Value and type of a character constant; several characters pack as gcc packs them."""
    prefix, body = _prefix(text, "'")
    codes = character_codes(body, prefix in ("L", "u", "U"), where)
    if prefix in ("L", "u", "U"):
        element = _element(prefix, ints)
        return element.scalar.wrap(codes[-1]), element
    kind = ints.named("int")
    if len(codes) == 1:
        return ints.named("char").scalar.wrap(codes[0]), kind
    value = 0
    for code in codes:
        value = (value << 8) | (code & 255)
    return kind.scalar.wrap(value), kind


def _utf16(code: int) -> tuple[int, ...]:
    """The units of a character in UTF-16."""
    return (code,) if code < 0x10000 else (0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code & 0x3FF))


def string(text: str, ints: Integers, where: Location) -> tuple[tuple[int, ...], IntType]:
    """The elements of a string literal, terminating zero included, and their type."""
    prefix, body = _prefix(text, '"')
    element = _element(prefix, ints)
    codes = character_codes(body, prefix in ("L", "u", "U"), where)
    if prefix == "u":
        codes = [unit for code in codes for unit in _utf16(code)]
    return (*(element.scalar.wrap(c) for c in codes), 0), element
