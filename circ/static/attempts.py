"""One try of the static prover: what is tracked, for which variables, and which of them the pairs keep apart.

Pairs do not depend on the variables that they are wanted for, so one try serves all that may rest on the same cells: a
variable with two conflicting accesses at places that can meet is dropped, and the others go on.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Sequence

from circ.semantics.conflicts import conflict
from circ.static.arguments.argument import Argument, RegionPlace
from circ.static.outline import Outline
from circ.static.pairing import OpenPair, Pairing, RegionThread, TooMuch
from circ.static.regions import Regions
from circ.static.tracking import Tracked
from circ.static.values import CellValues
from frontend.program import Access, Edge, Element, Program, variables
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Clash:
    """Conflicting accesses to a variable at two places; `cells` if it depends on indices whether they mean one cell."""

    variable: str
    cells: tuple[Access, Access] | None


class Clashes:
    """The conflicting accesses to some variables that may be next at two places, as far as regions and arguments tell."""

    def __init__(
        self, seen: Outline, asked: Sequence[str], regions: Sequence[Regions], arguments: tuple[Argument, ...]
    ) -> None:
        self.seen, self.program, self.regions, self.arguments = seen, seen.original, regions, arguments
        self.accesses: list[dict[int, dict[str, list[tuple[Edge, Access]]]]] = [{} for _ in regions]
        alike: set[Hashable] = set()
        for variable in asked:
            for n, e, a in self.program.accesses.get(variable, ()):
                first = seen.first[n][e.source]
                region = None if first is None else regions[n].of[first]
                sort = n, region, e.protected, a.lvalue, a.write, a.kind, a.whole
                # Arguments may tell apart accesses that are alike in all this.
                if region is not None and (arguments or sort not in alike):
                    alike.add(sort)
                    self.accesses[n].setdefault(region, {}).setdefault(variable, []).append((e, a))
        self._clashes: dict[tuple[RegionPlace, RegionPlace], tuple[Clash, ...]] = {}
        self._broken: dict[tuple[RegionPlace, RegionPlace], bool] = {}
        # An index that reads globals may change while a third thread is in an atomic section, of which pairs say nothing.
        sections = any(t.cfa.atomic for t in self.program.templates)
        self._moving = frozenset(v.name for v in self.program.globals) if sections else frozenset()

    def between(self, one: RegionThread, two: RegionThread, g: CellValues, left: Container[str]) -> list[str]:
        """Which of the variables left have conflicting accesses there that may mean one cell."""
        first, second = one[:2], two[:2]
        if first[1] not in self.accesses[first[0]] or second[1] not in self.accesses[second[0]]:
            return []
        clashes = self._clashes.get((first, second))
        if clashes is None:
            clashes = self._clashes[first, second] = tuple(self._at(first, second))
        return [c.variable for c in clashes
                if c.variable in left and (c.cells is None or self._overlap(c.cells, one, two, g))] if clashes else []

    def broken(self, one: RegionThread, two: RegionThread) -> bool:
        """Whether an argument does not hold of the two threads."""
        key = one[:2], two[:2]
        if key not in self._broken:
            self._broken[key] = any(arg.broken(first, (second[0], q)) for arg in self.arguments
                                    for first, second in ((key[0], key[1]), (key[1], key[0]))
                                    for p in self.regions[second[0]].inside[second[1]]
                                    for q in self.seen.groups[second[0]][p])
        return self._broken[key]

    def _at(self, first: RegionPlace, second: RegionPlace) -> list[Clash]:
        found: dict[Clash, None] = {}
        theirs = self.accesses[second[0]][second[1]]
        for variable, mine in self.accesses[first[0]][first[1]].items():
            for e, a in mine:
                for f, b in theirs.get(variable, ()):
                    if conflict(self.program.race_model, e, a, f, b) \
                            and not any(arg.apart(first, a, second, b) for arg in self.arguments):
                        found[Clash(variable, (a, b) if self._told_apart(a, b) else None)] = None
        return list(found)

    def _told_apart(self, a: Access, b: Access) -> bool:
        """Whether the two may mean different cells, and what is known of their indices says so."""
        if a.whole or b.whole or not isinstance(a.lvalue, Element) or not isinstance(b.lvalue, Element):
            return False
        return not self._moving & (variables(a.lvalue.index) | variables(b.lvalue.index))

    def _overlap(self, cells: tuple[Access, Access], one: RegionThread, two: RegionThread, g: CellValues) -> bool:
        a, b = cells[0].lvalue, cells[1].lvalue
        assert isinstance(a, Element) and isinstance(b, Element)
        i = self.regions[one[0]].cells.value(a.index, (*g, *one[2]))
        j = self.regions[two[0]].cells.value(b.index, (*g, *two[2]))
        return not i.meet(j).empty


class Attempt:
    """One choice of what to track and of arguments to use: regions, and the accesses to the variables asked about in them.

    `left` are the variables that nothing found so far speaks against, all or none if they are asked about `together`; `met`
    says for the others where their accesses meet. `final`: more states for each pair would change nothing; `exhausted`: more
    effort might.
    """

    def __init__(
        self, seen: Outline, asked: Sequence[str], tracked: Tracked, arguments: tuple[Argument, ...], most: int, effort: int,
        together: bool = False,
    ) -> None:
        self.seen, self.tracked, self.arguments, self.together = seen, tracked, arguments, together
        program = seen.program
        marks = marked(program, arguments)
        indices = _indices(program, asked)
        self.regions = [Regions(frame, tracked.globals, tracked.locals[n], indices[n], marks[n])
                        for n, frame in enumerate(seen.frames)]
        self.left = dict.fromkeys(asked)
        self.final = False
        self.exhausted = False
        self.met: dict[str, tuple[RegionThread, RegionThread]] = {}
        self._clashes = Clashes(seen, asked, self.regions, arguments)
        self.pairing = Pairing(program, self.regions, most, effort, self._forbidden, self._known if arguments else None)

    def close(self) -> None:
        """Works out the pairs, as far as the effort goes: beyond it nothing is left."""
        try:
            self.pairing.run()
        except OpenPair:
            pass
        except TooMuch:
            self.final = self.exhausted = True
            self.left.clear()
        self.final = self.final or not self.pairing.lattice.joined

    def excludes(self, variable: str) -> bool:
        """Whether the pairs, once they are worked out, keep the accesses to another variable apart as well."""
        pairing, clashes = self.pairing, Clashes(self.seen, (variable,), self.regions, ())
        near = [region in clashes.accesses[t] for t, region, _ in pairing.threads]
        return not any(clashes.between(pairing.threads[i], pairing.threads[j], pairing.lattice.states[s], (variable,))
                       for (i, j), states in pairing.pairs.items() if near[i] and near[j] for s in states)

    def _forbidden(self, one: RegionThread, two: RegionThread, g: CellValues) -> bool:
        """Whether no variable is left; those whose accesses meet there are dropped."""
        dropped = list(self.left) if self.arguments and self._clashes.broken(one, two) else \
            self._clashes.between(one, two, g, self.left)
        for variable in dropped:
            self.left.pop(variable, None)
            self.met.setdefault(variable, (one, two))
        if dropped and self.together:
            self.left.clear()
        return not self.left

    def _known(self, g: CellValues, threads: Sequence[RegionThread]) -> CellValues | None:
        state: CellValues | None = g
        for arg in self.arguments:
            if state is not None:
                state = arg.known(self.tracked.globals, state, [t[:2] for t in threads])
        return state


def marked(program: Program, arguments: Sequence[Argument]) -> list[Sequence[Hashable]]:
    """For each template and location what the arguments tell locations apart by."""
    return [list(zip(*(a.marks(n) for a in arguments), strict=True)) if arguments else [()] * t.cfa.size
            for n, t in enumerate(program.templates)]


def _indices(program: Program, asked: Sequence[str]) -> list[dict[int, frozenset[str]]]:
    """For each template, by location, the variables that tell which element an access to one of the variables there means."""
    found: list[dict[int, frozenset[str]]] = [{} for _ in program.templates]
    for variable in asked:
        for n, e, a in program.accesses.get(variable, ()):
            if isinstance(a.lvalue, Element):
                found[n][e.source] = found[n].get(e.source, frozenset()) | variables(a.lvalue.index)
    return found
