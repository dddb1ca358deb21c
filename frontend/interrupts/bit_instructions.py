"""Single bits of the registers that an AVR's `sbi` and `cbi` reach: `PORTB |= 1 << 3` is one instruction.

These instructions reach the 32 registers from I/O address 0 on, which is address 0x20 in memory, and 0 on parts whose
status register is at 0x3f. In the program a read and a write with nothing between them become an atomic section. Compilers
use the instructions in all code that is optimised at all, which is taken for granted and printed. This is for the race model
of machines: that of nesC takes what is inside a section for harmless to others, which these instructions are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from frontend.interrupts.access_patterns import read_back
from frontend.ir import AtomicBegin, AtomicEnd, Function, IrEdge, Load, Place, Store
from frontend.ir.interrupt_table import InterruptTable
from frontend.memory.objects import Notes
from frontend.program import Binary, Cast, Const, Expr, Read, Var, substitute
from frontend.program.fold import fold

_TOKEN = "one instruction"
_REACH = 0x20
_STATUS = 0x3F
"""The I/O address of the status register."""


def bit_instructions(table: InterruptTable, notes: Notes) -> Callable[[Function], Function]:
    """What makes one instruction of the statements that set or clear a bit, for a platform that has them."""
    first = table.status[0] - _STATUS
    if not table.avr or first not in (0, _REACH):
        return as_written
    return lambda function: _with_sections(function, range(first, first + _REACH), notes)


def as_written(function: Function) -> Function:
    """The function itself."""
    return function


def _with_sections(function: Function, reach: range, notes: Notes) -> Function:
    edges = list(function.edges)
    size = function.size
    entering, leaving = Counter(e.target for e in edges), Counter(e.source for e in edges)
    for store in function.edges:
        load = _load(function, store, reach)
        if load is None or load.target != store.source or entering[store.source] != 1 or leaving[store.source] != 1:
            continue
        begin = IrEdge(load.source, size, AtomicBegin(_TOKEN), store.location, store.text)
        end = IrEdge(size + 1, store.target, AtomicEnd(_TOKEN), store.location, store.text)
        at = edges.index(load)
        edges[at:at + 1] = [begin, replace(load, source=size)]
        at = edges.index(store)
        edges[at:at + 1] = [replace(store, target=size + 1), end]
        size += 2
        notes.assume("a bit of a register is set or cleared by one instruction where the processor has one", store.location)
    return replace(function, edges=tuple(edges), size=size)


def _load(function: Function, store: IrEdge, reach: range) -> IrEdge | None:
    """The read of the register in which a store sets or clears one bit."""
    if not isinstance(store.instr, Store) or store.instr.value is None or not _reached(store.instr.place, reach):
        return None
    load = read_back(function, store)
    if load is None or not isinstance(load.instr, Load) or not _sets_a_bit(store.instr.value, load.instr.target):
        return None
    return load


def _reached(place: Place, reach: range) -> bool:
    base = place.base if isinstance(place.base, str) else fold(place.base)
    return isinstance(base, Const) and base.value in reach and not place.path


def _sets_a_bit(value: Expr, register: Var) -> bool:
    """Whether a value is that of the register with one bit set, or one cleared."""
    if not _bitwise(value, register):
        return False
    of_none, of_all = (_with(value, register, n) for n in (0, 0xFF))
    if not isinstance(of_none, Const) or not isinstance(of_all, Const):
        return False
    put, kept = of_none.value & 0xFF, of_all.value & 0xFF
    return (kept == 0xFF and put.bit_count() == 1) or (put == 0 and kept.bit_count() == 7)


def _with(value: Expr, register: Var, n: int) -> Expr:
    known = Const(register.type.wrap(n), register.type)
    return fold(substitute(value, lambda v: known if v == register else None))


def _bitwise(e: Expr, register: Var) -> bool:
    match e:
        case Read(lvalue=v):
            return v == register
        case Const():
            return True
        case Cast(arg=arg):
            return _bitwise(arg, register)
        case Binary(op="|" | "&", left=left, right=right):
            return _bitwise(left, register) and _bitwise(right, register)
        case _:
            return False
