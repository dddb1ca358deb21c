"""Splitting counted templates into single threads keeps the runs, and proofs and traces about it speak of the program."""

from __future__ import annotations

import pytest

from circ.engines.auto import told_apart
from circ.kernel.certificate import check_certificate
from circ.kernel.outcome import Accepted, Refused
from circ.kernel.replay import Replayed, replay
from circ.search.explicit import oracle
from circ.verdict import Certificate, Options, RaceOn, Refuted, Safe, silent
from circ.views.copies import copy_of, one_by_one
from frontend.program import Self
from tests.support.build import program, thread
from tests.support.randomc.automata import random_program

FLAGS = """
    0 1 flag[self] = 1
    1 2 turn = 1 - self
    2 3 t = flag[1 - self]
    3 5 [t == 0]
    3 4 [t != 0]
    4 5 [turn == self]
    4 2 [turn != self]
    5 6 x = 1
    6 0 flag[self] = 0
"""
PETERSON = program("x turn flag[2]", thread("p", FLAGS, locals="self=self t=*", count=2))
BROKEN = program("x turn flag[2]", thread("p", FLAGS.replace("1 2 turn = 1 - self", "1 2 turn = self"),
                                          locals="self=self t=*", count=2))


def test_each_copy_has_its_number_as_a_constant() -> None:
    split = one_by_one(PETERSON)
    assert [(t.name, t.count) for t in split.templates] == [("p[0]", 1), ("p[1]", 1)]
    assert not any(isinstance(v.start, Self) for t in split.templates for v in t.locals)
    assert "self" not in " ".join(str(e) for t in split.templates for e in t.cfa.edges)
    assert copy_of(PETERSON, "p[1]") == ("p", 1) and copy_of(PETERSON, "main") == ("main", None)


def test_nothing_to_split() -> None:
    p = program("x", thread("w", "0 0 x = 1"), thread("m", "0 0 x = 2", count=1))
    assert one_by_one(p) is p


def test_waiting_for_the_others_of_a_template_is_waiting_for_each_of_them() -> None:
    p = program("x", thread("w", "0 1 all w 0 2 / 1 2 x = 1", count=3), thread("m", "0 1 all w 2 / 1 2 x = 2", count=1))
    split = one_by_one(p)
    assert "w[1]" in str(split.template("w[0]").cfa.edges[0]) and "w[0]" not in str(split.template("w[0]").cfa.edges[0].op)
    for q in ("x",):
        assert oracle(p, RaceOn(q), 0) == oracle(split, RaceOn(q), 0)


@pytest.mark.parametrize("seed", range(120))
def test_the_split_program_has_the_same_races(seed: int) -> None:
    p = random_program(seed, bounded=True)
    for v in p.shared:
        whole, split = (oracle(each, RaceOn(v.name), 0, 20_000) for each in (p, one_by_one(p)))
        assert whole == split or None in (whole, split)  # without symmetry the split one may be too large to search


def test_a_proof_about_the_copies_is_one_about_the_program() -> None:
    q = RaceOn("x")
    verdict = told_apart(PETERSON, q, Options(), silent)
    assert isinstance(verdict, Safe) and verdict.certificate.kind == "one-by-one"
    assert isinstance(check_certificate(PETERSON, q, verdict.certificate), Accepted)
    # The same proof is no proof of the broken protocol, nor of more threads.
    body = verdict.certificate.body
    assert isinstance(check_certificate(BROKEN, q, Certificate(BROKEN.fingerprint(), q, "one-by-one", body)), Refused)


def test_a_race_of_the_copies_is_one_of_the_program() -> None:
    q = RaceOn("x")
    verdict = told_apart(BROKEN, q, Options(), silent)
    assert isinstance(verdict, Refuted)
    assert isinstance(replay(BROKEN, verdict.trace), Replayed)


@pytest.mark.parametrize("body", [{}, {"kind": "pairs"}, {"kind": 1, "body": {}}, {"kind": "pairs", "body": []},
                                  {"kind": "one-by-one", "body": {"kind": "protected", "body": {}}}, {"kind": "no", "body": {}}])
def test_hostile_bodies_are_refused(body: dict[str, object]) -> None:
    q = RaceOn("x")
    assert isinstance(check_certificate(PETERSON, q, Certificate(PETERSON.fingerprint(), q, "one-by-one", body)), Refused)
