"""What a witness says, as data: the entries of the competition's format, versions 2.0 to 2.2."""

from __future__ import annotations

import enum

from frontend.records import dataclass

VERSIONS = ("2.0", "2.1", "2.2")


class WaypointType(enum.StrEnum):
    ASSUMPTION = "assumption"
    TARGET = "target"
    FUNCTION_ENTER = "function_enter"
    FUNCTION_RETURN = "function_return"
    BRANCHING = "branching"


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the program: a file by any name, a line, perhaps a column (0 if none is given) and a function."""

    file: str
    line: int
    column: int = 0
    function: str = ""


@dataclass(frozen=True, slots=True)
class WitnessWaypoint:
    """`line` is that of the witness. `value`: a C expression, or what a branch decides; empty for none."""

    type: WaypointType
    place: Place
    line: int = 0
    value: str = ""
    thread: int | None = None
    follow: bool = True


@dataclass(frozen=True, slots=True)
class WitnessInvariant:
    """Holds whenever a thread is about to execute what stands at the place."""

    place: Place
    value: str
    line: int = 0
    loop: bool = False


@dataclass(frozen=True, slots=True)
class GhostVariable:
    name: str
    type: str
    initial: str


@dataclass(frozen=True, slots=True)
class GhostUpdate:
    """The statement at the place and this assignment are one step."""

    place: Place
    variable: str
    value: str


@dataclass(frozen=True, slots=True)
class Witness:
    """`segments` are those of a violation; the others are of a proof. `hashes` of the files it says it is about."""

    segments: tuple[tuple[WitnessWaypoint, ...], ...] = ()
    invariants: tuple[WitnessInvariant, ...] = ()
    ghosts: tuple[GhostVariable, ...] = ()
    updates: tuple[GhostUpdate, ...] = ()
    hashes: tuple[tuple[str, str], ...] = ()
    violation: bool = False
