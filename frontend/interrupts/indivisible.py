"""The race model `machine`: which accesses one instruction makes, and which others may come between two instructions.

A pass over a finished program. An access to at most a machine word, aligned, is one instruction: INDIVISIBLE. What is wider is
torn (DATA), a write that gives back what the same statement read is an UPDATE, and what is read again and again without being
volatile is POLLED (`frontend.interrupts.access_patterns`).

Two accesses are a race only if one of them is in several instructions, outside any atomic section, and the thread of the
other may run between these: a handler within `main`, not `main` within a handler. The kernel's rule for races looks at
kinds and at `Edge.protected` only, so that is what this pass sets: protected is an access that has no such partner, whether
in a section or not; one that has some is not, even in a section. Where an access would be one for one partner and the other for
another, it is not protected and in doubt: proofs cover it, no race with it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from frontend.interrupts.access_patterns import AccessPatterns
from frontend.program import (
    Access,
    AccessKind,
    Assign,
    Assumption,
    Doubt,
    Edge,
    Program,
    Variable,
    name_of,
    op_reads,
    primitive,
)
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Machine:
    """`word`: how many bytes one instruction reads or writes; `misaligned`: variables that lie across words."""

    word: int
    patterns: AccessPatterns
    misaligned: frozenset[str] = frozenset()


_PERHAPS = Doubt("whether this access can come in the middle of another is not known", accesses=True)
_BYTEWISE = Doubt("whether this access is one instruction is not known", accesses=True)


def with_indivisible_accesses(program: Program, machine: Machine, interrupts: Callable[[str, str], bool]) -> Program:
    """The program with the kinds of its accesses as the machine makes them; `interrupts(a, b)`: a may run within b's code."""
    variables = {v.name: v for v in program.globals}
    templates = [replace(t, cfa=replace(t.cfa, edges=tuple(_kinds(e, machine, variables) for e in t.cfa.edges)))
                 for t in program.templates]
    size = "1 byte" if machine.word == 1 else f"{machine.word} bytes, aligned,"
    note = Assumption(f"an access to at most {size} is one instruction, which the compiler makes where the program does")
    spread = Assumption("no update of a variable is spread over several statements or functions; single accesses are looked at")
    program = replace(program, templates=tuple(templates), assumptions=(*program.assumptions, note, spread))
    return _Partners(program, interrupts).program()


def with_lone_writers(program: Program, machine: Machine, whole: Callable[[str], bool]) -> Program:
    """The program with variables that are handed over at once, as people who write handlers mean them: volatile, a scalar object
    by itself (`whole`), at most a word, and written by one thread alone.

    Then nothing is torn, for each access is one instruction; no update is lost, for nobody else writes; and no compiler reads an
    old value. What belongs together in several variables is not looked at, so that members and elements are none of these.
    """
    variables = {v.name: v for v in program.globals}
    found: list[str] = []
    for name, where in program.accesses.items():
        v = variables.get(name)
        if v is None or v.is_array or not v.volatile or _size(v) > machine.word or name in machine.misaligned or not whole(name):
            continue
        writers = {t for t, _, a in where if a.write}
        alone = len(writers) == 1 and all(program.templates[t].count == 1 for t in writers)
        if alone and {t for t, _, _ in where} != writers and all(
                a.kind is AccessKind.DATA and not a.whole for _, _, a in where):
            found.append(name)
    if not found:
        return program
    size = "1 byte" if machine.word == 1 else f"{machine.word} bytes, aligned,"
    shown = ", ".join(f"'{variables[n].shown}'" for n in found)
    note = Assumption(f"an access to a volatile variable of at most {size} is one instruction, and no race where one thread "
                      f"alone writes it: {shown} (--race-model nesc counts it)")
    names = frozenset(found)
    templates = (replace(t, cfa=replace(t.cfa, edges=tuple(_at_once(e, names) for e in t.cfa.edges))) for t in program.templates)
    return replace(program, assumptions=(*program.assumptions, note), templates=tuple(templates))


def _at_once(edge: Edge, names: frozenset[str]) -> Edge:
    if not any(a.variable in names for a in edge.accesses):
        return edge
    return replace(edge, accesses=tuple(
        replace(a, kind=AccessKind.INDIVISIBLE) if a.variable in names else a for a in edge.accesses))


# --------------------------------------------------------------------------------------------------- kinds
def _kinds(edge: Edge, machine: Machine, variables: Mapping[str, Variable]) -> Edge:
    """The edge with its accesses as the machine makes them."""
    accesses = tuple(a if a.kind is not AccessKind.DATA else replace(a, kind=_kind(edge, a, machine, variables))
                     for a in edge.accesses)
    unsure = any(a.kind is AccessKind.DATA and _bytewise(a, machine, variables) for a in accesses)
    return replace(edge, accesses=accesses, doubts=(*edge.doubts, _BYTEWISE) if unsure else edge.doubts)


