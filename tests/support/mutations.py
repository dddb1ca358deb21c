"""Texts that are nearly right: programs and data with a few pieces changed, taken out, doubled, or moved."""

from __future__ import annotations

import random
import re

_PIECE = re.compile(r"\w+|\s+|.", re.DOTALL)
_C_WORDS = ("int", "struct", "*", "(", ")", "{", "}", "[", "]", ";", ",", "=", "if", "while", "for", "return", "goto", "switch", "case",
            "atomic", "0", "-1", "4294967296", "9999999999999999999999", "1e400", "'", '"', "\\", "#", "##", "/*", "*/", "//@ ", "sizeof",
            "typedef", "extern", "static", "volatile", "_Atomic", "__attribute__((", "))", "...", "->", ".", "&", "?", ":", "<<", "%",
            "\n#if 1\n", "\n#define x x x\n", "\n#include __FILE__\n", "\x00", "\x7f", "é", "\udcff", "_Generic", "asm", "enum", "union")
_DATA_WORDS = ("{", "}", "[", "]", '"', ",", ":", "=", "null", "true", "-1", "1e999", "9" * 5000, "\\ud800", "\\u0000", "\x00", "[[handler]]",
               "name", "file", "directory", "command", "arguments", "{}", "[]", '""', "NaN", "#", "\n", "0x", "1979-05-27", "kind", "head",
               "row", "[" * 3000, '{"a":' * 3000)


def mutated(text: str, rng: random.Random, data: bool = False) -> str:
    """The text with one to six changes."""
    pieces = _PIECE.findall(text)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(pieces) + 1)
        match rng.randrange(6):
            case 0:
                pieces.insert(at, rng.choice(_DATA_WORDS if data else _C_WORDS))
            case 1:
                del pieces[at:at + rng.randint(1, 4)]
            case 2:
                to = rng.randrange(len(pieces) + 1)
                pieces[to:to] = pieces[at:at + rng.randint(1, 12)]
            case 3 if pieces:
                pieces[min(at, len(pieces) - 1)] = rng.choice(pieces)
            case 4:
                pieces[at:at + 1] = [rng.choice(_DATA_WORDS if data else _C_WORDS)]
            case _:
                del pieces[at:at + rng.randint(1, 40)]
    return "".join(pieces)
