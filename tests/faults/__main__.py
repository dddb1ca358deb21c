"""The whole of what the tests here have a slice of: `python -m tests.faults [--stale 2000] [--flips 10000] [--kills 50] [--inputs 5000]`."""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from circ.run.supervise import Limits
from circ.scan.cache import Cache
from tests.circ.scan.test_cache import RACY, SAFE, flips, scanned
from tests.faults import test_stale
from tests.faults.test_hostile import hostile
from tests.faults.test_hostile import read as read_hostile
from tests.faults.test_inputs import data_round, mutants, read_all
from tests.faults.test_kills import PROGRAMS, kills, scan
from tests.faults.test_odd_c import NAMES
from tests.support.odd_c import calls, programs


def flip_bits(count: int, folder: Path) -> None:
    for name, text in (("safe", SAFE), ("racy", RACY)):
        cache = Cache(folder / name)
        assert cache.refused() == ""
        (folder / f"{name}.c").write_text(text)
        scanned(folder / f"{name}.c", cache)
        flips(cache, count // 2, random.Random(count))


def kill_scans(count: int, folder: Path) -> None:
    for ignored in (signal.SIGHUP, signal.SIGINT):  # by nohup, or by a shell that runs us in the background; scans would inherit it
        signal.signal(ignored, signal.SIG_DFL)
    (folder / "src").mkdir()
    for name, text in PROGRAMS.items():
        (folder / "src" / name).write_text(text)
    rng = random.Random(count)
    for _ in range(count):
        kills(folder, rng, rng.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)), rng.randint(1, 4))


def large_scan(count: int, folder: Path) -> None:
    """The parent of a large scan needs no more memory in the end than early on, but for the rows themselves."""
    (folder / "src").mkdir()
    for number in range(count):
        (folder / "src" / f"{number}.c").write_text(PROGRAMS["locked.c"])
    process = scan(folder, "--no-cache")
    with tempfile.TemporaryFile("w+") as errors:
        watch = subprocess.Popen(["cat"], stdin=process.stderr, stdout=errors)
        sizes: list[int] = []
        while process.poll() is None:
            status = Path(f"/proc/{process.pid}/status").read_text()
            sizes += [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")]
            time.sleep(1)
        watch.wait()
    early, late = sizes[len(sizes) // 10], sizes[-1]
    print(f"{count} files: {early} kB early, {late} kB in the end")
    assert late < early + 4 * count, "more than 4 kB a file"


def main() -> int:
    parser = argparse.ArgumentParser()
    for name, count in (("stale", 2000), ("flips", 10_000), ("kills", 50), ("inputs", 5000), ("data", 5000), ("files", 2000)):
        parser.add_argument(f"--{name}", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    failed = bool(wanted.stale and test_stale.main(wanted.stale, wanted.seed))
    with tempfile.TemporaryDirectory() as folder:
        for name, run in (("flips", flip_bits), ("kills", kill_scans), ("files", large_scan)):
            (Path(folder) / name).mkdir()
            if count := getattr(wanted, name):
                run(count, Path(folder) / name)
                print(f"{name}: {count}, as it should be", flush=True)
        bad = read_all(mutants(wanted.inputs, wanted.seed), Path(folder))
        print("\n\n".join(bad) or f"inputs: {wanted.inputs}, as it should be")
        bad += (wrong := read_hostile(hostile(100), Path(folder), Limits(60.0, 3000, 60.0)))
        print("\n".join(wrong) or "hostile programs: as it should be", flush=True)
        bad += (odd := read_all([*programs(), *calls(NAMES)], Path(folder)))
        print("\n\n".join(odd) or "odd programs and calls: as it should be", flush=True)
        rng = random.Random(wanted.seed)
        for _ in range(wanted.data):
            data_round(rng, Path(folder))
    return 1 if failed or bad else 0


if __name__ == "__main__":
    sys.exit(main())
