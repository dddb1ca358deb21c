"""An interpreter of programs: the reference semantics of `frontend.program.cfa`, on explicit states.

Each edge becomes a Python function when it is first taken. A value that the program leaves open (an uninitialised local,
the target of a havoc) stays None, "any value", until it is read; `Machine.moves` then tries the values of a `Domain`.
Replay gives every value itself, so both ways of running share one meaning of an operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, assert_never

from circ.semantics.access_guards import Prefixes
from circ.semantics.evaluation import RUNTIME, Coder, Undefined, Value, Where, cells, store
from frontend.program import (
    AllAt,
    Arbitrary,
    Assign,
    Assume,
    Block,
    Edge,
    Element,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Program,
    Scalar,
    Self,
    ThreadTemplate,
    Values,
    Var,
    Variable,
    name_of,
    op_reads,
    op_writes,
    primitive,
    reads,
)
from frontend.records import dataclass

Globals: TypeAlias = tuple[Value, ...]
LocalState: TypeAlias = tuple[int, tuple[Value, ...]]
"""Location and locals."""


@dataclass(frozen=True, slots=True)
class State:
    """The globals, and each thread's location and locals."""

    globals: Globals
    threads: tuple[LocalState, ...]


@dataclass(frozen=True, slots=True)
class Hole:
    """A target of a havoc: its variable, its type, whether all of an array is meant, and whether the step itself reads it."""

    variable: str
    type: Scalar
    whole: bool
    eager: bool


Fill: TypeAlias = Callable[[int, int | None], Value]
"""The value for the n-th hole of an operation; an element's index is given with it."""


