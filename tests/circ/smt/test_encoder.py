"""Arithmetic as the solver sees it: shortcuts for division by constants mean the same as division."""

from __future__ import annotations

import pytest

from circ.smt import Encoder, SatResult, Solver, conjunction, equality, negation
from frontend.program import Binary, Const, Expr, Read, Scalar, Var, Variable

BYTE = Scalar(8, False)
X = Read(Var("x", BYTE))


@pytest.mark.parametrize("op", ["/", "%"])
@pytest.mark.parametrize("divisor", [1, 2, 3, 4, 6, 8, 128, 255])
@pytest.mark.parametrize("offset", [0, 1, 8, 24, 128])
def test_division_by_constants(op: str, divisor: int, offset: int) -> None:
    encoder = Encoder("exact")
    symbol = encoder.symbol(Variable("x", BYTE))
    a: Expr = Binary("-", X, Const(offset, BYTE)) if offset else X
    term = encoder.value(Binary(op, a, Const(divisor, BYTE)), {"x": symbol})
    for x in (0, 1, 7, 8, 9, 23, 24, 127, 128, 129, 254, 255):
        left = (x - offset) % 256
        result = left // divisor if op == "/" else left % divisor
        solver = Solver()
        solver.add(conjunction((equality(symbol, encoder.constant(x, BYTE)),
                                negation(equality(term, encoder.constant(result, BYTE))))))
        assert solver.check() is SatResult.UNSAT, x


@pytest.mark.parametrize("op", ["/", "%"])
def test_division_by_zero_has_some_value(op: str) -> None:
    encoder = Encoder("exact")
    term = encoder.value(Binary(op, X, Const(0, BYTE)), {"x": encoder.symbol(Variable("x", BYTE))})
    solver = Solver()
    solver.add(equality(term, term))
    assert solver.check() is SatResult.SAT
