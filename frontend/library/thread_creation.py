"""Threads created and joined: ghost variables through which a new thread gets its argument and tells that it has ended.

`create` hands one new thread its argument, `done` tells that a thread that runs once has ended. Threads that are created in
loops share one template, are numbered as they start, and have a `done` for each number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from frontend.ctypes import PointerType
from frontend.ir import Place
from frontend.memory.escapes import STATIC_COPIES
from frontend.memory.leaves import scalar_of
from frontend.memory.objects import Notes
from frontend.memory.points_to import PointsTo
from frontend.memory.sketch import SketchStep
from frontend.program import (
    BOOL,
    SKIP,
    Access,
    AccessKind,
    Assign,
    Assume,
    Binary,
    Block,
    Const,
    Expr,
    FrontendError,
    Ground,
    Havoc,
    Location,
    Lvalue,
    Op,
    Read,
    Scalar,
    Values,
    Var,
    Variable,
    name_of,
    negate,
)
from frontend.program.fold import cast, fold, plus
from frontend.records import dataclass
from frontend.threads.inline import CallRequest

SCHEDULER = Var("<scheduler started>", BOOL)
"""Whether threads run that were created, in a program that starts a scheduler."""
MANY_HANDLES = 1 << 16
"""Handles from this number times a template's own on belong to its threads that are created in loops."""

_HOOKS = ("vApplicationIdleHook", "vApplicationTickHook", "vApplicationDaemonTaskStartupHook")
"""Functions that a kernel calls if it is configured to."""


@dataclass(frozen=True, slots=True)
class CreatedThread:
    """A thread that the program creates: the ghosts through which it starts and ends, and its handle's value."""

    template: str
    function: str
    count: int | None
    handle: int
    location: Location
    number: int
    """Which one it is of those of its function that are created once."""
    joined: bool
    """Whether anybody waits for threads to end."""
    handler: bool = False
    """Whether it is a function that may run at any time, any number of times, once it is handed over."""

    def ghost(self, what: str, type_: Scalar) -> Variable:
        return Variable(f"<{self.template} {what}>", type_, None, Values(), f"<{self.template} {what}>", ghost=True)

    @property
    def create(self) -> Variable:
        return self.ghost("created", BOOL)

    @property
    def done(self) -> Variable:
        """Whether the thread has ended; of those created in loops, whether each of them has."""
        flag = self.ghost("done", BOOL)
        return flag if self.count == 1 else replace(flag, length=MANY_HANDLES)

    def started(self, pointer: Scalar) -> Variable:
        """How many threads were created of those that are created in loops."""
        return self.ghost("number", pointer)

    def argument(self, pointer: Scalar) -> Variable:
        return self.ghost("argument", pointer)


