"""What a scan finds out, on disk: heads and rows as JSON lines, and as a cache.

A results file starts with a line that says what it is. Then come, as they are found, heads and rows, each on a line of
its own that names its file and the fingerprint it holds for. A last line without an end was cut off by a kill; it is dropped.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from circ.report.flow_rule import Alarm
from circ.report.rows import Head, Row
from frontend.program import FrontendError, Location

FORMAT, VERSION = "circ-results", 2


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a file: `head` is None if not even its questions are."""

    head: Head | None = None
    rows: tuple[Row, ...] = ()


class Unreadable(Exception):
    """A line is not what a scan writes."""


# --------------------------------------------------------------------------------------------------- lines
def first_line() -> str:
    return json.dumps({"format": FORMAT, "version": VERSION}) + "\n"


def to_line(item: Head | Row) -> str:
    return json.dumps({"kind": type(item).__name__.lower(), **asdict(item)}, separators=(",", ":")) + "\n"


def from_line(line: str) -> Head | Row:
    """What `to_line` wrote; raises Unreadable for anything else."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not JSON: {error}") from None
    kind = data.pop("kind", None) if isinstance(data, dict) else None
    try:
        if kind == "head":
            alarms = tuple(_build(Alarm, a) for a in data.pop("alarms"))
            return replace(_build(Head, {**data, "alarms": []}), alarms=alarms)
        if kind == "row":
            return _build(Row, data)
    except (KeyError, TypeError, ValueError) as error:
        raise Unreadable(f"a {kind} of another shape: {error}") from None
    raise Unreadable("neither a head nor a row")


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
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | (0 if keep else os.O_TRUNC), 0o666)
        if not keep:
            self._write(first_line())

    def add(self, item: Head | Row) -> None:
        self._write(to_line(item))

    def _write(self, line: str) -> None:
        data = line.encode()
        while data:
            data = data[os.write(self.file, data):]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self.file)


def read_results(path: Path) -> dict[tuple[str, str], Known]:
    """What a results file holds, by file and fingerprint, and its cut-off last line removed.

    Raises FrontendError with the line that is wrong, OSError if it cannot be read.
    """
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    known: dict[tuple[str, str], Known] = {}
    for number, line in enumerate(data[:end].decode("utf-8", "replace").splitlines(), 1):
        try:
            if number == 1:
                _check_first(line)
            else:
                _add(known, from_line(line))
        except Unreadable as error:
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
        raise Unreadable(f"not JSON: {error}") from None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise Unreadable(f"its first line does not say '{FORMAT}'")
    if head.get("version") != VERSION:
        raise Unreadable(f"version {head.get('version')!r}, this circ reads version {VERSION}")


def _add(known: dict[tuple[str, str], Known], item: Head | Row) -> None:
    if item.key is None:
        return
    here = (item.file, item.key)
    before = known.get(here, Known())
    match item:
        case Head():
            known[here] = replace(before, head=item)
        case Row():
            rows = tuple(r for r in before.rows if r.variable != item.variable)
            known[here] = replace(before, rows=(*rows, item))


# --------------------------------------------------------------------------------------------------- cache
class Cache:
    """Answers by fingerprint, a file each, in a folder that may be deleted at any time; and how long files took.

    Only what no limit had a part in is kept. An entry that cannot be read or written is no entry.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @staticmethod
    def default_folder() -> Path:
        base = os.environ.get("XDG_CACHE_HOME")
        return Path(base) / "circ" if base else Path.home() / ".cache" / "circ"

    def get(self, key: str) -> Known:
        try:
            items = [from_line(line) for line in (self.folder / f"{key}.jsonl").read_text().splitlines()]
        except (OSError, ValueError, Unreadable):
            return Known()
        known: dict[tuple[str, str], Known] = {}
        for item in items:
            _add(known, item)
        return next((k for (_, of), k in known.items() if of == key), Known())

    def put(self, head: Head, rows: Sequence[Row]) -> None:
        kept = [r for r in rows if r.verdict in ("safe", "race", "violated")]
        if head.key is not None and not (head.error or head.bug or head.limit):
            self._write(f"{head.key}.jsonl", to_line(head) + "".join(map(to_line, kept)))

    def seconds(self, path: str) -> float | None:
        """How long the file took when it was last scanned."""
        try:
            return float((self.folder / self._time_name(path)).read_text())
        except (OSError, ValueError):
            return None

    def took(self, path: str, seconds: float) -> None:
        self._write(self._time_name(path), f"{seconds:.3f}\n")

    @staticmethod
    def _time_name(path: str) -> str:
        return hashlib.sha256(os.path.abspath(path).encode()).hexdigest()[:32] + ".time"

    def _write(self, name: str, text: str) -> None:
        """The whole text or nothing, however many processes write at once."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            temporary = self.folder / f"{name}.{os.getpid()}"
            temporary.write_text(text)
            temporary.replace(self.folder / name)
