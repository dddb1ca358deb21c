"""A finite system on decision diagrams: its start, its transitions forwards and backwards, its error states."""

from __future__ import annotations

from collections.abc import Sequence

from circ.finite.symbolic.compilation import Compilation
from circ.finite.symbolic.encoding import BitEncoding, StateSet
from circ.finite.symbolic.partitions import Partitions
from circ.finite.symbolic.set_commands import AssignField, SetCommand, image, preimage
from circ.finite.system import FATAL, ErrorShape, FiniteSystem


class SymbolicSystem:
    """A closed finite system in a manager of its own. `primed` adds a copy of every bit beside it, for relations."""

    def __init__(self, system: FiniteSystem, primed: bool = False) -> None:
        self.system = system
        self.encoding = BitEncoding(system, primed)
        self.manager = self.encoding.manager
        self.true, self.false = self.encoding.true, self.encoding.false
        self.owner, self.shared, self.fields = self.encoding.owner, self.encoding.shared, self.encoding.fields
        self._partitions = Partitions(self.encoding)
        compilation = Compilation(self.encoding, self._partitions)
        self.moves = [[compilation.commands(m, t) for m in system.groups[g].moves] for t, g in enumerate(self.owner)]
        self._escaped = compilation.escaped

    def start(self) -> StateSet:
        """The start states."""
        return self.encoding.start()

    def image(self, states: StateSet, commands: Sequence[SetCommand]) -> StateSet:
        """The states after the commands; where a value would leave its domain or an index its array, no step is taken."""
        return image(self.encoding, states, commands)

    def preimage(self, states: StateSet, commands: Sequence[SetCommand]) -> StateSet:
        """The states from which the commands can lead into `states`."""
        return preimage(self.encoding, states, commands)

    def peak(self) -> int:
        """The largest number of nodes so far."""
        return self.encoding.peak()

    def error(self) -> StateSet:
        """The error states: a fatal mark, a false invariant, conflicting marks of two threads, or a way out of the view."""
        found = self._escapes()
        for cond in self.system.invariants:
            found |= ~self._partitions.condition(cond, 0)
        seen: dict[ErrorShape, StateSet] = {}
        for t, g in enumerate(self.owner):
            here: dict[ErrorShape, StateSet] = {}
            for mark in self.system.groups[g].marks:
                where = self.fields[t][0].equals.get(mark.location, self.false) & self._partitions.condition(mark.guard, t)
                if mark.index is not None and mark.value is not None:
                    where &= self._partitions.partition(mark.index, t).get(mark.value, self.false)
                here[mark.shape] = here.get(mark.shape, self.false) | where
            found |= here.get(FATAL, self.false)
            for a, b in self.system.conflicts:
                if a in here and b in seen:
                    found |= here[a] & seen[b]
            for shape, where in here.items():
                seen[shape] = seen.get(shape, self.false) | where
        return found

    def _escapes(self) -> StateSet:
        """The states from which a step would leave the finite view; they count as errors (`Stepper.escape`)."""
        found = self._escaped
        for moves in self.moves:
            for commands in moves:
                for n, c in enumerate(commands):
                    if isinstance(c, AssignField) and c.outside != self.false:
                        found |= self.preimage(c.outside, commands[:n])
        return found

    def exclusive(self) -> StateSet:
        """At most one thread is at an atomic location, and the ghost cell says whether one is."""
        ghost = self.encoding.ghost
        if ghost is None:
            return self.true
        none, one = self.true, self.false
        for t, g in enumerate(self.owner):
            at = self.encoding.any_of(self.fields[t][0], sorted(self.system.groups[g].atomic & set(self.fields[t][0].values)))
            none, one = none & ~at, (one & ~at) | (none & at)
        return (none & ghost.equals[0]) | (one & ghost.equals[1])
