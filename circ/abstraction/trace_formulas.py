"""Trace formulas: an interleaving as operations over one name space, its feasibility, a model as a replayable trace.

A `Script` writes the local `x` of thread 2 as `x@2`. Its operations and final conditions are satisfiable together iff the
interleaving can happen; otherwise the unsatisfiable core names the guards that exclude it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, assert_never

from circ import smt
from circ.abstraction.predicates import number_ranges
from circ.abstraction.relevance import ScopedName
from circ.smt import Encoder, SatResult, Solver, SymbolicState, Term
from circ.verdict import Choice, OutOfTime, Question, Step, Trace
from frontend.program import (
    AllAt,
    Arbitrary,
    Assign,
    Assume,
    Binary,
    Cast,
    Element,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Program,
    Read,
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
    substitute,
    variables,
)
from frontend.records import dataclass

LONGEST_HAVOC = 256
"""Arrays up to this length get all their elements from the model when they are arbitrary."""

Primitive: TypeAlias = Assume | Assign | Havoc


@dataclass(frozen=True, slots=True)
class Line:
    """One primitive operation of thread `thread`, belonging to step `step` of the run."""

    thread: int
    step: int
    op: Primitive


@dataclass(frozen=True, slots=True)
class Script:
    """An interleaving of `threads` (templates) and what must hold at its end."""

    program: Program
    threads: tuple[ThreadTemplate, ...]
    lines: tuple[Line, ...]
    finals: tuple[Expr, ...] = ()

    def owner(self, name: str) -> int | None:
        """The thread a name belongs to; None for a global."""
        base, at, number = name.rpartition("@")
        return int(number) if at and number.isdigit() and base in {v.name for v in self.threads[int(number)].locals} else None

    def plain(self, name: str) -> ScopedName:
        """A name as the program has it."""
        owner = self.owner(name)
        return (None, name) if owner is None else (self.threads[owner].name, name.rpartition("@")[0])


def script(
    program: Program, threads: Sequence[ThreadTemplate], steps: Iterable[tuple[int, Op]], finals: tuple[Expr, ...]
) -> Script:
    """The script of operations taken in turn by threads."""
    own = [frozenset(v.name for v in t.locals) for t in threads]
    lines = []
    for n, (thread, op) in enumerate(steps):
        for part in primitive(op):
            if not isinstance(part, AllAt):
                lines.append(Line(thread, n, qualify_op(part, thread, own[thread])))
    return Script(program, tuple(threads), tuple(lines), finals)


def qualify(e: Expr, thread: int, own: frozenset[str]) -> Expr:
    """The expression with the thread's locals renamed to `x@thread`."""
    return substitute(e, lambda v: Read(_qualified(v, thread, own)))


def _qualified(v: Lvalue, thread: int, own: frozenset[str]) -> Lvalue:
    match v:
        case Var(name=n, type=t):
            return Var(f"{n}@{thread}", t) if n in own else v
        case Element(array=a, index=i, type=t):
            return Element(f"{a}@{thread}" if a in own else a, i, t)
        case _:
            assert_never(v)


def _qualified_target(v: Lvalue, thread: int, own: frozenset[str]) -> Lvalue:
    if isinstance(v, Element):
        v = Element(v.array, qualify(v.index, thread, own), v.type)
    return _qualified(v, thread, own)


def qualify_op(op: Primitive, thread: int, own: frozenset[str]) -> Primitive:
    match op:
        case Assume(cond=c):
            return Assume(qualify(c, thread, own))
        case Assign(target=t, value=e):
            return Assign(_qualified_target(t, thread, own), qualify(e, thread, own))
        case Havoc(targets=ts, whole=ws):
            named = tuple(f"{w}@{thread}" if w in own else w for w in ws)
            return Havoc(tuple(_qualified_target(t, thread, own) for t in ts), named)
        case _:
            assert_never(op)


def same_cell(threads: Sequence[ThreadTemplate], accesses: Sequence[tuple[int, int, int]]) -> Expr | None:
    """The condition under which two accesses (thread, edge, position) are of one cell; None if they always are."""
    indices: list[Expr] = []
    for thread, edge, at in accesses:
        access = threads[thread].cfa.edges[edge].accesses[at]
        if access.whole or not isinstance(access.lvalue, Element):
            return None
        own = frozenset(v.name for v in threads[thread].locals)
        indices.append(Cast(qualify(access.lvalue.index, thread, own), Scalar(64, False)))
    return Binary("==", *indices)


# --------------------------------------------------------------------------------------------------- feasibility
@dataclass(frozen=True, slots=True)
class Infeasible:
    """The positions of the guards (in `Script.lines`) that contradict each other; `final` if an end condition does too."""

    core: tuple[int, ...]
    final: bool


