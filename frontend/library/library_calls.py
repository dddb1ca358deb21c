"""What calls of functions without a body do: the threading library, the C library by a table, the rest by assumption."""

from __future__ import annotations

from dataclasses import replace

from frontend.ctypes import FunctionType, PointerType, VoidType
from frontend.interrupts.interrupt_calls import Interrupts
from frontend.ir import Place
from frontend.ir.formats import ArgumentUse, any_use, uses
from frontend.ir.library_table import ASSEMBLER, CALLBACKS, KNOWN, NOT_MODELLED, LibraryFunction, LibraryResult
from frontend.ir.thread_library import KERNEL_STARTERS, THREAD_LIBRARY
from frontend.library.callbacks import Callbacks
from frontend.library.library_states import LibraryStates
from frontend.library.pthreads import Pthreads
from frontend.library.results import Channels, Results, exclusive, of_place
from frontend.library.thread_creation import sync
from frontend.memory.leaves import MemObject
from frontend.memory.objects import Notes
from frontend.memory.points_to import Targets, points_to_const
from frontend.memory.sketch import DEEP, SketchStep
from frontend.program import (
    COPIED,
    END_OF_INPUT,
    SKIP,
    Assign,
    Assume,
    Binary,
    Block,
    Const,
    Doubt,
    Expr,
    FrontendError,
    Ground,
    Havoc,
    Op,
    Read,
    Values,
    Var,
    Variable,
)
from frontend.program.fold import cast, fold, plus, times
from frontend.threads.inline import CallRequest, Library

_STATIC_INSTANCES = 1 << 4
_SPLITS = frozenset({"fork", "vfork", "_Fork"})
_MEMORY = frozenset({"memcpy", "memmove", "mempcpy", "memset", "memcmp", "bzero"})