def _kind(edge: Edge, a: Access, machine: Machine, variables: Mapping[str, Variable]) -> AccessKind:
    v = variables.get(a.variable)
    parts = sum(b.variable == a.variable and b.write == a.write for b in edge.accesses)
    if v is None or parts * _size(v) > machine.word or a.variable in machine.misaligned or _bytewise(a, machine, variables):
        return AccessKind.DATA
    spot = a.location, a.text
    if a.write and (spot in machine.patterns.updates or _gives_back(edge, a.variable)):
        return AccessKind.UPDATE
    return AccessKind.POLLED if not a.write and spot in machine.patterns.polled and not v.volatile else AccessKind.INDIVISIBLE


def _size(v: Variable) -> int:
    return max(1, v.type.width // 8)


def _bytewise(a: Access, machine: Machine, variables: Mapping[str, Variable]) -> bool:
    """Whether a library may copy an element byte by byte that one instruction could."""
    v = variables.get(a.variable)
    return a.whole and v is not None and 1 < _size(v) <= machine.word


def _gives_back(edge: Edge, variable: str) -> bool:
    """Whether the step itself reads what it writes, as a write to a bit field does."""
    return any(isinstance(p, Assign) and name_of(p.target) == variable and variable in map(name_of, op_reads(p))
               for p in primitive(edge.op))


# --------------------------------------------------------------------------------------------------- partners
@dataclass(frozen=True, slots=True)
class _Sort:
    """All accesses of one template to one variable that look the same to the rule for races."""

    template: int
    kind: AccessKind
    write: bool
    section: bool

    @property
    def open(self) -> bool:
        """Whether another thread may come in the middle of it."""
        return not self.section and self.kind in (AccessKind.DATA, AccessKind.POLLED, AccessKind.UPDATE)


class _Partners:
    """Says of every access whether it may do harm to others, or they to it."""

    def __init__(self, program: Program, interrupts: Callable[[str, str], bool]) -> None:
        self._program = program
        self._interrupts = interrupts
        self._sorts: dict[str, dict[_Sort, None]] = {}
        for n, t in enumerate(program.templates):
            for e in t.cfa.edges:
                for a in e.accesses:
                    self._sorts.setdefault(a.variable, {})[_sort(n, e, a)] = None
        self._harmful = {(x, one) for x, sorts in self._sorts.items() for one in sorts
                         if any(self._harms(one, other) for other in sorts)}
        exposed = {found for n, t in enumerate(program.templates) for e in t.cfa.edges
                   if not (data := _data(n, e)).isdisjoint(self._harmful) for found in data}
        self._unsure = {(x, one) for x, one in exposed
                        if any((x, other) in exposed and self._counts(one, other) and not self._harms(one, other)
                               for other in self._sorts[x])}

    def program(self) -> Program:
        templates = tuple(replace(t, cfa=replace(t.cfa, edges=tuple(self._edge(n, e) for e in t.cfa.edges)))
                          for n, t in enumerate(self._program.templates))
        return replace(self._program, templates=templates)

    def _edge(self, n: int, e: Edge) -> Edge:
        data = _data(n, e)
        if data.isdisjoint(self._harmful):
            return replace(e, protected=True) if data else e
        return replace(e, protected=False, doubts=e.doubts if data.isdisjoint(self._unsure) else (*e.doubts, _PERHAPS))

    def _counts(self, one: _Sort, other: _Sort) -> bool:
        """Whether the rule for races counts the two, were neither protected."""
        kinds = {one.kind, other.kind}
        alone = one.template == other.template and self._program.templates[one.template].count == 1
        if alone or AccessKind.SYNC in kinds or not (one.write or other.write):
            return False
        lost = one.write and other.write and AccessKind.UPDATE in kinds and AccessKind.LOCK not in kinds
        return lost or not kinds.isdisjoint((AccessKind.DATA, AccessKind.POLLED))

    def _harms(self, one: _Sort, other: _Sort) -> bool:
        """Whether the two are a race, if the state in which both are next can be reached."""
        return self._counts(one, other) and (self._within(one, other) or self._within(other, one))

    def _within(self, inner: _Sort, outer: _Sort) -> bool:
        """Whether the one may be made in the middle of the other."""
        templates = self._program.templates
        return outer.open and self._interrupts(templates[inner.template].name, templates[outer.template].name)


def _sort(template: int, e: Edge, a: Access) -> _Sort:
    return _Sort(template, a.kind, a.write, e.protected)


def _data(template: int, e: Edge) -> set[tuple[str, _Sort]]:
    return {(a.variable, _sort(template, e, a)) for a in e.accesses if a.kind is not AccessKind.SYNC}