@dataclass(frozen=True, slots=True)
class Feasible:
    """Values for what the program leaves open: at the start, and for each step's havocs."""

    start: tuple[Choice, ...]
    steps: dict[int, tuple[Choice, ...]]


class Formula:
    """A script as one formula, asked several times."""

    def __init__(self, s: Script, effort: int = 100_000_000) -> None:
        self.script = s
        self.encoder = Encoder(s.program.ints)
        self.solver = Solver(effort)
        self.state = SymbolicState({}, [])
        self.open_start: list[tuple[Variable, int | None, Term | None]] = []
        """What is open at the start; no term where the script says nothing about it, so that any value will do."""
        self.open_steps: list[tuple[int, int, Lvalue | None, str, Variable | None, Term, Term | None]] = []
        self.variables: dict[str, Variable] = {}
        self.named = _named(s)
        self._begin()
        self.literals: dict[int, Term] = {}
        for i, line in enumerate(s.lines):
            self._line(i, line)
        self.finals = [smt.boolean(f"final{i}") for i in range(len(s.finals))]
        for literal, e in zip(self.finals, s.finals, strict=True):
            self.solver.add(smt.implication(literal, self.encoder.cond(e, self.state.terms)))
        self.solver.add(*self.state.constraints)

    def _begin(self) -> None:
        numbers: dict[str, list[Term]] = {}
        for v in self.script.program.globals:
            self._start(v, v.name, None)
        for n, template in enumerate(self.script.threads):
            own = frozenset(v.name for v in template.locals)
            for v in template.locals:
                self._start(v, f"{v.name}@{n}", n)
                if isinstance(v.start, Self):
                    numbers.setdefault(f"{template.name}.{v.name}", []).append(self.state.terms[f"{v.name}@{n}"])
            self.solver.add(*(self.encoder.cond(qualify(e, n, own), self.state.terms) for e in number_ranges(template)))
        for terms in numbers.values():
            for i, a in enumerate(terms):
                for b in terms[:i]:
                    self.solver.add(smt.negation(smt.equality(a, b)))

    def _start(self, v: Variable, name: str, thread: int | None) -> None:
        self.variables[name] = v
        if name not in self.named and not isinstance(v.start, Self):
            if isinstance(v.start, Arbitrary):
                self.open_start.append((v, thread, None))
            return
        symbol = self.encoder.symbol(v, "" if thread is None else f"@{thread}")
        match v.start:
            case Values(default=d, elements=es):
                if v.is_array:
                    symbol = self.encoder.array_of(v, d, es)
                else:
                    symbol = self.encoder.constant(v.type.wrap(dict(es).get(0, d)), v.type)
            case Self():
                self.open_start.append((v, thread, symbol))
            case Arbitrary():
                if self.encoder.math and not v.is_array:
                    fresh = self.encoder.fresh(v.type, self.state.constraints)
                    symbol = fresh
                self.open_start.append((v, thread, symbol))
            case _:
                assert_never(v.start)
        self.state.terms[name] = symbol

    def _line(self, i: int, line: Line) -> None:
        match line.op:
            case Assume(cond=c):
                self.literals[i] = smt.boolean(f"line{i}")
                self.solver.add(smt.implication(self.literals[i], self.encoder.cond(c, self.state.terms)))
            case Assign():
                self.encoder.apply(line.op, self.state)
            case Havoc(targets=ts, whole=ws):
                for t in ts:
                    where = self.encoder.index(t.index, self.state.terms) if isinstance(t, Element) else None
                    name = t.array if isinstance(t, Element) else t.name
                    self.encoder.apply(Havoc((t,)), self.state)
                    value = self.state.terms[name] if where is None else smt.element(self.state.terms[name], where)
                    self.open_steps.append((i, line.step, t, name, None, value, where))
                for w in ws:
                    self.encoder.apply(Havoc((), (w,)), self.state)
                    self.open_steps.append((i, line.step, None, w, self.variables[w], self.state.terms[w], None))
            case _:
                assert_never(line.op)

    # ----------------------------------------------------------------------------------------------- answers
    def decide(self, reluctance: Mapping[ScopedName, int]) -> Feasible | Infeasible:
        answer = self.solver.check(*self.literals.values(), *self.finals)
        if answer is SatResult.UNKNOWN:
            raise OutOfTime("the solver gave up on a trace formula")
        if answer is SatResult.UNSAT:
            return self._reason(reluctance)
        start = [c for v, thread, term in self.open_start for c in self._values(v, thread, term)]
        steps: dict[int, list[Choice]] = {}
        for i, step, target, name, array, term, where in self.open_steps:
            thread = self.script.lines[i].thread
            plain = name.rpartition("@")[0] if self.script.owner(name) is not None else name
            chosen = steps.setdefault(step, [])
            if target is not None:
                index = None if where is None else self.solver.evaluate(where)
                chosen.append(Choice(plain, self._signed(target.type, term), index, thread))
            elif array is not None:
                chosen.extend(Choice(plain, c.value, c.index, thread) for c in self._values(array, thread, term))
        return Feasible(tuple(start), {n: tuple(cs) for n, cs in steps.items()})

    def _reason(self, reluctance: Mapping[ScopedName, int]) -> Infeasible:
        """A core after as many as possible of the variables have been left out, the worst first."""
        why = self._core()
        support = supports(self.script)
        cost = {n: c for names in support.values() for n in names if (c := reluctance.get(self.script.plain(n), 0))}
        rest = self.literals
        for name in sorted(cost, key=lambda n: (-cost[n], n)):
            without = {i: t for i, t in rest.items() if name not in support[i]}
            if len(without) < len(rest) and self.solver.check(*without.values(), *self.finals) is SatResult.UNSAT:
                rest, why = without, self._core()
        return why

    def excluded_by(self, names: frozenset[str]) -> Infeasible | None:
        """Whether guards that no global but these has a part in exclude the script already."""
        shared = frozenset(v.name for v in self.script.program.globals) - names
        support = supports(self.script)
        rest = [t for i, t in self.literals.items() if not support[i] & shared]
        return self._core() if self.solver.check(*rest, *self.finals) is SatResult.UNSAT else None

    def _core(self) -> Infeasible:
        names = {str(t) for t in self.solver.core()}
        return Infeasible(tuple(i for i in self.literals if f"line{i}" in names), any(n.startswith("final") for n in names))

    def _signed(self, t: Scalar, term: Term) -> int:
        value = self.solver.evaluate(term)
        return value if self.encoder.math else t.wrap(value)

    def _values(self, v: Variable, thread: int | None, term: Term | None) -> list[Choice]:
        if term is None:
            return [Choice(v.name, 0, i if v.is_array else None, thread)
                    for i in range(min(v.length or 0, LONGEST_HAVOC) if v.is_array else 1)]
        if not v.is_array:
            return [Choice(v.name, self._signed(v.type, term), None, thread)]
        length = min(v.length or 0, LONGEST_HAVOC)
        elements = ((i, self._signed(v.type, smt.select(term, i, self.encoder.math))) for i in range(length))
        return [Choice(v.name, value, i, thread) for i, value in elements]


