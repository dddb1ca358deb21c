"""C files in, a `Program` out: the root of all that is trusted in the front end. `frontend.api` is for users.

It knows nobody who looks for facts (`frontend.finders`): whoever calls `read_project` brings them, and what they find is
checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from frontend.program import (
    DATA_MODELS,
    PARTS,
    Assumption,
    FrontendError,
    Ground,
    Ints,
    Location,
    MemoryModel,
    Preemption,
    Program,
    RaceModel,
    deep_recursion,
    no_collection,
    read_source,
)
from frontend.records import dataclass

if TYPE_CHECKING:
    from frontend.ir import Module
    from frontend.ir.interrupt_table import InterruptTable
    from frontend.link import Annotations, Finders, LinkOptions
    from frontend.text.compilers import Compiler
    from frontend.text.parse import ParsedFile
    from frontend.text.preprocess import Preprocessed, SourceOptions


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A C file of a program, with the options that are its own; those of `LoadOptions` are for all files.

    The later ones are those of a compile command (`frontend.project.flags`): folders for headers in quotes only and behind all
    others, headers that are included before the file, the machine that it is compiled for, and the compiler, which preprocesses.
    """

    path: str
    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()
    undefine: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()
    data_model: str | None = None
    platform: str | None = None
    compiler: Compiler | None = None
    note: str = ""
    """What was taken for granted when this file was taken for one of the program."""
    text: str | None = None
    """Its text, if that is not to be read from `path`, which is then only what it is called, and where its headers are."""
    project: str = field(default="", repr=False, compare=False)
    """The folder of which no program is run, if it is not just that of the file; what is read does not depend on it."""


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How to read a program; the fields are the command line's options, None where the program decides."""

    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()
    undefine: tuple[str, ...] = ()
    cpp: str | None = None
    threads: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    """Functions that code which is not there calls; if there are none, and no threads, all that it can call."""
    data_model: str | None = None
    ints: str = "exact"
    race_model: str | None = None
    memory_model: str = "c11"
    preemption: str | None = None
    ignore_norace: bool = False
    platform: str | None = None
    interrupts: tuple[str, ...] = ()
    """Name and text of an interrupt table."""
    contracts: bool = False
    """Heed annotations (`//@ ...`): they become claims of the program."""
    stack: bool = False
    """Keep the functions apart, too (`Program.procedures`), for engines that know recursion."""


DEFAULT_OPTIONS = LoadOptions()
More: TypeAlias = "Callable[[Program, Module, LinkOptions], Program]"
"""Adds something to a program that was made of a module."""

Enumeration = TypeVar("Enumeration", bound=StrEnum)


def _chosen(kind: type[Enumeration], word: str, path: str | Path) -> Enumeration:
    """The member that a word of the options names."""
    if word not in {c.value for c in kind}:
        raise FrontendError(Location(str(path), 1), f"unknown option '{word}'", f"one of {', '.join(c.value for c in kind)}")
    return kind(word)


def preprocessed(files: Sequence[str | Path | SourceFile], options: LoadOptions = DEFAULT_OPTIONS) -> list[Preprocessed]:
    """The tokens and annotations of C files: with the options, all that a `Program` is made of. Raises FrontendError.

    If one includes a header that only the system has, the system's compiler preprocesses all: types are the same in all files
    only if their headers are.
    """
    from frontend.text.compilers import AUTO
    from frontend.text.preprocess import preprocess

    sources = [_source_file(file) for file in files]
    options = _for_machine(sources, options)
    table = _table(options)
    settings = [_source_options(file, options, table) for file in sources]
    with deep_recursion(), no_collection():
        read = [preprocess(file.path, source) for file, source in zip(sources, settings, strict=True)]
        if any(text.cpp is not None for text in read):
            read = [text if text.cpp else preprocess(file.path, replace(source, cpp=source.cpp or AUTO))
                    for file, source, text in zip(sources, settings, read, strict=True)]
    return read


def parsed_file(file: SourceFile, options: LoadOptions = DEFAULT_OPTIONS) -> ParsedFile:
    """A C file's AST; raises FrontendError."""
    from frontend.text.parse import parse

    options = _for_machine([file], options)
    return parse(file.path, _source_options(file, options, _table(options)))


def interrupt_table(options: LoadOptions, file: SourceFile) -> InterruptTable:
    """What is known of the interrupts of the machine that a file is compiled for."""
    return _table(_for_machine([file], options))


def _for_machine(files: Sequence[SourceFile], options: LoadOptions) -> LoadOptions:
    """The options with the machine that the files are compiled for, where the options do not name one."""
    first = files[0]
    if options.platform is not None or options.data_model is not None:
        return options
    for file in files:
        if (file.data_model, file.platform) != (first.data_model, first.platform):
            raise FrontendError(Location(file.path, 1), f"compiled for another machine than {first.path}", "see --data-model")
    return replace(options, data_model=first.data_model, platform=first.platform)


def _table(options: LoadOptions) -> InterruptTable:
    from frontend.ir.interrupt_table import InterruptTable, load_table

    return load_table(options.platform, *options.interrupts) if options.platform or options.interrupts else InterruptTable()


