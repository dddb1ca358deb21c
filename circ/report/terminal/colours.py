"""Colours on a terminal: added to lines that are finished and free of control characters, so no source file can send any."""

from __future__ import annotations

import os
import re
from typing import TextIO, cast

from circ.report.forms import When
from circ.report.terminal.plain_text import PlainText, plain, printable, unfiltered

_RESET, _BOLD = "\x1b[0m", "\x1b[1m"
_RED, _GREEN, _YELLOW, _MAGENTA, _CYAN = (f"\x1b[1;{code}m" for code in (31, 32, 33, 35, 36))
_WORDS = {"warning": _MAGENTA, "error": _RED, "internal error": _RED, "safe": _GREEN, "possible race": _YELLOW,
          "unknown": _YELLOW, "note": _CYAN, "race": _RED, "violated": _RED}
_DIAGNOSTIC = re.compile(r"^(?P<place>[^\s:][^:\n]*(?::\d+(?::\d+)?)?): "
                         r"(?P<word>warning|(?:internal )?error|safe|possible race|unknown|note)\b", re.M)
_SUMMARY = re.compile(r"\b(?P<number>\d+) (?P<word>safe|race|violated|possible race|unknown)\b")
_CARET = re.compile(r"^(?P<margin> +\| *[ \t]*)(?P<caret>\^)$", re.M)


def wanted(when: When, stream: TextIO) -> bool:
    """Whether the stream gets colours: NO_COLOR, if it is not empty, and TERM=dumb switch off what is only automatic."""
    if when is not When.AUTO:
        return when is When.ALWAYS
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def painted(text: str) -> str:
    """Printable text with colours: places bold, verdicts by what they mean, carets green."""
    text = _DIAGNOSTIC.sub(lambda m: f"{_BOLD}{m['place']}:{_RESET} {_WORDS[m['word']]}{m['word']}{_RESET}", text)
    text = _CARET.sub(lambda m: f"{m['margin']}{_GREEN}^{_RESET}", text)
    return "\n".join(_SUMMARY.sub(_number, line) if line.startswith("circ: ") else line for line in text.split("\n"))


def _number(found: re.Match[str]) -> str:
    return f"{_WORDS[found['word']]}{found[0]}{_RESET}"


class Coloured(PlainText):
    """Writes whole lines, made printable and then painted, to `unfiltered`."""

    def write(self, text: str) -> int:
        self.unfiltered.write(painted(printable(text)))
        return len(text)


def coloured(stream: TextIO, when: When) -> TextIO:
    """The stream, with colours where they are wanted."""
    below = unfiltered(stream)
    return cast(TextIO, Coloured(below)) if wanted(when, below) else plain(stream)