def _named(s: Script) -> frozenset[str]:
    """The variables that a script is about, by their names in it; the others may start as they like."""
    found: set[str] = set()
    for line in s.lines:
        found.update(map(name_of, op_reads(line.op)))
        found.update(op_writes(line.op))
    for e in s.finals:
        found.update(variables(e))
    for n, template in enumerate(s.threads):
        own = frozenset(v.name for v in template.locals)
        for e in number_ranges(template):
            found.update(variables(qualify(e, n, own)))
    return frozenset(found)


def supports(s: Script) -> dict[int, frozenset[str]]:
    """For each guard of the script the variables that its value is computed from, along the way."""
    known: dict[str, frozenset[str]] = {}
    found: dict[int, frozenset[str]] = {}

    def behind(names: Iterable[str]) -> frozenset[str]:
        return frozenset().union(*(known.get(n, frozenset((n,))) for n in names))

    for i, line in enumerate(s.lines):
        match line.op:
            case Assume(cond=c):
                found[i] = behind(variables(c))
            case Assign(target=t, value=e):
                parts = {t.array, *variables(t.index)} if isinstance(t, Element) else set()
                known[name_of(t)] = behind(variables(e) | parts) | {name_of(t)}
            case Havoc(targets=ts, whole=ws):
                known.update({n: frozenset((n,)) for n in (*ws, *(t.name for t in ts if isinstance(t, Var)))})
            case _:
                assert_never(line.op)
    return found


def decide(s: Script, reluctance: Mapping[ScopedName, int] | None = None) -> Feasible | Infeasible:
    """Whether the script can be executed; raises OutOfTime if the solver does not know.

    A reason why not does without the variables of `reluctance` (`circ.abstraction.relevance`) where there is such a reason.
    """
    return Formula(s).decide({} if reluctance is None else reluctance)


def concrete_trace(
    program: Program, question: Question, threads: Sequence[ThreadTemplate], run: Sequence[tuple[int, int]],
    accesses: tuple[tuple[int, int, int], ...], values: Feasible,
) -> Trace:
    """The run with the model's values, ready to be replayed."""
    steps = tuple(Step(thread, edge, values.steps.get(n, ())) for n, (thread, edge) in enumerate(run))
    return Trace(program.fingerprint(), question, tuple(t.name for t in threads), values.start, steps, accesses)
