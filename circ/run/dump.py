"""What an engine builds on the way, as numbered DOT files: `01-cfa.dot`, `02-arg.dot`, `03-acfa.dot`, ..."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from frontend.program import Program
from frontend.program.draw import as_dot


class Dump:
    """An observer that writes each `dump` event (`name`, `dot`) to the next file of a folder, the program's CFA first."""

    def __init__(self, folder: Path, program: Program) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.number = 0
        self._write("cfa", as_dot(program))

    def __call__(self, event: str, data: Mapping[str, Any]) -> None:
        if event == "dump":
            self._write(str(data["name"]), str(data["dot"]))

    def _write(self, name: str, dot: str) -> None:
        self.number += 1
        (self.folder / f"{self.number:02}-{name}.dot").write_text(dot)
