"""What enables handlers where the program's own calls tell: `NVIC_EnableIRQ(TIM2_IRQn)`, `attachInterrupt`, `enable_isr(3)`;
and the numbers by which `NVIC_SetPriority` gives them priorities.

A rule is added only for a handler whose number stands in some call that enables it, or may be computed there, and not at all
where a program reaches the interrupt controller in another way: then it is not known who is enabled, and each handler may start
at any time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from frontend.ctypes import FunctionType
from frontend.ir import Address, Call, Copy, Field, Instr, IrEdge, Load, Module, Place, Set, Store
from frontend.ir.interrupt_table import HandlerRule, InterruptTable
from frontend.memory.objects import Notes
from frontend.program import Const, Expr, FrontendError, Read, Var
from frontend.program.fold import fold

_CMSIS_ON = ("NVIC_EnableIRQ", "__NVIC_EnableIRQ", "HAL_NVIC_EnableIRQ")
_CMSIS_OFF = ("NVIC_DisableIRQ", "__NVIC_DisableIRQ", "HAL_NVIC_DisableIRQ")
_CONTROLLER = range(0xE000E100, 0xE000E400)
"""The registers of a Cortex-M that enable interrupts and tell which are pending."""
_HANDLER = re.compile(r"(\w+)_IRQHandler")
_ISR = re.compile(r"\w*isr_?(\d+)")
SET_PRIORITY = ("NVIC_SetPriority", "__NVIC_SetPriority", "HAL_NVIC_SetPriority")
"""They are given the number of the interrupt and its priority."""
_RANKED = re.compile(r"(\w+)_IRQHandler|(SysTick|PendSV)_Handler")
CMSIS = re.compile(r"(?:__|HAL_)?NVIC_(?:(?:Enable|Disable)IRQ|(?:Get|Set|Clear)PendingIRQ|GetActive|GetEnableIRQ|[SG]etPriority"
                    r"|[SG]etPriorityGrouping|(?:En|De)codePriority)")
"""The functions of CMSIS for the interrupt controller, and those by which the vendors' libraries call them."""
_REGROUP = re.compile(r"(?:__|HAL_)?NVIC_SetPriorityGrouping")
_WHOLE_GROUPS = range(4)
"""All bits of a priority tell who interrupts whom but the lowest ones of a byte, so many and one; nearly all processors have
the four highest only."""
_WITH_PRIORITIES = range(0xE000E100, 0xE000E4F0)
_SYSTEM = range(0xE000ED00, 0xE000ED24)
_SYSTEM_PRIORITIES = range(0xE000ED18, 0xE000ED24)
_ATTACH, _DETACH = "attachInterrupt", "detachInterrupt"
_ISR_ON, _ISR_OFF = "enable_isr", "disable_isr"


def with_implied_rules(module: Module, table: InterruptTable, notes: Notes) -> InterruptTable:
    """The table with rules for handlers that the program enables by calls; what a table says of a handler itself stays."""
    defined = [d for d in module.declarations.values() if d.defined and table.rule(d.name) is None]
    numbered = [(d, n) for d in defined if (match := _HANDLER.fullmatch(d.name)) is not None
                and (n := module.enumerator(f"{match.group(1)}_IRQn")) is not None and n >= 0]
    rules = _attached(module, table)
    given = priority_numbers(module)
    table = replace(table, numbers=given, regrouped=bool(given) and any(map(_regroups, _instructions(module))))
    if numbered and not _reaches_controller(module):
        enabled = set(_numbers(module, _CMSIS_ON))
        for d, n in numbered:
            if n in enabled or None in enabled:
                rules.append(HandlerRule((d.name,), on_calls=tuple((c, n) for c in _CMSIS_ON),
                                         off_calls=tuple((c, n) for c in _CMSIS_OFF), location=d.location))
                notes.assume(f"nothing but calls such as '{_CMSIS_ON[0]}' enables the handler '{d.name}'", d.location)
    if rules or not _has_no_body(module, _ISR_ON) or not _has_no_body(module, _ISR_OFF):
        return replace(table, rules=(*table.rules, *rules))
    isrs = [(d, int(match.group(1))) for d in defined if not d.type.params and (match := _ISR.fullmatch(d.name)) is not None]
    rules = [HandlerRule((d.name,), on_calls=((_ISR_ON, n),), off_calls=((_ISR_OFF, n),), on_at_reset=True, location=d.location)
             for d, n in isrs]
    return replace(table, rules=(*table.rules, *rules), every=-1 if table.every is None else table.every)


