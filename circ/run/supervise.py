"""Tasks done one after the other in a child process, under limits that hold even while a solver call runs deep in C.

The child keeps what it has learnt from task to task. When it has to be killed, or dies, a new one goes on with the rest.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import IO, Any, Generic, TypeAlias, TypeVar

T = TypeVar("T")
R = TypeVar("R")

Emit: TypeAlias = Callable[[str, Mapping[str, Any]], None]
"""How a worker tells its parent of progress; what cannot be sent is dropped."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Wall-clock seconds for each task and megabytes of address space for the process; None: no limit."""

    timeout: float | None = 60.0
    memory: int | None = 4096


@dataclass(frozen=True, slots=True)
class Done(Generic[R]):
    value: R


@dataclass(frozen=True, slots=True)
class TimedOut:
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


Failed: TypeAlias = TimedOut | OutOfMemory | Died | Crashed
Outcome: TypeAlias = Done[R] | Failed

GRACE = 0.5
"""Seconds that a task gets beyond its limit to end by itself and say what it tried."""

_STACK = 120 << 20
_RECURSION = 40_000


def supervise(
    tasks: Sequence[T],
    start: Callable[[], Callable[[T, Emit], R]],
    limits: Limits,
    on_event: Callable[[T, str, Mapping[str, Any]], None] = lambda task, name, data: None,
) -> Iterator[tuple[T, Outcome[R]]]:
    """Each task with its outcome, in order, as soon as it is known. `start` runs in the child and gives the worker.

    Closing the iterator, or an exception in its consumer, ends the child at once.
    """
    remaining = list(tasks)
    while remaining:
        with _Child(remaining, start, limits) as child:
            while remaining:
                task = remaining.pop(0)
                outcome: Outcome[R] = child.wait(lambda name, data, task=task: on_event(task, name, data))  # type: ignore[misc]
                yield task, outcome
                if not isinstance(outcome, Done | Crashed):
                    break


class _Child(Generic[T, R]):
    """A forked process that does the tasks in turn; fork is quick, and the solver's library is not yet loaded."""

    def __init__(self, tasks: Sequence[T], start: Callable[[], Callable[[T, Emit], R]], limits: Limits) -> None:
        context = multiprocessing.get_context("fork")
        self.limits = limits
        self.stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the child)
        self.receiver, sender = context.Pipe(duplex=False)
        sys.stdout.flush()
        sys.stderr.flush()
        self.process = context.Process(
            target=_child_main, args=(tuple(tasks), start, limits, sender, self.stderr.fileno(), os.getpid()), daemon=True)
        self.process.start()
        sender.close()

    def __enter__(self) -> _Child[T, R]:
        return self

    def __exit__(self, *exc: object) -> None:
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.receiver.close()
        self.stderr.close()

    def wait(self, on_event: Emit) -> Outcome[R]:
        """What becomes of the task that the child is at now."""
        timeout = self.limits.timeout
        deadline = None if timeout is None else time.monotonic() + timeout + GRACE
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            if (left is not None and left <= 0) or not self.receiver.poll(left):
                assert timeout is not None
                return TimedOut(timeout)
            try:
                kind, *rest = self.receiver.recv()
            except EOFError:
                return self._post_mortem()
            if kind == "event":
                on_event(rest[0], rest[1])
            else:
                outcome: Outcome[R] = rest[0]
                return outcome

    def _post_mortem(self) -> Outcome[R]:
        self.process.join()
        code = self.process.exitcode or 0
        self.stderr.seek(0)
        tail = self.stderr.read()[-4000:].decode(errors="replace")
        if "bad_alloc" in tail or "out of memory" in tail or "MemoryError" in tail:
            return OutOfMemory(self.limits.memory)
        return Died(f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}", tail)


def _child_main(
    tasks: tuple[T, ...],
    start: Callable[[], Callable[[T, Emit], R]],
    limits: Limits,
    sender: Connection,
    stderr: int,
    parent: int,
) -> None:
    os.dup2(stderr, 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means, and kills us
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    die_with(parent)
    confine(limits.memory)
    gc.freeze()  # what the parent has made stays: the collector need not look at it again and again

    def emit(name: str, data: Mapping[str, Any]) -> None:
        plain = {k: v for k, v in data.items() if isinstance(v, str | int | float | bool | None)}
        sender.send(("event", name, plain))

    with contextlib.suppress(BrokenPipeError):
        worker: Callable[[T, Emit], R] | None = None
        for task in tasks:
            try:
                worker = worker or start()
                outcome: Outcome[R] = Done(worker(task, emit))
                sender.send(("outcome", outcome))
            except Exception as error:
                if _is_memory(error):
                    _limit(resource.RLIMIT_AS, resource.RLIM_INFINITY)
                    sender.send(("outcome", OutOfMemory(limits.memory)))
                    return
                sender.send(("outcome", Crashed(f"{type(error).__name__}: {error}", traceback.format_exc())))
    sender.close()


def _is_memory(error: BaseException | None) -> bool:
    """Whether the memory limit is behind an exception; the solver's bindings raise one of their own."""
    while error is not None:
        if isinstance(error, MemoryError) or "out of memory" in str(error) or "bad_alloc" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _limit(which: int, value: int) -> None:
    """Sets a soft limit, as far as the hard one allows."""
    hard = resource.getrlimit(which)[1]
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


def die_with(parent: int) -> None:
    """Ends this process when its parent ends, however that comes about (Linux only)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
