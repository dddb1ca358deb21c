"""Random pthread programs with heap cells, pointers and elements with an index that is not known, right or wrong.

Cells are allocated, filled, published under a lock or without one, found again, walked along, freed; each style puts its
accesses in an order that is right, and `damaged` sometimes spoils it.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.support.randomc.pthreads import damaged

HEAD = """#include <pthread.h>
#include <stdlib.h>
extern int some(void);
struct cell { int v; pthread_mutex_t own; struct cell *next; };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t row[2];
static struct cell *head;
static struct cell pair[2];
static int x, y, a[2];
"""


def heap_program(seed: int) -> str:
    """The program of this seed; ask about all that is shared."""
    r = random.Random(seed)
    styles = r.sample([_push, _walk, _take, _pair, _pointer, _element, _argument], 2)
    text = [HEAD]
    for w, style in enumerate(styles):
        body = damaged(r, style(r))
        text.append(f"static void *worker{w}(void *arg)\n{{\n    int k = some() & 1, *p;\n    struct cell *c, *d;\n")
        text += [f"    {line}\n" for line in body]
        text.append("    (void)k; (void)p; (void)c; (void)d;\n    return 0;\n}\n")
    text.append("int main(void)\n{\n    pthread_t t, u;\n    int k = some() & 1, *p;\n    struct cell *c, *d;\n")
    text += [f"    {line}\n" for line in _main(r, styles)]
    text.append("    (void)k; (void)p; (void)c; (void)d;\n    return 0;\n}\n")
    return "".join(text)


def _main(r: random.Random, styles: list[Callable[[random.Random], list[str]]]) -> list[str]:
    made = ["c = malloc(sizeof *c);", "if (!c) return 1;", "c->v = 0;", "c->next = 0;", "pthread_mutex_init(&c->own, 0);"]
    start = [*made, "head = c;"] if r.random() < 0.7 else made
    creates = ["pthread_create(&t, 0, worker0, c);", f"pthread_create(&u, 0, worker{r.choice([0, 1, 1])}, c);"]
    inside = damaged(r, r.choice(styles)(r)) if r.random() < 0.3 else []
    joins = [j for j in ("pthread_join(t, 0);", "pthread_join(u, 0);") if r.random() < 0.8]
    end = r.choice([[], ["c->v++;"], ["free(c);"], ["x++;"]])
    if r.random() < 0.3:
        return [*start, creates[0], *inside, *joins[:1], *end]
    return [*start, *creates, *inside, *joins, *end]


def _push(r: random.Random) -> list[str]:
    return ["c = malloc(sizeof *c);", "if (!c) return 0;", "c->v = 1;", "pthread_mutex_lock(&m);", "c->next = head;", "head = c;",
            "pthread_mutex_unlock(&m);"]


def _walk(r: random.Random) -> list[str]:
    return ["pthread_mutex_lock(&m);", "for (c = head; c; c = c->next) c->v++;", "pthread_mutex_unlock(&m);"]


def _take(r: random.Random) -> list[str]:
    return ["pthread_mutex_lock(&m);", "c = head;", "if (c) head = c->next;", "pthread_mutex_unlock(&m);",
            r.choice(["if (c) c->v = 2;", "if (c) free(c);"])]


def _pair(r: random.Random) -> list[str]:
    return ["c = &pair[k];", "pthread_mutex_lock(&c->own);", "c->v++;", "pthread_mutex_unlock(&c->own);"]


def _pointer(r: random.Random) -> list[str]:
    return [f"p = k ? &x : {r.choice(['&x', '&y', '&a[1]'])};", "pthread_mutex_lock(&m);", "*p = *p + 1;",
            "pthread_mutex_unlock(&m);"]


def _element(r: random.Random) -> list[str]:
    index = r.choice(["k", "k", "1 - k"])
    return ["pthread_mutex_lock(&row[k]);", f"a[{index}]++;", "pthread_mutex_unlock(&row[k]);"]


def _argument(r: random.Random) -> list[str]:
    return ["d = head ? head : &pair[0];", "pthread_mutex_lock(&d->own);", "d->v++;", "pthread_mutex_unlock(&d->own);"]
