"""Places in the user's source text, the one exception that means bad input, and reading files within limits."""

from __future__ import annotations

import gc
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from frontend.records import dataclass

S = TypeVar("S")


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in the file the user wrote (after `#line`), 1-based; column 0 when it is not known."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        name = displayed(self.file)
        return f"{name}:{self.line}:{self.column}" if self.column else f"{name}:{self.line}"


def displayed(name: str) -> str:
    """A file's name on one line of readable text: control characters, and bytes that are no text, are escaped.

    It does not begin a line with `::`, which is a command to those who run tests for others.
    """
    name = f"./{name}" if name.startswith("::") else name
    return name if name.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in name)


def _escaped(c: str) -> str:
    undecoded = 0xDC80 <= ord(c) <= 0xDCFF  # how Python spells a byte of a name that is not UTF-8
    return f"\\x{ord(c) - 0xDC00:02x}" if undecoded else c.encode("unicode_escape").decode()


NOWHERE = Location("<circ>", 0)
COPIED = "__circ_copied"
"""The function that fills what `strdup` gives, in programs in which that is done at each of its calls."""
END_OF_INPUT = "__circ_end_of_input"
"""A function that tells bodies of library functions whether the input ends: it may at any time, but then it has ended."""
IN_LIBRARY = "<library>"
"""The file of functions of the C library that are given a body: what they do is shown where they are called."""


class FrontendError(Exception):
    """Bad input: where, what, and what the user can do about it."""

    def __init__(self, location: Location, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.location = location
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type[FrontendError], tuple[Location, str, str]]:
        """So that it gets from somebody's worker process to its parent."""
        return type(self), (self.location, self.message, self.hint)

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.location}: error: {self.message}{hint}"


class OptionError(FrontendError):
    """An option's value makes no sense; a caller that knows where the user wrote the option can say so."""

    def __init__(self, location: Location, name: str, value: str, message: str, hint: str = "") -> None:
        super().__init__(location, f"{name} {value}: {message}", hint)
        self.name = name
        self.value = value


class NotModelled(FrontendError):
    """C that compilers take and that is not modelled here: the statement it is in may do anything to what it mentions."""


class LoweringFailed(NotModelled):
    """Our own mistake in lowering a statement: nothing is known of what it does, so nothing is proved of the program."""


MAX_SOURCE = 20_000_000
"""Characters of preprocessed text that a file may have."""
MAX_DATA = 256_000_000

MAX_NESTING = 256
"""Levels of (), [] and {} around a token; pycparser needs some ten Python frames for each."""

MAX_AST_DEPTH = 1000
"""Levels of an AST that `parse` gives out, so that recursive passes over it have a bound."""

_RECURSION_LIMIT = 40_000


class _Setting(Generic[S]):
    """A setting of the interpreter that is another one while somebody needs it; several threads may need it at once.

    The first who needs it changes it, the last one puts back what was there.
    """

    def __init__(self, change: Callable[[], S], restore: Callable[[S], None]) -> None:
        self.change, self.restore = change, restore
        self.lock, self.users = threading.Lock(), 0
        self.before: S | None = None
        os.register_at_fork(after_in_child=self._new_lock)

    def _new_lock(self) -> None:
        """Another thread may have held it when the process was forked, and is not there to give it back."""
        self.lock = threading.Lock()

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self.lock:
            self.users += 1
            if self.users == 1:
                self.before = self.change()
        try:
            yield
        finally:
            with self.lock:
                self.users -= 1
                if self.users == 0 and self.before is not None:
                    self.restore(self.before)


def _stop_collection() -> bool:
    enabled = gc.isenabled()
    gc.disable()
    return enabled


def _go_deeper() -> int:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION_LIMIT))
    return before


no_collection = _Setting(_stop_collection, lambda enabled: gc.enable() if enabled else None)
"""Without the cyclic collector, which takes half of the time and makes it grow faster than the file."""

deep_recursion = _Setting(_go_deeper, sys.setrecursionlimit)
"""Room for recursion over an AST of `MAX_AST_DEPTH` levels (Python to Python calls do not use the C stack)."""


def too_large(path: str, size: int) -> FrontendError:
    return FrontendError(
        Location(path, 1, 1),
        f"the file has {size / 1e6:.1f} million characters after preprocessing, the limit is {MAX_SOURCE / 1e6:g} million",
        "check the part that has the threads on its own, or leave out headers it does not need",
    )


@contextmanager
def _readable(here: Location) -> Iterator[None]:
    """What the system says when a file cannot be opened or read, as a located message."""
    try:
        yield
    except FileNotFoundError:
        raise FrontendError(here, "no such file", "check the path") from None
    except OSError as error:
        raise FrontendError(here, f"cannot read the file: {error.strerror}", "check its permissions") from None
    except ValueError:
        raise FrontendError(here, "no file has such a name", "check the path") from None


def no_plain_file(here: Location) -> FrontendError:
    """A directory, pipe, socket or device where a file is meant."""
    return FrontendError(here, "this is no plain file", "give the name of one")


def read_data(path: str) -> str:
    """The text of a file that is data to circ itself: a table, a database, a proof. What is no plain file is refused unread."""
    here = Location(path, 1, 1)
    with _readable(here):
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            raise no_plain_file(here)
        if found.st_size > MAX_DATA:
            raise FrontendError(here, f"the file has more than {MAX_DATA / 1e6:.0f} MB", "is it the right one?")
        with open(path, "rb") as file:
            data = file.read(MAX_DATA)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise FrontendError(here, "this is not text", "give the name of a text file") from None


def read_source(path: str, again: bool = False) -> str:
    """The text of a C file with `\\n` line ends; raises FrontendError if it cannot be read or is not text.

    `again`: it was read before, for another purpose, so a pipe is refused: all that was in it is gone, and nobody writes more.
    """
    here = Location(path, 1, 1)
    if again and not os.path.isfile(path):
        raise no_plain_file(here)
    if os.path.isdir(path):
        raise FrontendError(here, "this is a directory", "name the .c or .i files in it, or use `circ scan`")
    with _readable(here), open(path, "rb") as file:
        if stat.S_ISCHR(mode := os.fstat(file.fileno()).st_mode) or stat.S_ISBLK(mode):
            raise FrontendError(here, "this is a device, not a file", "name a C file")
        data = file.read(4 * MAX_SOURCE + 1)
    if len(data) > 4 * MAX_SOURCE:
        raise too_large(path, os.path.getsize(path))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return source_text(text, path)


def source_text(text: str, path: str) -> str:
    """A C text with `\\n` line ends, as it is read from a file; `path` is what it is called in messages."""
    nul = text.find("\0")
    if nul >= 0:
        place = Location(path, text.count("\n", 0, nul) + 1, nul - text.rfind("\n", 0, nul))
        raise FrontendError(place, "a NUL byte: this is not a text file", "circ reads C source, not object files or UTF-16 text")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MAX_SOURCE:
        raise too_large(path, len(text))
    return text
