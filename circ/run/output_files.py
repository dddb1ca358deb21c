"""Files that are written: whole or not at all, and an error that names the file; our own mistakes go to a file, too."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """The file has exactly this in it, or is as it was before and OSError, with its path, is raised.

    A device or a pipe, which can have no other file put in its place, is written to as it is.
    """
    target = path.resolve()
    try:
        if target.exists() and not target.is_file():
            _write_through(target, data)
            return
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
