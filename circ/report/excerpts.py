"""Lines of the sources that a report shows, with a caret below the place that is meant.

A line marker (`# 1 "/etc/passwd"`) may say that a place lies in any file. Whoever wrote it need not be whoever reads the report,
so lines are taken only from the files that were named, and from files in their folders and below.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from frontend.program import FrontendError, Location, Program, read_source

_WIDTH = 100
"""Columns of a line that are shown around the place that is meant."""


class Excerpts:
    """Reads each file once; a line that cannot be had is None, never an error."""

    def __init__(self, files: Sequence[str]) -> None:
        self._roots = tuple(dict.fromkeys(os.path.dirname(os.path.realpath(file)) for file in files))
        self._texts: dict[str, list[str]] = {}

    @staticmethod
    def of(program: Program) -> Excerpts:
        return Excerpts((program.file, *program.files))

    def line(self, file: str, number: int) -> str | None:
        """A line of a file, without its end."""
        if file not in self._texts:
            self._texts[file] = self._read(file)
        lines = self._texts[file]
        return lines[number - 1] if 0 < number <= len(lines) else None

    def length(self, file: str) -> int:
        """How many lines a file has, 0 if it cannot be had."""
        self.line(file, 1)
        return len(self._texts[file])

    def _read(self, file: str) -> list[str]:
        try:
            real = os.path.realpath(file)
            if not any(os.path.commonpath([root, real]) == root for root in self._roots):
                return []
            return read_source(file, again=True).split("\n")
        except (FrontendError, OSError, ValueError):
            return []

    def caret(self, place: Location) -> Iterator[str]:
        """The line and a caret below its column, as compilers show them; nothing where there is no such line."""
        text = self.line(place.file, place.line)
        if text is None or not text.strip() or not 0 < place.column <= len(text):
            return
        text, column = _window(text.rstrip(), place.column)
        yield f"{place.line:5} | {text}"
        yield f"      | {''.join(c if c == chr(9) else ' ' for c in text[:column - 1])}^"


def _window(text: str, column: int) -> tuple[str, int]:
    """As much of a line as fits, and where the column is in it."""
    if len(text) <= _WIDTH:
        return text, column
    begin = max(0, min(column - 1 - _WIDTH // 2, len(text) - _WIDTH))
    dots = "..." if begin else ""
    rest = "..." if begin + _WIDTH < len(text) else ""
    return f"{dots}{text[begin:begin + _WIDTH]}{rest}", column - begin + len(dots)
