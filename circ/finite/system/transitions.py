"""The transitions of a thread: atomic sections in one step, empty steps glued to what leads to them, initialisation done.

`circ.views.sections_as_steps` makes sections single steps, too, and is not used here: it answers races in the nesc model
only, as a program for every engine, with a way back for proofs; here the question may be any, a section may stay a section in
part (the locations that the question sees), and nothing has to be a program again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from circ.finite.system.error_marks import observed_at
from circ.finite.system.transition_system import ThreadGroup, Transition
from circ.verdict import Assertions, Question, RaceOn
from frontend.program import (
    Assign,
    Block,
    Cfa,
    Const,
    Op,
    Program,
    RaceModel,
    ThreadTemplate,
    Var,
    op_writes,
    primitive,
    variables,
)

PATHS = 256
"""Atomic sections with more paths than this are not made one step."""


def transitions_of(program: Program, question: Question, t: ThreadTemplate) -> tuple[tuple[Transition, ...], frozenset[int]]:
    """The steps of a thread, unobservable atomic sections in one, and the atomic locations that remain."""
    kept = _kept(program, question, t.cfa)
    found = _through(t.cfa, t.cfa.atomic - kept)
    if found is None:
        kept |= t.cfa.atomic
        found = _through(t.cfa, frozenset())
        assert found is not None, "without sections to pass every path has one edge"
    reached = {t.cfa.start}
    while grown := {m.target for m in found if m.source in reached} - reached:
        reached |= grown
    return tuple(m for m in found if m.source in reached), kept & t.cfa.atomic


def _through(cfa: Cfa, inside: frozenset[int]) -> list[Transition] | None:
    """The paths between locations outside `inside`, each as one transition; None if there are too many."""
    leaving: list[list[int]] = [[] for _ in range(cfa.size)]
    for i, e in enumerate(cfa.edges):
        leaving[e.source].append(i)
    found: list[Transition] = []
    for q in range(cfa.size):
        if q in inside:
            continue
        paths: list[tuple[int, ...]] = [(i,) for i in leaving[q]]
        while paths:
            path = paths.pop(0)
            last = cfa.edges[path[-1]]
            if last.target in inside:
                paths.extend((*path, i) for i in leaving[last.target])
                if len(paths) > PATHS:
                    return None
            else:
                ops: tuple[Op, ...] = tuple(cfa.edges[i].op for i in path)
                found.append(Transition(q, last.target, Block(ops), path))
    return found


def _kept(program: Program, question: Question, cfa: Cfa) -> frozenset[int]:
    """Atomic locations that the question can observe, or that lie on a loop of the section.

    Observed are: error and critical locations; in the c11 model accesses of the variable (there an access inside a section
    can be part of a race); and locations after a write to what the question reads of globals: an invariant is asked of every
    state, and which element an access means, and whether it is next, depends on what others write meanwhile.
    """
    kept: frozenset[int]
    match question:
        case RaceOn(variable=x):
            accesses = {e.source for e in cfa.edges if any(a.variable == x for a in e.accesses)}
            observed = observed_at(program, question)
            read = {n for t in program.templates for e in t.cfa.edges for i in observed(e) for n in variables(i)}
            kept = frozenset(accesses) if program.race_model != RaceModel.NESC else frozenset()
        case Assertions():
            read = {n for i in program.invariants for n in variables(i.cond)}
            kept = cfa.critical | frozenset(cfa.errors)
        case _:
            assert_never(question)
    kept = cfa.atomic & (kept | {e.target for e in cfa.edges if read & set(op_writes(e.op))})
    return kept | _on_loops(cfa, cfa.atomic - kept)


def _on_loops(cfa: Cfa, inside: frozenset[int]) -> frozenset[int]:
    """The locations that a path inside leads back to."""
    after = {q: [e.target for e in cfa.edges if e.source == q and e.target in inside] for q in inside}
    found = set()
    for q in after:
        seen: set[int] = set()
        todo = list(after[q])
        while todo:
            p = todo.pop()
            if p not in seen:
                seen.add(p)
                todo.extend(after[p])
        if q in seen:
            found.add(q)
    return frozenset(found)


def without_empty_steps(cfa: Cfa, moves: tuple[Transition, ...],
                        seen: frozenset[int]) -> tuple[tuple[Transition, ...], dict[int, tuple[int, ...]]]:
    """The moves with empty steps glued to what leads to them, and for each location those that are passed on the way to it.

    An empty step commutes with every step of other threads, so nothing is lost by taking it at once. `seen` locations stay.
    """
    leaving: dict[int, list[Transition]] = {}
    for m in moves:
        leaving.setdefault(m.source, []).append(m)
    onward = {q: own[0] for q, own in leaving.items()
              if len(own) == 1 and not any(primitive(own[0].op)) and q not in seen and q != cfa.start and own[0].target != q}

    def glued(move: Transition) -> Transition:
        met = {move.source}
        while move.target in onward and move.target not in met:
            met.add(move.target)
            step = onward[move.target]
            move = Transition(move.source, step.target, Block((move.op, step.op)), (*move.edges, *step.edges))
        return move

    passed: dict[int, list[int]] = {}
    for q in sorted(onward):
        passed.setdefault(glued(onward[q]).target, []).append(q)
    through = set(onward) - {glued(m).target for m in moves}
    kept = tuple(glued(m) for m in moves if m.source not in through)
    return kept, {r: tuple(q for q in qs if q in through) for r, qs in passed.items()}


def after_initialisation(group: ThreadGroup) -> ThreadGroup:
    """The group after a first step that only initialises locals, if there is one.

    Nobody sees that step, and where it starts the locals it sets are dead: they read as their first values, which are the
    values they get. So a thread before it counts as being after it.
    """
    first = [m for m in group.moves if m.source == group.start]
    if len(first) != 1 or any(m.target == group.start for m in group.moves) or group.start in {m.location for m in group.marks}:
        return group
    cells = {c.name: c for c in group.cells if c.element is None}
    for part in primitive(first[0].op):
        match part:
            case Assign(target=Var(name=n), value=Const(value=v)) if n in cells and cells[n].normal(v) == cells[n].values[0]:
                if n in group.live[group.start] or cells[n].open:
                    return group
            case _:
                return group
    target = first[0].target
    if target in group.atomic:
        return group
    set_here = {n for part in primitive(first[0].op) for n in op_writes(part)}
    passed = {**group.passed, target: (*group.passed.get(target, ()), group.start)}
    return replace(
        group, start=target, prelude=first[0].edges, passed=passed, moves=tuple(m for m in group.moves if m is not first[0]),
        cells=tuple(replace(c, start=c.values[:1]) if c.name in set_here else c for c in group.cells),
        locations=tuple(q for q in group.locations if q != group.start))
