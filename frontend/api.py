"""The front end as a library: a C file in, a `Program` out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from frontend.ir.interrupt_table import Table, load_table
from frontend.program import (
    DATA_MODELS,
    FrontendError,
    Ints,
    Location,
    Preemption,
    Program,
    RaceModel,
    deep_recursion,
    no_collection,
)

if TYPE_CHECKING:
    from frontend.text.preprocess import Preprocessed, SourceOptions


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How to read a program; the fields are the command line's options, None where the program decides."""

    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()
    undefine: tuple[str, ...] = ()
    cpp: str | None = None
    threads: tuple[str, ...] = ()
    data_model: str | None = None
    ints: str = "exact"
    race_model: str | None = None
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

Choice = TypeVar("Choice", bound=StrEnum)


def _chosen(kind: type[Choice], word: str, path: str | Path) -> Choice:
    """The member that a word of the options names."""
    if word not in {c.value for c in kind}:
        raise FrontendError(Location(str(path), 1), f"unknown option '{word}'", f"one of {', '.join(c.value for c in kind)}")
    return kind(word)


def preprocessed(path: str | Path, options: LoadOptions = DEFAULT_OPTIONS) -> Preprocessed:
    """A C file's tokens and annotations: with the options, all that a `Program` is made of. Raises FrontendError."""
    from frontend.text.preprocess import preprocess

    source = _source_options(path, options, _table(options))
    with deep_recursion(), no_collection():
        return preprocess(str(path), source)


def _table(options: LoadOptions) -> Table:
    return load_table(options.platform, *options.interrupts) if options.platform or options.interrupts else Table()


def _source_options(path: str | Path, options: LoadOptions, table: Table) -> SourceOptions:
    from frontend.text.preprocess import SourceOptions

    name = options.data_model or table.data_model or "lp64"
    if name not in DATA_MODELS:
        raise FrontendError(Location(str(path), 1), f"unknown data model '{name}'", f"one of {', '.join(DATA_MODELS)}")
    part = (f"__CIRC_{options.platform.upper()}",) if options.platform else ()
    return SourceOptions(options.include, (*options.define, *part), options.undefine, options.cpp, name)


def load(path: str | Path, options: LoadOptions = DEFAULT_OPTIONS, text: Preprocessed | None = None) -> Program:
    """The program in a C file (or a preprocessed `.i` file); raises FrontendError for anything wrong with it.

    `text` is what `preprocessed` gave for the same file and options, if that is known; it is used up.
    """
    # The parser and the passes are heavy and not needed by those who only import the data types.
    from frontend.link import LinkOptions, link
    from frontend.lower.module import load_module
    from frontend.text.parse import parse

    table = _table(options)
    source = _source_options(path, options, table)
    ints = _chosen(Ints, options.ints, path)
    race_model = None if options.race_model is None else _chosen(RaceModel, options.race_model, path)
    preemption = None if options.preemption is None else _chosen(Preemption, options.preemption, path)
    linking = LinkOptions(options.threads, ints, race_model, preemption, options.ignore_norace, table)
    with no_collection():
        module = load_module(parse(str(path), source, text), DATA_MODELS[source.data_model], options.contracts)
        program = link(module, linking)
    if not options.stack:
        return program
    from frontend.threads.procedures import procedures

    return replace(program, procedures=procedures(module, options.threads, ints, program.race_model))
