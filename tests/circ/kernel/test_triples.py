"""Proofs about three threads at once: what pairs cannot tell, and every obligation that they stand on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from circ.counting.local_states import LocalStates
from circ.counting.local_tuples import CannotExpress
from circ.counting.tuple_proof import by_pairs, by_triples
from circ.inference import counter_guided
from circ.kernel.certificate import check_certificate
from circ.kernel.outcome import Accepted, Refused
from circ.kernel.pair_bodies import read_triples
from circ.kernel.prover import Obligation
from circ.kernel.triples import TriplesCheck
from circ.search import explicit
from circ.verdict import Assertions, Certificate, Options, Question, RaceOn, Refuted, Safe, silent
from frontend.program import Program
from tests.support.build import program, thread

X = RaceOn("x")
TRUE: list[list[int]] = [[]]


def seats(last: int, **more: Any) -> Program:
    """Up to `last` threads may sit; whoever finds nobody sitting works alone."""
    return program("x n:u8 busy:u1",
                   thread("sitter", f"!0 1 [busy == 0]; [n < {last}]; n = n + 1 / 1 2 l = x / !2 0 n = n - 1", "l", **more),
                   thread("worker", "!0 1 [busy == 0]; [n == 0]; busy = 1 / 1 2 x = 1 / !2 0 busy = 0"))


def judged(p: Program, question: Question, rows: list[list[Any]], formulas: tuple[str, ...] = ()) -> object:
    classes = [list(range(t.cfa.size)) for t in p.templates]
    body = {"classes": classes, "formulas": list(formulas), "triples": rows}
    return check_certificate(p, question, Certificate(p.fingerprint(), question, "triples", body))


def test_three_threads_tell_what_two_do_not() -> None:
    p = seats(2)
    states = LocalStates(p, X, Options())
    with pytest.raises(CannotExpress):
        by_pairs(states, lambda: None)
    certificate = by_triples(states, lambda: None)
    assert isinstance(check_certificate(p, X, certificate), Accepted)
    verdict = counter_guided.answer(p, X, Options())
    assert isinstance(verdict, Safe) and verdict.certificate.kind == "triples"


def test_a_proof_does_not_carry_over_to_more_seats() -> None:
    """The triples of two seats are not closed with three, and those of three show what only four threads exclude."""
    few, many = seats(2), seats(3)
    body = by_triples(LocalStates(few, X, Options()), lambda: None).body
    assert isinstance(check_certificate(many, X, Certificate(many.fingerprint(), X, "triples", body)), Refused)
    with pytest.raises(CannotExpress, match="fourth"):
        by_triples(LocalStates(many, X, Options()), lambda: None)


def places(p: Program) -> list[list[int]]:
    return [[t, q] for t, template in enumerate(p.templates) for q in range(template.cfa.size)]


def everywhere(p: Program) -> list[list[Any]]:
    """The certificate that says nothing."""
    spots = places(p)
    return [[*a, *b, *c, TRUE] for i, a in enumerate(spots) for j, b in enumerate(spots[i:], i) for c in spots[j:]]


RACY = program("x", thread("w", "0 1 / 1 0 x = 1"))
WRONG = program("x", thread("w", "0 1 / 1 2", errors=[2]))
RELAY = program("x g:u8", thread("a", "0 1 g = 1", count=1), thread("b", "0 1 [g == 1]; g = 2", count=1),
                thread("c", "0 1 [g == 2] / 1 2 x = 1", count=1), thread("d", "0 1 [g == 2] / 1 2 x = 1", count=1))
"""Racy, but only with all four of them."""
STAGES = ("(== g:u8 0:u8)", "(== g:u8 1:u8)", "(== g:u8 2:u8)", "(<= g:u8 1:u8)")
SHORT: list[list[Any]] = [[0, 0, 2, 0, 3, 0, [[3]]], [0, 1, 2, 0, 3, 0, [[3]]], [1, 0, 2, 0, 3, 0, [[0]]]]
SHORT += [[0, min(g, 1), 1, max(g - 1, 0), n, q, [[g]]] for n in (2, 3) for g, q in ((0, 0), (1, 0), (2, 0), (2, 1), (2, 2))]
CASES: dict[str, tuple[Program, Question, list[list[Any]], tuple[str, ...]]] = {
    "Init": (RACY, X, [], ()),
    "S": (RACY, X, [[0, 0, 0, 0, 0, 0, TRUE]], ()),
    "T": (RELAY, X, SHORT, STAGES),
    "Race": (RACY, X, everywhere(RACY), ()),
    "Error": (WRONG, Assertions(), everywhere(WRONG), ()),
}


@pytest.mark.parametrize("name", CASES)
def test_without_any_obligation_a_wrong_program_is_accepted(name: str) -> None:
    class Lacking(TriplesCheck):
        def induction(self) -> Iterator[Obligation]:
            return (o for o in super().induction() if o.name != name)

        def exclusion(self, question: Question) -> Iterator[Obligation]:
            return (o for o in super().exclusion(question) if o.name != name)

    p, question, rows, formulas = CASES[name]
    assert isinstance(explicit.answer(p, question, Options(), silent), Refuted)
    found = judged(p, question, rows, formulas)
    assert isinstance(found, Refused) and found.obligation == name, found
    body = {"classes": [list(range(t.cfa.size)) for t in p.templates], "formulas": list(formulas), "triples": rows}
    assert isinstance(Lacking(p, read_triples(p, body)).outcome(question), Accepted)


def test_who_is_waited_for_must_exist() -> None:
    """A thread that waits for workers to be done goes on at once if there are none."""
    p = program("x", thread("main", "0 1 all w 1 / 1 2 x = 1", count=1), thread("o", "0 1 x = 2", count=1),
                thread("w", "0 1 [1 == 0]"))
    rows: list[list[Any]] = [[0, 0, 1, q, 2, 0, TRUE] for q in (0, 1)]
    rows += [[n, q, 2, 0, 2, 0, TRUE] for n, qs in ((0, (0,)), (1, (0, 1))) for q in qs] + [[2, 0, 2, 0, 2, 0, TRUE]]
    found = judged(p, X, sorted(rows))
    assert isinstance(found, Refused) and "need not exist" in found.detail


@pytest.mark.parametrize("p, rows, reason", [
    (program("x", thread("w", "0 1 x = 1", count=2)), [], "fewer than three"),
    (program("x", thread("w", "0 1 x = 1", "me:u1=self")), [], "three numbers"),
    (program("x", thread("w", "0 1 / 1 2 x = 1 / 2 0", atomic=[1, 2])), [], "without atomic"),
    (RACY, [[0, 1, 0, 0, 0, 0, TRUE]], "not in order"),
], ids=["count", "numbers", "atomic", "order"])
def test_what_is_no_proof_by_triples(p: Program, rows: list[list[Any]], reason: str) -> None:
    found = judged(p, X, rows)
    assert isinstance(found, Refused) and reason in found.detail, found
