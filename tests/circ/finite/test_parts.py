"""The parts of the thread-modular engines on their own: products of sets, locks, patterns, the whole product, diagrams."""

from __future__ import annotations

import contextlib
import itertools
import random

import pytest

from circ.finite.inductive_certificates import FALSE, TRUE, Diagram, complete
from circ.finite.local_products import ProductLayout
from circ.finite.locks import lock_exceptions
from circ.finite.modular import Modular, all_classes, one_class
from circ.finite.patterns import Pattern, Patterns, boxes, split
from circ.finite.product import Product
from circ.finite.symbolic import SymbolicSystem
from circ.finite.system import FiniteCell, FiniteSystem, OutOfDomain, Stepper, build
from circ.kernel.replay import Replayed, replay
from circ.verdict import Assertions, Options, RaceOn, Refuted
from frontend.program import Scalar
from tests.support.build import program, thread
from tests.support.finite_programs import mux_sem, peterson
from tests.support.finite_random import random_program

BIT = Scalar(1, False)


# --------------------------------------------------------------------------------------------------- products
def members(layout: ProductLayout, packed: int) -> set[tuple[int, ...]]:
    sets = [[n for n in range(layout.width) if layout.part(packed, t) >> n & 1] for t in range(layout.threads)]
    return set(itertools.product(*sets))


def test_packing() -> None:
    layout = ProductLayout(3, 4)
    packed = layout.pack([0b0101, 0b1000, 0b0011])
    assert [layout.part(packed, t) for t in range(3)] == [0b0101, 0b1000, 0b0011]
    assert layout.part(layout.replaced(packed, 1, 0b0110), 1) == 0b0110
    assert layout.only(layout.pack([0, 0b1010, 0])) == 1
    assert layout.only(packed) is None and layout.only(0) is None


def test_minus_is_the_smallest_product_with_what_is_left() -> None:
    layout, rng = ProductLayout(2, 3), random.Random(1)
    for _ in range(300):
        whole, *exceptions = (layout.pack([rng.randrange(1, 8), rng.randrange(1, 8)]) for _ in range(2))
        left = layout.minus(whole, exceptions)
        rest = members(layout, whole) - set().union(*(members(layout, e) for e in exceptions))
        hull = layout.pack([sum({1 << m[t] for m in rest}) for t in range(2)])
        assert rest <= members(layout, left) and left == hull


# --------------------------------------------------------------------------------------------------- locks
def test_locks_are_what_is_tested_and_taken_and_where_they_are_held() -> None:
    edges = "0 1 [m == 0]; m = 1 / 1 2 x = 1 / 2 3 m = 0 / 3 0 skip"
    system = build(program("m x", thread("w", edges, count=2)), RaceOn("x"))
    found = dict(lock_exceptions(system))
    assert set(found) == {"m"} and found["m"].locations == ({1, 2},)
    assert found["m"].free(stores(system)[0]) and not found["m"].free((1, 0))


def stores(system: FiniteSystem) -> list[tuple[int, ...]]:
    return Stepper(system).starts()[0]


# --------------------------------------------------------------------------------------------------- patterns
def test_rows_become_few_boxes() -> None:
    rows = [(a, b) for a in (0, 1) for b in (0, 1, 2)] + [(5, 5)]
    found = boxes(rows)
    assert len(found) == 2 and {t for box in found for t in itertools.product(*box)} == set(rows)


def test_a_pattern_of_fewer_threads_covers_one_of_more() -> None:
    one, wide = (frozenset({1}),), (frozenset({1, 2}),)
    small, large = Pattern((0,), ((0, wide),)), Pattern((0,), ((0, one), (0, one)))
    assert small.covers(large) and not large.covers(small)
    assert not Pattern((1,), ((0, wide),)).covers(large)