class ThreadCreation:
    """Models the calls that create threads and wait for them; `created` are the templates that are needed, by name."""

    def __init__(self, notes: Notes, pointer: Scalar, taken: Iterable[str], joins: bool) -> None:
        """`taken`: names of templates that exist already; `joins`: whether the program joins threads anywhere."""
        self._notes = notes
        self._pointer = pointer
        self._joins = joins
        self.created: dict[str, CreatedThread] = {}
        self._per_function: dict[str, int] = dict.fromkeys(taken, 1)
        self._single: dict[str, int] = {}
        self._many: dict[str, str] = {}
        self._handlers: dict[str, str] = {}
        self._reached: dict[str, frozenset[str]] = {}

    def create(self, request: CallRequest, start: int, argument: int) -> None:
        """Start a thread in the function that argument `start` points to, with argument `argument`; or fail, with a result."""
        inliner, edge = request.inliner, request.edge
        if len(request.arguments) <= max(start, argument):
            raise FrontendError(request.location, f"'{request.callee}' has too few arguments", "give it all its arguments")
        pointsto = inliner.accesses.world.pointsto
        site = (request.frame.function.name, edge.source, edge.target)
        functions = tuple(pointsto.created.get(site, ()))
        if not functions:
            raise FrontendError(request.location, "the function of the thread created here is not known",
                                "pass a function of this file")
        once = request.frame.once and edge.source not in request.frame.cyclic
        value, passed = request.arguments[start], request.arguments[argument]
        assert not isinstance(value, Place) and not isinstance(passed, Place)
        stored = request.target
        for function in functions:
            chosen = request.source
            if len(functions) > 1:
                chosen = inliner.sketch.fresh()
                guard = inliner.accesses.is_function(value, function, request.location)
                inliner.step(request.source, Assume(guard), chosen, edge, total=True)
            again = site[0] in self._led_to(pointsto, function)
            made = self._new(function, once and not again, request.location)
            stored = self._start(request, made, passed, chosen)
        if request.result is not None:
            # The handle is undefined then: it may as well be the one that the thread would have had.
            failed = inliner.between(request.source, Havoc((request.result,)), edge)
            wrong = Assume(Binary("!=", Read(request.result), Const(0, request.result.type)))
            inliner.step(failed, wrong, stored if once else request.target, edge)
            self._notes.assume("a thread that could not be created is not joined", request.location, Ground.DEFINED)

    def _led_to(self, pointsto: PointsTo, function: str) -> frozenset[str]:
        """The functions that threads which start in this one may run, and threads that those create, and so on."""
        if function not in self._reached:
            found, todo = {function}, [function]
            created: dict[str, list[str]] = {}
            for (maker, _, _), functions in pointsto.created.items():
                created.setdefault(maker, []).extend(functions)
            while todo:
                name = todo.pop()
                called = [f for callees in pointsto.callees.get(name, {}).values() for f in callees]
                fresh = {*called, *created.get(name, ())} - found
                found |= fresh
                todo += sorted(fresh)
            self._reached[function] = frozenset(found)
        return self._reached[function]

    def _new(self, function: str, once: bool, location: Location) -> CreatedThread:
        """The template for threads created here: a new one for a thread that is created once, else the common one."""
        once = once and self._single.get(function, 0) < STATIC_COPIES
        if not once and function in self._many:
            return self.created[self._many[function]]
        number = self._per_function[function] = self._per_function.get(function, 0) + 1
        name = function if number == 1 else f"{function}#{number}"
        if not once:
            self._many[function] = name
        copies = self._single.get(function, 0)
        if once:
            self._single[function] = copies + 1
        made = CreatedThread(name, function, 1 if once else None, len(self.created) + 1, location, copies, self._joins)
        self.created[name] = made
        return made

    def handler(self, function: str, location: Location) -> CreatedThread:
        """The template for a function that may run at any time."""
        if function not in self._handlers:
            number = self._per_function[function] = self._per_function.get(function, 0) + 1
            name = function if number == 1 else f"{function}#{number}"
            self._handlers[function] = name
            self.created[name] = CreatedThread(name, function, None, len(self.created) + 1, location, 0, False, handler=True)
        return self.created[self._handlers[function]]

    def _start(self, request: CallRequest, made: CreatedThread, passed: Expr, source: int) -> int:
        """Create the thread, then store its handle; gives the location between the two."""
        inliner, edge = request.inliner, request.edge
        create = Var(made.create.name, BOOL)
        argument = Var(made.argument(self._pointer).name, self._pointer)
        ops: list[Op] = [Assign(argument, cast(passed, self._pointer)), Assign(create, Const(1, BOOL))]
        value: Expr = Const(made.handle, self._pointer)
        if made.count is None:
            # The next thread is created when this one has taken its argument, which it may do at once.
            ops.insert(0, Assume(negate(Read(create))))
        if made.count is None and made.joined:
            number, handle = Var(made.started(self._pointer).name, self._pointer), inliner.accesses.temporary(self._pointer)
            first = Const(self._pointer.wrap(made.handle * MANY_HANDLES), self._pointer)
            ops.insert(0, Assume(Binary("<", Read(number), Const(MANY_HANDLES, self._pointer))))
            ops += [Assign(handle, plus(Read(number), first)), Assign(number, plus(Read(number), Const(1, self._pointer)))]
            self._notes.assume(f"fewer than {MANY_HANDLES} threads of '{made.function}' are created", request.location,
                               Ground.BOUNDED)
            value = Read(handle)
        if request.result is not None:
            ops.append(Assign(request.result, Const(0, request.result.type)))
        written = tuple(sync(op.target, True) for op in ops if isinstance(op, Assign) and name_of(op.target).startswith("<"))
        between = inliner.sketch.fresh()
        inliner.sketch.steps.append(SketchStep(source, between, Block(tuple(ops)), written, edge.location, edge.text,
                                               protected=True))
        place = self._handle_place(request)
        if place is None:
            inliner.step(between, SKIP, request.target, edge)
        else:
            targets = inliner.accesses.world.pointsto.targets(request.frame.function.name, request.raw(0))
            word = Scalar(8 * inliner.accesses.world.module.sizeof(place.type), False)
            inliner.accesses.store(inliner.sketch, between, request.target, place, cast(value, word), targets, edge)
        return between

    def _handle_place(self, request: CallRequest) -> Place | None:
        """Where the new thread's handle is stored; None if its type is not a number."""
        type_ = request.call.type.params[0] if request.call.type.params else None
        handle = request.arguments[0]
        if not isinstance(type_, PointerType) or isinstance(handle, Place):
            return None
        if scalar_of(type_.target, request.inliner.accesses.world.module) is None:
            return None
        return Place(handle, (), type_.target, type_.target)

    def join(self, request: CallRequest) -> None:
        """Wait for the thread that has the handle."""
        inliner, edge = request.inliner, request.edge
        handle = request.arguments[0]
        after = inliner.sketch.fresh()
        self._what_it_returns(request, after)
        if isinstance(handle, Place):
            inliner.step(request.source, SKIP, after, edge)
            return
        inliner.sketch.steps.append(SketchStep(request.source, after, SKIP, (), edge.location, edge.text, join=fold(handle)))
        failed = inliner.sketch.fresh()
        if request.result is not None:
            wrong = inliner.between(failed, Havoc((request.result,)), edge)
            inliner.step(wrong, Assume(Binary("!=", Read(request.result), Const(0, request.result.type))), request.target, edge)
        else:
            inliner.step(failed, SKIP, request.target, edge)
        inliner.sketch.steps.append(SketchStep(
            request.source, failed, SKIP, (), edge.location, edge.text, not_joined=fold(handle)))
        if len(request.arguments) > 1 and request.raw(1) != Const(0, request.raw(1).type):
            self._notes.assume("what a joined thread returns is any pointer", request.location, Ground.COVERED)

    def _what_it_returns(self, request: CallRequest, source: int) -> None:
        inliner, edge = request.inliner, request.edge
        here = source
        if len(request.arguments) > 1:
            place = request.arguments[1]
            raw = request.raw(1)
            if not isinstance(place, Place) and fold(place) != Const(0, place.type):
                here = inliner.sketch.fresh()
                targets = inliner.accesses.world.pointsto.targets(request.frame.function.name, raw)
                inliner.accesses.effect(inliner.sketch, source, here, place, targets, self._pointer.width // 8, True, edge)
        op: Op = SKIP if request.result is None else Assign(request.result, Const(0, request.result.type))
        inliner.step(here, op, request.target, edge)

    def start_scheduler(self, request: CallRequest) -> None:
        """Threads that were created run from here on; the caller does not."""
        self._notes.assume("tasks may be switched at any time, whatever their priorities", request.location)
        for hook in _HOOKS:
            if (known := request.inliner.accesses.world.module.declarations.get(hook)) is not None and known.defined:
                self._notes.assume(f"the kernel does not call '{hook}' (--thread {hook} says that it does)", request.location)
        op = Assign(SCHEDULER, Const(1, BOOL))
        request.inliner.sketch.steps.append(SketchStep(
            request.source, request.inliner.leaving, op, (sync(SCHEDULER, True),), request.location, request.edge.text,
            protected=True))

    def exit(self, request: CallRequest) -> None:
        """The calling thread ends."""
        request.inliner.step(request.source, SKIP, request.inliner.leaving, request.edge)


def sync(v: Lvalue, write: bool) -> Access:
    """An access that orders threads and is no data."""
    return Access(v, write, kind=AccessKind.SYNC)
