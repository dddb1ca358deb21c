"""Thread-modular checking with a stack: recursion of any depth ends, and calls return to where they came from."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.engines import pushdown
from circ.verdict import Assertions, Options, Question, RaceOn, Safe, Unknown
from frontend.module import load_module
from frontend.parse import SourceOptions, parse
from frontend.procedures import Procedures, procedures
from frontend.source import FrontendError
from frontend.types import LP64

PROGRAMS = Path(__file__).resolve().parent / "recursive"


def read(path: Path) -> Procedures:
    return procedures(load_module(parse(str(path), SourceOptions((), (), (), None, "lp64")), LP64))


def written(folder: Path, text: str) -> Procedures:
    path = folder / "a.c"
    path.write_text('#include "circ.h"\n' + text)
    return read(path)


def run(p: Procedures, question: Question = Assertions()) -> Safe | Unknown:  # noqa: B008
    return pushdown.check(p, question, Options())


@pytest.mark.parametrize(("name", "question", "safe"), [
    ("recursive_lock", Assertions(), True), ("recursive_lock", RaceOn("x"), True),
    ("recursive_no_lock", Assertions(), False), ("recursive_no_lock", RaceOn("x"), False),
    ("recursive_value", Assertions(), True),
])
def test_recursive_programs(name: str, question: Question, safe: bool) -> None:
    assert isinstance(run(read(PROGRAMS / f"{name}.c"), question), Safe if safe else Unknown)


def test_a_return_goes_to_its_own_call(tmp_path: Path) -> None:
    """A flow-insensitive return would let the value of one call come back at the other."""
    text = "int id(int a) { return a; }\ncirc_threads(1) void p(void) { int b = id(1); int c = id(2); assert(b == %d && c == 2); }"
    assert isinstance(run(written(tmp_path, text % 1)), Safe)
    assert isinstance(run(written(tmp_path, text % 2)), Unknown)


def test_a_global_written_deep_inside_is_seen_by_others(tmp_path: Path) -> None:
    text = """
    _Bool g;
    void deep(void) { if (nondet()) deep(); else g = %d; }
    circ_threads(1) void writer(void) { deep(); }
    circ_threads(1) void reader(void) { assert(!g); }"""
    assert isinstance(run(written(tmp_path, text % 0)), Safe)
    assert isinstance(run(written(tmp_path, text % 1)), Unknown)


def test_a_call_without_arguments_is_a_call(tmp_path: Path) -> None:
    text = "_Bool g;\nvoid set(void) { g = 1; }\ncirc_threads(1) void p(void) { set(); assert(g == %d); }"
    assert isinstance(run(written(tmp_path, text % 1)), Safe)
    assert isinstance(run(written(tmp_path, text % 0)), Unknown)


def test_recursion_that_counts_for_ever_is_refused(tmp_path: Path) -> None:
    verdict = run(written(tmp_path, "void f(int n) { f(n + 1); }\ncirc_threads(1) void p(void) { f(0); assert(1); }"))
    assert isinstance(verdict, Unknown) and "'f::n'" in verdict.reason


@pytest.mark.parametrize(("text", "reason"), [
    ("int x;\nint *q = &x;\ncirc_threads(1) void p(void) { *q = 1; }", "neither a number"),
    ("int x;\nvoid f(void) { x = 1; }\ncirc_threads(1) void p(void) { atomic { f(); } }", "atomic"),
    ("int x;\ncirc_thread void p(void) { x = 1; }", "any number"),
])
def test_what_is_not_understood_is_refused_where_it_stands(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(FrontendError) as caught:
        written(tmp_path, text)
    assert reason in str(caught.value)