def test_patterns_name_the_error_states_of_the_join_and_vanish_when_all_is_exposed() -> None:
    system = build(mux_sem(2), Assertions())
    stepper = Stepper(system)
    coarse = Modular(system, one_class(system), Options(), stepper).run()
    patterns = Patterns(system, stepper, coarse.clashes())
    found = patterns.within(coarse)
    assert found and not patterns.at_start()
    assert split(one_class(system), found) != one_class(system)
    exact = Modular(system, all_classes(system), Options(), stepper).run()
    assert not patterns.within(exact)


# --------------------------------------------------------------------------------------------------- the whole product
@pytest.mark.parametrize("right", [True, False])
def test_the_product_finds_the_error_that_there_is(right: bool) -> None:
    p = peterson(right)
    verdict = Product(build(p, Assertions()), Options()).search()
    assert (verdict is None) == right
    if isinstance(verdict, Refuted):
        assert isinstance(replay(p, verdict.trace), Replayed)


def test_the_product_has_a_limit_in_states() -> None:
    with pytest.raises(OutOfDomain, match="more than 3 states"):
        Product(build(mux_sem(3), Assertions()), Options(max_states=3)).search()


def test_diagrams_and_explicit_steps_agree() -> None:
    """From every reachable state the commands on sets lead where the stepper leads, and mark the same errors."""
    compared = 0
    for seed in range(12):
        try:
            system = build(random_program(seed), Assertions(), symmetry=False)
            symbolic = SymbolicSystem(system)
        except OutOfDomain:
            continue
        if system.has_open:
            continue
        search, stepper, error = Product(system, Options(max_states=400)), Stepper(system), symbolic.error()
        with contextlib.suppress(OutOfDomain):
            search.search()
        for g, crews in list(search.came)[:60]:
            locals_ = tuple(local for crew in crews for local in crew)
            here = symbolic.manager.cube(symbolic.encoding.bits_of(g, locals_))
            assert (here & error != symbolic.false) == search.is_error((g, crews))
            for t, i in enumerate(system.threads):
                for _, _, g2, local2 in stepper.successors(i, g, locals_[t]):
                    after = symbolic.false
                    for commands in symbolic.moves[t]:
                        after |= symbolic.image(here, commands)
                    assert symbolic.encoding.contains(after, g2, (*locals_[:t], local2, *locals_[t + 1:]))
                    compared += 1
    assert compared > 100


# --------------------------------------------------------------------------------------------------- certificates
def holds(diagram: Diagram, node: int, row: dict[tuple[object, ...], int]) -> bool:
    while node not in (FALSE, TRUE):
        reference, branches = diagram.nodes[node - 2]
        node = next((child for values, child in branches if row[tuple(reference)] in values), FALSE)
    return node == TRUE


def test_a_diagram_has_the_rows_it_is_made_of() -> None:
    rng, references = random.Random(2), [("global", "x", None), ("at",), ("own", "l", None)]
    for _ in range(50):
        rows = {tuple(rng.randrange(2) for _ in references) for _ in range(rng.randrange(9))}
        diagram = Diagram()
        root = diagram.of_rows(references, [(0, 1), (), (0, 1)], rows)
        for row in itertools.product((0, 1), repeat=3):
            assert holds(diagram, root, dict(zip(references, row, strict=True))) == (row in rows)


def test_equal_nodes_are_one_and_tests_of_all_values_are_left_out() -> None:
    diagram = Diagram()
    first = diagram.node(("at",), [(0, TRUE)], ())
    assert diagram.node(("at",), [(0, TRUE)], ()) == first and len(diagram.nodes) == 1
    assert diagram.node(("global", "x", None), [(0, first), (1, first)], (0, 1)) == first
    assert diagram.node(("global", "x", None), [(0, first), (1, first)], ()) != first, "the list may lack values that it has"


def test_a_domain_is_complete_only_if_it_has_all_values_of_the_type() -> None:
    assert complete(FiniteCell("x", None, BIT, (0, 1), (0,)))
    assert not complete(FiniteCell("x", None, Scalar(8, False), (0, 1), (0,)))
