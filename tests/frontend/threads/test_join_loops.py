"""A loop that joins what another one has created: said behind it if that is so for certain, and never otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend import load
from frontend.program import AllAt, primitive

HEAD = """#include <pthread.h>
#include <stdlib.h>
int nondet(void);
pthread_t t[100], other[100];
void *w(void *x) { return 0; }
"""
CREATE = "for (i = 0; i < n; i++) pthread_create(&t[i], 0, w, 0);"
JOIN = "for (i = 0; i < n; i++) pthread_join(t[i], 0);"


def waits_for_all(tmp_path: Path, body: str) -> bool:
    """Whether `main` says somewhere that all threads have ended."""
    path = tmp_path / "join.c"
    path.write_text(f"{HEAD}int main(void) {{ int i; int n = nondet(); {body} return 0; }}\n")
    main = next(t for t in load(path).templates if t.name == "main")
    return any(isinstance(p, AllAt) for e in main.cfa.edges for p in primitive(e.op))


@pytest.mark.parametrize("body", [
    f"{CREATE} {JOIN}",
    f"{CREATE} nondet(); {JOIN} nondet();",
    "pthread_t *p = malloc(n * sizeof *p); for (i = 0; i < n; i++) pthread_create(&p[i], 0, w, 0); "
    "for (i = 0; i < n; i++) pthread_join(p[i], 0); free(p);",
], ids=["an array", "calls in between", "on the heap"])
def test_all_have_ended(tmp_path: Path, body: str) -> None:
    assert waits_for_all(tmp_path, body)


@pytest.mark.parametrize("body", [
    CREATE,
    f"{CREATE} for (i = 1; i < n; i++) pthread_join(t[i], 0);",
    f"{CREATE} for (i = 0; i < n - 1; i++) pthread_join(t[i], 0);",
    f"{CREATE} for (i = 0; i <= n; i++) pthread_join(t[i], 0);",
    f"{CREATE} for (i = 0; i < n; i += 2) pthread_join(t[i], 0);",
    f"{CREATE} n = nondet(); {JOIN}",
    f"{CREATE} for (i = 0; i < n; i++) pthread_join(other[i], 0);",
    f"{CREATE} for (i = 0; i < n; i++) pthread_join(t[0], 0);",
    f"{CREATE} for (i = 0; i < n; i++) {{ if (nondet()) break; pthread_join(t[i], 0); }}",
    f"{CREATE} for (i = 0; i < n; i++) {{ if (nondet()) pthread_join(t[i], 0); }}",
    f"{CREATE} for (i = 0; i < n; i++) {{ pthread_join(t[i], 0); if (nondet()) i++; }}",
    f"{CREATE} t[1] = t[0]; {JOIN}",
    f"pthread_t *p = t; {CREATE} p[1] = p[0]; {JOIN}",
    f"for (i = 0; i < n; i++) pthread_create(&t[0], 0, w, 0); {JOIN}",
    f"if (nondet()) {{ {CREATE} }} {JOIN}",
    f"pthread_create(&other[0], 0, w, 0); {CREATE} {JOIN}",
    f"while (nondet()) {{ {CREATE} }} {JOIN}",
], ids=["no joins", "not the first", "not the last", "one more", "every other", "another bound", "another array", "one of them",
        "left early", "some of them", "some left out", "a handle overwritten", "a handle overwritten through a pointer",
        "one handle for all", "perhaps not created", "one created elsewhere", "created several times"])
def test_some_may_still_run(tmp_path: Path, body: str) -> None:
    assert not waits_for_all(tmp_path, body)
