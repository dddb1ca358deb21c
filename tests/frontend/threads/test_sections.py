"""Atomic sections: marks become atomic locations, guards never block inside, and a section that is never ended is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend import FrontendError, LoadOptions, load
from frontend.memory.sketch import Sketch
from frontend.threads.sections import exhaustive, may_block, resolve_sections, unblock
from tests.support.sketches import sketch, texts

HEAD = "int g;\nvoid __VERIFIER_atomic_begin(void);\nvoid __VERIFIER_atomic_end(void);\n"


def loaded(tmp_path: Path, body: str) -> None:
    (tmp_path / "a.c").write_text(HEAD + body)
    load(tmp_path / "a.c", LoadOptions(threads=("w",)))


@pytest.mark.parametrize("body", [
    "void w(void) { __VERIFIER_atomic_begin(); g = 1; }",
    "void begin(void) { __VERIFIER_atomic_begin(); }\nvoid w(void) { begin(); g = 1; }",
])
def test_a_section_that_is_never_ended_is_an_error(tmp_path: Path, body: str) -> None:
    with pytest.raises(FrontendError, match="'w' ends inside one"):
        loaded(tmp_path, body)


@pytest.mark.parametrize("body", [
    "void w(void) { __VERIFIER_atomic_begin(); g = 1; __VERIFIER_atomic_end(); }",
    "void begin(void) { __VERIFIER_atomic_begin(); }\nvoid end(void) { __VERIFIER_atomic_end(); }\n"
    "void w(void) { begin(); g = 1; end(); }",
    "void abort(void);\nvoid w(void) { __VERIFIER_atomic_begin(); if (g) abort(); g = 1; __VERIFIER_atomic_end(); }",
    "void w(void) { while (1) { __VERIFIER_atomic_begin(); g = 1; __VERIFIER_atomic_end(); } }",
])
def test_sections_that_end_elsewhere_are_fine(tmp_path: Path, body: str) -> None:
    loaded(tmp_path, body)


# --------------------------------------------------------------------------------------------------- marks
def resolved(edges: str, errors: tuple[int, ...] = ()) -> Sketch:
    graph = sketch("x:u2 y:u2", "r:u2", edges, errors)
    resolve_sections(graph)
    return graph


def test_a_section_is_one_visit_of_others_less() -> None:
    graph = resolved("0 1 begin / 1 2 x = 1 / 2 3 y = 1 / 3 4 end / 4 5 x = 2")
    assert texts(graph) == ["0 --x = 1--> 2 p", "2 --y = 1--> 4 p", "4 --x = 2--> 5"]
    assert graph.atomic == {2}


def test_inner_sections_change_nothing() -> None:
    outer = resolved("0 1 begin / 1 2 begin / 2 3 x = 1 / 3 4 end / 4 5 y = 1 / 5 6 end / 6 7 x = 2")
    assert [s.protected for s in outer.steps if s.accesses] == [True, True, False]
    assert all(s.source in outer.atomic or s.source == 0 for s in outer.steps if s.protected)


def test_an_empty_section_does_not_vanish_into_its_neighbours() -> None:
    graph = resolved("0 1 x = 1 / 1 2 begin / 2 3 end / 3 4 y = 1")
    assert [s.protected for s in graph.steps if s.accesses] == [False, False]


@pytest.mark.parametrize("edges", [
    "0 1 end", "0 1 begin / 0 1 skip / 1 2 x = 1", "0 1 begin / 1 0 skip / 1 2 end",
])
def test_unbalanced_sections(edges: str) -> None:
    with pytest.raises(FrontendError, match="unbalanced"):
        resolved(edges)


# --------------------------------------------------------------------------------------------------- guards that block
@pytest.mark.parametrize("edges", [
    "0 1 begin / 1 2 [x == 1] / 2 3 y = 1 / 3 4 end",
    "0 1 begin / 1 2 x = 1 / 2 3 [y == 1] / 3 4 x = 2 / 4 5 end",
    "0 1 begin / 1 2 r = x / 2 2 r = r + 1 / 2 3 [r == 1] / 3 4 end",
    "0 1 begin / 1 2 [x == 1] / 2 3 [y == 1] / 3 4 x = 2 / 4 5 end",
    "0 1 begin / 1 2 x = 1 / 2 3 skip / 3 4 [y == 1] / 3 4 [x == 2] / 4 5 y = 1 / 5 6 end",
])
def test_no_atomic_location_blocks(edges: str) -> None:
    graph = resolved(edges)
    unblock(graph)
    out = graph.leaving()
    assert not any(may_block(out[q]) for q in graph.atomic if out[q])


def test_a_guard_behind_a_write_is_joined_with_it() -> None:
    graph = resolved("0 1 begin / 1 2 x = 1 / 2 3 [y == 1] / 3 4 x = 2 / 4 5 end")
    unblock(graph)
    first = graph.leaving()[0]
    assert [str(s) for s in first] == ["0 --x = 1; [y == 1]--> 3"]
    assert {(a.variable, a.write) for a in first[0].accesses} == {("x", True), ("y", False)}


def test_a_guard_behind_a_guard_is_one_test_or_others_run_in_between() -> None:
    graph = resolved("0 1 begin / 1 2 [x == 1] / 2 3 r = y / 3 4 [r == 1] / 4 5 x = 2 / 5 6 end")
    unblock(graph)
    out = graph.leaving()
    assert not any(may_block(out[q]) for q in graph.atomic if out[q])
    assert any(s.doubts for s in graph.steps) or len(out[0]) == 1


@pytest.mark.parametrize(("ops", "expected"), [
    (["r = 1"], True), (["[x == 1]"], False), (["[x == 1]", "[x != 1]"], True), (["[x == 1]", "[x == 2]"], False),
    (["[x == 1]", "[y != 1]"], False), (["[x == 1]; r = 1", "[x != 1]; r = 2"], True), (["[x == 1]; [r == 1]", "[x != 1]"], False),
    (["r = 1; [r == 1]", "[r != 1]"], False), (["[x == 1]", "[x == 2]", "[x != 1 and x != 2]"], True),
    (["[x == 1]", "[x != 1 and x != 2]"], False),
])
def test_exhaustive(ops: list[str], expected: bool) -> None:
    graph = sketch("x:u2 y:u2", "r:u2", " / ".join(f"0 1 {o}" for o in ops))
    assert exhaustive([s.op for s in graph.steps]) is expected
