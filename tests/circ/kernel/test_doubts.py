"""A race that exists only because the program was over-approximated is never reported; inputs are no over-approximation."""

from __future__ import annotations

from pathlib import Path

import pytest

import circ
from circ.kernel.doubts import doubt
from circ.search.explicit import answer
from circ.verdict import Options, RaceOn, Refuted, silent
from frontend import load
from tests.support.corpus import decided

TWO = """
#include <pthread.h>
#include <string.h>
int x, flag;
{declarations}
void *t(void *arg) {{ {thread} return 0; }}
int main(void) {{ pthread_t h; {before} pthread_create(&h, 0, t, 0); {after} return 0; }}
"""


def verdict(tmp_path: Path, declarations: str = "", thread: str = "x = 1;", before: str = "", after: str = "x = 2;") -> str:
    path = tmp_path / "a.c"
    path.write_text(TWO.format(declarations=declarations, thread=thread, before=before, after=after))
    result = circ.check(load(path), ["x"])
    return next(decided(a) for a in result.answers if a.shown == "x")


@pytest.mark.parametrize("parts", [
    {"declarations": "extern int nondet(void);", "after": "if (nondet()) x = 2;"},
    {"declarations": "extern int __VERIFIER_nondet_int(void);", "after": "int n = __VERIFIER_nondet_int(); if (n > 7) x = 2;"},
    {"declarations": "extern volatile int port;", "after": "if (port == 3) x = 2;"},
    {"declarations": "double d; char b[9];", "before": "d = 2.5; memset(b, 0, 5);", "after": "d = d + 1.0; x = 2;"},
    {"declarations": "#include <stdio.h>", "after": 'int n; scanf("%d", &n); if (n == 5) x = 2; printf("%d", n);'},
    {"declarations": "#include <stdlib.h>", "after": "if (rand() == 5) x = 2;"},
    {"declarations": "#include <fcntl.h>", "after": 'int d = open("f", 0); long w = d; if (w >= 0 && d != -1 && !(d <= -2)) x = 2;'},
    {"declarations": "#include <fcntl.h>", "after": 'int d = open("f", 0); if (!(d < 0 || (x && d < -4))) x = 2;'},
    {"declarations": "#include <unistd.h>", "after": "if (getpid() == 5 && getpid() != 6) x = 2;"},
    {"declarations": "#include <sys/stat.h>", "after": 'if (mkdir("d", 0) == 0) x = 2;'},
], ids=range(10))
def test_inputs_decide_nothing_about_the_model(tmp_path: Path, parts: dict[str, str]) -> None:
    assert verdict(tmp_path, **parts) == "race"


@pytest.mark.parametrize("parts", [
    {"declarations": "double d;", "before": "d = 0.5;", "after": "if (d > 1.0) x = 2;"},
    {"declarations": "extern int somewhere(void);", "after": "if (somewhere() == 3) x = 2;"},
    {"declarations": "#include <stdlib.h>", "after": 'if (atoi("2") == 3) x = 2;'},
    {"declarations": "void set(int *);", "before": "set(&flag);", "after": "if (flag == 7) x = 2;"},
    {"declarations": "void set(int *);", "after": "set(&x);"},
    {"declarations": "int *get(void); int **keep(int **p);", "before": "int *q = &x; keep(&q);", "after": "*get() = 3;"},
    {"declarations": "char a[4], b[4];", "before": "memcpy(a, b, 4);", "after": "if (a[1]) x = 2;"},
    *({"declarations": "#include <fcntl.h>", "after": f'int d = open("f", 0); if ({test}) x = 2;'}
      for test in ("d == 3", "d > 0", "d >= 0 && d != 7", "d >= 0 && d < 9", "d > -2 && (d < 5 && d >= 0)", "!(d < 0 || d == 8)", "(unsigned)d < 9u", "d + 1 >= 0 && d == 0", "(signed char)d > 3", "9 > d && d > -1")),
    {"declarations": "#include <fcntl.h>", "after": 'if (open("f", O_CREAT | O_EXCL) >= 0) x = 2;'},
    {"declarations": "#include <fcntl.h>", "before": "int how = O_EXCL;", "after": 'if (open("f", how) >= 0) x = 2;'},
    {"declarations": "#include <unistd.h>", "after": "if (gettid() == getpid()) x = 2;"},
    {"declarations": "#include <sys/stat.h>", "thread": 'if (mkdir("d", 0) == 0) x = 1;', "after": 'if (mkdir("d", 0) == 0) x = 2;'},
    {"declarations": "#include <unistd.h>\nint e[2]; char c;", "before": "pipe(e);", "after": "if (read(e[0], &c, 1) == 1) x = 2;"},
    {"declarations": "#include <unistd.h>\nint e[2];", "before": "pipe(e);", "after": "if (e[0] == e[1]) x = 2;"},
], ids=range(23))
def test_what_is_not_tracked_shows_no_race(tmp_path: Path, parts: dict[str, str]) -> None:
    assert verdict(tmp_path, **parts) == "unknown"


