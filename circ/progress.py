"""What is going on, on one line of a terminal that is overwritten; nothing at all where stderr is no terminal."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sized
from typing import Any, TextIO

from circ.verdict import Observer


class Progress:
    """Shows a line, and takes it away again before anything else is printed."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.enabled = stream.isatty()
        self.visible = False
        self.last = 0.0

    def show(self, text: str) -> None:
        if self.enabled:
            width = shutil.get_terminal_size().columns - 1
            self.stream.write(f"\r\x1b[K{text[:width]}")
            self.stream.flush()
            self.visible = True

    def clear(self) -> None:
        if self.visible:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
            self.visible = False

    def observer(self, file: str, total: int, done: Sized) -> Observer:
        """An observer that shows which question of a file is being answered, and how far that is."""
        start = time.monotonic()

        def observe(event: str, data: Mapping[str, Any]) -> None:
            now = time.monotonic()
            if self.enabled and now - self.last > 0.1:
                self.last = now
                details = ", ".join(f"{k} {v}" for k, v in data.items() if k != "subject" and isinstance(v, int | str))
                self.show(f"{file}: {data.get('subject')} ({len(done) + 1}/{total}, {now - start:.0f} s): {event} {details}")

        return observe
