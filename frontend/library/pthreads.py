"""The threading libraries (pthreads, C11 threads.h) as operations on the lock words in the program's own objects.

A lock's state is kept in the first scalar of its object (zero: free, as the static initialisers have it).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from frontend.ctypes import PointerType, VoidType
from frontend.ir import Place
from frontend.ir.thread_library import LEAST_ARGUMENTS, THREAD_LIBRARY, THREAD_STARTERS, WITH_ATTRIBUTES, ThreadCall
from frontend.library import locks
from frontend.library.thread_creation import ThreadCreation
from frontend.memory.accesses import Accesses
from frontend.memory.escapes import SELF, own_number
from frontend.memory.objects import Notes
from frontend.memory.places import Cell
from frontend.memory.sketch import LockOperation, SketchStep
from frontend.program import (
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
    Location,
    Op,
    Read,
    Scalar,
    Var,
)
from frontend.program.fold import cast, fold, plus, times
from frontend.threads.inline import CallRequest

_INT = Scalar(32, True)
_NOBODY = Const(0, _INT)
_SEVERAL = 16
"""Kinds of threads that there are several of, and more."""
_SINGLES = 1 << 20
"""Numbers of threads that there is one of start here."""
_UNLESS = {"pthread_rwlock_tryrdlock": locks.POSIX.busy, "pthread_rwlock_timedrdlock": locks.POSIX.timed_out,
           "pthread_rwlock_trywrlock": locks.POSIX.busy, "pthread_rwlock_timedwrlock": locks.POSIX.timed_out,
           "pthread_rwlock_clockrdlock": locks.POSIX.timed_out, "pthread_rwlock_clockwrlock": locks.POSIX.timed_out}
"""What functions give that do not wait for ever."""
_LEAVING = Doubt("whether a thread still waits when this is destroyed is not tracked", accesses=True)
_HELD_BACK = Doubt("who runs while the scheduler is suspended is not followed", step=True)
_IN_KERNEL = "__circ_sem_try"
"""An attempt in a critical section of a kernel, which orders whether it fails or not."""
_TIME = "whether the time that is given is a valid one is not tracked"
_NO_ORDER = "an attempt that fails orders nothing: what others did before need not be seen"


class Pthreads:
    """Models calls of the threading library."""

    def __init__(self, notes: Notes, threads: ThreadCreation, typed_mutexes: bool, owner: Expr | None, signals: bool,
                 robust: bool) -> None:
        """`typed_mutexes`: there may be recursive and error checking ones, which know their holder; `signals`: with handlers;
        `robust`: a mutex may be told when its owner ends.

        `owner`: what mutexes hold while a thread has them, where annotations ask who has them.
        """
        self._notes = notes
        self.threads = threads
        self.owner = owner
        self._typed = typed_mutexes
        self._signals = signals
        self._robust = robust
        self._numbered = 0

    # ------------------------------------------------------------------------------------------- entry
    def model(self, request: CallRequest) -> None:
        """Model the call of a function of `THREAD_LIBRARY`."""
        what = THREAD_LIBRARY[request.callee]
        if len(request.arguments) < LEAST_ARGUMENTS[what]:
            raise FrontendError(request.location, f"'{request.callee}' has too few arguments", "give it all its arguments")
        if request.callee in WITH_ATTRIBUTES and what is not ThreadCall.MUTEX_INIT:
            request = replace(request, source=self._attributes(request, 1, False))
        _OPERATIONS[what](self, request)

    def introduce(self, accesses: Accesses, count: int | None) -> None:
        """Give a thread its number among all, if there are locks that know their holder."""
        if not self._typed:
            return
        word = accesses.world.places.word
        self._numbered += 1
        if count == 1:
            accesses.me = Const(_SINGLES + self._numbered, word)
            return
        if self._numbered >= _SEVERAL:
            raise FrontendError(Location(accesses.world.module.file, 1), "too many kinds of threads use recursive locks",
                                "use plain mutexes")
        accesses.own = (own_number(word),)
        accesses.me = plus(times(Read(Var(SELF, word)), _SEVERAL), Const(self._numbered, word))

    # ------------------------------------------------------------------------------------------- locks
    def _lock(self, request: CallRequest, position: int, lock: Callable[[Cell, Var | None], list[list[Op]]], source: int,
              target: int, result: Var | None, *, sets_up: bool = False, plain: bool = False,
              doubts: tuple[Doubt, ...] = ()) -> None:
        """Steps for an operation on the lock word that an argument points to; see `Lock`."""
        pointer = request.arguments[position]
        if isinstance(pointer, Place):
            raise FrontendError(request.location, "a lock is passed as it is", "pass its address")
        targets = request.inliner.accesses.world.pointsto.targets(request.frame.function.name, request.raw(position))
        params = request.call.type.params
        type_ = params[position] if position < len(params) else None
        kind = type_.target if isinstance(type_, PointerType) else VoidType()
        operation = LockOperation(pointer, targets, kind, lock, result, request.edge, sets_up, plain, doubts)
        request.inliner.sketch.steps.append(SketchStep(source, target, SKIP, (), request.location, request.edge.text,
                                                       lock=operation))

    def simple(self, request: CallRequest, lock: Callable[[Cell, Var | None], list[list[Op]]]) -> None:
        self._lock(request, 0, lock, request.source, request.target, request.result)

    def make(self, request: CallRequest, lock: Callable[[Cell, Var | None], list[list[Op]]]) -> None:
        """Initialises a lock: nobody may use it meanwhile."""
        self._lock(request, 0, lock, request.source, request.target, request.result, sets_up=True)

    def destroy(self, request: CallRequest) -> None:
        """Ends the use of a lock, or makes or ends a condition variable: nobody may use it meanwhile."""
        self._lock(request, 0, locks.untouched, request.source, request.target, request.result, sets_up=True, plain=True)

    def signal(self, request: CallRequest) -> None:
        """Wakes threads; who waits may always wake up, so this is a use and nothing else."""
        self._lock(request, 0, locks.untouched, request.source, request.target, request.result, plain=True)

    def mutexes(self, request: CallRequest) -> locks.Mutexes:
        """Mutexes as the calling thread uses them."""
        if self._typed:
            self._notes.assume(f"no thread holds a recursive mutex {locks.DEEPEST + 1} times at once", request.location,
                               Ground.BOUNDED)
        return locks.Mutexes(request.inliner.accesses.me, self._typed, None if self._typed else self.owner, _codes(request))

    def attempt(self, request: CallRequest, mutexes: locks.Mutexes, timed: bool = False) -> None:
        """Takes a mutex if nobody has it; else gives at once, or after a while, what says so."""
        code = _codes(request).timed_out if timed else _codes(request).busy
        self.simple(request, mutexes.attempt(code))
        self._fails(request, code, _NO_ORDER)
        if timed:
            self._fails(request, _codes(request).invalid, _TIME)
        self._orphaned(request)

    def acquire(self, request: CallRequest) -> None:
        """Takes a mutex."""
        self.simple(request, self.mutexes(request).acquire)
        self._orphaned(request)

    def _orphaned(self, request: CallRequest) -> None:
        """The owner of a robust mutex may have ended with it: it is taken, whatever its word says, and the caller is told so.

        The word is set when the mutex is given back. Where locks know their holders, that may not see whose it is: then nobody
        is sure to wait.
        """
        for code in (locks.OWNER_ENDED, locks.NOT_RECOVERABLE, *((0,) if self._typed else ())) if self._robust else ():
            self._fails(request, code, "whether the owner of a robust mutex has ended is not tracked")

    def _fails(self, request: CallRequest, code: int, why: str) -> None:
        """The call may also fail, and then does nothing. A run in which it does is none that is surely possible."""
        ops = locks.gives(request.result, code)
        request.inliner.step(request.source, Block(tuple(ops)), request.target, request.edge, doubts=(Doubt(why, step=True),))

    def set_up(self, request: CallRequest, lock: Callable[[Cell, Var | None], list[list[Op]]], code: int) -> None:
        """Initialises a lock, or refuses to; a program that does not look takes it for done."""
        self.make(request, lock)
        self._may_refuse(request, code)

    def post(self, request: CallRequest) -> None:
        """Adds one to a semaphore, or refuses to."""
        self.simple(request, locks.post)
        self._may_refuse(request, -1)

    def _may_refuse(self, request: CallRequest, code: int) -> None:
        if request.result is not None:
            self._fails(request, code, f"'{request.callee}' need not fail")

    def semaphore(self, request: CallRequest) -> None:
        """Takes one of a semaphore; a signal handler may end the waiting."""
        blocks = request.callee == "sem_wait"
        self.simple(request, locks.wait(blocks))
        if not blocks and request.callee != _IN_KERNEL:
            self._fails(request, -1, _NO_ORDER)
        elif self._signals:
            self._fails(request, -1, "whether a signal handler ends the waiting is not tracked")

    def write_lock(self, request: CallRequest) -> None:
        """Held for writing."""
        self._read_write(request, locks.write_lock(_UNLESS.get(request.callee)))

    def _read_write(self, request: CallRequest, lock: Callable[[Cell, Var | None], list[list[Op]]]) -> None:
        self.simple(request, lock)
        if request.callee in _UNLESS:
            self._fails(request, _UNLESS[request.callee], _NO_ORDER)
            if _UNLESS[request.callee] == locks.POSIX.timed_out:
                self._fails(request, locks.INVALID, _TIME)
        elif request.result is not None:
            own = Doubt("whether a thread waits for a lock of its own is not tracked", step=True)
            writes = THREAD_LIBRARY[request.callee] is ThreadCall.WRITE_LOCK
            self._lock(request, 0, locks.deadlocks(writes), request.source, request.target, request.result, doubts=(own,))

    def initialise(self, request: CallRequest) -> None:
        """A mutex of the kind that its attributes say."""
        inliner = request.inliner
        attribute = request.arguments[1] if len(request.arguments) > 1 else None
        plain = attribute is None or isinstance(attribute, Place) or fold(attribute) == Const(0, attribute.type)
        if plain or not self._typed:
            self.make(request, locks.becomes(0))
            return
        kind = inliner.accesses.temporary(_INT)
        known = inliner.sketch.fresh()

        def read(word: Cell, result: Var | None) -> list[list[Op]]:
            return [[Assign(kind, cast(locks.value_of(word), _INT))]]

        self._lock(request, 1, read, request.source, known, None)
        self._lock(request, 0, self.mutexes(request).initialise(Read(kind)), known, request.target, request.result, sets_up=True)

    def number(self, request: CallRequest, position: int) -> Expr:
        """An argument that is a number."""
        if len(request.arguments) <= position:
            return Const(0, _INT)
        request.call.scalar(position, request.location)
        given = request.arguments[position]
        assert not isinstance(given, Place), "it is one in the caller"
        return given

    def typed(self, request: CallRequest) -> None:
        """`mtx_init(m, type)`"""
        kind = fold(Binary("&", cast(self.number(request, 1), _INT), Const(1, _INT)))
        self.make(request, self.mutexes(request).initialise(kind))

    def read_lock(self, request: CallRequest) -> None:
        self._notes.assume("fewer readers hold a lock than its counter can count", request.location, Ground.BOUNDED)
        self._read_write(request, locks.read_lock(_UNLESS.get(request.callee)))

    def barrier_wait(self, request: CallRequest) -> None:
        """Waits until as many have arrived as the barrier is for."""
        inliner = request.inliner
        side, waiting = inliner.accesses.temporary(_INT), inliner.sketch.fresh()
        self._lock(request, 0, locks.arrive(side), request.source, waiting, None)
        self._lock(request, 0, locks.open_barrier, request.source, request.target, request.result)
        # Who has been let through may still be on the way when the barrier is destroyed.
        self._lock(request, 0, locks.leave(side), waiting, request.target, request.result, doubts=(_LEAVING,))

    def wait(self, request: CallRequest) -> None:
        """A condition variable's wait: releases the mutex and takes it again; it may wake up for no reason."""
        fresh = request.inliner.sketch.fresh
        begin, inside, woken, after = fresh(), fresh(), fresh(), fresh()
        mutexes = self.mutexes(request)
        self._lock(request, 0, locks.untouched, request.source, begin, None, plain=True)
        self._lock(request, 1, mutexes.release, begin, inside, None)
        # Who was woken up may still be on the way when the condition variable is destroyed.
        self._lock(request, 0, locks.untouched, inside, woken, None, plain=True, doubts=(_LEAVING,))
        self._lock(request, 1, mutexes.acquire, woken, after, None)
        op: Op = SKIP
        if request.result is not None:
            timed = "timed" in request.callee or "clock" in request.callee
            op = Assign(request.result, Const(0, request.result.type))
            for code, why in ((_codes(request).timed_out, ""), (_codes(request).invalid, _TIME)) if timed else ():
                doubts = (Doubt(why, step=True),) if why else ()
                request.inliner.step(after, Block(tuple(locks.gives(request.result, code))), request.target, request.edge,
                                     doubts=doubts)
        request.inliner.step(after, op, request.target, request.edge)
        self._orphaned(replace(request, source=woken))

    def once(self, request: CallRequest) -> None:
        """The first caller runs the function, the others wait until it has."""
        function = request.arguments[1]
        assert not isinstance(function, Place)
        inliner = request.inliner
        names = inliner.accesses.world.pointsto.functions(request.frame.function.name, request.raw(1), 0)
        if not names:
            raise FrontendError(request.location, "the function to be called once is not known", "pass a function of this file")

        def first(word: Cell, result: Var | None) -> list[list[Op]]:
            return [[Assume(locks.same(locks.value_of(word), 0)), *word.write(Const(1, locks.value_of(word).type))]]

        def last(word: Cell, result: Var | None) -> list[list[Op]]:
            return [[*word.write(Const(2, locks.value_of(word).type)), *locks.gives(result, 0)]]

        def later(word: Cell, result: Var | None) -> list[list[Op]]:
            return [[Assume(locks.same(locks.value_of(word), 2)), *locks.gives(result, 0)]]

        begin, end = inliner.sketch.fresh(), inliner.sketch.fresh()
        self._lock(request, 0, first, request.source, begin, None)
        for name in names:
            chosen = inliner.sketch.fresh()
            guard = inliner.accesses.is_function(function, name, request.location)
            inliner.step(begin, Assume(guard), chosen, request.edge, total=True)
            inliner.direct(request.frame, request.edge, request.call, name, (), chosen, end, discard=True)
        self._lock(request, 0, last, end, request.target, request.result)
        self._lock(request, 0, later, request.source, request.target, request.result)

    def nothing(self, request: CallRequest) -> None:
        """Orders nothing and touches nothing that matters here; succeeds."""
        op: Op = SKIP if request.result is None else Assign(request.result, Const(0, request.result.type))
        request.inliner.step(request.source, op, request.target, request.edge)

    def attributes(self, request: CallRequest) -> None:
        """Writes attributes, like any other object; may refuse to."""
        after = self._attributes(request, 0, True)
        self.nothing(replace(request, source=after))
        if request.result is not None:
            self._may_refuse(replace(request, source=after), locks.INVALID)

    def _attributes(self, request: CallRequest, position: int, write: bool) -> int:
        """The attributes that an argument points to are written or read; gives the location behind that."""
        given = request.arguments[position] if position < len(request.arguments) else None
        if given is None or isinstance(given, Place) or fold(given) == Const(0, given.type):
            return request.source
        accesses, sketch = request.inliner.accesses, request.inliner.sketch
        params = request.call.type.params
        type_ = params[position] if position < len(params) else None
        known = isinstance(type_, PointerType) and not isinstance(type_.target, VoidType)
        size = accesses.world.module.sizeof(type_.target) if known and isinstance(type_, PointerType) else -1
        after = sketch.fresh()
        targets = accesses.world.pointsto.targets(request.frame.function.name, request.raw(position))
        accesses.effect(sketch, request.source, after, given, targets, size, write, request.edge, sure=True)
        return after

    def anything(self, request: CallRequest) -> None:
        """Orders nothing; the result may be any value."""
        if request.result is None:
            request.inliner.step(request.source, SKIP, request.target, request.edge)
            return
        doubt = Doubt(f"the result of '{request.callee}' is not tracked", (request.result.name,))
        request.inliner.step(request.source, Havoc((request.result,)), request.target, request.edge, doubts=(doubt,))

    def unsure(self, request: CallRequest) -> None:
        """From here on others may be held back, which is not followed."""
        request.inliner.step(request.source, SKIP, request.target, request.edge, doubts=(_HELD_BACK,))

    def last_key(self, request: CallRequest) -> None:
        """Interrupts are unlocked with a key: which one is not looked at."""
        self._notes.assume("interrupts are unlocked with the key of the last lock that is not unlocked yet", request.location)
        request.inliner.step(request.source, SKIP, request.target, request.edge)

    def thread_number(self, request: CallRequest) -> None:
        """The number that the calling thread's handle has; any number if it is one of several."""
        number = request.inliner.accesses.handle
        if request.result is None or number is None:
            self.anything(request)
            return
        value = Const(request.result.type.wrap(number), request.result.type)
        request.inliner.step(request.source, Assign(request.result, value), request.target, request.edge)

    def key(self, request: CallRequest) -> None:
        """A key for thread-specific data."""
        pointer, raw = request.arguments[0], request.raw(0)
        assert not isinstance(pointer, Place)
        after = request.inliner.sketch.fresh()
        targets = request.inliner.accesses.world.pointsto.targets(request.frame.function.name, raw)
        request.inliner.accesses.effect(request.inliner.sketch, request.source, after, pointer, targets, 4, True, request.edge,
                                        sure=True)
        self.anything(replace(request, source=after))

    def fill(self, request: CallRequest) -> None:
        """Writes an arbitrary value through the last argument."""
        pointer, raw = request.arguments[-1], request.raw(len(request.arguments) - 1)
        assert not isinstance(pointer, Place)
        after = request.inliner.sketch.fresh()
        targets = request.inliner.accesses.world.pointsto.targets(request.frame.function.name, raw)
        request.inliner.accesses.effect(request.inliner.sketch, request.source, after, pointer, targets, 4, True, request.edge,
                                        sure=True)
        request = replace(request, source=after)
        self.nothing(request)
        self._may_refuse(request, -1 if request.callee.startswith("sem_") else locks.INVALID)


