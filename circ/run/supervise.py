"""Tasks done one after the other in a child process, under limits that hold even while a solver call runs deep in C.

The child keeps what it has learnt from task to task. When it has to be killed, or dies, a new one goes on with the rest.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import ceil
from multiprocessing.connection import Connection, Pipe
from typing import IO, Any, Generic, TypeAlias, TypeVar

from circ.run.process_tree import Forked, cpu_seconds, die_with, end, end_below, exceeds
from circ.verdict import PossibleRace
from frontend.records import dataclass

T = TypeVar("T")
R = TypeVar("R")

Emit: TypeAlias = Callable[[str, Mapping[str, Any]], None]
"""How a worker tells its parent of progress, and of possible races; what is neither plain data nor one of them is dropped."""


@dataclass(frozen=True, slots=True)
class Limits:
    """For each task, seconds by the clock and of processor time; for the processes, megabytes. None: no limit."""

    timeout: float | None = 60.0
    memory: int | None = 4096
    cpu: float | None = None


@dataclass(frozen=True, slots=True)
class Done(Generic[R]):
    value: R


@dataclass(frozen=True, slots=True)
class TimedOut:
    seconds: float


@dataclass(frozen=True, slots=True)
class OutOfCpu:
    """`seconds` of processor time are used up, by the process and all that it has started."""

    seconds: float


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    megabytes: int | None


@dataclass(frozen=True, slots=True)
class Died:
    """The process ended by itself: by which signal (or exit status), and the end of what it wrote to stderr."""

    how: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Crashed:
    """The worker raised an exception that it should not have: our own bug."""

    error: str
    traceback: str


Failed: TypeAlias = TimedOut | OutOfCpu | OutOfMemory | Died | Crashed
ChildOutcome: TypeAlias = Done[R] | Failed

GRACE = 0.5
"""Seconds that a task gets beyond its limit to end by itself and say what it tried."""

_LOOK = 0.25
"""Seconds between two looks at what the processes use."""

_STACK = 120 << 20
_RECURSION = 40_000
_NO_LIMIT = 1 << 62


def supervise(
    tasks: Iterable[T],
    start: Callable[[], Callable[[T, Emit], R]],
    limits: Limits,
    on_event: Callable[[T, str, Mapping[str, Any]], None] = lambda task, name, data: None,
    starts_others: bool = False,
    timeout: Callable[[T], float | None] | None = None,
) -> Iterator[tuple[T, ChildOutcome[R]]]:
    """Each task with its outcome, in order, as soon as it is known. `start` runs in the child and gives the worker.

    A task is asked for when the one before it has its outcome, so that `tasks` may depend on that. `timeout` gives a task a limit
    of its own.
    Closing the iterator, or an exception in its consumer, ends the child at once, and all that it has started.
    `starts_others`: the worker runs programs that are not ours, which are to end even if we are killed.
    """
    child: _Child[T, R] | None = None
    try:
        for task in tasks:
            child = child or _Child(start, limits, starts_others)
            within = limits.timeout if timeout is None else timeout(task)
            outcome = child.ask(task, within, lambda name, data, task=task: on_event(task, name, data))  # type: ignore[misc]
            if not isinstance(outcome, Done | Crashed):
                child.close()
                child = None
            yield task, outcome
    finally:
        if child is not None:
            child.close()


class _Child(Generic[T, R]):
    """A forked process that does the tasks in turn; fork is quick, and the solver's library is not yet loaded."""

    def __init__(self, start: Callable[[], Callable[[T, Emit], R]], limits: Limits, starts_others: bool) -> None:
        self.limits = limits
        self.stderr = _anonymous_file()
        self.receiver, sender = Pipe(duplex=False)
        inbox, self.sender = Pipe(duplex=False)
        parent = os.getpid()
        self.process = Forked(lambda: _child_main(inbox, start, limits, sender, self.stderr.fileno(), parent, starts_others))
        sender.close()
        inbox.close()

    def close(self) -> None:
        """Ends the process."""
        if self.process.is_alive():
            end(self.process.pid)
        self.process.join()
        self.receiver.close()
        self.sender.close()
        self.stderr.close()

    def ask(self, task: T, timeout: float | None, on_event: Emit) -> ChildOutcome[R]:
        """What becomes of a task."""
        with contextlib.suppress(BrokenPipeError):  # a child that is dead is told of below
            self.sender.send(task)
        begin = time.monotonic()
        before = self._cpu()
        look = begin + _LOOK
        while True:
            now = time.monotonic()
            if timeout is not None and now > begin + timeout + GRACE:
                return TimedOut(timeout)
            if now > look:
                look = now + _LOOK
                if (over := self._over(before)) is not None:
                    return over
            if not self.receiver.poll(_LOOK):
                continue
            try:
                kind, *rest = self.receiver.recv()
            except EOFError:
                return self._post_mortem()
            if kind == "event":
                on_event(rest[0], rest[1])
            else:
                outcome: ChildOutcome[R] = rest[0]
                return outcome

    def _cpu(self) -> float:
        return 0.0 if self.limits.cpu is None else cpu_seconds(self.process.pid)

    def _over(self, before: float) -> OutOfCpu | OutOfMemory | None:
        """The limit that the child and all it has started are over, if any; `before`: processor time before this task."""
        if self.limits.cpu is not None and self._cpu() > before + self.limits.cpu:
            return OutOfCpu(self.limits.cpu)
        if self.limits.memory is not None and exceeds(self.process.pid, self.limits.memory):
            return OutOfMemory(self.limits.memory)
        return None

    def _post_mortem(self) -> ChildOutcome[R]:
        code = self.process.join()
        self.stderr.seek(0)
        tail = self.stderr.read()[-4000:].decode(errors="replace")
        if "bad_alloc" in tail or "out of memory" in tail or "MemoryError" in tail:
            return OutOfMemory(self.limits.memory)
        if code == -signal.SIGXCPU and self.limits.cpu is not None:
            return OutOfCpu(self.limits.cpu)
        return Died(f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}", tail)


