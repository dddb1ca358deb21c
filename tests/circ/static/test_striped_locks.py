"""A lock for each element of an array, with the data beside it: reached by pointers to the element, and by links that walk on."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.run.check import confirmed
from circ.search.random_runs import RandomRuns
from circ.static.arguments.element_addresses import element_of, range_tested
from circ.static.prover import Static
from circ.verdict import Answer, Options, RaceOn, Refuted, Safe, Unknown, silent
from circ.views.on_sections import OnSections
from frontend import load
from frontend.program import Binary, Cast, Const, Read, Scalar, Var

U64, U32, I32 = Scalar(64, False), Scalar(32, False), Scalar(32, True)
TABLE = """
#include <pthread.h>
#include <stdlib.h>
struct node { int v; struct node *next; };
struct bucket { pthread_mutex_t lock; struct node *first; unsigned length; };
static struct bucket table[4];
static struct bucket *of(unsigned key) { return &table[key % 4]; }
static void put(unsigned key) {
    struct bucket *b = of(key);
    struct node *n = malloc(sizeof *n);
    if (!n) return;
    pthread_mutex_lock(&b->lock);
    n->v = 0; n->next = b->first; b->first = n; b->length++;
    pthread_mutex_unlock(UNLOCKED);
}
static void *sweep(void *a) {
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(SWEPT);
        struct node **link = &table[i].first;
        while (*link) {
            struct node *s = *link;
            if (s->v > 3) { *link = s->next; table[i].length--; }
            else link = &s->next;
        }
        pthread_mutex_unlock(SWEPT);
    }
    return 0;
}
static void *client(void *a) { unsigned key = (unsigned)(unsigned long)a; for (int k = 0; k < 3; k++) put(key + k); return 0; }

int main(void) {
    pthread_t c, d;
    pthread_create(&c, 0, client, (void *)(unsigned long)rand());
    pthread_create(&d, 0, sweep, 0);
    return 0;
}
"""


def program(tmp_path: Path, unlocked: str = "&b->lock", swept: str = "&table[i].lock"):  # type: ignore[no-untyped-def]
    (tmp_path / "a.c").write_text(TABLE.replace("UNLOCKED", unlocked).replace("SWEPT", swept))
    return load(tmp_path / "a.c")


@pytest.mark.parametrize("variable", ["table[].length", "table[].first"])
def test_data_beside_its_lock_is_proved(tmp_path: Path, variable: str) -> None:
    p = program(tmp_path)
    verdict = OnSections(Static())(p, RaceOn(variable), Options(), silent)
    assert isinstance(verdict, Safe), verdict
    assert isinstance(confirmed(p, Answer(RaceOn(variable), variable, verdict, "static")).verdict, Safe)


@pytest.mark.parametrize(("unlocked", "swept"), [
    ("&b->lock", "&table[0].lock"),  # one lock for all the elements that are swept
    ("&b->lock", "&table[(i + 1) % 4].lock"),  # the neighbour's
])
def test_another_lock_is_no_protection(tmp_path: Path, unlocked: str, swept: str) -> None:
    p = program(tmp_path, unlocked, swept)
    assert isinstance(OnSections(Static())(p, RaceOn("table[].length"), Options(), silent), Unknown)
    assert isinstance(OnSections(RandomRuns())(p, RaceOn("table[].first"), Options(), silent), Refuted)


def test_the_element_of_an_address() -> None:
    key = Binary("%", Read(Var("key", U32)), Const(4, U32))
    address = Binary("+", Const(1000, U64), Binary("*", Cast(key, U64), Const(56, U64)))
    index = Binary("/", Binary("-", address, Const(1000, U64)), Const(56, U64))
    assert element_of(index) == key
    assert element_of(Binary("/", Binary("-", address, Const(1008, U64)), Const(56, U64))) != key
    assert element_of(Binary("/", Binary("-", address, Const(1000, U64)), Const(28, U64))) != key


def test_the_range_that_a_pointer_is_tested_for() -> None:
    pointer = Var("p", U64)
    tested = range_tested(Binary("<", Binary("-", Read(pointer), Const(1000, U64)), Const(224, U64)))
    assert tested is not None and (tested.pointer, tested.base, tested.size) == (pointer, 1000, 224)
    assert tested.has(Binary("+", Const(1040, U64), Binary("*", Cast(Read(Var("i", I32)), U64), Const(56, U64))))
    assert not tested.has(Binary("+", Const(5000, U64), Binary("*", Cast(Read(Var("i", I32)), U64), Const(56, U64))))
    other = Var("s", U64)
    elsewhere = Binary("<", Binary("-", Read(other), Const(9000, U64)), Const(64, U64))
    assert tested.misses(Binary("+", Read(other), Const(8, U64)), [elsewhere]) and not tested.misses(Read(other), [])
    assert range_tested(Binary("<", Read(Var("i", I32)), Const(8, I32))) is None
