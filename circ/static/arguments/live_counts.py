"""Threads that are counted while they live: who has seen the count at 0 knows that there is none.

The count is raised for a thread by whoever creates it, or by the thread itself, and lowered by the thread at its end, one by
one, perhaps through a register under a lock. It is a sum over all threads, so it takes a counting fact (docs/certificate.md):
the count less the creations that no thread has taken yet is the number of threads at places where one is counted.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import combinations

from circ.static.arguments.argument import Argument, RegionPlace
from circ.static.arguments.numbering import awaited_flag
from circ.static.live_locals import live_locals
from circ.static.values import CellValues, ValueSet, single
from frontend.program import Assign, Binary, Cast, Const, Edge, Expr, Lvalue, Program, Read, Values, Var, op_writes, primitive

MOST_FLAGS = 3


class Alive(Argument):
    """The argument about one variable that counts threads."""

    def __init__(self, program: Program, count: Var, flags: tuple[Var, ...]) -> None:
        self.program, self.count, self.flags = program, count, flags
        self.words = f"'{count.name}' counts the threads that have not come to their end"
        live = [live_locals(t) for t in program.templates]
        self.copies = [[frozenset(v for v in here if v.name in live[n][q]) for q, here in enumerate(_copies(program, n, count))]
                       for n in range(len(program.templates))]
        weights = [_weights(program, n, count, flags, self.copies[n]) for n in range(len(program.templates))]
        self.weights = [w for w in weights if w is not None]

    @property
    def applies(self) -> bool:
        return len(self.weights) == len(self.program.templates) and any(any(w) for w in self.weights)

    def cells(self) -> Iterable[Lvalue]:
        return (self.count, *self.flags)

    def marks(self, template: int) -> Sequence[Hashable]:
        return list(zip(self.weights[template], self.copies[template], strict=True))

    def alone(self, spot: RegionPlace) -> Iterator[Expr]:
        for v in sorted(self.copies[spot[0]][spot[1]], key=lambda v: v.name):
            yield Binary("==", Read(v), Read(self.count))

    def broken(self, one: RegionPlace, two: RegionPlace) -> bool:
        return bool(self.copies[one[0]][one[1]]) and any(
            e.source == two[1] and self.count.name in op_writes(e.op) for e in self.program.templates[two[0]].cfa.edges)

    def known(self, cells: Sequence[Lvalue], state: CellValues, spots: Sequence[RegionPlace]) -> CellValues | None:
        values = list(state)
        for n, cell in enumerate(cells):
            if cell == self.count and any(self.weights[t][q] for t, q in spots):
                values[n] = values[n].meet(ValueSet(True, frozenset((0,))))
        if any(cell == self.count and values[n] == single(0) for n, cell in enumerate(cells)):
            values = [v.meet(single(0)) if cell in self.flags else v for v, cell in zip(values, cells, strict=True)]
        return None if any(v.empty for v in values) else tuple(values)

    def counting(self) -> Iterator[tuple[Expr, Sequence[Sequence[int]]]]:
        e: Expr = Read(self.count)
        for flag in self.flags:
            e = Binary("-", e, Cast(Read(flag), self.count.type))
        yield e, self.weights


def alive(program: Program) -> list[Alive]:
    """An argument for each variable that counts threads."""
    shared = {v.name: v for v in program.globals if not v.is_array}
    lowered = {p.target for t in program.templates for e in t.cfa.edges for p in primitive(e.op)
               if isinstance(p, Assign) and isinstance(p.target, Var) and p.target.name in shared
               and isinstance(p.value, Binary) and p.value.op == "-" and p.value.right == Const(1, p.target.type)}
    flags = [f for n in range(len(program.templates)) if (f := awaited_flag(program, n)) is not None and f.name in shared]
    found = []
    for count in sorted(lowered, key=lambda v: v.name):
        start = shared[count.name].start
        if isinstance(start, Values) and start.default == 0:
            tried = (Alive(program, count, some) for size in range(min(len(flags), MOST_FLAGS), -1, -1)
                     for some in combinations(flags, size))
            found += [a for a in tried if a.applies][:1]
    return found


def _copies(program: Program, n: int, count: Var) -> list[frozenset[Var]]:
    """At each location the locals that were loaded from the count and not written since, nor the count by this thread."""
    own = {v.name for v in program.templates[n].locals}

    def after(here: frozenset[Var], e: Edge) -> frozenset[Var]:
        for part in primitive(e.op):
            written = set(op_writes(part))
            here = frozenset() if count.name in written else frozenset(v for v in here if v.name not in written)
            match part:
                case Assign(target=Var() as v, value=Read(lvalue=source)) if source == count and v.name in own:
                    here |= {v}
                case _:
                    pass
        return here

    found = program.templates[n].cfa.forward(frozenset[Var](), after, frozenset.intersection)
    return [here or frozenset() for here in found]


def _weights(program: Program, n: int, count: Var, flags: tuple[Var, ...], copies: list[frozenset[Var]]) -> list[int] | None:
    """How often a thread is counted at each location; None if that depends on how it came there."""
    cfa = program.templates[n].cfa
    found: list[int | None] = [None] * cfa.size
    found[cfa.start] = 0
    out = cfa.leaving()
    todo = [cfa.start]
    while todo:
        q = todo.pop()
        here = found[q]
        assert here is not None
        for e in out[q]:
            change = _change(e, count, flags, copies[q])
            after = None if change is None else here + change
            if after is None or after < 0 or found[e.target] not in (None, after):
                return None
            if found[e.target] is None:
                found[e.target] = after
                todo.append(e.target)
    return [n or 0 for n in found]


def _change(e: Edge, count: Var, flags: tuple[Var, ...], copies: frozenset[Var]) -> int | None:
    """By how much a step changes the count less the flags; None if that is not known."""
    total = 0
    for part in primitive(e.op):
        written = set(op_writes(part))
        match part:
            case Assign(target=Var() as v, value=Binary(op="+" | "-" as op, left=Read(lvalue=source), right=Const(value=1))) \
                    if v == count and (source == count or source in copies):
                total += 1 if op == "+" else -1
            case Assign(target=Var() as v, value=Const(value=c)) if v in flags:
                total += -1 if c else 1  # a creation waits until the flag is 0, and a thread until it is 1
            case _:
                if count.name in written or any(f.name in written for f in flags):
                    return None
    return total
