"""Functions that print as one constant format says: `snprintf(b, n, "k%d", i)` becomes a call of a function made for `"k%d"`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from frontend.text.tokens import Token

_CONVERSION = re.compile(r"%(-?)(0?)(\d*)(hh|h|ll|l|z|)([dituxcs%])")
_SIGNED = {"": "int", "h": "int", "hh": "int", "l": "long", "ll": "long long", "z": "long"}
_UNSIGNED = {"": "unsigned", "l": "unsigned long", "ll": "unsigned long long", "z": "__SIZE_TYPE__"}
PRINTERS = {"snprintf": 2, "sprintf": 1}
"""Functions that print into memory, and which of their arguments is the format."""


def format_of(argument: Sequence[Token]) -> str | None:
    """The characters of a format as they stand in the source, without quotes; None if it is no constant, or a strange one."""
    if not argument or any(t.type != "STRING_LITERAL" for t in argument):
        return None
    text = "".join(t.value[1:-1] for t in argument)
    return None if "\\x" in text or re.search(r"\\[0-7]", text) else text


def printer(name: str, like: str, text: str, count: int) -> str | None:
    """A function that does what `like` does with the format and so many arguments; None if that is not known exactly."""
    steps = list(_steps(text))
    given = [kind for _, kind in steps if kind]
    if None in [line for line, _ in steps] or len(given) != count:
        return None
    room = "__SIZE_TYPE__ room, " if like == "snprintf" else ""
    parameters = "".join(f", {kind} a{n}" for n, kind in enumerate(given))
    body, number = [], 0
    for line, kind in steps:
        assert line is not None
        body.append(line.replace("ARG", f"a{number}"))
        number += bool(kind)
    return "\n".join((
        f"static int {name}(char *to, {room}const char *format{parameters})", "{",
        *(() if room else ("    __SIZE_TYPE__ room = ~(__SIZE_TYPE__)0;",)), "    __SIZE_TYPE__ at = 0;", *body,
        "    if (room > 0)", "        to[at < room ? at : room - 1] = 0;", "    return (int)at;", "}", ""))


def _steps(text: str) -> Iterator[tuple[str | None, str]]:
    """A statement for each part of a format, None for one that is not understood, with the type of the argument it takes."""
    here = 0
    while here < len(text):
        end = text.find("%", here)
        if end != here:
            end = len(text) if end < 0 else end
            yield f'    at = __circ_put_text(to, room, at, "{text[here:end]}", 0);', ""
            here = end
            continue
        part = _CONVERSION.match(text, here)
        if part is None:
            yield None, ""
            return
        yield _step(*part.groups())
        here = part.end()


def _step(left: str, zero: str, width: str, size: str, kind: str) -> tuple[str | None, str]:
    wide = width or "0"
    fill = "'0'" if zero else "' '"
    match kind:
        case "%" if not (left or zero or width or size):
            return "    at = __circ_put(to, room, at, '%');", ""
        case "c" if not (left or zero or width or size):
            return "    at = __circ_put(to, room, at, (char)ARG);", "int"
        case "s" if not (zero or size) and (left or not width):
            return f"    at = __circ_put_text(to, room, at, ARG, {wide});", "const char *"
        case "d" | "i" if not left and size not in ("h", "hh"):
            value = "ARG < 0 ? -(unsigned long long)ARG : (unsigned long long)ARG, ARG < 0"
            return f"    at = __circ_put_number(to, room, at, {value}, 10, {wide}, {fill});", _SIGNED[size]
        case "u" | "x" if not left and size in _UNSIGNED:
            base = 16 if kind == "x" else 10
            return f"    at = __circ_put_number(to, room, at, ARG, 0, {base}, {wide}, {fill});", _UNSIGNED[size]
        case _:
            return None, ""
