"""What a thread knows of the cells that indices are made of: equalities, bounds and remainders by expressions over other cells.

A forward analysis on one template. A fact compares a cell, a local or a global that only this thread writes or that nobody
writes while it runs, with an expression; it dies when either side is written, except that counting up or down keeps the bound
that it moves away from. Nothing rests on it but time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from circ.static.live_locals import live_locals
from frontend.program import (
    BOOL,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Read,
    ThreadTemplate,
    Var,
    name_of,
    op_writes,
    primitive,
    reads,
    substitute,
    truth,
    variables,
)
from frontend.program.connectives import any_of, conjuncts
from frontend.program.fold import fold
from frontend.records import dataclass

MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
MOST_FACTS = 100
_REST = "%"
"""How the fact is marked that says what is left of a cell when it is divided by a step."""
_AMONG = "in"
"""How the fact is marked whose left side says itself that the cell has one of a few values."""
MOST_VALUES = 4
_UP = {"==": ">=", ">=": ">=", ">": ">", "<": "<="}
_DOWN = {"==": "<=", "<=": "<=", "<": "<", ">": ">="}
"""What a comparison becomes when the cell grows, or falls, by one."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A cell, as `left` reads it, in comparison with an expression over other cells."""

    cell: Lvalue
    op: str
    left: Expr
    right: Expr

    @property
    def formula(self) -> Expr:
        return self.left if self.op == _AMONG else Binary("==" if self.op == _REST else self.op, self.left, self.right)

    @property
    def cells(self) -> frozenset[Lvalue]:
        return frozenset(reads(self.right)) | {self.cell}

    def shifted(self, step: int) -> Fact | None:
        """What is left of it when the cell is changed by the step."""
        if self.op == _REST:
            assert isinstance(self.left, Binary) and isinstance(self.left.right, Const)
            return self if step % self.left.right.value == 0 else None
        op = (_UP if step > 0 else _DOWN).get(self.op)
        if op is None or (op != self.op and self.op != "==" and abs(step) > 1):
            return None
        return Fact(self.cell, op, self.left, self.right)


Facts: TypeAlias = frozenset[Fact]
NOWHERE: Facts = frozenset((Fact(Var("<nothing>", BOOL), _AMONG, Const(0, BOOL), Const(1, BOOL)),))
"""What is known where nobody comes."""


def formulas(facts: Facts) -> list[Expr]:
    """The facts as conditions in a fixed order, without bounds that an equality says as well."""
    equal = {(f.left, f.right) for f in facts if f.op == "=="}
    said = [f.formula for f in facts if f.op not in ("<=", ">=") or (f.left, f.right) not in equal]
    return sorted(said, key=repr)


def plain_cell(e: Expr) -> Lvalue | None:
    """The cell that the expression reads, apart from conversions to types that have all its values."""
    while isinstance(e, Cast) and e.type.low <= e.arg.type.low and e.arg.type.high <= e.type.high:
        e = e.arg
    return e.lvalue if isinstance(e, Read) else None


def writes_cell(op: Op, cell: Lvalue) -> bool:
    """Whether the step may write the cell, whose index is a constant if it has one."""
    for part in primitive(op):
        match part:
            case Assign(target=Element(array=a, index=Const(value=i))) if isinstance(cell, Element):
                assert isinstance(cell.index, Const)
                if a == cell.array and i == cell.index.value:
                    return True
            case _:
                if name_of(cell) in op_writes(part):
                    return True
    return False


def names_near(t: ThreadTemplate, names: frozenset[str]) -> frozenset[str]:
    """The names with those of what they are computed from and compared with, and of what is tested before they are computed."""
    near: list[tuple[frozenset[str], frozenset[str]]] = []
    tests: dict[int, frozenset[str]] = {}
    for e in t.cfa.edges:
        for part in primitive(e.op):
            if isinstance(part, Assume):
                tests[e.target] = tests.get(e.target, frozenset()) | variables(part.cond)
    for e in t.cfa.edges:
        for part in primitive(e.op):
            match part:
                case Assign(target=target, value=value):
                    near.append((frozenset((name_of(target),)), variables(value) | tests.get(e.source, frozenset())))
                    if (source := plain_cell(value)) is not None:
                        near.append((frozenset((name_of(source),)), frozenset((name_of(target),))))
                case Assume(cond=c):
                    near += [(v, v) for each in conjuncts(truth(c)) if isinstance(each, Binary) and (v := variables(each))]
                case _:
                    pass
    size = -1
    while len(names) != size:
        size = len(names)
        names = names.union(*(found for known, found in near if known & names))
    return names


