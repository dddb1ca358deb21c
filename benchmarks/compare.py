"""Two source trees of circ, before and after a change: processor time of starting, reading and checking, as ratios.

    compare.py BEFORE AFTER              paths of two trees, each with the packages circ and frontend
    compare.py BEFORE AFTER --rounds 3 --only start,read

Both trees do the same work on the programs of this one, turn about in processes of their own with compiled byte code (kept
apart from the trees); the first round of each task is thrown away, of the others the median is told. The first lines say how
many modules of ours the command line loads before it does anything, and which heavy packages from outside.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
READ = ("nesc_examples", "tests/programs/threads")
CHECKED = (
    "nesc_examples/sense.c", "nesc_examples/surge.c", "nesc_examples/timer_tick.c", "nesc_examples/test_and_set.c",
    "nesc_examples/ring_buffer_isr.c", "nesc_examples/shared_led_port_broken.c", "nesc_examples/uart_echo_broken.c",
    "tests/programs/threads/account_struct.c", "tests/programs/threads/argument_structs_broken.c",
    "tests/programs/threads/atomic_flag_lock.c", "tests/programs/threads/barrier_phases.c",
    "tests/programs/threads/bounded_buffer.c", "tests/programs/threads/bounded_buffer_broken.c",
    "tests/programs/threads/compare_and_swap_lock_broken.c", "tests/programs/threads/condition_queue.c",
)
READING = """
import sys
import frontend
read = 0
for path in sys.argv[1:]:
    try:
        frontend.load(path)
        read += 1
    except frontend.FrontendError:
        pass
print(read)
"""
LOADED = """
import sys
from circ import cli
print(*sorted({name.split('.')[0] for name in sys.modules} | {n for n in sys.modules if n.split('.')[0] in ('circ', 'frontend')}))
"""


@dataclass(frozen=True, slots=True)
class Task:
    """Work that both trees do: a command of the interpreter; its output must be the same where `same` says so."""

    name: str
    arguments: tuple[str, ...]
    same: bool = False


def tasks() -> dict[str, list[Task]]:
    """All tasks by what they measure."""
    reading = []
    for folder in READ:
        files = tuple(str(p) for p in sorted((ROOT / folder).glob("*.[ci]")))
        reading.append(Task(f"read {folder}", ("-c", READING, *files), same=True))
    return {
        "start": [Task("circ --help", ("-m", "circ", "--help")), Task("circ engines", ("-m", "circ", "engines"))],
        "read": reading,
        "check": [Task(f"check {Path(f).stem}", ("-m", "circ", "check", "--timeout", "120", str(ROOT / f))) for f in CHECKED],
    }


def environment(tree: Path, cache: Path) -> Mapping[str, str]:
    """One in which the tree is what is imported, and its byte code is written to and read from `cache`."""
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")}
    return {**kept, "PYTHONPATH": str(tree), "PYTHONPYCACHEPREFIX": str(cache), "PYTHONHASHSEED": "0", "COLUMNS": "120"}


def run(arguments: Sequence[str], env: Mapping[str, str], folder: str) -> tuple[str, float]:
    """The output of the interpreter, and its seconds of processor time with those of its children."""
    with subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env,
                          cwd=folder) as process:
        assert process.stdout is not None
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 2, 3):
        raise SystemExit(f"{' '.join(arguments[:4])}: status {process.returncode}")
    return text, usage.ru_utime + usage.ru_stime


def compare(chosen: Sequence[Task], envs: tuple[Mapping[str, str], Mapping[str, str]], rounds: int,
            folder: str) -> list[tuple[str, float, float]]:
    """For each task the median seconds of both trees."""
    rows = []
    for task in chosen:
        seconds: tuple[list[float], list[float]] = ([], [])
        for number in range(rounds + 1):
            said = ["", ""]
            for tree in (0, 1) if number % 2 == 0 else (1, 0):
                said[tree], spent = run(task.arguments, envs[tree], folder)
                if number:
                    seconds[tree].append(spent)
            if task.same and said[0] != said[1]:
                raise SystemExit(f"{task.name}: {said[0].strip()} and {said[1].strip()}: not the same work")
        rows.append((task.name, median(seconds[0]), median(seconds[1])))
        show(*rows[-1])
    return rows


def show(name: str, before: float, after: float) -> None:
    print(f"{name:44} {before:9.3f} {after:9.3f} {after / before:7.2f}", flush=True)


def loaded(envs: tuple[Mapping[str, str], Mapping[str, str]], folder: str) -> None:
    """What the command line of each tree loads before it does anything."""
    before, after = (set(run(("-c", LOADED), env, folder)[0].split()) for env in envs)
    for what, names in (("before", before), ("after", after)):
        ours = sum(n.startswith(("circ.", "frontend.")) for n in names)
        heavy = sorted(names & {"z3", "pycparser", "networkx", "pygraphviz", "dd"})
        print(f"# the command line loads {ours} modules of ours {what}, and {', '.join(heavy) or 'no heavy package'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="start,read,check", help="which of start, read, check")
    options = parser.parse_args()
    every = tasks()
    with tempfile.TemporaryDirectory() as folder:
        envs = (environment(options.before.resolve(), Path(folder, "before")),
                environment(options.after.resolve(), Path(folder, "after")))
        loaded(envs, folder)
        print(f"{'processor seconds, medians':44} {'before':>9} {'after':>9} {'ratio':>7}")
        for part in options.only.split(","):
            rows = compare(every[part], envs, options.rounds, folder)
            show(f"== {part}", sum(r[1] for r in rows), sum(r[2] for r in rows))


if __name__ == "__main__":
    main()
