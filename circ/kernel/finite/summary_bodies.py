"""The body of a `summaries` certificate (docs/certificate.md) as checked data: every number in range, every name known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from circ.kernel.outcome import Malformed
from frontend.program import Procedures, Program, Values, Variable

Cell: TypeAlias = tuple[str, int | None]
"""A scalar, or an element of an array."""
Interval: TypeAlias = tuple[int, int] | None
"""Bounds, both included; None: any value."""


@dataclass(frozen=True, slots=True)
class Row:
    """Values of the globals, whether a thread is at a listed atomic location, a location and values of the locals."""

    shared: tuple[Interval, ...]
    held: bool
    at: int
    own: tuple[Interval, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    function: int
    rows: tuple[Row, ...]
    callers: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """Threads that are alike: the function they begin in, their number if they know one, how many there are."""

    function: int
    number: int | None
    count: int
    begin: tuple[int, ...]
    entries: tuple[Entry, ...]
    steps: tuple[tuple[tuple[Interval, ...], bool, tuple[Interval, ...], bool], ...]


def cells(v: Variable) -> list[Cell]:
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
def read_summaries(source: Procedures, data: Mapping[str, Any]) -> tuple[list[tuple[int, ...]], list[Kind]]:
    """The body as checked data, or `Malformed`."""
    body = _object(data, {"sections", "kinds"})
    program = source.program
    sections = []
    for row, t in zip(_list(body["sections"], len(program.templates)), program.templates, strict=True):
        sections.append(tuple(_number(q) for q in _list(row)))
        if not set(sections[-1]) <= t.cfa.atomic:
            raise Malformed(f"a listed location of {t.name!r} is not atomic")
    names = [t.name for t in program.templates]
    wanted: list[tuple[int, int | None, int]] = []
    for name, count in source.threads:
        if len(source.params[name]) > 1:
            raise Malformed(f"{name!r} runs as a thread and has several parameters")
        numbered = bool(source.params[name])
        wanted += [(names.index(name), n, 1) for n in range(count)] if numbered else [(names.index(name), None, count)]
    reader = _Reader(program)
    return sections, [reader.kind(k, *w) for k, w in zip(_list(body["kinds"], len(wanted)), wanted, strict=True)]


class _Reader:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.shared = [v for v in program.globals for _ in cells(v)]
        self.own = [[v for v in t.locals for _ in cells(v)] for t in program.templates]

    def kind(self, data: Any, function: int, number: int | None, count: int) -> Kind:
        body = _object(data, {"begin", "entries", "steps"})
        entries = [self._entry(e) for e in _list(body["entries"])]
        for entry in entries:
            for outer, row in entry.callers:
                if outer >= len(entries) or row >= len(entries[outer].rows):
                    raise Malformed("a caller is no row")
        steps = [(*self._globals(a), *self._globals(b)) for a, b in (_list(s, 2) for s in _list(body["steps"]))]
        begin = tuple(_number(n, len(entries)) for n in _list(body["begin"]))
        return Kind(function, number, count, begin, tuple(entries), tuple(steps))

    def _entry(self, data: Any) -> Entry:
        body = _object(data, {"function", "states", "callers"})
        i = _number(body["function"], len(self.program.templates))
        rows = []
        for shared, at, own in (_list(s, 3) for s in _list(body["states"])):
            row = self._intervals(_list(own, len(self.own[i])), self.own[i])
            rows.append(Row(*self._globals(shared), _number(at, self.program.templates[i].cfa.size), row))
        callers = tuple((_number(a), _number(b)) for a, b in (_list(c, 2) for c in _list(body["callers"])))
        return Entry(i, tuple(rows), callers)

    def _globals(self, data: Any) -> tuple[tuple[Interval, ...], bool]:
        values = _list(data, len(self.shared) + 1)
        return self._intervals(values[:-1], self.shared), _number(values[-1], 2) == 1

    def _intervals(self, data: list[Any], variables: Sequence[Variable]) -> tuple[Interval, ...]:
        return tuple(self._interval(x, v) for x, v in zip(data, variables, strict=True))

    def _interval(self, data: Any, v: Variable) -> Interval:
        if data is None:
            return None
        low, high = _list(data, 2) if isinstance(data, list) else (data, data)
        if type(low) is not int or type(high) is not int or low > high:
            raise Malformed("an interval that is none")
        # A bound outside the type would be read as another value.
        if self.program.ints != "math" and not v.type.low <= low <= high <= v.type.high:
            raise Malformed(f"{v.name!r} cannot have such a value")
        return low, high


def _object(data: Any, keys: set[str]) -> Mapping[str, Any]:
    if not isinstance(data, Mapping) or set(data) != keys:
        raise Malformed(f"an object with other keys than {', '.join(sorted(keys))}")
    return data


def _list(data: Any, length: int | None = None) -> list[Any]:
    if not isinstance(data, list) or (length is not None and len(data) != length):
        raise Malformed("a list is missing or has the wrong length")
    return data


def _number(data: Any, below: int | None = None) -> int:
    if type(data) is not int or data < 0 or (below is not None and data >= below):
        raise Malformed(f"{str(data)[:40]} is no number in range")
    return data
