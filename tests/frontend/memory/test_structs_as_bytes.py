"""A struct may be walked through as bytes from wherever a pointer to them came: the members behind an array are reached, too."""

from __future__ import annotations

import pytest

import circ
import frontend
from circ.verdict import word

PROGRAM = """
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
struct s { int k; char b[8]; int z; } t;
struct raw { char c[16]; };
union both { struct s *s; char *c; };
struct holder { union { struct { struct s *s; } one; struct { char *c; } two; } u; };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
extern unsigned nondet(void);
char *same(char *p) { return p; }
char *named(p) char *p; { return p; }
char *listed(int n, ...) { va_list l; va_start(l, n); char *p = va_arg(l, char *); va_end(l); return p; }
void *locked(void *a) { pthread_mutex_lock(&m); t.z = 1; pthread_mutex_unlock(&m); return 0; }
void *bare(void *a) { WAY; p[nondet() % 12] = 1; return 0; }
int main(void) { pthread_t x, y; pthread_create(&x, 0, locked, 0); pthread_create(&y, 0, bare, 0); }
"""


@pytest.mark.parametrize("way", [
    "char *p = (char *)&t + 4",
    "unsigned long n = (unsigned long)&t; char *p = (char *)(n + 4)",
    "intptr_t n = (intptr_t)&t; n += 4; char *p = (char *)n",
    "union both u; u.s = &t; char *p = u.c + 4",
    "union both u = { &t }; char *p = u.c + 4",
    "struct holder h; h.u.one.s = &t; char *p = h.u.two.c + 4",
    "char *p = (char *)((char (*)[4])&t + 1)",
    "char *p = ((struct raw *)&t)->c + 4",
    "char *p = named(&t) + 4",
    "char *p = listed(1, &t) + 4",
    "char *p = ((char *(*)(struct s *))same)(&t) + 4",
    "char *p; *(struct s **)&p = &t; p += 4",
])
def test_members_behind_an_array_are_reached(way: str) -> None:
    program = frontend.loads(PROGRAM.replace("WAY", way))
    [answer] = circ.check(program, ["t.z"], engine="static").answers
    assert word(answer.question, answer.verdict) != "safe"


def test_a_member_is_not_left() -> None:
    program = frontend.loads(PROGRAM.replace("WAY", "char *p = t.b").replace("% 12", "% 8"))
    [answer] = circ.check(program, ["t.z"], engine="static").answers
    assert word(answer.question, answer.verdict) == "safe"
