"""What a command is about: C files that are named, or the programs of compile databases."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from circ.run.certificate_files import missing_threads
from circ.run.projects import Selection, find_database, only_program
from circ.run.reading import load_within
from circ.run.supervise import Limits
from circ.scan.header import header_of
from frontend import LoadOptions, SourceFile
from frontend.program import FrontendError, Location, Program
from frontend.project import COMMANDS, database_of
from frontend.records import dataclass


class NothingNamed(Exception):
    """Neither files nor a database."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Files, each once as it was first named, and databases: those of `-p`, and those among the files."""

    files: tuple[str, ...]
    databases: tuple[str, ...]
    selection: Selection

    @staticmethod
    def of(files: Sequence[str] | None, build: str | None, targets: Sequence[str] | None,
           exclude: Sequence[str] | None) -> Inputs:
        """Raises FrontendError for a folder without a database, NothingNamed if nothing is named at all."""
        named = list({os.path.abspath(file): file for file in reversed(files or ())}.values())[::-1]
        databases = [find_database(f) for f in named if os.path.isdir(f) or database_of(f)]
        if build is not None:
            databases.append(find_database(build))
        plain = tuple(f for f in named if not os.path.isdir(f) and not database_of(f))
        if not plain and not databases:
            raise NothingNamed
        return Inputs(plain, tuple(dict.fromkeys(databases)), Selection(tuple(targets or ()), tuple(exclude or ())))

    @property
    def read(self) -> tuple[str, ...]:
        """The files that are named, databases among them."""
        return (*self.files, *self.databases)

    @property
    def project(self) -> str | None:
        """The folder that headers may name files of, if it is that of a database rather than that of the file."""
        return (os.path.dirname(self.databases[0]) or ".") if self.databases else None

    def only_files(self) -> tuple[str, ...]:
        """The files, for a command that takes no database; raises FrontendError if one is named."""
        if self.databases:
            raise FrontendError(Location(self.databases[0], 1), f"this takes C files, not a {COMMANDS}", "name the files")
        return self.files

    def program(self, source: LoadOptions, limits: Limits) -> tuple[SourceFile, ...]:
        """The files of the one program that is meant; raises FrontendError if there are several, or NotRead."""
        if not self.databases:
            return tuple(SourceFile(file) for file in self.files)
        if self.files or len(self.databases) > 1:
            raise FrontendError(Location(self.databases[0], 1), "this is about one program", f"name files, or one {COMMANDS}")
        return only_program(self.databases[0], self.selection, source, limits)

    def missing_threads(self, source: LoadOptions, read: Program, limits: Limits) -> list[str]:
        """Which threads that the files have by themselves are left out where `source` names the threads.

        None if the files name the same, or have no threads unless somebody names them: a part of a program.
        """
        files = self.program(source, limits)
        threads: tuple[str, ...] = ()
        with suppress(FrontendError):
            threads = tuple(option.value for option in header_of(files[0].path).options if option.name == "--thread")
        if not source.threads or source.threads == threads:
            return []
        try:
            return missing_threads(load_within(files, replace(source, threads=threads), limits), read)
        except FrontendError:
            return []
