"""Bodies of proofs by pairs: read into checked data, or refused with what is wrong with them."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from circ.kernel.outcome import Malformed
from circ.kernel.pair_bodies import FormulaSymbol, read_body, read_triples
from tests.support.build import program, thread

P = program("x m", thread("a", "0 1 [m == 0]; m = 1 / 1 0 x = l", "l"), thread("b", "0 0 x = 1", count=1))
BODY: dict[str, Any] = {"classes": [[0, 1], [0]], "formulas": ["(== x:i32 0:i32)", "(== l@1:i32 x:i32)"], "pairs": [[0, 1, 1, 0, [[0, 1], [0]]]]}


def changed(path: tuple[Any, ...], value: object) -> dict[str, Any]:
    body = copy.deepcopy(BODY)
    here = body
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    return body


def test_a_body_is_read() -> None:
    body = read_body(P, BODY)
    [(where, row)] = body.pairs.items()
    assert where == (0, 1, 1, 0) and row.templates == (0, 1) and [len(c) for c in row.dnf] == [2, 1]
    assert row.symbols == (FormulaSymbol("l@1", 1, "l"), FormulaSymbol("x", 0, "x"))
    assert row.parts == (row,)  # a disjunction is not taken apart


def test_a_conjunction_has_parts_and_equal_rows_are_one() -> None:
    body = read_body(P, {**BODY, "pairs": [[0, 1, 1, 0, [[0, 1]]], [0, 0, 1, 0, [[0, 1]]]]})
    one, two = body.pairs.values()
    assert one is two and len(one.parts) == 2 and all(p.conjuncts == () for p in one.parts)


def test_what_a_local_is_depends_on_the_slot() -> None:
    with pytest.raises(Malformed):  # thread b, in slot 1, has no local l
        read_body(P, {**BODY, "pairs": [[1, 0, 0, 1, [[1]]]]})


@pytest.mark.parametrize(("path", "value"), [
    (("classes",), [[0, 1]]), (("classes", 0), [0]), (("classes", 0), [0, 2]), (("classes", 0), [0, -1]), (("classes", 0), [0, True]),
    (("formulas", 0), "x"), (("formulas", 0), "(== y:i32 0:i32)"), (("formulas", 0), 7), (("formulas",), {}),
    (("pairs", 0), [0, 1, 1, 0]), (("pairs", 0), [0, 1, 2, 0, [[0]]]), (("pairs", 0), [0, 1, 1, 1, [[0]]]), (("pairs", 0), [0, 1, 1, 0, [[2]]]),
    (("pairs", 0), [0, 1, 1, 0, [0]]), (("pairs", 0), [0, 1, 1, 0, [[-1]]]), (("pairs",), [[0, 1, 1, 0, [[0]]], [0, 1, 1, 0, [[1]]]]),
    (("classes", 0), [0, 0]),  # then the row is about a class without locations
    (("more",), []), (("every",), [[0, 1, 1, 0, [[0], [1]]]]),
    (("counting",), [{"expr": "x:i32", "weights": [[0, 1]]}]), (("counting",), [{"expr": "x:i32", "weights": [[0, 1], [1, 1]]}]),
    (("counting",), [{"expr": "x:i32", "weights": [[0, 1 << 31], [1]]}]), (("counting",), [{"expr": "(== x:i32 0:i32)", "weights": [[0, 0], [1]]}]),
])
def test_what_is_not_in_range_is_malformed(path: tuple[Any, ...], value: object) -> None:
    with pytest.raises(Malformed):
        read_body(P, changed(path, value))


@pytest.mark.parametrize("key", ["classes", "formulas", "pairs"])
def test_nothing_may_be_missing(key: str) -> None:
    with pytest.raises(Malformed):
        read_body(P, {k: v for k, v in BODY.items() if k != key})


def test_triples_are_in_order() -> None:
    body = {"classes": [[0, 1], [0]], "formulas": ["(== x:i32 0:i32)"], "triples": [[0, 0, 0, 1, 1, 0, [[0]]]]}
    assert list(read_triples(P, body).triples) == [(0, 0, 0, 1, 1, 0)]
    with pytest.raises(Malformed):
        read_triples(P, {**body, "triples": [[0, 1, 0, 0, 1, 0, [[0]]]]})
