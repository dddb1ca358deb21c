"""Predicate abstraction on Z3: predicate lists, regions as bit masks, the abstract post of a segment.

The abstract data state of a thread at an anchor is a minterm: `g`, a bit mask over the global predicates, and `l`, one over
the predicates of its template that mention a local. Bits of predicates about locals that are dead at the anchor are 0 and
mean nothing there. Posts are computed by assumption literals on one solver per segment and cached by the *relevant* bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from circ import smt
from circ.skeleton import Segment, Skeleton
from circ.smt import Answer, Encoder, Solver, State, Term
from circ.verdict import OutOfTime
from frontend.cfa import Arbitrary, Program, Self, ThreadTemplate, Values, Variable, name_of, op_reads, op_writes
from frontend.expr import BOOL, Binary, Const, Expr, Read, Unary, Var, negate, truth, variables

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


class Abstraction:
    """The thread abstraction (C, P) of one template: initial minterms, posts of its segments, effects of the environment."""

    def __init__(
        self, program: Program, skeleton: Skeleton, predicates: Predicates, *, cache: bool = True, cartesian: bool = False
    ) -> None:
        self.program, self.skeleton = program, skeleton
        self.cache, self.cartesian = cache, cartesian
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
        self._segments: dict[int, _Step] = {}
        self._posts: dict[tuple[int, int], tuple[int, ...]] = {}
        self._environment: dict[tuple[frozenset[str], int, int], tuple[int, ...]] = {}
        self._settlers: dict[tuple[frozenset[str], int], _Step] = {}

    def _active(self, live: frozenset[str]) -> int:
        """All predicate positions that mean something where exactly the locals `live` are alive."""
        return sum(1 << i for i, used in enumerate(self.used) if (used & self.locals) <= live)

    def join(self, g: int, l: int) -> int:
        """The minterm over all predicates of the template, global positions first."""
        return g | l << self.width

    def split(self, m: int) -> tuple[int, int]:
        return m & ((1 << self.width) - 1), m >> self.width

    # ----------------------------------------------------------------------------------------------- start
    def initial(self) -> tuple[tuple[int, int], ...]:
        """The minterms in which a thread can be at its start."""
        state = State({n: self.encoder.symbol(v) for n, v in self.variables.items()}, [])
        for v in self.variables.values():
            match v.start:
                case Values(default=d, elements=es):
                    if v.is_array:
                        state.terms[v.name] = self.encoder.array_of(v, d, es)
                    else:
                        state.terms[v.name] = self.encoder.constant(v.type.wrap(dict(es).get(0, d)), v.type)
                case Self() | Arbitrary():
                    pass
        state.constraints.extend(self.encoder.cond(e, state.terms) for e in number_ranges(self.skeleton.weak))
        step = _Step(self, state, (), range(len(self.all)), self.active[self.skeleton.start])
        return tuple(self.split(m) for m in step.enumerate(0))

    # ----------------------------------------------------------------------------------------------- post
    def post(self, segment: Segment, g: int, l: int) -> tuple[tuple[int, int], ...]:
        """Every minterm in which the segment can end from (g, l); never misses one that a concrete run reaches."""
        step = self._segments.get(segment.number)
        if step is None:
            step = self._segments[segment.number] = self._prepare(segment)
        before = self.join(g, l)
        key = (segment.number, before & step.relevant)
        after = self._posts.get(key)
        if after is None or not self.cache:
            after = self._posts[key] = step.enumerate(before)
        keep = before & ~step.affected & step.alive
        return tuple(self.split(keep | m) for m in after)

    def _prepare(self, segment: Segment) -> _Step:
        state = State({n: self.encoder.symbol(v) for n, v in self.variables.items()}, [])
        self.encoder.apply(segment.op, state)
        written = frozenset(op_writes(segment.op))
        read = frozenset(map(name_of, op_reads(segment.op)))
        alive = self.active[segment.target]
        affected = [i for i in bits(alive) if self.used[i] & written]
        touched = read.union(*(self.used[i] for i in affected)) if affected else read
        before = self.active[segment.source]
        relevant = self._connected(touched, before) if self.cache else tuple(bits(before))
        return _Step(self, state, relevant, affected, alive)

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
        active = self.active[anchor]
        mixed = [i for i in bits(active) if i >= self.width and self.used[i] & writes]
        if not mixed:
            return (l,)
        affected = sum(1 << i for i in mixed)
        key = (writes, anchor, self.join(g, l) & ~affected)
        found = self._environment.get(key)
        if found is None:
            step = self._settlers.get((writes, anchor))
            if step is None:
                touched = frozenset().union(*(self.used[i] for i in mixed))
                known = tuple(i for i in self._connected(touched, active) if not affected >> i & 1)
                state = State({n: self.encoder.symbol(v) for n, v in self.variables.items()}, [])
                step = _Step(self, state, known, mixed, active)
                self._settlers[(writes, anchor)] = step
            keep = self.join(g, l) & ~affected
            found = tuple(dict.fromkeys(self.split(keep | m)[1] for m in step.enumerate(keep)))
            self._environment[key] = found
        return found

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


class _Step:
    """One solver that knows a symbolic step: literals for the relevant predicates before it and the affected ones after."""

    def __init__(self, owner: Abstraction, state: State, relevant: Sequence[int], affected: Iterable[int], alive: int) -> None:
        self.owner = owner
        self.affected_list = tuple(i for i in affected if alive >> i & 1)
        self.alive = alive
        self.relevant = sum(1 << i for i in relevant)
        self.affected = sum(1 << i for i in self.affected_list)
        self.solver = Solver()
        encoder = owner.encoder
        before = {n: encoder.symbol(v) for n, v in owner.variables.items()}
        self.before: dict[int, Term] = {}
        for i in relevant:
            self.before[i] = smt.boolean(f"b{i}")
            self.solver.add(smt.equality(self.before[i], encoder.cond(owner.all[i], before)))
        self.after: dict[int, Term] = {}
        for i in self.affected_list:
            self.after[i] = smt.boolean(f"a{i}")
            self.solver.add(smt.equality(self.after[i], encoder.cond(owner.all[i], state.terms)))
        self.solver.add(*state.constraints)
        self.solver.add(*(encoder.cond(e, before) for e in owner.numbers))

    def enumerate(self, before: int) -> tuple[int, ...]:
        """The masks over the affected predicates that are possible after the step from `before`, in a fixed order."""
        assumptions = [t if before >> i & 1 else smt.negation(t) for i, t in self.before.items()]
        self.owner.queries += 1
        if self.owner.cartesian and self.after:
            return self._product(assumptions)
        found: list[int] = []
        self.solver.push()
        try:
            while True:
                answer = self.solver.check(*assumptions)
                if answer is Answer.UNKNOWN:
                    raise OutOfTime("the solver gave up on a step of the abstraction")
                if answer is Answer.UNSAT:
                    break
                values = {i: self.solver.evaluate(t) for i, t in self.after.items()}
                found.append(sum(1 << i for i, v in values.items() if v))
                if not self.after:
                    break
                self.solver.add(smt.disjunction(smt.negation(t) if values[i] else t for i, t in self.after.items()))
        finally:
            self.solver.pop()
        return tuple(sorted(found))

    def _product(self, assumptions: list[Term]) -> tuple[int, ...]:
        """Each predicate by itself: true, false or either (the Cartesian abstraction)."""
        answer, implied = self.solver.consequences(assumptions, list(self.after.values()))
        if answer is Answer.UNKNOWN:
            raise OutOfTime("the solver gave up on a step of the abstraction")
        if answer is Answer.UNSAT:
            return ()
        fixed = {str(t.arg(0) if smt.is_negation(t) else t): not smt.is_negation(t) for t in implied}
        masks = [0]
        for i in self.after:
            value = fixed.get(f"a{i}")
            if value is None:
                masks += [m | 1 << i for m in masks]
            elif value:
                masks = [m | 1 << i for m in masks]
        return tuple(sorted(masks))
