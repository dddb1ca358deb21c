"""From a compile database to programs: which files are meant, what each gives and needs, who is linked with whom."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from frontend.api import DEFAULT_OPTIONS, LoadOptions, SourceFile, interrupt_table, parsed_file
from frontend.program import FrontendError, Location
from frontend.project.database import COMMANDS, WrongCommand, database_of, read_database
from frontend.project.flags import language, output_of, source_file
from frontend.project.linking import ProgramFiles, Unit, programs_of
from frontend.records import dataclass

if TYPE_CHECKING:
    from frontend.project.unit_symbols import UnitSymbols

SUFFIXES = (".c", ".i")
_TARGET = re.compile(r"(?:^|/)(?:CMakeFiles/([^/]+)\.dir|([^/]+)\.p)/")
"""Where CMake and Meson put the object files of a target."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A file of a database with its own options, and the target of the build that it is compiled for, empty if not known."""

    source: SourceFile
    target: str


@dataclass(frozen=True, slots=True)
class CompiledFiles:
    """The C files of a database, and its entries that make no sense."""

    files: tuple[Compiled, ...]
    wrong: tuple[WrongCommand, ...] = ()


def compiled_files(database: str, exclude: Sequence[str] = ()) -> CompiledFiles:
    """The C files of a database that no pattern of `exclude` matches, each once for each way it is compiled.

    Raises FrontendError for a database that cannot be read, or has no such file.
    """
    found: dict[Compiled, None] = {}
    wrong: list[WrongCommand] = []
    for command in read_database(database):
        if isinstance(command, WrongCommand):
            if not excluded(command.file, exclude):
                wrong.append(command)
            continue
        written_in = language(command.words)
        if not (command.file.endswith(SUFFIXES) and written_in in ("", "c", "cpp-output")) or excluded(command.file, exclude):
            continue
        target = _TARGET.search(output_of(command).replace(os.sep, "/"))
        found[Compiled(source_file(command), (target[1] or target[2]) if target else "")] = None
    if not found and wrong:
        raise wrong[0].error
    if not found:
        raise FrontendError(Location(database, 1), "there are no C files here", f"circ reads {' and '.join(SUFFIXES)} files")
    return CompiledFiles(tuple(found), tuple(wrong))


def excluded(path: str, patterns: Sequence[str]) -> bool:
    """Whether a pattern matches the path, as it is shown or absolute, a folder that it is in, or the file's own name."""
    names = [path, os.path.normpath(path), os.path.abspath(path), os.path.basename(path)]
    return any(fnmatch.fnmatchcase(name, pattern) for name in names for p in patterns for pattern in (p, f"{p.rstrip('/')}/*"))


def symbols_of(source: SourceFile, options: LoadOptions = DEFAULT_OPTIONS) -> UnitSymbols:
    """Reads a file for its symbols; raises FrontendError for one that cannot be read."""
    from frontend.project.unit_symbols import unit_symbols  # it brings the parser

    return unit_symbols(parsed_file(source, options), interrupt_table(options, source))


def programs_in(path: str, options: LoadOptions = DEFAULT_OPTIONS) -> tuple[ProgramFiles, ...]:
    """The programs of a compile database, or of the one in a build folder; their files are for `load_project`.

    Raises FrontendError if there is no database, or a file of it cannot be read.
    """
    database = database_of(path)
    if database is None:
        raise FrontendError(Location(path, 1), f"there is no {COMMANDS} here", "let CMake, Meson or bear write one")
    compiled = compiled_files(database)
    for wrong in compiled.wrong:
        raise wrong.error
    return programs_of([Unit(file.source, file.target, symbols_of(file.source, options)) for file in compiled.files])


def chosen(programs: Sequence[ProgramFiles], targets: Sequence[str], database: str) -> tuple[ProgramFiles, ...]:
    """The programs that `--target` names, by target or file with `main`; all of them if it is not given.

    Raises FrontendError for a name that means none.
    """
    if not targets:
        return tuple(programs)
    names = {p: (p.name, p.files[0].path, os.path.basename(p.files[0].path)) for p in programs}
    for target in targets:
        if not any(target in names[p] for p in programs):
            known = ", ".join(dict.fromkeys(p.name for p in programs)) or "none"
            raise FrontendError(Location(database, 1), f"--target {target}: there is no such program here", f"there are: {known}")
    return tuple(p for p in programs if any(target in names[p] for target in targets))
