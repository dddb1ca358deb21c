"""An interleaving as a table: one column a thread, one line a step, and at the end the two accesses that meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from circ.report.rerun import Rerun, ShownStep
from circ.verdict import Trace
from frontend.program import Location, Program

_WIDTH = 60


def interleaving(program: Program, trace: Trace, rerun: Rerun, full: bool = True) -> Iterator[str]:
    """The lines of the table; a thread that does nothing has no column."""
    table = [(str(n), r.thread, _cell(r, program.file)) for n, r in enumerate(rerun.rows, 1)]
    last = {m.thread: f"{_line(m.location, program.file)}: {m}" for m in rerun.meeting()}
    if not table and not last:
        return  # what fails does so at the start
    busy = sorted({*last, *(thread for _, thread, _ in table)}) or [0]
    heads = [f"thread {i + 1} ({trace.threads[i]})" for i in busy]
    widths = [
        min(_WIDTH, max(len(text) for text in (head, last.get(i, ""), *(c for _, t, c in table if t == i))))
        for i, head in zip(busy, heads, strict=True)
    ]
    yield _join("step", heads, widths)
    for number, thread, cell in table:
        yield _join(number, [cell if i == thread else "" for i in busy], widths)
    if last:
        yield _join("race", [last.get(i, "") for i in busy], widths)


def _join(number: str, texts: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join([number.rjust(4), *(t.ljust(w) for t, w in zip(texts, widths, strict=True))]).rstrip()


def _cell(row: ShownStep, file: str) -> str:
    values = ", ".join(f"{v.name} = {v.value}" for v in row.values)
    return f"{_line(row.location, file)}: {' '.join(row.text.split())}" + (f"  {{{values}}}" if values else "")


def _line(place: Location, file: str) -> str:
    return str(place.line) if place.file == file else f"{place.file}:{place.line}"
