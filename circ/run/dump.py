"""What an engine builds on the way, as numbered DOT files: `01-cfa.dot`, `02-arg.dot`, `03-acfa.dot`, ...

A file that cannot be written is told, once, and ends the dump; it has no part in the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from circ.run.output_files import encoded, write_whole
from circ.verdict import Observer
from frontend.program import Program

NOT_WRITTEN = "not-written"
"""The event that tells of a file that could not be written: its `path`, and `why`."""


class Dump:
    """An observer that writes each `dump` event (`name`, `dot`) to the next file of a folder, the program's CFA first."""

    def __init__(self, folder: Path, program: Program, tell: Observer) -> None:
        self.folder = folder
        self.number = 0
        self.tell = tell
        self.broken = False
        from frontend.program.draw import as_dot  # few ask for it

        self._write("cfa", as_dot(program))

    def __call__(self, event: str, data: Mapping[str, Any]) -> None:
        if event == "dump":
            self._write(str(data["name"]), str(data["dot"]))

    def _write(self, name: str, dot: str) -> None:
        if self.broken:
            return
        self.number += 1
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.folder / f"{self.number:02}-{name}.dot", encoded(dot))
        except OSError as error:
            self.broken = True
            self.tell(NOT_WRITTEN, {"path": str(error.filename or self.folder), "why": error.strerror})
