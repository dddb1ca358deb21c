"""What is left to do of an executed initialisation: the steps whose results are not known before the program runs.

`counter = TCNT0 & 7;` gives any of eight values. All that is known is put into the start values; steps like this one are recorded
with values in place of what they read, and those that matter later become the first step of `main`, nobody else being able
to run before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field

from frontend.interrupts.known_bits import UNKNOWN
from frontend.interrupts.known_memory import KnownMemory
from frontend.program import Assign, Const, Element, Havoc, Lvalue, Op, Read, Scalar, Var, Variable, name_of, op_reads, op_writes
from frontend.records import dataclass

_INDEX = Scalar(32, False)

MOST_STEPS = 200
"""More than these are not repeated: their results may be anything."""


@dataclass(frozen=True)
class Rest:
    """Steps to be done before all others, variables that may have any value from the start, and variables of doubtful values."""

    steps: tuple[Op, ...]
    open: frozenset[str]
    doubtful: tuple[str, ...]


@dataclass
class ResidualSteps:
    """Recorded in the order of their execution; `doubtful`: variables that get more values here than in the program."""

    variables: Mapping[str, Variable]
    steps: list[Op] = field(default_factory=list)
    doubtful: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)
    """Variables that a recorded step reads or writes: whatever is assigned to them from then on is recorded, too."""

    def copy(self) -> ResidualSteps:
        return ResidualSteps(self.variables, list(self.steps), set(self.doubtful), set(self.touched))

    def assign(self, op: Assign, memory: KnownMemory) -> None:
        """Execute an assignment on `memory`, and record it if that does not say all about it."""
        name, bits = name_of(op.target), memory.bits(op.value)
        done = Assign(memory.place(op.target), memory.resolved(op.value))
        before = isinstance(op.target, Var) or memory.is_whole(name)
        memory.write(done.target, bits)
        # A value that is known needs no step; an element's does, unless all of its array was known and is.
        if name not in self.touched and before and memory.is_whole(name):
            return
        self._record(done)
        if not self.doubtful.isdisjoint(map(name_of, op_reads(done))):
            self.doubtful.add(name)
        elif isinstance(done.target, Var):
            self.doubtful.discard(name)

    def havoc(self, op: Havoc, memory: KnownMemory) -> None:
        places = tuple(map(memory.place, op.targets))
        for place in places:
            memory.write(place, UNKNOWN)
        for name in op.whole:
            memory.forget(name)
        self._record(Havoc(places, op.whole))
        self.doubtful -= {*op.whole, *(p.name for p in places if isinstance(p, Var))}

    def doubt(self, names: Iterable[str], memory: KnownMemory) -> None:
        """These variables may have any value as far as is known here."""
        for name in sorted(names):
            memory.forget(name)
            v = self.variables[name]
            self._record(Havoc((), (name,)) if v.is_array else Havoc((Var(name, v.type),)))
            self.doubtful.add(name)

    def merge(self, names: Collection[str], memory: KnownMemory) -> None:
        """Behind a choice that is open: of these variables, which the ways assign to, only what `memory` holds is known."""
        unknown = {n for n in names if not memory.is_whole(n)}
        self.doubt(unknown, memory)
        for name in sorted((set(names) & self.touched) - unknown):
            v = self.variables[name]
            places: list[Lvalue] = [Element(name, Const(i, _INDEX), v.type) for i in range(v.length or 0)] if v.is_array else [
                Var(name, v.type)]
            self.steps += [Assign(p, memory.resolved(Read(p))) for p in places]
            self.doubtful.discard(name)

    def _record(self, op: Op) -> None:
        self.steps.append(op)
        self.touched |= {*op_writes(op), *map(name_of, op_reads(op))}

    def needed(self, kept: Collection[str], memory: KnownMemory) -> Rest:
        """What is to be done for the `kept` variables, those whose values are not in `memory`."""
        wanted = {n for n in self.touched if n in kept and not memory.is_whole(n)}
        while True:
            steps = self._slice(wanted)
            more = {n for op in steps for n in op_writes(op) if n in kept} - wanted
            if not more:
                break
            wanted |= more
        steps = _without_copies(steps, kept)
        written = Counter(n for op in steps for n in op_writes(op))
        read = {name_of(v) for op in steps for v in op_reads(op)}
        open_ = frozenset(v.name for op in steps if isinstance(op, Havoc) for v in op.targets if isinstance(v, Var)
                          if written[v.name] == 1 and v.name not in read and v.name not in self.doubtful)
        steps = [op for op in steps
                 if not (isinstance(op, Havoc) and not op.whole and open_.issuperset(map(name_of, op.targets)))]
        if len(steps) > MOST_STEPS:
            return self._anything({n for op in steps for n in op_writes(op)} & set(kept), open_)
        return Rest(tuple(steps), open_, tuple(sorted(self.doubtful & {n for op in steps for n in op_writes(op)})))

    def _anything(self, names: Collection[str], open_: frozenset[str]) -> Rest:
        scalars = tuple(Var(n, self.variables[n].type) for n in sorted(names) if not self.variables[n].is_array)
        arrays = tuple(n for n in sorted(names) if self.variables[n].is_array)
        return Rest((Havoc(scalars, arrays),), open_, tuple(sorted(names)))

    def _slice(self, wanted: Collection[str]) -> list[Op]:
        needed, found = set(wanted), list[Op]()
        for op in reversed(self.steps):
            if needed.isdisjoint(op_writes(op)):
                continue
            found.append(op)
            match op:
                case Assign(target=Var(name=name)):
                    needed.discard(name)
                case Havoc(targets=targets, whole=whole):
                    needed -= {*whole, *(t.name for t in targets if isinstance(t, Var))}
            needed |= set(map(name_of, op_reads(op)))
        return found[::-1]


def _without_copies(steps: list[Op], kept: Collection[str]) -> list[Op]:
    """`r = *; x = r` is `x = *` if nothing else looks at `r`."""
    while True:
        written = Counter(n for op in steps for n in op_writes(op))
        read = Counter(name_of(v) for op in steps for v in op_reads(op))
        fresh = {op.targets[0].name: n for n, op in enumerate(steps)
                 if isinstance(op, Havoc) and not op.whole and len(op.targets) == 1 and isinstance(op.targets[0], Var)}
        for n, op in enumerate(steps):
            match op:
                case Assign(target=Var() as x, value=Read(lvalue=Var(name=r))) if (
                        fresh.get(r, n) < n and written[r] == read[r] == 1 and r not in kept and op.value.type == x.type):
                    steps = [Havoc((x,)) if m == n else o for m, o in enumerate(steps) if m != fresh[r]]
                    break
        else:
            return steps
