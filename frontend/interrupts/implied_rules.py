"""What enables handlers where the program's own calls tell: `NVIC_EnableIRQ(TIM2_IRQn)`, `attachInterrupt`, `enable_isr(3)`.

A rule is added only for a handler whose number stands in some call that enables it, and not at all where a program reaches
the interrupt controller in another way: then it is not known who is enabled, and each handler may start at any time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from frontend.ctypes import FunctionType
from frontend.ir import Address, Call, IrEdge, Load, Module, Place, Store
from frontend.ir.interrupt_table import HandlerRule, InterruptTable
from frontend.memory.objects import Notes
from frontend.program import Const, FrontendError, Read, Var
from frontend.program.fold import fold

_CMSIS_ON = ("NVIC_EnableIRQ", "__NVIC_EnableIRQ", "HAL_NVIC_EnableIRQ")
_CMSIS_OFF = ("NVIC_DisableIRQ", "__NVIC_DisableIRQ", "HAL_NVIC_DisableIRQ")
_CONTROLLER = range(0xE000E100, 0xE000E400)
"""The registers of a Cortex-M that enable interrupts and tell which are pending."""
_HANDLER = re.compile(r"(\w+)_IRQHandler")
_ISR = re.compile(r"\w*isr_?(\d+)")
_ATTACH, _DETACH = "attachInterrupt", "detachInterrupt"
_ISR_ON, _ISR_OFF = "enable_isr", "disable_isr"


def with_implied_rules(module: Module, table: InterruptTable, notes: Notes) -> InterruptTable:
    """The table with rules for handlers that the program enables by calls; what a table says of a handler itself stays."""
    defined = [d for d in module.declarations.values() if d.defined and table.rule(d.name) is None]
    numbered = [(d, n) for d in defined if (match := _HANDLER.fullmatch(d.name)) is not None
                and (n := module.enumerator(f"{match.group(1)}_IRQn")) is not None and n >= 0]
    rules = _attached(module, table)
    if numbered and not _reaches_controller(module):
        enabled = set(_numbers(module, _CMSIS_ON))
        for d, n in numbered:
            if n in enabled:
                rules.append(HandlerRule((d.name,), on_calls=tuple((c, n) for c in _CMSIS_ON),
                                         off_calls=tuple((c, n) for c in _CMSIS_OFF), location=d.location))
                notes.assume(f"nothing but calls such as '{_CMSIS_ON[0]}' enables the handler '{d.name}'", d.location)
    if rules or not _has_no_body(module, _ISR_ON) or not _has_no_body(module, _ISR_OFF):
        return replace(table, rules=(*table.rules, *rules))
    isrs = [(d, int(match.group(1))) for d in defined if not d.type.params and (match := _ISR.fullmatch(d.name)) is not None]
    rules = [HandlerRule((d.name,), on_calls=((_ISR_ON, n),), off_calls=((_ISR_OFF, n),), on_at_reset=True, location=d.location)
             for d, n in isrs]
    return replace(table, rules=(*table.rules, *rules), every=-1 if table.every is None else table.every)


def _attached(module: Module, table: InterruptTable) -> list[HandlerRule]:
    """Rules for the functions that a sketch gives to `attachInterrupt`, which enables them; with a number that is not known
    each such call may enable it, and none disables it."""
    if not _has_no_body(module, _ATTACH):
        return []
    numbers: dict[str, set[int]] = {}
    addresses: dict[tuple[str, str], str] = {}
    for owner, e in _edges(module):
        match e.instr:
            case Address(target=target, place=Place(base=str() as base, type=FunctionType())):
                addresses[owner, target.name] = base
            case Call(callee=callee, args=(number, Read(lvalue=Var() as v), *_)) if callee == _ATTACH:
                known = None if isinstance(number, Place) else fold(number)
                if (function := addresses.get((owner, v.name))) is not None:
                    numbers.setdefault(function, set()).add(known.value if isinstance(known, Const) else -1)
    made: list[HandlerRule] = []
    for name, found in numbers.items():
        decl = module.declarations.get(name)
        if decl is not None and decl.defined and not decl.type.params and table.rule(name) is None:
            off = tuple((_DETACH, n) for n in sorted(found) if len(found) == 1 and n >= 0)
            made.append(HandlerRule((name,), on_calls=tuple((_ATTACH, n) for n in sorted(found)), off_calls=off,
                                    location=decl.location))
    return made


def _has_no_body(module: Module, name: str) -> bool:
    return name in module.declarations and not module.declarations[name].defined


def _numbers(module: Module, callees: tuple[str, ...]) -> Iterator[int]:
    """The constants that calls of these functions are given."""
    for _, e in _edges(module):
        match e.instr:
            case Call(callee=str() as callee, args=(argument, *_)) if callee in callees and not isinstance(argument, Place):
                if isinstance(number := fold(argument), Const):
                    yield number.value


def _reaches_controller(module: Module) -> bool:
    """Whether some function other than those of CMSIS touches the registers of the interrupt controller."""
    for _, e in _edges(module):
        if isinstance(e.instr, Load | Store) and not isinstance(e.instr.place.base, str):
            base = fold(e.instr.place.base)
            if isinstance(base, Const) and base.value % (1 << 32) in _CONTROLLER:
                return True
    return False


def _edges(module: Module) -> Iterator[tuple[str, IrEdge]]:
    """The instructions of all functions, other than those of CMSIS and such as cannot be read, which no thread may run."""
    for d in module.declarations.values():
        if d.defined and "NVIC_" not in d.name:
            with suppress(FrontendError):
                yield from ((d.name, e) for e in module.function(d.name).edges)
