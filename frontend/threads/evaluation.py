"""Values of a function's expressions in a thread, with a step for each case where addresses count as numbers."""

from __future__ import annotations

from frontend.ir import Index, IrEdge, PathStep, Place
from frontend.memory.accesses import Accesses
from frontend.memory.sketch import Sketch, SketchStep
from frontend.program import Assign, Assume, Binary, Block, Doubt, Expr, Ground, Read, Var, truth
from frontend.program.fold import cast, fold
from frontend.threads.address_numbers import AddressNumbers
from frontend.threads.frames import CallFrame

_LAYOUT = "which addresses objects and threads get is not tracked"


class Evaluation:
    """Adds the steps that evaluate expressions to the sketch of one thread."""

    def __init__(self, sketch: Sketch, accesses: Accesses) -> None:
        self._sketch = sketch
        self._accesses = accesses
        self.numbers = AddressNumbers(accesses.world, accesses.temporary)

    def set(self, frame: CallFrame, register: Var, e: Expr, edge: IrEdge, source: int, target: int) -> None:
        """register := e"""
        found = self.numbers.cases(frame.function.name, e, frame.expr)
        if not found:
            self._sketch.steps.append(SketchStep(source, target, Assign(register, frame.expr(e)), (), edge.location, edge.text))
        for case in found:
            doubts = (Doubt(_LAYOUT, (register.name,)),) if case.doubtful else ()
            op = Block((*case.before, Assume(case.guard), Assign(register, cast(case.value, register.type))))
            self._sketch.steps.append(SketchStep(source, target, op, case.accesses, edge.location, edge.text, total=True,
                                                 doubts=doubts))

    def one_object(self, frame: CallFrame, distance: Expr, edge: IrEdge) -> None:
        """Where the pointers of a distance lead to different objects for sure, what C says of that is written down."""
        assert isinstance(distance, Binary)
        world, name = self._accesses.world, frame.function.name
        left, right = (world.pointsto.targets(name, e) for e in (distance.left, distance.right))
        first, second = ({t[0] for t in side.known} for side in (left, right))
        if first and second and not (left.outside or right.outside or first & second):
            world.notes.assume("pointers that are subtracted point into the same object", edge.location, Ground.DEFINED)

    def guard(self, frame: CallFrame, e: Expr, edge: IrEdge, source: int, target: int) -> None:
        """Control passes only if `e` is not 0."""
        found = self.numbers.cases(frame.function.name, e, frame.expr)
        if not found:
            op = Assume(fold(truth(frame.expr(e))))
            self._sketch.steps.append(SketchStep(source, target, op, (), edge.location, edge.text))
        for case in found:
            doubts = (Doubt(_LAYOUT, step=True),) if case.doubtful else ()
            both = Block((*case.before, Assume(case.guard), Assume(fold(truth(case.value)))))
            self._sketch.steps.append(SketchStep(source, target, both, case.accesses, edge.location, edge.text, doubts=doubts))

    def value(self, frame: CallFrame, e: Expr, edge: IrEdge, source: int) -> tuple[Expr, int]:
        """The value of an expression, and the location from where it has it."""
        if not self.numbers.cases(frame.function.name, e, frame.expr):
            return frame.expr(e), source
        kept, after = self._accesses.temporary(e.type), self._sketch.fresh()
        self.set(frame, kept, e, edge, source, after)
        return Read(kept), after

    def place(self, frame: CallFrame, place: Place, edge: IrEdge, source: int) -> tuple[Place, int]:
        """A place over the thread's registers, and the location from where it is that."""
        base: str | Expr = place.base
        if not isinstance(base, str):
            base, source = self.value(frame, base, edge, source)
        path: list[PathStep] = []
        for part in place.path:
            if isinstance(part, Index):
                index, source = self.value(frame, part.value, edge, source)
                path.append(Index(index))
            else:
                path.append(part)
        return Place(base, tuple(path), place.type, place.base_type), source

    def argument(self, frame: CallFrame, argument: Expr | Place, edge: IrEdge, source: int) -> tuple[Expr | Place, int]:
        """An argument of a call, and the location from where it has its value."""
        if isinstance(argument, Place):
            return self.place(frame, argument, edge, source)
        return self.value(frame, argument, edge, source)
