"""What a solver says about pointers is tested against the program: a lie costs a pass, never a target."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from frontend import LoadOptions, load
from frontend.finders.points_to_solver import ConstraintGraph
from frontend.link import Finders
from frontend.memory.points_to import PointerSets, PointsTo
from frontend.memory.points_to.closed_graph import ClosedGraph
from frontend.memory.points_to.targets import COMPUTED, INTEGER, UNKNOWN, absolute_target
from frontend.program import Read, Var
from frontend.reading import read_project
from tests.frontend.finders.test_points_to_solver import CELLS, NODES, Naive, constrain
from tests.frontend.memory.test_points_to import CASES, PTR, analyse
from tests.support.corpus import PROGRAMS, read_example
from tests.support.lies import Lie, believed, examine, fewer, lying, more, nonsense, nothing, one_inner_node, read_honestly

LIES = [fewer(random.Random(1), 0.2), fewer(random.Random(2), 0.9), nothing, one_inner_node, nonsense]


def closed(given: PointerSets, constraints: Callable[[ClosedGraph], None]) -> tuple[ClosedGraph, int]:
    """The sets when every constraint holds, and how many passes that took."""
    for passes in range(1, 200):
        graph = ClosedGraph(given)
        constraints(graph)
        graph.run()
        if graph.closed:
            return graph, passes
        given = graph.solution()
    raise AssertionError("it does not end")


@pytest.mark.parametrize("kind", ["true", "fewer", "more"])
def test_random_constraints(kind: str) -> None:
    """A true solution takes one pass; what is missing is found again; what is too much may stay, but is followed."""
    refused = 0
    for seed in range(100):
        fast, plain, rng = ConstraintGraph(), Naive(), random.Random(seed)
        for solver in (fast, plain):
            constrain(solver, random.Random(seed))
            solver.run()
        lie = {"true": lambda s: s, "fewer": fewer(rng, 0.5), "more": more(rng)}[kind]
        graph, passes = closed(lie(fast.solution()), lambda g, seed=seed: constrain(g, random.Random(seed)))  # type: ignore[misc]
        refused += passes > 1
        for node in (*NODES, *CELLS.values()):
            found = set(graph.targets(node))
            assert found >= plain.targets(node) if kind == "more" else found == plain.targets(node), (seed, node)
    assert refused == 0 if kind == "true" else refused > 30


def test_a_number_that_counts_up_ends_as_any_number() -> None:
    def constraints(graph: ClosedGraph) -> None:
        graph.add(NODES[0], absolute_target(0))
        graph.copy(NODES[0], NODES[0], lambda t: absolute_target(int(t[0][1:], 16) + 1) if t[0][0] == "*" and t != COMPUTED else t)

    graph, _ = closed(PointerSets(), constraints)
    assert COMPUTED in graph.targets(NODES[0]) and len(graph.targets(NODES[0])) < 100
    few, passes = closed(PointerSets((COMPUTED,), {NODES[0]: 1}), constraints)
    assert few.targets(NODES[0]) == [COMPUTED] and passes == 1


def test_what_others_put_there_is_foreign_unless_it_comes_another_way() -> None:
    def constraints(more: Callable[[ClosedGraph], None]) -> Callable[[ClosedGraph], None]:
        def made(graph: ClosedGraph) -> None:
            graph.add_foreign(NODES[0])
            graph.add(NODES[0], INTEGER)
            more(graph)
        return made

    def around(graph: ClosedGraph) -> None:
        graph.copy(NODES[0], NODES[1])
        graph.copy(NODES[1], NODES[0])

    ways: list[Callable[[ClosedGraph], None]] = [lambda g: g.add(NODES[0], UNKNOWN), lambda g: g.copy(NODES[0], NODES[0]), around]
    assert closed(PointerSets(), constraints(lambda g: None))[0].is_foreign(NODES[0])
    for way in ways:
        assert not closed(PointerSets(), constraints(way))[0].is_foreign(NODES[0])


@pytest.mark.parametrize("lie", LIES, ids=["fewer", "much fewer", "none", "one inner node", "nonsense"])
def test_lies_about_c_programs(lie: Lie, tmp_path: Path) -> None:
    """Whatever a solver says, the answers are those that hold; where it said too much they may be wider."""
    for name, text, variable, expected, unknown in CASES:
        function, _, register = variable.rpartition(":")
        found = analyse(tmp_path, text, lying(lie)).targets(function or "main", Read(Var(register, PTR)))
        objects = sorted({t[0] for t in found.known})
        if lie is one_inner_node:
            assert set(objects) >= set(expected) and found.unknown >= unknown, name
        else:
            assert (objects, found.unknown) == (sorted(expected), unknown), name


@pytest.mark.parametrize("file", ["reading/lock_destroyed_by_the_last.c", "reading/address_order_locks.c",
                                  "reading/exit_handler_with_argument.c", "reading/bytes_across_a_union.c", "firmware/uart_ring.c"])
def test_the_program_is_the_same_whoever_solves(file: str) -> None:
    """Where nothing is allocated: types and calls that are told apart for the heap are choices that a liar may make badly."""
    example = read_example(PROGRAMS / file)
    [platform] = example.option("--platform") or (None,)
    options = LoadOptions(platform=platform)
    honest = load(example.path, options)
    for lie in (nothing, fewer(random.Random(3), 0.3)):
        assert read_project([example.path], options, finders=Finders(points_to=lying(lie))) == honest
    assert read_project([example.path], options) == honest


def test_bad_choices_for_the_heap_lose_no_access() -> None:
    path = PROGRAMS / "services/lru_cache.c"
    honest, other = load(path), read_project([path], finders=Finders(points_to=lying(nothing)))
    assert {v.object for v in honest.shared} <= {v.object for v in other.shared}


def test_the_lies_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the test they would be believed."""
    text = "int x; int *g; int main(void) { g = &x; int *p = g; return *p; }"
    assert [t[0] for t in analyse(tmp_path, text, lying(nothing)).targets("main", Read(Var("p", PTR))).known] == ["x"]
    monkeypatch.setattr(PointsTo, "solve", lambda self, roots: None)
    assert not analyse(tmp_path, text, lying(nothing)).targets("main", Read(Var("p", PTR))).known


def test_random_programs() -> None:
    """A slice of `make fuzz`, part `facts`."""
    assert examine(range(16)).faults == []


def test_a_read_that_becomes_one_of_many_objects_is_still_there() -> None:
    """With targets that nobody put there a pointer has so many that one step touches them all."""
    assert examine(range(610092, 610093)).faults == []


@pytest.mark.parametrize(("what", "wrong"), [
    ("_grow", lambda self, node, points: None), ("each", lambda self, source, handler: None),
    ("copy", lambda self, source, into, shift=None: None),
])
def test_a_checker_that_does_not_look_is_found(what: str, wrong: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    honest = [read_honestly(seed) for seed in range(4)]
    monkeypatch.setattr(ClosedGraph, what, wrong)
    assert any(believed(seed, nothing, program) for seed, program in enumerate(honest))
