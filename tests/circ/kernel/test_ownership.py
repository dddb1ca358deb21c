"""Proofs by ownership: what the kernel reads and relies on, and that no altered proof is accepted of a program that races."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from circ.kernel.other_kinds import check_any_kind
from circ.kernel.outcome import Accepted, Outcome, Refused
from circ.kernel.ownership import MINE, TORN, Fact, Lifetimes, Shape, entails
from circ.static.ownership import Ownership
from circ.verdict import Assertions, Certificate, ProofKind, Question, RaceOn
from frontend import loads
from frontend.program import Program

TEXT = """#include <pthread.h>
#include <stdlib.h>
struct node { int v; struct node *next; } *head, *tail;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *maker(void *a) {
  for (int i = 0; i < 3; i++) {
    struct node *p = malloc(sizeof *p);
    if (!p) return 0;
    p->v = 0; p->next = 0;
    pthread_mutex_lock(&m);
    if (tail) tail->next = p; else head = p;
    tail = p;
    pthread_mutex_unlock(&m);
  }
  return 0;
}
void *taker(void *a) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&m);
    struct node *q = head;
    if (q) { TAKE; if (!head) tail = 0; }
    pthread_mutex_unlock(&m);
    if (q) q->v++;
  }
  return 0;
}
int main(void) {
  pthread_t x, y;
  pthread_create(&x, 0, maker, 0);
  pthread_create(&y, 0, taker, 0);
  OTHER;
  pthread_join(x, 0);
  pthread_join(y, 0);
  return 0;
}
"""
VARIABLE = "malloc@maker:7.v"


def read(take: str = "head = q->next", other: str = "") -> Program:
    return loads(TEXT.replace("TAKE", take).replace("OTHER", other))


GOOD = read()


def judged(program: Program, body: Any, question: Question | None = None) -> Outcome:
    asked = question or RaceOn(VARIABLE)
    return check_any_kind(program, asked, Certificate(program.fingerprint(), asked, ProofKind.OWNERSHIP, body))


@pytest.fixture(scope="module")
def body() -> dict[str, Any]:
    found = Ownership(GOOD).body(VARIABLE)
    assert found is not None
    written: dict[str, Any] = json.loads(json.dumps(found))
    return written


def test_a_proof_is_accepted_as_it_comes_from_a_file(body: dict[str, Any]) -> None:
    assert isinstance(judged(GOOD, body), Accepted)
    assert isinstance(judged(GOOD, body, RaceOn("malloc@maker:7.next")), Accepted)
    assert isinstance(judged(GOOD, body, RaceOn("head")), Refused)
    assert isinstance(judged(GOOD, body, Assertions()), Refused)


@pytest.mark.parametrize("key", ["sites", "links", "arrays", "locks", "slots", "starts", "cases"])
@pytest.mark.parametrize("value", [None, 7, "x", [7], [[7]], [[[]]], [["m", None]], [[-1, 2, 3]], {"a": 1}])
def test_what_is_no_proof_is_refused(body: dict[str, Any], key: str, value: object) -> None:
    assert isinstance(judged(GOOD, {**body, key: value}), Refused)
    assert isinstance(judged(GOOD, {k: v for k, v in body.items() if k != key}), Refused)


def altered(body: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    copied = copy.deepcopy(body)
    change(copied)
    return copied


def each_case(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], object]:
    return lambda b: [change(case) for rows in b["cases"] for _, case in rows]


ALTERED: dict[str, Callable[[dict[str, Any]], object]] = {
    "another stride": lambda b: b["sites"][0].__setitem__(1, 64),
    "another first number": lambda b: b["sites"][0].__setitem__(4, b["sites"][0][4] + 1),
    "a counter that is none": lambda b: b["sites"][0].__setitem__(3, "head"),
    "the same site twice": lambda b: b["sites"].append(b["sites"][0]),
    "the link is not counted": lambda b: b["links"].clear(),
    "no root": lambda b: b["locks"][0][2].clear(),
    "the tail is a root": lambda b: b["locks"][0][2].append(["tail", 0]),
    "no invariant": lambda b: b["locks"][0][3].clear(),
    "an invariant without the empty list": lambda b: b["locks"][0][3].pop(0),
    "no cases": lambda b: b["cases"][2].clear(),
    "a case less": lambda b: b["cases"][2].pop(),
    "nobody holds a lock": each_case(lambda c: c["held"].clear()),
    "all is known to be null": each_case(lambda c: [f.__setitem__(1, True) for f in c["facts"]]),
    "all is the thread's own": each_case(lambda c: [f.__setitem__(5, None) or f.__setitem__(6, f[0]) for f in c["facts"]]),
    "all lies nowhere": each_case(lambda c: [f.__setitem__(5, []) for f in c["facts"]]),
    "nothing is cut": each_case(lambda c: c["cuts"].clear()),
    "no thread runs": each_case(lambda c: c.__setitem__("dead", [0, 1, 2])),
}


@pytest.mark.parametrize("change", ALTERED.values(), ids=list(ALTERED))
def test_an_altered_proof_is_refused(body: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> None:
    new = altered(body, change)
    if new != body:
        assert isinstance(judged(GOOD, new), Refused)


RACY = {
    "only looked at": read("q = head"),
    "unlinked sometimes": read("if (i) head = q->next"),
    "its successor is taken, too": read("head = q->next; q = q->next ? q->next : q"),
    "main looks on": read(other="struct node *s = head; if (s) s->v = 1"),
    "main takes without the lock": read(other="struct node *s = head; if (s) { head = s->next; s->v = 1; }"),
}


@pytest.mark.parametrize("program", RACY.values(), ids=list(RACY))
def test_no_altered_proof_is_accepted_of_a_program_that_races(body: dict[str, Any], program: Program) -> None:
    """The cases of a program without a race, put together at random for another one of nearly the same steps."""
    rng = random.Random(7)
    own = Ownership(program)
    assert own.body(VARIABLE) is None
    assert isinstance(judged(program, body), Refused)
    for _ in range(25):
        new = copy.deepcopy(body)
        cases = [case for rows in new["cases"] for _, case in rows]
        for rows, t in zip(new["cases"], program.templates, strict=True):
            have = [case for _, case in rows]
            rows += [[q, rng.choice(have)] for q in range(t.cfa.size) for _ in range(4)] if have else []
            rows[:] = [[q, case] for q, case in rows if q < t.cfa.size]
        for _ in range(rng.randint(0, 3)):
            case = copy.deepcopy(rng.choice(cases))
            if case["facts"]:
                rng.choice(case["facts"])[5:] = rng.choice(([None, 1], [[], None], [[["", "mine"]], None], [[["head", ""]], None]))
            new["cases"][rng.randrange(3)].append([rng.randrange(8), case])
        assert isinstance(judged(program, new), Refused)


def test_lives_are_told_by_flags() -> None:
    lives = Lifetimes(GOOD)
    assert lives.starter == 0 and lives.others == {1, 2} and set(lives.done.values()) == {1, 2}
    assert lives.alone(0, frozenset((1, 2))) and not lives.alone(0, frozenset((1,))) and not lives.alone(1, frozenset((1, 2)))


def shape(facts: dict[int, Fact], **more: Any) -> Shape:
    return Shape(env={chr(ord("a") + s): (s, 0) for s in facts}, facts=facts, top=max(facts, default=0), **more)


@pytest.mark.parametrize(("strong", "weak", "holds"), [
    (shape({0: Fact(null=True)}), shape({0: Fact()}), True),
    (shape({0: Fact()}), shape({0: Fact(null=True)}), False),
    (shape({0: Fact(group=1)}), shape({0: Fact(reach=frozenset((MINE,)))}), True),
    (shape({0: Fact(reach=frozenset((MINE,)))}), shape({0: Fact(group=1)}), False),
    (shape({0: Fact(group=1), 1: Fact(group=2)}), shape({0: Fact(group=1), 1: Fact(group=1)}), True),
    (shape({0: Fact(group=1), 1: Fact(group=1)}), shape({0: Fact(group=1), 1: Fact(group=2)}), False),
    (shape({0: Fact(group=1)}, cuts={1: frozenset(("f",))}), shape({0: Fact(group=1)}), False),
    (shape({0: Fact(group=1)}, cuts={1: frozenset(("f",))}), shape({0: Fact(reach=frozenset((MINE,)))}), False),
    (shape({0: Fact(group=1)}, cuts={1: frozenset(("f",))}), shape({0: Fact(reach=frozenset((MINE, TORN)))}), True),
    (shape({0: Fact(group=1), 1: Fact(reach=frozenset((MINE,)))}, cells={(0, "f"): (1, 0)}),
     shape({0: Fact(group=1), 1: Fact(group=2)}, cuts={1: frozenset(("f",))}), True),
    (shape({0: Fact(group=1), 1: Fact(reach=frozenset((MINE,)))}, cells={(0, "f"): (1, 0)}),
     shape({0: Fact(group=1), 1: Fact(group=2)}), False),
    (shape({0: Fact()}, held=frozenset((("m", ""),))), shape({0: Fact()}), False),
    (shape({0: Fact()}, dead=frozenset((1,))), shape({0: Fact()}), False),
])
def test_what_entails_what(strong: Shape, weak: Shape, holds: bool) -> None:
    assert entails(strong, weak) is holds
