"""The possible race of each variable: of all pairs of conflicting accesses that nothing known keeps apart, the worst one.

What is known are the locks that are surely held at an access (`locksets`), and which threads run beside each other (`parallel`).
Goblint, RacerD and Coverity report such pairs as races; here they are what is left where nothing is proved and no run is found.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field, replace

from circ.semantics.conflicts import conflict
from circ.static.possible.locksets import HeldLock, Locksets, beside, excludes
from circ.static.possible.parallel import Parallel
from circ.verdict import PossibleAccess, PossibleRace, Rank
from frontend.program import NOWHERE, Access, AccessKind, Const, Edge, Element, FunctionText, Location, Program, Variable
from frontend.program.display import DisplayNames
from frontend.records import dataclass

EFFORT = 3_000_000
"""Steps of the analyses and pairs of accesses, for all variables together: about half a minute, but counted, not timed."""
MOST_PLACES = 80
"""Places at which a variable is accessed that are looked at, writes first: pairs of them are many."""
MOST_COPIES = 3
"""Threads that run the same text of which each is looked at; beyond, they are alike."""
MOST_CALLS = 6
_COPY = re.compile(r"^call@|#\d+$")
"""What the name of a thread has beside that of its function: it is one of several, or code that is not here calls it."""
_LOCK_WORD = re.compile(r"\.__circ_\w+")


class TooMuch(Exception):
    """The effort is spent."""


@dataclass(frozen=True, slots=True)
class AccessPlace:
    """An access as the text has it: several threads may come there, each by its own edge."""

    thread: str
    location: Location
    access: Access
    protected: bool
    locks: frozenset[HeldLock]
    doubtful: bool
    edges: list[tuple[int, Edge]] = field(default_factory=list, compare=False)


class PossibleRaces:
    """Looks at one program; what concerns all its variables is worked out once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.effort = EFFORT
        self.locks = Locksets(program, self._count)
        self.parallel = Parallel(program, self._count)
        self._names = [DisplayNames(program, t) for t in program.templates]
        self._variables = {v.name: v for v in program.globals}
        self._functions = _by_file(program.functions)

    def _count(self) -> None:
        self.effort -= 1
        if self.effort < 0:
            raise TooMuch

    def race_on(self, variable: str) -> PossibleRace | None:
        """The possible race that most speaks for; None if every pair of conflicting accesses seems to be kept apart."""
        places = self._places(variable)
        best: tuple[tuple[Rank, *tuple[object, ...]], AccessPlace, AccessPlace] | None = None
        pairs: set[tuple[Location, Location]] = set()
        for i, one in enumerate(places):
            for two in places[i:]:
                self._count()
                rank = self._rank(variable, one, two)
                if rank is None:
                    continue
                pairs.add((min(one.location, two.location), max(one.location, two.location)))
                key = (rank, not (one.access.write and two.access.write), len(one.locks) + len(two.locks),
                       not (one.access.is_data and two.access.is_data),
                       one.thread == two.thread, one.location, two.location)
                if best is None or key < best[0]:
                    best = key, one, two
        if best is None:
            return None
        worst = best[0][0]
        _, one, two = best
        # The write comes first; of two, the one that holds less.
        first, second = sorted((one, two), key=lambda p: (not p.access.write, len(p.locks)))
        return PossibleRace(worst, self._told(first), self._told(second), self._why(worst, first, second, places), len(pairs) - 1)

    def kept_apart(self, variable: str) -> str:
        """Why no possible race is told of, in a sentence for the reader."""
        places = self._places(variable)
        common = frozenset.intersection(*(p.locks for p in places)) if places else frozenset()
        if common:
            return f"{_lock_names(common)} is held at every access, but that is not proved to protect it"
        return "locks, creation and joining seem to keep all accesses apart, but that is not proved"

    # ----------------------------------------------------------------------------------------------- pairs
    def _places(self, variable: str) -> list[AccessPlace]:
        """Where the variable is accessed as data, writes first."""
        found: dict[AccessPlace, AccessPlace] = {}
        for n, e, a in self.program.accesses.get(variable, ()):
            if a.kind is AccessKind.SYNC:
                continue
            where = a.location if a.location != NOWHERE else e.location
            thread = _COPY.sub("", self.program.templates[n].name)
            sure = not any(d.accesses or d.step for d in e.doubts)
            place = AccessPlace(thread, where, replace(a, lvalue=self.locks.canonical(n, a.lvalue)), e.protected,
                                self.locks.held(n, e.source), not sure)
            place = found.setdefault(place, place)
            if len(place.edges) < MOST_COPIES:
                place.edges.append((n, e))
        return sorted(found.values(), key=lambda p: not p.access.write)[:MOST_PLACES]

    def _rank(self, variable: str, one: AccessPlace, two: AccessPlace) -> Rank | None:
        """How much speaks for a race of the two accesses; None if something is known to keep them apart."""
        if not self._meet(one, two) or excludes(one.locks, two.locks) is not None:
            return None
        a, b = one.access.lvalue, two.access.lvalue
        whole = one.access.whole or two.access.whole
        rank = Rank.WRITES if one.access.write and two.access.write else Rank.WRITE_AND_READ
        if isinstance(a, Element) and isinstance(b, Element):
            if any(_twin(x, y) and beside(x, a) and beside(y, b) for x in one.locks for y in two.locks):
                return None
            i, j = _index(a), _index(b)
            fixed = not whole and i is not None and j is not None
            if fixed and i != j:
                return None
            if not fixed:
                rank = Rank.INSTANCES if _allocated(self._variables[variable]) else Rank.ELEMENTS
        if _frees(one.access) or _frees(two.access):
            rank = max(rank, Rank.INSTANCES)  # mostly by whoever is the last one to know the object
        return Rank.POINTER if one.doubtful or two.doubtful else rank

    def _meet(self, one: AccessPlace, two: AccessPlace) -> bool:
        """Whether two threads may be at the two places at once, and would race."""
        return any(conflict(self.program.race_model, e, one.access, f, two.access)
                   and self.parallel.together(n, e.source, m, f.source)
                   for n, e in one.edges for m, f in two.edges)

    # ----------------------------------------------------------------------------------------------- words
    def _told(self, place: AccessPlace) -> PossibleAccess:
        n = place.edges[0][0]
        function = self._function(place.location)
        text = " ".join(place.access.text.split())
        variable = self._variables[place.access.variable]
        cell = _LOCK_WORD.sub("", variable.shown if _allocated(variable) else self._names[n].plain_cell(place.access))
        return PossibleAccess(
            place.thread, place.location, place.access.write, cell, "" if text == cell else text,
            "" if function is None else function.name, tuple(sorted(map(_lock_name, place.locks))),
            self._path(place.thread, function), self._started(place.thread))

    def _started(self, thread: str) -> tuple[Location, ...]:
        """Where such threads are created."""
        return tuple(dict.fromkeys(where for n, t in enumerate(self.program.templates) if _COPY.sub("", t.name) == thread
                                   for where in self.parallel.started(n)))

    def _function(self, place: Location) -> FunctionText | None:
        inside = [f for f in self._functions.get(place.file, ()) if f.first <= place.line <= f.last]
        return max(inside, key=lambda f: f.first, default=None)

    def _path(self, thread: str, function: FunctionText | None) -> tuple[tuple[str, Location], ...]:
        """The calls by which the thread comes to the function: of all ways one with the fewest."""
        functions = {f.name: f for f in self.program.functions}
        if function is None or thread not in functions or function.name == thread:
            return ()
        came: dict[str, tuple[str, Location]] = {}
        todo = [thread]
        for name in todo:
            for callee, where in functions[name].calls if name in functions else ():
                if callee not in came and callee != thread:
                    came[callee] = name, where
                    todo.append(callee)
        path: list[tuple[str, Location]] = []
        at = function.name
        while at in came and at != thread:
            caller, where = came[at]
            path.append((at, where))
            at = caller
        return tuple(reversed(path))[-MOST_CALLS:]

    def _why(self, rank: Rank, one: AccessPlace, two: AccessPlace, places: Sequence[AccessPlace]) -> str:
        """A sentence: why nothing known excludes that the two meet."""
        said = self._about_locks(one, two, places)
        if rank is Rank.ELEMENTS:
            said += "; whether they mean the same element is not known"
        elif rank is Rank.INSTANCES:
            said += "; whether they mean the same object at the same time is not known"
        elif rank is Rank.POINTER:
            said += "; whether a pointer there points to it is not known"
        return said

    def _about_locks(self, one: AccessPlace, two: AccessPlace, places: Sequence[AccessPlace]) -> str:
        if not one.locks and not two.locks:
            usual = self._usual(places)
            return "no lock is held at either" + (f", though {usual}" if usual else "")
        if one.locks and two.locks:
            shared = {x.cell for x in one.locks} & {y.cell for y in two.locks}
            if shared and all(x.shared for x in (*one.locks, *two.locks) if x.cell in shared):
                return f"both hold {_lock_names(frozenset(x for x in one.locks if x.cell in shared))} for reading only"
            if shared or any(_twin(x, y) for x in one.locks for y in two.locks):
                return f"{_lock_names(one.locks)} at one and {_lock_names(two.locks)} at the other may be different locks"
            return f"{_lock_names(one.locks)} is held at one and {_lock_names(two.locks)} at the other: no lock in common"
        locked, free = (one, two) if one.locks else (two, one)
        return f"{_lock_names(locked.locks)} is held at {_line(locked)} only, no lock at {_line(free)}"

    def _usual(self, places: Sequence[AccessPlace]) -> str:
        """The lock that is held at most of the accesses, if there is one."""
        held = Counter(lock.cell for p in places for lock in p.locks)
        if not held:
            return ""
        cell, times = min(held.items(), key=lambda item: (-item[1], repr(item[0])))
        return f"{_lock_name(HeldLock(cell))} is held at {times} of {len(places)} accesses" if 2 * times > len(places) else ""