@dataclass(frozen=True, slots=True)
class Code:
    """An operation made executable: `run` changes globals and locals in place, False if an assume blocks (then half done)."""

    run: Callable[[list[Value], list[Value], Fill], bool]
    holes: tuple[Hole, ...]
    guards: tuple[AllAt, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A step of one thread: the edge's index, what comes after, and the open values that were decided on the way."""

    edge: int
    globals: Globals
    thread: LocalState
    decided: tuple[tuple[Where, int], ...]
    guards: tuple[AllAt, ...]


@dataclass(slots=True)
class Domain:
    """The values to try where any will do. Up to `exact_width` bits all are tried; else some, and `exact` becomes False."""

    some: tuple[int, ...] = (0, 1)
    exact_width: int = 8
    exact: bool = True

    def values(self, t: Scalar) -> Sequence[int]:
        if t.width <= self.exact_width:
            return range(t.low, t.high + 1)
        self.exact = False
        return sorted({t.wrap(v) for v in self.some})


class Machine:
    """A program made executable. Holds compiled code only, never a state."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.index = {t.name: i for i, t in enumerate(program.templates)}
        self._globals = {v.name: i for i, v in enumerate(program.globals)}
        self._locals = [{v.name: i for i, v in enumerate(t.locals)} for t in program.templates]
        self._leaving = [_leaving_indices(t) for t in program.templates]
        self._prefixes = Prefixes(program)
        self._code: dict[tuple[int, int], Code] = {}
        self._next: dict[tuple[int, int, int], Code | None] = {}
        self._cell: dict[tuple[int, int, int], Callable[[Globals, tuple[Value, ...]], int]] = {}
        self._invariants: list[Callable[[Globals, tuple[Value, ...]], int]] | None = None

    # ----------------------------------------------------------------------------------------------- structure
    def leaving(self, template: int, location: int) -> tuple[int, ...]:
        """Indices of the edges that leave a location, in the order of `cfa.edges`."""
        return self._leaving[template][location]

    def edge(self, template: int, edge: int) -> Edge:
        return self.program.templates[template].cfa.edges[edge]

    def variable(self, template: int, where: Where) -> Variable:
        """The variable that lives in a slot of the globals or of the template's locals."""
        owner, slot, _ = where
        return self.program.globals[slot] if owner == "g" else self.program.templates[template].locals[slot]

    def slot(self, template: int | None, name: str) -> Where | None:
        """Where a variable of this name lives as a thread of the template sees it; locals come first."""
        if template is not None and name in self._locals[template]:
            return "l", self._locals[template][name], None
        return ("g", self._globals[name], None) if name in self._globals else None

    # ----------------------------------------------------------------------------------------------- code
    def code(self, template: int, edge: int) -> Code:
        """The code of an edge, compiled when it is first needed."""
        key = template, edge
        found = self._code.get(key)
        if found is None:
            found = self._code[key] = self._compile(template, self.edge(template, edge).op)
        return found

    def _coder(self, template: int | None) -> Coder:
        def place(name: str) -> tuple[str, str, int]:
            where = self.slot(template, name)
            assert where is not None, f"no variable {name}"
            return f"{where[0]}[{where[1]}]", where[0], where[1]

        return Coder(self.program.ints, place)

    def _compile(self, template: int, op: Op) -> Code:
        coder = self._coder(template)
        parts = list(primitive(op))
        holes: list[Hole] = []
        guards: list[AllAt] = []
        written: set[str] = set()
        checked: set[str] = set()
        for at, part in enumerate(parts):
            for v in op_reads(part):
                if isinstance(v, Var) and v.name not in written and v.name not in checked:
                    checked.add(v.name)
                    text, owner, slot = coder.place(v.name)
                    coder.lines.append(f"if {text} is None: raise Undefined(({owner!r}, {slot}, None))")
            later = Block(tuple(parts[at + 1:]))
            match part:
                case Assume(cond=c):
                    coder.lines.append(f"if not {coder.cond(c)}: return False")
                case Assign(target=t, value=e):
                    self._write(coder, t, coder.value(e))
                case Havoc(targets=ts, whole=ws):
                    for t in ts:
                        eager = name_of(t) in {name_of(r) for r in op_reads(later)}
                        index = coder.index(t.index) if isinstance(t, Element) else "None"
                        self._write(coder, t, f"fill({len(holes)}, {index})")
                        holes.append(Hole(name_of(t), t.type, False, eager))
                    for w in ws:
                        eager = w in {name_of(r) for r in op_reads(later)}
                        coder.lines.append(f"{coder.place(w)[0]} = fill({len(holes)}, None)")
                        holes.append(Hole(w, self._type(template, w), True, eager))
                case AllAt():
                    guards.append(part)
                case _:
                    assert_never(part)
            written.update(op_writes(part))
        coder.lines.append("return True")
        scope: dict[str, Any] = {**RUNTIME, "Undefined": Undefined}
        exec("def run(g, l, fill):\n    " + "\n    ".join(coder.lines), scope)
        return Code(scope["run"], tuple(holes), tuple(guards))

    def _write(self, coder: Coder, target: Lvalue, value: str) -> None:
        text = coder.place(name_of(target))[0]
        if isinstance(target, Element):
            value = f"store({text}, {coder.index(target.index)}, {value})"
        coder.lines.append(f"{text} = {value}")

    def _type(self, template: int, name: str) -> Scalar:
        where = self.slot(template, name)
        assert where is not None
        return self.variable(template, where).type

    def function(self, template: int | None, e: Expr, index: bool = False) -> Callable[[Globals, tuple[Value, ...]], int]:
        """The value of an expression (as an array index if asked) from globals and locals; raises Undefined on None."""
        coder = self._coder(template)
        for v in reads(e):
            if isinstance(v, Var):
                text, owner, slot = coder.place(v.name)
                coder.lines.append(f"if {text} is None: raise Undefined(({owner!r}, {slot}, None))")
        coder.lines.append(f"return {coder.index(e) if index else coder.value(e)}")
        scope: dict[str, Any] = {**RUNTIME, "Undefined": Undefined}
        exec("def value(g, l):\n    " + "\n    ".join(coder.lines), scope)
        result: Callable[[Globals, tuple[Value, ...]], int] = scope["value"]
        return result

    # ----------------------------------------------------------------------------------------------- start
    def start(self, crew: Sequence[int], chosen: Callable[[Variable, int | None], Value]) -> State:
        """The start state of one thread of each template in `crew`; `chosen(variable, thread)` for what is not fixed."""
        def value(v: Variable, thread: int | None) -> Value:
            if isinstance(v.start, Values):
                default = v.start.default
                return cells(default, dict(v.start.elements)) if v.is_array else default
            return chosen(v, thread)

        threads = []
        for i, t in enumerate(crew):
            template = self.program.templates[t]
            threads.append((template.cfa.start, tuple(value(v, i) for v in template.locals)))
        return State(tuple(value(v, None) for v in self.program.globals), tuple(threads))

    def open_start(self, crew: Sequence[int]) -> State:
        """The start state with every arbitrary value left open, and threads numbered from 0 in their template."""
        def chosen(v: Variable, thread: int | None) -> Value:
            if isinstance(v.start, Self):
                assert thread is not None, "only a thread has a number"
                number = sum(t == crew[thread] for t in crew[:thread])
                return v.type.wrap(number + v.start.offset)
            assert isinstance(v.start, Arbitrary)
            return (None, ()) if v.is_array else None

        return self.start(crew, chosen)

    # ----------------------------------------------------------------------------------------------- steps
    def holder(self, crew: Sequence[int], threads: Sequence[LocalState]) -> int | None:
        """The thread at an atomic location, if one is: only it may run."""
        templates = self.program.templates
        for i, (location, _) in enumerate(threads):
            if location in templates[crew[i]].cfa.atomic:
                return i
        return None

    def guards_pass(self, guards: tuple[AllAt, ...], crew: Sequence[int], threads: Sequence[LocalState], me: int) -> bool:
        """Whether every other thread is where the guards want it."""
        return all(
            threads[i][0] in guard.locations
            for guard in guards
            for i, t in enumerate(crew)
            if i != me and t == self.index[guard.template]
        )

    def execute(self, code: Code, g: Globals, local: tuple[Value, ...], fill: Fill) -> tuple[Globals, tuple[Value, ...]] | None:
        """Globals and locals after the operation; None if an assume blocks. Guards on other threads are the caller's."""
        after_g, after_l = list(g), list(local)
        return (tuple(after_g), tuple(after_l)) if code.run(after_g, after_l, fill) else None

    def moves(self, template: int, g: Globals, thread: LocalState, domain: Domain) -> Iterator[Move]:
        """Every step of a thread from these globals, atomicity and guards on other threads left to the caller."""
        location, local = thread
        for e in self.leaving(template, location):
            code = self.code(template, e)
            target = self.edge(template, e).target
            for decided, after_g, after_l in self.decide(template, code, g, local, domain):
                yield Move(e, after_g, (target, after_l), decided, code.guards)

    def decide(
        self, template: int, code: Code, g: Globals, local: tuple[Value, ...], domain: Domain,
    ) -> Iterator[tuple[tuple[tuple[Where, int], ...], Globals, tuple[Value, ...]]]:
        """Runs an operation for all values of what it reads and nobody has chosen yet."""
        pending: list[dict[Where, int]] = [{}]
        while pending:
            known = pending.pop()
            after_g, after_l = list(g), list(local)
            settle(after_g, after_l, known)

            def fill(k: int, _: int | None, known: dict[Where, int] = known) -> Value:
                hole = code.holes[k]
                if hole.whole:
                    if hole.eager:
                        domain.exact = False
                    return (0 if hole.eager else None), ()
                if hole.eager and ("h", k, None) not in known:
                    raise Undefined(("h", k, None))
                return known.get(("h", k, None))

            try:
                if code.run(after_g, after_l, fill):
                    yield tuple(known.items()), tuple(after_g), tuple(after_l)
            except Undefined as missing:
                where = missing.where
                t = code.holes[where[1]].type if where[0] == "h" else self.variable(template, where).type
                pending.extend({**known, where: v} for v in reversed(domain.values(t)))

    # ----------------------------------------------------------------------------------------------- properties
    def is_next(self, template: int, edge: int, access: int, g: Globals, local: tuple[Value, ...]) -> bool:
        """Whether control of a thread at the edge's source really comes to this access: what precedes it in the step passes.

        Raises Undefined if that depends on a value that the step itself leaves open. Guards on other threads' locations are
        the caller's.
        """
        key = template, edge, access
        if key not in self._next:
            prefix = self._prefixes.before(self.edge(template, edge), self.edge(template, edge).accesses[access])
            self._next[key] = self._compile(template, prefix) if prefix.ops else None
        code = self._next[key]

        def fill(k: int, _: int | None) -> Value:
            assert code is not None
            if code.holes[k].eager:
                raise Undefined(("h", k, None))
            return (None, ()) if code.holes[k].whole else None

        return code is None or code.run(list(g), list(local), fill)

    def cell(self, template: int, edge: int, access: int, g: Globals, local: tuple[Value, ...]) -> int | None:
        """The element an access means; None for a scalar or for any element."""
        found = self.edge(template, edge).accesses[access]
        if found.whole or isinstance(found.lvalue, Var):
            return None
        key = template, edge, access
        if key not in self._cell:
            self._cell[key] = self.function(template, found.lvalue.index, index=True)
        return self._cell[key](g, local)

    def broken_invariant(self, g: Globals, inside: bool) -> int | None:
        """The index of an invariant of the program that is false; raises Undefined if that depends on an open value.

        `inside`: a thread is inside an atomic section, where some invariants need not hold.
        """
        if self._invariants is None:
            self._invariants = [self.function(None, inv.cond) for inv in self.program.invariants]
        return next((i for i, holds in enumerate(self._invariants)
                     if not (inside and self.program.invariants[i].between) and not holds(g, ())), None)


def settle(g: list[Value], local: list[Value], known: Mapping[Where, int]) -> None:
    """Puts decided values of globals and locals in place."""
    for (owner, slot, index), value in known.items():
        if owner == "h":
            continue
        side = g if owner == "g" else local
        if index is None:
            side[slot] = value
        else:
            array = side[slot]
            assert isinstance(array, tuple)
            side[slot] = store(array, index, value)


def forget(slots: Sequence[int], thread: LocalState) -> LocalState:
    """The thread with these locals open again: it stands for more states."""
    location, local = thread
    if all(local[s] is None for s in slots):
        return thread
    after = list(local)
    for s in slots:
        after[s] = None
    return location, tuple(after)


def leave_open(code: Code) -> Fill:
    """Leaves the targets of havocs open."""
    return lambda k, _: (None, ()) if code.holes[k].whole else None


def _leaving_indices(template: ThreadTemplate) -> tuple[tuple[int, ...], ...]:
    out: list[list[int]] = [[] for _ in range(template.cfa.size)]
    for i, edge in enumerate(template.cfa.edges):
        out[edge.source].append(i)
    return tuple(map(tuple, out))


class Stuck(Exception):
    """A thread that runs alone needs a value that nobody chose, or does not come to an end."""


def run_alone(
    machine: Machine, template: int = 0, steps: int = 1_000_000, open_value: Callable[[Scalar], int] | None = None,
) -> State:
    """Runs one thread of a template to where it cannot go on, taking the first edge that passes; nothing else moves.

    What was never chosen is `open_value` of its type when it is read; without that, it is an error to read it.
    """
    state = machine.open_start((template,))
    g, (location, local) = state.globals, state.threads[0]
    for _ in range(steps):
        for e in machine.leaving(template, location):
            after = _one_way(machine, template, machine.code(template, e), g, local, open_value)
            if after is not None:
                g, local = after
                location = machine.edge(template, e).target
                break
        else:
            return State(g, ((location, local),))
    raise Stuck(f"no end after {steps} steps")


def _one_way(
    machine: Machine, template: int, code: Code, g: Globals, local: tuple[Value, ...], open_value: Callable[[Scalar], int] | None,
) -> tuple[Globals, tuple[Value, ...]] | None:
    known: dict[Where, int] = {}
    while True:
        after_g, after_l = list(g), list(local)
        settle(after_g, after_l, known)
        try:
            return machine.execute(code, tuple(after_g), tuple(after_l), leave_open(code))
        except Undefined as missing:
            where = missing.where
            if open_value is None or where in known:
                raise Stuck(f"{where} is read and has no value") from missing
            known[where] = open_value(machine.variable(template, where).type)
