"""ThreadSanitizer's opinion of the programs in `tests/programs/threads`: `make tsan`, not part of `make test`.

Every program is compiled with `gcc -fsanitize=thread` and run many times, each time with other delays at the starts of threads
and at locks. A program without a `race` in its header must never be reported; one with a race should be, at least once. Races that
no run happens to show are listed and are no failure: the sanitizer sees one schedule at a time.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.support.corpus import PROGRAMS, read_example

HELPERS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t section = PTHREAD_MUTEX_INITIALIZER;
static unsigned seed(void) {
  static __thread unsigned state;
  if (!state) { const char *s = getenv("SEED"); state = (s ? atoi(s) : 1) * 2654435761u + (unsigned)(size_t)&state; }
  return state = state * 1103515245u + 12345u;
}
static void delay(void) { if (seed() >> 16 & 1) usleep((seed() >> 16) % 1500); }
void watched_step(void) { delay(); }
__attribute__((weak)) int nondet(void) { return seed() >> 16 & 1; }
__attribute__((weak)) int patient(void) { return seed() >> 16 & 1; }
__attribute__((weak)) int some(void) { return seed() >> 16; }
__attribute__((weak)) int pick(void) { return seed() >> 16 & 1; }
__attribute__((weak)) int threaded(void) { return seed() >> 16 & 1; }
__attribute__((weak)) int verbose(void) { return seed() >> 16 & 1; }
__attribute__((weak)) void __VERIFIER_assume(int c) { if (!c) pthread_exit(0); }
__attribute__((weak)) int __VERIFIER_nondet_int(void) { return seed() >> 16; }
__attribute__((weak)) unsigned __VERIFIER_nondet_uint(void) { return seed() >> 16; }
__attribute__((weak)) _Bool __VERIFIER_nondet_bool(void) { return seed() >> 16 & 1; }
__attribute__((weak)) void reach_error(void) {}
__attribute__((weak)) void __VERIFIER_atomic_begin(void) { pthread_mutex_lock(&section); }
__attribute__((weak)) void __VERIFIER_atomic_end(void) { pthread_mutex_unlock(&section); }
struct start { void *(*run)(void *); void *arg; };
static void *started(void *p) {
  struct start s = *(struct start *)p;
  free(p);
  delay();
  return s.run(s.arg);
}
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *arg) {
  struct start *s = malloc(sizeof *s);
  s->run = run; s->arg = arg;
  int result = __real_pthread_create(t, a, started, s);
  delay();
  return result;
}
int __real_pthread_mutex_lock(pthread_mutex_t *);
int __wrap_pthread_mutex_lock(pthread_mutex_t *m) { delay(); return __real_pthread_mutex_lock(m); }
int __real_pthread_mutex_unlock(pthread_mutex_t *);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *m) { int r = __real_pthread_mutex_unlock(m); delay(); return r; }
"""
WRAPPED = ("pthread_create", "pthread_mutex_lock", "pthread_mutex_unlock")


@dataclass(frozen=True, slots=True)
class Seen:
    """What the runs of one program showed; `trouble` if it could not be compiled."""

    name: str
    racy: bool
    runs: int
    reports: int
    trouble: str = ""

    @property
    def wrong(self) -> bool:
        return not self.racy and self.reports > 0

    @property
    def shown(self) -> str:
        if self.trouble:
            return self.trouble
        return f"{'REPORTED' if self.wrong else 'reported' if self.reports else 'not reported'} in {self.runs} runs"


def judge(path: Path, runs: int, folder: Path) -> Seen:
    """Compiles and runs one program; a racy one only until it was seen."""
    racy = any(e.verdict == "race" for e in read_example(path).expectations)
    if re.search(r"__VERIFIER_atomic_\w+\([^;]*\)\s*\{", path.read_text()):
        return Seen(path.name, racy, 0, 0, "a function that is atomic by its name: the sanitizer cannot know")
    binary = folder / path.stem
    trouble = compiled(path, folder / "helpers.c", binary)
    if trouble:
        return Seen(path.name, racy, 0, 0, trouble)
    reports = done = 0
    for shown in watched(binary, runs):
        done += 1
        reports += shown
        if racy and reports:
            break
    return Seen(path.name, racy, done, reports)


def compiled(path: Path, helpers: Path, binary: Path, optimised: str = "-O1", more: Sequence[Path] = ()) -> str:
    """Makes a program that the sanitizer watches, with WATCHED defined; what is wrong if that does not work. `more`: other files of it."""
    wraps = [f"-Wl,--wrap={name}" for name in WRAPPED]
    made = subprocess.run(
        ["gcc", "-std=gnu11", optimised, "-g", "-w", "-DWATCHED", "-fsanitize=thread", *wraps, str(path), *map(str, more), str(helpers), "-o", str(binary),
         "-lpthread", "-ldl"], capture_output=True, text=True, check=False)
    return made.stderr.strip().splitlines()[0] if made.returncode else ""


def watched(binary: Path, runs: int) -> Iterator[bool]:
    """For each run whether a race was reported in it, which would end it; one that never ends (a server) makes us less patient."""
    patience = 5.0
    for seed in range(1, runs + 1):
        try:
            ran = subprocess.run([str(binary)], capture_output=True, text=True, timeout=patience, check=False, errors="replace",
                                 env={"SEED": str(seed), "TSAN_OPTIONS": "halt_on_error=1 exitcode=66"})
        except subprocess.TimeoutExpired:
            patience = 0.5
            yield False
            continue
        yield bool(re.search(r"WARNING: ThreadSanitizer: (data race|heap-use-after-free)", ran.stderr))


ELSEWHERE = "memory without a name"
"""What `raced` says of a race on the heap, on a stack or in thread-local storage."""


def raced(binary: Path, runs: int) -> frozenset[str]:
    """The names of the global variables that the sanitizer reports in any of the runs, and `ELSEWHERE`.

    Raises subprocess.TimeoutExpired for a run that does not end, and RuntimeError for one that crashes.
    """
    found: set[str] = set()
    for seed in range(1, runs + 1):
        ran = subprocess.run([str(binary)], capture_output=True, text=True, timeout=60, check=False, errors="replace",
                             env={"SEED": str(seed), "TSAN_OPTIONS": "exitcode=66"})
        if ran.returncode not in (0, 66):
            raise RuntimeError(f"the program ended with status {ran.returncode}")
        for report in ran.stderr.split("WARNING: ThreadSanitizer: data race")[1:]:
            where = re.search(r"Location is global '([^']+)'", report)
            found.add(where[1] if where else ELSEWHERE)
    return frozenset(found)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", type=Path, help="default: all of tests/programs/threads")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    if shutil.which("gcc") is None:
        print("needs gcc with libtsan")
        return 2
    programs = options.programs or sorted((PROGRAMS / "threads").glob("*.c"))
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(options.jobs) as pool:
        folder = Path(name)
        (folder / "helpers.c").write_text(HELPERS)
        seen = []
        for s in pool.map(lambda p: judge(p, options.runs, folder), programs):
            seen.append(s)
            print(f"{s.name:48} {'race' if s.racy else 'safe'}  {s.shown}", flush=True)
    confirmed = sum(s.racy and s.reports > 0 for s in seen)
    print(f"{len(seen)} programs: {confirmed} of {sum(s.racy for s in seen)} races seen, "
          f"{sum(s.wrong for s in seen)} of {sum(not s.racy for s in seen)} race-free programs reported")
    return 1 if any(s.wrong for s in seen) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
