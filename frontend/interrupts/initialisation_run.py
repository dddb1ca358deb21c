"""The program's own initialisation, executed: what `main` does before anything else can run is done once and for all.

While every handler and task is kept from starting (interrupts are off, nothing is posted, the scheduler is not reached) only
`main` runs. What it leaves becomes the start, and the steps before it go: no thread can ever meet them. What hardware looks at
and nobody changes afterwards is a constant then.

What `main` reads from hardware may be anything. Values that follow from it are left to a first step of `main`
(`frontend.interrupts.residual_steps`); where a choice depends on it, all ways are followed to where they meet again, and what
differs between them is any value from there on: a doubt, so that no race is shown that rests on it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cached_property

from frontend.interrupts.known_memory import KnownMemory
from frontend.interrupts.open_choices import CannotFollow, may_follow, meet, passes
from frontend.interrupts.residual_steps import ResidualSteps, Rest
from frontend.program import (
    FALSE,
    NOWHERE,
    TRUE,
    AllAt,
    Arbitrary,
    Assign,
    Assume,
    Assumption,
    Block,
    Cfa,
    Const,
    Doubt,
    Edge,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Program,
    Role,
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
from frontend.records import dataclass

_MOST_STEPS = 100_000
_OPEN = "what the initialisation leaves there depends on hardware, or on memory that is not followed"


def initialised(program: Program) -> Program:
    """The program from where something else than `main` may run; the same program if it has neither handlers nor tasks."""
    if not any(t.role in (Role.HANDLER, Role.TASK) for t in program.templates):
        return program
    main = next((i for i, t in enumerate(program.templates) if t.role is Role.MAIN and t.count == 1), None)
    if main is not None and not program.invariants:
        program = _Startup(_without_stale_doubts(program, main), main).program()
    return _settled(program)


def _without_stale_doubts(program: Program, main: int) -> Program:
    """The program without doubts of `main` about variables that nothing uses, and which it therefore does not have."""
    known = {v.name for v in (*program.globals, *program.templates[main].locals)}
    if all(n in known for e in program.templates[main].cfa.edges for d in e.doubts for n in d.values):
        return program
    cfa = program.templates[main].cfa
    edges = tuple(replace(e, doubts=tuple(replace(d, values=tuple(n for n in d.values if n in known)) for d in e.doubts))
                  for e in cfa.edges)
    made = replace(program.templates[main], cfa=replace(cfa, edges=edges))
    return replace(program, templates=(*program.templates[:main], made, *program.templates[main + 1:]))


@dataclass
class _Moment:
    """Where `main` is in its run, and what is known then."""

    location: int
    memory: KnownMemory
    rest: ResidualSteps

    def copy(self) -> _Moment:
        return _Moment(self.location, self.memory.copy(), self.rest.copy())


class _Startup:
    def __init__(self, program: Program, main: int) -> None:
        self._program, self._main = program, main
        self._template = program.templates[main]
        self._out = self._template.cfa.leaving()
        self._shared = frozenset(v.name for v in program.globals)
        self._variables = {v.name: v for v in (*program.globals, *self._template.locals)}
        self._waiting = any(e.accesses for t in program.templates if t.role is Role.THREAD for e in t.cfa.leaving()[t.cfa.start])
        self._starts = [e for i, t in enumerate(program.templates) if i != main for e in t.cfa.leaving()[t.cfa.start]]
        self._steps = 0

    def program(self) -> Program:
        """The program from the last moment on at which its state can be told."""
        memory, rest = KnownMemory(self._variables.values()), ResidualSteps(self._variables)
        now: _Moment | None = _Moment(self._template.cfa.start, memory, rest)
        last = None
        while now is not None and self._steps < _MOST_STEPS:
            if now.location not in self._template.cfa.atomic:
                if not self._alone(now.location, now.memory):
                    exact = self._rest(now)
                    if not exact.steps:
                        return self._from(now, exact)
                    break
                last = now.copy()
            now = self._advance(now)
        return self._program if last is None else self._from(last, self._rest(last))

    def _rest(self, moment: _Moment) -> Rest:
        return moment.rest.needed(self._shared | self._live[moment.location], moment.memory)

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

    # ------------------------------------------------------------------------------------------- who else may run
    def _alone(self, location: int, memory: KnownMemory) -> bool:
        """Whether no other thread can start while `main` is here. One that waits at an access races as it waits."""
        return not self._waiting and all(self._kept(e, location, memory) for e in self._starts)

    def _kept(self, edge: Edge, location: int, memory: KnownMemory) -> bool:
        """Whether a start step waits for `main`, or cannot be taken because of what is known."""
        name = self._template.name
        for part in primitive(edge.op):
            match part:
                case AllAt(template=t, locations=places) if t == name and location not in places:
                    return True
                case Assume(cond=c):
                    if memory.value(c) == 0:
                        return True
                case Assign() | Havoc():
                    return False
        return False

    # ------------------------------------------------------------------------------------------- steps
    def _advance(self, now: _Moment) -> _Moment | None:
        """`main` one step further, or, where what it does is open, to where all ways meet; None if that is not told."""
        edge = self._only_step(now)
        try:
            if edge is None:
                return self._met(now)
        except CannotFollow:
            return None
        if not may_follow(edge, self._template.cfa):
            return None
        self._steps += 1
        for part in primitive(edge.op):
            match part:
                case Assign():
                    now.rest.assign(part, now.memory)
                case Havoc():
                    now.rest.havoc(part, now.memory)
        now.rest.doubt({n for d in edge.doubts for n in d.values}, now.memory)
        now.location = edge.target
        return now

    def _only_step(self, now: _Moment) -> Edge | None:
        """The step that `main` surely takes."""
        edges = self._out[now.location]
        if len(edges) == 1 and not any(isinstance(p, Assume) for p in primitive(edges[0].op)):
            return edges[0]
        taken = [(e, sure) for e in edges if (sure := passes(e, now.memory.copy())) is not False]
        return taken[0][0] if len(taken) == 1 and taken[0][1] else None

    def _met(self, now: _Moment) -> _Moment:
        met = meet(self._template.cfa, self._out, now.location, now.memory, _MOST_STEPS - self._steps, self._alone)
        self._steps += met.steps
        now.rest.merge(met.assigned, met.memory)
        return _Moment(met.location, met.memory, now.rest)

    # ------------------------------------------------------------------------------------------- the program behind them
    def _from(self, moment: _Moment, rest: Rest) -> Program:
        """The program that starts at a moment of its run; itself if others could run before what is left to do is done."""
        cfa, at = self._template.cfa, moment.location
        touched = {n for op in rest.steps for n in (*op_writes(op), *map(name_of, op_reads(op)))}
        changed = {v.name: self._starting(v, moment, rest, touched) for v in self._variables.values()}
        reached = cfa.behind((at,))
        kept = Cfa(cfa.size, at, tuple(e for e in cfa.edges if e.source in reached), cfa.atomic & reached,
                   {q: e for q, e in cfa.errors.items() if q in reached}, cfa.critical & reached,
                   {q: p for q, p in cfa.places.items() if q in reached})
        if rest.steps:
            if not self._alone(cfa.size, KnownMemory(changed.values())):
                return self._program
            kept = _beginning(kept, rest)
        moved = replace(self._template, cfa=kept, locals=tuple(changed[v.name] for v in self._template.locals))
        templates = tuple(moved if i == self._main else t for i, t in enumerate(self._program.templates))
        return replace(self._program, globals=tuple(changed[v.name] for v in self._program.globals), templates=templates)

    def _starting(self, v: Variable, moment: _Moment, rest: Rest, touched: Collection[str]) -> Variable:
        """The variable as it starts now. One that is left to the first steps starts with what is known of it."""
        if v.name in touched:
            return v if not isinstance(v.start, Values) or moment.memory.is_large(v.name) else replace(
                v, start=moment.memory.start(v.name))
        if v.name in rest.open:
            return replace(v, start=Arbitrary())
        if moment.memory.is_whole(v.name):
            now = moment.memory.start(v.name)
            return v if v.start == now else replace(v, start=now)
        # Either nothing was ever assigned to it, or nobody looks at it any more.
        return replace(v, start=Arbitrary()) if v.name in moment.rest.touched else v


def _beginning(cfa: Cfa, rest: Rest) -> Cfa:
    """The automaton with what is left to do as its first step."""
    location = next((e.location for e in cfa.edges if e.source == cfa.start), NOWHERE)
    doubts = (Doubt(_OPEN, rest.doubtful),) if rest.doubtful else ()
    op = rest.steps[0] if len(rest.steps) == 1 else Block(rest.steps)
    edge = Edge(cfa.size, cfa.start, op, location=location, text="initialisation", doubts=doubts)
    return replace(cfa, size=cfa.size + 1, start=cfa.size, edges=(edge, *cfa.edges))


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
