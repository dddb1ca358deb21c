"""A name for everything that an answer depends on: the text as it is read, the options, and circ itself.

Two runs with the same fingerprint give the same answers, limits aside. The text is what the preprocessor makes of the file: all
tokens, their places, and the comments that carry meaning. Whatever was looked up to get there, found or not found, and whatever
environment an external preprocessor heeds, is in it as far as it matters; nothing that is made later looks at any file but for
the names of macros at the places of tokens, which are in it, too.
"""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import circ
import frontend
from frontend import LoadOptions, SourceFile
from frontend.program import read_source
from frontend.text.preprocess import Preprocessed

_LIBRARIES = ("z3-solver", "pycparser", "networkx", "dd")


def fingerprint(files: Sequence[SourceFile], texts: Sequence[Preprocessed], source: LoadOptions,
                options: Mapping[str, Any]) -> str:
    """A hash in hex; `texts` are the files as they were preprocessed with the options `source`."""
    digest = hashlib.sha256()

    def put(*parts: object) -> None:
        for part in parts:
            data = str(part).encode(errors="surrogatepass")
            digest.update(b"%d:" % len(data) + data)

    put("circ-fingerprint-4", circ_itself(), len(files))
    for name, value in sorted({**asdict(source), **options}.items()):
        put(name, repr(value))
    for file, text in zip(files, texts, strict=True):
        put(repr(file), len(text.tokens))
        for token in text.tokens:
            put(token.type, token.value, token.filename, token.lineno, token.column, token.space)
        for annotation in text.annotations:
            put(repr(annotation))
        put(*_macro_names(file, text))
    return digest.hexdigest()


_WORD = re.compile(r"[A-Za-z_]\w*")


def _macro_names(file: SourceFile, text: Preprocessed) -> Iterator[str]:
    """What the file itself has at the places of tokens, where that is another word: reports call handlers and registers by it."""
    lines = (file.text if file.text is not None else read_source(file.path, again=True)).split("\n")
    for token in text.tokens:
        if token.filename == file.path and 0 < token.lineno <= len(lines) and token.column:
            line, column = lines[token.lineno - 1], token.column - 1
            if not line.startswith(token.value, column) and (word := _WORD.match(line, column)) is not None:
                yield word[0]


@cache
def circ_itself() -> str:
    """The versions of circ, of Python and of the libraries, and a hash of circ's own text, which changes more often."""
    digest = hashlib.sha256()
    for package in (circ, frontend):
        folder = Path(next(iter(package.__path__)))
        for path in sorted(p for p in folder.rglob("*") if p.suffix in (".py", ".h", ".toml")):
            digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes() + b"\0")
    libraries = " ".join(_version(name) for name in _LIBRARIES)
    return f"{_version('circ')} {platform.python_version()} {libraries} {digest.hexdigest()}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # run from a checkout that was never installed
        return "unknown"