def _codes(request: CallRequest) -> locks.Codes:
    """How the library that the function belongs to says what went wrong."""
    return locks.C11 if request.callee.startswith(("mtx_", "cnd_")) else locks.POSIX


_OPERATIONS: Mapping[ThreadCall, Callable[[Pthreads, CallRequest], None]] = {
    ThreadCall.CREATE: lambda p, r: p.threads.create(r, *THREAD_STARTERS[r.callee]),
    ThreadCall.JOIN: lambda p, r: p.threads.join(r),
    ThreadCall.EXIT: lambda p, r: p.threads.exit(r),
    ThreadCall.CANCEL: Pthreads.anything,
    ThreadCall.SET_CANCEL_TYPE: Pthreads.fill,
    ThreadCall.SET_CANCEL_STATE: Pthreads.fill,
    ThreadCall.MUTEX_INIT: Pthreads.initialise,
    ThreadCall.TYPED_MUTEX_INIT: Pthreads.typed,
    ThreadCall.MUTEX_LOCK: Pthreads.acquire,
    ThreadCall.MUTEX_UNLOCK: lambda p, r: p.simple(r, p.mutexes(r).release),
    ThreadCall.MUTEX_TRY: lambda p, r: p.attempt(r, p.mutexes(r)),
    ThreadCall.MUTEX_TIMED: lambda p, r: p.attempt(r, p.mutexes(r), timed=True),
    ThreadCall.MUTEX_ATTRIBUTES_INIT: lambda p, r: p.make(r, locks.becomes(0)),
    ThreadCall.MUTEX_SET_KIND: lambda p, r: p.set_up(r, locks.set_up(p.number(r, 1)), locks.INVALID),
    ThreadCall.LOCK_INIT: lambda p, r: p.make(r, locks.becomes(0)),
    ThreadCall.SPIN_LOCK: lambda p, r: p.simple(r, locks.Mutexes(_NOBODY, False, p.owner).acquire),
    ThreadCall.SPIN_UNLOCK: lambda p, r: p.simple(r, locks.Mutexes(_NOBODY, False, p.owner).release),
    ThreadCall.SPIN_TRY: lambda p, r: p.attempt(r, locks.Mutexes(_NOBODY, False, p.owner)),
    ThreadCall.READ_LOCK: Pthreads.read_lock,
    ThreadCall.WRITE_LOCK: Pthreads.write_lock,
    ThreadCall.READ_WRITE_UNLOCK: lambda p, r: p.simple(r, locks.read_write_unlock),
    ThreadCall.SEMAPHORE_INIT: lambda p, r: p.set_up(r, locks.set_up(p.number(r, 2)), -1),
    ThreadCall.SEMAPHORE_WAIT: Pthreads.semaphore,
    ThreadCall.SEMAPHORE_POST: Pthreads.post,
    ThreadCall.SEMAPHORE_VALUE: Pthreads.fill,
    ThreadCall.BARRIER_INIT: lambda p, r: p.set_up(r, locks.barrier(p.number(r, 2)), locks.INVALID),
    ThreadCall.BARRIER_WAIT: Pthreads.barrier_wait,
    ThreadCall.DESTROY: Pthreads.destroy,
    ThreadCall.CONDITION_INIT: Pthreads.destroy,
    ThreadCall.CONDITION_SIGNAL: Pthreads.signal,
    ThreadCall.CONDITION_WAIT: Pthreads.wait,
    ThreadCall.ONCE: Pthreads.once,
    ThreadCall.NEW_KEY: Pthreads.key,
    ThreadCall.SET_SPECIFIC: Pthreads.nothing,
    ThreadCall.DETACH: Pthreads.nothing,
    ThreadCall.SET_DETACHED: Pthreads.attributes,
    ThreadCall.SET_ROBUST: Pthreads.attributes,
    ThreadCall.ATTRIBUTES: Pthreads.attributes,
    ThreadCall.START_SCHEDULER: lambda p, r: p.threads.start_scheduler(r),
    ThreadCall.UNSURE: Pthreads.unsure,
    ThreadCall.LAST_KEY: Pthreads.last_key,
    ThreadCall.THREAD_NUMBER: Pthreads.thread_number,
    ThreadCall.OWN_HANDLE: Pthreads.anything,
    ThreadCall.NOTHING: Pthreads.nothing,
    ThreadCall.ANYTHING: Pthreads.anything,
}
