"""How addresses get into memory and out of it: constraints for loads, stores, copies and initialisers."""

from __future__ import annotations

from collections.abc import Callable

from frontend.ctypes import CType, unqualified
from frontend.ir import AddressValue, Module, Place
from frontend.memory.leaves import MemObject
from frontend.memory.objects import Objects
from frontend.memory.places import Places
from frontend.memory.points_to.facts import PointerFacts
from frontend.memory.points_to.flows import Flows
from frontend.memory.points_to.graph import ConstraintGraph
from frontend.memory.points_to.targets import (
    ANY,
    INTEGER,
    NO_OBJECT,
    UNKNOWN,
    PointerNode,
    Shift,
    Target,
    absolute_target,
    function_target,
    is_inside,
    leaf,
    walks,
)
from frontend.program import Expr, Scalar

_TAKEN_FUNCTIONS: PointerNode = ("t", "", "")
"""Points to every function whose address is taken."""


class MemoryConstraints:
    """Adds to the graph what accesses to memory mean; objects are initialised when they are first met."""

    def __init__(self, module: Module, objects: Objects, places: Places, graph: ConstraintGraph, facts: PointerFacts) -> None:
        self.module = module
        self.objects = objects
        self.places = places
        self.graph = graph
        self.facts = facts
        self.flows = Flows(objects, places)
        self._initialised: set[str] = set()

    # ------------------------------------------------------------------------------------------- values
    def assign(self, function: str, e: Expr, into: PointerNode, t: Scalar) -> None:
        """The node, of type `t`, gets the value of `e`."""
        if not self.flows.wide(t):
            return
        for node, shift, constant in self.flows.flows(function, e):
            if node is None:
                assert constant is not None
                self.graph.add(into, constant)
            else:
                self.graph.copy(node, into, shift)

    def assign_inside(self, function: str, e: Expr, into: PointerNode) -> None:
        """The node gets an address in the object that the value of `e` points into."""
        inside = self.flows.anywhere
        for node, shift, constant in self.flows.flows(function, e):
            if node is None:
                assert constant is not None
                self.graph.add(into, inside(constant))
            else:
                self.graph.copy(node, into, inside if shift is None else self.flows.then(shift, inside))

    def each_target(self, function: str, e: Expr, use: Callable[[Target], None]) -> None:
        """Call `use` for every target that the value may have, now or later."""
        for node, shift, constant in self.flows.flows(function, e):
            if node is None:
                assert constant is not None
                use(constant)
            else:
                self.graph.each(node, use if shift is None else _after(shift, use))

    def each_place(self, function: str, place: Place, use: Callable[[Target], None]) -> None:
        """Call `use` for every target that the place may be, now or later."""
        if isinstance(place.base, str):
            obj = self.objects.named(place.base)
            self.initialise(obj)
            move = self.places.displacement(obj.type, place.path, inside=True)
            use((obj.name, obj.normal(move.offset)))
            return
        move = self.places.displacement(place.base_type, place.path)

        def arrived(target: Target) -> None:
            self.facts.pointed.setdefault(target[0], {}).setdefault(unqualified(place.base_type))
            there = self.flows.displaced(target, move)
            if there[0][0] not in NO_OBJECT and walks(self.objects.named(there[0]), there[1], place.base_type, self.module):
                there = self.flows.anywhere(there)
            use(there)

        self.each_target(function, place.base, arrived)

    def take(self, name: str) -> None:
        """The address of an object or a function is taken."""
        self.facts.taken.setdefault(name)
        if name in self.module.declarations:
            self.graph.add(_TAKEN_FUNCTIONS, function_target(name))

    def each_taken_function(self, use: Callable[[str], None]) -> None:
        """Call `use` for every function whose address is taken, now or later: what a pointer from outside may be."""
        self.graph.each(_TAKEN_FUNCTIONS, lambda target: use(target[0][1:]))

    # ------------------------------------------------------------------------------------------- accesses
    def cells(self, target: Target, size: int) -> list[PointerNode]:
        """The leaves that an access of `size` bytes to the target may touch."""
        name, offset = target
        if name[0] in NO_OBJECT:
            return []
        obj = self.objects.named(name)
        self.initialise(obj)
        if offset != ANY and not is_inside(obj, offset):
            return []
        return [leaf(name, n) for n in obj.leaf_numbers(offset, size)]

    def load(self, target: Target, size: int, into: PointerNode) -> None:
        """The node gets what is stored at the target."""
        if target == UNKNOWN:
            self.graph.add(into, UNKNOWN)
        for cell in self.cells(target, size):
            if self.objects.named(target[0]).leaves[int(cell[2])].bytes:
                # Bytes that were stored one by one may make up any address.
                self.graph.copy_once(cell, into, lambda t: UNKNOWN if t == INTEGER else t)
            else:
                self.graph.copy_once(cell, into)

    def store(self, function: str, value: Expr, target: Target, size: int) -> None:
        """The value of an expression, which is wide enough for an address, is stored at the target."""
        if target == UNKNOWN:
            self.facts.wild = True
        for cell in self.cells(target, size):
            for node, shift, constant in self.flows.flows(function, value):
                if node is None:
                    assert constant is not None
                    self.graph.add(cell, constant)
                elif shift is None:
                    self.graph.copy_once(node, cell)
                else:
                    self.graph.copy(node, cell, shift)

    def scramble(self, target: Target, size: int, value: Target) -> None:
        """Memory gets a value that is not followed; a pointer in it may then be `value`."""
        if target[0][0] in NO_OBJECT:
            return
        leaves = self.objects.named(target[0]).leaves
        for cell in self.cells(target, size):
            if self.flows.wide(leaves[int(cell[2])].type):
                self.graph.add(cell, value)

    def store_piece(self, target: Target, size: int, width: int | None) -> None:
        """A number too narrow for an address is stored. As a part of a wider cell it may be a part of any address."""
        if target[0][0] in NO_OBJECT:
            return
        leaves = self.objects.named(target[0]).leaves
        for cell in self.cells(target, size):
            part = leaves[int(cell[2])]
            if self.flows.wide(part.type):
                self.graph.add(cell, INTEGER if width is None or width >= part.type.width else UNKNOWN)
            elif width is not None and part.bytes:
                self.graph.add(cell, INTEGER)

    def transfer(self, origin: Target, into: Target, type_: CType) -> None:
        """A value of the type is copied from `origin` to `into`: leaf by leaf where both have as many."""
        size = self.module.sizeof(type_)
        if into == UNKNOWN:
            self.facts.wild = True
        sources, targets = self.cells(origin, size), self.cells(into, size)
        if origin == UNKNOWN:
            for cell in targets:
                self.graph.add(cell, UNKNOWN)
        a, b = self._leaves_in(origin, size), self._leaves_in(into, size)
        if a is not None and b is not None and len(a) == len(b):
            for x, y in zip(a, b, strict=True):
                self.graph.copy_once(x, y)
            return
        for x in sources:
            for y in targets:
                self.graph.copy_once(x, y)

    def _leaves_in(self, target: Target, size: int) -> list[PointerNode] | None:
        """The leaves in `size` bytes from a target, in order; None if that is not known."""
        name, offset = target
        if name[0] in NO_OBJECT or offset == ANY:
            return None
        leaves = self.objects.named(name).leaves
        return [leaf(name, n) for n, part in enumerate(leaves) if offset <= part.offset < offset + size]

    # ------------------------------------------------------------------------------------------- initialisers
    def initialise(self, obj: MemObject) -> None:
        """The addresses in an object's initialiser; what an object defined elsewhere holds is not known."""
        if obj.name in self._initialised or obj.symbol is None:
            return
        self._initialised.add(obj.name)
        if not obj.symbol.defined:
            for number in range(len(obj.leaves)):
                self.graph.add(leaf(obj.name, number), UNKNOWN)
        holds_addresses = any(self.flows.wide(part.type) for part in obj.leaves)
        for path, value in obj.symbol.initial:
            if value == 0 or (isinstance(value, int) and not holds_addresses):
                continue
            move = self.places.displacement(obj.type, path, inside=True)
            numbers = obj.leaf_numbers(obj.normal(move.offset), self.module.sizeof(move.type))
            if isinstance(value, AddressValue):
                self.take(value.symbol)
                target = self._link_target(value)
            else:
                numbers = tuple(n for n in numbers if self.flows.wide(obj.leaves[n].type))
                target = absolute_target(self.places.pointer.wrap(value))
            for number in numbers:
                self.graph.add(leaf(obj.name, number), target)

    def _link_target(self, value: AddressValue) -> Target:
        if value.symbol in self.module.declarations and value.symbol not in self.module.symbols:
            return function_target(value.symbol)
        obj = self.objects.named(value.symbol)
        self.initialise(obj)
        return (obj.name, obj.normal(self.places.displacement(obj.type, value.path, inside=True).offset + value.addend))


def _after(shift: Shift, use: Callable[[Target], None]) -> Callable[[Target], None]:
    return lambda t: use(shift(t))
