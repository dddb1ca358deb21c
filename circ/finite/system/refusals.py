"""Why a program, or a step of one, has no finite-state view: the two exceptions that engines turn into `unknown`."""

from __future__ import annotations

from frontend.program import Location, Variable


class NotFiniteState(Exception):
    """The program has no finite-state view: which variable (or thread), why, and where it is declared."""

    def __init__(self, variable: str, reason: str, location: Location) -> None:
        super().__init__(f"not finite-state: '{variable}' {reason}")
        self.variable = variable
        self.reason = reason
        self.location = location


class OutOfDomain(Exception):
    """A step writes a value outside a declared range or indexes outside an array, or there are too many states to list.

    Where such a step is possible the state counts as an error (`Stepper.escape`), and the step is not taken.
    """


def too_many(v: Variable) -> NotFiniteState:
    """The refusal of a variable whose values cannot be listed."""
    return NotFiniteState(v.shown or v.name, f"has type {v.type} and takes more values than can be listed; "
                     "narrow it with circ_range or a smaller type", v.location)
