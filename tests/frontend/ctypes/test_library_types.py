"""The sizes of the library's types are those of glibc: programs compute with them, and lay their own structs out by them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import frontend

HEAD = "#define _GNU_SOURCE\n" + "".join(f"#include <{h}.h>\n" for h in (
    "pthread", "semaphore", "threads", "signal", "sched", "setjmp", "time", "sys/types", "sys/time", "sys/stat", "stdlib", "stddef",
    "stdatomic"))
TYPES = ("pthread_mutex_t", "pthread_cond_t", "pthread_rwlock_t", "pthread_barrier_t", "pthread_attr_t", "pthread_mutexattr_t",
         "pthread_condattr_t", "pthread_rwlockattr_t", "pthread_barrierattr_t", "pthread_once_t", "pthread_spinlock_t", "pthread_t",
         "pthread_key_t", "sem_t", "mtx_t", "cnd_t", "once_flag", "thrd_t", "tss_t", "sigset_t", "siginfo_t", "cpu_set_t", "jmp_buf",
         "struct timespec", "struct timeval", "struct tm", "struct stat", "struct sched_param", "div_t", "ldiv_t", "time_t",
         "off_t", "atomic_flag", "max_align_t", "wchar_t")
MODELS = {
    # Of the library for 32 bits, whose headers are seldom installed: bits/pthreadtypes-arch.h, bits/semaphore.h.
    "ilp32": {"pthread_mutex_t": 24, "pthread_cond_t": 48, "pthread_rwlock_t": 32, "pthread_barrier_t": 20, "pthread_attr_t": 36,
              "pthread_rwlockattr_t": 8, "sem_t": 16, "mtx_t": 24, "cnd_t": 48, "sigset_t": 128, "pthread_t": 4},
}


def accepts(path: Path, model: str, sizes: dict[str, tuple[int, int]]) -> None:
    """Load a program that can only be read if all types are of these sizes, at these offsets behind a character."""
    path.write_text(HEAD + "int x;\nint main(void) {\n" + "".join(
        f"    {{ struct s {{ char c; {t} of; }}; _Static_assert(sizeof({t}) == {size}, \"\");"
        + (f" _Static_assert(offsetof(struct s, of) == {offset}, \"\");" if offset else "") + " }\n"
        for t, (size, offset) in sizes.items()) + "    x = 1;\n}\n")
    frontend.load(path, frontend.LoadOptions(data_model=model))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed: nothing to compare with")
def test_sizes_as_gcc_has_them(tmp_path: Path) -> None:
    source = tmp_path / "sizes.c"
    source.write_text(HEAD + "#include <stdio.h>\nint main(void) {\n" + "".join(
        f'    {{ struct s {{ char c; {t} of; }}; printf("%zu %zu\\n", sizeof({t}), offsetof(struct s, of)); }}\n' for t in TYPES) + "}\n")
    subprocess.run(["gcc", "-w", "-o", str(tmp_path / "sizes"), str(source)], check=True)
    lines = subprocess.run([str(tmp_path / "sizes")], capture_output=True, text=True, check=True).stdout.splitlines()
    accepts(tmp_path / "p.c", "lp64", {t: (int(a), int(b)) for t, (a, b) in zip(TYPES, map(str.split, lines), strict=True)})


def test_sizes_of_32_bits(tmp_path: Path) -> None:
    accepts(tmp_path / "p.c", "ilp32", {t: (size, 0) for t, size in MODELS["ilp32"].items()})


def test_a_wrong_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(frontend.FrontendError):
        accepts(tmp_path / "p.c", "lp64", {"pthread_mutex_t": (4, 4)})
