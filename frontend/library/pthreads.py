"""The threading libraries (pthreads, C11 threads.h) as operations on the lock words in the program's own objects.

A lock's state is kept in the first scalar of its object (zero: free, as the static initialisers have it). Threads that are
created get ghost variables: `create` hands one new thread its argument, `done` tells that a thread that runs once has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from frontend.ctypes import PointerType, VoidType
from frontend.ir import Place
from frontend.library import locks
from frontend.memory.accesses import Accesses
from frontend.memory.escapes import SELF, STATIC_COPIES, own_number
from frontend.memory.leaves import scalar_of
from frontend.memory.objects import Notes
from frontend.memory.places import Cell
from frontend.memory.points_to import THREAD_STARTERS
from frontend.memory.sketch import Lock, Step
from frontend.program import (
    BOOL,
    SKIP,
    Access,
    AccessKind,
    Assign,
    Assume,
    Binary,
    Block,
    Const,
    Doubt,
    Expr,
    FrontendError,
    Havoc,
    Location,
    Lvalue,
    Op,
    Read,
    Scalar,
    Values,
    Var,
    Variable,
    name_of,
    negate,
)
from frontend.program.fold import cast, fold, plus, times
from frontend.threads.inline import Request

_INT = Scalar(32, True)
_NOBODY = Const(0, _INT)
_SEVERAL = 16
"""Kinds of threads that there are several of, and more."""
_SINGLES = 1 << 20
"""Numbers of threads that there is one of start here."""
_UNLESS = {"pthread_rwlock_tryrdlock": locks.BUSY, "pthread_rwlock_timedrdlock": locks.TIMED_OUT,
           "pthread_rwlock_trywrlock": locks.BUSY, "pthread_rwlock_timedwrlock": locks.TIMED_OUT}
"""What functions give that do not wait for ever."""
MANY_HANDLES = 1 << 16
"""Handles from this number times a template's own on belong to its threads that are created in loops."""
KIND_SETTERS = ("pthread_mutexattr_settype", "pthread_mutexattr_setkind_np")
JOINERS = ("pthread_join", "thrd_join")


@dataclass(frozen=True, slots=True)
class Created:
    """A thread that the program creates: the ghosts through which it starts and ends, and its handle's value."""

    template: str
    function: str
    count: int | None
    handle: int
    location: Location
    number: int
    """Which one it is of those of its function that are created once."""
    joined: bool
    """Whether anybody waits for threads to end."""
    handler: bool = False
    """Whether it is a function that may run at any time, any number of times, once it is handed over."""

    def ghost(self, what: str, type_: Scalar) -> Variable:
        return Variable(f"<{self.template} {what}>", type_, None, Values(), f"<{self.template} {what}>", ghost=True)

    @property
    def create(self) -> Variable:
        return self.ghost("created", BOOL)

    @property
    def done(self) -> Variable:
        """Whether the thread has ended; of those created in loops, whether each of them has."""
        flag = self.ghost("done", BOOL)
        return flag if self.count == 1 else replace(flag, length=MANY_HANDLES)

    def started(self, pointer: Scalar) -> Variable:
        """How many threads were created of those that are created in loops."""
        return self.ghost("number", pointer)

    def argument(self, pointer: Scalar) -> Variable:
        return self.ghost("argument", pointer)


