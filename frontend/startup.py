"""The program's own initialisation, executed: what `main` does before anything else can run is done once and for all.

While every handler and task is kept from starting (interrupts are off, nothing is posted, the scheduler is not reached) the
program has one run only, as long as `main` reads nothing that is open. Its last state becomes the start, and the steps
before it go: no thread can ever meet them. What hardware looks at and nobody changes afterwards is a constant then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from frontend.cfa import (
    Arbitrary,
    Assume,
    Assumption,
    Block,
    Cfa,
    Edge,
    Op,
    Program,
    Role,
    Start,
    ThreadTemplate,
    Values,
    Variable,
    op_writes,
    primitive,
)
from frontend.evaluate import Undefined, Value
from frontend.expr import FALSE, TRUE, Const, Expr, Lvalue, Var, substitute
from frontend.fold import fold
from frontend.interpret import Code, Fill, Globals, Machine

_MOST_STEPS = 20_000


def initialised(program: Program) -> Program:
    """The program from where something else than `main` may run; the same program if it has neither handlers nor tasks."""
    if not any(t.role in (Role.HANDLER, Role.TASK) for t in program.templates):
        return program
    main = next((i for i, t in enumerate(program.templates) if t.role is Role.MAIN and t.count == 1), None)
    if main is not None and not program.invariants:
        program = _Startup(program, main).program()
    return _settled(program)


class _Startup:
    def __init__(self, program: Program, main: int) -> None:
        self._program, self._main = program, main
        self._machine = Machine(program)
        self._others = [i for i in range(len(program.templates)) if i != main]

    def program(self) -> Program:
        crew = tuple(range(len(self._program.templates)))
        start = self._machine.open_start(crew)
        location, local = start.threads[self._main]
        g = start.globals
        rest = {i: start.threads[i][1] for i in self._others}
        cfa = self._program.templates[self._main].cfa
        for _ in range(_MOST_STEPS):
            if location not in cfa.atomic and not self._alone(location, g, rest):
                break
            after = self._step(location, g, local)
            if after is None or after[0] in cfa.errors or after[0] in cfa.critical:
                break
            location, g, local = after
        else:
            return self._program
        if location in cfa.atomic:
            return self._program  # a start location is never atomic
        return self._from(location, g, local)

    def _alone(self, location: int, g: tuple[Value, ...], rest: dict[int, tuple[Value, ...]]) -> bool:
        """Whether no other thread can start while `main` is here."""
        name = self._program.templates[self._main].name
        for i in self._others:
            start = self._program.templates[i].cfa.start
            for e in self._machine.leaving(i, start):
                code = self._machine.code(i, e)
                if any(a.template == name and location not in a.locations for a in code.guards):
                    continue
                try:
                    if self._machine.execute(code, g, rest[i], _open(code)) is not None:
                        return False
                except Undefined:
                    return False
        return True

    def _step(self, location: int, g: Globals, local: tuple[Value, ...]) -> tuple[int, Globals, tuple[Value, ...]] | None:
        """The only step that `main` can take; None if there is none, or several, or it depends on what is open."""
        found = None
        for e in self._machine.leaving(self._main, location):
            code = self._machine.code(self._main, e)
            try:
                after = self._machine.execute(code, g, local, _open(code))
            except Undefined:
                return None
            if after is not None:
                if found is not None:
                    return None
                found = (self._machine.edge(self._main, e).target, *after)
        return found

    def _from(self, location: int, g: tuple[Value, ...], local: tuple[Value, ...]) -> Program:
        main = self._program.templates[self._main]
        cfa = main.cfa
        reached, work = {location}, [location]
        out = cfa.leaving()
        while work:
            for e in out[work.pop()]:
                if e.target not in reached:
                    reached.add(e.target)
                    work.append(e.target)
        kept = Cfa(cfa.size, location, tuple(e for e in cfa.edges if e.source in reached), cfa.atomic & reached,
                   {q: e for q, e in cfa.errors.items() if q in reached}, cfa.critical & reached,
                   {q: p for q, p in cfa.places.items() if q in reached})
        moved = replace(main, cfa=kept, locals=_starting(main.locals, local))
        templates = tuple(moved if i == self._main else t for i, t in enumerate(self._program.templates))
        return replace(self._program, globals=_starting(self._program.globals, g), templates=templates)


def _open(code: Code) -> Fill:
    """What a step leaves open stays open; if the step goes on to read it, it is not followed."""
    def fill(number: int, index: int | None) -> Value:
        hole = code.holes[number]
        if hole.eager:
            raise Undefined(("h", number, index))
        return (None, ()) if hole.whole else None

    return fill


def _starting(variables: tuple[Variable, ...], values: tuple[Value, ...]) -> tuple[Variable, ...]:
    return tuple(replace(v, start=_start(v, value)) for v, value in zip(variables, values, strict=True))


def _start(v: Variable, value: Value) -> Start:
    if isinstance(value, tuple):
        default, elements = value
        if default is None or any(e is None for _, e in elements):
            return Arbitrary()
        return Values(default, tuple((i, e) for i, e in elements if e is not None))
    return Arbitrary() if value is None else Values(value)


# --------------------------------------------------------------------------------------------------- constants
def _settled(program: Program) -> Program:
    """Conditions for starting a handler or task that can be decided once and for all are decided."""
    written = {name for t in program.templates for e in t.cfa.edges for name in op_writes(e.op)}
    constant = {v.name: Const(v.type.wrap(v.start.default), v.type) for v in program.globals
                if isinstance(v.start, Values) and not v.is_array and v.name not in written}

    def known(v: Lvalue) -> Expr | None:
        return constant.get(v.name) if isinstance(v, Var) else None

    templates: list[ThreadTemplate] = []
    never: list[Assumption] = []
    for t in program.templates:
        if t.role in (Role.HANDLER, Role.TASK):
            edges = [e if e.source != t.cfa.start else replace(e, op=_decided(e.op, known)) for e in t.cfa.edges]
            alive = [e for e in edges if not _never(e)]
            if not any(e.source == t.cfa.start for e in alive):
                never.append(Assumption(f"{t.role.value} '{t.name}' never starts: what enables it never holds", t.location))
                alive = edges
            t = replace(t, cfa=replace(t.cfa, edges=tuple(alive)))
        templates.append(t)
    return replace(program, templates=tuple(templates), warnings=(*program.warnings, *never))


def _decided(op: Op, known: Callable[[Lvalue], Expr | None]) -> Op:
    ops: list[Op] = []
    for part in primitive(op):
        match part:
            case Assume(cond=c):
                now = fold(substitute(c, known))
                ops += [] if now == TRUE else [Assume(now)]
            case _:
                ops.append(part)
    return ops[0] if len(ops) == 1 else Block(tuple(ops))


def _never(e: Edge) -> bool:
    return any(isinstance(p, Assume) and p.cond == FALSE for p in primitive(e.op))
