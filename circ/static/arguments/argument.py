"""Arguments about two threads that values of single cells cannot express; each adds formulas to a proof by pairs.

An argument may split regions by marking locations; what it says holds of every location with the mark. It need not be right:
the kernel checks all that comes of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias

from circ.static.values import CellValues
from frontend.program import Access, Cast, Element, Expr, Lvalue, Read, Scalar, Var, substitute

RegionPlace: TypeAlias = tuple[int, int]
"""A template and the first location of a region."""


class Argument:
    """What is said of threads in regions of one kind or another. Formulas name locals of thread n as `x@n`.

    As it stands it says nothing: an argument overrides what it has something to say about.
    """

    words: str
    """The argument as a sentence."""

    @property
    def applies(self) -> bool:
        """Whether there is anything that it speaks of."""
        return True

    def also(self) -> Iterable[str]:
        """Other variables of which the same argument speaks: one proof may do for all."""
        return ()

    def cells(self) -> Iterable[Lvalue]:
        """Global cells whose values it takes, whatever else is tracked."""
        return ()

    def marks(self, template: int) -> Sequence[Hashable]:
        """For each location something that all locations of its region must have in common."""
        raise NotImplementedError

    def alone(self, spot: RegionPlace) -> Iterable[Expr]:
        """What holds of one thread there, over its own locals (without numbers) and globals."""
        return ()

    def together(self, one: RegionPlace, two: RegionPlace) -> Iterable[Expr]:
        """What holds of the first thread there and the second, beyond what holds of each."""
        return ()

    def everywhere(self, spot: RegionPlace) -> Iterable[Expr]:
        """What holds of one thread there for every index `@any`; see `circ.static.arguments.sites.ANY`."""
        return ()

    def apart(self, one: RegionPlace, a: Access, two: RegionPlace, b: Access) -> bool:
        """Whether two accesses that are next there surely mean different cells."""
        return False

    def broken(self, one: RegionPlace, two: RegionPlace) -> bool:
        """Whether a step of the second thread from there, any location, may make untrue what is said of the first."""
        return False

    def known(self, cells: Sequence[Lvalue], state: CellValues, spots: Sequence[RegionPlace]) -> CellValues | None:
        """The state of the global cells, while there are such threads; None if that cannot be."""
        return state

    def counting(self) -> Iterable[tuple[Expr, Sequence[Sequence[int]]]]:
        """Counting facts: an expression over globals, and for each template and location a weight."""
        return ()


def of_thread(e: Expr, number: int, own: frozenset[str]) -> Expr:
    """The expression with the locals in `own` written as those of thread `number`."""
    def named(v: Lvalue) -> Expr | None:
        match v:
            case Var(name=name, type=t) if name in own:
                return Read(Var(f"{name}@{number}", t))
            case Element(array=name, index=i, type=t) if name in own:
                return Read(Element(f"{name}@{number}", i, t))
            case _:
                return None

    return substitute(e, named)


def as_type(v: Var, t: Scalar) -> Expr:
    """The variable's value as one of the type."""
    return Read(v) if v.type == t else Cast(Read(v), t)


def plain(e: Expr) -> Var | None:
    """The variable that the expression is, apart from conversions that lose nothing."""
    while isinstance(e, Cast) and e.arg.type.width <= e.type.width:
        e = e.arg
    return e.lvalue if isinstance(e, Read) and isinstance(e.lvalue, Var) else None
