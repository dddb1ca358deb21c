"""Which threads a program has: from the command line, from annotations in the source, from `main`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from frontend.ctypes import VoidType
from frontend.ir import AddressValue, Call, Copy, Function, FunctionDecl, Load, Module, Store
from frontend.ir.interrupt_table import HandlerRule, InterruptTable
from frontend.program import FrontendError, Location, OptionError, Role
from frontend.records import dataclass, replace

NO_TABLE = InterruptTable()

_CORTEX = re.compile(r"\w+_IRQHandler|(?:SysTick|PendSV|NMI)_Handler")
"""What handlers are called on an ARM Cortex-M, where nothing else marks them. Those for faults end the program."""
_DEVICE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_Handler")
"""What some vendors call the handler of a device (`TC3_Handler`); such a function is one if nobody calls it."""
_VECTORS = re.compile(r"(?i).*(?:vector|isr_?table|exception_?table|irq_?table).*")
_UNMASKABLE = "NMI_Handler"
_RANKED = ('"ranked"',)
"""What the reading of `__interrupt(1)` makes of it; see `frontend.text.dialect`."""
_AVR = frozenset({"sei", "cli", "__builtin_avr_sei", "__nesc_enable_interrupt", "__nesc_disable_interrupt",
                  "__nesc_atomic_start"})
"""Functions of programs for the AVR, on which `interrupt` means that interrupts are on in the handler."""

_MOST_DIGITS = 6
"""Of a number of threads: no machine runs a million."""
_VECTOR = re.compile(r"__vector_\d+")
"""What handlers are called on an AVR."""


@dataclass(frozen=True, slots=True)
class ThreadSource:
    """A function that runs as a thread: `count` copies, any number if None.

    `flag`: a handler starts only while this variable is not 0. `again`: when it returns it may start again. `masked`: a
    handler that is entered with interrupts off. `rule`: what the interrupt table says about the handler. `ranked`: a
    handler of a processor that has priorities instead. `unsure`: it is not known whether interrupts are on while it runs.
    `unmaskable`: it is not held back when all interrupts are off.
    """

    function: str
    count: int | None
    role: Role
    location: Location
    flag: str | None = None
    again: bool = False
    masked: bool = False
    rule: HandlerRule | None = None
    ranked: bool = False
    unsure: bool = False
    unmaskable: bool = False

    @property
    def reenables(self) -> bool:
        """Whether it is a handler that ends with all interrupts on, as hardware does it on processors without priorities."""
        return self.role is Role.HANDLER and (self.masked or (self.flag is None and not self.ranked))


def is_handler(name: str, attributes: Collection[str], table: InterruptTable = NO_TABLE) -> bool:
    """Whether hardware calls a function of this name and with these attributes."""
    marked = any(a in ("interrupt", "signal", "circ_interrupt") for a in attributes)
    named = table.rule(name) is not None or _VECTOR.fullmatch(name) or _CORTEX.fullmatch(name)
    return marked or (name != "main" and bool(named))


def is_thread(attributes: Collection[str]) -> bool:
    """Whether a function with these attributes is marked as a thread or a task."""
    return any(a in ("circ_thread", "circ_threads", "circ_task") for a in attributes)


def choose_threads(module: Module, requested: tuple[str, ...], table: InterruptTable = NO_TABLE) -> tuple[ThreadSource, ...]:
    """The threads that run from the start; those that others create are found while those are lowered."""
    if requested:
        return tuple(_requested(module, requested))
    nested = _interrupts_stay_on(module, table)
    found = [source for decl in module.declarations.values() if decl.defined for source in _annotated(decl, table, nested)]
    found += _unmarked(module, table, frozenset(s.function for s in found))
    if table.ranked:
        found = [replace(s, masked=False, count=1, ranked=True) if s.role is Role.HANDLER else s for s in found]
    _check_table(module, table)
    main = module.declarations.get("main")
    if main is not None and main.defined and all(s.function != "main" for s in found):
        found.insert(0, ThreadSource("main", 1, Role.MAIN, main.location))
    if not found:
        raise FrontendError(Location(module.file, 1), "there is no thread in this file",
                            "name one with --thread F, mark a function with circ_thread, or define main")
    return tuple(found)


def _requested(module: Module, requested: tuple[str, ...]) -> Iterator[ThreadSource]:
    """The threads of `--thread F` (any number of copies) and `--thread F=N`."""
    named: set[str] = set()
    for text in requested:
        source = _requested_thread(module, text)
        if source.function in named:
            raise OptionError(Location(module.file, 1), "--thread", text, f"'{source.function}' is named twice",
                              "name it once, with how many copies run")
        named.add(source.function)
        yield source


def _requested_thread(module: Module, text: str) -> ThreadSource:
    def bad(message: str, hint: str) -> OptionError:
        return OptionError(Location(module.file, 1), "--thread", text, message, hint)

    parts = re.fullmatch(r"((?:[\w./+-]+:)?[A-Za-z_$][\w$]*)(?:=([0-9]+))?", text.strip())
    if parts is None:
        raise bad("expected F or F=N", "F is a function, N how many copies run")
    name, number = parts.group(1), parts.group(2)
    decl = module.declarations.get(name)
    same = [n for n, d in module.declarations.items() if n.endswith(f":{name}") and d.defined]
    if (decl is None or not decl.defined) and same:
        raise bad(f"which one, {' or '.join(same)}?", "write --thread file.c:F")
    if decl is None or not decl.defined:
        raise bad(f"there is no function '{name}' with a body in this file", "correct the name, or define the function")
    if number is not None and len(number) > _MOST_DIGITS:
        raise bad("so many threads run nowhere", "leave N out for any number of them")
    count = None if number is None else int(number)
    if count == 0:
        raise bad("a thread that runs 0 times is none", "make N at least 1")
    return ThreadSource(name, count, Role.MAIN if name == "main" and count == 1 else Role.THREAD, decl.location)


def _interrupts_stay_on(module: Module, table: InterruptTable) -> bool:
    """Whether `interrupt` without arguments says, as on the AVR, that interrupts are on in a handler."""
    declared = module.declarations.values()
    return any(name == "interrupt" for d in declared for name, _ in d.attributes) and is_for_avr(module, table)


def is_for_avr(module: Module, table: InterruptTable) -> bool:
    """Whether the platform, or what the program calls and how its handlers are marked, say that it is one for an AVR."""
    declared = module.declarations.values()
    return table.avr or any(d.name in _AVR or _VECTOR.fullmatch(d.name) or any(a == "signal" for a, _ in d.attributes)
                            or (d.defined and _AVR & module.mentioned(d.name)) for d in declared)


def _unmarked(module: Module, table: InterruptTable, known: frozenset[str]) -> list[ThreadSource]:
    """Handlers that only their names, or a table of vectors, tell."""
    plain = {d.name: d for d in module.declarations.values() if d.defined and d.name not in known and d.name != "main"
             and not d.type.params and isinstance(d.type.result, VoidType)}
    named = [n for n in plain if _DEVICE.fullmatch(n) and not _called(module, n)]
    listed = [value.symbol for s in module.symbols.values() if "section" in s.attributes or _VECTORS.fullmatch(s.shown or s.name)
              for _, value in s.initial if isinstance(value, AddressValue)]
    listed = [n for n in listed if n in plain and "reset" not in n.lower() and not _called(module, n)]
    return [replace(_handler(plain[n], table.rule(n), None, reentrant=False, masked=False), ranked=True)
            for n in dict.fromkeys((*named, *listed)) if _does_anything(module.function(n))]


def _called(module: Module, name: str) -> bool:
    return any(name in module.mentioned(d.name) for d in module.declarations.values() if d.defined)


def _does_anything(function: Function) -> bool:
    """Whether a handler is more than a loop that stops the program, as default handlers are."""
    return any(isinstance(e.instr, Load | Store | Copy | Call) for e in function.edges) or any(
        e.target == function.exit for e in function.edges)


def _annotated(decl: FunctionDecl, table: InterruptTable, nested: bool) -> list[ThreadSource]:
    found: list[ThreadSource] = []
    rule = table.rule(decl.name)
    for attribute, arguments in decl.attributes:
        match attribute:
            case "circ_thread":
                found.append(ThreadSource(decl.name, None, Role.THREAD, decl.location))
            case "circ_threads":
                if len(arguments) != 1 or not re.fullmatch(rf"\s*[1-9][0-9]{{,{_MOST_DIGITS - 1}}}\s*", arguments[0]):
                    raise FrontendError(decl.location, f"circ_threads of '{decl.name}' needs a positive number",
                                        "write circ_threads(2)")
                found.append(ThreadSource(decl.name, int(arguments[0]), Role.THREAD, decl.location))
            case "circ_interrupt":
                if len(arguments) != 1:
                    raise FrontendError(decl.location, f"circ_interrupt of '{decl.name}' needs the variable that enables it")
                found.append(_handler(decl, rule, arguments[0].strip(), reentrant=False, masked=False))
            case "interrupt" | "signal":
                # On the AVR interrupts stay on in the one and are off in the other; `interrupt` with an argument (a vector, a
                # mode) is of processors that switch them off. Without a table either may fire at any time.
                bare = attribute == "interrupt" and not arguments
                made = _handler(decl, rule, None, bare, not bare)
                made = replace(made, unsure=bare and not nested and made.count is None)
                found.append(replace(made, masked=False, ranked=True) if arguments == _RANKED else made)
            case "circ_task":
                found.append(task(decl))
    says_entry = rule is not None and (rule.priority is not None or rule.entered_on is not None)
    if _CORTEX.fullmatch(decl.name) and not says_entry and all(s.role is Role.HANDLER for s in found):
        cortex = replace(_handler(decl, rule, None, reentrant=False, masked=False), ranked=True)
        found = [replace(cortex, unmaskable=decl.name == _UNMASKABLE)]
    if not found and decl.name != "main" and (rule is not None or _VECTOR.fullmatch(decl.name)):
        found.append(_handler(decl, rule, None, reentrant=False, masked=True))
    if len({s.role for s in found}) == 1 and found[0].role is Role.HANDLER:
        found = found[-1:]  # `ISR(v, ISR_NOBLOCK)` says both, and the later one counts
    if len(found) > 1:
        raise FrontendError(decl.location, f"'{decl.name}' is marked as a thread twice", "keep one mark")
    return found


def _handler(decl: FunctionDecl, rule: HandlerRule | None, flag: str | None, reentrant: bool, masked: bool) -> ThreadSource:
    if decl.type.params:
        raise FrontendError(decl.location, f"handler '{decl.name}' has arguments", "hardware passes none")
    if rule is not None and rule.priority is not None:
        reentrant = masked = False
    if rule is not None and rule.entered_on is not None:
        reentrant, masked = rule.entered_on and rule.priority is None, not rule.entered_on
    ranked = rule is not None and rule.priority is not None
    return ThreadSource(decl.name, None if reentrant else 1, Role.HANDLER, decl.location, flag, True, masked, rule, ranked)


def task(decl: FunctionDecl) -> ThreadSource:
    """A function that runs when it is posted."""
    if decl.type.params:
        raise FrontendError(decl.location, f"task '{decl.name}' has arguments", "the scheduler passes none")
    return ThreadSource(decl.name, 1, Role.TASK, decl.location, again=True)


def _check_table(module: Module, table: InterruptTable) -> None:
    if table.required:
        for rule in table.rules:
            if "main" in rule.names:
                raise FrontendError(rule.location, "'main' is no handler", "take it out of the table")
            defined = any(n in module.declarations and module.declarations[n].defined for n in rule.names)
            if not defined and not rule.names[0].startswith("__vector_"):
                raise FrontendError(rule.location, f"unknown handler '{rule.names[0]}': the program does not define it",
                                    "define it, or take it out of the table")
