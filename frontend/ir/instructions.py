"""One function at a time: control flow with explicit memory operations, before memory, calls and threads are resolved.

The C front half (`module.py`, `declare.py`, `statements.py`, `expressions.py`) turns each function into a `Function`; the
back half (`link.py`, `threads.py`, `pointsto.py`, `inline.py`) finds the threads, resolves places to variables, inlines
calls and makes the thread automata of a `Program`.

Registers are the function's locals of scalar type whose address is never taken, its parameters of that kind, and
temporaries: `Var`s whose names are unique within the function. Everything else (globals, statics, aggregates,
address-taken locals, what pointers reach) is memory and is touched only by `Load`, `Store`, `Copy`, `Atomic`.
Expressions (`frontend.program.expr`) on IR edges therefore read registers only, and each memory access is one instruction, in
the order in which C evaluates it (left to right where C leaves it open).
"""

from __future__ import annotations

import enum
from typing import TypeAlias

from frontend.annotations.notes import Note
from frontend.ctypes import CType, FunctionType
from frontend.program import NOWHERE, Expr, FrontendError, Location, MemoryOrder, Var
from frontend.records import dataclass


# --------------------------------------------------------------------------------------------------- places
@dataclass(frozen=True, slots=True)
class Field:
    name: str


@dataclass(frozen=True, slots=True)
class Index:
    """Element `value` of an array, or `value` elements on from a pointer's target when it is the first step."""

    value: Expr


PathStep: TypeAlias = Field | Index


@dataclass(frozen=True, slots=True)
class Place:
    """Memory: a symbol (by name) or what a pointer value points to, then fields and elements. `type` is the C type there.

    `p->f[i]` with register p of type `struct S *` is `Place(Read(p), (Field('f'), Index(i)), type, base_type=struct S)`;
    `p[i]` is `Place(Read(p), (Index(i),), type, base_type=type)`; `s.f` is `Place('s', (Field('f'),), type)`.
    """

    base: str | Expr
    path: tuple[PathStep, ...]
    type: CType
    base_type: CType


# --------------------------------------------------------------------------------------------------- instructions
@dataclass(frozen=True, slots=True)
class Set:
    """register := expression

    `distance`: the value is the distance in bytes of two pointers, which C subtracts only within one object.
    """

    target: Var
    value: Expr
    distance: bool = False


@dataclass(frozen=True, slots=True)
class Forget:
    """Registers get arbitrary values (nondet, floating point, uninitialised locals at their declaration).

    `why`: the program computes a value that is not tracked here, for this reason; empty if it leaves the value open.
    `variadic`: the value is one of the variable arguments of some call, or leads to them. `pointer`: it may be any pointer.
    """

    targets: tuple[Var, ...]
    why: str = ""
    variadic: bool = False
    pointer: bool = False


@dataclass(frozen=True, slots=True)
class Guard:
    """Control passes only if the condition is not 0. Branches are two guards from one location."""

    cond: Expr


@dataclass(frozen=True, slots=True)
class Load:
    """register := memory, one access; the place has scalar or pointer type (floating: the register gets any value)."""

    target: Var
    place: Place


@dataclass(frozen=True, slots=True)
class Store:
    """memory := expression, one access. `value` None: an arbitrary value (floating point, unknown).

    `why`: the program computes a value that is not tracked here, and may access the memory in another way, for this reason.
    """

    place: Place
    value: Expr | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Address:
    """register := the address of a place or of a function (`Place(name, (), FunctionType)`); no access."""

    target: Var
    place: Place


@dataclass(frozen=True, slots=True)
class Copy:
    """Struct or union assignment: reads all of `source`, writes all of `target`."""

    target: Place
    source: Place


@dataclass(frozen=True, slots=True)
class Call:
    """Call of a function by name, or through a pointer value. Arguments are converted; structs are passed by `Copy` before.

    `result` is None for void or an unused value. `type` is the callee's type as the caller sees it. An argument or
    result of struct type is a memory symbol of the caller, given as its `Place`.
    """

    result: Var | Place | None
    callee: str | Expr
    args: tuple[Expr | Place, ...]
    type: FunctionType

    def scalar(self, position: int, where: Location) -> Expr:
        """An argument that is no struct; raises FrontendError, at `where`, if the function is called with others than it has."""
        argument = self.args[position] if position < len(self.args) else None
        if argument is None or isinstance(argument, Place):
            raise FrontendError(where, f"'{self.callee}' is called with other arguments than it takes", "see its manual")
        return argument


@dataclass(frozen=True, slots=True)
class AtomicBegin:
    """`token` names the unstructured kinds (`__nesc_atomic_start`), for messages only."""

    token: str = "atomic"


@dataclass(frozen=True, slots=True)
class AtomicEnd:
    token: str = "atomic"


@dataclass(frozen=True, slots=True)
class CriticalBegin:
    """Start of a `circ_critical` block."""


@dataclass(frozen=True, slots=True)
class CriticalEnd:
    pass


class FailKind(enum.Enum):
    ASSERT = "assert"
    REACH_ERROR = "reach_error"


@dataclass(frozen=True, slots=True)
class Fail:
    """Reaching this edge's source is a violated assertion; control does not go on."""

    kind: FailKind
    text: str


@dataclass(frozen=True, slots=True)
class ThreadFence:
    """`atomic_thread_fence`: orders the atomic accesses around it, touches no memory."""

    order: MemoryOrder


@dataclass(frozen=True, slots=True)
class Nop:
    pass


Instr: TypeAlias = (
    Set | Forget | Guard | Load | Store | Address | Copy | Call
    | AtomicBegin | AtomicEnd | CriticalBegin | CriticalEnd | Fail | Nop | Note | ThreadFence
)


def defined(instr: Instr) -> tuple[Var, ...]:
    """The registers that an instruction changes."""
    match instr:
        case Set(target=t) | Load(target=t) | Address(target=t) | Call(result=Var() as t):
            return (t,)
        case Forget(targets=ts):
            return ts
        case _:
            return ()


@dataclass(frozen=True, slots=True)
class IrEdge:
    """`text` is the C text of the expression or statement this step came from; an Access inherits it."""

    source: int
    target: int
    instr: Instr
    location: Location = NOWHERE
    text: str = ""
