"""A possible race in words and as data: the two accesses, the locks held at each, how threads get there, why it is possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from circ.verdict import PossibleAccess, PossibleRace, Rank
from frontend.program import NOWHERE, Location, Program
from frontend.records import dataclass


def headline(race: PossibleRace) -> str:
    """One line, without the place and the variable: who does what while who else does what, and which locks they hold."""
    one, two = race.first, race.second
    first = f"{one.thread} {_does(one)}{_within(one)}"
    if one.thread == two.thread:
        other = f"another {two.thread}"
        second = f"{other} does the same" if _same(one, two) else f"{other} {_does(two)}{_within(two)}"
    else:
        second = f"{two.thread} {_does(two)}{_within(two)}"
    return f"{first} while {second}; {race.why}"


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line that begins with a place, as a compiler's diagnostics do, or is indented where there is none to go to."""

    place: Location
    text: str

    def __str__(self) -> str:
        return f"  {self.text}" if self.place == NOWHERE else f"{self.place}: {self.text}"


def details(race: PossibleRace) -> Iterator[PlacedLine]:
    """A note for each of the two places, for where the threads are started, and a line for what else there is."""
    accesses = [race.first] if _same(race.first, race.second) else [race.first, race.second]
    for access in accesses:
        does = f"{access.thread} {_does(access)} {access.cell}{_within(access)}{_where(access)}"
        yield PlacedLine(access.location, f"note: {does}; {_locks(access)}")
    for access in {a.thread: a for a in accesses if a.started}.values():
        more = f", also at {_listed(access.started[1:])}" if access.started[1:] else ""
        yield PlacedLine(access.started[0], f"note: {access.thread} is started here{more}")
    if race.others:
        yield PlacedLine(NOWHERE, f"{race.others} more {'pair' if race.others == 1 else 'pairs'} of accesses like this")


_ADVICE = {
    Rank.WRITES: "look at both places: unless something orders the threads there, they need a lock in common",
    Rank.WRITE_AND_READ: "look at both places: unless something orders the threads there, they need a lock in common",
    Rank.ELEMENTS: "see whether each thread has elements of its own; else both places need a lock in common",
    Rank.INSTANCES: "see whether each object has one owner at a time; else both places need a lock in common",
    Rank.POINTER: "see whether a pointer there can point to it",
}


def advice(race: PossibleRace, limit: str) -> str:
    """What the user can do; `limit`: the advice of whoever gave up, if that was for want of time."""
    return f"{_ADVICE[race.rank]}; or {limit}" if limit.startswith("give it more") else _ADVICE[race.rank]


_PREVIEW = 5
"""Possible races that are told of while they are looked at."""


def suspects(program: Program, races: Mapping[str, PossibleRace | str]) -> Iterator[str]:
    """The first of the possible races that are being looked at, a line each."""
    found = sorted(((r.rank, v, r) for v, r in races.items() if isinstance(r, PossibleRace)), key=lambda item: item[0])
    names = {v.name: v.shown or v.name for v in program.globals}
    for _, variable, race in found[:_PREVIEW]:
        yield f"looking at: {race.first.location}: possible race on '{names[variable]}': {headline(race)}"
    if len(found) > _PREVIEW:
        yield f"looking at: {len(found) - _PREVIEW} more"


def possible_data(race: PossibleRace) -> dict[str, Any]:
    """The JSON form (docs/json.md)."""
    return {"rank": int(race.rank), "sort": race.rank.name.lower().replace("_", " "), "why": race.why, "others": race.others,
            "accesses": [_access(a) for a in (race.first, race.second)]}


def _access(a: PossibleAccess) -> dict[str, Any]:
    return {"thread": a.thread, "function": a.function, "location": _place(a.location), "write": a.write, "cell": a.cell,
            "text": a.text, "locks": list(a.locks),
            "path": [{"function": name, "location": _place(where)} for name, where in a.path],
            "started": [_place(where) for where in a.started]}


def _place(place: Location) -> dict[str, Any] | None:
    return None if place.line == 0 else {"file": place.file, "line": place.line, "column": place.column}


def _same(one: PossibleAccess, two: PossibleAccess) -> bool:
    return (one.thread, one.location, one.write) == (two.thread, two.location, two.write)


def _does(access: PossibleAccess) -> str:
    return "writes" if access.write else "reads"


def _within(access: PossibleAccess) -> str:
    return f" in '{access.text}'" if access.text else ""


def _where(access: PossibleAccess) -> str:
    """The function, and how the thread comes there."""
    if not access.path:
        return f" in {access.function}()" if access.function else ""
    calls = " -> ".join([f"{access.thread}()", *(f"{name}() (line {where.line})" for name, where in access.path)])
    return f" in {calls}"


def _locks(access: PossibleAccess) -> str:
    return f"holds {', '.join(access.locks)}" if access.locks else "holds no lock"


def _listed(places: tuple[Location, ...]) -> str:
    first = ", ".join(map(str, places[:3]))
    return first if len(places) <= 3 else f"{first} and {len(places) - 3} more places"
