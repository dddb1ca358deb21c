"""What a scan on a cluster costs beside the analysis, and how far that goes: 100,000 files on 1,000 cores, simulated.

Measured here: processor time of a job beyond what it takes with `-j`, of the part that only the scan's own machine can do, of the
scheduler, and the size of what travels. Simulated with these figures and with the times of the files of a real scan (`--results`
of `circ scan`): files are sent longest first, as fast as one machine prepares them and one scheduler takes them.
"""

from __future__ import annotations

import argparse
import heapq
import importlib
import json
import pickle
import random
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from circ.run.session import Request
from circ.run.supervise import Limits
from circ.scan.fingerprint import circ_itself
from circ.scan.job import FileScan, Job, Packed
from circ.scan.pool import Told, run
from circ.scan.remote import Items, Task, done
from circ.scan.sources import Source
from frontend import LoadOptions

PROGRAM = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *t(void *p) { pthread_mutex_lock(&m); x += NUMBER; pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); return 0; }
"""


@dataclass(frozen=True, slots=True)
class Overhead:
    """Seconds of processor time for each job, and bytes that travel."""

    everywhere: float
    here: float
    scheduler: float
    size: int


def spent() -> float:
    """Processor time until now, of this process and of those that it has started and waited for."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def measured(files: int) -> Overhead:
    """A job prepared here, packed and done as on a worker, beside the same job done here."""
    importlib.import_module("circ.engines.auto")
    work = FileScan(lambda source, header: Request(LoadOptions()), None, {}, None)
    seconds, sizes = [0.0] * 3, []
    with tempfile.TemporaryDirectory() as folder:
        for n in range(files):
            path = Path(folder) / f"f{n}.c"
            path.write_text(PROGRAM.replace("NUMBER", str(n + 1)))
            job, begin = Job(0, Source(str(path), folder)), spent()
            for _ in run([job], work, 1, Limits()):
                pass
            seconds[0], begin = seconds[0] + spent() - begin, spent()
            told = [event.item for event in run([job], work.ready_or_done, 1, Limits()) if isinstance(event, Told)]
            [data] = [item.data for item in told if isinstance(item, Packed)]
            task = pickle.dumps(Task(circ_itself(), data, Limits()))
            seconds[1], begin = seconds[1] + spent() - begin, spent()
            assert isinstance(pickle.loads(pickle.dumps(done(pickle.loads(task)))), Items)
            seconds[2] += spent() - begin
            sizes.append(len(task))
    plain, here, there = (each / files for each in seconds)
    return Overhead(here + there - plain, here, scheduler_seconds(), sum(sizes) // files)


def scheduler_seconds(tasks: int = 500) -> float:
    """Processor time of the scheduler and of its client for a task that does nothing; both are in this process."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50) as cluster, \
            Client(cluster) as client:
        client.submit(len, b"", pure=False).result()
        begin = time.process_time()
        client.gather(client.map(len, [b"x" * n for n in range(tasks)], pure=False))
        return (time.process_time() - begin) / tasks


def file_times(results: Path) -> list[float]:
    """Seconds of each file of a scan: reading and all answers."""
    found: dict[str, float] = defaultdict(float)
    for line in results.read_text().splitlines()[1:]:
        item = json.loads(line)
        found[item["file"]] += item.get("seconds") or 0.0
    return sorted(found.values())


def makespan(times: Sequence[float], cores: int, interval: float) -> float:
    """When the last file is done, if they are sent longest first, one in each `interval`, to cores that are free."""
    free = [0.0] * cores
    end = 0.0
    for n, seconds in enumerate(sorted(times, reverse=True)):
        start = max(heapq.heappop(free), n * interval)
        end = max(end, start + seconds)
        heapq.heappush(free, start + seconds)
    return end


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="?", help="of circ scan --results; default: files of 1 s")
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--cores", type=int, default=1_000)
    parser.add_argument("--bandwidth", type=float, default=125.0, help="of the scan's machine, in megabytes a second")
    parser.add_argument("--measured", type=int, default=10, help="files that are measured")
    given = parser.parse_args()
    cost = measured(given.measured)
    print(f"a job: {cost.everywhere:.3f} s of processor time more than with -j; {cost.here:.3f} s are spent where the files are, "
          f"{cost.scheduler * 1000:.1f} ms in the scheduler; {cost.size} bytes travel")
    known = file_times(given.results) if given.results else [1.0]
    rng = random.Random(1)
    times = [rng.choice(known) + max(0.0, cost.everywhere - cost.here) for _ in range(given.files)]
    work = sum(times)
    for preparing in (1, 8, 32):
        interval = max(cost.here / preparing, cost.scheduler, cost.size / given.bandwidth / 1e6)
        end = makespan(times, given.cores, interval)
        print(f"{given.files} files, {given.cores} cores, -j {preparing}: {end / 60:.1f} minutes, cores busy "
              f"{100 * work / end / given.cores:.0f} %; all sent after {given.files * interval / 60:.1f}, "
              f"work {work / 3600:.1f} hours, longest file {max(times):.0f} s")


if __name__ == "__main__":
    main()
