"""Pending accesses and lock operations become steps, once the whole thread is inlined and constants are propagated.

By then many pointers are known. The others become a case for each target that the points-to analysis gives, guarded by a test of
the pointer, which is a register: the test touches nothing shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from functools import partial
from typing import TypeAlias

from frontend.ir import Index, Place
from frontend.memory.case_steps import CaseSteps, ComputedRegisters, deferred
from frontend.memory.leaves import Leaf
from frontend.memory.library_effects import LibraryEffects
from frontend.memory.places import Cell
from frontend.memory.pointer_cases import RegisterCase, Resolver, linear
from frontend.memory.sketch import LockOperation, Pending, Sketch, SketchStep
from frontend.memory.sole_values import pointer_in, sole
from frontend.memory.world import World
from frontend.program import (
    SKIP,
    TRUE,
    Access,
    AccessKind,
    Assign,
    Assume,
    Binary,
    Block,
    Const,
    Doubt,
    Expr,
    Ground,
    Havoc,
    Op,
    Read,
    Scalar,
    Var,
    op_writes,
    primitive,
    substitute,
    variables,
)
from frontend.program.fold import fold
from frontend.records import replace

_LOOK_BACK = 40

SoleAddress: TypeAlias = Callable[[int, Var], tuple[int, frozenset[int]] | None]
"""The only address that a register of the thread has at a location, and what else it may be; see `SoleValues`."""


class Settling:
    """Replaces what is pending in the sketch of one thread."""

    def __init__(self, world: World, cases: CaseSteps, temporaries: Mapping[str, Var],
                 temporary: Callable[[Scalar], Var]) -> None:
        """`temporaries`: the registers that `temporary` has made by now."""
        self._world = world
        self._cases = cases
        self._resolver = Resolver(world.module, world.objects, world.places, world.notes)
        self._effects = LibraryEffects(world, cases, self._resolver, temporary)
        self.registers = ComputedRegisters(world, cases)
        self._temporaries = temporaries
        self._temporary = temporary
        self._address: SoleAddress = lambda *_: None

    def settle(self, sketch: Sketch, registers: Iterable[str],
               constants: Callable[[Sketch], Mapping[int, Mapping[str, Const]]], address: SoleAddress) -> None:
        """Replace every pending access by steps, those through pointers of known value first; see `Accesses.settle`."""
        self._address = address
        own = frozenset(registers)
        for last in (False, False, False, False, False, True):
            if not any(s.pending is not None or s.lock is not None for s in sketch.steps):
                return
            states = constants(sketch)
            into = sketch.entering()
            followed = own | self._temporaries.keys()
            steps, sketch.steps = sketch.steps, []
            settled = 0
            for step in steps:
                if step.pending is None and step.lock is None:
                    sketch.steps.append(step)
                elif step.source in states:
                    placed = _at_origin(step, into, followed)
                    settled += self._try(sketch, placed, states[step.source], last)
            if not settled and not last:
                steps, sketch.steps = sketch.steps, []
                for step in steps:
                    if step.pending is None and step.lock is None:
                        sketch.steps.append(step)
                    else:
                        self._try(sketch, step, {}, True)

    def _try(self, sketch: Sketch, step: SketchStep, values: Mapping[str, Const], force: bool) -> bool:
        """Resolve the step if its pointer is known, or anyway; True if that was done."""
        if step.lock is not None:
            step, pointer = self._sole(sketch, step, put(step.lock.pointer, values), True)
            assert step.lock is not None
            if force or linear(pointer) is not None:
                self._settle_lock(sketch, step, step.lock, pointer)
                return True
            sketch.steps.append(replace(step, lock=replace(step.lock, pointer=pointer)))
            return False
        assert step.pending is not None
        pending = _with_constants(step.pending, values)
        place = pending.place
        assert not isinstance(place.base, str)
        # What a function without a body does with a null pointer is its own affair.
        step, base = self._sole(sketch, step, place.base, pending.extent is None)
        pending = replace(pending, place=Place(base, place.path, place.type, place.base_type))
        if force or linear(base) is not None:
            self._settle(sketch, step, pending)
            return True
        sketch.steps.append(replace(step, pending=pending))
        return False

    def _sole(self, sketch: Sketch, step: SketchStep, pointer: Expr, follows: bool) -> tuple[SketchStep, Expr]:
        """The pointer with the only address that it can be put in; where it is followed, it is that."""
        known = linear(pointer)
        found = None if known is not None else sole(pointer, partial(self._address, step.source))
        if found is None or (0 in found[2] and not follows):
            return step, pointer
        v, address, others = found
        placed = put(pointer, {v.name: Const(address, v.type)})
        if others:
            self._world.notes.assume("no invalid pointer is dereferenced", step.location, Ground.DEFINED)
            there = sketch.fresh()
            sketch.steps.append(SketchStep(step.source, there, Assume(Binary("==", Read(v), Const(address, v.type))), (),
                                           step.location,
                                     step.text, total=True))
            step = replace(step, source=there)
        return step, placed

    def _settle_lock(self, sketch: Sketch, step: SketchStep, lock: LockOperation, pointer: Expr) -> None:
        words = self._resolver.words(pointer, lock.targets, self._cases.visible, self._world.outside_locks, lock.type,
                                     step.location)
        if (lock.targets.outside and not isinstance(pointer, Const)) or not words:
            self._lost(sketch, step, lock, step.source)
        for case in words:
            start = step.source
            if case.guard is not None and case.guard != TRUE:
                start = sketch.fresh()
                sketch.steps.append(SketchStep(step.source, start, Assume(case.guard), (), step.location, step.text, total=True))
            assert case.object is not None
            shared = self._world.objects.is_global(case.object)
            kind = AccessKind.DATA if lock.sets_up else AccessKind.LOCK
            if case.cell is None or self._cases.is_many(case.object):
                leaves = case.object.leaves if case.cell is None else (case.cell.leaf,)
                some = tuple(replace(self._cases.whole(leaf, True, lock.edge), kind=kind) for leaf in leaves)
                self._lost(sketch, step, lock, start, some if shared else ())
                continue
            touched = tuple(Access(v, True, step.location, step.text, kind) for v in case.cell.lvalues)
            for ops in self._lock_ways(lock, case.cell):
                block = ops[0] if len(ops) == 1 else Block(tuple(ops))
                sketch.steps.append(SketchStep(start, step.target, block, touched if shared else (), step.location, step.text,
                                         not lock.sets_up, doubts=lock.doubts, sets_up=lock.sets_up))

    def _lost(self, sketch: Sketch, step: SketchStep, lock: LockOperation, start: int, touched: tuple[Access, ...] = ()) -> None:
        """A lock from outside, or one that is not told apart from others, excludes nobody that we know of."""
        op: Op = SKIP if lock.result is None else Havoc((lock.result,))
        lost = Doubt("a lock that cannot be told apart is not waited for", accesses=bool(touched), step=not lock.plain)
        if lock.plain and lock.result is not None:
            op = Assign(lock.result, Const(0, lock.result.type))
        elif not lock.plain:
            self._world.notes.warn("a lock that cannot be told apart protects nothing", lock.edge.location)
        sketch.steps.append(SketchStep(start, step.target, op, touched, step.location, step.text, doubts=(lost,),
                                       sets_up=lock.sets_up))

    def _lock_ways(self, lock: LockOperation, word: Cell) -> list[list[Op]]:
        """What may be done to the word; one that is kept as bytes is put together, changed, and taken apart again."""
        if not word.bytes:
            return lock.ways(word, lock.result)
        copy = self._temporary(word.type)
        value = word.value()
        assert value is not None
        state = Cell(Leaf(copy.name, copy.type, 0, word.bytes), None, copy.type)
        return [[Assign(copy, value), *ops, *word.write(Read(copy))] for ops in lock.ways(state, lock.result)]

    def _settle(self, sketch: Sketch, step: SketchStep, pending: Pending) -> None:
        if pending.extent is not None:
            self._effects.settle(sketch, step, pending, pending.extent)
            return
        place, targets = pending.place, pending.targets
        if targets.unknown:
            self._world.assume_far_from_locks(pending.edge.location)
        cases, anywhere = self._resolver.cases(place, targets, self._cases.visible, self._world.outside, pending.edge.location)
        if anywhere and pending.register is not None:
            self._cases.load_anything(sketch, step.source, step.target, pending.register, anywhere, pending.edge)
        elif anywhere:
            self._cases.store_anything(sketch, step.source, step.target, anywhere, pending.edge)
        for case in cases:
            start = step.source
            if case.guard is not None:
                start = sketch.fresh()
                sketch.steps.append(SketchStep(step.source, start, Assume(case.guard), (), step.location, step.text, total=True))
            if isinstance(case, RegisterCase):
                sketch.steps.append(deferred(start, step.target, case, pending))
            elif pending.write:
                self._cases.store(sketch, start, step.target, pending.value, case, pending.edge)
            else:
                assert pending.register is not None
                self._cases.load(sketch, start, step.target, pending.register, case, pending.edge)


def _at_origin(step: SketchStep, into: Mapping[int, list[SketchStep]], own: Set[str]) -> SketchStep:
    """The step with its pointer replaced by the expression that was assigned to it just before."""
    if step.lock is not None:
        return replace(step, lock=replace(step.lock, pointer=_origin(step.lock.pointer, step.source, into, own)))
    assert step.pending is not None and not isinstance(step.pending.place.base, str)
    place = step.pending.place
    base = _origin(step.pending.place.base, step.source, into, own)
    return replace(step, pending=replace(step.pending, place=Place(base, place.path, place.type, place.base_type)))


def _origin(e: Expr, location: int, into: Mapping[int, list[SketchStep]], own: Set[str]) -> Expr:
    """What a pointer was set to on the only way here, if nothing that went into it has changed since.

    A register that is a copy of another one, or lies at a distance from it, is what that one was set to further back, whatever
    has become of it since. Only registers of the thread (`own`) are followed: what lies in memory may be set by other threads, or
    through a pointer, on the way here.
    """
    changed: set[str] = set()
    sought = pointer_in(e)
    result = e
    for _ in range(_LOOK_BACK):
        before = into.get(location, [])
        if sought is None or sought.name not in own or len(before) != 1:
            return e
        for part in reversed(list(primitive(before[0].op))):
            if sought is not None and sought.name in op_writes(part):
                if not isinstance(part, Assign) or not isinstance(part.target, Var) or part.value.type.width != sought.type.width:
                    return e
                further = pointer_in(part.value)
                if changed & (variables(part.value) - ({further.name} if further is not None else set())):
                    return e
                result = put(result, {sought.name: part.value})
                if further is None:
                    return result if linear(result) is not None else e
                sought = further
            changed.update(op_writes(part))
        location = before[0].source
    return e


def put(e: Expr, values: Mapping[str, Expr]) -> Expr:
    """The expression with known registers put in."""
    return fold(substitute(e, lambda v: values.get(v.name) if isinstance(v, Var) else None)) if values else e


def _with_constants(pending: Pending, values: Mapping[str, Const]) -> Pending:
    """The access with the constants known before it put in."""
    place = pending.place
    assert not isinstance(place.base, str)
    path = tuple(Index(put(s.value, values)) if isinstance(s, Index) else s for s in place.path)
    return replace(pending, place=Place(put(place.base, values), path, place.type, place.base_type),
                   value=None if pending.value is None else put(pending.value, values))