class BoundsOfCells:
    """The analysis of one template: `knows` says of which cells facts may speak, `begins` what is known after the first step."""

    def __init__(self, template: ThreadTemplate, knows: Callable[[Lvalue], bool], begins: Iterable[Fact] = ()) -> None:
        self.template, self._knows, self._begins = template, knows, frozenset(begins)
        self._steps = _steps(template)
        self._own, self._live = frozenset(v.name for v in template.locals), live_locals(template)
        self.at: list[Facts | None] = template.cfa.forward(frozenset(), self._after, _met)

    def behind(self, e: Edge) -> Facts | None:
        """What is known once the thread has taken an edge; None if no way leads there."""
        known = self.at[e.source]
        return None if known is None else self._after(known, e)

    def _after(self, known: Facts, e: Edge) -> Facts:
        for part in primitive(e.op):
            match part:
                case _ if known == NOWHERE:
                    return NOWHERE
                case Assume(cond=c) if self._fails(known, c):
                    return NOWHERE
                case Assume(cond=c):
                    known |= {f for condition in conjuncts(truth(c)) for f in self._tested(known, condition)}
                case Assign(target=target, value=value) if _is_cell(target) and self._knows(target):
                    known = self._assigned(known, target, value)
                case Assign() | Havoc():
                    gone = [f for f in known if any(writes_cell(part, cell) for cell in f.cells)]
                    known -= set(gone)
                case _:
                    pass
        if e.source == self.template.cfa.start:
            known |= self._begins
        dead = self._own - self._live[e.target]
        known = frozenset(f for f in known if not any(name_of(v) in dead for v in f.cells))
        return known if len(known) <= MOST_FACTS else frozenset()

    def _tested(self, known: Facts, c: Expr) -> Iterator[Fact]:
        if isinstance(c, Binary) and c.op == "!=" and isinstance(c.right, Const):
            cell = plain_cell(c.left)
            if cell is not None and (values := _values(known).get(cell)):
                yield from _one_of(cell, values - {c.right.value})
        if not isinstance(c, Binary) or c.op not in MIRRORED:
            return
        for left, right, op in ((c.left, c.right, c.op), (c.right, c.left, MIRRORED[c.op])):
            cell = plain_cell(left)
            if cell is not None and _is_cell(cell) and self._knows(cell) and self._usable(right, cell):
                yield from _facts(cell, op, left, right)
                for same in _copies(known, cell) if isinstance(right, Const) and left == Read(cell) else ():
                    yield from _facts(same, op, Read(same), right)

    def _usable(self, e: Expr, cell: Lvalue) -> bool:
        found = list(reads(e))
        return cell not in found and len(found) <= 4 and all(_is_cell(v) and self._knows(v) for v in found)

    def _assigned(self, known: Facts, cell: Lvalue, value: Expr) -> Facts:
        """What holds once the cell has the value: it equals that, and has the bounds of the cell that it is, or counts from."""
        after = {f for f in known if cell not in f.cells}
        source, step = _source(value)
        if source is not None and source.type == cell.type:
            moved = (f.shifted(step) if step else f for f in known if f.cell == source and cell not in reads(f.right))
            after |= {Fact(cell, f.op, substitute(f.left, lambda v: Read(cell) if v == source else None), f.right)
                      for f in moved if f is not None}
        for each in dict.fromkeys((value, self._root(known, value))):
            if self._usable(each, cell):
                after |= set(_facts(cell, "==", Read(cell), each))
        if source is not None and not step and source.type == cell.type and _is_cell(source) and self._knows(source):
            after.add(Fact(source, "==", Read(source), Read(cell)))
        if isinstance(value, Const):
            after |= {Fact(cell, _REST, Binary("%", Read(cell), Const(s, cell.type)), Const(value.value % s, cell.type))
                      for s in self._steps.get(cell, ()) if value.value >= 0 and s <= cell.type.high}
        return frozenset(after)

    def _fails(self, known: Facts, c: Expr) -> bool:
        """Whether the values that are known exclude a condition."""
        if not variables(c) & {name_of(f.cell) for f in known}:
            return False
        values = {cell: Const(min(n), cell.type) for cell, n in _values(known).items() if len(n) == 1}
        found = fold(substitute(self._root(known, truth(c)), values.get))
        return isinstance(found, Const) and found.value == 0

    def _root(self, known: Facts, value: Expr) -> Expr:
        """The value with locals replaced by what they equal: others may know of that."""
        equal = {f.cell: f.right for f in sorted(known, key=repr) if f.op == "==" and f.left == Read(f.cell)
                 and not any(name_of(v) in self._own for v in reads(f.right))}
        return fold(substitute(value, lambda v: equal.get(v) if name_of(v) in self._own else None))


