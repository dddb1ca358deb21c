"""Predicate abstraction on Z3: predicate lists, regions as bit masks, the abstract post of a segment.

The abstract data state of a thread at an anchor is a minterm: `g`, a bit mask over the global predicates, and `l`, one over
the predicates of its template that mention a local. Bits of predicates about locals that are dead at the anchor are 0 and
mean nothing there. Posts are computed by assumption literals on one solver per segment and cached by the *relevant* bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import TypeAlias, assert_never

from circ import smt
from circ.abstraction.skeleton import Segment, Skeleton
from circ.smt import Encoder, SatResult, Solver, SymbolicState, Term
from circ.verdict import OutOfTime
from frontend.program import (
    BOOL,
    SKIP,
    Arbitrary,
    Binary,
    Const,
    Expr,
    Op,
    Program,
    Read,
    Self,
    ThreadTemplate,
    Unary,
    Values,
    Var,
    Variable,
    name_of,
    negate,
    op_reads,
    op_writes,
    truth,
    variables,
)
from frontend.records import dataclass

_CANONICAL = {"!=": "==", ">=": "<", ">": "<="}


def canonical(e: Expr) -> Expr | None:
    """One of `e` and its negation, the same for both; None for a constant."""
    e = truth(e)
    while isinstance(e, Unary) and e.op == "!":
        e = truth(e.arg)
    if isinstance(e, Const):
        return None
    if isinstance(e, Binary) and e.op in _CANONICAL:
        e = negate(e)
    if isinstance(e, Binary) and e.op == "==" and isinstance(e.left, Const):
        e = Binary("==", e.right, e.left)
    if isinstance(e, Binary) and e.op == "==" and e.left.type == BOOL and isinstance(e.right, Const):
        return canonical(e.left)
    return e if variables(e) else None


@dataclass(slots=True)
class Predicates:
    """The predicates in use: over globals alone, and for each template those with a local in them. Only ever grows."""

    program: Program
    shared: list[Expr] = field(default_factory=list)
    own: dict[str, list[Expr]] = field(default_factory=dict)
    _globals: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self._globals = frozenset(v.name for v in self.program.globals)
        for t in self.program.templates:
            self.own.setdefault(t.name, [])

    def add(self, e: Expr, template: str) -> bool:
        """Adds a predicate as seen from a thread of `template`; False if it is there already or says nothing."""
        c = canonical(e)
        if c is None:
            return False
        where = self.shared if variables(c) <= self._globals else self.own[template]
        if c in where:
            return False
        where.append(c)
        return True

    def about(self, names: Callable[[str], frozenset[str]]) -> Predicates:
        """Those over these names alone, which are given for each template."""
        chosen = Predicates(self.program)
        chosen.shared = [e for e in self.shared if variables(e) <= names(self.program.templates[0].name)]
        chosen.own = {t: [e for e in own if variables(e) <= names(t)] for t, own in self.own.items()}
        return chosen

    def include(self, other: Predicates) -> None:
        """Adds all predicates of another list over the same program."""
        for e in other.shared:
            self.add(e, self.program.templates[0].name)
        for template, own in other.own.items():
            for e in own:
                self.add(e, template)

    def __len__(self) -> int:
        return len(self.shared) + sum(map(len, self.own.values()))


def bits(mask: int) -> Iterator[int]:
    """The positions of the ones, from the lowest."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class _ProgramStart:
    """In place of an operation: the program begins."""


START = _ProgramStart()


