"""Jobs in several processes at once, each under limits, each telling what it finds out as it does.

A job's process may start processes of its own; all end when ours does, however that comes about.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeAlias, TypeVar

from circ.run.supervise import confine, die_with

J = TypeVar("J")

TICK = 0.2


@dataclass(frozen=True, slots=True)
class Started(Generic[J]):
    job: J


@dataclass(frozen=True, slots=True)
class Told(Generic[J]):
    """What a job's process sent."""

    job: J
    item: Any


@dataclass(frozen=True, slots=True)
class Ended(Generic[J]):
    """A job is over; `why` is empty if it came to its end by itself."""

    job: J
    why: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


@dataclass(frozen=True, slots=True)
class Allow:
    """Sent by a job: it may take this many seconds from now on, None for any number."""

    seconds: float | None


Event: TypeAlias = Started[J] | Told[J] | Ended[J] | Tick
Tell: TypeAlias = Callable[[Any], None]


def run(
    jobs: Sequence[J], work: Callable[[J, Tell], None], processes: int, allowed: float | None, memory: int | None,
) -> Iterator[Event[J]]:
    """Starts the jobs in order, `processes` at a time; closing the iterator ends them all at once."""
    waiting = list(jobs)
    running: list[_Process[J]] = []
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                job = waiting.pop(0)
                running.append(_Process(job, work, allowed, memory))
                yield Started(job)
            ready = wait([p.receiver for p in running], timeout=TICK)
            for process in list(running):
                if process.receiver in ready:
                    yield from process.receive()
                if process.over():
                    running.remove(process)
                    yield process.end()
            yield Tick()
    finally:
        for process in running:
            process.kill()


class _Process(Generic[J]):
    def __init__(self, job: J, work: Callable[[J, Tell], None], allowed: float | None, memory: int | None) -> None:
        context = multiprocessing.get_context("fork")
        self.job = job
        self.begin = time.monotonic()
        self.receiver, sender = context.Pipe(duplex=False)
        self.closed = False
        self.allow(allowed)
        sys.stdout.flush()
        sys.stderr.flush()
        self.process = context.Process(target=_main, args=(job, work, sender, memory, os.getpid()))
        self.process.start()
        sender.close()

    def allow(self, seconds: float | None) -> None:
        self.deadline = None if seconds is None else time.monotonic() + seconds

    def receive(self) -> Iterator[Told[J]]:
        """What has arrived by now."""
        while not self.closed and self.receiver.poll():
            try:
                item = self.receiver.recv()
            except (EOFError, OSError):
                self.closed = True
                return
            if isinstance(item, Allow):
                self.allow(item.seconds)
            else:
                yield Told(self.job, item)

    def over(self) -> bool:
        return self.closed or self.late()

    def late(self) -> bool:
        return self.deadline is not None and time.monotonic() > self.deadline

    def end(self) -> Ended[J]:
        seconds = time.monotonic() - self.begin
        if not self.closed:
            self.kill()
            return Ended(self.job, f"timeout: not finished within {seconds:.1f} s", seconds)
        self.process.join()
        code = self.process.exitcode or 0
        self.receiver.close()
        how = "" if code == 0 else f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        return Ended(self.job, how and f"the analysis process ended early ({how})", seconds)

    def kill(self) -> None:
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.receiver.close()


def _main(job: J, work: Callable[[J, Tell], None], sender: Connection, memory: int | None, parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means, and kills us
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    die_with(parent)
    confine(memory)
    work(job, sender.send)
    sender.close()
