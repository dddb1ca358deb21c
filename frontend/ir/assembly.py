"""What inline assembly does to the processor's interrupts, instruction by instruction.

The instructions that switch all interrupts on or off, and those that save and restore the register in which that is kept,
become calls of the functions below, which `frontend.interrupts.interrupt_calls` gives their meaning. Instructions that only
compute concern no interrupt (`frontend.ir.instruction_sets`). All others, and a statement that jumps and switches interrupts,
may do anything to them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from frontend.ir.instruction_sets import ONE_WORD_REGISTERS, SEMICOLON_COMMENTS, is_harmless, is_jump
from frontend.records import dataclass

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
MSTATUS, SSTATUS = Status(3), Status(1)
STATE = Status(3, alone=True)
"""A value that programs only keep and hand back."""


@dataclass(frozen=True, slots=True)
class Effect:
    """A call that stands for an instruction; `operand` is its text (`%0`, `#8`), where it has one."""

    call: str
    status: Status = AVR
    operand: str = ""


_ANYTHING = Effect(UNCLEAR)
_SWITCHES = {**dict.fromkeys(("sei", "sti", "eint", "reti", "ei", "rim", "setb ea"), Effect(ON)),
             **dict.fromkeys(("cli", "dint", "di", "sim", "clr ea", "clr sr", "clr r2"), Effect(OFF)),
             **dict.fromkeys(("cpsie i", "cpsie if", "cpsie fi"), Effect(CLEAR_STATUS, PRIMASK, "#1")),
             **dict.fromkeys(("cpsid i", "cpsid if", "cpsid fi"), Effect(SET_STATUS, PRIMASK, "#1"))}
_ARM = {"primask": PRIMASK, "daif": CPSR, **dict.fromkeys(("cpsr", "cpsr_c", "cpsr_cxsf", "cpsr_fc"), CPSR)}
_RISCV = {"mstatus": MSTATUS, "sstatus": SSTATUS}
_MASKS = frozenset({"basepri", "basepri_max", "mie", "sie"})
"""Registers that hold back some interrupts."""
_SREG = frozenset({"__sreg__", "sreg"})


def effects(template: str, constants: Mapping[int, int] | None = None) -> list[Effect]:
    """What the instructions of a template (as it stands in the source, without quotes) do to interrupts, in their order.

    `constants`: operands of known value, by their numbers.
    """
    text = re.sub(r"\\[ntr]", "\n", template).replace("%%", "")
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"%[cC]?(\d+)", lambda m: _constant(m, constants or {}), text)
    readings = {tuple(_read(lines)) for lines in _lines(text)}
    return [*readings.pop()] if len(readings) == 1 else [_ANYTHING]


def _constant(match: re.Match[str], constants: Mapping[int, int]) -> str:
    value = constants.get(int(match.group(1)))
    return match.group(0) if value is None else str(value)


def _lines(text: str) -> list[list[str]]:
    """The instructions; twice if it is not known whether a semicolon begins a comment or separates instructions."""
    plain = [re.sub(r"//.*|@.*|(?:^|\s)#(?:\s.*)?$", "", line) for line in text.lower().split("\n")]
    comments = [line.partition(";")[0] for line in plain]
    words = {w for line in comments for w in re.findall(r"[\w.$]+", line)}
    parts = [part for line in plain for part in line.split(";")]
    if not words.isdisjoint(SEMICOLON_COMMENTS):
        return [_cleaned(comments)]
    return [_cleaned(comments), _cleaned(parts)] if len(parts) > len(plain) else [_cleaned(plain)]


def _cleaned(lines: list[str]) -> list[str]:
    """Instructions with single spaces, none of them empty; separators that no comment begins with are taken into account."""
    parts = (" ".join(part.split()) for line in lines for part in re.split(r"[{|}]", line))
    return [part for part in parts if part]


def _read(instructions: list[str]) -> list[Effect]:
    made: list[Effect] = []
    held: dict[str, int] = {}
    """Registers of the processor that hold the status, and how many effects there were when they got it."""
    jumps = False
    for text in instructions:
        body = re.sub(r"^(?:[\w.$%=]+:\s*)+", "", text)
        jumps = jumps or body != text or is_jump(body.partition(" ")[0])
        name, _, rest = body.partition(" ")
        operands = [o.strip() for o in rest.split(",")] if rest else []
        found = _effects(name, operands, body) if body else []
        for effect in found:
            saved = held.get(effect.operand)
            if effect.call == WRITE_STATUS and "%" not in effect.operand and saved is not None:
                del made[saved:]  # all is as it was
                continue
            made.append(effect)
            if effect.call == READ_STATUS and "%" not in effect.operand:
                held = {effect.operand: len(made) - 1}
        if not found and name != "push":
            held = {r: n for r, n in held.items() if not any(re.search(rf"(?<!\w){re.escape(r)}(?!\w)", o) for o in operands)}
    if jumps and made:
        return [_ANYTHING]
    return [e for e in made if e.call != READ_STATUS or ("%" in e.operand and _only_once(e.operand, instructions))]


def _only_once(operand: str, instructions: list[str]) -> bool:
    """Whether one instruction alone has to do with an operand, so that its value is not changed afterwards."""
    number = re.sub(r"\D", "", operand)
    return sum(bool(re.search(rf"%[a-z]?{number}(?!\d)", text)) for text in instructions) == 1


def _effects(name: str, operands: list[str], whole: str) -> list[Effect]:
    """What one instruction does; nothing if it concerns no interrupt."""
    stem = name.partition(".")[0]
    shape = " ".join([stem, *operands])
    if shape in _SWITCHES:
        return [_SWITCHES[shape]]
    if name.startswith("."):
        return [] if is_harmless(name) else [_ANYTHING]
    for rule in (_avr, _msp430, _arm, _riscv):
        found = rule(stem, operands)
        if found is not None:
            return found
    return [] if is_harmless(stem) or is_jump(stem) else [_ANYTHING]


def _avr(stem: str, operands: list[str]) -> list[Effect] | None:
    """`in`, `out`, `lds`, `sts`, `st`, `std`, `bset` and `bclr`.

    The status is a byte of memory: a store through a pointer of the processor's, which is no operand, may be one to it.
    """
    if stem in ("st", "std") and len(operands) == 2:
        return [] if "%" in operands[0] else [_ANYTHING]
    if stem in ("bset", "bclr"):
        bit = _number(operands[0]) if operands else None
        return [_ANYTHING] if bit is None else [Effect(ON if stem == "bset" else OFF)] if bit == 7 else []
    if stem not in ("in", "out", "lds", "sts") or len(operands) != 2:
        return None
    reads = stem in ("in", "lds")
    place, other = operands[reads], operands[1 - reads]
    number = _number(place)
    if place in _SREG or number == (0x3F if stem in ("in", "out") else 0x5F):
        return [Effect(READ_STATUS if reads else WRITE_STATUS, AVR, other)]
    elsewhere = number is not None and not (stem in ("lds", "sts") and number == 0x3F)
    symbol = place in ONE_WORD_REGISTERS or (stem in ("lds", "sts") and number is None)
    return [] if reads or elsewhere or symbol else [_ANYTHING]


def _msp430(stem: str, operands: list[str]) -> list[Effect] | None:
    if not operands or operands[-1] not in ("sr", "r2"):
        if stem == "mov" and len(operands) == 2 and operands[0] in ("sr", "r2"):
            return [Effect(READ_STATUS, MSP430, operands[1])]
        return None
    if stem in ("push", "tst", "cmp", "bit"):
        return []
    calls = {"mov": WRITE_STATUS, "bis": SET_STATUS, "bic": CLEAR_STATUS}
    if stem not in calls:
        return None if operands[-1] == "r2" else [_ANYTHING]
    return [Effect(calls[stem], MSP430, {"#gie": "#8"}.get(operands[0], operands[0]))]


def _arm(stem: str, operands: list[str]) -> list[Effect] | None:
    """`mrs` and `msr`."""
    if stem not in ("mrs", "msr") or len(operands) != 2:
        return None
    if stem == "mrs":
        return [Effect(READ_STATUS, _ARM[operands[1]], operands[0])] if operands[1] in _ARM else []
    place, value = operands
    if place in ("daifset", "daifclr"):
        bits = _number(value)
        return [_ANYTHING] if bits is None else [Effect(OFF if place == "daifset" else ON)] if bits & 2 else []
    if place in _ARM:
        return [Effect(WRITE_STATUS, _ARM[place], value)]
    if place in _MASKS:
        return [Effect(MASKS)]
    return [] if is_harmless(f"msr {place}") else [_ANYTHING]


_CSR = re.compile(r"csr(r?)([wsc]?)(i?)")
_CHANGES = {"w": WRITE_STATUS, "s": SET_STATUS, "c": CLEAR_STATUS}


def _riscv(stem: str, operands: list[str]) -> list[Effect] | None:
    """`csrr`, `csrs`, `csrrci` and their like: read, change, or both."""
    match = _CSR.fullmatch(stem)
    if match is None or len(operands) < 2:
        return None
    reads, change, _ = match.groups()
    into = operands[0] if reads else ""
    place, value = (operands[1], operands[2] if len(operands) > 2 else "") if reads else (operands[0], operands[1])
    change = "" if value in ("x0", "zero", "0") and change in ("s", "c") else change
    if place in _MASKS:
        return [Effect(MASKS)] if change else []
    if place not in _RISCV:
        return []
    status = _RISCV[place]
    found = [Effect(READ_STATUS, status, into)] if into not in ("", "x0", "zero") else []
    number = _number(value)
    value = value if number is None else f"#{number}"
    return [*found, Effect(_CHANGES[change], status, value)] if change else found


def _number(text: str) -> int | None:
    """The number that an operand is: written in any base, or a sum of such."""
    total = 0
    bare = text.lstrip("#$").replace("(", "").replace(")", "").replace(" ", "")
    for sign, digits in re.findall(r"([+-]?)([^+-]+)", bare):
        if not re.fullmatch(r"0x[0-9a-f]+|0b[01]+|[0-9]+", digits):
            return None
        value = int(digits, 0) if digits[:2] in ("0x", "0b") else int(digits)
        total += -value if sign == "-" else value
    return total if bare else None
