"""Folding keeps the value of an expression, whatever its variables are; known bits are never wrong."""

from __future__ import annotations

import random

import pytest

from circ.semantics.evaluation import evaluate
from frontend.interrupts import known_bits
from frontend.program import BOOL, Binary, Cast, Const, Expr, Ite, Lvalue, Read, Scalar, Unary, Var, negate, truth
from frontend.program.fold import cast, fold, minus, plus, times

TYPES = [Scalar(3, False), Scalar(3, True), Scalar(5, False), Scalar(5, True)]
VARIABLES = {t: Read(Var(f"v{t.width}{'s' if t.signed else 'u'}", t)) for t in TYPES}
ARITHMETIC = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]
COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]


def values(t: Scalar) -> range:
    return range(-(1 << (t.width - 1)), 1 << (t.width - 1)) if t.signed else range(1 << t.width)


def number(rng: random.Random, t: Scalar, depth: int) -> Expr:
    if depth == 0:
        return VARIABLES[t] if rng.random() < 0.5 else Const(rng.choice([0, 1, rng.choice(values(t))]), t)
    match rng.randrange(5):
        case 0:
            return Cast(number(rng, rng.choice(TYPES), depth - 1), t)
        case 1:
            return Unary(rng.choice("-~"), number(rng, t, depth - 1))
        case 2:
            return Ite(condition(rng, depth - 1), number(rng, t, depth - 1), number(rng, t, depth - 1))
        case _:
            return Binary(rng.choice(ARITHMETIC), number(rng, t, depth - 1), number(rng, t, depth - 1))


def condition(rng: random.Random, depth: int) -> Expr:
    t = rng.choice(TYPES)
    if depth == 0:
        return truth(VARIABLES[t])
    match rng.randrange(3):
        case 0:
            return Binary(rng.choice(["&&", "||"]), condition(rng, depth - 1), condition(rng, depth - 1))
        case 1:
            return negate(condition(rng, depth - 1))
        case _:
            return Binary(rng.choice(COMPARISONS), number(rng, t, depth - 1), number(rng, t, depth - 1))


def states(rng: random.Random) -> list[dict[str, int]]:
    return [{v.lvalue.name: rng.choice(values(t)) for t, v in VARIABLES.items() if isinstance(v.lvalue, Var)} for _ in range(12)]


@pytest.mark.parametrize("seed", range(300))
def test_folding_keeps_the_value(seed: int) -> None:
    rng = random.Random(seed)
    t = rng.choice(TYPES)
    for e in (number(rng, t, 3), condition(rng, 3)):
        folded = fold(e)
        assert folded.type == e.type
        for state in states(rng):
            assert evaluate(folded, state) == evaluate(e, state), (str(e), state)


@pytest.mark.parametrize("seed", range(100))
def test_helpers_mean_what_they_say(seed: int) -> None:
    rng = random.Random(seed)
    t, other = rng.choice(TYPES), rng.choice([*TYPES, BOOL])
    a, b = number(rng, t, 2), number(rng, t, 2)
    amount = rng.randrange(4)
    for state in states(rng):
        x, y = evaluate(a, state), evaluate(b, state)
        assert evaluate(plus(a, b), state) == t.wrap(x + y)
        assert evaluate(minus(a, amount), state) == t.wrap(x - amount)
        assert evaluate(times(a, amount), state) == t.wrap(x * amount)
        assert evaluate(cast(a, other), state) == (int(x != 0) if other == BOOL else other.wrap(x))


@pytest.mark.parametrize("seed", range(300))
def test_a_known_bit_is_what_it_is_said_to_be(seed: int) -> None:
    rng = random.Random(seed)
    e = number(rng, rng.choice(TYPES), 3)
    masks = {v.lvalue.name: rng.getrandbits(t.width) for t, v in VARIABLES.items() if isinstance(v.lvalue, Var)}
    for state in states(rng):
        def read(v: Lvalue, state: dict[str, int] = state) -> known_bits.Bits:
            assert isinstance(v, Var)
            return masks[v.name], state[v.name] & masks[v.name]

        mask, bits = known_bits.evaluate(e, read)
        assert evaluate(e, state) & mask & ((1 << e.type.width) - 1) == bits & ((1 << e.type.width) - 1), (str(e), state)
