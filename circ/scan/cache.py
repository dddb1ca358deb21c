"""Proofs and traces of earlier scans, a file each, in a folder that may be deleted at any time; and how long files took.

Nothing in it is believed. An entry is evidence: the kernel checks it again before it is an answer, so that whoever changes
an entry changes how long an answer takes, never the answer. Checksums tell a damaged entry, which is no entry.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import stat
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from circ.engines import ENGINES
from circ.kernel.outcome import Malformed
from circ.kernel.untrusted_json import as_list, as_natural, as_object, as_text
from circ.report.rows import MOST
from circ.run.certificate_files import UnreadableCertificate, dump, parse
from circ.run.output_files import write_whole
from circ.verdict import Answer, Certificate, Refuted, Safe, Statistics, Unknown, UserQuestion
from frontend import LoadOptions
from frontend.program import MAX_DATA

_FORMAT = "circ-cache-1"
_WHO = ("triage", *(entry.name for entry in ENGINES))


class Damaged(Exception):
    """An entry is not what was written; the message is its path."""


class Cache:
    """Answers by fingerprint and question."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @staticmethod
    def default_folder() -> Path:
        base = os.environ.get("XDG_CACHE_HOME")
        return Path(base) / "circ" if base else Path.home() / ".cache" / "circ"

    def refused(self) -> str:
        """Why the folder may not be used, if so: somebody else can change what is in it. Raises OSError if there can be none."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = self.folder.resolve()
        own = folder.stat()
        if own.st_uid != os.geteuid():
            return f"{self.folder}: it belongs to another user"
        if own.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return f"{self.folder}: others can write to it (chmod go-w)"
        for above in folder.parents:
            status = above.stat()
            if status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
                return f"{self.folder}: others can replace it, since they can write to {above}"
        return ""

    # ----------------------------------------------------------------------------------------------- answers
    def get(self, key: str, question: UserQuestion) -> Answer | None:
        """What was found before, not yet checked again; raises Damaged."""
        path = self._path(key, question)
        try:
            data = _read(path)
        except FileNotFoundError:
            return None
        except OSError:
            raise Damaged(str(path)) from None
        first, _, rest = data.partition(b"\n")
        if first != _sealed(rest):
            raise Damaged(str(path))
        try:
            figures, _, evidence = rest.decode().partition("\n")
            return _answer(json.loads(figures), evidence, question)
        except (ValueError, RecursionError, UnreadableCertificate, Malformed):
            raise Damaged(str(path)) from None

    def put(self, key: str, answer: Answer, options: LoadOptions) -> None:
        """Keeps a definite answer; raises OSError."""
        match answer.verdict:
            case Safe(certificate=evidence, why=why, trivial=trivial, statistics=s):
                pass
            case Refuted(trace=evidence, statistics=s):
                why, trivial = (), False
            case Unknown():
                return
        figures = {"engine": answer.engine, "why": why, "trivial": trivial, **asdict(s)}
        rest = f"{json.dumps(figures)}\n{dump(evidence, options)}".encode()
        write_whole(self._path(key, answer.question), _sealed(rest) + b"\n" + rest)
        (self.folder / f"{key}.known").touch()

    def knows(self, key: str) -> bool:
        """Whether there is an answer to some question about what has this fingerprint."""
        return (self.folder / f"{key}.known").exists()

    def _path(self, key: str, question: UserQuestion) -> Path:
        name = hashlib.sha256(f"{key} {type(question).__name__} {question}".encode()).hexdigest()
        return self.folder / f"{name}.answer"

    # ----------------------------------------------------------------------------------------------- times
    def seconds(self, path: str) -> float | None:
        """How long the file took when it was last scanned."""
        try:
            seconds = float(_read(self.folder / self._time_name(path)))
        except (OSError, ValueError):
            return None
        return seconds if math.isfinite(seconds) and seconds >= 0 else None

    def took(self, path: str, seconds: float) -> None:
        with contextlib.suppress(OSError):
            write_whole(self.folder / self._time_name(path), f"{seconds:.3f}\n".encode())

    @staticmethod
    def _time_name(path: str) -> str:
        return hashlib.sha256(os.path.abspath(path).encode(errors="surrogatepass")).hexdigest()[:32] + ".time"


def _read(path: Path) -> bytes:
    """The bytes of a plain file; anything else is neither waited for nor read. Raises OSError."""
    if not stat.S_ISREG(path.stat().st_mode) or path.stat().st_size > MAX_DATA:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
    return path.read_bytes()


def _sealed(rest: bytes) -> bytes:
    return f"{_FORMAT} {hashlib.sha256(rest).hexdigest()}".encode()


def _answer(data: Any, evidence: str, question: UserQuestion) -> Answer:
    """The answer that was put; raises Malformed or UnreadableCertificate for anything else."""
    found, _ = parse(evidence)
    figures = as_object(data, "the figures", {"engine", "why", "trivial", *(f.name for f in fields(Statistics))})
    engine = as_text(figures["engine"], "engine")
    if engine not in _WHO or not isinstance(figures["trivial"], bool):
        raise Malformed("no answer of an engine")
    counts = {name: as_natural(figures[name], name, MOST) for name in ("k", "rounds", "states", "queries")}
    texts = {name: _texts(figures[name], name) for name in ("predicates", "context", "why")}
    acfa = {name: as_natural(size, "acfa", MOST) for name, size in _mapping(figures["acfa"]).items()}
    seconds = {name: _time(value) for name, value in _mapping(figures["seconds"]).items()}
    statistics = Statistics(acfa=acfa, seconds=seconds, by=as_text(figures["by"], "by"), predicates=texts["predicates"],
                            context=texts["context"], **counts)
    if isinstance(found, Certificate):
        return Answer(question, str(question), Safe(found, texts["why"], figures["trivial"], statistics), engine)
    return Answer(question, str(question), Refuted(found, statistics), engine)


def _texts(value: Any, what: str) -> tuple[str, ...]:
    return tuple(as_text(text, what) for text in as_list(value, what))


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Malformed("not a JSON object")
    return value


def _time(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < MOST:
        raise Malformed("no time")
    return float(value)
