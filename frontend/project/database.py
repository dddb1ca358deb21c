"""Compile databases: which files are compiled, with which words, in which folder (Clang's JSON Compilation Database Format).

Whoever wrote a database need not be whoever runs circ: a command is split into words and looked at, never run.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

from frontend.program import FrontendError, Location, read_data
from frontend.records import dataclass

COMMANDS = "compile_commands.json"
_FORMAT = "see the JSON Compilation Database Format"
_MAX_NESTED, _MAX_RESPONSE = 8, 1 << 20


@dataclass(frozen=True, slots=True)
class CompileCommand:
    """One entry: a file, the folder that relative names start from, and the words of the command.

    `output`: what is made of it, empty if that is not said. `project`: the folder of the database.
    """

    file: str
    folder: str
    words: tuple[str, ...]
    output: str = ""
    project: str = "."


@dataclass(frozen=True, slots=True)
class WrongCommand:
    """An entry that makes no sense, and why; `file` is the database itself if the entry names none."""

    file: str
    error: FrontendError


def database_of(path: str) -> str | None:
    """The database that a path names: the file itself, or the one in a folder; None if it names something else."""
    if os.path.isdir(path):
        inside = os.path.join(path, COMMANDS)
        return inside if os.path.isfile(inside) else None
    return path if os.path.basename(path) == COMMANDS else None


def read_database(path: str) -> tuple[CompileCommand | WrongCommand, ...]:
    """Every entry in its order; raises FrontendError for a file that is no database."""
    here = Location(path, 1)
    text = read_data(path)
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        raise FrontendError(Location(path, line), f"not JSON: {error}", "write it again, with CMake for example") from None
    if not isinstance(entries, list):
        raise FrontendError(here, "not a list of compile commands", _FORMAT)
    found: list[CompileCommand | WrongCommand] = []
    lines: list[int] = []
    for number, entry in enumerate(entries):
        try:
            found.append(_command(entry, path))
        except _Wrong as error:
            lines = lines or _lines(text)
            message = f"compile command {number + 1} {error}"
            found.append(WrongCommand(_file_of(entry, path), FrontendError(Location(path, lines[number]), message, _FORMAT)))
    return tuple(found)


class _Wrong(Exception):
    """What is wrong with an entry."""


_BETWEEN = re.compile(r"[\s,]*")


def _lines(text: str) -> list[int]:
    """The lines on which the elements of a JSON list start."""
    decoder = json.JSONDecoder()
    lines: list[int] = []
    line, counted, position = 1, 0, text.index("[") + 1
    while text[position := position + len(_BETWEEN.match(text, position)[0])] != "]":  # type: ignore[index]
        line, counted = line + text.count("\n", counted, position), position
        lines.append(line)
        position = decoder.raw_decode(text, position)[1]
    return lines


_NO_NAME = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")
"""Python reads bytes of names that are not UTF-8 as U+DC80 to U+DCFF; other lone surrogates stand for nothing."""


def _file_of(entry: Any, path: str) -> str:
    """The file that an entry is about, or the database itself if it does not say."""
    file, folder = (entry.get("file"), entry.get("directory", "")) if isinstance(entry, dict) else (None, "")
    if not isinstance(file, str) or not isinstance(folder, str) or _NO_NAME.search(file + folder):
        return path
    return as_seen(os.path.join(os.path.dirname(path), folder, file))


def _command(entry: Any, path: str) -> CompileCommand:
    """Raises _Wrong."""
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        raise _Wrong("names no file")
    folder, output = entry.get("directory", ""), entry.get("output", "")
    if not isinstance(folder, str):
        raise _Wrong("has a directory that is no text")
    if not isinstance(output, str):
        raise _Wrong("has an output that is no text")
    words, command = entry.get("arguments"), entry.get("command", "")
    if words is None:
        if not isinstance(command, str):
            raise _Wrong("has a command that is no text")
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise _Wrong(f"cannot be split into words: {error}") from None
    if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
        raise _Wrong("has arguments that are no texts")
    if any(_NO_NAME.search(text) for text in (folder, output, entry["file"], *words)):
        raise _Wrong("has characters that no name of a file and no command line has")
    folder = os.path.join(os.path.dirname(path), folder)
    return CompileCommand(as_seen(os.path.join(folder, entry["file"])), folder, _spelled_out(words, folder), output,
                          os.path.dirname(path) or ".")


def _spelled_out(words: list[str], folder: str) -> tuple[str, ...]:
    """The words, with those of the files in place of `@file`, as compilers read them."""
    spelled: list[str] = []
    read = 0
    work = [(word, 0) for word in reversed(words)]
    while work:
        word, depth = work.pop()
        text = _response(os.path.join(folder, word[1:])) if word.startswith("@") and depth < _MAX_NESTED else None
        try:
            further = None if text is None else shlex.split(text)
        except ValueError:
            further = None
        if further is None:
            spelled.append(word)
        else:
            read += len(text or "")
            work += [(w, depth + 1) for w in reversed(further)]
        if read > _MAX_RESPONSE:
            raise _Wrong("reads files of options without end")
    return tuple(spelled)


def _response(path: str) -> str | None:
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > _MAX_RESPONSE:
            return None
        text = Path(path).read_text()
    except (OSError, ValueError):
        return None
    return None if _NO_NAME.search(text) else text


def as_seen(path: str) -> str:
    """The path as seen from where we are if it is below, else absolute; never one that a program could take for an option."""
    absolute = os.path.abspath(path)
    below = os.path.relpath(absolute)
    if below.startswith(".."):
        return absolute
    return os.path.join(".", below) if below.startswith(("-", "@")) else below
