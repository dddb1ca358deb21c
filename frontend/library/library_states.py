"""State that the C library keeps between calls, as objects that all threads share, and streams, which have locks of their own.

See `frontend.ir.library_state` for which functions have which. A stream is used by whoever reads or writes it, one at a time; to
close it while another thread may use it is a race, as it is for a lock that is destroyed.
"""

from __future__ import annotations

from frontend.ctypes import VoidType
from frontend.ir import Call, Place
from frontend.ir.library_table import KEEPERS, KNOWN, STREAMS, LibraryFunction
from frontend.library import locks
from frontend.memory.objects import Notes
from frontend.memory.points_to import Targets
from frontend.memory.sketch import DEEP, LockOperation, SketchStep
from frontend.memory.world import World
from frontend.program import SKIP, Assign, Const, Ground
from frontend.program.fold import cast
from frontend.threads.inline import CallRequest


class LibraryStates:
    """Adds the steps of library functions on what the library keeps."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._written: frozenset[str] | None = None

    def touch(self, request: CallRequest, known: LibraryFunction, source: int) -> int:
        """The steps on states, on what was handed over to be kept, and on a stream; gives the location behind them."""
        accesses, sketch, edge = request.inliner.accesses, request.inliner.sketch, request.edge
        here = source
        for state in known.states:
            if not state.write and state.name not in self._writable(accesses.world):
                continue
            obj = accesses.world.objects.named(state.object)
            address = Const(accesses.world.objects.base(obj), accesses.world.places.pointer)
            before, here = here, sketch.fresh()
            accesses.effect(sketch, before, here, address, Targets(((obj.name, 0),), False), -1, state.write, edge,
                            sure=state.sure)
        states = [(s.name, s.name == "strtok") for s in known.states if s.name in _KEEPERS]
        for what, write in [*states, *([("stream", True)] if known.buffers else [])]:
            kept = accesses.world.pointsto.kept(what)
            if kept.known or kept.unknown:
                before, here = here, sketch.fresh()
                accesses.effect(sketch, before, here, Const(0, accesses.world.places.pointer), kept, DEEP, write, edge)
        return here if known.stream is None else self._stream(request, known.stream, known.closes, here)

    def give(self, request: CallRequest, known: LibraryFunction, source: int) -> None:
        """The result is a pointer to the function's state, or null."""
        if request.result is None:
            request.inliner.step(source, SKIP, request.target, request.edge)
            return
        world = request.inliner.accesses.world
        obj = world.objects.named(known.states[0].object)
        for value in (world.objects.base(obj), 0):
            address = cast(Const(value, world.places.pointer), request.result.type)
            request.inliner.step(source, Assign(request.result, address), request.target, request.edge)

    def _writable(self, world: World) -> frozenset[str]:
        """The states that some function of the program may write: others need not be looked at when they are read."""
        if self._written is None:
            edges = [e.instr for f in world.pointsto.reached.values() for e in f.edges]
            named = {i.callee for i in edges if isinstance(i, Call) and isinstance(i.callee, str)} | set(world.pointsto.taken)
            self._written = frozenset(s.name for n in named if n in KNOWN for s in KNOWN[n].states if s.write)
        return self._written

    def _stream(self, request: CallRequest, position: int, closes: bool, source: int) -> int:
        """The use, or the end, of those streams of the program that the argument may be."""
        argument = request.arguments[position] if position < len(request.arguments) else None
        if argument is None or isinstance(argument, Place):
            return source
        inliner = request.inliner
        found = inliner.accesses.world.pointsto.targets(request.frame.function.name, request.raw(position))
        own = tuple(t for t in found.known if t[0].partition("@")[0] in STREAMS)
        if closes and found.outside:
            self._notes.assume("a stream from elsewhere is not closed while another thread uses it", request.location,
                               Ground.DEFINED)
        if not own:
            return source
        after = inliner.sketch.fresh()
        inliner.sketch.steps.append(SketchStep(source, after, SKIP, (), request.location, request.edge.text, lock=LockOperation(
            argument, Targets(own, False), VoidType(), locks.untouched, None, request.edge, sets_up=closes, plain=True)))
        # It may as well be null, or a stream that the program did not make.
        inliner.step(source, SKIP, after, request.edge)
        return after


_KEEPERS = frozenset(what for what, _ in KEEPERS.values())
