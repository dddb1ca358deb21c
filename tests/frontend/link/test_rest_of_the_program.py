"""What is assumed about files that are not there: functions that nothing here calls, variables that are defined elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend import load

HANDLER = "__attribute__((signal)) void __vector_5(void) { errors++; }\nint main(void) { for (;;) {} }\n"


def assumed(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "a.c"
    path.write_text(text)
    return [a.text for a in load(path).assumptions if "other file" in a.text]


@pytest.mark.parametrize(("text", "names"), [
    ("int errors; int get_errors(void) { return errors; }\n", "'get_errors'"),
    ("int errors; static int peek(void) { return errors; } int get_errors(void) { return peek(); }\n", "'get_errors'"),
    ("int errors; int get(void) { return errors; } void set(int e) { errors = e; }\n", "'get', 'set'"),
])
def test_functions_that_others_may_call(tmp_path: Path, text: str, names: str) -> None:
    assert assumed(tmp_path, text + HANDLER) == [f"no other file calls {names}, which nothing here calls"]


@pytest.mark.parametrize("text", [
    "int errors; static int get_errors(void) { return errors; }\n",
    "int errors; int twice(int n) { return 2 * n; }\n",
    "static inline int none(void) { return 0; } int errors;\n",
])
def test_functions_that_do_not_matter(tmp_path: Path, text: str) -> None:
    assert assumed(tmp_path, text + HANDLER) == []


def test_variables_that_are_defined_elsewhere(tmp_path: Path) -> None:
    assert assumed(tmp_path, "extern int errors;\n" + HANDLER) == ["no other file touches 'errors'"]
