"""Which files make one program, found as a linker finds it: what the file with `main` needs is looked for in the others.

A build system that says what each object file is for (CMake, Meson: `CMakeFiles/app.dir/main.c.o`) tells which files are linked
anyway: all those of the executable. From other files, libraries as it were, only those are taken that define what is missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from frontend.api import SourceFile
from frontend.records import dataclass

if TYPE_CHECKING:  # it brings the parser, which a command that reads no program can do without
    from frontend.project.unit_symbols import UnitSymbols


@dataclass(frozen=True, slots=True)
class Unit:
    """A file as it is compiled for a target of the build (empty if that is not known), with its symbols."""

    source: SourceFile
    target: str
    symbols: UnitSymbols

    @property
    def machine(self) -> tuple[str | None, str | None]:
        return self.source.data_model, self.source.platform


@dataclass(frozen=True, slots=True)
class ProgramFiles:
    """The files of one program, that with `main` first. `name` is what `--target` calls it."""

    name: str
    files: tuple[SourceFile, ...]


def programs_of(units: Sequence[Unit]) -> tuple[ProgramFiles, ...]:
    """A program for each `main`, in the order of the units; then those that the files make that are in none of them."""
    mains = [n for n, unit in enumerate(units) if unit.symbols.main]
    linker = _Linker(units, frozenset(mains))
    linked = [linker.link([n], with_handlers=True) for n in mains]
    used = {_path(units[n]) for members in linked for n in members}
    rest = [n for n, unit in enumerate(units) if _path(unit) not in used]
    for part in _parts(units, rest):
        if any(_path(units[n]) not in used for n in part):
            linked.append(linker.link(part, with_handlers=False))
            used |= {_path(units[n]) for n in linked[-1]}
    return tuple(ProgramFiles(_name(units[next(iter(members))]),
                              tuple(replace(units[n].source, note=note) for n, note in members.items())) for members in linked)


def _name(first: Unit) -> str:
    return first.target or os.path.splitext(os.path.basename(first.source.path))[0]


def _path(unit: Unit) -> str:
    return os.path.abspath(unit.source.path)


class _Linker:
    def __init__(self, units: Sequence[Unit], mains: frozenset[int]) -> None:
        self._units = units
        self._mains = mains
        self._executables = {units[n].target for n in mains} - {""}
        self._definers: dict[str, list[int]] = {}
        for n, unit in enumerate(units):
            for name in (*unit.symbols.defined, *unit.symbols.weak):
                self._definers.setdefault(name, []).append(n)

    def link(self, start: Sequence[int], with_handlers: bool) -> dict[int, str]:
        """The first unit, and the others in their order; each with a note if it was chosen among several."""
        first = start[0]
        target = self._units[first].target
        members = dict.fromkeys(start, "")
        if target:
            members |= dict.fromkeys((n for n, u in enumerate(self._units) if u.target == target and n not in self._mains), "")
        if with_handlers:
            members |= dict.fromkeys(self._handlers(first, members), "")
        while missing := self._missing(members):
            added = False
            for name in missing:
                found = self._candidates(name, first, members)
                if found and not self._defines(members, name):
                    others = [n for n in found[1:] if self._is_other(n, found[0], name)]
                    members[found[0]] = self._chosen(name, found[0], others) if others else ""
                    added = True
            if not added:
                break
        return {n: members[n] for n in (first, *sorted(n for n in members if n != first))}

    def _missing(self, members: Iterable[int]) -> list[str]:
        """The names that no member defines, and those defined weakly that another file may define for good."""
        symbols = [self._units[n].symbols for n in members]
        needed = frozenset().union(*(s.needed for s in symbols), *(s.weak for s in symbols))
        return sorted(needed - frozenset().union(*(s.defined for s in symbols)))

    def _defines(self, members: Iterable[int], name: str) -> bool:
        return any(name in self._units[n].symbols.defined for n in members)

    def _candidates(self, name: str, first: int, members: Iterable[int]) -> list[int]:
        """The units that could be taken for a definition, the likeliest first.

        A definition that is there weakly already is replaced only by one of a file that is not known to be in a library.
        """
        have = {_path(self._units[n]) for n in members}
        weakly = any(name in self._units[n].symbols.weak for n in members)
        found = []
        for n in self._definers.get(name, ()):
            unit = self._units[n]
            usable = n not in self._mains and unit.target not in self._executables - {self._units[first].target}
            if not usable or unit.machine != self._units[first].machine or _path(unit) in have:
                continue
            if weakly and (unit.target or name not in unit.symbols.defined):
                continue
            found.append(n)
        return sorted(found, key=lambda n: (name not in self._units[n].symbols.defined, -self._near(n, first), n))

    def _near(self, one: int, other: int) -> int:
        """How many folders two files have in common."""
        paths = [os.path.dirname(_path(self._units[n])) for n in (one, other)]
        return os.path.commonpath(paths).count(os.sep)

    def _is_other(self, one: int, other: int, name: str) -> bool:
        return name in self._units[one].symbols.defined and _path(self._units[one]) != _path(self._units[other])

    def _chosen(self, name: str, taken: int, others: Sequence[int]) -> str:
        left = " and ".join(self._units[n].source.path for n in others[:3])
        return f"'{name}' is the one of {self._units[taken].source.path}, not that of {left}"

    def _handlers(self, first: int, members: Iterable[int]) -> list[int]:
        """Files that define interrupt handlers, which nobody calls: those for this machine to which no other `main` is nearer."""
        taken = {name for n in members for name in self._units[n].symbols.handlers}
        found: list[int] = []
        order = sorted((n for n, u in enumerate(self._units) if u.symbols.handlers), key=lambda n: (-self._near(n, first), n))
        for n in order:
            unit = self._units[n]
            same = unit.machine == self._units[first].machine and n not in self._mains
            elsewhere = unit.target in self._executables or any(
                self._near(n, m) > self._near(n, first) for m in self._mains if self._units[m].machine == unit.machine)
            if same and not elsewhere and not unit.symbols.handlers & taken and n not in members:
                found.append(n)
                taken |= unit.symbols.handlers
        return found


def _parts(units: Sequence[Unit], rest: Sequence[int]) -> list[list[int]]:
    """The files that are in no program, as parts of programs: each library of the build, else files that need each other.

    Files that define the same name are never together.
    """
    groups: dict[int, set[int]] = {n: {n} for n in rest}
    definers: dict[str, list[int]] = {}
    for n in rest:
        for name in units[n].symbols.defined:
            definers.setdefault(name, []).append(n)
    for n in rest:
        by_target = [m for m in rest if units[n].target and units[m].target == units[n].target]
        by_name = [definers[name][0] for name in sorted(units[n].symbols.needed) if len(definers.get(name, ())) == 1]
        for m in (*by_target, *by_name):
            one, two = groups[n], groups[m]
            if one is not two and units[m].machine == units[n].machine and not _clash(units, one, two):
                one |= two
                for k in two:
                    groups[k] = one
    return [sorted(group) for n, group in groups.items() if n == min(group)]


def _clash(units: Sequence[Unit], one: set[int], two: set[int]) -> bool:
    def defined(group: set[int]) -> frozenset[str]:
        return frozenset().union(*(units[n].symbols.defined for n in group))

    return bool(defined(one) & defined(two))
