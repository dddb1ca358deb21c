"""A small sequential machine for the function-level form, byte by byte, to compare the lowering with a compiler.

It knows one external function, `out(long long)`, which notes its argument. Open values (Forget) are an error: the
programs that run on it have none.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from frontend import ir
from frontend.ctypes import ArrayType, CType, FloatType, FunctionType, IntType, RecordType
from frontend.program import BOOL, Binary, Cast, Const, Expr, Ite, Read, Scalar, Unary, Var
from frontend.program.fold import compute


class Failed(Exception):
    """A `Fail` was reached."""


@dataclass
class _Frame:
    registers: dict[str, int]
    symbols: dict[str, int] = field(default_factory=dict)


class Machine:
    def __init__(self, module: ir.Module, limit: int = 200_000) -> None:
        self.module = module
        self.out: list[int] = []
        self.memory: dict[int, int] = {}
        self.addresses: dict[str, int] = {}
        self.functions: dict[int, str] = {}
        self.externals: dict[str, Callable[[list[int]], int]] = {}
        self.next = 0x1000
        self.steps = limit
        self.word = Scalar(module.model.pointer_size * 8, False)

    # ------------------------------------------------------------------------------------------- memory
    def allocate(self, t: CType) -> int:
        self.next = (self.next + 31) // 16 * 16
        address = self.next
        self.next += max(1, self.module.sizeof(t))
        return address

    def symbol(self, name: str) -> int:
        if name not in self.addresses:
            if name not in self.module.symbols:
                self.addresses[name] = self.allocate(IntType("char", 8, True))
                self.functions[self.addresses[name]] = name
                return self.addresses[name]
            symbol = self.module.symbols[name]
            self.addresses[name] = self.allocate(symbol.type)
            for i in range(self.module.sizeof(symbol.type)):
                self.memory[self.addresses[name] + i] = 0
            for path, value in symbol.initial:
                place = ir.Place(name, path, self.type_at(symbol.type, path), symbol.type)
                if isinstance(value, ir.AddressValue):
                    base = self.symbol(value.symbol)
                    known = self.module.symbols.get(value.symbol)
                    whole = ir.Place(value.symbol, value.path, known.type, known.type) if known else None
                    offset = self.offset(whole, _Frame({}))[0] if whole else 0
                    value = base + offset + value.addend
                self.write(place, value, _Frame({}))
        return self.addresses[name]

    def type_at(self, t: CType, path: tuple[ir.Step, ...]) -> CType:
        for step in path:
            if isinstance(step, ir.Field):
                assert isinstance(t, RecordType)
                t = self.module.records[t.key].field(step.name).type
            else:
                assert isinstance(t, ArrayType)
                t = t.element
        return t

    def offset(self, place: ir.Place, frame: _Frame) -> tuple[int, int | None, int]:
        """Bytes from the base, and the width and bit offset of a bit field."""
        total, bits, bit_offset, t = 0, None, 0, place.base_type
        for i, step in enumerate(place.path):
            if isinstance(step, ir.Field):
                assert isinstance(t, RecordType)
                member = self.module.records[t.key].field(step.name)
                total, t, bits, bit_offset = total + member.offset, member.type, member.bits, member.bit_offset
            else:
                if i > 0 or isinstance(place.base, str):
                    assert isinstance(t, ArrayType)
                    t = t.element
                total += self.value(step.value, frame) * self.module.sizeof(t)
        return total, bits, bit_offset

    def base(self, place: ir.Place, frame: _Frame) -> int:
        if not isinstance(place.base, str):
            return self.value(place.base, frame)
        return frame.symbols[place.base] if place.base in frame.symbols else self.symbol(place.base)

    def address(self, place: ir.Place, frame: _Frame) -> int:
        return self.word.wrap(self.base(place, frame) + self.offset(place, frame)[0])

    def scalar(self, t: CType) -> Scalar:
        return t.scalar if isinstance(t, IntType) else self.word

    def read(self, place: ir.Place, frame: _Frame) -> int:
        offset, bits, shift = self.offset(place, frame)
        address = self.word.wrap(self.base(place, frame) + offset)
        if bits is not None:
            whole = sum(self.memory[address + i] << (8 * i) for i in range((shift + bits + 7) // 8))
            return self.scalar(place.type).wrap(whole >> shift)
        raw = sum(self.memory[address + i] << (8 * i) for i in range(self.module.sizeof(place.type)))
        return self.scalar(place.type).wrap(raw)

    def write(self, place: ir.Place, value: int, frame: _Frame) -> None:
        offset, bits, shift = self.offset(place, frame)
        address = self.word.wrap(self.base(place, frame) + offset)
        if bits is not None:
            size = (shift + bits + 7) // 8
            mask = ((1 << bits) - 1) << shift
            raw = sum(self.memory.get(address + i, 0) << (8 * i) for i in range(size))
            raw = (raw & ~mask) | ((value << shift) & mask)
        else:
            size, raw = self.module.sizeof(place.type), value
        for i in range(size):
            self.memory[address + i] = (raw >> (8 * i)) & 255

    # ------------------------------------------------------------------------------------------- running
    def value(self, e: Expr, frame: _Frame) -> int:
        match e:
            case Const(value=v):
                return v
            case Read(lvalue=Var(name=n)):
                return frame.registers[n]
            case Unary(op="!", arg=a):
                return 0 if self.value(a, frame) else 1
            case Unary(op=op, arg=a):
                v = self.value(a, frame)
                return a.type.wrap(-v if op == "-" else ~v)
            case Cast(arg=a, type=t):
                v = self.value(a, frame)
                return (1 if v else 0) if t == BOOL else t.wrap(v)
            case Ite(cond=c, then=a, other=b):
                assert a.type == b.type
                return self.value(a if self.value(c, frame) else b, frame)
            case Binary(op=op, left=a, right=b):
                assert op in ("<<", ">>") or a.type == b.type, e
                return compute(op, Const(self.value(a, frame), a.type), Const(self.value(b, frame), b.type)).value
        raise AssertionError(e)

    def call(self, name: str, args: list[int | list[int]]) -> int | list[int] | None:
        f = self.module.function(name)
        frame = _Frame({})
        for symbol in f.memory:
            frame.symbols[symbol.name] = self.allocate(symbol.type)
        for param, arg in zip(f.params, args, strict=False):
            if isinstance(param, Var):
                assert isinstance(arg, int)
                frame.registers[param.name] = arg
            else:
                t = next(s.type for s in f.memory if s.name == param)
                if isinstance(arg, list):
                    for i, byte in enumerate(arg):
                        self.memory[frame.symbols[param] + i] = byte
                else:
                    self.write(ir.Place(param, (), t, t), arg, frame)
        leaving: dict[int, list[ir.IrEdge]] = {}
        for edge in f.edges:
            leaving.setdefault(edge.source, []).append(edge)
        here = f.start
        while here != f.exit:
            self.steps -= 1
            if self.steps < 0:
                raise TimeoutError
            taken = [e for e in leaving.get(here, []) if not isinstance(e.instr, ir.Guard) or self.value(e.instr.cond, frame)]
            assert len(taken) == 1, (name, here, leaving.get(here))
            self.step(taken[0].instr, frame)
            here = taken[0].target
        if isinstance(f.result, Var):
            return frame.registers.get(f.result.name, 0)
        if isinstance(f.result, str):
            t = f.type.result
            return [self.memory.get(frame.symbols[f.result] + i, 0) for i in range(self.module.sizeof(t))]
        return None

    def step(self, instr: ir.Instr, frame: _Frame) -> None:
        match instr:
            case ir.Set(target=t, value=e):
                assert t.type == e.type, instr
                frame.registers[t.name] = self.value(e, frame)
            case ir.Load(target=t, place=p):
                assert isinstance(p.type, FloatType) or t.type == self.scalar(p.type), instr
                frame.registers[t.name] = self.read(p, frame) if not isinstance(p.type, FloatType) else 0
            case ir.Store(place=p, value=e):
                assert e is None or e.type == self.scalar(p.type), instr
                self.write(p, self.value(e, frame) if e is not None else 0, frame)
            case ir.Address(target=t, place=p):
                frame.registers[t.name] = self.address(p, frame)
            case ir.Copy(target=a, source=b):
                source, target = self.address(b, frame), self.address(a, frame)
                data = [self.memory.get(source + i, 0) for i in range(self.module.sizeof(a.type))]
                for i, byte in enumerate(data):
                    self.memory[target + i] = byte
            case ir.Call():
                self._call(instr, frame)
            case ir.Fail(text=text):
                raise Failed(text)
            case ir.Forget(targets=targets):
                for t in targets:
                    frame.registers.pop(t.name, None)
            case ir.Guard() | ir.Nop() | ir.AtomicBegin() | ir.AtomicEnd() | ir.CriticalBegin() | ir.CriticalEnd():
                pass

    def _call(self, call: ir.Call, frame: _Frame) -> None:
        args: list[int | list[int]] = []
        for arg in call.args:
            if isinstance(arg, ir.Place):
                start = self.address(arg, frame)
                args.append([self.memory.get(start + i, 0) for i in range(self.module.sizeof(arg.type))])
            else:
                args.append(self.value(arg, frame))
        name = call.callee if isinstance(call.callee, str) else self.functions[self.value(call.callee, frame)]
        if name == "out":
            assert isinstance(args[0], int)
            self.out.append(args[0])
            return
        assert isinstance(call.type, FunctionType)
        result = self.call(name, args)
        if isinstance(call.result, Var):
            assert isinstance(result, int)
            frame.registers[call.result.name] = result
        elif isinstance(call.result, ir.Place):
            assert isinstance(result, list)
            start = self.address(call.result, frame)
            for i, byte in enumerate(result):
                self.memory[start + i] = byte


def run(module: ir.Module, limit: int = 200_000) -> list[int]:
    """What the program's main passes to `out`."""
    machine = Machine(module, limit)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 5000))
    machine.call("main", [0, 0])
    return machine.out
