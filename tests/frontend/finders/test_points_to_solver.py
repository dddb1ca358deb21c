"""The solver of the points-to analysis against the plainest one: random constraints, the same sets, whatever becomes one node meanwhile."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from frontend.finders import points_to_solver as graphs
from frontend.finders.points_to_solver import ConstraintGraph
from frontend.memory.points_to.targets import COMPUTED, INTEGER, PointerNode, Target, absolute_target, register

NODES = [register("f", f"r{n}") for n in range(14)]
TARGETS: list[Target] = [("a", 0), ("a", 4), ("b", 0), ("c", 8), ("&g", 0), INTEGER]
CELLS = {"a": register("m", "a"), "b": register("m", "b"), "c": register("m", "c")}


def four_on(target: Target) -> Target:
    return (target[0], (target[1] + 4) % 16) if target[0] in CELLS else target


class Naive:
    """All constraints are gone through until no set grows."""

    def __init__(self) -> None:
        self.sets: dict[PointerNode, set[Target]] = {}
        self.rules: list[Callable[[], None]] = []

    def targets(self, node: PointerNode) -> set[Target]:
        return self.sets.setdefault(node, set())

    def add(self, node: PointerNode, target: Target) -> None:
        self.rules.append(lambda: self.targets(node).add(target))

    def copy(self, source: PointerNode, into: PointerNode, shift: Callable[[Target], Target] | None = None) -> None:
        self.rules.append(lambda: self.targets(into).update(t if shift is None else shift(t) for t in list(self.targets(source))))

    def each(self, source: PointerNode, handler: Callable[[Target], None]) -> None:
        done: set[Target] = set()

        def rule() -> None:
            for t in [t for t in self.targets(source) if t not in done]:
                done.add(t)
                handler(t)

        self.rules.append(rule)

    def run(self) -> None:
        before = -1
        while before != (now := sum(map(len, self.sets.values())) + len(self.rules)):
            before = now
            for rule in list(self.rules):
                rule()


def constrain(solver: ConstraintGraph | Naive, rng: random.Random) -> None:
    """Addresses, copies, moved copies, and loads and stores through pointers, which copy from and to what they may point to."""
    def load(into: PointerNode) -> Callable[[Target], None]:
        return lambda t: solver.copy(CELLS[t[0]], into) if t[0] in CELLS else None

    def store(source: PointerNode) -> Callable[[Target], None]:
        return lambda t: solver.copy(source, CELLS[t[0]]) if t[0] in CELLS else None

    for _ in range(rng.randint(5, 60)):
        one, two = rng.choice(NODES), rng.choice(NODES)
        match rng.randrange(8):
            case 0 | 1:
                solver.add(one, rng.choice(TARGETS))
            case 2 | 3 | 4:
                solver.copy(one, two)
            case 5:
                solver.copy(one, two, four_on)
            case 6:
                solver.each(one, load(two))
            case _:
                solver.each(one, store(two))
        if rng.random() < 0.1:
            solver.run()


@pytest.mark.parametrize("few", [0, 5, 2000])
def test_random_constraints(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "_FEW_EDGES", few)  # how soon it looks for cycles
    for seed in range(150):
        fast, plain = ConstraintGraph(), Naive()
        for solver in (fast, plain):
            constrain(solver, random.Random(seed))
            solver.run()
        for node in (*NODES, *CELLS.values()):
            assert set(fast.targets(node)) == plain.targets(node), (seed, node)


def test_a_number_that_counts_up_ends_as_any_number() -> None:
    graph = ConstraintGraph()
    node = NODES[0]
    graph.add(node, absolute_target(0))
    graph.copy(node, node, lambda t: absolute_target(int(t[0][1:], 16) + 1) if t[0][0] == "*" and t != COMPUTED else t)
    graph.run()
    found = set(graph.targets(node))
    assert COMPUTED in found and len(found) == graphs.MOST_ABSOLUTE + 1
