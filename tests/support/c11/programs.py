"""Small programs of atomic and plain accesses with C11's orders: as data for the enumerator of executions, and as C text."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, assert_never


class Order(enum.Enum):
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"

    @property
    def acquires(self) -> bool:
        return self in (Order.ACQUIRE, Order.ACQ_REL, Order.SEQ_CST)

    @property
    def releases(self) -> bool:
        return self in (Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST)

    @property
    def text(self) -> str:
        return f"memory_order_{self.value}"


LOADS = (Order.RELAXED, Order.ACQUIRE, Order.SEQ_CST)
STORES = (Order.RELAXED, Order.RELEASE, Order.SEQ_CST)
CHANGES = tuple(Order)
FENCES = (Order.ACQUIRE, Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST)


@dataclass(frozen=True, slots=True)
class Load:
    into: str
    location: str
    order: Order


@dataclass(frozen=True, slots=True)
class Store:
    location: str
    value: int
    order: Order


@dataclass(frozen=True, slots=True)
class Add:
    """`into` gets the old value."""

    into: str
    location: str
    value: int
    order: Order


@dataclass(frozen=True, slots=True)
class Exchange:
    into: str
    location: str
    value: int
    order: Order


@dataclass(frozen=True, slots=True)
class CompareExchange:
    """`into` gets the value that was found, which is `expected` if and only if `value` was stored."""

    into: str
    location: str
    expected: int
    value: int
    order: Order
    failure: Order


@dataclass(frozen=True, slots=True)
class Fence:
    order: Order


@dataclass(frozen=True, slots=True)
class Plain:
    """An access to plain data, whose value nobody looks at."""

    variable: str
    write: bool


@dataclass(frozen=True, slots=True)
class PlainStore:
    """A store that is not atomic, in a variable that is accessed atomically elsewhere."""

    location: str
    value: int


@dataclass(frozen=True, slots=True)
class PlainLoad:
    into: str
    location: str


@dataclass(frozen=True, slots=True)
class When:
    """`then` if the register has the value (or has it not)."""

    register: str
    value: int
    equal: bool
    then: tuple[Op, ...]


READS = (Load, Add, Exchange, CompareExchange, PlainLoad)
"""What gives a register a value."""
Op: TypeAlias = Load | Store | Add | Exchange | CompareExchange | Fence | Plain | PlainStore | PlainLoad | When


@dataclass(frozen=True, slots=True)
class Litmus:
    """Threads that start at once; every location starts with 0 unless `start` says otherwise."""

    threads: tuple[tuple[Op, ...], ...]
    start: tuple[tuple[str, int], ...] = ()

    @property
    def plain(self) -> tuple[str, ...]:
        """The plain variables, in the order of their names."""
        return tuple(sorted({op.variable for op in self.operations() if isinstance(op, Plain)}))

    @property
    def mixed(self) -> tuple[str, ...]:
        """The atomic variables with accesses that are not."""
        return tuple(sorted({op.location for op in self.operations() if isinstance(op, PlainStore | PlainLoad)}))

    @property
    def asked(self) -> tuple[str, ...]:
        """The variables on which there may be races."""
        return (*self.plain, *self.mixed)

    @property
    def locations(self) -> tuple[str, ...]:
        """The atomic variables, in the order of their names."""
        return tuple(sorted({op.location for op in self.operations() if not isinstance(op, Fence | Plain | When)}))

    def operations(self) -> Iterator[Op]:
        """Every operation, those inside conditions too."""
        for thread in self.threads:
            yield from _flat(thread)


def _flat(ops: tuple[Op, ...]) -> Iterator[Op]:
    for op in ops:
        yield op
        if isinstance(op, When):
            yield from _flat(op.then)


# --------------------------------------------------------------------------------------------------- C text
def c_text(program: Litmus, waiting: bool = False, many: bool = False) -> str:
    """The program as a C file with a thread for each of its threads.

    `waiting`: a load on whose value all that is left of the thread depends is made again until it gives that value. The races
    are the same: in an execution with a race, the loads that did not give it can be left out, and order nothing then.
    `many`: any number of threads, which all do what its only thread does.
    """
    start = dict(program.start)
    lines = ["#include <pthread.h>", "#include <stdatomic.h>", ""]
    lines += [f"int {name};" for name in program.plain]
    lines += [f"{'int' if name in program.mixed else 'atomic_int'} {name} = {start.get(name, 0)};" for name in program.locations]
    for number, thread in enumerate(program.threads):
        registers = sorted({op.into for op in _flat(thread) if isinstance(op, READS)})
        lines += ["", f"void *thread{number}(void *arg)", "{"]
        lines += [f"    int {name} = 0;" for name in registers]
        lines += [f"    {line}" for line in (_waiting(thread) if waiting else _in_turn(thread))]
        lines += ["    return arg;", "}"]
    if many:
        [_] = program.threads
        return _declared(program, [*lines, "", "int main(int argc, char **argv)", "{", "    pthread_t t;",
                                   "    for (int i = 0; i < argc; i++)", "        pthread_create(&t, 0, thread0, 0);"])
    handles = [f"t{number}" for number in range(len(program.threads))]
    lines += ["", "int main(void)", "{", f"    pthread_t {', '.join(handles)};"]
    lines += [f"    pthread_create(&{h}, 0, thread{number}, 0);" for number, h in enumerate(handles)]
    return _declared(program, lines)


def _declared(program: Litmus, lines: list[str]) -> str:
    text = "\n".join([*lines, "    return 0;", "}", ""])
    for name in program.mixed:
        text = _by_builtins(text, name)
    return text


def _by_builtins(text: str, name: str) -> str:
    """The text with the atomic accesses to a variable that is declared a plain one."""
    text = re.sub(rf"atomic_compare_exchange_strong_explicit\(&{name}, (\S+), (\S+), ", rf"__atomic_compare_exchange_n(&{name}, \1, \2, 0, ", text)
    text = re.sub(rf"atomic_(load|store|exchange)_explicit\(&{name}\b", rf"__atomic_\1_n(&{name}", text)
    return re.sub(rf"atomic_fetch_add_explicit\(&{name}\b", f"__atomic_fetch_add(&{name}", text)


def _waiting(ops: tuple[Op, ...]) -> list[str]:
    match ops:
        case (*before, Load(into, x, order), When(register, value, True, then)) if register == into:
            wait = [f"while (({into} = atomic_load_explicit(&{x}, {order.text})) != {value})", "    ;"]
            return [*_in_turn(before), *wait, *_waiting(then)]
        case _:
            return _in_turn(ops)


def _in_turn(ops: Iterable[Op]) -> list[str]:
    return [line for op in ops for line in _c_lines(op)]


def _c_lines(op: Op) -> list[str]:
    match op:
        case Load(into, x, order):
            return [f"{into} = atomic_load_explicit(&{x}, {order.text});"]
        case Store(x, value, order):
            return [f"atomic_store_explicit(&{x}, {value}, {order.text});"]
        case Add(into, x, value, order):
            return [f"{into} = atomic_fetch_add_explicit(&{x}, {value}, {order.text});"]
        case Exchange(into, x, value, order):
            return [f"{into} = atomic_exchange_explicit(&{x}, {value}, {order.text});"]
        case CompareExchange(into, x, expected, value, order, failure):
            return [f"{into} = {expected};",
                    f"atomic_compare_exchange_strong_explicit(&{x}, &{into}, {value}, {order.text}, {failure.text});"]
        case Fence(order):
            return [f"atomic_thread_fence({order.text});"]
        case Plain(variable, write):
            return [f"{variable} = 1;" if write else f"(void)*(volatile int *)&{variable};"]
        case PlainStore(x, value):
            return [f"{x} = {value};"]
        case PlainLoad(into, x):
            return [f"{into} = {x};"]
        case When(register, value, equal, then):
            inner = [f"    {line}" for part in then for line in _c_lines(part)]
            return [f"if ({register} {'==' if equal else '!='} {value}) {{", *inner, "}"]
        case _:
            assert_never(op)
