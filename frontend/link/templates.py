"""Thread templates: sections resolved, automata simplified, locations numbered in reading order."""

from __future__ import annotations

from collections.abc import Callable

from frontend.annotations.attached import TID
from frontend.annotations.thread_ids import numbered
from frontend.interrupts.interrupt_sections import saved_states, spell_out
from frontend.interrupts.registers import register
from frontend.ir.interrupt_table import InterruptTable
from frontend.library.lifetime import place_joins
from frontend.library.thread_creation import CreatedThread
from frontend.link.bodies import Bodies
from frontend.link.drafts import Draft, locals_of, scalars
from frontend.link.settle import Settled, facts_about
from frontend.memory.sketch import Sketch
from frontend.memory.world import World
from frontend.program import Arbitrary, Cfa, Edge, FrontendError, ThreadTemplate, Variable, name_of, op_reads, op_writes
from frontend.threads.private_constants import propagate_private, touched
from frontend.threads.sections import resolve_sections, unblock
from frontend.threads.simplify import simplify, thread_results


def make_templates(world: World, bodies: Bodies, threads: tuple[Settled, ...], created: tuple[CreatedThread, ...],
                   table: InterruptTable | None) -> tuple[ThreadTemplate, ...]:
    """The automaton of every thread; `table`: of a program with handlers or tasks, whose sections may switch interrupts.

    A step outside atomic sections touches shared memory at most once, and no access is lost.
    """
    owners = _sole_users([t.draft for t in threads])
    templates = []
    for number, thread in enumerate(threads):
        draft = thread.draft
        _check_balance(world, bodies, draft)
        private = [name for name, owner in owners.items() if owner == number]
        templates.append(_template(world, thread, private, _sections(table)))
    return numbered(place_joins(tuple(templates), created))


def _sole_users(drafts: list[Draft]) -> dict[str, int]:
    """The variables that only one thread touches, of which one copy runs, and the number of its draft."""
    owners: dict[str, int] = {}
    for number, draft in enumerate(drafts):
        for name in touched(draft.sketch):
            owners[name] = number if name not in owners and draft.source.count == 1 else -1
    return {name: number for name, number in owners.items() if number >= 0 and not name.startswith("*")}


def _check_balance(world: World, bodies: Bodies, draft: Draft) -> None:
    body = bodies.written(draft.source.function)
    if body is not None and world.calls.depth(body.name, body.exit)[0] > 0:
        raise FrontendError(draft.source.location, f"unbalanced atomic section: '{body.name}' ends inside one",
                            "end it on every path")


def _template(world: World, thread: Settled, private: list[str],
              sections: Callable[[Sketch, dict[int, int]], set[int]]) -> ThreadTemplate:
    draft, sketch = thread.draft, thread.draft.sketch
    locals_ = locals_of(world, draft)
    facts = facts_about(scalars(locals_), thread.facts)
    if private:
        thread_results(sketch, facts)  # so that more is known of these
    facts = propagate_private(sketch, facts, [*private, *(v.name for v in locals_ if v.is_array)])
    resolve_sections(sketch, sections)
    simplify(sketch, facts)
    unblock(sketch)
    simplify(sketch, facts)
    cfa = finish(sketch)
    locals_ += [Variable(v.name, v.type, None, Arbitrary(), "", ghost=True) for v in saved_states(sketch)]
    names = {n for s in sketch.steps for n in (*op_writes(s.op), *map(name_of, op_reads(s.op)))}
    if world.module.attached is not None:
        names.add(TID)
    source = draft.source
    return ThreadTemplate(draft.template, cfa, tuple(v for v in locals_ if v.name in names), source.count, source.role,
                          source.location, source.masked)


def _sections(table: InterruptTable | None) -> Callable[[Sketch, dict[int, int]], set[int]]:
    """Replaces sections in which interrupts are switched by steps; see `frontend.interrupts.interrupt_sections`."""
    if table is None:
        return lambda sketch, depths: set()
    status = register(table.status[0]).name
    return lambda sketch, depths: spell_out(sketch, depths, status)


def finish(sketch: Sketch) -> Cfa:
    """The automaton, locations numbered in reading order."""
    sketch.prune()
    order = sketch.reachable()
    number = {q: n for n, q in enumerate(order)}
    out = sketch.leaving()
    edges = tuple(
        Edge(number[s.source], number[s.target], s.op, s.accesses, s.protected, s.location, s.text, s.doubts)
        for q in order
        for s in out[q]
    )
    places = {number[q]: out[q][0].location for q in order if out[q]}
    # A thread that ends inside an atomic section does not hold up the others.
    atomic = frozenset(number[q] for q in sketch.atomic if out[q])
    return Cfa(len(order), number[sketch.start], edges, atomic, {number[q]: e for q, e in sorted(sketch.errors.items())},
               frozenset(number[q] for q in sketch.critical), places)
