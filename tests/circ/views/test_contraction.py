"""Locations are merged only where silent steps lead to one place; what is seen, waited for or a choice keeps them apart."""

from __future__ import annotations

from circ.views.contraction import Contraction, whole
from tests.support.build import program, thread


def graph(edges: str, sort: list[int] | None = None) -> Contraction:
    cfa = program("x", thread("w", edges)).templates[0].cfa
    return whole(cfa, sort or [0] * cfa.size, [-1] * cfa.size)


def merged(g: Contraction, seen: set[int]) -> list[int]:
    return g.together(seen, g.vertices.sort)


def test_a_chain_of_silent_steps_is_one_vertex() -> None:
    assert merged(graph("0 1 / 1 2 / 2 3 x = 1"), {2}) == [0, 0, 0, 1]


def test_a_silent_loop_is_one_vertex() -> None:
    assert merged(graph("0 1 / 1 0 / 1 2 x = 1"), {2}) == [0, 0, 1]


def test_a_choice_is_not_merged() -> None:
    assert len(set(merged(graph("0 1 / 0 2 / 1 3 x = 1 / 2 4 x = 1"), {2, 3}))) == 5


def test_sorts_keep_apart() -> None:
    assert merged(graph("0 1 / 1 2", [0, 1, 1]), set()) == [0, 1, 1]


def test_locations_without_a_path_have_no_vertex() -> None:
    g = graph("0 1 x = 1 / 2 1 x = 2")
    assert g.size == 2 and g.of(frozenset({1, 2})) == frozenset({1})


def test_to_merge_for_many_and_then_for_few_is_to_merge_for_few() -> None:
    g = graph("0 1 x = 1 / 1 2 / 2 3 x = 2 / 3 4 / 4 0 / 4 5 x = 3")
    for few in (set(), {0}, {2}, {0, 5}):
        first = g.contract({0, 2, 5})
        both = [merged(first, few)[v] for v in first.up]
        assert both == merged(g, few), few
