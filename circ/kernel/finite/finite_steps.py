"""Obligations of `inductive` certificates on decision diagrams, where everything they speak of is finite.

A solver finds implications between large diagrams hard; comparing the diagrams themselves is easy. Here every thread is
alone in its group. A move is taken apart into commands, "in these states these variables get these constants", by
executing its operations with, for each variable, the states in which it has each of its values. A command of thread s keeps
the fact of thread k if no state of both facts and of the command is outside the fact once the constants are put in.

Variables are read as in `circ.kernel.finite.inductive`: a local is its default outside the locations listed for it. Whatever
is not
covered (a choice that is looked at, an index outside an array, too many values) is `Unclear`, and the solver is asked instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, assert_never

from circ.kernel.finite.decisions import EVERYTHING, LISTED, NOTHING, Decisions, Endless
from circ.kernel.finite.diagram_bodies import InductiveBody, Reference
from circ.semantics.evaluation import INDEX_MASK, evaluate
from frontend.program import (
    AllAt,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Ints,
    Ite,
    Lvalue,
    Op,
    Program,
    Read,
    Self,
    Unary,
    Var,
    Variable,
    name_of,
    op_writes,
    primitive,
)
from frontend.records import dataclass

NODES = 250_000
ELEMENTS = 64
DEEP = 120
"""Sets over more variables than this are left to the solver, too."""
COMMANDS = 2048
"""A move that is more commands than this is left to the solver."""

Partition: TypeAlias = dict[int, int]
"""For each value the set of states in which an expression has it."""
NamedCell: TypeAlias = tuple[str, int | None]
CellOfThread: TypeAlias = tuple[int, str, int | None]
"""A thread (-1: globals), a variable and element. Without a name: the location, or whether some thread is inside a section."""


class Unclear(Exception):
    """A move that is not a list of commands."""


@dataclass(frozen=True, slots=True)
class Command:
    """In the states `where`, the variables in `puts` get these constants, those in `free` any value."""

    where: int
    puts: tuple[tuple[int, int], ...]
    free: frozenset[int]


class Commands:
    """What the moves of all threads do to the facts. Raises `Unclear` if the facts themselves are not covered."""

    def __init__(self, program: Program, body: InductiveBody, paths: Sequence[Sequence[Sequence[Edge]]]) -> None:
        if program.ints != Ints.EXACT or any(len(g.copies) != 1 for g in body.groups):
            raise Unclear
        self.program, self.body, self._paths = program, body, paths
        self._globals = {v.name: v for v in program.globals}
        self._locals = [{v.name: v for v in program.templates[g.template].locals} for g in body.groups]
        self._numbers = [self._numbered(k) for k in range(len(body.groups))]
        order = _ordered(_place, body)
        order += [p for p in self._small() if p not in set(order)]
        self.variables = {place: n for n, place in enumerate(order)}
        self.sets = Decisions([self._domain(p) for p in order], NODES)
        self._values: dict[Expr, int] = {}
        self._commands: dict[int, list[Command] | None] = {}
        self._seen: dict[int, list[Command]] = {}
        try:
            self.facts = [self._fact(k) for k in range(len(body.groups))]
        except Endless:
            raise Unclear from None
        self._lost = [self.sets.without(f) for f in self.facts]
        self._mentions = [{_place(k, body.nodes[n - 2][0]) for n in body.below(f)} for k, f in enumerate(body.facts)]

    # ----------------------------------------------------------------------------------------------- the obligation
    def keeps(self, k: int, s: int) -> bool:
        """Whether every move of thread s keeps the fact of thread k; False also where this is not the way to find out."""
        try:
            commands = self._of(s)
            if commands is None:
                return False
            if s != k and not any(place[0] == s for place in self._mentions[k]):
                commands = self._unnamed(s)
            return all(self._kept(k, s, c) for c in commands)
        except Endless:
            return False

    def never(self, k: int, s: int, places: Iterable[tuple[int, int]]) -> bool:
        """Whether threads k and s are at none of these pairs of locations; False also where this is not the way to find out."""
        one, two = self.variables.get((k, "", None)), self.variables.get((s, "", None))
        if one is None or two is None or len(self._mentions[k] | self._mentions[s]) > DEEP:
            return False
        inside = [self.body.sections[self.body.groups[t].template] for t in (k, s)]
        try:
            return all((p in inside[0] and q in inside[1])
                       or self.sets.apart(self.facts[k], self.facts[s], self.sets.among(one, (p,)), self.sets.among(two, (q,)))
                       for p, q in places)
        except Endless:
            return False

    def _kept(self, k: int, s: int, command: Command) -> bool:
        if len(self._mentions[k] | self._mentions[s]) > DEEP:
            raise Endless("too many variables")
        begin, change = (command.where, self._outside(k, s)), (self._lost[k], dict(command.puts), command.free)
        if self.sets.never_into((self.facts[k], *begin), *change):
            return True
        return len(self.variables) <= DEEP and self.sets.never_into((*self.facts, *begin), *change)

    def _outside(self, k: int, s: int) -> int:
        """Thread k is at no listed atomic location when another one moves: that one is inside itself, or nobody is."""
        place = self.variables.get((k, "", None))
        listed = self.body.sections[self.body.groups[k].template]
        if place is None or k == s or not listed:
            return EVERYTHING
        return self.sets.without(self.sets.among(place, listed))

    def _unnamed(self, s: int) -> list[Command]:
        """The commands of thread s as threads see them whose facts do not mention it."""
        if s not in self._seen:
            own = frozenset(n for place, n in self.variables.items() if place[0] == s)
            found: dict[Command, None] = {}
            for c in self._of(s) or ():
                puts = tuple((n, v) for n, v in c.puts if n not in own)
                found[Command(self.sets.forget(c.where, own), puts, c.free - own)] = None
            self._seen[s] = list(found)
        return self._seen[s]

    def _of(self, s: int) -> list[Command] | None:
        """The commands of thread s, None if a move of it is none."""
        if s not in self._commands:
            try:
                self._commands[s] = [c for path in self._paths[s] for c in self._path(s, path)]
            except (Unclear, Endless):
                self._commands[s] = None
        return self._commands[s]

    # ----------------------------------------------------------------------------------------------- variables
    def _numbered(self, k: int) -> dict[str, int]:
        """Locals that hold the thread's number for good."""
        t, copy = self.program.templates[self.body.groups[k].template], self.body.groups[k].copies[0]
        written = {n for e in t.cfa.edges for n in op_writes(e.op)}
        return {v.name: v.type.wrap(copy + v.start.offset) for v in t.locals
                if isinstance(v.start, Self) and not v.is_array and v.name not in written}

    def _small(self) -> list[CellOfThread]:
        """What has few values, so that it can be read even if no fact mentions it."""
        cells = [(-1, v, e) for v in self.program.globals for e in (range(v.length) if v.length is not None else (None,))]
        cells += [(k, self._locals[k][n], e) for k, g in enumerate(self.body.groups) for n, e in g.cells]
        spans = {(-1, *name) for name in self.body.spans}
        spans |= {(k, *n) for k, g in enumerate(self.body.groups) for n, c in g.cells.items() if c.spans is not None}
        return [(k, v.name, e) for k, v, e in cells
                if v.type.high - v.type.low < LISTED and (e is None or e < ELEMENTS) and (k, v.name, e) not in spans]

    def _domain(self, place: CellOfThread) -> tuple[int, int]:
        """The least and greatest value. A value outside would be read as another one by the solver, so there must be none."""
        thread, name, element = place
        if not name:
            return (0, 1) if thread < 0 else (0, self.program.templates[self.body.groups[thread].template].cfa.size - 1)
        if thread < 0:
            if (name, element) in self.body.spans:
                raise Unclear
            t = self._globals[name].type
        else:
            cell = self.body.groups[thread].cells[name, element]
            t = self._locals[thread][name].type
            if cell.spans is not None or not t.low <= cell.default <= t.high:
                raise Unclear
        return t.low, t.high

    def _fact(self, k: int) -> int:
        built = {0: NOTHING, 1: EVERYTHING}
        for n in self.body.below(self.body.facts[k]):
            reference, branches = self.body.nodes[n - 2]
            place = _place(k, reference)
            low, high = self._domain(place)
            children: dict[int, int] = {}
            for values, child in branches:
                if not all(low <= v <= high for v in values):
                    raise Unclear
                for v in values:
                    children[v] = self.sets.either(children.get(v, NOTHING), built[child])
            built[n] = self.sets.asks(self.variables[place], children)
        return built[self.body.facts[k]]

    # ----------------------------------------------------------------------------------------------- moves
    def _path(self, s: int, path: Sequence[Edge]) -> Iterator[Command]:
        source, target = path[0].source, path[-1].target
        listed = self.body.sections[self.body.groups[s].template]
        where = self.facts[s]
        begins: dict[CellOfThread, int] = {(s, "", None): source, (-1, "", None): int(source in listed)}
        for place, value in begins.items():
            if place in self.variables:
                where = self.sets.both(where, self.sets.among(self.variables[place], (value,)))
        run = _SymbolicMove(self, s, source, where)
        for edge in path:
            run.apply(edge.op)
        ends: dict[CellOfThread, int] = {(s, "", None): target, (-1, "", None): int(target in listed)}
        puts = {self.variables[p]: v for p, v in ends.items() if p in self.variables}
        changed: list[tuple[int, Partition]] = []
        free: set[int] = set()
        for place, n in self.variables.items():
            thread, name, element = place
            if not name or thread not in (-1, s):
                continue
            cell = self.body.groups[s].cells[name, element] if thread == s else None
            if thread < 0 and name in self._locals[s]:
                continue
            if cell is not None and target not in cell.live:
                puts[n] = cell.default
            elif (name, element) in run.now:
                part = run.now[name, element]
                if part is None:
                    free.add(n)
                else:
                    changed.append((n, part))
            elif cell is not None and source not in cell.live:
                free.add(n)
        found: list[tuple[int, dict[int, int]]] = [(run.where, puts)]
        for n, part in changed:
            if len(found) * len(part) > COMMANDS:
                raise Unclear
            # A value that is not in the partition does not occur in the states that remain.
            split = ((self.sets.both(w, states), {**given, n: v}) for w, given in found for v, states in part.items())
            found = [(w, given) for w, given in split if w != NOTHING]
        for w, given in found:
            yield Command(w, tuple(sorted(given.items())), frozenset(free))

    def value(self, e: Expr) -> int:
        """The value of an expression over constants."""
        found = self._values.get(e)
        if found is None:
            found = self._values[e] = evaluate(e, {}, self.program.ints)
        return found

    def variable(self, s: int, name: str) -> Variable:
        """What the name means to thread s."""
        return self._locals[s].get(name) or self._globals[name]

    def is_local(self, s: int, name: str) -> bool:
        return name in self._locals[s]

    def number(self, s: int, name: str) -> int | None:
        return self._numbers[s].get(name)