def _anonymous_file() -> IO[bytes]:
    """In memory where there is such a thing, so that a full disk is no matter."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("stderr"), "w+b")
    return tempfile.TemporaryFile()


def _child_main(
    inbox: Connection,
    start: Callable[[], Callable[[T, Emit], R]],
    limits: Limits,
    sender: Connection,
    stderr: int,
    parent: int,
    starts_others: bool,
) -> None:
    os.dup2(stderr, 2)
    obey(parent, starts_others)
    confine(limits.memory)
    gc.freeze()  # what the parent has made stays: the collector need not look at it again and again

    def emit(name: str, data: Mapping[str, Any]) -> None:
        plain = {k: v for k, v in data.items() if isinstance(v, str | int | float | bool | PossibleRace | None)}
        sender.send(("event", name, plain))

    with contextlib.suppress(BrokenPipeError, EOFError):
        worker: Callable[[T, Emit], R] | None = None
        while True:
            task: T = inbox.recv()
            try:
                confine_cpu(limits.cpu)
                worker = worker or start()
                outcome: ChildOutcome[R] = Done(worker(task, emit))
                sender.send(("outcome", outcome))
            except Exception as error:
                if _is_memory(error):
                    _limit(resource.RLIMIT_AS, resource.RLIM_INFINITY)
                    sender.send(("outcome", OutOfMemory(limits.memory)))
                    return
                sender.send(("outcome", Crashed(f"{type(error).__name__}: {error}", traceback.format_exc())))
            finally:
                if starts_others:
                    end_below(os.getpid())
    sender.close()


def _is_memory(error: BaseException | None) -> bool:
    """Whether the memory limit is behind an exception; the solver's bindings raise one of their own."""
    while error is not None:
        if isinstance(error, MemoryError) or "out of memory" in str(error) or "bad_alloc" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _limit(which: int, value: int) -> None:
    """Sets a soft limit, as far as the hard one allows; one that no machine comes to is none."""
    hard = resource.getrlimit(which)[1]
    value = value if value < _NO_LIMIT else resource.RLIM_INFINITY
    if hard != resource.RLIM_INFINITY and (value == resource.RLIM_INFINITY or value > hard):
        value = hard
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(which, (value, hard))


def confine(memory: int | None) -> None:
    """Gives this process and those it starts that many megabytes, and room for deep recursion."""
    _limit(resource.RLIMIT_STACK, _STACK)
    sys.setrecursionlimit(_RECURSION)
    if memory is not None:
        _limit(resource.RLIMIT_AS, memory << 20)


def confine_cpu(seconds: float | None) -> None:
    """Gives this process, and each that it starts, so many seconds of processor time from now on."""
    if seconds is not None and seconds < _NO_LIMIT:
        used = resource.getrusage(resource.RUSAGE_SELF)
        _limit(resource.RLIMIT_CPU, ceil(used.ru_utime + used.ru_stime + seconds) + 1)


def obey(parent: int, starts_others: bool = False) -> None:
    """For a child's first lines: the parent decides what signals mean, and the child ends with it."""
    for ignored in (signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    die_with(parent, starts_others)
