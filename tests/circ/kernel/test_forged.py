"""Certificates made up to be accepted for racy programs: each of them once was, or would be by a kernel a little less careful."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from circ.kernel.other_kinds import check_any_kind
from circ.kernel.outcome import Refused
from circ.search import explicit
from circ.verdict import Assertions, Certificate, Options, Question, RaceOn, Refuted, Safe, silent
from circ.views.sections_as_steps import sections_as_steps
from frontend.program import Program, Self
from tests.support.build import program, thread

X, A = RaceOn("x"), RaceOn("a")


def judged(p: Program, question: Question, kind: str, body: Mapping[str, Any]) -> object:
    return check_any_kind(p, question, Certificate(p.fingerprint(), question, kind, body))


def racy(p: Program, question: Question) -> bool:
    return isinstance(explicit.engine()(p, question, Options(), silent), Refuted)


def group(copies: int, **more: Any) -> dict[str, Any]:
    return {"template": 0, "copies": list(range(copies)), "cells": [], "classes": [], **more}


def invariant(*groups: dict[str, Any], nodes: list[Any], facts: list[int]) -> dict[str, Any]:
    return {"sections": [[]], "groups": list(groups), "globals": [], "nodes": nodes, "facts": facts}


OPEN: dict[str, list[Any]] = {"globals": [], "locals": [[]]}
TWICE = [[["global", "index", None], [[[0], 1]]]]


@pytest.mark.parametrize("parts", [
    {"classes": [[[0], [1 << 24]], [[0]]]},
    {"classes": [[[0]], [[0], [256]]]},
    {"classes": [[[0]], [[0], [1]]], "cells": [["l", None, 0, [0, 1], [[0, 0, 0], [256, 256, 1]]]]},
], ids=["locations", "values", "spans"])
def test_numbers_too_large_for_their_type_are_not_read_as_others(parts: dict[str, Any]) -> None:
    """A thread in two classes at once would make the sum of the counters a contradiction at the start."""
    p = program("x", thread("w", "0 1 x = 1", "l:u8=0", count=2))
    cells = {"cells": [["l", None, 0, [0, 1], None]]}
    assert racy(p, X)
    assert isinstance(judged(p, X, "inductive", invariant(group(2, **{**cells, **parts}), nodes=[], facts=[0])), Refused)


def test_a_global_named_like_a_symbol_of_the_kernel_is_another_one() -> None:
    """`index` is the element that two accesses meet in, `atomic` says whether a thread is in a section."""
    p = program("a[4] index:u64", thread("w", "0 1 a[2] = 1", count=2))
    assert racy(p, A)
    assert isinstance(judged(p, A, "inductive", invariant(group(2), nodes=TWICE, facts=[2])), Refused)
    rows = {k: v for k, v in invariant(group(2), nodes=TWICE, facts=[]).items() if k != "facts"} | {"rows": [[2, [1, 1]]]}
    assert isinstance(judged(p, A, "exceptions", rows), Refused)
    p = program("x atomic:u1=1", thread("w", "0 1 x = 1", count=2))
    nodes = [[["global", "atomic", None], [[[1], 1]]]]
    assert racy(p, X)
    assert isinstance(judged(p, X, "inductive", invariant(group(2), nodes=nodes, facts=[0])), Refused)


def test_what_one_row_excludes_by_other_threads_is_asked_again_in_the_next() -> None:
    """In the first row no third thread exists, so no two can meet; the second row says nothing of it."""
    p = program("x", thread("w", "0 1 x = 1", count=3))
    body = {k: v for k, v in invariant(group(3), nodes=[], facts=[]).items() if k != "facts"}
    assert racy(p, X)
    assert isinstance(judged(p, X, "exceptions", {**body, "rows": [[1, [1, 1, 0]], [1, [1, 1, 1]]]}), Refused)


@pytest.mark.parametrize("globals_, first, second, inside, invariant", [
    ("a[4] g=1", "a[g] = 1", "a[0] = 2", "1 2 g = 0 / 2 3 g = 1", "g == 1"),
    ("a g", "[g == 1]; a = 1", "a = 2", "1 2 g = 1 / 2 3 g = 0", "g == 0"),
], ids=["cell", "condition"])
def test_a_third_thread_in_a_section_may_change_what_decides(globals_: str, first: str, second: str, inside: str,
                                                             invariant: str) -> None:
    """What holds between sections need not hold while two threads are about to access and a third is inside one."""
    p = program(globals_, thread("r", f"0 1 {first}", count=1), thread("s", f"0 1 {second}", count=1),
                thread("t", f"0 1 / {inside} / 3 4", count=1, atomic=[1, 2, 3]), invariants=[invariant])
    between = replace(p, invariants=tuple(replace(i, between=True) for i in p.invariants))
    assert racy(between, A)
    assert isinstance(judged(between, A, "assume-guarantee", {"closures": [[], [], []]}), Refused)
    assert sections_as_steps(replace(p, invariants=())) is None


def test_one_thread_alone_is_not_excluded_by_a_second_that_has_no_number() -> None:
    """Numbers from 1 on in one bit: there is one, so any statement about two threads is true."""
    p = program("x", thread("w", "0 1", "me:u1=self", errors=[1]))
    own = replace(p.templates[0], locals=(replace(p.templates[0].locals[0], start=Self(offset=1)),))
    p = replace(p, templates=(own,))
    rows = [[0, 0, 0, 0, [[]]], [0, 1, 0, 0, [[]]], [0, 0, 0, 1, [[]]], [0, 1, 0, 1, [[]]]]
    assert isinstance(judged(p, Assertions(), "pairs", {"classes": [[0, 1]], "formulas": [], "pairs": rows}), Refused)


def test_a_condition_on_an_open_value_does_not_make_an_access_impossible() -> None:
    p = program("x", thread("w", "0 1 l = *; [l == 5]; x = 1", "l:u8=0", count=2))
    body = {"globals": [[0], [1]], "threads": [[[0, [0]], [1, [5]]]], "states": [[0, 0, 0], [1, 0, 1], [1, 1, 1]],
            "open": OPEN, "forget": [[[], []]]}
    assert isinstance(judged(p, X, "reachable", body), Refused)
    assert not isinstance(explicit.engine()(p, X, Options(), silent), Safe)


def test_a_quotient_does_not_put_a_condition_before_an_access() -> None:
    """The step reads x first, in a condition that the quotient forgets; the next one then only seems to come before it."""
    p = program("x h=1", thread("w", "0 1 [x == l]; [h == 0]; x = x + 1", "l", count=2))
    inner = {"globals": [[0, 1]], "threads": [[[0, []]]], "states": [[0, 0, 0]], "open": OPEN, "forget": [[[], []]]}
    body = {"globals": ["h", "x"], "locals": [[]], "asked": ["x"], "kind": "reachable", "body": inner}
    assert racy(p, X)
    assert isinstance(judged(p, X, "quotient", body), Refused)


@pytest.mark.parametrize("names", [
    {"globals": ["x", "l"]}, {"locals": [["h"]]}, {"asked": ["x", "l"]}, {"globals": ["nothing"]},
], ids=["a local", "a global", "asked", "unknown"])
def test_a_quotient_through_variables_of_others_is_no_quotient(names: dict[str, Any]) -> None:
    p = program("x h=1", thread("w", "0 1 [h == l]; x = x + 1", "l", count=2))
    body = {"globals": ["x"], "locals": [[]], "asked": ["x"], "kind": "protected", "body": {}, **names}
    found = judged(p, X, "quotient", body)
    assert isinstance(found, Refused) and found.obligation == "format"
