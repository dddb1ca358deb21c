"""Why a static proof holds, in plain words: which lock is held where, what comes before or after what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from circ.static.arguments.argument import Argument
from circ.static.tracking import Survey, Tracked, key
from frontend.program import AccessKind, Lvalue, Program, show_lvalue

_LOCK_WORD = re.compile(r"\.__circ_\w+$")
_THREAD_FLAG = re.compile(r"<(.+) (created|done)>")


def reasons(
    program: Program, variable: str, survey: Survey, tracked: Tracked, arguments: Sequence[Argument]
) -> tuple[str, ...]:
    """A sentence for each thing that the proof rests on."""
    said = [s for v in tracked.globals for s in _about(program, variable, survey, v)]
    said += [a.words for a in arguments]
    return tuple(dict.fromkeys(said)) or ("whatever the threads do, no two of them are at conflicting accesses to one cell",)


def _about(program: Program, variable: str, survey: Survey, cell: Lvalue) -> Iterator[str]:
    k = key(cell)
    name = _LOCK_WORD.sub("", show_lvalue(cell))
    flag = _THREAD_FLAG.fullmatch(show_lvalue(cell))
    if flag is not None:
        thread, what = flag.groups()
        waiting = survey.tested.get(show_lvalue(cell), set())
        others = ", ".join(t.name for n, t in enumerate(program.templates) if t.name != thread
                           and (n in waiting if what == "done" else n in survey.written.get(show_lvalue(cell), set())))
        if what == "created":
            yield f"{thread} starts only when {others or 'nobody'} has created it"
        else:
            yield f"{others or 'nobody'} waits until {thread} has ended"
    elif k is not None and k in survey.locks:
        bit = survey.locks[k]
        places = [(n, e) for n, e, a in program.accesses.get(variable, ()) if a.kind is not AccessKind.SYNC]
        bare = [(n, e) for n, e in places if not survey.held[n][e.source] & bit]
        if not bare:
            yield f"every access is made with {name} held"
        else:
            held = [(n, e.location.line) for n, e in places if survey.held[n][e.source] & bit]
            # What one thread takes and another gives back is a signal, not a lock.
            several = len({n for n, _ in held}) > 1 or any(program.templates[n].count != 1 for n, _ in held)
            lines = _lines(sorted({line for _, line in held}))
            yield f"{name} is held at {lines}" if several else f"the value of {name} decides who may access it"
    else:
        yield f"the value of {name} decides who may access it"


def _lines(lines: Sequence[int]) -> str:
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"
