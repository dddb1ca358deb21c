"""Atomic sections inside which a program switches interrupts: what begins and ends them is then spelt out.

An atomic section keeps all others from running, which is what a section does that begins by saving the interrupt state
and switching interrupts off and ends by restoring it. One that looks at or changes that state in between (the idle loop of
a scheduler: `sei(); sleep(); cli();`) is not that simple: it is interrupted while interrupts are on, and its end undoes what
it did. There the begin and the end are steps on the ghost `IE`, and only those locations are atomic where interrupts are
off for certain.
"""

from __future__ import annotations

from dataclasses import replace

from frontend.memory.sketch import SectionMark, Sketch, SketchStep
from frontend.program import BOOL, Assign, Block, Const, Havoc, Lvalue, Op, Read, Var, name_of, op_reads, op_writes, primitive
from frontend.program.schedule_ghosts import IE, sync

_OFF = Const(0, BOOL)


_BEFORE = "<interrupts on before section "


def saved(depth: int) -> Var:
    """What interrupts were when the section of that nesting depth began."""
    return Var(f"{_BEFORE}{depth}>", BOOL)


def is_saved(v: Lvalue) -> bool:
    return isinstance(v, Var) and v.name.startswith(_BEFORE)


def saved_states(graph: Sketch) -> tuple[Var, ...]:
    """The variables that the spelt out sections of a thread need."""
    written = {p.target: None for s in graph.steps for p in primitive(s.op) if isinstance(p, Assign) and is_saved(p.target)}
    return tuple(v for v in written if isinstance(v, Var))


def spell_out(graph: Sketch, depths: dict[int, int], status: str) -> set[int]:
    """Replace the marks of such sections by steps; gives their locations where others may run.

    `depths`: the nesting of each location; `status`: the name of the register that holds the interrupt state.
    """
    looks = {s.source for s in graph.steps if _looks(s.op, status) and depths[s.source]}
    inside = _sections(graph, depths, looks)
    if not inside:
        return set()
    graph.steps = [_spelt(s, depths) if s.source in inside or s.target in inside else s for s in graph.steps]
    return inside - _off(graph, inside, status)


def _looks(op: Op, status: str) -> bool:
    return not {IE.name, status}.isdisjoint((*op_writes(op), *map(name_of, op_reads(op))))


def _sections(graph: Sketch, depths: dict[int, int], within: set[int]) -> set[int]:
    """All locations of the sections that these locations are in."""
    beside: dict[int, list[int]] = {}
    for s in graph.steps:
        if depths[s.source] and depths[s.target]:
            beside.setdefault(s.source, []).append(s.target)
            beside.setdefault(s.target, []).append(s.source)
    found, work = set(within), sorted(within)
    while work:
        for q in beside.get(work.pop(), ()):
            if q not in found:
                found.add(q)
                work.append(q)
    return found


def _spelt(step: SketchStep, depths: dict[int, int]) -> SketchStep:
    match step.mark:
        case SectionMark.ATOMIC_BEGIN:
            own = saved(depths[step.source])
            return replace(step, op=Block((Assign(own, Read(IE)), Assign(IE, _OFF))), accesses=(sync(IE),), mark=None)
        case SectionMark.ATOMIC_END:
            return replace(step, op=Assign(IE, Read(saved(depths[step.target]))), accesses=(sync(IE),), mark=None)
    return step


def _off(graph: Sketch, inside: set[int], status: str) -> set[int]:
    """The locations of the sections where interrupts are off for certain: the greatest set that the steps into them allow."""
    steps = [s for s in graph.steps if s.target in inside]
    saves = [(s.source, p.target) for s in steps for p in primitive(s.op) if isinstance(p, Assign) and p.value == Read(IE)]
    off = set(inside)
    while True:
        on = {v for q, v in saves if q not in off}
        lost = {s.target for s in steps if s.target in off and not _leaves_off(s, s.source in off, on, status)}
        if not lost:
            return off
        off -= lost


def _leaves_off(step: SketchStep, known: bool, on: set[Lvalue], status: str) -> bool:
    """Whether interrupts are off behind a step, if that is `known` before it; `on`: saved states that may be on."""
    for part in primitive(step.op):
        match part:
            case Assign(target=target, value=value) if target == IE:
                known = value == _OFF or (isinstance(value, Read) and is_saved(value.lvalue) and value.lvalue not in on)
            case Assign() | Havoc() if not {IE.name, status}.isdisjoint(op_writes(part)):
                known = False
    return known
