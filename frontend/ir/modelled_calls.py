"""A module seen without the bodies of some functions, because calls of them are modelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from frontend.annotations.attached import Attached
from frontend.ctypes import CType, Record
from frontend.ir.module import Function, FunctionDecl, MemorySymbol, Module
from frontend.program import Location, MemoryOrder
from frontend.text.tokens import Annotation


class Without:
    """The module; functions for which `replaced` holds are declared only."""

    def __init__(self, module: Module, replaced: Callable[[str], bool]) -> None:
        self._module = module
        self.file, self.model = module.file, module.model
        self._declarations = {n: replace(d, defined=False) if replaced(n) else d for n, d in module.declarations.items()}

    @property
    def declarations(self) -> Mapping[str, FunctionDecl]:
        return self._declarations

    @property
    def records(self) -> Mapping[str, Record]:
        return self._module.records

    @property
    def symbols(self) -> Mapping[str, MemorySymbol]:
        return self._module.symbols

    @property
    def attached(self) -> Attached | None:
        return self._module.attached

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        return self._module.annotations

    @property
    def orders(self) -> frozenset[MemoryOrder]:
        return self._module.orders

    @property
    def bytewise(self) -> frozenset[str]:
        return self._module.bytewise

    @property
    def assumptions(self) -> tuple[tuple[str, Location], ...]:
        return self._module.assumptions

    def mentioned(self, function: str) -> frozenset[str]:
        return self._module.mentioned(function)

    def enumerator(self, name: str) -> int | None:
        return self._module.enumerator(name)

    def function(self, name: str) -> Function:
        return self._module.function(name)

    def sizeof(self, t: CType) -> int:
        return self._module.sizeof(t)

    def alignof(self, t: CType) -> int:
        return self._module.alignof(t)
