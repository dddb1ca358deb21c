"""Why a variable is safe, in a sentence or two: who accesses it, and what the engine says keeps them apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from circ.verdict import Answer, RaceOn, Safe
from frontend.program import Program
from frontend.program.display import threads_named

_LONGEST = 240
"""Characters of a sentence; what is longer is cut, and `--explain=full` has it all."""
_MOST = 3
"""Sentences of a reason."""
_PLACES = 4
"""Lines of source that are named for one thread."""
_PLACED = re.compile(r"\baccess(es)? .* at lines? \d")
"""A sentence that says who accesses the variable where."""


def in_words(program: Program, answer: Answer, safe: Safe) -> Iterator[str]:
    """A few short sentences; never empty."""
    said = list(dict.fromkeys(" ".join(sentence.split()) for sentence in safe.why))
    if not any("every access" in sentence or "accesses it" in sentence or _PLACED.search(sentence) for sentence in said):
        yield from _accesses(program, answer)
    cut = False
    for sentence in said[:_MOST]:
        cut = cut or len(sentence) > _LONGEST
        yield sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST].rsplit(' ', 1)[0]} ..."
    if cut or len(said) > _MOST:
        yield "(--explain=full says all of it)"


def _accesses(program: Program, answer: Answer) -> Iterator[str]:
    """Who writes and reads the variable, and at which lines; threads that run one function are told of together."""
    if not isinstance(answer.question, RaceOn):
        return
    found: dict[str, tuple[set[str], dict[bool, set[int]]]] = {}
    for n, _, a in program.accesses.get(answer.question.variable, ()):
        if a.location.line:
            names, lines = found.setdefault(program.templates[n].called, (set(), {True: set(), False: set()}))
            names.add(program.templates[n].name)
            lines[a.write].add(a.location.line)
    parts = []
    for names, lines in found.values():
        verbs = ("writes", "reads") if len(names) == 1 else ("write", "read")
        does = [f"{verb} it at {_shown(lines[write])}" for write, verb in zip((True, False), verbs, strict=True) if lines[write]]
        parts.append(f"{threads_named(program, names)} {' and '.join(does)}")
    if parts:
        more = f"; {len(parts) - _MOST} more" if len(parts) > _MOST else ""
        yield f"{'; '.join(parts[:_MOST])}{more}"


def _shown(lines: set[int]) -> str:
    several = "s" if len(lines) > 1 else ""
    return f"line{several} {', '.join(map(str, sorted(lines)[:_PLACES]))}" + (", ..." if len(lines) > _PLACES else "")
