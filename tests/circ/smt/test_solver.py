"""The solver's answers: an effort that is spent is neither yes nor no, and what was asked before changes nothing that is asked apart."""

from __future__ import annotations

from circ.smt import Encoder, SatResult, Solver, Term, boolean, conjunction, decide_apart, disjunction, equality, negation
from frontend.program import Scalar, Variable

WORD = Scalar(32, False)


def hard() -> Term:
    """Factors of a product of two primes: satisfiable, but not with little effort."""
    encoder = Encoder("exact")
    wide = Scalar(64, False)
    x, y = (encoder.symbol(Variable(name, wide)) for name in "xy")
    small = [v < encoder.constant(1 << 31, wide) for v in (x, y)] + [v > encoder.constant(1, wide) for v in (x, y)]
    return conjunction((*small, equality(x * y, encoder.constant(2147483587 * 2147483579, wide))))


def test_spent_effort_is_unknown() -> None:
    solver = Solver(effort=1000)
    solver.add(hard())
    assert solver.check() is SatResult.UNKNOWN
    assert decide_apart((hard(),), 1000) is SatResult.UNKNOWN


def test_yes_no_and_the_queries_are_counted() -> None:
    solver, p = Solver(), boolean("p")
    assert solver.check(p) is SatResult.SAT
    solver.push()
    solver.add(negation(p))
    assert solver.check(p) is SatResult.UNSAT
    solver.pop()
    assert solver.check(p) is SatResult.SAT
    assert solver.queries == 3


def test_apart_is_about_these_terms_alone() -> None:
    p = boolean("p")
    solver = Solver()
    solver.add(negation(p))
    assert solver.check() is SatResult.SAT
    assert decide_apart((p,), 100_000) is SatResult.SAT
    assert decide_apart((p, negation(p)), 100_000) is SatResult.UNSAT


def test_the_core_names_what_was_used() -> None:
    solver, p, q = Solver(), boolean("p"), boolean("q")
    solver.add(negation(p))
    assert solver.check(p, q) is SatResult.UNSAT
    assert [str(t) for t in solver.core()] == ["p"]


def test_consequences_are_literals_that_follow() -> None:
    solver, p, q, r = Solver(), boolean("p"), boolean("q"), boolean("r")
    solver.add(disjunction((negation(p), q)))
    answer, found = solver.consequences((p,), (q, r))
    assert answer is SatResult.SAT
    assert [str(t) for t in found] == ["q"]


def test_values_of_a_model() -> None:
    encoder, solver = Encoder("exact"), Solver()
    x = encoder.symbol(Variable("x", WORD))
    solver.add(equality(x, encoder.constant(7, WORD)))
    assert solver.check() is SatResult.SAT
    assert (solver.evaluate(x), solver.evaluate(equality(x, x))) == (7, 1)
