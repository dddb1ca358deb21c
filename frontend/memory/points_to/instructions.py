"""What each instruction of the program adds to the points-to analysis; bodies are taken in as calls reach them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from frontend.ctypes import CType, FunctionType, VoidType
from frontend.ir import Address, Call, Copy, Forget, Function, IrEdge, Load, Place, Set, Store
from frontend.ir.library_table import CALLBACKS, PUSH
from frontend.ir.thread_library import THREAD_LIBRARY, THREAD_STARTERS, ThreadCall, names_of
from frontend.memory.points_to.externals import Externals
from frontend.memory.points_to.handed_over import HandedOver
from frontend.memory.points_to.memory_constraints import MemoryConstraints
from frontend.memory.points_to.memory_copies import StructCopy
from frontend.memory.points_to.targets import FOREIGN, INTEGER, NUMBERS, UNKNOWN, PointerNode, Target, function_target, register
from frontend.program import Const, Expr, Scalar, Var

_CALLS_BACK = frozenset(names_of(ThreadCall.ONCE))
"""Functions that call their second argument."""
_VARIADIC: PointerNode = ("v", "", "")
"""What the arguments are behind the named ones of calls of functions that have a body."""

Called = Callable[[str, int, int, str], str]
"""By caller, edge and callee the name of the body that a call goes to."""


class Instructions:
    """Adds the constraints of instructions to the graph; is the `Callers` of those who make calls, too."""

    def __init__(self, memory: MemoryConstraints, externals: Externals, functions: Callable[[str], Function | None],
                 called: Called) -> None:
        """`functions`: the bodies; `called`: under which of their names a call goes to one."""
        self._memory = memory
        self._graph = memory.graph
        self._facts = memory.facts
        self._externals = externals
        self._pieces = externals.pieces
        self._handed_over = HandedOver(memory, self)
        self._functions = functions
        self._called = called

    def start(self, roots: Iterable[str]) -> None:
        """Take in the functions that threads start in, and what they reach."""
        for root in roots:
            body = self.reach(root)
            if body is not None:
                (self._handed_over.from_system if root == "main" else self._handed_over.from_outside)(body)

    def reach(self, name: str) -> Function | None:
        """The body of a function, taken in; None if it has none."""
        if name in self._facts.reached:
            return self._facts.reached[name]
        function = self._functions(name)
        if function is None:
            return None
        self._facts.reached[name] = function
        self._facts.entered.setdefault(function.original or name)
        self._memory.objects.declare(function.memory)
        for edge in function.edges:
            self._instruction(function, edge)
        return function

    def fits(self, name: str, arity: int) -> bool:
        """Whether a function may be called with so many arguments."""
        decl = self._memory.module.declarations.get(name)
        return decl is not None and (len(decl.type.params) == arity or decl.type.variadic or not decl.type.params)

    # ------------------------------------------------------------------------------------------- instructions
    def _instruction(self, function: Function, edge: IrEdge) -> None:
        name, memory = function.name, self._memory
        match edge.instr:
            case Set(target=t, distance=True):
                self._graph.add(register(name, t.name), INTEGER)
            case Set(target=t, value=e):
                self._pieces.computed(name, e)
                memory.assign(name, e, register(name, t.name), t.type)
            case Forget(targets=ts, variadic=variadic, pointer=pointer):
                for t in ts:
                    self._forget(register(name, t.name), t.type, variadic, pointer)
            case Load(target=t, place=place):
                into = register(name, t.name)
                there, size = memory.place(name, place), memory.module.sizeof(place.type)
                if memory.flows.wide(t.type):
                    memory.load(there, size, into)
                else:
                    self._pieces.load(there, size)
            case Store(place=place, value=value, why=why):
                self._store(name, place, value, bool(why))
            case Address(target=t, place=place):
                into = register(name, t.name)
                if isinstance(place.base, str) and isinstance(place.type, FunctionType):
                    memory.take(place.base)
                    self._graph.add(into, function_target(place.base))
                else:
                    memory.each_place(name, place, lambda target: self._take(into, target))
            case Copy(target=to, source=origin):
                self._copy(memory.place(name, to), memory.place(name, origin), origin.type)
            case Call() as call:
                self.call(function, edge, call)
            case _:
                pass

    def _forget(self, node: PointerNode, t: Scalar, variadic: bool, pointer: bool) -> None:
        if not self._memory.flows.wide(t):
            return
        self._graph.add(node, INTEGER)
        if pointer:
            self._graph.add(node, UNKNOWN)
        if variadic:
            self._graph.copy(_VARIADIC, node)

    def _store(self, name: str, place: Place, value: Expr | None, lost: bool) -> None:
        memory, size = self._memory, self._memory.module.sizeof(place.type)
        if value is not None:
            self._pieces.computed(name, value)
        if lost:
            memory.each_place(name, place, lambda target: memory.scramble(target, size, UNKNOWN))
        elif value is not None and memory.flows.wide(value.type):
            memory.store(name, value, memory.place(name, place), size)
        else:
            width = None if value is None else value.type.width
            memory.store_narrow(memory.place(name, place), size, width, isinstance(value, Const))

    def _copy(self, into: PointerNode, source: PointerNode, type_: CType) -> None:
        """A value of the type is copied from what one node points to to what another one does."""
        StructCopy(self._memory, into, source, self._memory.module.sizeof(type_))

    def _take(self, node: PointerNode, target: Target) -> None:
        if target not in NUMBERS and target != FOREIGN:
            self._memory.take(target[0])
        self._graph.add(node, target)

    # ------------------------------------------------------------------------------------------- calls
    def call(self, function: Function, edge: IrEdge, call: Call) -> None:
        """The function makes a call, at an edge."""
        if isinstance(call.callee, str):
            self.call_of(function, edge, call, call.callee)
            return

        def found(name: str) -> None:
            if self.fits(name, len(call.args)):
                self.call_of(function, edge, call, name)

        def arrived(target: Target) -> None:
            if target[0].startswith("&"):
                found(target[0][1:])
            elif target == UNKNOWN:
                self._memory.each_taken_function(found)
            elif target == FOREIGN:
                self._externals.call_outside(function, edge, call)
                self._handed_over.give_away(function, edge, call)

        self._memory.each_target(function.name, call.callee, arrived)

    def call_of(self, function: Function, edge: IrEdge, call: Call, callee: str) -> None:
        """The call may go to the callee: one that starts a thread, calls its arguments, has no body, or has one."""
        decl = self._memory.module.declarations.get(callee)
        if callee in THREAD_STARTERS:
            self._handed_over.start_thread(function, edge, call, THREAD_STARTERS[callee])
        elif callee in _CALLS_BACK and len(call.args) > 1:
            self._call_argument(function, edge, call.scalar(1, edge.location), ())
        elif callee == PUSH:
            self._call_argument(function, edge, call.args[1], call.args[2:])
        elif decl is None or not decl.defined:
            self._handed_over.register(function, edge, call, callee)
            if THREAD_LIBRARY.get(callee) is ThreadCall.EXIT:
                self._handed_over.end_thread(function, call)
            elif THREAD_LIBRARY.get(callee) is ThreadCall.JOIN:
                self._handed_over.join_thread(function, call)
            if callee in CALLBACKS:
                self._handed_over.call_back(function, edge, call, *CALLBACKS[callee])
            if self._externals.call(function, edge, call, callee):
                self._handed_over.give_away(function, edge, call)
        else:
            self._call_body(function, edge, call, self._called(function.name, edge.source, edge.target, callee))

    def _call_argument(self, function: Function, edge: IrEdge, back: Expr | Place, arguments: tuple[Expr | Place, ...]) -> None:
        assert not isinstance(back, Place)
        self.call(function, edge, Call(None, back, arguments, FunctionType(VoidType(), ())))

    def _call_body(self, function: Function, edge: IrEdge, call: Call, callee: str) -> None:
        """Arguments go into parameters, the result comes back."""
        self._facts.callees.setdefault(function.name, {}).setdefault((edge.source, edge.target), {}).setdefault(callee)
        body = self.reach(callee)
        assert body is not None, callee
        for param, argument in zip(body.params, call.args, strict=False):
            self.bind(function, argument, body, param)
        for argument in call.args[len(body.params):]:
            if not isinstance(argument, Place):
                self._memory.assign(function.name, argument, _VARIADIC, argument.type)
        if isinstance(call.result, Var) and isinstance(body.result, Var) and self._memory.flows.wide(call.result.type):
            self._graph.copy(register(callee, body.result.name), register(function.name, call.result.name))
        elif isinstance(call.result, Place) and isinstance(body.result, str):
            origin = self._memory.objects.named(body.result)
            self._copy(self._memory.place(function.name, call.result), self._memory.constant((origin.name, 0)), origin.type)

    def bind(self, function: Function, argument: Expr | Place, body: Function, param: Var | str) -> None:
        """The function passes the argument for a parameter of a body."""
        memory = self._memory
        if isinstance(argument, Place):
            if isinstance(param, str):
                into = memory.objects.named(param)
                self._copy(memory.constant((into.name, 0)), memory.place(function.name, argument), into.type)
        elif isinstance(param, Var):
            self._pieces.computed(function.name, argument)
            memory.assign(function.name, argument, register(body.name, param.name), param.type)
        else:
            obj = memory.objects.named(param)
            self._pieces.computed(function.name, argument)
            memory.store(function.name, argument, memory.constant((obj.name, 0)), obj.size)
