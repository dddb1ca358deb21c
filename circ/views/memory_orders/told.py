"""Atomic flags whose values tell something, whatever else is stale: variables in which constants are stored, and nothing else.

A load of such a flag gives one of these constants or the start value: RC11 has no values out of thin air. If all stores of a
value v release, a load that acquires and gives v has such a store in its past; and the views are run in orders that extend
happens-before. So that store was made: a bit that the view keeps for each such value (`stored`). What the threads that made one
all knew then, the reading thread knows too.

Nothing is said of how new the value is: that is what a focus is for.
"""

from __future__ import annotations

from collections.abc import Iterator

from circ.views.memory_orders.reads import focusable
from frontend.program import BOOL, TRUE, AccessKind, Assign, Const, Edge, Op, Program, Values, Var, name_of, op_writes, primitive
from frontend.records import dataclass

MOST_VALUES = 4
"""Of a flag; what has more is none."""


@dataclass(frozen=True, slots=True)
class Told:
    """A flag: the values that only releasing stores write, and those that any load may give."""

    name: str
    released: tuple[Const, ...]
    other: tuple[Const, ...]


def stored(name: str, value: Const) -> Var:
    """Whether the value has been stored in the flag."""
    return Var(f"<{name} {value.value} stored>", BOOL)


def flags(program: Program) -> dict[str, Told]:
    """All flags of the program with a value that only releasing stores write."""
    found = (_told(program, name) for name in program.accesses)
    return {told.name: told for told in found if told is not None and told.released}


def _told(program: Program, name: str) -> Told | None:
    if not focusable(program, name):
        return None
    variable = program.variable(name)
    if not isinstance(variable.start, Values):
        return None
    releases = {Const(variable.start.default, variable.type): False}
    for _, e, a in program.accesses[name]:
        for value in _values(e.op, name) if a.write else ():
            if value is None or value.type != variable.type:
                return None
            releases[value] = releases.get(value, True) and a.kind is AccessKind.ATOMIC and a.order.releases
    if len(releases) > MOST_VALUES:
        return None
    return Told(name, tuple(v for v in releases if releases[v]), tuple(v for v in releases if not releases[v]))


def _values(op: Op, name: str) -> Iterator[Const | None]:
    """The constants that the step stores in the variable; None stands for anything else."""
    for part in primitive(op):
        match part:
            case Assign(target=Var(name=target), value=Const() as value) if target == name:
                yield value
            case _ if name in op_writes(part):
                yield None


def flag_read(e: Edge) -> str | None:
    """The variable that the step does nothing with but load it, as an atomic one."""
    if len(e.accesses) != 1:
        return None
    [a] = e.accesses
    return a.variable if a.kind is AccessKind.ATOMIC and not a.write else None


def values_stored(e: Edge, told: dict[str, Told]) -> Iterator[tuple[str, Const]]:
    """The values of flags that the step stores and that only releasing stores write."""
    for part in primitive(e.op):
        if isinstance(part, Assign) and isinstance(part.value, Const):
            name = name_of(part.target)
            if name in told and part.value in told[name].released:
                yield name, part.value


def marks(e: Edge, told: dict[str, Told]) -> list[Op]:
    """What the view keeps of the step's stores."""
    return [Assign(stored(name, value), TRUE) for name, value in values_stored(e, told)]
