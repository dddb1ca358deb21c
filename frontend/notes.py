"""Annotations on their way through an automaton in the making: operations that become contracts later."""

from __future__ import annotations

from collections.abc import Iterable

from frontend.cfa import Assign, Block, Op
from frontend.expr import BOOL, Const, Expr, Var
from frontend.ir import Note

NOTE = "\\note"


def note_op(note: Note, names: Iterable[tuple[str, Expr]]) -> Op:
    """A note as an operation while an automaton is being made: it is kept, and so is what its names stand for."""
    numbers = ",".join(map(str, note.clauses))
    head = Assign(Var(f"{NOTE}:{note.place.value}:{note.function}:{numbers}", BOOL), Const(1, BOOL))
    return Block((head, *(Assign(Var(f"{NOTE} {name}", e.type), e) for name, e in names)))


def is_note(name: str) -> bool:
    return name.startswith(NOTE)
