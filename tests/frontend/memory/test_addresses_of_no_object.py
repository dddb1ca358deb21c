"""Pointers of unknown value: whatever else the program has addresses of, reading it comes to an end."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend import load
from frontend.program import Program

HEAD = """#include <pthread.h>
extern int *from_elsewhere(void);
extern int external(int);
int plain;
int called(int k) { int room[4]; int *p = room; plain = p[k & 3]; return k; }
"""


def program(tmp_path: Path, text: str) -> Program:
    file = tmp_path / "p.c"
    file.write_text(HEAD + text + "\nint main(void) { pthread_t t; pthread_create(&t, 0, worker, 0); worker(0); return 0; }")
    return load(file)


@pytest.mark.parametrize("taken", [
    "int (*f)(int) = external;", "void *none = (void *)-1;", "volatile int *port = (volatile int *)0x4004;",
    "int (*f)(int) = external; void *a[2] = {(void *)-1, &plain};", "char *label = (char *)0x10;",
])
def test_an_unknown_pointer_beside_what_is_no_object(tmp_path: Path, taken: str) -> None:
    p = program(tmp_path, taken + "\nvoid *worker(void *x) { int *w = from_elsewhere(); *w = 1; w[2]++; return x; }")
    assert [t.name for t in p.templates] == ["main", "worker"]


@pytest.mark.parametrize("call", ["table->f(2);", "((int (*)(int))(long)plain)(2);", "((int (*)(int))from_elsewhere())(3);"])
def test_a_call_through_a_pointer_where_memory_is_written_through_an_unknown_one(tmp_path: Path, call: str) -> None:
    p = program(tmp_path, "struct ops { int (*f)(int); int (*g)(int); }; struct ops all = {called, external}; struct ops *table = &all;\n"
                f"void *worker(void *x) {{ int *w = from_elsewhere(); *w = 1; {call} return x; }}")
    assert [t.name for t in p.templates] == ["main", "worker"]
    assert any("pointers to functions" in a.text or "unknown" in a.text for a in p.assumptions)
