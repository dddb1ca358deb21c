"""Deciding terms. Trusted: the kernel accepts an obligation because its negation is UNSAT here, and for no other answer."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence

import z3

from circ.smt.terms import Term


class SatResult(enum.Enum):
    """Whether terms can hold together; UNKNOWN (the effort was spent) is never read as UNSAT."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


class Solver:
    """An incremental solver with a deterministic effort limit for each query; counts its queries."""

    def __init__(self, effort: int = 20_000_000) -> None:
        self._solver = z3.Solver()
        self._solver.set("rlimit", effort)
        self._solver.set("random_seed", 7)
        self.queries = 0

    def add(self, *terms: Term) -> None:
        self._solver.add(*terms)

    def push(self) -> None:
        self._solver.push()

    def pop(self) -> None:
        self._solver.pop()

    def check(self, *assumptions: Term) -> SatResult:
        self.queries += 1
        answer = self._solver.check(*assumptions)
        if answer == z3.sat:
            return SatResult.SAT
        return SatResult.UNSAT if answer == z3.unsat else SatResult.UNKNOWN

    def core(self) -> list[Term]:
        """After UNSAT: the assumptions that were used."""
        return list(self._solver.unsat_core())

    def evaluate(self, term: Term) -> int:
        """After SAT: the value of a scalar term in the model, as an unsigned number (or an integer for `math`)."""
        value = self._solver.model().eval(term, model_completion=True)
        if z3.is_true(value) or z3.is_false(value):
            return int(z3.is_true(value))
        return int(value.as_long())

    def consequences(self, assumptions: Sequence[Term], literals: Sequence[Term]) -> tuple[SatResult, list[Term]]:
        """The literals (or negations of them) that follow from what is asserted and assumed."""
        self.queries += 1
        answer, implied = self._solver.consequences(list(assumptions), list(literals))
        if answer == z3.sat:
            return SatResult.SAT, [c.arg(1) if z3.is_implies(c) else c for c in implied]
        return (SatResult.UNSAT if answer == z3.unsat else SatResult.UNKNOWN), []


def decide_apart(terms: Iterable[Term], effort: int) -> SatResult:
    """Whether the terms can hold together, in a world of their own: what was asked before makes no difference to the effort."""
    context = z3.Context()
    solver = z3.Solver(ctx=context)
    solver.set("rlimit", effort)
    solver.set("random_seed", 7)
    solver.push()  # chooses the solver for many small queries; without it z3 prepares for one large one
    solver.add(*(t.translate(context) for t in terms))
    answer = solver.check()
    if answer == z3.sat:
        return SatResult.SAT
    return SatResult.UNSAT if answer == z3.unsat else SatResult.UNKNOWN
