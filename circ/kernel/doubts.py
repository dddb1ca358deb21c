"""Whether a replayed run is one of the C program, or depends on something that the program was over-approximated by.

Values that are open in the automaton but not in the program are followed along the run. As long as no condition and no
address on the way depends on one of them, the program itself has a run with the same steps, whatever those values are.
A condition that compares one with a constant, and holds for all that the program may give it (`Doubt.least`), does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from circ.evidence import AtomicityOf, RaceOn, Trace
from circ.semantics.interpreter import Machine
from circ.semantics.serialisability import triple_at_end
from circ.semantics.trace_run import run_trace
from frontend.program import (
    AllAt,
    Assign,
    Assume,
    Binary,
    Block,
    Cast,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Program,
    Read,
    ThreadTemplate,
    Unary,
    Var,
    name_of,
    primitive,
    reads,
    variables,
)

_OPPOSITE = {"<": ">=", "<=": ">", "==": "!=", ">=": "<", ">": "<=", "!=": "=="}


def doubt(program: Program, trace: Trace) -> str | None:
    """Why a trace that replays may be no run of the C program; None if it is one."""
    run = _DoubtfulRun(program, trace)
    for number, step in enumerate(trace.steps):
        if number == trace.earlier and trace.accesses:
            reason = run.access(step.thread, run.edge(step.thread, step.edge), trace.accesses[0][2])
            if reason is not None:
                return reason
        reason = run.step(step.thread, run.edge(step.thread, step.edge))
        if reason is not None:
            return reason
    if isinstance(trace.question, AtomicityOf):
        return _in_triple(program, trace, trace.question.variable)
    if isinstance(trace.question, RaceOn):
        at_end = trace.accesses if trace.earlier is None else trace.accesses[1:]
        found = (run.access(thread, run.edge(thread, e), at) for thread, e, at in at_end)
        return next((reason for reason in found if reason is not None), None)
    reason = next((reason for inv in program.invariants if (reason := run.depends(0, inv.cond)) is not None), None)
    return reason or run.assumed(program, trace)


def _in_triple(program: Program, trace: Trace, variable: str) -> str | None:
    """Why the program may not make one of the three accesses that are not serialisable; its steps are its own."""
    machine = Machine(program)
    replayed = run_trace(machine, trace)
    triple = triple_at_end(machine, replayed.crew, replayed.states, trace.steps, variable)
    assert triple is not None, "a trace that the kernel accepted"
    run = _DoubtfulRun(program, trace)
    made = {m.step: m.access for m in (triple.first, triple.between, triple.second)}
    for number, step in enumerate(trace.steps):
        edge = run.edge(step.thread, step.edge)
        reason = run.access(step.thread, edge, made[number]) if number in made else None
        if reason is not None:
            return reason
        run.step(step.thread, edge)
    return None


class _DoubtfulRun:
    """Which variables have values that the program may not give them, and why, at a point of the run."""

    def __init__(self, program: Program, trace: Trace) -> None:
        templates = {t.name: t for t in program.templates}
        self._threads = [templates[name] for name in trace.threads]
        self._locals = [frozenset(v.name for v in t.locals) for t in self._threads]
        self._unsure: dict[tuple[int | None, str], str] = {}
        self._ever: dict[str, str] = {}
        self._least: dict[tuple[int | None, str], int] = {}
        """Of some of them the least value that the program may give them; kept while they are only copied."""

    def edge(self, thread: int, number: int) -> Edge:
        return self._threads[thread].cfa.edges[number]

    def step(self, thread: int, edge: Edge) -> str | None:
        """Take a step; the reason if the program may not be able to."""
        for d in edge.doubts:
            if d.step:
                return f"{d.reason} ({edge.location})"
        for op in primitive(edge.op):
            match op:
                case Assume(cond=cond):
                    reason = self.depends(thread, cond)
                    if reason is not None and not self._holds_anyway(thread, cond):
                        return reason
                case Assign(target=target, value=value):
                    least = self._at_least(thread, value)
                    self._assign(thread, target, self.depends(thread, value) or self._index(thread, target))
                    if least is not None and isinstance(target, Var):
                        self._least[self._key(thread, target.name)] = least
                case Havoc(targets=targets):
                    for target in targets:
                        self._assign(thread, target, self._index(thread, target))
                case AllAt():
                    pass
                case _:
                    assert_never(op)
        for d in edge.doubts:
            for name in d.values:
                self._unsure[self._key(thread, name)] = f"{d.reason} ({edge.location})"
                if d.least is not None:
                    self._least[self._key(thread, name)] = d.least
        self._ever |= {name: why for (owner, name), why in self._unsure.items() if owner is None}
        return None

    def assumed(self, program: Program, trace: Trace) -> str | None:
        """Why an assumption may not be broken by the last step: it speaks of a global that was unsure at any time before."""
        if not trace.steps or self.edge(trace.steps[-1].thread, trace.steps[-1].edge).target in self._last(trace).cfa.errors:
            return None
        names = (name.removesuffix("'") for rely in program.relies for name in sorted(variables(rely.cond)))
        return next((self._ever[name] for name in names if name in self._ever), None)

    def _last(self, trace: Trace) -> ThreadTemplate:
        return self._threads[trace.steps[-1].thread]

    def access(self, thread: int, edge: Edge, at: int) -> str | None:
        """Why the program may not make this access next."""
        for d in edge.doubts:
            if d.accesses or d.step:
                return f"{d.reason} ({edge.location})"
        return self._index(thread, edge.accesses[at].lvalue) or self._prefix(thread, edge.op)

    def _prefix(self, thread: int, op: Op) -> str | None:
        """The conditions of a step of several operations decide whether its access is next."""
        if not isinstance(op, Block):
            return None
        conditions = (p.cond for p in primitive(op) if isinstance(p, Assume))
        return self._first(thread, (v for cond in conditions for v in reads(cond)))

    def depends(self, thread: int, e: Expr) -> str | None:
        return self._first(thread, reads(e))

    def _index(self, thread: int, v: Lvalue) -> str | None:
        return self._first(thread, reads(v.index)) if isinstance(v, Element) else None

    def _first(self, thread: int, read: Iterable[Lvalue]) -> str | None:
        return next((self._unsure[k] for v in read if (k := self._key(thread, name_of(v))) in self._unsure), None)

    def _holds_anyway(self, thread: int, cond: Expr, truth: bool = True) -> bool:
        """Whether a condition, which has this truth now, has it for all values that the program may give what it speaks of.

        `fd >= 0`, `fd != -1`; of a conjunction that holds, every part; of one that does not hold, some part.
        """
        match cond:
            case Unary(op="!", arg=arg):
                return self._holds_anyway(thread, arg, not truth)
            case Binary(op="&&" | "||" as op, left=left, right=right):
                if truth == (op == "&&"):
                    return all(self.depends(thread, e) is None or self._holds_anyway(thread, e, truth) for e in (left, right))
                return any(self._holds_anyway(thread, e, truth) for e in (left, right))
            case Binary(op=op, left=left, right=Const(value=c)) if op in _OPPOSITE:
                least = self._at_least(thread, left)
                op = op if truth else _OPPOSITE[op]
                return least is not None and ((least > c and op in (">", ">=", "!=")) or (least == c and op == ">="))
        return False

    def _at_least(self, thread: int, e: Expr) -> int | None:
        """The least value of an unsure variable, also as a signed number that is no narrower."""
        match e:
            case Read(lvalue=Var() as v) if v.type.signed:
                key = self._key(thread, v.name)
                return self._least.get(key) if key in self._unsure else None
            case Cast(arg=arg, type=t) if t.signed and arg.type.signed and t.width >= arg.type.width:
                return self._at_least(thread, arg)
        return None

    def _assign(self, thread: int, target: Lvalue, reason: str | None) -> None:
        key = self._key(thread, name_of(target))
        self._least.pop(key, None)
        if reason is not None:
            self._unsure[key] = reason
        elif not isinstance(target, Element):
            self._unsure.pop(key, None)

    def _key(self, thread: int, name: str) -> tuple[int | None, str]:
        return (thread, name) if name in self._locals[thread] else (None, name)
