"""An interleaving as a table: one column a thread, one line a step, and at the end the two accesses that meet.

A long run is folded: steps of threads other than the two that race, and those long before the race, are counted in one line. A
wide table is one column with the thread before each step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from circ.report.rerun import Rerun, ShownStep
from circ.verdict import Trace
from frontend.program import Location, Program

_WIDTH = 60
_PAGE = 120
"""Columns of a line, where a run is folded."""
MOST_LINES = 36
"""Lines of a run, where it is folded."""
_BEGIN = 6
"""Of these the first ones, which tell how the run gets under way."""


def interleaving(program: Program, trace: Trace, rerun: Rerun, full: bool = True) -> Iterator[str]:
    """The lines of the table; a thread that does nothing has no column. With `full` every step has its line."""
    table = [(str(n), r.thread, f"{_line(r.location, program.file)}: {_text(r)}") for n, r in enumerate(rerun.rows, 1)]
    last = {m.thread: f"{_line(m.location, program.file)}: {m}" for m in rerun.meeting()}
    if not table and not last:
        return  # what fails does so at the start
    busy = sorted({*last, *(thread for _, thread, _ in table)}) or [0]
    heads = [rerun.who(i) for i in busy]
    widths = [
        min(_WIDTH, max(len(text) for text in (head, last.get(i, ""), *(c for _, t, c in table if t == i))))
        for i, head in zip(busy, heads, strict=True)
    ]
    if not full and (len(table) > MOST_LINES or sum(widths) + 2 * len(widths) + 6 > _PAGE):
        yield from _folded(trace, rerun, table, last)
        return
    yield _join("step", heads, widths)
    for number, thread, cell in table:
        yield _join(number, [cell if i == thread else "" for i in busy], widths)
    if last:
        yield _join("race", [last.get(i, "") for i in busy], widths)


def _folded(trace: Trace, rerun: Rerun, table: Sequence[tuple[str, int, str]], last: dict[int, str]) -> Iterator[str]:
    """The steps below each other, as many as fit on a page: the first ones, and of the rest those that matter most."""
    shown = _chosen(rerun, table, set(last))
    width = max(len(rerun.who(i)) for i in {*last, *(table[n][1] for n in shown)})
    for visible, group in groupby(range(len(table)), key=lambda n: n in shown):
        steps = list(group)
        if visible:
            for n in steps:
                number, thread, cell = table[n]
                yield _cut(f"{number.rjust(4)}  {rerun.who(thread).ljust(width)}  {cell}")
        else:
            who = sorted({table[n][1] + 1 for n in steps})
            threads = f"thread {who[0]}" if len(who) == 1 else f"threads {', '.join(map(str, who))}"
            yield f" ...  {len(steps)} {'step' if len(steps) == 1 else 'steps'} of {threads}"
    for thread, text in last.items():
        yield _cut(f"race  {rerun.who(thread).ljust(width)}  {text}")
    if len(shown) < len(table):
        yield "      (--full-trace shows every step)"


def _chosen(rerun: Rerun, table: Sequence[tuple[str, int, str]], racing: set[int]) -> set[int]:
    """The steps to show: the first and last of the threads that race, then who starts and waits, then the latest."""
    room = MOST_LINES - len(racing)
    if len(table) <= room:
        return set(range(len(table)))
    room -= 8  # lines that count what is left out
    chosen = set(range(_BEGIN))
    mine = [n for n, (_, thread, _) in enumerate(table) if thread in racing]
    started = [n for n, row in enumerate(rerun.rows) if row.text.startswith(("starts", "pthread_create", "thrd_create"))]
    for n in (*mine[-room // 2:], *started[:room // 4], *reversed(mine)):
        if len(chosen) >= room:
            break
        chosen.add(n)
    return chosen


def _cut(line: str) -> str:
    return line if len(line) <= _PAGE - 2 else f"{line[:_PAGE - 5]}..."


def _join(number: str, texts: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join([number.rjust(4), *(t.ljust(w) for t, w in zip(texts, widths, strict=True))]).rstrip()


def _text(row: ShownStep) -> str:
    """A step on a line, and in braces the values that it read and wrote."""
    values = ", ".join(f"{v.name} = {v.value}" for v in row.values)
    return " ".join(row.text.split()) + (f"  {{{values}}}" if values else "")


def _line(place: Location, file: str) -> str:
    return str(place.line) if place.file == file else f"{place.file}:{place.line}"
