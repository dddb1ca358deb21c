"""Non-local jumps of one thread: `setjmp` gives 0 when it is called, and a value other than 0 for every `longjmp`.

Which `setjmp` a jump returns to is not tracked: it may be any of the thread's. Locals keep their values; C leaves those that
changed in between open.
"""

from __future__ import annotations

from dataclasses import field

from frontend.ir import IrEdge
from frontend.memory.sketch import Sketch, SketchStep
from frontend.program import Assume, Binary, Block, Const, Doubt, Havoc, Op, Read, Var
from frontend.records import dataclass

LANDINGS = frozenset({"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "__builtin_setjmp"})
JUMPS = frozenset({"longjmp", "_longjmp", "siglongjmp", "__builtin_longjmp", "__longjmp_chk"})

_WHERE = "which 'setjmp' a long jump returns to is not tracked"


@dataclass(slots=True)
class LongJumps:
    """What a thread has of both; `nesting`: how deep in sections it is there, which no jump changes."""

    landings: list[tuple[int, Var | None, tuple[int, int]]] = field(default_factory=list)
    jumps: list[tuple[int, IrEdge, tuple[int, int]]] = field(default_factory=list)

    def connect(self, sketch: Sketch) -> list[IrEdge]:
        """Add the steps of all jumps; gives the jumps that lead nowhere."""
        lost: list[IrEdge] = []
        for source, edge, nesting in self.jumps:
            targets = [(location, result) for location, result, there in self.landings if there == nesting]
            for location, result in targets:
                ops: tuple[Op, ...] = ()
                if result is not None:
                    ops = Havoc((result,)), Assume(Binary("!=", Read(result), Const(0, result.type)))
                doubt = Doubt(_WHERE, () if result is None else (result.name,), step=True)
                sketch.steps.append(SketchStep(source, location, Block(ops), (), edge.location, edge.text, doubts=(doubt,)))
            if not targets:
                lost.append(edge)
        return lost
