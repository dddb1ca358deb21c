"""A module built by hand, for tests of the back half of the front end that need no C."""

from __future__ import annotations

from dataclasses import dataclass, field

from frontend.ctypes import ArrayType, CType, FloatType, FunctionType, IntType, PointerType, Record, RecordType, VoidType
from frontend.ir import Function, FunctionDecl, Instr, IrEdge, MemorySymbol, Place, Storage
from frontend.program import LP64, DataModel, Location, MemoryOrder, Scalar, Var
from frontend.text.tokens import Annotation

INT = IntType("int", 32, True)
CHAR = IntType("char", 8, True)
VOID = VoidType()
I32 = Scalar(32, True)
PTR = Scalar(64, False)


def symbol(name: str, type_: CType = INT, **more: object) -> MemorySymbol:
    return MemorySymbol(name, type_, Storage.GLOBAL, name, **more)  # type: ignore[arg-type]


def place(name: str, type_: CType = INT) -> Place:
    return Place(name, (), type_, type_)


def function(name: str, edges: list[tuple[int, int, Instr]], exit_: int, registers: tuple[Var, ...] = (), *,
             params: tuple[Var, ...] = (), result: Var | None = None, attributes: tuple[tuple[str, tuple[str, ...]], ...] = (),
             memory: tuple[MemorySymbol, ...] = ()) -> Function:
    size = max([exit_, *(max(a, b) for a, b, _ in edges)]) + 1
    made = tuple(IrEdge(a, b, i, Location("hand.c", n + 1), str(n)) for n, (a, b, i) in enumerate(edges))
    kind = FunctionType(VOID if result is None else INT, tuple(INT for _ in params))
    names = tuple(p.name for p in params)
    return Function(name, kind, params, names, result, registers, memory, size, 0, exit_, made, attributes, Location("hand.c", 1))


@dataclass
class HandModule:
    functions: dict[str, Function]
    symbols: dict[str, MemorySymbol]
    records: dict[str, Record] = field(default_factory=dict)
    externals: dict[str, FunctionType] = field(default_factory=dict)
    file: str = "hand.c"
    model: DataModel = LP64
    annotations: tuple[Annotation, ...] = ()
    assumptions: tuple[tuple[str, Location], ...] = ()
    attached: None = None
    orders: frozenset[MemoryOrder] = frozenset()
    bytewise: frozenset[str] = frozenset()

    @property
    def declarations(self) -> dict[str, FunctionDecl]:
        own = {n: FunctionDecl(n, f.type, f.param_names, True, f.attributes, f.location) for n, f in self.functions.items()}
        return own | {n: FunctionDecl(n, t, (), False) for n, t in self.externals.items()}

    def enumerator(self, name: str) -> None:
        return None

    def function(self, name: str) -> Function:
        return self.functions[name]

    def sizeof(self, t: CType) -> int:
        match t:
            case IntType(bits=bits) | FloatType(bits=bits):
                return max(bits // 8, 1)
            case PointerType():
                return 8
            case ArrayType(element=e, length=n):
                return self.sizeof(e) * (n or 0)
            case RecordType(key=key):
                return self.records[key].size
            case _:
                return 1

    def alignof(self, t: CType) -> int:
        match t:
            case ArrayType(element=e):
                return self.alignof(e)
            case RecordType(key=key):
                return self.records[key].align
            case _:
                return self.sizeof(t)
