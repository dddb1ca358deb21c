"""Why a variable is safe, in a sentence or two: who accesses it, and what the engine says keeps them apart."""

from __future__ import annotations

from collections.abc import Iterator

from circ.verdict import Answer, RaceOn, Safe
from frontend.program import Program

_LONGEST = 240
"""Characters of a sentence; what is longer is cut, and `--explain=full` has it all."""
_MOST = 4
"""Sentences of a reason."""
_PLACES = 4
"""Lines of source that are named for one thread."""


def in_words(program: Program, answer: Answer, safe: Safe) -> Iterator[str]:
    """A few short sentences; never empty."""
    said = list(dict.fromkeys(" ".join(sentence.split()) for sentence in safe.why))
    if not any("every access" in sentence or _names_a_thread(program, sentence) for sentence in said):
        yield from _accesses(program, answer)
    cut = False
    for sentence in said[:_MOST]:
        cut = cut or len(sentence) > _LONGEST
        yield sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST].rsplit(' ', 1)[0]} ..."
    if cut or len(said) > _MOST:
        yield "(--explain=full says all of it)"


def _names_a_thread(program: Program, sentence: str) -> bool:
    words = set(sentence.replace(",", " ").split())
    return any(t.name in words for t in program.templates)


def _accesses(program: Program, answer: Answer) -> Iterator[str]:
    """Who writes and reads the variable, and at which lines."""
    if not isinstance(answer.question, RaceOn):
        return
    parts = []
    for template in program.templates:
        for write, does in ((True, "writes"), (False, "reads")):
            lines = sorted({a.location.line for e in template.cfa.edges for a in e.accesses
                            if a.variable == answer.question.variable and a.write is write and a.location.line})
            if lines:
                shown = ", ".join(map(str, lines[:_PLACES])) + (", ..." if len(lines) > _PLACES else "")
                parts.append(f"{template.name} {does} it at {'line' if len(lines) == 1 else 'lines'} {shown}")
    if parts:
        more = f"; {len(parts) - _MOST} more" if len(parts) > _MOST else ""
        yield f"{'; '.join(parts[:_MOST])}{more}"
