"""Which locals other threads may reach: those become variables of the program, one for each thread."""

from __future__ import annotations

from pathlib import Path

import pytest

import frontend

HEAD = "#include <pthread.h>\nint *out, **far; int x; void take(int *); void look(const int *); void deep(int *const *);\n"

ESCAPING = [
    "int n; out = &n; n = 1;",
    "int n; int *p = &n; out = p + 0; n = 1;",
    "int n; int *p = &n; far = &p; n = 1;",
    "int n; take(&n); n = 1;",
    "int n; int *p = &n; deep(&p); n = 1;",
    "int n[4]; out = &n[2]; n[0] = 1;",
    "struct { int a, b; } n; out = &n.b; n.a = 1;",
    "int n; static int *keep; keep = &n; n = 1;",
    "int n; pthread_t t; pthread_create(&t, 0, other, &n); n = 1;",
]
STAYING = [
    "int n; int *p = &n; *p = 1;",
    "int n; out = &x; n = 1; int *p = &n; *p = *out;",
    "int n; int *p = &n; int **q = &p; **q = 1;",
]


def variables(tmp_path: Path, body: str) -> set[str]:
    path = tmp_path / "p.c"
    path.write_text(f"{HEAD}void *other(void *q) {{ return q; }}\nvoid *w(void *v) {{ {body} return 0; }}\n"
                    "int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_create(&t, 0, w, 0); return 0; }")
    shared = [v.name.partition("::")[2] for v in frontend.load(path).globals if v.name.startswith("w::")]
    return {name.partition(".")[0].rstrip("[]") for name in shared}


@pytest.mark.parametrize("body", ESCAPING)
def test_a_local_whose_address_gets_out_is_shared(tmp_path: Path, body: str) -> None:
    assert "n" in variables(tmp_path, body)


@pytest.mark.parametrize("body", STAYING)
def test_a_local_that_stays_in_its_thread_is_not(tmp_path: Path, body: str) -> None:
    assert "n" not in variables(tmp_path, body)
