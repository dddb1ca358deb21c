"""C that is not modelled costs its statement only: what that mentions may change, everything else is as written."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend import FrontendError, LoadOptions, load
from frontend.program import Program, Role

VECTOR = "typedef int four __attribute__((vector_size(16)));\n"


def program(tmp_path: Path, text: str) -> Program:
    file = tmp_path / "p.c"
    file.write_text(text)
    return load(file, LoadOptions(threads=("f=1",)))


def written(p: Program) -> set[str]:
    return {a.variable for t in p.templates for e in t.cfa.edges for a in e.accesses if a.write}


def test_what_the_statement_mentions_may_be_written_and_nothing_else(tmp_path: Path) -> None:
    p = program(tmp_path, VECTOR + "int a, b, c, d; int *to_b = &b;\n"
                "void f(void) { four x = {1}; x[a] = 2, *to_b = x[1]; c = 1; }")
    assert p.templates[0].role is Role.THREAD
    assert {"a", "b", "c"} <= written(p) and "d" not in written(p)
    assert any("in 'f' an element of a vector is not modelled" in str(a) for a in p.assumptions)


def test_the_statement_is_named_once_and_with_its_place(tmp_path: Path) -> None:
    p = program(tmp_path, VECTOR + "int a;\nvoid f(void) {\n    four x = {1};\n    a = x[1] + x[2];\n}\n")
    [found] = [a for a in p.assumptions if "not modelled" in a.text]
    assert found.location.line == 5


@pytest.mark.parametrize("statement", [
    "if (x[0]) a = 1;", "while (x[0]) a = 1;", "do a = 1; while (x[0]);", "for (; x[0]; ) a = 1;", "switch (x[0]) { case 1: a = 1; }",
    "int k = x[0]; if (k) a = 1;", "static int s; s = x[0]; if (s) a = 1;",
])
def test_wherever_it_stands(tmp_path: Path, statement: str) -> None:
    p = program(tmp_path, VECTOR + f"int a, d; void f(void) {{ four x = {{1}}; {statement} d = 1; }}")
    assert {"a", "d"} <= written(p)
    values = [e for t in p.templates for e in t.cfa.edges for doubt in e.doubts if "not modelled" in doubt.reason]
    assert values or "s = " in statement


def test_a_static_of_the_function_keeps_its_one_name(tmp_path: Path) -> None:
    p = program(tmp_path, VECTOR + "void f(void) { static int s; four x = {1}; s = x[0]; s = x[1]; s++; }")
    assert [v.name for v in p.globals if v.name.startswith("f::s")] == ["f::s"]


def test_what_no_compiler_takes_stays_an_error(tmp_path: Path) -> None:
    with pytest.raises(FrontendError, match="'y' is not declared"):
        program(tmp_path, VECTOR + "void f(void) { four x = {1}; x[0] = 1; y = 2; }")


@pytest.mark.parametrize("text", [
    "void c = 0; int main(void) { return 0; }", "static void c = {{1}}; int main(void) { return 0; }",
    "int main(void) { goto *&&; }", "void *g(void) { return && (1); } int main(void) { g(); return 0; }",
])
def test_what_no_compiler_takes_is_told_with_its_place(text: str, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(text)
    with pytest.raises(FrontendError):
        load(path)
