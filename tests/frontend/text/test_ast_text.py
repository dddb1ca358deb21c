"""What a step is called in reports: the expression as the user wrote it."""

from __future__ import annotations

import pytest

from frontend.lower.units import load_units
from frontend.program import LP64
from frontend.text.parse import parse
from frontend.text.preprocess import SourceOptions

PROGRAM = """#include <errno.h>
#include <stddef.h>
int a, b, *p, *q, t[3];
struct s { int f; struct s *next; } *l;
void f(int n) { %s; }
"""


def _texts(statement: str) -> list[str]:
    [module] = load_units([parse("a.c", SourceOptions(text=PROGRAM % statement))], LP64)
    return [edge.text for edge in module.function("f").edges]


@pytest.mark.parametrize("statement", [
    "p = NULL", "p = q = NULL", "a = errno", "errno = a", "a = (b + n) * 2", "a = b - (n - 1)", "l->next->f = t[a + 1]",
    "a = - -b", "p = &t[2]", "a = n ? b : -1", "a = (char)b", "*p += 1", "a = (int)sizeof(t)",
])
def test_steps_are_called_as_they_were_written(statement: str) -> None:
    assert statement in _texts(statement)


def test_null_is_only_what_a_null_pointer_is() -> None:
    assert "p = (int *)0" in _texts("p = (int *)0")
    assert "p = (void *)8" in _texts("p = (void *)8")
