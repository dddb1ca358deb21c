"""Functions that the program hands over to be called later: signal handlers, exit handlers, cleanup handlers, destructors.

Signal handlers, and functions handed to code that is not here, may run at any time from then on: each is a thread of any
number of copies that starts once a ghost flag is set. Exit handlers run where `main` returns or somebody calls `exit`.
Cleanup handlers and destructors of thread-specific data run where their thread ends. Where the order or the number of their
runs is not followed, the steps carry doubts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from frontend.ctypes import FunctionType, PointerType, VoidType
from frontend.ir import Call, Function, IrEdge, Place
from frontend.ir.library_table import AT_EXIT, EXITS, ON_EXIT, POP, PUSH, RETURN_FROM_MAIN, THREAD_END
from frontend.ir.thread_library import CANCELLATION_POINTS, THREAD_LIBRARY, ThreadCall
from frontend.library.thread_creation import ThreadCreation, sync
from frontend.memory.sketch import SketchStep
from frontend.program import (
    BOOL,
    SKIP,
    TRUE,
    Assign,
    Assume,
    Binary,
    Block,
    Const,
    Doubt,
    Expr,
    Havoc,
    Op,
    Read,
    Scalar,
    Values,
    Var,
    Variable,
    negate,
)
from frontend.program.fold import cast, conjunction, fold
from frontend.records import dataclass
from frontend.threads.frames import CallFrame
from frontend.threads.inline import CallRequest, Inliner

_INT = Scalar(32, True)
_ORDER = "in which order and how often {} run is not tracked"


@dataclass(frozen=True, slots=True)
class _ExitCallback:
    """A function that runs when its thread ends: whether it is to, its argument, and the call that handed it over."""

    active: Var
    argument: Var
    names: tuple[str, ...]
    routine: Var | None
    raw: Expr
    frame: CallFrame
    edge: IrEdge


@dataclass(slots=True)
class _Ending:
    """What runs when a thread ends, by the place that handed it over, and where the thread may be cancelled."""

    pushed: dict[str, _ExitCallback] = field(default_factory=dict)
    specific: dict[str, _ExitCallback] = field(default_factory=dict)
    points: dict[int, IrEdge] = field(default_factory=dict)


class Callbacks:
    """Models the calls that hand functions over, and those that run them."""

    def __init__(self, threads: ThreadCreation, runs: Mapping[str, int], cancels: bool, anywhere: bool) -> None:
        """`runs`: how often functions run; `cancels`: threads are cancelled; `anywhere`: and not only where they wait."""
        self._threads = threads
        self._runs = runs
        self._cancels = cancels
        self._anywhere = anywhere
        self.flags: dict[str, Variable] = {}
        self._endings: dict[int, _Ending] = {}

    def model(self, request: CallRequest) -> bool:
        """Model the call completely; False if it is none of these."""
        name = request.callee
        self._may_be_cancelled(request)
        if name == PUSH:
            self._push(request)
        elif name == POP:
            self._pop(request)
        elif name in EXITS:
            self._exit(request)
        else:
            return False
        return True

    # ------------------------------------------------------------------------------------------- from now on
    def before(self, request: CallRequest) -> CallRequest:
        """What the call hands over may run from now on; gives what is left to do."""
        inliner, edge = request.inliner, request.edge
        pointsto = inliner.accesses.world.pointsto
        site = (request.frame.function.name, edge.source, edge.target)
        flags = [Var(self._threads.handler(name, edge.location).create.name, BOOL) for name in pointsto.anytime.get(site, ())]
        kind = AT_EXIT.get(request.callee)
        if kind is not None:
            flags += [self._flag(kind, name) for name, sites in pointsto.handlers.get(kind, {}).items() if site in sites]
        given: list[Assign] = []
        if request.callee == ON_EXIT and len(request.arguments) > 1 and not isinstance(request.arguments[1], Place):
            held = cast(request.arguments[1], inliner.accesses.world.places.pointer)
            given = [Assign(self._argument(flag, held.type), held) for flag in flags]
        if THREAD_LIBRARY.get(request.callee) is ThreadCall.SET_SPECIFIC and pointsto.handlers.get(THREAD_END):
            return self._specific(request)
        if not flags:
            return request
        after = inliner.sketch.fresh()
        ops = Block((*given, *(Assign(v, Const(1, BOOL)) for v in flags)))
        seen = (*(sync(g.target, True) for g in given), *(sync(v, True) for v in flags))
        inliner.sketch.steps.append(SketchStep(request.source, after, ops, seen, edge.location, edge.text, protected=True))
        return replace(request, source=after)

    def _flag(self, kind: str, name: str) -> Var:
        flag = Variable(f"<{name} at {kind}>", BOOL, None, Values(), f"<{name} at {kind}>", ghost=True)
        self.flags[flag.name] = flag
        return Var(flag.name, BOOL)

    def _argument(self, flag: Var, pointer: Scalar) -> Var:
        """What an exit handler is given."""
        name = f"{flag.name.removesuffix('>')} with>"
        self.flags[name] = Variable(name, pointer, None, Values(), name, ghost=True)
        return Var(name, pointer)

    # ------------------------------------------------------------------------------------------- exit
    def _exit(self, request: CallRequest) -> None:
        """The handlers run, then control does not go on, unless it is `main` that returns."""
        ends = request.callee != RETURN_FROM_MAIN
        if not request.inliner.accesses.world.pointsto.handlers.get(EXITS[request.callee]):
            if not ends:
                request.inliner.step(request.source, SKIP, request.target, request.edge)
            return
        after = self._exit_handlers(request.inliner, request.frame, request.edge, EXITS[request.callee], request.source)
        if not ends:
            request.inliner.step(after, SKIP, request.target, request.edge)

    def _exit_handlers(self, inliner: Inliner, frame: CallFrame, edge: IrEdge, kind: str, source: int) -> int:
        """Run the handlers; gives the location behind them."""
        handlers = inliner.accesses.world.pointsto.handlers[kind]
        exact = self._single(inliner, handlers)
        doubts = () if exact else (Doubt(_ORDER.format("exit handlers"), step=True),)
        around, after = inliner.between(source, SKIP, edge), inliner.sketch.fresh()
        flags = [self._flag(kind, name) for name in handlers]
        for name, flag in zip(handlers, flags, strict=True):
            begin = inliner.sketch.fresh()
            ops: list[Op] = [Assume(Read(flag)), *([Assign(flag, Const(0, BOOL))] if exact else [])]
            inliner.sketch.steps.append(SketchStep(around, begin, Block(tuple(ops)), (sync(flag, exact),), edge.location,
                                                   edge.text,
                                             protected=True, doubts=doubts))
            passed: tuple[Expr, ...] = ()
            declared = inliner.accesses.world.module.declarations.get(name)
            if declared is not None and len(declared.type.params) > 1:
                held = self._argument(flag, inliner.accesses.world.places.pointer)
                # Of several handlers that are handed over with arguments, only the last argument is kept.
                status, argument = inliner.accesses.temporary(_INT), inliner.accesses.temporary(held.type)
                lost = () if exact else (Doubt(_ORDER.format("exit handlers"), (argument.name,)),)
                op = Assign(argument, Read(held)) if exact else Havoc((argument,))
                taken = inliner.sketch.fresh()
                inliner.sketch.steps.append(SketchStep(begin, taken, Block((Havoc((status,)), op)), (sync(held, False),),
                                                 edge.location, edge.text, protected=True, doubts=lost))
                begin, passed = taken, (Read(status), Read(argument))
            _run(inliner, frame, edge, name, passed, passed, begin, around)
        none = _none(flags) if exact else TRUE
        seen = tuple(sync(flag, False) for flag in flags)
        inliner.sketch.steps.append(SketchStep(around, after, Assume(none), seen, edge.location, edge.text, protected=True))
        return after

    def _single(self, inliner: Inliner, handlers: Mapping[str, Mapping[tuple[str, int, int], None]]) -> bool:
        """Whether one function is handed over, once in the whole program."""
        sites = [site for some in handlers.values() for site in some]
        cyclic = inliner.accesses.world.calls.cyclic
        return len(sites) == 1 and self._runs.get(sites[0][0], 0) == 1 and sites[0][1] not in cyclic(sites[0][0])

    # ------------------------------------------------------------------------------------------- what a thread hands over
    def _ending(self, inliner: Inliner) -> _Ending:
        return self._endings.setdefault(id(inliner), _Ending())

    def _register(self, inliner: Inliner, name: str, type_: Scalar) -> Var:
        return inliner.registers.known.setdefault(name, (Var(name, type_), ""))[0]

    def _push(self, request: CallRequest) -> None:
        """A cleanup handler: its number in the function, the routine, the argument."""
        inliner = request.inliner
        pointer = inliner.accesses.world.places.pointer
        raw, routine, argument = request.call.args[1], request.arguments[1], request.arguments[2]
        assert not isinstance(raw, Place) and not isinstance(routine, Place) and not isinstance(argument, Place)
        name = _cleanup(request)
        active, held, given = (self._register(inliner, f"{name} {what}>", type_)
                               for what, type_ in (("active", BOOL), ("routine", pointer), ("argument", pointer)))
        names = inliner.accesses.world.pointsto.functions(request.frame.function.name, raw, 1)
        passed = request.call.args[2]
        assert not isinstance(passed, Place)
        self._ending(inliner).pushed[name] = _ExitCallback(active, given, names, held, passed, request.frame, request.edge)
        inliner.step(request.source, Block((Assign(active, Const(1, BOOL)), Assign(held, cast(routine, pointer)),
                                            Assign(given, cast(argument, pointer)))), request.target, request.edge)

    def _pop(self, request: CallRequest) -> None:
        active = self._register(request.inliner, f"{_cleanup(request)} active>", BOOL)
        # An outer activation of a recursive function may still have its handler.
        again = request.inliner.accesses.world.calls.recursive(request.frame.function.name)
        request.inliner.step(request.source, SKIP if again else Assign(active, Const(0, BOOL)), request.target, request.edge)

    def _specific(self, request: CallRequest) -> CallRequest:
        """The thread gets data of its own, which a destructor is given when the thread ends."""
        inliner, edge = request.inliner, request.edge
        pointer = inliner.accesses.world.places.pointer
        name = f"{request.frame.function.name}::<specific {edge.source}"
        value, raw = request.arguments[1], request.call.args[1]
        assert not isinstance(value, Place) and not isinstance(raw, Place)
        active, given = self._register(inliner, f"{name} active>", BOOL), self._register(inliner, f"{name} value>", pointer)
        names = tuple(inliner.accesses.world.pointsto.handlers[THREAD_END])
        self._ending(inliner).specific[name] = _ExitCallback(active, given, names, None, raw, request.frame, edge)
        ops = Block((Assign(active, Const(1, BOOL)), Assign(given, cast(value, pointer))))
        return replace(request, source=inliner.between(request.source, ops, edge))

    # ------------------------------------------------------------------------------------------- the end of a thread
    def _may_be_cancelled(self, request: CallRequest) -> None:
        name = request.callee
        quiet = (name in THREAD_LIBRARY and name not in CANCELLATION_POINTS) or name.startswith("__VERIFIER_")
        if self._cancels and not quiet and request.inliner.nesting(request.frame, request.edge)[0] == 0:
            self._ending(request.inliner).points.update({request.source: request.edge, request.target: request.edge})

    def finish(self, inliner: Inliner, function: Function, returned: int, end: int, edge: IrEdge) -> None:
        """What a thread does behind `inliner.leaving` (it calls `pthread_exit` or is cancelled) and when it has returned."""
        ending = self._endings.pop(id(inliner), _Ending())
        handlers = inliner.accesses.world.pointsto.handlers
        frame = CallFrame(function, inliner.registers.of(function), False, frozenset(), (0, 0))
        here = inliner.leaving
        if ending.pushed:
            again = any(inliner.accesses.world.calls.recursive(p.frame.function.name) for p in ending.pushed.values())
            exact = len(ending.pushed) == 1 and not again
            here = self._finally(inliner, ending.pushed.values(), exact, not again, "cleanup handlers", here, edge)
        if ending.specific:
            start = inliner.between(here, SKIP, edge)
            exact = len(ending.specific) == 1 and self._single(inliner, handlers[THREAD_END])
            here = self._finally(inliner, ending.specific.values(), exact, exact, "destructors", start, edge)
            if function.name != "main":
                inliner.step(returned, SKIP, start, edge)
        if function.name == "main" and handlers.get(EXITS["exit"]):
            # The last thread that ends runs them, when all others have ended.
            alone = inliner.sketch.fresh()
            inliner.step(here, SKIP, alone, edge, doubts=(Doubt("the exit handlers run when all threads have ended", step=True),))
            here = self._exit_handlers(inliner, frame, edge, EXITS["exit"], alone)
        inliner.step(here, SKIP, inliner.end, edge)
        if not ending.specific or function.name == "main":
            inliner.step(returned, SKIP, end, edge)
        if self._cancels and (ending.pushed or ending.specific):
            everywhere = {s.source: edge for s in inliner.sketch.steps} if self._anywhere else {}
            early = Doubt("when a thread is cancelled is not tracked", step=True)
            for location, where in (everywhere | ending.points).items():
                inliner.step(location, SKIP, inliner.leaving, where, doubts=(early,))
        flags = [p.active for p in (*ending.pushed.values(), *ending.specific.values())]
        if flags:
            first = inliner.sketch.fresh()
            inliner.step(first, Block(tuple(Assign(v, Const(0, BOOL)) for v in flags)), inliner.sketch.start, edge)
            inliner.sketch.start = first

    def _finally(self, inliner: Inliner, handed: Iterable[_ExitCallback], exact: bool, each_once: bool, what: str, source: int,
                 edge: IrEdge) -> int:
        """Run what the thread has handed over; gives the location behind.

        `exact`: there is one way to do that only. `each_once`: the arguments are known, and nothing runs twice.
        """
        around, after = inliner.between(source, SKIP, edge), inliner.sketch.fresh()
        handed = tuple(handed)
        for pending in handed:
            order = () if exact else (Doubt(_ORDER.format(what), () if each_once else (pending.argument.name,), step=True),)
            begin = inliner.sketch.fresh()
            ops: list[Op] = [Assume(Read(pending.active))]
            ops.append(Assign(pending.active, Const(0, BOOL)) if each_once else Havoc((pending.argument,)))
            inliner.step(around, Block(tuple(ops)), begin, pending.edge, doubts=order)
            if pending.routine is None:
                # Destructors are not called for null.
                empty = Binary("==", Read(pending.argument), Const(0, pending.argument.type))
                inliner.step(begin, Assume(empty), around, pending.edge, total=True)
                begin = inliner.between(begin, Assume(negate(empty)), pending.edge)
            for name in pending.names:
                chosen = begin
                if pending.routine is not None:
                    this = inliner.accesses.is_function(Read(pending.routine), name, edge.location)
                    chosen = inliner.between(begin, Assume(this), pending.edge)
                _run(inliner, pending.frame, pending.edge, name, (Read(pending.argument),), (pending.raw,), chosen, around)
        none = _none([p.active for p in handed]) if each_once else TRUE
        inliner.step(around, Assume(none), after, edge)
        return after


def _cleanup(request: CallRequest) -> str:
    """The name of a cleanup handler, up to what is known of it."""
    number = request.arguments[0]
    assert not isinstance(number, Place)
    folded = fold(number)
    assert isinstance(folded, Const)
    return f"{request.frame.function.name}::<cleanup {folded.value}"


def _run(inliner: Inliner, frame: CallFrame, edge: IrEdge, name: str, arguments: tuple[Expr, ...], raw: tuple[Expr, ...],
         source: int, target: int) -> None:
    """A call of a function that was handed over."""
    call = Call(None, name, raw, FunctionType(VoidType(), (PointerType(VoidType()),) * len(raw)))
    inliner.direct(replace(frame, once=False), edge, call, name, arguments, source, target, discard=True)


def _none(flags: Iterable[Var]) -> Expr:
    """No flag is set."""
    clear: Expr = TRUE
    for flag in flags:
        clear = conjunction(clear, negate(Read(flag)))
    return clear
