"""Values with which a part of a run ends at another branch: what a run by random values seldom comes to, such as a checksum.

The steps that a run took, and one that it might have taken at the end, as a formula over what the program left open on the way
(`circ.abstraction.trace_formulas`), from the concrete state that the steps began in. Not trusted: the run is made again with
the values, step by step, and only what passes counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from circ.abstraction.trace_formulas import Feasible, Formula, script
from circ.semantics.evaluation import Value, Where
from circ.semantics.interpreter import LocalState, Machine
from circ.verdict import Choice, OutOfTime
from frontend.program import (
    Arbitrary,
    Assign,
    Assume,
    Const,
    Element,
    Expr,
    Havoc,
    Ite,
    Lvalue,
    Op,
    Program,
    Read,
    Scalar,
    Start,
    Values,
    Var,
    Variable,
    name_of,
    op_reads,
    op_writes,
    primitive,
    substitute,
)
from frontend.records import dataclass

SOLVER = 4_000_000
"""Resource units for one question."""
LONGEST_WAY = 4
INDEX = Scalar(64, False)


@dataclass(frozen=True, slots=True)
class Action:
    """An edge that a thread takes, or one of two ways from one location to another, whichever passes, as one operation."""

    thread: int
    ways: tuple[tuple[int, ...], ...]
    op: Op


@dataclass(frozen=True, slots=True)
class Steps:
    """What threads of `crew` (templates by their numbers) do in turn, from a state."""

    crew: tuple[int, ...]
    globals: tuple[Value, ...]
    threads: tuple[LocalState, ...]
    actions: tuple[Action, ...]


class Ways:
    """The branches of a program that only choose a value: `if (crc & 0x8000) crc = crc << 1 ^ 0x1021; else crc = crc << 1;`.

    A formula with one of them as an expression leaves open which way is taken. Without that the bits of a checksum that a run
    computed, and with them every byte that it read, would be as they were.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._choices: dict[tuple[int, int], tuple[tuple[tuple[int, ...], ...], Op] | None] = {}

    def actions(self, crew: Sequence[int], taken: Sequence[tuple[int, int]]) -> Iterator[Action]:
        """The edges taken in turn as actions."""
        at = 0
        while at < len(taken):
            thread, e = taken[at]
            template = crew[thread]
            choice = self._choice(template, self.machine.edge(template, e).source)
            way = next((w for w in choice[0] if taken[at:at + len(w)] == tuple((thread, x) for x in w)), None) if choice else None
            if choice is not None and way is not None:
                yield Action(thread, (way, *(w for w in choice[0] if w != way)), choice[1])
            else:
                yield Action(thread, ((e,),), self.machine.edge(template, e).op)
            at += 1 if way is None else len(way)

    def _choice(self, template: int, location: int) -> tuple[tuple[tuple[int, ...], ...], Op] | None:
        key = template, location
        if key not in self._choices:
            self._choices[key] = self._chosen(template, self.machine.leaving(template, location))
        return self._choices[key]

    def _chosen(self, template: int, edges: Sequence[int]) -> tuple[tuple[tuple[int, ...], ...], Op] | None:
        """Two ways that meet again, each giving at most one and the same local a value, and the assignment they are."""
        if len(edges) != 2:
            return None
        one, two = (self._way(template, e) for e in edges)
        ends = [(i, j) for i, (a, _, _) in enumerate(one) for j, (b, _, _) in enumerate(two) if a == b]
        if not ends:
            return None
        (_, ways1, value1), (_, ways2, value2) = one[ends[0][0]], two[ends[0][1]]
        targets = {v for v in (value1[0], value2[0]) if v is not None}
        test = self.machine.edge(template, edges[0]).op
        if len(targets) != 1 or not isinstance(test, Assume):
            return None
        [target] = targets
        values = [Read(target) if value is None else value for _, value in (value1, value2)]
        return (ways1, ways2), Assign(target, Ite(test.cond, values[0], values[1]))

    def _way(self, template: int, e: int) -> list[tuple[int, tuple[int, ...], tuple[Var | None, Expr | None]]]:
        """Where a branch leads with a test and assignments to one local: locations, edges, the local with its value."""
        own = {v.name for v in self.machine.program.templates[template].locals}
        edge = self.machine.edge(template, e)
        target: Var | None = None
        value: Expr | None = None
        found: list[tuple[int, tuple[int, ...], tuple[Var | None, Expr | None]]] = []
        if not isinstance(edge.op, Assume) or not {name_of(v) for v in op_reads(edge.op)} <= own or edge.doubts:
            return found
        way = [e]
        while len(way) <= LONGEST_WAY:
            found.append((edge.target, tuple(way), (target, value)))
            after = self.machine.leaving(template, edge.target)
            if len(after) != 1:
                break
            edge = self.machine.edge(template, after[0])
            op = edge.op
            if not isinstance(op, Assign) or not isinstance(op.target, Var) or op.target.name not in own or edge.doubts or not {
                    name_of(v) for v in op_reads(op)} <= own or target not in (None, op.target):
                break
            before, held = target, value
            target, value = op.target, op.value if before is None or held is None else substitute(
                op.value, _instead(before, held))
            way.append(after[0])
        return found


