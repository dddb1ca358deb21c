"""What comes before an access in its step: conditions up to the last that must pass, the scheduler's own left out."""

from __future__ import annotations

from dataclasses import replace

from circ.semantics.access_guards import Prefixes
from frontend.program import Program
from tests.support.build import op, program, thread, variable

SCOPE = {v.name: v for v in map(variable, ["x", "y", "a[4]", "l"])}


def last_access(edges: str) -> tuple[Program, Prefixes]:
    p = program("x y a[4]", thread("w", edges, locals="l"))
    return p, Prefixes(p)


def test_conditions_before_it_count_and_what_follows_does_not() -> None:
    p, prefixes = last_access("0 1 l = 1; [y == 0]; l = 2; x = 1; [y == 2]")
    e = p.templates[0].cfa.edges[0]
    write = next(a for a in e.accesses if a.variable == "x")
    assert prefixes.before(e, write).ops == op("l = 1; [y == 0]", SCOPE).ops  # type: ignore[union-attr]
    assert prefixes.moving(e, write) == {"y"}


def test_an_index_over_globals_moves() -> None:
    p, prefixes = last_access("0 1 a[y] = 1")
    e = p.templates[0].cfa.edges[0]
    assert prefixes.moving(e, next(a for a in e.accesses if a.variable == "a")) == {"y"}
    assert prefixes.moving(e, next(a for a in e.accesses if a.variable == "y")) == set()


def test_a_guard_of_the_scheduler_only_suspends() -> None:
    p, _ = last_access("0 1 [y == 0]; x = 1")
    ghostly = replace(p, globals=tuple(replace(v, ghost=v.name == "y") for v in p.globals))
    e = ghostly.templates[0].cfa.edges[0]
    assert Prefixes(ghostly).before(e, next(a for a in e.accesses if a.variable == "x")).ops == ()


def test_what_is_done_before_a_guard_of_the_scheduler_decides_nothing() -> None:
    p, _ = last_access("0 1 l = x; [y == 0]; a[1] = 1")
    ghostly = replace(p, globals=tuple(replace(v, ghost=v.name == "y") for v in p.globals))
    e = ghostly.templates[0].cfa.edges[0]
    write = next(a for a in e.accesses if a.variable == "a")
    assert Prefixes(ghostly).before(e, write).ops == () and Prefixes(ghostly).moving(e, write) == set()
