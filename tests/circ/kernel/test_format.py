"""Certificates as hostile input: formulas are read back exactly, and whatever is not well formed is refused, never a crash."""

from __future__ import annotations

import copy
import json
import random
from contextlib import suppress
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from circ.kernel.certificate import Accepted, Outcome, Refused, check_certificate
from circ.kernel.formula import MAX_DEPTH, parse
from circ.kernel.outcome import Malformed
from circ.smt import Encoder, Inexpressible
from circ.verdict import Certificate, RaceOn
from frontend.program import (
    ARITHMETIC,
    BOOL,
    COMPARISONS,
    LOGICAL,
    Binary,
    Cast,
    Const,
    Element,
    Expr,
    Ite,
    Read,
    Scalar,
    Unary,
    Var,
    Variable,
)
from frontend.program.exact import show_exact
from tests.support.build import program, thread

I32, U8, U64 = Scalar(32, True), Scalar(8, False), Scalar(64, False)
TYPES = (BOOL, U8, I32, U64, Scalar(3, True), Scalar(1, True))
SYMBOLS = {v.name: v for v in (
    Variable("x", I32), Variable("w::old@1", I32), Variable("w", U8), Variable("b", BOOL), Variable("s[].f", U8, 4),
    Variable("s", U8, 2), Variable("a<anon 1>.q", U64), Variable("flags", BOOL, 3),
    Variable("n@2", Scalar(3, True)), Variable("z", Scalar(1, True)))}


@cache
def expressions(t: Scalar, depth: int) -> st.SearchStrategy[Expr]:
    leaves: list[st.SearchStrategy[Expr]] = [st.integers(t.low, t.high).map(lambda v: Const(v, t))]
    leaves += [st.just(Read(Var(v.name, t))) for v in SYMBOLS.values() if v.type == t and not v.is_array]
    if depth == 0:
        return st.one_of(leaves)
    same = expressions(t, depth - 1)
    any_ = st.sampled_from(TYPES).flatmap(lambda u: expressions(u, depth - 1))
    parts = [same, st.builds(Unary, st.sampled_from("-~"), same), st.builds(Cast, any_, st.just(t)),
             st.builds(Ite, any_, same, same)]
    parts += [st.builds(lambda i, n=v.name: Read(Element(n, i, t)), any_)
              for v in SYMBOLS.values() if v.type == t and v.is_array]
    if t == BOOL:
        two = st.sampled_from(TYPES).flatmap(lambda u: st.tuples(expressions(u, depth - 1), expressions(u, depth - 1)))
        parts += [st.builds(lambda o, ab: Binary(o, *ab), st.sampled_from(sorted(COMPARISONS)), two),
                  st.builds(Unary, st.just("!"), any_), st.builds(Binary, st.sampled_from(sorted(LOGICAL)), any_, any_),
                  st.builds(Binary, st.sampled_from("&|^"), same, same)]
    else:
        other = st.sampled_from(TYPES[1:]).flatmap(lambda u: expressions(u, depth - 1))
        parts += [st.builds(Binary, st.sampled_from(sorted(ARITHMETIC - {"<<", ">>"})), same, same),
                  st.builds(Binary, st.sampled_from(("<<", ">>")), same, other)]
    return st.one_of(*leaves, *parts)


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(TYPES).flatmap(lambda t: expressions(t, 3)), st.sampled_from(("exact", "math")))
def test_a_formula_is_read_back_as_it_was_and_has_a_meaning(e: Expr, ints: str) -> None:
    again = parse(show_exact(e), SYMBOLS, ints)
    assert again == e
    encoder = Encoder(ints)
    try:
        encoder.cond(again, {v.name: encoder.symbol(v) for v in SYMBOLS.values()}, strict=True)
    except Inexpressible:
        assert ints == "math"


GOOD = "(&& (== x:i32 -5:i32) (! (< w::old@1:i32 (cast i32 s[].f[(+ x:i32 1:i32)]:u8))))"


@pytest.mark.parametrize("text", [
    "", " ", "(", ")", "x", "x:", "x:i31", "x:u32", "y:i32", "x:i32 ", " x:i32", "x:i32)", "(== x:i32 1:i32",
    "(== x:i32  1:i32)",
    "(== x:i32 1:u8)", "(== x:i32)", "(== x:i32 1:i32 1:i32)", "(! x:i32 x:i32)", "(+ b:u1 b:u1)", "(+ x:i32 b:u1)",
    "(<< x:i32 b:u1)",
    "(ite b:u1 x:i32 b:u1)", "(ite b:u1 x:i32)", "(cast i0 x:i32)", "(cast i999 x:i32)", "(cast u8)",
    "(forall x:i32 b:u1)", "(= x:i32 1:i32)",
    "256:u8", "-1:u8", "2:u1", "1:i", "99999999999999999999999999999999999999999999:i32", "1:i32:i32", "s:u8", "s[x:i32]",
    "s[x:i32]:i32",
    "s[]:u8", "s[x:i32:u8", "x[0:i32]:i32", "(x:i32)", "(- )", "((== x:i32 1:i32))", "(! " * 5000 + "b:u1" + ")" * 5000,
    "(! " * (MAX_DEPTH + 1) + "b:u1" + ")" * (MAX_DEPTH + 1), "s[" * 5000 + "0:i32" + "]:u8" * 5000, "\x00", "x:i32\n",
    "١:i32", "x:i٣٢"])
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(Malformed):
        parse(text, SYMBOLS, "exact")


