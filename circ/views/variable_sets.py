"""Sets of a program's variables: the globals, and locals by their template. What a view keeps, or leaves open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from frontend.program import Program
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class VariableSet:
    """Names of globals, and of locals with the name of their template."""

    globals: frozenset[str] = frozenset()
    locals: frozenset[tuple[str, str]] = frozenset()

    def __or__(self, other: VariableSet) -> VariableSet:
        return VariableSet(self.globals | other.globals, self.locals | other.locals)

    def own(self, template: str) -> frozenset[str]:
        """The locals of a template."""
        return frozenset(name for owner, name in self.locals if owner == template)

    def of(self, template: str) -> frozenset[str]:
        """Every name as it is written inside `template`."""
        return self.globals | self.own(template)

    def rows(self, program: Program) -> list[list[str]]:
        """The locals of each template in order, sorted: as certificates write them."""
        return [sorted(self.own(t.name)) for t in program.templates]


def from_rows(program: Program, shared: Iterable[str], rows: Sequence[Iterable[str]]) -> VariableSet:
    """The set of these globals, and for each template in order these locals."""
    owned = zip(program.templates, rows, strict=True)
    return VariableSet(frozenset(shared), frozenset((t.name, name) for t, names in owned for name in names))


def everything(program: Program) -> VariableSet:
    """All variables of the program."""
    return from_rows(program, (v.name for v in program.globals), [[v.name for v in t.locals] for t in program.templates])


def named_in(program: Program, template: str, used: frozenset[str]) -> VariableSet:
    """What these names mean inside a template: globals, or locals of it."""
    shared = {v.name for v in program.globals}
    return VariableSet(frozenset(used & shared), frozenset((template, n) for n in used - shared))
