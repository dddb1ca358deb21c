"""Random pthread programs about linked nodes: lists under locks as people write them, with statements lost, exchanged or added.

Nodes are pushed and popped, taken all at once, unlinked from the middle, appended by a tail pointer, passed to threads, linked
twice, kept behind the unlock, used after they were given away.
"""

from __future__ import annotations

import random

_HEAD = """#include <pthread.h>
#include <stdlib.h>
struct node { int v; struct node *next, *prev; };
struct node *A, *B, *T;
int flag;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, k = PTHREAD_MUTEX_INITIALIZER;
"""
_LOCK, _UNLOCK = "pthread_mutex_lock(&{0});", "pthread_mutex_unlock(&{0});"
_NEW = ["p = malloc(sizeof *p); if (!p) return 0;", "p->v = 1;", "p->next = 0;"]
_IDIOMS: tuple[tuple[str, ...], ...] = (
    (*_NEW, _LOCK, "p->next = A;", "A = p;", _UNLOCK),
    (*_NEW, _LOCK, "if (T) T->next = p; else A = p;", "T = p;", _UNLOCK),
    (*_NEW, _LOCK, "if (A == 0) A = p; else T->next = p;", "T = p;", _UNLOCK),
    (*_NEW, _LOCK, "B = p;", _UNLOCK),
    (_LOCK, "q = A;", "if (q) A = q->next;", _UNLOCK, "if (q) q->v++;", "if (q) free(q);"),
    (_LOCK, "q = A;", "if (q) A = q->next;", "if (!A) T = 0;", _UNLOCK, "if (q) q->v = 2;"),
    (_LOCK, "q = A;", "A = 0;", "T = 0;", _UNLOCK, "while (q) { s = q; q = q->next; s->v++; free(s); }"),
    (_LOCK, "q = B;", "B = 0;", _UNLOCK, "if (q) q->v++;"),
    (_LOCK, "q = A;", "if (q) A = q->next;", "if (q) { q->next = B; B = q; }", _UNLOCK),
    (_LOCK, "s = A;", "q = s ? s->next : 0;", "if (q) s->next = q->next;", _UNLOCK, "if (q) { q->v++; free(q); }"),
    (_LOCK, "q = A;", "while (q) { q->v++; q = q->next; }", _UNLOCK),
    (_LOCK, "if (flag) { q = B; B = 0; flag = 0; }", _UNLOCK, "if (q) q->v++;"),
)
_SINGLE = (
    "{x} = {r};", "{r} = {x};", "{x} = {y};", "if ({x}) {x}->v++;", "if ({x}) {x}->next = {r};", "if ({x}) {x}->next = {y};",
    "if ({x}) {y} = {x}->next;", "{r} = 0;", "{x} = 0;", "if ({x}) free({x});", "if ({x}) {x}->prev = {y};",
    "if ({x}) {y} = {x}->prev;", "if ({x}) {x}->next = 0;", "flag = 1;", "if (flag) {x} = {y};", "while ({x}) {x} = {x}->next;",
)


def list_program(seed: int) -> str:
    """The program for a seed, the same every time."""
    rng = random.Random(seed)
    passes = rng.random() < 0.3
    threads = "".join(f"void *{name}(void *arg) {{\n  struct node *p = {'arg' if passes else '0'}, *q = 0, *s = 0;\n"
                      f"{_body(rng, rng.randint(1, 2))}  return 0;\n}}\n" for name in "fg")
    before, between, after = (_body(rng, rng.randint(0, 1)) for _ in range(3))
    one, two = ("p", rng.choice("pq")) if passes else ("0", "0")
    join = rng.choice(("pthread_join(a, 0); pthread_join(b, 0);", "pthread_join(a, 0); pthread_join(b, 0);", "pthread_join(a, 0);"))
    return (f"{_HEAD}{threads}int main(void) {{\n  pthread_t a, b;\n  struct node *p = 0, *q = 0, *s = 0;\n{before}"
            f"  pthread_create(&a, 0, f, {one});\n{between}  pthread_create(&b, 0, {rng.choice('fg')}, {two});\n"
            f"  {join}\n{after}  return 0;\n}}\n")


def _body(rng: random.Random, idioms: int) -> str:
    """Some idioms, most often as they should be, all under one lock or one under another."""
    lines = [line for _ in range(idioms) for line in _one_lock(rng, rng.choice(_IDIOMS))]
    for _ in range(rng.choice((0, 0, 1, 1, 2)) if lines else 0):
        at = rng.randrange(len(lines))
        match rng.randrange(3):
            case 0:
                del lines[at]
            case 1:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case _:
                x, y = rng.choice("pqs"), rng.choice("pqs")
                lines.insert(at, rng.choice(_SINGLE).format(x=x, y=y, r=rng.choice("AABT")))
        if not lines:
            break
    text = "".join(f"  {line}\n" for line in lines)
    return f"  for (int i = 0; i < 2; i++) {{\n{text}  }}\n" if lines and rng.random() < 0.7 else text


def _one_lock(rng: random.Random, idiom: tuple[str, ...]) -> list[str]:
    lock = rng.choice("mmmmk")
    return [line.format(lock) if line in (_LOCK, _UNLOCK) else line for line in idiom]
