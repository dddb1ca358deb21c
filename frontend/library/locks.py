"""What operations on locks do to the word that holds a lock's state: ways to step, each a guard and what follows.

Plain mutexes are 0 or 1; for the other kinds see `frontend.memory.lock_types`. A read-write lock counts its readers, and is -1
while it is held for writing. A semaphore is its value. A barrier holds the number of threads it is for, a bit that changes
whenever it opens, and how many have arrived.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from frontend.memory.lock_types import FREE_CHECKED, FREE_RECURSIVE
from frontend.memory.places import Cell
from frontend.program import Assign, Assume, Binary, Const, Expr, Havoc, Ite, Op, Read, Var, negate
from frontend.program.fold import cast, conjunction, fold
from frontend.records import dataclass

LockAlternatives: TypeAlias = Callable[[Cell, Var | None], list[list[Op]]]

SERIAL = -1
"""What a barrier gives to one of those that wait at it."""
INVALID = 22
"""What POSIX functions give that do not like an argument."""
OWNER_ENDED, NOT_RECOVERABLE = 130, 131
"""What taking a robust mutex gives whose owner has ended: it is taken with the first of them, and with the second it is not."""


@dataclass(frozen=True, slots=True)
class Codes:
    """What functions of a threading library give that do not succeed."""

    busy: int
    timed_out: int
    deadlock: int
    not_owner: int
    invalid: int


POSIX = Codes(busy=16, timed_out=110, deadlock=35, not_owner=1, invalid=INVALID)
C11 = Codes(busy=1, timed_out=4, deadlock=2, not_owner=2, invalid=2)
"""`thrd_busy`, `thrd_timedout` and `thrd_error`, as glibc and musl number them."""
_HOLD = 256
DEEPEST = _HOLD - 1
"""How often one thread can hold a recursive mutex at once."""
_MANY = 1 << 12
"""Threads that a barrier can be for, and more."""


def value_of(word: Cell) -> Expr:
    value = word.value()
    assert value is not None
    return value


def gives(result: Var | None, value: int | None) -> list[Op]:
    """The operation's result, any value if it is not known."""
    if result is None:
        return []
    return [Havoc((result,)) if value is None else Assign(result, Const(result.type.wrap(value), result.type))]


def same(value: Expr, number: int) -> Expr:
    return Binary("==", value, Const(number, value.type))


def _plus(value: Expr, amount: Expr | int) -> Expr:
    right = Const(value.type.wrap(amount), value.type) if isinstance(amount, int) else cast(amount, value.type)
    return fold(Binary("+", value, right))


def becomes(number: int) -> LockAlternatives:
    """Sets the state."""
    return lambda word, result: [[*word.write(Const(value_of(word).type.wrap(number), value_of(word).type)), *gives(result, 0)]]


def untouched(word: Cell, result: Var | None) -> list[list[Op]]:
    """Leaves the state as it is."""
    return [gives(result, 0)]


