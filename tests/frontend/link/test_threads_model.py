"""Threads in loops, handles, and the library's locks: what the automata of C programs with threads must and must not say."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.engines import auto
from circ.run.check import confirmed
from circ.verdict import Answer, Options, RaceOn, silent, word
from frontend import load
from frontend.program import AllAt, Program, primitive

LOOPS = """
#include <pthread.h>
#include <stdlib.h>
int nondet(void);
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
{global_}
void *f(void *arg) {{ pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }}
int main(void) {{ int n = nondet(); int i, k; {before}
  for (i = {first}; i < {bound}; i++) {{ {create}; }}
  {between}
  for (k = {first2}; k < {bound2}; k++) {{ {join}; }}
  x = 7; return 0; }}
"""
USUAL = {"global_": "pthread_t t[100];", "before": "", "first": "0", "bound": "n", "create": "pthread_create(&t[i], 0, f, 0)",
         "between": "", "first2": "0", "bound2": "n", "join": "pthread_join(t[k], 0)"}


def program(tmp_path: Path, **parts: str) -> Program:
    path = tmp_path / "a.c"
    path.write_text(LOOPS.format(**{**USUAL, **parts}))
    return load(path)


def waits_for_all(p: Program) -> bool:
    return any(isinstance(op, AllAt) for t in p.templates for e in t.cfa.edges for op in primitive(e.op))


def verdict(p: Program) -> str:
    """What `check` says about x, without a process of its own."""
    question = RaceOn("x")
    answer = confirmed(p, Answer(question, "x", auto.engine()(p, question, Options(), silent), "auto"))
    return word(question, answer.verdict)


# ------------------------------------------------------------------------------------------------ loops that run unknown often
@pytest.mark.parametrize("parts", [
    {},
    {"bound": "100", "bound2": "100"},
    {"global_": "", "before": "pthread_t *t = malloc(n * sizeof(pthread_t));"},
    {"global_": "", "before": "pthread_t *t = malloc(n * sizeof(pthread_t)); if (!t) abort();", "between": "n = n;"},
    {"global_": "", "before": "pthread_t t[50];"},
    {"create": "if (pthread_create(&t[i], 0, f, 0)) abort()"},
], ids=range(6))
def test_a_join_loop_that_covers_the_create_loop(tmp_path: Path, parts: dict[str, str]) -> None:
    p = program(tmp_path, **parts)
    assert waits_for_all(p) == ("between" not in parts)  # what is assigned twice is not looked into
    if waits_for_all(p):
        assert verdict(p) == "safe"


@pytest.mark.parametrize("parts", [
    {"bound2": "n - 1"},
    {"first2": "1"},
    {"join": "if (k == 3) break; pthread_join(t[k], 0)"},
    {"join": "if (nondet()) pthread_join(t[k], 0)"},
    {"join": "pthread_join(t[0], 0)"},
    {"between": "t[2] = t[1];"},
    {"between": "n = nondet();"},
    {"between": "pthread_create(&t[0], 0, f, 0);"},
    {"join": "k++; pthread_join(t[k], 0)"},
    {"global_": "pthread_t t[100], u[100];", "join": "pthread_join(u[k], 0)"},
], ids=range(10))
def test_a_join_loop_that_does_not(tmp_path: Path, parts: dict[str, str]) -> None:
    assert not waits_for_all(program(tmp_path, **parts))


def test_handles_tell_threads_of_a_loop_apart(tmp_path: Path) -> None:
    """Without any claim about all of them: the one thread that is joined has ended, the other has not."""
    loop = {"global_": "pthread_t t[2];", "bound": "nondet()", "bound2": "0"}
    assert verdict(program(tmp_path, **loop, between="pthread_join(t[0], 0);")) == "race"


# ------------------------------------------------------------------------------------------------ loops that run known often
@pytest.mark.parametrize(("parts", "said"), [
    ({"bound": "3", "bound2": "3"}, "safe"),
    ({"bound": "3", "bound2": "2"}, "race"),
    ({"bound": "3", "first2": "1", "bound2": "3"}, "race"),
    ({"before": "const int c = 2;", "bound": "c + 1", "bound2": "3"}, "safe"),
    ({"bound": "3", "bound2": "3", "create": "if (pthread_create(&t[i], 0, f, 0)) exit(1)"}, "safe"),
    ({"bound": "3", "bound2": "3", "join": "if (k != 1) pthread_join(t[k], 0)"}, "race"),
], ids=range(6))
def test_short_loops_are_unrolled(tmp_path: Path, parts: dict[str, str], said: str) -> None:
    p = program(tmp_path, **parts)
    assert [t.count for t in p.templates] == [1, 1, 1, 1]
    assert verdict(p) == said


def test_long_loops_are_not(tmp_path: Path) -> None:
    assert [t.count for t in program(tmp_path, bound="1000", bound2="1000").templates] == [1, None]


# ------------------------------------------------------------------------------------------------ locks
LOCKS = """
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
int x, n;
{objects}
void *f(void *arg) {{ {thread} return 0; }}
int main(void) {{ pthread_t p, q; {before} pthread_create(&p, 0, f, 0); pthread_create(&q, 0, f, 0); return 0; }}
"""
TYPED = "pthread_mutexattr_t t; pthread_mutexattr_init(&t); pthread_mutexattr_settype(&t, PTHREAD_MUTEX_{}); pthread_mutex_init(&m, &t);"
L, U = "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"


@pytest.mark.parametrize(("objects", "before", "thread", "said"), [
    ("pthread_mutex_t m;", TYPED.format("RECURSIVE"), f"{L} {L} {U} x++; {U}", "safe"),
    ("pthread_mutex_t m;", TYPED.format("RECURSIVE"), f"{L} {L} {U} {U} x++;", "race"),
    ("pthread_mutex_t m;", TYPED.format("RECURSIVE"), f"{U} {L} x++; {U}", "safe"),
    ("pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;", "", f"{L} {L} {U} x++; {U}", "safe"),
    ("pthread_mutex_t m;", TYPED.format("ERRORCHECK"), f"{L} if (pthread_mutex_lock(&m)) x++; {U}", "safe"),
    ("pthread_mutex_t m;", TYPED.format("ERRORCHECK"), f"{U} {L} x++; {U}", "safe"),
    ("pthread_mutex_t m;", TYPED.format("NORMAL"), f"{U} {L} x++; {U}", "race"),
    ("pthread_mutex_t m;", "", f"{L} {L} x++;", "safe"),  # a plain mutex that is taken twice never comes free
    ("pthread_mutex_t m;", "", f"if (!pthread_mutex_trylock(&m)) {{ x++; {U} }}", "safe"),
    ("pthread_mutex_t m;", "", f"struct timespec t; if (!pthread_mutex_timedlock(&m, &t)) {{ x++; {U} }}", "safe"),
    ("pthread_mutex_t m;", "", f"struct timespec t; pthread_mutex_timedlock(&m, &t); x++; {U}", "race"),
    ("sem_t s;", "sem_init(&s, 0, 1);", "sem_wait(&s); x++; sem_post(&s);", "safe"),
    ("sem_t s;", "sem_init(&s, 0, 2);", "sem_wait(&s); x++; sem_post(&s);", "race"),
    ("sem_t s;", "sem_init(&s, 0, 1);", "if (sem_trywait(&s) == 0) { x++; sem_post(&s); }", "safe"),
    ("sem_t s;", "sem_init(&s, 0, 0);", "sem_wait(&s); x++;", "safe"),
    ("pthread_rwlock_t l;", "", "pthread_rwlock_wrlock(&l); x++; pthread_rwlock_unlock(&l);", "safe"),
    ("pthread_rwlock_t l;", "", "pthread_rwlock_rdlock(&l); x++; pthread_rwlock_unlock(&l);", "race"),
    ("pthread_rwlock_t l;", "", "if (!pthread_rwlock_trywrlock(&l)) { x++; pthread_rwlock_unlock(&l); }", "safe"),
    ("pthread_barrier_t b;", "pthread_barrier_init(&b, 0, 2);", "if (pthread_barrier_wait(&b) == -1) x++;", "safe"),
    ("pthread_barrier_t b;", "pthread_barrier_init(&b, 0, 1);", "if (pthread_barrier_wait(&b) == -1) x++;", "race"),
    ("pthread_barrier_t b;", "pthread_barrier_init(&b, 0, 3);", "pthread_barrier_wait(&b); x++;", "safe"),
    ("pthread_barrier_t b;", "pthread_barrier_init(&b, 0, 2);", "pthread_barrier_wait(&b); x++;", "race"),
], ids=range(22))
def test_locks(tmp_path: Path, objects: str, before: str, thread: str, said: str) -> None:
    path = tmp_path / "a.c"
    path.write_text(LOCKS.format(objects=objects, before=before, thread=thread))
    assert verdict(load(path)) == said


def test_a_cancelled_thread_may_end_early(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("""
#include <pthread.h>
int x;
void *f(void *arg) { while (1) { } return 0; }
void *g(void *arg) { x = 1; return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
  pthread_cancel(a); pthread_join(a, 0); x = 2; return 0; }
