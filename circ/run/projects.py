"""The programs of compile databases: their files are read for symbols in child processes, under the limits for reading."""

from __future__ import annotations

from dataclasses import replace

from circ.run.reading import NotRead, ReadingError, load_heavy, runs_others
from circ.run.supervise import Done, Emit, Limits, supervise
from frontend import LoadOptions, SourceFile
from frontend.program import FrontendError, Location
from frontend.project import Compiled, ProgramFiles, Unit, chosen, compiled_files, database_of, programs_of, symbols_of
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Selection:
    """What of a database is meant: the programs of these names (all if there is none), files that match no pattern."""

    targets: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


EVERYTHING = Selection()


@dataclass(frozen=True, slots=True)
class Project:
    """The programs of a database, and its files (or entries) that could not be read, each with why not."""

    programs: tuple[ProgramFiles, ...]
    unread: tuple[tuple[str, FrontendError | NotRead], ...] = ()


def find_database(path: str) -> str:
    """The database that `-p` names; raises FrontendError if there is none."""
    found = database_of(path)
    if found is None:
        raise FrontendError(Location(path, 1), "there is no compile_commands.json here",
                            "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, meson, or bear -- make write one")
    return found


def read_project(database: str, selection: Selection, source: LoadOptions, limits: Limits) -> Project:
    """The programs of a database. Raises FrontendError if it cannot be read, or does not have what is selected."""
    load_heavy()
    compiled = compiled_files(database, selection.exclude)
    files = compiled.files

    def read(file: Compiled, emit: Emit) -> Unit | ReadingError:
        try:
            return Unit(file.source, file.target, symbols_of(file.source, source))
        except FrontendError as error:
            return ReadingError.of(error)

    units: list[Unit] = []
    unread: dict[str, FrontendError | NotRead] = {}  # by file; a file need be named once only
    for file, outcome in supervise(files, lambda: read, limits, starts_others=runs_others([f.source for f in files], source)):
        if not isinstance(outcome, Done):
            unread.setdefault(file.source.path, NotRead(file.source.path, outcome))
        elif isinstance(outcome.value, ReadingError):
            unread.setdefault(file.source.path, outcome.value.error())
        else:
            units.append(outcome.value)
    programs = chosen(programs_of(units), selection.targets, database)
    left_out = [*((wrong.file, wrong.error) for wrong in compiled.wrong), *unread.items()]
    return Project(tuple(_without(p, [file for file, _ in left_out]) for p in programs), tuple(left_out))


def _without(program: ProgramFiles, unread: list[str]) -> ProgramFiles:
    """The program, with the note that files which could not be read are no part of it."""
    if not unread:
        return program
    more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
    first = replace(program.files[0], note=f"{unread[0]}{more}, which could not be read, is no part of the program")
    return replace(program, files=(first, *program.files[1:]))


def only_program(database: str, selection: Selection, source: LoadOptions, limits: Limits) -> tuple[SourceFile, ...]:
    """The files of the one program that is selected; raises FrontendError if there are more, or a file was not read."""
    project = read_project(database, selection, source, limits)
    for _, error in project.unread:
        raise error
    names = ", ".join(p.name for p in project.programs)
    if len(project.programs) != 1:
        raise FrontendError(Location(database, 1), "there are several programs here", f"name one with --target: {names}")
    return project.programs[0].files

