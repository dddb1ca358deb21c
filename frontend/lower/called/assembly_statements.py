"""Statements of inline assembly, as far as they concern C: their operands, and calls for what they do to interrupts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pycparser import c_ast

from frontend.ctypes import FloatType, FunctionType, IntType, PointerType, RecordType, VoidType
from frontend.ctypes.conversions import strip
from frontend.ctypes.scope import FunctionName
from frontend.ir import Call, Forget, Nop, Store
from frontend.ir.assembly import MASKS, OFF, ON, READ_STATUS, UNCLEAR, Effect, effects
from frontend.ir.library_table import ASSEMBLER
from frontend.lower.lowering import Lowering
from frontend.lower.operands import InRegister, Nothing, Operand, ScalarValue
from frontend.lower.unit import ASSEMBLY
from frontend.program import Const, Expr, Read

_CALLED = re.compile(r"^\s*(?:r?jmp|r?call|b|bl|bal|jal|br|callq|jmpq)\s+#?([A-Za-z_]\w*)(?:@PLT)?\s*$", re.MULTILINE)
"""Instructions that call a function, or leave their own for it."""
_NOT_TRACKED = "what inline assembly does is not tracked"


def lowered(x: Lowering, nodes: list[c_ast.Node], node: c_ast.FuncCall) -> Operand:
    """A statement of assembly: a template, addresses of outputs, and the inputs as a call of their own.

    Outputs become arbitrary, and what inputs point to may be touched, as by a function without a body. All that may be
    atomic, so nothing follows from a race with it.
    """
    template = nodes[0].value.strip('"') if nodes and isinstance(nodes[0], c_ast.Constant) else ""
    words = re.findall(r"[A-Za-z_.]+", re.sub(r"\\[ntr]", " ", template))
    outputs = [arg.expr for arg in nodes[1:] if isinstance(arg, c_ast.UnaryOp)]
    groups = [arg for arg in nodes[1:] if isinstance(arg, c_ast.FuncCall) and arg.args is not None]
    inputs = [x.value(arg) for group in groups for arg in group.args.exprs]
    pointers = [v for v in inputs if isinstance(v, ScalarValue) and isinstance(v.type, PointerType)]
    if words and pointers:
        type_ = FunctionType(VoidType(), tuple(v.type for v in pointers))
        x.emit(Call(None, ASSEMBLER, tuple(v.expr for v in pointers), type_), node)
    for output in outputs:
        lv = x.lvalue(output)
        if isinstance(lv, InRegister):
            if not isinstance(lv.type, FloatType):
                x.emit(Forget((lv.var,), _NOT_TRACKED, pointer=True), node)
        elif not isinstance(lv.type, RecordType):
            x.emit(Store(lv.place, None, _NOT_TRACKED), node)
    for effect in effects(template, _constants(inputs, len(outputs))):
        _emit(x, effect, outputs, inputs, node, f'asm("{template}")')
    for target in _CALLED.findall(re.sub(r"\\[ntr]|;", "\n", template)):
        function = x.scope.find(target)
        if isinstance(function, FunctionName) and not function.type.params and isinstance(function.type.result, VoidType):
            x.emit(Call(None, function.name, (), function.type), node)
    if (words or outputs) and words not in (["sei"], ["cli"]):
        x.unit.assume(ASSEMBLY, x.unit.where(node))
    x.emit(Nop(), node, f'asm("{template}")')  # a place at which compilers keep to the order of accesses
    return Nothing()


def _emit(x: Lowering, effect: Effect, outputs: Sequence[c_ast.Node], inputs: Sequence[Operand],
          node: c_ast.FuncCall, text: str) -> None:
    """The call that stands for an instruction."""
    call, status = effect.call, effect.status
    where = tuple(Const(n, x.ints.int.scalar) for n in (status.bit, int(status.inverted), int(status.alone)))
    operand = _position(effect.operand)
    if call in (ON, OFF, UNCLEAR, MASKS):
        x.emit(Call(None, call, (), FunctionType(VoidType(), ())), node, text)
    elif call == READ_STATUS:
        lv = None if operand is None or operand >= len(outputs) else x.lvalue(outputs[operand])
        t = None if lv is None else strip(lv.type)
        if lv is not None and isinstance(t, IntType | PointerType):
            var = x.graph.temporary(x.ints.scalar(t))
            x.emit(Call(var, call, where, FunctionType(t, ())), node, text)
            x.objects.store(lv, ScalarValue(t, Read(var)), node)
    elif (given := _given(x, effect.operand, operand, len(outputs), inputs)) is not None:
        x.emit(Call(None, call, (given, *where), FunctionType(VoidType(), ())), node, text)
    else:  # what is written is not known: a register of the processor, or an output
        x.emit(Call(None, UNCLEAR, (), FunctionType(VoidType(), ())), node, text)


def _position(operand: str) -> int | None:
    """The number of an operand."""
    number = re.fullmatch(r"%a?(\d+)", operand)
    return None if number is None else int(number.group(1))


def _constants(inputs: Sequence[Operand], first: int) -> dict[int, int]:
    """The inputs of known value by their numbers, as an instruction writes them."""
    return {first + n: v.expr.value for n, v in enumerate(inputs) if isinstance(v, ScalarValue) and isinstance(v.expr, Const)}


def _given(x: Lowering, text: str, operand: int | None, outputs: int, inputs: Sequence[Operand]) -> Expr | None:
    """The value that an instruction takes: a number, or one of the inputs."""
    if number := re.fullmatch(r"#?(0x[0-9a-f]+|\d+)", text):
        return Const(int(number.group(1), 0), x.ints.scalar(x.ints.named("unsigned long")))
    if operand is None or not 0 <= operand - outputs < len(inputs):
        return None
    value = inputs[operand - outputs]
    return value.expr if isinstance(value, ScalarValue) else None