class Abstraction:
    """The thread abstraction (C, P) of one template: initial minterms, posts of its segments, effects of the environment.

    `steps` keeps solvers and their answers by what they are about (operation and predicates), so that a later round or
    another question that meets the same step pays nothing for it.
    """

    def __init__(
        self,
        program: Program,
        skeleton: Skeleton,
        predicates: Predicates,
        steps: Steps | None = None,
        *,
        cache: bool = True,
        cartesian: bool = False,
    ) -> None:
        self.program, self.skeleton = program, skeleton
        self.cache, self.cartesian = cache, cartesian
        self.steps: Steps = {} if steps is None else steps
        self.shared = tuple(predicates.shared)
        self.own = tuple(predicates.own[skeleton.template])
        self.all = (*self.shared, *self.own)
        self.width = len(self.shared)
        self.used = tuple(variables(p) for p in self.all)
        self.variables: dict[str, Variable] = {v.name: v for v in (*program.globals, *skeleton.weak.locals)}
        self.locals = frozenset(v.name for v in skeleton.weak.locals)
        self.encoder = Encoder(program.ints)
        self.active = tuple(self._active(live) for live in skeleton.live)
        self.queries = 0
        self.numbers = tuple(constant_numbers(skeleton.original))
        self._initial: tuple[tuple[int, int], ...] | None = None
        self._segments: dict[int, _StepInAbstraction] = {}
        self._posts: dict[tuple[int, int], tuple[int, ...]] = {}
        self._disturbed: dict[tuple[frozenset[str], int, int], tuple[int, ...]] = {}
        self._settlers: dict[tuple[frozenset[str], int], _StepInAbstraction] = {}

    def _active(self, live: frozenset[str]) -> int:
        """All predicate positions that mean something where exactly the locals `live` are alive."""
        return sum(1 << i for i, used in enumerate(self.used) if (used & self.locals) <= live)

    def join(self, g: int, l: int) -> int:
        """The minterm over all predicates of the template, global positions first."""
        return g | l << self.width

    def split(self, m: int) -> tuple[int, int]:
        return m & ((1 << self.width) - 1), m >> self.width

    def symbols(self, names: Iterable[str]) -> dict[str, Term]:
        return {n: self.encoder.symbol(self.variables[n]) for n in sorted(names)}

    # ----------------------------------------------------------------------------------------------- start
    def initial(self) -> tuple[tuple[int, int], ...]:
        """The minterms in which a thread can be at its start."""
        if self._initial is None:
            alive = self.active[self.skeleton.start]
            step = _StepSolver(self, (), tuple(self.all[i] for i in bits(alive)), START)
            use = _StepInAbstraction(step, (), tuple(bits(alive)), alive)
            self._initial = tuple(self.split(m) for m in use.after(self, 0))
        return self._initial

    def start_state(self, names: Iterable[str]) -> SymbolicState:
        """The variables as they are at the start of a thread."""
        state = SymbolicState(self.symbols(names), [])
        for name in state.terms:
            v = self.variables[name]
            match v.start:
                case Values(default=d, elements=es):
                    if v.is_array:
                        state.terms[v.name] = self.encoder.array_of(v, d, es)
                    else:
                        state.terms[v.name] = self.encoder.constant(v.type.wrap(dict(es).get(0, d)), v.type)
                case Self() | Arbitrary():
                    pass
                case _:
                    assert_never(v.start)
        for e in number_ranges(self.skeleton.weak):
            if variables(e) <= state.terms.keys():
                state.constraints.append(self.encoder.cond(e, state.terms))
        return state

    # ----------------------------------------------------------------------------------------------- post
    def post(self, segment: Segment, g: int, l: int) -> tuple[tuple[int, int], ...]:
        """Every minterm in which the segment can end from (g, l); never misses one that a concrete run reaches."""
        use = self._segments.get(segment.number)
        if use is None:
            use = self._segments[segment.number] = self._prepare(segment)
        before = self.join(g, l)
        key = (segment.number, before & use.relevant_mask)
        after = self._posts.get(key)
        if after is None or not self.cache:
            after = self._posts[key] = use.after(self, before)
        keep = before & ~use.affected_mask & use.alive
        return tuple(self.split(keep | m) for m in after)

    def _prepare(self, segment: Segment) -> _StepInAbstraction:
        written = frozenset(op_writes(segment.op))
        read = frozenset(map(name_of, op_reads(segment.op)))
        alive = self.active[segment.target]
        affected = tuple(i for i in bits(alive) if self.used[i] & written)
        touched = read.union(*(self.used[i] for i in affected)) if affected else read
        before = self.active[segment.source]
        relevant = self._connected(touched, before) if self.cache else tuple(bits(before))
        return self._use(relevant, affected, segment.op, alive)

    def _use(self, relevant: tuple[int, ...], affected: tuple[int, ...], op: Op, alive: int) -> _StepInAbstraction:
        known, asked = tuple(self.all[i] for i in relevant), tuple(self.all[i] for i in affected)
        key = (self.skeleton.template, op, known, asked, self.cartesian)
        step = self.steps.get(key) if self.cache else None
        if step is None:
            step = self.steps[key] = _StepSolver(self, known, asked, op)
        return _StepInAbstraction(step, relevant, affected, alive)

    def _connected(self, names: frozenset[str], active: int) -> tuple[int, ...]:
        """The predicates that can say something about `names`, directly or through shared variables."""
        known, chosen = set(names), set()
        changed = True
        while changed:
            changed = False
            for i in bits(active):
                if i not in chosen and self.used[i] & known:
                    chosen.add(i)
                    known |= self.used[i]
                    changed = True
        return tuple(sorted(chosen))

    # ----------------------------------------------------------------------------------------------- environment
    def disturbed(self, anchor: int, g: int, l: int, writes: frozenset[str]) -> tuple[int, ...]:
        """The local masks that fit after another thread wrote `writes` and the global mask is now `g`."""
        use = self._settlers.get((writes, anchor))
        if use is None:
            active = self.active[anchor]
            mixed = tuple(i for i in bits(active) if i >= self.width and self.used[i] & writes)
            touched = frozenset().union(*(self.used[i] for i in mixed))
            known = tuple(i for i in self._connected(touched, active) if i not in mixed)
            use = self._settlers[writes, anchor] = self._use(known, mixed, SKIP, active)
        if not use.affected_mask:
            return (l,)
        keep = self.join(g, l) & ~use.affected_mask
        key = (writes, anchor, keep)
        found = self._disturbed.get(key)
        if found is None:
            found = self._disturbed[key] = tuple(dict.fromkeys(self.split(keep | m)[1] for m in use.after(self, keep)))
        return found

    def relates(self, anchor: int, writes: frozenset[str]) -> bool:
        """Whether a write by another thread may change the local mask: a predicate speaks of it and of a local at once."""
        return any(self.used[i] & writes for i in bits(self.active[anchor]) if i >= self.width)

    # ----------------------------------------------------------------------------------------------- meaning
    def meaning(self, anchor: int, g: int, l: int) -> list[Expr]:
        """The literals that a minterm stands for at an anchor."""
        m = self.join(g, l)
        return [self.all[i] if m >> i & 1 else negate(self.all[i]) for i in bits(self.active[anchor])]


