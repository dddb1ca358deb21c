"""Elements told apart by their index: numbers drawn from a counter, and ranges."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.static.arguments.bounds.ranges import Ranges
from circ.static.prover import Static
from circ.verdict import Options, RaceOn, Safe, silent
from frontend import load
from tests.support.build import program as build
from tests.support.build import thread

HEAD = """#include <pthread.h>
#include <stdatomic.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static TYPE next; static atomic_int shared; int a[64];
static void lock(void) { pthread_mutex_lock(&m); }
static void unlock(void) { pthread_mutex_unlock(&m); }
"""
MAIN = "int main(void) { pthread_t t; while (__VERIFIER_nondet_int()) pthread_create(&t, 0, w, 0); return 0; }\n"

APART = {
    "once": "lock(); int i = next++; unlock(); if (i < 64) a[i] = 1;",
    "read, then counted up": "lock(); int i = next; next = next + 1; unlock(); if (i < 64) { a[i] = 1; a[i]++; }",
    "in one step": "int i = atomic_fetch_add(&shared, 1); if (i < 64) a[i] = 1;",
    "in a loop": "for (;;) { lock(); if (next >= 64) { unlock(); break; } int i = next++; unlock(); a[i] = 1; }",
    "or none": "int i = -1; lock(); if (next < 64) i = next++; unlock(); if (i >= 0) a[i] = 1;",
    "or another one": "int i = 64; lock(); if (next < 64) { i = next; next++; } unlock(); if (i != 64) a[i] = 1;",
}
MEETING = {
    "not in one go": "lock(); int i = next; unlock(); lock(); next = next + 1; unlock(); if (i < 64) a[i] = 1;",
    "without the lock": "int i = next++; if (i < 64) a[i] = 1;",
    "half of the number": "lock(); int i = next++; unlock(); if (i < 64) a[i / 2] = 1;",
    "reset": "lock(); if (next >= 64) next = 0; int i = next++; unlock(); a[i] = 1;",
    "given back": "lock(); int i = next++; unlock(); if (i < 64) a[i] = 1; lock(); next--; unlock();",
    "counted up without a bound": "for (;;) { lock(); int i = next++; unlock(); a[(unsigned)i % 64] = 1; }",
    "or none, not asked": "int i = 0; lock(); if (next < 64) i = next++; unlock(); a[i] = 1;",
    "the next one too": "lock(); int i = next++; unlock(); if (i < 63) a[i + 1] = a[i];",
    "looked at again": "lock(); int i = next++; unlock(); lock(); i = next; unlock(); if (i < 64) a[i] = 1;",
}


def proved(tmp_path: Path, body: str, type_: str = "int") -> bool:
    path = tmp_path / "p.c"
    path.write_text(f"{HEAD.replace('TYPE', type_)}void *w(void *arg) {{ {body} return 0; }}\n{MAIN}")
    program = load(path)
    return isinstance(Static()(program, RaceOn("a[]"), Options(), silent), Safe)


@pytest.mark.parametrize("name", APART)
def test_who_has_drawn_a_number_owns_the_element(tmp_path: Path, name: str) -> None:
    assert proved(tmp_path, APART[name])


@pytest.mark.parametrize("name", MEETING)
def test_numbers_that_two_may_have_prove_nothing(tmp_path: Path, name: str) -> None:
    assert not proved(tmp_path, MEETING[name])


def test_a_counter_that_may_wrap_needs_a_bound(tmp_path: Path) -> None:
    assert not proved(tmp_path, APART["once"], "unsigned char")
    assert proved(tmp_path, APART["in a loop"], "unsigned")


def test_ranges_of_two_threads() -> None:
    """Bounds that grow go to the next constant: the loop's own."""
    loop = "0 1 i = {first} / 1 2 [i < {last}] / 1 4 [i >= {last}] / 2 3 a[i] = 1 / 3 1 i = i + 1"
    one = thread("one", loop.format(first=0, last=500), "i", count=1)
    for first, apart in ((500, True), (499, False), (600, True)):
        p = build("a:i32[1000]", one, thread("two", loop.format(first=first, last=1000), "i", count=1))
        argument = Ranges(p, "a")
        assert argument.applies == apart
        assert isinstance(Static()(p, RaceOn("a"), Options(), silent), Safe) == apart
        assert {low for v, (low, high) in argument.at((1, 2)).items()} == {first}
        assert {high for v, (low, high) in argument.at((1, 2)).items()} == {999}
