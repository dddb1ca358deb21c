"""What a C file is between the two halves of the front end: symbols, functions, and the module that holds them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from frontend.ctypes import CType, FunctionType, Record
from frontend.ir.instructions import (
    IrEdge,
    PathStep,
)
from frontend.program import NOWHERE, DataModel, Location, MemoryOrder, Var
from frontend.records import dataclass
from frontend.text.tokens import Annotation

if TYPE_CHECKING:  # it brings the parser, which a command that reads no program can do without
    from frontend.annotations.attached import Attached

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
    path: tuple[PathStep, ...] = ()
    addend: int = 0


@dataclass(frozen=True, slots=True)
class MemorySymbol:
    """A memory object. `initial`: (path of constant steps, value) for each initialised leaf, the rest is zero for statics.

    `name` is unique in the module (`f::x` for a function's own, `f::x#2` when the name is used again in the function);
    `shown` is what the user calls it. A static of file scope keeps its plain name. `defined` is False for an `extern`
    without a definition here.
    """

    name: str
    type: CType
    storage: Storage
    shown: str = ""
    initial: tuple[tuple[tuple[PathStep, ...], int | AddressValue | None], ...] = ()
    """None: a floating-point number whose bits are not worked out."""
    defined: bool = True
    attributes: tuple[str, ...] = ()
    location: Location = NOWHERE
    tentative: bool = False
    """Of a global: nothing says what its value is at the start, so that another file may."""


@dataclass(frozen=True, slots=True)
class Function:
    """`exit` is where a return arrives; the value returned is in `result` by then (a memory symbol if it is a struct).

    `params` are registers, or names of memory symbols in `memory` (address taken, or aggregates): the caller's arguments
    are assigned to them on entry. Registers and locals are arbitrary at every entry. `original`: the function that this is a
    copy of, see `frontend.memory.calling_contexts`.
    """

    name: str
    type: FunctionType
    params: tuple[Var | str, ...]
    param_names: tuple[str, ...]
    result: Var | str | None
    registers: tuple[Var, ...]
    memory: tuple[MemorySymbol, ...]
    size: int
    start: int
    exit: int
    edges: tuple[IrEdge, ...]
    attributes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    location: Location = NOWHERE
    shown_registers: Mapping[str, str] = field(default_factory=dict)
    original: str = ""
    integers: frozenset[str] = frozenset()
    """Registers that are variables of integer type in the program, not pointers."""


@dataclass(frozen=True, slots=True)
class FunctionDecl:
    """What is known of a function from its declarations alone; `defined` if a body can be lowered."""

    name: str
    type: FunctionType
    param_names: tuple[str, ...]
    defined: bool
    attributes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    location: Location = NOWHERE
    external: bool = False
    """Whether other files can call it."""
    inline: bool = False
    """Whether its body is an inline definition (C11 6.7.4): other files may have the same one."""


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
    def symbols(self) -> Mapping[str, MemorySymbol]:
        """Every global and file static, string literals, and statics of the functions lowered so far."""

    @property
    def annotations(self) -> tuple[Annotation, ...]: ...

    @property
    def attached(self) -> Attached | None:
        """The annotations that are proof obligations, None if they are not heeded."""

    @property
    def orders(self) -> frozenset[MemoryOrder]:
        """The orders of atomic accesses, of what was lowered so far, that are weaker than sequentially consistent."""

    @property
    def bytewise(self) -> frozenset[str]:
        """The structs and unions, of what was lowered so far, whose address became that of bytes, which reach all of it."""

    @property
    def assumptions(self) -> tuple[tuple[str, Location], ...]:
        """What the lowering so far took for granted."""

    def mentioned(self, function: str) -> frozenset[str]:
        """The names that stand in the function's body; what they mean there is not said."""

    def enumerator(self, name: str) -> int | None:
        """The value of an enumeration constant of file scope, None if there is none of that name."""

    def function(self, name: str) -> Function:
        """The function's body; raises FrontendError for what cannot be lowered soundly."""

    def sizeof(self, t: CType) -> int: ...

    def alignof(self, t: CType) -> int: ...
