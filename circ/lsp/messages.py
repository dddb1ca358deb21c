"""What the editor sends, as bytes: messages of a length that a message can have, until the stream ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BufferedIOBase
from typing import BinaryIO

from frontend.program import FrontendError, Location

MOST_MESSAGE = 1 << 28
"""Bytes; a file that is opened is one message."""
_MOST_HEADER = 1 << 13
_LENGTH = re.compile(rb"Content-Length: *(\d+)\s*", re.IGNORECASE)


class Messages(BufferedIOBase):
    """The stream of an editor's messages, for a reader of the protocol, which believes what headers say of lengths.

    A header that no editor writes raises FrontendError. `at_end` is called when the stream has ended, before the reader hears
    of it: the editor may be gone without a word.
    """

    def __init__(self, source: BinaryIO, at_end: Callable[[], None]) -> None:
        self._source, self._at_end = source, at_end

    def readline(self, size: int | None = -1, /) -> bytes:
        line = self._source.readline(_MOST_HEADER)
        length = _LENGTH.fullmatch(line)
        if len(line) == _MOST_HEADER or (length is not None and (len(length[1]) > 10 or int(length[1]) > MOST_MESSAGE)):
            self._at_end()
            raise FrontendError(Location("stdin", 1), "this is no message of the Language Server Protocol: its header says "
                                f"'{line[:40].decode(errors='replace')}'", "let an editor start circ lsp")
        if not line:
            self._at_end()
        return line

    def read(self, size: int | None = -1, /) -> bytes:
        return self._source.read(MOST_MESSAGE if size is None else size)
