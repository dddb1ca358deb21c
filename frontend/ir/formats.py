"""What `printf` and `scanf` do with the arguments behind a format."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum


class ArgumentUse(Enum):
    """What becomes of an argument: its value is printed, what it points to is read, or written."""

    VALUE = "value"
    READ = "read"
    WRITE = "write"


_PRINTED = re.compile(r"%[-+ #0'I]*(\*|\d+)?(?:\.(\*|-?\d*))?(?:hh|h|ll|l|q|L|j|z|Z|t|w\d+|wf\d+)?(.)", re.DOTALL)
_SCANNED = re.compile(r"%(\*?)\d*(?:hh|h|ll|l|q|L|j|z|t)?(\[\^?\]?[^\]]*\]|.)", re.DOTALL)
_PRINTS = frozenset("diouxXeEfFgGaAcCpbB")


def uses(formats: Iterable[str] | None, scans: bool, count: int) -> list[frozenset[ArgumentUse]]:
    """What may become of each of `count` arguments if the format is one of these; None: it may be any."""
    anything = frozenset(ArgumentUse)
    if formats is None:
        return [anything] * count
    found: list[frozenset[ArgumentUse]] = [frozenset()] * count
    for text in formats:
        wants = _scanned(text) if scans else _printed(text)
        for i in range(count):
            here = anything if wants is None else frozenset(wants[i:i + 1])
            found[i] = found[i] | here
    return found


def any_use(formats: Iterable[str] | None, scans: bool) -> frozenset[ArgumentUse]:
    """What may become of some argument if the format is one of these; None: it may be any."""
    if formats is None:
        return frozenset(ArgumentUse)
    wanted = [_scanned(text) if scans else _printed(text) for text in formats]
    return frozenset(ArgumentUse) if None in wanted else frozenset(use for uses_ in wanted for use in uses_ or ())


def _printed(text: str) -> list[ArgumentUse] | None:
    """The arguments that a `printf` format takes; None if that is not understood."""
    found: list[ArgumentUse] = []
    here = text.find("%")
    while here >= 0:
        part = _PRINTED.match(text, here)
        if part is None:
            return None
        width, precision, kind = part.groups()
        found += [ArgumentUse.VALUE] * ((width == "*") + (precision == "*"))
        if kind in _PRINTS:
            found.append(ArgumentUse.VALUE)
        elif kind in "sS":
            found.append(ArgumentUse.READ)
        elif kind == "n":
            found.append(ArgumentUse.WRITE)
        elif kind not in "%m":
            return None
        here = text.find("%", part.end())
    return found


def _scanned(text: str) -> list[ArgumentUse] | None:
    """The arguments that a `scanf` format takes; None if that is not understood."""
    found: list[ArgumentUse] = []
    here = text.find("%")
    while here >= 0:
        part = _SCANNED.match(text, here)
        if part is None or part.group(2) in ("m", "$"):
            return None
        if not part.group(1) and part.group(2) != "%":
            found.append(ArgumentUse.WRITE)
        here = text.find("%", part.end())
    return found
