"""Random programs of atomic accesses with all orders, and circ's verdicts on them against the enumerator of executions.

Wrong is: `safe` for a plain variable that races, alone, in some execution in which release sequences are those of C++20, which
order least; `race` for one that races in none in which they are those of C17, which order most; an exception.
"""

from __future__ import annotations

import random
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.support.c11.executions import Sequences, behaviour
from tests.support.c11.programs import (
    CHANGES,
    FENCES,
    LOADS,
    READS,
    STORES,
    Add,
    CompareExchange,
    Exchange,
    Fence,
    Litmus,
    Load,
    Op,
    Order,
    Plain,
    PlainLoad,
    PlainStore,
    Store,
    When,
    c_text,
)
from tests.support.randomc.arbiter import load_text
from tests.support.randomc.sanitizer import said_of

MOST_ACCESSES = 11


def random_orders(seed: int) -> Litmus:
    """The program of this seed: two or three threads that hand `d` (and `e`) over, lock it, count, or do something like it."""
    r = random.Random(seed)
    while True:
        style = r.choice([_message, _message, _lock, _count, _dekker, _chain, _anything])
        threads = style(r)
        start = (("x", 1),) if r.random() < 0.15 else ()
        program = Litmus(tuple(tuple(_damaged(r, t)) for t in threads), start)
        if program.plain and sum(not isinstance(op, When) for op in program.operations()) <= MOST_ACCESSES:
            return program


def random_fences(seed: int) -> Litmus:
    """The program of this seed: each of two or three threads tells the others by a variable of its own that it is there, and looks
    at theirs, with fences of all orders in between; readers look at several."""
    r = random.Random(seed)
    while True:
        names = ["x", "y", "z"][:r.choice([2, 2, 3])]
        threads = tuple(tuple(_defined(_looking(r, own, [n for n in names if n != own]), set())) for own in names)
        program = Litmus(threads)
        if program.plain and sum(not isinstance(op, When) for op in program.operations()) <= MOST_ACCESSES:
            return program


def random_mixed(seed: int) -> Litmus:
    """The program of this seed: threads count down, lock or tell by a variable that some access is not atomic to, like the count in
    an object whose last owner takes it apart."""
    r = random.Random(seed)
    while True:
        threads = r.choice([_last_owner, _last_owner, _looks_plainly])(r)
        program = Litmus(tuple(tuple(_damaged(r, t)) for t in threads), (("x", len(threads)),) if r.random() < 0.7 else ())
        if program.mixed and sum(not isinstance(op, When) for op in program.operations()) <= MOST_ACCESSES:
            return program


def _last_owner(r: random.Random) -> list[list[Op]]:
    def thread() -> list[Op]:
        fence: list[Op] = [Fence(_order(r, FENCES, Order.ACQUIRE))] if r.random() < 0.4 else []
        down = Add("r", "x", -1, _order(r, CHANGES, Order.RELEASE if fence else Order.ACQ_REL))
        apart: Op = PlainStore("x", r.choice([0, 5])) if r.random() < 0.9 else PlainLoad("q", "x")
        use: list[Op] = [Plain("d", False)] if r.random() < 0.3 else []
        return [*use, down, When("r", r.choice([1, 1, 1, 2]), True, (*fence, apart))]

    return [thread() for _ in range(r.choice([2, 2, 3]))]


def random_many(seed: int) -> Litmus:
    """The thread of this seed, of which there is to be any number: each locks, counts, or is the first one or not."""
    r = random.Random(seed)
    while True:
        [thread, *_] = r.choice([_lock, _count, _last_owner, _first])(r)
        program = Litmus((tuple(_damaged(r, thread)),), (("x", r.choice([1, 2])),) if r.random() < 0.2 else ())
        if program.asked and sum(not isinstance(op, When) for op in program.operations()) <= MOST_ACCESSES // 3 + 1:
            return program


def _first(r: random.Random) -> list[list[Op]]:
    """Who comes first sets something up and tells the others."""
    come = Add("q", "x", 1, _order(r, CHANGES, Order.RELAXED))
    told = Load("r", "y", _order(r, LOADS, Order.ACQUIRE))
    return [[come, When("q", 0, True, (_data(r), Store("y", 1, _order(r, STORES, Order.RELEASE)))),
             When("q", 0, False, (told, When("r", 1, True, (Plain("d", False),))))]]


def _looks_plainly(r: random.Random) -> list[list[Op]]:
    def change() -> Op:
        return r.choice([Store("x", r.choice([0, 2]), r.choice(STORES)), Add("q", "x", 1, r.choice(CHANGES)),
                         CompareExchange("q", "x", 0, 1, r.choice(CHANGES), r.choice(LOADS)), PlainStore("x", 3)])

    tell = Store("y", 1, _order(r, STORES, Order.RELEASE))
    read = Load("r", "y", _order(r, LOADS, Order.ACQUIRE))
    look: Op = r.choice([PlainLoad("p", "x"), PlainStore("x", 4)])
    return [[change(), tell], [read, When("r", 1, True, (look,))], *([[change()]] if r.random() < 0.3 else [])]


