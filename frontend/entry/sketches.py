"""Arduino's sketches: `setup` and `loop` without a `main`, which the core has: it calls the one once, the other without end."""

from __future__ import annotations

from frontend.ctypes import FunctionType, IntType, VoidType
from frontend.ir import Call, Function, FunctionDecl, Module
from frontend.ir.builder import GraphBuilder
from frontend.ir.modelled_calls import Without

_FIRST, _AGAIN = "setup", "loop"
_CORE = frozenset({"attachInterrupt", "detachInterrupt", "noInterrupts", "interrupts", "pinMode", "digitalWrite", "digitalRead",
                   "analogRead", "analogWrite", "millis", "micros", "delay", "delayMicroseconds"})
"""Functions of the core, one of which tells that it is there."""


def is_sketch(module: Module) -> bool:
    """Whether the module has `setup` and `loop`, without arguments or results, no `main`, and knows the core."""
    if _CORE.isdisjoint(module.declarations):
        return False
    main = module.declarations.get("main")
    found = [module.declarations.get(name) for name in (_FIRST, _AGAIN)]
    return (main is None or not main.defined) and all(
        d is not None and d.defined and not d.type.params and isinstance(d.type.result, VoidType) for d in found)


class Sketch(Without):
    """The module with the `main` of Arduino's core."""

    def __init__(self, module: Module) -> None:
        super().__init__(module, lambda name: False)
        where = module.declarations[_FIRST].location
        graph = GraphBuilder()
        graph.emit(Call(None, _FIRST, (), FunctionType(VoidType(), ())), where, f"{_FIRST}()")
        head = graph.location()
        graph.jump(head)
        graph.current = head
        graph.emit(Call(None, _AGAIN, (), FunctionType(VoidType(), ())), where, f"{_AGAIN}()")
        graph.jump(head)
        graph.current = graph.location()
        integer = IntType("int", self.model.int_size * 8, True)
        result = graph.register("%returned", integer.scalar)
        made = graph.finish(graph.current)
        self._main = Function("main", FunctionType(integer, ()), (), (), result, tuple(graph.registers.values()), (), made.size,
                              made.start, made.exit, made.edges, location=where)
        self._declarations["main"] = FunctionDecl("main", self._main.type, (), True, (), where)

    def function(self, name: str) -> Function:
        return self._main if name == "main" else super().function(name)

    def mentioned(self, function: str) -> frozenset[str]:
        return frozenset((_FIRST, _AGAIN)) if function == "main" else super().mentioned(function)
