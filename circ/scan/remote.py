"""The part of a scan that is done on a worker of a cluster: files that are ready in, what is found out.

A worker's own process has many threads and is not to be forked, so it keeps another one with all
modules loaded, one for each thread that does jobs. That one does a job as `circ scan -j` does: in a process of its own, under the
limits of the request. It ends with the worker.
"""

from __future__ import annotations

import importlib
import os
import pickle
import struct
import subprocess
import sys
import threading
from typing import IO, Any

from circ.run.process_tree import die_with
from circ.run.supervise import Limits
from circ.scan.fingerprint import circ_itself
from circ.scan.job import Ready, analyse, mistakes_told
from circ.scan.pool import Ended, Tell, Told, run
from frontend.program import FrontendError
from frontend.records import dataclass

_SIZE = struct.Struct("!Q")
_HEAVY = ("frontend.lower.module", "circ.smt", "circ.engines.auto")
_own = threading.local()


@dataclass(frozen=True, slots=True)
class Task:
    """A `Ready` of a circ, pickled, with the limits for reading it; `circ` is what must be the same here."""

    circ: str
    data: bytes
    limits: Limits


@dataclass(frozen=True, slots=True)
class Items:
    """What was found out on a worker, in order; `why` it ended before its end, if so, and after how many seconds."""

    items: tuple[Any, ...]
    why: str
    seconds: float


@dataclass(frozen=True, slots=True)
class NotDone:
    """A job that is to be done where its files are: something is wrong with them, or the worker is not for it (`warning`)."""

    warning: str = ""


def on_worker(task: bytes) -> bytes:
    """For a thread of a worker: a pickled `Task` in, pickled `Items` or `NotDone` out."""
    server: subprocess.Popen[bytes] | None = getattr(_own, "server", None)
    if server is None or server.poll() is not None:
        command = [sys.executable, "-P", "-c", "from circ.scan.remote import main; main()", str(os.getpid())]
        server = _own.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None and server.stdout is not None
    _send(server.stdin, task)
    return _receive(server.stdout)


def done(task: Task) -> Items | NotDone:
    """What comes of a task, found out in a process of its own."""
    if task.circ != circ_itself():
        return NotDone("a worker of the cluster has another circ, or another Python: what it would do is done here")
    ready: Ready = pickle.loads(task.data)
    items: list[Any] = []
    end = Ended(ready, "", 0.0)
    for event in run([ready], _work, 1, task.limits):
        match event:
            case Told(item=NotDone() as not_done):
                return not_done
            case Told(item=item) if not isinstance(item, str):
                items.append(item)
            case Ended():
                end = event
    return Items(tuple(items), end.why, end.seconds)


def _work(ready: Ready, tell: Tell) -> None:
    with mistakes_told(ready.job, tell) as place:
        place.lines, place.header = ready.lines, ready.header
        try:
            analyse(ready, tell, lambda asked, tell: {})
        except FrontendError:
            tell(NotDone())  # what is wrong is told from the files, which are not here


def _send(stream: IO[bytes], data: bytes) -> None:
    stream.write(_SIZE.pack(len(data)) + data)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes:
    [size] = _SIZE.unpack(_exactly(stream, _SIZE.size))
    return _exactly(stream, size)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("the process that analyses for this worker has ended")
    return data


def main() -> None:
    """Does tasks from stdin until there are no more."""
    die_with(int(sys.argv[1]), starts_others=True)
    tasks, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed is no answer
    for heavy in _HEAVY:
        importlib.import_module(heavy)
    while True:
        try:
            task = _receive(tasks)
        except (EOFError, struct.error):
            return
        _send(answers, pickle.dumps(done(pickle.loads(task))))