def _looking(r: random.Random, own: str, others: list[str]) -> list[Op]:
    fence: list[Op] = [Fence(_order(r, FENCES, Order.SEQ_CST))] if r.random() < 0.85 else []
    ops: list[Op] = [Store(own, 1, _order(r, STORES, Order.RELAXED)), *fence] if r.random() < 0.85 else list(fence)
    inner: list[Op] = [_data(r)]
    if r.random() < 0.3:
        inner.append(Store(own, r.choice([0, 0, 2]), _order(r, STORES, Order.RELEASE)))
    for n, other in enumerate(r.sample(others, r.choice([1, len(others)]))):
        again: list[Op] = [Fence(_order(r, FENCES, Order.SEQ_CST))] if r.random() < 0.25 else []
        inner = [*again, Load(f"r{n}", other, _order(r, LOADS, Order.RELAXED)), When(f"r{n}", r.choice([0, 0, 0, 1]), True, tuple(inner))]
    return [*ops, *inner]


def _order(r: random.Random, orders: tuple[Order, ...], right: Order) -> Order:
    return right if r.random() < 0.6 else r.choice(orders)


def _data(r: random.Random, name: str = "d") -> Plain:
    return Plain(name, r.random() < 0.7)


def _message(r: random.Random) -> list[list[Op]]:
    x = r.choice("xy")
    fences = r.random() < 0.3
    store = Store(x, r.choice([1, 1, 2]), r.choice(STORES) if fences else _order(r, STORES, Order.RELEASE))
    load = r.choice([
        Load("r", x, r.choice(LOADS) if fences else _order(r, LOADS, Order.ACQUIRE)),
        Exchange("r", x, r.choice([0, 2]), _order(r, CHANGES, Order.ACQ_REL)),
        CompareExchange("r", x, 1, r.choice([0, 2]), _order(r, CHANGES, Order.ACQUIRE), r.choice(LOADS))])
    writer: list[Op] = [_data(r), *([Fence(_order(r, FENCES, Order.RELEASE))] if fences else []), store]
    reader: list[Op] = [load, When("r", r.choice([1, 1, 1, 0]), True, (
        *([Fence(_order(r, FENCES, Order.ACQUIRE))] if fences else []), _data(r)))]
    third: list[list[Op]] = [[r.choice([Add("q", x, 1, r.choice(CHANGES)), Store(x, 2, r.choice(STORES)), _data(r)])]] if r.random() < 0.3 else []
    return [writer, reader, *third]


def _lock(r: random.Random) -> list[list[Op]]:
    def thread() -> list[Op]:
        order = _order(r, CHANGES, Order.ACQUIRE)
        take = r.choice([Exchange("r", "x", 1, order), CompareExchange("r", "x", 0, 1, order, r.choice(LOADS))])
        give = r.choice([Store("x", 0, _order(r, STORES, Order.RELEASE)), Exchange("q", "x", 0, _order(r, CHANGES, Order.RELEASE))])
        return [take, When("r", 0, True, (_data(r), give))]

    return [thread() for _ in range(r.choice([2, 2, 3]))]


def _count(r: random.Random) -> list[list[Op]]:
    def thread() -> list[Op]:
        down = Add("r", "x", 1, _order(r, CHANGES, Order.ACQ_REL))
        fence = [Fence(_order(r, FENCES, Order.ACQUIRE))] if r.random() < 0.4 else []
        return [Plain("d", r.random() < 0.4), down, When("r", number - 1, True, (*fence, Plain("d", True)))]

    number = r.choice([2, 2, 3])
    return [thread() for _ in range(number)]


def _dekker(r: random.Random) -> list[list[Op]]:
    right = r.choice([Order.SEQ_CST, Order.SEQ_CST, Order.ACQ_REL])

    def thread(mine: str, other: str) -> list[Op]:
        enter: Op = Store(mine, 1, _order(r, STORES, Order.SEQ_CST)) if right is Order.SEQ_CST else Exchange("q", mine, 1, right)
        fence = [Fence(_order(r, FENCES, Order.SEQ_CST))] if r.random() < 0.2 else []
        look: Op = r.choice([Load("r", other, _order(r, LOADS, Order.SEQ_CST)), Exchange("r", other, 1, r.choice(CHANGES))])
        return [enter, *fence, look, When("r", 0, True, (_data(r),))]

    return [thread("x", "y"), thread("y", "x")]


def _chain(r: random.Random) -> list[list[Op]]:
    return [[_data(r), Store("x", 1, _order(r, STORES, Order.RELEASE))],
            [Load("r", "x", _order(r, LOADS, Order.ACQUIRE)), When("r", 1, True, (Store("y", 1, _order(r, STORES, Order.RELEASE)),))],
            [Load("r", "y", _order(r, LOADS, Order.ACQUIRE)), When("r", 1, True, (_data(r),))]]


