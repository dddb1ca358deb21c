"""Predicates from infeasible traces: interpolants separate what comes before from what comes after; terms go back to expressions."""

from __future__ import annotations

from circ.smt import Encoder, SatResult, Solver, boolean, conjunction, equality, negation
from circ.smt.interpolation import atomic_conditions, sequence_interpolants
from frontend.program import Binary, Const, Lvalue, Read, Scalar, Var, Variable

BYTE = Scalar(8, False)


def test_interpolants_follow_from_the_start_and_exclude_the_end() -> None:
    encoder = Encoder("math")
    x = [encoder.symbol(Variable("x", BYTE), f"!{i}") for i in range(4)]

    def number(n: int) -> object:
        return encoder.constant(n, BYTE)

    steps = [conjunction((equality(x[0], number(0)), equality(x[1], x[0] + 1))), equality(x[2], x[1] + 1),
             conjunction((equality(x[2], number(7)), equality(x[3], x[2])))]
    found = sequence_interpolants([[v] for v in x], steps)
    assert found is not None
    cuts = [conjunction(()), *found]
    for i, step in enumerate(steps):
        solver = Solver()
        solver.add(cuts[i], step, negation(cuts[i + 1]))
        assert solver.check() is SatResult.UNSAT, i
    solver = Solver()
    solver.add(cuts[-1])
    assert solver.check() is SatResult.UNSAT


def test_a_feasible_trace_has_none() -> None:
    encoder = Encoder("math")
    x = [encoder.symbol(Variable("x", BYTE), f"!{i}") for i in range(2)]
    assert sequence_interpolants([[v] for v in x], [equality(x[1], x[0] + 1)]) is None


def test_terms_back_to_expressions() -> None:
    encoder = Encoder("exact")
    x = Var("x", BYTE)
    terms = {"x": encoder.symbol(Variable("x", BYTE))}

    def known(name: str) -> Lvalue | None:
        return x if name == "x" else None

    wanted = Binary("<", Read(x), Const(3, BYTE))
    assert atomic_conditions(negation(encoder.cond(wanted, terms)), known) == [wanted]
    assert atomic_conditions(boolean("q"), known) == []
    unknown = equality(encoder.symbol(Variable("y", BYTE)), encoder.constant(1, BYTE))
    assert atomic_conditions(conjunction((unknown, encoder.cond(wanted, terms))), known) == [wanted]
