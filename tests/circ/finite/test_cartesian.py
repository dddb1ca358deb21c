"""Cartesian abstraction with exception sets: Peterson with the paper's set, the lock family, sets found automatically."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from circ.finite import cartesian
from circ.finite.cartesian import CartesianSpace
from circ.finite.local_products import ProductLayout
from circ.finite.system import build
from circ.kernel.other_kinds import check_any_kind
from circ.kernel.outcome import Accepted
from circ.kernel.replay import Replayed, replay
from circ.verdict import Assertions, Options, Refuted, Safe, silent
from frontend.api import load
from tests.support.corpus import ROOT
from tests.support.finite_programs import mux_sem, peterson, sections
from tests.support.finite_programs import test_and_set as broken
from tests.support.finite_random import random_program

A, B, C, D = range(4)
PAPER = [((1, 1, 0), B, D), ((1, 1, 0), C, C), ((1, 1, 1), D, B)]


def space() -> CartesianSpace:
    return CartesianSpace(build(peterson(), Assertions()), Options())


def packed(s: CartesianSpace, first: int, second: int) -> int:
    return s.shape.pack([1 << s.numbered[0].index((first,)), 1 << s.numbered[1].index((second,))])


def states(s: CartesianSpace, result: cartesian.Fixpoint) -> set[tuple[tuple[int, ...], int, int]]:
    return {(g, locals_[0][0], locals_[1][0]) for g, p in s._all(result) for _, locals_ in s._states(g, p)}


def test_peterson_with_the_papers_exception_set_has_an_invariant_of_23_states() -> None:
    s = space()
    exceptions: cartesian.Exceptions = {}
    for g, first, second in PAPER:
        exceptions.setdefault(g, []).append(packed(s, first, second))
    result = s.fixpoint(exceptions)
    found = states(s, result)
    assert len(found) == 23
    assert not s.is_wrong(result)
    assert not any((first, second) == (D, D) for _, first, second in found)


def test_peterson_without_exceptions_is_the_thread_modular_table() -> None:
    s = space()
    result = s.fixpoint({})
    assert s.is_wrong(result)
    found = states(s, result)
    assert ((1, 1, 0), D, D) in found and ((1, 1, 1), D, D) in found
    # The paper's table lists A for the second thread in the rows with y = 1, where it cannot be.
    assert {second for g, _, second in found if g[1] == 1} == {B, C, D}
    assert {(first, second) for g, first, second in found if g[:2] == (0, 0)} == {(A, A)}


def test_the_automatic_set_for_peterson_is_the_papers() -> None:
    s = space()
    exceptions: cartesian.Exceptions = {}
    while s.is_wrong(result := s.fixpoint(exceptions, stages=True)):
        for g, p in s.spurious(result, s.backwards(result)):
            exceptions.setdefault(g, []).append(p)
    chosen = {(g, locals_[0][0], locals_[1][0]) for g, ps in exceptions.items() for p in ps for _, locals_ in s._states(g, p)}
    assert chosen == set(PAPER)


@pytest.mark.parametrize("p", [peterson(), mux_sem(4), sections(3, 2), sections(40, 3)])
def test_proofs_are_accepted(p) -> None:  # type: ignore[no-untyped-def]
    verdict = cartesian.check(p, Assertions(), Options(), silent)
    assert isinstance(verdict, Safe)
    assert isinstance(check_any_kind(p, Assertions(), verdict.certificate), Accepted)


@pytest.mark.parametrize("p", [peterson(right=False), broken(3)])
def test_wrong_programs_are_refuted(p) -> None:  # type: ignore[no-untyped-def]
    verdict = cartesian.check(p, Assertions(), Options(), silent)
    assert isinstance(verdict, Refuted)
    assert isinstance(replay(p, verdict.trace), Replayed)


def test_the_lock_family_needs_the_lock_only() -> None:
    verdict = cartesian.check(sections(100, 9), Assertions(), Options(), silent)
    assert isinstance(verdict, Safe) and "'lck'" in verdict.why[0]


def test_subtraction_is_the_best_abstraction_for_maximal_products() -> None:
    """Proposition 8 against the definition: the smallest product around what is left of a product without an exception."""
    rng = random.Random(7)
    shape = ProductLayout(3, 3)
    for _ in range(400):
        product, exception = ([rng.randrange(1, 8) for _ in range(3)] for _ in range(2))
        left = [t for t in itertools.product(range(3), repeat=3)
                if all(p >> v & 1 for p, v in zip(product, t, strict=True))
                and not all(e >> v & 1 for e, v in zip(exception, t, strict=True))]
        best = [0, 0, 0]
        for t in left:
            best = [b | 1 << v for b, v in zip(best, t, strict=True)]
        assert shape.minus(shape.pack(product), [shape.pack(exception)]) == shape.pack(best)


@pytest.mark.parametrize("seed", range(100, 120))
def test_random_programs_are_never_judged_wrongly(seed: int) -> None:
    from circ.finite.product import Product
    from circ.finite.system import OutOfDomain

    p = random_program(seed)
    if not (p.invariants or any(t.cfa.errors or t.cfa.critical for t in p.templates)):
        return
    try:
        wrong = Product(build(p, Assertions(), symmetry=False), Options(max_states=20_000)).search()
    except OutOfDomain:
        return
    verdict = cartesian.check(p, Assertions(), Options(), silent)
    if isinstance(verdict, Safe):
        assert wrong is None
        assert isinstance(check_any_kind(p, Assertions(), verdict.certificate), Accepted)
    elif isinstance(verdict, Refuted):
        assert wrong is not None


def test_an_exception_set_given_in_the_program(tmp_path: Path) -> None:
    """The paper's set for Peterson, written as `circ_exception(condition, thread(copy, line), ...)`."""
    text = (ROOT / "benchmarks" / "protocols" / "peterson.c").read_text()
    lines = text.splitlines()
    first, second = lines.index("circ_threads(1) void first(void)"), lines.index("circ_threads(1) void second(void)")

    def line(after: int, word: str) -> int:
        return next(n for n in range(after, len(lines)) if word in lines[n]) + 1

    b1, c1, d1 = line(first, "turn = 1"), line(first, "assume"), line(first, "circ_critical")
    b2, c2, d2 = line(second, "turn = 0"), line(second, "assume"), line(second, "circ_critical")
    claims = "".join(f"circ_exception(x && y && {turn}, first(0, {one}), second(0, {two}));\n"
                     for turn, one, two in (("!turn", b1, d2), ("!turn", c1, c2), ("turn", d1, b2)))
    path = tmp_path / "peterson.c"
    path.write_text(text + claims)
    p = load(path)
    assert len(p.exceptions) == 3
    verdict = cartesian.check(p, Assertions(), Options(), silent)
    assert isinstance(verdict, Safe) and verdict.why[0].endswith("combinations of places that cannot occur, which were given: no assertion fails")
    assert isinstance(check_any_kind(p, Assertions(), verdict.certificate), Accepted)
