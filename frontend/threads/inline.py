"""From functions to one automaton per thread: calls are inlined, memory instructions become steps on variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from frontend.annotations.notes import Note, NotePlace, note_op
from frontend.ir import (
    Address,
    AtomicBegin,
    AtomicEnd,
    Call,
    Copy,
    CriticalBegin,
    CriticalEnd,
    Fail,
    Forget,
    Function,
    Guard,
    IrEdge,
    Load,
    Nop,
    Place,
    Set,
    Store,
    ThreadFence,
)
from frontend.memory.accesses import Accesses
from frontend.memory.points_to import Targets
from frontend.memory.sketch import SectionMark, Sketch, SketchStep
from frontend.program import (
    BOOL,
    FENCE,
    IN_LIBRARY,
    NOWHERE,
    RETURN,
    SKIP,
    Access,
    AccessKind,
    Assign,
    Assume,
    Binary,
    Block,
    Const,
    Doubt,
    ErrorKind,
    ErrorLocation,
    Expr,
    Havoc,
    Location,
    Op,
    Read,
    Scalar,
    Var,
    negate,
    variables,
)
from frontend.program.fold import cast, conjunction
from frontend.records import dataclass, replace
from frontend.threads.evaluation import Evaluation
from frontend.threads.frames import CallFrame, ThreadRegisters, qualified
from frontend.threads.long_jumps import JUMPS, LANDINGS, LongJumps
from frontend.threads.sources import ThreadSource

_RETURN = Scalar(32, False)
_UNTRACKED = "where a recursive function returns to is not tracked"

LEVELS = {1: 4, 2: 3}
"""How many calls of a recursive function inside each other are told apart, by how often its body calls it; else 1."""
ONE_CALL, ONE_THREAD = 600, 3_000
"""Instructions that may be spent on telling such calls apart: at one call from outside, and in a thread."""


class Inliner:
    """Expands the functions of one thread into a sketch of its automaton.

    `end`: where the thread has ended; `leaving`: where it goes if it ends before its function returns.
    """

    def __init__(self, thread: ThreadSource, functions: Callable[[str], Function | None], accesses: Accesses, library: Library,
                 shared: frozenset[str] = frozenset(), specified: frozenset[str] = frozenset(),
                 one_step: Callable[[CallRequest], bool] = lambda _: False) -> None:
        """`shared`: functions with one copy for all callers, `specified` those with contracts among them.

        `one_step`: models a call that is one step by definition, if it is one.
        """
        self._one_step = one_step
        self._functions = functions
        self.accesses = accesses
        self._library = library
        self.role = thread.role
        self._once = thread.count == 1
        self.sketch = Sketch()
        self.end = self.sketch.fresh()
        self.leaving = self.sketch.fresh()
        self.values = Evaluation(self.sketch, accesses)
        self.registers = ThreadRegisters()
        self._shared, self._specified = shared, specified
        self._copies: dict[tuple[str, bool, bool], tuple[int, int, int]] = {}
        self._unrolled = 0
        self.long_jumps = LongJumps()

    # ------------------------------------------------------------------------------------------- steps
    def step(self, source: int, op: Op, target: int, edge: IrEdge, **more: object) -> None:
        """Add a step that came from `edge`."""
        self.sketch.steps.append(SketchStep(source, target, op, location=edge.location, text=edge.text, **more))  # type: ignore[arg-type]

    def between(self, source: int, op: Op, edge: IrEdge) -> int:
        """Add a step to a fresh location and give that."""
        target = self.sketch.fresh()
        self.step(source, op, target, edge)
        return target

    # ------------------------------------------------------------------------------------------- functions
    def enter(self, function: Function, source: int, target: int, arguments: tuple[Expr | Place, ...], caller: CallFrame | None,
              edge: IrEdge, again: bool = False) -> None:
        """Bind the arguments, run the body between `source` and `target`; `again`: a thread's body that may start again."""
        level = self.level(function, caller)
        if caller is not None and (function.name in self._shared or (self._group(function) and not level)):
            self._enter_shared(function, source, target, arguments, caller, edge)
            return
        frame = CallFrame(function, self.registers.of(function, level), False, frozenset(), (0, 0))
        self.accesses.world.objects.declare(function.memory)
        here = self._bind(function, frame, source, arguments, caller, again, edge)
        self._body(function, caller, here, target, edge, again, level)

    def _group(self, function: Function) -> tuple[str, ...]:
        return self.accesses.world.calls.recursive(function.name)

    def level(self, function: Function, caller: CallFrame | None) -> int:
        """The level at which a call of a recursive function is expanded; 0 if it goes to the copy that all calls share."""
        group = self._group(function)
        if caller is None or not group or function.name in self._shared:
            return 0
        levels, size = self._levels(group)
        if caller.function.name in group:
            return caller.level + 1 if 0 < caller.level < levels else 0
        return 1 if levels and self._unrolled + size <= ONE_THREAD else 0

    def _levels(self, group: tuple[str, ...]) -> tuple[int, int]:
        """How many levels of a group of functions are expanded at a call from outside, and how many instructions that takes."""
        functions = [f for name in group if (f := self._functions(name)) is not None]
        calls = sum(isinstance(e.instr, Call) and (e.instr.callee in group or not isinstance(e.instr.callee, str))
                    for f in functions for e in f.edges)
        size = sum(len(f.edges) for f in functions)
        for levels in range(LEVELS.get(calls, 1), 0, -1):
            needed = size * sum(calls ** n for n in range(levels))
            if needed <= ONE_CALL:
                return levels, needed
        return 0, 0

    def _body(self, function: Function, caller: CallFrame | None, start: int, end: int, edge: IrEdge, again: bool = False,
              level: int = 0) -> None:
        """The steps of a function's body between two locations."""
        cyclic = self.accesses.world.calls.cyclic(function.name)
        rename = self.registers.of(function, level)
        if caller is None:
            frame = CallFrame(function, rename, self._once and not again, cyclic, (0, 0))
        else:
            once = caller.once and edge.source not in caller.cyclic and not level
            nesting = self.nesting(caller, edge)
            within = nesting[0] > 0 and bool(self._group(function)) and \
                self.accesses.world.calls.depth(function.name, function.exit)[0] == 0
            frame = CallFrame(function, rename, once, cyclic, nesting, within, edge.location, level)
            if level == 1:
                self._unrolled += self._levels(self._group(function))[1]
        locations: dict[int, int] = {function.start: start}
        if function.exit != function.start:
            locations[function.exit] = end
        else:
            self.step(start, SKIP, end, edge)
        hidden = function.location.file == IN_LIBRARY
        for written in function.edges:
            inner = replace(written, location=edge.location, text=edge.text) if hidden else written
            for q in (inner.source, inner.target):
                if q not in locations:
                    locations[q] = self.sketch.fresh()
            self._instruction(frame, inner, locations[inner.source], locations[inner.target])

    def nesting(self, frame: CallFrame, edge: IrEdge) -> tuple[int, int]:
        """How deep in atomic and critical sections an instruction is."""
        atomic, critical = self.accesses.world.calls.depth(frame.function.name, edge.source)
        return frame.nesting[0] + atomic, frame.nesting[1] + critical

    def _enter_shared(self, function: Function, source: int, target: int, arguments: tuple[Expr | Place, ...], caller: CallFrame,
                      edge: IrEdge) -> None:
        """A call of a function that has one copy for all its callers: a register remembers where to return to.

        A function that may call itself returns to any of the calls among such functions, where their locals may then have
        any value, or to where it was called from outside: the stack in between is not known. If callers know it by its
        contract, what an activation has before it calls the function again is saved, for those who know the contract.
        """
        atomic, critical = self.nesting(caller, edge)
        key = (function.name, atomic > 0, critical > 0)
        back = Var(function.name + RETURN, _RETURN)
        self.registers.known.setdefault(back.name, (back, ""))
        fresh = key not in self._copies
        begin, end, number = (self.sketch.fresh(), self.sketch.fresh(), 0) if fresh else self._copies[key]
        self._copies[key] = (begin, end, number + 1)
        frame = CallFrame(function, self.registers.of(function), False, frozenset(), (0, 0))
        self.accesses.world.objects.declare(function.memory)
        group = self._group(function)
        specified = group == (function.name,) and function.name in self._specified
        again = specified and caller.function.name == function.name
        if again:
            source = self._saved(function, source, number, (*self._locals(group, function), back), edge)
        here = self._bind(function, frame, source, arguments, caller, False, edge)
        mine = Binary("==", Read(back), Const(number, _RETURN))
        if not group or specified:
            self.step(here, Assign(back, Const(number, _RETURN)), begin, edge)
            returned = self.sketch.fresh() if again else target
            self.step(end, Assume(mine), returned, edge, total=True)
            if again:
                kept = (*self._locals(group, function), back)
                doubt = Doubt(_UNTRACKED, tuple(v.name for v in kept), step=True, frame=True)
                self.step(returned, Havoc(kept), target, edge, doubts=(doubt,))
        else:
            deeper = Var(f"{min(group)}::<deeper>", BOOL)
            self.registers.known.setdefault(deeper.name, (deeper, ""))
            lost = self._locals(group, function)
            doubt = Doubt(_UNTRACKED, tuple(v.name for v in lost), step=True)
            if caller.function.name in group and not caller.level:
                self.step(here, Assign(deeper, Const(1, BOOL)), begin, edge)
                self.step(end, Havoc(lost), target, edge, total=True, doubts=(doubt,))
            else:
                self.step(here, Block((Assign(back, Const(number, _RETURN)), Assign(deeper, Const(0, BOOL)))), begin, edge)
                self.step(end, Assume(conjunction(mine, negate(Read(deeper)))), target, edge, total=True)
                self.step(end, Assume(conjunction(mine, Read(deeper))), target, edge, total=True, doubts=(doubt,))
        if fresh:
            self._body(function, replace(caller, once=False), begin, end, edge)

    def _saved(self, function: Function, source: int, number: int, registers: tuple[Var, ...], edge: IrEdge) -> int:
        """What this activation has in its registers is noted before it calls the function again."""
        after = self.sketch.fresh()
        note = Note(NotePlace.SAVED, (number,), (), function.name)
        self.step(source, note_op(note, ((v.name, Read(v)) for v in registers)), after, edge)
        return after

    def _locals(self, group: tuple[str, ...], returning: Function) -> tuple[Var, ...]:
        """The registers of mutually recursive functions but for the result; what is in memory is never read exactly."""
        names: dict[Var, None] = {}
        for name in group:
            function = self._functions(name)
            assert function is not None
            frame = CallFrame(function, self.registers.of(function), False, frozenset(), (0, 0))
            lost = (r for r in function.registers if name != returning.name or r != returning.result)
            names.update(dict.fromkeys(map(frame.var, lost)))
            if name in self._specified and len(group) > 1:
                names[Var(name + RETURN, _RETURN)] = None
        return tuple(names)

    def _bind(self, function: Function, frame: CallFrame, source: int, arguments: tuple[Expr | Place, ...],
              caller: CallFrame | None, again: bool, edge: IrEdge) -> int:
        """Locals become arbitrary, parameters get the arguments; gives the location where the body starts."""
        seen: tuple[Access, ...] = ()
        bound = {p.name for p, _ in zip(function.params, arguments, strict=False) if isinstance(p, Var)}
        ops, arguments = self._passed(function, frame, arguments)
        if caller is not None or again:
            fresh = tuple(frame.var(r) for r in function.registers if r.name not in bound)
            scalars, whole, seen = self.accesses.fresh_locals(function)
            if fresh or scalars or whole:
                ops.append(Havoc((*fresh, *scalars), whole))
        for param, argument in zip(function.params, arguments, strict=False):
            if isinstance(param, Var) and not isinstance(argument, Place):
                ops.append(Assign(frame.var(param), cast(argument, param.type)))
        here = source
        if ops or source == self.sketch.start:
            here = self.sketch.fresh()
            self.step(source, Block(tuple(ops)), here, edge, accesses=seen)
        for param, argument in zip(function.params, arguments, strict=False):
            if isinstance(param, str):
                symbol = next(s for s in function.memory if s.name == param)
                place = Place(param, (), symbol.type, symbol.type)
                after = self.sketch.fresh()
                if isinstance(argument, Place):
                    self.accesses.copy(self.sketch, here, after, place, argument, None, self._targets(caller, argument), edge)
                else:
                    self.accesses.store(self.sketch, here, after, place, argument, None, edge)
                here = after
        return here

    def _passed(self, function: Function, frame: CallFrame,
                arguments: tuple[Expr | Place, ...]) -> tuple[list[Op], tuple[Expr | Place, ...]]:
        """What a call evaluates first, and the arguments then: a function that calls itself passes what it is about to lose."""
        own = {frame.var(r).name for r in function.registers} | {frame.var(p).name for p in function.params if isinstance(p, Var)}
        ops: list[Op] = []
        passed: list[Expr | Place] = []
        for argument in arguments:
            if isinstance(argument, Place) or not variables(argument) & own:
                passed.append(argument)
                continue
            kept = self.accesses.temporary(argument.type)
            ops.append(Assign(kept, argument))
            passed.append(Read(kept))
        return ops, tuple(passed)

    def _targets(self, frame: CallFrame | None, place: Place) -> Targets | None:
        """What the pointer that a place is based on may point to."""
        if isinstance(place.base, str):
            return None
        assert frame is not None
        return self.accesses.world.pointsto.targets(frame.function.name, place.base)

    # ------------------------------------------------------------------------------------------- instructions
    def _instruction(self, frame: CallFrame, edge: IrEdge, source: int, target: int) -> None:
        """The steps of one instruction, over the thread's names for registers.

        - On registers alone (Set, Forget, Guard, Nop) it is one step without accesses.
        - A fence accesses a ghost where atomic accesses have weak orders.
        - On memory (Load, Store, Copy) it is what `Accesses` makes of it; a place behind a pointer is resolved later.
        - Behind a Guard that leaves a loop which joins threads, a step says so, in code that runs once.
        - A Note is located where the function is called if it says what the function requires.
        - Begin and end of a section are marks that `resolve_sections` turns into sets of locations. Inside an atomic section a
          recursive function's own ones change nothing.
        - Fail makes its source an error location and has no step: nothing behind it is reached this way.
        """
        match edge.instr:
            case Set(target=t, value=e, distance=distance):
                if distance:
                    self.values.one_object(frame, e, edge)
                self.values.set(frame, frame.var(t), e, edge, source, target)
            case Forget(targets=ts, why=why):
                forgotten = tuple(map(frame.var, ts))
                doubts = (Doubt(why, tuple(v.name for v in forgotten)),) if why else ()
                self.step(source, Havoc(forgotten), target, edge, doubts=doubts)
            case Guard(cond=c):
                ended = self.accesses.world.joined.get((frame.function.name, edge.source, edge.target), ())
                here = self.sketch.fresh() if ended and frame.once else target
                self.values.guard(frame, c, edge, source, here)
                if here != target:
                    self.step(here, SKIP, target, edge, joined=ended)
            case Nop():
                self.step(source, SKIP, target, edge)
            case ThreadFence(order=order):
                fence = Access(Var(FENCE, BOOL), True, edge.location, edge.text, AccessKind.ATOMIC, order=order)
                weak = bool(self.accesses.world.module.orders)
                self.step(source, SKIP, target, edge, accesses=(fence,) if weak else ())
            case Note(names=names) as note:
                if note.place is NotePlace.ENTRY and frame.called != NOWHERE:
                    edge = replace(edge, location=frame.called)  # what is required is the caller's business
                self.step(source, note_op(note, ((name, Read(frame.var(v))) for name, v in names)), target, edge)
            case Load(target=t, place=place):
                there, source = self.values.place(frame, place, edge, source)
                self.accesses.load(self.sketch, source, target, frame.var(t), there, self._targets(frame, place), edge)
            case Store(place=place, value=value):
                there, source = self.values.place(frame, place, edge, source)
                stored, source = (None, source) if value is None else self.values.value(frame, value, edge, source)
                self.accesses.store(self.sketch, source, target, there, stored, self._targets(frame, place), edge)
            case Address(target=t, place=place):
                there, source = self.values.place(frame, place, edge, source)
                address = self.accesses.address(there, edge.location)
                self.step(source, Assign(frame.var(t), cast(address, t.type)), target, edge)
            case Copy(target=into, source=origin):
                there, source = self.values.place(frame, into, edge, source)
                read, source = self.values.place(frame, origin, edge, source)
                self.accesses.copy(self.sketch, source, target, there, read,
                                   self._targets(frame, into), self._targets(frame, origin), edge)
            case Call():
                self._call(frame, edge, edge.instr, source, target)
            case AtomicBegin() | AtomicEnd() if frame.inner:
                self.step(source, SKIP, target, edge)
            case AtomicBegin():
                self.step(source, SKIP, target, edge, mark=SectionMark.ATOMIC_BEGIN)
            case AtomicEnd():
                self.step(source, SKIP, target, edge, mark=SectionMark.ATOMIC_END)
            case CriticalBegin():
                self.step(source, SKIP, target, edge, mark=SectionMark.CRITICAL_BEGIN)
            case CriticalEnd():
                self.step(source, SKIP, target, edge, mark=SectionMark.CRITICAL_END)
            case Fail(kind=kind, text=text):
                self.sketch.errors[source] = ErrorLocation(ErrorKind(kind.value), edge.location, text)
            case _:
                assert_never(edge.instr)

    # ------------------------------------------------------------------------------------------- calls
    def _call(self, frame: CallFrame, edge: IrEdge, call: Call, source: int, target: int) -> None:
        arguments: tuple[Expr | Place, ...] = ()
        for argument in call.args:
            value, source = self.values.argument(frame, argument, edge, source)
            arguments = (*arguments, value)
        if not isinstance(call.callee, str):
            self._indirect(frame, edge, call, arguments, source, target)
            return
        self.direct(frame, edge, call, call.callee, arguments, source, target)

    def direct(self, frame: CallFrame, edge: IrEdge, call: Call, callee: str, arguments: tuple[Expr | Place, ...], source: int,
               target: int, discard: bool = False) -> None:
        """A call of a function by name, whoever knows what it does; `discard`: nobody wants its value."""
        result, into = (None, None) if discard else self._results(frame, call)
        request = CallRequest(self, frame, edge, call, callee, arguments, result, into, source, target)
        if callee in JUMPS and self._functions(callee) is None:
            self.long_jumps.jumps.append((source, edge, self.nesting(frame, edge)))
            return
        if callee in LANDINGS and self._functions(callee) is None:
            self._landing(request)
            return
        if self._one_step(request) or self._library.threads(request):
            return
        called = self.accesses.world.contexts.called(frame.function.name, edge.source, edge.target, callee)
        function = self._functions(called)
        if function is None:
            self._library.external(request)
            return
        target = self._library.returned(request)
        back = target if result is None and into is None else self.sketch.fresh()
        level = self.level(function, frame)
        self.enter(function, source, back, arguments, frame, edge)
        if result is not None:
            if not isinstance(function.result, Var):
                self.step(back, Havoc((result,)), target, edge)
            else:
                value = Read(Var(qualified(function, function.result.name, level), function.result.type))
                self.step(back, Assign(result, cast(value, result.type)), target, edge)
        elif into is not None:
            assert isinstance(function.result, str)
            assert isinstance(call.result, Place)
            origin = Place(function.result, (), into.type, into.type)
            self.accesses.copy(self.sketch, back, target, into, origin, self._targets(frame, call.result), None, edge)

    def _landing(self, request: CallRequest) -> None:
        """A call of `setjmp`: it fills its argument and gives 0, for now."""
        filled = self.sketch.fresh()
        self._library.external(replace(request, result=None, target=filled))
        given = () if request.result is None else (Assign(request.result, Const(0, request.result.type)),)
        self.step(filled, Block(given), request.target, request.edge)
        self.long_jumps.landings.append((request.target, request.result, self.nesting(request.frame, request.edge)))

    def _results(self, frame: CallFrame, call: Call) -> tuple[Var | None, Place | None]:
        return (frame.var(call.result) if isinstance(call.result, Var) else None,
                frame.place(call.result) if isinstance(call.result, Place) else None)

    def _indirect(self, frame: CallFrame, edge: IrEdge, call: Call, arguments: tuple[Expr | Place, ...], source: int,
                  target: int) -> None:
        assert not isinstance(call.callee, str)
        pointer = frame.expr(call.callee)
        targets = self.accesses.world.pointsto.functions(frame.function.name, call.callee, len(call.args))
        if self.accesses.world.pointsto.wild:
            self.accesses.world.notes.assume("nothing is written over pointers to functions through a pointer of unknown value",
                                             edge.location)
        if not targets:
            request = CallRequest(self, frame, edge, call, "", arguments, *self._results(frame, call), source, target)
            self._library.lost_call(request)
        for name in targets:
            chosen = self.sketch.fresh()
            guard = self.accesses.is_function(pointer, name, edge.location)
            self.step(source, Assume(guard), chosen, edge, total=True)
            self.direct(frame, edge, call, name, arguments, chosen, target)


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A call that the library is asked to model: steps from `source` to `target`, the value into `result` or `into`."""

    inliner: Inliner
    frame: CallFrame
    edge: IrEdge
    call: Call
    callee: str
    arguments: tuple[Expr | Place, ...]
    result: Var | None
    into: Place | None
    source: int
    target: int

    @property
    def location(self) -> Location:
        return self.edge.location

    def raw(self, position: int) -> Expr:
        """A scalar argument over the caller's own registers, as the points-to analysis knows them."""
        return self.call.scalar(position, self.location)


class Library:
    """What calls of functions without a body do; see `frontend.library.library_calls` for the one that knows C's library."""

    def threads(self, request: CallRequest) -> bool:
        """Model a call of the threading library, even if its function has a body; False if it is not one."""
        raise NotImplementedError

    def returned(self, request: CallRequest) -> int:
        """Where the function that is called returns to: the target, or a location from which steps lead there."""
        raise NotImplementedError

    def external(self, request: CallRequest) -> None:
        """Model a call of a function that has no body."""
        raise NotImplementedError

    def lost_call(self, request: CallRequest) -> None:
        """Model a call through a pointer that has no known target."""
        raise NotImplementedError
