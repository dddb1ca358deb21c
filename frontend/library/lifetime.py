"""How a thread begins and ends: waiting to be created or to fire; telling that it is done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from frontend.ctypes import ArrayType, CType, RecordType
from frontend.ir import Field, Function, Index, IrEdge, Module, PathStep, Place
from frontend.library.thread_creation import MANY_HANDLES, SCHEDULER, CreatedThread, sync
from frontend.memory.objects import Notes, Objects
from frontend.memory.settling import put
from frontend.memory.sketch import Sketch, SketchStep
from frontend.program import (
    BOOL,
    TRUE,
    Access,
    AllAt,
    Assign,
    Assume,
    Binary,
    Block,
    Cfa,
    Const,
    Doubt,
    Edge,
    Element,
    Expr,
    Lvalue,
    Op,
    Read,
    Role,
    Scalar,
    ThreadTemplate,
    Values,
    Var,
    Variable,
    name_of,
    negate,
    op_writes,
    primitive,
)
from frontend.program.fold import cast, conjunction, fold, minus
from frontend.program.schedule_ghosts import ACTIVE
from frontend.records import dataclass
from frontend.threads.frames import qualified
from frontend.threads.inline import Inliner
from frontend.threads.op_facts import block, rewrite
from frontend.threads.sources import ThreadSource

_OWN_HANDLE = "whether a thread waits for itself is not tracked"
_IN_A_CIRCLE = "no thread waits for itself, by way of others either"


@dataclass(frozen=True, slots=True)
class WaitingThreads:
    """Which threads wait for others, so that it may be in vain to wait for them."""

    joining: frozenset[str]
    """The templates with a join."""
    selves: bool
    """Whether threads may know handles by having asked for their own."""
    doubtful: tuple[str, ...]
    """Why any join may not wait for its thread."""

    def circles(self, own: CreatedThread | None, created: Iterable[CreatedThread]) -> bool:
        """Whether a thread may wait for one that waits for it, by what is known of who waits at all.

        One that was there from the start is waited for by nobody who has not asked for its handle.
        """
        others = (c for c in created if c != own or c.count != 1)
        return (own is not None or self.selves) and any(c.template in self.joining for c in others)


class Lifetime:
    """Steps around the bodies of threads."""

    def __init__(self, notes: Notes, objects: Objects, pointer: Scalar, scheduled: bool = False) -> None:
        """`scheduled`: the program starts a scheduler, before which threads that were created do not run."""
        self._notes = notes
        self._objects = objects
        self._pointer = pointer
        self._scheduled = scheduled

    def around(self, inliner: Inliner, function: Function, source: ThreadSource, created: CreatedThread | None,
               edge: IrEdge) -> tuple[int, int]:
        """Add what happens before and after the body; gives the locations where the body starts and ends."""
        sketch = inliner.sketch
        begin, end = sketch.start, inliner.end
        if source.again:
            sketch.steps.append(SketchStep(end, sketch.start, Block(()), (), edge.location))
        if source.role in (Role.HANDLER, Role.TASK):
            begin, end = self._mark(sketch, begin, end, edge)
        if created is not None and created.handler:
            inside = sketch.fresh()
            flag = Var(created.create.name, BOOL)
            doubt = Doubt(f"when '{created.function}' is called, which was handed over, is not tracked", step=True)
            sketch.steps.append(replace(_step(begin, inside, Assume(Read(flag)), (sync(flag, False),), edge), doubts=(doubt,)))
            begin = inside
        elif created is not None:
            begin, end = self._when_created(inliner, function, created, begin, end, edge)
        return begin, end

    def _mark(self, sketch: Sketch, begin: int, end: int, edge: IrEdge) -> tuple[int, int]:
        """Handlers and tasks wait at their start; `frontend.interrupts.preemption` says when they leave it and what that does."""
        inside, last = sketch.fresh(), sketch.fresh()
        sketch.steps.append(_step(begin, inside, Assign(ACTIVE, Const(1, BOOL)), (sync(ACTIVE, True),), edge))
        sketch.steps.append(_step(last, end, Assign(ACTIVE, Const(0, BOOL)), (sync(ACTIVE, True),), edge))
        return inside, last

    def _when_created(self, inliner: Inliner, function: Function, created: CreatedThread, begin: int, end: int,
                      edge: IrEdge) -> tuple[int, int]:
        """A created thread takes its argument when it starts, and says so when it is done."""
        sketch = inliner.sketch
        create, argument = Var(created.create.name, BOOL), Var(created.argument(self._pointer).name, self._pointer)
        ops: list[Op] = [Assume(Read(create)), Assign(create, Const(0, BOOL))]
        many = created.count != 1 and created.joined
        me = inliner.accesses.temporary(self._pointer)
        started = Var(created.started(self._pointer).name, self._pointer)
        if many:
            ops.append(Assign(me, minus(Read(started), 1)))
        inside = sketch.fresh()
        parameter = function.params[0] if function.params else None
        if isinstance(parameter, Var):
            inliner.registers.of(function)
            ops.append(Assign(Var(qualified(function, parameter.name), parameter.type), cast(Read(argument), parameter.type)))
        if self._scheduled:
            ops.insert(0, Assume(Read(SCHEDULER)))
        scheduled = (sync(SCHEDULER, False),) if self._scheduled else ()
        taken = (*scheduled, sync(create, True), sync(argument, False), *((sync(started, False),) if many else ()))
        sketch.steps.append(_step(begin, inside, Block(tuple(ops)), taken, edge))
        if isinstance(parameter, str):
            self._objects.declare(function.memory)
            symbol = next(s for s in function.memory if s.name == parameter)
            passed = inliner.accesses.temporary(self._pointer)
            first = sketch.steps[-1]
            assert isinstance(first.op, Block)
            sketch.steps[-1] = _step(begin, inside, Block((*first.op.ops, Assign(passed, Read(argument)))), first.accesses, edge)
            stored = sketch.fresh()
            path, type_ = _first_scalar(inliner.accesses.world.module, symbol.type)
            place = Place(parameter, path, type_, symbol.type)
            inliner.accesses.store(sketch, inside, stored, place, Read(passed), None, edge)
            inside = stored
        if created.count == 1 or many:
            done: Lvalue = Element(created.done.name, Read(me), BOOL) if many else Var(created.done.name, BOOL)
            sketch.steps.append(_step(end, sketch.fresh(), Assign(done, Const(1, BOOL)), (sync(done, True),), edge))
        return inside, end

    def creates(self, sketch: Sketch, created: tuple[CreatedThread, ...]) -> bool:
        """Whether the thread creates others that are created once."""
        names = {c.argument(self._pointer).name for c in created if c.count == 1}
        return any(not names.isdisjoint(op_writes(s.op)) for s in sketch.steps)

    def arguments(self, sketch: Sketch, created: tuple[CreatedThread, ...], states: Mapping[int, Mapping[str, Const]],
                  handed: dict[str, Const]) -> None:
        """Add to `handed` the arguments, known constants, that a thread hands to those it creates once."""
        names = {c.argument(self._pointer).name for c in created if c.count == 1}
        for step in sketch.steps:
            for part in primitive(step.op):
                if isinstance(part, Assign) and name_of(part.target) in names:
                    value = put(part.value, states.get(step.source, {}))
                    if isinstance(value, Const):
                        handed[name_of(part.target)] = value

    def known_argument(self, sketch: Sketch, created: CreatedThread, handed: Mapping[str, Const]) -> None:
        """Put the argument in, where a thread that is created once takes it, if it is known."""
        value = handed.get(created.argument(self._pointer).name)
        if value is not None:
            values = {created.argument(self._pointer).name: value}
            sketch.steps = [replace(s, op=block([rewrite(p, values) for p in primitive(s.op)])) for s in sketch.steps]

    def resolve_joins(self, sketch: Sketch, created: tuple[CreatedThread, ...], waiting: WaitingThreads,
                      own: CreatedThread | None) -> None:
        """A join waits for the thread whose handle it has; a handle that nobody has is not waited for. `own`: the thread's own.

        Instead it may fail at once, where the thread waits for itself (`EDEADLK`), and where joins are in doubt.
        """
        steps, sketch.steps = sketch.steps, []
        for step in steps:
            if step.joined:
                many = [c for c in created if c.count is None and c.function in step.joined] if not waiting.doubtful else []
                seen = tuple(sync(Var(c.create.name, BOOL), False) for c in many)
                sketch.steps.append(replace(step, joined=(), op=Block(tuple(_all_ended(c) for c in many)), accesses=seen,
                                            protected=bool(many)))
            elif step.not_joined is not None:
                self._fail(sketch, step, step.not_joined, created, waiting, own)
            elif step.join is None:
                sketch.steps.append(step)
            else:
                if waiting.doubtful:
                    sketch.steps.append(_doubted(step, waiting.doubtful))
                if waiting.circles(own, created):
                    self._notes.assume(_IN_A_CIRCLE, step.location)
                self._wait(sketch, step, step.join, created)

    def _wait(self, sketch: Sketch, step: SketchStep, handle: Expr, created: Iterable[CreatedThread]) -> None:
        for made in created:
            done: Lvalue = Var(made.done.name, BOOL)
            if made.count != 1:
                done = Element(made.done.name, fold(Binary("%", handle, Const(MANY_HANDLES, handle.type))), BOOL)
            behind = sketch.fresh()
            sketch.steps.append(SketchStep(
                step.source, behind, Assume(_is_handle(handle, made)), (), step.location, step.text, total=True))
            sketch.steps.append(SketchStep(
                behind, step.target, Assume(Read(done)), (sync(done, False),), step.location, step.text, protected=True))
        sketch.steps.append(SketchStep(
            step.source, step.target, Assume(_of_nobody(handle, created)), (), step.location, step.text, total=True))

    def _fail(self, sketch: Sketch, step: SketchStep, handle: Expr, created: tuple[CreatedThread, ...], waiting: WaitingThreads,
              own: CreatedThread | None) -> None:
        if waiting.doubtful:
            sketch.steps.append(_doubted(step, waiting.doubtful))
            return
        if own is not None and own.count == 1:
            mine = _is_handle(handle, own)
            sketch.steps.append(SketchStep(step.source, step.target, Assume(mine), (), step.location, step.text))
        elif waiting.selves:
            mine = _of_nobody(handle, created) if own is None else _is_handle(handle, own)
            doubts = (Doubt(_OWN_HANDLE, step=True),)
            sketch.steps.append(SketchStep(step.source, step.target, Assume(mine), (), step.location, step.text, doubts=doubts))

    def ghosts(self, created: tuple[CreatedThread, ...]) -> list[Variable]:
        """The ghost globals that the threads may use."""
        made: list[Variable] = []
        if self._scheduled:
            made.append(Variable(SCHEDULER.name, BOOL, None, Values(), SCHEDULER.name, ghost=True))
        for c in created:
            made.extend((c.create, c.argument(self._pointer), c.started(self._pointer), c.done))
        return made


def _first_scalar(module: Module, t: CType) -> tuple[tuple[PathStep, ...], CType]:
    """Where an argument lies in a parameter that is declared as a struct or a union (`__transparent_union__`)."""
    match t:
        case RecordType(key=key) if module.records[key].fields:
            first = module.records[key].fields[0]
            path, scalar = _first_scalar(module, first.type)
            return (Field(first.name), *path), scalar
        case ArrayType(element=element):
            path, scalar = _first_scalar(module, element)
            return (Index(Const(0, Scalar(32, True))), *path), scalar
    return (), t


def _doubted(step: SketchStep, why: Iterable[str]) -> SketchStep:
    """The thread goes on, though whether it can is in doubt."""
    return SketchStep(step.source, step.target, Block(()), (), step.location, step.text,
                      doubts=tuple(Doubt(reason, step=True) for reason in why))


def _is_handle(handle: Expr, made: CreatedThread) -> Expr:
    """It is the handle of this thread, or of one of these threads."""
    group = handle if made.count == 1 else Binary("/", handle, Const(MANY_HANDLES, handle.type))
    return fold(Binary("==", group, Const(made.handle, handle.type)))


def _of_nobody(handle: Expr, created: Iterable[CreatedThread]) -> Expr:
    """It is the handle of no thread that the program creates."""
    nobody: Expr = TRUE
    for made in created:
        nobody = conjunction(nobody, negate(_is_handle(handle, made)))
    return nobody


def _all_ended(created: CreatedThread) -> Op:
    """None of them is on its way: what was created has started, and what has started has ended; see `place_joins`."""
    return Block((Assume(negate(Read(Var(created.create.name, BOOL)))), AllAt(created.template, frozenset())))


def place_joins(templates: tuple[ThreadTemplate, ...], created: Iterable[CreatedThread]) -> tuple[ThreadTemplate, ...]:
    """Say where threads are that have not started or have ended, now that their locations are known."""
    quiet = {c.template: _quiet(t.cfa, c) for c in created for t in templates if t.name == c.template}

    def placed(op: Op) -> Op:
        match op:
            case AllAt(template=name):
                return AllAt(name, quiet[name])
            case Block(ops=ops):
                return Block(tuple(map(placed, ops)))
        return op

    def edge(e: Edge) -> Edge:
        return replace(e, op=placed(e.op)) if any(isinstance(p, AllAt) for p in primitive(e.op)) else e

    return tuple(replace(t, cfa=replace(t.cfa, edges=tuple(map(edge, t.cfa.edges)))) for t in templates)


def _quiet(cfa: Cfa, created: CreatedThread) -> frozenset[int]:
    """Where a thread has not taken its argument yet, or has said that it is done."""
    ended = {e.target for e in cfa.edges if created.done.name in op_writes(e.op)}
    waiting, work = {cfa.start}, [cfa.start]
    while work:
        here = work.pop()
        for e in cfa.edges:
            if e.source == here and e.target not in waiting and created.create.name not in op_writes(e.op):
                waiting.add(e.target)
                work.append(e.target)
    return frozenset(waiting | ended)


def _step(source: int, target: int, op: Op, accesses: tuple[Access, ...], edge: IrEdge) -> SketchStep:
    return SketchStep(source, target, op, accesses, edge.location, "", protected=True)

