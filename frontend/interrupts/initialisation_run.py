"""The program's own initialisation, executed: what `main` does before anything else can run is done once and for all.

While every handler and task is kept from starting (interrupts are off, nothing is posted, the scheduler is not reached) the
program has one run only, as long as `main` reads nothing that is open. Its last state becomes the start, and the steps
before it go: no thread can ever meet them. What hardware looks at and nobody changes afterwards is a constant then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

from frontend.interrupts.known_bits import UNKNOWN, Bits, evaluate, number, value_of
from frontend.program import (
    FALSE,
    TRUE,
    AllAt,
    Arbitrary,
    Assign,
    Assume,
    Assumption,
    Block,
    Cfa,
    Const,
    Edge,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Program,
    Read,
    Role,
    Self,
    ThreadTemplate,
    Values,
    Var,
    Variable,
    name_of,
    op_reads,
    op_writes,
    primitive,
    substitute,
)
from frontend.program.fold import fold

_MOST_STEPS = 20_000
_LARGEST_ARRAY = 1024


def initialised(program: Program) -> Program:
    """The program from where something else than `main` may run; the same program if it has neither handlers nor tasks."""
    if not any(t.role in (Role.HANDLER, Role.TASK) for t in program.templates):
        return program
    main = next((i for i, t in enumerate(program.templates) if t.role is Role.MAIN and t.count == 1), None)
    if main is not None and not program.invariants:
        program = _Startup(program, main).program()
    return _settled(program)


KnownMemory: TypeAlias = dict[str, Bits | dict[int, Bits]]
"""What is known of every variable; arrays by element, an element that is missing is not known."""


class _Startup:
    def __init__(self, program: Program, main: int) -> None:
        self._program, self._main = program, main
        self._template = program.templates[main]
        self._out = self._template.cfa.leaving()
        self._shared = {v.name for v in program.globals}
        self._variables = {v.name: v for v in (*program.globals, *self._template.locals)}
        self._starts = [e for i, t in enumerate(program.templates) if i != main for e in t.cfa.leaving()[t.cfa.start]]

    def program(self) -> Program:
        cfa = self._template.cfa
        location = cfa.start
        first: KnownMemory = {v.name: _known(v) for v in (*self._program.globals, *self._template.locals)}
        state = first
        lost: frozenset[str] = frozenset()
        good: tuple[int, KnownMemory] | None = None
        for _ in range(_MOST_STEPS):
            if location not in cfa.atomic:
                if not self._matters(lost, location):
                    good = location, dict(state)
                if not self._alone(location, state):
                    break
            after = self._step(location, state, lost)
            if after is None or after[0] in cfa.errors or after[0] in cfa.critical:
                break
            location, state, lost = after
        else:
            return self._program
        assert good is not None, "a start location is never atomic"
        return self._from(*good, first)

    def _matters(self, lost: frozenset[str], location: int) -> bool:
        """Whether somebody may look at what is no longer known although it is not open."""
        return bool(lost) and not lost.isdisjoint(self._shared | self._live[location])

    @cached_property
    def _live(self) -> list[frozenset[str]]:
        """For each location the variables that `main` may read from there on before it sets them."""
        live: list[frozenset[str]] = [frozenset()] * self._template.cfa.size
        changed = True
        while changed:
            changed = False
            for q in reversed(range(len(live))):
                now = frozenset(v for e in self._out[q] for v in _before(e.op, live[e.target]))
                changed |= now != live[q]
                live[q] = now
        return live

    def _alone(self, location: int, state: KnownMemory) -> bool:
        """Whether no other thread can start while `main` is here."""
        return all(self._kept(e, location, state) for e in self._starts)

    def _kept(self, edge: Edge, location: int, state: KnownMemory) -> bool:
        """Whether a start step waits for `main`, or cannot be taken because of what is known."""
        name = self._template.name
        for part in primitive(edge.op):
            match part:
                case AllAt(template=t, locations=places) if t == name and location not in places:
                    return True
                case Assume(cond=c):
                    if value_of(evaluate(c, lambda v: _read(state, v)), c.type) == 0:
                        return True
                case Assign() | Havoc():
                    return False
        return False

    def _step(self, location: int, state: KnownMemory, lost: frozenset[str]) -> tuple[int, KnownMemory, frozenset[str]] | None:
        """The only step that `main` can take; None if there is none, or several, or it depends on what is open."""
        found = None
        for edge in self._out[location]:
            after, missing = dict(state), set(lost)
            taken = self._run(edge, after, missing)
            if taken is None or (taken and found is not None) or edge.doubts:
                return None
            if taken:
                found = edge.target, after, frozenset(missing)
        return found

    def _run(self, edge: Edge, state: KnownMemory, lost: set[str]) -> bool | None:
        """Executes the step on `state`: whether it passes, None if that is not known.

        `lost`: variables of which something is known (bits of their values, or how they depend on each other) that a start
        with any value would forget.
        """
        for part in primitive(edge.op):
            match part:
                case Assume(cond=c):
                    passes = value_of(evaluate(c, lambda v: _read(state, v)), c.type)
                    if not passes:
                        return None if passes is None else False
                case Assign(target=t, value=e):
                    bits = evaluate(e, lambda v: _read(state, v))
                    moved = self._moved(edge, t, e, state, lost)
                    _write(state, t, bits)
                    if moved or self._is_known(name_of(t), state):
                        lost.discard(name_of(t))
                    else:
                        lost.add(name_of(t))
                case Havoc(targets=ts, whole=ws):
                    for t in ts:
                        _write(state, t, UNKNOWN)
                        if isinstance(t, Var):
                            lost.discard(t.name)
                        else:
                            lost.add(t.array)
                    for w in ws:
                        state[w] = {}
                        lost.discard(w)
                case AllAt():
                    pass  # all others are at their starts
        return True

    def _is_known(self, name: str, state: KnownMemory) -> bool:
        """Whether all of a variable or array is known."""
        v, found = self._variables[name], state[name]
        if isinstance(found, tuple):
            return value_of(found, v.type) is not None
        return len(found) == v.length and all(value_of(bits, v.type) is not None for bits in found.values())

    def _moved(self, edge: Edge, target: Lvalue, value: Expr, state: KnownMemory, lost: set[str]) -> bool:
        """Whether `target` takes over any value at all from a local that nobody looks at any more."""
        match value:
            case Read(lvalue=Var(name=name, type=t)):
                gone = name not in self._shared and name not in self._live[edge.target]
                whole = isinstance(target, Var) and target.type == t and state[name] == UNKNOWN and name not in lost
                return gone and whole and not isinstance(self._variables[name].start, Self)
        return False

    def _from(self, location: int, state: KnownMemory, first: KnownMemory) -> Program:
        cfa = self._template.cfa
        reached = cfa.behind((location,))
        kept = Cfa(cfa.size, location, tuple(e for e in cfa.edges if e.source in reached), cfa.atomic & reached,
                   {q: e for q, e in cfa.errors.items() if q in reached}, cfa.critical & reached,
                   {q: p for q, p in cfa.places.items() if q in reached})
        moved = replace(self._template, cfa=kept, locals=tuple(_starting(v, state, first) for v in self._template.locals))
        templates = tuple(moved if i == self._main else t for i, t in enumerate(self._program.templates))
        globals_ = tuple(_starting(v, state, first) for v in self._program.globals)
        return replace(self._program, globals=globals_, templates=templates)


def _before(op: Op, live: frozenset[str]) -> frozenset[str]:
    """The variables that matter before an operation behind which `live` do."""
    for part in reversed(list(primitive(op))):
        set_ = {t.name for t in _targets(part) if isinstance(t, Var)}
        live = (live - set_) | {name_of(v) for v in op_reads(part)}
    return live


def _targets(part: Assume | Assign | Havoc | AllAt) -> tuple[Lvalue, ...]:
    match part:
        case Assign(target=t):
            return (t,)
        case Havoc(targets=ts):
            return ts
    return ()


def _known(v: Variable) -> Bits | dict[int, Bits]:
    if v.is_array:
        values = v.start if isinstance(v.start, Values) and (v.length or 0) <= _LARGEST_ARRAY else None
        changed = dict(values.elements) if values is not None else {}
        return {} if values is None else {i: number(changed.get(i, values.default), v.type) for i in range(v.length or 0)}
    return number(v.start.default, v.type) if isinstance(v.start, Values) else UNKNOWN


def _read(state: KnownMemory, v: Lvalue) -> Bits:
    found = state[name_of(v)]
    if isinstance(v, Var):
        assert isinstance(found, tuple)
        return found
    assert isinstance(found, dict)
    index = value_of(evaluate(v.index, lambda w: _read(state, w)), v.index.type)
    return UNKNOWN if index is None else found.get(index, UNKNOWN)


def _write(state: KnownMemory, v: Lvalue, bits: Bits) -> None:
    if isinstance(v, Var):
        state[v.name] = bits
        return
    found = state[v.array]
    assert isinstance(found, dict)
    index = value_of(evaluate(v.index, lambda w: _read(state, w)), v.index.type)
    state[v.array] = {} if index is None else {**found, index: bits}


def _starting(v: Variable, state: KnownMemory, first: KnownMemory) -> Variable:
    """The variable as it starts now; what is not known in full may be anything."""
    found = state[v.name]
    if found is first[v.name]:
        return v
    if isinstance(found, tuple):
        value = value_of(found, v.type)
        return replace(v, start=Arbitrary() if value is None else Values(value))
    values = {i: value_of(bits, v.type) for i, bits in found.items()}
    if set(values) != set(range(v.length or 0)) or None in values.values():
        return replace(v, start=Arbitrary())
    return replace(v, start=Values(0, tuple((i, x) for i, x in sorted(values.items()) if x)))


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
