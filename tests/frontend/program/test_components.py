"""Strongly connected components: the same as networkx finds, in the order that is promised."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from frontend.program.components import components


@pytest.mark.parametrize("seed", range(60))
def test_components_are_those_of_networkx_and_come_before_what_leads_to_them(seed: int) -> None:
    r = random.Random(seed)
    size = r.randrange(1, 25)
    graph = {q: [r.randrange(size) for _ in range(r.randrange(4))] for q in range(size) if r.random() < 0.8}
    found = components(graph, size)
    reference = nx.DiGraph()
    reference.add_nodes_from(range(size))
    reference.add_edges_from((a, b) for a, targets in graph.items() for b in targets)
    assert sorted(found) == sorted(sorted(c) for c in nx.strongly_connected_components(reference))
    position = {q: n for n, component in enumerate(found) for q in component}
    assert all(position[b] <= position[a] for a, targets in graph.items() for b in targets)


def test_a_long_chain_needs_no_stack() -> None:
    size = 50_000
    assert components({q: [q + 1] for q in range(size - 1)}, size) == [[q] for q in reversed(range(size))]
