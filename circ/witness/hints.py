"""From what a witness says to what can be tried: predicates of invariants, or the edges that a run passes.

What is not understood is left out, and counted: a note tells the user how much of the witness was of use.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from circ.verdict import Hints, Waypoint
from circ.witness.entries import GhostVariable, Place, WaypointType, Witness, WitnessWaypoint
from frontend.annotations.predicate import parse_predicate
from frontend.program import AccessKind, Expr, FrontendError, Location, Program
from frontend.records import dataclass
from frontend.text.places.statements import Statement, Statements

MOST_PREDICATES = 40
"""Each one more may double the states of an abstraction."""
LAST = 2
"""Waypoints at the end of a schedule that are passed by coming there: a race is two threads that are about to access."""
_ARRIVING = (WaypointType.TARGET,)
_CAST = re.compile(r"\(\s*(?:(?:unsigned|signed|long|short|int|char|_Bool|u?int(?:8|16|32|64)_t|size_t)\s*)+\)")
_NAME = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Understood:
    """What of a witness can be tried, and how much it says that cannot."""

    hints: Hints
    said: int
    """Invariants or waypoints in the witness."""
    used: int
    """Of which so many say something that can be tried."""


class WitnessReader:
    """What places and names of a witness mean in a program."""

    def __init__(self, program: Program, statements: Statements) -> None:
        self.program, self.statements = program, statements
        self.edges: dict[Location, set[tuple[int, int]]] = {}
        for t, template in enumerate(program.templates):
            for e, edge in enumerate(template.cfa.edges):
                at = statements.at(edge.location)
                if at is not None:
                    self.edges.setdefault(at.location, set()).add((t, e))
        self.locals = {v.name for t in program.templates for v in t.locals}

    def understood(self, witness: Witness) -> Understood:
        return self._schedule(witness) if witness.violation else self._predicates(witness)

    # ----------------------------------------------------------------------------------------------- places
    def _at(self, place: Place) -> tuple[Statement, ...]:
        """The statements that a place means: one, or without a column those of the line."""
        named = _same_file(place.file, self.statements.inputs)
        if named is None:
            return ()
        file, line = self.statements.meant(named, place.line)
        if not place.column:
            return self.statements.on_line(file, line)
        found = self.statements.at(Location(file, line, place.column))
        return () if found is None else (found,)

    def _edges(self, place: Place) -> frozenset[tuple[int, int]]:
        return frozenset(e for s in self._at(place) for e in self.edges.get(s.location, ()))

    # ----------------------------------------------------------------------------------------------- a schedule
    def _schedule(self, witness: Witness) -> Understood:
        said = [w for segment in witness.segments for w in segment if w.follow]
        found = []
        for n, waypoint in enumerate(said):
            edges = self._edges(waypoint.place)
            if edges:
                stops = n >= len(said) - LAST or waypoint.type in _ARRIVING
                found.append(Waypoint(edges, waypoint.thread, self._condition(waypoint), stops))
        return Understood(Hints(schedule=tuple(found)), len(said), len(found))

    def _condition(self, waypoint: WitnessWaypoint) -> Mapping[int, Expr]:
        """What a waypoint says of the state, for each template that has its names; nothing if it says nothing of use."""
        if waypoint.type is not WaypointType.ASSUMPTION or waypoint.value.strip() in ("", "1"):
            return {}
        text = self._named(_CAST.sub("", waypoint.value), self._function(waypoint.place), {})
        try:
            found = parse_predicate(self.program, text)
        except FrontendError:
            return {}
        index = {t.name: n for n, t in enumerate(self.program.templates)}
        return {index[name]: e for name, e in found}

    # ----------------------------------------------------------------------------------------------- predicates
    def _predicates(self, witness: Witness) -> Understood:
        locks = self._locks(witness)
        found: dict[str, None] = {}
        used = 0
        for invariant in witness.invariants:
            here = self._function(invariant.place)
            texts = [self._named(_CAST.sub("", atom), here, locks) for atom in _atoms(invariant.value)]
            good = [text for text in texts if self._is_predicate(text)]
            used += bool(good)
            found |= dict.fromkeys(good)
        return Understood(Hints(tuple(found)[:MOST_PREDICATES]), len(witness.invariants), used)

    def _is_predicate(self, text: str) -> bool:
        try:
            return bool(re.search(r"[A-Za-z_]", text)) and bool(parse_predicate(self.program, text))
        except FrontendError:
            return False

    def _function(self, place: Place) -> str:
        return place.function or next((s.function for s in self._at(place)), "")

    def _named(self, text: str, function: str, locks: Mapping[str, str]) -> str:
        """The text with locals and ghosts by the names that circ has for them."""

        def name(found: re.Match[str]) -> str:
            local = f"{function}::{found[0]}"
            return local if local in self.locals else locks.get(found[0], found[0])

        return _NAME.sub(name, text)

    def _locks(self, witness: Witness) -> dict[str, str]:
        """The ghosts of a witness that are set where one lock of the program is taken or given back, by that lock's name."""
        return {ghost.name: lock for ghost in witness.ghosts for lock in [self._lock(witness, ghost)] if lock}

    def _lock(self, witness: Witness, ghost: GhostVariable) -> str:
        written = []
        for update in witness.updates:
            if update.variable == ghost.name:
                edges = [self.program.templates[t].cfa.edges[e] for t, e in self._edges(update.place)]
                written.append({a.variable for e in edges for a in e.accesses if a.write and a.kind is not AccessKind.DATA})
        common = set.intersection(*written) if written else set()
        shown = [v.shown for v in self.program.globals if v.name in common and v.object]
        return shown[0] if len(shown) == 1 else ""


def _same_file(name: str, known: Sequence[str]) -> str | None:
    """The file of the program that a witness means: the same path, else the same name; the only one if there is one."""
    base = os.path.basename(name)
    matches = [k for k in known if os.path.normpath(k) == os.path.normpath(name)] or [
        k for k in known if os.path.basename(k) == base]
    return matches[0] if matches else known[0] if len(known) == 1 else None


def _atoms(text: str, depth: int = 0) -> Iterator[str]:
    """The parts of a Boolean combination that are none themselves; whatever they are joined by, they are what it speaks of."""
    text = text.strip()
    while text.startswith("!") and not text.startswith("!="):
        text = text[1:].strip()
    if depth > 50 or not text:
        return
    parts = _split(text)
    if len(parts) > 1:
        for part in parts:
            yield from _atoms(part, depth + 1)
    elif text.startswith("(") and _closing(text) == len(text) - 1:
        yield from _atoms(text[1:-1], depth + 1)
    else:
        yield text


def _split(text: str) -> list[str]:
    """At `&&` and `||` outside of parentheses."""
    parts, begin, depth, n = [], 0, 0, 0
    while n < len(text):
        depth += (text[n] in "([") - (text[n] in ")]")
        if depth == 0 and text[n:n + 2] in ("&&", "||"):
            parts.append(text[begin:n])
            begin = n = n + 2
            continue
        n += 1
    return [*parts, text[begin:]]


def _closing(text: str) -> int:
    """Where the parenthesis closes that the text begins with."""
    depth = 0
    for n, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return n
    return -1
