"""Which files a scan is about: files, folders, globs, and compile_commands.json with the flags it gives each file."""

from __future__ import annotations

import glob
import json
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from frontend.program import FrontendError, Location

SUFFIXES = (".c", ".i")
COMMANDS = "compile_commands.json"


@dataclass(frozen=True, slots=True)
class Source:
    """A C file, the folder that its header may name files of, and the options that its compile command means.

    The folder is the one that was named to be scanned, that of the compile commands, or that of a file named on its own.
    """

    path: str
    project: str
    flags: tuple[str, ...] = ()


def find_sources(paths: Sequence[str]) -> tuple[Source, ...]:
    """Every file meant, in the order of their paths, once for each way it is compiled (or once, if none is known).

    Raises FrontendError for a path that means none.
    """
    found: dict[tuple[str, tuple[str, ...]], Source] = {}
    for path in paths:
        sources = list(_expand(path))
        for source in sources:
            found.setdefault((os.path.abspath(source.path), source.flags), source)
        if not sources:
            raise FrontendError(Location(path, 1), "there are no C files here", f"circ scan reads {' and '.join(SUFFIXES)} files")
    compiled = {path for path, flags in found if flags}
    return tuple(sorted((source for (path, flags), source in found.items() if flags or path not in compiled),
                        key=lambda s: (s.path, s.flags)))


def _expand(path: str) -> Iterator[Source]:
    if os.path.isdir(path):
        yield from (Source(str(p), path) for p in sorted(Path(path).rglob("*")) if p.suffix in SUFFIXES and p.is_file())
    elif os.path.basename(path) == COMMANDS and os.path.exists(path):
        yield from _compile_commands(path)
    elif os.path.exists(path) or not glob.has_magic(path):
        # A file that is not there is reported with the others, when its turn comes.
        yield Source(path, os.path.dirname(path) or ".")
    else:
        for match in sorted(glob.glob(path, recursive=True)):
            if os.path.isdir(match) or os.path.basename(match) == COMMANDS or match.endswith(SUFFIXES):
                yield from _expand(match)


# --------------------------------------------------------------------------------------------------- compile_commands.json
def _compile_commands(path: str) -> Iterator[Source]:
    here = Location(path, 1)
    try:
        entries = json.loads(Path(path).read_text())
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        raise FrontendError(Location(path, line), f"not JSON: {error}", "write it again, with CMake for example") from None
    except OSError as error:
        raise FrontendError(here, f"cannot read the file: {error.strerror}", "check its permissions") from None
    if not isinstance(entries, list):
        raise FrontendError(here, "not a list of compile commands", "see the JSON Compilation Database Format")
    for number, entry in enumerate(entries, 1):
        source = _command(entry, path, number)
        if source.path.endswith(SUFFIXES):
            yield source


_NO_NAME = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")
"""Python reads bytes of names that are not UTF-8 as U+DC80 to U+DCFF; other lone surrogates stand for nothing."""


def _command(entry: Any, path: str, number: int) -> Source:
    def bad(what: str) -> FrontendError:
        return FrontendError(Location(path, 1), f"compile command {number} {what}", "see the JSON Compilation Database Format")

    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        raise bad("names no file")
    folder = entry.get("directory", "")
    if not isinstance(folder, str):
        raise bad("has a directory that is no text")
    folder = os.path.join(os.path.dirname(path), folder)
    words = entry.get("arguments")
    if words is None:
        try:
            words = shlex.split(entry.get("command", ""))
        except (ValueError, AttributeError) as error:
            raise bad(f"cannot be split into words: {error}") from None
    if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
        raise bad("has arguments that are no texts")
    if any(_NO_NAME.search(text) for text in (folder, entry["file"], *words)):
        raise bad("has characters that no name of a file and no command line has")
    return Source(_relative(os.path.join(folder, entry["file"])), os.path.dirname(path) or ".",
                  (*_processor(words), *_flags(words, folder)))


_PARTS = {"atmega103": r"atmega103", "atmega128": r"atmega128a?", "atmega328p": r"atmega(?:48|88|168|328)(?:a|p|pa|pb)?"}
"""The parts that a platform's table is about, as `-mmcu` names them."""


def _processor(words: Sequence[str]) -> tuple[str, ...]:
    """What a compiler's name and flags say of the processor: the sizes of integers, and an AVR's registers."""
    compiler = next((os.path.basename(w) for w in words if not w.endswith(("ccache", "distcc"))), "")
    if compiler.startswith("avr-"):
        part = next((w.removeprefix("-mmcu=") for w in words if w.startswith("-mmcu=")), "")
        return "--platform", next((p for p, parts in _PARTS.items() if re.fullmatch(parts, part)), "avr")
    if compiler.startswith("msp430-"):
        return "--data-model", "ip16"
    return ("--data-model", "ilp32") if compiler.startswith("arm-") or "-m32" in words else ()


def _flags(words: Sequence[str], folder: str) -> Iterator[str]:
    """The preprocessor's flags among a compiler's, folders made absolute or relative to where we are."""
    i = 0
    while i < len(words):
        word = words[i]
        kind = next((k for k in ("-isystem", "-iquote", "-I", "-D", "-U") if word.startswith(k)), None)
        if kind is not None:
            value = word.removeprefix(kind)
            if not value and i + 1 < len(words):
                i += 1
                value = words[i]
            if kind.startswith(("-i", "-I")):
                yield from ("-I", _relative(os.path.join(folder, value)))
            else:
                yield from (kind, value)
        i += 1


def _relative(path: str) -> str:
    """The path as seen from here if it is below, else absolute."""
    absolute = os.path.abspath(path)
    below = os.path.relpath(absolute)
    return absolute if below.startswith("..") else below
