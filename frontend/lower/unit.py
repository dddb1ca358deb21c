"""What the lowering of all functions of one file shares: symbols, string literals, assumptions, places in the source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Protocol

from pycparser import c_ast

from frontend.annotations.attached import Attached
from frontend.ctypes import ArrayType, CType, IntType
from frontend.ctypes.conversions import Integers
from frontend.ctypes.declarations import Types
from frontend.ctypes.program_names import AS_WRITTEN, ProgramNames
from frontend.ctypes.scope import Scope
from frontend.ir import STRING, Index, MemorySymbol, Place, Storage
from frontend.program import Const, DataModel, FrontendError, Location, MemoryModel, MemoryOrder, NotModelled
from frontend.text.ast_text import text_of
from frontend.text.parse import ParsedFile

FLOATS = "floating-point values are arbitrary"
ORDER = "operands are evaluated left to right where C leaves the order open"
WEAK_ORDERS = "atomic accesses with weaker memory orders are sequentially consistent"
ASSEMBLY = "inline assembly touches only its outputs and what its inputs lead to"


class Unevaluated(Protocol):
    """A lowering whose code is thrown away."""

    def constant(self, node: c_ast.Node) -> int | None:
        """The value of an integer constant expression, None if it is not one."""

    def type_of(self, node: c_ast.Node) -> CType:
        """The type of an expression; arrays stay arrays."""


class Unit:
    """The state of one file's elaboration. `scratch` makes a lowering whose code is thrown away."""

    def __init__(self, parsed: ParsedFile, model: DataModel, defined: Callable[[str], bool],
                 noreturn: Callable[[str], bool], scratch: Callable[[Unit, Scope], Unevaluated],
                 names: ProgramNames = AS_WRITTEN, memory: MemoryModel = MemoryModel.C11) -> None:
        self.parsed = parsed
        self.model = model
        self.memory = memory
        self.names = names
        self.types = Types(parsed, model, self, names.key)
        self.ints: Integers = self.types.ints
        self.defined = defined
        self.noreturn = noreturn
        self.symbols: dict[str, MemorySymbol] = {}
        self.assumptions: dict[str, Location] = {}
        self.orders: set[MemoryOrder] = set()
        """The orders of atomic accesses that are weaker than sequentially consistent."""
        self.bytewise: set[str] = set()
        """Structs and unions of which an address became one of bytes."""
        self.absent: set[str] = set()
        """Weak functions and objects that no file of the program defines: their address may be null."""
        self.skipped: dict[int, tuple[c_ast.Node, NotModelled]] = {}
        """Statements and conditions that are not modelled, by the id of the node."""
        self.attached: Attached | None = None
        """Annotations, if they are to be heeded."""
        self.computing: dict[str, bool] = {}
        """Functions of which it was asked whether they only compute; see `frontend.lower.evaluation_order`."""
        self._scratch = scratch
        self._strings: dict[tuple[tuple[int, ...], IntType], str] = {}
        self._literals: dict[str, tuple[int, ...]] = {}
        self._names: dict[str, int] = {}
        self._labels: dict[tuple[str, str], int] = {}

    @cached_property
    def bodies(self) -> Mapping[str, c_ast.FuncDef]:
        """The functions that the file defines, as written."""
        return {d.decl.name: d for d in self.parsed.ast.ext if isinstance(d, c_ast.FuncDef)}

    @cached_property
    def file_names(self) -> frozenset[str]:
        """The names of objects and functions that are declared outside of all functions."""
        return frozenset(d.name for d in self.parsed.ast.ext if isinstance(d, c_ast.Decl) and d.name)

    def where(self, node: c_ast.Node) -> Location:
        return self.parsed.location(node)

    def error(self, node: c_ast.Node, message: str, hint: str = "") -> FrontendError:
        return FrontendError(self.where(node), message, hint)

    def not_modelled(self, node: c_ast.Node, what: str) -> NotModelled:
        """For what compilers take and nothing here models; see `frontend.lower.called.not_modelled`."""
        return NotModelled(self.where(node), f"{what} is not modelled")

    def assume(self, text: str, where: Location) -> None:
        """Record what is taken for granted, once, at the first place."""
        self.assumptions.setdefault(text, where)

    def unique(self, base: str) -> str:
        """`base`, or `base#2` and so on when it is taken."""
        n = self._names.get(base, 0) + 1
        self._names[base] = n
        return base if n == 1 else f"{base}#{n}"

    def label(self, function: str, name: str) -> int:
        """The address of a label: a number that no object and no other label has."""
        return self._labels.setdefault((function, name), 1 + len(self._labels))

    def forget_names(self, function: str, symbols: int) -> None:
        """Take back the names of a function whose lowering is begun again; `symbols`: how many there were before it."""
        for name in list(self.symbols)[symbols:]:
            if name.startswith(f"{function}::"):
                del self.symbols[name]
        for name in [n for n in self._names if n.startswith(f"{function}::")]:
            del self._names[name]

    def string(self, codes: tuple[int, ...], element: IntType, shown: str, where: Location) -> MemorySymbol:
        """The symbol of a string literal; equal literals share one."""
        name = self._strings.get((codes, element))
        if name is None:
            name = self.unique(f"{STRING}{self.names.label}")
            self._strings[codes, element] = name
            self._literals[name] = codes
            initial = tuple(((Index(Const(i, self.ints.difference.scalar)),), c) for i, c in enumerate(codes) if c)
            self.symbols[name] = MemorySymbol(name, ArrayType(element, len(codes)), Storage.STATIC, shown, initial,
                                              location=where)
        return self.symbols[name]

    def literal_element(self, place: Place) -> int | None:
        """The value of a string literal's element with a constant index, None for any other place."""
        codes = self._literals.get(place.base) if isinstance(place.base, str) else None
        match place.path:
            case (Index(value=Const(value=i)),) if codes is not None and 0 <= i < len(codes):
                return codes[i]
        return None

    # ------------------------------------------------------------------------------------------- unevaluated
    def constant(self, node: c_ast.Node, scope: Scope) -> int | None:
        """The value of an integer constant expression, None if it is not one."""
        return self._scratch(self, scope).constant(node)

    def type_of(self, node: c_ast.Node, scope: Scope) -> CType:
        """The type of an expression, which is not evaluated; arrays stay arrays."""
        return self._scratch(self, scope).type_of(node)


def failed_assertion(unit: Unit, node: c_ast.StaticAssert) -> FrontendError:
    """The error of a `_Static_assert` that does not hold."""
    said = f"static assertion failed: {text_of(node.cond)}"
    return unit.error(node, said, "correct the condition, or choose another --data-model")
