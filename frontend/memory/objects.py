"""The objects of a program, by name: their layout, their addresses, and the variables they become."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace

from frontend.ctypes import ArrayType, CType, IntType, PointerType, Quals, RecordType
from frontend.ir import AddressValue, MemorySymbol, Module, Storage
from frontend.memory.leaves import BytesNode, Dim, Layout, Leaf, LeafNode, MemObject
from frontend.memory.lock_types import state_of_kind
from frontend.memory.places import CHAR, Places
from frontend.program import (
    NOWHERE,
    ZERO,
    Arbitrary,
    Assumption,
    Const,
    Element,
    FrontendError,
    Ground,
    Location,
    Start,
    Values,
    Variable,
)
from frontend.records import dataclass

_FIRST_ADDRESS = {2: 0x1000, 4: 0x10000, 8: 0x100000}
_GAP = 16
_UNKNOWN_ROOM = {2: 1 << 8, 4: 1 << 24, 8: 1 << 36}
"""Bytes that an object of unknown size has, by the size of a pointer."""
_UNKNOWN_ROOM_EACH = {2: 1 << 6, 4: 1 << 14, 8: 1 << 28}
"""The same for each of those that are allocated at a place that may run many times."""
_SITE_ROOM = {2: 1 << 12, 4: 1 << 26, 8: 1 << 52}
"""What the instances of an allocation site take together, if that leaves it a few."""
_MOST_INSTANCES = {2: 1 << 6, 4: 1 << 12, 8: 1 << 24}
_FEW_INSTANCES = 1 << 5
_OUTSIDE = "memory from outside"
_REGISTER_BLOCK = 64
"""Bytes from the address of a register on in which no object lies: a pointer there may be one to a struct of registers."""


def _room(size: int, gap: int) -> int:
    """Bytes from one instance to the next: a power of two, so that no two overlap and division is cheap."""
    room = gap
    while room < size + 1:
        room *= 2
    return room



@dataclass(slots=True)
class Notes:
    """Assumptions and warnings, each once, in the order in which they came up."""

    assumptions: dict[str, Assumption]
    warnings: dict[str, Location]

    def assume(self, text: str, location: Location, ground: Ground = Ground.NONE) -> None:
        self.assumptions.setdefault(text, Assumption(text, location, ground))

    def warn(self, text: str, location: Location) -> None:
        self.warnings.setdefault(text, location)


@dataclass(frozen=True, slots=True)
class KnownRegisters:
    """What is known of a bare processor's registers, by their addresses; nothing of a program that runs on a system.

    `tracked`: they keep what is written to them, as far as `frontend.interrupts.registers` says. `watched`: something happens
    when they are written. `names`: those that a program may declare as variables that are defined elsewhere.
    """

    tracked: frozenset[int] = frozenset()
    watched: frozenset[int] = frozenset()
    names: Mapping[str, int] = field(default_factory=dict)


class Objects:
    """Every memory object met so far. Objects are laid out when they are first asked for."""

    def __init__(self, module: Module, places: Places, notes: Notes, known: KnownRegisters | None = None) -> None:
        self._module = module
        self._known = known or KnownRegisters()
        self.tracked = self._known.tracked
        self._layout = Layout(module)
        self._places = places
        self._initial_values: dict[str, tuple[MemObject, Mapping[str, Start]]] = {}
        self._open_starts: dict[str, frozenset[str]] = {}
        self._notes = notes
        self._symbols: dict[str, MemorySymbol] = {}
        self._objects: dict[str, MemObject] = {}
        self._bases: dict[str, int] = {}
        self._placed: list[tuple[int, str]] = []
        """The addresses of objects that were given room, and their names: each lies behind all before it."""
        self._functions: dict[str, int] = {}
        self.word = places.word
        self._instances: dict[str, int] = {}
        self._promoted: set[str] = set()
        self.may_be_set: Callable[[MemObject, Leaf], bool] = lambda obj, leaf: True
        """Whether a pointer in fresh memory ever gets an address: then it is null before, by assumption, else anything."""
        self._asked_for: dict[str, tuple[object, ...]] = {}
        """What each allocation was asked for with."""
        self._unsized: set[str] = set()
        self._kept_free: list[int] = []
        self.first_address = _FIRST_ADDRESS[module.model.pointer_size]
        """No object of the program is below."""
        self._next = self.first_address

    # ------------------------------------------------------------------------------------------- objects
    def declare(self, symbols: Iterable[MemorySymbol]) -> None:
        """Make the memory symbols of a function known."""
        for symbol in symbols:
            self._symbols.setdefault(symbol.name, symbol)

    def symbol(self, name: str) -> MemorySymbol:
        found = self._symbols.get(name) or self._module.symbols.get(name)
        assert found is not None, name
        return found

    def named(self, name: str) -> MemObject:
        """The object of a symbol."""
        known = self._objects.get(name)
        if known is not None:
            return known
        symbol = self.symbol(name)
        return self.add(symbol) if self._register(symbol) is None else self.absolute(self._known.names[name])

    def _register(self, symbol: MemorySymbol) -> int | None:
        """The address of the register that a program declares as a variable of its name (`extern volatile uint8_t SREG`)."""
        byte = not symbol.defined and symbol.type.quals.volatile and isinstance(symbol.type, IntType) and symbol.type.bits == 8
        return self._known.names.get(symbol.name) if byte else None

    def is_known(self, name: str) -> bool:
        """Whether the object was ever asked for."""
        return name in self._objects

    def add(self, symbol: MemorySymbol) -> MemObject:
        """Lay out a symbol, once for each of its instances if it has several. Nothing is known of what no file completes."""
        if isinstance(symbol.type, RecordType) and not symbol.defined and symbol.type.key not in self._module.records:
            symbol = replace(symbol, type=ArrayType(CHAR, None, symbol.type.quals))
        size, align = self._size(symbol.type), self._module.alignof(symbol.type)
        count = self._instances.get(symbol.name)
        dim = None if count is None else Dim(_room(size, _GAP), count)
        dims, room = ((), None) if dim is None else ((dim,), size)
        shape = self._layout.split(symbol.name, symbol.type, symbol.location, dims, room)
        return self._keep(MemObject(symbol.name, symbol.shown or symbol.name, symbol.type, size, align, shape, symbol,
                                    symbol.location, dim))

    def add_heap(self, name: str, type_: CType | None, size: int | None, location: Location, zero: bool,
                 single: bool, filled: bool = False) -> MemObject:
        """The memory that one allocation gives: of a type if one is known (an array of it, if the size is not), else bytes.

        What is more than a struct with an array of length 0, 1 or none at its end is more elements of that array. Memory that
        is asked for again in the same words stays the same object.
        """
        asked = (type_, size, zero, single, filled)
        if self._asked_for.get(name) == asked and name in self._objects:
            return self._objects[name]
        self._asked_for[name] = asked
        pointer = self._module.model.pointer_size
        element = 0 if type_ is None else self._size(type_)
        room = _UNKNOWN_ROOM[pointer] if single else _UNKNOWN_ROOM_EACH[pointer]
        whole = size if size is not None else max(room, 4 * element)
        if size is None:
            self._unsized.add(name)
        stride = _room(whole, _GAP)
        count = max(_FEW_INSTANCES, min(_MOST_INSTANCES[pointer], _SITE_ROOM[pointer] // stride))
        dim = None if single else Dim(stride, count)
        dims = () if dim is None else (dim,)
        kind: CType
        tail = None if type_ is None or size == element else self._layout.flexible(type_)
        if type_ is not None and tail is not None and whole >= element:
            kind = type_
            shape = self._layout.split(name, kind, location, dims, whole, tail)
        elif type_ is None or element == 0 or (size is not None and size % element):
            kind = ArrayType(IntType("unsigned char", 8, False), whole)
            shape = self._layout.flat(name, whole, kind, dims)
        else:
            kind = type_ if size == element else ArrayType(type_, whole // element)
            shape = self._layout.split(name, kind, location, dims)
        start = ZERO if zero else Arbitrary()
        return self._keep(MemObject(name, name, kind, whole, _GAP, shape, None, location, dim, start, filled))

    def absolute(self, address: int) -> MemObject:
        """The byte of hardware at an address."""
        name = f"*{address:#x}"
        if name not in self._objects:
            kind = IntType("unsigned char", 8, False, Quals(volatile=True))
            self.keep_free(address)
            self._bases[name] = address
            shape = self._layout.split(name, kind, NOWHERE)
            shown = next((n for n, at in self._known.names.items() if at == address), name)
            self._keep(MemObject(name, shown, kind, 1, 1, shape, None, NOWHERE, None, Arbitrary()))
        return self._objects[name]

    def hardware(self) -> list[int]:
        """The addresses of all bytes of hardware that the program uses, or that something depends on."""
        used = {int(name[1:], 16) for name, obj in self._objects.items() if self.is_hardware(obj)}
        return sorted(used | self.tracked | self._known.watched)

    def keep_free(self, address: int) -> None:
        """A number that may be the address of a register: no object gets it."""
        at = bisect_left(self._kept_free, address)
        if self.bare and (at == len(self._kept_free) or self._kept_free[at] != address):
            insort(self._kept_free, address)

    def outside(self) -> MemObject:
        """All memory that is no object of the program; only pointers of unknown value lead there."""
        if _OUTSIDE not in self._objects:
            kind = IntType("unsigned char", 8, False)
            shape = self._layout.split(_OUTSIDE, kind, NOWHERE)
            self._keep(MemObject(_OUTSIDE, _OUTSIDE, kind, 1, 1, shape, None, NOWHERE, None, Arbitrary()))
        return self._objects[_OUTSIDE]

    def is_untyped(self, record: RecordType) -> bool:
        """Whether a union is kept as bytes."""
        return isinstance(self._layout.split("union", record, NOWHERE).root, BytesNode)

    def is_hardware(self, obj: MemObject) -> bool:
        return obj.name.startswith("*")

    @property
    def bare(self) -> bool:
        """Whether the program has the processor for itself, so that numbers may be addresses: of registers."""
        return bool(self.tracked)

    def is_tracked(self, obj: MemObject) -> bool:
        """Whether the object is a register that is tracked."""
        return self.is_hardware(obj) and int(obj.name[1:], 16) in self.tracked

    def forget(self, names: Iterable[str]) -> None:
        """Lay these objects out anew when they are asked for next."""
        for name in names:
            self._objects.pop(name, None)

    def many(self, name: str, count: int) -> None:
        """Say, before it is laid out, that a symbol has several instances."""
        self._instances[name] = count

    def all(self) -> tuple[MemObject, ...]:
        """Every object laid out so far."""
        return tuple(self._objects.values())

    def _keep(self, obj: MemObject) -> MemObject:
        self._objects[obj.name] = obj
        return obj

    def _size(self, type_: CType) -> int:
        if isinstance(type_, ArrayType) and type_.length is None:
            return _UNKNOWN_ROOM[self._module.model.pointer_size]
        return max(self._module.sizeof(type_), 1)

    def promote(self, name: str) -> None:
        """Make a local of one thread a variable of the program, because its address gets out."""
        self._promoted.add(name)

    def is_global(self, obj: MemObject) -> bool:
        """Whether there is one such object for the whole program, rather than one for each thread."""
        return obj.symbol is None or obj.symbol.storage in (Storage.GLOBAL, Storage.STATIC) or obj.name in self._promoted

    # ------------------------------------------------------------------------------------------- addresses
    def base(self, obj: MemObject) -> int:
        """The address of an object: distinct, aligned, never 0, the same in every run."""
        if obj.name not in self._bases:
            size = obj.size if obj.instances is None else obj.instances.stride * obj.instances.count
            align = obj.align if obj.instances is None else max(obj.align, obj.instances.stride)
            self._bases[obj.name] = self._reserve(size, max(align, 1), obj.location)
            self._placed.append((self._bases[obj.name], obj.name))
        return self._bases[obj.name]

    def at(self, address: int) -> tuple[MemObject, int | None, int] | None:
        """The object that holds an address, the instance if it has several, and the offset; None if there is none."""
        before = bisect_right(self._placed, address, key=lambda placed: placed[0])
        base, name = self._placed[before - 1] if before else (0, "")
        obj = self._objects.get(name)
        if obj is None or self.is_hardware(obj):
            return None
        room = obj.size if obj.instances is None else obj.instances.stride * obj.instances.count
        if address > base + room:
            return None
        if obj.instances is None:
            return obj, None, address - base
        return obj, (address - base) // obj.instances.stride, (address - base) % obj.instances.stride

    def function_address(self, name: str, location: Location) -> int:
        """The address of a function."""
        if name not in self._functions:
            self._functions[name] = self._reserve(1, 16, location)
        return self._functions[name]

    def _taken(self, first: int, end: int) -> int | None:
        """The end of the last block of registers in the range, where no object may be."""
        at = bisect_left(self._kept_free, end)
        last = self._kept_free[at - 1] + _REGISTER_BLOCK if at else 0
        return last if last > first else None

    def _reserve(self, size: int, align: int, location: Location) -> int:
        step = max(align, _GAP)
        base = (self._next + step - 1) // step * step
        while (taken := self._taken(base, base + size + _GAP)) is not None:
            base = (taken + step) // step * step
        self._next = base + size + _GAP
        if self._next >> (8 * self._module.model.pointer_size):
            raise FrontendError(location, f"the objects do not fit the address space of data model {self._module.model.name}",
                                "choose another --data-model, or make the arrays smaller")
        return base

    # ------------------------------------------------------------------------------------------- variables
    def variables(self, obj: MemObject) -> tuple[Variable, ...]:
        """The variables an object becomes, with their start values."""
        symbol = obj.symbol
        known = symbol is not None and symbol.defined and symbol.storage is not Storage.LOCAL and obj.instances is None
        if symbol is not None and symbol.storage is Storage.THREAD and not symbol.initial:
            known = True
        starts = self._starts(obj) if known else {}
        norace = symbol is not None and any(a == "norace" for a in symbol.attributes)
        made = []
        if obj.name in self._unsized:
            self._notes.assume(f"no allocation of unknown size is of more than {obj.size} bytes", obj.location, Ground.BOUNDED)
        unset = symbol is None and isinstance(obj.start, Arbitrary) and not obj.filled and not self.is_hardware(obj)
        pointers = _pointers(obj) if unset else ()
        for leaf in obj.leaves:
            start: Start = obj.start or Arbitrary()
            if leaf.name in pointers and self.may_be_set(obj, leaf):
                self._notes.assume("pointers in fresh memory are null until they are set", obj.location, Ground.DEFINED)
                start = ZERO
            if known:
                start = starts.get(leaf.name, ZERO)
            if isinstance(start, Values) and leaf.length is None:
                start = Values(dict(start.elements).get(0, 0))
            made.append(Variable(leaf.name, leaf.type, leaf.length, start, _shown(leaf, obj), obj.shown,
                                 volatile=leaf.volatile, norace=norace, location=obj.location,
                                 dims=tuple(d.count for d in leaf.dims) if len(leaf.dims) > 1 else ()))
        return tuple(made)

    def _starts(self, obj: MemObject) -> Mapping[str, Start]:
        """Initial values by leaf; what is not listed is zero. Worked out once: tables and strings are long."""
        before = self._initial_values.get(obj.name)
        if before is None or before[0] is not obj:
            read = self._read_starts(obj)
            found: dict[str, Start] = {name: Values(0, tuple(sorted(values.items()))) for name, values in read.items()}
            found.update(dict.fromkeys(self.open_starts(obj), Arbitrary()))
            before = self._initial_values[obj.name] = (obj, found)
        return before[1]

    def _read_starts(self, obj: MemObject) -> dict[str, dict[int, int]]:
        assert obj.symbol is not None
        starts: dict[str, dict[int, int]] = {}
        for path, value in obj.symbol.initial:
            if value is None:
                continue
            part = self._places.part(obj.shape.root, obj.type, path)
            cell = self._places.cell(part, part.type, obj.location)
            number = value if isinstance(value, int) else self.link_address(value, obj.location)
            into = starts.setdefault(cell.leaf.name, {})
            if cell.leaf.lock:
                index = cell.index.value if isinstance(cell.index, Const) else 0
                into[index] = into.get(index, 0) or (state_of_kind(number) if cell.further else cell.leaf.type.wrap(number))
                continue
            if cell.bits is not None:
                first, count = cell.bits
                index = cell.index.value if isinstance(cell.index, Const) else 0
                into[index] = into.get(index, 0) | (number & ((1 << count) - 1)) << first
                continue
            for k, lvalue in enumerate(cell.lvalues):
                index = lvalue.index.value if isinstance(lvalue, Element) and isinstance(lvalue.index, Const) else 0
                into[index] = lvalue.type.wrap(number >> (8 * k) if cell.bytes else number)
        return starts

    def open_starts(self, obj: MemObject) -> frozenset[str]:
        """The leaves that start with floating-point numbers whose bits are not worked out."""
        if obj.name not in self._open_starts:
            parts = [self._places.part(obj.shape.root, obj.type, path)
                     for path, value in (() if obj.symbol is None else obj.symbol.initial) if value is None]
            self._open_starts[obj.name] = frozenset(self._places.cell(p, p.type, obj.location).leaf.name for p in parts)
        return self._open_starts[obj.name]

    def link_address(self, value: AddressValue, location: Location) -> int:
        """The number that a link-time address stands for."""
        if value.symbol in self._module.declarations and value.symbol not in self._module.symbols:
            return self.function_address(value.symbol, location) + value.addend
        obj = self.named(value.symbol)
        return self.base(obj) + self._places.displacement(obj.type, value.path, inside=True).offset + value.addend


_STATE = re.compile(r"\.__circ_\w+")
"""The members of our headers' library types: a lock is shown as what the program calls it."""


def _pointers(obj: MemObject) -> frozenset[str]:
    """The leaves of an object that are pointers."""
    return frozenset(a.node.leaf.name for a in obj.shape.anchors
                     if isinstance(a.type, PointerType) and isinstance(a.node, LeafNode))


def _shown(leaf: Leaf, obj: MemObject) -> str:
    tail = leaf.name[len(obj.name):] if leaf.name.startswith(obj.name) else ""
    return _STATE.sub("", obj.shown + tail).removesuffix(".bytes[]")
