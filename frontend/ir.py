"""One function at a time: control flow with explicit memory operations, before memory, calls and threads are resolved.

The C front half (`module.py`, `declare.py`, `statements.py`, `expressions.py`) turns each function into a `Function`; the
back half (`link.py`, `threads.py`, `pointsto.py`, `inline.py`) finds the threads, resolves places to variables, inlines
calls and makes the thread automata of a `Program`.

Registers are the function's locals of scalar type whose address is never taken, its parameters of that kind, and
temporaries: `Var`s whose names are unique within the function. Everything else (globals, statics, aggregates,
address-taken locals, what pointers reach) is memory and is touched only by `Load`, `Store`, `Copy`, `Atomic`.
Expressions (`frontend.expr`) on IR edges therefore read registers only, and each memory access is one instruction, in
the order in which C evaluates it (left to right where C leaves it open).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

from frontend.expr import Expr, Var
from frontend.source import NOWHERE, Location
from frontend.types import CType, DataModel, FunctionType, Record

if TYPE_CHECKING:
    from frontend.attach import Attached


# --------------------------------------------------------------------------------------------------- places
@dataclass(frozen=True, slots=True)
class Field:
    name: str


@dataclass(frozen=True, slots=True)
class Index:
    """Element `value` of an array, or `value` elements on from a pointer's target when it is the first step."""

    value: Expr


Step: TypeAlias = Field | Index


@dataclass(frozen=True, slots=True)
class Place:
    """Memory: a symbol (by name) or what a pointer value points to, then fields and elements. `type` is the C type there.

    `p->f[i]` with register p of type `struct S *` is `Place(Read(p), (Field('f'), Index(i)), type, base_type=struct S)`;
    `p[i]` is `Place(Read(p), (Index(i),), type, base_type=type)`; `s.f` is `Place('s', (Field('f'),), type)`.
    """

    base: str | Expr
    path: tuple[Step, ...]
    type: CType
    base_type: CType


# --------------------------------------------------------------------------------------------------- instructions
@dataclass(frozen=True, slots=True)
class Set:
    """register := expression"""

    target: Var
    value: Expr


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
class Nop:
    pass


class NotePlace(enum.Enum):
    LOOP = "loop"
    ENTRY = "entry"
    EXIT = "exit"
    BEGUN = "begun"
    DONE = "done"
    SAVED = "saved"


@dataclass(frozen=True, slots=True)
class Note:
    """Annotations that apply here, by their numbers; `names`: the registers that names in them stand for.

    `place`: the head of a loop, or where a function of this name begins or ends; BEGUN and DONE for one that is one step.
    SAVED: where it calls itself, the number of that call in `clauses`, and the registers it needs afterwards in `names`.
    """

    place: NotePlace
    clauses: tuple[int, ...]
    names: tuple[tuple[str, Var], ...] = ()
    function: str = ""


Instr: TypeAlias = (
    Set | Forget | Guard | Load | Store | Address | Copy | Call
    | AtomicBegin | AtomicEnd | CriticalBegin | CriticalEnd | Fail | Nop | Note
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


# --------------------------------------------------------------------------------------------------- symbols
STRING = "<string>"
"""Names of string literals begin so."""


class Storage(enum.Enum):
    GLOBAL = "global"
    STATIC = "static"        # file scope or inside a function; one object for the program
    LOCAL = "local"          # one object per activation
    THREAD = "thread-local"  # one object per thread


@dataclass(frozen=True, slots=True)
class AddressValue:
    """A link-time address in an initialiser: of a symbol's part, or of a function (path empty); plus `addend` bytes."""

    symbol: str
    path: tuple[Step, ...] = ()
    addend: int = 0


@dataclass(frozen=True, slots=True)
class Symbol:
    """A memory object. `initial`: (path of constant steps, value) for each initialised leaf, the rest is zero for statics.

    `name` is unique in the module (`f::x` for a function's own, `f::x#2` when the name is used again in the function);
    `shown` is what the user calls it. A static of file scope keeps its plain name. `defined` is False for an `extern`
    without a definition here.
    """

    name: str
    type: CType
    storage: Storage
    shown: str = ""
    initial: tuple[tuple[tuple[Step, ...], int | AddressValue], ...] = ()
    defined: bool = True
    attributes: tuple[str, ...] = ()
    location: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Function:
    """`exit` is where a return arrives; the value returned is in `result` by then (a memory symbol if it is a struct).

    `params` are registers, or names of memory symbols in `memory` (address taken, or aggregates): the caller's arguments
    are assigned to them on entry. Registers and locals are arbitrary at every entry. `original`: the function that this is a
    copy of, see `frontend.contexts`.
    """

    name: str
    type: FunctionType
    params: tuple[Var | str, ...]
    param_names: tuple[str, ...]
    result: Var | str | None
    registers: tuple[Var, ...]
    memory: tuple[Symbol, ...]
    size: int
    start: int
    exit: int
    edges: tuple[IrEdge, ...]
    attributes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    location: Location = NOWHERE
    shown_registers: Mapping[str, str] = field(default_factory=dict)
    original: str = ""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A comment that carries meaning (`//@ ...`, `/*@ ... */`, `// circ-...`), or our own attribute, where it stands."""

    text: str
    location: Location
    macros: tuple[tuple[str, str], ...] = ()
    """The names in it that are macros without parameters, and what they stand for."""


@dataclass(frozen=True, slots=True)
class FunctionDecl:
    """What is known of a function from its declarations alone; `defined` if a body can be lowered."""

    name: str
    type: FunctionType
    param_names: tuple[str, ...]
    defined: bool
    attributes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    location: Location = NOWHERE


class Module(Protocol):
    """A C file with its declarations known and its functions lowered on demand, each once."""

    file: str
    model: DataModel

    @property
    def records(self) -> Mapping[str, Record]: ...

    @property
    def declarations(self) -> Mapping[str, FunctionDecl]:
        """Every function declared or defined, in source order."""

    @property
    def symbols(self) -> Mapping[str, Symbol]:
        """Every global and file static, string literals, and statics of the functions lowered so far."""

    @property
    def annotations(self) -> tuple[Annotation, ...]: ...

    @property
    def attached(self) -> Attached | None:
        """The annotations that are proof obligations, None if they are not heeded."""

    @property
    def bytewise(self) -> frozenset[str]:
        """The structs and unions, of what was lowered so far, whose address became that of bytes, which reach all of it."""

    @property
    def assumptions(self) -> tuple[tuple[str, Location], ...]:
        """What the lowering so far took for granted."""

    def enumerator(self, name: str) -> int | None:
        """The value of an enumeration constant of file scope, None if there is none of that name."""

    def function(self, name: str) -> Function:
        """The function's body; raises FrontendError for what cannot be lowered soundly."""

    def sizeof(self, t: CType) -> int: ...

    def alignof(self, t: CType) -> int: ...
