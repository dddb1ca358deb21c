"""A stream for terminals on which a source file cannot move the cursor, clear the screen, ring the bell or turn text around."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from typing import Any, TextIO, cast

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
"""Control characters; those that are not seen, and those by which text is read from right to left."""


def printable(text: str) -> str:
    """The text with control characters other than tabs and line ends written as `\\x1b`, invisible ones as `\\u202e`."""
    return _CONTROL.sub(lambda m: f"\\x{ord(m[0]):02x}" if ord(m[0]) < 256 else f"\\u{ord(m[0]):04x}", text)


class PlainText:
    """Writes what is printable to `unfiltered`."""

    def __init__(self, unfiltered: TextIO) -> None:
        self.unfiltered = unfiltered

    def write(self, text: str) -> int:
        self.unfiltered.write(printable(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unfiltered, name)


def plain(stream: TextIO | None) -> TextIO:
    """The stream, filtered; one that leads nowhere in place of a closed one, which Python has as None."""
    if stream is None:
        stream = open(os.devnull, "w")  # noqa: SIM115 - for as long as the process runs
    return stream if isinstance(stream, PlainText) else cast(TextIO, PlainText(stream))


class Besides:
    """A stream for what is said besides the answers: what cannot be written there, on a full disk say, is left out."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self.stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def besides(stream: TextIO | None) -> TextIO:
    """The stream, filtered, for messages that change no status."""
    return plain(stream if stream is None or isinstance(stream, PlainText) else cast(TextIO, Besides(stream)))


def unfiltered(stream: TextIO) -> TextIO:
    """For what circ itself writes to a terminal."""
    return stream.unfiltered if isinstance(stream, PlainText) else stream
