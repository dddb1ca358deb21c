"""A program without its doubtful steps: fewer runs, the same numbers of edges, nothing doubtful left."""

from __future__ import annotations

from dataclasses import replace

from circ.search import explicit
from circ.verdict import Options, RaceOn, Refuted
from circ.views.sure import is_doubtful, surely
from frontend.program import Doubt, Edge, Program
from tests.support.build import program, thread


def doubted(p: Program, doubt: Doubt, chosen: int) -> Program:
    def edges(all_: tuple[Edge, ...]) -> tuple[Edge, ...]:
        return tuple(replace(e, doubts=(doubt,)) if i == chosen else e for i, e in enumerate(all_))

    return replace(p, templates=tuple(replace(t, cfa=replace(t.cfa, edges=edges(t.cfa.edges))) for t in p.templates))


RACY = program("x", thread("w", "0 1 [x == 0] / 0 1 [x >= 0] / 1 0 x = 1", count=2))


def test_the_step_cannot_be_taken_and_keeps_its_number() -> None:
    p = doubted(RACY, Doubt("who knows", step=True), 0)
    sure = surely(p)
    assert [len(t.cfa.edges) for t in sure.templates] == [len(t.cfa.edges) for t in p.templates]
    assert any(is_doubtful(e) for t in p.templates for e in t.cfa.edges)
    assert not any(is_doubtful(e) for t in sure.templates for e in t.cfa.edges)


def test_a_search_finds_the_run_without_it() -> None:
    found = explicit.answer(doubted(RACY, Doubt("who knows", step=True), 0), RaceOn("x"), Options())
    assert isinstance(found, Refuted)
    assert 0 not in {s.edge for s in found.trace.steps}


def test_values_in_doubt_do_not_send_the_search_round_and_round() -> None:
    p = doubted(doubted(RACY, Doubt("who knows", step=True), 0), Doubt("what it is", values=("x",)), 2)
    assert isinstance(explicit.answer(p, RaceOn("x"), Options()), Refuted)