def possible_races(program: Program, variables: Sequence[str],
                   told: Callable[[str, PossibleRace | str], None] = lambda *_: None) -> dict[str, PossibleRace | str]:
    """For each of the variables its possible race, or why there is none to tell of, as far as the effort goes.

    `told` hears of each as soon as it is known.
    """
    found: dict[str, PossibleRace | str] = {}
    with contextlib.suppress(TooMuch):
        known = PossibleRaces(program)
        for v in variables:
            found[v] = known.race_on(v) or known.kept_apart(v)
            told(v, found[v])
    return found


def by_rank(found: dict[str, PossibleRace | str]) -> list[str]:
    """The variables, those first for whose race most speaks."""
    def key(item: tuple[str, PossibleRace | str]) -> tuple[int, int]:
        race = item[1]
        return (len(Rank) + 1, 0) if isinstance(race, str) else (race.rank, len(race.first.locks) + len(race.second.locks))

    return [variable for variable, _ in sorted(found.items(), key=key)]


def _allocated(variable: Variable) -> bool:
    """Whether there are many objects that the variable is a part of, made at one place."""
    return "@" in variable.object and "[]" not in (variable.shown or variable.name)


def _frees(access: Access) -> bool:
    return access.text.startswith(("free(", "realloc("))


def _index(cell: Element) -> int | None:
    return cell.index.value if isinstance(cell.index, Const) else None


def _twin(one: HeldLock, two: HeldLock) -> bool:
    """Whether two locks behind pointers or in an array are of one kind."""
    return isinstance(one.cell, Element) and isinstance(two.cell, Element) and one.cell.array == two.cell.array


def _line(place: AccessPlace) -> str:
    return f"line {place.location.line}"


def _lock_name(lock: HeldLock) -> str:
    cell = lock.cell
    name = _LOCK_WORD.sub("", cell.array if isinstance(cell, Element) else cell.name)
    if isinstance(cell, Element) and "[]" in name:
        name = name.replace("[]", f"[{cell.index.value}]" if isinstance(cell.index, Const) else "[..]", 1)
    return f"{name} (for reading)" if lock.shared else name


def _lock_names(locks: frozenset[HeldLock]) -> str:
    return " and ".join(sorted({_lock_name(replace(lock, shared=False)) for lock in locks}))


def _by_file(functions: Sequence[FunctionText]) -> dict[str, list[FunctionText]]:
    found: dict[str, list[FunctionText]] = {}
    for f in functions:
        found.setdefault(f.file, []).append(f)
    return found


