"""Locks that nobody initialises, destroys or frees while others may use them: their operations are synchronisation and no more.

Every operation on a lock is a use (`AccessKind.LOCK`), which races with what initialises, destroys, frees or overwrites the lock.
Most locks are made before there is any other thread, and live as long as the program: about these there is nothing to ask.
"""

from __future__ import annotations

from collections.abc import Iterable

from frontend.library.thread_creation import CreatedThread
from frontend.link.drafts import Draft
from frontend.memory.sketch import Sketch, SketchStep
from frontend.program import AccessKind, name_of, op_reads, op_writes
from frontend.records import replace


def settle_lock_uses(threads: tuple[Draft, ...], created: Iterable[CreatedThread]) -> None:
    """Make the uses of locks synchronisation, but for those locks that may be set up or overwritten while there are threads."""
    early = _before_all_threads(threads, {c.create.name for c in created})
    lists = {id(s.accesses): s.accesses for d in threads for s in d.sketch.steps}
    late = {id(s.accesses) for d in threads for s in d.sketch.steps if not (d.sketch is early[0] and s.source in early[1])}
    asked = {a.variable for number in late for a in lists[number] if a.kind is AccessKind.DATA}
    uses = {number for number, accesses in lists.items() if any(a.kind is AccessKind.LOCK for a in accesses)}
    for draft in threads:
        draft.sketch.steps = [_settled(s, asked) if s.sets_up or id(s.accesses) in uses else s for s in draft.sketch.steps]


def _before_all_threads(threads: tuple[Draft, ...], flags: set[str]) -> tuple[Sketch | None, frozenset[int]]:
    """The thread that runs alone at first, and the locations that it leaves before it creates another one."""
    first = [d for d in threads if d.created is None]
    if len(first) != 1 or first[0].source.count != 1:
        return None, frozenset()
    sketch = first[0].sketch
    out = sketch.leaving()
    late = {s.target for s in sketch.steps if not flags.isdisjoint(op_writes(s.op))}
    todo = list(late)
    while todo:
        more = {s.target for s in out[todo.pop()]} - late
        late |= more
        todo += more
    return sketch, frozenset(out) - late


def _settled(step: SketchStep, asked: set[str]) -> SketchStep:
    """A step that uses a lock or sets one up."""
    if any(a.variable in asked for a in step.accesses):
        return step
    used = {*op_writes(step.op), *map(name_of, op_reads(step.op))}
    kept = tuple(replace(a, kind=AccessKind.SYNC) for a in step.accesses if a.variable in used)
    doubts = tuple(replace(d, accesses=False) for d in step.doubts if d.step or d.values)
    return replace(step, accesses=kept, protected=bool(kept), doubts=doubts)
