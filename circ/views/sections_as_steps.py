"""A program whose atomic sections are single steps: the same races, fewer locations.

While a thread is inside an atomic section no other thread steps, so what it does there is done at once: each way through
a section becomes one edge, from the location before it to the one behind it. Locations keep their numbers; those inside
are no longer reached. In the race models nesc and machine no access on a protected edge is part of a race, so the edges carry
none.

Why the races are the same. A run of the new program is one of the program: the steps of a section one after the other.
Conversely take a run of the program that ends in a race of two threads. Neither is inside a section, as it would not
count there (checked: edges that enter, are inside or leave a section are protected). A third thread that is inside one
entered it when both stood where they stand now, and that state shows the race already, as the cells they are about to
access do not depend on globals, nor does whether they are next (checked: where they do, nothing is changed). So there is a
run to the race that ends with nobody inside a section, and in it every section is passed from its entry to its end without
a step of another thread in between. Waiting for locations (`AllAt`) makes no difference: nobody waits while a thread is
inside. Errors and critical sections are looked for at the same states, if none is inside a section (such sections stay as
they are); programs with invariants or relies, which speak of every state or step, stay as they are.

`circ.kernel.finite.inductive` folds sections, too, and keeps its own rules: there the proof says which locations are folded, and
the conditions depend on the question, so c11 programs and invariants that a section does not touch can be folded as well. A
view must be the same program for every question and every proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from circ.semantics.access_guards import Prefixes
from frontend.program import Block, Edge, Program, RaceModel, ThreadTemplate, primitive
from frontend.records import dataclass

MOST_WAYS = 32
"""A section with more ways through it stays as it is."""


@dataclass(frozen=True, slots=True)
class Sections:
    """The program with its sections as steps; `paths[t][k]` are the edges that edge k of template t stands for."""

    program: Program
    paths: Mapping[str, tuple[tuple[int, ...], ...]]


def sections_as_steps(program: Program) -> Sections | None:
    """The program with every simple atomic section as one step; None if there is none, or races would not be the same."""
    if program.race_model == RaceModel.C11 or program.invariants or program.relies or _moving_cells(program):
        return None
    templates: list[ThreadTemplate] = []
    paths: dict[str, tuple[tuple[int, ...], ...]] = {}
    for t in program.templates:
        ways = _ways(t)
        paths[t.name] = tuple(ways)
        edges = tuple(t.cfa.edges[way[0]] if len(way) == 1 else _step([t.cfa.edges[i] for i in way]) for way in ways)
        left = {q for e in edges for q in (e.source, e.target)}
        templates.append(replace(t, cfa=replace(t.cfa, edges=edges, atomic=t.cfa.atomic & left)))
    if all(len(way) == 1 for ways in paths.values() for way in ways):
        return None
    return Sections(replace(program, templates=tuple(templates)), paths)


def _moving_cells(program: Program) -> bool:
    """Whether a global can decide if an access that counts is next, or which cell it means. Protected ones do not count."""
    prefixes = Prefixes(program)
    return any(prefixes.moving(e, a) for t in program.templates for e in t.cfa.edges if not e.protected for a in e.accesses)


def _ways(t: ThreadTemplate) -> list[tuple[int, ...]]:
    """The edges of the new automaton as paths of the old one: single edges, and whole ways through a section."""
    cfa = t.cfa
    out: list[list[int]] = [[] for _ in range(cfa.size)]
    for i, e in enumerate(cfa.edges):
        out[e.source].append(i)
    through = {i: _through(t, out, i) for i, e in enumerate(cfa.edges) if e.source not in cfa.atomic and e.target in cfa.atomic}
    # What another entry cannot do without stays, and with it every section that shares a location with it.
    kept = {q for i, ways in through.items() if ways is None for q in _inside(t, out, i)}
    while True:
        also = {i for i, ways in through.items() if ways is not None and kept & _inside(t, out, i)}
        if not also:
            break
        for i in also:
            through[i] = None
            kept |= _inside(t, out, i)
    found: list[tuple[int, ...]] = []
    for i, e in enumerate(cfa.edges):
        ways = through.get(i)
        if ways is not None:
            found.extend(ways)
        elif e.source not in cfa.atomic or e.source in kept:
            found.append((i,))
    return found


def _inside(t: ThreadTemplate, out: list[list[int]], entry: int) -> set[int]:
    """The atomic locations that a thread can get to from an entry without leaving the section."""
    seen = {t.cfa.edges[entry].target}
    work = list(seen)
    while work:
        for i in out[work.pop()]:
            target = t.cfa.edges[i].target
            if target in t.cfa.atomic and target not in seen:
                seen.add(target)
                work.append(target)
    return seen


def _through(t: ThreadTemplate, out: list[list[int]], entry: int) -> list[tuple[int, ...]] | None:
    """All ways from an entry to behind the section; None if they are too many, or the section must stay."""
    cfa = t.cfa
    inside = _inside(t, out, entry)
    steps = [cfa.edges[entry], *(cfa.edges[i] for q in inside for i in out[q])]
    if any(q in cfa.errors or q in cfa.critical for q in inside) or not all(e.protected for e in steps):
        return None
    done: list[tuple[int, ...]] = []
    stack: list[tuple[int, ...]] = [(entry,)]
    while stack:
        way = stack.pop()
        at = cfa.edges[way[-1]].target
        if at not in cfa.atomic:
            done.append(way)
            continue
        if any(cfa.edges[i].source == at for i in way):
            return None  # a loop
        if len(done) + len(stack) + len(out[at]) > MOST_WAYS:
            return None
        stack.extend((*way, i) for i in reversed(out[at]))
    return done


def _step(edges: list[Edge]) -> Edge:
    first, last = edges[0], edges[-1]
    text = "; ".join(dict.fromkeys(e.text for e in edges if e.text))
    doubts = tuple(dict.fromkeys(d for e in edges for d in e.doubts))
    ops = tuple(p for e in edges for p in primitive(e.op))
    return Edge(first.source, last.target, Block(ops), (), True, first.location, text, doubts)
