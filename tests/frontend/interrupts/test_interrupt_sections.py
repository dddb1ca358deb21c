"""Atomic sections that switch interrupts: begin and end become steps on IE, atomic is only where interrupts are off for certain."""

from __future__ import annotations

from frontend.interrupts.interrupt_sections import saved_states, spell_out
from frontend.memory.sketch import SectionMark, Sketch, SketchStep
from frontend.program import BOOL, SKIP, Assign, Const, Havoc, Op, Var
from frontend.program.schedule_ghosts import IE
from frontend.threads.sections import resolve_sections

X = Var("x", BOOL)
ON, OFF, ONE = Assign(IE, Const(1, BOOL)), Assign(IE, Const(0, BOOL)), Assign(X, Const(1, BOOL))
STATUS = "*0x5f"


def sketch(*steps: tuple[int, int, Op | SectionMark]) -> Sketch:
    made = [SketchStep(a, b, SKIP, mark=o) if isinstance(o, SectionMark) else SketchStep(a, b, o) for a, b, o in steps]
    return Sketch(1 + max(max(s.source, s.target) for s in made), 0, made)


def resolved(*steps: tuple[int, int, Op | SectionMark]) -> Sketch:
    graph = sketch(*steps)
    resolve_sections(graph, lambda g, depths: spell_out(g, depths, STATUS))
    return graph


def test_a_section_that_does_not_look_at_interrupts_is_simply_atomic() -> None:
    graph = resolved((0, 1, SectionMark.ATOMIC_BEGIN), (1, 2, ONE), (2, 3, ONE), (3, 4, SectionMark.ATOMIC_END))
    assert graph.atomic and not saved_states(graph)
    assert all(IE.name not in str(s) for s in graph.steps)


def test_others_run_where_the_section_has_interrupts_on() -> None:
    graph = resolved((0, 1, SectionMark.ATOMIC_BEGIN), (1, 2, ON), (2, 3, ONE), (3, 4, OFF), (4, 5, SectionMark.ATOMIC_END))
    assert {2, 3}.isdisjoint(graph.atomic), "interrupts are on there"
    assert {1, 4} <= graph.atomic, "they are off there"
    saving = next(s for s in graph.steps if s.source == 0)
    assert saved_states(graph) and str(saving.op).count(IE.name) == 2, "the begin saves the state and switches interrupts off"
    assert all(s.mark is None for s in graph.steps)


def test_what_is_not_known_is_taken_for_on() -> None:
    graph = resolved((0, 1, SectionMark.ATOMIC_BEGIN), (1, 2, Havoc((IE,))), (2, 3, ONE), (3, 4, SectionMark.ATOMIC_END))
    assert {2, 3}.isdisjoint(graph.atomic)
    graph = resolved((0, 1, SectionMark.ATOMIC_BEGIN), (1, 2, Havoc((Var(STATUS, BOOL),))), (2, 3, ONE), (3, 4, SectionMark.ATOMIC_END))
    assert {2, 3}.isdisjoint(graph.atomic)


def test_the_end_of_an_inner_section_restores_what_the_outer_one_had() -> None:
    on_inside = resolved((0, 1, SectionMark.ATOMIC_BEGIN), (1, 2, ON), (2, 3, SectionMark.ATOMIC_BEGIN), (3, 4, ONE), (4, 5, SectionMark.ATOMIC_END),
                         (5, 6, ONE), (6, 7, SectionMark.ATOMIC_END))
    assert {3, 4} <= on_inside.atomic and {2, 5, 6}.isdisjoint(on_inside.atomic)
    off_inside = resolved((0, 1, SectionMark.ATOMIC_BEGIN), (1, 2, OFF), (2, 3, SectionMark.ATOMIC_BEGIN), (3, 4, ONE), (4, 5, SectionMark.ATOMIC_END),
                          (5, 6, ONE), (6, 7, SectionMark.ATOMIC_END))
    assert {1, 2, 3, 4, 5, 6} <= off_inside.atomic


def test_paths_of_which_one_has_interrupts_on() -> None:
    graph = resolved((0, 1, SectionMark.ATOMIC_BEGIN), (1, 2, ON), (1, 2, OFF), (2, 3, ONE), (3, 4, SectionMark.ATOMIC_END))
    assert {2, 3}.isdisjoint(graph.atomic)
