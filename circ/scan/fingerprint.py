"""A name for everything that an answer depends on: the text with all it may include, the options, and circ itself.

Two runs with the same fingerprint give the same answers, limits aside. What a file includes is over-approximated: every
file that an `#include` in it could mean counts, whether or not a condition leaves it out.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import circ
import frontend
from frontend import LoadOptions
from frontend.program import read_source

_INCLUDE = re.compile(r"^[ \t]*(?:#|%:)[ \t]*(?:include|include_next|import)\b[ \t]*(.*)$", re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_NAMED = re.compile(r'"([^"\n]+)"|<([^>\n]+)>')


def fingerprint(path: str, source: LoadOptions, options: Mapping[str, Any]) -> str | None:
    """A hash in hex, or None if what the file includes cannot be told; raises FrontendError if it cannot be read."""
    digest = hashlib.sha256()

    def put(*parts: object) -> None:
        for part in parts:
            data = part if isinstance(part, bytes) else str(part).encode()
            digest.update(b"%d:" % len(data) + data)

    put("circ-fingerprint-1", circ_itself(), path)
    for name, value in sorted({**asdict(source), **options}.items()):
        put(name, repr(value))
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str) and os.path.isfile(text):  # a table that an option names
                put(Path(text).read_bytes())
    if source.cpp is not None and not path.endswith(".i"):
        from frontend.text.preprocess import SourceOptions, preprocess

        done = preprocess(path, SourceOptions(source.include, source.define, source.undefine, source.cpp))
        for token in done.tokens:
            put(token.value, token.filename, token.lineno, token.column)
        put(*done.annotations)
        return digest.hexdigest()
    texts = _closure(path, source.include)
    if texts is None:
        return None
    for name, text in sorted(texts.items()):
        put(name, text)
    return digest.hexdigest()


def _closure(path: str, folders: tuple[str, ...]) -> dict[str, str] | None:
    """The file and all that it may include, by path; None if that depends on macros or on which files exist."""
    texts = {path: read_source(path)}
    work = [path] if not path.endswith(".i") else []
    while work:
        includer = work.pop()
        text = texts[includer].replace("\\\n", "")
        if "__has_include" in text:
            return None
        # With comments taken out as well, since one may stand inside a directive, but "/*" may stand in a string.
        for directive in (*_INCLUDE.finditer(text), *_INCLUDE.finditer(_COMMENT.sub(" ", text))):
            named = _NAMED.match(directive[1].strip())
            if named is None:
                return None
            for folder in (os.path.dirname(includer), *folders):
                candidate = os.path.join(folder, named[1] or named[2])
                if candidate not in texts and os.path.isfile(candidate):
                    texts[candidate] = read_source(candidate)
                    work.append(candidate)
    return texts


@cache
def circ_itself() -> str:
    """The version of circ and of the solver, and a hash of circ's own text, which changes more often."""
    digest = hashlib.sha256()
    for package in (circ, frontend):
        folder = Path(next(iter(package.__path__)))
        for path in sorted(p for p in folder.rglob("*") if p.suffix in (".py", ".h", ".toml")):
            digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{_version('circ')} {_version('z3-solver')} {digest.hexdigest()}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # run from a checkout that was never installed
        return "unknown"
