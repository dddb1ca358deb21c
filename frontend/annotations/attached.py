"""Annotations as data: clauses, what they belong to, and the variables that formulas have beside the program's.

All that is known of annotations where a program is read without them; how they are read is in the other modules.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from frontend.program import Const, DataModel, Location, Scalar, Var
from frontend.records import dataclass
from frontend.text.tokens import Annotation

TID = "\\tid"
PRIME = "'"


def tid_of(model: DataModel) -> Var:
    """The variable of a thread that holds its number."""
    return Var(TID, Scalar(8 * model.int_size, True))


class ClauseKind(enum.Enum):
    ASSUMES = "assumes"
    INVARIANT = "invariant"
    LOOP = "loop invariant"
    REQUIRES = "requires"
    ENSURES = "ensures"
    ATOMIC = "atomic ensures"
    GHOST = "ghost"


@dataclass(frozen=True, slots=True)
class ClauseToken:
    """A token of an annotation; `kind` is number, name, special (`\\tid`) or op."""

    kind: str
    text: str
    location: Location


@dataclass(frozen=True, slots=True)
class Clause:
    """`words`: the formula. `functions`: those that `for f, g:` names. `location`: of the clause's first word."""

    kind: ClauseKind
    words: tuple[ClauseToken, ...]
    location: Location
    end: Location
    functions: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The formula as a reader would write it."""
        out = ""
        for word in self.words:
            tight = not out or word.text in (")", "]", "'", ",",
                                             "[") or out[-1] in "([!~" or (word.text == "(" and out[-1].isalnum())
            out += word.text if tight else f" {word.text}"
        return out


@dataclass(frozen=True, slots=True)
class Attached:
    """Clauses by their number: at the place of a loop, of a function by name; `inside`: the function an assumption stands in."""

    clauses: tuple[Clause, ...]
    loops: Mapping[Location, tuple[int, ...]]
    functions: Mapping[str, tuple[int, ...]]
    inside: Mapping[int, str]
    constants: Mapping[str, Const] = field(default_factory=dict)
    """Enumeration constants that clauses name."""
    bodies: Mapping[str, bool] = field(default_factory=dict)
    """Functions with `atomic ensures` whose body is looked at (`frontend.annotations.atomic_bodies`)."""

    def of(self, function: str, kind: ClauseKind) -> tuple[Clause, ...]:
        return tuple(self.clauses[n] for n in self.functions.get(function, ()) if self.clauses[n].kind is kind)


Attach: TypeAlias = Callable[[Sequence[Annotation], Any, Callable[[Any], Location]], Attached]
"""Reads the annotations of a file, given its AST and where the nodes of that are."""
