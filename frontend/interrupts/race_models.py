"""Which race model a program is read with where nobody says, what its machine does with one instruction, what handlers need.

C11 asks that both accesses be in sections. On one processor a handler that runs to its end before the threads go on is like
one: a section of a thread keeps it out, and while it runs no thread steps. So its accesses count as protected, unless a handler
that may interrupt it, or that it may interrupt, accesses the same variable. Where that is so and threads have sections as well,
the access would be protected for the one and not for the other: it is not, and in doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from frontend.interrupts.access_patterns import access_patterns
from frontend.interrupts.indivisible import Machine
from frontend.ir.interrupt_table import InterruptTable
from frontend.ir.thread_library import PREFIXES
from frontend.memory.world import World
from frontend.program import AccessKind, Doubt, Edge, Preemption, Program, RaceModel, Role
from frontend.threads.sources import is_for_avr

_MSP430 = frozenset({"__bis_SR_register", "_bis_SR_register", "_BIS_SR", "__bis_status_register", "__bic_SR_register", "_EINT",
                     "_bic_SR_register", "_BIC_SR", "_DINT", "__eint", "__dint", "__get_interrupt_state"})
"""Intrinsics of the compilers for the MSP430."""
_FIRMWARE_WORD = 4
"""Bytes of a word on the processors that firmware is written for, where nothing tells that it is less."""


def choose_race_model(world: World, called: Iterable[str]) -> RaceModel:
    """C11's where threads of a library are used, or the vocabulary of SV-COMP, else that of nesC.

    That of machines is for those who ask for it: it looks at single accesses, and an update may be spread over several.
    """
    c11 = any(n.startswith((*PREFIXES, "__VERIFIER_")) for n in called)
    return RaceModel.C11 if c11 or any(n.startswith("__VERIFIER_") for n in world.module.declarations) else RaceModel.NESC


def hands_over(asked: RaceModel | None, program: Program) -> bool:
    """Whether variables that one thread alone writes, at once, are no race: in firmware for one processor, where nobody asks
    for a model. In programs with tasks that are posted the rule of nesC's compiler is what people go by."""
    return asked is None and program.race_model is RaceModel.NESC and program.preemption is Preemption.NESTED and not any(
        t.role is Role.TASK for t in program.templates)


def sure_machine(world: World, table: InterruptTable) -> Machine:
    """As `find_machine`, with a word of one byte where nothing tells which processor it is."""
    return find_machine(world, False, table if table.word or any(n in _MSP430 for n in world.module.declarations) else
                        replace(table, word=1))


def is_by_itself(world: World) -> Callable[[str], bool]:
    """Whether a variable is the whole of an object that no pointer leads to, so that each access is to all of it."""
    if world.pointsto.wild:
        return lambda name: False
    pointed = {target[0] for targets in world.pointsto.all_targets() for target in targets}
    alone = {o.leaves[0].name for o in world.objects.all()
             if len(o.leaves) == 1 and not o.leaves[0].bytes and o.name not in pointed}
    return alone.__contains__


def find_machine(world: World, reactive: bool, table: InterruptTable) -> Machine:
    """What one instruction of the program's processor reads or writes, and which accesses take several anyway.

    `reactive`: there are handlers or tasks.
    """
    word = table.word or _word(world, reactive, table)
    misaligned = frozenset(leaf.name for o in world.objects.all() for leaf in o.leaves if leaf.offset % min(leaf.size, word))
    return Machine(word, access_patterns(world.pointsto.reached.values()), misaligned)


def _word(world: World, reactive: bool, table: InterruptTable) -> int:
    model, declared = world.module.model, world.module.declarations
    if any(n in _MSP430 for n in declared):
        return 2
    if is_for_avr(world.module, table) or model.pointer_size == 2:
        return 1
    return min(_FIRMWARE_WORD, model.pointer_size) if reactive else model.pointer_size


_PERHAPS = Doubt("whether this access can come in the middle of another is not known", accesses=True)


def with_whole_handlers(program: Program, interrupts: Callable[[str, str], bool]) -> Program:
    """The program with the accesses of handlers protected where only threads can meet them; `interrupts(a, b)`: a may run
    between two steps of b."""
    templates = program.templates
    handlers = [n for n, t in enumerate(templates) if t.role is Role.HANDLER]

    def meets(one: int, other: int) -> bool:
        if one == other and templates[one].count == 1:
            return False
        names = templates[one].name, templates[other].name
        return interrupts(*names) or interrupts(*reversed(names))

    def edge(n: int, e: Edge) -> Edge:
        data = [a for a in e.accesses if a.is_data]
        if not data or e.protected:
            return e
        found = [(t, f, b) for a in data for t, f, b in program.accesses[a.variable]]
        if any(b.kind is AccessKind.ATOMIC for _, _, b in found):
            return e
        if not any(t in handlers and meets(n, t) for t, _, _ in found):
            return replace(e, protected=True)
        sections = any(t not in handlers and f.protected for t, f, _ in found)
        return replace(e, doubts=(*e.doubts, _PERHAPS)) if sections else e

    return replace(program, templates=tuple(
        replace(t, cfa=replace(t.cfa, edges=tuple(edge(n, e) for e in t.cfa.edges))) if n in handlers else t
        for n, t in enumerate(templates)))