# --------------------------------------------------------------------------------------------------- mutexes
class Mutexes:
    """Mutexes as one thread, whose number is `me`, uses them; `typed`: not all of them are plain.

    `owner`: what a plain mutex holds while the thread has it, if that is not just 1.
    """

    def __init__(self, me: Expr, typed: bool, owner: Expr | None = None, codes: Codes = POSIX) -> None:
        self._codes = codes
        self._me = me
        self._owner = owner
        self._typed = typed

    def acquire(self, word: Cell, result: Var | None) -> list[list[Op]]:
        value = value_of(word)
        held = Const(1, value.type) if self._owner is None else cast(self._owner, value.type)
        ways: list[list[Op]] = [[Assume(same(value, 0)), *word.write(held), *gives(result, 0)]]
        if self._typed:
            for free in (FREE_RECURSIVE, FREE_CHECKED):
                ways.append([Assume(same(value, free)), *word.write(_plus(self._held(value, free), 1)), *gives(result, 0)])
            ways.append([Assume(self._mine(value, FREE_RECURSIVE)), *word.write(_plus(value, 1)), *gives(result, 0)])
            ways.append([Assume(self._mine(value, FREE_CHECKED)), *gives(result, self._codes.deadlock)])
        return ways

    def release(self, word: Cell, result: Var | None) -> list[list[Op]]:
        value = value_of(word)
        if not self._typed:
            return [[*word.write(Const(0, value.type)), *gives(result, 0)]]
        plain = Binary("<", value, Const(FREE_CHECKED, value.type))
        recursive, checked = self._mine(value, FREE_RECURSIVE), self._mine(value, FREE_CHECKED)
        last = Binary("==", value, _plus(self._held(value, FREE_RECURSIVE), 1))
        less = Ite(last, Const(FREE_RECURSIVE, value.type), _plus(value, -1))
        others = conjunction(negate(plain), conjunction(negate(recursive), negate(checked)))
        return [
            [Assume(plain), *word.write(Const(0, value.type)), *gives(result, 0)],
            [Assume(recursive), *word.write(less), *gives(result, 0)],
            [Assume(checked), *word.write(Const(FREE_CHECKED, value.type)), *gives(result, 0)],
            [Assume(others), *gives(result, self._codes.not_owner)],
        ]

    def attempt(self, otherwise: int) -> LockAlternatives:
        """Acquires the mutex if that is possible at once; gives `otherwise` if not."""
        def ways(word: Cell, result: Var | None) -> list[list[Op]]:
            value = value_of(word)
            taken = negate(same(value, 0))
            if self._typed:
                for free in (FREE_RECURSIVE, FREE_CHECKED):
                    taken = conjunction(taken, negate(same(value, free)))
                taken = conjunction(taken, negate(self._mine(value, FREE_RECURSIVE)))
            possible = self.acquire(word, result)[:4]  # an error checking mutex that is held is just held
            return [*possible, [Assume(taken), *gives(result, otherwise)]]

        return ways

    def initialise(self, kind: Expr) -> LockAlternatives:
        """Makes it a free mutex of a kind."""
        def ways(word: Cell, result: Var | None) -> list[list[Op]]:
            t = value_of(word).type
            state = Ite(same(kind, 1), Const(FREE_RECURSIVE, t), Ite(same(kind, 2), Const(FREE_CHECKED, t), Const(0, t)))
            return [[*word.write(fold(state)), *gives(result, 0)]]

        return ways

    def _held(self, value: Expr, free: int) -> Expr:
        """The state in which this thread holds it, depth 0."""
        return _plus(fold(Binary("*", cast(self._me, value.type), Const(_HOLD, value.type))), free)

    def _mine(self, value: Expr, free: int) -> Expr:
        """Whether this thread holds it."""
        held = self._held(value, free)
        return conjunction(Binary(">", value, held), Binary("<", value, _plus(held, _HOLD)))


# --------------------------------------------------------------------------------------------------- semaphores
def set_up(amount: Expr) -> LockAlternatives:
    return lambda word, result: [[*word.write(cast(amount, value_of(word).type)), *gives(result, 0)]]


def post(word: Cell, result: Var | None) -> list[list[Op]]:
    return [[*word.write(_plus(value_of(word), 1)), *gives(result, 0)]]


def wait(blocks: bool) -> LockAlternatives:
    """Takes one; if there is none it waits, or gives -1."""
    def ways(word: Cell, result: Var | None) -> list[list[Op]]:
        value = value_of(word)
        made: list[list[Op]] = [[Assume(negate(same(value, 0))), *word.write(_plus(value, -1)), *gives(result, 0)]]
        if not blocks:
            made.append([Assume(same(value, 0)), *gives(result, -1)])
        return made

    return ways


