"""Integer, floating, character and string constants: their values and C types."""

from __future__ import annotations

import re
from fractions import Fraction

from frontend.ctypes.conversions import Integers
from frontend.ctypes.types import IntType
from frontend.program import FrontendError, Location

_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27, "E": 27,
            "\\": 92, "'": 39, '"': 34, "?": 63}
_PIECE = re.compile(r"\\(?:x[0-9a-fA-F]+|[0-7]{1,3}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)|[^\\]", re.DOTALL)


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


def floating(text: str) -> Fraction:
    """The exact value of a floating constant."""
    body = text.lower().rstrip("l")
    if body.startswith("0x"):
        mantissa, _, exponent = body[2:].rstrip("f" if "p" in body else "").partition("p")
        whole, _, part = mantissa.partition(".")
        return Fraction(int(whole + part or "0", 16), 16 ** len(part)) * Fraction(2) ** int(exponent or "0")
    return Fraction(body.rstrip("fij") or "0")


def _codes(body: str, wide: bool, where: Location) -> list[int]:
    """The character codes of the text between quotes; bytes of UTF-8 unless `wide`."""
    out: list[int] = []
    for piece in _PIECE.findall(body):
        if piece[0] != "\\":
            out.extend([ord(piece)] if wide else piece.encode("utf-8", "surrogateescape"))
        elif piece[1] == "x":
            out.append(int(piece[2:], 16))
        elif piece[1] in "01234567":
            out.append(int(piece[1:], 8))
        elif piece[1] in "uU":
            code = int(piece[2:], 16)
            out.extend([code] if wide else chr(code).encode())
        elif piece[1] in _ESCAPES:
            out.append(_ESCAPES[piece[1]])
        else:
            raise FrontendError(where, f"unknown escape sequence '{piece}'", "write the character as \\x..")
    return out


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
    codes = _codes(body, prefix in ("L", "u", "U"), where)
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


def string(text: str, ints: Integers, where: Location) -> tuple[tuple[int, ...], IntType]:
    """The elements of a string literal, terminating zero included, and their type."""
    prefix, body = _prefix(text, '"')
    element = _element(prefix, ints)
    codes = _codes(body, prefix in ("L", "u", "U"), where)
    return (*(element.scalar.wrap(c) for c in codes), 0), element
