"""Elements told apart by bounds that are expressions over what the creator has set."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.static.prover import Static
from circ.verdict import Options, RaceOn, Safe, silent
from frontend import load

PROGRAM = """#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int n, cut, a[1 << 20]; struct range { int from, to; } r[2];
void *low(void *arg) { %s return 0; }
void *high(void *arg) { %s return 0; }
int main(void) {
  pthread_t s, t;
  n = __VERIFIER_nondet_int();
  if (n < 2 || n > 1000) return 1;
  %s
  pthread_create(&s, 0, low, 0); pthread_create(&t, 0, high, 0);
  %s
  pthread_join(s, 0); pthread_join(t, 0);
  return 0; }
"""
UP = "for (int i = 0; i < n / 2; i++) a[i] = 1;"
FROM = "for (int i = n / 2; i < n; i++) a[i] = 1;"

APART = {
    "halves": (UP, FROM, "", ""),
    "down to the middle": (UP, "for (int i = n - 1; i >= n / 2; i--) a[i] = 1;", "", ""),
    "a cut": ("for (int i = 0; i < cut; i++) a[i]++;", "for (int i = cut; i < n; i++) a[i]++;", "cut = __VERIFIER_nondet_int();", ""),
    "copies": ("int e = n / 2, i = 0; while (i < e) { a[i] = 1; i++; }", "int b = n / 2; int e = n; while (b < e) a[b++] = 2;", "", ""),
    "thirds": ("for (int i = 0; i <= n; i++) a[3 * i] = 1;", "for (int i = 0; i <= n; i++) a[3 * i + 1] = 1;", "", ""),
    "ranges in structs": ("for (int i = r[0].from; i < r[0].to; i++) a[i] = 1;", "for (int i = r[1].from; i < r[1].to; i++) a[i] = 1;",
                          "r[0].from = 0; r[0].to = n; r[1].from = r[0].to; r[1].to = n + n;", ""),
    "multiples of four": ("for (int i = 0; i < 1000; i += 4) a[i] = 1;", "for (int i = 2; i < 1000; i += 4) a[i] = 1;", "", ""),
    "the creator has the end": (UP, "", "", "for (int i = n / 2; i < n; i++) a[i] = 1;"),
    "written when all have ended": (UP, FROM, "", "pthread_join(s, 0); pthread_join(t, 0); cut = 7; n = 3; for (;;) ;"),
}
MEETING = {
    "one too many": ("for (int i = 0; i <= n / 2; i++) a[i] = 1;", FROM, "", ""),
    "one too early": (UP, "for (int i = n / 2 - 1; i < n; i++) a[i] = 1;", "", ""),
    "moved meanwhile": (UP, FROM, "", "n = 500;"),
    "moved by a thread": (UP, f"n = 4; {FROM}", "", ""),
    "moved by the other one": (f"{UP} cut = 3;", "for (int i = cut; i < n; i++) a[i] = 1;", "cut = 1000;", ""),
    "set too late": ("for (int i = 0; i < cut; i++) a[i]++;", "for (int i = cut; i < n; i++) a[i]++;", "", "cut = 9;"),
    "from below": (UP, "for (int i = n / 2; i < n; i--) { if (i < 0) break; a[i] = 1; }", "", ""),
    "two steps": ("for (int i = 0; i < 100; i += 4) a[i] = 1;", "for (int i = 2; i < 100; i += 4) { a[i] = 1; if (n == 7) i++; }", "", ""),
    "wrapped steps": ("for (unsigned i = 0; ; i += 3) a[i & 1023] = 1;", "for (unsigned i = 1; ; i += 3) a[i & 1023] = 1;", "", ""),
    "a step that wraps": ("for (unsigned char i = 0; ; i += 5) a[i] = 1;", "for (unsigned char i = 1; ; i += 5) a[i] = 1;", "", ""),
    "ranges that overlap": ("for (int i = r[0].from; i < r[0].to; i++) a[i] = 1;",
                            "for (int i = r[1].from; i < r[1].to; i++) a[i] = 1;",
                            "r[0].from = 0; r[0].to = n; r[1].from = r[0].to - 1; r[1].to = n + n;", ""),
    "the creator has one more": (UP, "", "", "for (int i = n / 2 - 1; i < n; i++) a[i] = 1;"),
}


def proved(tmp_path: Path, parts: tuple[str, ...]) -> bool:
    path = tmp_path / "p.c"
    path.write_text(PROGRAM % parts)
    return isinstance(Static()(load(path), RaceOn("a[]"), Options(), silent), Safe)


@pytest.mark.parametrize("name", APART)
def test_bounds_that_exclude_each_other(tmp_path: Path, name: str) -> None:
    assert proved(tmp_path, APART[name])


@pytest.mark.parametrize("name", MEETING)
def test_bounds_that_do_not(tmp_path: Path, name: str) -> None:
    assert not proved(tmp_path, MEETING[name])
