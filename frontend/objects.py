"""The objects of a program, by name: their layout, their addresses, and the variables they become."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from frontend.cfa import Arbitrary, Start, Values, Variable
from frontend.expr import Const, Element
from frontend.ir import AddressValue, Module, Storage, Symbol
from frontend.memory import Layout, Leaf, MemObject
from frontend.places import Places
from frontend.source import FrontendError, Location
from frontend.types import ArrayType

_FIRST_ADDRESS = {2: 0x1000, 4: 0x10000, 8: 0x100000}
_GAP = 16


@dataclass(slots=True)
class Notes:
    """Assumptions and warnings, each once, in the order in which they came up."""

    assumptions: dict[str, Location]
    warnings: dict[str, Location]

    def assume(self, text: str, location: Location) -> None:
        self.assumptions.setdefault(text, location)

    def warn(self, text: str, location: Location) -> None:
        self.warnings.setdefault(text, location)


class Objects:
    """Every memory object met so far. Objects are laid out when they are first asked for."""

    def __init__(self, module: Module, places: Places, notes: Notes) -> None:
        self._module = module
        self._layout = Layout(module)
        self._places = places
        self._notes = notes
        self._symbols: dict[str, Symbol] = {}
        self._objects: dict[str, MemObject] = {}
        self._bases: dict[str, int] = {}
        self._functions: dict[str, int] = {}
        self._next = _FIRST_ADDRESS[module.model.pointer_size]

    # ------------------------------------------------------------------------------------------- objects
    def declare(self, symbols: Iterable[Symbol]) -> None:
        """Make the memory symbols of a function known."""
        for symbol in symbols:
            self._symbols.setdefault(symbol.name, symbol)

    def symbol(self, name: str) -> Symbol:
        found = self._symbols.get(name) or self._module.symbols.get(name)
        assert found is not None, name
        return found

    def named(self, name: str) -> MemObject:
        """The object of a symbol."""
        known = self._objects.get(name)
        return known if known is not None else self.add(self.symbol(name))

    def is_known(self, name: str) -> bool:
        """Whether the object was ever asked for."""
        return name in self._objects

    def add(self, symbol: Symbol) -> MemObject:
        """Lay out a symbol."""
        root, leaves = self._layout.split(symbol.name, symbol.type, symbol.location)
        size, align = self._module.sizeof(symbol.type), self._module.alignof(symbol.type)
        if isinstance(symbol.type, ArrayType) and symbol.type.length is None:
            size = 1 << 16
        made = MemObject(symbol.name, symbol.shown or symbol.name, symbol.type, size, align, root, leaves, symbol, symbol.location)
        self._objects[symbol.name] = made
        return made

    def is_global(self, obj: MemObject) -> bool:
        """Whether there is one such object for the whole program, rather than one for each thread."""
        return obj.symbol is None or obj.symbol.storage in (Storage.GLOBAL, Storage.STATIC)

    # ------------------------------------------------------------------------------------------- addresses
    def base(self, obj: MemObject) -> int:
        """The address of an object: distinct, aligned, never 0, the same in every run."""
        if obj.name not in self._bases:
            self._bases[obj.name] = self._reserve(obj.size, max(obj.align, 1), obj.location)
        return self._bases[obj.name]

    def function_address(self, name: str, location: Location) -> int:
        """The address of a function."""
        if name not in self._functions:
            self._functions[name] = self._reserve(1, 16, location)
        return self._functions[name]

    def _reserve(self, size: int, align: int, location: Location) -> int:
        step = max(align, _GAP)
        base = (self._next + step - 1) // step * step
        self._next = base + size + _GAP
        if self._next >> (8 * self._module.model.pointer_size):
            raise FrontendError(location, f"the objects do not fit the address space of data model {self._module.model.name}")
        return base

    # ------------------------------------------------------------------------------------------- variables
    def variables(self, obj: MemObject) -> tuple[Variable, ...]:
        """The variables an object becomes, with their start values."""
        symbol = obj.symbol
        known = symbol is not None and symbol.defined and self.is_global(obj)
        starts = self._starts(obj) if known else {}
        norace = symbol is not None and any(a == "norace" for a in symbol.attributes)
        made = []
        for leaf in obj.leaves:
            start: Start = Values(0, tuple(sorted(starts.get(leaf.name, {}).items()))) if known else Arbitrary()
            if isinstance(start, Values) and leaf.length is None:
                start = Values(dict(start.elements).get(0, 0))
            made.append(Variable(leaf.name, leaf.type, leaf.length, start, _shown(leaf, obj), obj.shown,
                                 volatile=leaf.volatile, norace=norace, location=obj.location))
        return tuple(made)

    def _starts(self, obj: MemObject) -> dict[str, dict[int, int]]:
        """Initial values by leaf and element; what is not listed is zero."""
        assert obj.symbol is not None
        starts: dict[str, dict[int, int]] = {}
        for path, value in obj.symbol.initial:
            part = self._places.part(obj.root, obj.type, path)
            cell = self._places.cell(part, part.type, obj.location)
            number = value if isinstance(value, int) else self.link_address(value, obj.location)
            into = starts.setdefault(cell.leaf.name, {})
            if cell.bits is not None:
                first, count = cell.bits
                index = cell.index.value if isinstance(cell.index, Const) else 0
                into[index] = into.get(index, 0) | (number & ((1 << count) - 1)) << first
                continue
            for k, lvalue in enumerate(cell.lvalues):
                index = lvalue.index.value if isinstance(lvalue, Element) and isinstance(lvalue.index, Const) else 0
                into[index] = lvalue.type.wrap(number >> (8 * k) if cell.bytes else number)
        return starts

    def link_address(self, value: AddressValue, location: Location) -> int:
        """The number that a link-time address stands for."""
        if value.symbol in self._module.declarations and value.symbol not in self._module.symbols:
            return self.function_address(value.symbol, location) + value.addend
        obj = self.named(value.symbol)
        return self.base(obj) + self._places.displacement(obj.type, value.path, inside=True).offset + value.addend


def _shown(leaf: Leaf, obj: MemObject) -> str:
    tail = leaf.name[len(obj.name):] if leaf.name.startswith(obj.name) else ""
    return (obj.shown + tail).removesuffix(".bytes[]")
