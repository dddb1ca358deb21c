"""What functions without a body do to pointers: allocation, the C library by its table, and code about which nothing is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from frontend.ctypes import ArrayType, CType, FloatType, IntType, PointerType, RecordType, VoidType, unqualified
from frontend.ir import Call, Function, IrEdge, Place
from frontend.ir.library_table import KEEPERS, KEEPERS_BELOW, KNOWN, OWN_POINTERS, LibraryFunction, LibraryResult
from frontend.ir.thread_library import LOCK_PREFIXES, THREAD_LIBRARY
from frontend.memory.points_to.handed_over import CHANGED, site
from frontend.memory.points_to.heap import allocated
from frontend.memory.points_to.memory_constraints import MemoryConstraints
from frontend.memory.points_to.memory_copies import ByteCopy
from frontend.memory.points_to.pieces import RECEIVERS, SENDERS, Pieces
from frontend.memory.points_to.targets import (
    ANY,
    DISTANCE,
    FOREIGN,
    INTEGER,
    KEPT,
    NO_OBJECT,
    OUTSIDE,
    UNKNOWN,
    FunctionEdge,
    PointerNode,
    Target,
    register,
    walks,
)
from frontend.program import Const, Expr, Var

_BYTE = IntType("unsigned char", 8, False)
_COPY_BYTES = ("memcpy", "memmove", "mempcpy")
_KEEP_POINTERS = ("free", "cfree", "memset", "bzero")
"""Functions of the table that write, but no pointers that anybody may follow."""


class Externals:
    """Adds what calls of functions without a body mean."""

    def __init__(self, memory: MemoryConstraints, heap_types: Mapping[str, CType], single: frozenset[str],
                 same: Mapping[FunctionEdge, FunctionEdge], named: Mapping[FunctionEdge, str]) -> None:
        """`heap_types`, `single`, `same`: see `PointsTo`; `named`: what to call what an edge allocates, if that is free."""
        self._memory = memory
        self._graph = memory.graph
        self._facts = memory.facts
        self._heap_types = heap_types
        self._single = single
        self._same = same
        self._named = named
        self.pieces = Pieces(memory)
        self._graph.each(CHANGED, self._changes)

    def call(self, function: Function, edge: IrEdge, call: Call, callee: str) -> bool:
        """Take in a call; True if nothing is known of the callee, so that it may keep and call what it is given.

        The functions of locks say what memory is used as. Some keep an argument, most give a result. Then what
        is written through arguments, by the first rule that fits: bytes are copied with the pointers in them; what the table of
        library functions lists may be anything afterwards; the threading library does nothing here (see `HandedOver`);
        any other function may do anything to all that its arguments lead to.
        """
        known = KNOWN.get(callee)
        if callee.startswith(LOCK_PREFIXES):
            self._lock_types(function, call, callee)
        if known is not None:
            self._states(edge, known)
        if callee in SENDERS:
            self._bytes_at(function, call, SENDERS[callee], self.pieces.sent)
        if callee in RECEIVERS:
            self._bytes_at(function, call, RECEIVERS[callee], self.pieces.received)
        if callee in KEEPERS:
            self._keep(function, call, *KEEPERS[callee])
        for position in KEEPERS_BELOW.get(callee, ()):
            self._keep_below(function, call, position)
        self._result(function, edge, call, callee)
        if callee in _COPY_BYTES and len(call.args) > 1:
            self._copy_bytes(function, call.scalar(0, edge.location), call.scalar(1, edge.location))
        elif callee == "realloc" and isinstance(call.result, Var) and len(call.args) > 1:
            self._copy_bytes(function, Const(0, self._memory.places.pointer), call.scalar(0, edge.location),
                             self.heap(function, edge, call, callee))
        elif known is not None and callee not in _KEEP_POINTERS:
            for position in known.writes:
                self._pointee(function, call, position, FOREIGN if callee in OWN_POINTERS else UNKNOWN)
            for position in known.deep_writes:
                if position < len(call.args) and not isinstance(argument := call.args[position], Place):
                    self._memory.each_target(function.name, argument, self._changes)
            for position in range(known.format + 1, len(call.args)) if known.format is not None else ():
                self._pointee(function, call, position, UNKNOWN if known.scans else INTEGER)
        elif known is None and callee not in THREAD_LIBRARY and not callee.startswith("__VERIFIER_"):
            self._opaque(function, call)
            return True
        return False

    def heap(self, function: Function, edge: IrEdge, call: Call, callee: str) -> str:
        """The object that stands for what an allocation gives."""
        facts = self._facts
        here = site(function, edge)
        first = self._same.get(here, here)
        if first in facts.sites:
            return facts.sites.setdefault(here, facts.sites[first])
        if here not in facts.sites:
            base = f"{callee.removeprefix('__builtin_')}@{function.original or function.name}:{edge.location.line}"
            name, n = self._named.get(here, base), 1
            if name.partition("#")[0] != base:
                name = base
            while name in facts.heaps:
                n += 1
                name = f"{base}#{n}"
            facts.sites[here] = facts.sites[first] = name
            facts.heaps[name] = allocated(call, callee)
            self._memory.objects.add_heap(name, self._heap_types.get(name), facts.heaps[name], edge.location, callee == "calloc",
                                          name in self._single, filled=callee == "realloc")
            facts.taken.setdefault(name)
        return facts.sites[here]

    # ------------------------------------------------------------------------------------------- results
    def _result(self, function: Function, edge: IrEdge, call: Call, callee: str) -> None:
        """What the result points to: fresh memory, an argument, somewhere in what an argument points to, or anything."""
        if not isinstance(call.result, Var) or not self._memory.flows.wide(call.result.type):
            return
        into = register(function.name, call.result.name)
        known = KNOWN.get(callee)
        match known.result if known is not None else None:
            case LibraryResult.NEW:
                self._graph.add(into, (self.heap(function, edge, call, callee), 0))
                if callee == "realloc" and call.args and not isinstance(call.args[0], Place):
                    self._memory.assign(function.name, call.args[0], into, call.result.type)
            case LibraryResult.FIRST_ARGUMENT if call.args and not isinstance(call.args[0], Place):
                self._memory.assign(function.name, call.args[0], into, call.result.type)
            case LibraryResult(inside=int(number)) if len(call.args) > number:
                self._memory.assign_inside(function.name, call.scalar(number, edge.location), into)
            case LibraryResult.HIDDEN if callee == "strtok":
                self._graph.copy(kept("strtok"), into, self._memory.flows.anywhere)
            case LibraryResult.HIDDEN:
                assert known is not None
                self._graph.add(into, (known.states[0].object, 0))
            case LibraryResult.UNKNOWN:
                self._graph.copy(OUTSIDE if callee in OWN_POINTERS else self._memory.constant(UNKNOWN), into)
                if callee == "mmap" and call.args:  # where the program asks for it
                    self._memory.assign_inside(function.name, call.scalar(0, edge.location), into)
            case None if isinstance(call.type.result, PointerType):
                self._graph.add(into, UNKNOWN)
            case _:
                self._graph.add(into, INTEGER)
                for argument in call.args:
                    if not isinstance(argument, Place):
                        self._graph.copy(self._memory.address(function.name, argument), into, only_distances)

    def _states(self, edge: IrEdge, known: LibraryFunction) -> None:
        """The objects of the library's own that the function has; what pointers it leaves there is not known."""
        for number, state in enumerate(known.states):
            name, size = state.object, None if number == 0 and known.result is LibraryResult.HIDDEN else 1
            if name in self._facts.heaps and (size is not None or self._facts.heaps[name] is None):
                continue
            self._facts.heaps[name] = size
            self._memory.objects.add_heap(name, self._heap_types.get(name), size, edge.location, False, True, filled=True)
            self._memory.laid_out_anew()
            self._facts.taken.setdefault(name)
            self._memory.scramble((name, ANY), 0, UNKNOWN)

    def _keep(self, function: Function, call: Call, what: str, position: int) -> None:
        """The function keeps an argument for later calls."""
        argument = call.args[position] if position < len(call.args) else None
        if argument is not None and not isinstance(argument, Place):
            self._memory.assign(function.name, argument, kept(what), self._memory.places.pointer)
            if what == "environ":
                self._memory.assign(function.name, argument, KEPT, self._memory.places.pointer)

    def _keep_below(self, function: Function, call: Call, position: int) -> None:
        """The function keeps what an argument points to: pointers in it come back from foreign memory."""
        if position < len(call.args) and not isinstance(argument := call.args[position], Place):
            self._memory.each_target(function.name, argument, lambda target: self._kept_below(target))

    def _kept_below(self, target: Target) -> None:
        for node in self._memory.stored_at(self._memory.flows.anywhere(target)):
            self._graph.copy(node, KEPT)

    # ------------------------------------------------------------------------------------------- memory
    def _lock_types(self, function: Function, call: Call, callee: str) -> None:
        """Memory that a lock's functions are called with is used as what they say they take."""
        decl = self._memory.module.declarations.get(callee)
        for argument, param in zip(call.args, decl.type.params if decl is not None else (), strict=False):
            if isinstance(argument, Place) or not isinstance(param, PointerType):
                continue
            type_ = unqualified(param.target)

            def arrived(target: Target, type_: CType = type_) -> None:
                if target[1] == 0:
                    self._facts.pointed.setdefault(target[0], {}).setdefault(type_)

            self._memory.each_target(function.name, argument, arrived)

    def _bytes_at(self, function: Function, call: Call, position: int, use: Callable[[Target], None]) -> None:
        """Call `use` for all that an argument may point to."""
        argument = call.args[position] if position < len(call.args) else None
        if argument is not None and not isinstance(argument, Place):
            self._memory.each_target(function.name, argument, use)

    def _pointee(self, function: Function, call: Call, position: int, value: Target) -> None:
        """A library function writes through an argument; if a pointer is there it may be `value` afterwards.

        What is written to an array of characters stays in it: see `MemObject.characters`.
        """
        argument = call.args[position] if position < len(call.args) else None
        if argument is None or isinstance(argument, Place) or not self._memory.flows.wide(argument.type):
            return
        if value in (UNKNOWN, FOREIGN) and self._takes_numbers(call, position):
            value = INTEGER
        kind = PointerType(VoidType())
        size = self._memory.places.pointer.width // 8

        def arrived(target: Target) -> None:
            if target[0][0] not in NO_OBJECT:
                obj = self._memory.objects.named(target[0])
                if obj.characters(target[1]) and not walks(obj, target[1], _BYTE, self._memory.module):
                    return
            if value == FOREIGN:
                self._own_pointers(target, size)
            else:
                self._memory.scramble(target, size, value)

        self._memory.each_place(function.name, Place(argument, (), kind, kind), arrived)

    def _own_pointers(self, target: Target, size: int) -> None:
        """The C library puts pointers to memory of its own there, or what was kept before."""
        bytewise = self._memory.bytewise_cells(target, size)
        for cell, wide in self._memory.typed_cells(target, size):
            if wide or cell in bytewise:
                self._graph.copy(OUTSIDE, cell)

    def _takes_numbers(self, call: Call, position: int) -> bool:
        """Whether what the function writes through an argument is declared to be numbers (`sigset_t`, `struct stat`).

        Not so for characters, which may be the bytes of anything.
        """
        type_ = call.type.params[position] if position < len(call.type.params) else None
        target = type_.target if isinstance(type_, PointerType) else None
        if target is None or (isinstance(target, IntType) and target.bits == _BYTE.bits):
            return False
        return self._only_numbers(target)

    def _only_numbers(self, type_: CType) -> bool:
        match type_:
            case IntType() | FloatType():
                return True
            case ArrayType(element=element):
                return self._only_numbers(element)
            case RecordType(key=key) if key in self._memory.module.records:
                return all(self._only_numbers(f.type) for f in self._memory.module.records[key].fields)
            case _:
                return False

    def _copy_bytes(self, function: Function, into: Expr, origin: Expr, fresh: str | None = None) -> None:
        """Bytes are copied from one pointer's target to another's, or to a fresh object."""
        kind = ArrayType(_BYTE, 1)
        memory = self._memory
        target = memory.constant((fresh, ANY)) if fresh is not None else memory.place(function.name, Place(into, (), kind, kind))
        ByteCopy(memory, target, memory.place(function.name, Place(origin, (), kind, kind)))

    def _opaque(self, function: Function, call: Call) -> None:
        """A function of which nothing is known: what its arguments reach may hold any pointer afterwards."""
        for position, argument in enumerate(call.args):
            if isinstance(argument, Place):
                self._memory.each_place(function.name, argument, self._inside_changes)
            else:
                keeps = points_to_const(call, position)
                self._memory.each_target(function.name, argument, self._inside_changes if keeps else self._changes)
        if isinstance(call.result, Place):
            self._memory.each_place(function.name, call.result,
                                    lambda t: self._memory.scramble(self._memory.flows.anywhere(t), 0, UNKNOWN))

    def call_outside(self, function: Function, edge: IrEdge, call: Call) -> None:
        """A call through a pointer to a function that is not here, of which nothing is known."""
        if isinstance(call.result, Var) and self._memory.flows.wide(call.result.type):
            self._graph.add(register(function.name, call.result.name), UNKNOWN)
        self._opaque(function, call)

    def _changes(self, target: Target) -> None:
        """Code that is not here may change the object, and whatever it leads to."""
        if target == FOREIGN:
            self._graph.copy(OUTSIDE, CHANGED)
            self._graph.add(KEPT, UNKNOWN)
        if target[0] in self._facts.exposed_deep or target[0][0] in NO_OBJECT:
            return
        self._facts.exposed_deep.setdefault(target[0])
        self._facts.exposed.setdefault(target[0])
        self._inside_changes(target)
        for cell in self._memory.cells((target[0], ANY), 0):
            self._graph.add_foreign(cell)

    def _inside_changes(self, target: Target) -> None:
        """Code that is not here does not change the object, but may change what it leads to."""
        for node in self._memory.stored_at(self._memory.flows.anywhere(target)):
            self._graph.copy(node, CHANGED)


def only_distances(target: Target) -> Target:
    """What becomes of a number in a function that computes with it."""
    return DISTANCE if target == DISTANCE else INTEGER


def kept(what: str) -> PointerNode:
    """What was handed over to be kept with something; see `KEEPERS`."""
    return ("c", f"static@{what}", "kept")


def points_to_const(call: Call, position: int) -> bool:
    """Whether the function promises not to change what this argument points to."""
    type_ = call.type.params[position] if position < len(call.type.params) else None
    return isinstance(type_, PointerType) and type_.target.quals.const
