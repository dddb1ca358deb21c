"""Functions that run because the program handed them over: signal, exit and cleanup handlers, destructors, callbacks."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import frontend
from circ.search.explicit import oracle
from circ.verdict import RaceOn
from frontend.program import FrontendError, Program

HEAD = """#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int g; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c; pthread_key_t key; pthread_t t;
"""
THREAD = " pthread_create(&t, 0, w, 0); "


def load(tmp_path: Path, text: str, preprocessed: bool = False) -> Program:
    path = tmp_path / "handed.c"
    path.write_text(HEAD + text)
    if preprocessed:
        done = subprocess.run(["gcc", "-E", str(path)], capture_output=True, text=True, check=True)
        path = tmp_path / "handed.i"
        path.write_text(done.stdout)
    return frontend.load(path)


def races(program: Program) -> bool | None:
    return oracle(program, RaceOn("g"), 2)


def doubted(program: Program) -> bool:
    return any(d.step for t in program.templates for e in t.cfa.edges for d in e.doubts)


ANY_TIME = [
    "void f(int s) { g = 1; } int main(void) { signal(2, f); g = 2; }",
    "void f(int s) { g = 1; } int main(void) { struct sigaction a = { .sa_handler = f }; sigaction(2, &a, 0); g = 2; }",
    "void f(int s) { g = 1; } int main(void) { struct sigaction a; a.sa_handler = f; sigaction(2, &a, 0); g = 2; }",
    "void f(int s, siginfo_t *i, void *x) { g = 1; } struct sigaction a = { .sa_sigaction = f };"
    " int main(void) { sigaction(2, &a, 0); g = 2; }",
    "void later(void (*)(void)); void f(void) { g = 1; } int main(void) { later(f); g = 2; }",
    "struct ops { void (*run)(void); }; void later(const struct ops *); void f(void) { g = 1; }"
    " struct ops o = { f }; int main(void) { later(&o); g = 2; }",
    "void f(int s) { g++; } int main(void) { signal(2, f); pause(); }",
    # What it is given is not known: an address in a number, in a struct, in a union, in bytes.
    "void later(void (*)(long), long); void f(long p) { *(int *)p = 1; } int main(void) { later(f, (long)&g); g = 2; }",
    "struct s { int k; void *p; }; void later(void (*)(struct s), void *); void f(struct s s) { *(int *)s.p = 1; }"
    " int main(void) { later(f, &g); g = 2; }",
    "struct s { long v[2]; }; void later(void (*)(struct s), long); void f(struct s s) { *(int *)s.v[1] = 1; }"
    " int main(void) { later(f, (long)&g); g = 2; }",
    "union u { int k; void *p; }; void later(void (*)(union u), void *); void f(union u u) { *(int *)u.p = 1; }"
    " int main(void) { later(f, &g); g = 2; }",
    "struct s { char c[8]; }; void later(void (*)(struct s), void *); void f(struct s s) { **(int **)&s = 1; }"
    " int main(void) { later(f, &g); g = 2; }",
    "void f(union sigval v) { *(int *)v.sival_ptr = 1; } int timer_create(int, struct sigevent *, void *); int main(void) {"
    " struct sigevent e = { .sigev_notify_function = f, .sigev_value.sival_ptr = &g }; timer_create(0, &e, 0); g = 2; }",
    # What it gives is in the hands of those who call it.
    "void later(int *(*)(void)); int *f(void) { return &g; } void *w(void *a) { g = 1; return a; }"
    " int main(void) {" + THREAD + "later(f); }",
    "struct s { int k; int *p; }; void later(struct s (*)(void)); struct s f(void) { return (struct s){1, &g}; }"
    " void *w(void *a) { g = 1; return a; } int main(void) {" + THREAD + "later(f); }",
    "struct ops { int *(*get)(void); }; void later(const struct ops *); int *f(void) { return &g; } struct ops o = { f };"
    " void *w(void *a) { g = 1; return a; } int main(void) {" + THREAD + "later(&o); }",
]


@pytest.mark.parametrize("text", ANY_TIME)
def test_from_then_on_it_may_run_at_any_time(tmp_path: Path, text: str) -> None:
    program = load(tmp_path, text)
    assert races(program) is True and doubted(program)


def test_before_it_is_handed_over_it_does_not_run(tmp_path: Path) -> None:
    assert races(load(tmp_path, "void f(int s) { if (g) {} } int main(void) { g = 2; signal(2, f); if (g) {} }")) is False


def test_a_set_of_signals_beside_the_handler_is_no_function(tmp_path: Path) -> None:
    text = ("void f(int s) { g = 1; } void other(int n) { g = n; } void (*table[])(int) = { other };"
            " int main(void) { struct sigaction a; a.sa_handler = f; sigemptyset(&a.sa_mask); sigaddset(&a.sa_mask, 3);"
            " PIECE sigaction(2, &a, 0); table[0](2); }")
    for piece in ("", "a.sa_flags = (int)(long)table[0];"):
        assert {t.name for t in load(tmp_path, text.replace("PIECE", piece)).templates} == {"main", "f"}


AT_EXIT = [
    ("void f(void) { g = 1; } void *w(void *a) { g = 2; return 0; } int main(void) { atexit(f);" + THREAD + "return 0; }", True),
    ("void f(void) { g = 1; } void *w(void *a) { g = 2; return 0; } int main(void) { atexit(f);" + THREAD
     + "pthread_join(t, 0); return 0; }", False),
    ("void f(void) { g = 1; } void *w(void *a) { exit(1); } int main(void) { atexit(f);" + THREAD + "g = 2; }", True),
    ("void f(void) { g = 1; } void *w(void *a) { _exit(1); } int main(void) { atexit(f);" + THREAD + "g = 2; }", False),
    ("void f(void) { g = 1; } void *w(void *a) { exit(1); } int main(void) {" + THREAD + "g = 2; }", False),
    ("void f(void) { g = 1; } void *w(void *a) { quick_exit(1); } int main(void) { at_quick_exit(f);" + THREAD + "g = 2; }", True),
    ("void f(void) { g = 1; } void *w(void *a) { g = 2; return 0; } int main(void) { atexit(f);" + THREAD + "pthread_exit(0); }",
     True),
    ("void e(void) {} void f(void) { g = 1; } void *w(void *a) { g = 2; return 0; }"
     " int main(void) { atexit(f); atexit(e);" + THREAD + "exit(0); }", True),
]


@pytest.mark.parametrize(("text", "racy"), AT_EXIT)
def test_exit_handlers(tmp_path: Path, text: str, racy: bool) -> None:
    assert races(load(tmp_path, text)) is racy


def test_one_exit_handler_is_exact(tmp_path: Path) -> None:
    """It runs once, so that a race that it takes part in needs no doubt."""
    assert not doubted(load(tmp_path, AT_EXIT[0][0]))
    assert doubted(load(tmp_path, AT_EXIT[7][0]))


CLEANUP = [
    ("void f(void *p) { g = 1; } void *w(void *a) { pthread_cleanup_push(f, 0); pthread_exit(0); pthread_cleanup_pop(0); return 0; }"
     "int main(void) {" + THREAD + "g = 2; }", True),
    ("void f(void *p) { g = 1; } void *w(void *a) { pthread_cleanup_push(f, 0); pthread_cleanup_pop(0); pthread_exit(0); }"
     "int main(void) {" + THREAD + "g = 2; }", False),
    ("void f(void *p) { g = 1; } void *w(void *a) { pthread_cleanup_push(f, 0); pthread_cleanup_pop(1); return 0; }"
     "int main(void) {" + THREAD + "g = 2; }", True),
    ("void f(void *p) { *(int *)p = 1; } void *w(void *a) { pthread_cleanup_push(f, &g); pause(); pthread_cleanup_pop(0); return 0; }"
     "int main(void) {" + THREAD + "pthread_cancel(t); g = 2; }", True),
    ("void f(void *p) { pthread_mutex_unlock(p); } void *w(void *a) { pthread_mutex_lock(&m); pthread_cleanup_push(f, &m);"
     " g = 1; pthread_exit(0); pthread_cleanup_pop(1); return 0; }"
     "int main(void) {" + THREAD + "pthread_mutex_lock(&m); g = 2; pthread_mutex_unlock(&m); }", False),
    ("void f(void *p) { pthread_mutex_unlock(p); } void *w(void *a) { pthread_mutex_lock(&m); pthread_cleanup_push(f, &m);"
     " pthread_exit(0); pthread_cleanup_pop(1); return 0; }"
     "int main(void) {" + THREAD + "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); g = 2; g = 3; }", False),
]


@pytest.mark.parametrize(("text", "racy"), CLEANUP)
@pytest.mark.parametrize("preprocessed", [False, True])
def test_cleanup_handlers(tmp_path: Path, text: str, racy: bool, preprocessed: bool) -> None:
    if preprocessed and shutil.which("gcc") is None:
        pytest.skip("gcc is not here")
    assert races(load(tmp_path, text, preprocessed)) is racy


def test_a_library_function_cleans_up(tmp_path: Path) -> None:
    text = ("void *w(void *a) { pthread_mutex_lock(&m); pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &m);"
            " pthread_exit(0); pthread_cleanup_pop(0); return 0; }"
            "void *v(void *a) { pthread_mutex_lock(&m); g = 1; return 0; }"
            "int main(void) { pthread_create(&t, 0, w, 0); pthread_join(t, 0); pthread_create(&t, 0, v, 0); g = 2; }")
    assert races(load(tmp_path, text)) is True  # the lock is free again


def test_a_pop_needs_a_push(tmp_path: Path) -> None:
    with pytest.raises(FrontendError, match=r"handed.c:6:.*pthread_cleanup_pop without"):
        load(tmp_path, "int main(void) { __circ_cleanup_pop(); }")


KEY = "int main(void) { pthread_key_create(&key, f);" + THREAD + "g = 2; }"


@pytest.mark.parametrize(("text", "racy"), [
    ("void f(void *p) { g = 1; } void *w(void *a) { pthread_setspecific(key, &key); return 0; }" + KEY, True),
    ("void f(void *p) { g = 1; } void *w(void *a) { pthread_setspecific(key, &key); pthread_exit(0); }" + KEY, True),
    ("void f(void *p) { *(int *)p = 1; } void *w(void *a) { pthread_setspecific(key, &g); return 0; }" + KEY, True),
    ("void f(void *p) { g = 1; } void *w(void *a) { pthread_setspecific(key, 0); return 0; }" + KEY, False),
    ("void f(void *p) { g = 1; } void *w(void *a) { return 0; }" + KEY, False),
    ("void f(void *p) { g = 1; } void *w(void *a) { if (a) pthread_setspecific(key, &key); return 0; }" + KEY, False),
])
def test_destructors_of_thread_specific_data(tmp_path: Path, text: str, racy: bool) -> None:
    assert races(load(tmp_path, text)) is racy


def test_a_comparison_runs_often(tmp_path: Path) -> None:
    """What it allocates is not one object."""
    program = load(tmp_path, "int a[9]; int *last; int f(const void *x, const void *y) { last = malloc(4); *last = 1; return 0; }"
                             "int main(void) { qsort(a, 9, 4, f); }")
    heap = next(v for v in program.globals if v.name.startswith("malloc@f"))
    assert heap.is_array
