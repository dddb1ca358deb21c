"""Files that are written: whole or not at all, and an error that names the file; our own mistakes and baselines, too."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from circ.report.accepted.baseline import baseline_text, entries_of, read_baseline
from circ.report.findings import Finding
from circ.report.summary import plural
from frontend.program import FrontendError, Location


def write_whole(path: Path, data: bytes) -> None:
    """The file has exactly this in it, or is as it was before and OSError, with its path, is raised.

    A device or a pipe, which can have no other file put in its place, is written to as it is. A file that a scan is writing
    its results to is not replaced.
    """
    target = path.resolve()
    try:
        if target.exists() and not target.is_file():
            _write_through(target, data)
            return
        _refuse_in_use(target)
        temporary = target.with_name(f".{target.name[:100]}.{os.urandom(6).hex()}.tmp")
        try:
            with open(temporary, "wb") as file:
                file.write(data)
            temporary.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _write_through(target: Path, data: bytes) -> None:
    """Writes to a device or a pipe; one that nobody reads is not waited for."""
    try:
        file = os.open(target, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        raise OSError(error.errno, unread_pipe(error, target)) from None
    os.set_blocking(file, True)
    with open(file, "wb") as stream:
        stream.write(data)


IN_USE = "another scan is writing to this file"


def lock(file: int, how: int) -> bool:
    """Whether the file could be locked (`fcntl.LOCK_EX` or `LOCK_SH`), or lies where there are no locks; nobody is waited for."""
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _refuse_in_use(path: Path) -> None:
    """Raises OSError if a scan is writing its results to this file, which would go on in a file that has no name any more."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return  # not there yet, or not ours to read
    try:
        if not lock(file, fcntl.LOCK_SH):
            raise BlockingIOError(errno.EBUSY, IN_USE, str(path))
    finally:
        os.close(file)


def unread_pipe(error: OSError, path: Path) -> str:
    """What went wrong when a file was opened; plainly if it is a pipe that has no reader."""
    return "nobody reads this pipe" if error.errno == errno.ENXIO and path.is_fifo() else str(error.strerror)


def is_full(error: OSError) -> bool:
    """Whether a disk is the reason, or what the user may have of it: nothing is wrong with what was asked for."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def make_folder(folder: Path) -> None:
    """Makes a folder for what is written beside the verdicts; on a full disk one line says that there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if not is_full(error):
            raise
        print(f"circ: error: {folder}: {error.strerror} (the verdicts hold without it)", file=sys.stderr)


def check_writable(path: Path) -> None:
    """Raises OSError, before any work is done, if the file can certainly not be written."""
    folder = path.resolve().parent
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not folder.is_dir():
        number = errno.ENOTDIR if folder.exists() else errno.ENOENT
        raise OSError(number, os.strerror(number), str(path))
    if not os.access(path if path.exists() and not path.is_file() else folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    if path.is_file():
        _refuse_in_use(path)


def check_distinct(named: Mapping[str, Path | None]) -> None:
    """Raises FrontendError if two options, by their names, name one file to write to: one would replace the other's."""
    seen: dict[str, str] = {}
    for option, path in named.items():
        if path is not None and (first := seen.setdefault(os.path.realpath(path), option)) != option:
            raise FrontendError(Location(str(path), 1), f"{first} and {option} name the same file", "name two files")


def refuse_inputs(named: Mapping[str, Path | None], files: Iterable[str]) -> None:
    """Raises FrontendError if an option names, for being written, a file that is read."""
    read = {os.path.realpath(file) for file in files}
    for option, path in named.items():
        if path is not None and os.path.realpath(path) in read:
            raise FrontendError(Location(str(path), 1), f"{option} names a file that is checked", "name another one")


def encoded(text: str) -> bytes:
    """Text as it is written to files; names of files that are no text keep their bytes."""
    return text.encode("utf-8", "surrogateescape")


def report_bug(what: str, details: str, debug: bool) -> None:
    """One line on stderr; the details go to a file, or to stderr with --debug."""
    line = f"circ: internal error: {what.removeprefix('internal error: ').splitlines()[0] if what else '?'}"
    if debug:
        print(f"{line}\n{details}", file=sys.stderr)
        return
    try:
        with tempfile.NamedTemporaryFile("wb", prefix="circ-bug-", suffix=".txt", delete=False) as file:
            file.write(f"{what}\n{details}".encode(errors="backslashreplace"))
        print(f"{line} (details in {file.name}, or with --debug)", file=sys.stderr)
    except OSError:
        print(f"{line} (details with --debug)", file=sys.stderr)


# --------------------------------------------------------------------------------------------------- baselines
class BaselineFile:
    """Marks findings that are known. `new`: there is no such file yet."""

    def __init__(self, path: Path | None) -> None:
        """Raises FrontendError if the file is no baseline, OSError if it can be neither read nor written."""
        self.path = path
        self.new = path is not None and not path.exists()
        self._known = None if path is None or self.new else read_baseline(path)
        if self.new and path is not None:
            check_writable(path)

    def marked(self, file: str, finding: Finding) -> Finding:
        return finding if self._known is None else self._known.marked(file, finding)

    def write(self, found: Sequence[tuple[str, Finding]], complete: bool) -> list[Finding]:
        """Writes a new baseline of all findings, if it is to be; gives them, known from now on if it was written.

        A run that was broken off, or that could not read something, writes none: what it did not see would be new later.
        """
        findings = [finding for _, finding in found]
        if self.path is None:
            return findings
        if not self.new:
            if complete and self._known is not None and self._known.gone:
                print(f"circ: note: {plural(self._known.gone, 'finding')} of {self.path} did not occur any more", file=sys.stderr)
            return findings
        if not complete:
            print(f"circ: warning: {self.path}: no baseline is written of a run that is not complete", file=sys.stderr)
            return findings
        entries = entries_of(found, os.path.dirname(os.path.abspath(self.path)))
        try:
            write_whole(self.path, encoded(baseline_text(entries)))
        except OSError as failed:
            print(f"circ: error: {failed.filename}: {failed.strerror} (no baseline is written)", file=sys.stderr)
            return findings
        print(f"circ: note: {plural(len(entries), 'finding')} written to {self.path}: only what is new fails from now on",
              file=sys.stderr)
        return [replace(f, known=f.verdict != "safe" and not f.suppressed and not f.bug) for f in findings]
