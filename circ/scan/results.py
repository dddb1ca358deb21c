"""What a scan finds out, on disk: heads and rows as JSON lines.

A results file starts with a line that says what it is. Then come, as they are found, heads and rows, each on a line of
its own that names its file and the fingerprint it holds for. A last line without an end was cut off by a kill; it is dropped.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from circ.report.flow_rule import Alarm
from circ.report.rows import Head, Row
from frontend.program import FrontendError, Location

FORMAT, VERSION = "circ-results", 3


@dataclass(frozen=True, slots=True)
class FileResults:
    """What is known of a file: `head` is None if not even its questions are."""

    head: Head | None = None
    rows: tuple[Row, ...] = ()


class UnreadableResults(Exception):
    """A line is not what a scan writes."""


# --------------------------------------------------------------------------------------------------- lines
def first_line() -> str:
    return json.dumps({"format": FORMAT, "version": VERSION}) + "\n"


def to_line(item: Head | Row) -> str:
    return json.dumps({"kind": type(item).__name__.lower(), **asdict(item)}, separators=(",", ":")) + "\n"


def from_line(line: str) -> Head | Row:
    """What `to_line` wrote; raises UnreadableResults for anything else."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableResults(f"not JSON: {error}") from None
    kind = data.pop("kind", None) if isinstance(data, dict) else None
    try:
        if kind == "head":
            alarms = tuple(_build(Alarm, a) for a in data.pop("alarms"))
            return replace(_build(Head, {**data, "alarms": []}), alarms=alarms)
        if kind == "row":
            return _build(Row, data)
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableResults(f"a {kind} of another shape: {error}") from None
    raise UnreadableResults("neither a head nor a row")


_TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,), "int": (int,), "float": (float, int), "bool": (bool,), "str | None": (str, type(None)),
}

_Built = TypeVar("_Built", Head, Row, Alarm)


def _build(shape: type[_Built], data: Mapping[str, Any]) -> _Built:
    """An object whose fields have the types they are declared with; raises ValueError otherwise."""
    if not isinstance(data, dict) or set(data) != {f.name for f in fields(shape)}:
        raise ValueError("other fields than it should have")
    made: dict[str, Any] = {}
    for f in fields(shape):
        value = data[f.name]
        if isinstance(value, list):
            if not str(f.type).startswith("tuple") or not all(isinstance(v, str | int | float | None) for v in value):
                raise ValueError(f"{f.name} is a list")
            made[f.name] = tuple(value)
        elif isinstance(value, _TYPES.get(str(f.type), ())) and (f.type == "bool") == isinstance(value, bool):
            made[f.name] = value
        else:
            raise ValueError(f"{f.name} is {value!r}")
    return shape(**made)


# --------------------------------------------------------------------------------------------------- results files
class Results:
    """A results file being written, line by line; each line is there, whole, before the next thing is done."""

    def __init__(self, path: Path, keep: bool) -> None:
        """Opens the file, as it is with `keep`, else anew. Raises FrontendError if another scan writes to it, OSError."""
        new = not path.exists()
        self.path = path
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        self.regular = stat.S_ISREG(os.fstat(self.file).st_mode)
        try:
            if self.regular:
                _lock(self.file, path, fcntl.LOCK_EX)
                if not keep:
                    os.ftruncate(self.file, 0)
            if not keep:
                self._write(first_line())
        except BaseException:
            os.close(self.file)
            if new:
                path.unlink(missing_ok=True)
            raise

    def add(self, item: Head | Row) -> None:
        """Raises OSError, and then leaves the file as it was."""
        self._write(to_line(item))

    def _write(self, line: str) -> None:
        size = os.fstat(self.file).st_size
        data = line.encode()
        try:
            while data:
                data = data[os.write(self.file, data):]
        except OSError as error:
            if self.regular:
                os.ftruncate(self.file, size)
            raise OSError(error.errno, error.strerror, str(self.path)) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self.file)


def _lock(file: int, path: Path, how: int) -> None:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FrontendError(Location(str(path), 1), "another scan is writing to this file",
                            "wait for it, or name another") from None
    except OSError:
        return  # a file system that knows no locks


def read_results(path: Path) -> dict[tuple[str, str], FileResults]:
    """What a results file holds, by file and fingerprint, and its cut-off last line removed.

    Raises FrontendError with the line that is wrong, OSError if it cannot be read.
    """
    with path.open("rb") as file:
        _lock(file.fileno(), path, fcntl.LOCK_SH)
        data = file.read()
    end = data.rfind(b"\n") + 1
    known: dict[tuple[str, str], FileResults] = {}
    for number, line in enumerate(data[:end].decode("utf-8", "replace").splitlines(), 1):
        try:
            if number == 1:
                _check_first(line)
            else:
                _add(known, from_line(line))
        except UnreadableResults as error:
            raise FrontendError(Location(str(path), number), f"this is not a results file of circ scan: {error}",
                                "give --resume what -o wrote") from None
    if end == 0:
        raise FrontendError(Location(str(path), 1), "this is not a results file of circ scan: it has no first line",
                            "give --resume what -o wrote")
    if end < len(data):
        os.truncate(path, end)
    return known


def _check_first(line: str) -> None:
    try:
        head = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableResults(f"not JSON: {error}") from None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise UnreadableResults(f"its first line does not say '{FORMAT}'")
    if head.get("version") != VERSION:
        raise UnreadableResults(f"version {head.get('version')!r}, this circ reads version {VERSION}")


def _add(known: dict[tuple[str, str], FileResults], item: Head | Row) -> None:
    if item.key is None:
        return
    here = (item.file, item.key)
    before = known.get(here, FileResults())
    match item:
        case Head():
            known[here] = replace(before, head=item)
        case Row():
            rows = tuple(r for r in before.rows if r.variable != item.variable)
            known[here] = replace(before, rows=(*rows, item))