""")
    assert verdict(load(path)) == "unknown"


# ------------------------------------------------------------------------------------------------ kinds of mutexes
@pytest.mark.parametrize(("declared", "begin", "found"), [
    ("", "pthread_mutex_t l = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; m = &l;", "race"),
    ("pthread_mutex_t l;", "l = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; m = &l;", "race"),
    ("pthread_mutex_t l; int pthread_mutexattr_setkind_np(pthread_mutexattr_t *, int);",
     "pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_setkind_np(&a, 1); pthread_mutex_init(&l, &a); m = &l;", "race"),
    ("pthread_mutex_t l; void set_up(pthread_mutexattr_t *);",
     "pthread_mutexattr_t a; set_up(&a); pthread_mutex_init(&l, &a); m = &l;", "unknown"),
    ("extern pthread_mutex_t l;", "m = &l;", "race"),
    ("pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;", "m = &l;", "safe"),  # a plain mutex is waited for ever
], ids=["local", "assigned", "old name", "set up elsewhere", "from elsewhere", "plain"])
def test_a_mutex_that_may_be_recursive_can_be_taken_twice(tmp_path: Path, declared: str, begin: str, found: str) -> None:
    path = tmp_path / "a.c"
    path.write_text(f"""#include <pthread.h>
    pthread_mutex_t *m; int x; {declared}
    void *f(void *arg) {{ pthread_mutex_lock(m); pthread_mutex_lock(m); pthread_mutex_unlock(m); pthread_mutex_unlock(m); x++; return 0; }}
    int main(void) {{ {begin} pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); pthread_join(t, 0);
      pthread_join(u, 0); return 0; }}""")
    assert verdict(load(path)) == found


def test_a_lock_that_is_given_back_twice_is_free(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("""#include <pthread.h>
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int x;
    void *f(void *arg) { pthread_rwlock_rdlock(&l); x++; pthread_rwlock_unlock(&l); return 0; }
    int main(void) { pthread_t t, u; pthread_rwlock_unlock(&l); pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); return 0; }""")
    assert verdict(load(path)) == "race"
