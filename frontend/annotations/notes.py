"""Annotations on their way through an automaton in the making: operations that become contracts later."""

from __future__ import annotations

import enum
from collections.abc import Iterable

from frontend.program import BOOL, Assign, Block, Const, Expr, Op, Var
from frontend.records import dataclass


class NotePlace(enum.Enum):
    LOOP = "loop"
    ENTRY = "entry"
    EXIT = "exit"
    BEGUN = "begun"
    DONE = "done"
    SAVED = "saved"


@dataclass(frozen=True, slots=True)
class Note:
    """Annotations that apply here, by their numbers; `names`: the registers that names in them stand for.

    `place`: the head of a loop, or where a function of this name begins or ends; BEGUN and DONE for one that is one step.
    SAVED: where it calls itself, the number of that call in `clauses`, and the registers it needs afterwards in `names`.
    """

    place: NotePlace
    clauses: tuple[int, ...]
    names: tuple[tuple[str, Var], ...] = ()
    function: str = ""

NOTE = "\\note"


def note_op(note: Note, names: Iterable[tuple[str, Expr]]) -> Op:
    """A note as an operation while an automaton is being made: it is kept, and so is what its names stand for."""
    numbers = ",".join(map(str, note.clauses))
    head = Assign(Var(f"{NOTE}:{note.place.value}:{note.function}:{numbers}", BOOL), Const(1, BOOL))
    return Block((head, *(Assign(Var(f"{NOTE} {name}", e.type), e) for name, e in names)))


def is_note(name: str) -> bool:
    return name.startswith(NOTE)
