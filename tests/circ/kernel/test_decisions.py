"""Decision diagrams against sets of states: every operation, for random sets over few variables with few values."""

from __future__ import annotations

import random
from itertools import product

import pytest

from circ.kernel.finite.decisions import EVERYTHING, NOTHING, Decisions, Endless

DOMAINS = [(0, 1), (-1, 1), (0, 2)]
STATES = frozenset(product(*(range(low, high + 1) for low, high in DOMAINS)))


def random_set(d: Decisions, rng: random.Random) -> tuple[int, frozenset[tuple[int, ...]]]:
    found, states = NOTHING, frozenset[tuple[int, ...]]()
    for _ in range(rng.randrange(4)):
        box, inside = EVERYTHING, STATES
        for v, (low, high) in enumerate(DOMAINS):
            values = [n for n in range(low, high + 1) if rng.random() < 0.6]
            if rng.random() < 0.7:
                box, inside = d.both(box, d.among(v, values)), frozenset(s for s in inside if s[v] in values)
        found, states = d.either(found, box), states | inside
    return found, states


def members(d: Decisions, a: int) -> frozenset[tuple[int, ...]]:
    def point(s: tuple[int, ...]) -> int:
        found = EVERYTHING
        for v, n in enumerate(s):
            found = d.both(found, d.among(v, [n]))
        return found

    return frozenset(s for s in STATES if not d.apart(a, point(s)))


@pytest.mark.parametrize("seed", range(40))
def test_operations_are_those_of_sets(seed: int) -> None:
    rng, d = random.Random(seed), Decisions(DOMAINS, 10_000)
    (a, one), (b, two) = random_set(d, rng), random_set(d, rng)
    assert members(d, a) == one and members(d, b) == two
    assert members(d, d.both(a, b)) == one & two
    assert members(d, d.either(a, b)) == one | two
    assert members(d, d.without(a)) == STATES - one
    assert d.apart(a, b) == (not one & two)
    v = rng.randrange(3)
    assert d.values(a, v) == sorted({s[v] for s in one})
    assert members(d, d.forget(a, frozenset({v}))) == {s for s in STATES if any(s[:v] == t[:v] and s[v + 1:] == t[v + 1:] for t in one)}
    put, free = rng.randrange(2), frozenset({2} if rng.random() < 0.5 else ())
    after = {(put, s[1], n) for s in one for n in (range(3) if free else (s[2],))}
    assert d.never_into((a,), b, {0: put}, free) == (not after & two)


def test_too_many_nodes_are_refused() -> None:
    with pytest.raises(Endless):
        random_set_of_many(Decisions([(0, 1 << 20)] * 3, 4))


def random_set_of_many(d: Decisions) -> None:
    for n in range(20):
        d.among(n % 3, [n])
