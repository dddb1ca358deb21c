"""Connectives mean what they say, with no part, one and several; renaming replaces constants and nothing else."""

from __future__ import annotations

import random
from itertools import product

import z3

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
    loosened,
    names,
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


def test_what_has_no_quotient_stays_the_very_term() -> None:
    x = z3.BitVec("x", 8)
    for term in (P[0], x * 3 == x + 1, z3.ULT(x, 7), z3.ForAll([x], z3.UDiv(x, 3) < 9)):
        assert loosened(term) is term


def test_loosened_terms_allow_all_that_terms_do() -> None:
    rng = random.Random(3)
    x, y = z3.BitVecs("x y", 8)
    operations = (z3.UDiv, z3.URem, lambda a, b: a / b, z3.SRem, lambda a, b: a % b)
    satisfiable = looser = 0

    def number(depth: int) -> Term:
        if depth == 0 or rng.random() < 0.2:
            return rng.choice((x, y, z3.BitVecVal(rng.randrange(256), 8)))
        if rng.random() < 0.6:
            by = rng.choice((z3.BitVecVal(rng.choice((0, 1, 3, 7, 12, 200)), 8), y))
            return rng.choice(operations)(number(depth - 1), by)
        return rng.choice((lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b))(number(depth - 1), number(depth - 1))

    for _ in range(300):
        term = rng.choice((z3.ULT, lambda a, b: a < b, lambda a, b: a == b, lambda a, b: a != b))(number(3), number(3))
        exact, loose = Solver(), Solver()
        exact.add(term, z3.ULE(x, 40))
        loose.add(loosened(term), z3.ULE(x, 40))
        answers = exact.check(), loose.check()
        satisfiable += answers[0] is SatResult.SAT
        looser += answers == (SatResult.UNSAT, SatResult.SAT)
        assert answers[0] is not SatResult.SAT or answers[1] is SatResult.SAT, term
    assert satisfiable > 100 and looser > 5


def test_equal_addresses_have_equal_elements_and_small_ones_small_indices() -> None:
    p, q, i, j = z3.BitVecs("p q i j", 64)
    size, row, first = 312, 100, 1 << 20
    near = [z3.ULT(a - first, size * 64) for a in (p, q)] + [z3.ULT(k, row) for k in (i, j)]
    at = [z3.UDiv(a - first, z3.BitVecVal(size, 64)) for a in (p, q)]
    solver = Solver(1_000_000)
    solver.push()
    solver.add(*map(loosened, [*near, at[0] != at[1], at[0] * row + i == at[1] * row + j]))
    assert solver.check() is SatResult.UNSAT


def test_names_are_those_without_a_meaning_of_their_own() -> None:
    x, y = z3.BitVecs("x y", 8)
    memory = z3.Array("m", z3.BitVecSort(64), z3.BitVecSort(8))
    at = z3.BitVecVal(3, 64)
    assert names(x + 1 == y) == names(z3.And(x == 0, y == 1)) == names(x) | names(y) and len(names(x)) == 1
    assert names(element(memory, at) == x) == names(memory) | names(x)
    assert names(x == x) == names(x) and names(conjunction(())) == frozenset() == names(z3.BitVecVal(1, 8) == 2)
    assert not names(x) & names(y) and names(loosened(z3.UDiv(x, y) == 1)) > names(x) | names(y)
