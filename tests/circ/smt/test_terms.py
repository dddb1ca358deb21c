"""Connectives mean what they say, with no part, one and several; renaming replaces constants and nothing else."""

from __future__ import annotations

from itertools import product

from circ.smt import (
    Encoder,
    SatResult,
    Solver,
    Term,
    boolean,
    conjunction,
    disjunction,
    element,
    equality,
    implication,
    is_negation,
    key,
    negation,
    rename,
    select,
    without_stores,
)
from frontend.program import Scalar, Variable

P = [boolean(f"p{i}") for i in range(3)]
BYTE = Scalar(8, False)


def holds(term: Term, values: tuple[bool, ...]) -> bool:
    solver = Solver()
    solver.add(*(p if v else negation(p) for p, v in zip(P, values, strict=False)), term)
    return solver.check() is SatResult.SAT


def test_connectives_against_their_truth_tables() -> None:
    for n in range(4):
        for values in product((False, True), repeat=n):
            assert holds(conjunction(P[:n]), values) == all(values)
            assert holds(disjunction(P[:n]), values) == any(values)
    for a, b in product((False, True), repeat=2):
        assert holds(implication(P[0], P[1]), (a, b)) == (not a or b)
        assert holds(equality(P[0], P[1]), (a, b)) == (a == b)


def test_negations_are_told_apart_and_equal_terms_have_one_key() -> None:
    assert is_negation(negation(P[0])) and not is_negation(P[0])
    assert key(conjunction(P)) == key(conjunction(list(P)))
    assert key(conjunction(P)) != key(disjunction(P))


def test_renaming() -> None:
    assert str(rename(conjunction(P[:2]), [(P[0], P[2])])) == "And(p2, p1)"


def test_elements_of_arrays() -> None:
    for ints in ("exact", "math"):
        encoder = Encoder(ints)
        array = encoder.array_of(Variable("a", BYTE, length=4), 5, [(2, 9)])
        index = encoder.constant(2, Scalar(64, False))
        for term, value in ((select(array, 2, encoder.math), 9), (select(array, 1, encoder.math), 5), (element(array, index), 9)):
            for same in (term, without_stores(term)):
                solver = Solver()
                assert solver.check() is SatResult.SAT
                assert solver.evaluate(same) == value