class _SymbolicMove:
    """A thread's move: the states in which it is possible, and for each changed variable where it has which value.

    All sets are of states before the move. A partition covers those in `where`, each value there being the right one; what it
    says of other states means nothing. None stands for a value that is arbitrary.
    """

    def __init__(self, owner: Commands, thread: int, source: int, where: int) -> None:
        self._owner, self._sets = owner, owner.sets
        self._thread, self._source = thread, source
        self.where = where
        self.now: dict[NamedCell, Partition | None] = {}

    def apply(self, op: Op) -> None:
        for part in primitive(op):
            match part:
                case Assume(cond=c):
                    self.where = self._sets.both(self.where, self._holds(c))
                case Assign(target=t, value=e):
                    if isinstance(t, Var):
                        self.now[t.name, None] = self._assigned(t, e)
                    else:
                        self._store(t.array, self._places(t.index), self._assigned(t, e))
                case Havoc(targets=ts, whole=ws):
                    for t in ts:
                        if isinstance(t, Element):
                            raise Unclear
                        self.now[t.name, None] = None
                    for w in ws:
                        self.now.update({(w, n): None for n in range(self._owner.variable(self._thread, w).length or 0)})
                case AllAt():
                    pass
                case _:
                    assert_never(part)

    def _assigned(self, target: Lvalue, e: Expr) -> Partition | None:
        """The values of what is assigned; where they cannot be told, any value."""
        if e.type != self._owner.variable(self._thread, name_of(target)).type:
            return None
        try:
            return self.partition(e)
        except Unclear:
            return None

    def _store(self, array: str, places: Partition, values: Partition | None) -> None:
        length = self._owner.variable(self._thread, array).length or 0
        for i, there in places.items():
            if not 0 <= i & INDEX_MASK < length:
                continue
            if values is None:
                self.now[array, i] = None
            elif self._sets.apart(self.where, self._sets.without(there)):
                self.now[array, i] = values
            else:
                self.now[array, i] = self._chosen(there, values, self._read(array, i))

    def _chosen(self, where: int, a: Partition, b: Partition) -> Partition:
        """The first partition in the states `where`, the second elsewhere."""
        elsewhere = self._sets.without(where)
        result: Partition = {}
        for part, side in ((a, where), (b, elsewhere)):
            for v, states in part.items():
                both = self._sets.both(states, side)
                if both != NOTHING:
                    result[v] = self._sets.either(result.get(v, NOTHING), both)
        return result

    def partition(self, e: Expr) -> Partition:
        """Where the expression has which value."""
        match e:
            case Const():
                return {self._owner.value(e): EVERYTHING}
            case Read(lvalue=v):
                return self._read_at(v)
            case Ite(cond=c, then=a, other=b):
                return self._chosen(self._holds(c), self.partition(a), self.partition(b))
            case Unary(op=op, arg=a):
                return self._mapped((self.partition(a),), lambda x: Unary(op, Const(x[0], a.type)))
            case Cast(arg=a, type=t):
                return self._mapped((self.partition(a),), lambda x: Cast(Const(x[0], a.type), t))
            case Binary(op=op, left=a, right=b):
                parts = (self.partition(a), self.partition(b))
                return self._mapped(parts, lambda x: Binary(op, Const(x[0], a.type), Const(x[1], b.type)))
            case _:
                assert_never(e)

    def _holds(self, e: Expr) -> int:
        """Where the expression is not 0."""
        found = NOTHING
        for v, states in self.partition(e).items():
            found = self._sets.either(found, states) if v else found
        return found

    def _mapped(self, parts: Sequence[Partition], make: Callable[[Sequence[int]], Expr]) -> Partition:
        """The values of an operation, by those of its operands."""
        result: Partition = {}
        for operands in itertools.product(*(part.items() for part in parts)):
            states = EVERYTHING
            for _, where in operands:
                states = self._sets.both(states, where)
            if states != NOTHING:
                value = self._owner.value(make([v for v, _ in operands]))
                result[value] = self._sets.either(result.get(value, NOTHING), states)
        if len(result) > LISTED:
            raise Unclear
        return result

    def _places(self, index: Expr) -> Partition:
        """The values of an index that occur."""
        return {i: states for i, states in self.partition(index).items() if not self._sets.apart(states, self.where)}

    def _read_at(self, v: Lvalue) -> Partition:
        if v.type != self._owner.variable(self._thread, name_of(v)).type:
            raise Unclear
        if isinstance(v, Var):
            return self._read(v.name, None)
        result: Partition = {}
        for i, there in self._places(v.index).items():
            for value, states in self._read(v.array, i).items():
                both = self._sets.both(there, states)
                if both != NOTHING:
                    result[value] = self._sets.either(result.get(value, NOTHING), both)
        return result

    def _read(self, name: str, element: int | None) -> Partition:
        """The values of a variable or element; `Unclear` if nothing is known of it."""
        owner, s = self._owner, self._thread
        if (name, element) in self.now:
            now = self.now[name, element]
            if now is None:
                raise Unclear
            return now
        number = owner.number(s, name)
        if number is not None:
            return {number: EVERYTHING}
        local = owner.is_local(s, name)
        n = owner.variables.get((s if local else -1, name, element))
        if n is None or (local and self._source not in owner.body.groups[s].cells[name, element].live):
            raise Unclear
        return {v: self._sets.among(n, (v,)) for v in self._sets.values(self.where, n)}


