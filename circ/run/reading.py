"""Files read in a child process, under the same limits as their analysis: a program comes back, or why there is none."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import TypeVar

from circ.run.supervise import Crashed, Done, Emit, Failed, Limits, supervise
from frontend import LoadOptions, SourceFile, load_project
from frontend.program import FrontendError, Location, Program, displayed
from frontend.records import dataclass
from frontend.text.compilers import OWN

_HEAVY = ("frontend.link", "frontend.lower.units", "frontend.text.parse")


class NotRead(Exception):
    """A limit was reached while the file was read, or our own mistake (`Crashed`) kept it from being read."""

    def __init__(self, file: str, outcome: Failed) -> None:
        super().__init__(file)
        self.file = file
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class ReadingError:
    """A FrontendError on its way between processes."""

    location: Location
    message: str
    hint: str

    @staticmethod
    def of(error: FrontendError) -> ReadingError:
        return ReadingError(error.location, error.message, error.hint)

    def error(self) -> FrontendError:
        return FrontendError(self.location, self.message, self.hint)


def load_heavy() -> None:
    """Loads what reads C here, so that not every file's process has to."""
    for heavy in _HEAVY:
        importlib.import_module(heavy)


def runs_others(files: Sequence[SourceFile], source: LoadOptions) -> bool:
    """Whether reading may start programs that are not ours: of any file it may turn out that the system's compiler has to."""
    return source.cpp != OWN


T = TypeVar("T")


def load_within(files: Sequence[SourceFile], source: LoadOptions, limits: Limits) -> Program:
    """The program that the files make. Raises FrontendError for anything wrong with it, NotRead if a limit was reached."""
    return read_within(files, source, limits, lambda: load_project(files, source))


def read_within(files: Sequence[SourceFile], source: LoadOptions, limits: Limits, work: Callable[[], T]) -> T:
    """What reading the files for some purpose gives. Raises FrontendError and NotRead."""
    load_heavy()

    def read(name: str, emit: Emit) -> T | ReadingError:
        try:
            return work()
        except FrontendError as error:
            return ReadingError.of(error)

    [(_, outcome)] = supervise([files[0].path], lambda: read, limits, starts_others=runs_others(files, source))
    if not isinstance(outcome, Done):
        raise NotRead(files[0].path, outcome)
    if isinstance(outcome.value, ReadingError):
        raise outcome.value.error()
    return outcome.value


def why_not(error: NotRead) -> tuple[str, str]:
    """One line about a file that was not read, and the traceback if that is our own mistake."""
    from circ.run.check import failed

    if isinstance(error.outcome, Crashed):
        return f"{displayed(error.file)}: {error.outcome.error}", error.outcome.traceback
    reason = failed(error.outcome, None).reason
    return f"{displayed(error.file)}:1: unknown: {reason}, while the file was read (see --timeout, --cpu-limit and --memory)", ""
