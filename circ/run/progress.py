"""What is going on, drawn with rich at the bottom of a terminal and taken away before anything is printed; plain lines elsewhere.

Nothing here starts a thread, since circ forks: the display is drawn anew when something happens or time has passed.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sized
from typing import TYPE_CHECKING, Any, TextIO

from circ.report.rows import Scanned, verdict_counts
from circ.report.summary import WORDS
from circ.report.terminal.colours import Coloured
from circ.report.terminal.plain_text import printable, unfiltered
from circ.verdict import Observer
from frontend.program import displayed

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

_OFTEN = 0.1
"""Seconds between two drawings."""
_ACTIVITY: Mapping[str, str] = {
    "static": "locks, flags and order", "view": "a simpler program that can do all of this one", "explicit": "all interleavings",
    "weak runs": "runs with weak memory", "witness": "a run towards the accesses", "chase": "random runs",
    "refined": "what threads may do to each other", "dump": "what threads may do to each other",
    "counter-guided": "threads counted", "modular": "each thread against the others' steps",
    "pushdown": "each thread against the others' steps", "cartesian": "each thread against the others' steps",
    "refinement": "each thread against the others' steps", "round": "each thread against what annotations say",
    "kernel": "checking the proof"}
"""What an engine's events are about."""


class Display:
    """The bottom of a terminal, and nothing at all where the stream is no terminal, or one that cannot move its cursor."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.enabled = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._live: Live | None = None

    def draw(self, content: RenderableType) -> None:
        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            console = Console(file=unfiltered(self.stream), force_terminal=True, highlight=False, soft_wrap=False,
                              no_color=not isinstance(self.stream, Coloured))
            self._live = Live(content, console=console, auto_refresh=False, transient=True, redirect_stdout=False,
                              redirect_stderr=False)
            self._live.start(refresh=True)
        else:
            self._live.update(content, refresh=True)

    def clear(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


class Progress:
    """The progress of one check: which question is being answered, how far that is, and by what."""

    def __init__(self, stream: TextIO) -> None:
        self.display = Display(stream)
        self.last = 0.0

    def show(self, text: str) -> None:
        if self.display.enabled:
            from rich.text import Text

            self.display.draw(Text(printable(text), no_wrap=True, overflow="ellipsis"))

    def lines(self, lines: Iterable[str]) -> None:
        """Lines that stay, on a terminal."""
        if self.display.enabled:
            self.clear()
            self.display.stream.write("".join(f"{line}\n" for line in lines))
            self.display.stream.flush()

    def clear(self) -> None:
        self.display.clear()

    def observer(self, file: str, total: int, done: Sized) -> Observer:
        """An observer that shows which question of a file is being answered, and how far that is."""
        start = time.monotonic()

        def observe(event: str, data: Mapping[str, Any]) -> None:
            now = time.monotonic()
            if self.display.enabled and now - self.last > _OFTEN:
                self.last = now
                details = ", ".join(f"{k} {v}" for k, v in data.items() if k not in ("subject", "name", "focus")
                                    and isinstance(v, int | str))
                what = f"{data.get('subject')}: {_ACTIVITY.get(event, event)}" + (f" ({details})" if details else "")
                self.display.draw(_rows([_bar(displayed(file), len(done), total, f"{now - start:.0f} s"), ("", what, "")]))

        return observe


class ScanProgress:
    """A scan: how far, what was found, what is running, how long it may still take; elsewhere a line for each file."""

    def __init__(self, stream: TextIO, weights: Mapping[int, float]) -> None:
        """`weights`: by the jobs' numbers, how long each may take; a file may be in several jobs."""
        self.display = Display(stream)
        self.weights = weights
        self.running: dict[int, tuple[str, float, str]] = {}
        self.done = 0
        self.done_weight = 0.0
        self.found: Counter[str] = Counter()
        self.begin = time.monotonic()
        self.last = float("-inf")

    def start(self, job: int, path: str) -> None:
        self.running[job] = (path, time.monotonic(), "reading")
        self._draw()

    def at(self, job: int, what: str) -> None:
        path, since, _ = self.running[job]
        self.running[job] = (path, since, what)

    def end(self, job: int, scanned: Scanned) -> None:
        path, since, _ = self.running.pop(job)
        self.done += 1
        self.done_weight += self.weights[job]
        self.found.update(row.verdict for row in scanned.rows)
        if not self.display.enabled:
            counts, seconds = verdict_counts([scanned]), time.monotonic() - since
            print(f"[{self.done}/{len(self.weights)}] {displayed(path)}: {counts} ({seconds:.1f} s){self._left()}",
                  file=self.display.stream, flush=True)
        self.tick()

    def tick(self) -> None:
        if time.monotonic() - self.last > _OFTEN:
            self._draw()

    def _draw(self) -> None:
        if self.display.enabled:
            now = self.last = time.monotonic()
            found = ", ".join(f"{self.found[word]} {word}" for word in WORDS if self.found[word])
            total = _bar(found, self.done, len(self.weights), f"{now - self.begin:.0f} s{self._left()}")
            self.display.draw(_rows([total, *((displayed(path), what, f"{now - since:.0f} s")
                                              for path, since, what in self.running.values())]))

    def clear(self) -> None:
        self.display.clear()

    def _left(self) -> str:
        """The rest at the pace so far, once there is a pace; what is running counts as half done."""
        half = sum(self.weights[p] for p in self.running) / 2
        fraction = (self.done_weight + half) / (sum(self.weights.values()) or 1.0)
        elapsed = time.monotonic() - self.begin
        if self.done == 0 or elapsed < 1 or not 0 < fraction < 1:
            return ""
        return f", about {elapsed * (1 - fraction) / fraction:.0f} s left"


# --------------------------------------------------------------------------------------------------- what is drawn
_BAR = 24
"""Columns of a bar."""


def _bar(name: str, done: int, total: int, time_: str) -> tuple[RenderableType, RenderableType, str]:
    """How far a file or a scan is."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    bar = Table.grid(padding=(0, 1))
    bar.add_row(ProgressBar(total or 1, done, width=_BAR), f"{done}/{total}")
    return _text(name), bar, time_


def _rows(rows: Iterable[tuple[RenderableType, RenderableType, str]]) -> RenderableType:
    """Lines of three columns; what has no room is cut, and no source file can send control characters or markup."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2), expand=True)
    for ratio in (2, 3, 1):
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=ratio)
    for row in rows:
        table.add_row(*(_text(cell) if isinstance(cell, str) else cell for cell in row))
    return table


def _text(text: str) -> RenderableType:
    from rich.text import Text

    return Text(printable(text), no_wrap=True, overflow="ellipsis")
