"""What is going on, on one line of a terminal that is overwritten; nothing at all where stderr is no terminal."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Mapping, Sized
from typing import Any, TextIO

from circ.report.rows import Scanned, verdict_counts
from circ.report.terminal.plain_text import printable, unfiltered
from circ.verdict import Observer
from frontend.program import displayed


class Progress:
    """Shows a line, and takes it away again before anything else is printed."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.enabled = stream.isatty()
        self.visible = False
        self.last = 0.0

    def show(self, text: str) -> None:
        if self.enabled:
            width = shutil.get_terminal_size().columns - 1
            unfiltered(self.stream).write(f"\r\x1b[K{printable(text)[:width]}")
            self.stream.flush()
            self.visible = True

    def lines(self, lines: Iterable[str]) -> None:
        """Lines that stay, on a terminal."""
        if self.enabled:
            self.clear()
            self.stream.write("".join(f"{line}\n" for line in lines))
            self.stream.flush()

    def clear(self) -> None:
        if self.visible:
            unfiltered(self.stream).write("\r\x1b[K")
            self.stream.flush()
            self.visible = False

    def observer(self, file: str, total: int, done: Sized) -> Observer:
        """An observer that shows which question of a file is being answered, and how far that is."""
        start = time.monotonic()

        def observe(event: str, data: Mapping[str, Any]) -> None:
            now = time.monotonic()
            if self.enabled and now - self.last > 0.1:
                self.last = now
                details = ", ".join(f"{k} {v}" for k, v in data.items() if k != "subject" and isinstance(v, int | str))
                name = displayed(file)
                self.show(f"{name}: {data.get('subject')} ({len(done) + 1}/{total}, {now - start:.0f} s): {event} {details}")

        return observe


class ScanProgress:
    """A scan on one line of a terminal: how far, what is running, how long it may still take; else a line for each file."""

    def __init__(self, stream: TextIO, weights: Mapping[int, float]) -> None:
        """`weights`: by the jobs' numbers, how long each may take; a file may be in several jobs."""
        self.line = Progress(stream)
        self.weights = weights
        self.running: dict[int, tuple[str, float, str]] = {}
        self.done = 0
        self.done_weight = 0.0
        self.begin = time.monotonic()
        self.last = float("-inf")

    def start(self, job: int, path: str) -> None:
        self.running[job] = (path, time.monotonic(), "reading")
        self.tick()

    def at(self, job: int, what: str) -> None:
        path, since, _ = self.running[job]
        self.running[job] = (path, since, what)

    def end(self, job: int, scanned: Scanned) -> None:
        path, since, _ = self.running.pop(job)
        self.done += 1
        self.done_weight += self.weights[job]
        self.clear()
        if not self.line.enabled:
            counts, seconds = verdict_counts([scanned]), time.monotonic() - since
            print(f"[{self.done}/{len(self.weights)}] {displayed(path)}: {counts} ({seconds:.1f} s){self._left()}",
                  file=self.line.stream, flush=True)

    def tick(self) -> None:
        now = time.monotonic()
        if self.line.enabled and now - self.last > 0.15:
            self.last = now
            busy = "; ".join(f"{displayed(path)}: {what}, {now - since:.0f} s" for path, since, what in self.running.values())
            self.line.show(f"[{self.done}/{len(self.weights)}]{self._left()}  {busy}")

    def clear(self) -> None:
        self.line.clear()

    def _left(self) -> str:
        """The rest at the pace so far, once there is a pace; what is running counts as half done."""
        half = sum(self.weights[p] for p in self.running) / 2
        fraction = (self.done_weight + half) / (sum(self.weights.values()) or 1.0)
        elapsed = time.monotonic() - self.begin
        if self.done == 0 or elapsed < 1 or not 0 < fraction < 1:
            return ""
        return f", about {elapsed * (1 - fraction) / fraction:.0f} s left"