def _anything(r: random.Random) -> list[list[Op]]:
    return [[_any(r, 2) for _ in range(r.choice([2, 3]))] for _ in range(2)]


def _any(r: random.Random, depth: int) -> Op:
    x = r.choice("xy")
    kind = r.randrange(7)
    if kind == 0:
        return Store(x, r.choice([0, 1, 2]), r.choice(STORES))
    if kind == 1:
        return Fence(r.choice(FENCES))
    if kind == 2 or depth == 0:
        return _data(r, r.choice("dde"))
    read = r.choice([Load("r", x, r.choice(LOADS)), Add("r", x, 1, r.choice(CHANGES)), Exchange("r", x, 1, r.choice(CHANGES))])
    if kind == 3:
        return read
    return When("r", r.choice([0, 1]), r.random() < 0.7, (_any(r, depth - 1),)) if kind == 4 else read


def _damaged(r: random.Random, ops: list[Op]) -> list[Op]:
    """The thread with something left out or put in now and then; registers start with 0."""
    ops = [op for op in ops if isinstance(op, When) or r.random() < 0.95]
    if r.random() < 0.15:
        ops.insert(r.randrange(len(ops) + 1), _any(r, 1))
    return _defined(ops, set())


def _defined(ops: list[Op], known: set[str]) -> list[Op]:
    """Without conditions on registers that nothing was read into."""
    kept: list[Op] = []
    for op in ops:
        if isinstance(op, When):
            if op.register in known:
                kept.append(When(op.register, op.value, op.equal, tuple(_defined(list(op.then), set(known)))))
        else:
            known |= {op.into} if isinstance(op, READS) else set()
            kept.append(op)
    return kept


# --------------------------------------------------------------------------------------------------- comparison
@dataclass
class Tally:
    """Counts of (circ's word, what the executions show), and what is wrong."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    undecided: list[int] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.counts += other.counts
        self.faults += other.faults
        self.undecided += other.undecided

    def __str__(self) -> str:
        columns = ("race", "either", "no race")
        lines = ["circ \\ C11        " + "".join(c.rjust(10) for c in columns)]
        for row in ("safe", "race", "unknown"):
            lines.append(row.ljust(18) + "".join(str(self.counts[row, c]).rjust(10) for c in columns))
        lines += [f"WRONG {fault}" for fault in self.faults]
        if self.undecided:
            lines.append(f"undecided: {len(self.undecided)}, seeds {' '.join(map(str, self.undecided[:40]))}")
        return "\n".join(lines)


def examine_mixed(seeds: Iterable[int]) -> Tally:
    """The same for variables that not all accesses are atomic to."""
    return examine(seeds, make=random_mixed)


def examine_many(seeds: Iterable[int], seconds: float = 10.0) -> Tally:
    """circ's verdicts on any number of threads: `safe` is wrong if two or three of them may race."""
    tally = Tally()
    for seed in seeds:
        thread = random_many(seed)
        try:
            words = said_of(load_text(c_text(thread, many=True)), seconds)
        except Exception:
            tally.faults.append(f"many, seed {seed}: {traceback.format_exc(limit=-3)}")
            continue
        few = [behaviour(Litmus(thread.threads * n, thread.start), Sequences.CPP20) for n in (2, 3)]
        for name in thread.asked:
            said = words.get(name, "safe").replace("possible race", "unknown")
            truth = "race" if any(b.must_be_found(name) for b in few) else "either" if any(b.may_race(name) for b in few) else "no race"
            tally.counts[said, truth] += 1
            if said == "safe" and truth == "race":
                tally.faults.append(f"many, seed {seed}: safe {name}, which races")
            if said == "unknown":
                tally.undecided.append(seed)
    return tally


def examine(seeds: Iterable[int], seconds: float = 10.0, make: Callable[[int], Litmus] = random_orders) -> Tally:
    """circ's verdicts on the programs of these seeds against all their executions."""
    tally = Tally()
    for seed in seeds:
        program = make(seed)
        try:
            words = said_of(load_text(c_text(program)), seconds)
        except Exception:
            tally.faults.append(f"seed {seed}: {traceback.format_exc(limit=-3)}")
            continue
        most, least = behaviour(program, Sequences.CPP20), behaviour(program, Sequences.C17)
        for name in program.asked:
            said = {"possible race": "unknown"}.get(words.get(name, "safe"), words.get(name, "safe"))
            truth = "race" if least.must_be_found(name) else "either" if most.may_race(name) else "no race"
            tally.counts[said, truth] += 1
            if said == "safe" and most.must_be_found(name):
                tally.faults.append(f"seed {seed}: safe {name}, which races")
            if said == "race" and not least.may_race(name):
                tally.faults.append(f"seed {seed}: race on {name}, which has none")
            if said == "unknown":
                tally.undecided.append(seed)
    return tally