def number_ranges(template: ThreadTemplate) -> list[Expr]:
    """What the thread's own number lies between, for each local that holds it at the start."""
    found: list[Expr] = []
    for v in template.locals:
        if isinstance(v.start, Self) and not v.is_array:
            low = v.start.offset
            high = v.type.high if template.count is None else low + template.count - 1
            if v.type.low <= low and high <= v.type.high:
                me = Read(Var(v.name, v.type))
                found.append(Binary("&&", Binary("<=", Const(low, v.type), me), Binary("<=", me, Const(high, v.type))))
    return found


def constant_numbers(template: ThreadTemplate) -> list[Expr]:
    """The same, only for locals that no edge writes: it holds of them in every state."""
    written = {name for e in template.cfa.edges for name in op_writes(e.op)}
    return [e for e in number_ranges(template) if not variables(e) & written]


class _StepInAbstraction:
    """A step as one abstraction uses it: where its predicates stand in the abstraction's masks."""

    __slots__ = ("affected", "affected_mask", "alive", "relevant", "relevant_mask", "step")

    def __init__(self, step: _StepSolver, relevant: tuple[int, ...], affected: tuple[int, ...], alive: int) -> None:
        self.step, self.relevant, self.affected, self.alive = step, relevant, affected, alive
        self.relevant_mask = sum(1 << i for i in relevant)
        self.affected_mask = sum(1 << i for i in affected)

    def after(self, owner: Abstraction, before: int) -> tuple[int, ...]:
        """The masks over the affected predicates that are possible after the step from `before`, in a fixed order."""
        packed = sum(1 << n for n, i in enumerate(self.relevant) if before >> i & 1)
        found = self.step.answers.get(packed)
        if found is None or not owner.cache:
            owner.queries += 1
            found = self.step.answers[packed] = self.step.enumerate(packed)
        return tuple(sum(1 << i for n, i in enumerate(self.affected) if m >> n & 1) for m in found)


