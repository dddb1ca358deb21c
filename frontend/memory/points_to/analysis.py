"""What pointers may point to: inclusion-based (Andersen), flow-insensitive, sensitive to fields by their byte offset."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from frontend.ctypes import ArrayType, CType, IntType
from frontend.ir import STRING, AddressValue, Function, Index, Module, Storage
from frontend.memory.leaves import Leaf, MemObject
from frontend.memory.objects import Objects
from frontend.memory.places import Places
from frontend.memory.points_to.closed_graph import NO_SETS, ClosedGraph, Graph, PointerSets
from frontend.memory.points_to.externals import Externals, kept
from frontend.memory.points_to.facts import PointerFacts
from frontend.memory.points_to.flows import Difference, Flows, between
from frontend.memory.points_to.instructions import Called, Instructions
from frontend.memory.points_to.memory_constraints import MemoryConstraints
from frontend.memory.points_to.targets import (
    ANY,
    COMPUTED,
    DISTANCE,
    FOREIGN,
    HANDLE,
    INTEGER,
    KEPT,
    NO_OBJECT,
    NUMBERS,
    OUTSIDE,
    UNKNOWN,
    FunctionEdge,
    Target,
    Targets,
    leaf,
    register,
)
from frontend.program import Const, Expr, Var

Solver: TypeAlias = Callable[[bool], Graph]
"""Gives a graph that is to be solved; True for a program on a bare processor."""


class PointsTo:
    """The analysis; `solve` or `find` once, then ask."""

    def __init__(self, module: Module, objects: Objects, places: Places, functions: Callable[[str], Function | None],
                 heap_types: Mapping[str, CType], single: frozenset[str] = frozenset(),
                 called: Called = lambda _caller, _source, _target, callee: callee,
                 same: Mapping[FunctionEdge, FunctionEdge] | None = None, solver: Solver | None = None) -> None:
        """`heap_types`: what the memory of an allocation site is used as; `single`: sites that allocate at most once.

        `called`: the name under which `functions` knows what a call at an edge goes to; `same`: sites that are one object.
        `solver`: looks for what pointers point to; it is not believed.
        """
        self._module = module
        self._objects = objects
        self._places = places
        self._functions = functions
        self._heap_types = heap_types
        self.single = single
        self._called = called
        self._same = same or {}
        self._solver = solver
        self._flows = Flows(module, objects, places)
        self._given = NO_SETS
        self._take(PointerFacts(), ClosedGraph())

    def _take(self, facts: PointerFacts, graph: ClosedGraph) -> None:
        """These are the answers; `PointerFacts` says what its tables mean."""
        self._graph = graph
        self._texts: dict[str, str | None] = {}
        self._asked: dict[tuple[str, Expr], Targets] = {}
        self._addresses: dict[tuple[str, str], bool] = {}
        self._facts = facts
        self.wild = facts.wild
        self.reached = facts.reached
        self.entered = facts.entered
        self.callees = facts.callees
        self.created = facts.created
        self.handlers = facts.handlers
        self.anytime = facts.anytime
        self.often = facts.often
        self.sites = facts.sites
        self.heaps = facts.heaps
        self.pointed = facts.pointed
        self.taken = facts.taken
        self.exposed = facts.exposed
        self.exposed_deep = facts.exposed_deep

    def find(self, roots: Iterable[str]) -> None:
        """Take in everything that the threads reach, and believe the solver: for choices that may be wrong."""
        if self._solver is None:
            self.solve(roots)
            return
        graph = self._solver(self._objects.bare)
        facts = self._constrain(graph, roots)
        self._given = graph.solution()
        self._take(facts, ClosedGraph(self._given))

    def solve(self, roots: Iterable[str]) -> None:
        """Take in everything that the threads reach; what was found before is tested, and grows until it is closed."""
        found, given = self._facts, self._checked(self._given)
        while True:
            graph = ClosedGraph(given)
            facts = self._constrain(graph, roots)
            if graph.closed:
                break
            given = graph.solution()
            self._facts = facts
        # Equal tables may still be in another order; the first one is kept.
        self._take(found if found == facts else facts, graph)

    def _checked(self, given: PointerSets) -> PointerSets:
        """The sets without what is no target at all."""
        wrong = sum(1 << n for n, target in enumerate(given.targets) if not self._is_target(*target))
        return replace(given, sets={node: points & ~wrong for node, points in given.sets.items()}) if wrong else given

    def _is_target(self, name: str, offset: int) -> bool:
        if (name, offset) in (*NUMBERS, COMPUTED, FOREIGN):
            return True
        if name[0] == "&":
            return name[1:] in self._module.declarations
        return name[1:3] == "0x" if name[0] == "*" else self._objects.is_known(name)

    def _constrain(self, graph: Graph, roots: Iterable[str]) -> PointerFacts:
        """Hands the graph every constraint of the program."""
        facts = PointerFacts()
        memory = MemoryConstraints(self._module, self._objects, self._places, graph, facts, self._flows)
        externals = Externals(memory, self._heap_types, self.single, self._same, self._facts.sites)
        self._instructions = Instructions(memory, externals, self._functions, self._called)
        for symbol in self._module.symbols.values():
            if any(isinstance(value, AddressValue) for _, value in symbol.initial):
                memory.initialise(self._objects.named(symbol.name))
        self._instructions.start(roots)
        graph.run()
        return facts

    # ------------------------------------------------------------------------------------------- values
    def targets(self, function: str, e: Expr) -> Targets:
        """What the value of an expression over the function's registers may point to."""
        known = self._asked.get((function, e))
        if known is None:
            known = self._asked[function, e] = self._targets(function, e)
        return known

    def _targets(self, function: str, e: Expr) -> Targets:
        found = self._found(function, e)
        real = tuple(t for t in found if t not in NUMBERS and t != FOREIGN)
        foreign = FOREIGN in found
        objects = tuple(t for t in real if not t[0].startswith("*"))
        # Where addresses flow, numbers are lengths and the like: to use one as an address would be undefined, but for a
        # register of a processor on which no system runs.
        number = INTEGER in found or (COMPUTED in found and not self._objects.bare)
        unknown = UNKNOWN in found or DISTANCE in found or self.wild or (not objects and not foreign and number)
        if objects:  # so is what is computed from them
            real = tuple(t for t in real if t != COMPUTED)
        return Targets(real if self._objects.bare else objects or real, unknown, foreign)

    def targets_of_number(self, function: str, e: Expr) -> Targets:
        """What an integer leads to that may be an address: nothing, where it is a number only."""
        found = self._found(function, e)
        return Targets(tuple(t for t in found if t not in NUMBERS and t[0][0] != "*"), UNKNOWN in found or DISTANCE in found)

    def _found(self, function: str, e: Expr) -> dict[Target, None]:
        """All targets of the value of an expression, as the analysis found them."""
        found: dict[Target, None] = {}
        for node, shift, constant in self._flows.flows(function, e):
            if node is None:
                assert constant is not None
                found.setdefault(constant)
            else:
                for t in self._between(node) if isinstance(node, Difference) else self._graph.targets(node):
                    found.setdefault(t if shift is None else shift(t))
        return found

    def _between(self, difference: Difference) -> dict[Target, None]:
        """What the right side of a difference makes of it."""
        lefts = self._found(difference.function, difference.left)
        return dict.fromkeys(between(lefts, right) for right in self._found(difference.function, difference.right))

    def may_be_address(self, function: str, name: str) -> bool:
        """Whether a register may hold the address of an object or of a function, or a thread's handle."""
        known = self._addresses.get((function, name))
        if known is None:
            found = self._graph.targets(register(function, name))
            known = self._addresses[function, name] = any(t == HANDLE or t[0][0] not in "?#*!" for t in found)
        return known

    def is_handle(self, function: str, e: Expr) -> bool:
        """Whether the value of an expression may be a thread's handle."""
        sources = (node for node, _, _ in self._flows.flows(function, e) if isinstance(node, tuple))
        return any(HANDLE in self._graph.targets(node) for node in sources)

    def functions(self, function: str, e: Expr, arity: int) -> tuple[str, ...]:
        """The functions that a pointer value may be, of a compatible number of parameters: those that were taken for called.

        Code that writes through a pointer of unknown value is assumed not to overwrite pointers to functions.
        """
        found = self._found(function, e)
        names = [t[0][1:] for t in found if t[0].startswith("&")]
        if UNKNOWN in found:
            names.extend(n for n in self.taken if n in self._module.declarations and n not in names)
        return tuple(n for n in names if self._instructions.fits(n, arity))

    def holds_heap(self, function: str, v: Var) -> bool:
        """Whether the register may point to memory that was allocated."""
        return any(t[0] in self.heaps for t in self._graph.targets(register(function, v.name)))

    def texts(self, function: str, e: Expr) -> tuple[str, ...] | None:
        """The strings that begin where a pointer value may point to; None if it may point to one that is not constant."""
        found = self.targets(function, e)
        if found.outside or not found.known:
            return None
        texts: dict[str, None] = {}
        for name, _ in found.known:
            text = self.literal(name)
            if text is None:
                return None
            texts.update(dict.fromkeys(text[n:] for n in range(max(len(text), 1))))  # all elements of an array are one target
        return tuple(texts)

    def literal(self, name: str) -> str | None:
        """The string in an array of characters that nobody may change; None if it is something else."""
        if name not in self._texts:
            self._texts[name] = self._constant_text(name)
        return self._texts[name]

    def _constant_text(self, name: str) -> str | None:
        symbol = self._module.symbols.get(name)
        match symbol.type if symbol is not None else None:
            case ArrayType(element=IntType() as element, length=int(length)) if element.bits == 8:
                assert symbol is not None
                if symbol.storage not in (Storage.GLOBAL, Storage.STATIC) or not symbol.defined:
                    return None
                if not name.startswith(STRING) and not element.quals.const:
                    return None
                codes = [0] * length
                for path, value in symbol.initial:
                    match path, value:
                        case (Index(value=Const(value=i)),), int(code) if 0 <= i < length:
                            codes[i] = code & 255
                        case _:
                            return None
                return bytes(codes).split(b"\0")[0].decode("latin-1")
        return None

    # ------------------------------------------------------------------------------------------- memory
    def all_targets(self) -> Iterable[Iterable[Target]]:
        """What each register and each leaf may point to."""
        return self._graph.all_targets()

    def contents(self, obj: MemObject) -> Iterable[Target]:
        """Everything that some pointer stored in the object may point to."""
        for number in range(len(obj.leaves)):
            yield from self._graph.targets(leaf(obj.name, number))

    def results(self, function: str) -> Iterable[Target]:
        """What the result of a function may point to, in a struct too; for whoever may call it without being here."""
        body = self.reached.get(function)
        if body is None or body.result is None:
            return ()
        return self.contents(self._objects.named(body.result)) if isinstance(body.result, str) else self._graph.targets(
            register(function, body.result.name))

    def led_to(self, obj: MemObject) -> tuple[list[Target], bool]:
        """What code that is not here may get to from the object; True: what it put there itself, it had got to before.

        It puts no pointers into what is too narrow for them.
        """
        cells = [leaf(obj.name, number) for number in range(len(obj.leaves))]
        foreign = [self._graph.is_foreign(cell) for cell in cells]
        put = any(there and (part.bytes or self._flows.wide(part.type))
                  for there, part in zip(foreign, obj.leaves, strict=True))
        return self._graph.in_any(zip(cells, foreign, strict=True)), put

    def inside(self, targets: Targets) -> Targets:
        """What is stored in the targets points to."""
        found: dict[Target, None] = dict.fromkeys(self.found_outside() if targets.foreign else ())
        for name, _ in targets.known:
            if name[0] not in NO_OBJECT:
                stored, put = self.led_to(self._objects.named(name))
                found.update(dict.fromkeys(stored))
                found.update(dict.fromkeys((exposed, ANY) for exposed in self.exposed_deep) if put else {})
        return self._split(found)

    def _split(self, found: Collection[Target]) -> Targets:
        known = tuple(t for t in found if t not in NUMBERS and t != FOREIGN)
        return Targets(known, UNKNOWN in found or DISTANCE in found, FOREIGN in found)

    def found_outside(self) -> list[Target]:
        """What pointers in foreign memory may point to."""
        return self._graph.targets(OUTSIDE)

    def given_away(self) -> list[Target]:
        """What pointers may point to that are put into foreign memory."""
        return self._graph.targets(KEPT)

    def holds_addresses(self, obj: MemObject, part: Leaf) -> bool:
        """Whether the leaf, of any element, is ever set to an address."""
        numbers = (INTEGER, HANDLE, COMPUTED)
        return self.wild or any(t not in numbers for t in self._graph.targets(leaf(obj.name, obj.leaves.index(part))))

    def kept(self, what: str) -> Targets:
        """What was handed over to library functions that keep it; see `KEPT` in the table of these."""
        found = self._graph.targets(kept(what))
        return self._split(found)
