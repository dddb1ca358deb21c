"""What callers that are not there pass: arbitrary values, objects of their own, and objects that they share.

A pointer to a struct with a lock (or something atomic) in it is one to any of many such objects, which all callers share; they
are zero at first, or what a function that returns such objects made. Any other pointer leads to an object of the caller's own,
with arbitrary contents, whose pointers lead to such objects again.
"""

from __future__ import annotations

from collections.abc import Iterator

from frontend.ctypes import ArrayType, CType, FloatType, FunctionType, IntType, PointerType, RecordType, VoidType, unqualified
from frontend.ctypes.compatible import ANONYMOUS, tag_of
from frontend.entry.shared_types import SharedTypes
from frontend.ir import Address, Field, Forget, Index, Instr, Load, MemorySymbol, Module, Place, Storage, Store
from frontend.ir.builder import GraphBuilder
from frontend.program import Binary, Const, Expr, Location, Read, Scalar, Var

SHARED = 64
"""How many objects callers share. Two are enough for most, and a proof does not get harder with more."""
OWN = 8
"""Elements of an array that a caller passes, where a pointer may lead to one or to many."""
_BYTES = 64
_FIRST = Const(0, Scalar(32, True))
_DEPTH = 2
"""How far pointers in what a caller passes lead to objects of its own."""


class SharedObjects:
    """The objects that all callers share, by type; laid out when somebody first passes one."""

    def __init__(self, module: Module, shared: SharedTypes) -> None:
        self.module = module
        self.types = shared
        self.symbols: dict[str, MemorySymbol] = {}
        self.makers: dict[str, str] = {}
        """By key of a struct: the name of an array of pointers to objects that the program's own functions made."""

    def pool(self, t: RecordType, where: Location, otherwise: str) -> MemorySymbol:
        """An array of objects of the type."""
        return self._symbol(f"argument@{_shown(t, otherwise)}", ArrayType(unqualified(t), SHARED), where)

    def made(self, t: RecordType, where: Location, otherwise: str) -> MemorySymbol:
        """An array of pointers to objects of the type."""
        found = self._symbol(f"made@{_shown(t, otherwise)}", ArrayType(PointerType(unqualified(t)), SHARED), where)
        self.makers[t.key] = found.name
        return found

    def _symbol(self, name: str, t: CType, where: Location) -> MemorySymbol:
        return self.symbols.setdefault(name, MemorySymbol(name, t, Storage.GLOBAL, name, location=where))


def _shown(t: RecordType, otherwise: str) -> str:
    tag = tag_of(t.key)
    return otherwise if tag in ("", ANONYMOUS) or tag.startswith("<") else tag


class Arguments:
    """Makes the arguments of one call, as instructions of the function that calls; `memory` are its locals."""

    def __init__(self, graph: GraphBuilder, objects: SharedObjects, caller: str, where: Location) -> None:
        self._graph = graph
        self._objects = objects
        self._caller = caller
        self._where = where
        self._pointer = Scalar(objects.module.model.pointer_size * 8, False)
        self.memory: list[MemorySymbol] = []

    def value(self, t: CType, name: str, depth: int = 0) -> Expr | Place:
        """An arbitrary value of the type, as an argument of a call."""
        match t:
            case RecordType():
                return self._own(t, name, depth)
            case PointerType(target=RecordType() as target) if self._objects.types.holds(target) and self._complete(target):
                return self._any_shared(target, name)
            case PointerType(target=target):
                return self._pointer_to(target, name, depth)
            case _:
                register = self._register(name, scalar_of(t, self._pointer))
                self._emit(Forget((register,)))
                return Read(register)

    def index(self) -> Expr:
        """Which of the objects that callers share: any."""
        register = self._graph.temporary(Scalar(32, False))
        self._emit(Forget((register,)))
        inside, outside = self._graph.location(), self._graph.location()
        self._graph.branch(Binary("<", Read(register), Const(SHARED, register.type)), inside, outside, self._where, self._caller)
        self._graph.current = inside
        return Read(register)

    def _any_shared(self, t: RecordType, name: str) -> Expr:
        register = self._register(name, self._pointer)
        made = self._objects.makers.get(t.key)
        if made is None:
            pool = self._objects.pool(t, self._where, name)
            self._emit(Address(register, Place(pool.name, (Index(self.index()),), unqualified(t), pool.type)))
            return Read(register)
        slots = self._objects.symbols[made]
        self._emit(Load(register, Place(made, (Index(self.index()),), PointerType(unqualified(t)), slots.type)))
        there, missing = self._graph.location(), self._graph.location()
        self._graph.branch(Binary("!=", Read(register), Const(0, self._pointer)), there, missing, self._where, self._caller)
        self._graph.current = there
        return Read(register)

    def _pointer_to(self, target: CType, name: str, depth: int) -> Expr:
        register = self._register(name, self._pointer)
        if isinstance(target, VoidType):
            target = IntType("unsigned char", 8, False)
        small = isinstance(target, IntType) and target.bits == 8
        if isinstance(target, FunctionType) or depth >= _DEPTH or not self._complete(target):
            self._emit(Forget((register,), pointer=not isinstance(target, FunctionType)))
        else:
            place = self._own(ArrayType(unqualified(target), _BYTES if small else OWN), name, depth)
            self._emit(Address(register, Place(place.base, (Index(_FIRST),), unqualified(target), place.type)))
        return Read(register)

    def _own(self, t: CType, name: str, depth: int) -> Place:
        """An object of the caller's own: arbitrary, but for the pointers in it."""
        symbol = MemorySymbol(f"{self._caller}::{name}", t, Storage.LOCAL, name, location=self._where)
        self.memory.append(symbol)
        place = Place(symbol.name, (), t, t)
        for part, pointer in self._pointers(place, t):
            value = self.value(pointer, f"{name}.{_last(part)}", depth + 1)
            assert not isinstance(value, Place)
            self._emit(Store(part, value))
        return place

    def _pointers(self, place: Place, t: CType) -> Iterator[tuple[Place, PointerType]]:
        """The parts of an object that are pointers to objects; of an array, those of its first element."""
        match t:
            case PointerType(target=target) if not isinstance(target, FunctionType):
                yield Place(place.base, place.path, t, place.base_type), t
            case ArrayType(element=element):
                yield from self._pointers(Place(place.base, (*place.path, Index(_FIRST)), element, place.base_type), element)
            case RecordType(key=key, union=False) if key in self._objects.module.records:
                for f in self._objects.module.records[key].fields:
                    if f.bits is None:
                        part = Place(place.base, (*place.path, Field(f.name)), f.type, place.base_type)
                        yield from self._pointers(part, f.type)

    def _complete(self, t: CType) -> bool:
        return self._objects.types.complete(t)

    def _register(self, name: str, scalar: Scalar) -> Var:
        return self._graph.register(name, scalar)

    def _emit(self, instr: Instr) -> None:
        self._graph.emit(instr, self._where, self._caller)


def _last(place: Place) -> str:
    return next((step.name for step in reversed(place.path) if isinstance(step, Field)), "0")


def scalar_of(t: CType, pointer: Scalar) -> Scalar:
    """The machine integer that holds a value of a scalar type; of a floating one, its bits."""
    match t:
        case IntType():
            return t.scalar
        case FloatType(bits=bits):
            return Scalar(bits, False)
    return pointer