# --------------------------------------------------------------------------------------------------- read-write locks
def read_lock(otherwise: int | None) -> LockAlternatives:
    """One more reader, unless it is held for writing: then it waits, or gives `otherwise`."""
    def ways(word: Cell, result: Var | None) -> list[list[Op]]:
        value = value_of(word)
        writer = same(value, value.type.wrap(-1))
        made: list[list[Op]] = [[Assume(negate(writer)), *word.write(_plus(value, 1)), *gives(result, 0)]]
        if otherwise is not None:
            made.append([Assume(writer), *gives(result, otherwise)])
        return made

    return ways


def write_lock(otherwise: int | None) -> LockAlternatives:
    """Held for writing, if nobody holds it: else it waits, or gives `otherwise`."""
    def ways(word: Cell, result: Var | None) -> list[list[Op]]:
        value = value_of(word)
        made: list[list[Op]] = [[Assume(same(value, 0)), *word.write(Const(value.type.wrap(-1), value.type)), *gives(result, 0)]]
        if otherwise is not None:
            made.append([Assume(negate(same(value, 0))), *gives(result, otherwise)])
        return made

    return ways


def deadlocks(writes: bool) -> LockAlternatives:
    """Whoever holds it may be told so, rather than wait; for a reader, who holds it for writing."""
    def ways(word: Cell, result: Var | None) -> list[list[Op]]:
        value = value_of(word)
        held = negate(same(value, 0)) if writes else same(value, value.type.wrap(-1))
        return [[Assume(held), *gives(result, POSIX.deadlock)]]

    return ways


def read_write_unlock(word: Cell, result: Var | None) -> list[list[Op]]:
    """Whoever does not hold it leaves it free, as a mutex is left: it must not seem held for writing then."""
    value = value_of(word)
    writer, free = same(value, value.type.wrap(-1)), Const(0, value.type)
    return [[*word.write(Ite(writer, free, Ite(same(value, 0), free, _plus(value, -1)))), *gives(result, 0)]]


# --------------------------------------------------------------------------------------------------- barriers
def barrier(count: Expr) -> LockAlternatives:
    """A barrier for so many threads: none has arrived."""
    def ways(word: Cell, result: Var | None) -> list[list[Op]]:
        t = value_of(word).type
        return [[*word.write(fold(Binary("*", cast(count, t), Const(2 * _MANY, t)))), *gives(result, 0)]]

    return ways


def arrive(side: Var) -> LockAlternatives:
    """One arrives that is not the last, and remembers in `side` the bit that will change when the barrier opens."""
    def ways(word: Cell, result: Var | None) -> list[list[Op]]:
        value = value_of(word)
        remember = Assign(side, cast(_side(value), side.type))
        return [[Assume(negate(_is_last(value))), remember, *word.write(_plus(value, 1))]]

    return ways


def open_barrier(word: Cell, result: Var | None) -> list[list[Op]]:
    """The last one arrives: the barrier opens, and none has arrived for the next time."""
    value = value_of(word)
    t = value.type
    turned = Ite(same(_side(value), 0), Const(_MANY, t), Const(t.wrap(-_MANY), t))
    after = _plus(_plus(value, turned), Binary("-", Const(0, t), _arrived(value)))
    return [[Assume(_is_last(value)), *word.write(after), *gives(result, SERIAL)]]


def leave(side: Var) -> LockAlternatives:
    """Passes when the barrier has opened since `side` was remembered."""
    return lambda word, result: [[Assume(Binary("!=", cast(_side(value_of(word)), side.type), Read(side))), *gives(result, 0)]]


def _is_last(value: Expr) -> Expr:
    return Binary("==", _plus(_arrived(value), 1), Binary("/", value, Const(2 * _MANY, value.type)))


def _side(value: Expr) -> Expr:
    return fold(Binary("%", Binary("/", value, Const(_MANY, value.type)), Const(2, value.type)))


def _arrived(value: Expr) -> Expr:
    return fold(Binary("%", value, Const(_MANY, value.type)))
