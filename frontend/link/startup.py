"""What runs before `main` and after it: functions with the attributes `constructor` and `destructor`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from frontend.ctypes import FunctionType, IntType, PointerType, VoidType
from frontend.ir import Address, Call, Function, FunctionDecl, Instr, IrEdge, Module, Place
from frontend.program import FrontendError, Read, Scalar, Var
from frontend.records import replace

_LATEST = 65536
"""Functions without a priority run after all those that have one."""


def started(main: Function, module: Module) -> Function:
    """`main` with calls of the constructors at its start, in the order of their priorities and then of the files.

    Destructors are handed to `atexit` before all else, so they run last: in the reverse order, as the linker arranges them.
    """
    constructors, destructors = _marked(module, "constructor"), _marked(module, "destructor")
    if not constructors and not destructors:
        return main
    registers: list[Var] = []
    edges: list[IrEdge] = []
    at = main.size
    steps = [*((d, i) for d in destructors for i in _at_exit(d, module, registers)),
             *((d, Call(None, d.name, (), d.type)) for d in constructors)]
    for n, (decl, instr) in enumerate(steps):
        target = main.start if n == len(steps) - 1 else at + n + 1
        edges.append(IrEdge(at + n, target, instr, decl.location, decl.name))
    return replace(main, start=at, size=at + len(steps), edges=(*edges, *main.edges), registers=(*main.registers, *registers))


def has_startup(module: Module) -> bool:
    """Whether anything runs before `main` or after it."""
    return bool(_marked(module, "constructor") or _marked(module, "destructor"))


def _marked(module: Module, attribute: str) -> list[FunctionDecl]:
    """The functions with the attribute, in the order of their priorities, then of the source."""
    found: list[tuple[int, FunctionDecl]] = []
    for decl in module.declarations.values():
        for name, arguments in decl.attributes:
            if name != attribute or not decl.defined:
                continue
            given = arguments[0].strip() if arguments and arguments[0].strip() else str(_LATEST)
            if not re.fullmatch(r"[0-9]+", given):
                raise FrontendError(decl.location, f"the priority '{given}' of '{decl.name}' is not a number", "write a number")
            if decl.type.params:
                raise FrontendError(decl.location, f"'{decl.name}' runs outside of 'main' and takes arguments",
                                    "take none: what they are is up to the system")
            found.append((int(given), decl))
            break
    return [decl for _, decl in sorted(found, key=lambda f: f[0])]


def _at_exit(decl: FunctionDecl, module: Module, registers: list[Var]) -> Iterator[Instr]:
    register = Var(f"%at exit {len(registers)}", Scalar(module.model.pointer_size * 8, False))
    registers.append(register)
    yield Address(register, Place(decl.name, (), decl.type, decl.type))
    handler = PointerType(FunctionType(VoidType(), ()))
    yield Call(None, "atexit", (Read(register),), FunctionType(IntType("int", module.model.int_size * 8, True), (handler,)))
