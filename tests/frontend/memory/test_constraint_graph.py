"""The constraint graph against a closure that is computed naively, with and without cycles made one node."""

from __future__ import annotations

import random

import pytest

from frontend.memory.points_to import graph as graph_module
from frontend.memory.points_to.graph import MOST_ABSOLUTE, ConstraintGraph
from frontend.memory.points_to.targets import INTEGER, UNKNOWN, Target, absolute_target, leaf, register

NODES = [register("f", f"r{n}") for n in range(14)]


def up(target: Target) -> Target:
    """Offsets 0 to 3 go round; what is no object stays."""
    return target if target in (UNKNOWN, INTEGER) else (target[0], (target[1] + 1) % 4)


def holder(target: Target) -> int:
    """The node that stands for the content of an object."""
    return int(target[0][1:]) if target[0].startswith("o") else -1


@pytest.mark.parametrize("few", [0, 2_000])
@pytest.mark.parametrize("seed", range(40))
def test_closure(seed: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copies, shifts and loads through pointers, added before and during propagation, in any order."""
    monkeypatch.setattr(graph_module, "_FEW_EDGES", few)
    rng = random.Random(seed)
    size = len(NODES)
    facts = [(rng.randrange(size), rng.choice([UNKNOWN, INTEGER, *((f"o{n}", 0) for n in range(size))])) for _ in range(8)]
    copies = [(rng.randrange(size), rng.randrange(size), rng.random() < 0.3) for _ in range(18)]
    loads = [(rng.randrange(size), rng.randrange(size)) for _ in range(4)]

    graph = ConstraintGraph()
    seen: list[list[Target]] = [[] for _ in loads]

    def load(number: int, into: int, target: Target) -> None:
        seen[number].append(target)
        if holder(target) >= 0:
            graph.copy(NODES[holder(target)], NODES[into])

    adding = [lambda n=n, t=t: graph.add(NODES[n], t) for n, t in facts]
    adding += [lambda a=a, b=b, s=s: graph.copy(NODES[a], NODES[b], up if s else None) for a, b, s in copies]
    adding += [lambda k=k, a=a, b=b: graph.each(NODES[a], lambda t: load(k, b, t)) for k, (a, b) in enumerate(loads)]
    rng.shuffle(adding)
    for number, add in enumerate(adding):
        add()
        if number % 7 == 0:
            graph.run()
    graph.run()

    expected: list[set[Target]] = [set() for _ in NODES]
    for n, t in facts:
        expected[n].add(t)
    while True:
        before = [len(s) for s in expected]
        for a, b, s in copies:
            expected[b] |= {up(t) if s else t for t in expected[a]}
        for a, b in loads:
            expected[b] |= {x for t in list(expected[a]) if holder(t) >= 0 for x in expected[holder(t)]}
        if before == [len(s) for s in expected]:
            break
    assert [set(graph.targets(n)) for n in NODES] == expected
    for number, (a, _) in enumerate(loads):
        assert sorted(seen[number]) == sorted(expected[a]), "each handler is called once for each target"


@pytest.mark.parametrize("few", [0, 2_000])
def test_foreign(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What code from outside put somewhere is told from pointers from outside that came there another way."""
    monkeypatch.setattr(graph_module, "_FEW_EDGES", few)
    graph = ConstraintGraph()
    alone, looped, a, b, copied, added = (leaf("o", n) for n in range(6))
    graph.copy(looped, looped)
    graph.copy(a, b)
    graph.copy(b, a)
    graph.copy(alone, copied)
    for cell in (alone, looped, a, copied, added):
        graph.add_foreign(cell)
    graph.add(added, UNKNOWN)
    graph.run()
    assert [graph.is_foreign(n) for n in (alone, looped, a, b, copied, added)] == [True, False, False, False, False, False]


def test_numbers_that_are_counted_up_end() -> None:
    graph = ConstraintGraph()
    node = register("f", "i")
    graph.copy(node, node, lambda t: absolute_target(int(t[0][1:], 16) + 1) if t[0][0] == "*" else t)
    graph.add(node, absolute_target(5))
    graph.run()
    found = list(graph.targets(node))
    assert INTEGER in found and len(found) == MOST_ABSOLUTE + 1
