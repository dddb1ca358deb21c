"""Jobs in several processes at once, each under limits, each telling what it finds out as it does.

A job's process may start processes of its own; all end when ours does, however that comes about.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeAlias, TypeVar

from circ.run.process_tree import cpu_seconds, end, end_below, exceeds
from circ.run.supervise import Limits, confine, confine_cpu, obey
from frontend.records import dataclass

J = TypeVar("J")

TICK = 0.2
_LOOK = 0.5
"""Seconds between two looks at what a job's processes use."""


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
    """Sent by a job: it may take this many seconds by the clock and of processor time from now on, None for any number."""

    seconds: float | None
    cpu: float | None


Event: TypeAlias = Started[J] | Told[J] | Ended[J] | Tick
Tell: TypeAlias = Callable[[Any], None]


def run(
    jobs: Sequence[J], work: Callable[[J, Tell], None], processes: int, limits: Limits,
    may_start: Callable[[], bool] = lambda: True,
) -> Iterator[Event[J]]:
    """Starts the jobs in order, `processes` at a time and while they may be started, each under the limits until it says `Allow`.

    A job that ends, by itself or not, leaves no process behind. Closing the iterator ends them all at once.
    """
    waiting = deque(jobs)
    running: list[_Process[J]] = []
    try:
        while waiting or running:
            while waiting and len(running) < processes and may_start():
                job = waiting.popleft()
                running.append(_Process(job, work, limits))
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
    def __init__(self, job: J, work: Callable[[J, Tell], None], limits: Limits) -> None:
        context = multiprocessing.get_context("fork")
        self.job = job
        self.begin = time.monotonic()
        self.receiver, sender = context.Pipe(duplex=False)
        self.closed = False
        self.memory = limits.memory
        self.look = self.begin
        self.over_limit = ""
        sys.stdout.flush()
        sys.stderr.flush()
        self.process = context.Process(target=_main, args=(job, work, sender, limits, os.getpid()))
        self.process.start()
        sender.close()
        assert self.process.pid is not None
        self.pid = self.process.pid
        self.allow(limits.timeout, limits.cpu)

    def allow(self, seconds: float | None, cpu: float | None) -> None:
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.cpu = None if cpu is None else cpu_seconds(self.pid) + cpu

    def receive(self) -> Iterator[Told[J]]:
        """What has arrived by now."""
        while not self.closed and self.receiver.poll():
            try:
                item = self.receiver.recv()
            except (EOFError, OSError):
                self.closed = True
                return
            if isinstance(item, Allow):
                self.allow(item.seconds, item.cpu)
            else:
                yield Told(self.job, item)

    def over(self) -> bool:
        if not self.closed and not self.over_limit:
            self.over_limit = self._over_limit()
        return self.closed or bool(self.over_limit)

    def _over_limit(self) -> str:
        """The limit that its processes are over, in words."""
        now = time.monotonic()
        if self.deadline is not None and now > self.deadline:
            return f"timeout: not finished within {now - self.begin:.1f} s"
        if now < self.look:
            return ""
        self.look = now + _LOOK
        if self.cpu is not None and cpu_seconds(self.pid) > self.cpu:
            return f"cpu limit: not finished within {self.cpu:.1f} s of processor time"
        if self.memory is not None and exceeds(self.pid, self.memory):
            return f"memory: the limit of {self.memory} MB was reached"
        return ""

    def end(self) -> Ended[J]:
        seconds = time.monotonic() - self.begin
        if not self.closed:
            self.kill()
            return Ended(self.job, self.over_limit, seconds)
        self.process.join()
        code = self.process.exitcode or 0
        self.receiver.close()
        how = "" if code == 0 else f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        return Ended(self.job, how and f"the analysis process ended early ({how})", seconds)

    def kill(self) -> None:
        if self.process.is_alive():
            end(self.pid)
        self.process.join()
        self.receiver.close()


def _main(job: J, work: Callable[[J, Tell], None], sender: Connection, limits: Limits, parent: int) -> None:
    obey(parent, starts_others=True)
    confine(limits.memory)
    confine_cpu(limits.cpu)
    try:
        work(job, sender.send)
    finally:
        end_below(os.getpid())
    sender.close()
