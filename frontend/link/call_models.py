"""The models of calls that have no body to inline: threads, locks, callbacks, the C library, interrupts."""

from __future__ import annotations

from frontend.annotations.attached import tid_of
from frontend.interrupts.interrupt_calls import Interrupts
from frontend.ir import Call
from frontend.ir.interrupt_table import InterruptTable
from frontend.ir.thread_library import THREAD_LIBRARY, ThreadCall, names_of
from frontend.library.callbacks import Callbacks
from frontend.library.library_calls import LibraryCalls
from frontend.library.lifetime import Lifetime
from frontend.library.pthreads import Pthreads
from frontend.library.results import find_channels
from frontend.library.thread_creation import ThreadCreation
from frontend.link.bodies import Bodies
from frontend.link.which_threads import ThreadSet, count_runs
from frontend.memory.lock_types import has_kinds
from frontend.memory.objects import Notes
from frontend.memory.world import World
from frontend.program import Read
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class CallModels:
    """One model for all threads of the program: they collect what the threads that are inlined create and need.

    `early`: why a thread that is joined may not be waited for. `selves`: threads may know their own handles.
    """

    library: LibraryCalls
    lifetime: Lifetime
    interrupts: Interrupts
    early: tuple[str, ...]
    selves: bool


def model_interrupts(bodies: Bodies, threads: ThreadSet, table: InterruptTable, notes: Notes) -> Interrupts:
    """What calls do that switch interrupts or post tasks; nothing in a program without handlers and tasks."""
    return Interrupts(table, notes, bodies.has, threads.reactive, threads.rules, threads.tasks, threads.reenabling)


def model_calls(world: World, threads: ThreadSet, interrupts: Interrupts) -> CallModels:
    """The models, told what they must know of the whole program: whether mutexes have kinds, who joins, who is cancelled."""
    pointer, module = world.places.pointer, world.module
    kinds = calls(world, ThreadCall.MUTEX_SET_KIND, ThreadCall.TYPED_MUTEX_INIT) or has_kinds(
        module, world.pointsto.reached.values(), lambda name: name in world.pointsto.reached or name in THREAD_LIBRARY)
    owner = None if module.attached is None else Read(tid_of(module.model))
    creation = ThreadCreation(world.notes, pointer, threads.functions, calls(world, ThreadCall.JOIN))
    cancels = calls(world, ThreadCall.CANCEL)
    early = {"a thread that is cancelled may end early": cancels,
             "a thread that is detached is not waited for": calls(world, ThreadCall.DETACH, ThreadCall.SET_DETACHED)}
    callbacks = Callbacks(creation, count_runs(threads, world.pointsto), cancels, calls(world, ThreadCall.SET_CANCEL_TYPE))
    signals = bool(world.pointsto.anytime)
    pthreads = Pthreads(world.notes, creation, kinds, owner, signals, calls(world, ThreadCall.SET_ROBUST))
    channels = find_channels([e.instr for f in world.pointsto.reached.values() for e in f.edges if isinstance(e.instr, Call)])
    library = LibraryCalls(pthreads, callbacks, world.notes, interrupts, channels)
    reasons = tuple(why for why, may_be in early.items() if may_be)
    scheduled = calls(world, ThreadCall.START_SCHEDULER)
    return CallModels(library, Lifetime(world.notes, world.objects, pointer, scheduled), interrupts, reasons,
                      calls(world, ThreadCall.OWN_HANDLE))


def calls(world: World, *what: ThreadCall) -> bool:
    """Whether any function that is reached calls one of the threading library that does this, by its name."""
    names = names_of(*what)
    return any(isinstance(e.instr, Call) and e.instr.callee in names for f in world.pointsto.reached.values() for e in f.edges)