def _ordered(owner: Callable[[int, Reference], CellOfThread], body: InductiveBody) -> list[CellOfThread]:
    """The variables of all facts in an order that agrees with their diagrams, as far as these agree with each other."""
    below: dict[CellOfThread, dict[CellOfThread, None]] = {}
    for k, fact in enumerate(body.facts):
        for n in reversed(body.below(fact)):
            reference, branches = body.nodes[n - 2]
            under = below.setdefault(owner(k, reference), {})
            children = sorted({child for _, child in branches})
            # A node with one child confines a variable to its values; that says nothing about the order.
            for child in children if len(children) > 1 else ():
                if child > 1:
                    under[owner(k, body.nodes[child - 2][0])] = None
    above = dict.fromkeys(below, 0)
    for under in below.values():
        for place in under:
            above[place] += 1
    order: list[CellOfThread] = []
    while above:
        # Where the diagrams disagree, the one that is met first goes first.
        first = next((p for p, count in above.items() if count == 0), next(iter(above)))
        del above[first]
        order.append(first)
        for place in below[first]:
            if place in above:
                above[place] -= 1
    return order


def _place(k: int, reference: Reference) -> CellOfThread:
    """What a reference in the fact of thread k means."""
    match reference:
        case ("atomic",):
            return -1, "", None
        case ("global", str(name), (int() | None) as element):
            return -1, name, element
        case ("at",):
            return k, "", None
        case ("own", str(name), (int() | None) as element):
            return k, name, element
        case ("other-at", int(group)):
            return group, "", None
        case ("other", int(group), str(name), (int() | None) as element):
            return group, name, element
    raise Unclear