def test_every_damage_to_a_formula_is_refused_or_another_formula() -> None:
    assert show_exact(parse(GOOD, SYMBOLS, "exact")) == GOOD
    rng = random.Random(5)
    for _ in range(3000):
        i = rng.randrange(len(GOOD))
        put = rng.choice(("", GOOD[rng.randrange(len(GOOD))], "(", ")", " ", "@", "9"))
        text = GOOD[:i] + put + GOOD[i + rng.randint(0, 2):]
        with suppress(Malformed):
            assert show_exact(parse(text, SYMBOLS, "exact")) == text


PROGRAM = program("x m", thread("a", "!0 1 [m == 0]; m = 1 / 1 2 x = 1 / 2 0 m = 0", "l"))
BODY: dict[str, Any] = {
    "classes": [[0, 1, 1]], "formulas": ["(== m:i32 1:i32)", "(== l@1:i32 l@1:i32)"],
    "pairs": [[0, 0, 0, 0, [[]]], [0, 0, 0, 1, [[0, 1]]], [0, 1, 0, 0, [[0]]]]}


def check(body: Any) -> Outcome:
    return check_certificate(PROGRAM, RaceOn("x"), Certificate(PROGRAM.fingerprint(), RaceOn("x"), "pairs", body))


def changed(path: tuple[Any, ...], value: Any) -> Any:
    body = copy.deepcopy(BODY)
    at: Any = body
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return body


def test_the_body_as_it_should_be() -> None:
    assert isinstance(check(BODY), Accepted)
    assert isinstance(check(json.loads(json.dumps(BODY))), Accepted)


@pytest.mark.parametrize("body", [
    None, [], "pairs", {}, {"classes": [[0, 1, 1]]}, changed(("extra",), 1), changed(("classes",), []),
    changed(("classes",), [[0, 1]]),
    changed(("classes", 0, 1), True), changed(("classes", 0, 1), 1.0), changed(("classes", 0, 1), -1), changed(("classes",
    0, 1), 3),
    changed(("classes", 0, 1), "1"), changed(("classes", 0, 1), 10**30), changed(("formulas",), {"0": "1:u1"}),
    changed(("formulas", 0), 1),
    changed(("formulas", 0), "(== l@2:i32 m@1:i32)"), changed(("formulas", 1), "(== l@3:i32 0:i32)"),
    changed(("formulas", 1), "(== l:i32 0:i32)"), changed(("formulas", 1), "(== ?1:i32 0:i32)"),
    changed(("pairs", 0), [0, 0, 0, 0]), changed(("pairs", 0), [0, 0, 0, 0, [[]], []]), changed(("pairs", 0, 0), 1),
    changed(("pairs", 0, 1), 2), changed(("pairs", 0), [0, 0, 0, 1, [[]]]), changed(("pairs", 0, 4), [[2]]),
    changed(("pairs", 0, 4), [[-1]]),
    changed(("pairs", 0, 4), [0]), changed(("pairs", 0, 4), True), changed(("pairs", 0, 4), None), changed(("pairs", 0, 4),
    [[[]]]),
    changed(("holders",), [[0, 0, 0, 0, [[]]]]), changed(("singles",), 5), changed(("counting",), [[]]),
    changed(("counting",), [{"expr": "m:i32"}]), changed(("counting",), [{"expr": "l@1:i32", "weights": [[0, 0]]}]),
    changed(("counting",), [{"expr": "(== m:i32 1:i32)", "weights": [[0, 0]]}]),
    changed(("counting",), [{"expr": "m:i32", "weights": [[0, 0]], "more": 0}])])
def test_what_is_no_body_is_refused(body: Any) -> None:
    outcome = check(body)
    assert isinstance(outcome, Refused) and outcome.obligation == "format", outcome


def test_no_damage_makes_the_kernel_crash() -> None:
    rng = random.Random(3)
    junk: list[Any] = [None, True, -1, 0, 1, 2, 10**20, 0.5, "", "0", [], [[]], [[[]]], {}, {"expr": 1}, [0, 0, 0, 0, [[]]]]

    def damage(value: Any) -> Any:
        if rng.random() < 0.06:
            return rng.choice(junk)
        if isinstance(value, dict):
            return {k: damage(v) for k, v in value.items() if rng.random() > 0.02}
        if isinstance(value, list):
            return [damage(v) for v in value if rng.random() > 0.02]
        return value

    outcomes = [check(damage({**BODY, "holders": [], "counting": [{"expr": "m:i32", "weights": [[0,
        1]]}]})) for _ in range(400)]
    assert {type(o) for o in outcomes} == {Accepted, Refused}
