"""Compaction changes no verdict and keeps the way back."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import frontend
from circ.engines.explicit import oracle
from circ.verdict import Assertions, RaceOn
from frontend.cfa import Program, primitive, show_op
from frontend.compact import compact
from tests.build import program, thread
from tests.finite_random import random_program

ROOT = Path(__file__).parent.parent


def ops(p: Program, name: str = "t") -> list[str]:
    return [f"{e.source} {show_op(e.op)} -> {e.target}" for e in compact(p).program.template(name).cfa.edges]


@pytest.mark.parametrize("start", range(0, 150, 50))
def test_verdicts_stay(start: int) -> None:
    smaller = 0
    for seed in range(start, start + 50):
        original = random_program(seed)
        small = compact(original, havoc_dead=seed % 2 == 1).program
        smaller += sum(t.cfa.size for t in small.templates) < sum(t.cfa.size for t in original.templates)
        for question in (*(RaceOn(v.name) for v in original.globals), Assertions()):
            before, after = oracle(original, question, 2, 5000), oracle(small, question, 2, 5000)
            assert None in (before, after) or before == after, f"seed {seed}: {question} {before} {after}"
    assert smaller


def check_way_back(original: Program) -> None:
    result = compact(original)
    for template in original.templates:
        edges, small = template.cfa.edges, result.program.template(template.name).cfa
        kept = result.locations[template.name]
        assert len(small.edges) == len(result.edges[template.name])
        for edge, path in zip(small.edges, result.edges[template.name], strict=True):
            assert kept[edge.source] == edges[path[0]].source and kept[edge.target] == edges[path[-1]].target
            assert all(edges[a].target == edges[b].source for a, b in pairwise(path))
            assert list(primitive(edge.op)) == [part for k in path for part in primitive(edges[k].op)]
            for done in range(1, len(path)):
                assert (small.edges.index(edge), done) in result.inside(original, template.name, edges[path[done]].source)
        reached, queue = {template.cfa.start}, [template.cfa.start]
        for q in queue:
            assert q in kept or result.inside(original, template.name, q)
            new = [e.target for e in edges if e.source == q and e.target not in reached]
            reached.update(new)
            queue.extend(dict.fromkeys(new))


def test_way_back_of_real_programs() -> None:
    for path in sorted((ROOT / "nesc_examples").glob("*.c"))[:8]:
        check_way_back(frontend.load(path))


def test_figure_1_becomes_small() -> None:
    original = frontend.load(ROOT / "nesc_examples" / "test_and_set.c")
    assert original.templates[0].cfa.size == 7
    assert compact(original).program.templates[0].cfa.size == 4


def test_own_steps_are_glued() -> None:
    p = program("x:u2", thread("t", "0 1 l = x / 1 2 l = l + 1 / 2 3 x = l", "l:u2=0"))
    assert ops(p) == ["0 l = x; l = l + 1 -> 1", "1 x = l -> 2"]


def test_a_blocking_guard_is_not_glued_behind_an_access() -> None:
    p = program("x:u2", thread("t", "0 1 x = 1 / 1 2 [l == 1] / 2 3 x = 2", "l:u2=0"))
    assert ops(p) == ["0 x = 1 -> 1", "1 [l == 1] -> 2", "2 x = 2 -> 3"]


def test_a_branch_is_glued_behind_an_access() -> None:
    p = program("x:u2", thread("t", "0 1 l = x / 1 2 [l == 1] / 1 3 [l != 1] / 2 3 x = 2", "l:u2=0"))
    assert ops(p) == ["0 l = x; [l == 1] -> 1", "0 l = x; [l != 1] -> 2", "1 x = 2 -> 2"]


def test_an_access_is_not_glued_behind_a_guard() -> None:
    p = program("x:u2 y:u2", thread("t", "0 1 l = x / 1 2 [l == 1] / 1 0 [l != 1] / 2 3 y = 2", "l:u2=0"))
    assert all(not ("[" in line and "y" in line) for line in ops(p))


def test_two_sections_are_not_glued() -> None:
    p = program("x:u2 y:u2", thread("t", "0 1 x = 1 / 1 2 l = 1 / 2 3 l = 2 / 3 4 y = 1", "l:u2=0", atomic={1, 3}))
    result = compact(p).program.template("t").cfa
    assert [show_op(e.op) for e in result.edges] == ["x = 1; l = 1", "l = 2; y = 1"] and not result.atomic


def test_sections_become_one_step_in_the_nesc_model_only() -> None:
    lines = "0 1 [m == 0] / 1 2 m = 1 / 2 0 m = 0"
    assert ops(program("m:u1", thread("t", lines, atomic={1})))[0] == "0 [m == 0]; m = 1 -> 1"
    assert ops(program("m:u1", thread("t", lines, atomic={1}), race_model="c11"))[0] == "0 [m == 0] -> 1"