class Pthreads:
    """Models calls of the threading library."""

    def __init__(self, notes: Notes, pointer: Scalar, typed_mutexes: bool, taken: Iterable[str], joins: bool,
                 owner: Expr | None) -> None:
        """`taken`: names of templates that exist already; `joins`: whether the program joins threads anywhere.

        `owner`: what mutexes hold while a thread has them, where annotations ask who has them.
        """
        self._joins = joins
        self._numbered = 0
        self._notes = notes
        self._pointer = pointer
        self._typed = typed_mutexes
        self.owner = owner
        self.created: dict[str, Created] = {}
        self._per_function: dict[str, int] = dict.fromkeys(taken, 1)
        self._single: dict[str, int] = {}
        self._many: dict[str, str] = {}
        self._handlers: dict[str, str] = {}

    # ------------------------------------------------------------------------------------------- entry
    def model(self, request: Request) -> None:
        """Model the call of a function that it knows."""
        name = request.callee
        if name in THREAD_STARTERS:
            self._create(request, *THREAD_STARTERS[name])
        else:
            _OPERATIONS[name](self, request)

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

    # ------------------------------------------------------------------------------------------- create, join
    def _create(self, request: Request, start: int, argument: int) -> None:
        inliner, edge = request.inliner, request.edge
        if len(request.arguments) <= max(start, argument):
            raise FrontendError(request.location, f"'{request.callee}' has too few arguments", "give it all its arguments")
        pointsto = inliner.accesses.world.pointsto
        site = (request.frame.function.name, edge.source, edge.target)
        functions = tuple(pointsto.created.get(site, ()))
        if not functions:
            raise FrontendError(request.location, "the function of the thread created here is not known",
                                "pass a function of this file")
        once = request.frame.once and edge.source not in request.frame.cyclic
        value, passed = request.arguments[start], request.arguments[argument]
        assert not isinstance(value, Place) and not isinstance(passed, Place)
        stored = request.target
        for function in functions:
            chosen = request.source
            if len(functions) > 1:
                chosen = inliner.sketch.fresh()
                guard = inliner.accesses.is_function(value, function, request.location)
                inliner.step(request.source, Assume(guard), chosen, edge, total=True)
            made = self._new(function, once, request.location)
            stored = self._start(request, made, passed, chosen)
        if request.result is not None:
            # The handle is undefined then: it may as well be the one that the thread would have had.
            failed = inliner.between(request.source, Havoc((request.result,)), edge)
            wrong = Assume(Binary("!=", Read(request.result), Const(0, request.result.type)))
            inliner.step(failed, wrong, stored if once else request.target, edge)
            self._notes.assume("a thread that could not be created is not joined", request.location)

    def _new(self, function: str, once: bool, location: Location) -> Created:
        """The template for threads created here: a new one for a thread that is created once, else the common one."""
        if not once and function in self._many:
            return self.created[self._many[function]]
        number = self._per_function[function] = self._per_function.get(function, 0) + 1
        name = function if number == 1 else f"{function}#{number}"
        if not once:
            self._many[function] = name
        copies = self._single.get(function, 0)
        if once:
            self._single[function] = copies + 1
            if copies >= STATIC_COPIES:
                raise FrontendError(location, f"more than {STATIC_COPIES} threads of '{function}' are created one by one",
                                    "create them in a loop")
        self.created[name] = Created(name, function, 1 if once else None, len(self.created) + 1, location, copies, self._joins)
        return self.created[name]

    def handler(self, function: str, location: Location) -> Created:
        """The template for a function that may run at any time."""
        if function not in self._handlers:
            number = self._per_function[function] = self._per_function.get(function, 0) + 1
            name = function if number == 1 else f"{function}#{number}"
            self._handlers[function] = name
            self.created[name] = Created(name, function, None, len(self.created) + 1, location, 0, False, handler=True)
        return self.created[self._handlers[function]]

    def _start(self, request: Request, made: Created, passed: Expr, source: int) -> int:
        """Create the thread, then store its handle; gives the location between the two."""
        inliner, edge = request.inliner, request.edge
        create = Var(made.create.name, BOOL)
        argument = Var(made.argument(self._pointer).name, self._pointer)
        ops: list[Op] = [Assign(argument, cast(passed, self._pointer)), Assign(create, Const(1, BOOL))]
        value: Expr = Const(made.handle, self._pointer)
        if made.count is None:
            # The next thread is created when this one has taken its argument, which it may do at once.
            ops.insert(0, Assume(negate(Read(create))))
        if made.count is None and made.joined:
            number, handle = Var(made.started(self._pointer).name, self._pointer), inliner.accesses.temporary(self._pointer)
            first = Const(self._pointer.wrap(made.handle * MANY_HANDLES), self._pointer)
            ops.insert(0, Assume(Binary("<", Read(number), Const(MANY_HANDLES, self._pointer))))
            ops += [Assign(handle, plus(Read(number), first)), Assign(number, plus(Read(number), Const(1, self._pointer)))]
            self._notes.assume(f"fewer than {MANY_HANDLES} threads of '{made.function}' are created", request.location)
            value = Read(handle)
        if request.result is not None:
            ops.append(Assign(request.result, Const(0, request.result.type)))
        written = tuple(sync(op.target, True) for op in ops if isinstance(op, Assign) and name_of(op.target).startswith("<"))
        between = inliner.sketch.fresh()
        inliner.sketch.steps.append(Step(source, between, Block(tuple(ops)), written, edge.location, edge.text, protected=True))
        place = self._handle_place(request)
        if place is None:
            inliner.step(between, SKIP, request.target, edge)
        else:
            targets = inliner.accesses.world.pointsto.targets(request.frame.function.name, self._raw(request, 0))
            word = Scalar(8 * inliner.accesses.world.module.sizeof(place.type), False)
            inliner.accesses.store(inliner.sketch, between, request.target, place, cast(value, word), targets, edge)
        return between

    def _handle_place(self, request: Request) -> Place | None:
        """Where the new thread's handle is stored; None if its type is not a number."""
        type_ = request.call.type.params[0] if request.call.type.params else None
        handle = request.arguments[0]
        if not isinstance(type_, PointerType) or isinstance(handle, Place):
            return None
        if scalar_of(type_.target, request.inliner.accesses.world.module) is None:
            return None
        return Place(handle, (), type_.target, type_.target)

    def _raw(self, request: Request, position: int) -> Expr:
        raw = request.call.args[position]
        assert not isinstance(raw, Place)
        return raw

    def join(self, request: Request) -> None:
        """Wait for the thread that has the handle."""
        inliner, edge = request.inliner, request.edge
        handle = request.arguments[0]
        after = inliner.sketch.fresh()
        self._what_it_returns(request, after)
        if isinstance(handle, Place):
            inliner.step(request.source, SKIP, after, edge)
            return
        inliner.sketch.steps.append(Step(request.source, after, SKIP, (), edge.location, edge.text, join=fold(handle)))
        if len(request.arguments) > 1 and self._raw(request, 1) != Const(0, self._raw(request, 1).type):
            self._notes.assume("what a joined thread returns is any pointer", request.location)

    def _what_it_returns(self, request: Request, source: int) -> None:
        inliner, edge = request.inliner, request.edge
        here = source
        if len(request.arguments) > 1:
            place = request.arguments[1]
            raw = self._raw(request, 1)
            if not isinstance(place, Place) and fold(place) != Const(0, place.type):
                here = inliner.sketch.fresh()
                targets = inliner.accesses.world.pointsto.targets(request.frame.function.name, raw)
                inliner.accesses.effect(inliner.sketch, source, here, place, targets, self._pointer.width // 8, True, edge)
        op: Op = SKIP if request.result is None else Assign(request.result, Const(0, request.result.type))
        inliner.step(here, op, request.target, edge)

    def exit(self, request: Request) -> None:
        """The calling thread ends."""
        request.inliner.step(request.source, SKIP, request.inliner.leaving, request.edge)

    # ------------------------------------------------------------------------------------------- locks
    def _lock(self, request: Request, position: int, lock: Callable[[Cell, Var | None], list[list[Op]]], source: int, target: int,
              result: Var | None) -> None:
        """Steps for an operation on the lock word that an argument points to."""
        pointer = request.arguments[position]
        assert not isinstance(pointer, Place)
        targets = request.inliner.accesses.world.pointsto.targets(request.frame.function.name, self._raw(request, position))
        params = request.call.type.params
        type_ = params[position] if position < len(params) else None
        kind = type_.target if isinstance(type_, PointerType) else VoidType()
        request.inliner.sketch.steps.append(Step(source, target, SKIP, (), request.location, request.edge.text,
                                                 lock=Lock(pointer, targets, kind, lock, result, request.edge)))

    def simple(self, request: Request, lock: Callable[[Cell, Var | None], list[list[Op]]]) -> None:
        self._lock(request, 0, lock, request.source, request.target, request.result)

    def mutexes(self, request: Request) -> locks.Mutexes:
        """Mutexes as the calling thread uses them."""
        if self._typed:
            self._notes.assume(f"no thread holds a recursive mutex {locks.DEEPEST + 1} times at once", request.location)
        return locks.Mutexes(request.inliner.accesses.me, self._typed, None if self._typed else self.owner)

    def initialise(self, request: Request) -> None:
        """A mutex of the kind that its attributes say."""
        inliner = request.inliner
        attribute = request.arguments[1] if len(request.arguments) > 1 else None
        plain = attribute is None or isinstance(attribute, Place) or fold(attribute) == Const(0, attribute.type)
        if plain or not self._typed:
            self.simple(request, locks.becomes(0))
            return
        kind = inliner.accesses.temporary(_INT)
        known = inliner.sketch.fresh()

        def read(word: Cell, result: Var | None) -> list[list[Op]]:
            return [[Assign(kind, cast(locks.value_of(word), _INT))]]

        self._lock(request, 1, read, request.source, known, None)
        self._lock(request, 0, self.mutexes(request).initialise(Read(kind)), known, request.target, request.result)

    def number(self, request: Request, position: int) -> Expr:
        """An argument that is a number."""
        given = request.arguments[position] if len(request.arguments) > position else Const(0, _INT)
        assert not isinstance(given, Place)
        return given

    def typed(self, request: Request) -> None:
        """`mtx_init(m, type)`"""
        kind = fold(Binary("&", cast(self.number(request, 1), _INT), Const(1, _INT)))
        self.simple(request, self.mutexes(request).initialise(kind))

    def read_lock(self, request: Request) -> None:
        self._notes.assume("fewer readers hold a lock than its counter can count", request.location)
        self.simple(request, locks.read_lock(_UNLESS.get(request.callee)))

    def barrier_wait(self, request: Request) -> None:
        """Waits until as many have arrived as the barrier is for."""
        inliner = request.inliner
        side, waiting = inliner.accesses.temporary(_INT), inliner.sketch.fresh()
        self._lock(request, 0, locks.arrive(side), request.source, waiting, None)
        self._lock(request, 0, locks.open_barrier, request.source, request.target, request.result)
        self._lock(request, 0, locks.leave(side), waiting, request.target, request.result)

    def wait(self, request: Request) -> None:
        """A condition variable's wait: releases the mutex and takes it again; it may wake up for no reason."""
        inside, after = request.inliner.sketch.fresh(), request.inliner.sketch.fresh()
        mutexes = self.mutexes(request)
        self._lock(request, 1, mutexes.release, request.source, inside, None)
        self._lock(request, 1, mutexes.acquire, inside, after, None)
        op: Op = SKIP
        if request.result is not None:
            timed = "timed" in request.callee
            op = Havoc((request.result,)) if timed else Assign(request.result, Const(0, request.result.type))
        request.inliner.step(after, op, request.target, request.edge)

    def once(self, request: Request) -> None:
        """The first caller runs the function, the others wait until it has."""
        function = request.arguments[1]
        assert not isinstance(function, Place)
        inliner = request.inliner
        names = inliner.accesses.world.pointsto.functions(request.frame.function.name, self._raw(request, 1), 0)
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

    def nothing(self, request: Request) -> None:
        """Orders nothing and touches nothing that matters here; succeeds."""
        op: Op = SKIP if request.result is None else Assign(request.result, Const(0, request.result.type))
        request.inliner.step(request.source, op, request.target, request.edge)

    def anything(self, request: Request) -> None:
        """Orders nothing; the result may be any value."""
        if request.result is None:
            request.inliner.step(request.source, SKIP, request.target, request.edge)
            return
        doubt = Doubt(f"the result of '{request.callee}' is not tracked", (request.result.name,))
        request.inliner.step(request.source, Havoc((request.result,)), request.target, request.edge, doubts=(doubt,))

    def key(self, request: Request) -> None:
        """A key for thread-specific data."""
        pointer, raw = request.arguments[0], self._raw(request, 0)
        assert not isinstance(pointer, Place)
        after = request.inliner.sketch.fresh()
        targets = request.inliner.accesses.world.pointsto.targets(request.frame.function.name, raw)
        request.inliner.accesses.effect(request.inliner.sketch, request.source, after, pointer, targets, 4, True, request.edge)
        self.anything(replace(request, source=after))

    def fill(self, request: Request) -> None:
        """Writes an arbitrary value through the last argument."""
        pointer, raw = request.arguments[-1], self._raw(request, len(request.arguments) - 1)
        assert not isinstance(pointer, Place)
        after = request.inliner.sketch.fresh()
        targets = request.inliner.accesses.world.pointsto.targets(request.frame.function.name, raw)
        request.inliner.accesses.effect(request.inliner.sketch, request.source, after, pointer, targets, 4, True, request.edge)
        op: Op = SKIP if request.result is None else Havoc((request.result,))
        request.inliner.step(after, op, request.target, request.edge)


def knows(name: str) -> bool:
    """Whether a function is one of the library's."""
    return name in THREAD_STARTERS or name in _OPERATIONS


def sync(v: Lvalue, write: bool) -> Access:
    """An access that orders threads and is no data."""
    return Access(v, write, kind=AccessKind.SYNC)


_OPERATIONS: dict[str, Callable[[Pthreads, Request], None]] = {
    **dict.fromkeys(("pthread_mutex_lock", "mtx_lock"), lambda p, r: p.simple(r, p.mutexes(r).acquire)),
    **dict.fromkeys(("pthread_mutex_unlock", "mtx_unlock"), lambda p, r: p.simple(r, p.mutexes(r).release)),
    **dict.fromkeys(("pthread_mutex_trylock", "mtx_trylock"), lambda p, r: p.simple(r, p.mutexes(r).attempt(locks.BUSY))),
    **dict.fromkeys(("pthread_mutex_timedlock", "mtx_timedlock", "pthread_mutex_clocklock"),
                    lambda p, r: p.simple(r, p.mutexes(r).attempt(locks.TIMED_OUT))),
    "pthread_mutex_init": Pthreads.initialise,
    "mtx_init": Pthreads.typed,
    "pthread_mutexattr_init": lambda p, r: p.simple(r, locks.becomes(0)),
    **dict.fromkeys(KIND_SETTERS, lambda p, r: p.simple(r, locks.set_up(p.number(r, 1)))),
    **dict.fromkeys(("pthread_rwlock_init", "pthread_spin_init"), lambda p, r: p.simple(r, locks.becomes(0))),
    "pthread_spin_lock": lambda p, r: p.simple(r, locks.Mutexes(_NOBODY, False, p.owner).acquire),
    "pthread_spin_unlock": lambda p, r: p.simple(r, locks.Mutexes(_NOBODY, False, p.owner).release),
    "pthread_spin_trylock": lambda p, r: p.simple(r, locks.Mutexes(_NOBODY, False, p.owner).attempt(locks.BUSY)),
    "sem_init": lambda p, r: p.simple(r, locks.set_up(p.number(r, 2))),
    **dict.fromkeys(("sem_wait", "sem_trywait", "sem_timedwait"), lambda p, r: p.simple(r, locks.wait(r.callee == "sem_wait"))),
    "sem_post": lambda p, r: p.simple(r, locks.post),
    **dict.fromkeys(("pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_timedrdlock"), Pthreads.read_lock),
    **dict.fromkeys(("pthread_rwlock_wrlock", "pthread_rwlock_trywrlock", "pthread_rwlock_timedwrlock"),
                    lambda p, r: p.simple(r, locks.write_lock(_UNLESS.get(r.callee)))),
    "pthread_rwlock_unlock": lambda p, r: p.simple(r, locks.read_write_unlock),
    "pthread_barrier_init": lambda p, r: p.simple(r, locks.barrier(p.number(r, 2))),
    "pthread_barrier_wait": Pthreads.barrier_wait,
    **dict.fromkeys(("pthread_cond_wait", "pthread_cond_timedwait", "cnd_wait", "cnd_timedwait"), Pthreads.wait),
    **dict.fromkeys(("pthread_once", "call_once"), Pthreads.once),
    **dict.fromkeys(("pthread_join", "thrd_join"), Pthreads.join),
    **dict.fromkeys(("pthread_exit", "thrd_exit"), Pthreads.exit),
    **dict.fromkeys(
        ("pthread_cond_init", "pthread_cond_signal", "pthread_cond_broadcast", "pthread_cond_destroy", "cnd_init", "cnd_signal",
         "cnd_broadcast", "cnd_destroy", "pthread_mutex_destroy", "pthread_rwlock_destroy", "pthread_spin_destroy", "mtx_destroy",
         "sem_destroy", "pthread_detach", "thrd_detach", "pthread_attr_init", "pthread_attr_destroy",
         "pthread_attr_setdetachstate", "pthread_attr_setstacksize", "pthread_attr_setscope", "pthread_attr_setschedpolicy",
         "pthread_mutexattr_destroy", "pthread_mutexattr_setpshared", "pthread_mutexattr_setprotocol",
         "pthread_mutexattr_setprioceiling", "pthread_mutexattr_setrobust", "pthread_condattr_init", "pthread_condattr_destroy",
         "pthread_rwlockattr_init", "pthread_rwlockattr_destroy", "pthread_barrier_destroy",
         "pthread_setconcurrency", "pthread_key_delete", "tss_delete", "pthread_setspecific", "tss_set", "pthread_testcancel",
         "sched_yield", "thrd_yield", "pthread_yield"),
        Pthreads.nothing),
    **dict.fromkeys(
        ("pthread_self", "thrd_current", "pthread_equal", "thrd_equal", "pthread_getspecific", "tss_get",
         "pthread_setcancelstate", "pthread_setcanceltype", "pthread_cancel", "pthread_kill", "thrd_sleep"),
        Pthreads.anything),
    **dict.fromkeys(("sem_getvalue", "pthread_setcancelstate"), Pthreads.fill),
    **dict.fromkeys(("pthread_key_create", "tss_create"), Pthreads.key),
}
