"""A baseline: what was found at some time, as a file. What it has is told but does not make a run fail; only what is new does.

A finding is known by what it is about, not by its lines: moved code is not new. It is known in a renamed file, too, as long as
the old one is not there any more. A race is new where the baseline has only a possible race, or where it was unknown.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from circ.report.data.plain_data import built
from circ.report.findings import Finding
from frontend.program import FrontendError, Location, read_data
from frontend.records import dataclass

FORMAT, VERSION = "circ-baseline", 1
_SEVERITY = {"race": 3, "violated": 3, "possible race": 2, "unknown": 1, "safe": 0}


@dataclass(frozen=True, slots=True)
class Entry:
    """A finding of before; the file is as seen from the folder of the baseline. `message` is for people only."""

    fingerprint: str
    file: str
    variable: str | None
    verdict: str
    message: str


class Baseline:
    """What is known. Paths are those of this run; `folder` is that of the baseline."""

    def __init__(self, entries: Sequence[Entry], folder: str) -> None:
        self.entries, self.folder = tuple(entries), folder
        self._met: set[Entry] = set()

    def marked(self, file: str, finding: Finding) -> Finding:
        """The finding, marked if the baseline has it, or something worse about the same."""
        here = os.path.relpath(file, self.folder)
        alike = [e for e in self.entries if e.fingerprint == finding.fingerprint and
                 (e.file == here or not os.path.exists(os.path.join(self.folder, e.file)))]
        self._met |= set(alike) if finding.verdict != "safe" else set()
        known = any(_SEVERITY[e.verdict] >= _SEVERITY[finding.verdict] for e in alike)
        return replace(finding, known=known and finding.verdict != "safe" and not finding.bug)

    @property
    def gone(self) -> int:
        """How many entries nothing of this run is about."""
        return len(self.entries) - len(self._met)


def entries_of(found: Iterable[tuple[str, Finding]], folder: str) -> tuple[Entry, ...]:
    """What a new baseline has: all that is neither proved nor suppressed, with the files that it is in."""
    return tuple(dict.fromkeys(Entry(f.fingerprint, os.path.relpath(file, folder), f.variable, f.verdict, f.message)
                               for file, f in found if f.verdict != "safe" and not f.suppressed and not f.bug))


def baseline_text(entries: Sequence[Entry]) -> str:
    """The file, in a fixed order."""
    ordered = sorted(entries, key=lambda e: (e.file, e.variable or "", e.fingerprint))
    return json.dumps({"format": FORMAT, "version": VERSION, "findings": [asdict(e) for e in ordered]}, indent=1) + "\n"


def read_baseline(path: Path) -> Baseline:
    """Raises FrontendError if the file is none, OSError if it cannot be read."""
    try:
        data = json.loads(read_data(str(path)))
        if not isinstance(data, dict) or (data.get("format"), data.get("version")) != (FORMAT, VERSION):
            raise ValueError(f"it does not begin with format {FORMAT}, version {VERSION}")
        found = data.get("findings")
        if set(data) != {"format", "version", "findings"} or not isinstance(found, list):
            raise ValueError("other keys than it should have")
        entries = [built(Entry, e) for e in found]
        if not all(e.verdict in _SEVERITY for e in entries):
            raise ValueError("a verdict that there is not")
    except (ValueError, RecursionError) as error:
        raise FrontendError(Location(str(path), 1), f"this is no baseline: {error}", "remove it, a new one is written") from None
    return Baseline(entries, os.path.dirname(os.path.abspath(path)))
