"""Random pthread programs as C text: locks, conditional locks, creation and joining around accesses to `x`, right or wrong.

Everything is small (a few threads, no long loops), so that the explicit search can judge them; each choice is made
independently, so most programs have some protection that is broken somewhere, and some have enough.
"""

from __future__ import annotations

import random
from collections.abc import Callable

HEAD = """#include <pthread.h>
#include <semaphore.h>
extern int some(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t row[2];
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static sem_t s;
static int x, ready;
static int a[2];
"""


def pthread_program(seed: int) -> str:
    """The program of this seed; ask about `x`, `a[]` and `ready`."""
    r = random.Random(seed)
    style = r.choice([_mutex, _mutex, _conditional, _trylock, _semaphore, _readers, _flag, _rows, _nothing])
    workers = r.choice([1, 1, 2])
    text = [HEAD]
    for w in range(workers):
        body = [line for _ in range(r.choice([1, 1, 2])) for line in damaged(r, style(r, reads=r.random() < 0.3))]
        text.append(f"static void *worker{w}(void *arg)\n{{\n    int k = (int)(long)arg & 1, got, seen = 0;\n")
        text += [f"    {line}\n" for line in body]
        text.append("    (void)got; (void)k;\n    return seen ? arg : 0;\n}\n")
    text.append("int main(void)\n{\n    pthread_t t, u;\n    int k = 0, got, seen = 0;\n")
    text += [f"    {line}\n" for line in _main(r, style, workers)]
    text.append("    (void)k; (void)got;\n    return seen;\n}\n")
    return "".join(text)


def _main(r: random.Random, style: Callable[..., list[str]], workers: int) -> list[str]:
    start = [f"sem_init(&s, 0, {r.choice([1, 1, 1, 0, 2])});"]
    if r.random() < 0.5:
        start.append("x = 1;")
    if r.random() < 0.3:
        start.append("pthread_mutex_init(&m, 0);")
    first = f"pthread_create(&t, 0, worker0, (void *){r.choice([0, 1])}L);"
    second = f"pthread_create(&u, 0, worker{workers - 1}, (void *){r.choice([0, 1])}L);"
    inside = damaged(r, style(r, reads=r.random() < 0.3)) if r.random() < 0.5 else []
    joins = [j for j in ("pthread_join(t, 0);", "pthread_join(u, 0);") if r.random() < 0.8]
    end = ["x++;"] if r.random() < 0.6 else []
    form = r.randrange(4)
    if form == 0:
        return [*start, "while (some())", f"    {first}", *inside]
    if form == 1:
        return [*start, first, *joins[:1], second, *joins[1:], *end]
    if form == 2:
        return [*start, "got = some();", "if (got)", f"    {first}", *inside, "if (got)", "    pthread_join(t, 0);", *end]
    return [*start, first, second, *inside, *joins, *end]


def _touch(r: random.Random, reads: bool) -> str:
    return "seen = x;" if reads else r.choice(["x++;", "x = 1;", "if (x == 0) x = 2;"])


def _mutex(r: random.Random, reads: bool) -> list[str]:
    m = r.choice(["m", "m", "m", "n"])
    return [f"pthread_mutex_lock(&{m});", _touch(r, reads), f"pthread_mutex_unlock(&{m});"]


def _conditional(r: random.Random, reads: bool) -> list[str]:
    return ["got = some();", "if (got) pthread_mutex_lock(&m);", f"if (got) {{ {_touch(r, reads)} }}",
            "if (got) pthread_mutex_unlock(&m);"]


def _trylock(r: random.Random, reads: bool) -> list[str]:
    return ["got = pthread_mutex_trylock(&m);", f"if (got == 0) {{ {_touch(r, reads)} }}",
            "if (got == 0) pthread_mutex_unlock(&m);"]


def _semaphore(r: random.Random, reads: bool) -> list[str]:
    return ["sem_wait(&s);", _touch(r, reads), "sem_post(&s);"]


def _readers(r: random.Random, reads: bool) -> list[str]:
    mode = "rd" if reads or r.random() < 0.1 else "wr"
    return [f"pthread_rwlock_{mode}lock(&l);", _touch(r, reads), "pthread_rwlock_unlock(&l);"]


def _flag(r: random.Random, reads: bool) -> list[str]:
    if r.random() < 0.5:
        return [_touch(r, reads), "ready = 1;"]
    return ["while (!ready);", _touch(r, reads)]


def _rows(r: random.Random, reads: bool) -> list[str]:
    access = "seen = a[k];" if reads else "a[k]++;"
    return ["pthread_mutex_lock(&row[k]);", access, "pthread_mutex_unlock(&row[k]);"]


def _nothing(r: random.Random, reads: bool) -> list[str]:
    return [_touch(r, reads)]


def damaged(r: random.Random, lines: list[str]) -> list[str]:
    """Sometimes a statement is dropped or two change places."""
    lines = list(lines)
    choice = r.random()
    if choice < 0.15:
        lines.pop(r.randrange(len(lines)))
    elif choice < 0.3 and len(lines) > 1:
        i = r.randrange(len(lines) - 1)
        lines[i], lines[i + 1] = lines[i + 1], lines[i]
    return lines