def _copies(known: Facts, cell: Lvalue) -> list[Lvalue]:
    """The cells of its type that equal the cell, one after the other."""
    equal = [(f.cell, other) for f in sorted(known, key=repr) if f.op == "==" and f.left == Read(f.cell)
             and (other := plain_cell(f.right)) is not None and other.type == f.cell.type]
    found = [cell]
    for one in found:
        found += dict.fromkeys(b if a == one else a for a, b in equal if one in (a, b) and (b if a == one else a) not in found)
    return found[1:]


def _values(known: Facts) -> dict[Lvalue, frozenset[int]]:
    """The cells of which it is known that they have one of a few values."""
    found: dict[Lvalue, frozenset[int]] = {}
    for f in sorted(known, key=repr):
        if f.op == _AMONG:
            found.setdefault(f.cell, frozenset(_listed(f.left)))
    for f in sorted(known, key=repr):
        if f.op == "==" and f.left == Read(f.cell) and isinstance(f.right, Const):
            found[f.cell] = frozenset((f.right.value,))
    return found


def _listed(e: Expr) -> Iterator[int]:
    """The constants of a disjunction of equalities."""
    match e:
        case Binary(op="||", left=a, right=b):
            yield from _listed(a)
            yield from _listed(b)
        case Binary(op="==", right=Const(value=n)):
            yield n


def _one_of(cell: Lvalue, values: frozenset[int]) -> Iterator[Fact]:
    """That the cell has one of some values; nothing if they are none, or too many."""
    equal = [Binary("==", Read(cell), Const(n, cell.type)) for n in sorted(values)]
    if len(equal) == 1:
        yield from _facts(cell, "==", Read(cell), Const(min(values), cell.type))
    elif 1 < len(equal) <= MOST_VALUES:
        yield Fact(cell, _AMONG, any_of(equal), Const(1, BOOL))


def _met(one: Facts, two: Facts) -> Facts:
    """What holds on both of two ways."""
    if one == two or NOWHERE in (one, two):
        return two if one == NOWHERE else one
    first, second = _values(one), _values(two)
    few = {f for cell in first if first[cell] != second.get(cell, first[cell]) for f in _one_of(cell, first[cell] | second[cell])}
    return (one & two) | few


def _is_cell(v: Lvalue) -> bool:
    return v.type != BOOL and (isinstance(v, Var) or isinstance(v.index, Const))


def _facts(cell: Lvalue, op: str, left: Expr, right: Expr) -> Iterator[Fact]:
    """A comparison, and for an equality the bounds that it implies, which may outlive it."""
    for each in ("==", "<=", ">=") if op == "==" else (op,):
        yield Fact(cell, each, left, right)


def _source(value: Expr) -> tuple[Lvalue | None, int]:
    """The cell that the value is so much more than."""
    value = fold(value)
    if isinstance(value, Cast) and value.arg.type.width >= value.type.width:
        value = value.arg
    match value:
        case Binary(op="+" | "-" as op, left=left, right=Const(value=n)):
            return plain_cell(left), n if op == "+" else -n
        case _:
            return plain_cell(value), 0


def _steps(t: ThreadTemplate) -> dict[Lvalue, Sequence[int]]:
    """By how much more than one cells are changed again and again."""
    found: dict[Lvalue, dict[int, None]] = {}
    for e in t.cfa.edges:
        for part in primitive(e.op):
            if isinstance(part, Assign) and abs(step := _source(part.value)[1]) > 1:
                found.setdefault(part.target, {})[abs(step)] = None
    return {v: tuple(steps) for v, steps in found.items()}
