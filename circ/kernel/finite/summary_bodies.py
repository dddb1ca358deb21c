"""The body of a `summaries` certificate (docs/certificate.md) as checked data: every number in range, every name known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from circ.kernel.outcome import Malformed
from circ.kernel.untrusted_json import as_integers, as_list, as_natural, as_object, is_integer
from frontend.program import Ints, Procedures, Program, Values, Variable
from frontend.records import dataclass

CellName: TypeAlias = tuple[str, int | None]
"""A scalar, or an element of an array."""
Interval: TypeAlias = tuple[int, int] | None
"""Bounds, both included; None: any value."""


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """Values of the globals, whether a thread is at a listed atomic location, a location and values of the locals."""

    shared: tuple[Interval, ...]
    held: bool
    at: int
    own: tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class FunctionEntry:
    function: int
    rows: tuple[SummaryRow, ...]
    callers: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ThreadKind:
    """Threads that are alike: the function they begin in, their number if they know one, how many there are."""

    function: int
    number: int | None
    count: int
    begin: tuple[int, ...]
    entries: tuple[FunctionEntry, ...]
    steps: tuple[tuple[tuple[Interval, ...], bool, tuple[Interval, ...], bool], ...]


def cells(v: Variable) -> list[CellName]:
    if v.length is None:
        return [(v.name, None)]
    if v.length > 4096:
        raise Malformed(f"{v.name!r} has too many elements")
    return [(v.name, i) for i in range(v.length)]


def inside(a: Interval, b: Interval) -> bool:
    return b is None or (a is not None and b[0] <= a[0] and a[1] <= b[1])


def overlap(a: Interval, b: Interval) -> bool:
    return a is None or b is None or (a[0] <= b[1] and b[0] <= a[1])


def begins(v: Variable, element: int | None) -> Interval:
    """The start value of a global's scalar."""
    match v.start:
        case Values(default=d, elements=es):
            value = d if element is None else dict(es).get(element, d)
            return value, value
        case _:
            return None


# --------------------------------------------------------------------------------------------------- reading
def read_summaries(source: Procedures, data: Mapping[str, Any]) -> tuple[list[tuple[int, ...]], list[ThreadKind]]:
    """The body as checked data, or `Malformed`."""
    body = as_object(data, "the body", ("sections", "kinds"))
    program = source.program
    sections = []
    for row, t in zip(as_list(body["sections"], "sections", len(program.templates)), program.templates, strict=True):
        sections.append(tuple(as_natural(q, "a location") for q in as_list(row, "the sections of a function")))
        if not set(sections[-1]) <= t.cfa.atomic:
            raise Malformed(f"a listed location of {t.name!r} is not atomic")
    names = [t.name for t in program.templates]
    wanted: list[tuple[int, int | None, int]] = []
    for name, count in source.threads:
        if len(source.params[name]) > 1:
            raise Malformed(f"{name!r} runs as a thread and has several parameters")
        numbered = bool(source.params[name])
        wanted += [(names.index(name), n, 1) for n in range(count)] if numbered else [(names.index(name), None, count)]
    reader = _SummaryReader(program)
    return sections, [reader.kind(k, *w) for k, w in zip(as_list(body["kinds"], "kinds", len(wanted)), wanted, strict=True)]


class _SummaryReader:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.shared = [v for v in program.globals for _ in cells(v)]
        self.own = [[v for v in t.locals for _ in cells(v)] for t in program.templates]

    def kind(self, data: Any, function: int, number: int | None, count: int) -> ThreadKind:
        body = as_object(data, "a kind", ("begin", "entries", "steps"))
        entries = [self._entry(e) for e in as_list(body["entries"], "entries")]
        for entry in entries:
            for outer, row in entry.callers:
                if outer >= len(entries) or row >= len(entries[outer].rows):
                    raise Malformed("a caller is no row")
        ends = (as_list(s, "a step", 2) for s in as_list(body["steps"], "steps"))
        steps = [(*self._globals(before), *self._globals(after)) for before, after in ends]
        begin = tuple(as_natural(n, "an entry", len(entries)) for n in as_list(body["begin"], "begin"))
        return ThreadKind(function, number, count, begin, tuple(entries), tuple(steps))

    def _entry(self, data: Any) -> FunctionEntry:
        body = as_object(data, "an entry", ("function", "states", "callers"))
        i = as_natural(body["function"], "a function", len(self.program.templates))
        rows = []
        for shared, at, own in (as_list(s, "a state", 3) for s in as_list(body["states"], "states")):
            row = self._intervals(as_list(own, "the locals", len(self.own[i])), self.own[i])
            rows.append(SummaryRow(*self._globals(shared), as_natural(at, "a location", self.program.templates[i].cfa.size), row))
        listed = (as_list(c, "a caller", 2) for c in as_list(body["callers"], "callers"))
        callers = tuple((as_natural(a, "an entry"), as_natural(b, "a row")) for a, b in listed)
        return FunctionEntry(i, tuple(rows), callers)

    def _globals(self, data: Any) -> tuple[tuple[Interval, ...], bool]:
        values = as_list(data, "the globals", len(self.shared) + 1)
        return self._intervals(values[:-1], self.shared), as_natural(values[-1], "the flag of the globals", 2) == 1

    def _intervals(self, data: Sequence[Any], variables: Sequence[Variable]) -> tuple[Interval, ...]:
        return tuple(self._interval(x, v) for x, v in zip(data, variables, strict=True))

    def _interval(self, data: Any, v: Variable) -> Interval:
        if data is None:
            return None
        low, high = (data, data) if is_integer(data) else as_integers(as_list(data, "an interval", 2), "an interval")
        if low > high:
            raise Malformed("an interval that is none")
        # A bound outside the type would be read as another value.
        if self.program.ints != Ints.MATH and not v.type.low <= low <= high <= v.type.high:
            raise Malformed(f"{v.name!r} cannot have such a value")
        return low, high

