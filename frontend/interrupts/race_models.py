"""Which race model a program is read with where nobody says, and what its machine does with one instruction."""

from __future__ import annotations

from collections.abc import Iterable

from frontend.interrupts.access_patterns import access_patterns
from frontend.interrupts.indivisible import Machine
from frontend.ir.interrupt_table import InterruptTable
from frontend.ir.thread_library import PREFIXES
from frontend.memory.world import World
from frontend.program import RaceModel
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
