"""errno: the calls of the library set it, and what they leave there is not tracked."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend import load

TEXT = """
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
int x;
void *worker(void *arg) {{ {body} return arg; }}
int main(void) {{ pthread_t a, b; pthread_create(&a, 0, worker, 0); pthread_create(&b, 0, worker, 0); return 0; }}
"""


@pytest.mark.parametrize("body", [
    "errno = 0; strtol(\"9\", 0, 10); if (errno == ERANGE) x++;",
    "errno = 0; strtol(\"9\", 0, 10); if (errno == 0) x++;",
    "if (errno) x++;",
])
def test_a_branch_on_errno_is_not_dead(tmp_path: Path, body: str) -> None:
    path = tmp_path / "a.c"
    path.write_text(TEXT.format(body=body))
    program = load(path)
    assert "x" in {v.name for v in program.shared}
    doubts = [d for t in program.templates for e in t.cfa.edges for d in e.doubts]
    assert any("errno" in d.reason for d in doubts)


def test_every_thread_has_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(TEXT.format(body="errno = 3; x = errno;"))
    assert {v.name for v in load(path).shared} == {"x"}