def _source_file(file: str | Path | SourceFile) -> SourceFile:
    return file if isinstance(file, SourceFile) else SourceFile(str(file))


def _source_options(file: SourceFile, options: LoadOptions, table: InterruptTable) -> SourceOptions:
    from frontend.text.preprocess import SourceOptions

    name = options.data_model or table.data_model or "lp64"
    if name not in DATA_MODELS:
        raise FrontendError(Location(file.path, 1), f"unknown data model '{name}'", f"one of {', '.join(DATA_MODELS)}")
    part = () if options.platform is None else tuple(_platform_macros(options.platform))
    return SourceOptions((*options.include, *file.include), (*file.define, *options.define, *part),
                         (*file.undefine, *options.undefine), options.cpp, name,
                         bool(options.platform or options.interrupts), file.quoted, file.system, file.forced,
                         file.compiler, file.text, file.project)


def _platform_macros(platform: str) -> Iterator[str]:
    """What tells our headers, and the program, for which processor it is read."""
    yield f"__CIRC_{PARTS.get(platform, platform).upper().replace('-', '_')}"
    if platform.startswith(("atmega", "attiny")):
        yield f"__AVR_AT{platform[2:6]}{platform[6:].upper()}__"


def read_project(files: Sequence[str | Path | SourceFile], options: LoadOptions = DEFAULT_OPTIONS,
                 texts: Sequence[Preprocessed] | None = None, finders: Finders | None = None,
                 annotations: Annotations | None = None, more: More | None = None) -> Program:
    """The program that several C files make together, as `cc a.c b.c` makes it; raises FrontendError for anything wrong.

    `texts`: what `preprocessed` gave for these files and options, if that is known; it is used up. `finders`: who looks for
    facts; without them reading takes longer. `annotations`: how they are read, if they are; `more`: adds to the program.
    """
    # The parser and the passes are heavy and not needed by those who only import the data types.
    from frontend.link import Finders, Joined, LinkOptions, link
    from frontend.lower.units import load_units
    from frontend.text.bodies.library_bodies import with_bodies
    from frontend.text.parse import parse
    from frontend.text.places.as_written import PlatformNames, as_written

    if not files:
        raise ValueError("a program needs at least one file")
    sources = [_source_file(file) for file in files]
    options = _for_machine(sources, options)
    table, path = _table(options), sources[0].path
    settings = [_source_options(file, options, table) for file in sources]
    model = DATA_MODELS[settings[0].data_model]
    ints = _chosen(Ints, options.ints, path)
    race_model = None if options.race_model is None else _chosen(RaceModel, options.race_model, path)
    memory_model = _chosen(MemoryModel, options.memory_model, path)
    preemption = None if options.preemption is None else _chosen(Preemption, options.preemption, path)
    linking = LinkOptions(options.threads, options.entries, ints, race_model, preemption, options.ignore_norace, table,
                          finders or Finders(), annotations)
    with deep_recursion(), no_collection():
        read = list(texts or preprocessed(sources, options))
        lacking = next((file for file, text in zip(sources, read, strict=True) if text.cpp is not None), None)
        tokens = with_bodies([text.tokens for text in read], model)
        parsed = [parse(file.path, source, replace(text, tokens=mine), may_be_empty=len(sources) > 1)
                  for file, source, text, mine in zip(sources, settings, read, tokens, strict=True)]
        units = load_units(parsed, model, None if annotations is None else annotations.attach, memory_model)
        module = units[0] if len(units) == 1 else Joined(units)
        program = link(module, linking)
    by_path = {file.path: file for file in sources}
    platform = PlatformNames(table.vectors, table.registers)
    # The functions of engines with a stack are known by the names that they have.
    program = as_written(program, by_path, lambda path: _text(by_path[path]), platform, rename=not options.stack)
    notes = _own_headers(sources) if options.cpp is None else ()
    if lacking is not None:
        notes = (*notes, Assumption("it includes headers that circ does not have: macros and headers are those of the system's "
                                    "compiler (--cpp auto)", Location(lacking.path, 1)))
    taken = tuple(Assumption(file.note, Location(file.path, 1), Ground.ABSENT) for file in sources if file.note)
    program = replace(program, files=tuple(file.path for file in sources), warnings=(*notes, *program.warnings),
                      assumptions=(*program.assumptions, *taken))
    return program if more is None else more(program, module, linking)


def _text(file: SourceFile) -> str:
    """The file as it is; nothing of one that is not there, because its tokens came from elsewhere."""
    try:
        return file.text if file.text is not None else read_source(file.path, again=True)
    except FrontendError:
        return ""


def _own_headers(files: Sequence[SourceFile]) -> tuple[Assumption, ...]:
    """A note for each compiler of a compile command that is not used, where circ's own headers stand in for its."""
    from frontend.text.compilers import installed

    found: dict[str, Assumption] = {}
    for file in files:
        if file.compiler is not None and not file.path.endswith(".i") and installed(file.compiler) is None:
            text = f"the compiler '{file.compiler.name}' is not here, or none that circ knows: macros and headers are circ's own"
            found.setdefault(file.compiler.name, Assumption(text, Location(file.path, 1)))
    return tuple(found.values())