def test_a_value_that_is_overwritten_is_forgotten(tmp_path: Path) -> None:
    assert verdict(tmp_path, "void set(int *);", before="set(&flag); flag = 1;", after="if (flag) x = 2;") == "race"


def test_the_reason_names_the_place(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(TWO.format(declarations="void set(int *);", thread="x = 1;", before="", after="set(&flag);\nif (flag) x = 2;"))
    program = load(path)
    found = answer(program, RaceOn("x"), Options(), silent)
    assert isinstance(found, Refuted)
    reason = doubt(program, found.trace)
    assert reason is not None and f"{path}:7:" in reason, reason


RECURSIVE = "int done; void f(int n) { if (n == 0) return; f(n - 1); done = 1; }"


def test_a_recursive_function_that_returns_too_early_shows_no_race(tmp_path: Path) -> None:
    deep = RECURSIVE.replace("done = 1", "if (n == 1) done = 1")
    assert verdict(tmp_path, deep, after="f(9); if (!done) x = 2;") == "unknown"


@pytest.mark.parametrize(("after", "said"), [
    ("f(0); x = 2;", "race"), ("f(0); if (!done) x = 2;", "race"), ("f(3); x = 2;", "race"),
    ("f(1); if (!done) x = 2;", "safe"), ("f(3); if (!done) x = 2;", "safe"), ("f(1); f(0); f(2); if (!done) x = 2;", "safe"),
])
def test_a_few_calls_inside_each_other_are_exact(tmp_path: Path, after: str, said: str) -> None:
    assert verdict(tmp_path, RECURSIVE, after=after) == said


TWICE = "int count; int f(int n) { if (n < 2) { count++; return n; } int a = f(n - 1); return a + f(n - 2); }"
MUTUAL = "int odd(int); int even(int n) { return n ? odd(n - 1) : 1; } int odd(int n) { return n ? even(n - 1) : 0; }"


@pytest.mark.parametrize(("declarations", "after", "said"), [
    (TWICE, "if (f(2) == 1 && count == 2) x = 2;", "race"), (TWICE, "if (f(2) != 1 || count != 2) x = 2;", "safe"),
    (MUTUAL, "if (even(2)) x = 2;", "race"), (MUTUAL, "if (odd(2)) x = 2;", "safe"),
])
def test_each_call_has_its_own_locals_and_its_own_result(tmp_path: Path, declarations: str, after: str, said: str) -> None:
    assert verdict(tmp_path, declarations, after=after) == said


@pytest.mark.parametrize(("body", "expected"), [
    ("f(b, a, n - 1);", "race"), ("f(a, b, n - 1);", "safe"), ("int i = n - 1; f(a + i, b, i);", "safe"), ("int i = a; f(b, i, n - 1);", "race")])
def test_arguments_are_evaluated_before_parameters_are_set(tmp_path: Path, body: str, expected: str) -> None:
    """A function that calls itself reads parameters and locals of its own in the arguments."""
    text = f"void f(int a, int b, int n) {{ if (n == 0) {{ if (a == 2 && b == 1) x = 7; return; }} {body} }}"
    assert verdict(tmp_path, text, after="f(1, 2, 1);") == expected


def test_what_a_recursive_function_does_on_its_way_down_is_real(tmp_path: Path) -> None:
    assert verdict(tmp_path, "void f(int n) { if (n == 2) { x = 7; return; } f(n + 1); }", after="f(0);") == "race"
