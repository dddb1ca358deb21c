"""Functions handed to others that call them: threads to start, callbacks, what runs at exit or at any time.

Which library functions do so is data (`frontend.ir.library_table`); what it means for threads is in `frontend.library.callbacks`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from frontend.ctypes import FunctionType, PointerType, VoidType
from frontend.ir import Call, Function, IrEdge, Place
from frontend.ir.library_table import ANY_TIME, AT_EXIT, EXITS, ON_EXIT, THREAD_END
from frontend.ir.thread_library import THREAD_LIBRARY, ThreadCall
from frontend.memory.points_to.memory_constraints import MemoryConstraints
from frontend.memory.points_to.targets import (
    ANY,
    FOREIGN,
    HANDLE,
    INTEGER,
    NO_OBJECT,
    UNKNOWN,
    FunctionEdge,
    PointerNode,
    Target,
    register,
)
from frontend.program import Binary, Const, Expr, Read, Scalar, Var
from frontend.program.fold import cast

_GIVEN_AT_EXIT: PointerNode = ("c", "static@on_exit", "given")
"""What exit handlers are given."""
_RETURNED: PointerNode = ("c", "static@pthread_join", "returned")
"""What threads end with: the results of the functions that they start in, and what they give to `pthread_exit`."""
CHANGED: PointerNode = ("i", "", "changed")
"""Points to what code that is not here may change."""


class Callers(Protocol):
    """Who takes in calls and the bodies that they reach."""

    def reach(self, name: str) -> Function | None:
        """The body of a function, taken in; None if it has none."""

    def call(self, function: Function, edge: IrEdge, call: Call) -> None:
        """The function makes a call, at an edge."""

    def call_of(self, function: Function, edge: IrEdge, call: Call, callee: str) -> None:
        """The call may go to the callee."""

    def bind(self, function: Function, argument: Expr | Place, body: Function, param: Var | str) -> None:
        """The function passes the argument for a parameter of a body."""


class HandedOver:
    """Adds the calls that others make of functions which they are given."""

    def __init__(self, memory: MemoryConstraints, callers: Callers) -> None:
        self._memory = memory
        self._facts = memory.facts
        self._callers = callers
        self._leading: set[str] = set()
        self._occasions: dict[str, list[tuple[Function, IrEdge, tuple[Expr | Place, ...]]]] = {}

    def start_thread(self, function: Function, edge: IrEdge, call: Call, roles: tuple[int, int]) -> None:
        """A call that starts a thread: its function gets the argument."""
        start, argument = roles
        if len(call.args) <= max(roles):
            return
        body_value, passed = call.scalar(start, edge.location), call.scalar(argument, edge.location)

        def arrived(target: Target) -> None:
            body = self._callers.reach(target[0][1:]) if target[0].startswith("&") else None
            if body is None:
                self._memory.graph.add(_RETURNED, UNKNOWN)
                return
            if isinstance(body.result, Var) and self._memory.flows.wide(body.result.type):
                self._memory.graph.copy(register(body.name, body.result.name), _RETURNED)
            self._facts.created.setdefault(site(function, edge), {}).setdefault(target[0][1:])
            if body.params:
                self._callers.bind(function, passed, body, body.params[0])
            self._memory.each_target(function.name, passed, lambda t: self._facts.exposed.setdefault(t[0]))

        self._memory.each_target(function.name, body_value, arrived)
        handle, size = call.args[0], self._memory.places.pointer.width // 8
        if not isinstance(handle, Place):
            self._memory.each_target(function.name, handle, lambda t: self._memory.scramble(t, size, HANDLE))

    def end_thread(self, function: Function, call: Call) -> None:
        """A call that ends its thread: whoever joins that gets the argument."""
        if call.args and not isinstance(call.args[0], Place):
            self._memory.assign(function.name, call.args[0], _RETURNED, self._memory.places.pointer)

    def join_thread(self, function: Function, call: Call) -> None:
        """A call that waits for some thread puts what that ended with where the second argument points to."""
        into = call.args[1] if len(call.args) > 1 else None
        if into is None or isinstance(into, Place) or not self._memory.flows.wide(into.type):
            return
        kind = PointerType(VoidType())

        def arrived(target: Target) -> None:
            if target == UNKNOWN:
                self._facts.wild = True
            for cell in self._memory.room_at(target, self._memory.places.pointer.width // 8):
                self._memory.graph.copy(_RETURNED, cell)
                self._memory.graph.add(cell, INTEGER)  # PTHREAD_CANCELED

        self._memory.each_place(function.name, Place(into, (), kind, kind), arrived)

    def call_back(self, function: Function, edge: IrEdge, call: Call, position: int, given: tuple[int, ...]) -> None:
        """The callee calls a function it is given, with pointers into what others of its arguments point to."""
        if len(call.args) <= position:
            return
        back = call.scalar(position, edge.location)
        pointers = [call.args[n] for n in given]
        pointer = self._memory.places.pointer
        somewhere = Read(Var("<somewhere>", pointer))
        inside = tuple(Binary("+", cast(p, pointer), somewhere) for p in pointers if not isinstance(p, Place))
        self._callers.call(function, edge, Call(None, back, inside, FunctionType(VoidType(), ())))
        self._functions_of(function, back, self._facts.often.setdefault)

    def register(self, function: Function, edge: IrEdge, call: Call, callee: str) -> None:
        """Functions among the arguments of a library function that run later, and calls that run them."""
        here = site(function, edge)
        if callee in AT_EXIT and call.args:
            self._functions_of(function, call.args[0], lambda name: self._handler(AT_EXIT[callee], name, here))
        if callee == ON_EXIT and len(call.args) > 1:
            self._given_at_exit(function, call.scalar(1, edge.location))
        if THREAD_LIBRARY.get(callee) is ThreadCall.NEW_KEY and len(call.args) > 1:
            self._functions_of(function, call.args[1], lambda name: self._handler(THREAD_END, name, here))
        if callee in EXITS:
            self._occasion(EXITS[callee], function, edge, ())
        if THREAD_LIBRARY.get(callee) is ThreadCall.SET_SPECIFIC and len(call.args) > 1:
            self._occasion(THREAD_END, function, edge, call.args[1:2])
        for position in ANY_TIME.get(callee, ()):
            if position < len(call.args):
                self._functions_of(function, call.args[position], lambda name: self._any_time(name, here))

    def give_away(self, function: Function, edge: IrEdge, call: Call) -> None:
        """A function without a body may call, at any time, every function that its arguments lead to."""
        here = site(function, edge)
        given = self._memory.graph.inner(("given", here))

        def visit(target: Target) -> None:
            if target[0][0] == "&":
                self._any_time(target[0][1:], here)
            elif target[0][0] not in NO_OBJECT or target == FOREIGN:
                self._memory.graph.copy(self._led_to(target[0]), given)

        self._memory.graph.each(given, visit)
        for argument in call.args:
            if isinstance(argument, Place):
                self._memory.each_place(function.name, argument, visit)
            else:
                self._memory.each_target(function.name, argument, visit)

    def _led_to(self, name: str) -> PointerNode:
        """A node for all that is stored in an object, in the objects that this points to, and so on."""
        graph = self._memory.graph
        node = graph.inner(("led to", name))
        if name not in self._leading:
            self._leading.add(name)
            for stored in self._memory.stored_at(self._memory.flows.anywhere((name, 0))):
                graph.copy(stored, node)
                graph.each(stored, lambda t: graph.copy(self._led_to(t[0]), node)
                           if t[0][0] not in NO_OBJECT or t == FOREIGN else None)
        return node

    def from_system(self, body: Function) -> None:
        """Pointers among the arguments of the function lead to memory of the system's own."""
        for param in body.params:
            node = None if isinstance(param, str) else register(body.name, param.name)
            if isinstance(param, Var) and node is not None and self._memory.flows.wide(param.type):
                self._memory.graph.add(node, FOREIGN)
            elif isinstance(param, str):
                self._memory.scramble((param, ANY), 0, FOREIGN)

    def from_outside(self, body: Function) -> None:
        """Pointers among the arguments of the function come from somewhere else; also those in numbers and in structs."""
        for param in body.params:
            if isinstance(param, str):
                for cell, wide in self._memory.typed_cells((param, ANY), 0):
                    self._memory.graph.add(cell, UNKNOWN if wide else INTEGER)
            elif self._memory.flows.wide(param.type):
                self._memory.graph.add(register(body.name, param.name), UNKNOWN)

    def _functions_of(self, function: Function, argument: Expr | Place, use: Callable[[str], None]) -> None:
        """Call `use` for every function that the value may be, or that is stored where it points to, now or later."""
        def found(target: Target) -> None:
            if target[0][0] == "&":
                use(target[0][1:])
            elif target == UNKNOWN:
                self._memory.each_taken_function(use)

        def arrived(target: Target) -> None:
            found(target)
            anywhere = self._memory.flows.anywhere(target)
            bytewise = self._memory.bytewise_cells(anywhere, 0)
            for cell, wide in self._memory.typed_cells(anywhere, 0):
                if wide or cell in bytewise:  # flags beside a handler are none, whatever pieces of addresses are in them
                    self._memory.graph.each(cell, found)

        if not isinstance(argument, Place):
            self._memory.each_target(function.name, argument, arrived)

    def _given_at_exit(self, function: Function, argument: Expr) -> None:
        """Exit handlers with parameters get the argument, behind the status."""
        self._memory.assign(function.name, argument, _GIVEN_AT_EXIT, self._memory.places.pointer)
        self._memory.each_target(function.name, argument, lambda t: self._facts.exposed.setdefault(t[0]))

    def _run(self, function: Function, edge: IrEdge, arguments: tuple[Expr | Place, ...], name: str, occasion: str) -> None:
        """A call, by whoever makes the occasion, of a function that was handed over for it."""
        declared = self._memory.module.declarations.get(name)
        if occasion == EXITS["exit"] and declared is not None and len(declared.type.params) > 1:
            given = Var("<given at exit>", self._memory.places.pointer)
            self._memory.graph.copy(_GIVEN_AT_EXIT, register(function.name, given.name))
            arguments = (Const(0, Scalar(32, True)), Read(given))
        self._callers.call_of(function, edge, Call(None, name, arguments, FunctionType(VoidType(), ())), name)

    def _handler(self, occasion: str, name: str, where: FunctionEdge) -> None:
        """The function runs on an occasion."""
        known = self._facts.handlers.setdefault(occasion, {})
        if name not in known:
            known[name] = {}
            self._facts.often.setdefault(name)
            for function, edge, arguments in self._occasions.get(occasion, []):
                self._run(function, edge, arguments, name, occasion)
        known[name].setdefault(where)

    def _occasion(self, occasion: str, function: Function, edge: IrEdge, arguments: tuple[Expr | Place, ...]) -> None:
        """The call is, or leads to, an occasion."""
        self._occasions.setdefault(occasion, []).append((function, edge, arguments))
        for name in list(self._facts.handlers.get(occasion, ())):
            self._run(function, edge, arguments, name, occasion)

    def _any_time(self, name: str, where: FunctionEdge) -> None:
        """The function may run at any time once the call is made, and what it gives is in the hands of code that is not here."""
        if name in self._facts.anytime.get(where, ()):
            return
        body = self._callers.reach(name)
        if body is None:
            return
        self._facts.anytime.setdefault(where, {}).setdefault(name)
        self._facts.often.setdefault(name)
        self.from_outside(body)
        if isinstance(body.result, str):
            for node in self._memory.stored_at((body.result, ANY)):
                self._memory.graph.copy(node, CHANGED)
        elif body.result is not None and self._memory.flows.wide(body.result.type):
            self._memory.graph.copy(register(body.name, body.result.name), CHANGED)


def site(function: Function, edge: IrEdge) -> FunctionEdge:
    """The edge as others name it."""
    return (function.name, edge.source, edge.target)