def priority_numbers(module: Module) -> dict[str, int]:
    """The numbers of handlers in calls that give priorities; none where priorities may be set in another way.

    That is where a function other than those of CMSIS is called for the controller (by its name), touches its registers or
    those of the system that tell priorities, or gets hold of their address.
    """
    if not any(name in module.declarations for name in SET_PRIORITY):
        return {}
    for instr in _instructions(module):
        if _sets_otherwise(instr) or _calls_other(module, instr):
            return {}
    found = ((d.name, next(filter(None, m.groups()))) for d in module.declarations.values()
             if d.defined and (m := _RANKED.fullmatch(d.name)) is not None)
    return {name: n for name, vector in found if (n := module.enumerator(f"{vector}_IRQn")) is not None}


def _regroups(instr: Instr) -> bool:
    """Whether an instruction may set a priority group in which not all bits that processors have tell who interrupts whom."""
    if not isinstance(instr, Call) or not isinstance(instr.callee, str) or not _REGROUP.fullmatch(instr.callee):
        return False
    group = fold(instr.args[0]) if instr.args and not isinstance(instr.args[0], Place) else None
    return not isinstance(group, Const) or group.value not in _WHOLE_GROUPS


def _instructions(module: Module) -> Iterator[Instr]:
    """Those of all functions but CMSIS's own, and such as cannot be read, which no thread may run."""
    for d in module.declarations.values():
        if d.defined and not CMSIS.fullmatch(d.name):
            with suppress(FrontendError):
                yield from (e.instr for e in module.function(d.name).edges)


def _calls_other(module: Module, instr: Instr) -> bool:
    """Whether a function for the controller is called that is not here."""
    if not isinstance(instr, Call) or not isinstance(instr.callee, str) or "NVIC" not in instr.callee.upper():
        return False
    decl = module.declarations.get(instr.callee)
    return not CMSIS.fullmatch(instr.callee) and (decl is None or not decl.defined)


def _sets_otherwise(instr: Instr) -> bool:
    """Whether an instruction touches a register that tells priorities, or keeps an address that leads to one."""
    match instr:
        case Load(place=place) | Address(place=place):
            return _tells_priorities(place)
        case Copy(target=target, source=source):
            return _tells_priorities(target) or _tells_priorities(source)
        case Store(place=place, value=value):
            return _tells_priorities(place) or _is_address(value)
        case Set(value=value):
            return _is_address(value)
        case Call(args=args):
            return any(not isinstance(a, Place) and _is_address(a) for a in args)
    return False


def _tells_priorities(place: Place) -> bool:
    base = None if isinstance(place.base, str) else fold(place.base)
    if not isinstance(base, Const):
        return False
    address = base.value % (1 << 32)
    if address not in _SYSTEM:
        return address in _WITH_PRIORITIES
    match place.path:
        case (Field(name=name), *_):
            return name.startswith("SHP")
        case ():
            return address in _SYSTEM_PRIORITIES
    return True


def _is_address(value: Expr | None) -> bool:
    folded = None if value is None else fold(value)
    return isinstance(folded, Const) and folded.type.width == 32 and (
        folded.value % (1 << 32) in _WITH_PRIORITIES or folded.value % (1 << 32) in _SYSTEM)


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


def _numbers(module: Module, callees: tuple[str, ...]) -> Iterator[int | None]:
    """The constants that calls of these functions are given; None for a number that is computed, which may be any."""
    for _, e in _edges(module):
        match e.instr:
            case Call(callee=str() as callee, args=(argument, *_)) if callee in callees and not isinstance(argument, Place):
                yield number.value if isinstance(number := fold(argument), Const) else None


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
        if d.defined and not CMSIS.fullmatch(d.name):
            with suppress(FrontendError):
                yield from ((d.name, e) for e in module.function(d.name).edges)
