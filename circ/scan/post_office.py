"""Between a scan and a Dask cluster: a process that sends tasks to the scheduler and gives back what comes of them.

A process of its own, because a client of Dask has threads, and the scan forks. A worker that dies is the scheduler's business:
its tasks go to another one. If the scheduler goes, all that is open is sent again when it is back; if it stays away, the scan is
told so.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from multiprocessing.connection import Connection
from typing import Any

from circ.run.process_tree import die_with
from circ.scan.remote import on_worker
from frontend.records import dataclass

PATIENCE = 60.0
"""Seconds that a scheduler may be away."""
_LOOK = 2.0
"""Seconds between two looks at how large the cluster is, or whether it is there again."""
LOCAL = "local:"


@dataclass(frozen=True, slots=True)
class Send:
    """A task for the cluster; those with more weight first."""

    number: int
    weight: float
    task: bytes


@dataclass(frozen=True, slots=True)
class Size:
    """How many tasks the cluster does at once."""

    threads: int


@dataclass(frozen=True, slots=True)
class Back:
    """What came of a task; `why` not, if it is None."""

    number: int
    result: bytes | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class NoScheduler:
    """Nothing can be sent, or not any more."""

    why: str


class _Open:
    """A task that is sent, or to be sent again."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.future: Any = None


class Office:
    """Serves one scan until it hangs up."""

    def __init__(self, address: str, scan: Connection) -> None:
        import distributed

        self._distributed: Any = distributed
        self.scan = scan
        self._local: Any = None
        self.client: Any = None
        if address.startswith(LOCAL):
            number = int(address.removeprefix(LOCAL))
            self._local = self._distributed.LocalCluster(n_workers=number, threads_per_worker=1, processes=True,
                                                         dashboard_address=None, silence_logs=50)
            address = self._local.scheduler_address
        self.address = address
        self.open: dict[int, _Open] = {}
        self.lost: float | None = None

    def serve(self) -> None:
        self._connect(10.0)
        look = 0.0
        while self.lost is None or time.monotonic() < self.lost + PATIENCE:
            while self.scan.poll(0.02):
                send = self.scan.recv()
                self.open[send.number] = _Open(send)
            if time.monotonic() > look:
                look = time.monotonic() + _LOOK
                self._look()
            for number in list(self.open):
                self._attend(number)
        self.scan.send(NoScheduler("its scheduler does not come back"))

    def close(self) -> None:
        for part in (self.client, self._local):
            if part is not None:
                with contextlib.suppress(Exception):
                    part.close(timeout=5)

    def _connect(self, timeout: float) -> None:
        self.client = self._distributed.Client(self.address, timeout=timeout, set_as_default=False)

    def _connected(self) -> bool:
        return self.client is not None and self.client.status == "running"

    def _look(self) -> None:
        """Connects again if need be, and says how large the cluster is."""
        if not self._connected():
            self.lost = self.lost or time.monotonic()
            with contextlib.suppress(Exception):
                if self.client is not None:
                    self.client.close(timeout=0)
            with contextlib.suppress(OSError):
                self._connect(2.0)
        with contextlib.suppress(Exception):  # whatever a connection that is about to break raises
            if self._connected():
                self.scan.send(Size(sum(self.client.nthreads().values())))
                self.lost = None

    def _attend(self, number: int) -> None:
        """Sends a task, or again if it was lost; gives back what came of it."""
        task = self.open[number]
        status = "lost" if task.future is None else task.future.status
        if status == "finished":
            try:
                result = task.future.result(timeout=10)
            except Exception:  # it is gone with whoever had it
                task.future = None
                return
            self._back(Back(number, result))
        elif status == "error":
            self._back(Back(number, None, type(task.future.exception()).__name__))
        elif status != "pending" and self._connected():
            with contextlib.suppress(Exception):  # whatever a connection that is about to break raises
                key = f"circ-{number}-{time.monotonic_ns()}"
                task.future = self.client.submit(on_worker, task.send.task, key=key, priority=task.send.weight, pure=False)

    def _back(self, back: Back) -> None:
        del self.open[back.number]
        self.scan.send(back)


def command(address: str, fd: int, parent: int) -> list[str]:
    """How the process is started, with the connection to the scan as file descriptor `fd`. Nothing is imported from the folder
    that it runs in, which may be that of a stranger's files."""
    return [sys.executable, "-P", "-c", "from circ.scan.post_office import main; main()", address, str(fd), str(parent)]


def main() -> None:
    address, fd, parent = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    os.environ["PYTHONSAFEPATH"] = "1"  # the same for the workers
    die_with(parent, starts_others=True)
    scan = Connection(fd)
    office = None
    try:
        office = Office(address, scan)
        office.serve()
    except (EOFError, BrokenPipeError):
        pass
    except ModuleNotFoundError as error:
        scan.send(NoScheduler(f"a cluster needs the package {error.name} (pip install 'circ[cluster]')"))
    except (OSError, ValueError, TypeError) as error:
        scan.send(NoScheduler(f"{address}: no scheduler answers ({str(error) or type(error).__name__})"))
    finally:
        if office is not None:
            office.close()

