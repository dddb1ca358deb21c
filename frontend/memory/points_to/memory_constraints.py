"""How addresses get into memory and out of it: constraints for loads, stores, copies and initialisers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from frontend.ctypes import CType, FloatType, unqualified
from frontend.ir import AddressValue, Module, Place
from frontend.ir.library_table import STANDARD_STREAMS
from frontend.memory.leaves import MemObject
from frontend.memory.objects import Objects
from frontend.memory.places import Places
from frontend.memory.points_to.closed_graph import Graph
from frontend.memory.points_to.facts import PointerFacts
from frontend.memory.points_to.flows import Difference, Flows, between
from frontend.memory.points_to.targets import (
    ANY,
    DISTANCE,
    FOREIGN,
    HANDLE,
    INTEGER,
    KEPT,
    NO_OBJECT,
    OUTSIDE,
    UNKNOWN,
    PointerNode,
    Shift,
    Target,
    absolute_target,
    function_target,
    is_inside,
    leaf,
)
from frontend.program import Expr, Scalar

_TAKEN_FUNCTIONS: PointerNode = ("t", "", "")
"""Points to every function whose address is taken."""
PIECES: PointerNode = ("p", "", "")
"""Points to anything from outside once some address is taken to pieces; see `Pieces`."""
_FEW_CELLS = 3
"""More cells than that are accessed through one node."""


class MemoryConstraints:
    """Adds to the graph what accesses to memory mean; objects are initialised when they are first met."""

    def __init__(self, module: Module, objects: Objects, places: Places, graph: Graph, facts: PointerFacts,
                 flows: Flows) -> None:
        self.module = module
        self.objects = objects
        self.places = places
        self.graph = graph
        self.facts = facts
        self.flows = flows
        self._initialised: set[str] = set()
        self._done: set[tuple[Hashable, ...]] = set()
        self._pieces: set[tuple[Target, int, int | None, bool]] = set()
        self._cells: dict[tuple[Target, int], tuple[PointerNode, ...]] = {}
        graph.add(OUTSIDE, FOREIGN)
        graph.copy(KEPT, OUTSIDE, from_outside)

    # ------------------------------------------------------------------------------------------- values
    def assign(self, function: str, e: Expr, into: PointerNode, t: Scalar) -> None:
        """The node, of type `t`, gets the value of `e`."""
        if not self.flows.wide(t):
            return
        self._flow(function, e, into)

    def _flow(self, function: str, e: Expr, into: PointerNode) -> None:
        for node, shift, constant in self.flows.flows(function, e):
            if node is None:
                assert constant is not None
                self.graph.add(into, constant)
            else:
                self.graph.copy(self._node(node), into, shift)

    def _node(self, node: PointerNode | Difference) -> PointerNode:
        return self.difference(node) if isinstance(node, Difference) else node

    def difference(self, difference: Difference) -> PointerNode:
        """A node for what the right side of a difference makes of it."""
        node = self.graph.inner(difference)
        if self._first("difference", difference):
            lefts: dict[Target, None] = {}
            rights: dict[Target, None] = {}

            def met(targets: dict[Target, None], target: Target) -> None:
                targets.setdefault(target)
                for right in rights:
                    self.graph.add(node, between(lefts, right))

            self.graph.each(self.address(difference.function, difference.left), lambda target: met(lefts, target))
            self.graph.each(self.address(difference.function, difference.right), lambda target: met(rights, target))
        return node

    def address(self, function: str, e: Expr) -> PointerNode:
        """A node for all that the value of an expression may point to."""
        parts = tuple(self._from(*flow) for flow in self.flows.flows(function, e))
        if len(parts) == 1:
            return parts[0]
        node = self.graph.inner(("or", parts))
        for part in parts:
            self.graph.copy(part, node)
        return node

    def _from(self, node: PointerNode | Difference | None, shift: Shift | None, constant: Target | None) -> PointerNode:
        if node is not None:
            return self.graph.shifted(self._node(node), shift)
        assert constant is not None
        return self.constant(constant)

    def constant(self, target: Target) -> PointerNode:
        """A node that points to one target."""
        node = self.graph.inner(("constant", target))
        self.graph.add(node, target)
        return node

    def place(self, function: str, place: Place) -> PointerNode:
        """A node for all that the place may be."""
        if isinstance(place.base, str):
            obj = self.objects.named(place.base)
            self.initialise(obj)
            move = self.places.displacement(obj.type, place.path, inside=True)
            return self.constant((obj.name, obj.normal(move.offset)))
        base, type_ = self.address(function, place.base), unqualified(place.base_type)
        if self._first("pointed", base, type_):
            self.graph.each(base, lambda target: self._followed(target, type_))
        move = self.places.displacement(place.base_type, place.path)
        return self.graph.shifted(base, self.flows.displacement(move, place.base_type))

    def _followed(self, target: Target, type_: CType) -> None:
        """A pointer to the type is followed to the target."""
        self.facts.pointed.setdefault(target[0], {}).setdefault(type_)

    def _first(self, *key: Hashable) -> bool:
        """Whether this is asked for the first time."""
        known = key in self._done
        self._done.add(key)
        return not known

    def assign_inside(self, function: str, e: Expr, into: PointerNode) -> None:
        """The node gets an address in the object that the value of `e` points into."""
        self.graph.copy(self.address(function, e), into, self.flows.anywhere)

    def each_target(self, function: str, e: Expr, use: Callable[[Target], None]) -> None:
        """Call `use` for every target that the value may have, now or later."""
        self.graph.each(self.address(function, e), use)

    def each_place(self, function: str, place: Place, use: Callable[[Target], None]) -> None:
        """Call `use` for every target that the place may be, now or later."""
        self.graph.each(self.place(function, place), use)

    def take(self, name: str) -> None:
        """The address of an object or a function is taken."""
        self.facts.taken.setdefault(name)
        if name in self.module.declarations:
            self.graph.add(_TAKEN_FUNCTIONS, function_target(name))

    def each_taken_function(self, use: Callable[[str], None]) -> None:
        """Call `use` for every function whose address is taken, now or later: what a pointer from outside may be."""
        self.graph.each(_TAKEN_FUNCTIONS, lambda target: use(target[0][1:]))

    # ------------------------------------------------------------------------------------------- accesses
    def cells(self, target: Target, size: int) -> tuple[PointerNode, ...]:
        """The leaves that an access of `size` bytes to the target may touch."""
        known = self._cells.get((target, size))
        if known is None:
            known = self._cells[target, size] = self._cells_at(target, size)
        return known

    def _cells_at(self, target: Target, size: int) -> tuple[PointerNode, ...]:
        name, offset = target
        if name[0] in NO_OBJECT:
            return ()
        obj = self.objects.named(name)
        self.initialise(obj)
        if offset != ANY and not is_inside(obj, offset):
            return ()
        return tuple(leaf(name, n) for n in obj.leaf_numbers(offset, size))

    def laid_out_anew(self) -> None:
        """An object got another layout."""
        self._cells.clear()
        self._pieces.clear()

    def stored_at(self, target: Target, size: int = 0) -> tuple[PointerNode, ...]:
        """Nodes that together hold what is in the cells: these, or one for many of them."""
        if target == FOREIGN:
            return (OUTSIDE,)
        return self._gathered("stored", self.cells(target, size), lambda cell, node: self.graph.copy(cell, node))

    def room_at(self, target: Target, size: int = 0) -> tuple[PointerNode, ...]:
        """Nodes that pass on to the cells what they get."""
        if target == FOREIGN:
            return (KEPT,)
        return self._gathered("room", self.cells(target, size), lambda cell, node: self.graph.copy(node, cell))

    def _gathered(self, what: str, cells: tuple[PointerNode, ...],
                  link: Callable[[PointerNode, PointerNode], None]) -> tuple[PointerNode, ...]:
        """One node in place of many cells of an object, which is linked with each."""
        if len(cells) <= _FEW_CELLS:
            return cells
        key = (what, cells[0], cells[-1], len(cells))
        node = self.graph.inner(key)
        if self._first(*key):
            for cell in cells:
                link(cell, node)
        return (node,)

    def load(self, place: PointerNode, size: int, into: PointerNode) -> None:
        """The node gets what is stored where `place` points to."""
        loaded = self.graph.inner(("load", place, size))
        if self._first("load", place, size):
            self.graph.each(place, lambda target: self._load(target, size, loaded))
        self.graph.copy(loaded, into)

    def _load(self, target: Target, size: int, into: PointerNode) -> None:
        if target == UNKNOWN:
            self.graph.add(into, UNKNOWN)
        elif target[0][0] == "*":
            self.graph.add(into, INTEGER)
        bytewise = self.bytewise_cells(target, size)
        if bytewise:
            for cell in self.cells(target, size):
                self.graph.copy(cell, into, made_of_bytes if cell in bytewise else None)
        else:
            for cell in self.stored_at(target, size):
                self.graph.copy(cell, into)

    def store(self, function: str, value: Expr, place: PointerNode, size: int) -> None:
        """The value of an expression, which is wide enough for an address, is stored where `place` points to."""
        stored = self.graph.inner(("store", place, size))
        if self._first("store", place, size):
            self.graph.each(place, lambda target: self._store(stored, target, size))
        self._flow(function, value, stored)

    def _store(self, value: PointerNode, target: Target, size: int) -> None:
        if target == UNKNOWN:
            self.facts.wild = True
        for cell in self.room_at(target, size):
            self.graph.copy(value, cell)

    def bytewise_cells(self, target: Target, size: int) -> frozenset[PointerNode]:
        """Those of the cells that are bytes of a union, or of memory without a type."""
        cells = self.cells(target, size)
        leaves = self.objects.named(target[0]).leaves if cells else ()
        return frozenset(cell for cell in cells if leaves[int(cell[2])].bytes)

    def typed_cells(self, target: Target, size: int) -> Iterator[tuple[PointerNode, bool]]:
        """The cells that an access may touch, each with whether it is wide enough for an address."""
        if target == FOREIGN:
            return iter(((KEPT, True),))
        cells = self.cells(target, size)
        leaves = self.objects.named(target[0]).leaves if cells else ()
        return ((cell, self.flows.wide(leaves[int(cell[2])].type)) for cell in cells)

    def scramble(self, target: Target, size: int, value: Target) -> None:
        """Memory gets a value that is not followed; a pointer in it, also in the bytes of a union, may then be `value`."""
        bytewise = self.bytewise_cells(target, size)
        for cell, wide in self.typed_cells(target, size):
            if wide:
                self.graph.add(cell, value)
            elif cell in bytewise:
                self.graph.add(cell, INTEGER)

    def store_narrow(self, place: PointerNode, size: int, width: int | None, constant: bool = False) -> None:
        """A number too narrow for an address is stored where `place` points to; `width` None: one that is not known."""
        if self._first("narrow", place, size, width, constant):
            self.graph.each(place, lambda target: self.store_piece(target, size, width, constant))

    def store_piece(self, target: Target, size: int, width: int | None, constant: bool = False) -> None:
        """A number too narrow for an address is stored. As a part of a wider cell it may be a part of any address."""
        piece = (target, size, width, constant)
        if target == FOREIGN and not constant:
            self.graph.copy(PIECES, KEPT)
        if target[0][0] in NO_OBJECT or piece in self._pieces:
            return
        self._pieces.add(piece)
        leaves = self.objects.named(target[0]).leaves
        for cell in self.cells(target, size):
            part = leaves[int(cell[2])]
            if self.flows.wide(part.type):
                self.graph.add(cell, INTEGER if width is None or width >= part.type.width else UNKNOWN)
            elif width is not None and part.bytes:
                self.graph.add(cell, INTEGER)
            elif not constant:
                self.graph.copy(PIECES, cell)

    # ------------------------------------------------------------------------------------------- initialisers
    def initialise(self, obj: MemObject) -> None:
        """The addresses in an object's initialiser; what an object defined elsewhere holds is not known."""
        if obj.name in self._initialised or obj.symbol is None:
            return
        self._initialised.add(obj.name)
        if not obj.symbol.defined:
            for number in range(len(obj.leaves)):
                self.graph.add(leaf(obj.name, number), FOREIGN if obj.name in STANDARD_STREAMS else UNKNOWN)
        holds_addresses = any(self.flows.wide(part.type) for part in obj.leaves)
        for path, value in obj.symbol.initial:
            if value == 0 or (isinstance(value, int) and not holds_addresses):
                continue
            move = self.places.displacement(obj.type, path, inside=True)
            if value is None or isinstance(move.type, FloatType):
                continue
            numbers = obj.leaf_numbers(obj.normal(move.offset), self.module.sizeof(move.type))
            if isinstance(value, AddressValue):
                self.take(value.symbol)
                target = self._link_target(value)
            else:
                numbers = tuple(n for n in numbers if self.flows.wide(obj.leaves[n].type))
                target = absolute_target(self.places.pointer.wrap(value))
                self.objects.keep_free(self.places.pointer.wrap(value))
            for number in numbers:
                self.graph.add(leaf(obj.name, number), target)

    def _link_target(self, value: AddressValue) -> Target:
        if value.symbol in self.module.declarations and value.symbol not in self.module.symbols:
            return function_target(value.symbol)
        obj = self.objects.named(value.symbol)
        self.initialise(obj)
        return (obj.name, obj.normal(self.places.displacement(obj.type, value.path, inside=True).offset + value.addend))


def from_outside(target: Target) -> Target:
    """What is read from foreign memory, of what was put there: a number may as well be a pointer to such memory."""
    return FOREIGN if target in (INTEGER, HANDLE) else made_of_bytes(target)


def made_of_bytes(target: Target) -> Target:
    """Bytes that were stored one by one may make up any address."""
    return UNKNOWN if target in (INTEGER, DISTANCE) else target
