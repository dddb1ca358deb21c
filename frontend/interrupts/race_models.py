"""Which race model a program is read with where nobody says, and what its machine does with one instruction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from frontend.interrupts.access_patterns import access_patterns
from frontend.interrupts.indivisible import Machine
from frontend.ir import AtomicBegin, Module
from frontend.ir.interrupt_table import InterruptTable
from frontend.ir.thread_library import PREFIXES
from frontend.memory.world import World
from frontend.program import AccessKind, RaceModel, Role, ThreadTemplate
from frontend.threads.sources import ThreadSource, is_for_avr

_MSP430 = frozenset({"__bis_SR_register", "_bis_SR_register", "_BIS_SR", "__bis_status_register", "__bic_SR_register", "_EINT",
                     "_bic_SR_register", "_BIC_SR", "_DINT", "__eint", "__dint", "__get_interrupt_state"})
"""Intrinsics of the compilers for the MSP430."""
_FIRMWARE_WORD = 4
"""Bytes of a word on the processors that firmware is written for, where nothing tells that it is less."""


def is_firmware(module: Module, sources: Sequence[ThreadSource], table: InterruptTable) -> bool:
    """Whether hardware starts handlers on a processor that is named, and there are neither sections nor tasks of nesC."""
    roles = {s.role for s in sources}
    if table.word is None or Role.HANDLER not in roles or not roles <= {Role.HANDLER, Role.MAIN}:
        return False
    if any(s.role is Role.HANDLER and s.flag is not None for s in sources):
        return False  # marked with circ_interrupt
    if any(n.startswith(("__nesc_", "TOS_", "TOSH_")) for n in module.declarations):
        return False
    found = {s.function: None for s in sources}
    todo = list(found)
    while todo:
        name = todo.pop()
        if any(isinstance(e.instr, AtomicBegin) for e in module.function(name).edges):
            return False
        more = [n for n in sorted(module.mentioned(name)) if n not in found and _has_body(module, n)]
        found |= dict.fromkeys(more)
        todo += more
    return True


def _has_body(module: Module, name: str) -> bool:
    decl = module.declarations.get(name)
    return decl is not None and decl.defined


def choose_race_model(world: World, called: Iterable[str], templates: tuple[ThreadTemplate, ...], firmware: bool) -> RaceModel:
    """C11's where threads of a library are used, or the vocabulary of SV-COMP; the machine's for firmware, else that of nesC.

    Firmware that uses C11's atomics means C11.
    """
    c11 = any(n.startswith((*PREFIXES, "__VERIFIER_")) for n in called)
    if c11 or any(n.startswith("__VERIFIER_") for n in world.module.declarations):
        return RaceModel.C11
    if not firmware:
        return RaceModel.NESC
    atomics = any(a.kind is AccessKind.ATOMIC for t in templates for e in t.cfa.edges for a in e.accesses)
    return RaceModel.C11 if atomics else RaceModel.MACHINE


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
