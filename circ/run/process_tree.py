"""A process and all that it has started, and these have: what they use together, and their end.

On Linux, from /proc. Elsewhere only the process itself is known, and limits of single processes (`supervise.confine`) must do.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NoReturn

_PARENT_DEATH_SIGNAL, _CHILD_SUBREAPER = 1, 36
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_ROUNDS = 100


class Forked:
    """A child process that runs `target`. Unlike one of multiprocessing, a daemonic worker of somebody's pool may have it."""

    def __init__(self, target: Callable[[], None]) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self._exitcode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _run_and_exit(target)

    def is_alive(self) -> bool:
        return self._wait(os.WNOHANG) is None

    def join(self) -> int:
        """Waits for its end: the exit status, or the number of the signal that ended it, negative."""
        return self._wait(0) or 0

    def _wait(self, options: int) -> int | None:
        if self._exitcode is None:
            try:
                pid, status = os.waitpid(self.pid, options)
            except ChildProcessError:  # the program around us has waited for it, or ignores the end of its children
                pid, status = self.pid, 0
            if pid:
                self._exitcode = os.waitstatus_to_exitcode(status)
        return self._exitcode


def _run_and_exit(target: Callable[[], None]) -> NoReturn:
    """The life of a forked child. What the parent does at its end (buffers, exit handlers) is not the child's business."""
    status = 1
    try:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        target()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(status)


def below(pid: int) -> list[int]:
    """The processes that this one has started and that they have, nearest first; those that ended meanwhile are left out."""
    found: list[int] = []
    work = [pid]
    while work:
        parent = work.pop(0)
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{parent}/task"):
                children = [int(c) for c in Path(f"/proc/{parent}/task/{task}/children").read_text().split()]
                found += children
                work += children
    return found


def cpu_seconds(pid: int) -> float:
    """Processor time of the process and all below it, those included that have ended and were waited for."""
    total = 0
    for each in (pid, *below(pid)):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name of the program stands in parentheses and may have any character in it.
            fields = Path(f"/proc/{each}/stat").read_bytes().rpartition(b")")[2].split()
            total += sum(int(ticks) for ticks in fields[11:15])
    return total / _TICKS


def exceeds(pid: int, megabytes: int) -> bool:
    """Whether the process and all below it hold more memory than this; pages that several share count once."""
    all_of_them = (pid, *below(pid))
    if sum(_resident(each) for each in all_of_them) <= megabytes << 20:
        return False
    return sum(_proportional(each) for each in all_of_them) > megabytes << 20


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    return 0


def _proportional(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


def end(pid: int) -> None:
    """Kills the process and all below it. It must be our child, not yet waited for, so that the number is still its own."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)  # it starts nothing more
        end_below(pid)
        os.kill(pid, signal.SIGKILL)


def end_below(pid: int) -> None:
    """Kills all that the process has started; what these start while they are killed, too."""
    for _ in range(_ROUNDS):
        alive = [each for each in below(pid) if not _is_zombie(each)]
        if not alive:
            return
        for each in alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(each, signal.SIGKILL)


def _is_zombie(pid: int) -> bool:
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    return True


def die_with(parent: int, starts_others: bool = False) -> None:
    """Ends this process when its parent ends, however that comes about (Linux only).

    With `starts_others` those that it has started, and that know nothing of us, end with it.
    """
    libc = None
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
    if starts_others:
        signal.signal(signal.SIGTERM, _end_all)
    with contextlib.suppress(AttributeError):
        if libc is not None:
            libc.prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM if starts_others else signal.SIGKILL)
            if starts_others:
                libc.prctl(_CHILD_SUBREAPER, 1)  # what its children leave behind stays below it
    if os.getppid() != parent:
        os._exit(1)


def _end_all(signum: int, frame: FrameType | None) -> None:
    end_below(os.getpid())
    os._exit(128 + signum)
