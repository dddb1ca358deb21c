"""The jobs of a scan on a Dask cluster (the extra `cluster`): as `circ.scan.pool.run` does them, on other machines.

Files are preprocessed here, `processes` at a time, and travel as tokens, so that workers need no disk of ours. What a worker has
found out comes back as a whole; certificates, cache and results are written here. What cannot be done there, or does not come
back, is done here: nothing is lost but time, and a row says the same wherever it was found.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Pipe, wait
from typing import Any

from circ.run.supervise import Limits
from circ.scan.fingerprint import circ_itself
from circ.scan.job import FileScan, Found, Job, Packed, Ready, Warned
from circ.scan.pool import TICK, Ended, Event, Started, Tick, Told, run
from circ.scan.post_office import LOCAL, Back, NoScheduler, Send, Size, command
from circ.scan.remote import Items, NotDone, Task

AHEAD = 2
"""So many jobs for each thread of the cluster are sent, so that none of them waits for us."""
MOST_LOCAL = 1024


class NoCluster(Exception):
    """There is nothing at the address; says why."""


class Cluster:
    """The way to the scheduler at an address, or to one of our own with so many workers (`local:3`). Raises NoCluster."""

    def __init__(self, address: str) -> None:
        number = address.removeprefix(LOCAL)
        if address.startswith(LOCAL) and not (number.isascii() and number.isdigit() and 0 < int(number) <= MOST_LOCAL):
            raise NoCluster(f"'{address}' names no number of workers (local:4)")
        self.connection, theirs = Pipe()
        words = command(address, theirs.fileno(), os.getpid())
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=sys.stderr, pass_fds=(theirs.fileno(),))
        theirs.close()
        self.threads = 0
        try:
            while not self.threads:
                first = self.connection.recv()
                if isinstance(first, NoScheduler):
                    raise NoCluster(first.why)
                self.threads = max(1, first.threads)
        except BaseException as error:
            self.close()
            if isinstance(error, EOFError | ConnectionError):
                raise NoCluster(f"{address}: there is no way to it") from None
            raise

    def close(self) -> None:
        self.connection.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=15)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def run_on(cluster: Cluster, jobs: Sequence[Job], work: FileScan, processes: int, limits: Limits) -> Iterator[Event[Job]]:
    """Does the jobs in order, longest first on the cluster too. Closing the iterator gives up what is open."""
    return _Run(cluster, work, processes, limits).events(jobs)


class _Run:
    def __init__(self, cluster: Cluster, work: FileScan, processes: int, limits: Limits) -> None:
        self.cluster, self.work, self.processes, self.limits = cluster, work, processes, limits
        self.circ = circ_itself()
        self.sent: dict[int, tuple[Job, bytes]] = {}
        self.here: list[Job] = []
        self.gone = False

    def events(self, jobs: Sequence[Job]) -> Iterator[Event[Job]]:
        away: set[int] = set()
        try:
            for event in run(jobs, self.work.ready_or_done, self.processes, self.limits, self._has_room):
                match event:
                    case Told(job=job, item=Packed(data=data)):
                        away.add(job.number)
                        self._send(job, data)
                    case Ended(job=job) if job.number in away:
                        pass
                    case _:
                        yield event
                yield from self._arrived(0.0)
            while self.sent:
                yield from self._arrived(TICK)
                yield Tick()
            for event in run(self.here, self.work, self.processes, self.limits):
                if not isinstance(event, Started):
                    yield event
        finally:
            self.cluster.close()

    def _has_room(self) -> bool:
        return self.gone or len(self.sent) < AHEAD * self.cluster.threads

    def _send(self, job: Job, data: bytes) -> None:
        if self.gone:
            self.here.append(job)
            return
        self.sent[job.number] = job, data
        with contextlib.suppress(OSError):  # that nobody is there is seen when nothing comes back
            self.cluster.connection.send(Send(job.number, job.weight, pickle.dumps(Task(self.circ, data, self.limits))))

    def _arrived(self, timeout: float) -> Iterator[Event[Job]]:
        """What has come back."""
        while not self.gone and wait([self.cluster.connection], timeout):
            timeout = 0.0
            try:
                message = self.cluster.connection.recv()
            except (EOFError, OSError):
                message = NoScheduler("the process that speaks with it has ended")
            match message:
                case Size(threads=threads):
                    self.cluster.threads = max(1, threads)
                case Back(number=number, result=bytes() as result):
                    yield from self._done(number, pickle.loads(result))
                case Back(number=number, why=why):
                    yield from self._not_done(number, f"a job failed on the cluster ({why}) and is done here")
                case NoScheduler(why=why):
                    self.gone = True
                    print(f"circ: warning: the cluster is gone, {why}: the rest is done here", file=sys.stderr)
                    self.here += [job for job, _ in self.sent.values()]
                    self.sent.clear()

    def _done(self, number: int, found: Items | NotDone) -> Iterator[Event[Job]]:
        if isinstance(found, NotDone):
            yield from self._not_done(number, found.warning)
            return
        job, data = self.sent.pop(number)
        ready: Ready = pickle.loads(data)
        for item in found.items:
            told: list[Any] = []
            told.append(self.work.row(item, ready, told.append) if isinstance(item, Found) else item)
            for each in told:
                yield Told(job, each)
        yield Ended(job, found.why, found.seconds)

    def _not_done(self, number: int, warning: str) -> Iterator[Event[Job]]:
        job, _ = self.sent.pop(number)
        self.here.append(job)
        if warning:
            yield Told(job, Warned(warning, f"circ: warning: {warning}"))