class _StepSolver:
    """One solver that knows a symbolic step: literals for the relevant predicates before it and the affected ones after.

    With `START` for the operation there is nothing before it, and the variables have their start values.
    """

    def __init__(self, owner: Abstraction, relevant: tuple[Expr, ...], affected: tuple[Expr, ...],
                 op: Op | _ProgramStart) -> None:
        self.cartesian = owner.cartesian
        self.answers: dict[int, tuple[int, ...]] = {}
        self.solver = Solver()
        encoder = owner.encoder
        names = frozenset().union(*map(variables, (*relevant, *affected, *owner.numbers)))
        if isinstance(op, _ProgramStart):
            state = owner.start_state(names)
        else:
            before = owner.symbols(names | frozenset(map(name_of, op_reads(op))) | frozenset(op_writes(op)))
            state = SymbolicState(dict(before), [])
            encoder.apply(op, state)
            self.solver.add(*(encoder.cond(e, before) for e in owner.numbers))
        self.before: list[Term] = []
        for i, p in enumerate(relevant):
            self.before.append(smt.boolean(f"b{i}"))
            self.solver.add(smt.equality(self.before[i], encoder.cond(p, before)))
        self.after: list[Term] = []
        for i, p in enumerate(affected):
            self.after.append(smt.boolean(f"a{i}"))
            self.solver.add(smt.equality(self.after[i], encoder.cond(p, state.terms)))
        self.solver.add(*state.constraints)

    def enumerate(self, before: int) -> tuple[int, ...]:
        """The possible masks over the affected predicates, by their order in the step."""
        assumptions = [t if before >> i & 1 else smt.negation(t) for i, t in enumerate(self.before)]
        if self.cartesian and self.after:
            return self._product(assumptions)
        found: list[int] = []
        self.solver.push()
        try:
            while True:
                answer = self.solver.check(*assumptions)
                if answer is SatResult.UNKNOWN:
                    raise OutOfTime("the solver gave up on a step of the abstraction")
                if answer is SatResult.UNSAT:
                    break
                values = [self.solver.evaluate(t) for t in self.after]
                found.append(sum(1 << i for i, v in enumerate(values) if v))
                if not self.after:
                    break
                self.solver.add(smt.disjunction(smt.negation(t) if values[i] else t for i, t in enumerate(self.after)))
        finally:
            self.solver.pop()
        return tuple(sorted(found))

    def _product(self, assumptions: list[Term]) -> tuple[int, ...]:
        """Each predicate by itself: true, false or either (the Cartesian abstraction)."""
        answer, implied = self.solver.consequences(assumptions, self.after)
        if answer is SatResult.UNKNOWN:
            raise OutOfTime("the solver gave up on a step of the abstraction")
        if answer is SatResult.UNSAT:
            return ()
        fixed = {str(t.arg(0) if smt.is_negation(t) else t): not smt.is_negation(t) for t in implied}
        masks = [0]
        for i in range(len(self.after)):
            value = fixed.get(f"a{i}")
            if value is None:
                masks += [m | 1 << i for m in masks]
            elif value:
                masks = [m | 1 << i for m in masks]
        return tuple(sorted(masks))


Steps: TypeAlias = dict[tuple[str, Op, tuple[Expr, ...], tuple[Expr, ...], bool], _StepSolver]
"""Solvers by template, operation, predicates known before and asked after, and the mode; for one program."""
