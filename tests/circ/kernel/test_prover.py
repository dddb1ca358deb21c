"""Obligations are accepted only if they hold: one that does not is found in any batch, and spent effort accepts nothing."""

from __future__ import annotations

import pytest
import z3

from circ.kernel import prover
from circ.kernel.prover import Obligation, Prover
from circ.smt import SatResult, Solver, Term, boolean, conjunction, disjunction, implication, negation

P = [boolean(f"p{i}") for i in range(60)]


def holds(i: int) -> Obligation:
    return Obligation(f"good {i}", (P[i], implication(P[i], P[i + 1])), P[i + 1])


def fails(i: int) -> Obligation:
    return Obligation(f"bad {i}", (P[i],), P[i + 1])


@pytest.mark.parametrize("batch", [1, 3, 48])
def test_the_first_failure_is_found_wherever_it_stands(batch: int) -> None:
    assert Prover(batch).first_failure(map(holds, range(50))) is None
    for at in (0, 2, 3, 48, 49):
        failure = Prover(batch).first_failure([*map(holds, range(at)), fails(at), *map(holds, range(at, 50)), fails(7)])
        assert failure is not None and failure.obligation.name == f"bad {at}" and failure.answer is SatResult.SAT


def test_what_is_plain_takes_no_query() -> None:
    p = Prover()
    plain = [Obligation("false", (disjunction(()),), P[0]), Obligation("same", (P[0],), P[0]), Obligation("true", (), conjunction(()))]
    assert p.first_failure(plain) is None and p.queries == 0


def test_a_failure_is_not_remembered_as_proved() -> None:
    p = Prover()
    for _ in range(2):
        assert p.first_failure([holds(0), fails(1)]) is not None
    assert p.first_failure([holds(0)]) is None


def test_each_is_asked_once() -> None:
    p = Prover()
    assert p.first_failure([holds(0)] * 5) is None
    asked = p.queries
    assert p.first_failure([holds(0)]) is None and p.queries == asked


def test_unknown_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(*_: Term) -> SatResult:
        return SatResult.UNKNOWN

    monkeypatch.setattr(Solver, "check", gives_up)
    monkeypatch.setattr(prover, "decide_apart", gives_up)
    failure = Prover().first_failure([holds(0), holds(1)])
    assert failure is not None and failure.answer is SatResult.UNKNOWN


def test_a_violation_is_the_hypotheses_without_the_goal() -> None:
    solver = Solver()
    solver.add(*fails(0).violation)
    assert solver.check(negation(P[1]), P[0]) is SatResult.SAT
    assert solver.check(P[1]) is SatResult.UNSAT


def test_quotients_that_matter_are_looked_at() -> None:
    """What does not follow for any function may follow for the quotient, and the other way about nothing is believed."""
    x = z3.BitVec("x", 16)
    half = Obligation("half", (z3.ULT(x, 10),), z3.ULT(z3.UDiv(x, z3.BitVecVal(2, 16)), 5))
    wrong = Obligation("wrong", (z3.ULT(x, 10),), z3.ULT(z3.UDiv(x, z3.BitVecVal(2, 16)), 4))
    for batch in (1, 12):
        assert Prover(batch).first_failure([half]) is None
        failure = Prover(batch).first_failure([half, wrong])
        assert failure is not None and failure.obligation is wrong


def test_batches_grow_again(monkeypatch: pytest.MonkeyPatch) -> None:
    p = Prover(16)
    hard = iter([SatResult.UNKNOWN])
    decide = Prover._decide
    monkeypatch.setattr(Prover, "_decide", lambda self, cases: next(hard, None) or decide(self, cases))
    assert p.first_failure(map(holds, range(16))) is None and p._size == 4
    assert p.first_failure(map(holds, range(16, 59))) is None and p._size == 16


def test_what_follows_from_few_hypotheses_is_asked_once_for_all_that_have_them() -> None:
    """The others only make obligations different; where they matter they are looked at, and none is proved without them."""
    p = Prover(1)
    many = [Obligation(f"{i}", (P[0], implication(P[0], P[1]), P[i]), P[1]) for i in range(2, 50)]
    few = [Obligation(o.name, (disjunction((P[0], P[1])), *o.hypotheses[1:]), conjunction((P[0], P[1]))) for o in many]
    assert p.first_failure(Obligation(o.name, o.hypotheses, disjunction((P[0], P[1]))) for o in many) is None and p.queries == 1
    failure = Prover(1).first_failure(few)
    assert failure is not None and failure.obligation.name == "2" and failure.answer is SatResult.SAT
    needed = Obligation("far", (P[0], implication(P[0], P[2]), implication(P[2], P[1])), P[1])
    assert Prover(1).first_failure([needed]) is None
    lost = Obligation("lost", (P[0], implication(P[2], P[1])), P[1])
    for order in ([needed, lost], [lost, needed], [*many, lost]):
        failure = Prover(1).first_failure(order)
        assert failure is not None and failure.obligation is lost
