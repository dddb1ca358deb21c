"""What inline assembly does to the processor's interrupts, instruction by instruction.

The instructions of the AVR, ARM, MSP430 and x86 that switch all interrupts on or off, and those that save and restore the
register in which that is kept, become calls of the functions below, which `frontend.interrupts.interrupt_calls` gives their
meaning. An instruction that names such a register in another way may do anything to it. All others concern no interrupt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

ON, OFF = "__circ_interrupts_on", "__circ_interrupts_off"
READ_STATUS, WRITE_STATUS = "__circ_read_status", "__circ_write_status"
SET_STATUS, CLEAR_STATUS = "__circ_set_status", "__circ_clear_status"
UNCLEAR, MASKS = "__circ_unclear_status", "__circ_masks_some"


@dataclass(frozen=True, slots=True)
class Status:
    """The bit of a register that all interrupts hang on.

    `inverted`: they are off while it is 1. `alone`: the register has nothing else.
    """

    bit: int
    inverted: bool = False
    alone: bool = False


AVR, MSP430, PRIMASK, CPSR = Status(7), Status(3), Status(0, True, True), Status(7, True)
STATE = Status(3, alone=True)
"""A value that programs only keep and hand back."""


@dataclass(frozen=True, slots=True)
class Effect:
    """A call that stands for an instruction; `operand` is its text (`%0`, `#8`), where it has one."""

    call: str
    status: Status = AVR
    operand: str = ""


_SWITCHES = {**dict.fromkeys(("sei", "sti", "eint", "bset 7", "reti"), Effect(ON)),
             **dict.fromkeys(("cli", "dint", "bclr 7"), Effect(OFF)),
             **dict.fromkeys(("cpsie i", "cpsie if"), Effect(CLEAR_STATUS, PRIMASK, "#1")),
             **dict.fromkeys(("cpsid i", "cpsid if"), Effect(SET_STATUS, PRIMASK, "#1"))}
_REGISTERS = {**dict.fromkeys(("__sreg__", "0x3f", "0x5f"), AVR), **dict.fromkeys(("sr", "r2"), MSP430), "primask": PRIMASK,
              **dict.fromkeys(("cpsr", "cpsr_c", "cpsr_cxsf", "cpsr_fc"), CPSR)}
_MASKS = frozenset({"basepri", "basepri_max", "faultmask"})
"""Registers that hold back some interrupts."""
_OTHERS = frozenset({"mstatus", "mie", "spsr", "spsr_cxsf", "eflags"})
"""Registers that are the status of processors not known here, or become it."""
_MOVES = {"in": "read", "lds": "read", "mrs": "read", "out": "write", "sts": "write", "msr": "write"}
_ELSEWHERE = {**dict.fromkeys(("0x3f", "0x5f"), frozenset(_MOVES)),
              **dict.fromkeys(("sr", "r2"), frozenset({"mov", "bis", "bic", "pop"}))}
"""Names that mean something else on other processors, and the instructions in which they are the status register."""


def effects(template: str) -> list[Effect]:
    """What the instructions of a template (as it stands in the source, without quotes) do to interrupts, in their order."""
    text = re.sub(r"\\[ntr]", "\n", template)
    made: list[Effect] = []
    for line in re.split(r"[\n;{|]", text):
        effect = _effect(" ".join(line.split()).lower())
        if effect is None:
            continue
        saved = [n for n, e in enumerate(made) if e == replace(effect, call=READ_STATUS)]
        if effect.call == WRITE_STATUS and "%" not in effect.operand and saved:
            del made[saved[-1]:]  # a register of the processor had it meanwhile: all is as it was
        else:
            made.append(effect)
    return [e for e in made if e.call != READ_STATUS or "%" in e.operand]


def _effect(instruction: str) -> Effect | None:
    instruction = re.sub(r"^[\w.$%=]+:\s*", "", instruction)
    if instruction in _SWITCHES:
        return _SWITCHES[instruction]
    name, _, rest = instruction.partition(" ")
    stem = name.partition(".")[0]
    operands = [o.strip() for o in rest.split(",")]
    named = [o for o in operands if o in _REGISTERS or o in _OTHERS or o in _MASKS]
    if stem.startswith("popf"):
        return Effect(UNCLEAR)
    if not named or stem == "push" or (named[0] in _ELSEWHERE and stem not in _ELSEWHERE[named[0]]):
        return None
    if named[0] not in _REGISTERS:
        return None if stem in ("mrs", "csrr") else Effect(MASKS if named[0] in _MASKS else UNCLEAR)
    if len(operands) != 2 or len(named) != 1:
        return Effect(UNCLEAR)
    (other,), status = (o for o in operands if o != named[0]), _REGISTERS[named[0]]
    if stem == "mov":
        return Effect(WRITE_STATUS if operands[1] == named[0] else READ_STATUS, status, other)
    if stem in ("bis", "bic") and operands[1] == named[0]:
        return Effect(SET_STATUS if stem == "bis" else CLEAR_STATUS, status, other)
    if stem in _MOVES:
        return Effect(READ_STATUS if _MOVES[stem] == "read" else WRITE_STATUS, status, other)
    return Effect(UNCLEAR)