class LibraryCalls(Library):
    """The library of a hosted C program."""

    def __init__(self, pthreads: Pthreads, callbacks: Callbacks, notes: Notes, interrupts: Interrupts,
                 channels: Channels) -> None:
        self.pthreads = pthreads
        self.callbacks = callbacks
        self._interrupts = interrupts
        self._notes = notes
        self._states = LibraryStates(notes)
        self._instances: dict[str, int] = {}
        self.counters: dict[str, Variable] = {}
        self._results = Results(self.counters, channels)
        self.called: dict[str, None] = {}

    def threads(self, request: CallRequest) -> bool:
        self.called.setdefault(request.callee)
        if request.callee not in request.inliner.accesses.world.pointsto.entered and self.callbacks.model(request):
            return True
        if request.callee in THREAD_LIBRARY:
            self.pthreads.model(self.callbacks.before(request))
            return True
        return self._interrupts.model(request)

    def returned(self, request: CallRequest) -> int:
        return self._interrupts.returned(request)

    def external(self, request: CallRequest) -> None:
        if request.callee == END_OF_INPUT:
            self._end_of_input(request)
            return
        known = KNOWN.get(request.callee)
        request = self._results.sent(self._results.received(self.callbacks.before(request)))
        if request.callee in CALLBACKS:
            request = self._call_back(request, *CALLBACKS[request.callee])
        else:
            self._callbacks(request)
        if known is None:
            self._unknown(request)
        elif known.result is LibraryResult.NO_RETURN:
            return
        elif known.result is LibraryResult.NEW:
            self._allocate(request)
        else:
            self._library(request, known)

    def _end_of_input(self, request: CallRequest) -> None:
        """The input may end here, but not be read any further then, which is not tracked."""
        assert request.result is not None
        for ended in (0, 1):
            doubts = (Doubt("when the input ends is not tracked", step=True),) if ended else ()
            request.inliner.step(request.source, Assign(request.result, Const(ended, request.result.type)), request.target,
                                 request.edge, doubts=doubts)

    def _call_back(self, request: CallRequest, position: int, given: tuple[int, ...]) -> CallRequest:
        """The function that the callee is given runs any number of times, on pointers to anywhere; gives what is left to do."""
        if len(request.arguments) <= position:
            return request
        inliner, frame = request.inliner, replace(request.frame, once=False)
        function, raw = request.arguments[position], request.call.args[position]
        assert not isinstance(function, Place) and not isinstance(raw, Place)
        accesses = inliner.accesses
        pointers = tuple(accesses.temporary(accesses.world.places.pointer) for _ in given)
        around, begin = inliner.sketch.fresh(), inliner.sketch.fresh()
        inliner.step(request.source, SKIP, around, request.edge)
        several = request.arguments[position - 2]
        number = several if isinstance(several, Place) else fold(several)
        doubt = Doubt(f"how '{request.callee}' calls the function it is given is not tracked", tuple(v.name for v in pointers),
                      step=not (isinstance(number, Const) and number.value > 1))
        inliner.step(around, Havoc(pointers), begin, request.edge, doubts=(doubt,))
        for name in accesses.world.pointsto.functions(frame.function.name, raw, len(given)):
            chosen = inliner.sketch.fresh()
            inliner.step(begin, Assume(accesses.is_function(function, name, request.location)), chosen, request.edge, total=True)
            inliner.direct(frame, request.edge, request.call, name, tuple(map(Read, pointers)), chosen, around, discard=True)
        return replace(request, source=around)

    def _callbacks(self, request: CallRequest) -> None:
        """A function without a body that is handed to another one is not followed; that is written down."""
        pointsto = request.inliner.accesses.world.pointsto
        if request.callee in KNOWN:
            return
        for argument in request.call.args:
            if isinstance(argument, Place):
                continue
            given = [t[0][1:] for t in pointsto.targets(request.frame.function.name, argument).known if t[0].startswith("&")]
            for name in given:
                if name in pointsto.entered:
                    continue
                self._notes.assume(f"'{request.callee}' does not call '{name}', which it is given", request.location,
                                   Ground.ABSENT)

    def lost_call(self, request: CallRequest) -> None:
        """Only a null pointer has no target, and to call that is undefined; a pointer from outside may do anything it can."""
        assert not isinstance(request.call.callee, str)
        found = request.inliner.accesses.world.pointsto.targets(request.frame.function.name, request.call.callee)
        if found.outside:
            self._unknown(replace(request, callee="(through a pointer)"))
        else:
            self._notes.assume("no invalid pointer is dereferenced", request.location, Ground.DEFINED)
            self._notes.warn("the function pointer called here never gets a value", request.location)

    # ------------------------------------------------------------------------------------------- the C library
    def _library(self, request: CallRequest, known: LibraryFunction) -> None:
        count = len(request.arguments)
        more = [] if known.format is None else self._formatted(request, known, known.format)
        reads = [*known.reads, *(position for position, use in more if use is ArgumentUse.READ)]
        writes = [*known.writes, *(position for position, use in more if use is ArgumentUse.WRITE)]
        here = request.source
        for position, write in [*((r, False) for r in reads), *((w, True) for w in writes)]:
            if position < count and self._is_pointer(request, position):
                here = self._follow(request, here, position, write, self._extent(request, known))
        for position in (*known.deep_reads, *known.deep_writes):
            if position < count and self._is_pointer(request, position):
                here = self._follow(request, here, position, False, DEEP)
        for position in known.deep_writes:
            if position < count and self._is_pointer(request, position):
                here = self._follow(request, here, position, True, DEEP)
        here = self._states.touch(request, known, here)
        if known.result is LibraryResult.HIDDEN and request.callee != "strtok" and request.into is None:
            self._states.give(request, known, here)
        else:
            self._results.give(request, here, known.result)

    def _formatted(self, request: CallRequest, known: LibraryFunction, at: int) -> list[tuple[int, ArgumentUse]]:
        """The format is read, and what may happen to the arguments behind it."""
        raw = request.call.args[at] if at < len(request.call.args) else None
        if raw is None or isinstance(raw, Place):
            return []
        texts = request.inliner.accesses.world.pointsto.texts(request.frame.function.name, raw)
        if known.listed:
            found = [any_use(texts, known.scans)] * (len(request.arguments) - at - 1)
        else:
            found = uses(texts, known.scans, len(request.arguments) - at - 1)
        return [(at, ArgumentUse.READ),
                *((at + 1 + i, use) for i, some in enumerate(found) for use in ArgumentUse if use in some)]

    def _extent(self, request: CallRequest, known: LibraryFunction) -> int:
        """How far the function follows a pointer; see `Pending.extent`."""
        if known.name in ("free", "cfree"):
            return -1
        if known.name not in _MEMORY:
            return 0
        size = request.arguments[-1]
        folded = None if isinstance(size, Place) else fold(size)
        return folded.value if isinstance(folded, Const) and folded.value > 0 else -1

    def _is_pointer(self, request: CallRequest, position: int) -> bool:
        argument = request.arguments[position] if position < len(request.arguments) else None
        if argument is None or isinstance(argument, Place):
            return False
        types = request.call.type.params
        if position < len(types):
            return isinstance(types[position], PointerType)
        return argument.type == request.inliner.accesses.world.places.pointer

    def _follow(self, request: CallRequest, source: int, position: int, write: bool, extent: int) -> int:
        pointer, raw = request.arguments[position], request.call.args[position]
        assert not isinstance(pointer, Place) and not isinstance(raw, Place)
        accesses, sketch = request.inliner.accesses, request.inliner.sketch
        targets = accesses.world.pointsto.targets(request.frame.function.name, raw)
        after = sketch.fresh()
        fill = self._filled(request) if write else None
        ends = request.callee in ("free", "cfree")
        if ends:
            self._notes.assume("memory is not used after it was freed", request.location, Ground.DEFINED)
        sure = extent > 0 or ends
        outside = self._results.open(request)
        accesses.effect(sketch, source, after, pointer, targets, extent, write, request.edge, fill, sure, outside, ends,
                        self._pointee(request, position))
        return after

    def _pointee(self, request: CallRequest, position: int) -> int:
        """The size of what an argument points to, as the call declares it."""
        types = request.call.type.params
        declared = types[position] if position < len(types) else None
        if not isinstance(declared, PointerType) or isinstance(declared.target, VoidType | FunctionType):
            return 1
        try:
            return max(request.inliner.accesses.world.module.sizeof(declared.target), 1)
        except FrontendError:  # a type that is declared only
            return 1

    def _filled(self, request: CallRequest) -> int | None:
        """The byte that the call sets memory to, if it is known."""
        if request.callee == "bzero":
            return 0
        value = request.arguments[1] if request.callee == "memset" and len(request.arguments) == 3 else None
        folded = None if value is None or isinstance(value, Place) else fold(value)
        return folded.value & 255 if isinstance(folded, Const) else None

    # ------------------------------------------------------------------------------------------- the heap
    def _allocate(self, request: CallRequest) -> None:
        """Fresh memory or null. What may run many times counts its instances; what runs once has one of its own."""
        inliner, edge = request.inliner, request.edge
        accesses = inliner.accesses
        here = request.source
        if request.callee in ("realloc", "strdup", "strndup") and self._is_pointer(request, 0):
            here = self._follow(request, here, 0, request.callee == "realloc", -1)
        for position in () if request.callee in ("realloc", "strdup", "strndup") else KNOWN[request.callee].reads:
            if position < len(request.arguments) and self._is_pointer(request, position):
                here = self._follow(request, here, position, False, 0)
        if request.result is None:
            inliner.step(here, SKIP, request.target, edge)
            return
        inliner.step(here, Assign(request.result, Const(0, request.result.type)), request.target, edge)
        site = (request.frame.function.name, edge.source, edge.target)
        name = accesses.world.pointsto.sites.get(site)
        if name is None:
            lost = Doubt("memory is allocated in a way that is not followed", (request.result.name,))
            inliner.step(here, Havoc((request.result,)), request.target, edge, doubts=(lost,))
            return
        obj = accesses.world.objects.named(name)
        if exclusive(request):
            alone = Doubt("which thread makes the file is not tracked", step=True)
            here, before = inliner.sketch.fresh(), here
            inliner.step(before, SKIP, here, edge, doubts=(alone,))
        if request.callee in ("realloc", "strndup") or (request.callee == "strdup" and not self._is_copied(request)):
            copied = Doubt("what is copied into new memory is not tracked", tuple(leaf.name for leaf in obj.leaves))
            here, before = inliner.sketch.fresh(), here
            inliner.step(before, SKIP, here, edge, doubts=(copied,))
        if obj.instances is None:
            address: Expr = Const(accesses.world.objects.base(obj), accesses.world.places.pointer)
            inliner.step(here, Assign(request.result, cast(address, request.result.type)), request.target, edge)
        elif request.frame.once and edge.source not in request.frame.cyclic and self._instances.get(name, 0) < _STATIC_INSTANCES:
            number = self._instances[name] = self._instances.get(name, 0) + 1
            address = self._address(request, obj, Const(number - 1, accesses.world.places.pointer))
            inliner.step(here, Assign(request.result, cast(address, request.result.type)), request.target, edge)
        else:
            self._count(request, obj, here)

    def _is_copied(self, request: CallRequest) -> bool:
        """Whether what `strdup` gives is filled where it is called, as everywhere in the program."""
        return any(name.rpartition(":")[2] == COPIED for name in request.inliner.accesses.world.module.declarations)

    def _address(self, request: CallRequest, obj: MemObject, instance: Expr) -> Expr:
        assert obj.instances is not None
        world = request.inliner.accesses.world
        return plus(times(instance, obj.instances.stride), Const(world.objects.base(obj), world.places.pointer))

    def _count(self, request: CallRequest, obj: MemObject, source: int) -> None:
        world = request.inliner.accesses.world
        assert request.result is not None and obj.instances is not None
        counter = Variable(f"<{obj.name} next>", world.places.pointer, None, Values(_STATIC_INSTANCES), ghost=True,
                           shown=f"<{obj.name} next>")
        self.counters[counter.name] = counter
        number = Var(counter.name, counter.type)
        limit = Const(obj.instances.count, counter.type)
        self._notes.assume(f"fewer than {obj.instances.count} allocations are made at one place", request.location,
                           Ground.BOUNDED)
        ops: tuple[Op, ...] = (
            Assume(Binary("<", Read(number), limit)),
            Assign(request.result, cast(self._address(request, obj, Read(number)), request.result.type)),
            Assign(number, Binary("+", Read(number), Const(1, counter.type))),
        )
        request.inliner.sketch.steps.append(SketchStep(source, request.target, Block(ops), (sync(number, True),),
                                                       request.location,
                                                 request.edge.text, protected=True, total=True))

    # ------------------------------------------------------------------------------------------- everything else
    def _unknown(self, request: CallRequest) -> None:
        if request.callee in KERNEL_STARTERS:
            raise FrontendError(
                request.location,
                f"'{request.callee}' starts a task, and what other calls of its kernel do is not known from these headers",
                "leave the kernel's include path out: circ has FreeRTOS.h, cmsis_os2.h and zephyr/kernel.h of its own")
        if not request.callee.startswith("__VERIFIER_nondet") and request.callee not in (ASSEMBLER, NOT_MODELLED):
            self._notes.assume(f"unknown function '{request.callee}' touches only what its arguments reach, calls back only what "
                               "it was given, starts no thread and makes nobody wait", request.location, Ground.ABSENT)
        here = request.source
        if self._interrupts.active and request.callee != ASSEMBLER:
            # It may switch interrupts off, or wait until they are off: what others do meanwhile need not be possible.
            here = request.inliner.sketch.fresh()
            unclear = Doubt(f"whether '{request.callee}' switches interrupts is not known", step=True)
            request.inliner.step(request.source, SKIP, here, request.edge, doubts=(unclear,))
        for position, argument in enumerate(request.call.args):
            if isinstance(argument, Place):
                here = self._follow_inside(request, here, of_place(request, argument))
            elif not self._is_pointer(request, position):
                # A number may be an address, too (`ioctl(fd, command, (unsigned long)&argument)`).
                found = request.inliner.accesses.world.pointsto.targets_of_number(request.frame.function.name, argument)
                here = self._follow_all(request, here, found)
            elif points_to_const(request.call, position):
                here = self._follow(request, here, position, False, -1)
                pointsto = request.inliner.accesses.world.pointsto
                here = self._follow_inside(request, here, pointsto.targets(request.frame.function.name, argument))
            else:
                here = self._follow(request, here, position, False, DEEP)
                here = self._follow(request, here, position, True, DEEP)
        self._results.give(request, here, LibraryResult.ANY)

    def _follow_inside(self, request: CallRequest, source: int, holders: Targets) -> int:
        """Everything that pointers stored in these objects lead to is read and changed."""
        return self._follow_all(request, source, request.inliner.accesses.world.pointsto.inside(holders))

    def _follow_all(self, request: CallRequest, source: int, inside: Targets) -> int:
        """All that pointers to these targets lead to is read and changed."""
        accesses, sketch = request.inliner.accesses, request.inliner.sketch
        if not inside.known and not inside.outside:
            return source
        nowhere = Const(0, accesses.world.places.pointer)
        between, after = sketch.fresh(), sketch.fresh()
        accesses.effect(sketch, source, between, nowhere, inside, DEEP, False, request.edge)
        accesses.effect(sketch, between, after, nowhere, inside, DEEP, True, request.edge)
        return after
