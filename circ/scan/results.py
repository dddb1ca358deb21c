"""What a scan finds out, on disk: heads and rows as JSON lines.

A results file starts with a line that says what it is. Then come, as they are found, heads and rows, each on a line of
its own that names its file and the fingerprint it holds for. A last line without an end was cut off by a kill; it is dropped.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias, TypeVar

from circ.report.data.plain_data import built
from circ.report.rows import MOST, Head, Row
from circ.report.summary import WORDS
from circ.run.output_files import IN_USE, lock, unread_pipe
from frontend.program import FrontendError, Location, no_plain_file
from frontend.records import dataclass

FORMAT, VERSION = "circ-results", 4


@dataclass(frozen=True, slots=True)
class FileResults:
    """What is known of a file: `head` is None if not even its questions are."""

    head: Head | None = None
    rows: tuple[Row, ...] = ()


Known: TypeAlias = dict[tuple[str, str], FileResults]
"""What is known, by file and fingerprint."""


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
            return _plausible(built(Head, data))
        if kind == "row":
            return _plausible(built(Row, data))
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableResults(f"a {kind} of another shape: {error}") from None
    raise UnreadableResults("neither a head nor a row")


_Item = TypeVar("_Item", Head, Row)


def _plausible(item: _Item) -> _Item:
    """The item, if its counts and times are such as a scan can come to, and its verdict is one of ours; else ValueError."""
    numbers = (item.lines, item.seconds) if isinstance(item, Head) else (item.acfa, item.k, item.seconds, *item.limits)
    if not all(n is None or 0 <= n < MOST for n in numbers):
        raise ValueError("a number that cannot be")
    if isinstance(item, Row) and item.verdict not in WORDS:
        raise ValueError(f"verdict is {item.verdict!r}")
    return item


# --------------------------------------------------------------------------------------------------- results files
class Results:
    """A results file being written, line by line; each line is there, whole, before the next thing is done.

    While it is open no other scan writes to it. `known`: what the file had in it, if it was to be kept.
    """

    def __init__(self, path: Path, keep: bool) -> None:
        """Opens the file, as it is with `keep`, else anew.

        Raises FrontendError if another scan writes to it, or it is not what `-o` wrote; OSError, and then no empty file stays.
        """
        self.path = path
        self.known: Known = {}
        self.file, new = _opened(path, keep)
        self.regular = stat.S_ISREG(os.fstat(self.file).st_mode)
        try:
            if keep:
                self._keep()
            else:
                self._begin()
        except BaseException as error:
            # Only what is locked is ours to remove.
            if new or (not keep and self.regular and isinstance(error, OSError)):
                Path(os.path.realpath(path)).unlink(missing_ok=True)
            os.close(self.file)
            raise

    def _keep(self) -> None:
        """Reads what is there; a last line that was cut off is removed."""
        self.known, end = _parsed(self.path, _content(self.file))
        os.ftruncate(self.file, end)

    def _begin(self) -> None:
        if self.regular:
            os.ftruncate(self.file, 0)
        self._write(first_line())

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


def _opened(path: Path, keep: bool) -> tuple[int, bool]:
    """The file, locked if it is a plain one, and whether it was made just now. A pipe that nobody reads is not waited for."""
    how = (os.O_RDWR if keep else os.O_WRONLY) | os.O_APPEND | os.O_NONBLOCK
    while True:
        target = os.path.realpath(path)
        new = not keep and not os.path.lexists(target)
        try:
            file = os.open(target, how | (os.O_CREAT | os.O_EXCL if new else 0 if keep else os.O_CREAT), 0o666)
        except FileExistsError:
            continue  # another scan has made it meanwhile
        except OSError as error:
            raise OSError(error.errno, unread_pipe(error, path), str(path)) from None
        try:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                if keep:
                    raise no_plain_file(Location(str(path), 1))
                os.set_blocking(file, True)
                return file, False
            _lock(file, path, fcntl.LOCK_EX)
            if _is_at(file, path):
                return file, new
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # it was removed before we had the lock


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except FileNotFoundError:
        return False


def _lock(file: int, path: Path, how: int) -> None:
    if not lock(file, how):
        raise FrontendError(Location(str(path), 1), IN_USE, "wait for it, or name another")


def read_results(path: Path) -> Known:
    """What a results file holds, by file and fingerprint; a cut-off last line is no part of it.

    Raises FrontendError with the line that is wrong, OSError if it cannot be read.
    """
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise no_plain_file(Location(str(path), 1))
        _lock(file, path, fcntl.LOCK_SH)
        return _parsed(path, _content(file))[0]
    finally:
        os.close(file)


def _content(file: int) -> bytes:
    with open(file, "rb", closefd=False) as reader:
        return reader.read()


def _parsed(path: Path, data: bytes) -> tuple[Known, int]:
    """What a results file's bytes say, and how many of them are whole lines."""
    end = data.rfind(b"\n") + 1
    if end == 0:
        raise FrontendError(Location(str(path), 1), "this is not a results file of circ scan: it has no first line",
                            "give --resume what -o wrote")
    known: Known = {}
    for number, line in enumerate(data[:end].decode("utf-8", "replace").split("\n")[:-1], 1):
        try:
            if number == 1:
                _check_first(line)
            else:
                _add(known, from_line(line))
        except UnreadableResults as error:
            raise FrontendError(Location(str(path), number), f"this is not a results file of circ scan: {error}",
                                "give --resume what -o wrote") from None
    return known, end


def _check_first(line: str) -> None:
    try:
        head = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableResults(f"not JSON: {error}") from None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise UnreadableResults(f"its first line does not say '{FORMAT}'")
    if head.get("version") != VERSION:
        raise UnreadableResults(f"version {head.get('version')!r}, this circ reads version {VERSION}")


def _add(known: Known, item: Head | Row) -> None:
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
