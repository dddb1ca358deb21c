"""Which programs a scan is about: files, folders, globs, and the programs of compile databases."""

from __future__ import annotations

import errno
import glob
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import TypeAlias

from circ.run.projects import EVERYTHING, Project, read_project
from circ.run.reading import NotRead
from circ.run.supervise import Limits
from frontend import LoadOptions, SourceFile
from frontend.program import FrontendError, Location
from frontend.project import COMMANDS, SUFFIXES, excluded
from frontend.records import dataclass

_LOCK = ".#"
"""How the names of links begin by which editors lock files."""

ReadProject: TypeAlias = Callable[[str], Project]
"""The programs of a compile database; raises FrontendError if it is none."""


@dataclass(frozen=True, slots=True)
class Source:
    """A program: its first file, the folder that headers may name files of, and all files with their own options.

    The folder is the one that was named to be scanned, that of the compile commands, or that of a file named on its own.
    `unread`: why the file could not be read when programs were looked for.
    """

    path: str
    project: str
    files: tuple[SourceFile, ...] = ()
    unread: FrontendError | NotRead | None = field(default=None, compare=False)

    @property
    def all_files(self) -> tuple[SourceFile, ...]:
        return self.files or (SourceFile(self.path, project=self.project),)


def _everything(database: str) -> Project:
    return read_project(database, EVERYTHING, LoadOptions(), Limits())


def find_sources(paths: Sequence[str], project_of: ReadProject = _everything, exclude: Sequence[str] = ()) -> tuple[Source, ...]:
    """Every program meant, in the order of their paths. A file on its own is left out where a database has it.

    Raises FrontendError for a path that means none.
    """
    found: dict[tuple[str, tuple[SourceFile, ...], str], Source] = {}
    for path in paths:
        sources = list(_expand(path, project_of, exclude))
        for source in sources:
            found.setdefault((os.path.abspath(source.path), source.files, str(source.unread or "")), source)
        if not sources:
            raise FrontendError(Location(path, 1), "there are no C files here", f"circ scan reads {' and '.join(SUFFIXES)} files")
    compiled = {os.path.abspath(file.path) for _, files, _ in found for file in files}
    return tuple(sorted((source for (path, files, why), source in found.items() if files or why or path not in compiled),
                        key=lambda s: (s.path, tuple(f.path for f in s.files))))


def _in_folder(folder: str, exclude: Sequence[str]) -> Iterator[Source]:
    """The C files below a folder; what is called like one and cannot be read, and folders that cannot be, with why not."""
    closed: list[OSError] = []
    for here, _, names in os.walk(folder, onerror=closed.append):
        for name in names:
            path = str(Path(here) / name)
            if Path(name).suffix in SUFFIXES and not name.startswith(_LOCK) and not excluded(path, exclude):
                yield Source(path, folder, unread=_no_file(path))
    for error in closed:
        path = str(error.filename)
        if not excluded(path, exclude):
            yield Source(path, folder, unread=FrontendError(
                Location(path, 1), f"cannot read the directory: {error.strerror}", "check its permissions, or --exclude it"))


def _no_file(path: str) -> FrontendError | None:
    """Why something in a folder is no file to read, if so; nothing is opened, since a pipe might be waited for."""
    try:
        if stat.S_ISREG(os.stat(path).st_mode):
            return None
        why = "this is no plain file"
    except OSError as error:
        broken = os.path.islink(path) and error.errno == errno.ENOENT
        why = "a link to a file that is not there" if broken else f"cannot read the file: {error.strerror}"
    return FrontendError(Location(path, 1), why, "remove it, or --exclude it")


def _expand(path: str, project_of: ReadProject, exclude: Sequence[str]) -> Iterator[Source]:
    if os.path.isdir(path):
        yield from sorted(_in_folder(path, exclude), key=lambda source: Path(source.path))
    elif os.path.basename(path) == COMMANDS and os.path.exists(path):
        project = project_of(path)
        yield from (Source(p.files[0].path, os.path.dirname(path) or ".", p.files) for p in project.programs)
        yield from (Source(file, os.path.dirname(path) or ".", unread=why) for file, why in project.unread)
    elif os.path.exists(path) or not glob.has_magic(path):
        # A file that is not there is reported with the others, when its turn comes.
        yield Source(path, os.path.dirname(path) or ".")
    else:
        for match in sorted(glob.glob(path, recursive=True)):
            if os.path.isdir(match) or os.path.basename(match) == COMMANDS or match.endswith(SUFFIXES):
                yield from _expand(match, project_of, exclude)
