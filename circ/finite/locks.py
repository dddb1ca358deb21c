"""Locks in a finite system: globals that threads take (`assume v == 0; v = ...`) and give back (`v = 0`).

Only a guess that makes a good exception set (section 5 of "Precise Thread-Modular Verification"): nothing rests on it.
"""

from __future__ import annotations

from collections.abc import Iterator

from circ.finite.system import FiniteSystem, GlobalStore, ThreadGroup, Transition
from frontend.program import Assign, Assume, Const, Var, primitive, variables
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class HeldLock:
    """A lock: its place among the globals, its value when free, and for each group the locations where it is held."""

    place: int
    idle: int
    locations: tuple[frozenset[int], ...]

    def free(self, g: GlobalStore) -> bool:
        return g[self.place] == self.idle


def lock_exceptions(system: FiniteSystem) -> Iterator[tuple[str, HeldLock]]:
    """The globals that look like locks."""
    for place, cell in enumerate(system.globals):
        if cell.element is not None or len(cell.start) != 1:
            continue
        rows = [_held(group, cell.name, cell.start[0]) for group in system.groups]
        if any(rows):
            yield cell.name, HeldLock(place, cell.start[0], tuple(frozenset(r) for r in rows))


def _held(group: ThreadGroup, lock: str, idle: int) -> set[int]:
    """The locations that a thread reaches by taking the lock without giving it back."""
    found = {m.target for m in group.moves if _effect(m, lock, idle) == "take"}
    todo = list(found)
    while todo:
        q = todo.pop()
        for m in group.moves:
            if m.source == q and _effect(m, lock, idle) is None and m.target not in found:
                found.add(m.target)
                todo.append(m.target)
    return found


def _effect(move: Transition, lock: str, idle: int) -> str | None:
    """`take`, `give`, or None for a move that leaves the lock as it is."""
    tested = False
    effect = None
    for part in primitive(move.op):
        match part:
            case Assume(cond=c) if lock in variables(c):
                tested = True
            case Assign(target=Var(name=n), value=e) if n == lock:
                effect = "give" if isinstance(e, Const) and e.value == idle else "take" if tested else None
    return effect