def _instead(target: Var, value: Expr) -> Callable[[Lvalue], Expr | None]:
    return lambda v: value if v == target else None


def values_for(machine: Machine, steps: Steps) -> list[dict[Where, int]] | None:
    """For each action what is to be chosen in it so that all can be taken; None if the solver finds nothing."""
    program = machine.program
    movers = sorted({a.thread for a in steps.actions})
    number = {thread: n for n, thread in enumerate(movers)}
    ops = [(number[a.thread], a.op) for a in steps.actions]
    used = [_names(op for n, op in ops if n == k) for k in range(len(movers))]
    first: list[tuple[int, Op]] = []
    templates = []
    for k, i in enumerate(movers):
        template = program.templates[steps.crew[i]]
        known = _known(template.locals, steps.threads[i][1], used[k])
        first += ((k, op) for op in known.elements)
        templates.append(replace(template, locals=known.variables))
    known = _known(program.globals, steps.globals, frozenset().union(*used))
    first += ((0, op) for op in known.elements)
    begun = Program(program.file, known.variables, tuple(templates), program.data_model, program.ints)
    try:
        answer = Formula(script(begun, templates, (*first, *ops), ()), SOLVER).decide({})
    except OutOfTime:
        return None
    if not isinstance(answer, Feasible):
        return None
    found = [_chosen(machine, steps.crew[a.thread], a.ways[0][0], answer.steps.get(len(first) + n, ()))
             for n, a in enumerate(steps.actions)]
    if found:
        slots = ((machine.slot(None, c.variable), c) for c in answer.start if c.thread is None and c.index is None)
        found[0].update({where: c.value for where, c in slots if where is not None})
    return found


def is_open(machine: Machine, steps: Steps) -> bool:
    """Whether what the last action reads comes from something that the program leaves open on the way."""
    program = machine.program
    found: set[tuple[int | None, str]] = {
        (None, v.name) for v, value in zip(program.globals, steps.globals, strict=True) if value is None}

    def place(i: int, name: str) -> tuple[int | None, str]:
        where = machine.slot(steps.crew[i], name)
        return (None if where is None or where[0] == "g" else i), name

    for a in steps.actions:
        for part in primitive(a.op):
            targets = [place(a.thread, name) for name in op_writes(part)]
            if isinstance(part, Havoc) or any(place(a.thread, name_of(v)) in found for v in op_reads(part)):
                found.update(targets)
            elif isinstance(part, Assign) and not isinstance(part.target, Element):
                found.difference_update(targets)
    last = steps.actions[-1]
    return any(place(last.thread, name_of(v)) in found for v in op_reads(last.op))


def _chosen(machine: Machine, template: int, edge: int, choices: Sequence[Choice]) -> dict[Where, int]:
    """The values for the targets of a step's havocs, in their order."""
    by_name: dict[str, list[int]] = {}
    for c in choices:
        by_name.setdefault(c.variable, []).append(c.value)
    found: dict[Where, int] = {}
    for k, hole in enumerate(machine.code(template, edge).holes):
        if not hole.whole and by_name.get(hole.variable):
            found["h", k, None] = by_name[hole.variable].pop(0)
    return found


# --------------------------------------------------------------------------------------------------- the state as a start
@dataclass(frozen=True, slots=True)
class _Known:
    """Variables that start with what a state has, and assignments for the elements of arrays that are open for the rest."""

    variables: tuple[Variable, ...]
    elements: tuple[Op, ...]


def _known(variables: Sequence[Variable], values: Sequence[Value], used: frozenset[str]) -> _Known:
    """Those that are used."""
    found, elements = [], []
    for v, value in zip(variables, values, strict=True):
        if v.name not in used:
            continue
        found.append(replace(v, start=_start(value)))
        if isinstance(value, tuple) and value[0] is None:
            elements += [Assign(Element(v.name, Const(k, INDEX), v.type), Const(e, v.type)) for k, e in value[1] if e is not None]
    return _Known(tuple(found), tuple(elements))


def _start(value: Value) -> Start:
    match value:
        case None:
            return Arbitrary()
        case int():
            return Values(value)
        case (default, items):
            return Arbitrary() if default is None or any(e is None for _, e in items) else Values(
                default, tuple((k, e) for k, e in items if e is not None))


def _names(ops: Iterable[Op]) -> frozenset[str]:
    """The variables that operations read or write."""
    found: set[str] = set()
    for op in ops:
        found.update(name_of(v) for v in op_reads(op))
        found.update(op_writes(op))
    return frozenset(found)
